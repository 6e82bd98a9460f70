"""What `oakum scan` found -> SARIF 2.1.0, as code scanning services and editors read it.

One rule a mechanism, with its help; one result a flaw, at its decisive line, the other lines as related locations. A
known bug of what is built is a rule too, and a result at the line that requires the module, or of a whole program.
Files are named relative to the tree that was given (SRCROOT), by a function that is handed in: where that tree lies is
the caller's affair. A drafted diff comes as the replacement of its lines.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from oakum import __version__
from oakum.knowledge.leaks import Leak, leaks
from oakum.model import Carried, CauseSite, Flaw, Problem, Remedy, Scan
from oakum.report.carried import module_of, newest, why_not_certain
from oakum.report.pen import Look, Pen
from oakum.report.scan import title
from oakum.report.words import WORDS, say, word

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_BASE = "SRCROOT"
# @@ -38,7 +38,7 @@ func main() {
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")

Naming = Callable[[str], str]  # file -> its URI, relative to the base
Artifact = Callable[[str], dict[str, str]]  # file -> its artifactLocation


def document(found: Scan, base: str, uri: Naming, lang: str = "en") -> dict[str, Any]:
    """Return the log with its one run; `base` is the URI of the directory below which `uri` names files."""
    mechanisms = sorted({flaw.mechanism for flaw in found.flaws})
    ids = sorted({row.id for row in found.carried})
    places = {name: at for at, name in enumerate([*mechanisms, *ids])}
    rules = [*(rule(name, lang) for name in mechanisms), *(_known_rule(leaks().entry(id_), lang) for id_ in ids)]
    results = [
        *(_result(flaw, places[flaw.mechanism], uri, lang) for flaw in found.flaws),
        *(_known(row, places[row.id], uri, lang) for row in found.carried),
    ]
    return log(rules, results, [_notification(one, uri) for one in found.problems], {_BASE: {"uri": base}})


def log(
    rules: list[dict[str, Any]], results: list[dict[str, Any]], notes: list[dict[str, Any]], bases: dict[str, Any]
) -> dict[str, Any]:
    """Return a log with one run of this tool; `bases` are what its URIs are relative to."""
    run: dict[str, Any] = {
        "tool": {"driver": {"name": "oakum", "semanticVersion": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": bases,
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notes}],
        "results": results,
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def rule(mechanism: str, lang: str) -> dict[str, Any]:
    told = [word(f"mechanism.{mechanism}.{part}", lang) for part in ("why", "do") if _has(f"{mechanism}.{part}")]
    name = "".join(part.capitalize() for part in mechanism.split("-"))
    help_text = "\n\n".join([title(mechanism, lang), *told])
    return {
        "id": mechanism,
        "name": name,
        "shortDescription": {"text": title(mechanism, lang)},
        "fullDescription": {"text": told[0] if told else title(mechanism, lang)},
        "help": {"text": help_text, "markdown": help_text},
        "defaultConfiguration": {"level": "warning"},
        "properties": {"tags": ["leak", "concurrency"], "precision": "high"},
    }


def _known_rule(entry: Leak, lang: str) -> dict[str, Any]:
    parts = [entry.cause, entry.trigger, entry.fix, *entry.workarounds]
    told = [one[lang] for one in parts]
    links = "\n".join(f"- <{one}>" for one in entry.references)
    return {
        "id": entry.id,
        "name": "".join(part.capitalize() for part in entry.id.split("-")),
        "shortDescription": {"text": entry.summary[lang]},
        "fullDescription": {"text": entry.cause[lang]},
        "help": {"text": "\n\n".join(told), "markdown": "\n\n".join([*told, links])},
        "helpUri": entry.references[0],
        "defaultConfiguration": {"level": "warning"},
        "properties": {
            "tags": ["leak", "dependency", entry.mechanism],
            "precision": "high" if entry.reviewed else "medium",
        },
    }


def _known(row: Carried, rule: int, uri: Naming, lang: str) -> dict[str, Any]:
    """Return a known bug of a build; what is not certain, or cannot be fixed, is a note."""
    pen = Pen(Look(None, lang, lambda text, *_: text, lambda text: text, len))
    args = {"module": module_of(row), "id": row.id, "summary": say(row.summary, lang)}
    told = [word("known.sarif", lang, **args)]
    if not row.certain:
        told = [word("known.sarif-unknown", lang, why=why_not_certain(pen, row), **args)]
    if row.upgrade_to:
        key = "known.sarif-upgrade" if row.certain else "known.sarif-mended"
        told.append(word(key, lang, version=newest(row)))
    place: dict[str, Any] = {"artifactLocation": _artifact(uri)(row.origin)}
    if row.line:
        place["region"] = {"startLine": row.line}
    return {
        "ruleId": row.id,
        "ruleIndex": rule,
        "level": "warning" if row.mendable else "note",
        "message": {"text": ("" if lang == "zh" else " ").join(told)},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"oakumKnown/v1": f"{row.id}:{row.module}"},
    }


def _has(key: str) -> bool:
    return f"mechanism.{key}" in WORDS


def _result(flaw: Flaw, rule: int, uri: Naming, lang: str) -> dict[str, Any]:
    first, *others = flaw.cause.sites
    between = "" if lang == "zh" else " "
    result: dict[str, Any] = {
        "ruleId": flaw.mechanism,
        "ruleIndex": rule,
        "level": "warning",
        "message": {"text": between.join(say(one, lang) for one in flaw.cause.because)},
        "locations": [_location(first, uri)],
        "partialFingerprints": {"oakumFlaw/v1": flaw.id},
    }
    if others:
        result["relatedLocations"] = [
            {"id": number, **_location(site, uri), "message": {"text": role(site.role, lang)}}
            for number, site in enumerate(others, 1)
        ]
    files = [site.frame.file for site in flaw.cause.sites]
    if drafts := [fix for remedy in flaw.remedies for fix in fixes(remedy, files, _artifact(uri), lang)]:
        result["fixes"] = drafts
    return result


def role(name: str, lang: str) -> str:
    """Return what a line of source has to do with a mistake."""
    key = f"cause.role.{name}"
    return word(key, lang) if key in WORDS else name


def _artifact(uri: Naming) -> Artifact:
    return lambda file: {"uri": uri(file), "uriBaseId": _BASE}


def _location(site: CauseSite, uri: Naming) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": site.frame.line}
    if site.code:
        region["snippet"] = {"text": site.code}
    return {
        "physicalLocation": {
            "artifactLocation": _artifact(uri)(site.frame.file),
            "region": region,
        },
        "logicalLocations": [{"fullyQualifiedName": site.frame.function, "kind": "function"}],
    }


def fixes(remedy: Remedy, files: Iterable[str], artifact: Artifact, lang: str) -> Iterator[dict[str, Any]]:
    """Yield a drafted diff as replacements of whole lines; a diff of none of the files is left out."""
    diff = remedy.diff or ""
    name = diff.partition("\n")[0].removeprefix("--- a/").strip()
    file = next((one for one in files if _same(one, name)), "") if name else ""
    if not file:
        return
    replacements = [
        {
            "deletedRegion": {"startLine": first, "startColumn": 1, "endLine": first + count, "endColumn": 1},
            "insertedContent": {"text": text},
        }
        for first, count, text in _replaced(diff)
    ]
    change = {"artifactLocation": artifact(file), "replacements": replacements}
    yield {"description": {"text": say(remedy.text, lang)}, "artifactChanges": [change]}


def _same(file: str, name: str) -> bool:
    """Tell whether a file is the one that a diff names from its module's root; one of them may be longer."""
    file = file.replace("\\", "/").removeprefix("./")
    return f"/{file}".endswith(f"/{name}") or f"/{name}".endswith(f"/{file}")


def _replaced(diff: str) -> Iterator[tuple[int, int, str]]:
    """Yield (first line, how many lines, what is there instead) of each change in a unified diff."""
    at, first, removed, added = 0, 0, 0, list[str]()
    for line in [*diff.split("\n"), " "]:
        if hunk := _HUNK.match(line):
            line, at = " ", int(hunk[1]) - 1
        if line[:1] in ("-", "+") and not line.startswith(("--- a/", "+++ b/")):
            first = first or at
            if line[0] == "-":
                removed, at = removed + 1, at + 1
            else:
                added.append(f"{line[1:]}\n")
            continue
        if first:
            yield first, removed, "".join(added)
            first, removed, added = 0, 0, []
        at += 1


def _notification(one: Problem, uri: Naming) -> dict[str, Any]:
    file, _, line = one.where.rpartition(":")
    where = file if line.isdigit() else one.where
    note: dict[str, Any] = {"level": "note", "descriptor": {"id": one.key}, "message": {"text": say(one.text)}}
    if where:
        place: dict[str, Any] = {"artifactLocation": _artifact(uri)(where)}
        if line.isdigit() and int(line):
            place["region"] = {"startLine": int(line)}
        note["locations"] = [{"physicalLocation": place}]
    return note

"""oakum known: leaks that upstream knows; listed, searched, shown, or matched with evidence.

Exit 0 nothing found, 1 a match that the version does not rule out, or a version that has known bugs.
"""

import json
import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oakum.cli.access_options import LiveCommand, live_flags
from oakum.cli.outputs import language, page_look, write
from oakum.cli.screen import Progress, remark
from oakum.collect.files import is_there
from oakum.model import UsageError

if TYPE_CHECKING:
    from oakum.knowledge.leaks import Leak

# k8s.io/apimachinery@v0.18.8   go@1.21.3
_AT = re.compile(r"^([^@\s:]+)@(\S+)$")
_VERBS = ("list", "search", "show", "match")
_WHAT = {
    "search": "oakum known search WORDS: a module, a function, words of the symptom",
    "match": "oakum known match EVIDENCE: a file, a directory or a running target: http://HOST:6060, pid:N, "
    "kube://pod/NAMESPACE/NAME",
    "show": "oakum known show ID; `oakum known` lists them all",
}
_GO = ("go", "std", "golang")
_NOT_YET = (".html", ".htm", ".md", ".sarif", ".xml", ".pdf")


@click.command(
    epilog="""Examples:

\b
  oakum known                              all of them, by project
  oakum known watch stop                   full-text search, all words
  oakum known StreamWatcher                by function; also by issue number
  oakum known show kubernetes-98653        one bug: cause, versions, fix
  oakum known k8s.io/apimachinery@v0.18.8  bugs in a module version
  oakum known match captures/              match against captures
  oakum known match --binary bin/agent dump.txt  with the binary's versions
  oakum known match kube://node/n7         match a running target
  oakum known --module github.com/docker/docker --json

Exit codes: 0 nothing found, 1 matched or version affected, 2 usage error, 4 failed.

See also: oakum scan (known bugs in a go.mod or a binary), oakum diagnose.
""",
    cls=LiveCommand,
)
@click.argument("words", nargs=-1, metavar="[list|search|show|match] [WORDS...]")
@click.option("--module", metavar="MODULE", help="Only bugs of this module, or of modules below this path.")
@click.option("--mechanism", metavar="NAME", help="Only bugs of this mechanism.")
@click.option("--project", metavar="NAME", help="Only bugs of this project (the prefix of the id).")
@click.option(
    "--binary",
    multiple=True,
    metavar="FILE",
    help="match: binary of the process, or its build info (go.mod, `go version -m`, /version). Repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON (schemas oakum.known/1 and oakum.known-match/1).")
@click.option("-o", "--output", metavar="FILE", help="Write to FILE instead of stdout; FILE.json is written as JSON.")
@click.option("--lang", type=click.Choice(("en", "zh")), help="Language; default: the locale's.")
@click.option("--exit-zero", is_flag=True, help="Exit 0 regardless of the results.")
@live_flags
def command(
    words: tuple[str, ...],
    module: str | None,
    mechanism: str | None,
    project: str | None,
    binary: tuple[str, ...],
    as_json: bool,
    output: str | None,
    lang: str | None,
    exit_zero: bool,
    **live: Any,
) -> int:
    """Look up known upstream bugs: affected versions, fix and mitigation.

    Without words all are listed. An id shows one bug, MODULE@VERSION the bugs of a version; other words are searched
    for in ids, modules, functions, descriptions and links. The goroutines and heap of a file or directory are matched
    against the catalogue.
    """
    if output and Path(output).suffix.lower() in _NOT_YET:
        raise UsageError(f"-o {output}: the output is text or JSON; use .txt or .json")
    verb, words = _verb(tuple(word for word in words if word.strip()))
    if binary and verb != "match":
        raise UsageError("--binary: only for match; `oakum scan FILE` lists the known bugs of a binary")
    as_json = as_json or (output or "").endswith(".json")
    show = _Show(as_json, lang or language(), output)
    if verb == "match":
        if module or mechanism or project:
            raise UsageError(
                "match compares with the whole catalogue: --module, --mechanism and --project are for lists"
            )
        from oakum.cli.live import capture_live

        words, _ = capture_live(words, live)
        found = show.match(words, binary)
    elif verb == "show":
        found = show.entries(words)
    elif len(words) == 1 and (at := _AT.match(words[0])) and "://" not in words[0]:
        found = show.version(at[1], at[2])
    else:
        found = show.listed(words, module, mechanism, project)
    return 1 if found and not exit_zero else 0


def _verb(words: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    if words and words[0] in _VERBS:
        if words[0] in ("search", "match", "show") and len(words) == 1:
            raise UsageError(f"{words[0]} what? {_WHAT[words[0]]}")
        return words[0], words[1:]
    if words and all(word == "-" or word.startswith(("/", "./", "../", "~/")) or is_there(word) for word in words):
        return "match", words
    if len(words) == 1:
        from oakum.knowledge.leaks import leaks

        if words[0].lower() in leaks().ids:
            return "show", words
    return "list", words


class _Show:
    """What a call is to print, and where to; each part returns whether there was something to fail for."""

    def __init__(self, as_json: bool, lang: str, output: str | None) -> None:
        self.as_json, self.output = as_json, output
        self.look = page_look(lang, output)

    def _write(self, document: dict[str, Any] | None, page: str) -> None:
        write(json.dumps(document, indent=2, ensure_ascii=False) + "\n" if document is not None else page, self.output)

    def listed(self, words: Sequence[str], module: str | None, mechanism: str | None, project: str | None) -> bool:
        from oakum.knowledge.search import near, search
        from oakum.report.known import document, listed

        found = [entry for entry in search(words) if _fits(entry, module, mechanism, project)]
        asked = [*words, *(one for one in (module, mechanism, project) if one)]
        like = () if found else near(asked)
        self._write(
            document(found) if self.as_json else None, "" if self.as_json else listed(found, self.look, asked, like)
        )
        return False

    def entries(self, ids: Sequence[str]) -> bool:
        from oakum.knowledge.leaks import leaks
        from oakum.report.known import document, shown

        for id_ in ids:
            if id_.lower() not in leaks().ids:
                like = get_close_matches(id_.lower(), leaks().ids, 3, 0.5)
                hint = f"; perhaps {', '.join(like)}" if like else ""
                raise UsageError(f"show {id_}: no such known bug{hint}. `oakum known` lists them all")
        found = [leaks().entry(id_) for id_ in dict.fromkeys(id_.lower() for id_ in ids)]
        pages = "\n".join(shown(entry, self.look) for entry in found)
        self._write(document(found) if self.as_json else None, pages)
        return False

    def version(self, name: str, found: str) -> bool:
        from oakum.knowledge.carried import carried
        from oakum.knowledge.leaks import leaks
        from oakum.knowledge.versions import version
        from oakum.model import Build
        from oakum.report.known import of_version, version_document

        module = _module(name)
        told = version(found)
        if told is None:
            raise UsageError(f"{name}@{found}: {found} is no version; write it as v1.2.3")
        bare = found.removeprefix("go").removeprefix("v")
        text = bare if module == "std" else f"v{bare}"
        build = Build(go=f"go{bare}") if module == "std" else Build(main=module, main_version=text)
        rows = carried(build, f"{module}@{text}")
        here = {row.id for row in rows}
        rid = [
            entry.id
            for entry in leaks().entries
            if entry.id not in here and any(one.module == module and one.has(text) == "no" for one in entry.affects)
        ]
        page = of_version(module, text, rows, rid, self.look)
        self._write(version_document(module, text, rows, rid) if self.as_json else None, page)
        return any(row.certain for row in rows)

    def match(self, evidence: Sequence[str], binaries: Sequence[str]) -> bool:
        from oakum.cli.case import case
        from oakum.cli.known_match import counted, match
        from oakum.report.known_match import document, render
        from oakum.report.words import word
        from oakum.report.words.lines import problem_line

        given = case(evidence, (), binaries, lang=self.look.lang)
        progress = Progress("matching", self.look.lang)
        try:
            seen = match(given, progress.at)
        finally:
            progress.done()
        for row in given.inputs:
            if row.origin in evidence and row.kind == "unknown":
                told = "; ".join(problem_line(one, self.look.lang) for one in row.problems)
                named = word("input.of", self.look.lang, origin=row.origin, text=told)
                remark(word("input.left-out", self.look.lang, text=named))
        found = list(counted(seen.sightings))
        self._write(
            document(given.processes, seen.sightings, found, seen.stacks) if self.as_json else None,
            "" if self.as_json else render(given.processes, seen.sightings, found, seen.stacks, self.look, evidence),
        )
        return bool(found)


def _fits(entry: "Leak", module: str | None, mechanism: str | None, project: str | None) -> bool:
    modules = [one.module for one in entry.affects]
    return (
        (module is None or any(one == module or one.startswith(f"{module.rstrip('/')}/") for one in modules))
        and (mechanism is None or entry.mechanism == mechanism.lower())
        and (project is None or entry.project == project.lower())
    )


def _module(name: str) -> str:
    """Return the module of the catalogue that is meant: its path, or what only one of them ends with."""
    from oakum.knowledge.leaks import leaks

    if name.lower() in _GO:
        return "std"
    known = sorted({one.module for entry in leaks().entries for one in entry.affects})
    ends = [one for one in known if one.endswith(f"/{name}")]
    if name in known or len(ends) == 1:
        return name if name in known else ends[0]
    if len(ends) > 1:
        raise UsageError(f"{name}: which of {', '.join(ends)}?")
    like = get_close_matches(name, known, 3, 0.6)
    if like and "/" not in name:
        raise UsageError(f"{name}: the catalogue has no such module; perhaps {', '.join(like)}")
    return name

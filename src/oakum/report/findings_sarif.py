"""A diagnosis -> SARIF 2.1.0: findings where code scanning and editors show them, beside those of `oakum scan`.

One rule a mechanism, one result a finding, at the program's own code where it takes part. Files of the program are
named from the root of its module, those of dependencies and of Go from theirs: evidence has paths of other machines.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from oakum.model import Build, Diagnosis, Finding, Frame, Gap
from oakum.report.advice import commands, origins
from oakum.report.gap_commands import gap_command
from oakum.report.sarif import fixes, log, role, rule
from oakum.report.words import say, word

_LONGEST = 2000  # characters of a name or a path; Go has none that long
_LONG_TEXT = 10_000  # of a message
_LEVELS = {"proven": "error", "likely": "error", "possible": "warning"}
_BASES = {
    "SRCROOT": "the root of the program's main module",
    "GOMODCACHE": "Go's module cache: go env GOMODCACHE",
    "GOROOT": "Go itself: go env GOROOT",
}
# /home/ci/go/pkg/mod/k8s.io/apimachinery@v0.18.8/pkg/watch/streamwatcher.go, or without what stands before the module
_IN_MODULE = re.compile(r"(?:^|/pkg/mod/)((?:[^/@]+/)*[^/@]+@v[^/]+/.+)$")
# A colon too: a relative URI whose first part has one would read as an address of that scheme.
_NOT_IN_URI = re.compile(rb"[^A-Za-z0-9/@+~!$&'()*,;=._-]")

Builds = Mapping[str, Build | None]


def document(diagnosis: Diagnosis, lang: str = "en") -> dict[str, Any]:
    mechanisms = sorted({_cut(found.mechanism) for found in diagnosis.findings})
    places = {name: at for at, name in enumerate(mechanisms)}
    results = [_result(diagnosis, found, places[_cut(found.mechanism)], lang) for found in diagnosis.findings]
    made = log(
        [rule(name, lang) for name in mechanisms],
        results,
        [_note(diagnosis, gap, lang) for gap in diagnosis.gaps],
        bases(),
    )
    made["runs"][0]["properties"] = {
        "verdict": diagnosis.verdict,
        "summary": _cut(say(diagnosis.summary, lang)),
        "processes": [_cut(row.name) for row in diagnosis.processes],
        "captures": [_cut(row.digest) for row in diagnosis.inputs if row.digest],
    }
    return made


def bases() -> dict[str, Any]:
    """Return what the URIs of a log are relative to."""
    return {name: {"description": {"text": what}} for name, what in _BASES.items()}


def _result(diagnosis: Diagnosis, found: Finding, at: int, lang: str) -> dict[str, Any]:
    builds = {row.id: row.build for row in diagnosis.processes}
    process = next((site.process for site in found.suspect.sites), "")
    build = builds.get(process)
    stop = "。" if lang == "zh" else "."
    told = [say(found.title, lang).rstrip(stop) + stop]
    told += [say(one, lang) for one in (found.cause.because if found.cause else ())]
    result: dict[str, Any] = {
        "ruleId": _cut(found.mechanism),
        "ruleIndex": at,
        "level": _LEVELS[found.confidence],
        "message": {"text": _cut(("" if lang == "zh" else " ").join(told), _LONG_TEXT)},
        "locations": [_location(frame, build) for frame in place_of(found)],
        "partialFingerprints": {"oakumFinding/v1": _cut(found.id)},
        "properties": {
            "confidence": found.confidence,
            "rank": found.rank,
            "commands": [_cut(one) for one in commands(found, origins(diagnosis), diagnosis.called)],
            "known": [_cut(known.id) for known in found.known],
        },
    }
    if others := list(_related(found, builds, lang)):
        result["relatedLocations"] = [{"id": number, **one} for number, one in enumerate(others, 1)]
    if found.suspect.path:
        steps = [{"location": _location(frame, build)} for frame in found.suspect.path]
        result["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    files = {site.frame.file: site.frame for site in (found.cause.sites if found.cause else ())}
    drafts = [
        fix
        for remedy in found.remedies
        for fix in fixes(remedy, files, lambda file: _artifact(files[file], build), lang)
    ]
    if drafts:
        result["fixes"] = drafts
    return result


def place_of(found: Finding) -> list[Frame]:
    """Return the place that a result is told at: the program's own where there is one, else where it stands."""
    sites = [site.frame for site in found.suspect.sites]
    causes = [site.frame for site in (found.cause.sites if found.cause else ())]
    frames = [*sites, *causes, *found.suspect.path]
    own = [frame for frame in frames if frame.owner == "own" and frame.file]
    return (own or frames)[:1]


def _related(found: Finding, builds: Builds, lang: str) -> Iterator[dict[str, Any]]:
    """Yield the other places, each with its part."""
    seen = {(frame.file, frame.line) for frame in place_of(found)}
    for cause in found.cause.sites if found.cause else ():
        if (cause.frame.file, cause.frame.line) not in seen:
            seen.add((cause.frame.file, cause.frame.line))
            told = {"message": {"text": _cut(role(cause.role, lang))}}
            yield {**_location(cause.frame, builds.get(cause.process), cause.code), **told}
    for site in found.suspect.sites:
        if (site.frame.file, site.frame.line) not in seen:
            seen.add((site.frame.file, site.frame.line))
            yield {
                **_location(site.frame, builds.get(site.process)),
                "message": {"text": _cut(word(f"role.{site.role}", lang))},
            }


def _location(frame: Frame, build: Build | None, code: str = "") -> dict[str, Any]:
    location: dict[str, Any] = {
        "logicalLocations": [{"fullyQualifiedName": _cut(frame.function), "kind": "function"}],
    }
    if frame.file:
        location["physicalLocation"] = {"artifactLocation": _artifact(frame, build)}
        if frame.line > 0:
            snippet = {"snippet": {"text": _cut(code)}} if code else {}
            location["physicalLocation"]["region"] = {"startLine": frame.line, **snippet}
    return location


def _artifact(frame: Frame, build: Build | None) -> dict[str, str]:
    """Return where a file is, as far as that holds on other machines too."""
    file = frame.file.replace("\\", "/")
    if inside := _IN_MODULE.search(file):
        return {"uri": _uri(inside[1]), "uriBaseId": "GOMODCACHE"}
    if frame.owner in ("runtime", "stdlib"):
        tail = f"{frame.package}/{file.rpartition('/')[2]}"
        return {"uri": _uri(f"src/{tail}"), "uriBaseId": "GOROOT"}
    package = frame.package
    if package == "main" and build and build.path:
        package = build.path
    main = build.main if build else None
    if main and (package == main or package.startswith(f"{main}/")):
        return {
            "uri": _uri(f"{package[len(main) + 1 :]}/{file.rpartition('/')[2]}".lstrip("/")),
            "uriBaseId": "SRCROOT",
        }
    return {"uri": f"file://{_uri(file)}" if file.startswith("/") else _uri(file.removeprefix("./"))}


def _uri(path: str) -> str:
    return _NOT_IN_URI.sub(
        lambda byte: b"%%%02X" % ord(byte[0]), _cut(path).encode("utf-8", "backslashreplace")
    ).decode()


def _note(diagnosis: Diagnosis, gap: Gap, lang: str) -> dict[str, Any]:
    between = "" if lang == "zh" else " "
    told = between.join((say(gap.what, lang), say(gap.why, lang)))
    command = gap_command(diagnosis, gap, lang)
    text = f"{told} {command}" if command else told
    return {"level": "note", "descriptor": {"id": _cut(gap.what.key)}, "message": {"text": _cut(text, _LONG_TEXT)}}


def _cut(text: str, most: int = _LONGEST) -> str:
    return text if len(text) <= most else f"{text[:most]}... ({len(text) - most:,} characters more)"

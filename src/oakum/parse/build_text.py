"""Go's build information as text -> Build: `go version -m PROGRAM...`, also with -json, and debug.BuildInfo.String().

In: lines path, mod, dep, =>, build, after a line `PROGRAM: go1.26.8` and indented, or after `go<TAB>go1.26.8` as
programs print their own; or the JSON documents of Go 1.24 on. Out: readings of kind "build", one for each program.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from types import MappingProxyType

from oakum.model import Buffer, Build, Reading
from oakum.parse.limits import Limits
from oakum.parse.plain_json import documents, each, inside, text_of
from oakum.regex import regex

# /usr/bin/kubelet: go1.20.5       (and "devel go1.27-abc", "go1.26.8 X:nodwarf5")
_PROGRAM = regex(r"^(\S.*): ((?:devel )?go\d\S*(?: X:\S+)?|devel \+\S+)\s*$")
# go	go1.21.3      the first line of debug.BuildInfo.String() since Go 1.18; before, it began with path
_OWN = regex(rb"\s*(?:go\t(?:go\d|devel)[^\n]*\n)?path\t[^\t\n]+\r?\n(?:mod|dep|build)\t")
# {"GoVersion": "go1.26.8", "Path": ...     of `go version -m -json`
_JSON = regex(rb'\s*\{\s*"GoVersion"\s*:')
# \" \\ \n \t \x7f \u00e9     in a string that strconv.Quote wrote
_ESCAPE = regex(r'\\(?:([\\"abfnrtv])|x([0-9a-f]{2})|u([0-9a-f]{4}))')
_PLAIN = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_MOST = 16 << 20


def read(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    """Return the builds, or nothing when this is no such listing."""
    del limits  # linear, and no longer than a listing of modules can be
    head = bytes(data[: 64 << 10])
    if len(data) > _MOST:
        return ()
    if _OWN.match(head):
        return (_reading(build_of(_lines(data), None)),)
    if _JSON.match(head):
        return tuple(_reading(build) for one in documents(data) if (build := _from_json(one)))
    if b"\n\tpath\t" in head or b"\n\tmod\t" in head:
        return tuple(_listed(_lines(data)))
    return ()


def build_of(lines: Iterable[str], go: str | None) -> Build:
    """Return what lines such as "dep<TAB>MODULE<TAB>VERSION<TAB>SUM" say; `go` is the version when no line has it."""
    path = main = main_version = None
    modules: dict[str, str] = {}
    replaced: dict[str, str] = {}
    settings: dict[str, str] = {}
    last = ""
    for line in lines:
        match line.rstrip("\r\n").split("\t"):
            case ["go", version, *_]:
                go = version
            case ["path", name, *_]:
                path = name
            case ["mod", name, found, *_]:
                main, main_version = name, found
            case ["dep", name, found, *_]:
                modules[name] = found
                last = name
            case ["=>", name, *rest] if last:
                replaced[last] = name
                modules[last] = rest[0] if rest and rest[0] else "(replaced)"
            case ["build", *_]:
                key, value = _setting(line.rstrip("\r\n").partition("\t")[2])
                settings[key] = value
            case _:
                pass
    return Build(_release(go), path, main, main_version, modules, replaced, settings)


def _lines(data: Buffer) -> list[str]:
    return bytes(data).decode("utf-8", "replace").split("\n")


def _listed(lines: list[str]) -> Iterator[Reading]:
    starts = [at for at, line in enumerate(lines) if _PROGRAM.match(line)]
    for start, end in pairwise([*starts, len(lines)]):
        program = _PROGRAM.match(lines[start])
        inside = [line[1:] for line in lines[start + 1 : end] if line.startswith("\t")]
        if program and inside:
            where = f"lines {start + 1}-{end}" if len(starts) > 1 else ""
            yield _reading(build_of(inside, program[2]), {"program": program[1]}, where)


def _reading(build: Build, notes: dict[str, str] | None = None, where: str = "") -> Reading:
    return Reading(
        kind="build",
        format="go-version-m",
        producer="Go",
        go_version=build.go,
        build=build,
        where=where,
        notes=MappingProxyType(notes or {}),
    )


def _setting(text: str) -> tuple[str, str]:
    """Return key and value of -ldflags="-s -w": what strconv.Quote quoted is read, all else is taken as it stands."""
    key, _, value = text.partition("=")
    if len(value) > 1 and value[0] == value[-1] == '"':
        value = _ESCAPE.sub(_character, value[1:-1])
    elif len(value) > 1 and value[0] == value[-1] == "`":
        value = value[1:-1]
    return key, value


def _character(escape: re.Match[str]) -> str:
    plain, two, four = escape.groups()
    return _PLAIN.get(plain, plain) if plain else chr(int(two or four, 16))


def _from_json(one: object) -> Build | None:
    """Return the build of one document of `go version -m -json`, which has the fields of debug.BuildInfo."""
    if not isinstance(one, dict):
        return None
    modules: dict[str, str] = {}
    replaced: dict[str, str] = {}
    for dep in each(one.get("Deps")):
        name, instead = text_of(dep, "Path"), inside(dep, "Replace")
        modules[name] = text_of(dep, "Version")
        if instead:
            replaced[name] = text_of(instead, "Path")
            modules[name] = text_of(instead, "Version") or "(replaced)"
    main = inside(one, "Main")
    return Build(
        go=_release(text_of(one, "GoVersion")),
        path=text_of(one, "Path") or None,
        main=text_of(main, "Path") or None,
        main_version=text_of(main, "Version") or None,
        modules=modules,
        replaced=replaced,
        settings={text_of(pair, "Key"): text_of(pair, "Value") for pair in each(one.get("Settings"))},
    )


def _release(go: str | None) -> str | None:
    """Return go1.26.8 of "go1.26.8 X:nodwarf5"; "devel go1.27-abc" stays, it is no release."""
    return go.split()[0] if go and go.startswith("go") else go or None

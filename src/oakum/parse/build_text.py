"""`go version -m PROGRAM...` -> Build, one reading for each program.

In: a line `PROGRAM: go1.26.8` and the tab-indented lines path, mod, dep, =>, build. Out: readings of kind "build".
"""

import re
from collections.abc import Iterator
from types import MappingProxyType

from oakum.model import Buffer, Build, Reading
from oakum.parse.limits import Limits

# /usr/bin/kubelet: go1.20.5       (and "devel go1.27-abc", "go1.26.8 X:nodwarf5")
_PROGRAM = re.compile(r"^(\S.*): ((?:devel )?go\d\S*(?: X:\S+)?|devel \+\S+)\s*$")
_MOST = 16 << 20


def read(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    """Return the builds, or nothing when this is no such listing."""
    del limits  # linear, and no longer than a listing of modules can be
    head = bytes(data[: 64 << 10])
    if len(data) > _MOST or (b"\n\tpath\t" not in head and b"\n\tmod\t" not in head):
        return ()
    return tuple(_builds(bytes(data).decode("utf-8", "replace").split("\n")))


def _builds(lines: list[str]) -> Iterator[Reading]:
    starts = [at for at, line in enumerate(lines) if _PROGRAM.match(line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        program = _PROGRAM.match(lines[start])
        inside = [line[1:].rstrip("\r").split("\t") for line in lines[start + 1 : end] if line.startswith("\t")]
        if program and inside:
            build = _build(program[2], inside)
            yield Reading(
                kind="build",
                format="go-version-m",
                producer="Go",
                go_version=build.go,
                build=build,
                notes=MappingProxyType({"program": program[1]}),
                where=f"lines {start + 1}-{end}" if len(starts) > 1 else "",
            )


def _build(version: str, rows: list[list[str]]) -> Build:
    path = main = main_version = None
    modules: dict[str, str] = {}
    replaced: dict[str, str] = {}
    settings: dict[str, str] = {}
    last = ""
    for row in rows:
        match row:
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
            case ["build", setting, *_]:
                key, _, value = setting.partition("=")
                settings[key] = value
            case _:
                pass
    go = version.split()[0] if version.startswith("go") else version
    return Build(go, path, main, main_version, modules, replaced, settings)


__all__ = ["read"]

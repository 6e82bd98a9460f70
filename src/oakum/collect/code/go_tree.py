"""A tree of Go source -> its packages, for `oakum scan`: what is built for one system, tests and vendor when asked for.

Comes in: directories and files as the user names them. Goes out: `SourceText` values by package, named so that a
terminal finds them, and what could not be read. Follows no links to directories; reads one directory at a time.
"""

import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from oakum.collect.code.go_package import Target, belongs, package_of
from oakum.collect.code.go_places import inside_module, read_text
from oakum.collect.code.source import Unused, read_source
from oakum.collect.code.sources import read_directory
from oakum.model import Problem, SourceText

_NEVER = frozenset({"testdata", "node_modules"})
_TARGET = Target()
# module k8s.io/client-go // comment        module "gopkg.in/yaml.v3"
_MODULE = re.compile(r"^module[ \t]+[\"`]?([^\s\"`]+)", re.MULTILINE)
# go 1.23.4
_GO = re.compile(r"^go[ \t]+1\.(\d+)", re.MULTILINE)


class GoPackage(Struct, frozen=True):
    path: str  # its import path; "main" of programs, as frames print it
    files: tuple[SourceText, ...]
    go: int | None = None  # the Go 1.N that its module asks for


def directories(root: Path, *, vendor: bool = False) -> Iterator[Path]:
    """Yield the directories of a tree that have Go files, as far as the go command would look into them."""
    for place, inner, files in os.walk(root):
        inner[:] = sorted(
            name
            for name in inner
            if name not in _NEVER and not name.startswith((".", "_")) and (vendor or name != "vendor")
        )
        if any(name.endswith(".go") for name in files):
            yield Path(place)


def packages(directory: Path, *, tests: bool = False) -> tuple[list[GoPackage], list[Problem]]:
    """Return the packages in a directory, and which of its files could not be read."""
    files = read_directory(directory)
    built = {
        name: data
        for name, data in files.items()
        if (tests or not name.endswith("_test.go")) and belongs(name, data, _TARGET)
    }
    no_go = [_no_go(directory / name) for name, data in built.items() if not package_of(data)]
    return _packages(directory, built), [*no_go, *_unread(directory, files, tests=tests)]


def package_of_file(path: Path) -> tuple[list[GoPackage], list[Problem]]:
    data = read_source(path)
    if isinstance(data, Unused):
        return [], [_unused(path, data)]
    if not package_of(data):
        return [], [_no_go(path)]
    return _packages(path.parent, {path.name: data}), []


def _no_go(path: Path) -> Problem:
    return Problem.of("unread.no-package", str(path))


def _unused(path: Path, why: Unused) -> Problem:
    return Problem.of(f"unread.{why.name}", str(path), **why.args)


def _packages(directory: Path, files: Mapping[str, bytes]) -> list[GoPackage]:
    found: dict[str, list[SourceText]] = {}
    inside = inside_module(directory / "x.go")
    for name, data in files.items():
        path = str(directory / name)
        text = SourceText(path, path, data, inside=inside and inside.removesuffix("x.go") + name)
        if clause := package_of(data):
            found.setdefault(clause, []).append(text)
    module = _module(directory.absolute())
    go = module.go if module is not None else None
    return [GoPackage(_import_path(directory, clause, module), tuple(texts), go) for clause, texts in found.items()]


def _unread(directory: Path, files: Mapping[str, bytes], *, tests: bool) -> Iterator[Problem]:
    try:
        names = sorted(one.name for one in directory.iterdir() if one.suffix == ".go")
    except OSError as error:
        yield Problem.of("unread.os", str(directory), error=error.strerror or str(error))
        return
    for name in names:
        if name not in files and not name.startswith(("_", ".")) and (tests or not name.endswith("_test.go")):
            path = directory / name
            why = read_source(path)
            yield Problem.of("unread.package-full", str(path)) if isinstance(why, bytes) else _unused(path, why)


def _import_path(directory: Path, clause: str, module: "_Module | None") -> str:
    if clause == "main":
        return clause
    if module is None:
        return clause or "main"
    tail = "_test" if clause.endswith("_test") else ""
    inside = directory.absolute().relative_to(module.root).as_posix()
    parts = [module.path] if module.path != "std" else []
    if "vendor/" in f"{inside}/":
        parts, inside = [], inside.rpartition("vendor/")[2]
    return "/".join([*parts, *([inside] if inside != "." else [])]) + tail or clause


class _Module(NamedTuple):
    root: Path
    path: str
    go: int | None


@lru_cache(4096)
def _module(directory: Path) -> _Module | None:
    text = read_text(directory / "go.mod")
    if said := _MODULE.search(text):
        asked = _GO.search(text)
        return _Module(directory, said[1], int(asked[1]) if asked else None)
    return _module(directory.parent) if directory.parent != directory else None

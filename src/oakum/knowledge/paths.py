"""Functions and the files they stand in -> the modules that were linked, where paths name versions.

github.com/containerd/ttrpc@v1.0.1/client.go says what was built, with -trimpath or from the module cache. A function
whose package is not below the module of its file is of a fork: something is built in that module's place.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from oakum.model import Build, Frame
from oakum.model.frame import split_function

# github.com/!burnt!sushi/toml   (module cache)
_CAPITAL = re.compile(r"!([a-z])")


def unescaped(path: str) -> str:
    """Return the path of a module as it is written outside of the module cache, which knows no capitals."""
    return _CAPITAL.sub(lambda one: one[1].upper(), path)


def linked_modules(places: Iterable[tuple[str, str]], go: str | None = None) -> Build | None:
    """Return the modules that (function, file) pairs tell of; None when no path names a version."""
    modules: dict[str, str] = {}
    replaced: dict[str, str] = {}
    for function, file in places:
        if "@v" not in file or (told := _module(split_function(function)[0], file)) is None:
            continue
        name, version, fork = told
        modules.setdefault(name, version)
        if fork:
            replaced.setdefault(name, fork)
    if not modules:
        return None
    return Build(go=go, modules=dict(sorted(modules.items())), replaced=dict(sorted(replaced.items())))


@lru_cache(65536)
def _module(package: str, file: str) -> tuple[str, str, str] | None:
    """Return (module, version, what is built in its place or "")."""
    path = file.replace("\\", "/")
    found = Frame("", path).module
    if found is None or found[0] == "golang.org/toolchain":
        return None
    name, version = unescaped(found[0]), found[1]
    if package == name or package.startswith(f"{name}/") or package in ("", "main"):
        return name, version, ""
    inside = path.partition(f"@{version}/")[2].rpartition("/")[0]  # the directory below the module's root
    if not inside:
        return package, version, name
    if package.endswith(f"/{inside}"):
        return package.removesuffix(f"/{inside}"), version, name
    return None

"""The directory of a module -> what is built in it: the packages of its programs, and the modules they come from.

Asks `go list`, which reads source and builds nothing; without the network and with the Go that is here. No answer where
Go is missing, modules were not downloaded, or the code does not list whole: half an answer would be a wrong one.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from oakum.experiment.call_go import call_go
from oakum.experiment.checkout import inspect_checkout
from oakum.model import Build, Problem

_SECONDS = 60.0  # kubernetes takes ten
_MOST_OUTPUT = 32 << 20
_EACH = (
    "{{.ImportPath}}\t{{with .Module}}{{.Path}}\t{{.Version}}\t{{with .Replace}}{{.Path}}\t{{.Version}}{{end}}{{end}}"
)
NEEDS_CGO = "build constraints exclude all Go files in "  # with cgo off, of a package that has no others


def built_packages(
    module: Path, given: Sequence[Path] = (), env: Mapping[str, str] = os.environ
) -> tuple[Build | None, tuple[Problem, ...]]:
    """Return modules and packages that the programs and tests-less packages of a module are built from, and warnings.

    `given`: folders that the user named.
    """
    found = inspect_checkout(module, given, env)
    if found.leads_outside:
        return None, found.warnings
    try:
        ran = call_go(["list", "-deps", "-f", _EACH, "./..."], module, _SECONDS, most=_MOST_OUTPUT, env=env)
    except OSError:
        return None, found.warnings
    if ran.code and (place := ran.err.decode("utf-8", "replace").partition(NEEDS_CGO)[2].splitlines()[:1]):
        return None, (*found.warnings, Problem.of("cgo.modules", str(module / "go.mod"), package=place[0]))
    if ran.late or ran.code or not ran.out or len(ran.out) > _MOST_OUTPUT:
        return None, found.warnings
    return _build(ran.out.decode("utf-8", "replace").splitlines()), found.warnings


def _build(lines: list[str]) -> Build:
    modules: dict[str, str] = {}
    replaced: dict[str, str] = {}
    packages: set[str] = set()
    for line in lines:
        package, path, version, other, its = (line.split("\t") + [""] * 5)[:5]
        packages.add(package)
        if other:
            replaced[path] = other
        if path and (version or other):  # the main module has neither
            modules[path] = (its or "(replaced)") if other else version
    return Build(
        modules=MappingProxyType(modules),
        replaced=MappingProxyType(replaced),
        packages=frozenset(packages),
        linked=False,
    )

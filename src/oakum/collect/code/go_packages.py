"""The directory of a module -> what is built in it: the packages of its programs, and the modules they come from.

Asks `go list`, which reads source and builds nothing; without the network and with the Go that is here. No answer where
Go is missing, modules were not downloaded, or the code does not list whole: half an answer would be a wrong one.
"""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from shutil import which
from types import MappingProxyType

from oakum.model import Build

_SECONDS = 60.0  # kubernetes takes ten
_MOST_OUTPUT = 32 << 20
_EACH = (
    "{{.ImportPath}}\t{{with .Module}}{{.Path}}\t{{.Version}}\t{{with .Replace}}{{.Path}}\t{{.Version}}{{end}}{{end}}"
)


def built_packages(module: Path, env: Mapping[str, str] = os.environ) -> Build | None:
    """Return modules and packages that the programs and tests-less packages of a module are built from."""
    go = which("go", path=env.get("PATH"))
    if go is None:
        return None
    settings = {"GOPROXY": "off", "GOTOOLCHAIN": "local", "GOWORK": "off", "GOFLAGS": "-mod=readonly"}
    try:
        done = subprocess.run(
            [go, "list", "-deps", "-f", _EACH, "./..."],
            cwd=module,
            env={**env, **settings},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0 or not done.stdout or len(done.stdout) > _MOST_OUTPUT:
        return None
    return _build(done.stdout.decode("utf-8", "replace").splitlines())


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


__all__ = ["built_packages"]

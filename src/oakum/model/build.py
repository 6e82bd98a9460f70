"""What a program was built from: Go version, main package and module, versions of its modules."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Build:
    """Go's build information, or as much of it as an endpoint, a label or a go.mod tells.

    `modules` are the versions that run, replacements applied.
    """

    go: str | None = None  # "go1.26.8"
    path: str | None = None  # the main package: "example.com/shop/cmd/orders"
    main: str | None = None  # the main module: "example.com/shop"
    main_version: str | None = None  # "(devel)", "v1.2.3"
    modules: Mapping[str, str] | None = None  # None: the binary names none
    replaced: Mapping[str, str] | None = None  # required module -> the module that is built in its place
    settings: Mapping[str, str] | None = None  # "-trimpath": "true", "vcs.revision": "..."
    packages: frozenset[str] | None = None  # of dependencies that are built in, where that is told (vendor/modules.txt)
    linked: bool = True  # False: go.mod or go.sum, which say what was asked for, not what was linked
    lines: Mapping[str, int] | None = None  # module -> the line that names it, in a file that people write (go.mod)


__all__ = ["Build"]

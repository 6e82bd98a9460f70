"""What a program was built from: Go version, main package and module, versions of its modules."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Build:
    """Go's build information. `modules` are the versions that run, replacements applied."""

    go: str | None = None  # "go1.26.8"
    path: str | None = None  # the main package: "example.com/shop/cmd/orders"
    main: str | None = None  # the main module: "example.com/shop"
    main_version: str | None = None  # "(devel)", "v1.2.3"
    modules: Mapping[str, str] | None = None  # None: the binary names none
    replaced: Mapping[str, str] | None = None  # required module -> the module that is built in its place
    settings: Mapping[str, str] | None = None  # "-trimpath": "true", "vcs.revision": "..."


__all__ = ["Build"]

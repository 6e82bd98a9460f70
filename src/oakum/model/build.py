"""What a program was built from: Go version, main package and module, versions of its modules."""

import re
from collections.abc import Mapping

from msgspec import Struct

# go1.26.8   go1.26.8 X:goroutineleakprofile   devel go1.27-abc
_GO = re.compile(r"(?:devel )?go1\.(\d{1,6})\b")
_EXPERIMENT_SINCE = 26  # the minor version whose goroutineleak profile is an experiment; later ones always have it


class Build(Struct, frozen=True):
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

    @property
    def has_leak_profile(self) -> bool:
        """Tell whether the program has the goroutineleak profile: Go 1.27 has it, Go 1.26 with its experiment."""
        found = _GO.match(self.go or "")
        if found is None or int(found[1]) < _EXPERIMENT_SINCE:
            return False
        experiments = f"{self.go} {(self.settings or {}).get('GOEXPERIMENT', '')}"
        return int(found[1]) > _EXPERIMENT_SINCE or "goroutineleakprofile" in experiments

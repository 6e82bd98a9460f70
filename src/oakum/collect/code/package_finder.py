"""The directory of a package: an import path and the code that imports it -> where it lies on this machine.

Adds to SourceFinder what imports need: the module around the importing code, its vendor folders, the Go it is part of.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from oakum.collect.code import go_places
from oakum.collect.code.go_places import GoModule
from oakum.collect.code.source import MOST_TRIES, SourceFinder, Try, longest, other, owner
from oakum.collect.code.source_name import SourceName, inside
from oakum.knowledge.paths import unescaped

_MOST_ENTRIES = 10_000  # of one directory
_MOST_LEVELS = 32
_LONGEST = 1024  # of an import path


class PackageFinder(SourceFinder):
    """Finds files of frames, and directories of import paths."""

    def __init__(
        self,
        source_path: Sequence[str] = (),
        env: Mapping[str, str] = os.environ,
        go_version: str | None = None,
        built: Mapping[str, tuple[str, str]] | None = None,
        here: str = ".",
    ) -> None:
        super().__init__(source_path, env=env, go_version=go_version, built=built, here=here)
        self._modules_at: dict[Path, tuple[GoModule, ...]] = {}

    def directory(self, path: str, beside: Path) -> tuple[Path, str, str] | None:
        """Return where the package imported as `path` by the code in a directory lies, how it was found, its note."""
        if not path or not inside(path) or len(path) > _LONGEST:
            return None
        name = SourceName.of(f"{path}.x", f"{path}/x.go")
        around = self.modules_around(beside)
        looked: set[Path] = set()
        for candidate in self._imports(name, path, beside, around):
            place = candidate.path.parent
            if place in looked or not candidate.certain:
                continue
            if len(looked) == MOST_TRIES:
                break
            looked.add(place)
            if _has_go(place):
                return place, candidate.how, candidate.note
        return None

    def _imports(self, name: SourceName, path: str, beside: Path, around: tuple[GoModule, ...]) -> Iterator[Try]:
        if root := go_places.goroot_of(beside):
            for below in ("src", "src/vendor"):
                yield Try(root / below / path / "x.go", f"GOROOT, {go_places.version_of(root)}")
        for module in around:
            if path == module.path or path.startswith(f"{module.path}/"):
                yield Try(module.root / path[len(module.path) + 1 :] / "x.go", f"module {module.path}")
        if name.standard:
            yield from self._in_goroot(name)
        copies = list(self._copies(name, path, beside, around))
        yield from (copy for copy in copies if not copy.note)
        yield from self._as_built(name)
        yield from copies
        for place in (beside, *beside.parents)[:_MOST_LEVELS]:
            if place.name == "src":  # a GOPATH, or staging/src of kubernetes
                yield Try(place / path / "x.go", "GOPATH")
        yield from self._tries(name)
        yield from self._in_modules(name, around)

    def _copies(self, name: SourceName, path: str, beside: Path, around: tuple[GoModule, ...]) -> Iterator[Try]:
        """Yield the package in the vendor folders of the importing code, with a note when another version runs."""
        version = self._version(name, f"{path}/x.go")
        for place in (beside, *beside.parents)[:_MOST_LEVELS]:
            requires = next((module.requires for module in around if module.root == place), {})
            note = other(requires.get(longest(f"{path}/x.go", requires), ""), version)
            if vendor := go_places.vendor_of(place):
                yield Try(vendor / path / "x.go", "vendor", note)

    def module_of(self, function: str, file: str) -> tuple[str, str, str] | None:
        """Return (module, version, path inside the module) of a frame's file, as its name or the build says."""
        name = SourceName.of(function, file)
        if name.refusal or name.standard:
            return None
        if name.module:
            modules, version, rest = name.module
            return unescaped(modules[-1]), unescaped(version), rest
        for text in name.import_names:
            if (module := longest(text, self._built)) and self._built[module][1].startswith("v"):
                target, version = self._built[module]
                return target, version, text[len(module) + 1 :]
        return None

    def module_for(self, path: str, around: Sequence[GoModule]) -> tuple[str, str, str] | None:
        """Return (module, version, path inside it) of an import path, as the build or a go.mod says."""
        text = f"{path}/x.go"
        if module := longest(text, self._built):
            target, version = self._built[module]
            return target, version, path[len(module) + 1 :]
        for root in (*around, *self._modules):
            if module := owner(text, root):
                target, version = root.replaces.get(module) or (module, root.requires.get(module, ""))
                if version.startswith("v"):
                    return target, version, path[len(module) + 1 :]
        return None

    def modules_around(self, place: Path) -> tuple[GoModule, ...]:
        """Return the module that a directory lies in, and the others of its go.work."""
        if place not in self._modules_at:
            self._modules_at[place] = go_places.modules_at(place)
        return self._modules_at[place]

    def runs(self, module: str, version: str) -> None:
        """Take note of a module and version that a frame names: what imports it means that one."""
        self._built.setdefault(module, (module, version))


def _has_go(place: Path) -> bool:
    try:
        with os.scandir(place) as entries:
            return any(entry.name.endswith(".go") for entry, _ in zip(entries, range(_MOST_ENTRIES), strict=False))
    except (OSError, ValueError):
        return False

"""The source that explain reads: frames and import paths -> Go files of this machine, as `oakum.model.Sources`.

Comes in: --source directories, the program's build information, perhaps a `Fetch`. Goes out: `SourceText` values,
named as the capture names its files. Opens what is asked for, once; walks only the program's own tree, within bounds.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Protocol

from oakum.collect.code.capture_names import CaptureNames
from oakum.collect.code.go_package import Target, belongs, package_of, target_for
from oakum.collect.code.go_places import GoModule, GoVersion, goroot_of, inside_module, revision_of
from oakum.collect.code.package_finder import PackageFinder
from oakum.collect.code.source import Unused, read_source
from oakum.collect.code.source_name import DRIVE, inside
from oakum.knowledge.paths import unescaped
from oakum.model import Build, Frame, SourceNotFound, SourceText, Text

_MOST_FILES = 600  # of one package; the largest of kubernetes has 200
_MOST_BYTES = 32 << 20  # of one package; generated API types reach 10 MB
_BYTES_KEPT = 128 << 20  # of directories whose files stay in memory
_FRAMES_KEPT = 4096
_MOST_OWN = 20_000  # directories of the program's own tree; kubernetes has 4,000
_NO_SOURCE = frozenset({"vendor", "testdata", "node_modules", "Godeps", "third_party"})


class Fetcher(Protocol):
    """What brings source that this machine does not have: collect/code/fetch.py."""

    def module(self, path: str, version: str) -> Path:
        """Return the directory of a module's release; raise SourceNotFound with the reason in words."""
        ...

    def goroot(self, version: str) -> Path:
        """Return the root of a Go release; raise SourceNotFound with the reason in words."""
        ...


class LocalSources:
    """Source of one program, or of several that run the same modules. Lazy, and every answer is kept."""

    def __init__(
        self,
        source: Sequence[str] = (),
        builds: Sequence[Build] = (),
        fetch: Fetcher | None = None,
        frames: Iterable[Frame] = (),  # of the case: those of the program's own code show where its tree is
        env: Mapping[str, str] = os.environ,
        go_version: str | None = None,
        here: str = ".",  # where it is looked for when no source is given
    ) -> None:
        self._given = bool(source)
        self._go = next((build.go for build in builds if build.go), go_version)
        self._builds = tuple(builds)
        self._finder = PackageFinder(source, env=env, go_version=self._go, built=_built(builds), here=here)
        self._fetch = fetch
        self._frames = tuple(islice(frames, _FRAMES_KEPT))
        self._target = _target(builds, self._go)
        self._names = CaptureNames()
        self._own: dict[Path, None] = {}  # roots of modules that own frames were found in
        settings = [build.settings or {} for build in builds]
        self._revisions = frozenset(one["vcs.revision"] for one in settings if "vcs.revision" in one)
        self._at = lru_cache(_FRAMES_KEPT)(revision_of)
        self._file = lru_cache(_FRAMES_KEPT)(self._find)
        self._directories: dict[Path, Mapping[str, bytes]] = {}
        self._room = _BYTES_KEPT
        self._resolved = lru_cache(_FRAMES_KEPT)(self._finder.directory)

    def file(self, frame: Frame) -> SourceText:
        found = self._file(frame.function, frame.file)
        if isinstance(found, SourceNotFound):
            raise found
        return found

    def package(self, frame: Frame) -> tuple[SourceText, ...]:
        file = self.file(frame)
        path = Path(file.path)
        if path.suffix != ".go":
            return (file,)
        target = target_for(path.name, file.data, self._target_of(frame))
        tests = path.name.endswith("_test.go")
        cut = max(frame.file.rfind("/"), frame.file.rfind("\\")) + 1
        texts = [file]
        for name, data in self._directory(path.parent).items():
            if name == path.name or (name.endswith("_test.go") and not tests):
                continue
            if package_of(data) == package_of(file.data) and belongs(name, data, target):
                beside = str(path.parent / name)
                inside = file.inside and file.inside.removesuffix(path.name) + name
                texts.append(SourceText(beside, frame.file[:cut] + name, data, file.how, file.note, inside))
        return tuple(texts)

    def imported(self, path: str, beside: Frame) -> tuple[SourceText, ...]:
        try:
            importer = self.file(beside)
        except SourceNotFound:
            return ()
        place = Path(importer.path).parent
        found = self._resolved(path, place) or self._fetched_import(path, place)
        if found is None:
            return ()
        directory, how, note = found
        if not note and _together(directory, place, self._finder.modules_around(place)):
            how, note = importer.how, importer.note
        return self._texts(directory, how, note, self._target_of(beside))

    def own(self) -> Iterator[tuple[SourceText, ...]]:
        """Return the packages of the program's own tree: the module around --source, or around own frames found."""
        count = 0
        for root in self._own_roots():
            for directory in _walk(root, frozenset(module.root for module in self._finder.modules_around(root))):
                count += 1
                if count > _MOST_OWN:
                    return
                by_package: dict[str, list[SourceText]] = {}
                for text in self._texts(directory, f"source in {root.name or root}", "", self._target, every=True):
                    by_package.setdefault(package_of(text.data), []).append(text)
                yield from (tuple(texts) for texts in by_package.values())

    def module_of(self, frame: Frame) -> tuple[str, str, str] | None:
        """Return (module, version that runs, path inside it) of a frame's file; None when nothing says."""
        if module := self._finder.module_of(frame.function, frame.file):
            return module
        for build in self._builds:
            main, version = build.main or "", build.main_version or ""
            named = self._main_name(frame, build)
            if main and version.startswith("v") and named.startswith(f"{main}/") and inside(named):
                return main, version.removesuffix("+dirty"), named[len(main) + 1 :]
        return None

    def _main_name(self, frame: Frame, build: Build) -> str:
        """Return a frame's file as import path and name; "" when it has none or the compiler made it."""
        file = frame.file.replace("\\", "/")
        package, base = frame.package.removesuffix("_test"), file.rpartition("/")[2]
        if not base.endswith(".go"):
            return ""
        if package != "main":
            return f"{package}/{base}"
        # A program has one package main; -trimpath names it by its import path.
        return file if build.main and file.startswith(f"{build.main}/") else f"{build.path or ''}/{base}"

    def _find(self, function: str, file: str) -> SourceText | SourceNotFound:
        here = self._here(function, file)
        if isinstance(here, SourceNotFound) or here.note:
            # What the fetch brings is of the version that runs; what lies here may not be.
            fetched = self._fetched(function, file)
            if isinstance(fetched, SourceText):
                here = fetched
            elif isinstance(here, SourceNotFound) and fetched:
                return SourceNotFound(here.text, here.looked, here.advice, fetched.text)
        if isinstance(here, SourceText):
            self._learn(Frame(function, file), Path(here.path))
        return here

    def _here(self, function: str, file: str) -> SourceText | SourceNotFound:
        try:
            found = self._finder.find(function, file)
        except SourceNotFound as error:
            return error
        path = Path(found.path)
        data = read_source(path)
        if isinstance(data, Unused):  # it went away between two looks
            return _unused(function or file, path, data.text or Text("source.gone"))
        note = found.note or self._revision_note(path, function)
        return SourceText(found.path, file, data, found.how, note, inside_module(path))

    def _revision_note(self, path: Path, function: str) -> str:
        """Return what is to be known of a checkout that is at another commit than the program was built from."""
        if not self._revisions or goroot_of(path.parent) or self._cache_of(path) or not self._is_own(Frame(function)):
            return ""
        at = self._at(path.parent)
        if not at or at in self._revisions:
            return ""
        return f"this checkout is at {at[:12]}, the program was built from {min(self._revisions)[:12]}"

    def _learn(self, frame: Frame, path: Path) -> None:
        """Keep what a found file tells: how the capture names its neighbours, what runs, where the own tree is."""
        if frame.module:
            self._finder.runs(*map(unescaped, frame.module))
        goroot = goroot_of(path.parent)
        around = () if goroot else self._finder.modules_around(path.parent)
        root = next((module.root for module in around if path.is_relative_to(module.root)), None)
        self._names.learn(path, frame.file, (goroot / "src" if goroot else root, self._cache_of(path)))
        if root and self._is_own(frame):
            self._own[root] = None

    def _is_own(self, frame: Frame) -> bool:
        if frame.owner == "own" or frame.package == "main":
            return True
        mains = [build.main for build in self._builds if build.main]
        return any(frame.package == main or frame.package.startswith(f"{main}/") for main in mains)

    def _cache_of(self, path: Path) -> Path | None:
        return next((cache for cache in self._finder.caches if path.is_relative_to(cache)), None)

    def _own_roots(self) -> list[Path]:
        for frame in self._frames:
            if self._is_own(frame):
                self._file(frame.function, frame.file)
        roots: dict[Path, None] = {}
        for directory in self._finder.roots if self._given else ():
            around = self._finder.modules_around(directory)
            roots |= dict.fromkeys(module.root for module in around)
            if not around:
                roots[directory] = None
        roots |= self._own
        return [root for root in roots if not any(other in root.parents for other in roots)]

    def _texts(
        self, directory: Path, how: str, note: str, target: Target, every: bool = False
    ) -> tuple[SourceText, ...]:
        """Return the package in a directory without its tests; `every` package when the directory has several."""
        files = {
            name: data
            for name, data in self._directory(directory).items()
            if not name.endswith("_test.go") and belongs(name, data, target)
        }
        packages = [package_of(data) for data in files.values()]
        usual = max(dict.fromkeys(packages), key=packages.count, default="")
        root = goroot_of(directory)
        inside = inside_module(directory / "x.go")
        return tuple(
            SourceText(
                str(directory / name),
                self._names.of(directory / name, self._base(directory, root)),
                data,
                how,
                note,
                inside and inside.removesuffix("x.go") + name,
            )
            for (name, data), package in zip(files.items(), packages, strict=True)
            if every or package == usual
        )

    def _base(self, directory: Path, goroot: Path | None) -> Path | None:
        """Return the directory below which a file is named when no frame tells how the capture would."""
        if goroot:
            return goroot / "src"
        if cache := self._cache_of(directory):
            return cache
        given = [root for root in self._finder.roots if self._given and directory.is_relative_to(root)]
        around = [
            module.root for module in self._finder.modules_around(directory) if directory.is_relative_to(module.root)
        ]
        return min((*given, *around), key=lambda root: len(root.parts), default=None)

    def _directory(self, directory: Path) -> Mapping[str, bytes]:
        if directory not in self._directories:
            files = read_directory(directory)
            self._room -= sum(map(len, files.values()))
            if self._room < 0:
                self._directories.clear()
                self._room = _BYTES_KEPT
            self._directories[directory] = files
        return self._directories[directory]

    def _target_of(self, frame: Frame) -> Target:
        if DRIVE.match(frame.file) and self._target == Target(minor=self._target.minor):
            return Target("windows", minor=self._target.minor)
        return self._target

    def _fetched(self, function: str, file: str) -> SourceText | SourceNotFound | None:
        """Return the file of a frame from a module or a Go that was fetched; None when nothing says which."""
        if self._fetch is None:
            return None
        frame = Frame(function, file)
        try:
            if frame.owner in ("runtime", "stdlib"):
                if not self._go:
                    return None
                self._fetch.goroot(self._go)
                self._finder.forget()
                found = self._finder.find(function, file)
                path, how, note = Path(found.path), found.how, found.note
            else:
                module = self.module_of(frame)
                if module is None:
                    return None
                name, version, rest = module
                path = self._fetch.module(name, version).joinpath(*rest.split("/"))
                how, note = f"fetched, {name}@{version}", self._dirty(name)
        except SourceNotFound as error:
            return error
        data = read_source(path)
        if isinstance(data, Unused):
            return _unused(function or file, path, data.text or Text("source.not-in-release"))
        return SourceText(str(path), file, data, how, note, inside_module(path))

    def _dirty(self, module: str) -> str:
        """Return what is to be known of a program that was built from a changed copy of its release."""
        if any(build.main == module and (build.main_version or "").endswith("+dirty") for build in self._builds):
            return "the program was built from a changed copy of this release"
        return ""

    def _fetched_import(self, path: str, place: Path) -> tuple[Path, str, str] | None:
        if self._fetch is None:
            return None
        required = self._finder.module_for(path, self._finder.modules_around(place))
        if required is None:
            return None
        name, version, rest = required
        try:
            directory = self._fetch.module(name, version).joinpath(*rest.split("/"))
        except SourceNotFound:
            return None
        return (directory, f"fetched, {name}@{version}", "") if directory.is_dir() else None


def _unused(name: str, path: Path, why: Text) -> SourceNotFound:
    at = Text("source.at", {"path": str(path)})
    return SourceNotFound(Text("source.of-file", {"name": name, "path": str(path), "why": why}), (at,))


def _built(builds: Sequence[Build]) -> dict[str, tuple[str, str]]:
    """Return module -> (module in its place, version); what two builds disagree on is left out."""
    running: dict[str, set[tuple[str, str]]] = {}
    for build in builds:
        for module, version in (build.modules or {}).items():
            running.setdefault(module, set()).add(((build.replaced or {}).get(module, module), version))
    return {
        module: next(iter(found))
        for module, found in running.items()
        if len(found) == 1 and "(" not in next(iter(found))[1]
    }


def _target(builds: Sequence[Build], go: str | None) -> Target:
    version = GoVersion.of(go)
    settings: Mapping[str, str] = next((build.settings for build in builds if build.settings), {})
    return Target(
        settings.get("GOOS", "linux"),
        settings.get("GOARCH", "amd64"),
        frozenset(settings.get("-tags", "").replace(",", " ").split()),
        version.minor if version else None,
        settings.get("CGO_ENABLED", "1") != "0",
    )


def read_directory(directory: Path) -> dict[str, bytes]:
    """Return the Go files of a directory by name, within bounds."""
    try:
        with os.scandir(directory) as entries:
            names = sorted(e.name for e in entries if e.name.endswith(".go") and not e.name.startswith(("_", ".")))
    except OSError:
        return {}
    files: dict[str, bytes] = {}
    left = _MOST_BYTES
    for name in names[:_MOST_FILES]:
        data = read_source(directory / name)
        if isinstance(data, bytes) and len(data) <= left:
            files[name] = data
            left -= len(data)
    return files


def _walk(root: Path, modules: frozenset[Path]) -> Iterator[Path]:
    """Yield the directories of a module, no other module's unless go.work uses it."""
    for place, directories, files in os.walk(root):
        here = Path(place)
        directories[:] = sorted(
            name
            for name in directories
            if name not in _NO_SOURCE
            and not name.startswith((".", "_"))
            and (here / name in modules or not (here / name / "go.mod").exists())
        )
        if any(name.endswith(".go") for name in files):
            yield here


def _together(one: Path, other: Path, modules: Iterable[GoModule]) -> bool:
    """Return whether two directories came from one place: the same module, the same Go."""
    goroot = goroot_of(one)
    if goroot:
        return goroot == goroot_of(other)
    return any(
        one.is_relative_to(m.root) and other.is_relative_to(m.root) and "vendor" not in one.relative_to(m.root).parts
        for m in modules
    )

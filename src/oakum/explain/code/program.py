"""Frames of a stack -> the functions and operations of their source, when that is the source that runs.

Comes in: frames, and `Sources` that hand over files. Goes out: `ResolvedFrame`s. A line that does not do what the stack
says is done there is another version's: it is told as drift, and nothing is read from it.
"""

import re
from collections.abc import Callable, Iterator

from msgspec import Struct, field

from oakum.explain.code.binary import meant, of_program
from oakum.explain.code.flows import Flows
from oakum.explain.code.link import link
from oakum.explain.code.linked_names import bare_name
from oakum.explain.code.locking import Locking
from oakum.explain.code.nouns import Func, Op, Step
from oakum.explain.code.package import Package
from oakum.explain.code.syntax import last_line, line
from oakum.model import Frame, SourceNotFound, Sources, SourceText
from oakum.model.frame import split_function

_CLOSURE = re.compile(r"\.(func|gowrap)\d")
# Packages of one program that are read as one; a tree the size of kubernetes is not.
_LINKED_MOST = 400


class ResolvedFrame(Struct, frozen=True):
    """A frame in its source."""

    frame: Frame
    package: Package
    func: Func
    number: int  # line

    @property
    def ops(self) -> list[Op]:
        """Return the operations on the line, those that begin there first."""
        found = [op for op in self.func.ops if line(op.node) <= self.number <= last_line(op.node)]
        return sorted(found, key=lambda op: (op.line != self.number, last_line(op.node) - op.line))

    @property
    def step(self) -> Step | None:
        """Return the statement on the line."""
        near = [one for one in self.func.steps if one.line <= self.number <= last_line(one.node)]
        return min(near, key=lambda one: (one.line != self.number, last_line(one.node) - one.line), default=None)

    def op(self, *kinds: str) -> Op | None:
        """Return the operation of one of these kinds on the line."""
        return next((op for op in self.ops if op.kind in kinds), None)


class Program(Struct):
    """The source of one process as far as it can be had; remembers what it read and what it missed."""

    sources: Sources
    frames: tuple[Frame, ...] = ()  # of the stacks: of a tree with many programs they tell which one runs
    missing: dict[str, None] = field(default_factory=dict)  # files as the capture names them, in order
    drift: dict[str, str] = field(default_factory=dict)  # function -> what does not agree
    used: dict[str, SourceText] = field(default_factory=dict)  # files that spots were found in
    _packages: dict[str, Package | None] = field(default_factory=dict)
    _flows: dict[int, Flows] = field(default_factory=dict)
    _locking: dict[int, Locking] = field(default_factory=dict)
    _own: dict[int, Package] = field(default_factory=dict)
    _own_files: list[tuple[SourceText, ...]] | None = None
    _paths: dict[str, str] | None = None  # folder -> import path
    _whole: list["Whole | None"] = field(default_factory=list)  # once it was asked for

    def package(self, frame: Frame) -> Package | None:
        """Return the package of a frame; None when its source is not to be had."""
        path = self._path(frame)
        key = f"{path}\0{_folder(frame)}"
        if key not in self._packages:
            self._packages[key] = self._load(frame, path)
        return self._packages[key]

    def _path(self, frame: Frame) -> str:
        """Return the import path of a frame's file.

        A literal of a function that was inlined bears the name of whoever inlined it: main.main.Handler.func5 stands in
        the package of Handler, as the frames of that folder's named functions say.
        """
        if not _CLOSURE.search(frame.function):
            return frame.package
        if self._paths is None:
            named = (one for one in self.frames if not _CLOSURE.search(one.function))
            self._paths = {_folder(one): one.package for one in named}
        return self._paths.get(_folder(frame), frame.package)

    def _load(self, frame: Frame, path: str) -> Package | None:
        try:
            files = self.sources.package(frame)
        except SourceNotFound:
            self.missing[frame.file] = None
            return None
        return Package(path, files)

    def imported(self, path: str, beside: Frame) -> Package | None:
        """Return another package by its import path."""
        key = f"{path}\0"
        if key not in self._packages:
            files = self.sources.imported(path, beside)
            self._packages[key] = Package(path, files) if files else None
        return self._packages[key]

    def own(self, *words: bytes, every: tuple[bytes, ...] = ()) -> list[Package]:
        """Return the packages of the program's own tree; given words, those that have one of them, and `every`."""
        if self._own_files is None:
            self._own_files = of_program([files for files in self.sources.own() if files], self.frames)
        found: list[Package] = []
        for at, files in enumerate(self._own_files):
            if words and not any(word in file.data for file in files for word in words):
                continue
            if not all(any(word in file.data for file in files) for word in every):
                continue
            if at not in self._own:
                self._own[at] = Package(next(iter(_clauses(files)), "main"), files)
            found.append(self._own[at])
        return found

    @property
    def read(self) -> list[Package]:
        return [*(one for one in self._packages.values() if one is not None), *self._own.values()]

    def flows(self, package: Package) -> Flows:
        if id(package) not in self._flows:
            self._flows[id(package)] = Flows(package)
        return self._flows[id(package)]

    def locking(self, package: Package) -> Locking:
        if id(package) not in self._locking:
            self._locking[id(package)] = Locking(package)
        return self._locking[id(package)]

    def spot(
        self, frame: Frame | None, agrees: Callable[[ResolvedFrame], bool] = lambda _: True
    ) -> ResolvedFrame | None:
        """Return a frame in its source, if that is the source that runs: `agrees` looks at what the line does."""
        if frame is None or not frame.file or frame.line <= 0:
            return None
        package = self.package(frame)
        if package is None:
            return None
        file = self._file(package, frame)
        if file is None:
            self.missing[frame.file] = None  # not among the files of its package
            return None
        self.used[file.name] = file
        for func in sorted(
            package.around(file.name, frame.line), key=lambda one: bare_name(one.name) != _own_name(frame)
        ):
            spot = ResolvedFrame(frame, package, func, frame.line)
            if _same_function(func, frame) and agrees(spot):
                return spot
        self.drift[frame.function] = f"{frame.file}:{frame.line}"
        return None

    def _file(self, package: Package, frame: Frame) -> SourceText | None:
        """Return the file of a frame among those of its package."""
        return _same_file(package, frame.file)

    def whole(self) -> "Whole | None":
        """Return the program with its own packages as one; None where it has but one."""
        if not self._whole:
            self._whole.append(Whole.of(self))
        return self._whole[0]


class Whole(Program, kw_only=True):
    """A program whose own packages are linked into one."""

    parts: Program
    linked: Package
    files: dict[str, SourceText]  # where a file was read -> its linked text

    @classmethod
    def of(cls, parts: Program) -> "Whole | None":
        packages = parts.own()
        if not 1 < len(packages) <= _LINKED_MOST:
            return None
        read = [tuple(file.source for file in package.files) for package in packages]
        meanings = meant(read)
        paths = {at: path for some in meanings for path, at in some.items()}
        folders = {_folder(Frame("", files[0].name)): at for at, files in enumerate(read)}
        for frame in parts.frames:  # what they say is sure
            own = frame.owner == "own" and not _CLOSURE.search(frame.function)
            if own and (at := folders.get(_folder(frame))) is not None:
                paths[at] = frame.package
        linked = link(packages, meanings, [paths.get(at, package.clause) for at, package in enumerate(packages)])
        files = {file.source.path: file.source for file in linked.files}
        shared = (parts.sources, parts.frames, parts.missing, parts.drift, parts.used)
        return cls(*shared, parts=parts, linked=linked, files=files)

    def package(self, frame: Frame) -> Package | None:
        return self._linked(self.parts.package(frame))

    def imported(self, path: str, beside: Frame) -> Package | None:
        return self._linked(self.parts.imported(path, beside))

    def own(self, *words: bytes, every: tuple[bytes, ...] = ()) -> list[Package]:
        return [self.linked] if self.parts.own(*words, every=every) else []

    def _linked(self, package: Package | None) -> Package | None:
        return self.linked if package is not None and package.files[0].source.path in self.files else package

    def _file(self, package: Package, frame: Frame) -> SourceText | None:
        part = self.parts.package(frame)
        file = _same_file(part, frame.file) if part is not None else None
        return self.files.get(file.path) if file is not None and package is self.linked else file


def calls(spot: ResolvedFrame) -> bool:
    """Tell whether something is called on the line, as every frame above the leaf says."""
    if spot.op("call", "go", "defer", "range") is not None or any(op.kind == "literal" for op in spot.ops):
        return True
    leaving = any(step.leaves and step.line <= spot.number <= last_line(step.node) for step in spot.func.steps)
    return leaving and any(op.kind == "defer" for op in spot.func.ops)  # what was deferred runs here


def does(state: str | None) -> Callable[[ResolvedFrame], bool]:
    """Return whether a line does what a goroutine in that state waits in."""
    wanted = {"chan send": ("send",), "chan receive": ("receive", "range")}

    def agrees(spot: ResolvedFrame) -> bool:
        bare = (state or "").removesuffix(" (nil chan)")
        if bare in wanted:
            return spot.op(*wanted[bare]) is not None
        if bare.startswith("select"):
            return any(
                one.kind == "select" for one in spot.func.steps if one.line <= spot.number <= last_line(one.node)
            )
        return calls(spot) or bool(spot.ops)

    return agrees


def starts(spot: ResolvedFrame) -> bool:
    """Tell whether a goroutine is started on the line, or something is called that may start one."""
    return spot.op("go", "call") is not None


def _folder(frame: Frame) -> str:
    return frame.file.replace("\\", "/").rpartition("/")[0]


def _same_file(package: Package, name: str) -> SourceText | None:
    base = name.replace("\\", "/").rpartition("/")[2]
    for file in package.files:
        if file.source.name.replace("\\", "/").rpartition("/")[2] == base:
            return file.source
    return None


def _own_name(frame: Frame) -> str:
    return split_function(frame.function)[2]


def _same_function(func: Func, frame: Frame) -> bool:
    """Tell whether a function is the one that a frame names: closures may be numbered otherwise, and be inlined."""
    _, receiver, name = split_function(frame.function)
    top = func.top
    first = name.partition(".")[0].replace("glob", "init")  # closures of package variables, up to Go 1.20
    if receiver.lstrip("*") == bare_name(top.receiver) and first == bare_name(top.name):
        return True
    # Of a literal in a function that was inlined into another: main.main.(*T).Run.func2, main.(*T).Outer.Run.func2
    return func.parent is not None and bare_name(top.name) in frame.function.replace(")", "").split(".")


def _clauses(files: tuple[SourceText, ...]) -> Iterator[str]:
    for file in files:
        for one in file.data.split(b"\n", 200)[:200]:
            if one.startswith(b"package "):
                yield one.split()[1].decode("utf-8", "replace")

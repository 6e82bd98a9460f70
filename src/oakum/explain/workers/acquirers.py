"""A function of somebody else's package -> the calls in the program's own code that lead to it.

Comes in: the function that starts a goroutine, and what would stop it. Goes out: `Acquirer`s: own calls, and the names
of the methods that would release what they got. A package or two between are looked through; what is further is not.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from oakum.explain.code import kinds
from oakum.explain.code.calls import method, operand
from oakum.explain.code.nouns import CallRef, FieldRef, ForeignRef, Func, Op, ResultRef, Symbol, Var
from oakum.explain.code.package import Package
from oakum.explain.code.paths import touching
from oakum.explain.code.program import Program
from oakum.model import Frame, SourceText

_LOOKED_MOST = 300  # packages looked through for one that leads on
_FORGES = ("github.com", "gitlab.com", "bitbucket.org", "golang.org", "gopkg.in")
_IMPORT = re.compile(rb'"([\w.-]+\.[\w-]+/[^"\s]+)"')


class Acquirer(Struct, frozen=True):
    """A call in the program's own code that starts or registers something elsewhere."""

    package: Package
    call: Op
    releases: frozenset[str]  # methods that would give it back
    func: Func  # what it calls, in the package where that stands


def acquirers(program: Program, func: Func, stops: list[Op]) -> Iterator[Acquirer]:
    """Yield the own calls of a function of another package, straight or through one package between."""
    package, top = func.package, func.top
    if top.name[:1].isupper():
        names = releasing(package, stops)
        for own in program.own():
            for call in calls_of(program, own, package.path, top):
                yield Acquirer(own, call, names, top)
    yield from _between(program, package, top, stops)


def users(program: Program, start: Op, stops: list[Op]) -> Iterator[Acquirer]:
    """Yield the calls in other own packages of what has an own package start something."""
    package = start.func.package
    names = releasing(package, stops)
    here = {file.source.name for file in package.files}
    for top in sorted({func.top for func in touching(package, [start], 2)}, key=lambda one: one.first):
        words = (f".{top.name}(".encode(), f'"{package.path}"'.encode())
        for own in program.own(every=words) if top.name[:1].isupper() else ():
            if not any(file.source.name in here for file in own.files):
                for call in calls_of(program, own, package.path, top):
                    yield Acquirer(own, call, names, top)


def releasing(package: Package, stops: list[Op]) -> frozenset[str]:
    """Return the exported methods that do one of the operations, themselves or through others."""
    return frozenset(func.name for func in touching(package, stops) if func.receiver and func.name[:1].isupper())


class _Leading(Struct, frozen=True):
    """The functions of a package that lead to the one asked about, and the methods that take it back."""

    package: Package
    funcs: tuple[Func, ...]
    releases: frozenset[str]


class _Search:
    """The packages between own code and the wanted one: those next to it first, then those one further away."""

    def __init__(self, program: Program, wanted: _Leading) -> None:
        self.program, self.wanted = program, wanted
        self.next: dict[str, _Leading | None] = {wanted.package.path: None}  # leads straight to the wanted one
        self.imports: dict[str, dict[str, SourceText]] = {}

    def importing(self, path: str, beside: Frame) -> dict[str, SourceText]:
        """Return what a package imports, and the file that does; most need no more than this look."""
        if path not in self.imports:
            enough = len(self.imports) >= _LOOKED_MOST or "." not in path.split("/")[0]
            files = () if enough else self.program.sources.imported(path, beside)
            found = {name.decode(): file for file in files for name in _IMPORT.findall(file.data[: _head(file.data)])}
            self.imports[path] = found
        return self.imports[path]

    def straight(self, path: str, beside: Frame) -> _Leading | None:
        """Return what of a package leads to the wanted functions."""
        if path not in self.next:
            there = self.wanted.package.path in self.importing(path, beside)
            self.next[path] = _through(self.program, path, beside, self.wanted) if there else None
        return self.next[path]

    def round_about(self, path: str, beside: Frame) -> _Leading | None:
        """Return the same by way of one package that it imports."""
        for inner, file in self.near(path, beside).items():
            leading = self.straight(inner, Frame(f"{path}.init", file.name, 1))
            found = _through(self.program, path, beside, leading) if leading is not None else None
            if found is not None:
                return found
        return None

    def near(self, path: str, beside: Frame) -> dict[str, SourceText]:
        """Return the imports of a package that are of the same people as the wanted one."""
        known = self.importing(path, beside)
        return {inner: known[inner] for inner in sorted(known) if _near(inner, self.wanted.package.path)}


def _between(program: Program, package: Package, top: Func, stops: list[Op]) -> Iterator[Acquirer]:
    search = _Search(program, _Leading(package, (top,), releasing(package, stops)))
    imports = {
        (own, path): Frame(f"{own.path}.init", file.source.name, 1)
        for own in program.own()
        for file in own.files
        for path in file.imports.values()
    }
    for (own, path), beside in imports.items():
        yield from _calling(program, own, path, search.straight(path, beside))
    for (own, path), beside in sorted(imports.items(), key=lambda one: len(search.near(one[0][1], one[1]))):
        yield from _calling(program, own, path, search.round_about(path, beside))


def _calling(program: Program, own: Package, path: str, middle: _Leading | None) -> Iterator[Acquirer]:
    for func in middle.funcs if middle is not None else ():
        for call in calls_of(program, own, path, func):
            yield Acquirer(own, call, middle.releases if middle is not None else frozenset(), func)


def _through(program: Program, path: str, beside: Frame, wanted: _Leading) -> _Leading | None:
    middle = program.imported(path, beside)
    if middle is None:
        return None
    calls = [op for func in wanted.funcs for op in calls_of(program, middle, wanted.package.path, func)]
    funcs = [func for func in touching(middle, calls) if func.parent is None and func.name[:1].isupper()]
    if not funcs:
        return None
    ends = [op for func in middle.all for op in func.ops if op.kind == "call" and method(op) in wanted.releases]
    return _Leading(middle, tuple(sorted(funcs, key=lambda one: one.name)), releasing(middle, ends))


def _near(path: str, other: str) -> bool:
    """Tell whether two packages are of the same people: k8s.io, github.com/nats-io."""
    mine, theirs = path.split("/"), other.split("/")
    return mine[0] == theirs[0] and (mine[0] not in _FORGES or mine[1:2] == theirs[1:2])


def _head(data: bytes) -> int:
    """Return where the imports of a file are over."""
    at = data.find(b"\nfunc ")
    return at if at >= 0 else len(data)


def calls_of(program: Program, package: Package, path: str, func: Func) -> Iterator[Op]:
    """Yield the calls in a package of a function or method of another: by its import, or on what came from there."""
    if not any(path in file.imports.values() for file in package.files):
        return
    for one in package.all:
        for op in one.ops:
            if op.kind != "call" or method(op) != func.bare or op.target is None:
                continue
            node = operand(op)
            if not func.receiver:
                if package.import_of(node, op.file) == path:
                    yield op
            elif node is not None and _comes_from(program, package, package.symbol(node, one, op.file), op, path):
                yield op


def _comes_from(program: Program, package: Package, symbol: Symbol | None, op: Op, path: str) -> bool:
    """Tell whether a value is of another package: by its written type, or by the call that gave it."""
    names = {name for name, meant in op.file.imports.items() if meant == path}
    written = package.type_of(operand(op), op.func, op.file)
    if written:
        return kinds.base(written).partition(".")[0] in names
    if symbol is None or isinstance(symbol, (ForeignRef, ResultRef)):
        return False
    before = program.flows(package).origins(symbol) if isinstance(symbol, (Var, FieldRef)) else {symbol}
    return any(isinstance(one, CallRef) and one.name.startswith(f"{path}.") for one in before)

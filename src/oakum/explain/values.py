"""Where a value comes from: an expression -> the calls, literals and names at its beginning.

Comes in: an expression in a function, on the stack of a scene or beside it. Goes out: `Expr`s that nothing in the
source leads further back from. A parameter on the stack is what the caller on the stack gave; elsewhere any caller.
"""

from collections.abc import Iterator

from msgspec import Struct
from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.linked_names import bare_name
from oakum.explain.code.nouns import ElemRef, FieldRef, ForeignRef, Func, GoFile, Op, ResultRef, Symbol, Var
from oakum.explain.code.package import Package
from oakum.explain.code.program import ResolvedFrame
from oakum.explain.code.syntax import bare, line, text
from oakum.explain.reason import StackInSource
from oakum.model import CauseSite, Frame
from oakum.model.frame import split_function
from oakum.model.vocabulary import CauseRole

_MOST = 300  # expressions looked at for one question
_LONG = 90  # characters of an expression in a sentence


class Expr(Struct, frozen=True):
    """An expression where it stands; `at` is the frame of the stack it was reached in, None beside the stack."""

    node: Node
    func: Func | None
    file: GoFile
    package: Package
    at: int | None = None
    index: int = 0  # which of several results of a call

    @property
    def line(self) -> int:
        return line(self.node)

    @property
    def key(self) -> tuple[str, int, int, int]:
        return (self.file.source.path, self.node.start_byte, self.node.end_byte, self.index)

    @property
    def place(self) -> str:
        """Return where it stands, as sentences name it: `pool.go:72`."""
        name = self.file.source.name.replace("\\", "/").rpartition("/")[2]
        return f"{name}:{self.line}"

    def site(self, role: CauseRole) -> CauseSite:
        """Return its line as a site of a cause; what stands outside of functions is the package's init."""
        if self.func is not None:
            return self.func.site(role, self.line)
        frame = Frame(f"{self.package.path}.init", self.file.source.name, self.line)
        return CauseSite(role, frame, self.file.code(self.line), "")

    def called(self) -> str:
        """Return what is called, if it is a call of another package: net/http.Get, net/http.Client.Do, .Accept."""
        return called(self.node, self.func, self.file, self.package)

    def beside(self, node: Node) -> "Expr":
        """Return another expression of the same place."""
        return Expr(node, self.func, self.file, self.package, self.at)


def outside(package: Package, file: GoFile, written: str) -> str:
    """Return a type of another package by its path: *http.Client -> net/http.Client; "" for the package's own."""
    name, _, kind = kinds.base(package.resolved(written)).partition(".")
    if not kind:
        return ""
    for one in (file, *package.files):
        if name in one.imports:
            return f"{one.imports[name]}.{kind}"
    return ""


def called(call: Node, func: Func | None, file: GoFile, package: Package) -> str:
    """Return the name of somebody else's function that a call calls, with its import path or receiver type."""
    if call.type != "call_expression":
        return ""
    function = call.child_by_field_name("function")
    if function is None or function.type != "selector_expression":
        return ""
    operand, name = function.child_by_field_name("operand"), text(function.child_by_field_name("field"))
    if (path := package.import_of(operand, file)) is not None:
        return f"{path}.{name}"
    if package.called(function, func, file):
        return ""
    if operand is not None and package.symbol(operand, func, file) == ForeignRef("net/http", "DefaultClient"):
        return f"net/http.Client.{name}"
    kind = outside(package, file, package.type_of(operand, func, file))
    return f"{kind}.{name}" if kind else f".{name}"


class Values:
    """What every name of a package is given, as expressions."""

    def __init__(self, package: Package) -> None:
        self.package = package
        self.given: dict[Symbol, list[Expr]] = {}
        for func in package.all:
            for op in func.ops:
                self._note(op)
        for var in package.globals.values():
            if var.value is not None:
                self.given.setdefault(var, []).append(Expr(var.value, None, var.file, package, None, var.index))

    def _give(self, symbol: Symbol | None, node: Node, op: Op, index: int = 0) -> None:
        if symbol is not None:
            self.given.setdefault(symbol, []).append(Expr(node, op.func, op.file, self.package, None, index))

    def _note(self, op: Op) -> None:
        symbol = self.package.symbol
        if op.kind == "assign" and op.target is not None:
            self._give(symbol(op.target, op.func, op.file), op.values[0], op, op.index)
        elif op.kind == "composite":
            for name, value in elements(op, self.package):
                owner = self.package.field(kinds.base(text(op.target)), name)
                self._give(FieldRef(owner[0] if owner else kinds.base(text(op.target)), name), value, op)
        elif op.kind in ("append", "send") and op.target is not None:
            holder = symbol(op.target, op.func, op.file)
            if holder is not None:
                for value in op.values:
                    self._give(ElemRef(holder), value, op)
        elif op.kind == "return":
            for at in range(max(len(op.values), len(op.func.results))):
                if len(op.values) > at:
                    self._give(ResultRef(op.func, at), op.values[at], op)
                elif len(op.values) == 1:  # return f()
                    self._give(ResultRef(op.func, at), op.values[0], op, at)
        elif op.kind == "call":
            for callee in self.package.callees(op):
                for param, value in zip(callee.params, op.values, strict=False):
                    self._give(param, value, op)
                operand = op.target.child_by_field_name("operand") if op.target is not None else None
                if callee.this is not None and operand is not None:
                    self._give(callee.this, operand, op)


def elements(op: Op, package: Package) -> Iterator[tuple[str, Node]]:
    """Yield the fields that a composite literal sets, with their values."""
    body = op.node.child_by_field_name("body")
    fields = list(package.fields.get(kinds.base(text(op.target)), ()))
    given = [one for one in body.named_children if one.type != "comment"] if body is not None else []
    for at, element in enumerate(given):
        key = element.child_by_field_name("key") if element.type == "keyed_element" else None
        value = element.child_by_field_name("value") if element.type == "keyed_element" else element
        name = text(key) if key is not None else fields[at] if at < len(fields) else ""
        if name and value is not None and value.named_children:
            yield name, value.named_children[0]


class Origins:
    """Follows expressions of one scene back to where their values come from."""

    def __init__(self, scene: StackInSource | None = None) -> None:
        self.scene = scene
        self._values: dict[int, Values] = {}

    def values(self, package: Package) -> Values:
        if id(package) not in self._values:
            self._values[id(package)] = Values(package)
        return self._values[id(package)]

    def of(self, begin: Expr) -> list[Expr]:
        """Return the expressions at the beginning, in the order in which they are met."""
        found: list[Expr] = []
        seen = {(begin.key, begin.at)}
        todo = [begin]
        while todo and len(seen) < _MOST:
            one = todo.pop(0)
            before = self.before(one)
            if before is None:
                found.append(one)
                continue
            for expr in before:
                if (expr.key, expr.at) not in seen:
                    seen.add((expr.key, expr.at))
                    todo.append(expr)
        return found

    def before(self, expr: Expr) -> list[Expr] | None:
        """Return where the value of an expression comes from; None when it begins here."""
        node = bare(expr.node)
        package = expr.package
        if node.type in ("type_assertion_expression", "slice_expression"):
            operand = node.child_by_field_name("operand")
            return [expr.beside(operand)] if operand is not None else None
        if node.type == "call_expression":
            return self._before_call(node, expr)
        symbol = package.symbol(node, expr.func, expr.file)
        if symbol is None:
            return None
        if isinstance(symbol, Var) and symbol.kind in ("param", "receiver") and expr.at is not None:
            above = self._above(symbol, expr)
            if above is not None:
                return [above]
        if isinstance(symbol, Var) and symbol.kind == "range" and symbol.value is not None:
            over = package.symbol(symbol.value, symbol.func, symbol.file)
            return (self._given(ElemRef(over), package) or None) if over is not None else None
        found = self._given(symbol, package)
        # A local of the same function: its value comes from the same frame of the stack.
        around = symbol.func if isinstance(symbol, Var) and symbol.kind == "local" else None
        if around is not None and expr.func is not None and around.top is expr.func.top:
            found = [Expr(one.node, one.func, one.file, one.package, expr.at, one.index) for one in found]
        return found or None

    def _before_call(self, node: Node, expr: Expr) -> list[Expr] | None:
        """Return what a conversion converts, or what the called functions of the program return."""
        function = node.child_by_field_name("function")
        given = node.child_by_field_name("arguments")
        if function is None:
            return None
        if text(function) in expr.package.types and given and given.named_children:
            return [expr.beside(given.named_children[0])]
        callees = expr.package.called(function, expr.func, expr.file)
        return [one for callee in callees for one in self._given(ResultRef(callee, expr.index), expr.package)] or None

    def _given(self, symbol: Symbol, package: Package) -> list[Expr]:
        return self.values(_home(symbol) or package).given.get(symbol, [])

    def _above(self, param: Var, expr: Expr) -> Expr | None:
        """Return what the caller on the stack gave for a parameter."""
        if self.scene is None or expr.at is None or param.func is None:
            return None
        spot = self.scene.spots[expr.at]
        if spot is None or (param.func is not spot.func and param.func is not spot.func.parent):
            return None
        caller, at = (
            (self.scene.spots[expr.at + 1], expr.at + 1)
            if expr.at + 1 < len(self.scene.spots)
            else (self.scene.created, None)
        )
        if caller is None:
            return None
        call = call_of(caller, spot.frame)
        if call is None:
            return None
        if param.kind == "receiver":
            node = call.target.child_by_field_name("operand") if call.target is not None else None
        else:
            place = next((n for n, one in enumerate(param.func.params) if one is param), -1)
            node = call.values[place] if 0 <= place < len(call.values) else None
        return Expr(node, caller.func, caller.func.file, caller.package, at) if node is not None else None


def _home(symbol: Symbol) -> Package | None:
    while isinstance(symbol, ElemRef):
        symbol = symbol.of
    if isinstance(symbol, ResultRef):
        return symbol.func.package
    if isinstance(symbol, Var) and symbol.func is not None:
        return symbol.func.package
    return None


def call_of(spot: ResolvedFrame, below: Frame) -> Op | None:
    """Return the call on a frame's line that leads to the frame below it."""
    name = split_function(below.function)[2].partition(".")[0].partition("[")[0]
    calls = [op for op in spot.ops if op.kind in ("call", "go", "defer")]
    for op in calls:
        target = op.target
        if target is not None and bare_name(text(target)).rpartition(".")[2].partition("[")[0] == name:
            return op
    return calls[0] if len(calls) == 1 else None


def shown(node: Node) -> str:
    """Return an expression as a sentence quotes it: on one line, and not all of a long one."""
    written = " ".join(text(node).split())
    return written if len(written) <= _LONG else f"{written[: _LONG - 2].rstrip()} …"


def expr_at(scene: StackInSource, at: int, node: Node) -> Expr:
    """Return an expression of a frame on the stack."""
    spot = scene.spots[at]
    assert spot is not None
    return Expr(node, spot.func, spot.func.file, spot.package, at)

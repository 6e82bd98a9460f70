"""Numbers that decide: the source of a module of the diagnosis -> its numbers, and the module with one of them changed.

A number is a constant of the module, or a literal in a function that is compared or calculated with. Left out, because
a third more or less of them is no other decision:

- indices and slices (which frame, how many frames of a stack), `range`, digits of `round`, other whole arguments;
- 0, 1 and -1 in functions, and 2 where it multiplies nothing in a comparison: `len(x) < 2` asks for a pair;
- equality with a whole number, whole numbers that are returned or in a table: only their order counts;
- exponents, shifts and masks, factors of units (60, 100, 3600, 1e9), guards of a division (1e-9).
"""

import ast
import io
import operator
import tokenize
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from casebook.runner.tools import ROOT

_PACKAGE = ROOT / "src" / "oakum"
_UNITS = frozenset({60, 100, 3600, 1e9})
_GUARD = 1e-6
# An expression that is longer than this is shown by its part.
_LONG = 72
_FOLDED: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.LShift: operator.lshift,
}
_BITS = (ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor)
_SCALES = (ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Number:
    """One number of one module."""

    module: str  # below oakum: detect.pace
    at: int  # which of its module's
    where: str  # the constant, or the function and the expression
    value: float
    reason: str  # the first sentence of the comment above or beside it; "" when there is none
    place: tuple[int, int]  # line and column of its expression
    constant: str  # its name; "" in a function
    whole: bool  # the constant is this number and nothing else

    def whole_at(self, node: ast.AST) -> bool:
        """Tell whether an expression is this number, and not one that begins where it does."""
        return literal(node) == self.value

    @property
    def less(self) -> float:
        """Return two thirds of it; of a whole number at least one less."""
        return min(self.value - 1, round(self.value * 2 / 3)) if isinstance(self.value, int) else self.value * 2 / 3

    @property
    def more(self) -> float:
        """Return four thirds of it; of a whole number at least one more."""
        return max(self.value + 1, round(self.value * 4 / 3)) if isinstance(self.value, int) else self.value * 4 / 3


def modules() -> dict[str, str]:
    """Return the source of every module that decides, by its name below oakum."""
    found = [*(_PACKAGE / "compare").glob("*.py"), *(_PACKAGE / "detect").glob("*.py"), _PACKAGE / "judge.py"]
    paths = {".".join(path.relative_to(_PACKAGE).with_suffix("").parts): path for path in sorted(found)}
    return {name: path.read_text(encoding="utf-8") for name, path in paths.items() if not name.endswith("__init__")}


def file_of(module: str) -> str:
    """Return where a module lies, as its code objects tell it."""
    return str(_PACKAGE.joinpath(*module.split(".")).with_suffix(".py"))


class Source:
    """The tree of a module, with the parent of each node."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.tree = ast.parse(text)
        self._text = text
        self._lines = text.splitlines()
        self._parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        self._comments = {one.start[0]: one.string for one in tokens if one.type == tokenize.COMMENT}

    @cached_property
    def _assigned(self) -> frozenset[int]:
        """Return the lines on which the module assigns a constant."""
        return frozenset(one.lineno for one in self.tree.body if isinstance(one, ast.Assign | ast.AnnAssign))

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        """Return the numbers that decide, in the order of the source."""
        decide = [(node, value) for node, value in self._literals() if self._decides(node, value)]
        decide.sort(key=lambda pair: (pair[0].lineno, pair[0].col_offset))
        return tuple(self._number(at, node, value) for at, (node, value) in enumerate(decide))

    def with_number(self, number: Number, value: float) -> ast.Module:
        """Return the module with another value at the place of a number."""
        place = number.place

        class _Change(ast.NodeTransformer):
            def visit(self, node: ast.AST) -> ast.AST:
                if isinstance(node, ast.expr) and (node.lineno, node.col_offset) == place and literal(node) is not None:
                    return ast.copy_location(ast.Constant(value), node)
                return self.generic_visit(node)

        tree = ast.parse(self._text)
        _Change().visit(tree)
        return tree

    def imported(self) -> Iterator[tuple[str, str, str]]:
        """Yield what is imported from other modules of the package: module, name there, name here."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("oakum."):
                for one in node.names:
                    yield node.module.removeprefix("oakum."), one.name, one.asname or one.name

    def _lines_around(self, node: ast.AST) -> set[int]:
        """Return the lines of the statement around a node; of one with a body, those before it."""
        statement = self._statement(node)
        body = getattr(statement, "body", None)
        end = body[0].lineno - 1 if isinstance(body, list) and body else statement.end_lineno or statement.lineno
        return {*range(statement.lineno, max(statement.lineno, end) + 1)}

    def _literals(self) -> Iterator[tuple[ast.expr, float]]:
        """Yield the largest expressions that are made of numbers alone."""
        for node in ast.walk(self.tree):
            value = literal(node)
            if value is not None and isinstance(node, ast.expr) and literal(self._parents[node]) is None:
                yield node, value

    def _decides(self, node: ast.expr, value: int | float) -> bool:
        if self._constant(node):
            part = value not in (0, 1, 2) and not isinstance(self._parents[node], ast.Dict)
            return part or (value != 0 and self._whole(node))
        if value in (0, 1, -1) or abs(value) < _GUARD or self._indexes(node):
            return False
        parent = self._parents[node]
        if isinstance(parent, ast.BinOp):
            shifts = isinstance(parent.op, (*_BITS, ast.Pow))
            if shifts or (value in _UNITS and isinstance(parent.op, _SCALES)):
                return False
            return value != 2 or (isinstance(parent.op, ast.Mult) and self._compared(node) is not None)
        if value == 2:
            return False
        if isinstance(parent, ast.Compare):
            return not (isinstance(value, int) and isinstance(parent.ops[0], ast.Eq | ast.NotEq))
        return isinstance(value, float) or (
            isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id in ("max", "min")
        )

    def _whole(self, node: ast.expr) -> bool:
        """Tell whether a constant is this literal alone, or one of several: `_SAMPLE, _READS = 64, 512`."""
        parent = self._parents[node]
        several = isinstance(parent, ast.Tuple) and isinstance(self._parents[parent], ast.Assign)
        return several or not isinstance(parent, ast.expr | ast.keyword)

    def _indexes(self, node: ast.AST) -> bool:
        """Tell whether it is part of an index or a slice, and not of a comparison in one."""
        while isinstance(parent := self._parents.get(node), ast.expr | ast.keyword):
            if isinstance(parent, ast.Compare):
                return False
            if isinstance(parent, ast.Slice) or (isinstance(parent, ast.Subscript) and node is parent.slice):
                return True
            node = parent
        return False

    def _compared(self, node: ast.AST) -> ast.Compare | None:
        """Return the comparison that an expression is part of."""
        while isinstance(node := self._parents[node], ast.expr | ast.keyword):
            if isinstance(node, ast.Compare):
                return node
        return None

    def _statement(self, node: ast.AST) -> ast.stmt:
        while not isinstance(node, ast.stmt):
            node = self._parents[node]
        return node

    def _constant(self, node: ast.expr) -> str:
        """Return the name of the constant of the module that a literal is the value of, or a part of it."""
        statement = self._statement(node)
        if self._parents[statement] is not self.tree or not isinstance(statement, ast.Assign | ast.AnnAssign):
            return ""
        target = statement.target if isinstance(statement, ast.AnnAssign) else statement.targets[0]
        if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            inside = {id(part): at for at, one in enumerate(statement.value.elts) for part in ast.walk(one)}
            target = target.elts[inside[id(node)]]
        return ast.unparse(target)

    def _function(self, node: ast.AST) -> str:
        """Return the function in whose body a node is, with its class; "" outside of functions."""
        names: list[str] = []
        while (parent := self._parents.get(node)) is not None:
            if isinstance(parent, _Function | ast.ClassDef) and self._within(node, parent, names):
                names.insert(0, parent.name)
            node = parent
        return ".".join(names)

    @staticmethod
    def _within(node: ast.AST, parent: _Function | ast.ClassDef, inner: list[str]) -> bool:
        """Tell whether a node is in the body of a function, or in a class with a function between them."""
        return bool(inner) if isinstance(parent, ast.ClassDef) else any(node is one for one in parent.body)

    def _number(self, at: int, node: ast.expr, value: float) -> Number:
        constant = self._constant(node)
        statement = self._statement(node)
        owner = self._function(node) or getattr(statement, "name", "")
        where = constant or f"{owner}: {self._shown(node)}"
        place = (node.lineno, node.col_offset)
        whole = not constant or self._whole(node)
        return Number(self.name, at, where, value, self._reason(node, constant), place, constant, whole)

    def _shown(self, node: ast.expr) -> str:
        """Return the comparison around a number, or what else is short enough to be found by."""
        around: list[ast.AST] = [one for one in [self._compared(node)] if one]
        parent: ast.AST = node
        while isinstance(parent := self._parents[parent], ast.expr | ast.keyword):
            around.append(parent)
        fits = [text for one in around if len(text := ast.unparse(one)) <= _LONG]
        return fits[0] if self._compared(node) and fits else max(fits, key=len, default=ast.unparse(node))

    def _reason(self, node: ast.expr, constant: str) -> str:
        """Return the first sentence of the comment beside the statement, or above it."""
        lines = sorted(self._lines_around(node))
        beside = [line for line in lines if line in self._comments and not self._alone(line)]
        if beside:
            return _first_sentence([self._comments[beside[0]]])
        above = node.lineno - 1 if self._alone(node.lineno - 1) else lines[0] - 1
        while constant and above in self._assigned and above not in self._comments:
            above -= 1  # one comment may be about several constants
        first = above
        while self._alone(first):
            first -= 1
        return _first_sentence([self._comments[line] for line in range(first + 1, above + 1)])

    def _alone(self, line: int) -> bool:
        return line in self._comments and self._lines[line - 1].lstrip().startswith("#")


def literal(node: ast.AST) -> float | None:
    """Return the value of an expression of numbers alone, such as `1 / 7` or `8 << 20`; None of any other."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, int | float) and not isinstance(node.value, bool) else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = literal(node.operand)
        return None if value is None else -value
    if isinstance(node, ast.BinOp) and type(node.op) in _FOLDED:
        left, right = literal(node.left), literal(node.right)
        return None if left is None or right is None else _FOLDED[type(node.op)](left, right)
    return None


def _first_sentence(comments: list[str]) -> str:
    text = " ".join(comment.lstrip("# ") for comment in comments)
    first, dot, _ = text.partition(". ")
    return first + dot.rstrip()

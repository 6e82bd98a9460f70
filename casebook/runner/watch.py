"""Which changes could matter to an answer: the modules of the diagnosis, with every use of a number watched.

A comparison is evaluated with the number as it is and with both changes of it. Where none comes out otherwise, and the
number is used in no other way, the answer cannot differ, and the window need not be diagnosed again.
"""

import ast
import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from casebook.runner.numbers import Number, Source

WORDS = ("less", "more")
# Numbers that were used, and changes that came out otherwise, since they were last cleared; by the number's position.
used: set[int] = set()
matter: set[tuple[int, str]] = set()
_HEAD = ast.parse("from casebook.runner.watch import touch as __touch__, compared as __compared__").body


def touch(numbers: Sequence[int], value: object) -> object:
    """Note that numbers are used in a way of which nothing is known; return the value."""
    used.update(numbers)
    matter.update((one, word) for one in numbers for word in WORDS)
    return value


def compared(result: Callable[[], Any], changed: Sequence[tuple[int, str, Callable[[], Any]]]) -> Any:
    """Return a comparison; note which changes make it another."""
    found = result()
    for number, word, other in changed:
        used.add(number)
        if (number, word) not in matter and _differs(found, other):
            matter.add((number, word))
    return found


def _differs(found: Any, other: Callable[[], Any]) -> bool:
    try:
        return not np.array_equal(found, other())
    except Exception:  # with the other value it fails: that is no small difference
        return True


class _Watch(ast.NodeTransformer):
    """Wraps the uses of numbers in functions; those outside of functions are in `always`."""

    def __init__(
        self, at: Mapping[tuple[int, int], int], names: Mapping[str, Sequence[int]], all_: Sequence[Number]
    ) -> None:
        self.always: set[int] = set()
        self._at, self._names, self._all = at, names, all_
        self._inside = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        node.args = self.visit(node.args)
        self._inside += 1
        node.body = [self.visit(one) for one in node.body]
        self._inside -= 1
        return node

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Compare) and self._inside and (changed := self._variants(node)):
            return _call("__compared__", _lambda(node), ast.Tuple(changed, ast.Load()))
        if isinstance(node, ast.expr) and (numbers := self._numbers(node)):
            if not self._inside:
                self.always.update(numbers)
                return node
            return _call("__touch__", ast.Tuple([ast.Constant(one) for one in numbers], ast.Load()), node)
        return super().visit(node)

    def _numbers(self, node: ast.AST) -> Sequence[int]:
        """Return the numbers that an expression is: a literal, or the name of a constant."""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            return self._names.get(node.id, ())
        number = self._at.get((node.lineno, node.col_offset)) if isinstance(node, ast.expr) else None
        whole = number is not None and self._all[number].whole_at(node)
        return [number] if whole and number is not None else ()

    def _variants(self, node: ast.Compare) -> list[ast.expr]:
        """Return the comparison with each change of each number in it; none when it cannot be evaluated twice."""
        inside = {one for part in ast.walk(node) for one in self._numbers(part)}
        once = any(isinstance(part, ast.NamedExpr | ast.Yield | ast.Await) for part in ast.walk(node))
        if once or not all(self._all[one].whole for one in inside):
            return []
        return [
            ast.Tuple([ast.Constant(one), ast.Constant(word), _lambda(self._with(node, one, word))], ast.Load())
            for one in sorted(inside)
            for word in WORDS
        ]

    def _with(self, node: ast.Compare, number: int, word: str) -> ast.expr:
        watch, value = self, getattr(self._all[number], word)

        class _Change(ast.NodeTransformer):
            def visit(self, part: ast.AST) -> Any:
                return ast.Constant(value) if number in watch._numbers(part) else super().visit(part)

        found: ast.expr = _Change().visit(copy.deepcopy(node))
        return found


def _lambda(body: ast.expr) -> ast.Lambda:
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), body)


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), [*arguments], [])


def watched(sources: Mapping[str, Source], numbers: Sequence[Number]) -> tuple[dict[str, ast.Module], set[int]]:
    """Return the modules with their numbers watched, and the numbers that every window uses for all one knows."""
    trees: dict[str, ast.Module] = {}
    always: set[int] = set()
    for name, source in sources.items():
        at = {one.place: row for row, one in enumerate(numbers) if one.module == name and not one.constant}
        watch = _Watch(at, _names(name, source, numbers), numbers)
        tree = watch.visit(copy.deepcopy(source.tree))
        tree.body[1:1] = _HEAD  # after the docstring
        trees[name] = ast.fix_missing_locations(tree)
        always |= watch.always
    return trees, always


def _names(module: str, source: Source, numbers: Iterable[Number]) -> dict[str, list[int]]:
    """Return the numbers behind each name of a module: its own constants, and those that it imports."""
    here = {(there, name): known for there, name, known in source.imported()}
    found: dict[str, list[int]] = {}
    for row, one in enumerate(numbers):
        name = one.constant if one.module == module else here.get((one.module, one.constant))
        if name:
            found.setdefault(name, []).append(row)
    return found

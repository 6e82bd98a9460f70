"""Whose worker is it? The types of the objects that a goroutine works for, and whether a line lets go of one of these.

Comes in: the frames of a worker and what would end it. Goes out: a test for lines that drop something. That a thing can
hold the same channel or context does not make it the owner: a stream knows its transport's, and comes and goes.
"""

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.flows import Flows
from oakum.explain.code.nouns import ElemRef, FieldRef, Func, GoFile, Op, Symbol, Var
from oakum.explain.code.package import Package
from oakum.explain.code.syntax import bare, text

_WORD = re.compile(r"\w+")
_CLIMB = 3  # an object in an object in an object
_ENDS = ("func(", "context.CancelFunc", "context.CancelCauseFunc")  # what is held is itself the means to end it


class Owned:
    """The types of a worker's owners in one package."""

    def __init__(self, flows: Flows, begin: Iterable[str], foreign: Iterable[str] = ()) -> None:
        self.flows, self.package = flows, flows.package
        own = {one for one in begin if one in self.package.types}
        self.types = _around(self.package, own | {one for one in foreign if one})

    def lets_go(self, op: Op) -> bool:
        """Tell whether what a delete or an assignment drops is an owner, or what ends the worker."""
        package = self.package
        if op.kind == "call":  # of a sync.Map, whose own values alone were followed
            return True
        written = package.resolved(package.type_of(op.target, op.func, op.file))
        held = [written]
        if op.kind == "delete":
            held = [kinds.element(written), written[4:].partition("]")[0] if written.startswith("map[") else ""]
        if not any(held):
            return bool(self.types)
        if any(kinds.is_channel(one) or one.startswith(_ENDS) for one in held):
            return True
        if any(set(_WORD.findall(one)) & self.types for one in held):
            return True
        anything = {"any", "interface", *package.interfaces}
        return any(set(_WORD.findall(one)) & anything for one in held) and self._put(op)

    def _put(self, op: Op) -> bool:
        """Tell whether an owner is put where something of whichever type is kept."""
        holder = self.package.symbol(op.target, op.func, op.file)
        place: Symbol | None = ElemRef(holder) if op.kind == "delete" and holder is not None else holder
        sources = [source for source, _ in self.flows.into.get(place, ())] if place is not None else []
        written = (self.package.type_of_var(one) for one in sources if isinstance(one, Var))
        return any(kinds.base(one) in self.types for one in written)


def _around(package: Package, begin: set[str]) -> set[str]:
    """Return these types and those that have them as a part; a pointer back to whom one belongs holds nothing."""
    found = set(begin)
    for _ in range(_CLIMB):
        parts = {
            word for kind in found for written in package.fields.get(kind, {}).values() for word in _words(written)
        }
        more = {
            kind
            for kind, fields in package.fields.items()
            if kind not in found | parts and any(found & _words(written) for written in fields.values())
        }
        if not more:
            break
        found |= more
    return found


def _words(written: str) -> set[str]:
    return set(_WORD.findall(written))


def of_path(package: Package, node: Node | None, func: Func, file: GoFile) -> Iterator[str]:
    """Yield the types along a chain of selectors: those of p and p.m for `p.m.quit`."""
    at = bare(node) if node is not None else None
    while at is not None and at.type in ("selector_expression", "index_expression", "call_expression"):
        field = "function" if at.type == "call_expression" else "operand"
        inner = at.child_by_field_name(field)
        at = bare(inner) if inner is not None else None
        if at is not None:
            yield kinds.base(package.resolved(package.type_of(at, func, file)))


def put_into(package: Package, symbols: Iterable[Symbol], funcs: Iterable[Func]) -> Iterator[str]:
    """Yield the types whose fields some functions give one of the values: session for &session{cancel: cancel}."""
    fields = {one for one in symbols if isinstance(one, FieldRef)}
    kinds_of = {one.type for one in fields}
    for func in funcs:
        for op in func.everything():
            if op.kind == "composite" and kinds.base(text(op.target)) in kinds_of:
                yield kinds.base(text(op.target))
            symbol = package.symbol(op.target, op.func, op.file) if op.kind == "assign" else None
            if isinstance(symbol, FieldRef) and symbol in fields:
                yield symbol.type

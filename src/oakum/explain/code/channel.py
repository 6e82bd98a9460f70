"""One channel: where it is made, how much room it has, who sends, receives and closes, and who else may.

Comes in: a channel operation and what the stack tells of its parameters. Goes out: a `Channel`. Of a field the object
is followed first: when it never leaves the functions that it is handed to, only what they do counts; else everything
that the package does to that field of any object.
"""

from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct

from oakum.explain.code.flows import Flow, Flows
from oakum.explain.code.nouns import CallRef, FieldRef, ForeignRef, Func, Op, Symbol
from oakum.explain.code.package import Package
from oakum.explain.code.syntax import bare, text

KINDS = ("send", "receive", "range", "close")


class Channel(Struct, eq=False, dict=True):
    """What is known of a channel."""

    package: Package
    flows: Flows
    op: Op  # the operation that was asked about
    flow: Flow
    ops: list[Op]
    owner: Flow | None = None  # the object whose field it is, when that could be followed

    @property
    def name(self) -> str:
        return text(self.op.target)

    def done(self, *kinds: str) -> list[Op]:
        return [op for op in self.ops if op.kind in kinds]

    @cached_property
    def made(self) -> Op | None:
        """Return the line that makes it, when there is exactly one."""
        makes = [op for op in self.flow.makes if op.kind == "make"]
        return makes[0] if len(makes) == 1 else None

    @property
    def room(self) -> str | None:
        """Return its capacity as written; "" without a buffer, None when nobody knows."""
        if self.made is None:
            return None
        written = text(self.made.values[0]) if self.made.values else ""
        return "" if written == "0" else written

    @property
    def foreign(self) -> bool:
        """Tell whether it is somebody else's: `ctx.Done()`, `time.After()`, `timer.C`."""
        symbols = self.flow.symbols
        return self.made is None and any(isinstance(one, (CallRef, ForeignRef)) for one in symbols)

    @property
    def kept(self) -> bool:
        """Tell whether it, or the object whose field it is, is kept where later calls find it."""
        stores = (*self.flow.stored, *(self.owner.stored if self.owner is not None else ()))
        return any(op.kind not in ("call", "send") for op in stores)  # what is sent is handed over, and taken once

    @property
    def handed_out(self) -> bool:
        """Tell whether code that was not read may use it: another package, or callers of an exported function."""
        if self.flow.foreign or any(_exported(op.func) for op in self.flow.returned):
            return True
        owner = self.owner
        fields = [one for one in self.flow.symbols if isinstance(one, FieldRef)]
        if any(one.name[:1].isupper() and one.type[:1].isupper() for one in fields):
            return True
        return owner is not None and bool(owner.foreign)


def channel_of(op: Op, flows: Flows, known: Mapping[Symbol, Symbol] | None = None) -> Channel | None:
    """Return the channel that an operation is about; None when nobody can say which."""
    package = flows.package
    symbol = package.symbol(op.target, op.func, op.file)
    if symbol is None:
        return None
    flow = flows.origin(symbol, known)
    ops = flows.ops(flow, *KINDS)
    if op not in ops:
        ops.append(op)
    if not isinstance(symbol, FieldRef):
        return Channel(package, flows, op, flow, ops)
    owner = _owner(op, flows, known)
    if owner is None or not owner.makes:  # nobody saw it being made: it may be any
        return Channel(package, flows, op, flow, ops)
    if not owner.stored and not owner.returned and not owner.foreign:
        # This object is known by these names only: what is done to the same field of others is their matter.
        near = [one for one in ops if base_of(one, package) in owner.symbols or base_of(one, package) is None]
        makes = [one for one in flow.makes if one.func in {op.func for op in owner.makes} or len(flow.makes) == 1]
        kept = Flow(flow.symbols, makes or flow.makes, flow.foreign, flow.stored, flow.returned)
        return Channel(package, flows, op, kept, near, owner)
    makes = [one for one in flow.makes if any(_holds(made, one) for made in owner.makes)]
    kept = Flow(flow.symbols, makes or flow.makes, flow.foreign, flow.stored, flow.returned)
    return Channel(package, flows, op, kept, ops, owner)


def _owner(op: Op, flows: Flows, known: Mapping[Symbol, Symbol] | None) -> Flow | None:
    """Return the object whose field the channel is."""
    base = base_of(op, flows.package)
    if base is None:
        return None
    return flows.origin(base, known)


def base_of(op: Op, package: Package) -> Symbol | None:
    """Return the object whose field an operation is about."""
    target = bare(op.target) if op.target is not None else None
    if target is None or target.type != "selector_expression":
        return None
    return package.symbol(target.child_by_field_name("operand"), op.func, op.file)


def _holds(outer: Op, inner: Op) -> bool:
    return (
        outer.file is inner.file
        and outer.node.start_byte <= inner.node.start_byte
        and inner.node.end_byte <= outer.node.end_byte
    )


def _exported(func: Func) -> bool:
    return func.parent is None and func.name[:1].isupper()

"""What is taken and given back like a lock, but is none: places of a channel, things lent by a pool, semaphores.

Comes in: a package, and the operation that somebody waits in: that one takes. Goes out: `Names` for held.py that see
every operation on the same channel, or the same pair of methods, as taking or giving back.
"""

from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.calls import method, operand
from oakum.explain.code.channel import channel_of
from oakum.explain.code.flows import Flows
from oakum.explain.code.locks import Does, Lock, Names
from oakum.explain.code.nouns import ElemRef, FieldRef, Func, Op, Symbol
from oakum.explain.code.syntax import bare, text

# How somebody else's methods that give back what another one took are called.
_GIVES = {
    "Acquire": ("Release",),
    "Get": ("Put", "Release", "Return", "Free"),
    "Take": ("Give", "Return", "Put", "Release"),
    "Borrow": ("Return", "Release", "GiveBack"),
    "Checkout": ("Checkin", "Return", "Release"),
    "Reserve": ("Release", "Free", "Unreserve"),
    "Enter": ("Leave", "Exit"),
    "Obtain": ("Release", "Return"),
}
_TRIES = {"TryAcquire": "Acquire", "TryGet": "Get", "TryTake": "Take"}
_OTHER = {"send": "receive", "receive": "send"}


class Semaphore(Names):
    """Semaphore at one channel, or by one pair of methods."""

    kinds = ("call", "send", "receive")

    def __init__(
        self,
        flows: Flows,
        takes: str,
        symbols: frozenset[Symbol] = frozenset(),
        name: str = "",
        gives: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(flows.package)
        self.flows = flows
        self.takes, self.symbols, self.name, self.gives = takes, symbols, name, gives
        self.single = False  # room for one: a lock
        self.makes: set[Func] = set()  # functions that make the channel

    def does(self, op: Op) -> Does | None:
        """Return whether an operation takes a turn or gives it back."""
        if op not in self._done:
            self._done[op] = self._channel(op) if not self.name else self._method(op)
        return self._done[op]

    def _channel(self, op: Op) -> Does | None:
        if op.kind not in ("send", "receive") or op.target is None:
            return None
        if self.package.symbol(op.target, op.func, op.file) not in self.symbols:
            return None
        return Does("take" if op.kind == self.takes else "free", self.turn(op.target, op.func), "w", op)

    def _method(self, op: Op) -> Does | None:
        target = op.target
        if op.kind != "call" or target is None or target.type != "selector_expression" or self.package.callees(op):
            return None
        operand, name = target.child_by_field_name("operand"), text(target.child_by_field_name("field"))
        if operand is None or self.package.import_of(operand, op.file) is not None:
            return None
        if name == self.name:
            return Does("take", self.turn(operand, op.func), "w", op)
        if _TRIES.get(name) == self.name:
            return Does("try", self.turn(operand, op.func), "w", op)
        return Does("free", self.turn(operand, op.func), "w", op) if name in self.gives else None

    def turn(self, node: Node, func: Func) -> Lock:
        """Return what turns are taken at, as the function names it."""
        root, fields = self.way(node, func, func.file) or (text(bare(node)), ())
        return Lock(root, fields, self._kind(node, func, func.file), text(bare(node)))


def at_channel(op: Op, flows: Flows, known: dict[Symbol, Symbol] | None = None) -> Semaphore | None:
    """Return the turns that an operation takes at its channel; None when that is no channel for turns."""
    if op.kind not in _OTHER:
        return None
    channel = channel_of(op, flows, known)
    if channel is None or channel.foreign:
        return None
    makes = [one for one in channel.flow.makes if one.kind == "make"] or _of_type(op, flows)
    if not makes or any(not one.values or text(one.values[0]) == "0" for one in makes):
        return None  # without room nothing stays in it
    gives = channel.done(_OTHER[op.kind])
    if not gives or any(one.select is not None for one in gives):  # given back only when there is one
        return None
    if any(isinstance(one, ElemRef) for one in channel.flow.symbols):  # one of many: nobody can say which
        return None
    turns = Semaphore(flows, op.kind, frozenset(channel.flow.symbols))
    turns.single = all(text(one.values[0]) == "1" for one in makes)
    turns.makes = {one.func for one in makes}
    return turns


def _of_type(op: Op, flows: Flows) -> list[Op]:
    """Return what makes channels of the type with a name that an operation's channel has."""
    package = flows.package
    named = kinds.base(package.type_of(op.target, op.func, op.file))
    made = [one for func in package.all for one in func.ops if one.kind == "make" and named in package.types]
    return [one for one in made if kinds.base(package.type_of(one.node, one.func, one.file)) == named]


def by_method(op: Op, flows: Flows, taker: Func | None = None) -> Semaphore | None:
    """Return the turns that a call of somebody else's method takes; `taker` is that method where its source is read."""
    name = text(op.target).rpartition(".")[2]
    if op.kind != "call" or name not in _GIVES:
        return None
    return Semaphore(flows, "call", name=name, gives=frozenset(_GIVES[name]) | (_undoing(taker) if taker else set()))


def _undoing(taker: Func) -> set[str]:
    """Return the methods that do what one which gives back does: Abort lowers the count that Leave lowers."""
    methods = {func.name: func for (owner, _), func in taker.package.funcs.items() if owner == taker.receiver}
    known = [methods[name] for name in _GIVES.get(taker.name, ()) if name in methods]
    effects = {effect for func in known for effect in _effects(func)}
    return {name for name, func in methods.items() if func is not taker and effects & _effects(func)}


def _effects(func: Func) -> set[Symbol]:
    """Return what a function changes, sends to, receives from, or calls a method of; its locks left out."""
    nodes = [op.target for op in func.ops if op.kind in ("assign", "send", "receive", "close", "delete")]
    nodes += [
        step.node.named_children[0] for step in func.steps if step.node.type in ("inc_statement", "dec_statement")
    ]
    nodes += [operand(op) for op in func.ops if op.kind == "call" and method(op) not in ("Lock", "Unlock")]
    symbols = (func.package.symbol(node, func, func.file) for node in nodes if node is not None)
    return {one for one in symbols if isinstance(one, (FieldRef, ElemRef))}

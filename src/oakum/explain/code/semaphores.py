"""What is taken and given back like a lock, but is none: places of a channel, things lent by a pool, semaphores.

Comes in: a package, and the operation that somebody waits in: that one takes. Goes out: `Names` for held.py that see
every operation on the same channel, or the same pair of methods, as taking or giving back.
"""

from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.channel import channel_of
from oakum.explain.code.flows import Flows
from oakum.explain.code.locks import Does, Lock, Names
from oakum.explain.code.nouns import ElemRef, Func, Op, Step, Symbol
from oakum.explain.code.paths import after_error
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

    def __init__(self, flows: Flows, takes: str, symbols: frozenset[Symbol] = frozenset(), name: str = "") -> None:
        super().__init__(flows.package)
        self.flows = flows
        self.takes, self.symbols, self.name = takes, symbols, name
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
        return Does("free", self.turn(operand, op.func), "w", op) if name in _GIVES[self.name] else None

    def turn(self, node: Node, func: Func) -> Lock:
        """Return what turns are taken at, as the function names it."""
        root, fields = self.way(node, func, func.file) or (text(bare(node)), ())
        return Lock(root, fields, self._kind(node, func, func.file), text(bare(node)))

    def failed(self, op: Op, step: Step, how: str) -> bool:
        """Tell whether a branch is taken only when an operation has failed, and took nothing."""
        return op.kind == "call" and after_error(op, self.package)(step, how)

    def succeeds(self, func: Func, step: Step) -> bool:
        """Tell whether a function is left with what it was called for: without an error."""
        if step.kind != "return" or func.results[-1:] != ["error"]:
            return True
        values = [op.values for op in step.ops if op.kind == "return"]
        return not values or not values[0] or text(values[0][-1]) == "nil"


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


def by_method(op: Op, flows: Flows) -> Semaphore | None:
    """Return the turns that a call of somebody else's method takes."""
    name = text(op.target).rpartition(".")[2]
    return Semaphore(flows, "call", name=name) if op.kind == "call" and name in _GIVES else None

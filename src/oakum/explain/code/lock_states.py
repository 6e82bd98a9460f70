"""What is known of the locks at one point of one way through a function, and what a condition there says.

The nouns of held.py, which walks the ways. Nothing here looks anything up.
"""

from typing import NamedTuple

from msgspec import Struct, field

from oakum.explain.code.locks import Lock
from oakum.explain.code.nouns import Func, Op, Step
from oakum.explain.code.syntax import text


class Holding(NamedTuple):
    """A lock that is held, and the operation of this function that took it: a Lock, or the call of a helper."""

    lock: Lock
    mode: str
    op: Op


class Pending(NamedTuple):
    """What a deferred call will do to a lock."""

    verb: str
    lock: Lock
    mode: str
    op: Op  # the defer statement


class State(Struct, frozen=True):
    """What is known at one point of one way."""

    held: tuple[Holding, ...] = ()
    owed: frozenset[Lock] = frozenset()  # unlocked here, locked by a caller
    deferred: tuple[Pending, ...] = ()
    facts: frozenset[tuple[str, bool]] = frozenset()

    def find(self, lock: Lock) -> Holding | None:
        return next((one for one in reversed(self.held) if one.lock == lock), None)


class Again(NamedTuple):
    """A lock is taken on a way on which it is held already."""

    held: Holding
    op: Op  # the second Lock, or the call that leads to it
    mode: str
    step: Step
    state: State  # in which the step was reached


class Leave(NamedTuple):
    """An exit of the function, and what is locked then; what was deferred is done."""

    step: Step
    state: State
    reached: State  # in which the step was reached


class LockReading(Struct):
    func: Func
    whole: bool = True
    before: dict[Step, dict[State, None]] = field(default_factory=dict)
    from_: dict[tuple[Step, State], tuple[Step, State] | None] = field(default_factory=dict)
    leaves: list[Leave] = field(default_factory=list)
    again: list[Again] = field(default_factory=list)

    def way(self, step: Step, state: State) -> list[Step]:
        found: list[Step] = []
        at: tuple[Step, State] | None = (step, state)
        while at is not None:
            found.append(at[0])
            at = self.from_.get(at)
        return found[::-1]


class Summary(NamedTuple):
    """What a call of a function does to its caller's locks."""

    takes: tuple[tuple[Lock, str], ...] = ()  # held whenever it returns
    frees: frozenset[tuple[Lock, str]] = frozenset()  # unlocked when it returns, on some way


def below(lock: Lock, way: tuple[object, tuple[str, ...]]) -> bool:
    """Tell whether a lock is that of an object, or of something in it."""
    return lock.root is way[0] and lock.fields[: len(way[1])] == way[1] and bool(lock.fields or not way[1])


def succeeds(step: Step, op: Op) -> str:
    """Return the branch on which a TryLock in the condition has locked; "" when that is not simple."""
    node = step.node.child_by_field_name("condition")
    if node is None:
        head = next((child for child in step.node.named_children if child.type not in ("block", "comment")), None)
        node = head.child_by_field_name("condition") if head is not None and head.type == "for_clause" else head
    condition, call = text(node).strip("()"), text(op.node).strip("()")
    if f"!{call}" in condition:
        return "else" if "&&" not in condition else ""
    return "then" if "||" not in condition else ""


def condition(step: Step) -> tuple[str, bool]:
    """Return a condition without its negation, and whether `then` means that it holds."""
    condition, plain = text(step.node.child_by_field_name("condition")), True
    while condition.startswith("!") and "&&" not in condition and "||" not in condition:
        condition, plain = condition[1:], not plain
    if condition.count("!=") == 1 and "&&" not in condition and "||" not in condition:
        condition, plain = condition.replace("!=", "=="), not plain
    return condition, plain

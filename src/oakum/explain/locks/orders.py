"""In which order locks are taken: one held, another taken; and whether other code takes them the other way round.

Comes in: a package, or a stack that holds one lock and waits for another. Goes out: orders, and a reason for two
opposite ones.
"""

from collections.abc import Iterator
from typing import NamedTuple

from oakum.explain import fixes
from oakum.explain.code.calls import place
from oakum.explain.code.locking import Holding, Locking
from oakum.explain.code.locks import Lock
from oakum.explain.code.nouns import Op
from oakum.explain.locks.held_locks import LockStack, Wanted, site
from oakum.explain.reason import Reason, distinct
from oakum.model import Text


class Order(NamedTuple):
    """A function holds one lock and takes another."""

    first: Holding
    second: Lock
    op: Op  # takes the second, or the call that leads to it
    mode: str  # of the second
    held: frozenset[object]  # everything that is held then


def orders(locking: Locking) -> Iterator[Order]:
    """Yield every order in which a package takes two locks."""
    for func in locking.package.all:
        if func not in locking.involved or not locking.reading(func).whole:
            continue
        for op in func.ops:
            if op.kind not in locking.names.kinds or op.inside is not None:
                continue
            states = [state for state in locking.at(op) if state.held]
            if not states:
                continue
            for second, mode in _taken(locking, op):
                for state in states:
                    kinds = frozenset(one.lock.kind for one in state.held)
                    for held in state.held:
                        if held.lock != second:
                            yield Order(held, second, op, mode, kinds)


def _taken(locking: Locking, op: Op) -> Iterator[tuple[Lock, str]]:
    done = locking.names.does(op)
    if done is not None:
        if done.verb == "take":
            yield done.lock, done.mode
        return
    callee = locking.callee(op)
    if callee is not None:
        for lock, mode, _ in locking.wants(callee):
            if (mine := locking.names.given(lock, callee, op)) is not None:
                yield mine, mode


def opposite(stack: LockStack, wanted: Wanted) -> Reason | None:
    """Return where the package takes the two locks of a stack in the other order."""
    spot = stack.blocked
    for held in stack.held_locks:
        if spot is None or held.lock.kind == wanted.lock.kind:
            continue
        for order in orders(stack.locking(spot.package)):
            if order.first.lock.kind == wanted.lock.kind and order.second.kind == held.lock.kind:
                mine = stack.call(wanted.at + 1) if wanted.at < held.at else wanted.op
                return build_reason((held.op, held.lock, wanted.lock, mine or wanted.op), order)
    return None


def build_reason(mine: tuple[Op, Lock, Lock, Op], other: Order, certain: bool = False) -> Reason:
    """Return the reason of two opposite orders: (locked first, lock, second lock, where it is taken), and the other."""
    theirs = (other.first.op, other.first.lock, other.second, other.op)
    texts = []
    for locked, first, second, line in (mine, theirs):
        args = {"function": locked.func.full, "first": first.name, "locked": place(locked), "second": second.name}
        texts.append(Text("cause.lock.order", args | {"line": place(line)}))
    texts.append(Text("cause.lock.cycle", {"count": 2}))
    sites = [site("locked-second", mine[3]), site("locked-second", theirs[3])]
    sites += [site("locked-first", mine[0]), site("locked-first", theirs[0])]
    remedy = fixes.words_only("lock-order", theirs[3], first=mine[1].name, second=mine[2].name)
    return Reason("lock-cycle", tuple(texts), distinct(sites), certain, (remedy,))

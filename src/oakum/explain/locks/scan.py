"""Locks in a package without any profile: only what the code alone decides.

Comes in: a package. Goes out: reasons: an exit that leaves a lock held which other exits release, a lock taken again
on the same way, two locks of the same object taken in both orders.
"""

from collections.abc import Iterator

from oakum.explain import fixes
from oakum.explain.code.calls import at, method, nodes, place
from oakum.explain.code.flows import Flows
from oakum.explain.code.locking import Again, Holding, Locking, loose
from oakum.explain.code.locks import Lock
from oakum.explain.code.nouns import FieldRef, Func, Op, Step, Var
from oakum.explain.code.package import Package
from oakum.explain.code.syntax import text
from oakum.explain.locks.held_locks import call_text, site
from oakum.explain.locks.onces import within_once
from oakum.explain.locks.orders import Order, orders
from oakum.explain.locks.orders import build_reason as order_reason
from oakum.explain.locks.unlocked import Left, around_a_loop, left_locked
from oakum.explain.locks.unlocked import build_reason as left_reason
from oakum.explain.reason import Reason
from oakum.model import CauseSite, Remedy, Text


def scan(package: Package, flows: Flows) -> Iterator[Reason]:
    """Yield the mistakes with locks that the code alone shows."""
    del flows
    locking = Locking(package)
    yield from within_once(locking)
    if not any(locking.locks(func) for func in package.all):
        return
    twice = list(_twice(locking))
    yield from twice
    yield from _left(locking, {one.sites[-1] for one in twice})
    yield from _opposite(locking)


def _plain(held: Holding) -> bool:
    """Tell whether a lock is one that only this package handles: sync's own, of one object, not exported or lent."""
    lock, op = held.lock, held.op
    if f"&{lock.written}" in text(op.func.top.node) or _asks_a_flag(op.func):
        return False
    if any(not _may_hand_over(callee) for callee in op.func.package.callees(op)):
        return False  # a helper that returns with a lock says so in its name
    return _own(lock)


def _asks_a_flag(func: Func) -> bool:
    """Tell whether a variable that is set to true or false decides what is locked: `if !held { mu.Lock() }`."""
    flags = {
        text(op.target)
        for op in func.ops
        if op.kind == "assign" and op.target is not None and op.target.type == "identifier"
        if text(op.values[0]) in ("true", "false")
    }
    locks = [op for op in func.ops if op.kind == "call" and method(op) in ("Lock", "RLock", "Unlock", "RUnlock")]
    return bool(flags) and any(_asked(op.step) & flags for op in locks)


def _asked(step: Step) -> set[str]:
    conditions = [one.node.child_by_field_name("condition") for one in step.cases if one.kind == "if"]
    return {text(name) for one in conditions if one is not None for name in nodes(one, "identifier")}


def _own(lock: Lock) -> bool:
    symbol = lock.kind[1]
    if isinstance(symbol, FieldRef) and (symbol.name[:1].isupper() and symbol.type[:1].isupper()):
        return False
    return lock.sure and lock.single


def _left(locking: Locking, build_reason: set[CauseSite]) -> Iterator[Reason]:
    """Yield the exits that leave a lock held, but for locks that a loop was already told to keep."""
    found: dict[tuple[Func, Lock], list[Left]] = {}
    for one in left_locked(locking):
        if _plain(one.held) and not _may_hand_over(one.func) and site("locked", one.held.op) not in build_reason:
            found.setdefault((one.func, one.held.lock), []).append(one)
    for group in found.values():
        yield left_reason(group)


def _may_hand_over(func: Func) -> bool:
    name = func.name.lower()
    return any(word in name for word in ("lock", "acquire", "begin", "enter"))


def _twice(locking: Locking) -> Iterator[Reason]:
    for func in locking.package.all:
        if func not in locking.involved:
            continue
        reading = locking.reading(func)
        if not reading.whole or loose(locking, func):
            continue
        build_reason: set[tuple[int, int]] = set()
        for again in reading.again:
            key = (again.held.op.line, again.op.line)
            if key in build_reason or not _plain(again.held) or again.held.mode == again.mode == "r":
                continue
            build_reason.add(key)
            yield taken_again(again, reading.way(again.step, again.state))
        yield from _calls(locking, func, build_reason)


def taken_again(again: Again, way: list[Step]) -> Reason:
    """Return the reason of a lock that one way through a function takes twice: in two places, or in a loop."""
    held, func = again.held, again.op.func
    args = {"function": func.full, "lock": held.lock.written, "locked": place(held.op), "line": place(again.op)}
    jump = around_a_loop(again, way)
    if jump is not None:
        args["exit"] = at(func, jump.line)
        sites = (func.site("never-unlocked", jump.line), site("locked", held.op))
        lock, _, verb = text(held.op.target).rpartition(".")
        drafted = jump.kind == "jump" and verb in ("Lock", "RLock")
        undone = fixes.unlock_before(jump, lock, held.mode == "r") if drafted else None
        return Reason("double-lock", (Text("cause.lock.left-round", args),), sites, True, fixes.drafts(undone))
    texts = (
        Text("cause.lock.held-here", args),
        Text("cause.lock.twice", {"lock": held.lock.written, "place": args["line"]}),
    )
    return Reason("double-lock", texts, (site("locked-first", held.op), site("locked-again", again.op)), certain=True)


def _calls(locking: Locking, func: Func, build_reason: set[tuple[int, int]]) -> Iterator[Reason]:
    """Yield calls of what takes a lock that is held."""
    for op in func.ops:
        if op.kind != "call" or op.inside is not None or locking.names.does(op) is not None:
            continue
        callee = locking.callee(op)
        if callee is None or callee is func:
            continue
        states = [state for state in locking.at(op) if state.held]
        if not states:
            continue
        for lock, mode, taken in locking.wants(callee):
            mine = locking.names.given(lock, callee, op)
            held = next((one for state in states if mine and (one := state.find(mine)) is not None), None)
            if held is None or not _plain(held) or held.mode == mode == "r" or (held.op.line, op.line) in build_reason:
                continue
            if taken.step.cases:  # what it asks there may be what this caller knows
                continue
            build_reason.add((held.op.line, op.line))
            yield _called(held, op, taken)
            break


def _called(held: Holding, op: Op, taken: Op) -> Reason:
    args = {"function": op.func.full, "lock": held.lock.written, "locked": place(held.op), "line": place(op)}
    texts = (
        Text("cause.lock.held-calls", args | {"code": call_text(op)}),
        Text("cause.lock.twice", {"lock": held.lock.written, "place": place(taken)}),
    )
    sites = (site("locked-first", held.op), site("locked-again", op))
    return Reason("double-lock", texts, sites, True, unlocked_call(op, held.lock.written))


def unlocked_call(call: Op, lock: str) -> tuple[Remedy, ...]:
    """Return how to call without the lock what takes it again: its variant for those who hold it, or unlocked."""
    frees = [
        op for op in call.func.ops if op.kind == "call" and text(op.target) in (f"{lock}.Unlock", f"{lock}.RUnlock")
    ]
    first = next((found for op in frees if (found := fixes.unlock_first(call, op)) is not None), None)
    drafted = fixes.drafts(fixes.use_locked_variant(call), first)
    return drafted or (fixes.words_only("call-unlocked", call, lock=lock),)


def _opposite(locking: Locking) -> Iterator[Reason]:
    """Yield two locks of one object that are taken in both orders."""
    found: dict[tuple[object, object], Order] = {}
    for order in orders(locking):
        if _one_object(order):
            found.setdefault((order.first.lock.kind, order.second.kind), order)
    for (first, second), order in found.items():
        other = found.get((second, first))
        if other is None or order.op.line > other.op.line or order.held & other.held - {first, second}:
            continue
        if order.first.mode == other.mode == "r" or other.first.mode == order.mode == "r":
            continue  # readers let each other in
        mine = (order.first.op, order.first.lock, order.second, order.op)
        yield order_reason(mine, other, certain=True)


def _one_object(order: Order) -> bool:
    """Tell whether both are fields of the receiver itself, or variables of the package."""
    locks = (order.first.lock, order.second)
    if (
        not all(_own(lock) and isinstance(lock.root, Var) for lock in locks)
        or order.first.lock.kind == order.second.kind
    ):
        return False
    roots = [lock.root for lock in locks]
    if all(isinstance(root, Var) and root.kind == "global" for root in roots):
        return True
    return (
        roots[0] is roots[1]
        and getattr(roots[0], "kind", "") == "receiver"
        and all(len(one.fields) == 1 for one in locks)
    )

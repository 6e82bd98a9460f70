"""A function that returns with a lock held: nobody waits in it, and everybody waits for the lock.

Comes in: the lock that is waited for, or a whole package. Goes out: exits that leave it locked. A lock that is handed
to the caller by design is no mistake: other code unlocks it, a func that unlocks is returned, or the locked object is.
"""

from collections.abc import Iterator
from typing import NamedTuple

from oakum.explain import fixes
from oakum.explain.code.calls import at, place
from oakum.explain.code.flows import Flows
from oakum.explain.code.locking import Again, Holding, Leave, Locking, loose
from oakum.explain.code.locks import Lock
from oakum.explain.code.nouns import Func, Op, Step, Var
from oakum.explain.code.syntax import text
from oakum.explain.leaving import shortened
from oakum.explain.locks.held_locks import LockStack, Wanted, site
from oakum.explain.reason import Reason, distinct
from oakum.model import Remedy, Text

_MOST = 2  # exits that are told


def never_unlocked(stack: LockStack, wanted: Wanted) -> Reason | None:
    """Return which function has returned without unlocking what is waited for."""
    spot = stack.blocked
    if spot is None:
        return None
    locking, kind = stack.scene.program.locking(spot.package), wanted.lock.kind
    found = [one for one in left_locked(locking, kind) if one.held.lock.kind == kind]
    found = found or list(_left_of_objects(locking, kind, stack.scene.flows(spot)))
    funcs = list(dict.fromkeys(one.func for one in found))
    if not found or len(funcs) > _MOST:
        return None
    return build_reason([one for one in found if one.func is funcs[0]][:_MOST], wanted)


class Left(NamedTuple):
    """An exit that leaves a lock held."""

    func: Func
    held: Holding
    leave: Leave
    back: Op | None = None  # the call that gives it back on another way


def left_locked(locking: Locking, kind: object = None) -> Iterator[Left]:
    """Yield the exits that leave a lock held which the same function releases on another way."""
    for func in locking.package.all:
        if not any(done.verb != "free" and kind in (None, done.lock.kind) for done in locking.locks(func)):
            continue
        reading = locking.reading(func)
        if not reading.whole or loose(locking, func):
            continue
        freed = {done.lock for done in locking.locks(func) if done.verb == "free"}
        seen: set[tuple[int, Lock]] = set()
        for leave in reading.leaves:
            for held in leave.state.held if leave.step.kind != "panic" else ():
                if held.lock not in freed or not held.lock.single or (leave.step.line, held.lock) in seen:
                    continue
                if _handed_over(locking, held):
                    continue
                seen.add((leave.step.line, held.lock))
                yield Left(func, held, leave)


def _left_of_objects(locking: Locking, kind: object, flows: Flows) -> Iterator[Left]:
    """Yield the same of locks that helpers take or release, and of objects that were looked up: b.Checkout(name)."""
    for func in locking.package.all if kind not in locking.released_elsewhere else ():
        if func not in locking.involved or loose(locking, func):
            continue
        effects = [(op, verb, lock) for op in func.ops for verb, lock, _ in locking.effects(op) if lock.kind == kind]
        freed = {lock: op for op, verb, lock in effects if verb == "free"}
        if not freed or not any(verb == "take" for _, verb, _ in effects):
            continue
        seen: set[tuple[int, Lock]] = set()
        for leave in locking.reading(func).leaves:
            for held in leave.state.held if leave.step.kind != "panic" else ():
                if held.lock not in freed or not held.lock.single or (leave.step.line, held.lock) in seen:
                    continue
                if not _passed_on(held.lock, leave.step, func, flows):
                    seen.add((leave.step.line, held.lock))
                    yield Left(func, held, leave, freed[held.lock])


def _passed_on(lock: Lock, step: Step, func: Func, flows: Flows) -> bool:
    """Tell whether the object of a lock is somebody else's at an exit: returned there, kept, or started with."""
    var = lock.root
    if not isinstance(var, Var) or var.kind != "local":
        return False
    flow = flows.follow([var])
    if flow.stored or any(op.step is step for op in flow.returned):
        return True
    if flow.foreign and not lock.fields[-1][:1].islower():
        return True  # anybody may unlock it
    return any(op.kind == "go" and var.name in text(op.node) for op in func.ops)


def _handed_over(locking: Locking, held: Holding) -> bool:
    """Tell whether a lock that a function leaves held is somebody else's to release."""
    root = held.lock.root
    if not isinstance(root, str) and getattr(root, "kind", "") == "local":  # the locked object is returned or stored
        return True
    return held.lock.kind in locking.released_elsewhere


def build_reason(found: list[Left], wanted: Wanted | None = None) -> Reason:
    """Return the reason: where it is locked, and the exits that do not unlock."""
    func, held, leave, _ = found[0]
    args = {
        "function": func.full,
        "lock": held.lock.written,
        "locked": place(held.op),
        "exit": at(func, leave.step.line),
    }
    texts = [_left_says(func, leave.step, args)]
    if wanted is not None:
        texts.append(Text("cause.lock.left-waits", {"lock": held.lock.name, "place": place(wanted.op)}))
    sites = [one.func.site("never-unlocked", one.leave.step.line) for one in found]
    sites += [site("locked", held.op)]
    return Reason("double-lock", tuple(texts), distinct(sites), True, _remedies(found))


def _remedies(found: list[Left]) -> tuple[Remedy, ...]:
    func, held, leave, back = found[0]
    same = [one.leave.step for one in found[1:] if one.func is func and one.held.lock == held.lock]
    lock, _, verb = text(held.op.target).rpartition(".")
    if held.op.func is func and verb in ("Lock", "RLock"):
        return fixes.drafts(fixes.unlock_before(leave.step, lock, held.mode == "r", *same))
    if back is None or back.inside is not None:  # a helper of the user's locks, and another unlocks
        return ()
    return fixes.drafts(fixes.call_before_each([leave.step, *same], text(back.node), "give-back"))


def _left_says(func: Func, step: Step, args: dict[str, str]) -> Text:
    case = next((one for one in reversed(step.cases) if one.kind == "if"), None)
    if case is None:
        return Text("cause.lock.left", args)
    condition = shortened(text(case.node.child_by_field_name("condition")))
    return Text("cause.lock.left-when", args | {"condition": condition, "case": at(func, case.line)})


def around_a_loop(again: Again, way: list[Step]) -> Step | None:
    """Return the step with which a loop begins again while the lock of the round before is held."""
    if again.op is not again.held.op:
        return None
    begin = max((at for at, step in enumerate(way[:-1]) if again.held.op in step.ops), default=None)
    inside = way[begin + 1 : -1] if begin is not None else []
    jumps = [step for step in inside if step.kind == "jump"]
    return jumps[-1] if jumps else next((step for step in reversed(inside) if step.kind == "plain"), None)

"""A function that returns with a lock held: nobody waits in it, and everybody waits for the lock.

Comes in: the lock that is waited for, or a whole package. Goes out: exits that leave it locked. A lock that is handed
to the caller by design is no mistake: other code unlocks it, a func that unlocks is returned, or the locked object is.
"""

from collections.abc import Iterator

from oakum.explain import fixes
from oakum.explain.code.calls import at, place
from oakum.explain.code.locking import Again, Holding, Leave, Locking, loose
from oakum.explain.code.locks import Lock
from oakum.explain.code.nouns import Func, Step
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
    locking = stack.scene.program.locking(spot.package)
    found = [one for one in left_locked(locking, wanted.lock.kind) if one[1].lock.kind == wanted.lock.kind]
    funcs = list(dict.fromkeys(func for func, _, _ in found))
    if not found or len(funcs) > _MOST:
        return None
    return build_reason([one for one in found if one[0] is funcs[0]][:_MOST] or found, wanted)


Left = tuple[Func, Holding, Leave]


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
                yield func, held, leave


def _handed_over(locking: Locking, held: Holding) -> bool:
    """Tell whether a lock that a function leaves held is somebody else's to release."""
    root = held.lock.root
    if not isinstance(root, str) and getattr(root, "kind", "") == "local":  # the locked object is returned or stored
        return True
    return held.lock.kind in locking.released_elsewhere


def build_reason(found: list[Left], wanted: Wanted | None = None) -> Reason:
    """Return the reason: where it is locked, and the exits that do not unlock."""
    func, held, leave = found[0]
    args = {
        "function": func.full,
        "lock": held.lock.written,
        "locked": place(held.op),
        "exit": at(func, leave.step.line),
    }
    texts = [_left_says(func, leave.step, args)]
    if wanted is not None:
        texts.append(Text("cause.lock.left-waits", {"lock": held.lock.name, "place": place(wanted.op)}))
    sites = [one[0].site("never-unlocked", one[2].step.line) for one in found]
    sites += [site("locked", held.op)]
    return Reason("double-lock", tuple(texts), distinct(sites), True, _remedies(found))


def _remedies(found: list[Left]) -> tuple[Remedy, ...]:
    func, held, leave = found[0]
    same = [one[2].step for one in found[1:] if one[0] is func and one[1].lock == held.lock]
    lock, _, verb = text(held.op.target).rpartition(".")
    if held.op.func is not func or verb not in ("Lock", "RLock"):  # a helper of the user's locks, and another unlocks
        return ()
    return fixes.drafts(fixes.unlock_before(leave.step, lock, held.mode == "r", *same))


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

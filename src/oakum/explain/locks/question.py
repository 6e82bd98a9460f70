"""Who holds the lock, and why is it not released?

Comes in: a scene. Goes out: a reason: the goroutine holds the lock itself (double-lock), two orders (lock-cycle), the
holder waits for something else (lock-held-while-waiting), or a function has returned without unlocking. None when the
code read does not say.
"""

from collections.abc import Sequence

from oakum.explain import fixes
from oakum.explain.channels import drained, lenders
from oakum.explain.channels.semaphores import reason as turns
from oakum.explain.code.calls import place
from oakum.explain.code.locks import Lock
from oakum.explain.code.nouns import Op
from oakum.explain.locks.held_locks import HeldLock, LockStack, Wanted, call_text, site
from oakum.explain.locks.held_waits import held_while_waiting
from oakum.explain.locks.onces import within_once
from oakum.explain.locks.orders import opposite
from oakum.explain.locks.passed_over import passed_over
from oakum.explain.locks.scan import scan, taken_again, unlocked_call
from oakum.explain.locks.unlocked import never_unlocked
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.explain.waits import conds
from oakum.model import CauseSite, Remedy, Text


def reason(scene: StackInSource) -> Reason | None:
    """Return why the lock that a goroutine waits for, or holds while it waits, is not released."""
    stack = LockStack(scene)
    if scene.blocked is None:
        return turns(stack) or lenders.reason(stack)
    others = [
        LockStack(StackInSource.of(scene.suspect, scene.program, one))
        for one in scene.suspect.traces
        if one != scene.trace
    ]
    wanted = stack.wanted
    if wanted is None:
        # What a condition variable waits for is read before methods that count are known by their names.
        asleep = any(frame.function == "sync.(*Cond).Wait" for frame in scene.trace.frames[:8])
        found = held_while_waiting(stack, others) or (conds.reason(scene) if asleep else None)
        return found or turns(stack) or lenders.reason(stack) or drained.reason(scene)
    return (
        locked_twice(stack, wanted, others)
        or in_a_circle(stack, wanted, others)
        or next((found for one in others if (found := _behind(one, wanted, [stack, *others])) is not None), None)
        or (asked_within(stack, wanted) if wanted.mode == "once" else None)
        or (None if stack.held_locks else never_unlocked(stack, wanted) or passed_over(stack, wanted))
    )


def _behind(holder: LockStack, wanted: Wanted, stacks: Sequence[LockStack]) -> Reason | None:
    """Return why another goroutine, which waits for no lock, does not release this one."""
    if holder.wanted is not None or not any(held.lock.kind == wanted.lock.kind for held in holder.held_locks):
        return None
    return held_while_waiting(holder, [one for one in stacks if one is not holder])


def locked_twice(stack: LockStack, wanted: Wanted, others: Sequence[LockStack]) -> Reason | None:
    """Return that a goroutine waits for a lock which it holds itself."""
    for held in stack.held_locks:
        name = wanted.seen_from(held)
        same = name == held.lock
        alike = held.lock.kind == wanted.lock.kind and _one_object(stack, name)
        if not (same or alike) or not (held.always or stack.scene.suspect.mechanisms[0] == "double-lock"):
            continue
        if held.op is wanted.op:  # held since the round before
            reading = stack.scene.program.locking(held.op.func.package).reading(held.op.func)
            rounds = [one for one in reading.again if one.op is held.op]
            return taken_again(rounds[0], reading.way(rounds[0].step, rounds[0].state)) if rounds else None
        readers = held.mode == wanted.mode == "r"
        if held.mode == wanted.mode == "once":
            key = "cause.lock.once"
        elif held.mode == "r":
            key = "cause.lock.reads-again" if readers else "cause.lock.upgrade"
        else:
            key = "cause.lock.twice"
        writer = next((one.wanted for one in others if one.wanted and _writes(one.wanted, wanted)), None)
        if readers and writer is None and not same:
            continue
        again = second(stack, wanted)
        texts = [first_says(held, again), Text(key, {"lock": wanted.lock.written, "place": place(wanted.op)})]
        sites = [site("locked-first", held.op), site("locked-again", again)]
        if readers:
            told = {"place": place(writer.op)} if writer else {}
            texts.append(Text("cause.lock.writer" if writer else "cause.lock.any-writer", told))
            sites += [site("waits", writer.op)] if writer else []
        if not same:
            texts.append(Text("cause.lock.same-field", {"lock": wanted.lock.name}))
        remedies = _unlocked(stack, held, again) if again is not wanted.op else ()
        return Reason("double-lock", tuple(texts), tuple(sites), same and not readers, remedies)
    return None


def _unlocked(stack: LockStack, held: HeldLock, again: Op) -> tuple[Remedy, ...]:
    """Return how not to take the lock again, said at the call that is made while holding it."""
    if stack.frames[held.at].owner == "own":
        return unlocked_call(again if again.func is held.op.func else held.via, held.lock.written)
    mine = next((at for at in range(held.at) if stack.frames[at].owner == "own"), None)
    call = stack.call(mine) if mine is not None else None
    if call is None:
        return ()
    return (fixes.words_only("call-later", call, call=call_text(call), holder=place(held.via)),)


def _one_object(stack: LockStack, name: Lock | None) -> bool:
    """Tell whether two locks of one field are those of one object, by what the capture shows of the goroutine."""
    suspect = stack.scene.suspect
    if name is None:  # nothing speaks against it
        return suspect.mechanisms[0] != "lock-cycle"
    return suspect.mechanisms[0] == "double-lock" and suspect.kinds.has("locked-twice")


def asked_within(stack: LockStack, wanted: Wanted) -> Reason | None:
    """Return that the function which a sync.Once runs asks the same Once, where another stack than this one does it."""
    spot = stack.blocked
    if spot is None:
        return None
    return next(within_once(stack.scene.program.locking(spot.package), wanted.lock.kind), None)


def _writes(one: Wanted, wanted: Wanted) -> bool:
    return one.mode == "w" and one.lock.kind == wanted.lock.kind


def first_says(held: HeldLock, again: Op) -> Text:
    """Return the sentence that a function takes a lock and, still holding it, goes on to a line."""
    args = {"function": held.op.func.full, "lock": held.lock.written, "locked": place(held.op), "line": place(held.via)}
    if again is held.via and "Lock" in call_text(again):
        return Text("cause.lock.held-here", args)
    if again is held.via:
        return Text("cause.lock.held-calls", args | {"code": call_text(held.via)})
    return Text("cause.lock.held-through", args | {"code": call_text(held.via), "again": place(again)})


def second(stack: LockStack, wanted: Wanted) -> Op:
    """Return the line that leads to the second lock: the call of the function that locks, or the Lock itself."""
    held_locks = [held for held in stack.held_locks if held.at == wanted.at]
    if held_locks:
        return wanted.op
    return stack.call(wanted.at + 1) or wanted.op


def in_a_circle(stack: LockStack, wanted: Wanted, others: Sequence[LockStack]) -> Reason | None:
    """Return that goroutines hold one lock each and want the next one's."""
    edges = [(stack, wanted, held) for held in stack.held_locks]
    for other in others:
        if other.wanted is not None:
            edges += [(other, other.wanted, held) for held in other.held_locks]
    circle = _circle(edges, wanted)
    if circle is None:
        return opposite(stack, wanted) if "lock-cycle" in stack.scene.suspect.mechanisms[:1] else None
    texts: list[Text] = []
    sites: list[CauseSite] = []
    for one, want, held in circle:
        again = second(one, want)
        args = {"first": held.lock.name, "locked": place(held.op), "second": want.lock.name, "line": place(again)}
        texts.append(Text("cause.lock.order", args | {"function": held.op.func.full}))
        sites.append(site("locked-second", again))
    sites += [site("locked-first", held.op) for _, _, held in circle]
    if len(circle) == 1:
        texts.append(Text("cause.lock.ring", {"lock": wanted.lock.name}))
    else:
        texts.append(Text("cause.lock.cycle", {"count": len(circle)}))
    one, want, held = circle[-1]
    if len(circle) == 1:
        remedy = fixes.words_only("lock-pair", second(one, want), lock=want.lock.name)
    elif len(circle) == 2:
        remedy = fixes.words_only("lock-order", second(one, want), first=want.lock.name, second=held.lock.name)
    else:
        locks = ", ".join(held.lock.name for _, _, held in circle)
        remedy = fixes.words_only("lock-circle", second(one, want), locks=locks)
    return Reason("lock-cycle", tuple(texts), distinct(sites), remedies=(remedy,))


_Edge = tuple[LockStack, Wanted, HeldLock]


def _circle(edges: Sequence[_Edge], wanted: Wanted) -> list[_Edge] | None:
    """Return the shortest circle of `holds one, wants the next` through the stack that was asked about."""
    begin = [edge for edge in edges if edge[1] is wanted]
    todo = [[edge] for edge in begin]
    for _ in range(4):
        longer: list[list[_Edge]] = []
        for way in todo:
            if way[-1][1].lock.kind == way[0][2].lock.kind:
                if len(way) > 1 or _apart(way[0]):
                    return way
                continue
            for edge in edges:
                if edge[2].lock.kind == way[-1][1].lock.kind and all(edge[0] is not one[0] for one in way):
                    longer.append([*way, edge])
        todo = longer
    return None


def _apart(edge: _Edge) -> bool:
    """Tell whether the lock wanted and the one held are of two objects, as their names in one function show."""
    _, wanted, held = edge
    name = wanted.seen_from(held)
    return name is not None and name != held.lock


__all__ = ["reason", "scan"]

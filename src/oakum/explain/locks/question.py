"""Who holds the lock, and why is it not released?

Comes in: a scene. Goes out: a reason: the goroutine holds the lock itself (double-lock), two orders (lock-cycle), the
holder waits for something else (lock-held-while-waiting), or a function has returned without unlocking. None when the
code read does not say.
"""

from collections.abc import Sequence

from oakum.explain import fixes
from oakum.explain.channels import drained, lenders
from oakum.explain.channels.turns import reason as turns
from oakum.explain.code.locks import Lock
from oakum.explain.code.nouns import Op
from oakum.explain.leaving import place
from oakum.explain.locks.grips import Grip, Stack, Wanted, call_text, distinct, site
from oakum.explain.locks.held_waits import held_while_waiting
from oakum.explain.locks.onces import within_once
from oakum.explain.locks.orders import opposite
from oakum.explain.locks.passed_over import passed_over
from oakum.explain.locks.scan import scan, taken_again, unlocked_call
from oakum.explain.locks.unlocked import never_unlocked
from oakum.explain.reason import Reason, Scene
from oakum.model import CauseSite, Remedy, Text


def reason(scene: Scene) -> Reason | None:
    """Return why the lock that a goroutine waits for, or holds while it waits, is not released."""
    stack = Stack(scene)
    if scene.blocked is None:
        return turns(stack)
    others = [Stack(Scene.of(scene.suspect, scene.program, one)) for one in scene.suspect.traces if one != scene.trace]
    wanted = stack.wanted
    if wanted is None:
        found = held_while_waiting(stack, others) or turns(stack) or lenders.reason(stack)
        return found or drained.reason(scene)
    return (
        locked_twice(stack, wanted, others)
        or in_a_circle(stack, wanted, others)
        or next((found for one in others if (found := _behind(one, wanted, [stack, *others])) is not None), None)
        or (asked_within(stack, wanted) if wanted.mode == "once" else None)
        or (None if stack.grips else never_unlocked(stack, wanted) or passed_over(stack, wanted))
    )


def _behind(holder: Stack, wanted: Wanted, stacks: Sequence[Stack]) -> Reason | None:
    """Return why another goroutine, which waits for no lock, does not release this one."""
    if holder.wanted is not None or not any(grip.lock.kind == wanted.lock.kind for grip in holder.grips):
        return None
    return held_while_waiting(holder, [one for one in stacks if one is not holder])


def locked_twice(stack: Stack, wanted: Wanted, others: Sequence[Stack]) -> Reason | None:
    """Return that a goroutine waits for a lock which it holds itself."""
    for grip in stack.grips:
        name = wanted.seen_from(grip)
        same = name == grip.lock
        alike = grip.lock.kind == wanted.lock.kind and _one_object(stack, name)
        if not (same or alike) or not (grip.always or stack.scene.suspect.mechanisms[0] == "double-lock"):
            continue
        if grip.op is wanted.op:  # held since the round before
            reading = stack.scene.program.locking(grip.op.func.package).reading(grip.op.func)
            rounds = [one for one in reading.again if one.op is grip.op]
            return taken_again(rounds[0], reading.way(rounds[0].step, rounds[0].state)) if rounds else None
        readers = grip.mode == wanted.mode == "r"
        if grip.mode == wanted.mode == "once":
            key = "cause.lock.once"
        elif grip.mode == "r":
            key = "cause.lock.reads-again" if readers else "cause.lock.upgrade"
        else:
            key = "cause.lock.twice"
        writer = next((one.wanted for one in others if one.wanted and _writes(one.wanted, wanted)), None)
        if readers and writer is None and not same:
            continue
        again = second(stack, wanted)
        says = [first_says(grip, again), Text(key, {"lock": wanted.lock.written, "place": place(wanted.op)})]
        sites = [site("locked-first", grip.op), site("locked-again", again)]
        if readers:
            told = {"place": place(writer.op)} if writer else {}
            says.append(Text("cause.lock.writer" if writer else "cause.lock.any-writer", told))
            sites += [site("waits", writer.op)] if writer else []
        if not same:
            says.append(Text("cause.lock.same-field", {"lock": wanted.lock.name}))
        remedies = _unlocked(stack, grip, again) if again is not wanted.op else ()
        return Reason("double-lock", tuple(says), tuple(sites), same and not readers, remedies)
    return None


def _unlocked(stack: Stack, grip: Grip, again: Op) -> tuple[Remedy, ...]:
    """Return how not to take the lock again, said at the call that is made while holding it."""
    if stack.frames[grip.at].owner == "own":
        return unlocked_call(again if again.func is grip.op.func else grip.via, grip.lock.written)
    mine = next((at for at in range(grip.at) if stack.frames[at].owner == "own"), None)
    call = stack.call(mine) if mine is not None else None
    if call is None:
        return ()
    return (fixes.words_only("call-later", call, call=call_text(call), holder=place(grip.via)),)


def _one_object(stack: Stack, name: Lock | None) -> bool:
    """Tell whether two locks of one field are those of one object, by what the capture shows of the goroutine."""
    suspect = stack.scene.suspect
    if name is None:  # nothing speaks against it
        return suspect.mechanisms[0] != "lock-cycle"
    return suspect.mechanisms[0] == "double-lock" and "locked-twice" in suspect.kinds


def asked_within(stack: Stack, wanted: Wanted) -> Reason | None:
    """Return that the function which a sync.Once runs asks the same Once, where another stack than this one does it."""
    spot = stack.blocked
    if spot is None:
        return None
    return next(within_once(stack.scene.program.locking(spot.package), wanted.lock.kind), None)


def _writes(one: Wanted, wanted: Wanted) -> bool:
    return one.mode == "w" and one.lock.kind == wanted.lock.kind


def first_says(grip: Grip, again: Op) -> Text:
    """Return the sentence that a function takes a lock and, still holding it, goes on to a line."""
    args = {"function": grip.op.func.full, "lock": grip.lock.written, "locked": place(grip.op), "line": place(grip.via)}
    if again is grip.via and "Lock" in call_text(again):
        return Text("cause.lock.held-here", args)
    if again is grip.via:
        return Text("cause.lock.held-calls", args | {"code": call_text(grip.via)})
    return Text("cause.lock.held-through", args | {"code": call_text(grip.via), "again": place(again)})


def second(stack: Stack, wanted: Wanted) -> Op:
    """Return the line that leads to the second lock: the call of the function that locks, or the Lock itself."""
    grips = [grip for grip in stack.grips if grip.at == wanted.at]
    if grips:
        return wanted.op
    return stack.call(wanted.at + 1) or wanted.op


def in_a_circle(stack: Stack, wanted: Wanted, others: Sequence[Stack]) -> Reason | None:
    """Return that goroutines hold one lock each and want the next one's."""
    edges = [(stack, wanted, grip) for grip in stack.grips]
    for other in others:
        if other.wanted is not None:
            edges += [(other, other.wanted, grip) for grip in other.grips]
    circle = _circle(edges, wanted)
    if circle is None:
        return opposite(stack, wanted) if "lock-cycle" in stack.scene.suspect.mechanisms[:1] else None
    says: list[Text] = []
    sites: list[CauseSite] = []
    for one, want, grip in circle:
        again = second(one, want)
        args = {"first": grip.lock.name, "locked": place(grip.op), "second": want.lock.name, "line": place(again)}
        says.append(Text("cause.lock.order", args | {"function": grip.op.func.full}))
        sites.append(site("locked-second", again))
    sites += [site("locked-first", grip.op) for _, _, grip in circle]
    if len(circle) == 1:
        says.append(Text("cause.lock.ring", {"lock": wanted.lock.name}))
    else:
        says.append(Text("cause.lock.cycle", {"count": len(circle)}))
    one, want, grip = circle[-1]
    if len(circle) == 1:
        remedy = fixes.words_only("lock-pair", second(one, want), lock=want.lock.name)
    elif len(circle) == 2:
        remedy = fixes.words_only("lock-order", second(one, want), first=want.lock.name, second=grip.lock.name)
    else:
        locks = ", ".join(grip.lock.name for _, _, grip in circle)
        remedy = fixes.words_only("lock-circle", second(one, want), locks=locks)
    return Reason("lock-cycle", tuple(says), distinct(sites), remedies=(remedy,))


_Edge = tuple[Stack, Wanted, Grip]


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
    _, wanted, grip = edge
    name = wanted.seen_from(grip)
    return name is not None and name != grip.lock


__all__ = ["reason", "scan"]

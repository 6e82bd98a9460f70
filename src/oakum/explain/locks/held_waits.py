"""A lock is held by a goroutine that waits for something else: which lock, since where, and why the wait does not end.

Comes in: the stack that holds, and the stacks that wait for its lock. Goes out: a reason. The wait does not end because
whoever would end it wants the same lock; else for what the question about that kind of wait answers; else it is said
who could end it. Only own code is told to unlock, and only where the wait can end once it does.
"""

from collections.abc import Callable, Sequence

from oakum.explain import fixes
from oakum.explain.channels import drained, lenders
from oakum.explain.channels.counterparts import counterparts
from oakum.explain.channels.question import reason as channels
from oakum.explain.channels.semaphores import reason as turns
from oakum.explain.code.calls import method, place
from oakum.explain.code.channel import channel_of
from oakum.explain.code.nouns import Op
from oakum.explain.code.syntax import text
from oakum.explain.locks.held_locks import HeldLock, LockStack, call_text, site
from oakum.explain.network import handles
from oakum.explain.network.exchanges import WRITES
from oakum.explain.network.question import reason as network
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.explain.waits.question import reason as waits
from oakum.model import CauseSite, Remedy, Text
from oakum.model.vocabulary import CauseRole, Mechanism

# Asked why the wait itself does not end.
_WAITS: tuple[Callable[[StackInSource], Reason | None], ...] = (
    handles.reason,
    network,
    drained.reason,
    channels,
    waits,
)

_NETWORK = ("peer-stopped-reading", "missing-deadline")


def held_while_waiting(stack: LockStack, others: Sequence[LockStack]) -> Reason | None:
    """Return that a goroutine holds a lock while it waits for something else."""
    mechanisms = stack.scene.suspect.mechanisms
    for held in stack.held_locks:
        queue = [one for one in others if one.wanted is not None and one.wanted.lock.kind == held.lock.kind]
        told = mechanisms[0] == "lock-held-while-waiting"
        if not (queue or told) or not (held.always or told) or _own_cond(stack, held):
            continue
        mechanism = mechanisms[0] if mechanisms[0] in _NETWORK else "lock-held-while-waiting"
        user = _user(stack, held)
        texts = [_held_says(stack, held, user)]
        sites = [site("held", user)] if user is not None else [site("locked", held.op)]
        last = [site("locked", held.op)] if user is not None else []
        partner = _partner(stack, queue)
        if partner is not None:
            role, ends, line = partner
            args = {"function": line.func.full, "line": place(line), "lock": held.lock.name, "ends": place(ends)}
            texts.append(Text(f"cause.lock.partner.{role}", args | {"code": call_text(line)}))
            unlocked = (_words("wait-unlocked", held),) if _own(stack, held) else ()
            return _build_reason(texts, [*sites, site(role, line), *last], "lock-held-while-waiting", unlocked)
        why = _why(stack)
        if why is not None:
            texts += [one for one in why.texts if one.key != "cause.network.locked"]
            return _build_reason(texts, [*sites, *why.sites, *last], mechanism, _remedies(stack, held, why))
        more, lines = counterparts(stack)
        texts += more or _queue_says(queue, held)
        return _build_reason(texts, [*sites, *lines, *last], mechanism, _remedies(stack, held, None))
    return None


def _why(stack: LockStack) -> Reason | None:
    """Return why the wait itself does not end."""
    found = next((why for ask in _WAITS[:3] if (why := ask(stack.scene)) is not None), None)
    found = found or turns(stack) or lenders.reason(stack)
    return found or next((why for ask in _WAITS[3:] if (why := ask(stack.scene)) is not None), None)


def _remedies(stack: LockStack, held: HeldLock, why: Reason | None) -> tuple[Remedy, ...]:
    """Return what fixes it: the wait first. Unlocked, a wait without end would leave a goroutine behind each time."""
    found = why.remedies if why is not None else ()
    if not _own(stack, held):
        return found
    if why is None and stack.scene.state == "sleep" and not held.via.step.loops:
        return ()  # it ends by itself
    if _asks_before(stack, held):  # who reads the answer has to be who asked
        return found
    if not found:
        return (_words("wait-bounded", held),)
    limited = why is not None and any(one.key.startswith("cause.network.") for one in why.texts)
    return (*found, _words("wait-unlocked", held)) if limited else found  # until the limit the others wait on


def _words(kind: str, held: HeldLock) -> Remedy:
    return fixes.words_only(kind, held.via, lock=held.lock.written)


def _own(stack: LockStack, held: HeldLock) -> bool:
    """Tell whether the lock is one of the user's code: others' is not theirs to change."""
    return stack.frames[held.at].owner == "own"


def _asks_before(stack: LockStack, held: HeldLock) -> bool:
    """Tell whether something is written under the lock before the wait, and the wait is for what comes back."""
    reads = any(frame.name.rpartition(".")[2] in ("Read", "read", "ReadFull") for frame in stack.frames[:8])
    between = [op for op in held.op.func.ops if held.op.line <= op.line <= held.via.line and op is not held.via]
    return reads and any(op.kind == "call" and WRITES.match(method(op)) for op in between)


def _build_reason(
    texts: Sequence[Text], sites: Sequence[CauseSite], mechanism: Mechanism, remedies: Sequence[Remedy] = ()
) -> Reason:
    return Reason(mechanism, tuple(texts), distinct(sites), remedies=tuple(remedies))


def _user(stack: LockStack, held: HeldLock) -> Op | None:
    """Return the line that uses the standard library, when the lock is one of its own: log's, of the writer."""
    if stack.frames[held.at].owner not in ("stdlib", "runtime"):
        return None
    for at in range(held.at + 1, len(stack.frames)):
        if stack.frames[at].owner in ("own", "dependency"):
            return stack.call(at)
    return None


def _held_says(stack: LockStack, held: HeldLock, user: Op | None) -> Text:
    blocked = stack.blocked
    args = {
        "function": held.op.func.full,
        "lock": held.lock.written,
        "locked": place(held.op),
        "line": place(held.via),
        "code": call_text(held.via),
        "state": stack.scene.state,
    }
    if user is not None:
        mine = {"user": user.func.full, "line": place(user), "code": call_text(user)}
        return Text("cause.lock.held-library", args | mine)
    if blocked is None or blocked.func is held.op.func or blocked.frame.owner in ("stdlib", "runtime"):
        return Text("cause.lock.held-waits", args)
    op = stack.waiting
    deep = f"{place(op).rpartition(':')[0]}:{blocked.number}" if op is not None else place(held.via)
    return Text("cause.lock.held-waits-below", args | {"place": deep})


def _queue_says(queue: Sequence[LockStack], held: HeldLock) -> list[Text]:
    for one in queue[:1]:
        if one.wanted is not None:
            args = {"function": one.wanted.op.func.full, "place": place(one.wanted.op), "lock": held.lock.name}
            return [Text("cause.lock.queue", args)]
    return []


def _own_cond(stack: LockStack, held: HeldLock) -> bool:
    """Tell whether a lock is that of the condition variable waited for: Wait gives it back meanwhile."""
    if not any(frame.function == "sync.(*Cond).Wait" for frame in stack.frames[: stack.place]):
        return False
    package = held.op.func.package
    names = stack.scene.program.locking(package).names
    made = [op for func in package.all for op in func.ops if op.kind == "call" and text(op.target) == "sync.NewCond"]
    lockers = [names.lock(op.values[0], op.func, op.file) for op in made if op.values]
    return not lockers or any(lock is None or lock.kind == held.lock.kind for lock in lockers)


_Partner = tuple[CauseRole, Op, Op]  # role, operation that would end the wait, line where who would do it is stuck


def _partner(stack: LockStack, queue: Sequence[LockStack]) -> _Partner | None:
    """Return who would end the wait and is stuck itself, because it wants the lock."""
    ends = _ends(stack)
    for other in queue:
        for at in range(other.place, len(other.frames)):
            spot = other.scene.spots[at]
            found = next(((role, op) for role, op in ends if spot is not None and op.func is spot.func), None)
            if found is None or other.wanted is None:
                continue
            line = other.wanted.op if at == other.place else other.call(at)
            if line is not None:
                return found[0], found[1], line
    return None


def _ends(stack: LockStack) -> list[tuple[CauseRole, Op]]:
    """Return the operations that would end the wait, each with what it is called when it does not come."""
    spot, op = stack.blocked, stack.waiting
    if spot is None or op is None:
        return []
    flows = stack.scene.flows(spot)
    found: list[tuple[CauseRole, Op]] = []
    if op.kind == "call" and text(op.target).endswith(".Wait") and op.target is not None:
        symbol = spot.package.symbol(op.target.child_by_field_name("operand"), op.func, op.file)
        if symbol is not None:
            calls = flows.ops(flows.origin(symbol, stack.scene.known), "call")
            found = [("never-done", one) for one in calls if text(one.target).endswith(".Done")]
    alternatives = [one for one in spot.func.ops if one.select is op.select] if op.select is not None else [op]
    for one in alternatives:
        if one.kind not in ("send", "receive", "range"):
            continue
        channel = channel_of(one, flows, stack.scene.known)
        if channel is None:
            continue
        if one.kind == "send":
            found += [("never-received", met) for met in channel.done("receive", "range") if met.func is not op.func]
        else:
            found += [("never-closed", met) for met in channel.done("close") if met.func is not op.func]
            found += [("never-sent", met) for met in channel.done("send") if met.func is not op.func]
    return found

"""A send that nobody receives: who should have, and by which exit they left.

Comes in: a scene whose goroutine waits in a send, and the channel. Goes out: a reason, or None when the code read does
not decide. Reasons: the receiver leaves first (time-out, context, error), takes only the first of several answers, ends
its loop, stands elsewhere itself, or was never there; the sender sends twice where one is received.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from oakum.explain import fixes
from oakum.explain.channels import consumers
from oakum.explain.channels.making import made_says, made_sites, received_says
from oakum.explain.code.calls import place
from oakum.explain.code.channel import Channel
from oakum.explain.code.nouns import Func, Op, Step
from oakum.explain.code.package import Package
from oakum.explain.code.paths import meeting, reachable
from oakum.explain.code.syntax import bare, line
from oakum.explain.leaving import Exit, left_after, left_without
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.model import Remedy, Text


def reason(scene: StackInSource, channel: Channel) -> Reason | None:
    """Return why nobody receives what is sent."""
    op = channel.op
    receives = [one for one in channel.done("receive", "range") if one.select is None or one is not op]
    if is_semaphore(channel):
        return None
    twice = sent_twice(channel)
    if twice is not None:
        return twice
    for host, start in (*hosts(scene.start, channel), *callers(channel, receives)):
        if channel.kept and not _for_one_answer(channel, host, start):
            continue  # of one that is kept somewhere the next call takes the next value
        found = left_by_host(channel, receives, host, start)
        if found is not None:
            return found
    return (
        receiver_ended(channel, receives)
        or consumers.reason(scene, channel)
        or left_by_receiver(scene, channel, receives)
        or nobody(channel, receives)
    )


def hosts(start: Op | None, channel: Channel) -> list[tuple[Func, Op]]:
    """Return the functions that could wait for the answer, each with where its waiting begins."""
    found: list[tuple[Func, Op]] = []
    if start is None or start.func.package is not channel.package:
        start = _handed(channel) or start
    for begin in (start, channel.made):
        if begin is None or begin.func.package is not channel.package:  # of others consumers.py asks
            continue
        if begin.func not in [func for func, _ in found]:
            found.append((begin.func, begin))
    return found


def _handed(channel: Channel) -> Op | None:
    """Return the call that hands the sender to somebody else's code, which starts it: group.Go(func() error {...})."""
    func: Func | None = channel.op.func
    while func is not None and func.parent is not None:
        if func.use is not None and func.use.kind == "call" and func.use.callee is not func:
            return func.use
        func = func.parent
    return None


def callers(channel: Channel, receives: Sequence[Op]) -> list[tuple[Func, Op]]:
    """Return the functions that got the channel from the one that makes it, each with the call."""
    made, owner = channel.made, channel.owner
    if made is None or not (channel.flow.returned or (owner is not None and owner.returned)):
        return []
    calls = [call for call in channel.package.callers.get(made.func, ()) if call.kind == "call"]
    return [(call.func, call) for call in calls if any(op.func is call.func for op in receives)]


def _for_one_answer(channel: Channel, host: Func, start: Op) -> bool:
    """Tell whether a channel is made anew for each call and answered once, though it is kept for the answer to find."""
    made = channel.made
    return made is not None and not made.step.cases and not made.step.loops and not many(channel, host, start)


def left_by_host(
    channel: Channel, receives: Sequence[Op], host: Func, start: Op, instead: Sequence[Op] = ()
) -> Reason | None:
    """Return how the function that starts the sender, or one that it calls for the answer, leaves without receiving.

    `instead` are receives from other channels, which tell that nothing is sent to this one.
    """
    package = channel.package
    near = [op for op in receives if op.func is not channel.op.func]
    meets = meeting(package, near)
    if not any(meets(step) for step in host.steps):
        return None
    if any(op.kind == "go" and meets(op.step) and start.step in reachable([op.step]) for op in host.ops):
        return None  # the receiver was started first, and goes on beside the host
    exits = left_without(package, host, start.step, [*near, *instead]) if not meets(start.step) else []
    more = many(channel, host, start)
    if channel.room and not more:
        return None  # there is room for one
    if more:
        for op in near:
            if op.func is host and (early := left_after(host, op)):
                return _too_few(channel, op, start, [*early, *exits])
    for op in near:  # the answers are collected in a function of their own
        if not exits and op.func is not host and op.func.entry is not None and _called_by(op.func, host, package):
            exits = left_without(package, op.func, op.func.entry, near)
            if not exits and more and (early := left_after(op.func, op)):
                return _too_few(channel, op, start, early)
    if not exits:
        return None
    texts = (*made_says(channel), *received_says(near), exits[0].texts("receive", channel.name))
    return _build_reason(channel, texts, exits, near, start)


def _too_few(channel: Channel, op: Op, start: Op, exits: Sequence[Exit]) -> Reason:
    """Return that several send and not all are received."""
    key = "cause.sender.first-wins" if op.kind == "receive" and not op.step.loops else "cause.sender.loop-left"
    args = {
        "function": op.func.full,
        "receive": place(op),
        "exit": f"{place(op).rpartition(':')[0]}:{exits[0].line}",
        "start": place(start),
        "channel": channel.name,
    }
    return _build_reason(channel, (*made_says(channel), Text(key, args)), exits, [op], start)


def _called_by(func: Func, host: Func, package: Package) -> bool:
    """Tell whether the host itself calls a function, and waits for it."""
    return any(call.kind == "call" and call.func.top is host.top for call in package.callers.get(func, ()))


def many(channel: Channel, host: Func, start: Op) -> bool:
    """Tell whether more than one value is sent: by goroutines started in a loop, in the sender's loop, or several."""
    made, op = channel.made, channel.op
    again = [node for node in start.step.loops if made is None or node not in made.step.loops]
    # One that is started and received from in the same round is met in it.
    again = [node for node in again if not any(node in one.step.loops for one in channel.done("receive"))]
    if again or (op.step in reachable([op.step]) and not _another_each_round(channel)):
        return True
    sends = [op for op in channel.done("send") if op.func is not host]
    if len({id(op.func) for op in sends}) > 1:
        return True
    # Of an `if err != nil { ch <- err; return }` and what follows it only one is done.
    return any(one.step in reachable([other.step]) for one in sends for other in sends if one is not other)


def _another_each_round(channel: Channel) -> bool:
    """Tell whether the sender's loop gets the channel anew in every round: then it is sent to once."""
    op = channel.op
    target = bare(op.target) if op.target is not None else None
    while target is not None and target.type == "selector_expression":
        target = target.child_by_field_name("operand")
    var = channel.package.var(target, op.file) if target is not None and target.type == "identifier" else None
    return bool(op.step.loops) and var is not None and var.func is op.func and var.line > line(op.step.loops[-1])


def receiver_ended(channel: Channel, receives: Sequence[Op]) -> Reason | None:
    """Return how the goroutine that receives in a loop comes to its end."""
    for op in receives:
        looping = op.kind == "range" or bool(op.step.loops)
        if not looping or op.func is channel.op.func:
            continue
        exits = left_after(op.func, op)
        if exits:
            args = {
                "function": op.func.full,
                "receive": place(op),
                "exit": f"{place(op).rpartition(':')[0]}:{exits[0].line}",
                "channel": channel.name,
            }
            texts = (*made_says(channel), Text("cause.sender.receiver-ended", args))
            found = _build_reason(channel, texts, exits, [op], None)
            keep = fixes.words_only("keep-receiving", op, exit=args["exit"], function=op.func.full)
            return found if found.remedies else replace(found, remedies=(keep,))
    return None


def left_by_receiver(scene: StackInSource, channel: Channel, receives: Sequence[Op]) -> Reason | None:
    """Return how the function that asks for the one answer leaves without it: Await of a task that another started."""
    made, start = channel.made, scene.start
    if made is None or start is None or made.func.top is not start.func.top or made.step.loops != start.step.loops:
        return None
    if channel.room:
        return None
    for func in dict.fromkeys(op.func for op in receives if op.func.top not in (made.func.top, channel.op.func.top)):
        near = [op for op in receives if op.func is func]
        exits = left_without(channel.package, func, func.entry, near) if func.entry is not None else []
        exits = [one for one in exits if one.why in ("timeout", "context", "case", "default")]
        if exits:
            texts = (*made_says(channel), *received_says(near), exits[0].texts("receive", channel.name))
            return _build_reason(channel, texts, exits, near, start)
    return None


def nobody(channel: Channel, receives: Sequence[Op]) -> Reason | None:
    """Return that nothing receives, when all code that could is at hand."""
    if receives or channel.handed_out or channel.made is None:
        return None
    made = channel.made
    texts = (*made_says(channel), Text("cause.sender.nobody", {"channel": channel.name, "made": place(made)}))
    return Reason("abandoned-sender", texts, (made.func.site("made", made.line),), certain=True)


def sent_twice(channel: Channel) -> Reason | None:
    """Return the send before this one in the same function, where only one value is received."""
    op = channel.op
    receives = channel.done("receive", "range")
    if channel.room is None or op.step.loops or not receives or not (channel.room == "" or channel.room.isdigit()):
        return None
    if any(one.kind == "range" or one.step.loops for one in receives) or _one_after_another(receives):
        return None
    room = int(channel.room or "0")
    before = [
        one
        for one in channel.done("send")
        if one.func is op.func and one is not op and one.select is None and op.step in reachable([one.step])
    ]
    if len(before) <= room:
        return None
    first = before[0]
    args = {"channel": channel.name, "first": place(first), "second": place(op), "receive": place(receives[0])}
    made = channel.made
    sites = [first.func.site("sent-twice", first.line), receives[0].func.site("received", receives[0].line)]
    if made is not None:
        sites.append(made.func.site("made", made.line))
    texts = (*made_says(channel), Text("cause.sender.twice", args))
    remedies = fixes.drafts(fixes.return_after(first))
    return Reason("double-send", texts, tuple(sites), certain=True, remedies=remedies)


def _one_after_another(receives: Sequence[Op]) -> bool:
    """Tell whether two of the receives can be done on one way."""
    steps = [_host_step(op) for op in receives]
    return any(other in reachable([step]) for step in steps for other in steps)


def _host_step(op: Op) -> Step:
    """Return the step of the declared function in which an operation stands, through literals on the spot."""
    func, step = op.func, op.step
    while func.parent is not None and (use := func.use) is not None:
        func, step = func.parent, use.step
    return step


def is_semaphore(channel: Channel) -> bool:
    """Tell whether the channel counts places: whoever sends into it takes a value out again later."""
    if not channel.room:
        return False
    senders = {op.func.top for op in channel.done("send") if not _answers(op, channel)}
    receivers = {op.func.top for op in channel.done("receive")}
    return bool(senders & receivers) or any(_releases(op) for op in channel.done("receive"))


def _answers(op: Op, channel: Channel) -> bool:
    """Tell whether a goroutine sends what the function that started it receives: results, and no places."""
    receivers = {one.func for one in channel.done("receive")}
    around = op.func.parent
    while around is not None and around not in receivers:
        around = around.parent
    return around is not None and op.func.use is not None and op.func.use.kind == "go"


def _releases(op: Op) -> bool:
    """Tell whether a function does nothing but give a place back: func (s *studio) release() { <-s.encoders }."""
    own = [one for one in op.func.ops if one.kind in ("receive", "send", "call", "go")]
    return own == [op] and not op.step.loops and op.select is None


def _build_reason(
    channel: Channel, texts: tuple[Text, ...], exits: Sequence[Exit], receives: Sequence[Op], start: Op | None
) -> Reason:
    taken = {op.line for op in receives}
    sites = [site for one in exits for site in one.sites("never-received") if site.frame.line not in taken]
    sites += made_sites(channel)
    sites += [op.func.site("received", op.line) for op in receives[:2]]
    sites += [op.func.site("select", line(op.select)) for op in receives[:1] if op.select is not None]
    return Reason("abandoned-sender", texts, distinct(sites), remedies=_remedies(channel, start))


def _remedies(channel: Channel, start: Op | None) -> tuple[Remedy, ...]:
    """Return what would let the sender go on: room for what it sends, or a way out of the send."""
    made, op = channel.made, channel.op
    room: Remedy | None = None
    if made is not None and channel.room == "" and start is not None:
        if not many(channel, start.func, start):
            room = fixes.buffer_of_one(made)
        elif not op.step.loops and (count := fixes.senders(start, made)) is not None:
            room = fixes.buffer_for(made, count)
    return fixes.drafts(room or fixes.select_with_done(op))

"""A receive or a range that waits for ever: who should have sent or closed, and where they did not.

Comes in: a scene whose goroutine waits in a receive, and the channel. Goes out: a reason, or None when the code read
does not decide. Reasons: the object is dropped from where it was kept, a sender returns without sending, the owner
leaves without closing, or nothing sends or closes at all.
"""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from oakum.explain import fixes
from oakum.explain.channels.making import made_sites
from oakum.explain.channels.senders import hosts
from oakum.explain.code.calls import place
from oakum.explain.code.channel import Channel, base_of
from oakum.explain.code.holders import let_go
from oakum.explain.code.nouns import Func, Op, Var
from oakum.explain.code.paths import meeting, reachable, touching
from oakum.explain.code.syntax import bare, text
from oakum.explain.leaving import Exit, left_without
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.explain.workers.behind import behind
from oakum.model import CauseSite, Remedy, Text
from oakum.model.vocabulary import CauseRole


def reason(scene: StackInSource, channel: Channel) -> Reason | None:
    """Return why nothing comes."""
    op = channel.op
    if channel.foreign:
        return None
    closes, sends = channel.done("close"), channel.done("send")
    wanted = closes if op.kind == "range" else [*sends, *closes]
    what = "close" if op.kind == "range" else "send"
    return (
        dropped(scene, channel, wanted, what)
        or forgotten(channel, wanted, what)
        or left_by_host(scene, channel, wanted, what)
        or left_by_sender(channel, wanted, what)
        or sender_ended(channel, wanted, what)
        or nobody(scene, channel, wanted, what)
    )


def dropped(scene: StackInSource, channel: Channel, wanted: Sequence[Op], what: str) -> Reason | None:
    """Return where the object whose channel it is was let go without the send or the close."""
    held = channel.owner or (channel.flow if channel.kept else None)  # itself, in a map of channels
    if held is None or not wanted:
        return None
    ended = behind(scene.spots)
    drops = let_go(channel.flows, held, wanted, lambda op: not ended(op))
    found = [one for one in drops if one.how != "replaced"]
    if not found:
        return None
    first = found[0]
    line = first.at
    args = {"channel": channel.name, "drop": place(line), "function": line.func.full, "code": line.code}
    texts = (*waits_texts(channel, what), *done_texts(wanted, what), Text(f"cause.receiver.dropped.{what}", args))
    sites = [one.at.func.site(_NEVER[what], one.at.line) for one in found[:2]]
    field = channel.name.rpartition(".")[2]
    fix = fixes.close_deleted(line, field) if line.kind == "delete" and "." in channel.name else None
    return _build_reason(channel, texts, sites, wanted, what, fixes.drafts(fix))


def forgotten(channel: Channel, wanted: Sequence[Op], what: str) -> Reason | None:
    """Return which of several objects made side by side gets nothing, where all that is sent goes to the others."""
    owner, package = channel.owner, channel.package
    if owner is None or not owner.makes or not wanted:
        return None
    makers = {var: made for made in owner.makes for var in (_named(channel, made),) if var is not None}
    served = [base_of(op, package) for op in wanted]
    others = [one for one in served if one not in makers]
    # The stack may tell which of them this is: then all the others are somebody else's.
    apart = all(isinstance(one, Var) and one in channel.flows.made and one not in owner.symbols for one in others)
    if len({*makers, *others}) < 2 or not apart:
        return None
    left = [made for var, made in makers.items() if var not in served]
    if not left:
        return None
    args = {"channel": channel.name, "places": ", ".join(place(made) for made in left[:3])}
    texts = (*waits_texts(channel, what), *done_texts(wanted, what), Text(f"cause.receiver.forgotten.{what}", args))
    sites = [made.func.site(_NEVER[what], made.line) for made in left[:3]]
    return _build_reason(channel, texts, sites, wanted, what)


def _named(channel: Channel, made: Op) -> Var | None:
    """Return the variable that holds an object which an operation makes."""
    found = (one for one, makes in channel.flows.made.items() if made in makes and isinstance(one, Var))
    return next(found, None)


def left_by_host(scene: StackInSource, channel: Channel, wanted: Sequence[Op], what: str) -> Reason | None:
    """Return how the function that starts the receiver leaves without it."""
    found = (left_by(channel, host, start, wanted, what) for host, start in hosts(scene.start, channel))
    return next((one for one in found if one is not None), None)


def left_by(channel: Channel, host: Func, start: Op, wanted: Sequence[Op], what: str) -> Reason | None:
    """Return how one function leaves, after it started the receiver, without the send or the close."""
    meets = meeting(channel.package, wanted)
    if not any(meets(step) for step in host.steps):
        return None
    exits = left_without(channel.package, host, start.step, wanted)
    if not exits:
        return None
    texts = (*waits_texts(channel, what), *done_texts(wanted, what), exits[0].texts(what, channel.name))
    return _build_reason(
        channel, texts, _sites(exits, what), wanted, what, _closing(channel, exits, host, wanted, start)
    )


def _closing(
    channel: Channel, exits: Sequence[Exit], func: Func, wanted: Sequence[Op], start: Op | None = None
) -> tuple[Remedy, ...]:
    """Return the draft that closes the channel where the function leaves without it."""
    near = [op for op in wanted if op.func is func and op.target is not None]
    if not near or not _may_close(channel, func):
        return ()
    name = text(near[0].target)
    if _declared_behind(near[0], exits):
        return ()
    if len(exits) == 1:
        return fixes.drafts(fixes.close_before(exits[0].leave.step, name))
    last = near[0] if len(near) == 1 and near[0].kind == "close" and near[0].inside is None else None
    if start is None or last is None or _calls_after(last):
        return ()
    return fixes.drafts(fixes.defer_call(start, f"close({name})", instead_of=near))


def _may_close(channel: Channel, func: Func) -> bool:
    """Tell whether nobody else sends to the channel, now or later: a send after the close would panic."""
    return not channel.kept and all(_only_in(op.func, func.top, channel) for op in channel.done("send"))


def _alone_with(channel: Channel, host: Func, made: Op) -> bool:
    """Tell whether the function that makes the channel can close it: nobody else keeps it, no goroutine sends to it."""
    owner = channel.owner
    if made.func is not host or channel.kept or channel.flow.returned or (owner is not None and owner.returned):
        return False
    senders = touching(channel.package, channel.done("send"))
    starts = [op for op in host.everything() if op.kind == "go" or (op.kind == "literal" and op.inside is None)]
    return not any(callee in senders for op in starts for callee in channel.package.callees(op))


def _declared_behind(op: Op, exits: Sequence[Exit]) -> bool:
    """Tell whether the name of the channel is not known yet where the function is left."""
    first = bare(op.target) if op.target is not None else None
    while first is not None and first.type == "selector_expression":
        first = first.child_by_field_name("operand")
    var = op.func.package.var(first, op.file) if first is not None and first.type == "identifier" else None
    return var is not None and var.kind == "local" and any(one.line <= var.line for one in exits)


def _calls_after(close: Op) -> bool:
    """Tell whether something is called behind the close: it may wait for what only the close ends."""
    return any(op.kind in ("call", "receive") for step in reachable([close.step]) for op in step.ops)


def left_by_sender(channel: Channel, wanted: Sequence[Op], what: str) -> Reason | None:
    """Return how a function that sends on one way leaves on another without."""
    for func in dict.fromkeys(op.func for op in wanted):
        makes = [made.step for made in channel.flow.makes if made.func is func]
        begin = makes[-1] if makes else func.entry
        if func is channel.op.func or begin is None or _loops_only(func, wanted) or _only_fills(func, channel):
            continue
        exits = left_without(channel.package, func, begin, wanted)
        if exits:
            texts = (*waits_texts(channel, what), *done_texts(wanted, what), exits[0].texts(what, channel.name))
            return _build_reason(
                channel, texts, _sites(exits, what), wanted, what, _closing(channel, exits, func, wanted)
            )
    return None


def sender_ended(channel: Channel, wanted: Sequence[Op], what: str) -> Reason | None:
    """Return how the one loop that sends comes to its end: by an error or the like, not because it is told to."""
    funcs = list(dict.fromkeys(op.func for op in wanted))
    begin = funcs[0].entry if len(funcs) == 1 else None
    if what != "send" or begin is None or not _loops_only(funcs[0], wanted):
        return None
    exits = [one for one in left_without(channel.package, funcs[0], begin, wanted) if one.why == "condition"]
    if not exits:
        return None
    texts = (*waits_texts(channel, what), *done_texts(wanted, what), exits[0].texts(what, channel.name))
    told = _build_reason(channel, texts, _sites(exits, what), wanted, what)
    return replace(told, endless=False)  # whether it has ended already, the code does not say


def nobody(scene: StackInSource, channel: Channel, wanted: Sequence[Op], what: str) -> Reason | None:
    """Return that nothing sends or closes, when all code that could is at hand."""
    if wanted or channel.handed_out or channel.made is None:
        return None
    made = channel.made
    texts = (*waits_texts(channel, what), Text(f"cause.receiver.nobody.{what}", {"channel": channel.name}))
    sites = [made.func.site(_NEVER[what], made.line)]
    found = hosts(scene.start, channel)
    for host, start in found:
        if start is scene.start:
            sites += _sites(left_without(channel.package, host, start.step, ())[:1], what)
    remedies: tuple[Remedy, ...] = ()
    if (
        what == "close"
        and found
        and _alone_with(channel, found[0][0], made)
        and (name := _name_in(channel, found[0][0], made))
    ):
        remedies = fixes.drafts(fixes.defer_close(found[0][1], name))
    endless = what == "send" or not _outlives(channel)
    return Reason("abandoned-receiver", texts, distinct(sites), certain=True, remedies=remedies, endless=endless)


def _name_in(channel: Channel, func: Func, made: Op) -> str:
    """Return how a function writes the channel, or that field of an object that it made; "" when it does not."""
    names = [text(op.target) for op in channel.ops if op.func is func and op.target is not None]
    if names:
        return names[0]
    for op in func.ops if made.func is func else ():
        target, value = op.target, op.values[0] if op.values else None
        if op.kind != "assign" or target is None or value is None or target.type != "identifier":
            continue
        if value.start_byte <= made.node.start_byte and made.node.end_byte <= value.end_byte:
            held = "." in channel.name and bare(value).type == "composite_literal"
            return f"{text(target)}.{channel.name.rpartition('.')[2]}" if held else text(target)
    return ""


def _only_fills(func: Func, channel: Channel) -> bool:
    """Tell whether a function makes the channel and fills it: a pool, whose users owe it what they took."""
    return channel.made is not None and channel.made.func.top is func.top and bool(channel.room)


def _loops_only(func: Func, wanted: Sequence[Op]) -> bool:
    """Tell whether a function does it in a loop of its own: a worker that sends what it gets, round after round."""
    return all(op.step.loops for op in wanted if op.func is func)


_DONE: Mapping[str, CauseRole] = {"send": "sent", "close": "closed"}
_NEVER: Mapping[str, CauseRole] = {"send": "never-sent", "close": "never-closed"}


def _sites(exits: Sequence[Exit], what: str) -> list[CauseSite]:
    return [site for one in exits for site in one.sites(_NEVER[what])]


def waits_texts(channel: Channel, what: str) -> tuple[Text, ...]:
    made = channel.made
    args = {"channel": channel.name, "place": place(channel.op), "made": place(made) if made else ""}
    return (Text(f"cause.receiver.waits.{what}" if made else f"cause.receiver.waits.{what}.unmade", args),)


def done_texts(wanted: Sequence[Op], what: str) -> tuple[Text, ...]:
    """Return where it is sent or closed, on some way."""
    if not wanted:
        return ()
    return (Text(f"cause.receiver.done.{what}", {"places": ", ".join(dict.fromkeys(place(op) for op in wanted[:4]))}),)


def _build_reason(
    channel: Channel,
    texts: tuple[Text, ...],
    sites: list[CauseSite],
    wanted: Sequence[Op],
    what: str,
    remedies: tuple[Remedy, ...] = (),
) -> Reason:
    sites += made_sites(channel)
    sites += [op.func.site(_DONE[what], op.line) for op in wanted[:2]]
    blocked = (channel.op.file.source.name, channel.op.line)
    sites = [site for site in sites if (site.frame.file, site.frame.line) != blocked]
    endless = what == "send" or not _outlives(channel)
    return Reason("abandoned-receiver", texts, distinct(sites), remedies=remedies, endless=endless)


def _outlives(channel: Channel) -> bool:
    """Tell whether somebody may still have the channel: whoever ranges over it then waits for more work."""
    owner, made = channel.owner, channel.made
    if channel.kept or made is None or channel.flow.returned or (owner is not None and owner.returned):
        return True
    return not all(_only_in(op.func, made.func.top, channel) for op in channel.done("send"))


def _only_in(func: Func, host: Func, channel: Channel) -> bool:
    """Tell whether a function runs only as part of another: in it or called by it, in no callback that outlives it."""
    at = func
    while at.parent is not None:
        if at.use is None or at.use.kind not in ("go", "defer", "call"):
            return False
        at = at.parent
    if at is host:
        return True
    calls = channel.package.callers.get(at, ())
    return bool(calls) and all(call.func.top is host and _only_in(call.func, host, channel) for call in calls)

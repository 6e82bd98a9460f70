"""Who could end a wait at channels that no other question explains: the operations that would, or that there is none.

Comes in: a stack that waits in a send, a receive or a select. Goes out: sentences and sites; nothing of channels that
code which was not read may use.
"""

from collections.abc import Sequence

from oakum.explain.code.calls import nodes, place, step_of
from oakum.explain.code.channel import Channel, channel_of
from oakum.explain.code.nouns import Op
from oakum.explain.code.syntax import bare, text
from oakum.explain.leaving import shortened
from oakum.explain.locks.held_locks import LockStack, site
from oakum.explain.values import Origins, expr_at
from oakum.model import CauseSite, Text
from oakum.model.vocabulary import CauseRole

_MOST = 3
_ENDLESS = ("context.WithCancel", "context.WithCancelCause")  # others end by themselves


def counterparts(stack: LockStack) -> tuple[list[Text], list[CauseSite]]:
    """Return what would let the lowest frame go on, and which of it cannot come."""
    op = stack.waiting
    if op is None or op.kind not in ("send", "receive", "range"):
        return [], []
    cases = [one for one in op.func.ops if one.select == op.select and one.kind in ("send", "receive")]
    if op.select is None:
        cases = [op]
    texts = [_select_says(op, cases)] if op.select is not None else []
    sites: list[CauseSite] = []
    for one in cases:
        told, lines = _case(stack, one)
        texts += told
        sites += lines
    possible = any(one.key in ("cause.lock.ends.send", "cause.lock.ends.receive") for one in texts)
    return texts, [] if possible else sites


def _select_says(op: Op, cases: Sequence[Op]) -> Text:
    told = ", ".join(f"`{shortened(text(one.node))}` (:{one.line})" for one in cases)
    number = op.select.start_point[0] + 1 if op.select is not None else op.line
    return Text("cause.lock.select", {"line": f"{place(op).rpartition(':')[0]}:{number}", "cases": told})


def _case(stack: LockStack, op: Op) -> tuple[list[Text], list[CauseSite]]:
    spot = stack.blocked
    if spot is None:
        return [], []
    if text(op.target).endswith(".Done()"):
        return _context(stack, op)
    channel = channel_of(op, stack.scene.flows(spot), stack.scene.known)
    if channel is None or channel.foreign or channel.made is None:
        return [], []
    what = "send" if op.kind == "send" else "receive"
    met = _meeting(channel, op)
    if met:
        places = ", ".join(place(one) for one in met[:_MOST])
        return [Text(f"cause.lock.ends.{what}", {"channel": channel.name, "places": places})], []
    if channel.handed_out:
        return [], []
    args = {"channel": channel.name, "made": place(channel.made)}
    role: CauseRole = "never-received" if what == "send" else "never-sent"
    return [Text(f"cause.lock.ends.no-{what}", args)], [site(role, channel.made)]


def _meeting(channel: Channel, op: Op) -> list[Op]:
    wanted = ("receive", "range") if op.kind == "send" else ("send", "close")
    return [one for one in channel.done(*wanted) if one is not op]


def _context(stack: LockStack, op: Op) -> tuple[list[Text], list[CauseSite]]:
    """Return that the context waited for is never cancelled, where its cancel function is dropped."""
    call = bare(op.target) if op.target is not None else None
    function = call.child_by_field_name("function") if call is not None else None
    context = function.child_by_field_name("operand") if function is not None else None
    if context is None:
        return [], []
    for one in Origins(stack.scene).of(expr_at(stack.scene, stack.place, context)):
        ops = one.func.ops if one.func is not None else ()
        made = next((op for op in ops if op.kind == "assign" and op.index == 1 and op.values[0] == one.node), None)
        if made is not None and one.called() in _ENDLESS and _unused(made):
            return [Text("cause.lock.ends.cancel", {"place": place(made)})], [site("never-cancelled", made)]
    return [], []


def _unused(made: Op) -> bool:
    """Tell whether nobody uses the cancel function; `_ = cancel` is no use."""
    package = made.func.package
    var = package.var(made.target, made.file) if made.target is not None else None
    if made.target is None or var is None:
        return text(made.target) == "_"
    for node in nodes(made.func.top.node, "identifier"):
        if node.start_byte != made.target.start_byte and package.var(node, made.file) is var:
            step = step_of(made.func, node)
            if step is None or not text(step.node).startswith("_ = "):
                return False
    return True

"""Channels that never leave the function which makes them: there the code alone decides who meets whom. For `scan`.

Comes in: a package. Goes out: goroutines that send or range where the function can leave without receiving or closing.
Silent as soon as a channel is stored, returned, handed to other packages, given another value, or used in a function
value that somebody else calls.
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from oakum.explain.channels.receivers import left_by
from oakum.explain.channels.senders import left_by_host, many, sent_twice
from oakum.explain.code.channel import KINDS, Channel
from oakum.explain.code.flows import Flows
from oakum.explain.code.nouns import Func, Op, Var
from oakum.explain.code.package import Package, within
from oakum.explain.code.paths import reachable, touching
from oakum.explain.reason import Reason

_DEEPEST = 6


def scan(package: Package, flows: Flows) -> Iterator[Reason]:
    """Yield the goroutines that are left behind at a local channel on some way through the function."""
    for symbol, makes in list(flows.made.items()):
        host = symbol.func if isinstance(symbol, Var) else None
        if host is None or len(makes) != 1 or makes[0].kind != "make" or makes[0].func is not host:
            continue
        if len(flows.stores.get(symbol, ())) > 1 or (host.name == "main" and package.clause == "main"):
            continue
        flow = flows.follow([symbol])
        if flow.stored or flow.returned or flow.foreign:
            continue
        ops = flows.ops(flow, *KINDS)
        if not all(_known(op.func, host) for op in ops):
            continue
        channels = [Channel(package, flows, op, flow, ops) for op in ops]
        found = [one for one in map(_twice, channels) if one] or [one for one in map(_left_behind, channels) if one]
        yield from found[:1]  # one channel, one mistake


def _twice(channel: Channel) -> Reason | None:
    return sent_twice(channel) if channel.op.kind == "send" and channel.op.select is None else None


def _left_behind(channel: Channel) -> Reason | None:
    op, made = channel.op, channel.made
    if made is None or op.select is not None or channel.room != "":
        return None
    host = made.func
    start = _start(channel.package, op, host)
    if start is None:
        return None
    if op.kind == "send":
        receives = channel.done("receive", "range")
        if not receives or (start.step.cases and not many(channel, host, start)):
            return None  # started under a condition: the receive may stand under the same
        if _counted(receives, host) or any(one.func is host for one in channel.done("close")):
            return None  # a send to a closed channel does not wait
        if len({bool(one.step.loops) for one in receives if one.func is host}) > 1:
            return None  # received from in rounds, and the rest behind them
        if not all(_itself(one.func, host, channel.package) for one in receives):
            return None  # goroutines of their own receive: where the host goes says nothing
        found = left_by_host(channel, receives, host, start, _instead(channel, host))
    elif op.kind == "range" and channel.done("close") and not start.step.cases and not _deferred(channel, host):
        if not all(_itself(one.func, host, channel.package) for one in channel.done("close")):
            return None
        found = left_by(channel, host, start, channel.done("close"), "close")
    else:
        return None
    if found is None or _only_unwinds(found, host):
        return None
    return replace(found, certain=True)


def _counted(receives: Sequence[Op], host: Func) -> bool:
    """Tell whether the host counts what it receives, or ends the process after it: who leaves then has taken all."""
    if any(step.kind == "exit" for step in host.steps):
        return True
    counts = [step for step in host.steps if step.node.type in ("inc_statement", "dec_statement") and step.loops]
    return any(
        one.step.loops and one.step.loops[-1] in step.loops and (one.step.kind != "case" or one.step in step.cases)
        for one in receives
        for step in counts
        if one.func is host
    )


def _instead(channel: Channel, host: Func) -> list[Op]:
    """Return the host's receives from channels that the sender sends to last: it sends nothing here then."""
    op, package, flows = channel.op, channel.package, channel.flows
    others = [one for one in op.func.ops if one.kind == "send" and op.step not in reachable([one.step])]
    symbols = {symbol for one in others if (symbol := package.symbol(one.target, one.func, one.file)) is not None}
    found = [one for symbol in symbols for one in flows.ops(flows.origin(symbol), "receive")]
    return [one for one in found if one.func is host and one not in channel.ops]


def _itself(func: Func, host: Func, package: Package, depth: int = 0) -> bool:
    """Tell whether a function runs in the host's goroutine: it is called or deferred there, not started."""
    if func is host:
        return True
    if depth > _DEEPEST or (func.use is not None and func.use.kind == "go"):
        return False
    if func.parent is not None:
        return _itself(func.parent, host, package, depth + 1)
    calls = package.callers.get(func, ())
    return bool(calls) and all(
        one.kind != "go" and _itself(one.func, host, package, depth + 1) for one in calls if one.func.top is host.top
    )


def _deferred(channel: Channel, host: Func) -> bool:
    """Tell whether the host closes the channel whenever it is left."""
    return any(op.func is host and op.inside is not None for op in channel.done("close"))


def _only_unwinds(reason: Reason, host: Func) -> bool:
    """Tell whether the function is left by panics only: those mostly end the process."""
    told = {site.frame.line for site in reason.sites if site.role.startswith("never-")}
    leaves = [step for step in host.steps if step.leaves and step.line in told]
    return bool(leaves) and all(step.kind == "panic" for step in leaves)


def _start(package: Package, op: Op, host: Func) -> Op | None:
    """Return the go statement of the host, when there is one only, that leads to the operation."""
    funcs = touching(package, [op])
    starts = [
        one
        for one in host.ops
        if one.kind == "go" and any(inner in funcs for callee in package.callees(one) for inner in within(callee))
    ]
    return starts[0] if len(starts) == 1 and op.func is not host else None


def _known(func: Func, host: Func) -> bool:
    """Tell whether a function runs when the code says: started, deferred or called on the spot, or declared."""
    while func.parent is not None and func is not host:
        use = func.use
        if use is None or use.callee is not func or use.kind not in ("go", "defer", "call"):
            return False
        func = func.parent
    return True

"""A group that waits for members which are stuck themselves, in a send that nobody receives.

Comes in: a stack in Wait of a WaitGroup or an errgroup. Goes out: why the member's send is not received. Only where
some goroutine of the capture stands at that send: what else members may be at, the code does not say.
"""

from collections.abc import Iterator

from oakum.explain.channels.question import reason as channels
from oakum.explain.code.calls import alias, method, on, place
from oakum.explain.code.nouns import Func, Op
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.model import Text, Trace
from oakum.model.vocabulary import Mechanism

MECHANISM: Mechanism = "waitgroup-never-done"
_GROUPS = ("sync.(*WaitGroup).Wait", "golang.org/x/sync/errgroup.(*Group).Wait")
_DEEPEST = 3


def reason(scene: StackInSource) -> Reason | None:
    """Return why a member of the group does not end."""
    spot = scene.nearest
    wait = next((op for op in spot.ops if op.kind == "call" and method(op) == "Wait"), None) if spot else None
    symbol = on(wait) if wait is not None else None
    if spot is None or wait is None or symbol is None:
        return None
    below = scene.spots.index(spot) - 1
    if below < 0 or scene.trace.frames[below].function not in _GROUPS:
        return None
    stood = {(frame.function, frame.line) for frame in scene.program.frames}
    flows = scene.flows(spot)
    for call in flows.ops(alias(flows, symbol, scene.known), "call"):
        for calls in _members(call):
            send = calls[0]
            frames = tuple(one.func.site("sent", one.line).frame for one in calls)
            if (frames[0].function, frames[0].line) not in stood:
                continue
            trace = Trace(frames[:-1], "chan send", frames[-1])
            found = channels(StackInSource.of(scene.suspect, scene.program, trace))
            if found is not None:
                texts = (Text("cause.waits.wg.member", {"wait": place(wait), "send": place(send)}), *found.texts)
                return Reason(MECHANISM, texts, distinct(found.sites), remedies=found.remedies)
    return None


def _members(call: Op) -> Iterator[tuple[Op, ...]]:
    """Yield the sends of a member, each with the calls that lead to it: the send first, what starts the member last."""
    if method(call) == "Go":
        package = call.func.package
        for func in (one for value in call.values for one in package.called(value, call.func, call.file)):
            yield from _sends(func, (call,))
    elif method(call) == "Done":
        func = call.func
        while func.parent is not None and func.use is not None and func.use.kind == "defer":
            func = func.parent
        starts = [func.use] if func.parent is not None else func.package.callers.get(func, [])
        for start in starts:
            if start is not None and start.kind == "go":
                yield from _sends(func, (start,))


def _sends(func: Func, calls: tuple[Op, ...]) -> Iterator[tuple[Op, ...]]:
    for op in func.ops:
        if op.kind == "send" and op.select is None:
            yield (op, *calls)
        elif op.kind == "call" and op.inside is None and len(calls) <= _DEEPEST:
            for callee in op.func.package.callees(op):
                yield from _sends(callee, (op, *calls))

"""A request that waits for something others may send, and does not look at its own context: it outlives its client.

Comes in: a stack below a server's handler, in a receive or a select of receives. Goes out: the wait, and the context
that it leaves out. None where the wait is for an answer, a place or a time, or where somebody else watches the context.
"""

from oakum.explain import fixes
from oakum.explain.code.calls import place
from oakum.explain.code.channel import channel_of
from oakum.explain.code.nouns import Func, Op
from oakum.explain.code.paths import touching
from oakum.explain.code.program import ResolvedFrame, Whole
from oakum.explain.code.syntax import text
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.explain.waits.panics import SERVES
from oakum.model import Text
from oakum.model.vocabulary import Mechanism

MECHANISM: Mechanism = "detached-wait"
_DEEPEST = 4  # functions that call the one that makes a channel
_WATCHES = (".Done()", "AfterFunc")


def reason(scene: StackInSource) -> Reason | None:
    """Return which wait of a request does not end with the request."""
    spot = scene.blocked
    if spot is None or spot.frame.owner != "own" or not scene.state.startswith(("chan receive", "select")):
        return None
    if not isinstance(scene.program, Whole) and scene.program.whole() is not None:
        return None  # asked again where all who may send are at hand
    if not any(frame.function.startswith(SERVES) for frame in scene.trace.frames):
        return None
    own = [one for one in scene.spots if one is not None and one.frame.owner == "own" and one.package is spot.package]
    op = _waits(spot)
    at, given = next(((one, name) for one in own if (name := _given(one.func)) is not None), (None, None))
    if op is None or at is None or given is None or any(_watched(one.func) for one in own):
        return None
    if not all(_from_others(scene, spot, one, own) for one in _cases(op)):
        return None
    args = {"wait": place(op), "context": given, "function": spot.func.full}
    texts = [Text("cause.waits.context.unwatched", args)]
    sites = [spot.func.site("never-interrupted", spot.number)]
    call = at.op("call") if at is not spot else None
    if call is not None:
        texts.append(Text("cause.waits.context.not-given", {"call": place(call), "function": at.func.full}))
        sites.append(at.func.site("left", call.line))
    fix = fixes.select_with_done(op, f"{given}.Done()") if at is spot and given != "context.Context" else None
    return Reason(MECHANISM, tuple(texts), distinct(sites), remedies=fixes.drafts(fix))


def _waits(spot: ResolvedFrame) -> Op | None:
    """Return the receive, or the first case of the select, that a frame waits in."""
    number = spot.number
    selects = [op for op in spot.func.ops if op.select is not None and op.select.start_point[0] + 1 == number]
    return selects[0] if selects else spot.op("receive", "range")


def _cases(op: Op) -> list[Op]:
    """Return the operations of which one ends the wait."""
    if op.select is None:
        return [op]
    return [one for one in op.func.ops if one.select == op.select and one.kind in ("send", "receive")]


def _given(func: Func) -> str | None:
    """Return the context that a function is given, with a request or by itself."""
    for var in func.top.params:
        if var.type.endswith("context.Context"):
            return var.name if var.name not in ("", "_") else "context.Context"
        if var.type == "*http.Request":
            return f"{var.name}.Context()"
    return None


def _watched(func: Func) -> bool:
    """Tell whether a function has somebody look at a context's end: a case, a goroutine, context.AfterFunc."""
    return any(sign in text(func.top.node) for sign in _WATCHES)


def _from_others(scene: StackInSource, spot: ResolvedFrame, op: Op, own: list[ResolvedFrame]) -> bool:
    """Tell whether a receive takes what others send whenever they like: no answer, no place, no time."""
    channel = channel_of(op, scene.flows(spot), scene.known) if op.kind in ("receive", "range") else None
    if channel is None or channel.foreign or channel.made is None:
        return False
    funcs = {one.func.top for one in own}
    if funcs & touching(spot.package, channel.done("send")):
        return False  # takes a place, and gives it back
    # Made for this request it brings one answer, or what comes as long as the request takes it.
    stream = channel.kept and (op.kind == "range" or bool(op.step.loops))
    leading = touching(spot.package, [channel.made])
    return stream or not any(_makes(func, channel.made, leading) for func in funcs)


def _makes(func: Func, made: Op, leading: set[Func], depth: int = 0) -> bool:
    """Tell whether a function makes a channel each time, not only where there is none yet; `leading` may make it."""
    for op in func.everything() if depth < _DEEPEST and func in leading else ():
        calls = func.package.callees(op) if op.kind == "call" and not op.step.cases else []
        if (op is made and not op.step.cases) or any(_makes(one, made, leading, depth + 1) for one in calls):
            return True
    return False

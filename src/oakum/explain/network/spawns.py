"""A goroutine for every request or event, and what they queue for: spawned without a limit, worked off with one."""

from oakum.explain.code.calls import operand, place
from oakum.explain.code.nouns import Op
from oakum.explain.code.program import ResolvedFrame
from oakum.explain.code.syntax import arguments, text
from oakum.explain.network.deadlines import client, transport
from oakum.explain.reason import Reason, StackInSource
from oakum.explain.values import Expr, Origins, call_of, expr_at, shown
from oakum.model import Text


def reason(scene: StackInSource, origins: Origins) -> Reason | None:
    """Return where goroutines are started without a limit, and what limits those who are served."""
    start = scene.created.op("go") if scene.created is not None else None
    if start is None:
        return None
    bound = _channel(scene, origins, start) or _semaphore(scene, origins) or _connections(scene, origins)
    if bound is None:
        return None
    driven = _driven(start)
    first = scene.suspect.mechanisms[0]
    if driven is None and first != "unbounded-spawn":
        return None
    texts = [
        Text(f"cause.spawn.{driven or 'started'}", {"place": place(start), "code": shown(start.node)}),
        Text("cause.spawn.bound", {"place": bound.place, "code": shown(bound.node)}),
    ]
    sites = [start.func.site("spawned", start.line), bound.site("bounded-by")]
    endless = _endless(scene, origins)
    if endless is not None:
        spot, call = endless
        texts.append(Text("cause.spawn.endless", {"place": place(call)}))
        sites.append(spot.func.site("no-deadline", call.line))
    texts.append(Text("cause.spawn.ends", {"place": place(start)}))
    return Reason("unbounded-spawn", tuple(texts), tuple(sites))


def _driven(start: Op) -> str | None:
    """Return what repeats the go statement: a loop around it, or requests that are handled."""
    if start.step.loops:
        return "loop"
    kinds = [param.type for param in (*start.func.params, *start.func.top.params)]
    if any(kind in ("http.ResponseWriter", "*http.Request") for kind in kinds):
        return "handler"
    use = start.func.use
    if start.func.parent is not None and use is not None and use.kind == "call" and use.callee is not start.func:
        return "handler"
    return None


def _channel(scene: StackInSource, origins: Origins, start: Op) -> Expr | None:
    """Return where the channel was made that they wait at, when it hands out turns."""
    spot, index = scene.blocked, _index(scene, scene.blocked)
    if spot is None or index is None or "unbounded-spawn" not in scene.suspect.mechanisms:
        return None
    op = spot.op("send", "receive")
    if op is None or op.target is None:
        return None
    channel = spot.package.symbol(op.target, spot.func, spot.func.file)
    before = [one for one in start.func.ops if one.kind in ("send", "receive") and one.line <= start.line]
    if any(spot.package.symbol(one.target, one.func, one.file) == channel for one in before if channel is not None):
        return None  # a turn is taken before the goroutine is started
    for one in origins.of(expr_at(scene, index, op.target)):
        if one.node.type == "call_expression" and text(one.node).startswith("make(") and len(arguments(one.node)) > 1:
            return one
    return None


def _semaphore(scene: StackInSource, origins: Origins) -> Expr | None:
    frames = scene.trace.frames
    for index, frame in enumerate(frames[:-1]):
        if frame.function.endswith("semaphore.(*Weighted).Acquire"):
            spot = scene.spots[index + 1]
            call = call_of(spot, frame) if spot is not None else None
            on = operand(call) if call is not None else None
            for one in origins.of(expr_at(scene, index + 1, on)) if on is not None else ():
                if one.called().endswith(".NewWeighted"):
                    return one
    return None


def _asks(scene: StackInSource) -> tuple[int, ResolvedFrame, Op] | None:
    """Return the call of an HTTP client on the stack."""
    for index, frame in enumerate(scene.trace.frames[:-1]):
        spot = scene.spots[index + 1]
        if frame.package == "net/http" and spot is not None and spot.frame.owner in ("own", "dependency"):
            call = call_of(spot, frame)
            return (index + 1, spot, call) if call is not None and operand(call) is not None else None
    return None


def _connections(scene: StackInSource, origins: Origins) -> Expr | None:
    if not any(frame.function == "net/http.(*Transport).getConn" for frame in scene.trace.frames):
        return None
    asked = _asks(scene)
    on = operand(asked[2]) if asked is not None else None
    return transport(origins, expr_at(scene, asked[0], on)) if asked is not None and on is not None else None


def _endless(scene: StackInSource, origins: Origins) -> tuple[ResolvedFrame, Op] | None:
    """Return the HTTP call that they wait in, when its client has no time-out either."""
    asked = _asks(scene)
    on = operand(asked[2]) if asked is not None else None
    if asked is None or on is None or client(origins, expr_at(scene, asked[0], on), header=True).kind != "never":
        return None
    return asked[1], asked[2]


def _index(scene: StackInSource, spot: ResolvedFrame | None) -> int | None:
    return next((n for n, one in enumerate(scene.spots) if one is spot and one is not None), None)

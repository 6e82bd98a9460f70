"""Was it given the wrong context? One that outlives the call, where the caller has one at hand that ends with it.

Comes in: a goroutine that waits until a context ends, or streams that a library keeps open for one. Goes out: the call
that hands on the outer context: of the server instead of the request's, of the function instead of the group's.
Abstains where what the call gives outlives the caller, too, and where the goroutine is meant to go on: `go job(s.ctx)`.
"""

from collections.abc import Iterator

from msgspec import Struct
from tree_sitter import Node

from oakum.explain import fixes
from oakum.explain.code.calls import at, method, nodes, on, place
from oakum.explain.code.flows import Flows
from oakum.explain.code.nouns import Func, Op, Symbol, Var
from oakum.explain.code.paths import leaves_without, reachable
from oakum.explain.code.syntax import arguments, bare, text
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.explain.values import called
from oakum.explain.workers.endings import select_of
from oakum.explain.workers.lives import kept_context
from oakum.explain.workers.owners import kept, looks_only
from oakum.explain.workers.starting import once
from oakum.model import Text

_ENDLESS = ("context.Background", "context.TODO")
_DEEPEST = 6  # functions that hand it on
_CALLS_MOST = 2  # calls that hand on the wrong one: of more, nobody can say which
# A stream of a gRPC client is read by these.
_RECEIVES = frozenset({"Recv", "RecvMsg", "CloseAndRecv"})
_STREAMS = "google.golang.org/grpc"


class Outer(Struct, frozen=True):
    """A call that is given a context which outlives what the call is made for."""

    call: Op
    given: Node
    near: str  # the context that ends with the caller
    how: str  # kept | endless | group


def reason(scene: StackInSource) -> Reason | None:
    """Return which call hands on a context that ends too late."""
    if any(frame.package.startswith(_STREAMS) for frame in scene.trace.frames) and _foreign(scene):
        return _streams(scene)
    spot = scene.blocked
    if spot is None or not scene.state.startswith("select") or spot.frame.owner != "own":
        return None
    chosen = select_of(spot)
    cases = [op for op in spot.func.ops if chosen is not None and op.select == chosen.node and op.kind == "receive"]
    flows = scene.flows(spot)
    heard = [(op, context) for op in cases if _out(op) and (context := _context_of(op)) is not None]
    hears, context = heard[0] if len(heard) == 1 else (None, None)
    if hears is None or context is None:
        return None
    symbol = flows.package.symbol(context, hears.func, hears.file)
    found = [one for one in _handing(scene, flows, symbol, 0) if not once(scene.program, one.call)]
    if not 0 < len(found) <= _CALLS_MOST:
        return None
    func = spot.func
    told = Text(
        "cause.worker.context",
        {"function": func.full, "place": at(func, spot.number), "name": text(context), "case": place(hears)},
    )
    sites = [hears.func.site("waits", hears.line)]
    if scene.start is not None and scene.created is not None and scene.created.frame.owner == "own":
        sites.append(scene.start.func.site("started", scene.start.line))
    return _build_reason(found, [told], sites)


def _foreign(scene: StackInSource) -> bool:
    return not any(frame.owner == "own" for frame in (*scene.trace.frames, scene.trace.created) if frame is not None)


def _out(op: Op) -> bool:
    """Tell whether a case leads out before its select is met again."""
    return bool(leaves_without([op.step], lambda step: any(one.select == op.select for one in step.ops)))


def _context_of(op: Op) -> Node | None:
    """Return the context whose end a receive waits for: `<-ctx.Done()`."""
    target = bare(op.target) if op.target is not None else None
    function = target.child_by_field_name("function") if target is not None else None
    if function is None or text(function.child_by_field_name("field")) != "Done":
        return None
    return function.child_by_field_name("operand")


# Which calls handed it on


def _handing(scene: StackInSource, flows: Flows, symbol: Symbol | None, depth: int) -> Iterator[Outer]:
    """Yield the calls that gave a context to where it is waited for, and had a nearer one."""
    if not isinstance(symbol, Var) or symbol.kind != "param" or symbol.func is None or depth > _DEEPEST:
        return
    func = symbol.func
    number = next((n for n, one in enumerate(func.params) if one is symbol), -1)
    for call in flows.package.callers.get(func, ()):
        if not 0 <= number < len(call.values) or call.kind not in ("call", "go"):
            continue
        given = call.values[number]
        outer = _outer(flows, call, given)
        if outer is not None:
            yield outer
        elif call.func.package is func.package:
            inner = flows.package.symbol(given, call.func, call.file)
            yield from _handing(scene, flows, inner, depth + 1)


def _outer(flows: Flows, call: Op, given: Node) -> Outer | None:
    """Return that a call is given a context which outlives what it is made for."""
    group = _group(flows, call, given)
    if group:
        return Outer(call, given, group, "group")
    near = _near(call.func)
    if not near or call.kind == "go" or not _used_up(flows, call):
        return None
    symbol = flows.package.symbol(given, call.func, call.file)
    if called(bare(given), call.func, call.file, flows.package) in _ENDLESS:
        return Outer(call, given, near, "endless")
    if kept_context(flows, symbol, call.func) is not None:
        return Outer(call, given, near, "kept")
    return None


def _near(func: Func | None) -> str:
    """Return the context of whoever called a function, as written: a parameter, or that of its request."""
    while func is not None:
        for one in func.params:
            written = one.type.replace(" ", "")
            if written == "context.Context" and one.name not in ("", "_"):
                return one.name
            if written == "*http.Request" and one.name not in ("", "_"):
                return f"{one.name}.Context()"
        func = func.parent
    return ""


def _used_up(flows: Flows, call: Op) -> bool:
    """Tell whether what a call gives is the caller's alone: kept in a local variable, and handed on to nobody."""
    var = kept(call).variable
    if var is None:
        return False
    flow = flows.follow([var])
    away = [op for op in (*flow.stored, *flow.returned, *flow.foreign) if op is not call and not looks_only(op)]
    sent = (op for op in call.func.everything() if op.kind in ("send", "go", "return"))
    handed = any(flows.package.symbol(value, op.func, op.file) in flow.symbols for op in sent for value in op.values)
    inside = any(_started(literal) and _names(literal, var) for literal in call.func.literals)
    return not away and not handed and not inside


def _started(literal: Func) -> bool:
    """Tell whether a literal may run beside, or after, the function around it."""
    return literal.use is None or literal.use.kind != "defer"


def _names(literal: Func, var: Var) -> bool:
    return any(literal.package.var(node, literal.file) is var for node in nodes(literal.node, "identifier"))


def _group(flows: Flows, call: Op, given: Node) -> str:
    """Return the group's context, where one of its members is given the one that the group's was derived from."""
    package = flows.package
    outer = package.symbol(given, call.func, call.file)
    member = call.func
    use = member.use if member.parent is not None else None
    if outer is None or use is None or method(use) not in ("Go", "TryGo"):
        return ""
    group = on(use)
    for op in use.func.ops:
        if op.kind != "assign" or op.index or package.symbol(op.target, op.func, op.file) != group:
            continue
        made = bare(op.values[0])
        first = arguments(made)[0] if made.type == "call_expression" and arguments(made) else None
        if first is None or package.symbol(first, op.func, op.file) != outer:
            continue
        inner = next((one.target for one in op.step.ops if one.kind == "assign" and one.index == 1), None)
        if inner is not None and text(inner) not in ("_", text(given)) and op.step is not use.step:
            return text(inner) if use.step in reachable([op.step]) else ""
    return ""


# Streams


def _streams(scene: StackInSource) -> Reason | None:
    """Return the own calls that open a stream on an outer context, and leave it before its end."""
    found: list[Outer] = []
    for package in scene.program.own():
        flows = scene.program.flows(package)
        for func in package.all:
            for op in func.ops:
                given = op.values[0] if op.kind == "call" and op.values and not package.callees(op) else None
                if given is None or op.inside is not None or not _is_stream(flows, op):
                    continue
                outer = _outer(flows, op, given)
                if outer is not None and not once(scene.program, op):
                    found.append(outer)
    if not 0 < len(found) <= _CALLS_MOST:
        return None
    return _build_reason(found, [Text("cause.context.stream", {"function": found[0].call.func.full})], [])


def _is_stream(flows: Flows, call: Op) -> bool:
    """Tell whether a call gives something that is received from, but not until it ends."""
    var = kept(call).variable
    uses = flows.used.get(var, ()) if var is not None else ()
    received = [op for op in uses if op.kind == "call" and method(op) in _RECEIVES]
    return bool(received) and not any(op.step.loops != call.step.loops for op in received)


def _build_reason(found: list[Outer], told: list[Text], sites: list) -> Reason:  # type: ignore[type-arg]
    first = []
    for one in found:
        call = one.call
        args = {"function": call.func.full, "place": place(call), "call": text(call.target)}
        told.append(Text(f"cause.context.{one.how}", {**args, "context": text(one.given), "near": one.near}))
        first.append(call.func.site("never-cancelled", call.line))
    remedies = fixes.drafts(*(fixes.pass_context(one.call, one.given, one.near) for one in found))
    return Reason("unstopped-worker", tuple(told), distinct([*first, *sites]), remedies=remedies)

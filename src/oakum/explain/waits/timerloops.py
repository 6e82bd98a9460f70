"""Why does a goroutine that sleeps or ticks never end? Its loop has no way out, and its owner was dropped.

Comes in: a goroutine in time.Sleep or in a receive from a timer (a scene). Goes out: a Reason; None for a loop that
somebody can stop: who should have is the question of workers.
"""

from tree_sitter import Node

from oakum.explain.code.calls import at, named, place
from oakum.explain.code.flows import Flows
from oakum.explain.code.holders import LetGo, let_go
from oakum.explain.code.nouns import Op, Step, Symbol, Var
from oakum.explain.code.paths import Leave, leaves_without
from oakum.explain.code.program import ResolvedFrame
from oakum.explain.code.syntax import bare, text
from oakum.explain.reason import Reason, StackInSource
from oakum.explain.workers.behind import behind
from oakum.explain.workers.endings import reads_to_the_end
from oakum.explain.workers.starting import bounded, once
from oakum.model import CauseSite, Text
from oakum.model.vocabulary import Mechanism

MECHANISM: Mechanism = "timer-loop"
_MINE = frozenset({"timer-loop", "unstopped-worker", "unbounded-spawn"})
_NOT_MINE = frozenset({"lock-held-while-waiting", "lock-cycle", "double-lock", "finalizer-backlog"})
_TIMES = ("time.NewTicker(", "time.NewTimer(", "time.Tick(", "time.After(")


def reason(scene: StackInSource) -> Reason | None:
    """Return why the loop goes on."""
    if not _MINE & set(scene.suspect.mechanisms) or _NOT_MINE & set(scene.suspect.mechanisms[:1]):
        return None
    spot = scene.blocked
    if spot is None or not (_sleeps(scene) or _ticks(spot)):
        return None
    for one in scene.spots:
        head = _loop(one) if one is not None and one.frame.owner in ("own", "dependency") else None
        if one is not None and head is not None:
            return _build_reason(scene, spot, one, head)
    return None


def _sleeps(scene: StackInSource) -> bool:
    return any(frame.function == "time.Sleep" for frame in scene.trace.frames[:3])


def _ticks(spot: ResolvedFrame) -> bool:
    op = spot.op("receive", "range")
    if op is None or op.target is None or op.select is not None:
        return False
    return ticking(op.target, op)


def ticking(node: Node, op: Op) -> bool:
    """Tell whether a channel is a timer's: `ticker.C`, `time.Tick(d)`."""
    package = op.func.package
    written = text(node)
    if written.startswith(_TIMES):
        return True
    node = bare(node)
    if node.type == "identifier":
        var = package.var(node, op.file)
        return var is not None and var.value is not None and text(var.value).startswith(_TIMES)
    if node.type != "selector_expression" or text(node.child_by_field_name("field")) != "C":
        return False
    inner = node.child_by_field_name("operand")
    kind = package.type_of(inner, op.func, op.file)
    var = package.var(inner, op.file) if inner is not None and inner.type == "identifier" else None
    made = text(var.value) if var is not None and var.value is not None else ""
    return kind.removeprefix("*") in ("time.Ticker", "time.Timer") or made.startswith(_TIMES)


def _loop(spot: ResolvedFrame) -> Step | None:
    """Return the loop around a frame's line."""
    step = spot.step
    if step is None:
        return None
    if step.kind == "loop":
        return step
    if not step.loops:
        return None
    return next((one for one in spot.func.steps if one.kind == "loop" and one.node == step.loops[-1]), None)


def _ways_out(head: Step, flows: Flows) -> list[Leave] | None:
    """Return how the loop is left; None when somebody can stop it."""
    over = next((op for op in head.ops if op.kind == "range" and op.target is not None), None)
    if over is not None and over.target is not None and not ticking(over.target, over):
        return None  # ends with what it runs over
    if over is None and any(how == "else" for _, how in head.after):
        return None  # `for ctx.Err() == nil`, `for i := 0; i < most; i++`
    leaves = leaves_without([head], lambda _: False, lambda step, how: step is head and how == "else")
    for leave in leaves:
        for step in leave.way:
            if any(op.kind in ("receive", "range") and step is not head for op in step.ops) and _decides(step, leave):
                return None
            condition = step.node.child_by_field_name("condition") if step.kind == "if" else None
            if condition is not None and any(word in text(condition) for word in _STOPS):
                return None
            if condition is not None and step in leave.step.cases and reads_to_the_end(condition, step.func, flows):
                return None
    return leaves


_STOPS = ("ctx", "Err()", "Done", "stop", "Stop", "clos", "quit", "exit", "done", "cancel", "shut", "Load()")


def _decides(step: Step, leave: Leave) -> bool:
    return step.kind == "case" or step in leave.step.cases or step.kind == "select"


def _build_reason(scene: StackInSource, spot: ResolvedFrame, looping: ResolvedFrame, head: Step) -> Reason | None:
    ways = _ways_out(head, scene.flows(looping))
    if ways is None or (scene.start is not None and (bounded(scene.start) or once(scene.program, scene.start))):
        return None
    func = looping.func
    loop = at(func, head.line)
    texts = [Text("cause.waits.timer.sleeps" if _sleeps(scene) else "cause.waits.timer.ticks",
                 {"wait": at(spot.func, spot.number), "loop": loop, "function": named(func)})]  # fmt: skip
    if ways:
        texts.append(Text("cause.waits.timer.unless", {"left": at(func, ways[0].step.line), "loop": loop,
                                                      "condition": _condition(ways[0].step)}))  # fmt: skip
    else:
        texts.append(Text("cause.waits.timer.endless", {"loop": loop}))
    sites: list[CauseSite] = []
    dropped = _dropped(scene, looping)
    if dropped is None and not _grew(scene):
        return None  # a worker that lives as long as the process looks the same
    if dropped is not None:
        op = dropped.op
        texts.append(Text(f"cause.waits.timer.{dropped.how}", {"place": place(op), "code": op.code,
                                                              "function": named(op.func)}))  # fmt: skip
        sites.append(op.func.site("never-stopped", op.line))
    else:
        sites.append(func.site("never-stopped", head.line))
    if scene.created is not None and scene.start is not None:
        texts.append(Text("cause.waits.timer.started", {"start": at(scene.created.func, scene.created.number)}))
        sites.append(scene.created.func.site("started", scene.created.number))
    return Reason(MECHANISM, tuple(texts), tuple(sites))


def _grew(scene: StackInSource) -> bool:
    """Tell whether there were more of them later."""
    for growth in scene.suspect.growth:
        counts = [count for count in growth.counts if count is not None]
        if growth.measure == "goroutines" and len(counts) > 1 and counts[-1] > counts[0]:
            return True
    return False


def _condition(step: Step) -> str:
    case = step.cases[-1] if step.cases else None
    if case is not None and case.kind == "if":
        return text(case.node.child_by_field_name("condition"))
    return step.func.file.code(step.line)


def _dropped(scene: StackInSource, looping: ResolvedFrame) -> LetGo | None:
    """Return where the object that the goroutine works for is let go of."""
    owner: Symbol | None = looping.func.top.this
    flows = scene.flows(looping)
    if not isinstance(owner, Var):
        return None
    ended = behind(scene.spots)
    found = let_go(flows, flows.origin(owner, scene.known), (), lambda op: not ended(op))
    return found[0] if found else None

"""Does this wait end by itself? A timer or a deadline that leads out of the goroutine, whoever else does nothing.

Comes in: a goroutine in a select. Goes out: the case that leads out, and its line. Abstains where the goroutine goes on
after it (a retry, a poll), where other rounds set the timer back before it fires, and where nobody knows the context.
"""

from tree_sitter import Node

from oakum.explain.code.calls import at, method, on
from oakum.explain.code.flows import Flows
from oakum.explain.code.nouns import CallRef, Op, Step, Symbol
from oakum.explain.code.paths import leaves_without, reachable
from oakum.explain.code.program import ResolvedFrame
from oakum.explain.code.syntax import bare, text
from oakum.explain.reason import StackInSource
from oakum.explain.workers.endings import is_timer, loop_around, select_of
from oakum.model import CauseSite, Text

_ONCE = ("time.After", "time.NewTimer")  # a ticker asks again and again
_DEADLINES = frozenset(
    f"context.{name}" for name in ("WithTimeout", "WithDeadline", "WithTimeoutCause", "WithDeadlineCause")
)


def ends(scene: StackInSource) -> tuple[Text, CauseSite] | None:
    """Return what ends the wait by itself, and where."""
    spot = scene.blocked
    if spot is None or not scene.state.startswith("select") or spot.frame.owner not in ("own", "dependency"):
        return None
    chosen = select_of(spot)
    if chosen is None or any(one.default for one, _ in chosen.after) or _comes_back(scene, spot):
        return None
    flows = scene.flows(spot)
    head = loop_around(spot.func, chosen)
    cases = [op for op in spot.func.ops if op.select == chosen.node and op.kind == "receive"]
    for op in cases:
        how = _timed(op, head, cases, flows) if is_timer(op, flows) else _expires(scene, op, head, flows)
        if how:
            args = {"function": spot.func.full, "name": text(op.target), "place": at(spot.func, op.line)}
            return Text(f"cause.ends.{how}", args), spot.func.site("stopped", op.line)
    return None


def _comes_back(scene: StackInSource, spot: ResolvedFrame) -> bool:
    """Tell whether who called may wait again: in a loop around the call, or where its source is not to be had."""
    return any(
        one is None or loop_around(one.func, one.step) is not None
        for frame, one in zip(scene.trace.frames, scene.spots, strict=True)
        if one is not spot and frame.owner in ("own", "dependency")
    )


def _out(op: Op, head: Step | None) -> bool:
    """Tell whether a case leads out of the function before the loop comes round."""
    return any(leave.step.kind != "panic" for leave in leaves_without([op.step], lambda step: step is head))


def _always_out(op: Op, head: Step | None) -> bool:
    return _out(op, head) and (head is None or head not in reachable([op.step]))


def _expires(scene: StackInSource, op: Op, head: Step | None, flows: Flows) -> str:
    """Tell whether a case hears a context that has a deadline whoever made it, and leads out."""
    target = bare(op.target) if op.target is not None else None
    function = target.child_by_field_name("function") if target is not None else None
    if function is None or text(function.child_by_field_name("field")) != "Done" or not _always_out(op, head):
        return ""
    symbol = flows.package.symbol(function.child_by_field_name("operand"), op.func, op.file)
    before = flows.origins(symbol, scene.known) if symbol is not None else set()
    begins = [one for one in before if not flows.into.get(one)]
    return "deadline" if begins and all(isinstance(one, CallRef) and one.name in _DEADLINES for one in begins) else ""


def _timed(op: Op, head: Step | None, cases: list[Op], flows: Flows) -> str:
    """Tell whether a case hears a timer that fires once, and leads out."""
    if not _once(op, flows) or not _out(op, head):
        return ""
    timer = _timer(op, flows)
    calls = [
        one
        for one in op.func.ops
        if one.kind == "call" and one.inside is None and timer is not None and on(one) == timer
    ]
    resets = [one for one in calls if method(one) == "Reset"]
    stops = [one for one in calls if method(one) == "Stop"]
    if any(not any(one.step in reachable([stop.step]) for one in resets) for stop in stops):
        return ""
    idle = [one for one in resets if _case(one, cases) not in (None, op)]
    if not _always_out(op, head) and not idle:
        return ""  # `case <-time.After(d): if w.closed { return }` asks, and goes on
    if head is not None and _set_back(op, head, cases, resets, flows):
        return ""
    return "idle" if idle else "timer"


def _once(op: Op, flows: Flows) -> bool:
    """Tell whether a receive is from time.After or a time.Timer."""
    package, target = flows.package, op.target
    if target is None or text(target).startswith("time.After"):
        return target is not None
    owner = target.child_by_field_name("operand") if target.type == "selector_expression" else target
    if package.type_of(owner, op.func, op.file) in ("*time.Timer", "time.Timer"):
        return True
    symbol = package.symbol(owner, op.func, op.file)
    made = {one.name for one in (flows.origins(symbol) if symbol is not None else ()) if isinstance(one, CallRef)}
    return bool(made) and made <= {*_ONCE, "C"}


def _timer(op: Op, flows: Flows) -> Symbol | None:
    """Return the timer whose channel it is; None of time.After."""
    target = op.target
    owner: Node | None = target.child_by_field_name("operand") if target is not None else None
    return flows.package.symbol(owner, op.func, op.file) if owner is not None else None


def _set_back(op: Op, head: Step, cases: list[Op], resets: list[Op], flows: Flows) -> bool:
    """Tell whether rounds that come by the clock set the timer anew before it fires: `case <-ticker.C:` beside it."""
    clocks = [one for one in cases if one is not op and is_timer(one, flows) and head in reachable([one.step])]
    if not clocks:
        return False
    timer = _timer(op, flows)
    made = [
        one
        for one in op.func.ops
        if timer is not None and one.kind == "assign" and flows.package.symbol(one.target, one.func, one.file) == timer
    ]
    again = [one for one in (*resets, *made) if head.node in one.step.loops]
    every = timer is None or any(_case(one, cases) is None for one in again)  # time.After(d) in the select itself
    return every or any(_case(one, cases) in clocks for one in again)


def _case(op: Op, cases: list[Op]) -> Op | None:
    """Return the case of the select that an operation stands under."""
    return next((one for one in cases if one.step in op.step.cases), None)

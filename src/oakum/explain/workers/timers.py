"""Who stops this timer? Memory that timers hold, or goroutines that they start again and again.

Comes in: a suspect whose memory or goroutines belong to timers. Goes out: where the timer is set, whether its own
function sets it again, and the line that lets go of it without Stop. Until it fires or is stopped, the runtime keeps a
timer and all that its function refers to.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.calls import method, nodes, operand, place
from oakum.explain.code.flows import Flows
from oakum.explain.code.nouns import Func, Op
from oakum.explain.code.package import Package, within
from oakum.explain.code.program import ResolvedFrame
from oakum.explain.code.syntax import text
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.explain.workers.acquirers import releasing
from oakum.explain.workers.drafts import loss_fixes
from oakum.explain.workers.losses import lines, texts
from oakum.explain.workers.owners import (
    Loss,
    dropped,
    handed_up,
    is_failure,
    kept,
    lost,
    passed_by,
    put_away,
    reach,
    released,
    skipped,
    under_a_key,
)
from oakum.explain.workers.registrations import Registration, levels_from
from oakum.model import Frame, Text
from oakum.model.vocabulary import Mechanism

_MECHANISM: Mechanism = "unstopped-timer"
_METHOD = re.compile(r"\(?\*?(\w+)\)?\.(\w+)")  # (*Segment).release
_SETS = ("AfterFunc", "NewTimer", "NewTicker", "Tick")


def reason(scene: StackInSource) -> Reason | None:
    """Return why nobody stops the timers."""
    if _MECHANISM not in scene.suspect.mechanisms:
        return None
    spots = _spots(scene)
    for timer in _timers(spots):
        flows = scene.program.flows(timer.func.package)
        found = _build_reason(flows, timer) or _above(scene, timer)
        if found is not None:
            return found
    return None


def _above(scene: StackInSource, timer: Op) -> Reason | None:
    """Return where another package loses the object that has the timer: `p := pace.Every(d)` without `p.Stop()`."""
    package, path = timer.func.package, scene.suspect.path
    flows = scene.program.flows(package)
    stops = released(flows, reach(flows, kept(timer).symbols).symbols, ("Stop",))
    names = releasing(package, stops)
    if not names or not handed_up(flows, timer):
        return None
    spots = [scene.program.spot(frame) if frame.owner == "own" else None for frame in path]
    inside = [n for n, spot in enumerate(spots) if spot is not None and spot.package is package]
    levels = levels_from(scene.program, path, inside[0] - 1) if inside and inside[0] else []
    found = Registration(scene, levels, None).loss(0, names, False) if levels else None
    if found is None:
        return None
    loss, number = found
    given = [one for level in levels for value in level.call.values for one in _run_by(level.call, value)]
    if loss.func in given or under_a_key(loss):
        return None  # the timer itself runs what drops it: it has fired
    told = [Text("cause.timer.set", {"place": place(timer), "name": text(timer.target), "function": timer.func.full})]
    told += texts(loss, stops[0], ", ".join(sorted(names)))
    sites = [*lines(loss), levels[number].call.func.site("made", levels[number].call.line)]
    sites.append(timer.func.site("made", timer.line))
    return Reason(_MECHANISM, tuple(told), distinct(sites))


def _run_by(call: Op, value: Node) -> list[Func]:
    found = callback(call, value) if value.type in ("identifier", "selector_expression", "func_literal") else None
    return [found] if found is not None else []


def of(flows: Flows, timer: Op) -> Reason | None:
    """Return why nobody stops one timer."""
    return _build_reason(flows, timer)


def _spots(scene: StackInSource) -> list[ResolvedFrame]:
    """Return the own places of the suspect, those that set timers first."""
    sites = sorted(scene.suspect.sites, key=lambda site: site.role != "registered")
    frames: list[Frame] = [*(site.frame for site in sites), *scene.suspect.path, *scene.trace.frames]
    found = [scene.program.spot(frame) for frame in dict.fromkeys(frames) if frame.owner == "own"]
    return [spot for spot in found if spot is not None]


def _timers(spots: list[ResolvedFrame]) -> list[Op]:
    """Return the calls that may have set the timers, the likeliest first."""
    every = {id(op): op for spot in spots for op in _sets(spot.package)}
    here = [op for spot in spots for op in spot.ops if id(op) in every]
    beside = [op for op in every.values() if any(op.func.top is spot.func.top for spot in spots)]
    runs = [op for op in every.values() if any(spot.func in _run(op) for spot in spots)]
    about = [op for op in every.values() if any(_uses(op, spot) for spot in spots)]
    return list({id(op): op for op in (*here, *beside, *runs, *about)}.values())


def _sets(package: Package) -> Iterator[Op]:
    for func in package.all:
        for op in func.ops:
            if op.kind == "call" and method(op) in _SETS and package.import_of(operand(op), op.file) == "time":
                yield op


def _run(timer: Op) -> list[Func]:
    """Return the function that the timer runs, and the literals in it."""
    func = callback(timer, timer.values[1]) if len(timer.values) > 1 else None
    return list(within(func)) if func is not None else []


def _uses(timer: Op, spot: ResolvedFrame) -> bool:
    """Tell whether the function of a timer refers to what is allocated at a place."""
    package = spot.package
    made = {kinds.base(text(op.target)) for op in spot.ops if op.kind == "composite"}
    if not made or timer.func.package is not package:
        return False
    used = {kinds.base(package.type_of(node, timer.func, timer.file)) for node in nodes(timer.node, "identifier")}
    return bool(made & used)


def _build_reason(flows: Flows, timer: Op) -> Reason | None:
    again = [
        op
        for func in _run(timer)
        for op in func.ops
        if op.kind == "call" and (method(op) == "Reset" or (method(op) == "AfterFunc" and _runs_itself(op, func)))
    ]
    loss, stop = timer_loss(flows, timer)
    if loss is None:
        return None
    name = text(timer.target)
    told = [Text("cause.timer.set", {"place": place(timer), "name": name, "function": timer.func.full})]
    if again:
        told.append(Text("cause.timer.again", {"place": place(again[0]), "code": again[0].code}))
    elif name.endswith("AfterFunc"):
        told.append(Text("cause.timer.holds", {"delay": text(timer.values[0]) if timer.values else ""}))
    told += texts(loss, stop, "Stop")
    sites = [*lines(loss), timer.func.site("made", timer.line)]
    sites += [op.func.site("armed", op.line) for op in again[:1]]
    remedies = loss_fixes(flows, loss, None, ("Stop",))
    return Reason(_MECHANISM, tuple(told), distinct(sites), remedies=remedies)


def callback(op: Op, node: Node) -> Func | None:
    """Return the function of this package that is handed over: a name, a literal, `s.run`, `(*Segment).release`."""
    package = op.func.package
    found = package.called(node, op.func, op.file)
    if found:
        return found[0]
    named = _METHOD.fullmatch(text(node))
    return package.funcs.get((named[1], named[2])) if named else None


def _runs_itself(op: Op, func: Func) -> bool:
    """Tell whether a timer's function sets a timer that runs itself."""
    return len(op.values) > 1 and callback(op, op.values[1]) is func


def timer_loss(flows: Flows, timer: Op) -> tuple[Loss | None, Op | None]:
    """Return where a timer is lost without Stop, and a Stop that there is."""
    where = kept(timer)
    flow = reach(flows, where.symbols)
    stops = released(flows, flow.symbols, ("Stop",))
    loss = lost(flows, timer, stops)
    if loss is None or is_failure(loss):
        loss = dropped(flows, flow, stops) or skipped(flows, stops) or loss or passed_by(flows, stops)
    if loss is None and not stops and where.symbols and put_away(flows, timer):
        loss = Loss("kept", timer.func, timer.line, timer.step, timer)
    return loss, stops[0] if stops else None

"""One goroutine does two things in turn: while it is stuck in the one, nobody does the other, and each end waits.

Comes in: a scene whose goroutine is stuck in a call made from a case of a select in a loop (writing to a peer, mostly).
Goes out: a reason that names the call and the cases that are not served meanwhile.
"""

from oakum.explain.code.calls import at
from oakum.explain.code.nouns import Func, Op, Step
from oakum.explain.code.program import ResolvedFrame
from oakum.explain.code.syntax import text
from oakum.explain.leaving import shortened
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.model import CauseSite, Text

_MOST = 2  # unserved cases that are told of one loop


def reason(scene: StackInSource) -> Reason | None:
    """Return which cases of its loop a stuck writer does not serve."""
    if scene.suspect.mechanisms[0] != "peer-stopped-reading":
        return None
    texts: list[Text] = []
    sites: list[CauseSite] = []
    for trace in scene.suspect.traces:
        for spot in StackInSource.of(scene.suspect, scene.program, trace).spots:
            found = _starving(spot) if spot is not None and spot.frame.owner in ("own", "dependency") else None
            if spot is None or found is None:
                continue
            served, starved = found
            unserved = ", ".join(at(spot.func, op.line) for op in starved)
            args = {
                "function": spot.func.full,
                "place": at(spot.func, spot.number),
                "code": shortened(spot.func.file.code(spot.number)),
                "case": at(spot.func, served.line),
                "unserved": unserved,
            }
            texts.append(Text("cause.starved", args))
            sites.append(spot.func.site("never-received", spot.number, trace.process))
            sites += [op.func.site("never-received", op.line, trace.process) for op in starved]
            break
    if not texts:
        return None
    return Reason("peer-stopped-reading", (*texts[:2], Text("cause.starved.both", {})), distinct(sites))


def _starving(spot: ResolvedFrame) -> tuple[Step, list[Op]] | None:
    """Return the case in which the goroutine is stuck, and the receives of its select's other cases."""
    step = spot.step
    case = next((one for one in reversed(step.cases) if one.kind == "case"), None) if step is not None else None
    if step is None or case is None or not step.loops:
        return None
    mine = _select_of(spot.func, case)
    if mine is None:
        return None
    others = [
        op for op in spot.func.ops if op.kind == "receive" and op.select == mine and op.step is not case and _takes(op)
    ]
    return (case, others[:_MOST]) if others else None


def _select_of(func: Func, case: Step) -> object | None:
    return next((op.select for op in func.ops if op.step is case and op.select is not None), None)


def _takes(op: Op) -> bool:
    """Tell whether a case takes a value: one that has none, or an error only, says that it is time to stop."""
    names = [text(one.target) for one in op.step.ops if one.kind == "assign" and one.values[0] == op.node]
    return any(name not in ("_", "err", "ok") for name in names)

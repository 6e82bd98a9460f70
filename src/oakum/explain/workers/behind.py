"""What the goroutine itself would do once its wait is over: no way on which somebody lets go of it.

Comes in: the frames of a waiting goroutine. Goes out: whether an operation stands behind the wait, in a function on its
stack or in one that is called only from there. Who gets there has ended.
"""

from collections.abc import Callable, Iterable

from oakum.explain.code.nouns import Func, Op, Step
from oakum.explain.code.paths import reachable
from oakum.explain.code.program import ResolvedFrame

_DEEPEST = 3


def behind(spots: Iterable[ResolvedFrame | None]) -> Callable[[Op], bool]:
    """Return whether an operation is done only after the wait of a goroutine with these frames."""
    waits = {spot.func: step for spot in spots if spot is not None and (step := spot.step) is not None}

    def is_behind(op: Op, depth: int = 0) -> bool:
        func = op.func
        if func in waits:
            deferred = op.inside is not None and op.inside.kind == "defer"
            return deferred or _only_after(func, op.step, waits[func])
        if func.parent is not None and func.use is not None and func.use.kind == "defer":
            return func.parent in waits or is_behind(func.use, depth + 1)
        calls = func.package.callers.get(func, ())
        return depth < _DEEPEST and bool(calls) and all(is_behind(call, depth + 1) for call in calls)

    return is_behind


def _only_after(func: Func, step: Step, wait: Step) -> bool:
    """Tell whether a step is reached through the wait alone, and does not lead back to it."""
    if func.entry is None or step is wait or wait in reachable([step]):
        return False
    return step not in reachable([func.entry], lambda one: one is wait)

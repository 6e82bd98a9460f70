"""Runs of a process and what stores of metrics tell of it -> the runs with their past, cut at restarts of either.

Answers that were saved one by one, each with one metric, are one snapshot where their times agree. A restart lies
between two samples, or two captures; where the start of the later one is told it is known to the second.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec import Struct

from oakum.assemble.runs import Run, relation, why_restarted
from oakum.assemble.snapshots import Gathered, has_times


class _Restart(Struct, frozen=True):
    """A restart: later than the one time, not later than the other, and about when."""

    after: float
    before: float
    at: float


def with_ranges(runs: Sequence[Run], ranges: Sequence[Gathered]) -> list[Run]:
    """Return the runs, oldest first, each with what metrics tell of it.

    A restart that metrics alone show cuts too. Where no time says which runs were captured they are the last.
    """
    if not ranges:
        return list(runs)
    told = at_one_time(ranges)
    restarts = _restarts(ranges)
    captured = [snapshot for run in runs for snapshot in run.snapshots]
    if captured and not has_times(captured):
        apart = _apart([], told, restarts, False)
        for run, past in zip(reversed(runs), reversed(apart), strict=False):
            run.ranges = past.ranges
        return _explained([*apart[: -len(runs)], *runs])
    timed = all(one.time for one in captured)
    restarts = [one for one in restarts if not any(_spans(run, one, timed) for run in runs)]
    for earlier, later in pairwise(runs):
        restarts = _added(restarts, _restart(earlier.snapshots[-1], later.snapshots[0], timed))
    return _explained(_apart(captured, told, restarts, timed))


def at_one_time(ranges: Sequence[Gathered]) -> list[Gathered]:
    """Return a snapshot for each time; of several answers those of the one with most samples set the times."""
    answers = _by_answer(ranges)
    first = max(answers, key=lambda some: (any(_counts_goroutines(one) for one in some), len(some)))
    found = [Gathered(one.label, list(one.parts)) for one in first]
    times = [_when(one, True) for one in found]
    steps = sorted(after - before for before, after in pairwise(times))
    near = max(1.0, steps[len(steps) // 2] / 2) if steps else 1.0
    for one in (one for some in answers if some is not first for one in some):
        at = min(range(len(found)), key=lambda row: abs(times[row] - _when(one, True)))
        if abs(times[at] - _when(one, True)) <= near:
            found[at].parts += one.parts
        else:
            found.append(one)
            times.append(_when(one, True))
    return sorted(found, key=lambda one: _when(one, True))


def _counts_goroutines(one: Gathered) -> bool:
    return one.total("go_goroutines") is not None


def _by_answer(ranges: Iterable[Gathered]) -> list[list[Gathered]]:
    """Return the samples of each answer, oldest first; answers to instant queries have one each, and are one series."""
    answers: dict[str, list[Gathered]] = {}
    for one in ranges:
        answers.setdefault(one.parts[0].capture.origin, []).append(one)
    single = [one for some in answers.values() if len(some) == 1 for one in some]
    series = [some for some in answers.values() if len(some) > 1]
    return [sorted(some, key=lambda one: _when(one, True)) for some in (*series, single) if some]


def _restarts(ranges: Sequence[Gathered]) -> list[_Restart]:
    """Return the restarts that metrics show, each once, oldest first."""
    found: list[_Restart] = []
    for some in _by_answer(ranges):
        for earlier, later in pairwise(some):
            if _run(earlier) != _run(later) or relation(earlier, later, True) == "restart":
                found = _added(found, _restart(earlier, later, True))
    return found


def _run(one: Gathered) -> str:
    return one.parts[0].reading.notes.get("run", "")


def _restart(earlier: Gathered, later: Gathered, timed: bool) -> _Restart:
    after, before = _when(earlier, timed), _when(later, timed)
    started = later.identity.started
    at = started if started is not None and after < started <= before else (after + before) / 2
    return _Restart(after, before, at)


def _added(restarts: Sequence[_Restart], one: _Restart) -> list[_Restart]:
    """Return the restarts with one more; where it may be the same as another it is, and is known better."""
    others = [known for known in restarts if known.after < one.before and one.after < known.before]
    if not others:
        return sorted([*restarts, one], key=lambda known: known.at)
    same = others[-1]
    after, before = max(same.after, one.after), min(same.before, one.before)
    at = next((known.at for known in (same, one) if after < known.at <= before), (after + before) / 2)
    return [_Restart(after, before, at) if known is same else known for known in restarts]


def _spans(run: Run, restart: _Restart, timed: bool) -> bool:
    """Tell whether a run has one start before and after what metrics make a restart: then it is another process's."""
    before = [one.identity.started for one in run.snapshots if _when(one, timed) < restart.at]
    after = [one.identity.started for one in run.snapshots if _when(one, timed) >= restart.at]
    return bool(before and after) and before[-1] is not None and after[0] is not None


def _apart(
    captured: Sequence[Gathered], told: Sequence[Gathered], restarts: Sequence[_Restart], timed: bool
) -> list[Run]:
    """Return the runs between restarts, those of which there is something."""
    cuts = [one.at for one in restarts]
    runs = [Run([]) for _ in range(len(cuts) + 1)]
    for one in captured:
        runs[bisect_right(cuts, _when(one, timed))].snapshots.append(one)
    for one in told:
        runs[bisect_right(cuts, _when(one, True))].ranges.append(one)
    return [run for run in runs if run.snapshots or run.ranges]


def _explained(runs: list[Run]) -> list[Run]:
    """Set why each run was started anew, where what is known of it and of the one before tells that."""
    for earlier, later in pairwise(runs):
        pairs = [(first, then) for first in _ends(earlier, -1) for then in _ends(later, 0)]
        later.why = next((why for first, then in pairs if (why := why_restarted(first, then))), None)
    return runs


def _ends(run: Run, at: int) -> list[Gathered]:
    return [some[at] for some in (run.snapshots, run.ranges) if some]


def _when(one: Gathered, timed: bool) -> float:
    """Return when a snapshot was taken; not `timed`: when its files were written."""
    when = one.time if timed else None
    written = one.written
    return when.timestamp() if when else written[0].timestamp() if written else 0.0

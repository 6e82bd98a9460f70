"""The live heap as the collector counts it -> how a cause that is most of the growth moves.

A profile is sampled and shows what was alive two collections ago; what the last collection marked is exact. Without the
rest of the profile it is the cause's own, and decides where the two differ: a cache that is full goes on rising in the
profile, and a leak seems to slow down there when collections grow rare.
"""

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from oakum.detect.heap_trend import RISES, Moves, moves
from oakum.model.heap_growth import Floats, HeapGrowth, MemorySeries
from oakum.model.profile import Int64s

# Below this part of the growth it is the others that the live heap tells of.
_MOST = 0.5
# What a collection marks beside what is kept: requests in flight, what was allocated while it marked.
_SWING = 0.03
_FLOOR = 1 << 20  # however little is kept
# Growth for each unit of work, later against earlier: a leak stays within a tenth of 1 here, where nothing is sampled.
_SLOWED = 0.7
# Of what was allocated: where most has been freed, the rest may only be younger.
_KEPT = 0.5
# What stays of that is chosen then: as a cache chooses, however exactly it is known to stay.
_CHOSEN = 0.4


def agreed(told: Moves, rows: Int64s, growth: HeapGrowth, series: MemorySeries, works: Sequence[Floats]) -> Moves:
    """Return how a cause moves, by its profile and by what the collector says; `works` are [snapshot], ever more."""
    if told.trend not in ("single-step", "rises", "noise"):
        return told
    if told.trend == "rises" and _frees(rows, growth, _CHOSEN):
        return told.called("single-step")
    at = _collected(series, growth.snapshots) if len(series.num_gc) == len(growth.seen) else growth.snapshots[:0]
    if len(at) < 3:
        return told.called("single-step") if told.trend == "rises" and _frees(rows, growth, _KEPT) else told
    ours = growth.space[np.ix_(at, rows)].sum(axis=1).astype(np.float64)
    total = growth.total[at].astype(np.float64)
    if ours[-1] - ours[0] < _MOST * (total[-1] - total[0]):
        return told
    live = series.heap_marked[at] - (total - ours)
    # What was there before and stays is in every profile alike, however few samples it has.
    others = np.flatnonzero(growth.churn[at[-1]] > growth.churn[at[0]])
    others = others[~np.isin(others, rows)]
    noise = growth.noise[np.ix_(at, others)].sum(axis=1) + np.maximum(_SWING * series.heap_marked[at], _FLOOR) ** 2
    exact = moves(
        live, noise, np.cumsum(2 * noise), [_steps(one, series, at) for one in works if not np.isnan(one[at]).any()]
    )
    if told.trend == "noise":  # too few samples; nothing else has grown as the heap did
        grew = exact.trend in ("single-step", "rises") and not _frees(rows, growth, _CHOSEN)
        return replace(told, trend="single-step", rises=exact.rises, goes_on=exact.goes_on) if grew else told
    if exact.trend == "plateau":
        return told.called("plateau")
    if exact.trend in ("single-step", "rises") and exact.pace < _SLOWED:
        return told.called("single-step")
    goes_on = exact.trend == "rises" and told.rises >= RISES and not told.evicts and not _frees(rows, growth, _CHOSEN)
    if goes_on:
        return told.called("rises")
    return replace(told, goes_on=told.goes_on or (exact.goes_on and told.rises >= RISES and not told.evicts))


def _frees(rows: Int64s, growth: HeapGrowth, part: float) -> bool:
    """Tell whether less than a part of what was allocated at the cause is left."""
    first, last = growth.snapshots[[0, -1]]
    gained, made = (
        int(column[last, rows].sum() - column[first, rows].sum()) for column in (growth.space, growth.allocated)
    )
    return 0 < gained < part * made


def _collected(series: MemorySeries, snapshots: Int64s) -> Int64s:
    """Return the snapshots with a collection of their own since the one before that has one."""
    kept: list[int] = []
    for at in snapshots.tolist():
        told = not np.isnan(series.num_gc[at] + series.heap_marked[at])
        if told and (not kept or series.num_gc[at] > series.num_gc[kept[-1]]):
            kept.append(at)
    return np.array(kept, np.int64)


def _steps(work: Floats, series: MemorySeries, at: Int64s) -> Floats:
    """Return what was done from one collection to the next, as shares of the most: they lie between the snapshots."""
    seconds, ends = series.seconds[at], series.last_gc[at]
    known = ~np.isnan(series.seconds + work)
    done = work[at]
    if not np.isnan(seconds + ends + done).any() and (np.diff(ends) > 0).all():
        # The clocks of the process and of who asked it may differ: no collection is later than its snapshot.
        done = np.interp(ends + np.min(seconds - ends), series.seconds[known], work[known])
    steps = np.diff(done)
    return np.asarray(np.clip(steps / steps.max(), 0.0, 1.0)) if steps.max() > 0 else np.ones(len(steps))

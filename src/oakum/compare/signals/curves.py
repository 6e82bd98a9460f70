"""A measure of a process through a range -> its course: growth with restarts joined, when it began, its shape.

Times are Unix seconds. What is no growth beyond the swing of the curve has no course.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

import numpy as np
from msgspec import Struct

from oakum.model.profile import Bools
from oakum.model.signals import Floats, Onset, Series, Shape, started_anew

Measure = Literal["goroutines", "heap", "rss"]
# Growth below this, or below this part of what was there, is the day's coming and going: some connections and their
# goroutines, some arenas of the allocator.
_NOTABLE = {"goroutines": 16.0, "heap": float(8 << 20), "rss": float(8 << 20)}
_PART = 0.25
# Levels at the ends are those of so many samples: one that swings, or work under way at the end, is no growth.
_END = 24
FEWEST = 8  # samples; fewer show no course
# The hinge is fitted to the beginning of the growth alone: what comes after may be a plateau, or a second rise.
_FIRST_PART = 0.3
# What a run has gained at its end, of all growth, if it did not grow: work that was under way.
_CALM = 0.05
# Where three quarters of the growth came in a third of the time, it came in steps.
_IN_STEPS, _OF_THE_TIME = 0.75, 0.34
_WINDOWS = 48  # in which growth is looked at for its shape
_STEPS_MOST = 12  # more phases of growth than that are a ramp
# 95 of 100: chi-square of one degree of freedom.
_SURE = 3.84


class Course(Struct, frozen=True, eq=False):
    """A measure that grew: its samples, restarts joined, and where the restarts are."""

    measure: Measure
    times: Floats
    values: Floats  # as measured
    kept: Floats  # what was there and never went away, each run on top of those before
    restarts: Floats  # times
    gained: float
    source: str

    @property
    def quiet(self) -> float:
        """Return how far it swings from sample to sample without growing."""
        steps = np.diff(self.values)
        return float(np.median(np.abs(steps - np.median(steps)))) * 1.4826 if len(steps) else 0.0


def course(measure: Measure, series: Series, restarts: Floats) -> Course | None:
    """Return the course of a measure; None where it did not grow beyond its swing."""
    times, values = series.times, series.values
    if len(times) < FEWEST:
        return None
    kept = _kept(times, values, restarts)
    # Against what was there at first, work under way too: of what comes and goes the lowest is no beginning.
    first, last = max(levels(kept)[0], levels(values)[0]), levels(kept)[1]
    if last - first < max(_NOTABLE[measure], _PART * max(first, 0.0)):
        return None
    found = Course(measure, times, values, kept, restarts, last - first, series.source)
    return found if found.gained > 3 * found.quiet else None


def levels(values: Floats) -> tuple[float, float]:
    """Return where a curve begins and where it ends: the middle of its first samples, the least of its last."""
    end = _end(values)
    return float(np.median(values[:end])), float(values[-end:].min())


def _end(values: Floats) -> int:
    return max(1, min(_END, len(values) // 12))


def restarts_of(series: Sequence[Series], start: Sequence[str], counters: Sequence[str]) -> Floats:
    """Return when a process was started anew, as its own counters show it."""
    found = [one.times[1:][started_anew(one.times, one.values)] for one in series if one.name in start]
    if not found:
        found = [one.times[1:][np.diff(one.values) < 0] for one in series if one.name in counters]
    together = np.unique(np.concatenate(found)) if found else np.empty(0)
    # Two counters of one restart may be seen in two scrapes.
    apart = np.diff(together, prepend=-np.inf) > _step(series)
    return together[apart]


def _step(series: Sequence[Series]) -> float:
    longest = max(series, key=lambda one: len(one.times))
    return 2 * float(np.median(np.diff(longest.times))) if len(longest.times) > 1 else 0.0


def _kept(times: Floats, values: Floats, restarts: Floats) -> Floats:
    """Return what never went away again: at each time the least that comes after it, in its run.

    Work under way comes and goes, and so does garbage; what leaked stays. Each run goes on where the last one ended.
    """
    kept, level = np.empty(len(values)), 0.0
    for number, rows in enumerate(np.split(np.arange(len(values)), np.unique(np.searchsorted(times, restarts)))):
        if not len(rows):
            continue
        smooth = _smoothed(values[rows])
        floor = np.minimum.accumulate(smooth[::-1])[::-1]
        first = float(smooth[: _tail(smooth)].min())
        if rows[-1] < len(values) - 1:
            floor = _ended(floor, first)
        kept[rows] = floor + (level - first if number else 0.0)
        level = float(kept[rows[-1]])
    return kept


def _tail(run: Floats) -> int:
    return max(1, min(_END, len(run) // 4))


def _ended(floor: Floats, first: float) -> Floats:
    """Return the floor of a run that a restart ended, without what was under way just then: as ever less comes after,
    the least of it rises to what is there, and each restart would add that. It goes on at the pace of its run instead,
    from the least of its first samples to the least of as many at the end."""
    at = len(floor) - _tail(floor)
    pace = (floor[at] - first) / max(at, 1)
    found: Floats = np.minimum(floor, floor[at] + pace * np.maximum(np.arange(len(floor)) - at, 0))
    return found


def _smoothed(values: Floats) -> Floats:
    """Return the median of each sample and its neighbours: one scrape that failed is no end of a leak."""
    if len(values) < 3:
        return values
    padded = np.concatenate((values[:1], values, values[-1:]))
    return np.median(np.lib.stride_tricks.sliding_window_view(padded, 3), axis=1)


def onset(found: Course) -> Onset | None:
    """Return when growth began: the corner of a hinge; None where it grows from the first sample on.

    As measured, where that tells it: what is kept rises a little before its time, as ever less of the calm is to come.
    """
    first, _ = levels(found.kept)
    reached = np.flatnonzero(found.kept >= first + _FIRST_PART * found.gained)
    end = int(reached[0]) + 1 if len(reached) else len(found.kept)
    restarted = bool((found.restarts <= found.times[end - 1]).any())
    measured = None if restarted else _corner(found.times[:end], found.values[:end])
    return measured or _corner(found.times[:end], found.kept[:end], _calm_until(found, first))


def _calm_until(found: Course, first: float) -> int:
    """Return the sample of the last restart before which it had not grown: since then it is another program, or it is
    asked for something else. 0 where there is none."""
    starts = np.searchsorted(found.times, found.restarts)
    calm = [at for at in starts if 0 < at < len(found.kept) and found.kept[at - 1] - first <= _CALM * found.gained]
    return int(max(calm, default=0))


def _corner(times: Floats, values: Floats, since: int = 0) -> Onset | None:
    """Return where a level becomes a rise, not before a sample, and the corners that fit nearly as well."""
    end = len(times)
    if end - since < 4:
        return None
    chosen = np.unique(np.linspace(since, end - 2, min(end - since - 1, 400)).round().astype(int))
    errors = np.array([_hinge(times, values, float(times[at])) for at in chosen])
    best = int(errors.argmin())
    # A hinge without any error is as sharp as a sample.
    noise = max(errors[best] / max(1, end - 3), 0.25)
    near = chosen[errors <= errors[best] + _SURE * noise]
    if not near[0]:
        return None
    low, at, high = (float(times[one]) for one in (near[0] - 1, chosen[best], min(near[-1] + 1, end - 1)))
    return Onset(*(datetime.fromtimestamp(one, UTC) for one in (at, low, high)))


def _hinge(times: Floats, values: Floats, corner: float) -> float:
    """Return the squares that a level with a rise from `corner` on leaves over."""
    rise = np.maximum(times - corner, 0.0)
    centred, above = rise - rise.mean(), values - values.mean()
    slope = max(0.0, float(centred @ above) / (float(centred @ centred) or 1.0))
    return float(((above - slope * centred) ** 2).sum())


def shape(found: Course) -> tuple[Shape, int]:
    """Return how it grew, and in how many steps or restarts."""
    if len(found.restarts):
        return "saw-tooth", len(found.restarts)
    growing = phases(found)
    starts = int(growing[0]) + int((np.diff(growing.astype(int)) > 0).sum())
    if growing.mean() <= _OF_THE_TIME and starts <= _STEPS_MOST:
        return "steps", starts
    return "ramp", 0


def phases(found: Course) -> Bools:
    """Return in which of the windows of a course it grew: the fewest that together have most of the growth."""
    edges = np.linspace(found.times[0], found.times[-1], min(_WINDOWS, len(found.times) - 1) + 1)
    gained = np.diff(np.interp(edges, found.times, found.kept))
    order = np.argsort(-gained)
    enough = np.cumsum(np.maximum(gained[order], 0.0)) < _IN_STEPS * max(float(np.maximum(gained, 0).sum()), 1e-9)
    growing = np.zeros(len(gained), bool)
    growing[order[: int(enough.sum()) + 1]] = True
    return growing

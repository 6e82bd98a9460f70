"""Counts and the work done up to each snapshot of an experiment -> what each unit of work leaves, with its interval.

A process that leaks gains as much with each unit, in small batches and in large ones; what a pool, a cache or a worker
that is started at its first use brings, comes with the first batches, and what only takes its time is gone after
draining. Measures only. One module: a slope, its interval and what disturbs it are one calculation.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from oakum.compare.heap import sampling_variance
from oakum.model import Population, Process
from oakum.model.experiment import BREAK_SECONDS, Slope, SlopeMeasure, Stage, Trial
from oakum.model.heap_growth import Floats, HeapGrowth, MemorySeries
from oakum.model.profile import Bools, Int64s

# Quantiles of 97.5 % of Student's t, by degrees of freedom from 1 on; beyond, the last.
_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)
_NORMAL = 1.96
_POWER = 1.645  # of the same distribution, 95 %: a leak is to be seen nineteen times of twenty
# Variance of a count that is exact: at either end one may be just coming or going.
_BLUR = 0.5
# So many have to have come, in so many batches: fewer are a worker or a connection that was started late. If each unit
# leaves one by chance, `_SEEN` of them are found nineteen times of twenty, as simulation shows.
_FEW, _BATCHES, _SEEN = 5, 3, 15.0
_RARE = 0.5
_PRECISE = 0.02
# With so many batches the first one only warms up: what is made at the first use is in it.
_WARM = 4
# Of bytes, for each unit, in the later half against all: a leak goes on as it began, what fills up does not.
_LATER = 0.5
# A last step down after the work is none if it is smaller than this, in goroutines or as a part of all; where every
# step goes down, it is a queue that moves, however slowly.
_BACK, _STILL, _SLIGHTLY = 2, 0.02, 0.002
# A queue that moves falls in each of so many steps, while nothing is done.
_MOVES = 3
# So many came while nothing was done: then they come with the time, too.
_IDLE = 3
# Of a few that came by chance the mean may have been so many more: half the square of the quantile.
_UNSEEN = 1.92
# Less than this part of all that there is in the end comes of what measures: its own buffers, connections, collections.
_BY_TIME = 0.2
_PLACES_MOST = 50
_LOOKED_AT_MOST = 500
_CANDIDATES = 2001
_MORE_MOST = 10_000_000


class Load(Struct, frozen=True, eq=False):
    """The work of an experiment by snapshot: units done so far, seconds, and which snapshots end a batch."""

    done: Floats  # NaN where nothing is told
    seconds: Floats  # NaN where nothing is told
    batch: Bools
    timed: bool = False  # the unit is the time itself

    @classmethod
    def of(cls, stages: Sequence[Stage | None], unit: str = "") -> "Load":
        """Return the load that stages tell."""
        first = next((stage.at for stage in stages if stage), None)
        seconds = [(stage.at - first).total_seconds() if stage and first else math.nan for stage in stages]
        passes = unit == "second"  # which goes on while snapshots are taken, and after the last batch
        done = seconds if passes else _served(stages)
        ends = [stage is not None and stage.phase in ("batch", "drain" if passes else "batch") for stage in stages]
        return cls(np.array(done, np.float64), np.array(seconds, np.float64), np.array(ends, np.bool_), timed=passes)

    @property
    def longest_idle(self) -> float:
        """Return for how many seconds nothing was done after some work, at most."""
        longest, begun = 0.0, math.nan
        for seconds, done, ends in zip(self.seconds, self.done, self.batch, strict=True):
            if ends:
                begun = seconds
            elif done > 0 and seconds - begun > longest:
                longest = float(seconds - begun)
        return longest


# No answer, and the answers of who has too much to do: nothing was done for such a unit.
_AWAY = ("0", "429", "503")


def _served(stages: Sequence[Stage | None]) -> list[float]:
    """Return the units that were done so far; what was turned away in the end, after others were served, is none."""
    done = [float(stage.completed) if stage else math.nan for stage in stages]
    known = [at for at, stage in enumerate(stages) if stage]
    away = {at: sum(stage.statuses.get(status, 0) for status in _AWAY) for at, stage in enumerate(stages) if stage}
    steps = [(a, b) for a, b in pairwise(known) if done[b] > done[a]]
    refused = [2 * (away[b] - away[a]) > done[b] - done[a] for a, b in steps]
    if not refused or all(refused):
        return done
    if refused[-1]:  # and so is what was turned away of the batch in which that began
        refused[max(at for at, most in enumerate(refused) if not most)] = True
    for (a, b), most in zip(steps[::-1], refused[::-1], strict=True):
        if not most:
            break
        done[b:] = [units - (away[b] - away[a]) for units in done[b:]]
    return done


class _Left(Struct, frozen=True):
    """What was left of some batches after draining."""

    kept: float
    most: float  # if what was gone in the end was of the batch that warmed up, too
    part: float  # of all that had come
    falls: bool  # it has not drained yet, or fell in the break
    leaves: bool  # one after the other still leaves: who leaks does not


class _Steps(Struct, frozen=True, eq=False):
    """One series against the work: what came with each batch, what was left of it in the end, and what time brought."""

    work: Floats  # of each batch but the one that warms up
    came: Floats
    left: "_Left"
    drift: float  # a second, without work
    lasted: float  # seconds of the batches
    idle: float  # seconds without work
    ends: tuple[int, int]  # the snapshots that it is measured between
    paused: float = 0.0  # seconds of the break before the last of the work
    timely: float = 0.0  # of what came with the batches: so many, at the pace of the few that came after them

    @property
    def units(self) -> float:
        return float(self.work.sum())


def slope(measure: SlopeMeasure, counts: Floats, load: Load, noise: Floats | None = None) -> Slope | None:
    """Return what each unit of work leaves; None where no two snapshots have work between them.

    `counts` has one value for each snapshot, NaN where it has none. Without `noise` they are counted one by one; else
    it is the variance of each value, or nought where only the scatter between the batches tells it.
    """
    steps = _steps(counts, load)
    if steps is None:
        return None
    value = (steps.left.kept - steps.drift * steps.lasted) / steps.units
    low, high = _interval(value, steps, noise)
    if noise is None:  # by the time no more came than came at all
        low = min(low, max(low - steps.timely / steps.units, 0.0))
    if steps.left.most > steps.left.kept:
        high = _interval(value + (steps.left.most - steps.left.kept) / steps.units, steps, noise)[1]
    stays = low > 0 and _goes_on(steps, exact=noise is None)
    least = max((_POWER + _NORMAL) / _NORMAL * (high - low) / 2, 0.0 if stays else high)
    if noise is None:  # with none at all the interval is narrower than what makes a trend
        least = max(least, _SEEN / steps.units)
    came = float(steps.came.sum()) / steps.units
    return Slope(
        measure,
        _digits(value),
        _digits(low),
        _digits(high),
        stays=stays,
        smallest=_digits(least),
        returned=_digits(max(0.0, came - max(value, 0.0))),
        more=None if stays or value <= 0 else _more(value, high - value, steps.units, exact=noise is None),
        counts=tuple(None if math.isnan(count) else float(count) for count in counts.tolist()),
        drift=_digits(_told_drift(steps, counts, load)),
        outlasted=_digits(steps.paused) if stays and _comes_again(steps, exact=noise is None) else 0.0,
    )


def is_clear(found: Slope) -> bool:
    """Tell whether more work would say nothing new: it stays, and how much is known within two hundredths."""
    return found.stays and found.high - found.low <= 2 * _PRECISE * min(1.0, found.value)


def _digits(value: float) -> float:
    """Return a number with the six digits that a stored diagnosis has."""
    return float(f"{value:.6g}")


def _steps(counts: Floats, load: Load) -> _Steps | None:
    """Return what came with each batch; what the first one of several brings is warm-up."""
    known: list[int] = np.flatnonzero(~np.isnan(counts + load.done)).tolist()
    before = dict(zip(known[1:], known, strict=False))
    batches = [(before[at], at) for at in known[1:] if load.batch[at]]
    batches = [(a, b) for a, b in batches if load.done[b] > load.done[a]]
    if len(batches) >= _WARM:
        batches = batches[1:]
    if not batches:
        return None
    (first, _), (resumed, last), end = batches[0], batches[-1], known[-1]
    work, came = (np.array([values[b] - values[a] for a, b in batches]) for values in (load.done, counts))
    drift, idle = _drift(counts, load, known) if not load.timed else (0.0, 0.0)
    lasted = float(load.seconds[last] - load.seconds[first])
    left = _left(counts, load, batches, known, drift)
    paused = 0.0
    if len(batches) > 1 and (begun := batches[-2][1]) < resumed:
        paused = float(load.seconds[resumed] - load.seconds[begun])
    after = [at for at in known if at > last]
    rest = float(load.seconds[after[-1]] - load.seconds[after[0]]) if after and not drift and not load.timed else 0.0
    few = float(counts[after[-1]] - counts[after[0]]) if rest > 0 else 0.0
    timely = lasted * (few + _UNSEEN + _NORMAL * math.sqrt(few)) / rest if few > 0 else 0.0
    return _Steps(work, came, left, drift, lasted, idle, (first, end), paused, timely)


def _left(counts: Floats, load: Load, batches: Sequence[tuple[int, int]], known: Sequence[int], drift: float) -> _Left:
    """Return what was left of the batches; what came with the time since the last of them is not of them.

    What the last one left after a break is as short-lived as what those before it did: of that the break shows how
    much stays.
    """
    (start_at, _), (resumed, last), end_at = batches[0], batches[-1], known[-1]
    base, start = float(counts[known[0]]), float(counts[start_at])
    end = float(counts[end_at]) - drift * float(load.seconds[end_at] - load.seconds[last])
    top = start + sum(float(counts[b] - counts[a]) for a, b in batches)  # had none left in a break
    kept = end - start
    begun = batches[-2][1] if len(batches) > 1 else resumed
    if begun < resumed:
        rested = float(counts[resumed]) - drift * float(load.seconds[resumed] - load.seconds[begun])
        stayed = _part(rested - base, float(counts[begun]) - base)
        kept -= max(0.0, (end - float(counts[resumed])) * (1 - stayed))
    if kept < 0:  # then what the first batch brought has gone as well, and was no warm-up
        kept = max(kept, min(0.0, end - base))
    part = _part(end - base, top - base)
    idle = [counts[[at for at in known if begun <= at <= resumed]], counts[[at for at in known if at >= last]]]
    downs = [-np.diff(one) for one in idle if len(one) > 2]
    falls = any(down[-1] > max(_BACK, _STILL * top) or down.min() > max(_BACK, _SLIGHTLY * top) for down in downs)
    leaves = any(down[-1] > 0 and (down > 0).sum() > 1 for down in downs)
    return _Left(kept, max(kept, (top - start) * part), part, bool(falls), bool(leaves))


def _part(left: float, came: float) -> float:
    """Return which part of what came is left."""
    return min(1.0, max(0.0, left / came)) if came > 0 else 1.0


def _drift(counts: Floats, load: Load, known: Sequence[int]) -> tuple[float, float]:
    """Return what comes in a second while nothing is done, and the seconds that say so; of few, nothing is said.

    What a batch started may end late, and leave something then: the first step after it does not count, and what has
    come to rest in the last one, or in a long break, does not come with the time.
    """
    steps = [(a, b) for a, b in pairwise(known) if not load.batch[a] and not load.batch[b]]
    came = [float(counts[b] - counts[a]) for a, b in steps]
    lasted = [float(load.seconds[b] - load.seconds[a]) for a, b in steps]
    idle = sum(lasted)
    longest = came[max(range(len(steps)), key=lasted.__getitem__)] if steps else 0.0
    goes_on = len(steps) == 1 or (sum(one > 0 for one in came) > 1 and (came[-1] > 0 or longest >= _IDLE))
    return (sum(came) / idle, idle) if goes_on and sum(came) >= _IDLE and idle > 0 else (0.0, idle)


def _told_drift(steps: _Steps, counts: Floats, load: Load) -> float:
    """Return what comes in a second while nothing is done, where that is a good part of all there is in the end.

    After the work as before it: in the first second of a process its own buffers come.
    """
    known = np.flatnonzero(~np.isnan(counts)).tolist()
    idle = [at for at in known if at > np.flatnonzero(load.batch)[-1]]
    if not steps.drift or len(idle) < 2:
        return 0.0
    lasted = max(float(load.seconds[idle[-1]] - load.seconds[idle[0]]), 1e-9)
    after = float(counts[idle[-1]] - counts[idle[0]]) / lasted
    brought = min(steps.drift, after) * float(load.seconds[known[-1]] - load.seconds[known[0]])
    return steps.drift if brought >= max(_FEW, _BY_TIME * float(counts[known[-1]])) else 0.0


def _interval(value: float, steps: _Steps, noise: Floats | None) -> tuple[float, float]:
    """Return the interval of 95 %: the slopes that would have given what came, within chance.

    Whole goroutines that come by chance differ at least as those that come with a unit or do not: `least`, which is
    known and takes the normal distribution. What the batches differ by beyond that takes Student's. Its coverage is
    measured in tests/compare/test_trial.py.
    """
    work, units = steps.work, steps.units
    student = _STUDENT[min(len(work) - 1, len(_STUDENT)) - 1] if len(work) > 1 else _STUDENT[0]
    per_unit = float(steps.came.sum()) / units
    scatter = ((steps.came - per_unit * work) ** 2 / work).sum() / max(1, len(work) - 1)
    scatter *= steps.left.part  # of what came and went nothing is left that could differ
    blur = _BLUR if noise is None else 0.0
    if steps.drift:  # what comes with the time comes by chance as well, and its rate is known from the idle time alone
        idle = max(steps.idle, 1e-9)
        pace = steps.drift + _UNSEEN / idle
        blur += pace * steps.lasted * (1 + steps.lasted / idle)
    if noise is not None:
        known = max(0.0, float(noise[steps.ends[1]] - noise[steps.ends[0]]))  # what was sampled once stays sampled
        beyond = max(0.0, scatter - known / units)
        half = math.sqrt(_NORMAL**2 * (known + blur) + student**2 * units * beyond) / units
        return value - half, value + half
    span = 3 * (_NORMAL + student * math.sqrt(scatter) + 6) / math.sqrt(units) + 12 / units + 2 * abs(value)
    slopes = np.union1d(np.linspace(value - span, value + span, _CANDIDATES), [value])
    if value >= 0:  # there are no fewer than none
        slopes = np.maximum(slopes, 0.0)
    least = _least(slopes)
    # Of a rare leak the batches differ by chance alone; near a whole number that chance is next to none.
    beyond = np.maximum(0.0, scatter - (_least(np.array(value)) if value < _RARE else least))
    chance = _NORMAL**2 * (units * least + blur) + student**2 * units * beyond
    fits = slopes[((value - slopes) * units) ** 2 <= chance]
    return float(fits.min()), float(fits.max())


def _least(slopes: Floats) -> Floats:
    """Return the least variance for each unit that whole numbers of this mean can have: of a part of them, one more."""
    part = np.abs(slopes) % 1.0
    return np.asarray(part * (1 - part))


def _goes_on(steps: _Steps, *, exact: bool) -> bool:
    """Tell whether it grew batch by batch, to the end: enough of it, and for each unit as much as before."""
    if steps.left.falls or (steps.came > 0).sum() < min(_BATCHES, len(steps.work)) or len(steps.work) < 2:
        return False
    if exact and (steps.left.kept < _FEW or steps.left.leaves):
        return False
    done, half = np.cumsum(steps.work), steps.units / 2
    late = np.clip((done - half) / steps.work, 0.0, 1.0)  # the part of each batch that is in the later half of the work
    later, due = float((steps.came * late).sum()), float(steps.came.sum()) / 2
    # Of so many that half are to be late, chance takes two standard errors; a pool that fills up takes more.
    fewest = due - math.sqrt(2 * due) if exact else _LATER * due
    return later > 0 and later >= fewest


def _comes_again(steps: _Steps, *, exact: bool) -> bool:
    """Tell whether the work after a long enough break brought as much for each unit as that before it."""
    if steps.paused < BREAK_SECONDS:
        return False
    came, due = float(steps.came[-1]), float(steps.came[:-1].sum() / steps.work[:-1].sum() * steps.work[-1])
    return came > 0 and came >= (due - math.sqrt(2 * due) if exact and due > 0 else _LATER * due)


def _more(value: float, half: float, units: float, *, exact: bool) -> int:
    """Return how many more units would decide: so many that enough come; the interval narrows with their root."""
    needed = _SEEN / value if exact else units * (half / value) ** 2
    return min(_MORE_MOST, max(math.ceil(units / 2), math.ceil(needed - units)))


def trial(process: Process, populations: Sequence[Population], heap: HeapGrowth, memory: MemorySeries) -> Trial | None:
    """Return what an experiment with the process shows; None where none was made."""
    made = process.experiment
    if made is None or len(made.stages) != len(process.snapshots):
        return None
    load = Load.of(made.stages, made.unit)
    last = next((stage for stage in reversed(made.stages) if stage), None)
    totals = (
        slope("goroutines", _totals(process), load),
        heap_slope(memory, load),
        slope("rss", memory.rss, load, np.zeros(len(load.done))),
    )
    places = [*goroutine_slopes(populations, load), *heap_slopes(heap, load)]
    places.sort(key=lambda one: (not one.stays, one.measure, -one.value))
    return Trial(
        process=process.id,
        unit=made.unit,
        work=tuple(None if math.isnan(done) else round(done) for done in load.done.tolist()),
        phases=tuple(stage.phase if stage else None for stage in made.stages),
        seconds=tuple(None if math.isnan(at) else round(float(at), 3) for at in load.seconds.tolist()),
        totals=tuple(one for one in totals if one is not None),
        places=tuple(places[:_PLACES_MOST]),
        target=made.target,
        asked=made.asked,
        failed=last.failed if last else 0,
        statuses=dict(last.statuses) if last else {},
        ended=made.ended,
        source=made.source,
    )


def heap_slope(memory: MemorySeries, load: Load) -> Slope | None:
    """Return what each unit of work leaves of the live heap as a whole; None where that is not known."""
    if len(memory.heap_live) != len(load.done):  # of the past, too
        return None
    # Garbage was collected right before: all that is allocated lives, to the byte. What a profile knows is sampled.
    live = memory.heap_live if np.isnan(memory.heap_alloc).any() else memory.heap_alloc
    return slope("inuse_space", live, load, np.zeros(len(load.done)))


def _totals(process: Process) -> Floats:
    dumps = [snapshot.goroutines for snapshot in process.snapshots]
    return np.array([dump.total if dump is not None else math.nan for dump in dumps], np.float64)


def population_slope(population: Population, load: Load) -> Slope | None:
    """Return what each unit of work leaves of a population."""
    counts = np.where(population.counts < 0, math.nan, population.counts.astype(np.float64))
    return slope("goroutines", counts, load)


def fell(counts: Int64s, load: Load) -> tuple[int, int] | None:
    """Return from how many to how many they fell while nothing was done, in every step; None where they did not."""
    ends = np.flatnonzero(load.batch)
    after = counts[ends[-1] :] if len(ends) and not load.timed else counts[:0]
    after = after[after >= 0]
    down = -np.diff(after)
    return (int(after[0]), int(after[-1])) if len(down) >= _MOVES and down.min() > 0 else None


def goroutine_slopes(populations: Sequence[Population], load: Load) -> Iterator[Slope]:
    """Yield what each unit of work leaves at the places of goroutines where any came."""
    for one in [one for one in populations if int(one.counts.max(initial=0)) > int(one.counts[0])][:_LOOKED_AT_MOST]:
        if (found := population_slope(one, load)) is not None and (found.value > 0 or found.returned > 0):
            yield replace(found, place=one.place, state=one.state, key=one.example.stack.key)


def heap_slopes(heap: HeapGrowth, load: Load) -> Iterator[Slope]:
    """Yield what each unit of work leaves of the bytes of each stack of the heap, those that gained any."""
    if not len(heap.seen) or not heap.seen.any():
        return
    first, last = heap.snapshots[[0, -1]]
    gained = heap.space[last] - heap.space[first]
    for row in np.argsort(-gained, kind="stable")[:_LOOKED_AT_MOST].tolist():
        if gained[row] <= 0:
            return
        space = np.where(heap.seen, heap.space[:, row].astype(np.float64), math.nan)
        found = slope("inuse_space", space, load, heap.noise[:, row])
        if found is not None and found.value > 0:
            stack = heap.stacks[row]
            yield replace(found, place=stack.place, key=stack.key)


def growth_slope(
    measure: str, counts: Sequence[int | None], objects: Sequence[int | None], load: Load, period: int = 0
) -> Slope | None:
    """Return what each unit of work leaves of what a finding measures.

    Of bytes, `objects` and the period of the profiles tell how they are sampled.

    None where that measure says nothing of its own.
    """
    values = np.array([math.nan if count is None else count for count in counts], np.float64)
    if len(values) != len(load.done):
        return None
    if measure == "goroutines":
        return slope("goroutines", values, load)
    if measure == "rss":
        return slope("rss", values, load, np.zeros(len(values)))
    number = np.array([0 if one is None else one for one in objects] or [0] * len(values), np.float64)
    return slope("inuse_space", values, load, sampling_variance(number, np.nan_to_num(values), period))


def smallest_of_heap(units: int, period: int = 512 << 10) -> float:
    """Return the smallest leak of bytes for each unit that would be seen where no sample was taken at all.

    A leak of G bytes is about G / period samples of small objects, and as much their variance: it is seen nineteen
    times of twenty when it exceeds nought by the sum of both quantiles.
    """
    return float((_NORMAL + _POWER) ** 2 * period / max(1, units))

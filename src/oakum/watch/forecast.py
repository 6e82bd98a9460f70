"""A measure of a service, one series per run -> since when it grows, how fast, and when it reaches the limit.

Times are microseconds since 1970; there is no clock here, and chance has a fixed seed: the same samples give the same
forecast. Intervals of 90% are held against made and recorded series in docs/watch-forecast.md. What levels off has no
latest time.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from oakum.model.signals import Floats
from oakum.watch.posterior import (
    AWAY_MEMORY,
    AWAY_SHARE,
    BACK_MEMORY,
    BACK_SHARE,
    DAY,
    Blocks,
    Posterior,
    grown,
    posterior,
    waves,
)

Shape = Literal["flat", "growing", "sawtooth", "levelling", "too-short"]

FEWEST = 8  # samples; fewer show no course
HORIZON = 30 * 86400  # seconds; nobody plans a restart further ahead, and no leak keeps its pace that long
_AHEAD = 50  # times what was looked at: further ahead than that a pace says nothing
_RUNS = 24  # the newest; older ones tell nothing about today's build
_LEAST = 3  # samples of a run: fewer have a level and no slope
_BLOCKS, _IN_A_RUN = 60, 4  # what is fitted, and what a short run has of it at least
_DRAWS = 400
_STEPS, _TAIL = 300, 60  # of a path into the future: evenly, then ever longer
_ZOOM = 2.5  # a late begin is looked at closer: its growth and half as much again before it
_CLOSER = (1.0, 1 / 6, 1 / 36)  # parts of the time that are looked at until growth shows
_MICRO = 1e6
_WAVES = 4  # columns of a day's wave
_HIGHER = 0.2  # by so much (of its logarithm) a level must grow to show whether what swings grows with it


class Forecast(Struct, frozen=True):
    """Since when a measure grows, its pace, and when it reaches the limit. Instants are microseconds since 1970.

    `begin` is None where nothing grows, or where it grew from the first sample on: then `begin_high` is the latest.
    `reaches_low`: not before; `reaches_high`: None where the limit may not be reached within 30 days.
    """

    shape: Shape
    runs: int = 0  # that were pooled
    begin: int | None = None
    begin_low: int | None = None
    begin_high: int | None = None
    slope_per_hour: float = 0.0
    slope_low: float = 0.0
    slope_high: float = 0.0
    reaches_low: int | None = None
    reaches_high: int | None = None

    @property
    def grows(self) -> bool:
        return self.shape in ("growing", "sawtooth", "levelling")


class _Run(NamedTuple):
    times: Floats  # seconds
    values: Floats


class _Draws(NamedTuple):
    """Growths drawn from the posterior."""

    noise: NDArray[np.intp]
    column: NDArray[np.intp]  # -1: nothing grows
    slope: Floats  # per second, at the begin
    pace: Floats  # per second, at the end
    unit: Floats  # of noise
    level: Floats  # at the end, without what comes back
    back: Floats  # what comes back
    drift: Floats  # how fast the level wanders, per window


def forecast(
    times: Sequence[NDArray[np.generic]],
    values: Sequence[NDArray[np.generic]],
    limit: float | None,
    now: int,
    level: float = 0.9,
) -> Forecast:
    """Return since when and until when: one array of times and one of values per run, cut at restarts."""
    runs = _runs(times, values, now)
    if sum(len(run.times) for run in runs) < FEWEST:
        return Forecast("too-short", len(runs))
    start, end = runs[0].times[0], runs[-1].times[-1]
    wave = _wave(runs)
    runs = [_Run(run.times, run.values - waves(run.times) @ wave) for run in runs]
    found: tuple[list[_Run], Blocks, Posterior] | None = None
    for part in _CLOSER:
        window = _since(runs, end - part * (end - start))
        if part < 1 and sum(len(run.times) for run in window) < 4 * FEWEST:
            break
        one = _fitted(window)
        if one is None:
            continue
        found = found or (window, *one)
        if float(one[1].weights[:, 0].sum()) < (1 - level) / 2:
            found = (window, *one)
            break
    if found is None:
        return Forecast("too-short", len(runs))
    return _told(*_closer(*found, level), wave, limit, now, level)


def _closer(runs: list[_Run], blocks: Blocks, fit: Posterior, level: float) -> tuple[list[_Run], Blocks, Posterior]:
    """Return what fits a shorter window, where most of this one lies before the begin."""
    for _ in range(4):
        start, end = runs[0].times[0], runs[-1].times[-1]
        by_begin = fit.weights[:, 1:].sum(0)
        if by_begin.sum() <= 0:
            break
        begin = float(_quantile(fit.begins, by_begin, 0.05))
        if begin <= (1 - 1 / _ZOOM) * (end - start) * 0.8:
            break
        window = _since(runs, end - _ZOOM * (end - start - begin))
        again = _fitted(window) if sum(len(run.times) for run in window) >= 2 * FEWEST else None
        if again is None or float(again[1].weights[:, 0].sum()) > (1 - level) / 2:
            break
        runs, (blocks, fit) = window, again
    return runs, blocks, fit


def _told(
    runs: list[_Run], blocks: Blocks, fit: Posterior, wave: Floats, limit: float | None, now: int, level: float
) -> Forecast:
    low, high = (1 - level) / 2, (1 + level) / 2
    draws = _drawn(fit, np.random.default_rng(20))
    slope_low, slope, slope_high = (float(one) * 3600 for one in np.quantile(draws.pace, (low, 0.5, high)))
    if float(fit.weights[:, 0].sum()) >= low:
        return Forecast("flat", len(runs), slope_per_hour=slope, slope_low=slope_low, slope_high=slope_high)
    by_column = fit.weights[:, 1:].sum(0)
    levels_off = float(by_column[np.isfinite(fit.levelling)].sum() / by_column.sum())
    shape: Shape = "levelling" if levels_off > 0.5 else "sawtooth" if len(runs) > 1 else "growing"
    reaches = _reached(runs, blocks, fit, draws, wave, limit, now, (low, high)) if limit is not None else (None, None)
    if shape == "levelling":  # it fills, and is full some day: when it would not be is no date
        reaches = (reaches[0], None)
    zero = runs[0].times[0]
    return Forecast(
        shape, len(runs), *_begin(blocks, fit, by_column, zero, low), slope, slope_low, slope_high, *reaches
    )


def _runs(times: Sequence[NDArray[np.generic]], values: Sequence[NDArray[np.generic]], now: int) -> list[_Run]:
    """Return the newest runs with samples that can be used, in order; nothing from the future."""
    found = []
    for when, what in zip(times, values, strict=True):
        seconds, numbers = np.asarray(when, float) / _MICRO, np.asarray(what, float)
        good = np.isfinite(seconds) & np.isfinite(numbers) & (seconds <= now / _MICRO)
        seconds, first = np.unique(seconds[good], return_index=True)
        if len(seconds) >= _LEAST:
            found.append(_Run(seconds, numbers[good][first]))
    return sorted(found, key=lambda run: run.times[0])[-_RUNS:]


def _wave(runs: list[_Run]) -> Floats:
    """Return the wave of a day, where two days are seen: it is no growth, nor its end."""
    whole = runs[-1].times[-1] - runs[0].times[0] >= 2 * DAY
    fitted = _fitted(runs, day=True) if whole else None
    return np.zeros(_WAVES) if fitted is None else fitted[1].wave


def _since(runs: list[_Run], start: float) -> list[_Run]:
    cut = [_Run(run.times[run.times >= start], run.values[run.times >= start]) for run in runs]
    return [run for run in cut if len(run.times) >= _LEAST]


def _fitted(runs: list[_Run], day: bool = False) -> tuple[Blocks, Posterior] | None:
    """Return the blocks of runs and what fits them; None where there are too few."""
    if not runs:
        return None
    zero = runs[0].times[0]
    span = max(float(runs[-1].times[-1] - zero), 1e-6)
    seen = sum(float(run.times[-1] - run.times[0]) for run in runs) or 1.0
    parts = [_blocks(run, max(_IN_A_RUN, round(_BLOCKS * float(run.times[-1] - run.times[0]) / seen))) for run in runs]
    blocks = Blocks(
        np.concatenate([when for when, _ in parts]) - zero,
        np.concatenate([what for _, what in parts]),
        np.repeat(np.arange(len(parts)), [len(when) for when, _ in parts]),
        np.array([run.times[0] for run in runs]) - zero,
        np.array([run.times[-1] for run in runs]) - zero,
        span,
        float(zero),
    )
    if len(blocks.times) < len(runs) + (_WAVES if day else 0) + 4:
        return None
    return blocks, posterior(blocks, day)


def _blocks(run: _Run, most: int) -> tuple[Floats, Floats]:
    """Return the middle of each block of a run. A median: a burst in a block is no growth."""
    bins = np.minimum(((run.times - run.times[0]) / (np.ptp(run.times) or 1.0) * most).astype(int), most - 1)
    edges = np.flatnonzero(np.diff(bins, prepend=-1))
    groups = np.split(np.arange(len(run.times)), edges[1:])
    return (
        np.array([run.times[rows].mean() for rows in groups]),
        np.array([np.median(run.values[rows]) for rows in groups]),
    )


def _drawn(fit: Posterior, chance: np.random.Generator) -> _Draws:
    """Return growths as likely as they are, evenly through the grid."""
    flat = np.cumsum(fit.weights.ravel())
    at = np.minimum(np.searchsorted(flat, (np.arange(_DRAWS) + 0.5) / _DRAWS * flat[-1]), len(flat) - 1)
    noise, column = np.unravel_index(at, fit.weights.shape)
    column = column - 1
    freedom = fit.freedom + (column < 0)
    unit = np.sqrt(fit.noise[noise, column + 1] / chance.chisquare(freedom))
    grows = column >= 0
    slope = np.where(
        grows, fit.slope[noise, column] + unit * fit.error[noise, column] * chance.standard_normal(_DRAWS), 0
    )
    slope = np.where(grows, np.maximum(slope, 0.0), 0.0)
    levelling, age = fit.levelling[column], fit.age[column]
    pace = slope * np.where(
        np.isfinite(levelling), np.exp(-age / np.where(np.isfinite(levelling), levelling, 1.0)), 1.0
    )
    at = fit.at[noise] + np.einsum("dij,dj->di", fit.spread[noise], chance.standard_normal((_DRAWS, 3))) * unit[:, None]
    at += slope[:, None] * np.where(grows[:, None], fit.grown_at[noise, :, column], 0.0)
    return _Draws(noise.astype(np.intp), column.astype(np.intp), slope, pace, unit, *at.T)


def _begin(
    blocks: Blocks, fit: Posterior, by_column: Floats, zero: float, low: float
) -> tuple[int | None, int | None, int | None]:
    """Return when growth began, as an instant with its interval: a hinge is as sharp as the blocks beside it."""
    earliest, middle, latest = (float(_quantile(fit.begins, by_column, part)) for part in (low, 0.5, 1 - low))
    after = blocks.times[blocks.times > latest]
    latest = float(after[0]) if len(after) else blocks.span
    before = np.concatenate((blocks.times, blocks.ends))
    before = before[before < earliest]
    first, middle_at, last = (round((zero + one) * _MICRO) for one in (before.max(initial=0.0), middle, latest))
    if earliest <= 0 or not len(before):
        return (middle_at if middle > 0 else None), None, last
    return middle_at, first, last


def _quantile(values: Floats, weights: Floats, part: float) -> float:
    order = np.argsort(values, kind="stable")
    upto = np.cumsum(weights[order])
    return float(values[order][min(int(np.searchsorted(upto, part * upto[-1])), len(values) - 1)])


def _reached(
    runs: list[_Run],
    blocks: Blocks,
    fit: Posterior,
    draws: _Draws,
    wave: Floats,
    limit: float,
    now: int,
    parts: tuple[float, float],
) -> tuple[int | None, int | None]:
    """Return between when and when the limit is reached: paths into the future, with what swings about them."""
    end = runs[0].times[0] + blocks.times[-1]  # the middle of the last block: levels are those of blocks
    step = float(np.median(np.diff(runs[-1].times))) if len(runs[-1].times) > 1 else 1.0
    swing, power = _swing(runs)
    scale = max(float(np.median(draws.level)), 1e-9)
    pace = float(np.median(draws.pace[draws.pace > 0])) if (draws.pace > 0).any() else 0.0
    room = max(limit - float(np.median(draws.level)) - float(swing.max(initial=0.0)) * scale**power, 0.0)
    typical = min(max(room / pace if pace > 0 else HORIZON, _STEPS / 3 * step), float(HORIZON))
    even = np.arange(1, _STEPS + 1) * (3 * typical / _STEPS)
    tail = np.geomspace(even[-1], max(4.0 * HORIZON, 2 * even[-1]), _TAIL + 1)[1:]
    ahead = np.concatenate((even, tail))
    highest = _highest(swing, step, float(even[0]))
    paths = _paths(blocks, fit, draws, ahead) + waves(end + ahead) @ wave
    shift = np.random.default_rng(21).integers(0, len(highest), len(draws.slope))
    above = np.full(paths.shape, highest.max())
    above[:, :_STEPS] = highest[(shift[:, None] + np.arange(_STEPS)[None, :]) % len(highest)]
    paths += above * np.maximum(paths, 1e-9) ** power
    over = paths >= limit
    first = np.where(over.any(1), over.argmax(1), len(ahead))
    edges = np.concatenate(([0.0], ahead, [np.inf, np.inf]))
    first_low, first_high = (int(np.quantile(first, part, method="inverted_cdf")) for part in parts)
    # Somewhere within its step, and seen at the next sample.
    instants = (end + float(edges[first_low]), end + float(edges[first_high + 1]) + step)
    latest = now / _MICRO + min(HORIZON, _AHEAD * blocks.span)
    low, high = (max(now, round(one * _MICRO)) if one <= latest else None for one in instants)
    return low, high


def _swing(runs: list[_Run]) -> tuple[Floats, float]:
    """Return how far each sample lies above the level of its block, and the power of the level that it goes with:
    garbage grows with what lives (1), a burst does not (0). Swings are divided by that power of their level."""
    levels = [_between(run, max(_IN_A_RUN, _BLOCKS // len(runs))) for run in runs]
    level = np.maximum(np.concatenate(levels), 1e-9)
    swing = np.concatenate([run.values for run in runs]) - level
    order = np.argsort(level)
    third = max(1, len(order) // 3)
    small, large = order[:third], order[-third:]
    # Medians: a burst is no wider swing.
    wider = float(np.log(np.median(np.abs(swing[large])) + 1e-12) - np.log(np.median(np.abs(swing[small])) + 1e-12))
    higher = float(np.log(level[large].mean() / level[small].mean()))
    power = 1.0 if higher > _HIGHER and wider > higher / 2 else 0.0
    return swing / level**power, power


def _between(run: _Run, most: int) -> Floats:
    """Return the level of each sample: between the middles of blocks, and beyond the first and last as it goes."""
    when, what = _blocks(run, most)
    few = min(4, len(when)) - 1
    if not few:
        return np.full(len(run.times), what[0])
    first, last = (
        (what[few] - what[0]) / (when[few] - when[0]),
        (what[-1] - what[-1 - few]) / (when[-1] - when[-1 - few]),
    )
    found: Floats = np.interp(run.times, when, what)
    found += first * np.minimum(run.times - when[0], 0.0) + last * np.maximum(run.times - when[-1], 0.0)
    return found


def _highest(swing: Floats, step: float, length: float) -> Floats:
    """Return the highest of what swings in each step into the future."""
    size = max(1, round(length / step))
    if size >= len(swing):
        return np.array([swing.max(initial=0.0)])
    return np.maximum.reduceat(swing, np.arange(0, len(swing), size))


def _paths(blocks: Blocks, fit: Posterior, draws: _Draws, ahead: Floats) -> Floats:
    """Return where each draw leads: its line, and what drifts or wanders on."""
    chance = np.random.default_rng(22)
    levelling = np.where(draws.column >= 0, fit.levelling[draws.column], np.inf)[:, None]
    age = np.where(draws.column >= 0, fit.age[draws.column], 0.0)[:, None]
    paths = draws.slope[:, None] * (grown(age + ahead[None, :], levelling) - grown(age, levelling))
    memory, off, drift = AWAY_MEMORY[draws.noise] * blocks.span, draws.back, draws.drift / blocks.span
    away = draws.unit * np.sqrt(AWAY_SHARE[draws.noise] / blocks.span)
    back = draws.unit * np.sqrt(BACK_SHARE[draws.noise])
    level = draws.level.copy()
    few = np.maximum(memory, 1e-9)
    for at, gone in enumerate(np.diff(ahead, prepend=0.0)):
        one, two, three = chance.standard_normal((3, len(off)))
        # What wanders, and its pace, exactly: the integral of an autoregression over a step.
        lasts = np.exp(-gone / few)
        shared, spread = (1 - lasts) ** 2 / 2, np.sqrt((1 - lasts**2) / 2)
        rest = gone - 2 * memory * (1 - lasts) + memory * spread**2 - memory * (shared / spread) ** 2
        level += drift * memory * (1 - lasts) + away * (
            np.sqrt(memory) * shared / spread * one + np.sqrt(np.maximum(rest, 0.0)) * two
        )
        drift = lasts * drift + away / np.sqrt(few) * spread * one
        lasts = np.exp(-gone / (BACK_MEMORY[draws.noise] * blocks.span))
        off = lasts * off + back * np.sqrt(1 - lasts**2) * three
        paths[:, at] += level + off
    return paths

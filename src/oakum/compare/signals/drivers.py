"""A course and the counters of any process -> those that its growth follows, with what comes with each unit of them.

Growth, not level: differences are compared, at several widths. In a service everything grows, so a counter is named
only if it explains variation beyond time itself, more than chance would among so many, if its units account for the
growth, and if nothing but its units is needed: growth per unit is the same all along, and no growth is taken away.
"""

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from oakum.compare.signals.curves import Course
from oakum.knowledge.signals import MetricNames
from oakum.model.metrics import Labels
from oakum.model.signals import Driver, Floats, Series

_SAMPLES_MOST = 1440  # of a course: a minute of a day
_CANDIDATES_MOST = 6000  # a thousand series and their sums: some seconds
# Samples in a window: what follows at once is seen in narrow ones, what is hidden by work under way in wide ones.
_WIDTHS = (1, 4, 16, 64)
_WINDOWS_FEWEST = 8  # of fewer any two go together
_KEPT = (
    48  # candidates that lags are tried for: those that go best without one, which a lag of minutes leaves near the top
)
# Samples: below nought, work that is counted when it ends has left its mark before. A retry or a time-out comes minutes
# later, and a lag that is right within a tenth is found.
_LAGS = (*range(-3, 11), 12, 14, 16, 18, 20, 22, 24, 27, 30, 33, 36, 40)
_LAG_MOST = 1 / 16  # of the range: what comes later than that is explained by anything
# One in a hundred, after all candidates and widths that were tried; lags of one width say nearly the same.
_CHANCE = 0.01
# Windows on either side of a step: what these have in common is time's own. In fewer than thirty the curves of two
# services that have the same evenings still go together.
_AROUND = 2
_WINDOWS_ENOUGH = 30
_BURST = 4  # samples on either side of the largest step that are of the same burst
# Of what rests for a fifth of the time, at a twentieth of its usual pace or less, waves of up to three periods are.
_WAVES = 6
_STRETCHES, _RESTS_PART, _RESTS_BELOW = 48, 0.2, 0.05
# Of the variation of growth beyond time: what is less may be a part of the load that merely goes along. Where it rests
# two courses go together for less, so that more is asked for.
_EXPLAINED, _EXPLAINED_RESTING = 0.7, 0.85
# Its units account for so much of the growth: other causes may have a share, but none that is as large.
_ACCOUNTS_LEAST, _ACCOUNTS_MOST = 0.6, 1.25
# What is left over at any time, as part of the growth: a second cause that is larger would have been the first. And how
# far growth per unit may differ from its mean in either half: a counter that only rose at the same time differs more.
_LEFT_OVER = 0.2
_HALVES = 0.3
# Two counters whose steps agree so far cannot be told apart: two programs are not scraped at the same time.
_ALIKE = 0.97
# What they leave over differs by no more than chance, or is next to nothing of the growth.
_AS_GOOD, _TINY = 1.3, 0.02
# Of lags that leave hardly more over than the best the shortest is meant: what is kept rises a little before its time.
_NEARLY = 0.1
_ECHO = 0.99  # samples that resemble the one before even more are none of their own
_NAMED_MOST = 5  # more are not read
_SURE = 1.96  # standard errors on either side: 95 of 100
_ABSURD = 1e18  # nobody counts so far


class _Counter(Struct, frozen=True, eq=False):
    name: str
    labels: Labels
    owner: str
    process: str
    source: str
    done: Floats  # units since the beginning, at the samples of the course


class Followed(Struct, frozen=True, eq=False):
    """A driver, and how much of it was done at which time."""

    driver: Driver
    times: Floats
    done: Floats


class _Fit(Struct, frozen=True, eq=False):
    counter: _Counter
    value: float
    error: float
    lag: float
    explains: float
    left_over: float  # typical distance of the course from what the units account for


def drivers(found: Course, process: str, series: Sequence[Series], names: MetricNames) -> tuple[Followed, ...]:
    """Return what the growth follows, the best first; () where nothing stands out."""
    times, values = _thinned(found)
    counters = list(_counters(series, times, names))
    if not counters or len(times) < _WINDOWS_FEWEST:
        return ()
    done = np.array([one.done for one in counters])
    chosen = _promising(times, values, done)
    # What asks the process itself to work is the first to be asked, and alone: a few counters. Thousands of others have
    # to stand out among thousands.
    near = [one.process == process and not names.rank(one.name) for one in counters]
    tried = {True: sum(near), False: len(counters)}
    fits = [fit for at in chosen if (fit := _fitted(times, values, counters[at], tried[near[at]], found))]
    return tuple(
        Followed(driver, times, fit.counter.done) for fit, driver in _ranked(fits, process, found.gained, names)
    )


def _thinned(found: Course) -> tuple[Floats, Floats]:
    stride = -(-len(found.times) // _SAMPLES_MOST)
    return found.times[::stride], found.kept[::stride]


def _counters(series: Sequence[Series], times: Floats, names: MetricNames) -> Iterator[_Counter]:
    """Yield every counter that moved, and the sums of a metric over all its labels and over those that share one: what
    follows all POST requests follows no single path."""
    metrics: dict[tuple[str, str], list[tuple[Series, Floats]]] = {}
    for one in series:
        if not names.is_work(one.name, one.labels):
            continue
        done = units(one, times)
        if done is not None:
            metrics.setdefault((one.owner, one.name), []).append((one, done))
    room = _CANDIDATES_MOST
    for group in metrics.values():
        sums: dict[Labels, list[tuple[Series, Floats]]] = {}
        for one, done in group:
            for kept in {one.labels, (), *((label,) for label in one.labels)}:
                sums.setdefault(kept, []).append((one, done))
        for labels, members in sums.items():
            if len(members) == 1 and labels != members[0][0].labels:
                continue  # the series itself says more
            if not room:
                return
            room -= 1
            first = members[0][0]
            total = members[0][1] if len(members) == 1 else np.sum([done for _, done in members], axis=0)
            yield _Counter(first.name, labels, first.owner, first.process, first.source, total)


def units(one: Series, times: Floats) -> Floats | None:
    """Return how much a counter counted since the beginning; None where it is none, or nothing happened.

    A label that is new at its first sample was counted from nought on; where it restarts, it goes on from nought.
    """
    if len(one.times) < 2:
        return None
    steps = np.diff(one.values)
    fell = steps < 0
    if fell.sum() > max(2, len(steps) // 50) or not np.isfinite(one.values).all() or np.abs(one.values).max() > _ABSURD:
        return None  # a gauge
    steps = np.where(fell, one.values[1:], steps)
    late = one.times[0] - times[0] > 1.5 * float(np.median(np.diff(times)))
    grown = np.cumsum(np.concatenate(([one.values[0] if late else 0.0], steps)))
    done = np.interp(times, one.times, grown, left=0.0)
    return done if done[-1] > 0 else None


def _promising(times: Floats, values: Floats, done: NDArray[np.float64]) -> list[int]:
    """Return the counters whose steps go best with those of the course, at any width."""
    best = np.zeros(len(done))
    for width in _widths(len(times)):
        passed, grown, steps = (_steps(rows, width) for rows in (times[None], values[None], done))
        for without in (_beyond_time, _beyond_waves):
            best = np.maximum(best, _alongside(without(steps, passed[0]), without(grown, passed[0])[0]))
    order = np.argsort(-best)[:_KEPT]
    return [int(at) for at in order if best[at] > 0]


def _widths(samples: int) -> list[int]:
    return [width for width in _WIDTHS if samples // width > _WINDOWS_FEWEST]


def _steps(rows: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    """Return the steps between the means of windows: what swings within a window is no growth."""
    windows = rows.shape[1] // width
    return np.diff(rows[:, : windows * width].reshape(len(rows), windows, width).mean(axis=2), axis=1)


def _beyond_time(steps: NDArray[np.float64], passed: Floats) -> NDArray[np.float64]:
    """Return rows of steps without what time explains of them: of each what those around it have is taken away.

    Everything in a cluster has the same days and evenings; what follows something has its ups and downs too.
    """
    rates = steps / np.maximum(passed, 1e-9)
    around = np.cumsum(np.pad(rates, ((0, 0), (_AROUND + 1, _AROUND)), mode="edge"), axis=1)
    usual = (around[:, 2 * _AROUND + 1 :] - around[:, : -2 * _AROUND - 1]) / (2 * _AROUND + 1)
    found: NDArray[np.float64] = (rates - usual) * passed
    return found


def _beyond_waves(steps: NDArray[np.float64], passed: Floats) -> NDArray[np.float64]:
    """Return rows of steps without a steady pace and without slow waves; what begins and ends at once is left.

    That is enough only for what rests for a part of the time, and nothing grows while it does.
    """
    phases = np.pi * (np.arange(len(passed)) + 0.5) / len(passed)
    turns = range(1, min(_WAVES, len(passed) // 4) + 1)
    basis, _ = np.linalg.qr(np.stack([passed, *(np.cos(turn * phases) for turn in turns)]).T)
    found: NDArray[np.float64] = steps - (steps @ basis) @ basis.T
    return found


def _rests(done: Floats) -> bool:
    """Tell whether next to nothing was done for a good part of the time."""
    rates = np.diff(np.interp(np.linspace(0, len(done) - 1, _STRETCHES + 1), np.arange(len(done)), done))
    return bool((rates <= _RESTS_BELOW * np.percentile(rates, 90)).mean() >= _RESTS_PART)


def _alongside(steps: NDArray[np.float64], grown: Floats) -> Floats:
    """Return how rows of steps go with those of the course: 1 wholly, 0 not at all."""
    lengths = np.sqrt((steps**2).sum(axis=1) * (grown @ grown))
    found: Floats = np.divide(steps @ grown, lengths, out=np.zeros(len(steps)), where=lengths > 1e-9)
    return found


def _fitted(times: Floats, values: Floats, counter: _Counter, tried: int, found: Course) -> _Fit | None:
    """Return how a counter explains the course; None where it does not."""
    lags = [lag for lag in _LAGS if lag <= max(8, _LAG_MOST * len(times))]
    going = [one for lag in lags for one in _going_together(times, values, counter.done, lag, tried)]
    if not going:
        return None
    best: dict[int, float] = {}
    for together, lag in going:
        best[lag] = max(best.get(lag, 0.0), together)
    left = {lag: _left_by(*_shifted(values, counter.done, times, lag)[:2]) for lag in best}
    lag = min((lag for lag in best if left[lag] <= (1 + _NEARLY) * min(left.values())), key=abs)
    y, c, _ = _shifted(values, counter.done, times, lag)
    value, error, rest = _levels(y, c)
    if not _accounts(y, c, value, rest, found.gained):
        return None
    left_over = float(np.sqrt(np.mean(np.minimum(rest**2, np.percentile(rest**2, 95)))))
    if value - _SURE * error <= 0:  # it may as well have no part in it
        return None
    return _Fit(counter, value, error, lag * float(np.median(np.diff(times))), best[lag] ** 2, left_over)


def _going_together(times: Floats, values: Floats, done: Floats, lag: int, tried: int) -> Iterator[tuple[float, int]]:
    """Yield how well a counter and the course go together at each width, where that is more than chance."""
    y, c, t = _shifted(values, done, times, lag)
    widths = _widths(len(y))
    rests = _rests(c)
    for width in widths:
        passed, both = _steps(t[None], width)[0], _steps(np.stack((y, c)), width)
        ways = [(_beyond_time, _EXPLAINED)] if len(passed) >= _WINDOWS_ENOUGH else []
        ways += [(_beyond_waves, _EXPLAINED_RESTING)] if rests else []
        for without, least in ways:
            grown, step = without(both, passed)
            together = float(_alongside(step[None], grown)[0])
            if together <= 0 or together**2 < least:
                continue
            # One burst that meets one rise is a coincidence: they have to go together without it, too.
            others = np.abs(np.arange(len(step)) - int((grown * step).argmax())) > -(-_BURST // width)
            rest_grown, rest_step = without(both[:, others], passed[others])
            again = float(_alongside(rest_step[None], rest_grown)[0])
            chance = max(_chance(together, grown, step), _chance(again, rest_grown, rest_step))
            if chance * tried * len(widths) < _CHANCE:
                yield together, lag


def _shifted(values: Floats, done: Floats, times: Floats, lag: int) -> tuple[Floats, Floats, Floats]:
    """Return the course beside what was counted `lag` samples before."""
    if lag > 0:
        return values[lag:], done[:-lag], times[lag:]
    return (values, done, times) if not lag else (values[:lag], done[-lag:], times[:lag])


def _chance(together: float, grown: Floats, step: Floats) -> float:
    """Return how often chance makes two series go together so well; windows that resemble the one before are fewer."""
    if together <= 0:
        return 1.0
    alike = _echo(grown) * _echo(step)
    free = max(1.0, (len(grown) - 3) * (1 - alike) / (1 + alike))
    if together >= 1 - 1e-12:
        return 0.0 if free > 4 else 1.0
    t = together * math.sqrt(free / (1 - together**2))
    # Wallace's normal approximation of Student's t: good to a tenth of the probability from three degrees on.
    z = math.sqrt(free * math.log1p(t * t / free)) * (8 * free + 1) / (8 * free + 3)
    return math.erfc(z / math.sqrt(2))


def _echo(steps: Floats) -> float:
    """Return how much a step resembles the one before: 0 not at all, 1 wholly."""
    away = steps - steps.mean()
    power = float(away @ away)
    return min(_ECHO, max(0.0, float(away[1:] @ away[:-1]) / power)) if power else 0.0


def _left_by(y: Floats, c: Floats) -> float:
    """Return what units leave over of the growth, typically, without regard to bursts."""
    away, above = c - c.mean(), y - y.mean()
    return float(np.std(above - away * float(away @ above) / (float(away @ away) or 1.0)))


def _levels(y: Floats, c: Floats) -> tuple[float, float, Floats]:
    """Return growth per unit, its standard error, and what is left over; bursts of work under way weigh little."""
    weights = np.ones(len(y))
    value, rest = 0.0, y
    for _ in range(12):
        total = weights.sum()
        middle, level = float(weights @ c) / total, float(weights @ y) / total
        spread = float(weights @ (c - middle) ** 2) or 1.0
        value = float(weights @ ((c - middle) * (y - level))) / spread
        rest = y - level - value * (c - middle)
        scale = max(1.4826 * float(np.median(np.abs(rest - np.median(rest)))), 1e-9)
        weights = np.minimum(1.0, 1.5 * scale / np.maximum(np.abs(rest), 1e-12))
    echo = _echo(rest)
    free = max(3.0, len(y) * (1 - echo) / (1 + echo))
    variance = float(weights @ rest**2) / weights.sum()
    error = math.sqrt(variance / free / (spread / weights.sum()))
    # What is left over need not be chance: requests under way have their days, too. As far as it swings, or leans from
    # one end to the other, growth per unit is unsure.
    low, high = np.percentile(rest, (5, 95))
    unsure = max(high - low, abs(rest[-1] - rest[0])) / max(float(c[-1] - c[0]), 1e-9)
    return value, max(error, float(unsure) / _SURE), rest


def _accounts(y: Floats, c: Floats, value: float, rest: Floats, gained: float) -> bool:
    """Tell whether units of the counter account for the growth: all along, and with nothing to be taken away."""
    if value <= 0 or not _ACCOUNTS_LEAST <= value * float(c[-1] - c[0]) / gained <= _ACCOUNTS_MOST:
        return False
    low, high = np.percentile(rest, (5, 95))
    if high - low > 2 * _LEFT_OVER * gained or np.percentile(np.abs(rest), 75) > _LEFT_OVER * gained:
        return False
    half = int(np.searchsorted(c, c[0] + (c[-1] - c[0]) / 2))
    if not 3 <= half <= len(c) - 3 or c[half] in (c[0], c[-1]):
        return True
    first, second = ((y[b] - y[a]) / (c[b] - c[a]) for a, b in ((0, half), (half, -1)) if c[b] > c[a])
    return bool(abs(first - second) <= 2 * _HALVES * value)


def _ranked(fits: Iterable[_Fit], process: str, gained: float, names: MetricNames) -> Iterator[tuple[_Fit, Driver]]:
    """Yield the counters that leave least over, each with those that cannot be told apart from it."""
    waiting = sorted(fits, key=lambda fit: fit.left_over)
    waiting = [fit for fit in waiting if fit.left_over <= max(_AS_GOOD * waiting[0].left_over, _TINY * gained)]
    waiting = sorted(_without_parts(waiting), key=lambda fit: _preference(fit, process, names))
    for _ in range(_NAMED_MOST):
        if not waiting:
            return
        first, *others = (fit for fit in waiting if _same(fit, waiting[0]))
        waiting = [fit for fit in waiting if fit is not first and fit not in others]
        mine = first.counter
        low, high = first.value - _SURE * first.error, first.value + _SURE * first.error
        yield (
            first,
            Driver(
                called(mine.name, mine.labels),
                mine.owner,
                value=float(f"{first.value:.4g}"),
                low=float(f"{low:.4g}"),
                high=float(f"{high:.4g}"),
                lag=round(first.lag, 1),
                explains=round(first.explains, 3),
                alike=tuple(_whose(fit.counter) for fit in others[:_NAMED_MOST]),
                source=mine.source,
            ),
        )


def _without_parts(fits: Sequence[_Fit]) -> list[_Fit]:
    """Return the counters without the parts of a sum that fits: where two of them rise together, either would be given
    what both have done."""
    sums: dict[tuple[str, str], list[Labels]] = {}
    for fit in fits:
        sums.setdefault((fit.counter.owner, fit.counter.name), []).append(fit.counter.labels)
    return [fit for fit in fits if not _is_part(fit.counter.labels, sums[fit.counter.owner, fit.counter.name])]


def _is_part(labels: Labels, fitting: Sequence[Labels]) -> bool:
    """Tell whether these labels are of a part of a sum that fits, and another part of it fits as well."""
    wider = [other for other in fitting if set(other) < set(labels)]
    mine = dict(labels)
    return any(
        set(whole) <= set(other) and any(mine.get(key, value) != value for key, value in other)
        for whole in wider
        for other in fitting
    )


def _same(one: _Fit, other: _Fit) -> bool:
    if one is other:
        return True
    a, b = (steps - steps.mean() for steps in (np.diff(one.counter.done), np.diff(other.counter.done)))
    return bool(a @ b >= _ALIKE * np.sqrt((a @ a) * (b @ b)))


def _preference(fit: _Fit, process: str, names: MetricNames) -> tuple[float, ...]:
    """Order counters that say the same: those of the process itself, requests, the most exact label."""
    mine = fit.counter
    own = 0 if mine.process == process else 1 if not mine.owner else 2
    telling = sum(value not in names.usual for _, value in mine.labels)
    return own, names.rank(mine.name), -telling, len(mine.labels), fit.left_over


def _whose(counter: _Counter) -> str:
    name = called(counter.name, counter.labels)
    return f"{counter.owner}: {name}" if counter.owner else name


def called(name: str, labels: Labels) -> str:
    """Return how a series is written."""
    return f"{name}{{{','.join(f'{key}={value}' for key, value in labels)}}}" if labels else name

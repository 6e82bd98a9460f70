"""Made series of services that leak, fill a cache or do neither, with the truth: what forecasts are held against.

python tests/watch/simulated.py [COUNT [SEED]] prints how often the intervals hold the truth, per kind of series.
Seed 1 is the one that grid and priors were chosen with: figures that are published come from another.
"""

import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oakum.watch.forecast import Forecast, forecast

Floats = NDArray[np.float64]
EVERY = 60.0  # seconds between samples
LIMIT = 1000.0
_ORIGIN = 1_750_000_000.0


class Made(NamedTuple):
    """The runs of a service until now, and what becomes of it."""

    times: list[Floats]  # microseconds
    values: list[Floats]
    now: int
    begin: int  # of growth
    reached: int | None  # when the limit is reached; None: never


def _swings(chance: np.random.Generator, count: int, memory: float) -> Floats:
    """Return noise that comes back: an autoregression of variance 1 with a memory in samples."""
    kept = np.exp(-1 / memory)
    new = chance.standard_normal(count) * np.sqrt(1 - kept**2)
    found = np.empty(count)
    at = chance.standard_normal()
    for index in range(count):
        at = found[index] = kept * at + new[index]
    return found


def _until(chance: np.random.Generator) -> tuple[int, int, float]:
    """Return the samples that are seen, the one where growth begins, and how far ahead the limit is, in growth."""
    seen = int(np.exp(chance.uniform(np.log(90), np.log(2200))))
    begin = 0 if chance.random() < 0.4 else int(seen * chance.uniform(0.1, 0.7))
    return seen, begin, float(np.exp(chance.uniform(np.log(0.15), np.log(4.0))))


def _leak(
    chance: np.random.Generator,
    shape: Callable[[Floats, int], Floats] | None = None,
    rate: Callable[[int, int], Floats] | None = None,
    missing: bool = False,
) -> Made:
    seen, begin, ahead = _until(chance)
    growing = seen - begin
    count = seen + int(growing * ahead * 8) + 400
    pace = np.ones(count) if rate is None else rate(count, growing)
    pace[:begin] = 0.0
    grown = np.cumsum(pace)
    # Level and slope so that what is seen takes a share of the room, and the rest lies ahead.
    level = LIMIT * chance.uniform(0.1, 0.5)
    room = (LIMIT - level) / (1 + ahead)
    values = level + room * grown / grown[seen - 1]
    noise = room * np.exp(chance.uniform(np.log(0.005), np.log(0.1)))
    values = values + noise * (
        0.6 * chance.standard_normal(count) + 0.8 * _swings(chance, count, chance.uniform(2, 15))
    )
    if shape is not None:
        values = shape(values, seen)
    return _cut(chance, values, seen, begin, missing)


def _cut(chance: np.random.Generator, values: Floats, seen: int, begin: int, missing: bool = False) -> Made:
    """Return what was seen of a course; one that was killed before is looked at shortly before that."""
    over = np.flatnonzero(values >= LIMIT)
    if len(over) and over[0] < seen:
        seen = max(int(over[0]) - 1, 30)
        begin = min(begin, seen // 2)
    times: Floats = (_ORIGIN + np.arange(len(values), dtype=float) * EVERY) * 1e6
    kept = np.ones(seen, bool)
    if missing:
        kept &= chance.random(seen) > 0.3
        at, length = chance.integers(0, seen), seen // 8
        kept[at : at + length] = False
        kept[-1] = True
    later = np.flatnonzero(values[seen:] >= LIMIT)
    reached = int(times[seen + later[0]]) if len(later) else None
    return Made([times[:seen][kept]], [values[:seen][kept]], int(times[seen - 1]), int(times[begin]), reached)


def linear(chance: np.random.Generator) -> Made:
    return _leak(chance)


def missing(chance: np.random.Generator) -> Made:
    return _leak(chance, missing=True)


def following_load(chance: np.random.Generator) -> Made:
    """Growth per request, and requests that come and go: by the day, and by chance."""

    def rate(count: int, growing: int) -> Floats:
        # What varies more slowly than what was seen of it cannot be known from that.
        memory = min(chance.uniform(5, 60), growing / 8)
        found = np.exp(chance.uniform(0.1, 0.5) * _swings(chance, count, memory))
        if growing * EVERY > 2.5 * 86400:
            found *= 1 + chance.uniform(0, 0.5) * np.sin(
                2 * np.pi * (np.arange(count) * EVERY / 86400 + chance.random())
            )
        return found

    return _leak(chance, rate=rate)


def bursts(chance: np.random.Generator) -> Made:
    def shape(values: Floats, seen: int) -> Floats:
        found = values.copy()
        for at in np.flatnonzero(chance.random(len(values)) < 1 / 120):
            found[at : at + chance.integers(2, 12)] += LIMIT * chance.uniform(0.01, 0.06)
        return found

    return _leak(chance, shape)


def collected(chance: np.random.Generator) -> Made:
    """Garbage that grows by a share of what lives until it is collected."""
    share, length = chance.uniform(0.05, 0.5), chance.uniform(1.7, 9.0)
    start = chance.random()

    def shape(values: Floats, seen: int) -> Floats:
        return values / (1 + share / 2) * (1 + share * ((start + np.arange(len(values)) / length) % 1.0))

    return _leak(chance, shape)


def killed(chance: np.random.Generator) -> Made:
    """A saw-tooth: each run leaks until it is killed; the last one has got somewhere."""
    length = chance.uniform(60, 600)
    base = LIMIT * chance.uniform(0.1, 0.4)
    noise = (LIMIT - base) * np.exp(chance.uniform(np.log(0.005), np.log(0.05)))
    spread = chance.uniform(0.05, 0.3)
    at = 0.0
    times: list[Floats] = []
    values: list[Floats] = []
    earlier = int(chance.integers(1, 6))
    for number in range(earlier + 1):
        count = int(length * 3)
        pace = np.exp(spread * _swings(chance, count, min(chance.uniform(5, 40), length / 8)))
        course = base + (LIMIT - base) / length * np.cumsum(pace)
        course += noise * (0.6 * chance.standard_normal(count) + 0.8 * _swings(chance, count, 5.0))
        end = int(np.argmax(course >= LIMIT)) or count - 1
        when: Floats = (_ORIGIN + at + np.arange(count, dtype=float) * EVERY) * 1e6
        if number == earlier:
            seen = max(6, int(end * chance.uniform(0.1, 0.9)))
            return Made(
                [*times, when[:seen]], [*values, course[:seen]], int(when[seen - 1]),
                int(times[0][0]), int(when[end]),
            )  # fmt: skip
        times.append(when[:end])
        values.append(course[:end])
        at += (end + int(chance.integers(1, 5))) * EVERY
    raise AssertionError


def cache(chance: np.random.Generator) -> Made:
    """What fills and stays below the limit."""
    seen = int(np.exp(chance.uniform(np.log(90), np.log(2200))))
    begin = 0 if chance.random() < 0.6 else int(seen * chance.uniform(0.1, 0.5))
    filling = (seen - begin) * np.exp(chance.uniform(np.log(0.08), np.log(1.5)))
    level, full = LIMIT * chance.uniform(0.1, 0.4), LIMIT * chance.uniform(0.55, 0.9)
    count = np.arange(seen)
    values = level + (full - level) * -np.expm1(-np.maximum(count - begin, 0) / filling)
    noise = (full - level) * np.exp(chance.uniform(np.log(0.005), np.log(0.08)))
    values += noise * (0.6 * chance.standard_normal(seen) + 0.8 * _swings(chance, seen, chance.uniform(2, 15)))
    return _cut(chance, np.minimum(values, 0.99 * LIMIT), seen, begin)


def flat(chance: np.random.Generator) -> Made:
    """What comes and goes: noise, a day, bursts, connections that drift."""
    seen = int(np.exp(chance.uniform(np.log(30), np.log(6000))))
    level = LIMIT * chance.uniform(0.1, 0.5)
    values = level * (1 + chance.uniform(0.01, 0.1) * _swings(chance, seen, chance.uniform(2, 30)))
    if seen * EVERY > 2.5 * 86400:
        values += (
            level * chance.uniform(0, 0.2) * np.sin(2 * np.pi * np.arange(seen) * EVERY / 86400 + chance.uniform(0, 6))
        )
    for at in np.flatnonzero(chance.random(seen) < 1 / 200):
        values[at : at + chance.integers(2, 12)] *= 1 + chance.uniform(0.1, 0.4)
    return _cut(chance, np.minimum(values, 0.99 * LIMIT), seen, 0)


LEAKS: dict[str, Callable[[np.random.Generator], Made]] = {
    "linear": linear,
    "missing": missing,
    "following load": following_load,
    "bursts": bursts,
    "garbage collected": collected,
    "killed": killed,
}
OTHERS: dict[str, Callable[[np.random.Generator], Made]] = {"cache": cache, "flat": flat}


class Score(NamedTuple):
    """What became of the forecasts of one kind of series."""

    made: int
    grows: int  # growth was seen
    closed: int  # the interval has two ends
    held: int  # of these: the truth is in it
    early: int  # the limit was reached before "not before"
    late: int  # of those with two ends: after the later one
    begins: int  # with an interval of the begin
    begin_held: int

    @property
    def coverage(self) -> float:
        return self.held / self.closed if self.closed else float("nan")


def looked_at(made: Made) -> Forecast:
    return forecast(made.times, made.values, LIMIT, made.now)


def score(kind: Callable[[np.random.Generator], Made], count: int, seed: int) -> Score:
    """Return how forecasts of so many series of a kind fare."""
    found = []
    for number in range(count):
        made = kind(np.random.default_rng((seed, number)))
        found.append((made, looked_at(made)))
    closed = [(made, one) for made, one in found if one.reaches_high is not None]
    early = [made for made, one in found if one.reaches_low and made.reached and made.reached < one.reaches_low]
    late = [made for made, one in closed if made.reached is None or made.reached > (one.reaches_high or 0)]
    early_closed = [made for made, one in closed if made.reached and made.reached < (one.reaches_low or 0)]
    begun = [(made, one) for made, one in found if one.begin_high is not None]
    held = [made for made, one in begun if (one.begin_low or 0) <= made.begin <= (one.begin_high or 0)]
    return Score(
        count, sum(one.grows for _, one in found), len(closed), len(closed) - len(late) - len(early_closed),
        len(early), len(late), len(begun), len(held),
    )  # fmt: skip


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    print(
        f"{'series':20}{'count':>7}{'grows':>7}{'closed':>7}{'held':>7}{'early':>7}{'late':>7}{'begin':>7}{'held':>7}"
    )
    for name, kind in {**LEAKS, **OTHERS}.items():
        one = score(kind, count, seed)
        held = f"{one.coverage:.1%}" if one.closed else "-"
        begin = f"{one.begin_held / one.begins:.1%}" if one.begins else "-"
        print(
            f"{name:20}{one.made:7}{one.grows:7}{one.closed:7}{held:>7}{one.early:7}{one.late:7}{one.begins:7}{begin:>7}"
        )


if __name__ == "__main__":
    main()

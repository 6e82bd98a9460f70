"""Levels of blocks of samples -> which growth fits them, and how well: every begin, shape and noise of a grid, weighed.

Growth is one slope since a begin, with its own level in each run, or one that levels off; noise is white, or drifts and
comes back, or wanders. Each is a regression; its weight is its marginal likelihood. Nothing is drawn or decided here.
"""

from typing import NamedTuple

import numpy as np

from oakum.model.signals import Floats

BEGINS = 40  # candidates of the begin
# How fast growth levels off, as a part of the time that it has had; infinite: it does not.
LEVELLING = (np.inf, 0.12, 0.25, 0.5, 1.0, 2.0)
# Before the data speak: nothing grows in one half, and of what grows half levels off.
_GROWS, _LEVELS_OFF, _FROM_THE_START = 0.3, 0.5, 0.5
# Beside white noise of variance 1: what drifts and comes back, and what wanders off. Memory is a part of the window (of
# what wanders: that of its pace, as load has one), share a variance.
_BACK = ((0.03, 0.0), (0.03, 8.0), (0.03, 64.0), (0.1, 16.0))
_AWAY = ((0.0, 0.0), *((memory, share) for memory in (0.015, 0.1) for share in (4.0, 64.0, 1024.0, 16384.0)))
_KINDS = [(*back, *away) for back in _BACK for away in _AWAY]
# That a level never wanders off is the exception, as load comes and goes; and what wanders far is believed sooner than
# what wanders little: an interval that is too narrow wakes nobody in time.
_STAYS = 0.05
BACK_MEMORY, BACK_SHARE, AWAY_MEMORY, AWAY_SHARE = np.array(_KINDS).T
DAY = 86400.0


class Blocks(NamedTuple):
    """What is fitted: the middle of each block of samples. Times are seconds of a window that begins at 0."""

    times: Floats
    levels: Floats
    run: np.ndarray[tuple[int], np.dtype[np.intp]]  # which run a block belongs to, from 0, in order
    starts: Floats  # of the runs
    ends: Floats
    span: float  # of the window
    zero: float  # when it begins: a day has its hours


class Posterior(NamedTuple):
    """Every candidate with its weight: rows are kinds of noise, columns 0 no growth, then begins x levelling."""

    weights: Floats  # [noise, 1 + candidates]; sum 1
    slope: Floats  # [noise, candidates]: the estimate, per second
    error: Floats  # [noise, candidates]: its error, per unit of noise
    noise: Floats  # [noise, 1 + candidates]: residual sum of squares
    freedom: int
    begins: Floats  # [candidates]
    levelling: Floats  # [candidates]: seconds; infinite where growth does not level off
    # At the end: the level without what comes back, what does, and how fast it wanders: `at` + slope * `grown_at`.
    at: Floats  # [noise, 3]
    grown_at: Floats  # [noise, 3, candidates]
    spread: Floats  # [noise, 3, 3]: factor of their covariance, per unit of noise
    wave: Floats  # coefficients of the day's wave of the best candidate; empty where it was not asked for
    age: Floats  # [candidates]: seconds that growth has had in the last run, at the end


def waves(times: Floats) -> Floats:
    """Return the wave of a day as columns, and that of half a day."""
    turns = 2 * np.pi * times[:, None] / DAY * np.array([1.0, 2.0])
    return np.concatenate((np.sin(turns), np.cos(turns)), axis=1)


def grown(age: Floats, levelling: Floats) -> Floats:
    """Return what a slope of 1 leaves after a time; it levels off with `levelling`."""
    finite = np.where(np.isfinite(levelling), levelling, 1.0)
    return np.where(np.isfinite(levelling), -np.expm1(-age / finite) * finite, age)


def posterior(blocks: Blocks, day: bool = False) -> Posterior:
    """Return how well every growth of the grid explains the blocks; `day`: beside the wave of a day."""
    times, count, last = blocks.times, len(blocks.times), len(blocks.starts) - 1
    begins, levelling = _candidates(blocks)
    since = np.maximum(begins[None, :], blocks.starts[blocks.run][:, None])
    columns = grown(np.maximum(times[:, None] - since, 0.0), levelling[None, :])
    age = np.maximum(times[-1] - np.maximum(begins, blocks.starts[last]), 0.0)
    levels = (blocks.run[:, None] == np.arange(last + 1)).astype(float)
    fixed = np.concatenate((levels, waves(times + blocks.zero)), axis=1) if day else levels

    drift, to_end, own = _drift(blocks)
    factor = np.linalg.cholesky(np.eye(count) + drift)  # [noise, n, n]
    inverse = np.linalg.inv(factor)
    # Whitened: what was correlated is independent, so that squares may be summed.
    white_fixed, white_levels, white_columns = inverse @ fixed, inverse @ blocks.levels, inverse @ columns
    basis, triangle = np.linalg.qr(white_fixed)
    levels_left = white_levels - np.einsum("jnp,jp->jn", basis, np.einsum("jnp,jn->jp", basis, white_levels))
    columns_left = white_columns - basis @ (np.swapaxes(basis, 1, 2) @ white_columns)
    power = np.maximum((columns_left**2).sum(1), 1e-30)
    shared = np.einsum("jnm,jn->jm", columns_left, levels_left)
    slope = shared / power
    # Nothing is known better than a thousandth of what is seen: counts are whole, and sampling rounds.
    floor = count * (1e-3 * float(np.ptp(blocks.levels)) + 1e-9 * float(np.abs(blocks.levels).max()) + 1e-9) ** 2 / 12
    nothing = (levels_left**2).sum(1) + floor
    squares = np.maximum(nothing[:, None] - shared**2 / power, floor)
    noise = np.concatenate((nothing[:, None], squares), axis=1)

    freedom = count - fixed.shape[1] - 1
    common = -np.log(np.abs(np.einsum("jnn->jn", factor))).sum(1) - np.log(np.abs(np.einsum("jpp->jp", triangle))).sum(
        1
    )
    likely = common[:, None] - 0.5 * (freedom + (np.arange(noise.shape[1]) == 0)) * np.log(noise)
    # The price of a slope is that of one more figure that is fitted (Schwarz).
    likely[:, 1:] -= 0.5 * np.log(count)
    # What a level or a wave explains as well is no growth that was seen, nor is what falls.
    unseen = power < 1e-9 * np.maximum((white_columns**2).sum(1), 1e-30)
    likely[:, 1:][(slope <= 0) | unseen] = -np.inf
    likely += np.log(_prior(begins, levelling))[None, :]
    away = np.where(AWAY_SHARE > 0, (1 - _STAYS) * AWAY_SHARE**0.25, _STAYS)
    likely += np.log(away)[:, None]
    weights = np.exp(likely - likely.max())
    weights /= weights.sum()

    # The level at the end and what drifts about it: linear in what was measured (universal kriging).
    precision = np.swapaxes(inverse, 1, 2) @ inverse
    follows = to_end @ precision  # [noise, 3, n]
    spread = np.linalg.inv(np.swapaxes(white_fixed, 1, 2) @ white_fixed)
    gains = spread @ np.swapaxes(white_fixed, 1, 2) @ inverse  # [noise, p, n]
    smooth = np.where(np.arange(fixed.shape[1]) >= last, fixed[-1], 0.0)  # the level of the last run, and the wave
    first = np.array([1.0, 0.0, 0.0])[:, None]
    rest = first * smooth - follows @ fixed  # [noise, 3, p]
    at_end = rest @ gains + follows
    ends = first * grown(age, levelling)[None, :]
    unsure = rest @ spread @ np.swapaxes(rest, 1, 2) + own - follows @ np.swapaxes(to_end, 1, 2)
    best = np.unravel_index(int(weights[:, 1:].argmax()), slope.shape)
    fitted = gains[best[0]] @ (blocks.levels - slope[best] * columns[:, best[1]])
    return Posterior(
        weights, slope, 1 / np.sqrt(power), noise, freedom, begins, levelling,
        at_end @ blocks.levels, ends - at_end @ columns, _factor(unsure), fitted[last + 1 :], age,
    )  # fmt: skip


def _candidates(blocks: Blocks) -> tuple[Floats, Floats]:
    """Return begins and levelling of all growths of the grid: a begin is a block, or the start of a run."""
    inner = np.unique(np.concatenate((blocks.times[:-2], blocks.starts[1:])))
    chosen = inner[np.unique(np.linspace(0, len(inner) - 1, BEGINS - 1).round().astype(int))]
    begins = np.unique(np.concatenate(([0.0], chosen[chosen > 0])))
    had = (blocks.ends[None, :] - np.maximum(begins[:, None], blocks.starts[None, :])).max(1)
    levelling = np.array(LEVELLING)[None, :] * np.maximum(had, 1e-9)[:, None]
    return np.repeat(begins, len(LEVELLING)), levelling.ravel()


def _prior(begins: Floats, levelling: Floats) -> Floats:
    """Return what each column weighs before anything is measured: all begins alike, but that it may be older."""
    inner = max(1, len(np.unique(begins)) - 1)
    when = np.where(begins > 0, (1 - _FROM_THE_START) / inner, _FROM_THE_START)
    how = np.where(np.isfinite(levelling), _LEVELS_OFF / (len(LEVELLING) - 1), 1 - _LEVELS_OFF)
    return np.concatenate(([1 - _GROWS], _GROWS * when * how))


def _drift(blocks: Blocks) -> tuple[Floats, Floats, Floats]:
    """Return the covariance of what drifts, for each kind of noise: between blocks, of each with what is at the end
    (what wandered off, what comes back, the pace of the first), and of these three."""
    into = (blocks.times - blocks.starts[blocks.run]) / blocks.span
    apart = np.abs(into[:, None] - into[None, :])
    together = (blocks.run[:, None] == blocks.run[None, :]).astype(float)

    def lasting(memory: float) -> tuple[Floats, Floats]:
        return np.exp(-apart / max(memory, 1e-9)), np.exp(-into / max(memory, 1e-9))

    back = np.array([share * lasting(memory)[0] for memory, share in _BACK]) * together
    away, pace = np.zeros((2, len(_AWAY), len(into), len(into)))
    for at, (memory, share) in enumerate(_AWAY):
        # What wanders is the integral of a pace that comes back.
        lasts, gone = lasting(memory)
        both = np.minimum(into[:, None], into[None, :]) - memory / 2 * (1 - gone[:, None] - gone[None, :] + lasts)
        away[at] = share * both * together
        pace[at] = share * (lasts - gone[None, :]) / 2 * together if memory else 0.0
    number = len(_BACK) * len(_AWAY)
    of_back, of_away = np.divmod(np.arange(number), len(_AWAY))
    to_end = np.stack((away[of_away, -1], back[of_back, -1], pace[of_away, -1]), 1)
    own = np.zeros((number, 3, 3))
    own[:, 0, 0], own[:, 1, 1] = away[of_away, -1, -1], back[of_back, -1, -1]
    own[:, 0, 2] = own[:, 2, 0] = pace[of_away, -1, -1]
    own[:, 2, 2] = np.where(AWAY_MEMORY > 0, AWAY_SHARE / (2 * np.maximum(AWAY_MEMORY, 1e-9)), 0.0)
    return back[of_back] + away[of_away], to_end, own


def _factor(covariance: Floats) -> Floats:
    """Return factors of covariances of which some are none: where a kind of noise has no pace, it has no error."""
    values, vectors = np.linalg.eigh((covariance + np.swapaxes(covariance, 1, 2)) / 2)
    found: Floats = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
    return found

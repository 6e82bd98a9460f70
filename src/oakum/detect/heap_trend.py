"""Live bytes through the snapshots -> how they move: rising, levelling off, falling, or only sampled differently.

A heap profile is sampled: every step is held against the noise of sampling. Growth is held against the work done in the
step, so that a service that rests is not called cured, nor one that warms up called leaking.
"""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from oakum.model.heap_growth import Floats
from oakum.model.profile import Bools

Trend = Literal["one", "noise", "falls", "plateau", "single-step", "rises"]

# Three standard errors: sampling alone does that once in a thousand; it takes nine samples of small objects. Four, or
# sixteen samples, to claim that something goes on rising.
_GROWN = 3.0
_RISEN = 4.0
# Two: chance does that once in forty.
_SURE = 2.0
# A single step counts as a rise from one standard error on: three of them make the claim.
_STEP = 1.0
RISES = 3
# What is left of a peak at the end when memory has been given back: more than the swing of a collection or two.
_FALLEN = 0.67
# A step with less than this much of the busiest step's work is rest: what does not grow then has not levelled off.
_REST = 0.1
_BUSY = 0.25
_QUIET = 0.2
# Growth for each unit of work in the later half against the earlier half: a leak goes on as it began. A cache that
# fills with ever fewer misses falls below a half long before it is full.
_SLOWED = 0.5
_LEVELLED = 0.25
# What was in flight when the load ended goes with it: so little given back is no fall.
_GIVEN_BACK = 0.1
# What is kept is there to the byte; sampling does not change what was sampled.
_KEPT = 0.98
# As fast as it began, within what sampling does to two steps: a set of keys that is half full is below it.
_CLIMBS = 0.7
# Of what is allocated there a leak keeps the same part in every step; a container that has begun to evict keeps less.
_EVICTS = 0.75
# Freed of what the last step should have kept: less than this may be what was under way. Standard errors: once in a
# hundred.
_FREES = 0.2
_CHANCE = 2.33


class Moves(Struct, frozen=True):
    """How one sum of live bytes moves."""

    trend: Trend
    first: int
    last: int
    peak: int
    rises: int = 0
    steps: int = 0
    pace: float = math.nan  # growth for each unit of work, later against earlier; of several measures the highest
    climbs: bool = False  # it rose in every step, two at least, and no slower at the end than at the beginning
    goes_on: bool = False  # it rose in two busy steps or more, and by its profile the last one brought its part
    outlives: bool = False  # it rose so in every busy step, two at least, and all of it is there after a step of rest

    evicts: bool = False  # from some step on less of what is allocated there is kept than before

    def called(self, trend: Trend) -> "Moves":
        """Return the same movement by another name; what slowed down does not climb."""
        return replace(self, trend=trend, climbs=self.climbs and trend == "rises")


def moves(space: Floats, noise: Floats, churn: Floats, works: Sequence[Floats], made: Floats | None = None) -> Moves:
    """Return how live bytes move.

    `works` are measures of what was done in each step, as shares of the busiest step; the last one is the time that
    passed. It slows down only if it does so by every measure, and goes on only if it does so by every measure of work.
    `made` is what was allocated at the same place up to each snapshot.
    """
    first, last, peak = int(space[0]), int(space[-1]), int(space.max())
    if len(space) == 1:
        return Moves("one", first, last, peak)
    steps = np.diff(space)
    errors = np.sqrt(_variances(noise, churn))
    top, low = int(space.argmax()), int(space.argmin())
    if _errors(space, noise, churn, int(space[: top + 1].argmin()), top) < _GROWN:
        down = low > 0 and -_errors(space, noise, churn, 0, low) >= _GROWN
        return Moves("falls" if down else "noise", first, last, peak, steps=len(steps))
    risen = steps > np.maximum(_STEP * errors, 0.02 * (peak - space.min()))
    rises = int(risen.sum())
    paces = [pace for work in works if not math.isnan(pace := _pace(steps, work))]
    pace = max(paces, default=math.nan)

    def told(trend: Trend) -> Moves:
        return Moves(trend, first, last, peak, rises, len(steps), pace)

    if last < _FALLEN * peak and -_errors(space, noise, churn, top, len(space) - 1) >= _GROWN - 1:
        return told("falls")
    done = works[:-1]
    paced = [(work, _rate(work, works[-1])) for work in done]
    if pace < _LEVELLED or (done and all(_stalled(steps, work, rate, _SLOWED) for work, rate in paced)):
        return told("plateau")
    # What was put in and taken out again at the end is no leak, or not one of everything.
    given_back = max(float(errors[-1]), _GIVEN_BACK * (last - first))
    # What else a process does allocates, too: where it grows in step with the work that is told, that is what counts.
    drives = len(done) > 1 and _SLOWED <= _pace(steps, done[-1]) <= 1 / _SLOWED
    decisive = paced[-1:] if drives else paced
    goes_on = steps[-1] >= -given_back and not any(_stalled(steps, work, rate, _BUSY) for work, rate in decisive)
    goes_on = goes_on and not any(_slower(steps, errors, work, rate) for work, rate in decisive)
    goes_on = goes_on and not pace < _SLOWED and _errors(space, noise, churn, 0, len(space) - 1) >= _RISEN
    evicts = made is not None and _evicts(steps, errors, np.diff(made))
    goes_on = goes_on and not evicts
    climbs = goes_on and len(steps) > 1 and bool(risen.all()) and not pace < _CLIMBS
    rates = [rate for _, rate in paced]
    outlives = goes_on and not pace < _CLIMBS and bool(rates) and all(_outlives(space, risen, rate) for rate in rates)
    trend: Trend = "rises" if goes_on and _often(risen, rates) >= RISES else "single-step"
    again = goes_on and _often(risen, rates) > 1
    return replace(told(trend), climbs=climbs, goes_on=again, outlives=outlives, evicts=evicts)


def _outlives(space: Floats, risen: Bools, rate: Floats) -> bool:
    """Tell whether all that two or more busy steps brought is there after steps in which hardly anything was done."""
    busy = np.flatnonzero(rate >= _BUSY)
    after = rate[busy[-1] + 1 :]
    if len(busy) < 2 or not risen[busy].all() or not len(after) or (after >= _QUIET).any():
        return False
    return bool(space[-1] >= _KEPT * space[busy[-1] + 1])


def _often(risen: Bools, rates: Sequence[Floats]) -> int:
    """Return how many rises speak for one another: those of busy steps, or those of steps of rest.

    A profile lags: what it shows after the load has gone came with the load, and is no rise more.
    """
    if not rates:
        return int(risen.sum())
    rests = np.mean(rates, axis=0) < _REST
    return int(max((risen & ~rests).sum(), (risen & rests).sum()))


def _variances(noise: Floats, churn: Floats) -> Floats:
    """Return the variance of each step: that of what came and went, and never more than that of both ends."""
    came = np.maximum(0.0, np.diff(churn))
    went = np.maximum(0.0, came - np.diff(noise))
    return np.asarray(np.minimum(came + went, noise[1:] + noise[:-1]))


def _errors(space: Floats, noise: Floats, churn: Floats, start: int, end: int) -> float:
    """Return by how many standard errors the end exceeds the start."""
    rise = float(space[end] - space[start])
    if rise == 0:
        return 0.0
    both = sorted((start, end))
    variance = float(_variances(noise[both], churn[both])[0])
    return rise / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, rise)


def _rate(work: Floats, time: Floats) -> Floats:
    """Return the work done in each step for its time, as shares of the busiest: a minute after the load is quiet."""
    rate = work / np.maximum(time, 1e-9)
    return np.asarray(rate / max(float(rate.max()), 1e-9))


def _stalled(steps: Floats, work: Floats, rate: Floats, busy: float) -> bool:
    """Tell whether next to nothing came from the last step on in which so much was done, unless that is the first."""
    found = np.flatnonzero((work >= busy) & (rate >= busy))
    if not len(found) or found[-1] == 0:
        return False
    at = int(found[-1])
    return bool(steps[at:].sum() < _BUSY * steps.sum() / work.sum() * work[at])


def _slower(steps: Floats, errors: Floats, work: Floats, rate: Floats) -> bool:
    """Tell whether the last busy step brought less than half of what it should, and sampling does not explain it."""
    busy = np.flatnonzero((work >= _BUSY) & (rate >= _BUSY))
    if len(busy) < 3:
        return False
    at = int(busy[-1])
    due = float(steps[:at].sum() / work[:at].sum() * work[at])
    return bool(steps[at:].sum() < _SLOWED * due and due - steps[at:].sum() > _SURE * errors[at])


def _evicts(steps: Floats, errors: Floats, made: Floats) -> bool:
    """Tell whether from some step on far less of what was allocated there was kept than before: something takes it out.

    Steps that allocated little say nothing.
    """
    most = float(made.max())
    busy = made >= _BUSY * most
    if most <= 0 or np.count_nonzero(busy) < 2:
        return False
    made, steps, variances = made[busy], steps[busy], errors[busy] ** 2
    if _frees_at_last(steps, made, variances):
        return True
    # One value for each step from which on less may be kept: sums up to it, and from it on to the end.
    before, kept_before = np.cumsum(made)[:-1], np.cumsum(steps)[:-1]
    due = kept_before / before * (made.sum() - before)
    kept, error = steps.sum() - kept_before, np.sqrt(np.cumsum(variances[::-1])[-2::-1])
    return bool(((kept < _EVICTS * due) & (due - kept > _SURE * error)).any())


def _frees_at_last(steps: Floats, made: Floats, variances: Floats) -> bool:
    """Tell whether the last step freed what, at the share that was freed before, it does not by chance.

    What is sampled of a leak stays sampled: where nothing was ever freed, a few samples that go tell of eviction.
    """
    freed = np.maximum(0.0, made - steps)
    share = float(freed.sum() / made.sum())
    if share >= 1:  # what was there before went too
        return False
    sample = float(variances.sum() / max(float((made + freed).sum()), 1.0))  # bytes that one sample stands for
    due = share * float(made[-1])
    error = math.sqrt(share * (1 - share) * made[-1] * sample * (1 + made[-1] / max(1.0, float(made[:-1].sum()))))
    more = freed[-1] - due
    return bool(more >= _FREES * (made[-1] - due) and more > _CHANCE * error > 0)


def _pace(steps: Floats, work: Floats) -> float:
    """Return growth for each unit of work, the later half of the work against the earlier; NaN: it cannot be told.

    Steps of rest count only for what grew in them.
    """
    # From the first step in which anything grew: before, nothing was there to slow down.
    begun = int(np.flatnonzero(steps > 0)[0]) if (steps > 0).any() else 0
    steps, work = steps[begun:], np.where(work >= _REST, work, 0.0)[begun:]
    if (work > 0).sum() < 2:
        return math.nan
    done = np.cumsum(work)
    half = done[-1] / 2
    late = np.where(work > 0, np.clip((done - half) / np.maximum(work, 1e-9), 0, 1), done > half)
    sooner = float((steps * (1 - late)).sum() / (work * (1 - late)).sum())
    later = float((steps * late).sum() / (work * late).sum())
    return later / sooner if sooner > 0 else math.inf

"""Who stays, who left, and what those who stay are in the middle of: what tells a leak from a pool at rest.

Comes in: a population with the work done in each step, or its stack. Goes out: measurements; signs.py makes evidence of
them.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from oakum.detect.at_work import UNARY, calls_out, tries_again
from oakum.detect.clients import of_stream, reads_socket
from oakum.model import Frame, Population
from oakum.model.goroutine import NO_INT32S, NO_INT64S
from oakum.model.profile import Int32s, Int64s, among

# Go hands ids to each processor in batches of 16: less work than that cannot be measured by them.
_MEASURABLE = 16.0
# A step with less than this part of the busiest step's work says nothing about what work brings.
_BUSY = 0.25
# One may come by chance.
_SEVERAL = 2
# As many for each unit of work, within what chance does to a handful.
_ALIKE = 0.5
# As many in two steps, where the work in them is not known: a pool that is used a little more grows by less, or more.
_EQUAL = 0.9
# By chance a count that goes up and down does not fall in three intervals once in eight times; in two, once in four.
_INTERVALS = 3
# Where one in ten of those seen before has left, one can leave from here.
_LEFT = 0.1
# main.(*Bridge).Send.func1
_CLOSURE = re.compile(r"\.func\d+$")
_SERVES = "net/http.(*conn).serve"
_RECEIVES = "google.golang.org/grpc.(*clientStream).RecvMsg"
# Of the parents; some requests start two, and some are still under way.
_NEARLY_EACH = 0.8
# Of fewer all parents may be gone by chance.
_SOME = 5
# A pool is a part of its process, and somebody uses it within minutes; one that was started with the process is told by
# its ids.
_CROWD = 100
_NEARLY_ALL = 0.9
_LONG_MINUTES = 10
# Of those that were seen before: who has left since was only under way.
_MOST = 0.5
# Of those of them who are still there: an age may be lost.
_KEPT = 0.9
_MINUTE = 60  # seconds; the unit in which ages are printed
# Fewer ids lie as they like, and so do ages.
_ENOUGH = 20
# Of the members: ids are handed out in batches, and ages are dated by collections.
_OUT_OF_ORDER = 0.05
# Distance of Kolmogorov and Smirnov, times the root of the number: by chance larger once in ten times.
_EVEN = 1.22
# By so much the number of goroutines started may be off as a measure of work.
_BLUR = 0.05


def came_again(population: Population, came: Sequence[int], ended: Sequence[float]) -> bool:
    """Tell whether each busy step brought as many for its work, and nobody left.

    `ended` is the work done in each step without those who stayed. A pool starts a goroutine only when all others are
    busy: those that rested at one snapshot would have done the work that came before the next.
    """
    if not population.followed or len(came) != len(ended) or int(population.left.sum()) or population.released:
        return False
    steps = [
        (more, work) for more, work in zip(came, ended, strict=True) if work >= max(_MEASURABLE, _BUSY * max(ended))
    ]
    rates = [more / work for more, work in steps]
    return len(steps) > 1 and min(more for more, _ in steps) >= _SEVERAL and min(rates) >= _ALIKE * max(rates)


def came_equally(counts: Sequence[int], idle: Sequence[bool], *, most: bool = False) -> bool:
    """Tell whether as many came in each step, so that a pool would have used those again that were there.

    Either nobody was at work at any snapshot: each step's work began while all rested, and two steps have to be equal,
    three alike. Or the steps are three and equal, whoever is at work; or alike, where these are `most` of the process:
    load that grows so evenly, and for nobody else, is no coincidence.
    """
    steps = [after - before for before, after in pairwise(counts)]
    if len(steps) < 2 or len(idle) != len(counts) or min(steps) < _SEVERAL:
        return False
    alike = min(steps) / max(steps)
    if len(steps) == 2:
        return all(idle) and alike >= _EQUAL
    return alike >= (_ALIKE if all(idle) or most else _EQUAL)


def never_drops(counts: Sequence[int]) -> bool:
    """Tell whether a count rose in two intervals or more, and fell in none of enough."""
    rises = sum(after > before for before, after in pairwise(counts))
    fell = any(after < before for before, after in pairwise(counts))
    return rises > 1 and not fell and len(counts) > _INTERVALS


def long_at_rest(population: Population, total: int) -> bool:
    """Tell whether nearly all of a process has waited at one place of its own code for many minutes."""
    place, waits = population.place, [int(one) for group in population.now for one in group.waits]
    if place is None or place.owner != "own" or population.state == "IO wait" or population.last < _CROWD:
        return False
    waited = sorted(waits)[len(waits) // 10] if waits else 0  # a tenth may have come just now
    return population.last >= _NEARLY_ALL * total and waited >= _LONG_MINUTES


def departures(population: Population) -> int:
    """Return how many there were in the snapshot before, when a good part of them has left since; else 0."""
    if not population.followed or len(population.left) == 0:
        return 0
    left, before = int(population.left[-1]), int(population.counts[-2])
    return before if left and left >= _LEFT * before else 0


def orphaned(population: Population, living: frozenset[int]) -> bool:
    """Tell whether each was started by a goroutine of its own that has exited; `living` are the ids of all there are.

    Whoever starts a pool, or an actor for each tenant, starts many, or lives. What a request started for itself and
    left behind has nobody any more who would end it.
    """
    parents = [one for group in population.now for one in group.parents.tolist() if one]
    if population.last < _SOME or len(parents) < population.last or population.state in ("IO wait", "sleep"):
        return False
    others = set(parents)
    alive = len(others & living)
    return len(others) >= _NEARLY_EACH * len(parents) and alive <= (1 - _NEARLY_EACH) * len(parents)


def never_woken(population: Population, seconds: float | None) -> bool:
    """Tell whether those that came first waited all the time while others came: then nobody uses them.

    `seconds` is how long the last step took. Most members of a snapshot before it have waited through all of it, and
    so has nearly everybody of them who is still there; others were started meanwhile: a pool starts one only when all
    it has are busy. Some may have been answered and have left. In one dump ages tell the same where they follow the
    order in which the members were started: the older, the longer.
    """
    last = len(population.counts) - 1
    ids, waits = _members(population)
    came = population.followed and int(population.fresh[-1]) >= _SEVERAL
    for then in range(last - 2, -1, -1) if came and seconds is not None else ():
        before = np.concatenate([group.ids for group in population.groups[then]] or [NO_INT64S])
        stayed = waits[among(ids, np.sort(before))]
        waited = int(np.count_nonzero(_MINUTE * stayed >= (seconds or 0)))
        if waited >= max(_SOME, _MOST * len(before), _KEPT * len(stayed)):
            return True
    return not int(population.alive[last]) > 0 and _in_order(waits)


def _members(population: Population) -> tuple[Int64s, Int32s]:
    """Return ids, in order, and ages of the members of the last snapshot; nothing where some have none."""
    groups = population.now
    if any(len(group.waits) != group.count or len(group.ids) != group.count for group in groups):
        return NO_INT64S, NO_INT32S
    ids = np.concatenate([NO_INT64S, *(group.ids for group in groups)])
    waits = np.concatenate([NO_INT32S, *(group.waits for group in groups)])
    order = np.argsort(ids, kind="stable")
    return ids[order], waits[order]


def _in_order(waits: Int32s) -> bool:
    """Tell whether the ages of members, those that were started first before, are in order, or nearly so."""
    if len(waits) < _ENOUGH:
        return False
    ages = np.maximum(waits, 0)
    third = len(ages) // 3
    if not ages[:third].min() or np.median(ages[:third]) <= np.median(ages[-third:]):
        return False  # the oldest have no age, or all came together
    ordered: list[int] = []  # the lowest ends of sequences that do not rise, by their length
    for age in (-ages).tolist():
        found = bisect_right(ordered, age)
        ordered[found : found + 1] = [age]
    return len(ordered) >= (1 - _OUT_OF_ORDER) * len(ages)


def evenly_started(population: Population, youngest: int) -> bool:
    """Tell whether as many were started for the same work, from early on until now; `youngest` is the highest id.

    Ids count the goroutines that the process has started. Who is under way has the last of them, a pool that is
    complete early ones: spread evenly over most of them are those of whom none ever left.
    """
    ids = population.ids
    if len(ids) < _ENOUGH or len(ids) < population.last or 2 * int(ids[0]) > youngest:
        return False
    share = (ids - ids[0]) / (youngest - ids[0])
    due = np.arange(len(ids)) / len(ids)
    apart = float(max(np.max(share - due), np.max(due + 1 / len(ids) - share)))
    return bool(apart <= _EVEN / len(ids) ** 0.5 + _BLUR)


def reads_stream(population: Population) -> bool:
    """Tell whether these read gRPC streams, and wait for no call that one answer ends."""
    names = population.example.stack.names
    return _RECEIVES in names and UNARY not in names


def _asked(frames: Sequence[Frame]) -> Frame | None:
    """Return who called the function of the program that waits for an answer, read by the standard library alone.

    The goroutine of a connection reads in its own function, or in that of a library that knows the protocol; a closure
    that only starts such a function, and what copies one connection to another, tell nothing.
    """
    first = next((at for at, frame in enumerate(frames) if frame.owner != "stdlib"), len(frames))
    if any(frame.function.startswith("io.Copy") for frame in frames[:first]):
        return None
    called = frames[first:-1] if _CLOSURE.search(frames[-1].function) else frames[first:]
    return called[1] if len(called) > 1 and all(frame.owner == "own" for frame in called[:2]) else None


def operation(population: Population) -> Frame | None:
    """Return who began the operation that these are in the middle of; None when they may wait for their next job.

    A request under way and a call to another process end when their work does; so does a function that another one of
    the same program called and waits for, and what a library tries again. A worker between two jobs waits in its own
    loop, or, by a condition, in the method of its queue that the loop calls. A stream lasts while its client likes.
    """
    stack = population.example.stack
    if not stack.is_users or of_stream(population):
        return None
    frames = stack.frames
    if population.state == "IO wait":
        return _asked(frames) if reads_socket(population) else None
    written = [frame for frame in frames if frame.owner in ("own", "dependency")]
    if _SERVES in stack.names:
        return written[-1]
    if calls_out(frames):
        return written[0]
    if tries_again(frames):
        return next((frame for frame in written if frame.owner == "own"), None)
    inner = {"chan receive": 2, "sync.Cond.Wait": 3}.get(population.state or "", 0)
    if inner and len(written) >= inner and all(frame.owner == "own" for frame in written[:inner]):
        return written[inner - 1]
    return None

"""Goroutines of several moments -> populations: who stands where, how many, and who came, stayed and left.

A population is all goroutines that stand at one place in one state and were started alike; it is the same one in every
moment. What some moment cannot say (creators in protobuf, states in debug=1) tells no population apart in any. Members
are followed by their ids where dumps have them; what cannot be followed is -1, never a guess.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from oakum.model import GoroutineGroup, Goroutines, Population, normal_function
from oakum.model.profile import Int32s, Int64s

# Go hands ids to its processors in batches of 16: of two ids this far apart the higher one is the younger.
_BATCHES = 64
# More populations than any program has.
_MOST = 10_000
# States in which a goroutine does not wait: they have no age by nature.
_AT_WORK = frozenset({"running", "runnable", "syscall", "copystack", "preempted", "idle", "dead"})


class _Key(NamedTuple):
    state: str | None
    place: str
    line: int
    creator: str
    entry: str


@dataclass(frozen=True, slots=True)
class _Sight:
    """What every moment can say, so that it may tell populations apart."""

    states: bool
    creators: bool
    lines: bool

    def key(self, group: GoroutineGroup) -> _Key:
        place, entry = group.place, group.stack.entry
        return _Key(
            group.state if self.states else None,
            normal_function(place.function) if place else "",
            place.line if place and self.lines else 0,
            normal_function(group.created_by.function) if group.created_by and self.creators else "",
            normal_function(entry.function) if entry else "",
        )


def _common_sight(moments: Sequence[Goroutines | None], lines: bool) -> _Sight:
    seen = [moment for moment in moments if moment is not None and moment.groups]
    return _Sight(
        states=all(any(group.state for group in moment.groups) for moment in seen),
        creators=all(any(group.created_by for group in moment.groups) for moment in seen),
        lines=lines,
    )


class _Moment:
    """What all goroutines of one moment tell together."""

    def __init__(self, goroutines: Goroutines | None) -> None:
        groups = goroutines.groups if goroutines is not None else ()
        self.present = goroutines is not None
        ids = [group.ids for group in groups if len(group.ids)]
        self.ids: Int64s | None = np.sort(np.concatenate(ids)) if ids else None
        # The youngest that a collection has seen waiting: who is older and waits without an age has waited anew since.
        aged = [group.ids[group.waits >= 1] for group in groups if len(group.waits) == len(group.ids)]
        self.youngest_aged = max((int(some.max()) for some in aged if len(some)), default=-1)


def populations(
    moments: Sequence[Goroutines | None], *, lines: bool = True, dated: Sequence[int] = ()
) -> tuple[Population, ...]:
    """Return every population that stands in some moment, those that rose most first.

    None is a moment without goroutines. `lines=False` is for captures of different builds. `dated` says for each moment
    since which earlier one a wait must have an age by now (see clock.py), -1 when none.
    """
    sight = _common_sight(moments, lines)
    table: dict[_Key, list[list[GoroutineGroup]]] = defaultdict(lambda: [[] for _ in moments])
    for at, moment in enumerate(moments):
        for group in moment.groups if moment is not None else ():
            table[sight.key(group)][at].append(group)
    whole = [_Moment(moment) for moment in moments]
    since = tuple(dated) if dated else (-1,) * len(moments)
    # A dump may have as many places as goroutines: those that hold most say enough.
    largest = sorted(table.items(), key=lambda item: -max(sum(g.count for g in here) for here in item[1]))[:_MOST]
    found = [_population(key, groups, whole, since) for key, groups in largest]
    return tuple(sorted(found, key=lambda one: (-one.rise, -int(one.counts.max()), str(one.place), one.state or "")))


def _members(groups: Sequence[GoroutineGroup]) -> tuple[Int64s, Int32s] | None:
    """Return ids and waits of these groups in order of ids, or None when some member has no id."""
    if any(len(group.ids) != group.count for group in groups):
        return None
    if not groups:
        return np.zeros(0, np.int64), np.zeros(0, np.int32)
    ids = np.concatenate([group.ids for group in groups])
    waits = np.concatenate(
        [group.waits if len(group.waits) == group.count else np.full(group.count, -1, np.int32) for group in groups]
    )
    order = np.argsort(ids, kind="stable")
    return ids[order], waits[order]


def _population(
    key: _Key, groups: list[list[GoroutineGroup]], moments: Sequence[_Moment], dated: Sequence[int]
) -> Population:
    members = [_members(here) if m.ids is not None else None for here, m in zip(groups, moments, strict=True)]
    steps: list[tuple[int, int, int, int, int]] = []
    restarted = [0] * len(moments)
    released, standing_before = 0, np.zeros(0, np.int64)
    since = np.full(len(moments), -1, np.int64)
    for at, (before, after) in enumerate(pairwise(members)):
        everybody, formerly = moments[at + 1].ids, moments[at].ids
        if before is None or after is None or everybody is None or formerly is None:
            steps.append((-1, -1, -1, -1, -1))
            continue
        same, old, new = _common(before[0], after[0])
        gone = len(before[0]) - len(same)
        ended = gone - (len(np.intersect1d(before[0], everybody, assume_unique=True)) - len(same)) if gone else 0
        came = len(after[0]) - len(same)
        fresh = len(np.setdiff1d(after[0], formerly, assume_unique=True)) if came else 0
        steps.append((came, fresh, len(same), gone, ended))
        if gone and len(standing_before):
            released += len(np.setdiff1d(standing_before, after[0], assume_unique=True))
        standing_before = same
        restarted[at + 1] = int(((before[1][old] >= 1) & (after[1][new] < before[1][old])).sum())
    standing = members[-1] if members else None
    first = moments[0].ids if moments else None
    born = -1
    if standing is not None and first is not None and len(moments) > 1:
        born = len(np.setdiff1d(standing[0], first, assume_unique=True))
    if standing is not None:
        ids = standing[0]
        for at in range(len(moments) - 1, -1, -1):
            here = members[at]
            if here is None:
                break
            ids = np.intersect1d(ids, here[0], assume_unique=True)
            since[at] = len(ids)
    columns = np.array(steps, np.int64).reshape(-1, 5).T
    example = next(group for here in reversed(groups) for group in here)  # the newest says most
    return Population(
        place=example.place,
        state=key.state,
        creator=example.created_by if key.creator else None,
        entry=example.stack.entry,
        groups=tuple(tuple(here) for here in groups),
        counts=np.array([sum(g.count for g in h) if m.present else -1 for h, m in zip(groups, moments, strict=True)]),
        came=columns[0],
        fresh=columns[1],
        stayed=columns[2],
        left=columns[3],
        ended=columns[4],
        released=released,
        born=born,
        since=since,
        aged=np.array([-1 if some is None else int((some[1] >= 1).sum()) for some in members], np.int64),
        alive=np.array(
            [
                -1
                if some is None
                else max(again, _awake(key.state, some, moment.youngest_aged, members[then] if then >= 0 else None))
                for some, moment, again, then in zip(members, moments, restarted, dated, strict=True)
            ],
            np.int64,
        ),
    )


def _common(before: Int64s, after: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """Return the ids of both, and their rows in each; most populations stay as they are."""
    if len(before) == len(after) and np.array_equal(before, after):
        rows = np.arange(len(before))
        return before, rows, rows
    if not len(before) or not len(after):
        return before[:0], before[:0], before[:0]
    same, old, new = np.intersect1d(before, after, assume_unique=True, return_indices=True)
    return same, old, new


def _awake(
    state: str | None,
    members: tuple[Int64s, Int32s],
    youngest_aged: int,
    formerly: tuple[Int64s, Int32s] | None,
) -> int:
    """Count those that wait without an age although they would have one, had they waited all the time.

    The collection that gave a younger one its age would have given them one too; and so would one that is known to have
    run since they were last seen here.
    """
    if state in _AT_WORK:
        return 0
    ids, waits = members
    ageless = waits < 1
    if not ageless.any():
        return 0
    anew = ageless & (ids < youngest_aged - _BATCHES)
    if formerly is not None and len(formerly[0]):
        anew |= ageless & np.isin(ids, formerly[0], assume_unique=True)
    return int(anew.sum())


def started(moments: Sequence[Goroutines | None]) -> Int64s:
    """Return how many goroutines the process started in each step, from the highest id seen; -1 where none is known.

    Go numbers goroutines as it starts them, in batches for each processor: a measure of work done, not an exact count.
    """
    highest = [
        max((int(group.ids.max()) for group in moment.groups if len(group.ids)), default=-1) if moment else -1
        for moment in moments
    ]
    steps: list[int] = []
    for at, after in enumerate(highest[1:], 1):
        before = max(highest[:at])  # who had the highest id may have ended since
        again = after < 0.5 * before  # the process was started anew
        steps.append(-1 if min(highest[at - 1], after) < 0 or again else max(0, after - before))
    return np.array(steps, np.int64)


__all__ = ["populations", "started"]

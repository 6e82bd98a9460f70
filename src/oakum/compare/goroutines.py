"""Goroutines of several snapshots -> populations: who stands where, how many, and who came, stayed and left.

A population is all goroutines that stand at one place in one state and were started alike; it is the same one in every
snapshot. What some snapshot cannot say (creators in protobuf, states in debug=1) tells no population apart in any.
Members are followed by their ids where dumps have them; what cannot be followed is -1, never a guess.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from oakum.model import GoroutineGroup, Goroutines, Population, Process, normal_function
from oakum.model.goroutine import NO_INT32S, NO_INT64S
from oakum.model.profile import Int32s, Int64s, among
from oakum.model.vocabulary import AGELESS_STATES

# Go hands ids to its processors in batches of 16: of two ids this far apart the higher one is the younger.
_BATCHES = 64
# More populations than any program has.
_MOST = 10_000


class _Key(NamedTuple):
    state: str | None
    place: str
    line: int
    creator: str
    entry: str


class _Sight(Struct, frozen=True):
    """What every snapshot can say, so that it may tell populations apart."""

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


def _common_sight(dumps: Sequence[Goroutines | None], lines: bool) -> _Sight:
    seen = [dump for dump in dumps if dump is not None and dump.groups]
    return _Sight(
        states=all(any(group.state for group in dump.groups) for dump in seen),
        creators=all(any(group.created_by for group in dump.groups) for dump in seen),
        lines=lines,
    )


class _DumpIds:
    """What all goroutines of one snapshot tell together."""

    def __init__(self, goroutines: Goroutines | None) -> None:
        groups = goroutines.groups if goroutines is not None else ()
        self.present = goroutines is not None
        ids = [group.ids for group in groups if len(group.ids)]
        self.ids: Int64s | None = np.sort(np.concatenate(ids)) if ids else None
        # The youngest that a collection has seen waiting: who is older and waits without an age has waited anew since.
        aged = [group.ids[group.waits >= 1] for group in groups if len(group.waits) == len(group.ids)]
        self.youngest_aged = max((int(some.max()) for some in aged if len(some)), default=-1)


def populations(
    dumps: Sequence[Goroutines | None], *, lines: bool = True, dated: Sequence[int] = ()
) -> tuple[Population, ...]:
    """Return every population that stands in some snapshot, those that rose most first.

    None is a snapshot without goroutines. `lines=False` is for captures of different builds. `dated` says for each
    snapshot since which earlier one a wait must have an age by now (see clock.py), -1 when none.
    """
    sight = _common_sight(dumps, lines)
    table: dict[_Key, list[list[GoroutineGroup]]] = defaultdict(lambda: [[] for _ in dumps])
    for at, dump in enumerate(dumps):
        for group in dump.groups if dump is not None else ():
            table[sight.key(group)][at].append(group)
    _join_unknown_states(table)
    whole = [_DumpIds(dump) for dump in dumps]
    since = tuple(dated) if dated else (-1,) * len(dumps)
    # A dump may have as many places as goroutines: those that hold most say enough.
    largest = sorted(table.items(), key=lambda item: -max(sum(g.count for g in here) for here in item[1]))[:_MOST]
    found = [_population(key, groups, whole, since) for key, groups in largest]
    return tuple(sorted(found, key=lambda one: (-one.rise, -int(one.counts.max()), str(one.place), one.state or "")))


def _join_unknown_states(table: dict[_Key, list[list[GoroutineGroup]]]) -> None:
    """Let goroutines whose state a snapshot does not tell be those that others show at the same line in one state."""
    known: dict[_Key, set[_Key]] = defaultdict(set)
    for key in table:
        if key.state is not None:
            known[key._replace(state=None)].add(key)
    for key in [key for key in table if key.state is None and len(known[key]) == 1]:
        (told,) = known[key]
        for here, more in zip(table[told], table.pop(key), strict=True):
            here += more


def _members(groups: Sequence[GoroutineGroup]) -> tuple[Int64s, Int32s] | None:
    """Return ids and waits of these groups in order of ids, or None when some member has no id."""
    if any(len(group.ids) != group.count for group in groups):
        return None
    if not groups:
        return NO_INT64S, NO_INT32S
    if len(groups) == 1 and len(groups[0].waits) == groups[0].count:
        ids = groups[0].ids
        if (ids[1:] > ids[:-1]).all():  # most are one group, printed in this order
            return ids, groups[0].waits
    ids = np.concatenate([group.ids for group in groups])
    waits = np.concatenate(
        [group.waits if len(group.waits) == group.count else np.full(group.count, -1, np.int32) for group in groups]
    )
    order = np.argsort(ids, kind="stable")
    return ids[order], waits[order]


_Members = tuple[Int64s, Int32s] | None  # ids and waits, in order of ids; None: some member has no id


class _Course(NamedTuple):
    """How the members of a population came and went: a column a step, in the order of `Population`."""

    steps: Int64s  # came, fresh, stayed, left, ended; -1 where they cannot be followed
    restarted: list[int]  # in each dump: those whose age has fallen
    released: int


def _population(
    key: _Key, groups: list[list[GoroutineGroup]], dumps: Sequence[_DumpIds], dated: Sequence[int]
) -> Population:
    members = [_members(here) if m.ids is not None else None for here, m in zip(groups, dumps, strict=True)]
    course = _follow(members, dumps)
    awake = [
        -1
        if some is None
        else max(again, _awake(key.state, some, dump.youngest_aged, members[then] if then >= 0 else None))
        for some, dump, again, then in zip(members, dumps, course.restarted, dated, strict=True)
    ]
    example = next(group for here in reversed(groups) for group in here)  # the newest says most
    came, fresh, stayed, left, ended = course.steps
    return Population(
        place=example.place,
        state=key.state,
        creator=example.created_by if key.creator else None,
        entry=example.stack.entry,
        groups=tuple(tuple(here) for here in groups),
        counts=np.array([sum(g.count for g in h) if m.present else -1 for h, m in zip(groups, dumps, strict=True)]),
        came=came,
        fresh=fresh,
        stayed=stayed,
        left=left,
        ended=ended,
        released=course.released,
        born=_born(members, dumps),
        since=_since(members),
        aged=np.array([-1 if some is None else int(np.count_nonzero(some[1] >= 1)) for some in members], np.int64),
        alive=np.array(awake, np.int64),
    )


def _follow(members: Sequence[_Members], dumps: Sequence[_DumpIds]) -> _Course:
    """Follow members by their ids from dump to dump."""
    steps: list[tuple[int, int, int, int, int]] = []
    restarted = [0] * len(dumps)
    released, standing_before = 0, np.zeros(0, np.int64)
    for at, (before, after) in enumerate(pairwise(members)):
        everybody, formerly = dumps[at + 1].ids, dumps[at].ids
        if before is None or after is None or everybody is None or formerly is None:
            steps.append((-1, -1, -1, -1, -1))
            continue
        same, old, new = _common(before[0], after[0])
        gone = len(before[0]) - len(same)
        ended = _not_among(before[0], everybody) if gone else 0
        came = len(after[0]) - len(same)
        fresh = _not_among(after[0], formerly) if came else 0
        steps.append((came, fresh, len(same), gone, ended))
        if gone and len(standing_before):
            released += _not_among(standing_before, after[0])
        standing_before = same
        waited = before[1][old]
        restarted[at + 1] = int(np.count_nonzero((waited >= 1) & (after[1][new] < waited)))
    return _Course(np.array(steps, np.int64).reshape(-1, 5).T, restarted, released)


def _born(members: Sequence[_Members], dumps: Sequence[_DumpIds]) -> int:
    """Return how many of the last dump's members were not in the process in the first; -1 unknown."""
    standing, first = (members[-1] if members else None), (dumps[0].ids if dumps else None)
    if standing is None or first is None or len(dumps) < 2:
        return -1
    return _not_among(standing[0], first)


def _since(members: Sequence[_Members]) -> Int64s:
    """Return how many of the last dump's members have been here without a break since each dump; -1 unknown."""
    since = np.full(len(members), -1, np.int64)
    ids: Int64s | None = None
    for at in range(len(members) - 1, -1, -1):
        here = members[at]
        if here is None:
            break
        ids = here[0] if ids is None else ids[among(ids, here[0])]
        since[at] = len(ids)
    return since


def _common(before: Int64s, after: Int64s) -> tuple[Int64s, Int64s | slice, Int64s | slice]:
    """Return the ids of both, and their rows in each; most populations stay as they are."""
    if len(before) == len(after) and (before == after).all():
        return before, slice(None), slice(None)
    old = np.flatnonzero(among(before, after))
    same = before[old]
    return same, old, np.searchsorted(after, same)


def _not_among(some: Int64s, others: Int64s) -> int:
    return len(some) - int(np.count_nonzero(among(some, others)))


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
    if state in AGELESS_STATES:
        return 0
    ids, waits = members
    ageless = waits < 1
    if not ageless.any():
        return 0
    anew = ageless & (ids < youngest_aged - _BATCHES)
    if formerly is not None and len(formerly[0]):
        anew |= ageless & among(ids, formerly[0])
    return int(np.count_nonzero(anew))


def count_in_baseline(process: Process) -> Callable[[Population], int | None]:
    """Return what tells how many goroutines of a population the healthy baseline has; None: there is no baseline."""
    if not process.baseline or process.baseline[-1].goroutines is None:
        return lambda _: None

    def alike(population: Population) -> tuple[str | None, str]:
        return population.state, population.example.stack.key  # another build has other lines

    counts = {alike(one): one.last for one in populations([process.baseline[-1].goroutines])}
    return lambda population: counts.get(alike(population), 0)


def started(dumps: Sequence[Goroutines | None]) -> Int64s:
    """Return how many goroutines the process started in each step, from the highest id seen; -1 where none is known.

    Go numbers goroutines as it starts them, in batches for each processor: a measure of work done, not an exact count.
    """
    highest = [
        max((int(group.ids.max()) for group in dump.groups if len(group.ids)), default=-1) if dump else -1
        for dump in dumps
    ]
    steps: list[int] = []
    for at, after in enumerate(highest[1:], 1):
        before = max(highest[:at])  # who had the highest id may have ended since
        again = after < 0.5 * before  # the process was started anew
        steps.append(-1 if min(highest[at - 1], after) < 0 or again else max(0, after - before))
    return np.array(steps, np.int64)

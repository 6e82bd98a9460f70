"""Goroutines of several snapshots -> populations: who stands where, how many, and who came, stayed and left.

A population is all goroutines that stand at one place in one state and were started alike; it is the same one in every
snapshot. What some snapshot cannot say (creators in protobuf, states in debug=1) tells no population apart in any.
Members are followed by their ids where dumps have them; what cannot be followed is -1, never a guess.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct

from oakum.compare.members import follow
from oakum.model import GoroutineGroup, Goroutines, Population, Process, normal_function
from oakum.model.profile import Int64s
from oakum.model.vocabulary import AGELESS_STATES

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
    # A dump may have as many places as goroutines: those that hold most say enough.
    largest = sorted(table.items(), key=lambda item: -max(sum(g.count for g in here) for here in item[1]))[:_MOST]
    if not largest:
        return ()
    ageless = np.array([key.state in AGELESS_STATES for key, _ in largest])
    course = follow(dumps, [groups for _, groups in largest], ageless, tuple(dated) or (-1,) * len(dumps))
    found = [_population(key, groups, dumps, course.of(row)) for row, (key, groups) in enumerate(largest)]
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


def _population(
    key: _Key, groups: list[list[GoroutineGroup]], dumps: Sequence[Goroutines | None], course: Mapping[str, Any]
) -> Population:
    example = next(group for here in reversed(groups) for group in here)  # the newest says most
    counts = [sum(g.count for g in here) if dump is not None else -1 for here, dump in zip(groups, dumps, strict=True)]
    return Population(
        place=example.place,
        state=key.state,
        creator=example.created_by if key.creator else None,
        entry=example.stack.entry,
        groups=tuple(tuple(here) for here in groups),
        counts=np.array(counts, np.int64),
        **course,
    )


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

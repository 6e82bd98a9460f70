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

from oakum.model import Frame, GoroutineGroup, Goroutines, normal_function
from oakum.model.profile import Int64s


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """Goroutines of one place through all moments, oldest first. Arrays have one value a moment, or one a step."""

    place: Frame | None
    state: str | None
    creator: Frame | None
    entry: Frame | None  # the function it started in
    groups: tuple[tuple[GoroutineGroup, ...], ...]  # its groups in each moment
    counts: Int64s  # -1 where the moment has no goroutines at all
    came: Int64s  # in each step: ids that are new; -1: they cannot be followed
    stayed: Int64s
    left: Int64s

    @property
    def followed(self) -> bool:
        """Tell whether members can be told apart in every step."""
        return len(self.came) > 0 and bool((self.came >= 0).all())

    @property
    def rise(self) -> int:
        """Return by how much the last moment exceeds the first that was seen."""
        seen = self.counts[self.counts >= 0]
        return int(seen[-1] - seen[0]) if len(seen) else 0


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


def _members(groups: Sequence[GoroutineGroup]) -> Int64s | None:
    """Return the ids of these groups, or None when some member has none."""
    if any(len(group.ids) != group.count for group in groups):
        return None
    return np.concatenate([group.ids for group in groups]) if groups else np.zeros(0, np.int64)


def populations(moments: Sequence[Goroutines | None], *, lines: bool = True) -> tuple[Population, ...]:
    """Return every population that stands in some moment, those that rose most first.

    None is a moment without goroutines. `lines=False` is for captures of different builds.
    """
    sight = _common_sight(moments, lines)
    table: dict[_Key, list[list[GoroutineGroup]]] = defaultdict(lambda: [[] for _ in moments])
    for at, moment in enumerate(moments):
        for group in moment.groups if moment is not None else ():
            table[sight.key(group)][at].append(group)
    with_ids = [moment is not None and any(len(group.ids) for group in moment.groups) for moment in moments]
    found = [_population(key, groups, moments, with_ids) for key, groups in table.items()]
    return tuple(sorted(found, key=lambda one: (-one.rise, -int(one.counts.max()), str(one.place), one.state or "")))


def _population(
    key: _Key, groups: list[list[GoroutineGroup]], moments: Sequence[Goroutines | None], with_ids: Sequence[bool]
) -> Population:
    counts = [sum(g.count for g in here) if m is not None else -1 for here, m in zip(groups, moments, strict=True)]
    members = [_members(here) if known else None for here, known in zip(groups, with_ids, strict=True)]
    steps: list[tuple[int, int, int]] = []
    for before, after in pairwise(members):
        if before is None or after is None:
            steps.append((-1, -1, -1))
        else:
            same = len(np.intersect1d(before, after))
            steps.append((len(after) - same, same, len(before) - same))
    came, stayed, left = np.array(steps, np.int64).reshape(-1, 3).T
    example = next(group for here in reversed(groups) for group in here)  # the newest says most
    return Population(
        place=example.place,
        state=key.state,
        creator=example.created_by if key.creator else None,
        entry=example.stack.entry,
        groups=tuple(tuple(here) for here in groups),
        counts=np.array(counts, np.int64),
        came=came,
        stayed=stayed,
        left=left,
    )


def started(moments: Sequence[Goroutines | None]) -> Int64s:
    """Return how many goroutines the process started in each step, from the highest id seen; -1 where none is known.

    Go numbers goroutines as it starts them, in batches for each processor: a measure of work done, not an exact count.
    """
    highest = [
        max((int(group.ids.max()) for group in moment.groups if len(group.ids)), default=-1) if moment else -1
        for moment in moments
    ]
    steps = [after - before if before >= 0 and after >= before else -1 for before, after in pairwise(highest)]
    return np.array(steps, np.int64)


__all__ = ["Population", "populations", "started"]

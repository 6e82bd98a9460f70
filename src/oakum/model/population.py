"""Goroutines of one place through all snapshots: how many, who stayed, who came alive again."""

from functools import cached_property

import numpy as np
from msgspec import Struct

from oakum.model.frame import Frame
from oakum.model.goroutine import NO_INT64S, GoroutineGroup
from oakum.model.profile import Int64s


class Population(Struct, frozen=True, eq=False, dict=True):
    """Goroutines that stand at one place in one state and were started alike, oldest snapshot first.

    Arrays have one value a snapshot, or one a step between two snapshots. What a capture cannot say is -1.
    """

    place: Frame | None
    state: str | None
    creator: Frame | None
    entry: Frame | None  # the function it started in
    groups: tuple[tuple[GoroutineGroup, ...], ...]  # its groups in each snapshot
    counts: Int64s  # -1 where the snapshot has no goroutines at all
    came: Int64s  # in each step: ids that were not here before; -1: they cannot be followed
    fresh: Int64s  # of those that came: not in the process before
    stayed: Int64s
    left: Int64s
    ended: Int64s  # of those that left: no longer in the process
    released: int  # members that stood here through a whole step and left later: whoever waits here can get on
    born: int  # of the members of the last snapshot: not yet in the process in the first; -1 unknown
    since: Int64s  # of the members of the last snapshot: how many have stood here without a break since each snapshot
    aged: Int64s  # in each snapshot: members whose header names a waiting time
    alive: Int64s  # in each snapshot: members whose wait has restarted since a collection saw others wait

    @cached_property
    def followed(self) -> bool:
        """Tell whether members can be told apart in every step."""
        return len(self.came) > 0 and min(self.came.tolist()) >= 0

    @cached_property
    def last(self) -> int:
        """Return how many there are in the last snapshot that has goroutines."""
        return next((count for count in reversed(self.counts.tolist()) if count >= 0), 0)

    @property
    def rise(self) -> int:
        """Return by how much the last snapshot exceeds the first that was seen."""
        seen = [count for count in self.counts.tolist() if count >= 0]
        return seen[-1] - seen[0] if seen else 0

    @cached_property
    def now(self) -> tuple[GoroutineGroup, ...]:
        """Return its groups in the last snapshot that has goroutines."""
        counts = self.counts.tolist()
        return next((self.groups[at] for at in range(len(counts) - 1, -1, -1) if counts[at] >= 0), ())

    @cached_property
    def ids(self) -> Int64s:
        """Return the ids of its members in the last snapshot that has goroutines, in order."""
        return np.sort(np.concatenate([NO_INT64S, *(group.ids for group in self.now)]))

    @property
    def example(self) -> GoroutineGroup:
        """Return one of its groups; the newest says most."""
        return self.groups[-1][0] if self.groups[-1] else next(one for here in reversed(self.groups) for one in here)


def alone(group: GoroutineGroup) -> Population:
    """Return the population that one group of one snapshot is."""
    none, one = np.zeros(0, np.int64), np.array([-1], np.int64)
    return Population(
        place=group.place, state=group.state, creator=group.created_by, entry=group.stack.entry, groups=((group,),),
        counts=np.array([group.count], np.int64), came=none, fresh=none, stayed=none, left=none, ended=none, released=0,
        born=-1, since=one, aged=one, alive=one,
    )  # fmt: skip


class Activity(Struct, frozen=True):
    """Work done in each step between two snapshots, in a unit of its own; () when no step tells it."""

    measure: str  # "goroutines started", "requests", "objects allocated", ""
    steps: tuple[float, ...]

"""Members of all populations, followed together by their ids from dump to dump: who came, stayed and left.

Comes in: the groups of each population in each dump. Goes out: a row for each population, a column for each dump or
step between two. Where some member has no id the members of its population cannot be followed: -1, never a guess.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct

from oakum.model import GoroutineGroup, Goroutines
from oakum.model.goroutine import NO_INT32S, NO_INT64S
from oakum.model.profile import Bools, Int32s, Int64s, among, unique_values

# Go hands ids to its processors in batches of 16: of two ids this far apart the higher one is the younger.
_BATCHES = 64


class Course(NamedTuple):
    """How the members of populations came and went: columns of `Population`, a row for each."""

    came: Int64s
    fresh: Int64s
    stayed: Int64s
    left: Int64s
    ended: Int64s
    released: Int64s
    born: Int64s
    since: Int64s
    aged: Int64s
    alive: Int64s

    def of(self, row: int) -> dict[str, Any]:
        """Return those fields of one `Population`."""
        return {
            name: column[row] if column.ndim > 1 else int(column[row])
            for name, column in zip(self._fields, self, strict=True)
        }


class _Dump(Struct, frozen=True):
    """The goroutines of one dump that have ids, and what all of them tell together."""

    ids: Int64s  # of all, in order
    # The youngest that a collection has seen waiting: who is older and waits without an age has waited anew since.
    youngest_aged: int
    known: Bools  # of each population: its members can be followed
    # Of members that can be, in the order of `keys`, which are those of population and id together.
    keys: Int64s
    members: Int64s
    populations: Int64s
    waits: Int32s

    @property
    def sizes(self) -> Int64s:
        """Return how many members each population has that can be followed."""
        return _count(self.populations, len(self.known))

    def count(self, which: Bools) -> Int64s:
        """Return of each population how many of the members are among these."""
        return _count(self.populations[which], len(self.known))


def follow(
    dumps: Sequence[Goroutines | None],
    groups: Sequence[Sequence[Sequence[GoroutineGroup]]],
    ageless: Bools,
    dated: Sequence[int],
) -> Course:
    """Follow the members of populations, each given by its groups in each dump.

    `ageless`: of each population whether its wait never has an age. `dated`: see `populations`.
    """
    listed = [_ids(dump) for dump in dumps]
    everybody = unique_values(np.concatenate([NO_INT64S, *listed]))
    seen = [
        _seen(dump, ids, everybody, [of[at] for of in groups])
        for at, (dump, ids) in enumerate(zip(dumps, listed, strict=True))
    ]
    (came, fresh, stayed, left, ended), released, restarted = _steps(seen, len(everybody))
    awake = [
        here.count(_awake(here, seen[:at], seen[then] if then >= 0 else None) & ~ageless[here.populations])
        for at, (here, then) in enumerate(zip(seen, dated, strict=True))
    ]
    return Course(
        came=came,
        fresh=fresh,
        stayed=stayed,
        left=left,
        ended=ended,
        released=released,
        born=_born(seen),
        since=_since(seen, len(everybody)),
        aged=_where_known(seen, [here.count(here.waits >= 1) for here in seen]),
        alive=_where_known(seen, np.maximum(restarted, awake)),
    )


def _steps(seen: Sequence[_Dump], everybody: int) -> tuple[Int64s, Int64s, Int64s]:
    """Return who came, was fresh, stayed, left and ended in each step; who was released; whose age fell, by dump."""
    many = len(seen[0].known)
    steps = np.full((5, many, len(seen) - 1), -1, np.int64)
    restarted = np.zeros((len(seen), many), np.int64)
    released = np.zeros(many, np.int64)
    standing = NO_INT64S  # keys of who stood at one place through the last step that can be followed
    for at, (before, after) in enumerate(pairwise(seen)):
        both = before.known & after.known
        stays = among(before.keys, after.keys)
        same = before.keys[stays]
        stayed = before.count(stays)
        left = before.sizes - stayed
        fresh, ended = after.count(~among(after.members, before.ids)), before.count(~among(before.members, after.ids))
        steps[:, both, at] = np.stack((after.sizes - stayed, fresh, stayed, left, ended))[:, both]
        of = standing // everybody
        released += _count(of[(both & (left > 0))[of] & ~among(standing, after.keys)], many)
        standing = np.concatenate((standing[~both[of]], same))
        waited, waits = before.waits[stays], after.waits[np.searchsorted(after.keys, same)]
        restarted[at + 1] = _count(before.populations[stays][(waited >= 1) & (waits < waited)], many)
    return steps, released, restarted


def _where_known(seen: Sequence[_Dump], counts: Sequence[Int64s] | Int64s) -> Int64s:
    """Return the counts of each dump as columns, -1 where members cannot be followed."""
    return np.stack([np.where(here.known, some, -1) for here, some in zip(seen, counts, strict=True)], axis=1)


def _ids(dump: Goroutines | None) -> Int64s:
    groups = dump.groups if dump is not None else ()
    return np.sort(np.concatenate([NO_INT64S, *(group.ids for group in groups)]))


def _seen(
    dump: Goroutines | None, ids: Int64s, everybody: Int64s, populations: Sequence[Sequence[GoroutineGroup]]
) -> _Dump:
    groups = dump.groups if dump is not None else ()
    aged = [group.ids[group.waits >= 1] for group in groups if len(group.waits) == len(group.ids)]
    known = [len(ids) > 0 and all(len(group.ids) == group.count for group in here) for here in populations]
    rows = [(at, group) for at, here in enumerate(populations) if known[at] for group in here]
    of = np.repeat(np.array([at for at, _ in rows], np.int64), [group.count for _, group in rows])
    members = np.concatenate([NO_INT64S, *(group.ids for _, group in rows)])
    waits = np.concatenate([NO_INT32S, *(_waits(group) for _, group in rows)])
    keys = of * len(everybody) + np.searchsorted(everybody, members)
    order = np.argsort(keys, kind="stable")
    return _Dump(
        ids,
        int(np.concatenate([NO_INT64S, *aged]).max(initial=-1)),
        np.array(known, np.bool_),
        keys[order],
        members[order],
        of[order],
        waits[order],
    )


def _waits(group: GoroutineGroup) -> Int32s:
    return group.waits if len(group.waits) == group.count else np.full(group.count, -1, np.int32)


def _count(populations: Int64s, of: int) -> Int64s:
    return np.bincount(populations, minlength=of)


def _awake(here: _Dump, before: Sequence[_Dump], formerly: _Dump | None) -> Bools:
    """Return who waits without an age although it would have one, had it waited all the time.

    The collection that gave a younger one its age would have given it one too; and so would one that is known to have
    run since it was last seen here. Who was seen elsewhere has come since, perhaps after that collection.
    """
    older = here.members < here.youngest_aged - _BATCHES
    for dump in before:
        elsewhere = among(here.members, dump.ids) & ~among(here.keys, dump.keys)
        older &= ~(elsewhere & dump.known[here.populations])
    if formerly is not None:
        older |= among(here.keys, formerly.keys)
    return (here.waits < 1) & older


def _born(seen: Sequence[_Dump]) -> Int64s:
    """Return how many of the last dump's members were not in the process in the first; -1 unknown."""
    first, last = seen[0], seen[-1]
    unknown = ~last.known if len(seen) > 1 and len(first.ids) else np.ones(len(last.known), np.bool_)
    return np.where(unknown, -1, last.count(~among(last.members, first.ids)))


def _since(seen: Sequence[_Dump], everybody: int) -> Int64s:
    """Return how many of the last dump's members have been here without a break since each dump; -1 unknown."""
    since = np.full((len(seen), len(seen[-1].known)), -1, np.int64)
    keys, unbroken = seen[-1].keys, seen[-1].known
    for at in range(len(seen) - 1, -1, -1):
        unbroken = unbroken & seen[at].known
        keys = keys[among(keys, seen[at].keys)]
        since[at, unbroken] = _count(keys // everybody, len(unbroken))[unbroken]
    return since.T

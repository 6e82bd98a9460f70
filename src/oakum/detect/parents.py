"""Goroutines that wait for others without a lock -> who waits for which child, and who for a place in a full channel.

Comes in: groups that may be stuck, and actors already told apart. Goes out: parents in a WaitGroup, a receive or a
select with the child that never ends. Go 1.21+ prints the parent's id; before, its stack has the creator's name.
"""

from collections import defaultdict
from collections.abc import Callable
from collections.abc import Set as AbstractSet

import numpy as np
from msgspec import Struct

from oakum.detect.lock_actors import WAITGROUP, Actor, TypeName, type_of
from oakum.detect.shape import awaits_answer
from oakum.detect.stop_calls import Stop, hardness, stops
from oakum.model import Frame, GoroutineGroup, Goroutines, Text, normal_function
from oakum.model.diagnosis import Argument, Because
from oakum.model.goroutine import NO_INT64S
from oakum.model.profile import Int64s, among, unique_values
from oakum.model.vocabulary import LOCK_FREE_STATES, SOFT_STATES

# Its own child; one that its parent made, too; one that already does what it waits to do; one that works for the object
# that it stops: by its address, by its type.
_LINKS: tuple[tuple[str, Because], ...] = (
    ("parent", "parent"), ("beside", "behind"), ("place", "behind"), ("object", "behind"), ("type", "behind"),
)  # fmt: skip
_CHILD, _BESIDE, _PLACE, _OBJECT, _TYPE = range(len(_LINKS))
# Groups above this size are not distinguished member by member.
_SINGLE = 64
# Groups that are looked at where very many have the same creator or stand in the same function; the likely come first.
_MOST_ALIKE = 64


class Awaited(Struct, frozen=True, eq=False):
    """One waits until another has ended."""

    waiter: Actor
    child: Actor
    because: Because
    certain: bool
    text: Text


class _Aim(Struct, eq=False):
    """For each row of a group the group and the row that it waits for, -1: none."""

    groups: Int64s
    rows: Int64s
    link: Int64s  # an index into _LINKS


def awaited(
    goroutines: Goroutines,
    stuck: Callable[[int], bool],
    actors: list[Actor],
    held_up_by: dict[int, Actor],
) -> list[Awaited]:
    """Return who waits for a child. `held_up_by`: whom an actor (by identity) already waits for because of a lock.

    Three kinds of waits, each an aim for the rows of a group: for a place in a full channel, for a child, for the
    goroutine of an object that is being stopped.
    """
    groups = goroutines.groups
    parents = [index for index, group in enumerate(groups) if stuck(index) and _awaits(group)]
    aims = _queues(groups, stuck)
    stopping = stops(goroutines, stuck)
    if not parents and not aims and not stopping:
        return []
    children = sorted(
        (index for index, group in enumerate(groups) if stuck(index) and _maker(group) is not None),
        key=lambda index: (-hardness(groups[index]), -groups[index].count),
    )
    has_parent_ids = any(groups[index].parents.any() for index in children)
    if has_parent_ids:
        found = _by_id(groups, parents, children)
        _prefer_own_victims(found, actors, held_up_by)
    else:
        found = _by_name(groups, parents, children)
    aims |= {index: aim for index, aim in found.items() if (aim.groups >= 0).any()}
    for stop in stopping:
        _aim_at_object(aims.setdefault(stop.group, _nothing(groups[stop.group])), stop, has_parent_ids)
    return _Cast(goroutines, actors, aims, held_up_by, stuck).play()


def _aim_at_object(aim: _Aim, stop: Stop, has_parent_ids: bool) -> None:
    """Let who stops an object wait for the goroutine that works for it, unless a stronger link is known.

    An address outdoes a name, and not an id; that two objects are of one type outdoes nothing.
    """
    rows = np.array(stop.rows, np.int64) if stop.rows else np.arange(len(aim.groups), dtype=np.int64)
    linked_by_id = (aim.link[rows] == _CHILD) & has_parent_ids
    free = (aim.groups[rows] < 0) | (stop.certain & ~linked_by_id)
    aim.groups[rows[free]], aim.rows[rows[free]] = stop.target, stop.row
    aim.link[rows[free]] = _OBJECT if stop.certain else _TYPE


def _maker(group: GoroutineGroup) -> str | None:
    """Return the function that started a group; protobuf names none, but most closures are started where they stand."""
    if group.created_by is not None:
        return group.created_by.function
    entry = group.stack.entry
    return _closure_of(entry) if entry is not None else None


def _awaits(group: GoroutineGroup) -> bool:
    return group.state in (WAITGROUP, "chan receive", "select")


def _may_wait_for(parent: GoroutineGroup, child: GoroutineGroup) -> bool:
    """Tell whether the parent's stack speaks for waiting until the child has ended."""
    made_by = _maker(child)
    if made_by is None or (parent.state == "select" and child.state in LOCK_FREE_STATES):
        return False
    if parent.state == WAITGROUP and child.state not in LOCK_FREE_STATES:
        return True
    if parent.state != WAITGROUP and child.state in LOCK_FREE_STATES and child.place == child.stack.entry:
        return False  # go func() { <-ctx.Done(); ... }() waits for the end of its parent
    # A loop that starts children and goes on waits for other things; who waits where it started the child waits for it.
    creator = normal_function(made_by)
    place = parent.place
    if parent.state == "select":
        return place is not None and normal_function(place.function) == creator
    # errgroup.(*Group).Go started it, errgroup.(*Group).Wait waits for it
    made = type_of(made_by)
    return any(
        normal_function(frame.function) == creator or type_of(frame.function) == made for frame in parent.stack.frames
    )


def _nothing(group: GoroutineGroup) -> _Aim:
    return _Aim(*(np.full(max(1, group.count), -1, np.int64) for _ in range(3)))


def _by_id(groups: tuple[GoroutineGroup, ...], parents: list[int], children: list[int]) -> dict[int, _Aim]:
    told = [index for index in parents if len(groups[index].ids) == groups[index].count]
    found = {index: _nothing(groups[index]) for index in told}
    if not told:
        return found
    ids = np.concatenate([groups[index].ids for index in told])
    owners = np.concatenate([np.full(groups[index].count, index, np.int64) for index in told])
    order = np.argsort(ids, kind="stable")
    ids, owners = ids[order], owners[order]
    by_creator: dict[str, list[int]] = defaultdict(list)
    for child in children:
        of = groups[child]
        if len(of.parents) != of.count or of.created_by is None:
            continue
        if of.state != WAITGROUP:
            by_creator[of.created_by.function].append(child)
        hit = np.searchsorted(ids, of.parents[among(of.parents, ids)])
        for index in unique_values(owners[hit]).tolist():
            if _may_wait_for(groups[index], of):
                _mark(found[index], groups[index].ids, of.parents, child, _CHILD)
    for index in told:
        group = groups[index]
        if group.state != WAITGROUP or group.created_by is None or len(group.parents) != group.count:
            continue
        # go func() { pending.Wait(); close(results) }(): it waits for those that were started beside it.
        for child in by_creator[group.created_by.function][:_MOST_ALIKE]:
            if child != index and _beside(group, groups[child]):
                _mark(found[index], group.parents, groups[child].parents, child, _BESIDE)
    return found


def _beside(group: GoroutineGroup, other: GoroutineGroup) -> bool:
    """Tell whether the same code of its own started both; who serves connections starts what has nothing in common."""
    creator, place = group.created_by, group.place
    if creator is None or other.created_by is None or place is None or other.state == WAITGROUP:
        return False
    return creator.function == other.created_by.function and creator.package == place.package


def _mark(aim: _Aim, wanted: Int64s, parents: Int64s, child: int, link: int) -> None:
    order = np.argsort(parents, kind="stable")
    at = np.searchsorted(parents[order], wanted)
    inside = at < len(order)
    hit = np.zeros(len(wanted), bool)
    hit[inside] = parents[order[at[inside]]] == wanted[inside]
    hit &= (wanted > 0) & (aim.groups < 0)
    aim.groups[hit], aim.rows[hit], aim.link[hit] = child, order[at[hit]], link


def _by_name(groups: tuple[GoroutineGroup, ...], parents: list[int], children: list[int]) -> dict[int, _Aim]:
    started: dict[str | TypeName, list[int]] = defaultdict(list)
    for child in children:
        creator = _maker(groups[child])
        if creator is not None:
            started[normal_function(creator)].append(child)
            started[type_of(creator)].append(child)
    rank = {child: number for number, child in enumerate(children)}
    found = {}
    for index in parents:
        group = groups[index]
        names: set[str | TypeName] = {*group.stack.normal_names}
        if (entry := group.stack.entry) is not None and _closure_of(entry) and _maker(group) is not None:
            # go func() { s.Handle() }() and its neighbours are closures of one function; none of them started another.
            names -= {normal_function(entry.function)} & {normal_function(_maker(group) or "")}
        names |= {type_of(frame.function) for frame in group.stack.frames}
        near = set(names) | ({normal_function(group.created_by.function)} if group.created_by else set())
        possible = {child for name in near for child in started.get(name, ())[:_MOST_ALIKE]} - {index}
        found[index] = _nothing(group)
        for child in sorted(possible, key=rank.__getitem__):
            link = _named_link(group, groups[child], names)
            if link is not None:
                found[index].groups[:], found[index].rows[:], found[index].link[:] = child, 0, link
                break
    return found


def _named_link(group: GoroutineGroup, child: GoroutineGroup, names: AbstractSet[str | TypeName]) -> int | None:
    creator = _maker(child)
    assert creator is not None
    own = normal_function(creator) in names or (type_of(creator) in names and _given_by(group, child, type_of(creator)))
    if own and _may_wait_for(group, child) and child.state not in LOCK_FREE_STATES - SOFT_STATES:
        return _CHILD
    beside = group.state == WAITGROUP and _beside(group, child) and type_of(creator).name != "main()"
    return _BESIDE if beside and child.state not in LOCK_FREE_STATES else None


def _given_by(group: GoroutineGroup, child: GoroutineGroup, helper: TypeName) -> bool:
    """Tell whether a child that a helper started runs what the code that waits gave to the helper.

    errgroup.(*Group).Go started a function of the package whose code now stands in errgroup.(*Group).Wait.
    """
    rows = [row for row, frame in enumerate(group.stack.frames) if type_of(frame.function) == helper]
    user = group.stack.frames[rows[-1] + 1 :][:1]
    return any(frame.package == one.package for one in user for frame in child.stack.frames[-2:])


def _closure_of(frame: Frame) -> str | None:
    name = normal_function(frame.function)
    return name.removesuffix(".func") if name.endswith(".func") else None


def _queues(groups: tuple[GoroutineGroup, ...], stuck: Callable[[int], bool]) -> dict[int, _Aim]:
    """Return who does what others wait to do: it stands past the line where they wait, in what was called next.

    slots <- struct{}{} before the work, <-slots behind it; or one does the work for all that wait in a WaitGroup.
    """
    queues = [n for n, group in enumerate(groups) if stuck(n) and group.state in ("chan send", WAITGROUP)]
    working: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for index, group in enumerate(groups if queues else ()):
        if group.state is not None and not group.state.startswith("run"):
            for frame in group.stack.frames:
                if frame != group.place:
                    working[frame.function].append((frame.line, index))
    found = {}
    for index in queues:
        group = groups[index]
        at = group.stack.frames.index(group.place) if group.place else 0
        # A helper that only takes the place, acquire(), returns before the work begins: then its caller's line tells.
        for frame in group.stack.frames[at : at + 2]:
            holders = [
                other
                for line, other in working[frame.function][:_MOST_ALIKE]
                if line > frame.line and other != index and (stuck(other) or _may_be_led(group, groups[other], frame))
            ]
            if holders and group.place and frame.package == group.place.package:
                found[index] = _nothing(group)
                found[index].groups[:] = max(holders, key=lambda other: groups[other].count)
                found[index].rows[:], found[index].link[:] = 0, _PLACE
                break
    return found


def _may_be_led(group: GoroutineGroup, leader: GoroutineGroup, frame: Frame) -> bool:
    """Tell whether who looks well may still be whom the others wait for.

    Who waits in a WaitGroup waits so for one that went on in the very function, to a server that has not answered.
    """
    return group.state != WAITGROUP or (frame == group.place and awaits_answer(leader))


def _prefer_own_victims(aims: dict[int, _Aim], actors: list[Actor], held_up_by: dict[int, Actor]) -> None:
    """Aim a parent that holds a lock at the child that waits for that lock: the two wait for each other."""
    for actor in actors:
        holder = held_up_by.get(id(actor))
        if holder is None or holder.group not in aims or len(holder.rows) != 1 or len(actor.of.parents) == 0:
            continue
        row = int(holder.rows[0])
        mine = np.flatnonzero(actor.of.parents[actor.rows] == holder.of.ids[row])
        if len(mine):
            aim = aims[holder.group]
            aim.groups[row], aim.rows[row], aim.link[row] = actor.group, int(actor.rows[mine[0]]), _CHILD


class _Cast:
    """Which actor a row of a group belongs to; makes the actors that are missing."""

    def __init__(
        self,
        goroutines: Goroutines,
        actors: list[Actor],
        aims: dict[int, _Aim],
        held_up_by: dict[int, Actor],
        stuck: Callable[[int], bool],
    ) -> None:
        self._groups = goroutines.groups
        self._stuck = stuck
        self._aims = aims
        self._known: dict[int, list[Actor]] = defaultdict(list)
        holding = set(map(id, held_up_by.values()))
        for actor in actors:
            whole = actor.count > 1 and actor.group in aims and id(actor) not in holding
            if not whole:  # members of a group that waits for children are told apart by the child
                self._known[actor.group].append(actor)
        self._ready: dict[int, tuple[list[Actor], Int64s]] = {}

    def play(self) -> list[Awaited]:
        """Return who waits for whom."""
        found = []
        for index, aim in self._aims.items():
            actors, _ = self._of(index)
            for actor in actors:
                row = int(actor.rows[0]) if len(actor.rows) else 0
                if row >= len(aim.groups) or aim.groups[row] < 0:
                    continue
                child = self._at(int(aim.groups[row]), int(aim.rows[row]))
                if child is not actor:
                    found.append(_awaited(actor, child, int(aim.link[row])))
        return found

    def _at(self, index: int, row: int) -> Actor:
        actors, owner = self._of(index)
        return actors[int(owner[row])] if row < len(owner) else actors[-1]

    def _of(self, index: int) -> tuple[list[Actor], Int64s]:
        ready = self._ready.get(index)
        if ready is None:
            ready = self._ready[index] = self._make(index)
        return ready

    def _make(self, index: int) -> tuple[list[Actor], Int64s]:
        group = self._groups[index]
        actors = list(self._known.get(index, ()))
        if len(group.ids) != group.count:
            return actors or [Actor(index, group, group.count, self._stuck(index))], NO_INT64S
        owner = np.full(group.count, -1, np.int64)
        for number, actor in enumerate(actors):
            owner[actor.rows] = number
        aim = self._aims.get(index)
        if aim is None or len(aim.groups) != group.count:
            kinds = np.zeros(group.count, np.int64)
        elif group.count <= _SINGLE:
            kinds = np.where(aim.groups < 0, -1, np.arange(group.count, dtype=np.int64))
        else:
            kinds = aim.groups
        for kind in unique_values(kinds[owner < 0]).tolist():
            rows = np.flatnonzero((owner < 0) & (kinds == kind)).astype(np.int64)
            owner[rows] = len(actors)
            actors.append(Actor(index, group, len(rows), self._stuck(index), rows))
        return actors, owner


def _awaited(waiter: Actor, child: Actor, link: int) -> Awaited:
    place = child.of.place
    args: dict[str, Argument] = {
        "function": place.function if place else "",
        "state": child.state or "",
        "child": int(child.of.ids[child.rows[0]]) if len(child.rows) and len(child.of.ids) else 0,
        "parent": waiter.oldest,
    }
    key, because = _LINKS[link]
    told = bool(len(waiter.of.ids)) and bool(child.of.parents.any())
    certain = link == _OBJECT or (link == _CHILD and told)
    if link == _CHILD and not told:
        key = "parent.by-name"
    return Awaited(waiter, child, because, certain, Text(f"locks.{key}", args))

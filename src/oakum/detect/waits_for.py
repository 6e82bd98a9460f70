"""Goroutines of one snapshot -> components: who waits for whom, the few roots before their many victims.

Comes in: `Goroutines` and which groups may be stuck. Goes out: components, one for each cause, from stacks alone: locks
that are held, locked twice or in a cycle, parents that wait for a child that never ends. No goroutine is in two.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet

import numpy as np
from msgspec import Struct, field

from oakum.detect.lock_actors import Actor, is_method, read, type_of
from oakum.detect.locks import Wait, state_rank, waits
from oakum.detect.parents import awaited
from oakum.model import EvidenceKind, Goroutines, Mechanism, Text
from oakum.model.diagnosis import Because
from oakum.model.goroutine import NO_INT64S
from oakum.model.profile import Int64s


class Node(Struct, frozen=True, eq=False):
    """Goroutines of one group that play one part. `members`: their rows; empty when the capture tells none apart."""

    group: int
    count: int
    members: Int64s = field(default_factory=lambda: NO_INT64S)


class Link(Struct, frozen=True, eq=False):
    """Why goroutines wait for others; for themselves when they locked twice."""

    waiter: Node
    waits_for: Node
    because: Because
    detail: Text
    certain: bool


class Sign(Struct, frozen=True, eq=False):
    """One thing that the stacks tell, and the goroutine that shows it: a row of its group, -1 when all do."""

    kind: EvidenceKind
    text: Text
    group: int
    member: int = -1


class WaitComponent(Struct, frozen=True, eq=False):
    """Goroutines of one cause. `mechanisms` best first; () when the links tell no more than the root's own state."""

    roots: tuple[Node, ...]  # the best root first
    victims: tuple[tuple[Node, Because], ...]
    mechanisms: tuple[Mechanism, ...]
    evidence: tuple[Sign, ...]
    links: tuple[Link, ...]
    certain: bool  # the words of the stacks tell it, not their shape alone


# Goroutines and locks of one component that are told one by one.
_MOST_SIGNS = 8


class _Edge(Struct, eq=False):
    waiter: Actor
    target: Actor
    because: Because
    text: Text
    certain: bool
    wait: Wait | None = None


def wait_components(
    goroutines: Goroutines, suspicious: Callable[[int], bool] | AbstractSet[int]
) -> tuple[WaitComponent, ...]:
    """Return the components, most goroutines first. Who is not `suspicious` may be a holder, never a victim."""
    stuck = suspicious if callable(suspicious) else suspicious.__contains__
    actors = read(goroutines, stuck)
    edges, alone = _lock_edges(waits(actors))
    held_up_by = {key: edge.target for key, edge in edges.items()}
    for one in awaited(goroutines, stuck, actors, held_up_by):
        edges.setdefault(id(one.waiter), _Edge(one.waiter, one.child, one.because, one.text, one.certain))
    found = _gather(edges, alone)
    return tuple(sorted(found, key=lambda component: -_size(component)))


def _size(component: WaitComponent) -> int:
    return sum(node.count for node in component.roots) + sum(node.count for node, _ in component.victims)


def _lock_edges(found: Iterable[Wait]) -> tuple[dict[int, _Edge], dict[int, Wait]]:
    """Return the edge of each waiter, by the actor's identity, and those who stand for a lock that nobody holds."""
    edges: dict[int, _Edge] = {}
    alone: dict[int, Wait] = {}
    orphans: dict[int, list[Wait]] = defaultdict(list)
    for wait in found:
        if wait.holder is None:
            orphans[id(wait.lock)].append(wait)
        else:
            because: Because = "behind" if wait.part == "writer" else "same lock"
            edges[id(wait.waiter)] = _Edge(wait.waiter, wait.holder, because, wait.text, wait.certain, wait)
    holding = {id(edge.target) for edge in edges.values()}
    for queue in orphans.values():
        by_group: dict[int, int] = defaultdict(int)
        for wait in queue:
            by_group[wait.waiter.group] += wait.waiter.count

        def likely(wait: Wait, by_group: dict[int, int] = by_group) -> tuple[bool, int, int, int, int]:
            one = wait.waiter
            nested = 0 if wait.lock.addresses else _called(one) + _nested(one)
            return id(one) in holding, nested, state_rank(one), by_group[one.group], -one.oldest

        first = max(queue, key=likely)
        for wait in queue:
            alone[id(wait.waiter)] = wait
            if wait is not first:
                edges[id(wait.waiter)] = _Edge(wait.waiter, first.waiter, "same lock", wait.text, wait.certain, wait)
    return edges, alone


def _gather(edges: dict[int, _Edge], alone: dict[int, Wait]) -> list[WaitComponent]:
    """Return one component for each end that the edges lead to: one that waits for nobody known, or a cycle."""
    everyone: dict[int, Actor] = {}
    for edge in edges.values():
        everyone[id(edge.waiter)] = edge.waiter
        everyone[id(edge.target)] = edge.target
    for wait in alone.values():
        everyone[id(wait.waiter)] = wait.waiter
    end_of: dict[int, tuple[int, ...]] = {}
    for start in everyone:
        path: list[int] = []
        seen: dict[int, int] = {}
        at = start
        while at not in end_of and at not in seen:
            seen[at] = len(path)
            path.append(at)
            if at not in edges:
                break
            at = id(edges[at].target)
        if at in end_of:
            end = end_of[at]
        elif at in edges:
            end = tuple(path[seen[at] :])  # a circle
        else:
            end = (at,)
        for one in path:
            end_of[one] = end
    # Ends that stand in the same group are one cause: one child a request, one object a session.
    causes = _Union()
    for end in set(end_of.values()):
        for one in end:
            causes.join(everyone[end[0]].group, everyone[one].group)
    parts: dict[int, list[int]] = defaultdict(list)
    for one, end in end_of.items():
        parts[causes.find(everyone[end[0]].group)].append(one)
    return [_component([everyone[one] for one in part], end_of, edges, alone) for part in parts.values()]


class _Union:
    def __init__(self) -> None:
        self._parent: dict[int, int] = {}

    def find(self, one: int) -> int:
        self._parent.setdefault(one, one)
        while self._parent[one] != one:
            self._parent[one] = self._parent[self._parent[one]]
            one = self._parent[one]
        return one

    def join(self, one: int, other: int) -> None:
        self._parent[self.find(one)] = self.find(other)


def _component(
    part: list[Actor], end_of: dict[int, tuple[int, ...]], edges: dict[int, _Edge], alone: dict[int, Wait]
) -> WaitComponent:
    ends = [actor for actor in part if id(actor) in end_of[id(actor)]]
    circle = [edges[id(one)] for one in ends if id(one) in edges]
    roots = _roots(part, ends, circle, alone)
    rooted = set(map(id, roots))
    others = [actor for actor in part if id(actor) not in rooted]
    victims: dict[tuple[int, Because], list[Actor]] = defaultdict(list)
    for actor in others:
        victims[(actor.group, edges[id(actor)].because)].append(actor)
    used = [edges[id(actor)] for actor in part if id(actor) in edges]
    return WaitComponent(
        roots=tuple(_node(ones) for ones in _ordered(roots, others, edges)),
        victims=tuple(
            (_node(ones), because)
            for (_, because), ones in sorted(victims.items(), key=lambda one: -sum(a.count for a in one[1]))
        ),
        mechanisms=_mechanisms(roots, circle, edges, alone, any(_holds(edge) for edge in used)),
        evidence=_evidence(roots, circle, edges, alone, used),
        links=_links(used),
        certain=bool(used) and all(edge.certain for edge in used),
    )


def _roots(part: list[Actor], ends: list[Actor], circle: list[_Edge], alone: dict[int, Wait]) -> list[Actor]:
    """Return who has to be fixed, of those that everybody waits for in the end."""
    roots = ends
    # In a cycle of locks and other waits, who holds a lock and waits for something else is what has to be fixed.
    if any(edge.wait for edge in circle) and any(edge.wait is None for edge in circle):
        roots = [one for one in ends if one.want is None]
    rooted = set(map(id, roots))
    # Without a holder all who wait alike are equal: none of them is the first.
    equal = {actor.group for actor in roots if id(actor) in alone}
    alike = [actor for actor in part if id(actor) not in rooted and id(actor) in alone and actor.group in equal]
    return [*roots, *alike]


def _ordered(roots: list[Actor], others: list[Actor], edges: dict[int, _Edge]) -> list[list[Actor]]:
    """Return the roots by group, the best first: locked twice, the likelier state, more who wait for it, the older."""
    behind: dict[int, int] = defaultdict(int)
    for actor in others:
        edge = edges.get(id(actor))
        if edge is not None:
            behind[edge.target.group] += actor.count
    by_group: dict[int, list[Actor]] = defaultdict(list)
    for actor in roots:
        by_group[actor.group].append(actor)

    def rank(ones: list[Actor]) -> tuple[bool, int, int, int]:
        twice = any(_part(edges, one) in ("twice", "reads-again") for one in ones)
        likeliest = max(state_rank(one) for one in ones)
        return not twice, -likeliest, -behind[ones[0].group], min(one.oldest for one in ones)

    return sorted(by_group.values(), key=rank)


def _holds(edge: _Edge) -> bool:
    return edge.wait is not None and edge.wait.holder is not None


def _links(used: list[_Edge]) -> tuple[Link, ...]:
    alike: dict[tuple[int, int, Because, str], list[_Edge]] = defaultdict(list)
    for edge in used:
        alike[(edge.waiter.group, edge.target.group, edge.because, edge.text.key)].append(edge)
    return tuple(
        Link(
            _node([edge.waiter for edge in ones]),
            _node(list({id(edge.target): edge.target for edge in ones}.values())),
            because,
            ones[0].text,
            all(edge.certain for edge in ones),
        )
        for (_, _, because, _), ones in alike.items()
    )


def _part(edges: dict[int, _Edge], actor: Actor) -> str:
    edge = edges.get(id(actor))
    return edge.wait.part if edge is not None and edge.wait is not None else ""


def _mechanisms(
    roots: list[Actor], circle: list[_Edge], edges: dict[int, _Edge], alone: dict[int, Wait], locked: bool
) -> tuple[Mechanism, ...]:
    """Return what the links tell, best first. `locked`: somebody in it waits for a lock that another holds."""
    if any(id(one) in alone for one in roots):
        shape = not any(alone[id(one)].lock.addresses for one in roots if id(one) in alone)
        several = sum(one.count for one in roots) > 1
        # A mutex is locked twice by one goroutine. Several in methods of one type, each within another, or with a lock
        # that others wait for: each waits for the next one's.
        ring = shape and several and (locked or all(_nested(one) for one in roots))
        return ("lock-cycle", "double-lock") if ring else ("double-lock", "lock-held-while-waiting")
    if not locked:
        return ()
    parts = {_part(edges, one) for one in roots}
    if "reads-again" in parts:
        return ("double-lock", "lock-cycle")
    if "twice" in parts:
        twice = [one for one in roots if _part(edges, one) == "twice"]
        if all(edges[id(one)].certain for one in twice):
            return ("double-lock",)
        return ("double-lock", "lock-cycle" if len(twice) > 1 else "lock-held-while-waiting")
    if not circle:
        return ("lock-held-while-waiting",)
    return ("lock-cycle",) if all(edge.wait for edge in circle) else ("lock-held-while-waiting", "lock-cycle")


def _nested(actor: Actor) -> bool:
    want = actor.want
    if want is None or want.row + 1 >= len(actor.frames):
        return False
    own = type_of(want.frame.function)
    return any(is_method(frame) and type_of(frame.function) == own for frame in actor.frames[want.row + 1 :])


def _called(actor: Actor) -> bool:
    """Tell whether code of the same package called what asks for the lock: it may hold another one meanwhile."""
    want = actor.want
    return want is not None and any(
        frame.package == want.frame.package for frame in actor.frames[want.row + 1 : want.row + 2]
    )


def _evidence(
    roots: list[Actor], circle: list[_Edge], edges: dict[int, _Edge], alone: dict[int, Wait], used: list[_Edge]
) -> tuple[Sign, ...]:
    found: list[Sign] = []
    for edge in circle[:_MOST_SIGNS]:
        wait = edge.wait
        if wait is not None and wait.part == "twice":
            found.append(_sign("locked-twice", edge.text, edge.waiter))
        elif wait is not None and wait.part == "reads-again":
            found.append(_sign("reader-writer-reader", edge.text, edge.waiter))
    locks = {id(edge.wait.lock): edge.wait.lock for edge in used if edge.wait is not None}
    locks |= {id(wait.lock): wait.lock for wait in (alone.get(id(one)) for one in roots) if wait is not None}
    if len(circle) > 1 and not found and not any(id(one) in alone for one in roots):
        count = sum(edge.waiter.count for edge in circle)
        found.append(_sign("wait-cycle", Text("locks.cycle", {"count": count}), circle[0].waiter))
    for lock in list(locks.values())[:_MOST_SIGNS]:
        first = min(lock.waiters, key=lambda one: one.oldest)
        told = [edges[id(one)] for one in lock.waiters if _part(edges, one) == "holder"]
        if told and not any(_part(edges, one) in ("twice", "reads-again") for one in lock.waiters):
            found.append(_sign("lock-holder", told[0].text, told[0].target))
        elif not told and (lonely := [alone[id(one)] for one in lock.waiters if id(one) in alone]):
            found.append(_sign("no-lock-holder", lonely[0].text, lonely[0].waiter))
        count = sum(one.count for one in lock.waiters)
        if lock.addresses and count > 1:
            text = Text("locks.same-lock", {"count": count, "lock": lock.name})
            found.append(_sign("same-lock", text, first))
    parents = [edge for edge in used if edge.wait is None]
    if parents:
        count = sum(edge.waiter.count for edge in parents)
        text = Text(parents[0].text.key, {**parents[0].text.args, "count": count})
        found.append(_sign("parent-waits", text, parents[0].waiter))
    return tuple(found)


def _sign(kind: EvidenceKind, text: Text, actor: Actor) -> Sign:
    return Sign(kind, text, actor.group, int(actor.rows[0]) if len(actor.rows) else -1)


def _node(actors: list[Actor]) -> Node:
    rows = [actor.rows for actor in actors if len(actor.rows)]
    members = np.sort(np.concatenate(rows)) if rows else NO_INT64S
    return Node(actors[0].group, sum(actor.count for actor in actors), members)

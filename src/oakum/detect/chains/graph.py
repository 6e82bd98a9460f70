"""Nodes of all processes -> ways: from one that waits, over the processes that it waits for, to whoever blocks them.

Between processes by links.py, inside of one by locks, channels and parents (waits_for.py) and by what is behind a
suspect. A way ends at one that waits for nobody known, or comes back: a cycle.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from msgspec import Struct

from oakum.detect.chains.links import Link, Linker
from oakum.detect.chains.nodes import Node
from oakum.detect.waits_for import wait_components
from oakum.model import Frame, Process, Suspect
from oakum.model.vocabulary import ABNORMAL, LOCK_FREE_STATES, LOCK_STATES

# No chain of calls has more hops; and so many ways from one node are followed.
_DEEPEST = 16
_MOST_WAYS = 64
# A hostile dump may have any number: nodes that one waits for, and steps on all ways from one.
_MOST_STEPS = 8
_MOST_VISITS = 400

Key = tuple[str, Frame, str | None]


class Way(Struct, frozen=True):
    """The links from one that waits to the end, in order. `back_at`: which link a cycle begins with; None: no cycle."""

    links: tuple[Link, ...]
    end: Node
    back_at: int | None = None
    inside: tuple[tuple[Node, Node], ...] = ()  # who waits for whom inside of the processes on the way

    @property
    def processes(self) -> tuple[str, ...]:
        """Return the ids of the processes, the waiter first."""
        return (self.links[0].waiter.process.id, *(link.server.process.id for link in self.links))


def key_of(node: Node) -> Key:
    return node.process.id, node.place, node.population.state


def keys_of(suspect: Suspect) -> list[Key]:
    """Return the places where goroutines of a suspect are blocked, and where those behind it are."""
    blocked = [(one.process, one.frame, one.state) for one in suspect.sites if one.role == "blocked"]
    return [*blocked, *((one.process, one.frame, one.state) for one in suspect.victims)]


def inner_pairs(
    by_process: Mapping[str, Sequence[Node]], processes: Iterable[Process], suspects: Sequence[Suspect]
) -> list[tuple[Node, Node]]:
    """Return who waits for whom inside of the processes, each pair once."""
    found: dict[tuple[int, int], tuple[Node, Node]] = {}
    by_key: dict[Key, list[Node]] = defaultdict(list)
    for process in processes:
        for node in by_process[process.id]:
            by_key[key_of(node)].append(node)
        found |= {(id(pair[0]), id(pair[1])): pair for pair in _held_up(process, by_process[process.id])}
    for suspect in suspects:
        root = suspect.sites[0]
        first: Key = root.process, root.frame, root.state
        behind = {(one.process, one.frame, one.state) for one in suspect.victims if one.process == root.process}
        for key in behind - {first}:
            pairs = [(node, one) for node in by_key.get(key, ()) for one in by_key.get(first, ())[:1]]
            found |= {(id(node), id(one)): (node, one) for node, one in pairs}
    return list(found.values())


def _held_up(process: Process, mine: Sequence[Node]) -> Iterable[tuple[Node, Node]]:
    """Yield which nodes of a process wait for which others of it, by locks, channels and parents."""
    last = next((s.goroutines for s in reversed(process.snapshots) if s.goroutines is not None), None)
    if last is None or not any(node.call or node.served for node in mine):
        return
    of_group = {id(group): node for node in mine for group in node.groups}
    at = [of_group.get(id(group)) for group in last.groups]
    stuck = {n for n, node in enumerate(at) if node and (node.call or node.served or node.wait in ABNORMAL)}
    told: set[int] = set()
    for component in wait_components(last, stuck):
        for link in component.links:
            waiter, target = at[link.waiter.group], at[link.waits_for.group]
            if waiter is not None and target is not None and waiter is not target:
                told.add(id(waiter))
                yield waiter, target
    loops = [
        (node, {one for group in node.groups for one in group.ids.tolist()}) for node in mine if node.wait in ABNORMAL
    ]
    for waiter in mine:
        if waiter.population.state in LOCK_STATES and id(waiter) not in told:
            holders = (node for node in mine if node.call and _may_hold(node, waiter.place))
            yield from ((waiter, holder) for holder in islice(holders, _MOST_STEPS))
        elif waiter.population.state in LOCK_FREE_STATES and id(waiter) not in told:
            yield from ((waiter, loop) for loop in islice(_started_by(waiter, loops), _MOST_STEPS))


def _started_by(child: Node, loops: Sequence[tuple[Node, set[int]]]) -> Iterable[Node]:
    """Yield who started these and is blocked, where they wait in a closure of the function that it is blocked in.

    A loop that starts a goroutine for each request takes its answer; blocked in a write, it takes none. `loops`: with
    the ids of their goroutines, which Go 1.21 and later print as parents.
    """
    creator = child.population.creator
    if creator is None or not child.place.function.startswith(f"{creator.function}.func"):
        return
    parents = {one for group in child.groups for one in group.parents.tolist()} - {0}
    for loop, ids in loops:
        within = (frame.function for group in loop.groups for frame in group.stack.frames)
        if creator.function in within and (not parents or not ids or not parents.isdisjoint(ids)):
            yield loop


def _may_hold(node: Node, locks: Frame) -> bool:
    """Tell whether these may hold a lock while they call: they are in a method of the type whose lock others want.

    No stack names the holder of a lock that is a local variable's; but whoever asks another process under a lock is in
    the code that has it.
    """
    frames = (frame for group in node.groups for frame in group.stack.frames)
    alike = (frame for frame in frames if frame.package == locks.package and frame.owner == "own")
    return any(frame.receiver == locks.receiver if locks.receiver else True for frame in alike)


class Graph:
    """Who waits for whom, over all processes."""

    def __init__(self, linker: Linker, pairs: Sequence[tuple[Node, Node]]) -> None:
        self._linker = linker
        self._pairs = pairs
        self._inner: dict[int, list[Node]] = defaultdict(list)
        for waiter, target in pairs:
            self._inner[id(waiter)].append(target)
        self._links: dict[int, list[Link]] = {}
        self._visits = 0

    def links(self, node: Node) -> list[Link]:
        """Return who in other processes a node waits for."""
        if id(node) not in self._links:
            found = self._linker.links(node) if node.call is not None else []
            # A server that asks back at once would be a call that calls itself: who waits otherwise is rather meant.
            onward = [link for link in found if not self._asks_back(link)]
            self._links[id(node)] = onward or found
        return self._links[id(node)]

    def _asks_back(self, link: Link) -> bool:
        if link.server.call is None:
            return False
        asked = {one.server.process.id for one in self._linker.links(link.server)}
        return asked == {link.waiter.process.id}

    def behind(self, nodes: Iterable[Node]) -> list[tuple[Node, Node]]:
        """Return who waits for one of these inside of its process, and for which."""
        wanted = {id(node): node for node in nodes}
        return [(waiter, wanted[id(target)]) for waiter, target in self._pairs if id(target) in wanted]

    def ways(self, start: Node) -> list[Way]:
        """Return the ways from one that waits for another process to whoever blocks it."""
        found: list[Way] = []
        self._visits = 0
        self._walk(start, (), (), [start], found)
        return found

    def _walk(
        self,
        node: Node,
        links: tuple[Link, ...],
        inside: tuple[tuple[Node, Node], ...],
        path: list[Node],
        found: list[Way],
    ) -> None:
        self._visits += 1
        if len(found) >= _MOST_WAYS or len(path) > 2 * _DEEPEST or self._visits > _MOST_VISITS:
            return
        steps: list[tuple[Link | None, Node]] = [(link, link.server) for link in self.links(node)]
        steps = steps or [(None, target) for target in self._inner.get(id(node), ())]
        if not steps and links:
            found.append(Way(links, node, inside=inside))
        for link, target in steps[:_MOST_STEPS]:
            taken = (*links, link) if link is not None else links
            within = inside if link is not None else (*inside, (node, target))
            if any(target is one for one in path):
                if taken:
                    found.append(Way(taken, target, _back_at(taken, target, within), within))
            else:
                self._walk(target, taken, within, [*path, target], found)


def _back_at(links: tuple[Link, ...], target: Node, inside: tuple[tuple[Node, Node], ...]) -> int:
    """Return the first link of the cycle that ends at the target: the one that it is left by."""
    after = {id(before): reached for before, reached in inside}
    leaves = target
    for _ in inside:
        if any(link.waiter is leaves for link in links) or id(leaves) not in after:
            break
        leaves = after[id(leaves)]
    return next((at for at, link in enumerate(links) if link.waiter is leaves), 0)

"""Ways -> chains: each belongs to the suspect at its end, whoever waits on the way is its victim, in any process.

A way counts only when the judge, given what other processes show, calls its end a leak. A hop whose callers no deadline
has ended contributes: without it they would not pile up. Of a cycle, who holds a lock across a call is to be fixed.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from oakum.detect import shape
from oakum.detect.chains.graph import Graph, Key, Way, key_of, keys_of
from oakum.detect.chains.links import Link, source_of
from oakum.detect.chains.nodes import Node
from oakum.detect.signs import SURE_MINUTES, example
from oakum.knowledge import benign
from oakum.model import (
    Chain,
    ChainEdge,
    ChainEnd,
    Confidence,
    Evidence,
    EvidenceKind,
    Growth,
    Kinds,
    Mechanism,
    Population,
    Suspect,
    Text,
    Trace,
    Victim,
)
from oakum.model.text import Argument
from oakum.model.vocabulary import ABNORMAL, HARMLESS, LOCK_STATES

if TYPE_CHECKING:
    from oakum.detect.chains import Judge, Weigh

# Snapshots in which nobody moves before it is called stuck.
_STAYS = 3
# Fan-in and fan-out over many processes: nobody reads more.
_MOST_CHAINS = 20
_Hop = tuple[str, str, str]  # who waits, who is to answer, the protocol


class _End(Struct, eq=False):
    """A suspect, whether it was one before or the ways made it one, and the ways that end at it."""

    suspect: Suspect
    replaces: tuple[Suspect, ...]
    ways: list[Way]
    root: Node
    behind: list[Node] = field(default_factory=list)  # who waits for those on the ways, inside of their processes

    @property
    def sure(self) -> bool:
        """Tell whether it is certain that the root, and all that wait for it over the hops, do not move."""
        return self.root.sure and all(link.waiter.sure and link.server.sure for way in self.ways for link in way.links)


class Roots:
    """The suspects of all processes, and the chains that end at some of them."""

    def __init__(self, suspects: Sequence[Suspect], judge: "Judge", graph: Graph) -> None:
        self._graph = graph
        self.suspects = list(suspects)
        self.chains: tuple[Chain, ...] = ()
        self._judge = judge
        self._of: dict[Key, Suspect] = {}
        for suspect in sorted(suspects, key=lambda one: one.mechanisms[0] in HARMLESS, reverse=True):
            for key in keys_of(suspect):
                self._of[key] = suspect  # what accuses goes last, and stays

    def add(self, ways: Sequence[Way], weigh: "Weigh") -> None:
        """Give each end its victims in other processes, and tell the chains that lead to it."""
        ends: dict[Key, _End] = {}
        for way in map(self._settled, ways):
            end = self._end(way)
            if end is not None:
                site = end.suspect.sites[0]
                ends.setdefault((site.process, site.frame, site.state), end).ways.append(way)
        for end in ends.values():
            end.behind = [waiter for waiter, _ in self._graph.behind(_waiters(end))]
            accused = _with_waiters(end)
            if self._judge(accused) != "possible":
                self._replace(end.replaces, accused)
                self._contribute(end, accused)
                self.chains += tuple(_chains(end, accused, weigh))
            elif end.sure and end.suspect not in end.replaces:  # only its callers show that it is not well
                self._replace(end.replaces, accused)
        self.chains = self.chains[:_MOST_CHAINS]

    def _settled(self, way: Way) -> Way:
        """Return a way that comes back only by what protocols suggest up to there: nobody knows who is asked then."""
        if way.back_at is None or self._cycle(way, way.links[way.back_at :]) is not None:
            return way
        guessed = [at for at, link in enumerate(way.links) if at >= way.back_at and not link.named]
        if not guessed or not guessed[0]:
            return way
        return Way(way.links[: guessed[0]], way.links[guessed[0]].waiter, inside=way.inside)

    def _end(self, way: Way) -> _End | None:
        """Return the suspect that a way ends at; None where nothing is wrong with it: a poll, a stream, slow work."""
        if way.back_at is not None:
            return self._cycle(way, way.links[way.back_at :])
        found = self._of.get(key_of(way.end))
        # Whom it asks was not captured: only there it shows whether this is a poll, however many wait for it here.
        polls = way.end.call is not None and way.end.call.may_poll and way.end.wait not in ABNORMAL
        if polls and not _no_answer(way):
            return None
        if found is not None and found.mechanisms[0] not in HARMLESS:
            return _End(found, (found,), [], way.end)
        if way.end.wait in ABNORMAL or _stand_still(way):
            return _End(_made(way.end, _shapes(way.end)), (found,) if found else (), [], way.end)
        return None

    def _cycle(self, way: Way, links: Sequence[Link]) -> _End | None:
        """Return the end of a way that comes back; what only protocols suggest is no cycle, unless all stand still."""
        held = [(waiter, holder) for waiter, holder in way.inside if waiter.population.state in LOCK_STATES]
        if not all(link.named for link in links) and not (held and _nobody_moves(links, held)):
            return None
        if not way.inside and not all(link.kinds.has("same-method") for link in links):
            return None
        root = held[0][1] if held else max((link.waiter for link in links), key=lambda one: one.count)
        named: tuple[Mechanism, ...] = ("lock-held-while-waiting", "lock-cycle") if held else ("missing-deadline",)
        nodes = [root, *(waiter for waiter, _ in held)]
        found = {id(one): one for node in nodes if (one := self._of.get(key_of(node))) is not None}
        told = [one for suspect in found.values() if suspect.mechanisms[0] not in HARMLESS for one in suspect.evidence]
        hops = " → ".join((links[0].waiter.process.name, *(link.server.process.name for link in links)))
        cycle = _shown("process-cycle", root, {"processes": hops, "count": root.count})
        suspect = replace(_made(root, named), evidence=(cycle, *told), wait="hard" if held else root.wait)
        return _End(suspect, tuple(found.values()), [], root)

    def _replace(self, old: Iterable[Suspect], new: Suspect) -> None:
        gone = {id(one) for one in old}
        at = next((n for n, one in enumerate(self.suspects) if id(one) in gone), len(self.suspects))
        kept = [one for one in self.suspects[:at] if id(one) not in gone]
        self.suspects = [*kept, new, *(one for one in self.suspects[at:] if id(one) not in gone)]

    def _contribute(self, end: _End, accused: Suspect) -> None:
        """Make of each process on the way one suspect: its calls have no deadline; others that wait are victims.

        Not of one that is blocked at the end itself: without that, its calls would be answered.
        """
        waiting = {key_of(node) for node in _waiters(end)} - set(keys_of(end.suspect))
        contributing = waiting - {key for key in waiting if key[0] in _at_fault(accused)}
        largest: dict[str, Link] = {}
        for link in (link for way in end.ways for link in way.links):
            waiter = link.waiter
            known = largest.get(waiter.process.id)
            if key_of(waiter) in contributing and (known is None or known.waiter.count < waiter.count):
                largest[waiter.process.id] = link
        for link in largest.values():
            waiter = link.waiter
            rooted = [one for one in self.suspects if one is not accused and _first(one) in waiting]
            rooted = [one for one in rooted if one.sites[0].process == waiter.process.id]
            # Populations of one place may have different creators: the count tells which is which.
            alike = [one for one in rooted if _first(one) == key_of(waiter)]
            own = next((one for one in alike if one.sites[0].count == waiter.population.last), None)
            self._replace(rooted, _without_deadline(link, own))


def _at_fault(suspect: Suspect) -> set[str]:
    """Return the processes that are blocked at the end itself: one, or two that write at each other."""
    return {site.process for site in suspect.sites if site.role == "blocked"}


def _stand_still(way: Way) -> bool:
    """Tell whether one that is to answer receives, and nothing comes, while its callers wait: the same ones, both.

    In three snapshots at least: work that takes long is done some time. A select has other cases, as a poll has.
    """
    end, caller = way.end, way.links[-1].waiter
    receives = end.population.state in ("chan receive", "sync.Cond.Wait")
    return receives and _same_for_long(end.population) and _nobody_left(caller)


def _same_for_long(population: Population) -> bool:
    """Tell whether some goroutines are there in three snapshots at least."""
    followed = population.followed and len(population.counts) >= _STAYS
    return followed and int(population.since[-_STAYS]) > 0


def _nobody_left(node: Node) -> bool:
    """Tell whether in three snapshots at least the same goroutines are there, and none has left."""
    return _same_for_long(node.population) and not int(node.population.left[1 - _STAYS :].sum())


def _nobody_moves(links: Sequence[Link], held: Sequence[tuple[Node, Node]]) -> bool:
    """Tell whether a cycle without known connections is one all the same: who asks holds a lock that all want who are
    to answer, nobody on it has moved in three snapshots or more, and somewhere as many wait as are to answer there, or
    for the method that is answered there."""
    nodes = [*(link.waiter for link in links), *(node for pair in held for node in pair)]
    return all(map(_nobody_left, nodes)) and any(link.named or link.kinds.has("counts-agree") for link in links)


def _no_answer(way: Way) -> bool:
    """Tell whether the last on a way asks one that was not captured, and nobody on the way has moved.

    One of the hops is a call whose name says that it is no poll, which would wait as long by design.
    """
    calls = (link.waiter.call for link in way.links if link.waiter.call)
    once = any(not call.may_poll and not call.protocol.broker for call in calls)
    nodes = [way.end, *(link.waiter for link in way.links)]
    return way.end.call is not None and once and all(map(_nobody_left, nodes))


def _piles_up(way: Way) -> bool:
    """Tell whether more callers come all the time, and none of them is answered."""
    return _stand_still(way) and all(a < b for a, b in pairwise(way.links[-1].waiter.counts[-_STAYS:]))


def _first(suspect: Suspect) -> Key:
    site = suspect.sites[0]
    return site.process, site.frame, site.state


def _shapes(node: Node) -> tuple[Mechanism, ...]:
    matched = benign().match(node.population.example)
    return shape.mechanisms(node.population, matched, alive=False, moves=False)


def _made(node: Node, mechanisms: tuple[Mechanism, ...]) -> Suspect:
    """Return a suspect of goroutines that nothing in their own process makes one."""
    population, process = node.population, node.process
    total = next(s.goroutines.total for s in reversed(process.snapshots) if s.goroutines is not None)
    share = node.population.last / max(1, total)
    group = population.example
    counts = tuple(count if count >= 0 else None for count in node.counts)
    return Suspect(
        sites=shape.sites(population, process.id),
        mechanisms=mechanisms,
        evidence=(),
        weight=share,
        growth=(Growth("goroutines", counts),) if len(counts) == len(process.snapshots) else (),
        share={"goroutines": round(share, 4)},
        wait=node.wait,
        traces=(Trace(group.stack.frames, group.state, group.created_by, process.id),),
    )


def _waiters(end: _End) -> list[Node]:
    """Return everybody on the ways but the root."""
    nodes: dict[int, Node] = {}
    for way in end.ways:
        for link in way.links:
            nodes |= {id(link.waiter): link.waiter, id(link.server): link.server}
        for pair in way.inside:
            nodes |= {id(node): node for node in pair}
    nodes |= {id(node): node for node in end.behind}
    return [node for node in nodes.values() if node is not end.root]


def _with_waiters(end: _End) -> Suspect:
    """Return the suspect with those who wait for it in other processes."""
    suspect = _without_old_progress(end)
    known = set(keys_of(suspect))
    home = _at_fault(suspect)
    counts: dict[Key, int] = defaultdict(int)
    for node in _waiters(end):
        if key_of(node) not in known:
            counts[key_of(node)] += node.count
    victims = [
        Victim(frame, state, count, "behind" if process in home else "peer", process)
        for (process, frame, state), count in counts.items()
    ]
    elsewhere = [node for node in _waiters(end) if node.process.id not in home]
    if not elsewhere:
        return replace(suspect, victims=(*suspect.victims, *victims))
    first = max(elsewhere, key=lambda node: node.count)
    names = sorted({node.process.name for node in elsewhere})
    args: dict[str, Argument] = {"count": sum(node.count for node in elsewhere), "processes": ", ".join(names)}
    told = [_shown("waited-for", first, args)] if end.sure else []
    if end.root.oldest >= SURE_MINUTES and not suspect.kinds.has("stuck"):
        long: dict[str, Argument] = {"minutes": end.root.oldest, "count": end.root.count}
        long["state"] = end.root.population.state or ""
        stuck = _shown("stuck", end.root, long)
        told.append(replace(stuck, claim=Text("goroutines.stuck", long)))
    if any(way.back_at is None and (_piles_up(way) or _no_answer(way)) for way in end.ways):
        told.append(_shown("unanswered", first, {"counts": first.counts, "count": first.count}))
    return replace(suspect, evidence=(*told, *suspect.evidence), victims=(*suspect.victims, *victims))


def _without_old_progress(end: _End) -> Suspect:
    """Return the suspect; while nothing moves in its full connection, who ever woke up did so before the captures."""
    home = end.root.process.id
    full = (link for way in end.ways for link in way.links if link.kinds.has("socket-full"))
    if not any(home in (link.waiter.process.id, link.server.process.id) for link in full):
        return end.suspect
    return replace(end.suspect, evidence=tuple(one for one in end.suspect.evidence if one.kind != "progress"))


def _without_deadline(link: Link, own: Suspect | None) -> Suspect:
    """Return the suspect that callers are whom no deadline has ended, while the process that they ask is blocked."""
    waiter = link.waiter
    made = own if own is not None else _made(waiter, ())
    others = tuple(one for one in made.mechanisms if one not in HARMLESS and one != "missing-deadline")
    args: dict[str, Argument] = {"count": waiter.count, "server": link.server.process.name}
    args |= {"function": link.server.frame.function, "caller": waiter.frame.function}
    blocked = _shown("peer-blocked", waiter, args)
    return replace(made, mechanisms=("missing-deadline", *others), evidence=(blocked, *made.evidence))


def _shown(kind: EvidenceKind, node: Node, args: dict[str, Argument]) -> Evidence:
    snapshot = next(s for s in reversed(node.process.snapshots) if s.goroutines is not None)
    return Evidence(kind, Text(f"chains.{kind}", args), source_of(node).digest, *example(node.groups, snapshot))


def _chains(end: _End, accused: Suspect, weigh: Callable[[Kinds], Confidence]) -> Iterable[Chain]:
    """Yield one chain for each order of processes that leads to the end, the one with most waiters first."""
    by_order: dict[tuple[str, ...], list[Way]] = defaultdict(list)
    for way in end.ways:
        by_order[way.processes].append(way)
    waiting: dict[_Hop, dict[int, int]] = defaultdict(dict)
    for link in (link for way in end.ways for link in way.links):
        waiting[_hop(link)][id(link.waiter)] = link.waiter.count
    found = [max(ways, key=lambda way: way.links[0].waiter.count) for ways in _whole(by_order, end.root)]
    for way in sorted(found, key=lambda way: (-len(way.links), -way.links[0].waiter.count)):
        edges = [_edge(link, sum(waiting[_hop(link)].values()), weigh) for link in way.links]
        last = way.links[-1].server.process
        site = accused.sites[0]
        if way.back_at is None and site.process == last.id:  # the blocker itself, not the handler that waits for it
            edges[-1] = replace(edges[-1], blocker=ChainEnd(last.name, site.frame))
        yield Chain(tuple(edges), site, cycle=way.back_at is not None)


def _hop(link: Link) -> _Hop:
    assert link.waiter.call is not None
    return link.waiter.process.id, link.server.process.id, link.waiter.call.protocol.id


def _whole(by_order: Mapping[tuple[str, ...], list[Way]], root: Node) -> Iterable[list[Way]]:
    """Yield the ways of each order of processes that is no part of another; a cycle once, from its root on."""
    ends = {order[at:] for order in by_order for at in range(1, len(order))}
    begun = {frozenset(order) for order in by_order if order[0] == order[-1] == root.process.id}
    # Who waits outside of a cycle leads into it: then that chain shows the cycle.
    begun |= {frozenset(order[order.index(order[-1]) :]) for order in by_order if order[-1] in order[1:-1]}
    for order, ways in by_order.items():
        turned = order[0] == order[-1] != root.process.id and frozenset(order) in begun
        if order not in ends and not turned:
            yield ways


def _edge(link: Link, count: int, weigh: Callable[[Kinds], Confidence]) -> ChainEdge:
    waiter, server = link.waiter, link.server
    assert waiter.call is not None
    assert server.served is not None
    return ChainEdge(
        ChainEnd(waiter.process.name, waiter.call.frame),
        ChainEnd(server.process.name, server.served.frame),
        waiter.call.protocol.id,
        weigh(link.kinds),
        link.evidence,
        count,
        server.served.frame,
    )

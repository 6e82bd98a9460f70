"""Processes that call each other -> wait chains: who waits for whom over their borders, and whose fault it is.

Comes in: the case, the populations of each process, the suspects, and the judge's rules. Goes out: the suspects, where
the one at the end of a chain has its victims in other processes, and each hop without a deadline is one that
contributes; the chains; and which hop was not captured. No chain without an end that the judge calls a leak.
"""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from oakum.detect.chains.graph import Graph, Way, inner_pairs
from oakum.detect.chains.links import Linker
from oakum.detect.chains.missing import missing_peers
from oakum.detect.chains.nodes import nodes
from oakum.detect.chains.roots import Roots
from oakum.detect.chains.wiring import Wiring
from oakum.model import Case, Chain, Confidence, Gap, Kinds, Population, Suspect

Judge = Callable[[Suspect], Confidence]
Weigh = Callable[[Kinds], Confidence]


class Linked(Struct, frozen=True):
    """What is known once the processes are looked at together."""

    suspects: list[Suspect]
    chains: tuple[Chain, ...] = ()
    gaps: tuple[Gap, ...] = ()


def link_processes(
    case: Case,
    populations: Mapping[str, Sequence[Population]],
    suspects: Sequence[Suspect],
    judge: Judge,
    weigh: Weigh,
) -> Linked:
    """Return the suspects with what other processes tell of them, the chains, and which process is to be captured.

    `populations` are by the id of their process; `judge` tells how sure a suspect is, `weigh` how sure an edge is.
    """
    processes = [one for one in case.processes if one.run is None or one.run.number == one.run.of]
    by_process = {one.id: nodes(one, populations[one.id]) for one in processes}
    everyone = [node for mine in by_process.values() for node in mine]
    wiring = Wiring(case, processes)
    pairs = inner_pairs(by_process, processes, suspects) if len(processes) > 1 else []
    graph = Graph(Linker(everyone, wiring), pairs)
    ways = [way for node in everyone if node.call for way in graph.ways(node)]
    roots = Roots(suspects, judge, graph)
    roots.add(_maximal(ways), weigh)
    unanswered = [node for node in everyone if node.call and not graph.links(node)]
    return Linked(roots.suspects, roots.chains, missing_peers(unanswered, processes, wiring, roots.suspects))


def _maximal(ways: Sequence[Way]) -> list[Way]:
    """Return the ways that are no end of a longer one."""
    longer = {tuple(map(id, way.links[at:])) for way in ways for at in range(1, len(way.links))}
    return [way for way in ways if tuple(map(id, way.links)) not in longer]


__all__ = ["Linked", "link_processes"]

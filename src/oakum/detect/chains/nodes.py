"""Populations of one process -> nodes: goroutines that do not move, what they ask another process, what they answer.

Only who stays counts: the same goroutines in the last two snapshots, or, in the only dump, with an age. Traffic comes
and goes, and makes no node.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from oakum.detect.signs import SURE_MINUTES
from oakum.detect.states import wait_of
from oakum.knowledge.rpc import Call, Served, rpc
from oakum.model import Frame, GoroutineGroup, Population, Process, WaitKind

# Where one in ten of those seen before has left, one can leave from here.
_LEFT = 0.1
# So many kinds of goroutines of one process are looked at, the most numerous first: a hostile dump may have any number.
_MOST = 120


class Node(Struct, eq=False):
    """Goroutines of one population that ask alike and answer alike, and stay."""

    process: Process
    population: Population
    groups: tuple[GoroutineGroup, ...]
    call: Call | None  # what they wait for in another process
    served: Served | None  # whose request they handle

    @property
    def count(self) -> int:
        """Return how many there are in the last snapshot."""
        return sum(group.count for group in self.groups)

    @property
    def counts(self) -> tuple[int, ...]:
        """Return how many of the population there were in each snapshot; -1 where one has no goroutines."""
        return tuple(self.population.counts.tolist())

    @property
    def oldest(self) -> int:
        """Return the longest age in minutes that the last dump prints; 0 where it prints none."""
        return max((group.longest or 0 for group in self.groups), default=0)

    @property
    def sure(self) -> bool:
        """Tell whether it is certain that they stay: an age of a minute or two may be one of a second."""
        return len(self.counts) > 1 or self.oldest >= SURE_MINUTES

    @property
    def wait(self) -> WaitKind:
        return wait_of(self.population.state, self.population.example.stack)

    @property
    def frame(self) -> Frame:
        """Return where a reader looks for them: what they called, what they answer, else where they are blocked."""
        if self.call is not None:
            return self.call.frame
        return self.served.frame if self.served is not None else self.place

    @property
    def place(self) -> Frame:
        place = self.population.place
        assert place is not None  # nodes() leaves the others out
        return place


def nodes(process: Process, populations: Iterable[Population]) -> list[Node]:
    """Return the goroutines of a process that stay, told apart by what they ask and answer."""
    found: list[Node] = []
    staying = [one for one in populations if one.place is not None and one.last > 0 and stays(one)]
    for population in sorted(staying, key=lambda one: -one.last)[:_MOST]:
        alike: dict[tuple[Frame | None, Frame | None], Node] = {}
        for group in population.now:
            call, served = rpc().call_of(group.stack), rpc().served_by(group.stack)
            key = call.frame if call else None, served.frame if served else None
            if key in alike:
                alike[key].groups += (group,)
            else:
                alike[key] = Node(process, population, (group,), call, served)
        found += alike.values()
    return sorted(found, key=lambda node: -node.count)[:_MOST]


def stays(population: Population) -> bool:
    """Tell whether these goroutines do not move, as far as the snapshots show."""
    if len(population.counts) > 1 and population.followed:
        return int(population.since[-2]) > 0 and _few_left(population)
    if len(population.counts) > 1:
        return _never_fell(population.counts.tolist())
    return any(group.longest for group in population.now)


def _few_left(population: Population) -> bool:
    before = int(population.counts[-2])
    return int(population.left[-1]) <= _LEFT * before


def _never_fell(counts: Sequence[int]) -> bool:
    """Tell whether ever more were there: all that can be said where no dump tells who stayed."""
    seen = [count for count in counts if count >= 0]
    return len(seen) > 2 and seen == sorted(seen) and seen[-1] > seen[0]

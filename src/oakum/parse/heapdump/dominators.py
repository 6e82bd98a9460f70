"""A graph of who refers to whom -> who holds what: the immediate dominator of each node, and the bytes it retains.

Exact, in numpy as far as it goes. Edges that lead back to a holder of their source change nothing and are dropped;
nodes from which no cycle can be reached are peeled off, outermost last; only what then remains (cycles, and what leads
to them) is walked in Python, by semi-NCA. The peeled come back with the nearest common holder of who refers to them.
"""

from time import monotonic

import numpy as np
from msgspec import Struct

from oakum.model.profile import Bools, Int32s, Int64s

_BACK_STEPS = 24  # holders of the source of an edge that are looked at: is it one of them it leads back to?
_BACK_ROUNDS = 4  # each makes more nodes have one referrer
_FEW = 512  # nodes that are quicker peeled or reached one by one, and left to the kernel
_OFTEN = 1 << 16


class Dominators(Struct, frozen=True, eq=False):
    """Of each node its immediate dominator (-1: it is not reached; the root has itself), its depth, what it retains."""

    above: Int32s
    depth: Int32s
    jump: Int32s  # an ancestor further up, to find common ones in few steps
    retained: Int64s
    kernel: int  # nodes that were walked one by one


class TooSlow(Exception):
    """The deadline passed before the holders were known."""


class Graph(Struct, frozen=True, eq=False):
    """Edges of node i are rows starts[i]:starts[i+1] of `targets`; the last node is the root."""

    starts: Int64s
    targets: Int32s

    def __len__(self) -> int:
        return len(self.starts) - 1


def find_dominators(graph: Graph, sizes: Int64s, deadline: float = float("inf")) -> Dominators:
    """Return who holds what; raise TooSlow when there is no time left."""
    root = len(graph) - 1
    reached = _reached(graph, root, deadline)
    source = np.repeat(np.arange(len(graph), dtype=np.int32), np.diff(graph.starts))
    kept = reached[source] & (source != graph.targets) & (graph.targets != root)
    source, target = source[kept], graph.targets[kept]
    del kept
    several, referrer = _referrers(len(graph), source, target, root)
    for _ in range(_BACK_ROUNDS):
        lead_back = _back_edges(source, target, several, referrer)
        if not len(lead_back):
            break
        keep = np.ones(len(source), np.bool_)
        keep[lead_back] = False
        source, target = source[keep], target[keep]
        several, referrer = _referrers(len(graph), source, target, root)
        _in_time(deadline)
    rounds, left, inner = _peel(len(graph), source, target, reached, deadline)
    above = np.where(several, np.int32(-1), referrer)
    above[~reached] = -1
    above[root] = root
    depth = np.zeros(len(graph), np.int32)
    jump = np.zeros(len(graph), np.int32)
    order = _kernel(left, source[inner], target[inner], root, above, depth, jump, deadline)
    _put_back(rounds, source, target, several, above, depth, jump, deadline)
    retained = np.where(reached, sizes, 0).astype(np.int64)
    for peeled in rounds:
        np.add.at(retained, above[peeled], retained[peeled])
    _sum_up(order, above, retained)
    return Dominators(above, depth, jump, retained, len(left))


def _in_time(deadline: float) -> None:
    if monotonic() > deadline:
        raise TooSlow


def _reached(graph: Graph, root: int, deadline: float) -> Bools:
    """Return which nodes can be reached from the root."""
    reached = np.zeros(len(graph), np.bool_)
    reached[root] = True
    front = np.array([root], np.int64)
    steps = 0
    while len(front):
        steps += 1
        if steps % 64 == 0:
            _in_time(deadline)
        if len(front) < _FEW // 8:
            front = _reach_one_by_one(graph, reached, front, deadline)
            continue
        targets = graph.targets[rows_of(graph.starts, front)]
        targets = targets[~reached[targets]]
        reached[targets] = True
        front = _once(targets)
    return reached


def _once(values: Int32s) -> Int64s:
    ordered = np.sort(values)
    first = np.ones(len(ordered), np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first].astype(np.int64)


def _reach_one_by_one(graph: Graph, reached: Bools, front: Int64s, deadline: float) -> Int64s:
    """Go on from a few nodes until they are many: a list of a million is a million steps of one node."""
    starts, targets = graph.starts, graph.targets
    waiting = front.tolist()
    steps = 0
    while waiting:
        steps += 1
        if steps % _OFTEN == 0:
            _in_time(deadline)
        node = waiting.pop()
        first, last = int(starts[node]), int(starts[node + 1])
        if last - first > _FEW:
            some = targets[first:last]
            waiting.extend(_once(some[~reached[some]]).tolist())
            reached[some] = True
        else:
            for other in targets[first:last].tolist():
                if not reached[other]:
                    reached[other] = True
                    waiting.append(other)
        if len(waiting) > _FEW:
            break
    return np.array(waiting, np.int64)


def rows_of(starts: Int64s, nodes: Int64s) -> Int64s:
    """Return the rows of the edges of several nodes."""
    first = starts[nodes]
    counts = starts[nodes + 1] - first
    ends = np.cumsum(counts)
    rows = np.arange(int(ends[-1]) if len(ends) else 0)
    rows += np.repeat(first - (ends - counts), counts)
    return rows


def _referrers(nodes: int, source: Int32s, target: Int32s, root: int) -> tuple[Bools, Int32s]:
    """Return which nodes several refer to, and of each one that does."""
    referrer = np.full(nodes, root, np.int32)
    referrer[target] = source
    several = np.zeros(nodes, np.bool_)
    several[target[referrer[target] != source]] = True
    return several, referrer


def _back_edges(source: Int32s, target: Int32s, several: Bools, referrer: Int32s) -> Int64s:
    """Return the edges that lead to a node which holds their source, as far as single referrers tell."""
    rows = np.flatnonzero(several[target])
    at = source[rows]
    found = []
    for _ in range(_BACK_STEPS):
        back = at == target[rows]
        found.append(rows[back])
        on = ~back & ~several[at] & (referrer[at] != at)
        rows, at = rows[on], referrer[at[on]]
        if not len(rows):
            break
    return np.concatenate(found)


def _peel(
    nodes: int, source: Int32s, target: Int32s, reached: Bools, deadline: float
) -> tuple[list[Int64s], Int64s, Int64s]:
    """Return the nodes from which no cycle is reached, as they were peeled off, the others, and the edges of these."""
    alive = reached.copy()
    alive[-1] = True
    rows = np.arange(len(source))
    left = np.flatnonzero(alive)
    rounds: list[Int64s] = []
    while True:
        _in_time(deadline)
        leads = np.zeros(nodes, np.bool_)
        leads[source[rows]] = True
        sinks = left[~leads[left]]
        sinks = sinks[sinks != nodes - 1]
        if len(sinks) < max(_FEW, len(left) // 512) and (rounds or not len(sinks)):
            return rounds, left, rows
        if not len(sinks):
            return rounds, left, rows
        rounds.append(sinks)
        alive[sinks] = False
        left = left[alive[left]]
        rows = rows[alive[target[rows]]]


def _kernel(
    left: Int64s, source: Int32s, target: Int32s, root: int,
    above: Int32s, depth: Int32s, jump: Int32s, deadline: float,
) -> Int64s:  # fmt: skip
    """Fill in who holds the nodes that are left, by semi-NCA; return them in the order of their walk."""
    place = np.full(root + 1, -1, np.int32)
    place[left] = np.arange(len(left), dtype=np.int32)
    source, target = place[source], place[target]
    del place
    starts, targets = _grouped(len(left), source, target)
    number, order, parent = _walk(starts, targets, len(left) - 1, deadline)
    del starts, targets
    back_starts, back = _grouped(len(order), number[target], number[source])
    del source, target
    idom = _semi_nca(parent, back_starts, back.tolist(), deadline)
    nodes = left[order]
    above[nodes] = nodes[np.array(idom, np.int64)]
    deep, far = [0] * len(order), [0] * len(order)
    for at in range(1, len(order)):
        holder = idom[at]
        deep[at] = deep[holder] + 1
        other = far[holder]
        far[at] = far[other] if deep[holder] - deep[other] == deep[other] - deep[far[other]] else holder
    depth[nodes] = deep
    jump[nodes] = nodes[np.array(far, np.int64)]
    return nodes


def _grouped(nodes: int, by: Int32s, values: Int32s) -> tuple[Int64s, Int32s]:
    starts = np.zeros(nodes + 1, np.int64)
    np.cumsum(np.bincount(by, minlength=nodes), out=starts[1:])
    return starts, values[np.argsort(by, kind="stable")]


def _walk(starts: Int64s, targets: Int32s, root: int, deadline: float) -> tuple[Int32s, Int64s, list[int]]:
    """Walk depth first from the root; return of each node its number, the nodes in that order, and of each the number
    of its parent."""
    number = [-1] * (root + 1)
    order: list[int] = []
    parent: list[int] = []
    begin, follow = starts.tolist(), targets.tolist()
    waiting = [(root, 0)]
    while waiting:
        node, via = waiting.pop()
        if number[node] >= 0:
            continue
        mine = number[node] = len(order)
        order.append(node)
        parent.append(via)
        if mine % _OFTEN == 0:
            _in_time(deadline)
        for other in follow[begin[node] : begin[node + 1]]:
            if number[other] < 0:
                waiting.append((other, mine))
    return np.array(number, np.int32), np.array(order, np.int64), parent


def _semi_nca(parent: list[int], starts: Int64s, back: list[int], deadline: float) -> list[int]:
    """Return the immediate dominator of each node; nodes are numbers of a depth-first walk."""
    count = len(parent)
    begin = starts.tolist()
    semi = parent.copy()
    label = list(range(count))
    linked = parent.copy()  # an ancestor: who is between is already the label's
    for node in range(count - 1, 0, -1):
        if node % _OFTEN == 0:
            _in_time(deadline)
        lowest = parent[node]
        for other in back[begin[node] : begin[node + 1]]:
            if other > node:
                if linked[other] > node:
                    path = [other]
                    at = linked[other]
                    while linked[at] > node:
                        path.append(at)
                        at = linked[at]
                    # `at` hangs below what is not yet looked at; all on the path get there at once.
                    while path:
                        below = path.pop()
                        if semi[label[at]] < semi[label[below]]:
                            label[below] = label[at]
                        linked[below] = linked[at]
                        at = below
                other = semi[label[other]]
            if other < lowest:
                lowest = other
        semi[node] = lowest
    idom = parent
    for node in range(1, count):
        holder, most = idom[node], semi[node]
        while holder > most:
            holder = idom[holder]
        idom[node] = holder
    return idom


def _put_back(
    rounds: list[Int64s], source: Int32s, target: Int32s, several: Bools,
    above: Int32s, depth: Int32s, jump: Int32s, deadline: float,
) -> None:  # fmt: skip
    """Fill in who holds the nodes that were peeled off, the last one first."""
    shared = np.zeros(len(several), np.bool_)
    for peeled in rounds:
        shared[peeled] = several[peeled]
    rows = np.flatnonzero(shared[target])
    rows = rows[np.argsort(target[rows], kind="stable")]
    grouped, from_ = target[rows], source[rows]
    del rows
    for peeled in reversed(rounds):
        _in_time(deadline)
        mine = peeled[shared[peeled]]
        if len(mine):
            first = np.searchsorted(grouped, mine, "left")
            counts = np.searchsorted(grouped, mine, "right") - first
            ends = np.cumsum(counts)
            at = np.arange(int(ends[-1])) + np.repeat(first - (ends - counts), counts)
            above[mine] = _common(from_[at], counts, above, depth, jump)
        holder = above[peeled]
        depth[peeled] = depth[holder] + 1
        other = jump[holder]
        far = jump[other]
        even = depth[holder] - depth[other] == depth[other] - depth[far]
        jump[peeled] = np.where(even, far, holder)


def _common(nodes: Int32s, counts: Int64s, above: Int32s, depth: Int32s, jump: Int32s) -> Int32s:
    """Return the nearest common holder of each group of nodes: halved, pair by pair, until one is left of each."""
    while len(nodes) > len(counts):
        starts = np.cumsum(counts) - counts
        within = np.arange(len(nodes)) - np.repeat(starts, counts)
        first = np.flatnonzero(within % 2 == 0)
        paired = first + 1 < np.repeat(starts + counts, counts)[first]
        merged = nodes[first]
        both = first[paired]
        merged[paired] = _nearest(nodes[both], nodes[both + 1], above, depth, jump)
        nodes, counts = merged, (counts + 1) // 2
    return nodes


def _nearest(one: Int32s, other: Int32s, above: Int32s, depth: Int32s, jump: Int32s) -> Int32s:
    """Return the nearest common holder of each pair: itself, where it holds the other."""
    found = one.copy()
    rows = np.flatnonzero(one != other)
    a, b = one[rows], other[rows]
    while len(rows):
        swap = depth[a] < depth[b]
        a, b = np.where(swap, b, a), np.where(swap, a, b)  # `a` is at least as deep
        deeper = depth[a] > depth[b]
        # As far up as it does not pass `b`; where they are level, as far as they do not meet.
        far_a, far_b = jump[a], jump[b]
        up = deeper & (depth[far_a] >= depth[b])
        apart = ~deeper & (far_a != far_b)
        next_a = np.where(up | apart, far_a, above[a])
        next_b = np.where(deeper, b, np.where(apart, far_b, above[b]))
        met = next_a == next_b
        found[rows[met]] = next_a[met]
        on = ~met
        rows, a, b = rows[on], next_a[on], next_b[on]
    return found


def _sum_up(order: Int64s, above: Int32s, retained: Int64s) -> None:
    """Add what the nodes that were walked retain to their holders, from the last one on."""
    nodes = order.tolist()
    sums = dict(zip(nodes, retained[order].tolist(), strict=True))
    holders = above[order].tolist()
    for at in range(len(nodes) - 1, 0, -1):
        sums[holders[at]] += sums[nodes[at]]
    retained[order] = [sums[node] for node in nodes]

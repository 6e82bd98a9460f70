"""Report -> the call graph that pprof draws: the nodes that say most, the calls between them, and their labels.

Nodes are chosen by how much they branch, not by weight alone; calls over nodes left out are residual, and go when
another way leads to the same place.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from oakum.model import Profile, UsageError, ValueType
from oakum.model.profile import Bools, Int32s, Int64s
from oakum.views.edges import Edges
from oakum.views.flame import grow, stack_rows
from oakum.views.nodes import Nodes, count, divided, identify
from oakum.views.nodetags import NodeTags, node_tags
from oakum.views.query import Query
from oakum.views.report import Report, Trimmed, edges_between, output_unit, report_of

MOST_TAGS = 4  # labels drawn at one node


EdgesBetween = Callable[[Bools], Edges]  # which nodes are kept -> the edges between them


class Call(Struct, frozen=True):
    caller: int
    callee: int
    weight: int
    residual: bool  # nodes that are left out lie between
    inline: bool


class CallGraph(Struct, frozen=True, eq=False):
    """Nodes in the order in which they are drawn, and the calls between them, heaviest first."""

    report: Report
    shown: Trimmed
    calls: tuple[Call, ...]
    tags: NodeTags


def call_graph(profile: Profile, query: Query) -> CallGraph:
    """Return what pprof -dot draws of a profile: at most -nodecount nodes, without the lightest nodes and calls."""
    report = report_of(profile, query.fitted("graph"))
    query = report.query
    nodes, edges_between = _tree(report) if query.call_tree else _graph(report)
    listed = nodes.weighty(query.drop_negative)
    total = float(nodes.flat[listed].sum())
    node_cutoff, edge_cutoff = abs(int(total * query.nodefraction)), abs(int(total * query.edgefraction))
    heavy = listed & (np.abs(nodes.cum) >= node_cutoff)
    dropped = int(listed.sum() - heavy.sum())
    edges = edges_between(heavy if dropped else np.ones(len(nodes), np.bool_))
    order = _by_entropy(nodes, edges, heavy)
    tags = NodeTags({}) if query.call_tree else node_tags(report, nodes, heavy).without_below(node_cutoff)
    before = len(order)
    most = _room(order, tags, query.nodecount)
    if most < len(order):
        kept = np.zeros(len(nodes), np.bool_)
        kept[order[:most]] = True
        edges = edges_between(kept)
        order = _by_entropy(nodes, edges, kept)
    drawn = np.zeros(len(nodes), np.bool_)
    drawn[order] = True
    edges = edges.where(drawn[edges.caller] & drawn[edges.callee])
    light = np.abs(edges.weight) < edge_cutoff
    shown = Trimmed(
        nodes=nodes,
        order=order,
        edges=edges.where(~light),
        before=before,
        dropped_nodes=dropped,
        dropped_edges=int(light.sum()),
        unit=output_unit(report, nodes, order),
    )
    calls = _without_redundant(_sorted_calls(nodes, shown.edges), order)
    return CallGraph(report, shown, tuple(_divided(calls, report, nodes, drawn)), tags)


def document(graph: CallGraph) -> dict[str, Any]:
    """Return the graph as plain values for JSON, in the profile's own unit."""
    report, nodes = graph.report, graph.shown.nodes
    number = {node: i for i, node in enumerate(graph.shown.order)}
    return {
        **report.head("graph"),
        "dropped_nodes": graph.shown.dropped_nodes,
        "dropped_edges": graph.shown.dropped_edges,
        "nodes": [
            {"name": nodes.printable(n), "flat": nodes.flat_value(n), "cum": nodes.cum_value(n)}
            for n in graph.shown.order
        ],
        "edges": [
            {"caller": number[call.caller], "callee": number[call.callee], "weight": call.weight}
            | ({"residual": True} if call.residual else {})
            | ({"inline": True} if call.inline else {})
            for call in graph.calls
        ],
    }


def _graph(report: Report) -> tuple[Nodes, EdgesBetween]:
    """Return the nodes of a graph, one a function, and what finds the edges between those that are kept."""
    nodes = count(report.profile, report.query, report.values, report.divisors)
    return nodes, lambda kept: edges_between(report, nodes, report.values, kept)


def _tree(report: Report) -> tuple[Nodes, EdgesBetween]:
    """Return the nodes of a tree, one for each way that leads to a function, and the same for its edges."""
    if report.divisors is not None:
        raise UsageError("-mean and -call_tree cannot both be given")
    kind = ValueType(report.sample_type, report.unit)
    rows = stack_rows(replace(report.profile, sample_types=(kind,), values=report.values[None]), report.query)
    tree = grow(rows)
    functions = identify(report.profile, report.query)
    known: dict[str, int] = {}
    for node in range(len(functions)):
        known.setdefault(functions.printable(node), node)
    of_name = np.array([known[name] for name in rows.names] or [0], np.int64)[tree.name[1:]]
    cum, flat = (side[0] - side[1] if rows.compared else side[0] for side in (tree.cum[:, 0], tree.flat()[:, 0]))
    columns = ("name", "file", "line", "address", "start_line", "binary")
    nodes = replace(
        functions,
        **{column: getattr(functions, column)[of_name] for column in columns},
        flat=flat[1:],
        cum=cum[1:],
        _printed={},
    )
    parent = tree.parent[1:] - 1
    return nodes, lambda kept: _tree_edges(parent, nodes.cum, kept)


def _tree_edges(parent: Int32s, cum: Int64s, kept: Bools) -> Edges:
    above = parent.copy()
    while (skipped := (above >= 0) & ~kept[above]).any():
        above[skipped] = parent[above[skipped]]
    callee = np.flatnonzero(kept & (above >= 0)).astype(np.int32)
    caller = above[callee]
    return Edges(caller, callee, cum[callee], caller != parent[callee], np.zeros(len(callee), np.bool_))


def _by_entropy(nodes: Nodes, edges: Edges, listed: Bools) -> list[int]:
    """Return the listed nodes, those first that say most: entries, ends, and where calls branch or meet."""
    called = _entropy(edges.callee, edges.weight, np.zeros(len(nodes), np.int64))
    calling = _entropy(edges.caller, edges.weight, nodes.flat)
    score = ((called + calling) * nodes.cum).astype(np.int64) + nodes.flat
    ranked = replace(nodes, flat=score, cum=nodes.flat)  # ordered() is by |flat|, then name, then |cum|
    return ranked.ordered(listed, "flat")


def _entropy(ends: Int32s, weight: Int64s, own: Int64s) -> NDArray[np.float64]:
    """Return how evenly the value of each node is spread over its calls; 1 where there are none.

    pprof leaves values below zero out of the sum and then takes their logarithm; here they count as what they weigh.
    """
    size = len(own)
    weights, of_own = np.abs(weight).astype(np.float64), np.abs(own).astype(np.float64)
    total = np.bincount(ends, weights, size) + of_own
    total[total == 0] = 1
    share, own_share = weights / total[ends], of_own / total
    score = np.bincount(ends, _information(share), size) + _information(own_share)
    return np.where(np.bincount(ends, minlength=size) > 0, score, 1.0)


def _information(share: NDArray[np.float64]) -> NDArray[np.float64]:
    return -share * np.log2(np.where(share > 0, share, 1))


def _room(order: Sequence[int], tags: NodeTags, nodecount: int) -> int:
    """Return how many nodes are drawn: labels take the place of nodes."""
    taken = 0
    for i, node in enumerate(order):
        taken += min(tags.flat_count(node), MOST_TAGS) + 1
        if 0 < nodecount <= taken:
            return i + 1
    return len(order)


def _sorted_calls(nodes: Nodes, edges: Edges) -> list[Call]:
    columns = (edges.caller, edges.callee, edges.weight, edges.residual, edges.inline)
    calls = [Call(*values) for values in zip(*(column.tolist() for column in columns), strict=True)]
    return sorted(calls, key=lambda c: (-abs(c.weight), nodes.printable(c.caller), nodes.printable(c.callee)))


def _without_redundant(calls: Sequence[Call], order: Sequence[int]) -> list[Call]:
    """Return the calls without residual ones whose ends another path joins; the lightest go first."""
    into: dict[int, dict[int, Call]] = {node: {} for node in order}
    for call in calls:
        into[call.callee][call.caller] = call
    for node in reversed(order):
        for call in reversed(list(into[node].values())):
            if not call.residual:
                break  # one that is heavier than a real call stays: its absence would confuse
            if _joined(call, into):
                del into[node][call.caller]
    return [call for call in calls if into[call.callee].get(call.caller) is call]


def _divided(calls: list[Call], report: Report, nodes: Nodes, drawn: Bools) -> list[Call]:
    """Return the calls with their weights divided for -mean."""
    if report.divisors is None:
        return calls
    edges = edges_between(report, nodes, report.divisors, drawn)
    divisor = dict(
        zip(zip(edges.caller.tolist(), edges.callee.tolist(), strict=True), edges.weight.tolist(), strict=True)
    )
    return [replace(call, weight=divided(call.weight, divisor[call.caller, call.callee])) for call in calls]


def _joined(call: Call, into: dict[int, dict[int, Call]]) -> bool:
    seen, queue = {call.callee}, [call.callee]
    while queue:
        node = queue.pop()
        for caller in into[node]:
            if caller in seen or (node == call.callee and caller == call.caller):
                continue
            if caller == call.caller:
                return True
            seen.add(caller)
            queue.append(caller)
    return False

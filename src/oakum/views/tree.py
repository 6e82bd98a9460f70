"""Report -> callers and callees of every node, or of those that match, as `pprof -tree` and `-peek` print them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from msgspec import Struct

from oakum.model import Profile, UsageError
from oakum.model.profile import Int32s
from oakum.views import measure
from oakum.views.edges import Edges
from oakum.views.look import PLAIN, Look
from oakum.views.nodes import Nodes
from oakum.views.patterns import compiled
from oakum.views.query import Query
from oakum.views.report import Report, Trimmed, headings, report_of, trimmed

_RULE = "----------------------------------------------------------+-------------"
_LEGEND = "      flat  flat%   sum%        cum   cum%   calls calls% + context \t \t "


class Call(Struct, frozen=True):
    """The other end of an edge, and what flows along it."""

    name: str
    weight: int
    inline: bool
    residual: bool


class Entry(Struct, frozen=True):
    """One node with those who call it and those it calls, heaviest first."""

    name: str
    flat: int
    cum: int
    callers: tuple[Call, ...]
    callees: tuple[Call, ...]


class Tree(Struct, frozen=True, eq=False):
    """Nodes with their neighbours, heaviest first, with what the headings need."""

    report: Report
    shown: Trimmed
    entries: tuple[Entry, ...]


def tree(profile: Profile, query: Query) -> Tree:
    """Return callers and callees of all nodes of a profile that are heavy enough."""
    report = report_of(profile, query.fitted("tree"))
    shown = trimmed(report)
    return Tree(report, shown, entries(shown, shown.order))


def peek(profile: Profile, query: Query, expression: str) -> Tree:
    """Return the nodes that match a regular expression, as `pprof -peek` prints them: nothing is trimmed."""
    pattern = compiled(expression, "peek")
    report = report_of(profile, query.fitted("peek"))
    shown = trimmed(report)
    chosen = [node for node in shown.order if pattern.search(shown.nodes.printable(node))]
    if not chosen:
        raise UsageError(f"no function in the profile matches {expression}; oakum top lists them")
    return Tree(report, shown, entries(shown, chosen))


def entries(shown: Trimmed, chosen: list[int]) -> tuple[Entry, ...]:
    nodes, edges = shown.nodes, shown.edges
    callers = _Neighbours(nodes, edges, edges.callee, edges.caller)
    callees = _Neighbours(nodes, edges, edges.caller, edges.callee)
    return tuple(
        Entry(nodes.printable(n), nodes.flat_value(n), nodes.cum_value(n), callers.of(n), callees.of(n)) for n in chosen
    )


class _Neighbours:
    """Finds the edges at one end of a node without looking at all of them."""

    def __init__(self, nodes: Nodes, edges: Edges, near: Int32s, far: Int32s) -> None:
        self.nodes, self.edges, self.far = nodes, edges, far
        self.order = np.argsort(near, kind="stable")
        self.near = near[self.order]

    def of(self, node: int) -> tuple[Call, ...]:
        begin, end = np.searchsorted(self.near, (node, node + 1)).tolist()
        calls = [
            Call(
                name=self.nodes.printable(int(self.far[row])),
                weight=int(self.edges.weight[row]),
                inline=bool(self.edges.inline[row]),
                residual=bool(self.edges.residual[row]),
            )
            for row in self.order[begin:end].tolist()
        ]
        return tuple(sorted(calls, key=lambda call: (-abs(call.weight), call.name)))


def lines(tree: Tree, look: Look = PLAIN) -> Iterator[str]:
    report, unit = tree.report, tree.shown.unit
    yield from map(look.plain, headings(report, tree.shown))
    yield _RULE
    yield _LEGEND
    so_far = 0
    for entry in tree.entries:
        so_far += entry.flat
        yield _RULE
        yield from _calls(report, unit, entry, entry.callers, look)
        figures = report.figures(entry.flat, so_far, entry.cum, unit, look)
        yield f"{figures}                | {look.name(entry.name, 60, '')}"
        yield from _calls(report, unit, entry, entry.callees, look)
    if tree.shown.order:
        yield _RULE


def _calls(report: Report, unit: str, entry: Entry, calls: tuple[Call, ...], look: Look) -> Iterator[str]:
    for call in calls:
        figures = f"{report.formatted(call.weight, unit):>50} {measure.percentage(call.weight, entry.cum)}"
        name = look.name(call.name, 62, "(inline)" if call.inline else "")
        yield f"{look.share(figures, call.weight, entry.cum)} |   {name}"


def document(tree: Tree, view: str = "tree") -> dict[str, Any]:
    """Return the tree as plain values for JSON, in the profile's own unit."""

    def calls(of: tuple[Call, ...]) -> list[dict[str, Any]]:
        return [{"name": c.name, "weight": c.weight, "inline": c.inline, "residual": c.residual} for c in of]

    return {
        **tree.report.head(view),
        "dropped_nodes": tree.shown.dropped_nodes,
        "nodes": [
            {
                "name": entry.name,
                "flat": entry.flat,
                "cum": entry.cum,
                "callers": calls(entry.callers),
                "callees": calls(entry.callees),
            }
            for entry in tree.entries
        ],
    }

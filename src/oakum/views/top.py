"""Report -> the list people know from `pprof -top`: flat, sum and cum of every node, heaviest first."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from msgspec import Struct

from oakum.model import Profile
from oakum.views.look import PLAIN, Look
from oakum.views.query import Query
from oakum.views.report import Report, Trimmed, headings, report_of, trimmed


class Row(Struct, frozen=True):
    name: str
    function: str
    file: str
    line: int
    inlined: str  # "", "(inline)" or "(partial-inline)"
    flat: int
    cum: int


class Top(Struct, frozen=True, eq=False):
    """The list, heaviest first, with what its headings need."""

    report: Report
    shown: Trimmed
    rows: tuple[Row, ...]


def top(profile: Profile, query: Query) -> Top:
    """Return the nodes of a profile by their own and inherited value."""
    report = report_of(profile, query.fitted("top"))
    shown = trimmed(report, only_inlined=True)
    nodes, edges = shown.nodes, shown.edges
    inlined = np.bincount(edges.callee[edges.inline], minlength=len(nodes)) > 0
    called = np.bincount(edges.callee[~edges.inline], minlength=len(nodes)) > 0
    rows = tuple(
        Row(
            name=nodes.printable(n),
            function=nodes.function(n),
            file=nodes.path(n),
            line=int(nodes.line[n]),
            inlined="" if not inlined[n] else "(partial-inline)" if called[n] else "(inline)",
            flat=nodes.flat_value(n),
            cum=nodes.cum_value(n),
        )
        for n in shown.order
    )
    return Top(report, shown, rows)


def lines(top: Top, look: Look = PLAIN) -> Iterator[str]:
    """Yield the list as pprof prints it."""
    report, unit = top.report, top.shown.unit
    yield from map(look.plain, headings(report, top.shown))
    yield f"{'flat':>10} {'flat':>5}% {'sum':>5}% {'cum':>10} {'cum':>5}%"
    so_far = 0
    for row in top.rows:
        so_far += row.flat
        figures = report.figures(row.flat, so_far, row.cum, unit, look)
        yield f"{figures}  {look.name(row.name, 40, row.inlined)}"


def document(top: Top) -> dict[str, Any]:
    """Return the list as plain values for JSON, in the profile's own unit."""
    return {
        **top.report.head("top"),
        "dropped_nodes": top.shown.dropped_nodes,
        "nodes": [
            {"name": row.name, "function": row.function}
            | ({"file": row.file} if row.file else {})
            | ({"line": row.line} if row.line else {})
            | ({"inlined": row.inlined.strip("()")} if row.inlined else {})
            | {"flat": row.flat, "cum": row.cum}
            for row in top.rows
        ],
    }

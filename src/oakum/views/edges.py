"""Samples -> who calls whom: edges between the nodes that are shown, with their weights, as pprof counts them.

Nodes that are left out are bridged: the edge over them is residual. A call that occurs twice in a stack counts once.
"""

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from oakum.model.cores import spread
from oakum.model.profile import Bools, Int32s, Int64s
from oakum.views.nodes import Nodes, chunks, grouped, sums

# Up to so many possible pairs of nodes, a table of all is quicker than sorting.
_DENSE = 1 << 23


class Edges(Struct, frozen=True, eq=False):
    """Calls between nodes. `residual`: nodes left out lie between; `inline`: inlined wherever it occurs."""

    caller: Int32s
    callee: Int32s
    weight: Int64s
    residual: Bools
    inline: Bools

    def __len__(self) -> int:
        return len(self.caller)

    def where(self, chosen: Bools) -> "Edges":
        return Edges(
            self.caller[chosen], self.callee[chosen], self.weight[chosen], self.residual[chosen], self.inline[chosen]
        )


class _Calls(Struct, frozen=True, eq=False):
    """Calls as they stand in stacks, from the leaf up; equal ones are not added yet."""

    stack: Int32s
    pair: Int64s  # caller * number of kept nodes + callee
    residual: Bools
    inline: Bools

    def where(self, chosen: "NDArray[np.intp] | Bools") -> "_Calls":
        return _Calls(self.stack[chosen], self.pair[chosen], self.residual[chosen], self.inline[chosen])


def edges_of(nodes: Nodes, weights: Int64s, active: Bools, kept: Bools, wanted: Bools | None = None) -> Edges:
    """Return the edges between kept nodes, or only those to wanted ones.

    `weights` and `active` (some sample counts) are per stack.
    """
    kept_nodes = np.flatnonzero(kept)
    many = len(kept_nodes)
    number = np.full(len(nodes), -1, np.int32)
    number[kept_nodes] = np.arange(many)
    number_of_row = number[nodes.of_row]
    wanted_row = None if wanted is None else wanted[nodes.of_row]
    of_interest = np.zeros(len(nodes.rows.starts) - 1, np.bool_)
    of_interest[nodes.rows.location[number_of_row >= 0]] = True

    def calls(span: tuple[int, int]) -> _Calls:
        stack, row, residual = _kept_frames(nodes, *span, active, of_interest, number_of_row)
        node = number_of_row[row].astype(np.int64)
        # Leaf first: the caller is the next frame of the same stack.
        call = (stack[1:] == stack[:-1]) & (node[1:] != node[:-1])
        if wanted_row is not None:
            call &= wanted_row[row[:-1]]
        at = np.flatnonzero(call)
        found = _Calls(stack[at], node[at + 1] * many + node[at], residual[at], nodes.rows.inlined[row[at]])
        return _once_a_stack(found, nodes.recursive)

    return _added(spread(calls, list(chunks(nodes))), weights, kept_nodes)


def _kept_frames(
    nodes: Nodes, begin: int, end: int, active: Bools, of_interest: Bools, number_of_row: Int32s
) -> tuple[Int32s, Int64s, Bools]:
    """Return the kept frames of stacks begin:end: stack, row, and whether others lie between it and the next."""
    stacks, starts = nodes.profile.stacks, nodes.rows.starts
    locations = stacks.locations[stacks.starts[begin] : stacks.starts[end]]
    stack = np.repeat(np.arange(begin, end, dtype=np.int32), np.diff(stacks.starts[begin : end + 1]))
    place = np.flatnonzero(of_interest.take(locations))
    if not active[begin:end].all():
        place = place[active[stack[place]]]
    row, place = _rows_at(starts, locations[place], place)
    here = np.flatnonzero(number_of_row[row] >= 0)
    place = place[here]
    # Left out are other rows of the same locations, and other locations.
    gaps = (np.diff(here) > 1) | (np.diff(place) > 1)
    return stack[place], row[here], gaps


def _rows_at(starts: Int64s, location: Int32s, place: Int64s) -> tuple[Int64s, Int64s]:
    """Return the rows of these locations one after another, and the place each came from."""
    first = starts[location]
    lines = starts[location + 1] - first
    if (lines == 1).all():
        return first, place
    ends = np.cumsum(lines)
    row = np.repeat(first - ends + lines, lines)
    row += np.arange(len(row))
    return row, np.repeat(place, lines)


def _added(parts: list[_Calls], weights: Int64s, kept_nodes: Int64s) -> Edges:
    """Return the calls with equal ones added up: residual if any of them is, inlined if all of them are."""
    many = len(kept_nodes)
    parts = [part for part in parts if len(part.pair)]
    if not parts:
        return no_edges()
    stack = np.concatenate([part.stack for part in parts])
    pair = np.concatenate([part.pair for part in parts])
    residual = np.concatenate([part.residual for part in parts])
    inline = np.concatenate([part.inline for part in parts])
    if many * many <= _DENSE:  # a table of all pairs is faster than sorting those that occur
        pairs, place = np.arange(many * many), pair
    else:
        pairs, place = np.unique(pair, return_inverse=True)
    weight = sums(place, weights[stack], len(pairs))
    any_residual = np.bincount(place[residual], minlength=len(pairs)) > 0
    all_inline = np.bincount(place[~inline], minlength=len(pairs)) == 0
    occurs = np.flatnonzero(np.bincount(place, minlength=len(pairs)))
    caller, callee = np.divmod(pairs[occurs], many)
    return Edges(
        caller=kept_nodes[caller].astype(np.int32),
        callee=kept_nodes[callee].astype(np.int32),
        weight=weight[occurs],
        residual=any_residual[occurs],
        inline=all_inline[occurs],
    )


def _once_a_stack(calls: _Calls, recursive: Bools) -> _Calls:
    """Return the calls with repetitions within a stack left out; of equal ones the one next to the root stays."""
    doubtful = recursive[calls.stack]
    if not doubtful.any():
        return calls
    rows = np.flatnonzero(doubtful)[::-1]
    _, first = grouped((calls.pair[rows], calls.stack[rows]))
    keep = ~doubtful
    keep[rows[first]] = True
    return calls.where(keep)


def no_edges() -> Edges:
    none, no = np.zeros(0, np.int32), np.zeros(0, np.bool_)
    return Edges(none, none, np.zeros(0, np.int64), no, no)

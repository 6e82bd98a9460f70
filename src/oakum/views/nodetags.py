"""Labels of samples at the nodes of a call graph: how much of a node's value each label has.

Text labels of a sample are one tag; of the numeric labels only "bytes" is drawn, beneath the tag of the text, as in
pprof.
"""

from collections.abc import Iterable

import numpy as np
from msgspec import Struct

from oakum.model import Profile
from oakum.model.profile import Bools, Int64s
from oakum.views import measure
from oakum.views.nodes import Nodes, chunks, divided, sums
from oakum.views.report import Report
from oakum.views.tags import BASE

_DRAWN = "bytes"  # the one numeric label that is drawn


class Tag(Struct, frozen=True):
    """One label at one node. `under` is the text tag that a numeric one stands beneath, "" for none."""

    name: str
    under: str
    value: int
    unit: str  # "" for text
    flat: int
    cum: int


class NodeTags(Struct, frozen=True, eq=False):
    of_node: dict[int, tuple[Tag, ...]]

    def text(self, node: int) -> list[Tag]:
        return [tag for tag in self.of_node.get(node, ()) if not tag.unit]

    def numeric(self, node: int, under: str) -> list[Tag]:
        return [tag for tag in self.of_node.get(node, ()) if tag.unit and tag.under == under]

    def flat_count(self, node: int) -> int:
        """Return how many tags have a value of the node's own."""
        return sum(tag.flat != 0 for tag in self.of_node.get(node, ()))

    def without_below(self, least: int) -> "NodeTags":
        """Return only the tags that reach a value, flat or cum."""
        return NodeTags(
            {
                node: tuple(tag for tag in tags if abs(tag.flat) >= least or abs(tag.cum) >= least)
                for node, tags in self.of_node.items()
            }
        )


def node_tags(report: Report, nodes: Nodes, listed: Bools) -> NodeTags:
    kinds, starts, tags = _kinds(report.profile, report.number_units, report.query.unit)
    if not kinds or not len(report.profile.stacks):
        return NodeTags({})
    weights = [report.values] if report.divisors is None else [report.values, report.divisors]
    flat_keys, flats = _flat(report.profile, nodes, listed, starts, tags, len(kinds), weights)
    cum_keys, cums = _cum(report.profile, nodes, listed, starts, tags, len(kinds), weights)
    flat_of = dict(zip(flat_keys.tolist(), flats, strict=True))
    found: dict[int, list[Tag]] = {}
    for key, cum in zip(cum_keys.tolist(), cums, strict=True):
        name, under, value, unit = kinds[key % len(kinds)]
        found.setdefault(key // len(kinds), []).append(Tag(name, under, value, unit, flat_of.get(key, 0), cum))
    return NodeTags({node: tuple(tags) for node, tags in found.items()})


def _kinds(
    profile: Profile, units: dict[str, str], output_unit: str
) -> tuple[list[tuple[str, str, int, str]], Int64s, Int64s]:
    """Return the distinct tags as (name, under, value, unit), and starts and members of those of each label set."""
    kinds: dict[tuple[str, str, str], int] = {}
    facts: list[tuple[str, str, int, str]] = []
    members: list[int] = []
    starts = [0]

    def number(name: str, under: str, value: int, unit: str) -> int:
        row = kinds.setdefault((name, under, unit), len(kinds))
        if row == len(facts):
            facts.append((name, under, value, unit))
        return row

    unit = units.get(_DRAWN, "") or _DRAWN
    for row in range(len(profile.label_sets)):
        labels = profile.labels(row)
        text = "\n".join(sorted(f"{label.key}:{label.text}" for label in labels if label.text and label.key != BASE))
        own = {number(text, "", 0, "")} if text else set()
        own |= {
            number(measure.scaled_label(label.number, unit, output_unit), text, label.number, unit)
            for label in labels
            if label.key == _DRAWN and not label.text and (label.number or label.unit)
        }
        members.extend(sorted(own))
        starts.append(len(members))
    return facts, np.array(starts, np.int64), np.array(members, np.int64)


def _flat(
    profile: Profile, nodes: Nodes, listed: Bools, starts: Int64s, tags: Int64s, many: int, weights: list[Int64s]
) -> tuple[Int64s, list[int]]:
    stacks = profile.stacks
    filled = np.diff(stacks.starts)[profile.stack_ids] > 0
    sample = np.flatnonzero(filled)
    leaf = nodes.of_row[nodes.rows.starts[stacks.locations[stacks.starts[profile.stack_ids[sample]]]]]
    inside = listed[leaf]
    return _added([_tagged(profile, sample[inside], leaf[inside], starts, tags, many, weights)])


def _cum(
    profile: Profile, nodes: Nodes, listed: Bools, starts: Int64s, tags: Int64s, many: int, weights: list[Int64s]
) -> tuple[Int64s, list[int]]:
    by_stack = np.argsort(profile.stack_ids, kind="stable")
    sample_starts = np.searchsorted(profile.stack_ids[by_stack], np.arange(len(profile.stacks) + 1))
    parts = []
    for begin, end in chunks(nodes):
        stacks = profile.stacks
        location = stacks.locations[stacks.starts[begin] : stacks.starts[end]]
        owner = np.repeat(np.arange(begin, end), np.diff(stacks.starts[begin : end + 1]))
        row, place = _ranges(nodes.rows.starts, location.astype(np.int64))
        node = nodes.of_row[row]
        inside = listed[node]
        pair = np.unique(owner[place[inside]] * len(nodes) + node[inside])
        stack, node = pair // len(nodes), pair % len(nodes)
        sample, repeated = _ranges(sample_starts, stack)
        parts.append(_tagged(profile, by_stack[sample], node[repeated], starts, tags, many, weights))
    return _added(parts)


def _ranges(starts: Int64s, rows: Int64s) -> tuple[Int64s, Int64s]:
    """Return the members of each row's range, and for each member the place of its row."""
    lengths = starts[rows + 1] - starts[rows]
    ends = np.cumsum(lengths)
    place = np.repeat(np.arange(len(rows)), lengths)
    return np.arange(len(place)) - np.repeat(ends - lengths - starts[rows], lengths), place


def _tagged(
    profile: Profile,
    sample: Int64s,
    node: "np.ndarray[tuple[int, ...], np.dtype[np.signedinteger]]",
    starts: Int64s,
    tags: Int64s,
    many: int,
    weights: list[Int64s],
) -> tuple[Int64s, list[Int64s]]:
    member, place = _ranges(starts, profile.label_ids[sample].astype(np.int64))
    keys, group = np.unique(node[place].astype(np.int64) * many + tags[member], return_inverse=True)
    return keys, [sums(group, weight[sample[place]], len(keys)) for weight in weights]


def _added(parts: Iterable[tuple[Int64s, list[Int64s]]]) -> tuple[Int64s, list[int]]:
    all_keys, all_weights = zip(*parts, strict=True)
    keys, group = np.unique(np.concatenate(all_keys), return_inverse=True)
    columns = [sums(group, np.concatenate(column), len(keys)).tolist() for column in zip(*all_weights, strict=True)]
    if len(columns) == 1:
        return keys, columns[0]
    return keys, [divided(value, divisor) for value, divisor in zip(*columns, strict=True)]

"""Profile and query -> what every pprof report starts from: filtered samples, total, trimmed nodes and edges, headings.

The total is that of the samples before filtering (after it with -relative_percentages), as in pprof.
"""

from datetime import datetime
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from oakum.model import Profile, UsageError
from oakum.model.profile import Bools, Int64s
from oakum.views import measure, tags, transform
from oakum.views.edges import Edges, edges_of, no_edges
from oakum.views.look import Look
from oakum.views.nodes import Nodes, base_name, count, divided, sums
from oakum.views.query import Query, active_filters, sample_index
from oakum.views.tagframes import with_tag_frames


class Report(Struct, frozen=True, eq=False):
    """Filtered samples and what is needed to print them."""

    profile: Profile
    query: Query
    sample_type: str
    unit: str
    values: Int64s  # of the chosen sample type, one per sample
    divisors: Int64s | None  # for -mean
    total: int
    number_units: dict[str, str]  # the unit of each numeric label
    remarks: tuple[str, ...] = ()  # what pprof says on stderr: "Focus expression matched no samples"

    def scaled(self, value: int) -> int:
        """Return the value divided by -divide_by."""
        ratio = 1 / self.query.divide_by
        return int(float(value) * ratio) if ratio > 0 and ratio != 1 else value

    def head(self, view: str) -> dict[str, Any]:
        """Return what the JSON of every view begins with."""
        return {"view": view, "sample_type": self.sample_type, "unit": self.unit, "total": self.total}

    def figures(self, flat: int, so_far: int, cum: int, unit: str, look: Look) -> str:
        """Return flat, sum and cum of a node as `pprof -top` and `-tree` print them."""
        own = f"{self.formatted(flat, unit):>10} {measure.percentage(flat, self.total)}"
        inherited = f"{self.formatted(cum, unit):>10} {measure.percentage(cum, self.total)}"
        share = measure.percentage(so_far, self.total)
        return f"{look.share(own, flat, self.total)} {share} {look.share(inherited, cum, self.total)}"

    def formatted(self, value: int, unit: str) -> str:
        """Return the value as text in an output unit."""
        return measure.scaled_label(self.scaled(value), self.unit, unit)


class Trimmed(Struct, frozen=True, eq=False):
    """The nodes that are shown, heaviest first, with the edges between them, and how much was left out."""

    nodes: Nodes
    order: list[int]
    edges: Edges
    before: int  # nodes before -nodecount cut the list
    dropped_nodes: int
    dropped_edges: int
    unit: str  # in which values are printed

    @property
    def shown_total(self) -> int:
        """Return the sum of flat over the nodes shown."""
        return sum(self.nodes.flat_value(node) for node in self.order)


def report_of(profile: Profile, query: Query) -> Report:
    """Return the report of a profile; raise UsageError when the query does not fit it."""
    if query.divide_by == 0:
        raise UsageError("-divide_by=0: cannot divide by zero")
    index = sample_index(profile, query.sample_index)
    number_units = tags.number_units(profile)
    profile, remarks = with_tag_frames(profile, query)
    filtered, more = transform.filtered(profile, query, number_units)
    total = _total(filtered if query.relative_percentages else profile, index, query.mean)
    sample_type = profile.sample_types[index]
    return Report(
        profile=filtered,
        query=query,
        sample_type=f"mean_{sample_type.type}" if query.mean else sample_type.type,
        unit=sample_type.unit,
        values=filtered.values[index],
        divisors=filtered.values[0] if query.mean else None,
        total=total,
        number_units=number_units,
        remarks=(*remarks, *more),
    )


def _total(profile: Profile, index: int, mean: bool) -> int:
    values = np.abs(profile.values[index])
    total, base = int(values.sum()), tags.is_base(profile)
    divisor = int(profile.values[0].sum()) if mean else 0
    if base is not None and (of_base := int(values[base].sum())) > 0:
        total, divisor = of_base, int(profile.values[0][base].sum()) if mean else 0
    return divided(total, divisor)


def trimmed(report: Report, *, only_inlined: bool = False) -> Trimmed:
    """Return the nodes and edges that pprof shows in text: without the lightest, at most -nodecount of them.

    With only_inlined there are only edges to nodes that were inlined somewhere: a list needs no others.
    """
    query = report.query
    nodes = count(report.profile, query, report.values, report.divisors)
    listed = nodes.weighty(query.drop_negative)
    kept = np.ones(len(nodes), np.bool_)  # whose edges are followed: as pprof, all of them until one is dropped
    total = float(nodes.flat[listed].sum())
    node_cutoff, edge_cutoff = abs(int(total * query.nodefraction)), abs(int(total * query.edgefraction))
    heavy = listed & (np.abs(nodes.cum) >= node_cutoff)
    dropped_nodes = int(listed.sum() - heavy.sum())
    if dropped_nodes:
        listed = kept = heavy
    order = nodes.ordered(listed, query.sort)
    before = len(order)
    if 0 < query.nodecount < before:
        order = order[: query.nodecount]
        listed = kept = np.zeros(len(nodes), np.bool_)
        listed[order] = True
    wanted = None
    if only_inlined:
        wanted = np.zeros(len(nodes), np.bool_)
        wanted[nodes.of_row[nodes.rows.inlined]] = True
        wanted &= listed
    edges = (
        no_edges()
        if wanted is not None and not wanted.any()
        else edges_between(report, nodes, report.values, kept, wanted)
    )
    light = listed[edges.callee] & (np.abs(edges.weight) < edge_cutoff)
    return Trimmed(
        nodes=nodes,
        order=order,
        edges=edges.where(~light),
        before=before,
        dropped_nodes=dropped_nodes,
        dropped_edges=int(light.sum()),
        unit=output_unit(report, nodes, order),
    )


def edges_between(report: Report, nodes: Nodes, values: Int64s, kept: Bools, wanted: Bools | None = None) -> Edges:
    """Return the edges between the nodes that are kept, weighted by these values; with `wanted` only those to these."""
    profile = report.profile
    weights = sums(profile.stack_ids, values, len(profile.stacks))
    counts = report.values != 0
    if report.divisors is not None:
        counts |= report.divisors != 0
    active = np.zeros(len(profile.stacks), np.bool_)
    active[profile.stack_ids[counts]] = True
    return edges_of(nodes, weights, active, kept, wanted)


def output_unit(report: Report, nodes: Nodes, order: list[int]) -> str:
    """Return the unit for all values of a report: the best for the smallest, or for 100 times it."""
    wanted = report.query.unit
    if wanted != "minimum" or not order:
        return wanted
    weights = (abs(nodes.flat_value(n)) or abs(nodes.cum_value(n)) for n in order)
    largest = report.total
    smallest = min((w for w in weights if w > 0), default=largest)
    smallest, largest = report.scaled(smallest), report.scaled(largest)
    _, unit = measure.scale(smallest, report.unit, "minimum")
    _, largest_unit = measure.scale(largest, report.unit, "minimum")
    if unit != largest_unit and smallest * 100 < largest:
        _, unit = measure.scale(100 * smallest, report.unit, "minimum")
    return unit or report.unit


def profile_headings(report: Report, unit: str) -> list[str]:
    """Return what pprof prints about the profile: File, Build ID, Type, Time, Duration."""
    profile = report.profile
    lines = []
    if profile.mappings:
        main = profile.mappings[0]
        lines += [f"File: {base_name(main.file)}"] if main.file else []
        lines += [f"Build ID: {main.build_id}"] if main.build_id else []
    lines += [comment for comment in profile.comments if not comment.startswith("#")]
    lines += [f"Type: {report.sample_type}"] if report.sample_type else []
    lines += [f"Doc: {profile.doc_url}"] if profile.doc_url else []
    if profile.time_nanos:
        lines.append(f"Time: {_local_time(profile.time_nanos)}")
    if profile.duration_nanos:
        lasted = measure.label(profile.duration_nanos, "nanoseconds")
        nanoseconds, time_unit = measure.scale(report.total, report.unit, "nanoseconds")
        share = ""
        if time_unit == "ns" and nanoseconds:
            share = f"({measure.percentage(int(nanoseconds), profile.duration_nanos)})"
        lines.append(f"Duration: {lasted}, Total samples = {report.formatted(report.total, unit)} {share}")
    return lines


def _local_time(nanoseconds: int) -> str:
    try:
        return f"{datetime.fromtimestamp(nanoseconds // 10**9).astimezone():%Y-%m-%d %H:%M:%S %Z}"
    except (OverflowError, OSError, ValueError):
        return f"{nanoseconds} ns after 1970"  # a year that no calendar here reaches


def headings(report: Report, shown: Trimmed) -> list[str]:
    """Return the lines above a list or tree: the profile, the filters in force, and how much is shown."""
    lines = [] if report.query.compact_labels else profile_headings(report, shown.unit)
    filters = active_filters(report.query)
    if filters:
        lines += ["Active filters:", *(f"   {f}" if len(f) <= 80 else f"   {f[:80]}…" for f in filters)]
    total, in_nodes = report.total, shown.shown_total
    share = measure.percentage(in_nodes, total).strip()
    lines.append(
        f"Showing nodes accounting for {report.formatted(in_nodes, shown.unit)}, {share} of "
        f"{report.formatted(total, shown.unit)} total"
    )
    if total and shown.dropped_nodes:
        least = report.formatted(abs(int(float(total) * report.query.nodefraction)), shown.unit)
        plural = "nodes" if shown.dropped_nodes > 1 else "node"
        lines.append(f"Dropped {shown.dropped_nodes} {plural} (cum <= {least})")
    if total and 0 < len(shown.order) < shown.before:
        lines.append(f"Showing top {len(shown.order)} nodes out of {shown.before}")
    return lines


def shown_profile(report: Report) -> Profile:
    """Return what a report shows as a profile: filtered, scaled by -divide_by, without inlined lines if so asked."""
    profile, query = report.profile, report.query
    if query.noinlines:
        profile = transform.without_inlines(profile)
    ratio = 1 / query.divide_by
    if ratio > 0 and ratio != 1:
        profile = replace(profile, values=(profile.values * ratio).astype(np.int64))
    return profile

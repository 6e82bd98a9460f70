"""Report -> every sample with its labels, value and stack, as `pprof -traces` prints them."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from oakum.model import Profile
from oakum.views import measure
from oakum.views.look import PLAIN, Look
from oakum.views.nodes import Nodes, divided, identify
from oakum.views.query import Query
from oakum.views.report import Report, profile_headings, report_of

_RULE = "-----------+-------------------------------------------------------"
_INDENT = " " * 13


class Trace(Struct, frozen=True):
    """One sample: its stack as nodes, leaf first, each with whether it was inlined."""

    value: int
    labels: tuple[tuple[str, str], ...]  # key and values, numeric ones in their unit
    frames: tuple[tuple[str, bool], ...]


class Traces(Struct, frozen=True, eq=False):
    """All samples in the order of the profile, made one by one when asked for."""

    report: Report
    nodes: Nodes

    def __iter__(self) -> Iterator[Trace]:
        for value, label, locations in self.samples():
            frames = tuple(frame for location in locations for frame in self.frames(location))
            yield Trace(value, _labels(self.report, label), frames)

    def samples(self) -> Iterator[tuple[int, int, list[int]]]:
        """Yield value, set of labels and locations of each sample that has a stack."""
        profile, report = self.report.profile, self.report
        values = report.values.tolist()
        if report.divisors is not None:
            values = [divided(v, d) for v, d in zip(values, report.divisors.tolist(), strict=True)]
        for value, label, stack in zip(values, profile.label_ids.tolist(), profile.stack_ids.tolist(), strict=True):
            locations = profile.stacks[stack].tolist()
            if locations:
                yield value, label, locations

    def frames(self, location: int) -> tuple[tuple[str, bool], ...]:
        """Return the frames of one location by name, each with whether it was inlined."""
        rows, of_row = self.nodes.rows, self.nodes.of_row
        span = range(int(rows.starts[location]), int(rows.starts[location + 1]))
        return tuple((self.nodes.printable(int(of_row[row])), bool(rows.inlined[row])) for row in span)


def _labels(report: Report, label_id: int) -> tuple[tuple[str, str], ...]:
    """Return the labels of a set as printed: texts first, then numbers, each sorted as lines."""
    texts: dict[str, list[str]] = {}
    numbers: dict[str, list[str]] = {}
    for label in report.profile.labels(label_id):
        if label.text:
            texts.setdefault(label.key, []).append(label.text)
        elif label.number or label.unit:
            unit = report.number_units.get(label.key, "")
            numbers.setdefault(label.key, []).append(measure.label(label.number, unit))
    rows = [[(key, " ".join(values)) for key, values in found.items()] for found in (texts, numbers)]
    return tuple(row for of_kind in rows for row in sorted(of_kind, key=lambda row: _label_line(*row)))


def _label_line(key: str, values: str) -> str:
    return f"{key:>10}:  {values}"


def traces(profile: Profile, query: Query) -> Traces:
    report = report_of(profile, query.fitted("traces"))
    # As in pprof, paths stay whole here.
    return Traces(report, identify(report.profile, report.query, trim_paths=False))


def lines(traces: Traces, look: Look = PLAIN) -> Iterator[str]:
    """Yield the samples as pprof prints them, several lines at a time."""
    report, unit = traces.report, traces.report.query.unit
    names: dict[int, str] = {}  # a location's frames, one a line, without the figure before the first
    labels: dict[int, str] = {}

    def dressed(location: int) -> str:
        marked = ((name, "(inline)" if inlined else "") for name, inlined in traces.frames(location))
        return f"\n{_INDENT}".join(look.name(name, len(_INDENT), mark) for name, mark in marked)

    yield "\n".join(map(look.plain, profile_headings(report, unit)))
    for value, label, locations in traces.samples():
        if label not in labels:
            labels[label] = "".join(f"{look.plain(_label_line(*row))}\n" for row in _labels(report, label))
        for location in locations:
            if location not in names:
                names[location] = dressed(location)
        figure = look.share(f"{report.formatted(value, unit):>10}", value, report.total)
        stack = f"\n{_INDENT}".join([names[location] for location in locations])
        yield f"{_RULE}\n{labels[label]}{figure}   {stack}"
    yield _RULE


def document(traces: Traces) -> dict[str, Any]:
    """Return the samples as plain values for JSON, in the profile's own unit."""
    return {
        **traces.report.head("traces"),
        "traces": [
            {
                "value": trace.value,
                "labels": dict(trace.labels),
                "frames": [{"name": name, "inlined": inlined} for name, inlined in trace.frames],
            }
            for trace in traces
        ],
    }

"""Several captures of one kind -> what is new, gone, grown or shrunk, in absolute numbers.

A snapshot is a table from a name to a value; goroutines are counted by state and place, profiles by function, line or
stack. A name that a rebuild spells differently (another path, closure number) is not a change.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from oakum.model import Frame, GoroutineGroup, Goroutines, Profile, UsageError, normal_function
from oakum.views import nodes
from oakum.views.query import Query
from oakum.views.report import Report, report_of
from oakum.views.transform import fetched

Kind = Literal["new", "gone", "grown", "shrunk", "same"]
Name = tuple[str, ...]


class Change(Struct, frozen=True):
    """One name through all snapshots, oldest first."""

    name: Name
    values: tuple[int, ...]

    @property
    def change(self) -> int:
        """Return last minus first."""
        return self.values[-1] - self.values[0]

    @property
    def kind(self) -> Kind:
        """Return what happened between the first and the last snapshot."""
        first, last = self.values[0], self.values[-1]
        if first == last:
            return "same"
        if not first:
            return "new"
        if not last:
            return "gone"
        return "grown" if abs(last) > abs(first) else "shrunk"


class Difference(Struct, frozen=True):
    """What changed: rows, largest absolute change first; `columns` say what the parts of a name are."""

    columns: tuple[str, ...]
    unit: str
    measure: str
    totals: tuple[int, ...]
    rows: tuple[Change, ...]


def of_tables(columns: Sequence[str], tables: Sequence[Counter[Name]], measure: str, unit: str) -> Difference:
    """Return the difference of tables that count the same names at several snapshots."""
    names = {name for table in tables for name in table}
    rows = [Change(name, tuple(table[name] for table in tables)) for name in names]
    rows.sort(key=lambda row: (-abs(row.change), -abs(row.values[-1]), row.name))
    totals = tuple(sum(table.values()) for table in tables)
    return Difference(tuple(columns), unit, measure, totals, tuple(rows))


def _spot(frame: Frame | None) -> str:
    if frame is None:
        return "?"
    file = frame.file.replace("\\", "/").rpartition("/")[2]
    return f"{frame.function} {file}:{frame.line}" if file else frame.function


def _same_spot(frame: Frame | None) -> str:
    """Return the spot as it reads in every build and format: no shapes, closure numbers or folders."""
    if frame and frame.package == "runtime/pprof":  # the capture itself: each format is written by another function
        return frame.package
    return _spot(replace(frame, function=normal_function(frame.function))) if frame else "?"


# What goroutines can be compared by: the identity, and how it is shown.
_Key = tuple[Callable[[GoroutineGroup], str], Callable[[GoroutineGroup], str]]


def _state(group: GoroutineGroup) -> str:
    return group.state or "?"


def _stack(group: GoroutineGroup) -> str:
    return " <- ".join(normal_function(function) for function in group.stack.functions) or "?"


GOROUTINE_KEYS: dict[str, _Key] = {
    "state": (_state, _state),
    "place": (lambda g: _same_spot(g.place), lambda g: _spot(g.place)),
    "function": (
        lambda g: normal_function(g.place.function) if g.place else "?",
        lambda g: g.place.function if g.place else "?",
    ),
    "creator": (lambda g: _same_spot(g.created_by), lambda g: _spot(g.created_by)),
    "stack": (_stack, _stack),
}


def of_goroutines(snapshots: Sequence[Goroutines], by: Sequence[str] = ()) -> Difference:
    """Return where goroutines became more or fewer.

    Without `by` they are counted by state and place; the state is left out when one of the captures cannot say it,
    since otherwise everything would look new. Captures of different builds agree by function, seldom by line.
    """
    if not by:
        stateless = any(group.state is None for snapshot in snapshots for group in snapshot.groups)
        by = ("place",) if stateless else ("state", "place")
    for key in by:
        if key not in GOROUTINE_KEYS:
            raise UsageError(f"--by {key}: goroutines can be compared by {', '.join(GOROUTINE_KEYS)}")
    tables = []
    shown: dict[Name, Name] = {}
    for snapshot in snapshots:
        table: Counter[Name] = Counter()
        for group in snapshot.groups:
            name = tuple(GOROUTINE_KEYS[key][0](group) for key in by)
            table[name] += group.count
            if name not in shown:
                shown[name] = tuple(GOROUTINE_KEYS[key][1](group) for key in by)
        tables.append(table)
    found = of_tables(by, tables, "goroutines", "count")
    return replace(found, rows=tuple(replace(row, name=shown[row.name]) for row in found.rows))


_GRANULARITY: dict[str, Callable[[Query], Query]] = {
    "function": lambda query: replace(query, granularity="functions"),
    "line": lambda query: replace(query, granularity="lines"),
    "file": lambda query: replace(query, granularity="files"),
    "stack": lambda query: query,
}


def of_profiles(snapshots: Sequence[Profile], query: Query, by: str = "function") -> Difference:
    """Return where the chosen sample type grew or shrank: flat per function, or cum with -cum."""
    if by not in _GRANULARITY:
        raise UsageError(f"--by {by}: a profile can be compared by {', '.join(_GRANULARITY)}")
    reports = [report_of(fetched(profile), _GRANULARITY[by](query)) for profile in snapshots]
    types = {(report.sample_type, report.unit) for report in reports}
    if len(types) > 1:
        raise UsageError(f"these profiles count different things: {', '.join(sorted('/'.join(t) for t in types))}")
    count = _by_stack if by == "stack" else _by_node
    difference = of_tables((by,), [count(report) for report in reports], reports[0].sample_type, reports[0].unit)
    return replace(difference, totals=tuple(int(report.values.sum()) for report in reports))


def _by_node(report: Report) -> Counter[Name]:
    counted = nodes.count(report.profile, report.query, report.values, report.divisors)
    value = counted.cum_value if report.query.sort == "cum" else counted.flat_value
    table: Counter[Name] = Counter()
    for node in ((counted.cum != 0) | (counted.flat != 0)).nonzero()[0].tolist():
        table[(counted.printable(node),)] += value(node)
    return table


def _by_stack(report: Report) -> Counter[Name]:
    profile = report.profile
    weights = nodes.sums(profile.stack_ids, report.values, len(profile.stacks))
    table: Counter[Name] = Counter()
    for row in weights.nonzero()[0].tolist():
        functions = [normal_function(frame.function) for frame in profile.stack(row).frames]
        table[(" <- ".join(functions) or "?",)] += int(weights[row])
    return table

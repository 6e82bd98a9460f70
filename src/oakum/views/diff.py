"""Several captures of one kind -> what is new, gone, grown or shrunk, in absolute numbers.

A moment is a table from a name to a value; goroutines are counted by state and place, profiles by function, line or
stack. A name that a rebuild spells differently (another path, closure number) is not a change.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from oakum.model import Frame, GoroutineGroup, Goroutines, Profile, UsageError, normal_function
from oakum.views import nodes
from oakum.views.query import Query, sample_index

Kind = Literal["new", "gone", "grown", "shrunk", "same"]
Name = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One name through all moments, oldest first."""

    name: Name
    values: tuple[int, ...]

    @property
    def change(self) -> int:
        """Return last minus first."""
        return self.values[-1] - self.values[0]

    @property
    def kind(self) -> Kind:
        """Return what happened between the first and the last moment."""
        first, last = self.values[0], self.values[-1]
        if first == last:
            return "same"
        if not first:
            return "new"
        if not last:
            return "gone"
        return "grown" if abs(last) > abs(first) else "shrunk"


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed: rows, largest absolute change first; `columns` say what the parts of a name are."""

    columns: tuple[str, ...]
    unit: str
    measure: str
    totals: tuple[int, ...]
    rows: tuple[Change, ...]


def of_tables(columns: Sequence[str], tables: Sequence[Counter[Name]], measure: str, unit: str) -> Difference:
    """Return the difference of tables that count the same names at several moments."""
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


GOROUTINE_KEYS: dict[str, Callable[[GoroutineGroup], str]] = {
    "state": lambda g: g.state or "?",
    "place": lambda g: _spot(g.place),
    "function": lambda g: normal_function(g.place.function) if g.place else "?",
    "creator": lambda g: _spot(g.created_by),
    "stack": lambda g: " <- ".join(normal_function(f) for f in g.stack.functions) or "?",
}


def of_goroutines(moments: Sequence[Goroutines], by: Sequence[str] = ()) -> Difference:
    """Return where goroutines became more or fewer.

    Without `by` they are counted by state and place; the state is left out when one of the captures cannot say it,
    since otherwise everything would look new.
    """
    if not by:
        stateless = any(group.state is None for moment in moments for group in moment.groups)
        by = ("place",) if stateless else ("state", "place")
    for key in by:
        if key not in GOROUTINE_KEYS:
            raise UsageError(f"--by {key}: goroutines can be compared by {', '.join(GOROUTINE_KEYS)}")
    tables = []
    for moment in moments:
        table: Counter[Name] = Counter()
        for group in moment.groups:
            table[tuple(GOROUTINE_KEYS[key](group) for key in by)] += group.count
        tables.append(table)
    return of_tables(by, tables, "goroutines", "count")


PROFILE_KEYS = ("function", "line", "file", "stack")


def of_profiles(moments: Sequence[Profile], query: Query, by: str = "function") -> Difference:
    """Return where the chosen sample type grew or shrank: flat per function, or cum with -cum."""
    if by not in PROFILE_KEYS:
        raise UsageError(f"--by {by}: a profile can be compared by {', '.join(PROFILE_KEYS)}")
    chosen = [sample_index(profile, query.sample_index) for profile in moments]
    types = [profile.sample_types[index] for profile, index in zip(moments, chosen, strict=True)]
    if len(set(types)) > 1:
        raise UsageError(f"these profiles count different things: {', '.join(sorted({str(t) for t in types}))}")
    count = _by_stack if by == "stack" else _by_node
    granularity: dict[str, Query] = {
        "function": replace(query, granularity="functions"),
        "line": replace(query, granularity="lines"),
        "file": replace(query, granularity="files"),
    }
    tables = [count(profile, index, granularity.get(by, query)) for profile, index in zip(moments, chosen, strict=True)]
    difference = of_tables((by,), tables, types[0].type, types[0].unit)
    totals = tuple(int(p.values[index].sum()) for p, index in zip(moments, chosen, strict=True))
    return replace(difference, totals=totals)


def _by_node(profile: Profile, index: int, query: Query) -> Counter[Name]:
    counted = nodes.count(profile, query, profile.values[index])
    weight = counted.cum if query.sort == "cum" else counted.flat
    table: Counter[Name] = Counter()
    for node in weight.nonzero()[0].tolist():
        table[(counted.printable(node),)] += int(weight[node])
    return table


def _by_stack(profile: Profile, index: int, query: Query) -> Counter[Name]:  # noqa: ARG001 - same shape as _by_node
    weights = nodes.sums(profile.stack_ids, profile.values[index], len(profile.stacks))
    table: Counter[Name] = Counter()
    for row in weights.nonzero()[0].tolist():
        functions = [normal_function(frame.function) for frame in profile.stack(row).frames]
        table[(" <- ".join(functions) or "?",)] += int(weights[row])
    return table


__all__ = [
    "GOROUTINE_KEYS", "PROFILE_KEYS", "Change", "Difference", "Kind", "of_goroutines", "of_profiles", "of_tables",
]  # fmt: skip

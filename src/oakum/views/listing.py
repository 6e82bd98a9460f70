"""Profile -> the listing people know from `pprof -list`: source of the functions that match, flat and cum per line.

Numbers and layout are pprof's. The source itself is handed in by the caller; lines that it does not have keep their
numbers, and a source that cannot be the running version's is told.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from oakum.model import Profile
from oakum.model.frame import split_function
from oakum.model.profile import Bools, Int32s, Int64s
from oakum.views import measure
from oakum.views.nodes import Nodes, count
from oakum.views.patterns import Pattern, compiled
from oakum.views.query import Query
from oakum.views.report import Report, report_of

MARGIN = 5  # lines after the last line with a value, and before the first where the beginning is unknown; as pprof
_ABSENT = "???"  # pprof's text for a line that the file does not have

# func Run(   func (r *Reflector) Run(   func Map[K comparable](      declarations begin a line, closures never do
_DECLARATION = re.compile(r"^func\s+(?:\([^)]*\)\s*)?([^\W\d]\w*)")
# pool, Get and func1 of .(*pool[...]).Get.func1
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
# What the compiler writes for a go or defer statement, a method value, a range-over-func body: no `func` starts them.
_NO_FUNC = re.compile(r"(?:gowrap|deferwrap)\d+|-range\d+|[-·]fm")


class Line(Struct, frozen=True):
    """The values of one source line; number 0 where the profile has no line."""

    number: int
    flat: int
    cum: int


class Routine(Struct, frozen=True):
    """One function in one file, with the lines that have values, by number."""

    function: str
    file: str  # as pprof prints it: trimmed by -trim_path and -source_path
    named: str  # as the profile names it
    start_line: int  # where the function begins; 0 when the profile does not say
    begin: int  # the first line to show: where it begins, or a few lines before the first value
    flat: int
    cum: int
    lines: tuple[Line, ...]


class Listing(Struct, frozen=True, eq=False):
    """The routines that match, by name and file. `silent` counts functions that match but have no value."""

    report: Report
    routines: tuple[Routine, ...]
    silent: int = 0


class Source(Struct, frozen=True):
    """The text of a routine's file, or none, and what is to be said about it."""

    lines: Sequence[str] | None
    remarks: tuple[str, ...] = ()
    path: str | None = None
    looked: tuple[str, ...] = ()


def listing(profile: Profile, query: Query, expression: str) -> Listing:
    """Return the functions whose name matches, with flat and cum for each of their lines."""
    pattern = compiled(expression, "list")
    report = report_of(profile, query.fitted("list"))
    nodes = count(report.profile, report.query, report.values, report.divisors)
    weighty = nodes.weighty(query.drop_negative)
    matching = _matching(nodes, pattern)
    groups: dict[tuple[str, str], list[int]] = {}
    for node in np.flatnonzero(matching & weighty).tolist():
        groups.setdefault((nodes.function(node), nodes.path(node)), []).append(node)
    of_node, begins = _beginnings(nodes)
    routines = tuple(
        _routine(nodes, function, file, group, int(of_node[group[0]]), int(begins[group].min()))
        for (function, file), group in sorted(groups.items())
    )
    silent = 0 if routines else len(np.unique(nodes.name[matching]))
    return Listing(report, routines, silent)


def _matching(nodes: Nodes, pattern: Pattern) -> Bools:
    used, number = np.unique(nodes.name, return_inverse=True)
    strings = nodes.profile.strings
    found = [row > 0 and pattern.search(strings[row]) is not None for row in used.tolist()]
    return np.array(found, np.bool_)[number]


def _beginnings(nodes: Nodes) -> tuple[Int32s, Int64s]:
    """Return for each node a row of the function table (-1: none), and the first line that pprof shows for it."""
    rows = nodes.rows
    starts = np.append(nodes.profile.functions.start_line, 0)[rows.function]
    begins = np.full(len(nodes), np.iinfo(np.int64).max)
    np.minimum.at(begins, nodes.of_row, np.where(starts > 0, starts, rows.line - MARGIN))
    of_node = np.full(len(nodes), -1, np.int32)
    of_node[nodes.of_row] = rows.function
    return of_node, begins


def _routine(nodes: Nodes, function: str, file: str, group: list[int], of_function: int, begin: int) -> Routine:
    sums: dict[int, list[int]] = {}
    for node in group:
        of_line = sums.setdefault(max(0, int(nodes.line[node])), [0, 0])
        of_line[0] += int(nodes.flat[node])  # -mean divides the total only: so does pprof
        of_line[1] += int(nodes.cum[node])
    lines = [Line(number, flat, cum) for number, (flat, cum) in sorted(sums.items())]
    functions = nodes.profile.functions
    return Routine(
        function=function,
        file=file,
        named=nodes.profile.strings[int(functions.file[of_function])],
        start_line=int(functions.start_line[of_function]),
        begin=begin,
        flat=sum(line.flat for line in lines),
        cum=sum(line.cum for line in lines),
        lines=tuple(lines),
    )


def shown(
    routine: Routine, text: Sequence[str] | None, context: int | None = None
) -> Iterator[tuple[Line, str | None] | None]:
    """Yield the lines to show with their source (None: the file has no such line), None where lines are left out.

    All from the function's beginning to a few lines after the last value; with a context, only that many about each.
    """
    valued = {line.number: line for line in routine.lines}
    length = len(text) if text is not None else 0
    inside = {number for number in valued if 1 <= number <= length}
    yield from ((valued[number], None) for number in valued if number < 1)
    if text is not None and inside:
        margin = MARGIN if context is None else context
        numbers = set(range(max(1, min(routine.begin, *inside)), min(max(inside) + margin, length) + 1))
        if context is not None:
            numbers = {number + step for number in inside for step in range(-margin, margin + 1)}
        last = 0
        for number in sorted(n for n in numbers if 1 <= n <= length):
            if last and number > last + 1:
                yield None
            yield valued.get(number, Line(number, 0, 0)), text[number - 1]
            last = number
    yield from ((valued[number], None) for number in valued if number > length)


def lines(
    listing: Listing,
    source_of: Callable[[Routine], Source],
    context: int | None = None,
    strong: Callable[[str], str] = str,
    plain: Callable[[str], str] = str,
) -> Iterator[str]:
    """Yield the listing as pprof prints it; `strong` dresses the lines that decide, `plain` every foreign text."""
    report = listing.report
    unit = report.query.unit
    yield f"Total: {report.formatted(report.total, unit)}"
    for routine in listing.routines:
        if not routine.file:
            yield plain(f"No source information for {routine.function}")
            continue
        source = source_of(routine)
        yield strong(plain(f"ROUTINE ======================== {routine.function} in {routine.file}"))
        yield (
            f"{report.formatted(routine.flat, unit):>10} {report.formatted(routine.cum, unit):>10} (flat, cum) "
            f"{measure.percentage(routine.cum, report.total)} of Total"
        )
        yield from (f" {plain(remark)}" for remark in source.remarks)
        decisive = decisive_lines(routine)
        for row in shown(routine, source.lines, context):
            if row is None:
                yield f"{'...':>28}"
                continue
            line, text = row
            values = (report.formatted(value, unit) if value else "." for value in (line.flat, line.cum))
            printed = "{:>10} {:>10} ".format(*values) + f"{line.number:>6}:{_ABSENT if text is None else plain(text)}"
            yield strong(printed) if line.number in decisive else printed


def decisive_lines(routine: Routine) -> frozenset[int]:
    """Return the lines that carry most of the routine: at least half of the heaviest, by flat or else by cum."""
    weight = {line.number: abs(line.flat) for line in routine.lines}
    if not any(weight.values()):
        weight = {line.number: abs(line.cum) for line in routine.lines}
    heaviest = max(weight.values(), default=0)
    return frozenset(number for number, value in weight.items() if value and value * 2 >= heaviest)


def differs(routine: Routine, text: Sequence[str]) -> str:
    """Return what shows that a source is not that of the running version; "" when nothing does."""
    last = max((line.number for line in routine.lines), default=0)
    if last > len(text):
        return f"it has {len(text)} lines, and the profile names line {last}"
    package_end = len(split_function(routine.function)[0])
    # T and Run of (*T).Run.func1; an inlined closure's name holds those of both functions.
    names = set(_IDENTIFIER.findall(routine.function[package_end:]))
    if not routine.file.endswith(".go") or not names or names & {"init", "glob", "map"}:
        return ""
    if routine.start_line > 0 and not _NO_FUNC.search(routine.function):
        return _differs_at_start(routine, text, names)
    declared = [(at, found[1]) for at, line in enumerate(text, 1) if (found := _DECLARATION.match(line))]
    for line in routine.lines:
        before = bisect_right(declared, line.number, key=lambda place: place[0])
        if line.number and (not before or declared[before - 1][1] not in names):
            if before and _linked(text, declared[before - 1][0]):
                continue
            place = f"inside func {declared[before - 1][1]}" if before else "above every function"
            return f"line {line.number} is {place}"
    return ""


def _differs_at_start(routine: Routine, text: Sequence[str], names: set[str]) -> str:
    at = routine.start_line
    start = text[at - 1] if at <= len(text) else ""
    declared = _DECLARATION.match(start)
    if declared[1] in names or _linked(text, at) if declared else re.search(r"\bfunc\b", start):
        return ""
    return f"line {at}, where the profile says that it begins, is not its beginning"


def _linked(text: Sequence[str], at: int) -> bool:
    """Tell whether the function declared at that line has another name in the program: //go:linkname says so above."""
    above = at - 2
    while above >= 0 and text[above].startswith("//"):
        if text[above].startswith("//go:linkname "):
            return True
        above -= 1
    return False


def document(listing: Listing, source_of: Callable[[Routine], Source], context: int | None = None) -> dict[str, Any]:
    """Return the listing as plain values for JSON, in the profile's own unit."""
    report = listing.report
    routines = []
    for routine in listing.routines:
        source = source_of(routine) if routine.file else Source(None)
        rows = (row for row in shown(routine, source.lines, context) if row is not None)
        routines.append(
            {
                "function": routine.function,
                "file": routine.file,
                "start_line": routine.start_line or None,
                "flat": routine.flat,
                "cum": routine.cum,
                "source": source.path,
                "remarks": list(source.remarks),
                "looked": list(source.looked),
                "lines": [
                    {"line": line.number, "flat": line.flat, "cum": line.cum, "text": text} for line, text in rows
                ],
            }
        )
    return {**report.head("list"), "routines": routines}

"""docs/windows.md: what the diagnosis says of parts of every recording, as tables, and what more evidence weakens."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby

from casebook.runner.accuracy import markdown_table
from casebook.runner.tools import ROOT
from casebook.runner.windows import SOURCE, WAITS, WITHOUT, Outcome

PAGE = ROOT / "docs" / "windows.md"
_PAGE = """\
# How accurate it is with less

Written by `python -m casebook.runner windows --write` (part of `make accuracy`) from {recordings} recordings of the
[casebook](../casebook/README.md) and of [tests/regressions](../tests/regressions/README.md), each cut into what a user
may have: {windows:,} windows, measured on {date}. [accuracy.md](accuracy.md) has the figures for whole takes by
mechanism, [first-contact.md](first-contact.md) those of programs that no rule had seen.

A leak is **detected** when the verdict is `leaking` and a `likely` or `proven` finding names the place; **named**
counts `possible` ones too. A window counts only if the leak shows in it at all. `triple` are all sets of three. `load
goes on in the last` and `quiet before the last` begin with the first snapshot and end with the latest one, the third
at least, before which at least half, or at most a fifth, of the work of the busiest step was done. What is left out of
everything is left out by file; /metrics has RSS and MemStats, too. The source is that of the programs of the casebook.
Go's own goroutineleak profile is in none.

{table}

## What some captures add

All snapshots of the recordings that have them, diagnosed with and without them.

{adds}

## By kind of wait

Windows in which the leak is detected, of those that show it, by the state in which its goroutines wait.

{waits}

## True evidence never weakens a true finding

It should not, and this is counted: leaks that are detected with less and not with more that contains it.

{weakened}

{named}

## In company

{pairs} pairs of a leaking and a healthy recording as one process, drawn with a fixed seed: goroutine ids interleaved,
heap profiles added. Those count whose leak shows.

{company}

## How often a healthy program is accused

Healthy windows accused: {accused} of {healthy:,} ({percent}%).

## What these figures are worth

The rules are written by hand, with all of these recordings at hand; none was set aside, so all figures of this page are
optimistic. What thresholds owe to the program that is scored is measured by rotation
([numbers.md](numbers.md#without-the-program-that-is-scored)), together with which recordings need which; what the rules
themselves owe to it shows only the [first contact](first-contact.md).

What can be compared here: programs of the casebook, most of which were written to show a mechanism, and regressions,
each of which was once answered wrongly and is kept because of it.

{origins}
"""
# So many are listed by name.
_LISTED = 40
_Row = tuple[str, str]


def _kind(one: Outcome) -> _Row:
    return "triple" if one.window.startswith("triple") else one.window, one.formats


def _by_row(found: Iterable[Outcome]) -> dict[_Row, list[Outcome]]:
    ordered = sorted(found, key=_kind)
    return {row: list(here) for row, here in groupby(ordered, key=_kind)}


def _leaking(found: Iterable[Outcome]) -> list[Outcome]:
    return [one for one in found if one.leaking and one.shown]


def _healthy(found: Iterable[Outcome]) -> list[Outcome]:
    return [one for one in found if not one.leaking]


def _accused(healthy: Iterable[Outcome]) -> int:
    return sum(one.verdict == "leaking" for one in healthy)


def _detected_of(found: Iterable[Outcome]) -> str:
    leaking = _leaking(found)
    return f"{sum(one.detected for one in leaking)} of {len(leaking)}" if leaking else "-"


def _accused_of(found: Iterable[Outcome]) -> str:
    healthy = _healthy(found)
    return f"{_accused(healthy)} of {len(healthy)}" if healthy else "-"


def table(found: Sequence[Outcome]) -> str:
    """Return the outcomes as a Markdown table, a row for each kind of window and format."""
    rows: list[tuple[str, ...]] = [
        ("snapshots", "formats", "leaking", "detected", "named", "mechanism right", "healthy", "accused")
    ]
    for row, here in _by_row(found).items():
        leaking, healthy = _leaking(here), _healthy(here)
        sums = [sum(getattr(one, name) for one in leaking) for name in ("detected", "named", "mechanism")]
        rows.append((*row, *map(str, (len(leaking), *sums, len(healthy), _accused(healthy)))))
    return markdown_table(rows, words=2)


_COLUMNS: Sequence[_Row] = (
    ("all", "everything"),
    ("all", "debug=2 + heap.pb"),
    ("all", "protobuf only"),
    ("triple", "everything"),
    ("first and last", "everything"),
    ("one", "debug=2 only"),
)


def adds_table(found: Sequence[Outcome]) -> str:
    """Return what metrics, MemStats, RSS and the source add, over the recordings that have them."""
    rows: list[tuple[str, ...]] = [
        ("captures", "detected with", "detected without", "healthy accused with", "healthy accused without")
    ]
    by_row = _by_row(found)
    for formats in (*WITHOUT, SOURCE):
        here = by_row.get(("all", formats), [])
        names = {one.name for one in here}
        plain = [one for one in by_row.get(("all", "everything"), ()) if one.name in names]
        sides = (here, plain) if formats == SOURCE else (plain, here)
        rows.append((formats.split()[-1], *map(_detected_of, sides), *map(_accused_of, sides)))
    return markdown_table(rows)


def waits_table(found: Sequence[Outcome]) -> str:
    """Return how many leaks are detected, by how their goroutines wait."""
    rows: list[tuple[str, ...]] = [
        ("wait", "recordings", *(f"{window}, {formats}" for window, formats in _COLUMNS), "all windows")
    ]
    for wait in WAITS:
        here = [one for one in found if one.wait == wait]
        by_row = _by_row(here)
        cells = [_detected_of(by_row.get(row, ())) for row in _COLUMNS]
        if here:
            rows.append((wait, str(len({one.name for one in here})), *cells, _detected_of(here)))
    return markdown_table(rows)


def origins_table(found: Sequence[Outcome]) -> str:
    """Return the figures of the casebook beside those of the regressions."""
    rows: list[tuple[str, ...]] = [
        (
            "snapshots", "formats", "casebook: detected", "regressions: detected", "casebook: accused",
            "regressions: accused",
        )
    ]  # fmt: skip
    for row, here in _by_row(found).items():
        sides = [[one for one in here if one.regression is wanted] for wanted in (False, True)]
        rows.append((*row, *map(_detected_of, sides), *map(_accused_of, sides)))
    return markdown_table(rows, words=2)


def weakened(found: Sequence[Outcome]) -> Iterator[tuple[Outcome, Outcome]]:
    """Yield pairs of one recording: a leak is detected in the first, and not in the second, which contains it."""
    by_name: dict[str, list[Outcome]] = {}
    for one in found:
        if one.leaking:
            by_name.setdefault(one.name, []).append(one)
    for here in by_name.values():
        at = {(one.window, one.formats): one for one in here}
        for one in here:
            more = at.get(_contained_in(one))
            if one.detected and more is not None and not more.detected:
                yield one, more


def _contained_in(one: Outcome) -> _Row:
    """Return the window that has all of another, and more."""
    if (one.window, one.formats) == ("all", "everything"):
        return "all", SOURCE
    if one.window in ("all", "one") and one.formats not in ("everything", SOURCE):
        return one.window, "everything"
    return ("all", "everything") if one.formats == "everything" else ("", "")


def _weakened_table(found: Sequence[Outcome], pairs: Sequence[tuple[Outcome, Outcome]]) -> str:
    rows: list[tuple[str, ...]] = [("detected with", "windows", "but not with", "windows")]
    lost = Counter(_kind(one) for one, _ in pairs)
    asked = {(one.name, one.window, one.formats) for one in found}
    for row, here in _by_row(found).items():
        within = [one for one in here if one.detected and (one.name, *_contained_in(one)) in asked]
        if within:
            more = _contained_in(within[0])
            rows.append((", ".join(row), str(len(within)), ", ".join(more), str(lost[row])))
    return markdown_table(rows)


def _weakened_list(pairs: Sequence[tuple[Outcome, Outcome]]) -> str:
    counted = Counter((one.name, *_kind(one), more.window, more.formats) for one, more in pairs)
    lines = [
        f"- `{name}`: detected with {less}, {formats}{f' ({count} times)' if count > 1 else ''}; not with {more}, {of}"
        for (name, less, formats, more, of), count in sorted(counted.items())
    ]
    rest = [f"- and {len(lines) - _LISTED} more"] if len(lines) > _LISTED else []
    return "\n".join((*lines[:_LISTED], *rest)) or "There is none."


def page(found: Sequence[Outcome], company: str, pairs: int, date: str = "") -> str:
    """Return docs/windows.md, with the table of `pairs` in company; the date is today's where none is given."""
    healthy = _healthy(found)
    less = list(weakened(found))
    return _PAGE.format(
        recordings=len({one.name for one in found}),
        windows=len(found),
        date=date or datetime.now(UTC).date().isoformat(),
        table=table(found),
        adds=adds_table(found),
        waits=waits_table(found),
        weakened=_weakened_table(found, less),
        named=_weakened_list(less),
        company=company,
        pairs=pairs,
        accused=_accused(healthy),
        healthy=len(healthy),
        percent=f"{100 * _accused(healthy) / max(1, len(healthy)):.1f}",
        origins=origins_table(found),
    )


def misses(found: Sequence[Outcome]) -> Iterator[str]:
    """Yield a line about every window that shows a leak which is not detected, or in which somebody is accused."""
    for one in found:
        where = f"{one.name}, {one.window}, {one.formats}"
        if one.leaking and one.shown and not one.detected:
            yield f"{where}: not detected{'' if one.named else ', not named'}"
        if one.accused:
            yield f"{where}: accused {', '.join(one.accused)}"

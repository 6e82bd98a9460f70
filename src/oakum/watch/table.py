"""What is watched -> a short table for a terminal: worst first, good at 80 columns. Piped, there are log lines."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from oakum.model.sizes import size
from oakum.watch.incidents import Incidents
from oakum.watch.subject import Subject

_ROWS_MOST = 20
_HOUR = 3_600_000_000


class Row(Struct, frozen=True):
    """One target."""

    verdict: str  # LEAK, grows, ok, lost, -
    name: str
    goroutines: str
    heap: str
    growth: str
    rank: int = 0


def rows(subjects: Iterable[Subject], book: Incidents) -> list[Row]:
    """Return a row for each target, what needs attention first."""
    return sorted((_row(one, book) for one in subjects), key=lambda row: (row.rank, row.name))


def _row(subject: Subject, book: Incidents) -> Row:
    latest = subject.latest
    leaking = any(subject.replica in one.row.replicas for one in book.of(subject.service))
    verdict, rank = "ok", 3
    if latest is None:
        verdict, rank = ("lost", 1) if subject.failures else ("-", 4)
    elif leaking:
        verdict, rank = "LEAK", 0
    elif subject.failures:
        verdict, rank = "lost", 1
    elif subject.why:
        verdict, rank = "grows", 2
    name = subject.replica if subject.replica.startswith(subject.service) else f"{subject.service} {subject.replica}"
    if latest is None:
        return Row(verdict, name, "", "", "", rank)
    goroutines = "" if latest.goroutines is None else f"{latest.goroutines:,}"
    heap = "" if latest.heap_live is None else size(latest.heap_live)
    return Row(verdict, name, goroutines, heap, _growth(subject), rank)


def _growth(subject: Subject) -> str:
    """Return the pace of the last snapshots: goroutines, else live heap, an hour."""
    points = subject.known.trail.recent
    if len(points) < 3:
        return ""
    first, last = points[0], points[-1]
    hours = (last.at - first.at) / _HOUR
    if hours <= 0:
        return ""
    if subject.why and first.goroutines is not None and last.goroutines is not None:
        gained = (last.goroutines - first.goroutines) / hours
        if gained > 0 and "goroutines" in subject.why:
            return f"{gained:+,.0f}/h"
    if first.heap is not None and last.heap is not None and subject.why:
        return f"{size((last.heap - first.heap) / hours)}/h"
    return ""


def lines(found: Sequence[Row], width: int, summary: str) -> list[str]:
    """Return the table, no line wider than the terminal."""
    shown = found[:_ROWS_MOST]
    heads = Row("", "TARGET", "GOROUTINES", "HEAP", "GROWTH")
    wide = {
        name: max(len(getattr(one, name)) for one in (heads, *shown))
        for name in ("verdict", "goroutines", "heap", "growth")
    }
    room = max(8, width - sum(wide.values()) - 8)
    made = [
        f"{one.verdict:<{wide['verdict']}}  {_fitted(one.name, room):<{min(room, _longest((heads, *shown)))}}  "
        f"{one.goroutines:>{wide['goroutines']}}  {one.heap:>{wide['heap']}}  {one.growth:>{wide['growth']}}".rstrip()
        for one in (heads, *shown)
    ]
    if len(found) > len(shown):
        made.append(f"... and {len(found) - len(shown)} more")
    return [line[: width - 1] for line in (*made, summary)]


def _longest(found: Sequence[Row]) -> int:
    return max(len(one.name) for one in found)


def _fitted(name: str, room: int) -> str:
    return name if len(name) <= room else f"{name[: room // 3]}…{name[-(room - room // 3 - 1) :]}"

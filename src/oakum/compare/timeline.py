"""A process -> what it measured as a whole in each snapshot and in the past that was kept: the report's time line."""

from collections.abc import Sequence
from math import isfinite

from oakum.compare.memory import heap_live, resident
from oakum.model import Point, Process, Snapshot, SnapshotRow


def timeline(process: Process) -> tuple[Point, ...]:
    """Return one point for each snapshot and for the past that metrics kept, oldest first; then the baseline's."""
    own = {id(snapshot) for snapshot in process.snapshots}
    return (
        *_points(process, process.timeline, own),
        *_points(process, process.baseline, {id(snapshot) for snapshot in process.baseline}, baseline=True),
    )


def snapshot_rows(process: Process) -> tuple[SnapshotRow, ...]:
    """Return one row for each snapshot, then those of the baseline, with the captures of each."""
    rows = [(False, one) for one in process.snapshots] + [(True, one) for one in process.baseline]
    return tuple(SnapshotRow(one.label, process.id, baseline, one.at, _digests(one)) for baseline, one in rows)


def shows_growth(process: Process) -> bool:
    """Tell whether growth would show: there is a second snapshot, a baseline, or a past.

    What the kernel alone reports of memory, some seconds apart, shows none.
    """
    return sum(map(_has_evidence, process.timeline)) > 1 or any(map(_has_evidence, process.baseline))


def _has_evidence(snapshot: Snapshot) -> bool:
    """Tell whether the process itself reported something: its goroutines, its memory, or metrics of them."""
    return any((snapshot.goroutines, snapshot.heap, snapshot.memstats, snapshot.metrics, snapshot.holders))


def _digests(snapshot: Snapshot) -> tuple[str, ...]:
    return tuple(dict.fromkeys(source.digest for source in snapshot.sources.values()))


def _points(
    process: Process, snapshots: Sequence[Snapshot], captured: set[int], *, baseline: bool = False
) -> list[Point]:
    points = []
    for snapshot in snapshots:
        measured = {"goroutines": _goroutines(snapshot), "heap_live": heap_live(snapshot), "rss": resident(snapshot)}
        totals = {name: int(value) for name, value in measured.items() if value is not None and isfinite(value)}
        known = id(snapshot) in captured
        if totals or known:
            digests = _digests(snapshot)
            points.append(Point(process.id, snapshot.at, snapshot.label, baseline, known, totals, digests))
    return points


def _goroutines(snapshot: Snapshot) -> float | None:
    told = snapshot.metrics.total("go_goroutines") if snapshot.metrics is not None else None
    dump = snapshot.goroutines
    if dump is None or snapshot.claimed:  # goleak lists only what it found unexpected
        return told
    counted = max(dump.total, dump.declared or 0)
    return max(counted, told or 0) if dump.cut else counted

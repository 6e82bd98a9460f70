"""A process -> what it measured as a whole, moment by moment, the kept past between them: the report's time line."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from oakum.compare.memory import memory_series
from oakum.model import Point, Process, Snapshot


def timeline(process: Process) -> tuple[Point, ...]:
    """Return one point for each moment and for what metrics keep of the past, oldest first; then those of the twin."""
    own = {id(snapshot) for snapshot in process.snapshots}
    return (
        *_points(process, process.timeline, own),
        *_points(process, process.baseline, {id(twin) for twin in process.baseline}, baseline=True),
    )


def _points(
    process: Process, snapshots: Sequence[Snapshot], captured: set[int], *, baseline: bool = False
) -> list[Point]:
    series = memory_series(replace(process, snapshots=tuple(snapshots)))
    points = []
    for at, snapshot in enumerate(snapshots):
        measured = {"goroutines": _goroutines(snapshot), "heap_live": series.heap_live[at], "rss": series.rss[at]}
        totals = {name: int(value) for name, value in measured.items() if value is not None and np.isfinite(value)}
        digests = tuple(dict.fromkeys(source.digest for source in snapshot.sources.values()))
        if totals or id(snapshot) in captured:
            points.append(
                Point(process.id, snapshot.at, snapshot.label, baseline, id(snapshot) in captured, totals, digests)
            )
    return points


def _goroutines(snapshot: Snapshot) -> float | None:
    told = snapshot.metrics.total("go_goroutines") if snapshot.metrics is not None else None
    dump = snapshot.goroutines
    if dump is None or snapshot.claimed:  # goleak lists only what it found unexpected
        return told
    counted = max(dump.total, dump.declared or 0)
    return max(counted, told or 0) if dump.cut else counted


__all__ = ["timeline"]

"""How much work the process did in each step between two snapshots: what growth is measured against.

Goroutines started, requests counted, objects allocated: the first of these that every step can tell. Only ratios
between steps mean anything.
"""

from collections.abc import Sequence
from itertools import pairwise

from oakum.compare.goroutines import started
from oakum.model import Activity, Profile, Snapshot


def _allocated(heap: Profile | None) -> float | None:
    for row, kind in enumerate(heap.sample_types if heap is not None else ()):
        if kind.type in ("alloc_objects", "alloc_space") and heap is not None:
            return float(heap.values[row].sum())
    return None


def _steps(values: Sequence[float | None]) -> tuple[float, ...]:
    steps = [after - before for before, after in pairwise(values) if before is not None and after is not None]
    return tuple(steps) if len(steps) == len(values) - 1 and all(step >= 0 for step in steps) else ()


def activity(snapshots: Sequence[Snapshot]) -> Activity:
    """Return the work done in each step."""
    ids = tuple(float(step) for step in started([snapshot.goroutines for snapshot in snapshots]))
    if ids and min(ids) >= 0:
        return Activity("goroutines started", ids)
    if steps := _steps([snapshot.metrics.requests() if snapshot.metrics else None for snapshot in snapshots]):
        return Activity("requests", steps)
    mallocs = [s.memstats.mallocs if s.memstats and s.memstats.mallocs else None for s in snapshots]
    if steps := _steps(
        [float(m) if m is not None else _allocated(s.heap) for m, s in zip(mallocs, snapshots, strict=True)]
    ):
        return Activity("objects allocated", steps)
    return Activity("", ())

"""Memory of a process through its snapshots: MemStats, metrics and /proc status -> MemorySeries, and where it is now.

Goes out: bytes that some capture says, or that follow from those by Go's own rules. What is unknown is NaN or None.
"""

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import numpy as np

from oakum.model import Memory, Metrics, Process, Snapshot
from oakum.model.heap_growth import Floats, MemorySeries

# Go starts to collect at this heap size times GOGC/100, however little is alive.
_SMALLEST_TARGET = 4 << 20
_USUAL_GOGC = 100.0
# No limit: GOMEMLIMIT is math.MaxInt64, a cgroup's is close to it.
_NO_LIMIT = float(1 << 60)
_NO_TIME = 1.7e10  # seconds since 1970: the year 2500

_LIMITS = ("container_spec_memory_limit_bytes", "go_gc_gomemlimit_bytes", "process_resident_memory_limit_bytes")
# What kube-state-metrics has of the pod's own description, with resource="memory".
_POD_LIMIT = "kube_pod_container_resource_limits"


def _stat(field: str, *metrics: str) -> Callable[[Snapshot], float]:
    """Return a reader of one figure: from MemStats, else from the first metric that has it."""

    def read(snapshot: Snapshot) -> float:
        value = getattr(snapshot.memstats, field) if snapshot.memstats else None
        return float(value) if value is not None else _metric(snapshot.metrics, *metrics)

    return read


def _metric(metrics: Metrics | None, *names: str) -> float:
    for name in names:
        value = metrics.total(name) if metrics is not None else None
        if value is not None:
            return value
    return math.nan


def resident(snapshot: Snapshot) -> float:
    """Return the resident memory; NaN where no capture says."""
    names = ("process_resident_memory_bytes", "container_memory_working_set_bytes")
    told = _metric(snapshot.status, *names)
    return told if not math.isnan(told) else _metric(snapshot.metrics, *names)


def _virtual(snapshot: Snapshot) -> float:
    told = _metric(snapshot.status, "process_virtual_memory_bytes")
    return told if not math.isnan(told) else _metric(snapshot.metrics, "process_virtual_memory_bytes")


def _limit(snapshot: Snapshot) -> float:
    told = [_metric(by, name) for by in (snapshot.metrics, snapshot.status) for name in _LIMITS]
    if snapshot.metrics is not None:
        limits = snapshot.metrics.by_labels(_POD_LIMIT)
        told += [value for labels, value in limits.items() if ("resource", "memory") in labels]
    return min((value for value in told if 0 < value < _NO_LIMIT), default=math.nan)


def _throughout(limits: Floats) -> Floats:
    """Return limits where no snapshot is without one: a process has it all along, whichever capture tells of it."""
    known = np.flatnonzero(~np.isnan(limits))
    if not len(known):
        return limits
    nearest = np.abs(np.arange(len(limits))[:, None] - known).argmin(axis=1)
    found: Floats = limits[known[nearest]]
    return found


def _last_gc(snapshot: Snapshot) -> float:
    told = snapshot.memstats.last_gc_nanos if snapshot.memstats else None
    return told / 1e9 if told else _metric(snapshot.metrics, "go_memstats_last_gc_time_seconds")


def _profiled(snapshot: Snapshot) -> float:
    """Return the live bytes of the heap profile: those that the last collections found."""
    profile = snapshot.heap
    for row, kind in enumerate(profile.sample_types if profile is not None else ()):
        if kind.type == "inuse_space" and profile is not None:
            return float(profile.values[row].sum())
    return math.nan


def _marked(snapshot: Snapshot) -> float:
    """Return what the last collection marked, as the collector says; NaN where it does not.

    The next one is due at live + (live + roots) * GOGC/100; before Go 1.18 at live * (1 + GOGC/100).
    """
    told = _metric(snapshot.metrics, "go_gc_heap_live_bytes")
    if not math.isnan(told):
        return told
    alloc, target = _heap_alloc(snapshot), _next_gc(snapshot)
    gogc = _metric(snapshot.metrics, "go_gc_gogc_percent")
    if math.isnan(gogc):  # as it was started with; what it told of itself is newer
        gogc = _metric(snapshot.status, "go_gc_gogc_percent")
    ratio = (gogc if 0 < gogc < 1e6 else _USUAL_GOGC) / 100
    roots = np.nan_to_num(_stacks(snapshot))
    # Of stacks only what is in use counts as roots, which nobody tells: where they are many, the rule says nothing.
    if target > _SMALLEST_TARGET * max(1.0, ratio) * 1.01 and roots * ratio < target / 4:
        live = float((target - roots * ratio) / (1 + ratio))
        # Else GOGC is another one, or a limit moved the target.
        if not live > alloc * 1.02 and not np.minimum(_profiled(snapshot), alloc) > live * 1.25:
            return live
    return math.nan


def heap_live(snapshot: Snapshot) -> float:
    """Return what is alive: as the collector says, else as the profile knows within its sampling."""
    marked = _marked(snapshot)
    return marked if not math.isnan(marked) else float(np.fmin(_profiled(snapshot), _heap_alloc(snapshot)))


_heap_alloc = _stat("heap_alloc", "go_memstats_heap_alloc_bytes")
_next_gc = _stat("next_gc", "go_memstats_next_gc_bytes", "go_gc_heap_goal_bytes")
_stacks = _stat("stack_sys", "go_memstats_stack_sys_bytes")


def memory_series(process: Process) -> MemorySeries:
    """Return the memory of a process, one value for each snapshot."""
    snapshots = process.snapshots

    def column(read: Callable[[Snapshot], float]) -> Floats:
        return np.array([read(snapshot) for snapshot in snapshots], np.float64)

    rss, sys = column(resident), column(_stat("sys", "go_memstats_sys_bytes"))
    released = column(_stat("heap_released", "go_memstats_heap_released_bytes"))
    # Go has asked for more than it has touched: what it accounts for is at most this much of the RSS.
    off_heap = np.where(np.isnan(rss - sys + released), np.nan, np.maximum(0.0, rss - (sys - released)))
    peak = column(_stat("max_rss"))
    if np.isnan(rss).all():  # of its peak Go's part is at most all that it ever asked for
        off_heap = np.where(np.isnan(peak - sys), np.nan, np.maximum(0.0, peak - sys))
    return MemorySeries(
        seconds=_seconds(snapshots),
        rss=rss,
        peak=peak,
        virtual=column(_virtual),
        limit=_throughout(column(_limit)),
        heap_live=column(heap_live),
        heap_marked=column(_marked),
        heap_alloc=column(_heap_alloc),
        heap_inuse=column(_stat("heap_inuse", "go_memstats_heap_inuse_bytes")),
        idle=column(_stat("heap_idle", "go_memstats_heap_idle_bytes")),
        released=released,
        stacks=column(_stacks),
        sys=sys,
        off_heap=off_heap,
        next_gc=column(_next_gc),
        num_gc=column(_stat("num_gc", "go_gc_duration_seconds_count", "go_gc_cycles_total_gc_cycles_total")),
        last_gc=column(_last_gc),
        total_alloc=column(_stat("total_alloc", "go_memstats_alloc_bytes_total")),
        mallocs=column(_stat("mallocs", "go_memstats_mallocs_total")),
    )


def _seconds(snapshots: Sequence[Snapshot]) -> Floats:
    first = next((snapshot.at for snapshot in snapshots if snapshot.at), None)
    return np.array([(s.at - first).total_seconds() if s.at and first else math.nan for s in snapshots], np.float64)


def memory(process: str, series: MemorySeries) -> Memory:
    """Return where the memory of a process is at its last snapshot that says anything of it."""
    at = series.last_known
    if at is None:
        return Memory(process)

    def now(column: Floats) -> int | None:
        return None if math.isnan(column[at]) else int(column[at])

    live, alloc, sys, released = series.heap_live[at], series.heap_alloc[at], series.sys[at], series.released[at]
    inuse, idle, stacks = series.heap_inuse[at], series.idle[at], series.stacks[at]
    kept = idle - released
    runtime = sys - inuse - idle - stacks
    if not math.isnan(series.rss[at] - inuse - kept - stacks):  # much of it is only reserved
        runtime = min(runtime, max(0.0, series.rss[at] - inuse - kept - stacks))
    full = _full_in(series, at)
    return Memory(
        process=process,
        rss=now(series.rss),
        limit=now(series.limit),
        heap_live=now(series.heap_live),
        heap_dead=None if math.isnan(alloc - live) else int(max(0.0, alloc - live)),
        heap_idle=None if math.isnan(kept) else int(max(0.0, kept)),
        heap_released=now(series.released),
        stacks=now(series.stacks),
        runtime=None if math.isnan(runtime) else int(max(0.0, runtime)),
        off_heap=now(series.off_heap),
        next_gc=now(series.next_gc),
        last_gc=datetime.fromtimestamp(series.last_gc[at], UTC) if 0 <= series.last_gc[at] < _NO_TIME else None,
        full_in_seconds=full,
    )


def _full_in(series: MemorySeries, at: int) -> float | None:
    """Return in how many seconds the limit is reached at the rate of the last snapshots; None when it is not."""
    limit = series.limit[at]
    known = np.flatnonzero(~np.isnan(series.rss[: at + 1] + series.seconds[: at + 1]))
    if math.isnan(limit) or len(known) < 3:
        return None
    late = known[len(known) // 2 - 1 :]
    lasted = series.seconds[late[-1]] - series.seconds[late[0]]
    gained = series.rss[late[-1]] - series.rss[late[0]]
    if lasted <= 0 or gained <= 0.01 * series.rss[at]:
        return None
    return float(max(0.0, limit - series.rss[at]) / (gained / lasted))

"""Captures of one look -> figures and places worth keeping: rows of the store; the readings themselves are let go.

Parsing and putting together are the pipeline's. What no capture says is None.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from oakum.model import Capture, Metrics, NotAssembled, Profile, Snapshot, Stack
from oakum.pipeline.case import assemble_case, input_of
from oakum.store.rows import MetricRow, PlaceKind, PlaceRow
from oakum.store.summary import modules_of
from oakum.watch.runs import Identity

PLACES_MOST = 48  # of each kind in one snapshot: those that hold most
_METRICS_MOST = 64
_NO_LIMIT = float(1 << 60)  # GOMEMLIMIT is math.MaxInt64, a cgroup's is close to it
_LIMITS = (
    ("cgroup", "container_spec_memory_limit_bytes"),
    ("gomemlimit", "go_gc_gomemlimit_bytes"),
    ("ulimit", "process_resident_memory_limit_bytes"),
)
# 512Mi   2Gi   500M   1073741824   as Kubernetes writes a limit of memory
_QUANTITY = re.compile(r"(\d{1,18})(Ki|Mi|Gi|Ti|k|M|G|T)?")
_UNITS = {
    "": 1, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12,
}  # fmt: skip
# Which of the metrics of a scrape are kept: Go's own, the process's, and the counters of requests.
_KEPT = re.compile(
    r"go_(?:goroutines|threads|gc_duration_seconds_count|memstats_(?:alloc_bytes_total|heap_\w+_bytes|stack_inuse_bytes|sys_bytes"
    r"|next_gc_bytes)|gc_\w+_bytes|sched_gomaxprocs_threads)"
    r"|process_(?:resident_memory_bytes|cpu_seconds_total|open_fds|start_time_seconds|virtual_memory_bytes)"
    r"|container_(?:oom_events_total|memory_working_set_bytes|spec_memory_limit_bytes)"
)


class Summary(Struct, frozen=True, eq=False):
    """What is kept of one snapshot."""

    at: datetime
    goroutines: int | None = None
    heap_live: int | None = None
    heap_alloc: int | None = None  # ever allocated
    heap_sys: int | None = None
    rss: int | None = None
    limit: int | None = None
    limit_kind: str = ""
    cpu_seconds: float | None = None
    work: float | None = None
    oom_kills: float | None = None
    cores: float | None = None
    identity: Identity = Identity()
    go: str = ""
    image: str = ""
    ended: str = ""  # how a container ended last: "OOMKilled at 2026-11-16T07:59:12Z, exit code 137"
    places: tuple["Place", ...] = ()
    metrics: tuple[tuple[str, str, float], ...] = ()  # name, labels, value
    modules: tuple[str, ...] = ()  # of its build


class Place(Struct, frozen=True):
    """A place in the code, and how many goroutines or bytes are there."""

    kind: PlaceKind
    key: str
    function: str
    file: str
    line: int
    state: str = ""
    count: int | None = None
    live: int | None = None
    allocated: int | None = None

    def row(self, run: str, service: str, at: int) -> PlaceRow:
        return PlaceRow(
            run=run, service=service, at=at, place=self.key, function=self.function, file=self.file, line=self.line,
            state=self.state, kind=self.kind, count=self.count, live_bytes=self.live, allocated_bytes=self.allocated,
        )  # fmt: skip


def summarize(
    captures: Sequence[tuple[str, Capture]], facts: Mapping[str, object], at: datetime, watched: Iterable[str] = ()
) -> Summary:
    """Return what captures of one look tell; `watched`: keys of places that are kept however little is there."""
    inputs = [input_of(capture, "watch", ("1", file)) for file, capture in captures]
    snapshot, build = Snapshot(""), None
    if inputs:
        try:
            case = assemble_case(inputs).case
            snapshot, build = case.processes[-1].snapshots[-1], case.processes[-1].build
        except (NotAssembled, IndexError):
            pass  # facts alone: a version without a profile
    told = [one for one in (snapshot.metrics, snapshot.status) if one is not None]
    heap = snapshot.heap
    limit, kind = _limit(told, facts)
    identity = Identity(
        _started(told, facts),
        _counters(told, snapshot, heap),
        snapshot.identity.version or snapshot.identity.build_id or (build.main_version if build else None) or "",
        snapshot.identity.main or snapshot.identity.binary,
    )
    stats = snapshot.memstats
    container = _container(facts)
    return Summary(
        at,
        _whole(snapshot.goroutines.total if snapshot.goroutines else _number(facts.get("goroutines"))),
        _whole(_column(heap, "inuse_space") if heap else _first(told, "go_gc_heap_live_bytes")),
        _whole(
            _first(told, "go_memstats_alloc_bytes_total")
            if _first(told, "go_memstats_alloc_bytes_total") is not None
            else (stats.total_alloc if stats else None) or _column(heap, "alloc_space")
        ),
        _whole((stats.heap_sys if stats else None) or _first(told, "go_memstats_heap_sys_bytes")),
        _whole(_rss(told)),
        _whole(limit),
        kind,
        _first(told, "process_cpu_seconds_total"),
        snapshot.metrics.requests() if snapshot.metrics else None,
        _first(told, "container_oom_events_total"),
        _first(told, "go_sched_gomaxprocs_threads"),
        identity,
        (build.go if build else None) or snapshot.go_version or str(facts.get("go", "")),
        str(container.get("image", "")),
        str(container.get("last state", "")),
        (*_goroutine_places(snapshot, frozenset(watched)), *_heap_places(heap, frozenset(watched))),
        tuple(_chosen(told)),
        modules_of(build),
    )  # fmt: skip


def metric_rows(summary: Summary, run: str, service: str, at: int) -> tuple[MetricRow, ...]:
    return tuple(
        MetricRow(run=run, service=service, at=at, name=name, labels=labels, value=value)
        for name, labels, value in summary.metrics
    )


def _goroutine_places(snapshot: Snapshot, watched: frozenset[str]) -> list[Place]:
    if snapshot.goroutines is None:
        return []
    counts: dict[tuple[str, str], int] = {}
    stacks: dict[tuple[str, str], Stack] = {}
    for group in snapshot.goroutines.groups:
        place = group.stack.key, group.state or ""
        counts[place] = counts.get(place, 0) + group.count
        stacks.setdefault(place, group.stack)
    order = sorted(counts, key=lambda place: (place[0] not in watched, -counts[place], place))
    return [_place("goroutines", stacks[key], key[0], state=key[1], count=counts[key]) for key in order[:PLACES_MOST]]


def _heap_places(heap: Profile | None, watched: frozenset[str]) -> list[Place]:
    """Return the stacks that hold most; what the profiler itself allocates comes and goes with each look."""
    if heap is None or _row(heap, "inuse_space") is None:
        return []
    live, made = _by_stack(heap, "inuse_space"), _by_stack(heap, "alloc_space")
    del watched  # a heap place that leaks holds much
    rows = np.argsort(-live, kind="stable")[: PLACES_MOST * 2]
    rows = rows[live[rows] > 0]
    found: dict[str, Place] = {}
    for row, stack in zip(rows.tolist(), heap.stacks_at(rows.tolist()), strict=True):
        if any(frame.function.startswith(("runtime/pprof.", "net/http/pprof.")) for frame in stack.frames):
            continue
        before = found.get(stack.key)
        held, allocated = int(live[row]), int(made[row]) if len(made) else None
        if before is not None:
            held += before.live or 0
            allocated = None if allocated is None else allocated + (before.allocated or 0)
        found[stack.key] = _place("heap", stack, stack.key, live=held, allocated=allocated)
    return list(found.values())[:PLACES_MOST]


def _by_stack(heap: Profile, kind: str) -> NDArray[np.float64]:
    row = _row(heap, kind)
    if row is None:
        return np.zeros(0)
    values = heap.values[row].astype(np.float64)
    return np.asarray(np.bincount(heap.stack_ids, weights=values, minlength=len(heap.stacks)), np.float64)


def _place(
    kind: PlaceKind, stack: Stack, key: str, *, state: str = "", count: int | None = None, live: int | None = None,
    allocated: int | None = None,
) -> Place:  # fmt: skip
    own = next((one for one in stack.frames if one.owner == "own"), None) if kind == "heap" else None
    frame = own or stack.place
    if frame is None:
        return Place(kind, key, "", "", 0, state, count, live, allocated)
    return Place(kind, key, frame.function, frame.file, frame.line, state, count, live, allocated)


def _row(profile: Profile, kind: str) -> int | None:
    return next((row for row, one in enumerate(profile.sample_types) if one.type == kind), None)


def _column(heap: Profile | None, kind: str) -> float | None:
    row = _row(heap, kind) if heap is not None else None
    return None if heap is None or row is None else float(heap.values[row].sum())


def _first(told: Iterable[Metrics], name: str) -> float | None:
    return next((value for one in told if (value := one.total(name)) is not None), None)


def _rss(told: Sequence[Metrics]) -> float | None:
    """Return the resident memory; the kernel knows it best, who stands last."""
    own = _first(reversed(told), "process_resident_memory_bytes")
    return own if own is not None else _first(told, "container_memory_working_set_bytes")


def _limit(told: Sequence[Metrics], facts: Mapping[str, object]) -> tuple[float | None, str]:
    """Return the lowest limit of memory that is known, and whose it is."""
    found = [(value, kind) for kind, name in _LIMITS for one in told if (value := one.total(name)) is not None]
    quantity = _QUANTITY.fullmatch(str(_container(facts).get("memory limit", "")))
    if quantity:
        found.append((float(int(quantity[1]) * _UNITS[quantity[2] or ""]), "cgroup"))
    real = [(value, kind) for value, kind in found if 0 < value < _NO_LIMIT]
    return min(real) if real else (None, "")


def _container(facts: Mapping[str, object]) -> Mapping[str, object]:
    """Return what a pod tells of its first container that was restarted, or of its first."""
    containers = facts.get("containers")
    rows = [one for one in containers.values() if isinstance(one, dict)] if isinstance(containers, dict) else []
    return max(rows, key=lambda one: bool(one.get("last state")), default={})


def _started(told: Sequence[Metrics], facts: Mapping[str, object]) -> int | None:
    seconds = _first(told, "process_start_time_seconds")
    if seconds is not None and 0 < seconds < 1e11:
        return round(seconds * 1e6)
    try:
        return round(datetime.fromisoformat(str(facts["started"])).astimezone(UTC).timestamp() * 1e6)
    except (KeyError, ValueError, OverflowError):
        return None


def _counters(told: Sequence[Metrics], snapshot: Snapshot, heap: Profile | None) -> dict[str, float]:
    names = ("process_cpu_seconds_total", "go_gc_duration_seconds_count", "go_memstats_alloc_bytes_total")
    found = {name: _first(told, name) for name in names} | {"alloc_space": _column(heap, "alloc_space")}
    if snapshot.memstats is not None:
        found |= {"total_alloc": snapshot.memstats.total_alloc, "num_gc": snapshot.memstats.num_gc}
    return {name: float(value) for name, value in found.items() if value is not None}


def _chosen(told: Sequence[Metrics]) -> Iterable[tuple[str, str, float]]:
    """Yield the metrics that are kept, and one sum of the requests served."""
    values = {key: value for one in told for key, value in one.values.items() if _KEPT.fullmatch(key[0])}
    for (name, labels), value in sorted(values.items())[:_METRICS_MOST]:
        if math.isfinite(value):
            yield name, ",".join(f"{key}={one}" for key, one in labels), value


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: float | None) -> int | None:
    return None if value is None or not math.isfinite(value) else int(value)

"""One snapshot, read -> its figures, and the places that hold most: what is kept of it, whoever took it.

What no capture says is None. The largest places of each snapshot are kept: the others are in its totals.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import PurePath

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from oakum.model import Build, Metrics, Process, Profile, Snapshot, Stack, stack_key
from oakum.store.rows import Batch, Detail, LimitKind, PlaceKind, PlaceRow, RunRow, SnapshotRow, run_id

PLACES_MOST = 100  # of each kind in a snapshot
_MODULES_MOST = 4000  # of one build; the largest programs have some 700
_NO_LIMIT = float(1 << 60)  # GOMEMLIMIT is math.MaxInt64, a cgroup's is close to it
_LIMITS: tuple[tuple[LimitKind, str], ...] = (
    ("cgroup", "container_spec_memory_limit_bytes"),
    ("gomemlimit", "go_gc_gomemlimit_bytes"),
    ("ulimit", "process_resident_memory_limit_bytes"),
)
# 512Mi   2Gi   500M   1073741824   as Kubernetes writes a limit of memory
_QUANTITY = re.compile(r"(\d{1,18})(Ki|Mi|Gi|Ti|k|M|G|T)?")
_UNITS = {
    "": 1, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12,
}  # fmt: skip
_OF_THE_PROFILER = ("runtime/pprof.", "net/http/pprof.")  # what it allocates comes and goes with each look


class Figures(Struct, frozen=True, kw_only=True):
    """The numbers of one snapshot."""

    goroutines: int | None = None
    heap_live: int | None = None
    heap_alloc: int | None = None  # ever allocated
    heap_sys: int | None = None
    rss: int | None = None
    charged: int | None = None  # what its cgroup cannot give back, of all its processes: that is held against the limit
    limit: int | None = None
    limit_kind: LimitKind = ""
    cpu_seconds: float | None = None
    work: float | None = None
    oom_kills: float | None = None
    cores: float | None = None


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


def place_key(functions: Iterable[str]) -> str:
    """Return the key of a place in the heap: text names addresses where protobuf hides frames of the runtime."""
    return stack_key(tuple(one for one in functions if not one.startswith("0x")))


def micros(at: datetime) -> int:
    return round(at.timestamp() * 1e6)


def figures_of(snapshot: Snapshot, quantity: str = "") -> Figures:
    """Return the numbers of a snapshot; `quantity`: the limit of memory of its container, as Kubernetes writes it."""
    told, heap, stats = told_of(snapshot), snapshot.heap, snapshot.memstats
    counted = first(told, "go_goroutines")
    made = first(told, "go_memstats_alloc_bytes_total")
    limit, kind = _limit(told, quantity)
    return Figures(
        goroutines=_whole(snapshot.goroutines.total if snapshot.goroutines else counted),
        heap_live=_whole(column(heap, "inuse_space") if heap else first(told, "go_gc_heap_live_bytes")),
        heap_alloc=_whole(
            made if made is not None else (stats.total_alloc if stats else None) or column(heap, "alloc_space")
        ),
        heap_sys=_whole((stats.heap_sys if stats else None) or first(told, "go_memstats_heap_sys_bytes")),
        rss=_whole(_rss(told)),
        charged=_whole(_charged(told)),
        limit=_whole(limit),
        limit_kind=kind,
        cpu_seconds=first(told, "process_cpu_seconds_total"),
        work=snapshot.metrics.requests() if snapshot.metrics else None,
        oom_kills=first(told, "container_oom_events_total"),
        cores=first(told, "go_sched_gomaxprocs_threads"),
    )


def places_of(snapshot: Snapshot, most: int = PLACES_MOST, watched: frozenset[str] = frozenset()) -> tuple[Place, ...]:
    """Return the places that hold most, so many of each kind; those `watched` come first, however little is there."""
    return (*_goroutine_places(snapshot, most, watched), *_heap_places(snapshot.heap, most))


def batch_of(
    process: Process, service: str, times: Sequence[int], captures: Mapping[str, Sequence[str]] | None = None
) -> Batch:
    """Return the rows of a process; `times` of its snapshots, `captures`: label of a snapshot -> digests kept of it."""
    first_one, last = process.snapshots[0], process.snapshots[-1]
    began = process.run.started if process.run else None
    told = last.identity.started
    started = micros(began) if began else _whole(None if told is None else told * 1e6)
    # A process that does not say when it was started is told apart by where it is and when it was first seen.
    # Processes of one machine may have started together: two recordings are told apart by the names of their folders.
    replica = process.address or PurePath(process.given).name
    run = run_id(service, replica, started if started is not None else times[0])
    build, identity, figures = process.build, last.identity, figures_of(last)
    each = list(zip(process.snapshots, times, strict=True))
    return Batch(
        runs=(
            RunRow(
                run=run,
                service=service,
                replica=replica,
                target=process.address,
                started_at=started,
                first_seen=times[0],
                program=(build.path if build else None) or identity.main or identity.binary,
                version=(build.main_version if build else None) or identity.version,
                go=(build.go if build else None) or last.go_version or first_one.go_version or "",
                limit_bytes=figures.limit,
                limit_kind=figures.limit_kind,
                cores=figures.cores,
                modules=modules_of(build),
            ),
        ),
        snapshots=tuple(_snapshot_row(one, run, service, at, (captures or {}).get(one.label, ())) for one, at in each),
        places=tuple(place.row(run, service, at) for one, at in each for place in places_of(one)),
    )


def modules_of(build: Build | None) -> tuple[str, ...]:
    """Return the modules of a build as they run, the main one among them."""
    if build is None:
        return ()
    known = dict(build.modules or {})
    if build.main:
        known.setdefault(build.main, build.main_version or "")
    return tuple(f"{module}@{version}" for module, version in sorted(known.items())[:_MODULES_MOST])


def _snapshot_row(one: Snapshot, run: str, service: str, at: int, captures: Sequence[str]) -> SnapshotRow:
    detail: Detail = "dump" if one.goroutines and one.goroutines.text else "profile" if one.goroutines else "count"
    figures = figures_of(one)
    if figures.heap_live is None:  # without a profile: what is allocated
        figures = structs.replace(figures, heap_live=_whole(first(told_of(one), "go_memstats_heap_alloc_bytes")))
    return row_of(figures, run, service, at, detail=detail, captures=tuple(captures))


def row_of(
    figures: Figures, run: str, service: str, at: int, *, detail: Detail, captures: tuple[str, ...] = (),
    cost_bytes: int = 0, cost_seconds: float = 0.0,
) -> SnapshotRow:  # fmt: skip
    """Return the row of a snapshot."""
    return SnapshotRow(
        run=run, service=service, at=at, goroutines=figures.goroutines, heap_live=figures.heap_live,
        heap_alloc=figures.heap_alloc, heap_sys=figures.heap_sys, rss=figures.rss, limit_bytes=figures.limit,
        cpu_seconds=figures.cpu_seconds, work=figures.work, detail=detail, cost_bytes=cost_bytes,
        cost_seconds=cost_seconds, captures=captures,
    )  # fmt: skip


def told_of(snapshot: Snapshot) -> list[Metrics]:
    """Return the metrics of a snapshot: those of the program, then those of the kernel."""
    return [one for one in (snapshot.metrics, snapshot.status) if one is not None]


def first(told: Iterable[Metrics], name: str) -> float | None:
    return next((value for one in told if (value := one.total(name)) is not None), None)


def column(heap: Profile | None, kind: str) -> float | None:
    """Return the sum of a column of a profile."""
    row = _row(heap, kind) if heap is not None else None
    return None if heap is None or row is None else float(heap.values[row].sum())


def _goroutine_places(snapshot: Snapshot, most: int, watched: frozenset[str]) -> list[Place]:
    if snapshot.goroutines is None:
        return []
    counts: dict[tuple[str, str], int] = {}
    stacks: dict[tuple[str, str], Stack] = {}
    for group in snapshot.goroutines.groups:
        place = group.stack.key, group.state or ""
        counts[place] = counts.get(place, 0) + group.count
        stacks.setdefault(place, group.stack)
    order = sorted(counts, key=lambda place: (place[0] not in watched, -counts[place], place))
    return [_place("goroutines", stacks[key], key[0], state=key[1], count=counts[key]) for key in order[:most]]


def _heap_places(heap: Profile | None, most: int) -> list[Place]:
    """Return the stacks that hold most; what the profiler itself allocates comes and goes with each look."""
    if heap is None or _row(heap, "inuse_space") is None:
        return []
    live, made = _by_stack(heap, "inuse_space"), _by_stack(heap, "alloc_space")
    rows = np.argsort(-live, kind="stable")[: most * 2]  # stacks that differ in lines only become one place
    rows = rows[live[rows] > 0]
    found: dict[str, Place] = {}
    for row, stack in zip(rows.tolist(), heap.stacks_at(rows.tolist()), strict=True):
        if any(frame.function.startswith(_OF_THE_PROFILER) for frame in stack.frames):
            continue
        key = place_key(frame.function for frame in stack.frames)
        before = found.get(key)
        held, allocated = int(live[row]), int(made[row]) if len(made) else None
        if before is not None:
            held += before.live or 0
            allocated = None if allocated is None else allocated + (before.allocated or 0)
        found[key] = _place("heap", stack, key, live=held, allocated=allocated)
    return list(found.values())[:most]


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
    # Memory is allocated deep in libraries: whose code asked for it is what tells it apart.
    own = next((one for one in stack.frames if one.owner == "own"), None) if kind == "heap" else None
    frame = own or stack.place
    if frame is None:
        return Place(kind, key, "", "", 0, state, count, live, allocated)
    return Place(kind, key, frame.function, frame.file, frame.line, state, count, live, allocated)


def _row(profile: Profile, kind: str) -> int | None:
    return next((row for row, one in enumerate(profile.sample_types) if one.type == kind), None)


def _rss(told: Sequence[Metrics]) -> float | None:
    """Return the resident memory; the kernel knows it best, who stands last."""
    own = first(reversed(told), "process_resident_memory_bytes")
    return own if own is not None else first(told, "container_memory_working_set_bytes")


def _charged(told: Sequence[Metrics]) -> float | None:
    """Return what the kernel counts against the limit of a cgroup, without the pages of files that it can drop."""
    usage, cache = first(told, "container_memory_usage_bytes"), first(told, "container_memory_cache")
    return usage - cache if usage is not None and cache is not None and usage >= cache else None


def _limit(told: Sequence[Metrics], quantity: str) -> tuple[float | None, LimitKind]:
    """Return the lowest limit of memory that is known, and whose it is."""
    found = [(value, kind) for kind, name in _LIMITS for one in told if (value := one.total(name)) is not None]
    if written := _QUANTITY.fullmatch(quantity):
        found.append((float(int(written[1]) * _UNITS[written[2] or ""]), "cgroup"))
    real = [(value, kind) for value, kind in found if 0 < value < _NO_LIMIT]
    return min(real) if real else (None, "")


def _whole(value: float | None) -> int | None:
    return None if value is None or not math.isfinite(value) else int(value)

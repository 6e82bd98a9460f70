"""A process as assemble has it -> rows of a store: its run, its snapshots, and the places that hold most of each.

What no capture says is None. Of each snapshot the largest places are kept: the others are in its totals.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import PurePath

import numpy as np

from oakum.model import Build, Metrics, Process, Profile, Snapshot, Stack
from oakum.store.rows import Batch, PlaceRow, RunRow, SnapshotRow, run_id

PLACES_MOST = 100  # of each kind in a snapshot
_MODULES_MOST = 4000  # of one build; the largest programs have some 700


def micros(at: datetime) -> int:
    return round(at.timestamp() * 1e6)


def batch_of(
    process: Process, service: str, times: Sequence[int], captures: Mapping[str, Sequence[str]] | None = None
) -> Batch:
    """Return the rows of a process; `times` of its snapshots, `captures`: label of a snapshot -> digests kept of it."""
    first, last = process.snapshots[0], process.snapshots[-1]
    began = process.run.started if process.run else None
    started = micros(began) if began else _whole(_times(last.identity.started, 1e6))
    # A process that does not say when it was started is told apart by where it is and when it was first seen.
    # Processes of one machine may have started together: two recordings are told apart by the names of their folders.
    replica = process.address or PurePath(process.given).name
    run = run_id(service, replica, started if started is not None else times[0])
    build, identity = process.build, last.identity
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
                go=(build.go if build else None) or last.go_version or first.go_version or "",
                modules=modules_of(build),
            ),
        ),
        snapshots=tuple(
            snapshot_row(one, run, service, at, (captures or {}).get(one.label, ()))
            for one, at in zip(process.snapshots, times, strict=True)
        ),
        places=tuple(
            place
            for one, at in zip(process.snapshots, times, strict=True)
            for place in place_rows(one, run, service, at)
        ),
    )


def modules_of(build: Build | None) -> tuple[str, ...]:
    """Return the modules of a build as they run, the main one among them."""
    if build is None:
        return ()
    known = dict(build.modules or {})
    if build.main:
        known.setdefault(build.main, build.main_version or "")
    return tuple(f"{module}@{version}" for module, version in sorted(known.items())[:_MODULES_MOST])


def snapshot_row(one: Snapshot, run: str, service: str, at: int, captures: Sequence[str]) -> SnapshotRow:
    told = [metrics for metrics in (one.status, one.metrics) if metrics is not None]
    stats = one.memstats
    return SnapshotRow(
        run=run,
        service=service,
        at=at,
        goroutines=one.goroutines.total if one.goroutines else _whole(_first(told, "go_goroutines")),
        heap_live=_whole(_sum(one.heap, "inuse_space") if one.heap else _first(told, "go_memstats_heap_alloc_bytes")),
        heap_alloc=(stats.total_alloc if stats else None) or _whole(_first(told, "go_memstats_alloc_bytes_total")),
        heap_sys=(stats.heap_sys if stats else None) or _whole(_first(told, "go_memstats_heap_sys_bytes")),
        rss=_whole(_first(told, "process_resident_memory_bytes")),
        limit_bytes=_limit(told),
        cpu_seconds=_first(told, "process_cpu_seconds_total"),
        detail="dump" if one.goroutines and one.goroutines.text else "profile" if one.goroutines else "count",
        captures=tuple(captures),
    )


def place_rows(one: Snapshot, run: str, service: str, at: int) -> Iterable[PlaceRow]:
    counts: dict[tuple[str, str], int] = {}
    stacks: dict[tuple[str, str], Stack] = {}
    for group in one.goroutines.groups if one.goroutines else ():
        key = group.stack.key, group.state or ""
        counts[key] = counts.get(key, 0) + group.count
        stacks.setdefault(key, group.stack)
    for key in sorted(counts, key=lambda key: (-counts[key], key))[:PLACES_MOST]:
        yield _row(stacks[key], run, service, at, kind="goroutines", state=key[1], count=counts[key])
    if one.heap is None or (live := _by_stack(one.heap, "inuse_space")) is None:
        return
    made = _by_stack(one.heap, "alloc_space")
    rows = np.argsort(-live, kind="stable")[: 2 * PLACES_MOST]  # stacks that differ in lines only become one place
    rows = rows[live[rows] > 0]
    held: dict[str, tuple[Stack, int, int | None]] = {}
    for row, stack in zip(rows.tolist(), one.heap.stacks_at(rows.tolist()), strict=True):
        _, before, ever = held.get(stack.key, (stack, 0, 0 if made is not None else None))
        held[stack.key] = stack, before + int(live[row]), None if made is None else int(made[row]) + (ever or 0)
    for stack, bytes_, ever in list(held.values())[:PLACES_MOST]:
        yield _row(stack, run, service, at, kind="heap", live_bytes=bytes_, allocated_bytes=ever)


def _row(stack: Stack, run: str, service: str, at: int, **values: object) -> PlaceRow:
    # Memory is allocated deep in libraries: whose code asked for it is what tells it apart.
    own = next((one for one in stack.frames if one.owner == "own"), None) if values["kind"] == "heap" else None
    frame = own or stack.place
    where = (frame.function, frame.file, frame.line or 0) if frame else ("", "", 0)
    return PlaceRow(
        run=run,
        service=service,
        at=at,
        place=stack.key,
        function=where[0],
        file=where[1] or "",
        line=where[2],
        **values,  # type: ignore[arg-type]  # those of its caller
    )


def _by_stack(heap: Profile, kind: str) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]] | None":
    for row, one in enumerate(heap.sample_types):
        if one.type == kind:
            weights = heap.values[row].astype(np.float64)
            return np.bincount(heap.stack_ids, weights=weights, minlength=len(heap.stacks)).astype(np.float64)
    return None


def _sum(heap: Profile, kind: str) -> float | None:
    held = _by_stack(heap, kind)
    return None if held is None else float(held.sum())


def _first(told: Iterable[Metrics], name: str) -> float | None:
    return next((value for one in told if (value := one.total(name)) is not None), None)


def _limit(told: Sequence[Metrics]) -> int | None:
    names = ("container_spec_memory_limit_bytes", "go_gc_gomemlimit_bytes")
    found = [value for name in names if (value := _first(told, name)) is not None]
    return _whole(min((value for value in found if 0 < value < 1 << 60), default=None))  # close to 2^63: none is set


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _whole(value: float | None) -> int | None:
    return None if value is None or not math.isfinite(value) else int(value)

"""Memory outside of the live heap -> suspects: off-heap growth, and what looks like a leak and is Go's housekeeping."""

import math
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from oakum.detect.heap_paths import path_of
from oakum.detect.heap_trend import Trend, moves
from oakum.detect.rate import per_hour
from oakum.model import (
    Evidence,
    EvidenceKind,
    Frame,
    Growth,
    Mechanism,
    Process,
    Profile,
    Site,
    Snapshot,
    Suspect,
    Text,
)
from oakum.model.diagnosis import Argument
from oakum.model.heap_growth import Floats, MemorySeries
from oakum.model.profile import Bools
from oakum.model.sizes import size
from oakum.model.vocabulary import CLEARS

# RSS moves by this much without anybody's doing: pages of the program, of the profiler, of the runtime's tables.
_NOTABLE = 8 << 20
_PART = 0.1
# And this far a figure may be off: pages that Go has asked for and not touched, or has freed and not yet given back.
_SWING = 2 << 20
_SWING_PART = 0.03
# What takes memory from the system beside Go's heap.
_OUTSIDE = ("syscall.Mmap", "syscall.(*mmapper).Mmap", "golang.org/x/sys/unix.Mmap", "runtime.cgocall")
_CGO = "._Cfunc_"
_PROCESS = Frame("(process)")
_KINDS: Mapping[Trend, EvidenceKind] = {
    "rises": "off-heap-steady-growth", "plateau": "off-heap-plateau", "falls": "off-heap-falls",
}  # fmt: skip
_AT_PEAK: frozenset[EvidenceKind] = frozenset({"off-heap-steady-growth", "off-heap-single-step"})


def memory_suspects(process: Process, series: MemorySeries) -> tuple[Suspect, ...]:
    """Return what the memory outside of the live heap does, a leak first."""
    found = [_off_heap(process, series), _housekeeping(process, series)]
    return tuple(suspect for suspect in found if suspect is not None)


def _off_heap(process: Process, series: MemorySeries) -> Suspect | None:
    known = np.flatnonzero(~np.isnan(series.off_heap))
    if len(known) < 2:
        return None
    at_peak = bool(np.isnan(series.rss[known]).all())
    resident = series.peak if at_peak else series.rss
    outside, rss = series.off_heap[known], resident[known]
    gained = float(outside.max() - outside[0])
    if gained < max(_NOTABLE, _PART * float(rss[-1])):
        return None
    noise = np.full(len(known), float(max(_SWING, _SWING_PART * rss[-1])) ** 2)
    told = moves(outside, noise, np.cumsum(2 * noise), _works(series, known))
    args: dict[str, Argument] = {
        "first": size(outside[0]), "last": size(outside[-1]), "peak": size(outside.max()), "rises": told.rises,
        "steps": told.steps, "rss": size(rss[-1]), "live": size(series.heap_live[known[-1]]),
    }  # fmt: skip
    kind = _KINDS.get(told.trend, "off-heap-single-step")
    key = f"memory.{kind}-peak" if at_peak and kind in _AT_PEAK else f"memory.{kind}"
    evidence = [_evidence(process, int(known[-1]), kind, key, args)]
    virtual = series.virtual[known]
    # The address space grew by far less: what came was reserved before, and is only touched now.
    if not np.isnan(virtual[[0, -1]]).any() and virtual[-1] - virtual[0] < 0.5 * (outside[-1] - outside[0]):
        taken: dict[str, Argument] = {"virtual": size(virtual[0]), "gained": size(outside[-1] - outside[0])}
        evidence.append(_evidence(process, int(known[-1]), "off-heap-reserved", "memory.off-heap-reserved", taken))
    cleared = [CLEARS[one.kind] for one in evidence if one.kind in CLEARS]
    return Suspect(
        sites=tuple(_sites(process)),
        mechanisms=(*cleared[:1], "off-heap"),
        evidence=tuple(evidence),
        weight=round(min(1.0, gained / max(1.0, float(rss[-1]))), 4),
        growth=(_growth(series, resident),),
        share={"rss": round(float(outside[-1] / max(1.0, rss[-1])), 4)},
    )


def _works(series: MemorySeries, known: NDArray[np.intp]) -> list[Floats]:
    """Return measures of what was done in each step: allocations, and the time that passed."""
    told = [np.diff(series.mallocs[known]), np.diff(series.seconds[known]), np.ones(len(known) - 1)]
    usable = [steps for steps in told if not np.isnan(steps).any() and steps.max() > 0]
    return [np.asarray(np.clip(steps / steps.max(), 0.0, 1.0)) for steps in usable[:2]]


def _housekeeping(process: Process, series: MemorySeries) -> Suspect | None:
    """Return what grew although nothing more is alive: memory that Go has not collected, or keeps for reuse."""
    known = np.flatnonzero(~np.isnan(series.rss + series.heap_live + series.heap_alloc + series.idle + series.released))
    if len(known) < 2:
        return None
    rss, live = series.rss[known], series.heap_live[known]
    grown, alive = float(rss[-1] - rss[0]), float(live[-1] - live[0])
    if grown < max(_NOTABLE, _PART * float(rss[-1])) or alive > 0.25 * grown:
        return None
    parts: dict[tuple[Mechanism, EvidenceKind], Floats] = {
        ("gc-headroom", "memory-headroom"): series.heap_alloc[known] - live,
        ("not-returned-to-os", "memory-idle"): series.idle[known] - series.released[known],
    }
    (mechanism, kind), part = max(parts.items(), key=lambda item: float(item[1][-1] - item[1][0]))
    gained = float(part[-1] - part[0])
    if gained < 0.4 * grown:
        return None
    target = series.next_gc[known[-1]]
    args: dict[str, Argument] = {
        "rss": size(grown), "size": size(min(gained, grown)), "live": size(live[-1]),
        "target": "?" if math.isnan(target) else size(target),
    }  # fmt: skip
    return Suspect(
        sites=(Site("allocated", _PROCESS, process=process.id),),
        mechanisms=(mechanism,),
        evidence=(_evidence(process, int(known[-1]), kind, f"memory.{kind}", args),),
        weight=round(min(1.0, gained / max(1.0, float(rss[-1]))), 4),
        growth=(_growth(series, series.rss),),
    )


def _growth(series: MemorySeries, column: Floats) -> Growth:
    known = np.flatnonzero(~np.isnan(column + series.seconds))
    counts = tuple(None if math.isnan(value) else int(value) for value in column)
    return Growth("rss", counts, per_hour(series.seconds[known], column[known]))


def _evidence(process: Process, at: int, kind: EvidenceKind, key: str, args: dict[str, Argument]) -> Evidence:
    snapshot = process.snapshots[at]
    source = next(snapshot.sources[name] for name in ("status", "metrics", "memstats") if name in snapshot.sources)
    return Evidence(kind, Text(key, args), source.digest)


def _sites(process: Process) -> Iterator[Site]:
    """Yield who takes memory from the system, as far as the last profile or dump shows it; else the process itself."""
    for snapshot in reversed(process.snapshots):
        frame = _mapper(snapshot)
        if frame is not None:
            yield Site("allocated", frame, process=process.id)
            return
    yield Site("allocated", _PROCESS, process=process.id)


def _mapper(snapshot: Snapshot) -> Frame | None:
    """Return the first own or dependency frame above a mapping or a call of C: Go's book about them is in its heap."""
    profile = snapshot.heap
    if profile is None:
        return None
    wanted = [row for row, name in enumerate(profile.strings.texts(profile.functions.name)) if _outside(name)]
    locations = np.flatnonzero(_lines(profile, wanted)) if wanted else np.zeros(0, np.intp)
    marked = np.isin(profile.stacks.locations, locations)
    if not marked.any():
        return None
    starts = profile.stacks.starts
    hits = np.concatenate(([0], np.cumsum(marked)))
    rows = np.flatnonzero(hits[starts[1:]] > hits[starts[:-1]])
    made = np.bincount(profile.stack_ids, profile.values[-1], len(profile.stacks))
    made_most = int(rows[np.argmax(made[rows])])
    path = path_of(profile.stack(made_most))
    return None if path.anybody else path.allocated


def _outside(function: str) -> bool:
    return function.startswith(_OUTSIDE) or _CGO in function


def _lines(profile: Profile, functions: list[int]) -> Bools:
    """Return which locations hold one of these functions."""
    inside = np.isin(profile.locations.line_function, functions)
    sums = np.concatenate(([0], np.cumsum(inside)))
    starts = profile.locations.line_starts
    return np.asarray(sums[starts[1:]] > sums[starts[:-1]])

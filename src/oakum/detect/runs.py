"""Findings of several runs of one process -> each cause once, with how it grew in the run before and since.

What is found in one run only is kept: a restart takes away what has leaked, not the leak.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from oakum.model import Activity, Argument, Case, Evidence, Explained, Finding, Process, Site, Source, Text
from oakum.model.frame import stack_key
from oakum.model.heap_growth import HeapGrowth, MemorySeries
from oakum.model.sizes import size

_PROCESS = "(process)"  # the place of what is measured of a process as a whole


class Measured(Struct, frozen=True, eq=False):
    """One run of a process as compare measured it; `memory` of its past too."""

    process: Process
    heap: HeapGrowth
    memory: MemorySeries

    @property
    def number(self) -> int:
        """Return which run it is, from 1."""
        return self.process.run.number if self.process.run else 1


class _Course(Struct, frozen=True):
    """What a finding measures in one run, snapshot by snapshot, and the last capture that says so."""

    values: list[float]
    source: Source


def across_runs(findings: Sequence[Finding], measured: Sequence[Measured]) -> tuple[Finding, ...]:
    """Return the findings, worst first; what several runs show at one place is the finding of the worst.

    That is the one which makes surest, of equally sure ones that in which most leaked.
    """
    runs = {one.process.id: one for one in measured if one.process.run is not None}
    alike: dict[tuple[str, str], list[Finding]] = {}
    for found in findings:
        process = found.suspect.sites[0].process
        mine = runs.get(process)
        first = mine.process.run.first if mine and mine.process.run else process
        alike.setdefault((first, found.id), []).append(found)
    kept = []
    for same in alike.values():
        found = max((one for one in same if one.confidence == same[0].confidence), key=_leaked)
        mine = runs.get(found.suspect.sites[0].process)
        kept.append(_compared(found, mine, list(runs.values())) if mine else found)
    return tuple(found.ranked(at) for at, found in enumerate(kept, 1))


def _leaked(found: Finding) -> int:
    """Return how much a finding came to, in goroutines or bytes."""
    known = [count for one in found.suspect.growth[:1] for count in one.counts if count is not None]
    return max(known, default=found.suspect.blocked)


def explained_once(explained: Sequence[Explained], processes: Sequence[Process]) -> tuple[Explained, ...]:
    """Return what is harmless, each once for all runs of a process."""
    first = {process.id: process.run.first for process in processes if process.run is not None}
    if not first:
        return tuple(explained)
    found: dict[tuple[str, ...], Explained] = {}
    for at, one in enumerate(explained):
        site = one.sites[0] if one.sites else None
        run = first.get(site.process) if site else None
        key = (run, one.mechanism, one.title.key, site.frame.function) if run and site else (str(at),)
        found.setdefault(key, one)
    return tuple(found.values())


def longest_runs(case: Case, works: Sequence[Activity]) -> tuple[Case, list[Activity]]:
    """Return a case of the longest run of each process: what another lacks, that one may have."""
    longest: dict[str, tuple[Process, Activity]] = {}
    for process, work in zip(case.processes, works, strict=True):
        first = process.run.first if process.run else process.id
        if first not in longest or _extent(process) >= _extent(longest[first][0]):
            longest[first] = process, work
    chosen = list(longest.values())
    return replace(case, processes=tuple(process for process, _ in chosen)), [work for _, work in chosen]


def _extent(process: Process) -> tuple[bool, int]:
    """Return how much there is of a run: captures say more than any number of metrics."""
    captured = any(one.goroutines is not None or one.heap is not None for one in process.snapshots)
    return captured, len(process.snapshots)


def _compared(found: Finding, mine: Measured, runs: Sequence[Measured]) -> Finding:
    """Return a finding with its numbers in another run: the last one, or of that the one before."""
    run = mine.process.run
    others = [one for one in runs if run and one.process.run and one.process.run.first == run.first and one is not mine]
    if run is None or not others:
        return found
    earlier, later = sorted((mine, others[-1]), key=lambda one: one.number)
    before, since, what = _course(found, earlier), _course(found, later), "grew"
    if before is None or since is None:  # of one of them only metrics are known
        before, since, what = _whole(found, earlier), _whole(found, later), "whole"
    if before is None or since is None:
        return found
    ends = (before.values[0], before.values[-1], since.values[0], since.values[-1])
    goroutines = _measure(found) == "goroutines"
    first, last, other_first, other_last = (int(value) if goroutines else size(value) for value in ends)
    args: dict[str, Argument] = {
        "run": earlier.number, "first": first, "last": last,
        "other": later.number, "other_first": other_first, "other_last": other_last,
    }  # fmt: skip
    key = f"runs.{what}{'' if goroutines else '-bytes'}{'' if later.number == run.of else '-before'}"
    source = (since if mine is earlier else before).source
    evidence = Evidence("other-run", Text(key, args), source.digest, source.where)
    return replace(found, suspect=replace(found.suspect, evidence=(*found.suspect.evidence, evidence)))


def _measure(found: Finding) -> str:
    """Return what a finding is measured in: goroutines, bytes of the heap, or resident bytes."""
    growth = found.suspect.growth
    if growth:
        return growth[0].measure
    return "goroutines" if found.suspect.sites[0].role == "blocked" else "inuse_space"


def _course(found: Finding, run: Measured) -> _Course | None:
    """Return what a finding measures, in one run; None where nothing in it says so."""
    measure, site = _measure(found), found.suspect.sites[0]
    if measure == "rss":
        return _told(run, run.memory.rss, ("status", "metrics"))
    if site.frame.function == _PROCESS:
        return _counted(run) if measure == "goroutines" else _told(run, run.memory.heap_alloc, ("memstats", "metrics"))
    if measure == "goroutines":
        return _blocked(site, run)
    keys = {stack_key(tuple(frame.function for frame in trace.frames)) for trace in found.suspect.allocations}
    return _allocated(keys, run) if keys else None


def _whole(found: Finding, run: Measured) -> _Course | None:
    """Return all goroutines, or all memory that is measured as a finding's is, in one run."""
    if _measure(found) == "goroutines":
        return _counted(run)
    return _told(run, run.memory.heap_alloc, ("memstats", "metrics"))


def _told(run: Measured, column: Iterable[float], names: Sequence[str]) -> _Course | None:
    """Return a column of the memory of a run, where it is known."""
    rows = zip(run.process.timeline, column, strict=True)
    known = [(float(value), snapshot) for snapshot, value in rows if not np.isnan(value)]
    sources = [snapshot.sources[name] for _, snapshot in known for name in names if name in snapshot.sources]
    return _Course([value for value, _ in known], sources[-1]) if sources else None


def _counted(run: Measured) -> _Course | None:
    """Return how many goroutines a run had, by its metrics, else by its dumps."""
    told = [one.metrics.total("go_goroutines") if one.metrics else None for one in run.process.timeline]
    dumps = [one.goroutines.total if one.goroutines else None for one in run.process.timeline]
    counts = [dump if count is None else count for count, dump in zip(told, dumps, strict=True)]
    return _told(run, [np.nan if count is None else count for count in counts], ("goroutines", "metrics"))


def _blocked(site: Site, run: Measured) -> _Course | None:
    """Return how many goroutines are blocked at a place in each snapshot that has goroutines."""
    taken = [(dump, one.sources.get("goroutines")) for one in run.process.snapshots if (dump := one.goroutines)]
    source = taken[-1][1] if taken else None
    if source is None:
        return None
    counts = [
        sum(
            group.count
            for group in dump.groups
            if group.place and group.place.function == site.frame.function and group.state == site.state
        )
        for dump, _ in taken
    ]
    return _Course([float(count) for count in counts], source)


def _allocated(keys: set[str], run: Measured) -> _Course | None:
    """Return the live bytes that some stacks allocated in each snapshot of a run that has a heap profile."""
    seen = run.heap.snapshots.tolist()
    source = run.process.snapshots[seen[-1]].sources.get("heap") if seen else None
    if source is None:
        return None
    rows = [at for at, stack in enumerate(run.heap.stacks) if stack.key in keys]
    return _Course([float(run.heap.space[at, rows].sum()) for at in seen], source)

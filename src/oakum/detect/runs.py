"""Findings of several runs of one process -> each cause once, with how it grew in the run before and since.

What is found in one run only is kept: a restart takes a leak's goroutines away, not the leak.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from oakum.model import Activity, Argument, Case, Evidence, Explained, Finding, Process, Site, Text


def across_runs(findings: Sequence[Finding], processes: Sequence[Process]) -> tuple[Finding, ...]:
    """Return the findings, worst first; what several runs show at one place is the finding of the worst."""
    runs = {process.id: process for process in processes if process.run is not None}
    kept: dict[tuple[str, str], Finding] = {}
    for found in findings:
        process = runs.get(found.suspect.sites[0].process)
        first = process.run.first if process and process.run else found.suspect.sites[0].process
        if (first, found.id) not in kept:
            kept[first, found.id] = _compared(found, process, list(runs.values())) if process else found
    return tuple(found.ranked(at) for at, found in enumerate(kept.values(), 1))


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
        if first not in longest or len(process.snapshots) >= len(longest[first][0].snapshots):
            longest[first] = process, work
    chosen = list(longest.values())
    return replace(case, processes=tuple(process for process, _ in chosen)), [work for _, work in chosen]


def _compared(found: Finding, process: Process, runs: Sequence[Process]) -> Finding:
    """Return a finding with its numbers in another run: the last one, or of that the one before."""
    run, site = process.run, found.suspect.sites[0]
    others = [one for one in runs if run and one.run and one.run.first == run.first and one is not process]
    other = others[-1] if others else None
    if run is None or other is None or other.run is None or site.role != "blocked":
        return found
    earlier, later = sorted((process, other), key=lambda one: one.run.number if one.run else 0)
    before, since = _counts(site, earlier), _counts(site, later)
    source = next((s.sources["goroutines"] for s in reversed(other.snapshots) if "goroutines" in s.sources), None)
    if not before or not since or source is None or earlier.run is None or later.run is None:
        return found
    args: dict[str, Argument] = {
        "run": earlier.run.number, "first": before[0], "last": before[-1],
        "other": later.run.number, "other_first": since[0], "other_last": since[-1],
    }  # fmt: skip
    key = "runs.grew" if later.run.number == later.run.of else "runs.grew-before"
    evidence = Evidence("other-run", Text(key, args), source.digest)
    return replace(found, suspect=replace(found.suspect, evidence=(*found.suspect.evidence, evidence)))


def _counts(site: Site, process: Process) -> list[int]:
    """Return how many goroutines are blocked at a place in each snapshot that has goroutines."""
    dumps = [one.goroutines for one in process.snapshots if one.goroutines is not None]
    return [
        sum(
            g.count
            for g in dump.groups
            if g.place and g.place.function == site.frame.function and g.state == site.state
        )
        for dump in dumps
    ]


__all__ = ["across_runs", "explained_once", "longest_runs"]

"""The line, one page: case -> growth -> suspects -> judgement -> diagnosis. The file to read first."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from oakum.compare.activity import activity
from oakum.compare.clock import dated_since
from oakum.compare.events import per_event
from oakum.compare.goroutines import populations
from oakum.compare.heap import heap_growth
from oakum.compare.memory import memory, memory_series
from oakum.compare.timeline import timeline
from oakum.detect.gaps import gaps
from oakum.detect.goroutines import goroutine_suspects
from oakum.detect.heap import absorbed, heap_suspects
from oakum.detect.heap_pins import attribute
from oakum.detect.held import holding
from oakum.detect.memory import memory_suspects
from oakum.detect.numbers import number_suspects
from oakum.detect.peers import join_peers
from oakum.explain import explain
from oakum.explain.upstream.known import recognise
from oakum.judge import HARMLESS, judge, verdict
from oakum.knowledge.leaks import leaks
from oakum.model import (
    Activity,
    Case,
    Diagnosis,
    Finding,
    Gap,
    Memory,
    MomentRow,
    Population,
    Process,
    ProcessRow,
    Snapshot,
    Sources,
    Suspect,
    Text,
)

Progress = Callable[[str], None]


def _silent(step: str) -> None:
    """Say nothing of the step."""


def diagnose(case: Case, progress: Progress = _silent, sources: Sources | None = None) -> Diagnosis:
    """Return what leaks in a case, why we think so, what is harmless, and what was not checked.

    With `sources` the code at the findings is read for the cause.
    """
    suspects: list[Suspect] = []
    memories: list[Memory] = []
    works: list[Activity] = []
    for process in case.processes:
        progress(f"comparing {len(process.snapshots)} moments of {process.name}")
        work = activity(process.snapshots)
        found, budget = _suspects(process, work)
        suspects += found
        memories.append(budget)
        works.append(work)
    joined = join_peers(suspects)
    named = recognise(joined, case.processes, leaks(), HARMLESS)
    cleared = [one for one in named if one.mechanisms[0] in HARMLESS]
    findings, explained = judge(named)
    unread: tuple[Gap, ...] = ()
    if sources is not None and findings:
        progress("reading the source")
        read, unread = explain([found.suspect for found in findings], sources)  # what is no finding needs no cause
        findings, explained = judge((*read, *cleared))
    compared = any(_compared(process) for process in case.processes)
    said = verdict(findings, compared=compared)
    unsettled = {gap.what.key: gap for found in reversed(findings) for gap in found.suspect.unsettled}
    return Diagnosis(
        verdict=said,
        summary=Text(f"verdict.{said}", {"findings": len(findings)}),
        processes=tuple(ProcessRow(one.id, one.name, one.build, one.address) for one in case.processes),
        moments=tuple(row for process in case.processes for row in _moments(process)),
        findings=findings,
        explained=explained,
        memory=tuple(_agreeing(budget, findings) for budget in memories),
        gaps=(*gaps(case, works, findings), *unsettled.values(), *unread),
        inputs=case.inputs,
        timeline=tuple(point for process in case.processes for point in timeline(process)),
    )


def _compared(process: Process) -> bool:
    """Tell whether growth would show: a second moment, a twin, or a past. What the kernel tells of memory alone, some
    seconds apart, shows none."""
    return sum(_tells(moment) for moment in process.timeline) > 1 or any(_tells(moment) for moment in process.baseline)


def _tells(moment: Snapshot) -> bool:
    """Tell whether the process itself told something: its goroutines, its memory, or numbers of them."""
    return any((moment.goroutines, moment.heap, moment.memstats, moment.metrics))


def _suspects(process: Process, work: Activity) -> tuple[list[Suspect], Memory]:
    found = populations([snapshot.goroutines for snapshot in process.snapshots], dated=dated_since(process.snapshots))
    goroutines = goroutine_suspects(process, found, work, _twin(process))
    growth = heap_growth([s.heap for s in process.snapshots], [s.heap for s in process.baseline])
    series = memory_series(process)
    pins = attribute(goroutines, growth, process)
    heap = heap_suspects(process, growth, series, goroutines, work.steps, pins)
    behind = absorbed(heap, goroutines)
    holders = [
        holding(one, pins[at], process) if at in pins else one for at, one in enumerate(goroutines) if at not in behind
    ]
    through = replace(process, snapshots=process.timeline)
    budget, past = memory(through), memory_series(through)
    told = (*memory_suspects(through, budget, past), *number_suspects(through, past, activity(through.snapshots)))
    return [*(_counted(one, process) for one in (*holders, *heap)), *(_counted(one, through) for one in told)], budget


def _counted(suspect: Suspect, process: Process) -> Suspect:
    """Return the suspect with the work that its growth follows, where the process counts it."""
    growth = tuple(replace(one, per_event=per_event(one.counts, process.snapshots)) for one in suspect.growth)
    return replace(suspect, growth=growth)


def _agreeing(budget: Memory, findings: Sequence[Finding]) -> Memory:
    """Return the budget without "this is not a heap leak" where a heap leak was found."""
    heap = [one for one in findings if not one.suspect.wait and one.suspect.sites[0].process == budget.process]
    if not any(one.mechanism != "off-heap" and one.confidence != "possible" for one in heap):
        return budget
    return replace(budget, says=tuple(text for text in budget.says if not text.key.startswith("memory.not-heap")))


def _twin(process: Process) -> Callable[[Population], int | None]:
    """Return how many goroutines of a population the healthy twin has."""
    if not process.baseline or process.baseline[-1].goroutines is None:
        return lambda _: None
    twin = {_alike(one): one.last for one in populations([process.baseline[-1].goroutines])}
    return lambda population: twin.get(_alike(population), 0)


def _alike(population: Population) -> tuple[str | None, str]:
    # Another build has other lines.
    return population.state, population.example.stack.key


def _moments(process: Process) -> list[MomentRow]:
    rows = [(False, snapshot) for snapshot in process.snapshots] + [(True, twin) for twin in process.baseline]
    return [
        MomentRow(
            snapshot.label,
            process.id,
            baseline,
            snapshot.at,
            tuple(dict.fromkeys(source.digest for source in snapshot.sources.values())),
        )
        for baseline, snapshot in rows
    ]


__all__ = ["diagnose"]

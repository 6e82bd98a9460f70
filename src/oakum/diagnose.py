"""The line, one page: case -> growth -> suspects -> judgement -> diagnosis. The file to read first."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from oakum.compare.activity import activity
from oakum.compare.clock import dated_since
from oakum.compare.events import with_events
from oakum.compare.goroutines import count_in_baseline, populations
from oakum.compare.heap import heap_growth
from oakum.compare.memory import memory, memory_series
from oakum.compare.timeline import shows_growth, snapshot_rows, timeline
from oakum.detect.chains import link_processes
from oakum.detect.experiment import Work, with_work
from oakum.detect.gaps import gaps
from oakum.detect.goroutines import goroutine_suspects
from oakum.detect.heap import heap_suspects
from oakum.detect.heap_holders import join_heap
from oakum.detect.heap_pins import attribute
from oakum.detect.held import with_holders
from oakum.detect.memory import memory_suspects
from oakum.detect.memory_texts import describe_memory
from oakum.detect.metrics import number_suspects
from oakum.detect.peers import join_peers
from oakum.detect.runs import Measured, across_runs, explained_once, longest_runs
from oakum.explain import explain
from oakum.explain.upstream.known import recognise
from oakum.judge import cleared, confidence, edge_confidence, judge, reconcile, verdict
from oakum.knowledge.leaks import leaks
from oakum.model import (
    Activity,
    Case,
    Chain,
    Diagnosis,
    Finding,
    Gap,
    Growth,
    Memory,
    Population,
    Process,
    ProcessRow,
    Slope,
    Sources,
    Suspect,
    Text,
    Trial,
)
from oakum.model.heap_growth import MemorySeries
from oakum.model.signals import Event, Signal
from oakum.model.vocabulary import HARMLESS

Progress = Callable[[Text], None]


def _silent(step: Text) -> None:
    """Say nothing of the step."""


def diagnose(case: Case, progress: Progress = _silent, sources: Sources | None = None) -> Diagnosis:
    """Return what leaks in a case, why we think so, what is harmless, and what was not checked.

    With `sources` the code at the findings is read for the cause.
    """
    suspects: list[Suspect] = []
    memories: list[Memory] = []
    works: list[Activity] = []
    measured: list[Measured] = []
    found: dict[str, tuple[Population, ...]] = {}
    trials: list[Trial] = []
    signals = _signals(case)
    for process in case.processes:
        progress(Text("progress.comparing", {"snapshots": len(process.snapshots), "process": process.name}))
        works.append(activity(process.snapshots))
        measured.append(_measured(process))
        found[process.id] = _populations(process)
        suspects += _suspects(measured[-1], works[-1], found[process.id], signals)
        trials += _trials(measured[-1], found[process.id])
        memories.append(_memory(measured[-1]))
    suspects = recognise(join_peers(suspects), case.processes, leaks())
    linked = link_processes(case, found, suspects, confidence, edge_confidence)
    suspects = linked.suspects
    findings, explained = judge(suspects)
    unread: tuple[Gap, ...] = ()
    if sources is not None and findings:
        progress(Text("progress.source"))
        read, unread = explain([found.suspect for found in findings], sources)  # what is no finding needs no cause
        findings, explained = judge((*read, *(one for one in suspects if one.mechanisms[0] in HARMLESS)))
    findings, explained = across_runs(findings, measured), explained_once(explained, case.processes)
    findings, events = _on_one_axis(case, signals, findings)
    unplaced = any(one.unplaced is not None for one in trials)
    said = verdict(findings, compared=any(map(shows_growth, case.processes)), unplaced=unplaced)
    unsettled = {gap.what.key: gap for found in reversed(findings) for gap in found.suspect.unsettled}
    return Diagnosis(
        verdict=said,
        summary=Text(f"verdict.{said}", {"findings": len(findings)}),
        processes=tuple(
            ProcessRow(one.id, one.name, one.build, one.address, one.given, one.run) for one in case.processes
        ),
        moments=tuple(row for process in case.processes for row in snapshot_rows(process)),
        findings=findings,
        explained=explained,
        memory=reconcile(memories, findings),
        gaps=(*linked.gaps, *gaps(*longest_runs(case, works), findings), *unsettled.values(), *unread),
        inputs=case.inputs,
        timeline=tuple(point for process in case.processes for point in timeline(process)),
        notices=case.notices,
        chains=tuple(_with_finding(chain, findings) for chain in linked.chains),
        signals=signals,
        events=events,
        trials=tuple(trials),
    )


def _signals(case: Case) -> tuple[Signal, ...]:
    """Return what ranges of metrics show of the processes; without any, nothing of it is loaded."""
    if not case.series:
        return ()
    from oakum.compare.signals.courses import signals

    return signals(case.processes, case.series)


def _on_one_axis(
    case: Case, signals: Sequence[Signal], findings: tuple[Finding, ...]
) -> tuple[tuple[Finding, ...], tuple[Event, ...]]:
    """Return the findings with what metrics and logs say of them, and the time line; without either, as they are."""
    if not case.series and not case.logs:
        return findings, ()
    from oakum.compare.signals.events import named_while_growing, timeline_events
    from oakum.detect.signals import with_signals

    firsts = {one.id: one.run.first if one.run else one.id for one in case.processes}
    told = with_signals(findings, signals, case.logs, named_while_growing(case.logs, signals), firsts)
    return told, timeline_events(case.processes, case.series, case.logs, signals)


def _measured(process: Process) -> Measured:
    """Return the heap of a process through its snapshots, and its memory through those and the past."""
    growth = heap_growth([one.heap for one in process.snapshots], [one.heap for one in process.baseline])
    return Measured(process, growth, memory_series(_with_past(process)))


def _with_finding(chain: Chain, findings: Sequence[Finding]) -> Chain:
    """Return the chain with the id of the finding that it belongs to."""
    return replace(chain, finding=next((one.id for one in findings if one.suspect.sites[0] == chain.root), ""))


def _populations(process: Process) -> tuple[Population, ...]:
    """Return the goroutines of a process by their places, through its snapshots."""
    return tuple(populations([one.goroutines for one in process.snapshots], dated=dated_since(process.snapshots)))


def _suspects(
    measured: Measured, work: Activity, found: Sequence[Population], signals: Sequence[Signal]
) -> list[Suspect]:
    """Return what goroutines, heap, memory and metrics of a process make suspicious, harmless suspects too."""
    process, growth, series = measured.process, measured.heap, measured.memory
    sent = _work(process, series)
    goroutines = goroutine_suspects(process, found, work, count_in_baseline(process), cleared, sent)
    pins = attribute(goroutines, growth, process)
    captured_series = memory_series(process) if process.history else series
    heap = heap_suspects(process, growth, captured_series, goroutines, work.steps, pins)
    captured = with_holders(join_heap(goroutines, heap, pins, process), process)
    captured = [with_work(one, sent) for one in captured] if sent else captured
    past = _with_past(process)
    work = activity(past.snapshots) if process.history else work
    own = [one for one in signals if one.process == (process.run.first if process.run else process.id)]
    numbers = (*memory_suspects(past, series), *number_suspects(past, series, work, own))
    return [
        *(with_events(one, process.snapshots) for one in captured),
        *(with_events(one, past.snapshots) for one in numbers),
    ]


def _trials(measured: Measured, found: Sequence[Population]) -> list[Trial]:
    """Return what an experiment with the process shows, where one was made."""
    if measured.process.experiment is None:
        return []
    from oakum.compare.trial import trial

    told = trial(measured.process, found, measured.heap, measured.memory)
    return [told] if told else []


def _work(process: Process, memory: MemorySeries) -> Work | None:
    """Return the work that was sent to a process, and what tells what it leaves; None where none was."""
    made = process.experiment
    if made is None or len(made.stages) != len(process.snapshots):
        return None
    from oakum.compare.trial import Load, fell, growth_slope, heap_slope, population_slope

    load = Load.of(made.stages, made.unit)
    period = max((snapshot.heap.period for snapshot in process.snapshots if snapshot.heap), default=0)

    def of_growth(suspect: Suspect, one: Growth) -> Slope | None:
        objects = next((other.counts for other in suspect.growth if other.measure == "inuse_objects"), ())
        return growth_slope(one.measure, one.counts, objects, load, period)

    done = max((stage.completed for stage in made.stages if stage), default=0)
    heap = heap_slope(memory, load)
    return Work(
        made.unit, done, lambda one: population_slope(one, load), of_growth, heap, lambda one: fell(one.counts, load),
        load.longest_idle, made.numbered,
    )  # fmt: skip


def _memory(measured: Measured) -> Memory:
    """Return where the memory of a process is, and what that means."""
    held = memory(measured.process.id, measured.memory)
    return replace(held, says=describe_memory(measured.memory, held.full_in_seconds))


def _with_past(process: Process) -> Process:
    return replace(process, snapshots=process.timeline) if process.history else process

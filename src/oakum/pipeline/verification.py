"""A case -> its diagnosis with what each unit of work leaves, where no experiment was made, too: to be verified.

The work is then what the process tells of itself: requests that it counted, goroutines that it started, objects that
it allocated. It proves nothing, but two such captures of one program under load can be compared.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import accumulate

from msgspec.structs import replace

from oakum.compare.activity import activity
from oakum.compare.clock import dated_since
from oakum.compare.goroutines import populations
from oakum.compare.heap import heap_growth
from oakum.compare.memory import memory_series
from oakum.compare.trial import trial
from oakum.model import Case, Diagnosis, Experiment, Process, Stage, Text, Trial
from oakum.pipeline.diagnosis import Options, diagnose_case

_UNITS = {"goroutines started": "goroutine started", "requests": "request", "objects allocated": "object allocated"}


def with_work(case: Case, diagnosis: Diagnosis) -> Diagnosis:
    """Return the diagnosis of a case with what the work that it tells of leaves, where it has no experiment."""
    return diagnosis if diagnosis.trials else replace(diagnosis, trials=tuple(_trials(case)))


def diagnosed_side(case: Case, progress: Callable[[Text], None] = lambda _: None) -> Diagnosis:
    """Return the diagnosis of one side that is to be verified: what became of a finding is in the captures alone."""
    done = diagnose_case(case, Options(read_source=False, compile_drafts=False), progress).diagnosis
    return with_work(case, done)


def _trials(case: Case) -> Iterator[Trial]:
    for process in case.processes:
        made = _observed(process)
        if made is None:
            continue
        shots = process.snapshots
        found = tuple(populations([one.goroutines for one in shots], dated=dated_since(shots)))
        heap = heap_growth([one.heap for one in shots])
        told = trial(replace(process, experiment=made), found, heap, memory_series(process))
        if told is not None:
            yield told


def _observed(process: Process) -> Experiment | None:
    """Return the work between the snapshots as if it had been sent; None where none is told."""
    work = activity(process.snapshots)
    if not work.steps or sum(work.steps) <= 0:
        return None
    done = [0, *(round(units) for units in accumulate(work.steps))]
    epoch = datetime.fromtimestamp(0, UTC)
    stages = [
        Stage(
            "batch" if at and units > done[at - 1] else "settle" if units == 0 else "drain",
            snapshot.at or epoch + timedelta(seconds=at),
            units,
            units,
        )
        for at, (units, snapshot) in enumerate(zip(done, process.snapshots, strict=True))
    ]
    return Experiment(process.address, _UNITS[work.measure], tuple(stages))

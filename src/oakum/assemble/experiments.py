"""Experiments among the parts -> that of each process, with a stage for each of its snapshots.

A stage tells when its snapshot was begun; a snapshot belongs to the last stage that was begun before it. Where either
has no time, as many stages as snapshots are matched in order.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from oakum.assemble.parts import Part
from oakum.model import Experiment, Snapshot, Stage

# The clock of who wrote a stage and that of who dated the capture are read one after the other.
_SLACK = timedelta(milliseconds=50)


def experiment_of(parts: Iterable[Part], snapshots: Sequence[Snapshot]) -> Experiment | None:
    """Return the experiment that was made while the snapshots were taken; None where none was."""
    told = next(((part, one) for part in parts if (one := part.reading.experiment)), None)
    if told is None:
        return None
    part, made = told
    return replace(made, stages=_matched(made.stages, snapshots), source=part.capture.digest)


def _matched(stages: Sequence[Stage | None], snapshots: Sequence[Snapshot]) -> tuple[Stage | None, ...]:
    times = [snapshot.at for snapshot in snapshots]
    if all(times) and any(stages):
        return tuple(_at(stages, time) for time in times if time)
    return tuple(stages) if len(stages) == len(snapshots) else (None,) * len(snapshots)


def _at(stages: Sequence[Stage | None], time: datetime) -> Stage | None:
    begun = [stage for stage in stages if stage is not None and stage.at <= time + _SLACK]
    return begun[-1] if begun else None

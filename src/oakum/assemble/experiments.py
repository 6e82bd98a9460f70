"""Experiments among the parts -> that of each process, with a stage for each of its snapshots.

As many stages as snapshots are matched in order. Where some are missing, as after a restart, a snapshot belongs to the
last stage that was begun before it.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec.structs import replace

from oakum.assemble.parts import Part
from oakum.model import Experiment, Snapshot, Stage


def experiment_of(parts: Iterable[Part], snapshots: Sequence[Snapshot]) -> Experiment | None:
    """Return the experiment that was made while the snapshots were taken; None where none was."""
    told = next(((part, one) for part in parts if (one := part.reading.experiment)), None)
    if told is None:
        return None
    part, made = told
    return replace(made, stages=_matched(made.stages, snapshots), source=part.capture.digest)


def _matched(stages: Sequence[Stage | None], snapshots: Sequence[Snapshot]) -> tuple[Stage | None, ...]:
    if len(stages) == len(snapshots):
        return tuple(stages)
    return tuple(_at(stages, snapshot.at) if snapshot.at else None for snapshot in snapshots)


def _at(stages: Sequence[Stage | None], time: datetime) -> Stage | None:
    begun = [stage for stage in stages if stage is not None and stage.at <= time]
    return begun[-1] if begun else None

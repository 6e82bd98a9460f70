"""Moments of a process, oldest first -> those of its longest run: before a restart it was another process.

A restart shows where the start differs, or where less was allocated or collected than before: both only grow.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from oakum.model import Metrics

if TYPE_CHECKING:
    from oakum.cli.moments import Moment

_START = "process_start_time_seconds"
_SAME = 2.0  # seconds; the kernel's clock ticks are coarse
_GROWING = ("total_alloc", "num_gc")


def longest_run(moments: "Sequence[Moment]") -> "list[Moment]":
    """Return the moments between two restarts, of equal runs the later; of the others say why they are not used."""
    runs: list[list[Moment]] = []
    for moment in moments:
        if runs and not _restarted(runs[-1][-1], moment):
            runs[-1].append(moment)
        else:
            runs.append([moment])
    kept = max(reversed(runs), key=len, default=[])
    for run in runs:
        for found in (one for moment in run if run is not kept for one in moment.found):
            found.blame("other-run", "Not used: the process was restarted, and this is of another run.")
    return kept


def _restarted(before: "Moment", after: "Moment") -> bool:
    then, now = _start(before), _start(after)
    if then is not None and now is not None:
        return abs(now - then) > _SAME
    return any(
        was is not None and now is not None and now < was
        for was, now in zip(_figures(before), _figures(after), strict=True)
    )


def _start(moment: "Moment") -> float | None:
    """Return when the process was started, where metrics of one process tell it."""
    told: list[Metrics] = [found.reading.metrics for found in moment.found if found.reading.metrics is not None]
    for metrics in told:
        values = metrics.by_labels(_START)
        if len(values) == 1:
            return next(iter(values.values()))
    return None


def _figures(moment: "Moment") -> list[int | None]:
    stats = next((found.reading.memstats for found in moment.found if found.reading.memstats is not None), None)
    return [getattr(stats, name, None) for name in _GROWING]


__all__ = ["longest_run"]

"""The series of a case -> one signal for each measure of each process that grew."""

from collections.abc import Iterator, Sequence
from typing import get_args

import numpy as np
from msgspec.structs import replace

from oakum.compare.signals.curves import Course, Measure, course, levels, onset, phases, restarts_of, shape
from oakum.compare.signals.drivers import Followed, drivers, units
from oakum.knowledge.signals import MetricNames, metric_names
from oakum.model import Process
from oakum.model.signals import Floats, Series, Signal
from oakum.model.text import Text

# The last tenth of a range at least has to be flat, and to have had less than a fifth of the work of the growing part.
_TAIL = 0.1
_FLAT = 0.05
_STOPPED = 0.2
_MOST_PROCESSES = 50  # of a range as of anything else: more are not read on one page
_ABSURD = 1e16  # more than any process has


def signals(processes: Sequence[Process], series: Sequence[Series]) -> tuple[Signal, ...]:
    """Return what grew in which process, since when, and what it follows."""
    names = metric_names()
    firsts = dict.fromkeys(one.run.first if one.run else one.id for one in processes)
    found = []
    for process in [*firsts][:_MOST_PROCESSES]:
        own = [one for one in series if one.process == process]
        restarts = restarts_of(own, names.restarts.start, names.restarts.counters) if own else np.empty(0)
        for measure in get_args(Measure):
            told = _measured(own, names.measures[measure])
            grown = course(measure, told, restarts) if told else None
            if grown is not None:
                found.append(_signal(process, grown, own, series, names))
    return tuple(found)


def _measured(own: Sequence[Series], wanted: Sequence[str]) -> Series | None:
    """Return the first of some metrics that a process has, without samples that are no measurement."""
    by_name = {one.name: one for one in reversed(own)}
    found = next((by_name[name] for name in wanted if name in by_name), None)
    if found is None:
        return None
    sane = (found.values >= 0) & (found.values < _ABSURD) & (np.diff(found.times, append=np.inf) > 0)
    return replace(found, times=found.times[sane], values=found.values[sane])


def _signal(process: str, grown: Course, own: Sequence[Series], series: Sequence[Series], names: MetricNames) -> Signal:
    followed = drivers(grown, process, series, names)
    how, steps = shape(grown)
    first, last = levels(grown.values)
    idle = _idle(grown, followed, own, names)
    told = tuple(one.driver for one in followed)
    return Signal(process, grown.measure, first, last, onset(grown), how, steps, told, idle, grown.source)


def _idle(grown: Course, followed: Sequence[Followed], own: Sequence[Series], names: MetricNames) -> Text | None:
    """Return why it does not grow any more where the work has stopped; None where it grows, or nothing tells that."""
    growing = phases(grown)
    edges = np.linspace(grown.times[0], grown.times[-1], len(growing) + 1)
    since = float(grown.times[np.argmax(grown.kept >= grown.kept[0] + (1 - _FLAT) * (grown.kept[-1] - grown.kept[0]))])
    after = edges[:-1] >= since
    if grown.times[-1] - since < _TAIL * (grown.times[-1] - grown.times[0]) or not after.any():
        return None
    for what, done in _works(edges, followed, own, names):
        rates = np.diff(done) / np.diff(edges)
        busy, rest = float(rates[growing].mean()), float(rates[after].mean())
        if busy > 0:  # the nearest to the cause decides
            if rest >= _STOPPED * busy:
                return None
            driver = followed[0].driver.event if followed else ""
            return Text(f"signals.idle.{what}", {"driver": driver, "busy": round(busy, 3), "after": round(rest, 3)})
    return None


def _works(
    edges: Floats, followed: Sequence[Followed], own: Sequence[Series], names: MetricNames
) -> Iterator[tuple[str, Floats]]:
    """Yield what the process had to do, nearest to the cause first: what it follows, its requests, its CPU time."""
    if followed:
        yield "driver", np.interp(edges, followed[0].times, followed[0].done)
    asked = [one for one in own if names.is_request(one.name, one.labels)]
    for what, some in (("requests", asked), ("cpu", [one for one in own if one.name in names.restarts.busy])):
        done = [found for one in some if (found := units(one, edges)) is not None]
        if done:
            yield what, np.sum(done, axis=0)

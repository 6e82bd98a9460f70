"""Metrics of the process alone, where no capture shows which goroutines or which memory -> suspects: they keep growing.

Comes in: a process through all its snapshots, those of the past too. None of this evidence makes anybody sure.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from msgspec import Struct

from oakum.detect.heap_trend import moves
from oakum.model import Activity, Evidence, EvidenceKind, Frame, Growth, Mechanism, Process, Site, Suspect, Text
from oakum.model.diagnosis import Argument, Measure
from oakum.model.heap_growth import Floats, MemorySeries
from oakum.model.profile import Int64s
from oakum.model.signals import Signal
from oakum.model.sizes import size
from oakum.model.vocabulary import CLEARS

_PROCESS = Frame("(process)")
# A few dozen snapshots are looked at as this many stretches: a step of one of them is more than noise.
_STRETCHES = 8
# Memory that Go has not collected yet swings between two collections: its floor needs several snapshots in a stretch.
_SAW = 3 * _STRETCHES
# Growth below this is the day's coming and going.
_NOTABLE_GOROUTINES, _NOTABLE_BYTES = 16.0, float(8 << 20)
_PART = 0.25
# How far a number is off without anybody's doing: at least this far, and as far as it swings from snapshot to snapshot.
_SWING_GOROUTINES, _SWING_BYTES = 1.0, float(1 << 20)
_SWING_PART = 0.01
# Of numbers that swing at random: their spread, by the median of their distances from the middle.
_SPREAD = 1.4826 / math.sqrt(2)
# It doubles, though it did not rise often enough to call it steady.
_DOUBLED = 2.0
_FOLLOWS = 1.2
_MORE_WORK = 1.3


# Which signal tells of a number.
_SIGNALS = {"goroutines": "goroutines", "live-heap": "heap", "heap": "heap", "resident": "rss"}
# More than any process has; what exceeds it is no measurement.
_ABSURD = 1e16


class _Number(Struct, frozen=True):
    """One number of the process through its snapshots; NaN where a snapshot does not tell it."""

    measure: Measure
    called: str
    values: Floats
    notable: float
    swing: float
    floor: bool  # it swings with the collector: its lowest value in a stretch counts

    def shown(self, value: float) -> str:
        return f"{value:,.0f}" if self.measure == "goroutines" else size(value)


def number_suspects(
    process: Process, series: MemorySeries, activity: Activity, signals: Sequence[Signal] = ()
) -> tuple[Suspect, ...]:
    """Return what keeps growing without a capture that says why; of memory that grows with goroutines they are why.

    `signals` are what ranges of metrics show of this process.
    """
    goroutines = _looked_at(process, series, activity, signals, _goroutines(process))
    memory = _looked_at(process, series, activity, signals, _memory(process, series))
    if goroutines and memory and goroutines.kinds & _RISES and memory.kinds & _RISES:
        both = (*goroutines.growth, *memory.growth)
        evidence = (*goroutines.evidence, *memory.evidence)
        return (Suspect(goroutines.sites, goroutines.mechanisms, evidence, goroutines.weight, growth=both),)
    return tuple(one for one in (goroutines, memory) if one is not None)


def _goroutines(process: Process) -> _Number | None:
    if sum(snapshot.goroutines is not None for snapshot in process.snapshots) > 1:
        return None  # the dumps themselves tell more
    told = [snapshot.metrics.total("go_goroutines") if snapshot.metrics else None for snapshot in process.snapshots]
    values = np.array([math.nan if value is None else value for value in told], np.float64)
    return _Number("goroutines", "goroutines", _sane(values), _NOTABLE_GOROUTINES, _SWING_GOROUTINES, False)


def _memory(process: Process, series: MemorySeries) -> _Number | None:
    if sum(snapshot.heap is not None for snapshot in process.snapshots) > 1:
        return None
    live = _Number("inuse_space", "live-heap", _sane(series.heap_live), _NOTABLE_BYTES, _SWING_BYTES, False)
    if (~np.isnan(live.values)).sum() > 2:
        return live
    heap = _Number("inuse_space", "heap", _sane(series.heap_alloc), _NOTABLE_BYTES, _SWING_BYTES, True)
    rss = _Number("rss", "resident", _sane(series.rss), _NOTABLE_BYTES, _SWING_BYTES, True)
    return next((one for one in (heap, rss) if (~np.isnan(one.values)).sum() >= _SAW), None)


def _sane(values: Floats) -> Floats:
    return np.where((values >= 0) & (values < _ABSURD), values, np.nan)


def _looked_at(
    process: Process, series: MemorySeries, activity: Activity, signals: Sequence[Signal], number: _Number | None
) -> Suspect | None:
    if number is None:
        return None
    known = np.flatnonzero(~np.isnan(number.values))
    if len(known) < 3:
        return None
    stretches = np.array_split(known, min(len(known), _STRETCHES))
    pick: Callable[[Floats], float] = (lambda v: float(v.min())) if number.floor else (lambda v: float(np.median(v)))
    values = np.array([pick(number.values[rows]) for rows in stretches], np.float64)
    ends = np.array([rows[-1] for rows in stretches], np.int64)
    steps = np.diff(number.values[known])
    swing = _SPREAD * float(np.median(np.abs(steps - np.median(steps)))) if len(known) > _STRETCHES else 0.0
    passed = np.diff(series.seconds[ends])
    time = passed if passed.min() > 0 else np.ones(len(passed))  # not where some time is NaN, either
    requests = _work(activity, ends)
    kind = _kind(number, values, swing, time, requests)
    # A process that began in this time has its start in it: what still rises long after is no warm-up.
    late = len(values) // 4
    if kind in (None, "metric-plateau") and len(values) == _STRETCHES and not values.argmin():
        later = _kind(
            number, values[late:], swing, time[late:], None if requests is None else requests[late:], sure=True
        )
        kind = later if later == "metric-growth" else kind
    signal = next((one for one in signals if one.measure == _SIGNALS[number.called]), None)
    if signal is not None and signal.idle is not None and kind in (None, "metric-plateau"):
        kind = "metric-stops-with-work"  # it was not full: there was nothing more to do
    return _suspect(process, series, number, kind, values) if kind else None


def _work(activity: Activity, ends: Int64s) -> Floats | None:
    """Return the requests in each stretch, where they are counted."""
    if activity.measure != "requests":
        return None
    done = np.concatenate(([0.0], np.cumsum(activity.steps)))
    return np.diff(done[ends]) if len(done) > ends[-1] else None


def _kind(
    number: _Number, values: Floats, swing: float, time: Floats, requests: Floats | None, sure: bool = False
) -> EvidenceKind | None:
    """Return how a number moves, as a kind of evidence; None: it does not. `sure`: only a steady rise is one."""
    if values.max() - values[0] < max(number.notable, _PART * float(values[0])):
        return None
    noise = np.full(len(values), max(number.swing, _SWING_PART * float(values.max()), swing) ** 2)
    works = [np.asarray(work / work.max()) for work in (requests, time) if work is not None and work.max() > 0]
    told = moves(values, noise, np.cumsum(2 * noise), works)
    if told.trend in ("plateau", "falls"):
        return "metric-plateau" if told.trend == "plateau" else "metric-fall"
    doubled = told.trend == "single-step" and not sure and values[-1] >= _DOUBLED * max(1.0, float(values[0]))
    if told.trend != "rises" and not doubled:
        return None
    if requests is not None and number.measure == "goroutines":
        rates = requests / time
        more = float(rates[-1] / rates[0]) if rates[0] > 0 else math.inf
        # A rate is that of the time before its value.
        if more >= _MORE_WORK and values[-1] / max(1.0, float(values[1])) <= _FOLLOWS * more < math.inf:
            return "metric-follows-requests"
    return "metric-growth"


_RISES: frozenset[EvidenceKind] = frozenset({"metric-growth", "metric-stops-with-work"})
_DID: Mapping[EvidenceKind, str] = {
    "metric-stops-with-work": "stops", "metric-growth": "rise",
    "metric-plateau": "level", "metric-fall": "fall", "metric-follows-requests": "traffic",
}  # fmt: skip


def _suspect(process: Process, series: MemorySeries, number: _Number, kind: EvidenceKind, values: Floats) -> Suspect:
    known = np.flatnonzero(~np.isnan(number.values))
    first, last = (values if number.floor else number.values[known])[[0, -1]]
    hours = float(series.seconds[known[-1]] - series.seconds[known[0]]) / 3600
    per_hour = round(float(last - first) / hours, 1) if hours > 0 else None
    counts = tuple(None if math.isnan(value) else int(value) for value in number.values)
    args: dict[str, Argument] = {
        "first": number.shown(first), "last": number.shown(last), "peak": number.shown(values.max()),
        "moments": len(known),
    }  # fmt: skip
    source = next(s.sources["metrics"] for s in reversed(process.snapshots) if "metrics" in s.sources)
    mechanism: Mechanism = "growing-goroutines" if number.measure == "goroutines" else "growing-memory"
    harmless = CLEARS.get(kind)
    claim = Text(f"numbers.{number.called}.{_DID[kind]}", args)
    return Suspect(
        sites=(Site("blocked" if number.measure == "goroutines" else "allocated", _PROCESS, process=process.id),),
        mechanisms=(harmless, mechanism) if harmless else (mechanism,),
        evidence=(Evidence(kind, claim, source.digest, source.where),),
        weight=round(float(1 - values[0] / max(1.0, float(values[-1]))), 4) if values[-1] > values[0] else 0.0,
        growth=(Growth(number.measure, counts, per_hour),),
    )

"""Signals, logs and processes -> the time line: what happened when, oldest first.

Lines of a log that lie close together are one event: how many, from when until when, and whom most of them name.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

import numpy as np

from oakum.compare.signals.drivers import units
from oakum.knowledge.signals import metric_names
from oakum.model import Process
from oakum.model.profile import Int64s
from oakum.model.signals import Event, Floats, Log, Named, Series, Signal, Tally
from oakum.model.text import Argument, Text

_EVENTS_MOST = 200  # more are no time line
_CAPTURES_MOST = 12  # more are told by the first and the last
# Lines with less than this part of the whole time between them are one event; fewer than these are none.
_TOGETHER = 1 / 20
_FEWEST = 3
_PART = 0.02
# A load that is at least this many times what it was, for three of 48 windows, has changed.
_CHANGED = 2.0
_WINDOWS, _LASTS = 48, 3
_CHANGES_MOST = 6  # the largest: a load that changes more often has no level to change from
_SPAN_FEWEST = 12  # samples; fewer show no change of load


def timeline_events(
    processes: Sequence[Process], series: Sequence[Series], logs: Sequence[Log], signals: Sequence[Signal]
) -> tuple[Event, ...]:
    """Return the time line, oldest first."""
    whole = _span(processes, series, logs)
    found = [
        *_growth(signals),
        *_loads(processes, series),
        *(event for log in logs for event in _logged(log, whole)),
        *_restarts(processes),
        *_captures(processes),
    ]
    return tuple(sorted(found, key=lambda one: (one.at, one.kind)))[:_EVENTS_MOST]


def _span(processes: Sequence[Process], series: Sequence[Series], logs: Sequence[Log]) -> float:
    """Return how many seconds all of it spans."""
    times = [one.times[[0, -1]] for one in series]
    times += [one.times for log in logs for one in log.tallies]
    times.append(np.array([s.at.timestamp() for one in processes for s in one.timeline if s.at]))
    known = np.concatenate(times)
    known = known[np.isfinite(known)]
    return float(known.max() - known.min()) if len(known) else 0.0


def _at(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _growth(signals: Sequence[Signal]) -> Iterator[Event]:
    """Yield when each process began to grow: by its goroutines, where they grew."""
    told: set[str] = set()
    for one in signals:  # goroutines come first
        if one.onset is None or one.process in told:
            continue
        told.add(one.process)
        args: dict[str, Argument] = {"low": f"{one.onset.low:%H:%M:%S}Z", "high": f"{one.onset.high:%H:%M:%S}Z"}
        yield Event(one.onset.at, "growth-began", Text(f"event.growth-began.{one.measure}", args), one.process,
                    capture=one.source)  # fmt: skip


def _loads(processes: Sequence[Process], series: Sequence[Series]) -> Iterator[Event]:
    """Yield when the requests that a process counts became many more or many fewer."""
    names = metric_names()
    for process in processes:
        if process.run is not None and process.run.number > 1:
            continue
        mine = (one for one in series if one.process == process.id)
        own = [one for one in mine if names.is_request(one.name, one.labels)]
        longest = max(own, key=lambda one: len(one.times), default=None)
        if longest is None or len(longest.times) < _SPAN_FEWEST:
            continue
        edges = np.linspace(longest.times[0], longest.times[-1], min(_WINDOWS, len(longest.times) - 1) + 1)
        done = [found for one in own if (found := units(one, edges)) is not None]
        if done:
            rates = np.diff(np.sum(done, axis=0)) / np.diff(edges)
            yield from _changes(process.id, edges, rates, longest.source)


def _changes(process: str, edges: Floats, rates: Floats, source: str) -> Iterator[Event]:
    found: list[tuple[float, int, float, float]] = []
    for at in range(_LASTS, len(rates) - _LASTS + 1):
        before, after = (float(np.median(rates[part])) for part in (slice(at - _LASTS, at), slice(at, at + _LASTS)))
        least = 0.02 * float(rates.max()) or 1.0
        times = (max(after, least) / max(before, least)) if after > before else (max(before, least) / max(after, least))
        if times >= _CHANGED:
            found.append((times, at, before, after))
    kept: list[tuple[float, int, float, float]] = []
    for one in sorted(found, reverse=True):  # around a change several windows show it
        if all(abs(one[1] - other[1]) >= _LASTS for other in kept):
            kept.append(one)
    for _, at, before, after in sorted(kept[:_CHANGES_MOST], key=lambda one: one[1]):
        args: dict[str, Argument] = {"before": float(f"{before:.3g}"), "after": float(f"{after:.3g}")}
        yield Event(_at(float(edges[at])), "load-changed", Text("event.load-changed", args), process, capture=source)


def _logged(log: Log, whole: float) -> Iterator[Event]:
    single: dict[tuple[str, str], list[Tally]] = {}
    for tally in log.tallies:
        known = np.flatnonzero(np.isfinite(tally.times))
        if len(known) and tally.text:
            single.setdefault((tally.kind, tally.object), []).append(tally)
            continue
        for rows in _together(tally.times, known, whole):
            yield from _burst(log, tally, rows)
    for same in single.values():
        times = np.array([one.times[0] for one in same])
        for rows in _together(times, np.arange(len(same)), whole):
            yield _event(log, [same[row] for row in rows])


def _together(times: Floats, rows: Int64s, whole: float) -> list[Int64s]:
    """Return rows in the order of their times, cut where nothing happened for long."""
    if not len(rows):
        return []
    order = rows[np.argsort(times[rows])]
    return np.split(order, np.flatnonzero(np.diff(times[order]) > max(1.0, _TOGETHER * whole)) + 1)


def _event(log: Log, same: Sequence[Tally]) -> Event:
    """Return what is told by itself, or that it happened several times."""
    first = same[0]
    count = sum(one.total for one in same)
    args: dict[str, Argument] = {"object": first.object, "said": first.text, "count": count}
    key = f"event.{first.kind}{'' if first.object else '.nobody'}{'' if count == 1 else '.times'}"
    until = _at(float(same[-1].times[0])) if len(same) > 1 else None
    at = _at(float(first.times[0]))
    return Event(at, first.kind, Text(key, args), log.process, until, capture=log.source, where=first.where)


def _burst(log: Log, tally: Tally, rows: Int64s) -> Iterator[Event]:
    lines = round(float(tally.weights[rows].sum())) if len(tally.weights) else len(rows)
    if len(rows) < _FEWEST or lines < _PART * tally.total:
        return
    first, last = (float(tally.times[row]) for row in rows[[0, -1]])
    args: dict[str, Argument] = {"lines": lines}
    key = f"event.{tally.kind}.lines"
    if most := next(iter(whom(tally, rows)), None):
        args |= {"share": most.lines / most.of, "name": most.name}
        key = f"event.{tally.kind}.lines-{most.field}"
    yield Event(_at(first), tally.kind, Text(key, args), log.process, _at(last), log.source, tally.where)


def whom(tally: Tally, rows: Int64s | None = None) -> list[Named]:
    """Return whom lines name most, for each field the first: program, address, user."""
    found = []
    for field in ("agent", "client", "user"):
        if (told := tally.who.get(field)) is None:
            continue
        picked = told.rows if rows is None else told.rows[rows]
        counts = np.bincount(picked[picked >= 0], minlength=len(told.names))
        if counts.sum():
            most = int(counts.argmax())
            found.append(Named(field, told.names[most], int(counts[most]), int(counts.sum())))
    return found


def named_while_growing(logs: Sequence[Log], signals: Sequence[Signal]) -> dict[int, list[Named]]:
    """Return whom the lines of each tally name, by its id: those since growth began, where that is known."""
    began = {one.process: one.onset.low.timestamp() for one in reversed(signals) if one.onset}
    found = {}
    for log in logs:
        since = began.get(log.process, min(began.values(), default=None))
        for tally in log.tallies:
            rows = None if since is None else np.flatnonzero(~(tally.times < since))
            if tally.who and (rows is None or len(rows)):
                found[id(tally)] = whom(tally, rows)
    return found


def _restarts(processes: Sequence[Process]) -> Iterator[Event]:
    for one in processes:
        if one.run is None or one.run.number == 1:
            continue
        first = next((snapshot.at for snapshot in one.timeline if snapshot.at), None)
        if (at := one.run.started or first) is not None:
            yield Event(at, "restart", one.run.why or Text("event.restart.seen", {"run": one.run.number}), one.id)


def _captures(processes: Iterable[Process]) -> Iterator[Event]:
    """Yield when the process was captured; what metrics alone tell is no capture."""
    for process in processes:
        taken = [one for one in process.snapshots if one.at and (one.goroutines or one.heap or one.memstats)]
        shown = taken if len(taken) <= _CAPTURES_MOST else [taken[0], taken[-1]]
        for one in shown:
            if one.at is not None:
                source = next(iter(one.sources.values()), None)
                label = one.label.rstrip("/").rpartition("/")[2]
                yield Event(one.at, "capture", Text("event.capture", {"label": label}), process.id,
                            capture=source.digest if source else "")  # fmt: skip

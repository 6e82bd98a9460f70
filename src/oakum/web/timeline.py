"""One service through time, as charts draw it: series per replica and per place, at so many times evenly spread.

A value at a time is the newest before it in its slot; a replica that was not looked at in a slot has its last one for
two more. Sums are over replicas. What was not captured stays None.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from oakum import history
from oakum.store.reader import Reader
from oakum.store.rows import PlaceKind

MEASURES = ("goroutines", "heap_live", "rss", "limit_bytes", "work")
POINTS = 300  # on a screen of 1,440 pixels a chart has two of them for each
MOST_POINTS = 1000
_TOP = 8  # places with a colour of their own; the rest is one
_KEPT_ON = 2  # slots
Values = list[float | None]


class Window(Struct, frozen=True):
    """From when to when, in microseconds."""

    start: int
    end: int


class ReplicaLine(Struct, frozen=True):
    """What one run had at each time. `work_per_second`: requests served, as its counter grew."""

    run: str
    replica: str
    values: Mapping[str, Values]


class PlaceLine(Struct, frozen=True):
    place: str
    state: str
    function: str
    file: str
    line: int
    values: Values


class Course(Struct, frozen=True):
    """A service in a window: times in microseconds, what its replicas had."""

    times: tuple[int, ...]
    replicas: tuple[ReplicaLine, ...]
    totals: Mapping[str, Values]


class PlaceCourse(Struct, frozen=True):
    """The largest places first; `rest` is what all others have in all."""

    times: tuple[int, ...]
    places: tuple[PlaceLine, ...]
    rest: Values


def course(reader: Reader, service: str, window: Window, points: int = POINTS) -> Course:
    """Return what the replicas of a service had."""
    rows = history.records(reader.courses(service, window.start, window.end, points))
    slots, times = _slots(rows)
    names = {run.run: run.replica for run in reader.runs(service)}
    lines = []
    for run in dict.fromkeys(row["run"] for row in rows):
        mine = [row for row in rows if row["run"] == run]
        values = {name: _filled(slots, {row["slot"]: row[name] for row in mine}) for name in MEASURES}
        values["work_per_second"] = _rates(times, values.pop("work"))
        lines.append(ReplicaLine(run, names.get(run, ""), {name: _plain(line) for name, line in values.items()}))
    summed = {
        name: _plain(_sum([np.array(one.values[name], float) for one in lines], len(times)))
        for name in (*MEASURES[:-1], "work_per_second")
    }
    return Course(times, tuple(lines), summed)


def place_course(
    reader: Reader, service: str, kind: PlaceKind, window: Window, points: int = POINTS, most: int = _TOP
) -> PlaceCourse:
    """Return what was at each place of a service, over all replicas."""
    rows = history.records(reader.place_courses(service, kind, window.start, window.end, points))
    slots, times = _slots(rows)
    named: dict[tuple[str, str], dict[str, Any]] = {}
    runs: dict[tuple[str, str], dict[str, dict[int, float]]] = {}
    for row in rows:
        key = row["place"], row["state"]
        named[key] = row  # the newest says where it is
        runs.setdefault(key, {}).setdefault(row["run"], {})[row["slot"]] = row["value"]
    lines = {key: _sum([_filled(slots, one) for one in of.values()], len(times)) for key, of in runs.items()}
    ordered = sorted(lines, key=lambda key: (-float(np.nansum(lines[key][-3:])), -float(np.nansum(lines[key])), key))
    top, rest = ordered[:most], ordered[most:]
    return PlaceCourse(
        times,
        tuple(
            PlaceLine(*key, named[key]["function"], named[key]["file"], named[key]["line"], _plain(lines[key]))
            for key in top
        ),
        _plain(_sum([lines[key] for key in rest], len(times))),
    )


def _slots(rows: Sequence[Mapping[str, Any]]) -> tuple[list[int], tuple[int, ...]]:
    """Return the slots that something was captured in, and the newest time in each."""
    newest: dict[int, int] = {}
    for row in rows:
        newest[row["slot"]] = max(newest.get(row["slot"], 0), row["time"])
    slots = sorted(newest)
    return slots, tuple(newest[slot] for slot in slots)


def _filled(slots: Sequence[int], known: Mapping[int, float | None]) -> Any:
    """Return the values at all slots; one that is missing is the one before it, for a while."""
    found = np.full(len(slots), np.nan)
    last, age = np.nan, _KEPT_ON + 1
    for at, slot in enumerate(slots):
        value = known.get(slot)
        if value is not None:
            last, age = float(value), 0
        else:
            age += 1
        if age <= _KEPT_ON:
            found[at] = last
    return found


def _sum(lines: Sequence[Any], length: int) -> Any:
    """Return the sum of what is known at each time; nan where nothing is."""
    if not lines:
        return np.full(length, np.nan)
    stacked = np.stack(lines)
    return np.where(np.isnan(stacked).all(axis=0), np.nan, np.nansum(stacked, axis=0))


def _rates(times: Sequence[int], counter: Any) -> Any:
    """Return how much a counter grew each second since the time before; nan where it began anew."""
    found = np.full(len(times), np.nan)
    if len(times) > 1:
        seconds, steps = np.diff(np.array(times, float)) / 1e6, np.diff(counter)
        found[1:] = np.where(steps >= 0, steps / seconds, np.nan)
    return found


def _plain(line: Any) -> Values:
    return [None if value != value else round(value, 3) for value in line.tolist()]

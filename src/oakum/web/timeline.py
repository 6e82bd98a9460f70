"""One service through time, as charts draw it: series per replica and per place, at so many times evenly spread.

A value at a time is the newest in its slot. Between two looks at a replica it had what lies between both, whenever the
others were looked at; after its last look it has that until it could have been looked at again, or runs anew. Sums are
over replicas. What was not captured stays None.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
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
_KEPT_ON = 1.5  # times as long as two looks are apart: so long a value is taken for the present one
_STEPS = {"limit_bytes": "last"}  # what changes at once, and is the same until the next look
Values = list[float | None]


class Window(Struct, frozen=True):
    """From when to when, in microseconds."""

    start: int
    end: int

    def slot(self, points: int) -> float:
        """Return how long each of so many equal parts is."""
        return (self.end - self.start + 1) / points


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
    times, slot = _times(rows), window.slot(points)
    names = {run.run: run.replica for run in reader.runs(service)}
    by_run: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_run.setdefault(row["run"], []).append(row)
    lines, arrays = [], []
    begins = _successors({run: [row["time"] for row in mine] for run, mine in by_run.items()}, names)
    for run, mine in by_run.items():
        known = {name: [(row["time"], row[name]) for row in mine] for name in MEASURES}
        values = {
            name: _filled(times, known[name], slot, begins.get(run), _STEPS.get(name, "")) for name in MEASURES[:-1]
        }
        values["work_per_second"] = _filled(times, _rates(known["work"]), slot, begins.get(run), "next")
        arrays.append(values)
        lines.append(ReplicaLine(run, names.get(run, ""), {name: _plain(line) for name, line in values.items()}))
    totals = {
        name: _plain(_sum([values[name] for values in arrays], len(times)))
        for name in (*MEASURES[:-1], "work_per_second")
    }
    return Course(tuple(int(at) for at in times), tuple(lines), totals)


def place_courses(
    reader: Reader, service: str, window: Window, points: int = POINTS, most: int = _TOP
) -> dict[str, PlaceCourse]:
    """Return what was at each place of a service, over all replicas: goroutines and heap."""
    rows = history.records(reader.place_courses(service, window.start, window.end, points))
    kinds: tuple[PlaceKind, ...] = ("goroutines", "heap")
    names = {run.run: run.replica for run in reader.runs(service)}
    slot = window.slot(points)
    return {kind: _place_course([row for row in rows if row["kind"] == kind], names, slot, most) for kind in kinds}


def _place_course(rows: Sequence[Mapping[str, Any]], names: Mapping[str, str], slot: float, most: int) -> PlaceCourse:
    times = _times(rows)
    looks: dict[str, set[int]] = {}  # of each run: a place that is not among its largest then has nothing to speak of
    named: dict[tuple[str, str], Mapping[str, Any]] = {}
    runs: dict[tuple[str, str], dict[str, dict[int, float]]] = {}
    for row in rows:
        key = row["place"], row["state"]
        named[key] = row  # the newest says where it is
        runs.setdefault(key, {}).setdefault(row["run"], {})[row["time"]] = row["value"]
        looks.setdefault(row["run"], set()).add(row["time"])
    taken = {run: sorted(found) for run, found in looks.items()}
    begins = _successors(taken, names)
    lines = {
        key: _sum(
            [
                _filled(times, [(at, one.get(at, 0.0)) for at in taken[run]], slot, begins.get(run))
                for run, one in of.items()
            ],
            len(times),
        )
        for key, of in runs.items()
    }
    ordered = sorted(lines, key=lambda key: (-float(np.nansum(lines[key][-3:])), -float(np.nansum(lines[key])), key))
    top, rest = ordered[:most], ordered[most:]
    return PlaceCourse(
        tuple(int(at) for at in times),
        tuple(
            PlaceLine(*key, named[key]["function"], named[key]["file"], named[key]["line"], _plain(lines[key]))
            for key in top
        ),
        _plain(_sum([lines[key] for key in rest], len(times))),
    )


def _times(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return the newest time in each slot that something was captured in."""
    newest: dict[int, int] = {}
    for row in rows:
        newest[row["slot"]] = max(newest.get(row["slot"], 0), row["time"])
    return np.array([newest[slot] for slot in sorted(newest)], np.int64)


def _successors(looks: Mapping[str, Sequence[int]], names: Mapping[str, str]) -> dict[str, int]:
    """Return of each run when its replica was seen to run anew."""
    found: dict[str, int] = {}
    for run, mine in looks.items():
        others = (
            one[0] for other, one in looks.items() if names.get(other, "") == names.get(run) != "" and other != run
        )
        if later := [at for at in others if at > mine[-1]]:
            found[run] = min(later)
    return found


def _filled(
    times: Any, known: Sequence[tuple[int, float | None]], slot: float, ends: int | None = None, step: str = ""
) -> Any:
    """Return the values of one run at each time, oldest first, and of its last look for a while, at least a slot.

    It `ends` when its replica runs anew.

    Between two looks it is on the line through both; with a step that of the "last" look, or of the "next" one.
    """
    told = [(at, value) for at, value in known if value is not None]
    found = np.full(len(times), np.nan)
    if not told:
        return found
    taken = np.array([at for at, _ in told], np.int64)
    values = np.array([value for _, value in told], float)
    apart = float(np.median(np.diff(taken))) if len(taken) > 1 else 0.0
    fresh = (times >= taken[0]) & (times - taken[-1] <= max(_KEPT_ON * apart, slot))
    if ends is not None:
        fresh &= times < ends
    if step:
        at = (
            np.searchsorted(taken, times, side="left") if step == "next" else np.searchsorted(taken, times, "right") - 1
        )
        line = values[np.clip(at, 0, len(values) - 1)]
    else:
        line = np.interp(times, taken, values)
    found[fresh] = line[fresh]
    return found


def _sum(lines: Sequence[Any], length: int) -> Any:
    """Return the sum of what is known at each time; nan where nothing is."""
    if not lines:
        return np.full(length, np.nan)
    stacked = np.stack(lines)
    return np.where(np.isnan(stacked).all(axis=0), np.nan, np.nansum(stacked, axis=0))


def _rates(known: Sequence[tuple[int, float | None]]) -> list[tuple[int, float | None]]:
    """Return how much a counter grew each second since the look before; None where it began anew."""
    told = [(at, value) for at, value in known if value is not None]
    return [
        (at, (value - before) / (at - then) * 1e6 if value >= before else None)
        for (then, before), (at, value) in pairwise(told)
    ]


def _plain(line: Any) -> Values:
    return [None if value != value else round(value, 3) for value in line.tolist()]

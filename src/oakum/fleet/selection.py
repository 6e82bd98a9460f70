"""The summaries of a store -> the places that grow, of each run: only a reason to look closer, the pipeline judges.

SQL thins the past of each place out to at most so many points and drops what hardly changes; what remains is cut where
a process was restarted and held against a line. Everything is of all services at once.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from oakum.store import engine
from oakum.store.manifest import HOUR
from oakum.store.reader import Reader


def least_of(kind: str) -> float:
    """Return what growth is looked at: a few goroutines come and go, a heap profile samples each 512 KiB."""
    return _LEAST[kind]


POINTS = 96  # of each run: with more, neighbours become one
_FEWEST = 3  # points that show growth
_LEAST: Mapping[str, float] = {"goroutines": 3.0, "heap": 512.0 * 1024}
_ROWS = 800_000  # that are looked at at once: DuckDB has 256 MB
_FEW = 8  # looks
_SURE = 3.5  # of the slope, in its errors: noise about a level has more once in a thousand places
_ALIKE = 0.95  # correlation with time in a stretch of a few looks
_SUREST = 1e6
_FELL = 0.35  # to less than that: the process was restarted, or what piled up was let go
_STRETCH = 6  # looks between two restarts: fewer rise by chance
_CROWD = 50  # goroutines at one place of which there is no past
_PARTS = (1.0, 1 / 3)  # of the time that is looked at: growth may have begun late
_QUIET = 15 * 60 * 1_000_000  # a run that was not seen for so long, or a tenth of the time, has ended

# Each run is thinned out within its own time: a replica may live for an hour, and its service for weeks.
_TELLING = "(goroutines IS NOT NULL OR heap_live IS NOT NULL)"
_BOUNDS = f"""(SELECT run, min(time) AS low, max(time) - min(time) + 1 AS length FROM snapshots
    WHERE {_TELLING} GROUP BY run)"""
_VALUE = "CASE kind WHEN 'goroutines' THEN count ELSE live_bytes END"
_SLOT = f"(time - low) * {POINTS} // length"

Times = NDArray[np.int64]
Values = NDArray[np.float64]
_NO_TIMES: Times = np.zeros(0, np.int64)


class Run(Struct, frozen=True, eq=False):
    """One process as its summaries tell of it."""

    run: str
    service: str
    replica: str
    zone: str
    build: str
    limit: int | None
    looks: Mapping[str, Times]  # kind -> when it was looked at, thinned out
    since: int
    until: int
    live: Values  # heap, at the looks at it
    allocated: Values  # ever, at these: falls with a restart

    def values(self, kind: str, points: Mapping[int, float]) -> Values:
        """Return what slots have at the looks at one kind; of what is not there nothing."""
        length = self.until - self.since + 1
        looks = self.looks.get(kind, _NO_TIMES)
        return np.asarray([points.get(int(at - self.since) * POINTS // length, 0.0) for at in looks], np.float64)


class Rise(Struct, frozen=True):
    """How something rises: since the last restart, since when in it, how fast, how far, how sure that is."""

    start: int
    begin: int
    per_hour: float
    rise: float
    sure: float


class Growing(Struct, frozen=True, eq=False):
    """One place of one run that grows."""

    run: str
    kind: str
    place: str
    state: str
    function: str
    file: str
    line: int
    times: Times
    values: Values
    rise: Rise


class Selected(Struct, frozen=True, eq=False):
    """All services, and what grows in them."""

    runs: Mapping[str, list[Run]]  # service -> its runs, oldest first
    growing: Mapping[str, list[Growing]]


def select(reader: Reader, start: int, end: int) -> Selected:
    """Return the runs of all services within a time, and the places that grow in those that run now."""
    runs = _runs(reader, start, end)
    by_run = {run.run: run for found in runs.values() for run in found}
    running = {run.run for found in runs.values() for run in current(found)}
    growing: dict[str, list[Growing]] = {}
    for row in _courses(reader, start, end):
        run = by_run.get(row["run"])
        if run is not None and run.run in running and (found := _growing(row, run)) is not None:
            growing.setdefault(run.service, []).append(found)
    for found_of in growing.values():
        found_of.sort(key=lambda one: (one.kind, -one.rise.rise, one.place, one.state, one.run))
    return Selected(runs, growing)


def series(reader: Reader, service: str, places: Sequence[str], kind: str, start: int, end: int,
           runs: Sequence[Run]) -> dict[str, tuple[Times, Values]]:  # fmt: skip
    """Return what each run of a service has at some places together, at each look; nothing there is none."""
    known = {run.run: run for run in runs}
    wanted = ", ".join(map(engine.quoted, places)) or "''"
    value = "count" if kind == "goroutines" else "live_bytes"
    sql = f"""SELECT run, {_SLOT} AS slot, arg_max(value, time) AS value FROM (
            SELECT run, time, sum({value}) AS value FROM places WHERE kind = '{kind}' AND place IN ({wanted})
            GROUP BY run, time) JOIN {_BOUNDS} USING (run) GROUP BY run, slot"""
    rows = reader.query(sql, ["places", "snapshots"], start, end, service)
    found: dict[str, dict[int, float]] = {}
    for run, slot, told in zip(rows["run"].tolist(), rows["slot"].tolist(), rows["value"].tolist(), strict=True):
        found.setdefault(run, {})[slot] = float(told or 0)
    return {
        name: (run.looks.get(kind, _NO_TIMES), run.values(kind, found.get(name, {}))) for name, run in known.items()
    }


def _runs(reader: Reader, start: int, end: int) -> dict[str, list[Run]]:
    known = {row.run: row for row in reader.runs()}
    sql = f"""SELECT service, run, CASE WHEN heap_live IS NULL THEN 'goroutines' ELSE 'heap' END AS kind,
            list(seen ORDER BY seen) AS times, list(live ORDER BY seen) AS live,
            list(allocated ORDER BY seen) AS allocated,
            min(since) AS since FROM (
            SELECT service, run, heap_live IS NULL AS heap_less, any_value(heap_live) AS heap_live, max(time) AS seen,
                min(time) AS since, arg_max(CAST(heap_live AS DOUBLE), time) AS live,
                arg_max(CAST(heap_alloc AS DOUBLE), time) AS allocated
            FROM snapshots JOIN {_BOUNDS} USING (run) WHERE {_TELLING} GROUP BY service, run, heap_less, {_SLOT})
        GROUP BY service, run, kind ORDER BY service, run, kind"""
    rows = reader.query(sql, ["snapshots"], start, end)
    looks: dict[tuple[str, str], dict[str, tuple[Times, Values, Values, int]]] = {}
    for service, run, kind, times, live, allocated, since in zip(*(rows[name] for name in rows), strict=True):
        told = np.asarray(times, np.int64), _numbers(live), _numbers(allocated), int(since)
        looks.setdefault((service, run), {})[kind] = told
    found: dict[str, list[Run]] = {}
    for (service, run), kinds in looks.items():
        row = known.get(run)
        found.setdefault(service, []).append(
            Run(
                run, service, row.replica if row else "", row.zone if row else "", row.version if row else "",
                row.limit_bytes if row else None, {kind: one[0] for kind, one in kinds.items()},
                min(one[3] for one in kinds.values()), max(int(one[0][-1]) for one in kinds.values()),
                kinds["heap"][1] if "heap" in kinds else np.zeros(0),
                kinds["heap"][2] if "heap" in kinds else np.zeros(0),
            )
        )  # fmt: skip
    for runs in found.values():
        runs.sort(key=lambda one: (one.since, one.replica, one.run))
    return found


def _numbers(column: Any) -> Values:
    """Return a list of SQL as numbers; what is not known is none."""
    return np.asarray(np.ma.filled(np.ma.asarray(column, np.float64), np.nan), np.float64)


def current(runs: Sequence[Run]) -> list[Run]:
    """Return the runs that run now; where these are too young to show anything, those before them too."""
    newest, oldest = max(run.until for run in runs), min(run.since for run in runs)
    quiet = max(_QUIET, (newest - oldest) // 10)
    now = [run for run in runs if run.until >= newest - quiet]
    if any(len(times) >= _FEWEST + 1 for run in now for times in run.looks.values()):
        return now
    return list(runs)


def _courses(reader: Reader, start: int, end: int) -> Iterator[dict[str, Any]]:
    """Yield the past of each place that changes by as much as is looked at, or is a crowd without a past.

    Most places hardly change: what remains is a fraction of the rows, read so many at a time.
    """
    least = f"CASE kind WHEN 'goroutines' THEN {_LEAST['goroutines']} ELSE {_LEAST['heap']} END"
    sql = f"""SELECT run, kind, place, state, count(*) AS points FROM places GROUP BY run, kind, place, state
        HAVING max({_VALUE}) >= {least} AND (max({_VALUE}) - min({_VALUE}) >= {least} OR count(*) < {_FEW})
        ORDER BY run, kind, place, state"""
    found = reader.query(sql, ["places"], start, end)
    keys = list(zip(*(found[name].tolist() for name in ("run", "kind", "place", "state")), strict=True))
    some: list[tuple[str, ...]] = []
    count = 0
    for key, points in zip(keys, found["points"].tolist(), strict=True):
        if some and count + points > _ROWS:
            yield from _courses_of(reader, some, start, end)
            some, count = [], 0
        some.append(key)
        count += points
    if some:
        yield from _courses_of(reader, some, start, end)


def _courses_of(reader: Reader, keys: Sequence[tuple[str, ...]], start: int, end: int) -> Iterator[dict[str, Any]]:
    chosen = ", ".join(f"({', '.join(map(engine.quoted, key))})" for key in keys)
    sql = f"""SELECT run, kind, place, state, any_value(function) AS function, any_value(file) AS file,
            max(line) AS line, list(slot ORDER BY slot) AS slots, list(value ORDER BY slot) AS course FROM (
            SELECT run, kind, place, state, {_SLOT} AS slot, arg_max(CAST({_VALUE} AS DOUBLE), time) AS value,
                any_value(function) AS function, any_value(file) AS file, max(line) AS line
            FROM places SEMI JOIN (VALUES {chosen}) AS chosen(run, kind, place, state) USING (run, kind, place, state)
            JOIN {_BOUNDS} USING (run) GROUP BY run, kind, place, state, slot)
        WHERE value IS NOT NULL GROUP BY run, kind, place, state ORDER BY run, kind, place, state"""
    rows = reader.query(sql, ["places", "snapshots"], start, end)
    names = list(rows)
    for values in zip(*(rows[name] for name in names), strict=True):
        row = dict(zip(names, values, strict=True))
        row["points"] = dict(zip((int(slot) for slot in row["slots"]), map(float, row["course"]), strict=True))
        yield row


def _growing(row: Mapping[str, Any], run: Run) -> Growing | None:
    """Return a place that grows in a run: by a line through its last stretch, or as a crowd without a past."""
    kind, least = row["kind"], _LEAST[row["kind"]]
    looks = run.looks.get(kind, _NO_TIMES)
    if not len(looks):
        return None
    values = run.values(kind, row["points"])
    found: Rise | None = None
    if len(looks) >= _FEWEST:
        found = rising(looks, values, least, run.allocated if kind == "heap" else None)
    if found is None:
        # Few looks prove no slope: what is more than before is looked at, and a crowd that has no past.
        more = len(looks) < _FEW and values[-1] - values[0] >= max(least, values[0] / 10)
        crowd = kind == "goroutines" and len(looks) < _FEWEST and values.max() >= _CROWD
        if not more and not crowd:
            return None
        found = Rise(int(looks[0]), int(looks[0]), 0.0, float(values[-1] - min(values[0], values[-1] / 2)), 0.0)
    return Growing(
        run.run, kind, row["place"], row["state"], row["function"], row["file"], int(row["line"]), looks, values, found
    )  # fmt: skip


def rising(times: Times, values: Values, least: float, allocated: Values | None = None) -> Rise | None:
    """Return the rise that is the surest, of the stretches between restarts; None where nothing rises."""
    best: Rise | None = None
    for first, last in _stretches(values, allocated):
        for part in _PARTS:
            low = last - max(_FEWEST, round((last - first) * part))
            if low < first:
                continue
            hours = (times[low:last] - times[low]) / HOUR
            told = values[low:last]
            length = float(hours[-1])
            if length <= 0 or told.std() == 0:
                continue
            x, y = hours - hours.mean(), told - told.mean()
            slope = float((x * y).sum() / (x * x).sum())
            like = float((x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum()))
            sure = min(_SUREST, like * np.sqrt((last - low - 2) / max(1e-9, 1 - like * like)))
            rise = slope * length
            if sure >= _SURE and rise >= least and (best is None or (sure, rise) > (best.sure, best.rise)):
                best = Rise(int(times[first]), _begin(times, values, first, low, slope), slope, rise, float(sure))
    return best


def earliest(times: Times, values: Values, allocated: Values | None, found: Rise) -> int:
    """Return when a rise began that goes on after restarts: the first stretch that rises alike, however short."""
    for first, last in pairwise(restarts(values, allocated)):
        if last - first < _FEWEST or times[first] >= found.begin:
            continue
        hours = (times[first:last] - times[first]) / HOUR
        x, y = hours - hours.mean(), values[first:last] - values[first:last].mean()
        slope = float((x * y).sum() / (x * x).sum())
        if slope >= found.per_hour / 2 and (x * y).sum() >= _ALIKE * np.sqrt((x * x).sum() * (y * y).sum()):
            return int(times[first])
    return found.begin


def _begin(times: Times, values: Values, first: int, low: int, slope: float) -> int:
    """Return where the line meets the level of what was before it; the first look, where there was nothing before."""
    if low == first:
        return int(times[first])
    level = float(np.median(values[first : low + 1]))
    back = (float(values[low]) - level) / slope * HOUR
    return int(max(times[first], min(times[low], times[low] - back)))


def _stretches(values: Values, allocated: Values | None) -> Iterator[tuple[int, int]]:
    """Yield the ends of what lies between two restarts: where less was ever allocated than before, else where nearly
    all is gone of what had piled up. What swings does not fall so far from so high, time after time."""
    cuts = restarts(values, allocated)
    count = len(values)
    yield 0, count
    if len(cuts) > 2:
        for first, last in pairwise(cuts):
            if last - first >= max(_FEWEST, _STRETCH, count // 8):
                yield first, last


def restarts(values: Values, allocated: Values | None) -> list[int]:
    """Return the looks at which a stretch begins, and the end."""
    count = len(values)
    if allocated is not None and len(allocated) == count:
        falls = allocated[1:] < 0.99 * allocated[:-1]
    else:
        falls = (values[1:] <= _FELL * values[:-1]) & (values[:-1] >= values.max() / 4)
    return [0, *(np.flatnonzero(falls) + 1).tolist(), count]

"""A store as it stands: questions -> columns. Takes no lock, sees whole batches only, works beside a writer.

A part that the writer has replaced meanwhile is no error: the question is asked again. What is missing in a store that
was copied by halves is left out and told in `problems`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np

from oakum.model import StoreError, Text
from oakum.store import captures, engine, log
from oakum.store.captures import Kept
from oakum.store.manifest import DAY, HOUR, Manifest, Part
from oakum.store.recovery import manifest_of
from oakum.store.rows import TABLES, EventRow, FindingRow, IncidentRow, PlaceKind, RunRow, SnapshotRow

if TYPE_CHECKING:
    import duckdb

Columns = dict[str, Any]  # name -> numpy array, masked where values are missing
Measure = Literal["goroutines", "heap_live", "heap_alloc", "heap_sys", "rss", "limit_bytes", "cpu_seconds", "work"]
_TRIES = 20  # a writer replaces a part now and then, never so often
_EVER = 1 << 62
_RUNNING = 15 * 60 * 1_000_000  # a run that was not seen for so long before the newest snapshot has ended
_STACK = 2048  # bytes: no goroutine has less
_SLOPE = "regr_sxy(value, hours) AS sxy, regr_sxx(value, hours) AS sxx"


class Reader:
    def __init__(self, directory: Path, threads: int = 2) -> None:
        self.directory = directory
        self._threads = threads
        self.problems: tuple[Text, ...] = ()
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._registered: set[str] = set()
        self._load()

    def _load(self) -> None:
        """Read the manifest and the log behind it, both of one instant."""
        frames: list[log.Frame] | None = None
        for _ in range(_TRIES):
            manifest, problems = manifest_of(self.directory)
            if manifest is None:
                raise StoreError(problems[0] if problems else Text("store.none", {"path": str(self.directory)}))
            for text in problems:
                self._tell(text)
            self.manifest = manifest
            try:
                frames = self._tail(manifest)
            except FileNotFoundError:
                continue  # the writer has turned the log into parts since
            break
        if frames is None:
            self._tell(Text("store.no-log", {"path": str(log.path_of(self.directory, self.manifest.log))}))
        self._frames = frames or []
        self._tables = log.columns_of(self._frames, self.manifest.batches)
        if self._connection is not None:
            self._register(self._connection)

    def _tail(self, manifest: Manifest) -> list[log.Frame]:
        numbers = [one for one in log.numbers(self.directory) if one > manifest.log]
        segments = [log.read_segment(log.path_of(self.directory, one)) for one in (manifest.log, *numbers)]
        return [frame for segment in segments for frame in segment.frames]

    def _tell(self, text: Text) -> None:
        if text not in self.problems:
            self.problems = (*self.problems, text)

    refresh = _load

    @property
    def batches(self) -> int:
        return self.manifest.batches + len(self._frames)

    def _connected(self) -> "duckdb.DuckDBPyConnection":
        if self._connection is None:
            self._connection = engine.connect(self.directory, self._threads)
            self._register(self._connection)
        return self._connection

    def _register(self, connection: "duckdb.DuckDBPyConnection") -> None:
        """Have the log's rows as tables in place of those of before; what is known of parts stays."""
        for name in self._registered - self._tables.keys():
            connection.unregister(f"log_{name}")
        for name, columns in self._tables.items():
            if name in TABLES:
                connection.register(f"log_{name}", engine.numpy_columns(TABLES[name], columns))
        self._registered = self._tables.keys() & TABLES.keys()

    def query(
        self, sql: str, tables: Sequence[str], start: int = -_EVER, end: int = _EVER, service: str | None = None
    ) -> Columns:
        """Return what SQL over these tables gives; only parts with times in [start, end] are looked at.

        With `service` the tables have its rows alone, of which all others need not be unpacked.
        """
        error: Exception | None = None
        for _ in range(_TRIES):
            connection = self._connected()
            import duckdb

            views = [f"{name} AS ({self._rows(name, start, end, service)})" for name in tables]
            try:
                return connection.execute(f"WITH {', '.join(views)} {sql}").fetchnumpy()
            except (duckdb.IOException, duckdb.InvalidInputException) as failed:
                error = failed
            before = self.manifest.generation
            self._load()
            if self.manifest.generation == before:
                self._leave_out()
        raise StoreError(Text("store.failed", {"path": str(self.directory), "error": str(error)}))

    def _leave_out(self) -> None:
        """Leave out what the manifest names and is not there whole."""
        whole: list[Part] = []
        for part in self.manifest.parts:
            try:
                sound = engine.crc_of(self.directory / part.file) == (part.bytes, part.crc)
            except OSError:
                sound = False
            if sound:
                whole.append(part)
            else:
                self._tell(Text("store.no-part", {"file": part.file, "rows": part.rows, "table": part.table}))
        self.manifest = msgspec.structs.replace(self.manifest, parts=tuple(whole))

    def _rows(self, name: str, start: int, end: int, service: str | None) -> str:
        """Return SQL for the rows of a table, of parts and of the log."""
        table = TABLES[name]
        parts = [one.file for one in self.manifest.parts if one.table == name and one.low <= end and one.high >= start]
        columns = ", ".join(table.stored)
        chosen: list[str] = []
        if parts:
            chosen.append(engine.part_rows(table, engine.path_list(self.directory, parts)))
        if name in self._tables:
            chosen.append(f"SELECT {columns} FROM ({engine.raw_rows(table, f'log_{name}')})")
        if not chosen:
            return engine.no_rows(table)
        where = f"{_of(service)} AND {table.time} BETWEEN {start} AND {end}"
        rows = f"SELECT * FROM ({' UNION ALL '.join(chosen)}) {where}"
        if name != "snapshots":
            return f"{rows} {engine.once(table)}"
        # Of older ones the bytes are gone.
        kept = f"CASE WHEN time >= {self.manifest.captures_from} THEN captures ELSE [] END"
        # Parts that were found without their manifest may say the same in two levels.
        few = service is not None or self.problems
        once = f"{rows} {engine.once(table)}" if few else engine.snapshots_once(rows)
        return f"SELECT * REPLACE ({kept} AS captures) FROM ({once})"

    def _structs(self, name: str, found: Columns) -> list[Any]:
        """Return columns as the rows that were written."""
        table = TABLES[name]
        values = [_values(found[column], sql == "VARCHAR[]") for column, sql in table.columns.items()]
        names = table.fields.values()
        return [table.row(**dict(zip(names, one, strict=True))) for one in zip(*values, strict=True)]

    # What is asked.

    def services(self) -> Columns:
        """Return the services: when each was first and last seen, its runs, and what those that run now have in all."""
        # A look need not bring everything: what a run has is what it had when that was last seen.
        sql = f"""SELECT service, min(since) AS first_seen, max(until) AS last_seen, count(*) AS runs,
            count(*) FILTER (now) AS running, CAST(sum(snapshots) AS BIGINT) AS snapshots,
            CAST(sum(goroutines) FILTER (now) AS BIGINT) AS goroutines,
            CAST(sum(heap_live) FILTER (now) AS BIGINT) AS heap_live, CAST(sum(rss) FILTER (now) AS BIGINT) AS rss,
            min(limit_bytes) FILTER (now) AS limit_bytes
            FROM (SELECT *, until > max(until) OVER (PARTITION BY service) - {_RUNNING} AS now FROM (
                SELECT service, run, min(time) AS since, max(time) AS until, sum(stands_for) AS snapshots,
                    arg_max(goroutines, time) AS goroutines, arg_max(heap_live, time) AS heap_live,
                    arg_max(rss, time) AS rss, arg_max(limit_bytes, time) AS limit_bytes
                FROM snapshots GROUP BY service, run))
            GROUP BY service ORDER BY service"""
        return self.query(sql, ["snapshots"])

    def growth(self, service: str, start: int = -_EVER, end: int = _EVER) -> Columns:
        """Return how each place of a service grew, most first: least squares within each run, pooled over the runs.

        Its value is what the runs that run now have in all.
        """
        # A list for each place: a window over the same rows takes longer than reading them.
        sql = f"""SELECT place, kind, state, function, file, line, per_hour, CAST(list_sum(
                [one.newest for one in had if one.until > until - {_RUNNING}]) AS BIGINT) AS value,
                runs, points, since, until FROM (
            SELECT place, kind, state, arg_max(function, until) AS function, arg_max(file, until) AS file,
                arg_max(line, until) AS line, sum(sxy) / nullif(sum(sxx), 0) AS per_hour,
                list({{'until': until, 'newest': newest}}) AS had, count(*) AS runs,
                CAST(sum(points) AS BIGINT) AS points, min(since) AS since, max(until) AS until FROM (
                SELECT place, kind, state, run, any_value(function) AS function, any_value(file) AS file,
                    max(line) AS line, {_SLOPE}, arg_max(value, time) AS newest, count(*) AS points,
                    min(time) AS since, max(time) AS until
                FROM (SELECT *, CASE kind WHEN 'goroutines' THEN count ELSE live_bytes END AS value,
                    time / {HOUR}.0 AS hours FROM places {_of(service)}) WHERE value IS NOT NULL
                GROUP BY place, kind, state, run)
            GROUP BY place, kind, state)
            ORDER BY per_hour DESC NULLS LAST, place, state"""
        return self.query(sql, ["places"], start, end, service)

    def top(self, most: int = 10, start: int | None = None, end: int = _EVER) -> Columns:
        """Return the services that grow most, by what they hold on to: heap, and the least stack of each goroutine.

        Without `start` the last day of the store is looked at.
        """
        if start is None:
            start = min(end, self._ends("snapshots")[1]) - DAY
        sql = f"""SELECT service, count(*) AS runs, sum(bytes_xy) / nullif(sum(bytes_xx), 0) AS bytes_per_hour,
            sum(sxy) / nullif(sum(sxx), 0) AS goroutines_per_hour, arg_max(goroutines, until) AS goroutines,
            arg_max(heap_live, until) AS heap_live
            FROM (SELECT service, run, {_SLOPE}, regr_sxy(heap_live, hours) AS bytes_xy,
                regr_sxx(heap_live, hours) AS bytes_xx, arg_max(goroutines, time) AS goroutines,
                arg_max(heap_live, time) AS heap_live, max(time) AS until
                FROM (SELECT *, goroutines AS value, time / {HOUR}.0 AS hours FROM snapshots) GROUP BY service, run)
            GROUP BY service
            ORDER BY coalesce(bytes_per_hour, 0) + {_STACK} * coalesce(goroutines_per_hour, 0) DESC, service
            LIMIT {most}"""
        return self.query(sql, ["snapshots"], start, end)

    def runs(self, service: str | None = None) -> list[RunRow]:
        """Return the runs of a service, oldest first."""
        sql = f"""SELECT * FROM runs {_of(service)} ORDER BY service, coalesce(started_at, first_seen), run"""
        return self._structs("runs", self.query(sql, ["runs"], service=service))

    def newest_runs(self) -> list[RunRow]:
        """Return the run of each service that was started last."""
        sql = """SELECT * FROM runs QUALIFY row_number() OVER
            (PARTITION BY service ORDER BY coalesce(started_at, first_seen) DESC, run) = 1 ORDER BY service"""
        return self._structs("runs", self.query(sql, ["runs"]))

    def snapshots(self, service: str, start: int = -_EVER, end: int = _EVER) -> list[SnapshotRow]:
        sql = f"SELECT * FROM snapshots {_of(service)} ORDER BY time, run"
        return self._structs("snapshots", self.query(sql, ["snapshots"], start, end, service))

    def nearest(self, service: str, at: int | None = None, kept: bool = False) -> SnapshotRow | None:
        """Return the snapshot nearest to a time (None: the newest); `kept`: of those of which bytes are kept."""
        near = "time DESC" if at is None else f"abs(time - {at}), time DESC"
        more = "AND len(captures) > 0" if kept else ""
        sql = f"SELECT * FROM snapshots {_of(service)} {more} ORDER BY {near}, run LIMIT 1"
        found: list[SnapshotRow] = self._structs("snapshots", self.query(sql, ["snapshots"], service=service))
        return found[0] if found else None

    def kept_snapshots(self, service: str, most: int, run: str | None = None) -> list[SnapshotRow]:
        """Return the newest snapshots of which bytes are kept, newest first."""
        more = f"AND run = {engine.quoted(run)}" if run is not None else ""
        sql = f"""SELECT * FROM snapshots {_of(service)} {more} AND len(captures) > 0
            ORDER BY time DESC, run LIMIT {most}"""
        return self._structs("snapshots", self.query(sql, ["snapshots"], service=service))

    def captured(self, service: str) -> set[str]:
        """Return the digests of all captures that are kept of a service."""
        sql = f"SELECT DISTINCT unnest(captures) AS digest FROM snapshots {_of(service)}"
        return set(self.query(sql, ["snapshots"], service=service)["digest"].tolist())

    def series(
        self, service: str, measure: Measure, start: int = -_EVER, end: int = _EVER, run: str | None = None
    ) -> tuple[Any, Any]:
        """Return times and values of one measure, oldest first."""
        if measure not in Measure.__args__:  # type: ignore[attr-defined]  # a Literal has them
            raise ValueError(measure)
        more = f"AND run = {engine.quoted(run)}" if run is not None else ""
        sql = f"""SELECT time, CAST({measure} AS DOUBLE) AS value FROM snapshots
            {_of(service)} {more} AND {measure} IS NOT NULL ORDER BY time"""
        found = self.query(sql, ["snapshots"], start, end, service)
        return np.asarray(found["time"]), np.asarray(found["value"])

    def spread(self, service: str, measure: Measure, start: int, most: int) -> list[float | None]:
        """Return a measure of a service since `start` at so many times, evenly spread: what its runs have in all."""
        sql = f"""SELECT slot, sum(value) AS value FROM (
                SELECT run, arg_max({measure}, time) AS value,
                    CAST(floor((time - first) * {most} / (last - first + 1)) AS BIGINT) AS slot
                FROM (SELECT * FROM snapshots {_of(service)} AND {measure} IS NOT NULL), (
                    SELECT min(time) AS first, max(time) AS last FROM snapshots {_of(service)}
                    AND {measure} IS NOT NULL)
                GROUP BY run, slot)
            GROUP BY slot"""
        found = self.query(sql, ["snapshots"], start, service=service)
        values = {int(slot): float(value) for slot, value in zip(found["slot"], found["value"], strict=True)}
        return [values.get(slot) for slot in range(most)]

    def spreads(self, start: int, most: int) -> Columns:
        """Return goroutines and live heap of every service since `start` at so many times: service, slot, values.

        The times are evenly spread over those that a service was seen in. A value is what its runs have in all, each
        what it had when it was looked at last; one that was not seen again has ended.
        """
        seen = self.query(
            "SELECT service, min(time) AS low, max(time) AS high FROM snapshots GROUP BY service", ["snapshots"], start
        )
        if not len(seen["service"]):
            return {name: np.array([]) for name in ("service", "slot", "goroutines", "heap_live")}
        bounds = ", ".join(f"({engine.quoted(one[0])}, {one[1]}, {one[2]})" for one in zip(*seen.values(), strict=True))
        sql = f"""SELECT service, slot, CAST(sum(goroutines) AS DOUBLE) AS goroutines,
                CAST(sum(heap_live) AS DOUBLE) AS heap_live FROM (
                SELECT service, goroutines, heap_live, unnest(range(slot, coalesce(
                    lead(slot) OVER (PARTITION BY service, run ORDER BY slot),
                    CASE WHEN until > high - {_RUNNING} THEN {most} ELSE slot + 1 END))) AS slot
                FROM (SELECT service, run, high, max(time) AS until, arg_max(goroutines, time) AS goroutines,
                        arg_max(heap_live, time) AS heap_live, (time - low) * {most} // (high - low + 1) AS slot
                    FROM snapshots JOIN (VALUES {bounds}) AS bounds(service, low, high) USING (service)
                    GROUP BY service, run, high, slot))
            GROUP BY service, slot"""
        return self.query(sql, ["snapshots"], start)

    def _ends(self, name: str) -> tuple[int, int]:
        """Return the first and the last time that a table has."""
        logged = [int(at) for at in self._tables.get(name, {}).get(TABLES[name].time, ())]
        parts = [one for one in self.manifest.parts if one.table == name]
        low = min([*logged, *(one.low for one in parts)], default=0)
        return low, max([*logged, *(one.high for one in parts)], default=0)

    def last(self) -> int:
        """Return the time of the newest snapshot; 0 where there is none."""
        return self._ends("snapshots")[1]

    def told(self, kind: str) -> dict[str, str]:
        """Return of each service the arguments (JSON) of its newest event of a kind."""
        sql = f"""SELECT service, arg_max(args, time) AS args FROM events WHERE kind = {engine.quoted(kind)}
            GROUP BY service"""
        found = self.query(sql, ["events"])
        return dict(zip(found["service"].tolist(), found["args"].tolist(), strict=True))

    def builds(self) -> dict[str, str]:
        """Return the version that each service runs, as far as it is told."""
        sql = """SELECT service, arg_max(version, coalesce(started_at, first_seen)) AS version FROM runs
            WHERE version != '' GROUP BY service"""
        found = self.query(sql, ["runs"])
        return dict(zip(found["service"].tolist(), found["version"].tolist(), strict=True))

    def incidents(self, service: str | None = None, states: Sequence[str] | None = None) -> list[IncidentRow]:
        """Return the incidents as they stand, newest first."""
        chosen = f"AND state IN ({', '.join(map(engine.quoted, states))})" if states else ""
        sql = f"SELECT * FROM incidents {_of(service)} {chosen} ORDER BY opened_at DESC, incident"
        return self._structs("incidents", self.query(sql, ["incidents"], service=service))

    def events(self, service: str | None = None, start: int = -_EVER, end: int = _EVER) -> list[EventRow]:
        sql = f"SELECT * FROM events {_of(service)} ORDER BY time, kind"
        return self._structs("events", self.query(sql, ["events"], start, end, service))

    def findings(self, service: str | None = None, start: int = -_EVER, end: int = _EVER) -> list[FindingRow]:
        sql = f"SELECT * FROM findings {_of(service)} ORDER BY time, finding"
        return self._structs("findings", self.query(sql, ["findings"], start, end, service))

    def captures(self, service: str, at: int | None = None) -> list[Kept]:
        """Return the captures of the snapshot nearest to a time (None: the newest) of which bytes are kept."""
        near = "time DESC" if at is None else f"abs(time - {at}), time DESC"
        sql = f"""SELECT captures FROM snapshots {_of(service)} AND len(captures) > 0 ORDER BY {near} LIMIT 1"""
        found = self.query(sql, ["snapshots"], service=service)["captures"]
        return [captures.read(self.directory, digest) for digest in found[0]] if len(found) else []

    def places(self, service: str, start: int = -_EVER, end: int = _EVER, kind: PlaceKind = "goroutines") -> Columns:
        """Return how many goroutines, or live bytes, each place has at each time: place, function, time, value."""
        value = "count" if kind == "goroutines" else "live_bytes"
        sql = f"""SELECT place, function, file, line, state, run, time, {value} AS value FROM places
            {_of(service)} AND kind = '{kind}' ORDER BY place, state, run, time"""
        return self.query(sql, ["places"], start, end, service)

    def courses(self, service: str, start: int, end: int, most: int) -> Columns:
        """Return what each run of a service had, at most at so many times: run, slot, time, newest values."""
        measures = ("goroutines", "heap_live", "rss", "limit_bytes", "work")
        newest = ", ".join(f"arg_max({name}, time) AS {name}" for name in measures)
        sql = f"""SELECT run, {_slot(start, end, most)} AS slot, max(time) AS time, {newest} FROM snapshots
            GROUP BY run, slot ORDER BY time, run"""
        return self.query(sql, ["snapshots"], start, end, service)

    def place_courses(self, service: str, start: int, end: int, most: int) -> Columns:
        """Return how many goroutines, or live bytes, each place of each run had, at most at so many times."""
        sql = f"""SELECT kind, place, state, run, {_slot(start, end, most)} AS slot, max(time) AS time,
                arg_max(CASE kind WHEN 'goroutines' THEN count ELSE live_bytes END, time) AS value,
                any_value(function) AS function, any_value(file) AS file, max(line) AS line
            FROM places GROUP BY kind, place, state, run, slot ORDER BY time, place, state, run"""
        return self.query(sql, ["places"], start, end, service)

    def looks(
        self, service: str, start: int, end: int, most: int, before: tuple[str, int] | None = None
    ) -> list[SnapshotRow]:
        """Return so many snapshots of a service, newest first; `before`: those behind this one, of a run at a time."""
        rest = (
            f"WHERE time < {before[1]} OR (time = {before[1]} AND run > {engine.quoted(before[0])})" if before else ""
        )
        sql = f"SELECT * FROM snapshots {rest} ORDER BY time DESC, run LIMIT {most}"
        return self._structs("snapshots", self.query(sql, ["snapshots"], start, end, service))

    def look(self, service: str, run: str, at: int) -> SnapshotRow | None:
        """Return one snapshot."""
        sql = f"SELECT * FROM snapshots WHERE run = {engine.quoted(run)}"
        found = self._structs("snapshots", self.query(sql, ["snapshots"], at, at, service))
        return found[0] if found else None

    def places_at(self, service: str, run: str, at: int, kind: str) -> dict[tuple[str, str], dict[str, Any]]:
        """Return the places of one snapshot by their key and state."""
        value = "count" if kind == "goroutines" else "live_bytes"
        sql = f"""SELECT place, state, function, file, line, {value} AS value FROM places
            WHERE run = {engine.quoted(run)} AND kind = {engine.quoted(kind)}"""
        found = self.query(sql, ["places"], at, at, service)
        rows = zip(*(column.tolist() for column in found.values()), strict=True)
        return {row[:2]: dict(zip(found, row, strict=True)) for row in rows}

    def cited(self) -> set[str]:
        """Return the digests of everything that a row cites and that is kept for it."""
        since = self.manifest.captures_from
        found: set[str] = set()
        for name, sql in (
            ("snapshots", "SELECT DISTINCT unnest(captures) AS digest FROM snapshots"),
            ("findings", f"SELECT DISTINCT document AS digest FROM findings WHERE time >= {since}"),
            ("events", f"SELECT DISTINCT args->>'document' AS digest FROM events WHERE time >= {since}"),
            ("incidents", "SELECT DISTINCT page AS digest FROM incidents"),
        ):
            found |= {str(digest) for digest in self.query(sql, [name])["digest"].tolist() if digest}
        return found

    def citing(self, document: str) -> list[tuple[str, str, int]]:
        """Return service, incident and time of what cites a diagnosis, newest first."""
        told = engine.quoted(document)
        sql = f"""SELECT DISTINCT service, incident, time FROM (
                SELECT service, incident, time FROM findings WHERE document = {told}
                UNION ALL SELECT service, '' AS incident, time FROM events WHERE args->>'document' = {told})
            ORDER BY time DESC, service, incident DESC"""
        found = self.query(sql, ["findings", "events"])
        return list(zip(found["service"].tolist(), found["incident"].tolist(), found["time"].tolist(), strict=True))

    def capture_times(self, last: int) -> Any:
        """Return the times before `last` of snapshots, findings and events whose bytes are kept, oldest first."""
        sql = f"""SELECT time FROM (SELECT time FROM snapshots WHERE len(captures) > 0
            UNION ALL SELECT time FROM findings WHERE document != '')
            WHERE time >= {self.manifest.captures_from} AND time < {last} ORDER BY time"""
        return self.query(sql, ["snapshots", "findings"])["time"]

    def document(self, digest: str) -> bytes:
        return captures.read(self.directory, digest).data

    def state(self, name: str) -> bytes | None:
        found: Mapping[str, bytes] = self.manifest.state
        for frame in self._frames:
            found = {**found, **frame.state} if frame.state else found
        return found.get(name)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def __enter__(self) -> "Reader":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _slot(start: int, end: int, most: int) -> str:
    """Return SQL for which of so many equal parts of a window a time is in."""
    return f"(time - {start}) * {most} // {end - start + 1}"


def _of(service: str | None) -> str:
    return "WHERE true" if service is None else f"WHERE service = {engine.quoted(service)}"


def _values(column: Any, lists: bool) -> list[Any]:
    """Return a column as values of Python; what is masked is None."""
    if lists:
        return [tuple(str(word) for word in words) if words is not None else () for words in column]
    return [None if value is None else value for value in column.tolist()]

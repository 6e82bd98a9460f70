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
from oakum.store.manifest import Manifest, Part, read_manifest
from oakum.store.rows import TABLES, EventRow, FindingRow, IncidentRow, PlaceKind, RunRow, SnapshotRow

if TYPE_CHECKING:
    import duckdb

Columns = dict[str, Any]  # name -> numpy array, masked where values are missing
Measure = Literal["goroutines", "heap_live", "heap_alloc", "heap_sys", "rss", "limit_bytes", "cpu_seconds", "work"]
_TRIES = 20  # a writer replaces a part now and then, never so often
_EVER = 1 << 62


class Reader:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.problems: tuple[Text, ...] = ()
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._load()

    def _load(self) -> None:
        """Read the manifest and the log behind it, both of one instant."""
        frames: list[log.Frame] | None = None
        for _ in range(_TRIES):
            manifest = read_manifest(self.directory)
            if manifest is None:
                raise StoreError(Text("store.none", {"path": str(self.directory)}))
            self.manifest = manifest
            try:
                frames = self._tail(manifest)
            except FileNotFoundError:
                continue  # the writer has turned the log into parts since
            break
        if frames is None:
            self._tell(Text("store.no-log", {"path": str(log.path_of(self.directory, self.manifest.log))}))
        self._frames = frames or []
        self._tables = log.columns_of(self._frames)
        if self._connection is not None:
            self._connection.close()
            self._connection = None

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
            self._connection = engine.connect(self.directory)
            for name, columns in self._tables.items():
                if name in TABLES:
                    self._connection.register(f"log_{name}", engine.numpy_columns(TABLES[name], columns))
        return self._connection

    def query(self, sql: str, tables: Sequence[str], start: int = -_EVER, end: int = _EVER) -> Columns:
        """Return what SQL over these tables gives; only parts with times in [start, end] are looked at."""
        error: Exception | None = None
        for _ in range(_TRIES):
            connection = self._connected()
            import duckdb

            views = [f"{name} AS ({self._rows(name, start, end)})" for name in tables]
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

    def _rows(self, name: str, start: int, end: int) -> str:
        """Return SQL for the rows of a table, of parts and of the log."""
        table = TABLES[name]
        parts = [one.file for one in self.manifest.parts if one.table == name and one.low <= end and one.high >= start]
        columns = ", ".join(table.stored)
        chosen: list[str] = []
        if parts:
            chosen.append(f"SELECT {columns} FROM read_parquet({engine.path_list(self.directory, parts)})")
        if name in self._tables:
            chosen.append(f"SELECT {columns} FROM ({engine.raw_rows(table, f'log_{name}')})")
        if not chosen:
            nothing = ", ".join(f"CAST(NULL AS {sql}) AS {column}" for column, sql in table.stored.items())
            return f"SELECT {nothing} WHERE false"
        rows = " UNION ALL ".join(chosen)
        return f"SELECT * FROM ({rows}) WHERE {table.time} BETWEEN {start} AND {end}"

    def _structs(self, name: str, found: Columns) -> list[Any]:
        """Return columns as the rows that were written."""
        table = TABLES[name]
        values = [_values(found[column], sql == "VARCHAR[]") for column, sql in table.columns.items()]
        names = table.fields.values()
        return [table.row(**dict(zip(names, one, strict=True))) for one in zip(*values, strict=True)]

    # What is asked.

    def runs(self, service: str | None = None) -> list[RunRow]:
        """Return the runs of a service, oldest first."""
        sql = f"""SELECT * FROM runs {_of(service)}
            QUALIFY row_number() OVER (PARTITION BY run ORDER BY started_at IS NULL, first_seen DESC) = 1
            ORDER BY service, coalesce(started_at, first_seen), run"""
        return self._structs("runs", self.query(sql, ["runs"]))

    def snapshots(self, service: str, start: int = -_EVER, end: int = _EVER) -> list[SnapshotRow]:
        sql = f"SELECT * FROM snapshots {_of(service)} ORDER BY time, run"
        return self._structs("snapshots", self.query(sql, ["snapshots"], start, end))

    def series(
        self, service: str, measure: Measure, start: int = -_EVER, end: int = _EVER, run: str | None = None
    ) -> tuple[Any, Any]:
        """Return times and values of one measure, oldest first."""
        if measure not in Measure.__args__:  # type: ignore[attr-defined]  # a Literal has them
            raise ValueError(measure)
        more = f"AND run = {engine.quoted(run)}" if run is not None else ""
        sql = f"""SELECT time, CAST({measure} AS DOUBLE) AS value FROM snapshots
            {_of(service)} {more} AND {measure} IS NOT NULL ORDER BY time"""
        found = self.query(sql, ["snapshots"], start, end)
        return np.asarray(found["time"]), np.asarray(found["value"])

    def incidents(self, service: str | None = None, states: Sequence[str] | None = None) -> list[IncidentRow]:
        """Return the incidents as they stand, newest first."""
        chosen = f"WHERE state IN ({', '.join(map(engine.quoted, states))})" if states else ""
        sql = f"""SELECT * FROM (SELECT * FROM incidents {_of(service)}
            QUALIFY row_number() OVER (PARTITION BY incident ORDER BY revision DESC, updated_at DESC) = 1)
            {chosen} ORDER BY opened_at DESC, incident"""
        return self._structs("incidents", self.query(sql, ["incidents"]))

    def events(self, service: str | None = None, start: int = -_EVER, end: int = _EVER) -> list[EventRow]:
        sql = f"SELECT * FROM events {_of(service)} ORDER BY time, kind"
        return self._structs("events", self.query(sql, ["events"], start, end))

    def findings(self, service: str | None = None, start: int = -_EVER, end: int = _EVER) -> list[FindingRow]:
        sql = f"SELECT * FROM findings {_of(service)} ORDER BY time, finding"
        return self._structs("findings", self.query(sql, ["findings"], start, end))

    def captures(self, service: str, at: int | None = None) -> list[Kept]:
        """Return the captures of the snapshot nearest to a time (None: the newest) of which bytes are kept."""
        near = "time DESC" if at is None else f"abs(time - {at}), time DESC"
        sql = f"""SELECT captures FROM snapshots {_of(service)} AND len(captures) > 0
            AND time >= {self.manifest.captures_from} ORDER BY {near} LIMIT 1"""
        found = self.query(sql, ["snapshots"])["captures"]
        return [captures.read(self.directory, digest) for digest in found[0]] if len(found) else []

    def places(self, service: str, start: int = -_EVER, end: int = _EVER, kind: PlaceKind = "goroutines") -> Columns:
        """Return how many goroutines, or live bytes, each place has at each time: place, function, time, value."""
        value = "count" if kind == "goroutines" else "live_bytes"
        sql = f"""SELECT place, function, file, line, state, run, time, {value} AS value FROM places
            {_of(service)} AND kind = '{kind}' ORDER BY place, state, run, time"""
        return self.query(sql, ["places"], start, end)

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


def _of(service: str | None) -> str:
    return "WHERE true" if service is None else f"WHERE service = {engine.quoted(service)}"


def _values(column: Any, lists: bool) -> list[Any]:
    """Return a column as values of Python; what is masked is None."""
    if lists:
        return [tuple(str(word) for word in words) if words is not None else () for words in column]
    return [None if value is None else value for value in column.tolist()]

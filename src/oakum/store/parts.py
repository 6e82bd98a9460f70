"""Rows of a log -> Parquet parts, one per table and window of time, sorted so that a service lies together."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from oakum.store import engine
from oakum.store.manifest import DAY, HOUR, Level, Part
from oakum.store.rows import TABLES, Table

if TYPE_CHECKING:
    import duckdb

_WINDOWS: Mapping[Level, int] = {"raw": HOUR, "hour": DAY, "day": 32 * DAY}
_SMALL = 32 * DAY  # of tables that are never made coarser: they are small
_LAST = 253_402_300_800_000_000  # the year 10000, which no datetime has


def window_length(table: Table, level: Level) -> int:
    return _WINDOWS[level] if table.key else _SMALL


def parts_of_log(
    connection: "duckdb.DuckDBPyConnection",
    directory: Path,
    tables: Mapping[str, Mapping[str, Sequence[Any]]],
    number: int,
) -> list[Part]:
    """Write the rows of the log; parts are numbered from `number` on."""
    parts: list[Part] = []
    for name, columns in tables.items():
        table = TABLES[name]
        arrays = engine.numpy_columns(table, columns)
        times = arrays[table.time]
        length = window_length(table, "raw")
        windows = times // length * length
        for window in np.unique(windows).tolist():
            at = np.flatnonzero(windows == window)
            connection.register("appended", {column: values[at] for column, values in arrays.items()})
            rows = engine.raw_rows(table, "appended")
            bounds = (int(times[at].min()), int(times[at].max()))
            parts.append(write_part(connection, directory, table, "raw", window, number + len(parts), rows, bounds))
            connection.unregister("appended")
    return parts


def write_part(
    connection: "duckdb.DuckDBPyConnection",
    directory: Path,
    table: Table,
    level: Level,
    window: int,
    number: int,
    rows: str,
    bounds: tuple[int, int],
) -> Part:
    """Write the rows of a query as one part, in the order of its table."""
    file = f"parts/{table.name}/{level}-{_stamp(window)}-{number:08d}.parquet"
    path = directory / file
    path.parent.mkdir(parents=True, exist_ok=True)
    count, size, crc = engine.write_parquet(connection, f"{rows} ORDER BY {', '.join(table.order)}", path)
    return Part(
        file=file,
        table=table.name,
        level=level,
        window=window,
        rows=count,
        bytes=size,
        low=bounds[0],
        high=bounds[1],
        crc=crc,
    )


def is_whole(directory: Path, part: Part) -> bool:
    """Tell whether a part is there as it was written."""
    try:
        return engine.crc_of(directory / part.file) == (part.bytes, part.crc)
    except OSError:
        return False


def _stamp(window: int) -> str:
    """Return a window as people read it; a clock that was far off gives a number."""
    if 0 <= window < _LAST:
        return datetime.fromtimestamp(window / 1e6, UTC).strftime("%Y%m%dT%H")
    return f"at{window}"

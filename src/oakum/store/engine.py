"""DuckDB over the files of one store: rows -> Parquet parts, and SQL over parts and the log's rows.

It reads and writes below the store only: no extension is loaded, nothing is downloaded, memory and threads are bounded.
Without the extra `oakum[store]` it is refused with the command that installs it.
"""

import errno
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

import numpy as np

from oakum.model import StoreError, Text
from oakum.store import files
from oakum.store.rows import WRITTEN, Table

if TYPE_CHECKING:
    import duckdb

_MEMORY = "256MB"
_WRITER_MEMORY = "96MB"  # a watcher has 300 MB in all for a hundred targets; what does not fit goes to the disk
SPILLED = f"{files.TEMPORARY}spilled"
_ROW_GROUP = 8192  # a service has a few thousand rows in a part: its groups are found by their statistics
Columns = Mapping[str, Sequence[Any]]


def connect(directory: Path, threads: int = 2, spill: bool = False) -> "duckdb.DuckDBPyConnection":
    """Return a connection of its own; with `spill` what does not fit in memory goes to a file below the store."""
    try:
        import duckdb
    except ImportError as error:
        raise StoreError(Text("store.no-duckdb")) from error
    connection = duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
            "memory_limit": _WRITER_MEMORY if spill else _MEMORY,
            "threads": str(threads),
            "temp_directory": str(directory.resolve() / SPILLED) if spill else "",
            "preserve_insertion_order": "false",
        },
    )
    connection.execute(f"SET allowed_directories=[{quoted(str(directory.resolve()) + '/')}]")
    connection.execute("SET enable_external_access=false")
    connection.execute(
        "SET parquet_metadata_cache=true"
    )  # the second question about a service takes a third of the time
    connection.execute("SET lock_configuration=true")
    return connection


@contextmanager
def connected(directory: Path) -> "Iterator[duckdb.DuckDBPyConnection]":
    """Give a writer a connection for one piece of work; its memory is free again afterwards."""
    connection = connect(directory, threads=1, spill=True)
    try:
        yield connection
    except Exception as error:
        import duckdb

        if isinstance(error, duckdb.Error):
            # DuckDB says of a full disk that it could not write; the system says why.
            reason = errno.ENOSPC if "No space left" in str(error) else errno.EIO
            raise OSError(reason, str(error).partition("\n")[0]) from error
        raise
    finally:
        connection.close()
        rmtree(directory / SPILLED, ignore_errors=True)


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def path_list(directory: Path, names: Sequence[str]) -> str:
    """Return the files as SQL has them; characters that a pattern would have are taken as they are."""
    root = directory.resolve()
    return "[" + ", ".join(quoted(str(root / name)) for name in names) + "]"


def numpy_columns(table: Table, columns: Columns) -> dict[str, Any]:
    """Return the values of a table as arrays that DuckDB reads; lists of words are joined, and parted in SQL."""
    arrays: dict[str, Any] = {}
    for name, sql in table.stored.items():
        if name not in columns:  # of parts only
            continue
        values = columns[name]
        if sql == "VARCHAR":
            arrays[name] = _objects(values)
        elif sql == "VARCHAR[]":
            arrays[name] = _objects(["\x1f".join(words) for words in values])
        else:
            missing = np.fromiter((value is None for value in values), bool, len(values))
            kind = np.int64 if sql == "BIGINT" else np.float64
            filled = np.fromiter((0 if value is None else value for value in values), kind, len(values))
            arrays[name] = np.ma.array(filled, mask=missing) if missing.any() else filled
    return arrays


def _objects(values: Sequence[Any]) -> Any:
    arrays = np.empty(len(values), object)
    arrays[:] = values
    return arrays


def raw_rows(table: Table, name: str) -> str:
    """Return SQL for the rows of a registered table of arrays, with the columns that a part has."""
    told = [
        f"CASE {column} WHEN '' THEN CAST([] AS VARCHAR[]) ELSE string_split({column}, chr(31)) END AS {column}"
        if sql == "VARCHAR[]"
        else f"CAST({column} AS {sql}) AS {column}"
        for column, sql in table.stored.items()
        if column in table.columns or column == WRITTEN
    ]
    extra = [f"CAST(NULL AS {sql}) AS {column}" for column, sql in table.extremes.items()]
    rows = f"SELECT {', '.join([*told, *extra])}, 'raw' AS level, CAST(1 AS BIGINT) AS stands_for FROM {name}"
    return f"SELECT {', '.join(table.stored)} FROM ({rows})"


def part_rows(table: Table, paths: str) -> str:
    """Return SQL for the rows of parts; columns that came later are empty in older parts."""
    columns = ", ".join(table.stored)
    if not table.added:
        return f"SELECT {columns} FROM read_parquet({paths})"
    every = f"SELECT * FROM read_parquet({paths}, union_by_name=true) UNION ALL BY NAME {no_rows(table)}"
    nothing = {"VARCHAR": "''", "VARCHAR[]": "[]"}
    filled = ", ".join(
        f"coalesce({name}, {nothing[table.stored[name]]}) AS {name}"
        for name in table.added
        if table.stored[name] in nothing
    )
    return f"SELECT {columns} FROM (SELECT * {f'REPLACE ({filled})' if filled else ''} FROM ({every}))"


def no_rows(table: Table) -> str:
    nothing = ", ".join(f"CAST(NULL AS {sql}) AS {column}" for column, sql in table.stored.items())
    return f"SELECT {nothing} WHERE false"


def once(table: Table) -> str:
    """Return what leaves one row of those that say the same again: a snapshot is written anew when bytes are kept."""
    if table.name == "snapshots":
        return "QUALIFY row_number() OVER (PARTITION BY run, time ORDER BY len(captures) DESC, stands_for DESC) = 1"
    if table.newest:
        return f"QUALIFY row_number() OVER (PARTITION BY {table.newest} ORDER BY {WRITTEN} DESC) = 1"
    return ""


def snapshots_once(rows: str) -> str:
    """Return snapshots each once, as `once` does, without holding all of them in memory: of two one has captures."""
    best = "QUALIFY row_number() OVER (PARTITION BY run, time ORDER BY len(captures) DESC, stands_for DESC) = 1"
    citing = f"SELECT * FROM ({rows}) WHERE len(captures) > 0"
    again = f"SELECT 1 FROM ({citing}) AS citing WHERE citing.run = every.run AND citing.time = every.time"
    return f"""{citing} {best} UNION ALL
        SELECT * FROM ({rows}) AS every WHERE len(captures) = 0 AND NOT EXISTS ({again})"""


def write_parquet(connection: "duckdb.DuckDBPyConnection", rows: str, path: Path) -> tuple[int, int, int]:
    """Write the rows of a query to a file that has its name once it is whole; return rows, bytes and CRC."""
    temporary = path.with_name(f"{files.TEMPORARY}{path.name}")
    files.step("copy", temporary)
    try:
        told = copy_parquet(connection, rows, temporary)
        files.publish(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return told


def copy_parquet(connection: "duckdb.DuckDBPyConnection", rows: str, path: Path) -> tuple[int, int, int]:
    """Write the rows of a query to a file that need not outlive this process; return rows, bytes and CRC."""
    done = connection.execute(
        f"COPY ({rows}) TO {quoted(str(path.resolve()))} "
        f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_ROW_GROUP})"
    ).fetchone()
    return int(done[0]) if done else 0, *crc_of(path)


def crc_of(path: Path) -> tuple[int, int]:
    """Return the size and the CRC-32 of a file."""
    crc = size = 0
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            crc, size = zlib.crc32(piece, crc), size + len(piece)
    return size, crc

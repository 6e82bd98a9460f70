"""What Oakum remembers: one directory, Parquet parts behind a log, queried by DuckDB (extra `oakum[store]`).

open_writer: batches and captures in, one process at a time. open_reader: columns and rows out, beside a writer.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from oakum.store.lock import StoreBusy
from oakum.store.manifest import Limits, Maintained
from oakum.store.rows import (
    Batch,
    EventRow,
    FindingRow,
    IncidentRow,
    MetricRow,
    PlaceRow,
    RunRow,
    SnapshotRow,
    run_id,
)

if TYPE_CHECKING:
    from oakum.store.reader import Reader
    from oakum.store.writer import Writer


def open_writer(directory: Path, create: bool = True, limits: Limits | None = None) -> "Writer":
    """Open a store to write into it; StoreBusy when another process does. `limits` replaces what it keeps."""
    from oakum.store.writer import Writer

    return Writer(directory, create, limits)


def open_reader(directory: Path, threads: int = 2) -> "Reader":
    """Open a store to read it; StoreError when there is none, or it is newer than this program."""
    from oakum.store.reader import Reader

    return Reader(directory, threads)


__all__ = [
    "Batch",
    "EventRow",
    "FindingRow",
    "IncidentRow",
    "Limits",
    "Maintained",
    "MetricRow",
    "PlaceRow",
    "RunRow",
    "SnapshotRow",
    "StoreBusy",
    "open_reader",
    "open_writer",
    "run_id",
]

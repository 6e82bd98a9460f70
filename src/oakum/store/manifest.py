"""The manifest of a store: which parts belong to it, where its log begins, its state and its limits.

Replaced as a whole by an atomic rename; what it does not name is no part of the store. Refuses one of a newer version.
"""

from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct, field

from oakum.model import StoreError, Text
from oakum.store import files

NAME = "manifest.json"
FORMAT = "oakum.store"
VERSION = 1
DAY = 86_400_000_000
HOUR = 3_600_000_000

Level = Literal["raw", "hour", "day"]


class Limits(Struct, frozen=True, kw_only=True):
    """How long what is kept, and how much in all."""

    raw_hours: int = 48  # every snapshot
    hour_days: int = 62  # then one an hour
    day_days: int = 730  # then one a day; events, findings and closed incidents go with these
    captures_days: int = 62  # bytes of captures and documents
    most_bytes: int = 4 << 30


class Maintained(Struct, frozen=True, kw_only=True):
    """What one call of `Writer.maintain` did, and whether there is more to be done."""

    merged: int = 0  # parts that became fewer
    coarser: int = 0  # parts whose rows became one an hour or a day
    dropped: int = 0  # parts that were too old, or did not fit the size
    captures: int = 0  # files of captures that nothing cites any more
    more: bool = False


class Part(Struct, frozen=True, kw_only=True):
    """One immutable Parquet file: rows of one table and level in one window of time."""

    file: str  # below the store: parts/places/raw-...parquet
    table: str
    level: Level
    window: int  # where its window begins
    rows: int
    bytes: int
    low: int  # the first and the last time in it
    high: int
    crc: int


class Manifest(Struct, frozen=True, kw_only=True):
    format: str = FORMAT
    version: int = VERSION
    generation: int = 0
    log: int = 1  # the first segment of the log that is not in parts
    batches: int = 0  # how many are in parts
    number: int = 0  # of the newest part
    parts: tuple[Part, ...] = ()
    obsolete: tuple[str, ...] = ()  # no longer part of it, still there for those who read the last manifest
    state: dict[str, bytes] = field(default_factory=dict)
    captures_from: int = 0  # captures of snapshots before that are no longer kept
    aged_to: int = 0  # up to when retention was applied
    limits: Limits = Limits()


class _Head(Struct):
    format: str = ""
    version: int = 0


def read_manifest(directory: Path) -> Manifest | None:
    """Return the manifest; None when there is none. Raise when it is of a newer version, or cannot be read."""
    path = directory / NAME
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreError(Text("store.unread", {"path": str(path), "error": error.strerror or str(error)})) from error
    try:
        head = msgspec.json.decode(data, type=_Head)
        if head.format == FORMAT and head.version > VERSION:
            args: dict[str, str | int] = {"path": str(directory), "version": head.version, "known": VERSION}
            raise StoreError(Text("store.too-new", args))
        if head.format == FORMAT:
            return msgspec.json.decode(data, type=Manifest)
    except (msgspec.DecodeError, msgspec.ValidationError):
        pass
    raise StoreError(Text("store.damaged-manifest", {"path": str(path)}))


def write_manifest(directory: Path, manifest: Manifest) -> None:
    files.write_new(directory / NAME, msgspec.json.format(msgspec.json.encode(manifest), indent=1))

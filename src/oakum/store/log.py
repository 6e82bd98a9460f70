"""The log of a store: batches appended one by one, each durable before the call returns.

A segment is frames: mark, length, CRC-32, payload. A writer that was killed leaves a torn frame at the end, which is
no batch: readers stop there, and the next writer cuts it off.
"""

import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from isal import isal_zlib
from msgspec import Struct

from oakum.store import files
from oakum.store.rows import TABLES, WRITTEN, Batch

_HEAD = struct.Struct("<4sII")
_MARK = b"OKB1"
_MOST = 256 << 20  # no batch is larger: a length above that is damage

_NOTHING: dict[str, object] = {"VARCHAR": "", "VARCHAR[]": ()}  # in columns that came later

Columns = dict[str, list[Any]]


class Frame(Struct, frozen=True):
    """One batch as columns: table -> column -> values."""

    tables: dict[str, Columns]
    state: dict[str, bytes]


class Segment(Struct, frozen=True):
    """What a segment holds: whole frames, where the last one ends, and how many bytes before that are none."""

    frames: tuple[Frame, ...]
    end: int
    size: int
    damaged: int = 0


def directory_of(store: Path) -> Path:
    return store / "log"


def path_of(store: Path, number: int) -> Path:
    return directory_of(store) / f"{number:08d}.log"


def numbers(store: Path) -> list[int]:
    """Return the segments that are there."""
    try:
        names = [path.stem for path in directory_of(store).iterdir() if path.suffix == ".log"]
    except FileNotFoundError:
        return []
    return sorted(int(name) for name in names if name.isdigit())


def size_of(store: Path, number: int) -> int:
    try:
        return path_of(store, number).stat().st_size
    except FileNotFoundError:  # in parts since
        return 0


def encode(batch: Batch) -> bytes:
    """Return a batch as one frame."""
    tables: dict[str, Columns] = {}
    for of, table in TABLES.items():
        if rows := getattr(batch, of):
            tables[of] = {name: [getattr(row, field) for row in rows] for name, field in table.fields.items()}
    payload = isal_zlib.compress(msgspec.msgpack.encode(Frame(tables, dict(batch.state))), 1)
    return _HEAD.pack(_MARK, len(payload), zlib.crc32(payload)) + payload


def read_segment(path: Path) -> Segment:
    """Return the whole frames of a segment, also those behind damage; raise FileNotFoundError when it is not there."""
    data = path.read_bytes()
    frames: list[Frame] = []
    end = begin = 0
    damaged = 0
    while begin >= 0:
        for start, payload in _frames(data, begin):
            damaged += start - end
            frames.append(_decode(payload))
            end = begin = start + _HEAD.size + len(payload)
        begin = data.find(_MARK, begin + 1)
    return Segment(tuple(frames), end, len(data), damaged)


def frames_of(data: bytes) -> list[Frame]:
    """Return the batches of a log, up to the first that is damaged."""
    return [_decode(payload) for _, payload in _frames(data)]


def columns_of(frames: Iterable[Frame], number: int = 0) -> dict[str, Columns]:
    """Return the rows of many batches, numbered from `number` on: table -> column -> values. Unknown ones are none.

    A batch of an earlier release lacks the columns that came later: they are empty.
    """
    found: dict[str, Columns] = {}
    for at, frame in enumerate(frames, number):
        for name, columns in frame.tables.items():
            table = TABLES.get(name)
            if table is None or not table.columns.keys() - set(table.added) <= columns.keys() <= table.columns.keys():
                continue
            known = [*table.columns, *([WRITTEN] if table.newest else [])]
            into = found.setdefault(name, {column: [] for column in known})
            rows = len(columns[table.time])
            for column, sql in table.columns.items():
                into[column] += columns.get(column, [_NOTHING.get(sql)] * rows)
            if table.newest:
                into[WRITTEN] += [at] * len(into[table.newest][len(into[WRITTEN]) :])
    return found


def _frames(data: bytes, start: int = 0) -> Iterator[tuple[int, bytes]]:
    while start + _HEAD.size <= len(data):
        mark, length, crc = _HEAD.unpack_from(data, start)
        payload = data[start + _HEAD.size : start + _HEAD.size + length]
        if mark != _MARK or length > _MOST or len(payload) < length or zlib.crc32(payload) != crc:
            return
        yield start, payload
        start += _HEAD.size + length


def _decode(payload: bytes) -> Frame:
    """Return the batch of a payload; what unpacks to more than any batch is damage (a store may have been imported)."""
    return msgspec.msgpack.decode(isal_zlib.decompressobj().decompress(payload, _MOST), type=Frame)


class Log:
    """The segment that a writer appends to."""

    def __init__(self, store: Path, number: int, end: int) -> None:
        self.store, self.number, self.end = store, number, end
        self.path = path_of(store, number)
        self._torn = False
        fresh = not self.path.exists()
        files.step("open", self.path)
        self._descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        try:
            if os.fstat(self._descriptor).st_size > end:  # the frame under way when a writer was killed
                self._cut()
            elif fresh:
                files.sync_directory(self.path.parent)
        except OSError:
            os.close(self._descriptor)
            raise

    def append(self, frame: bytes) -> None:
        """Write a frame; when this returns it is on the disk, when it raises it is not in the log."""
        if self._torn:
            self._cut()
        try:
            os.lseek(self._descriptor, self.end, os.SEEK_SET)
            self._torn = True
            files.write_all(self._descriptor, frame, self.path)
            files.sync(self._descriptor, self.path)
        except OSError:
            self._cut()
            raise
        self._torn = False
        self.end += len(frame)

    def _cut(self) -> None:
        """Take off what was begun and not finished; where even that fails, it is done before the next frame."""
        files.step("cut", self.path)
        os.ftruncate(self._descriptor, self.end)
        os.fsync(self._descriptor)
        self._torn = False

    def close(self) -> None:
        os.close(self._descriptor)

"""A store <-> one file: a tar archive of its manifest, its parts, its log and its captures, at one instant.

Export works beside a writer. Import trusts nothing: each part is checked and written anew, names lead nowhere else,
sizes are those that the manifest says. What was imported once is not imported again.
"""

import io
import os
import tarfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import msgspec
from msgspec.structs import replace

from oakum.model import StoreError, Text
from oakum.store import captures, engine, files, log
from oakum.store.manifest import FORMAT, NAME, VERSION, Manifest, Part
from oakum.store.parts import parts_of_log, window_length, write_part
from oakum.store.reader import Reader
from oakum.store.rows import TABLES

if TYPE_CHECKING:
    import duckdb

    from oakum.store.writer import Writer

_TRIES = 10
_MOST_MANIFEST = 64 << 20
_MOST_CAPTURE = 4 << 30


class Moved(NamedTuple):
    """What went into a file, or came out of one."""

    parts: int
    rows: int
    batches: int = 0  # of the log, that are no part yet


def export(directory: Path, file: Path) -> Moved:
    """Write a store into a file, which is there whole or not at all; return what it holds."""
    temporary = file.with_name(f"{files.TEMPORARY}{file.name}")
    try:
        for _ in range(_TRIES):
            with Reader(directory) as reader:
                manifest = replace(reader.manifest, obsolete=())
                try:
                    with temporary.open("wb") as out:
                        batches = _pack(directory, manifest, reader.cited(), out)
                        out.flush()
                        os.fsync(out.fileno())
                except FileNotFoundError:  # the writer has replaced a part since
                    continue
                temporary.replace(file)
                return Moved(len(manifest.parts), sum(part.rows for part in manifest.parts), batches)
    finally:
        temporary.unlink(missing_ok=True)
    raise StoreError(Text("store.unsteady", {"path": str(directory)}))


def _pack(directory: Path, manifest: Manifest, cited: set[str], out: BinaryIO) -> int:
    batches = 0
    with tarfile.open(fileobj=out, mode="w") as archive:
        _add(archive, NAME, msgspec.json.encode(manifest))
        for number in [one for one in log.numbers(directory) if one >= manifest.log]:
            path = log.path_of(directory, number)
            data = path.read_bytes()[: log.read_segment(path).end]
            batches += len(log.frames_of(data))
            _add(archive, f"log/{path.name}", data)
        for part in manifest.parts:
            archive.add(directory / part.file, part.file, recursive=False)
        for digest in sorted(cited):
            path = captures.path_of(directory, digest)
            if path.exists():
                archive.add(path, path.relative_to(directory).as_posix(), recursive=False)
    return batches


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    facts = tarfile.TarInfo(name)
    facts.size = len(data)
    archive.addfile(facts, io.BytesIO(data))


def import_(writer: "Writer", file: Path) -> Moved:
    """Add what an exported file holds to a store; return what came of it."""
    try:
        with tarfile.open(file, mode="r:") as archive:
            return _unpack(writer, archive, file)
    except (tarfile.TarError, msgspec.DecodeError, msgspec.ValidationError, EOFError) as error:
        raise StoreError(Text("store.no-export", {"path": str(file)})) from error
    except FileNotFoundError as error:
        raise StoreError(Text("store.unread", {"path": str(file), "error": error.strerror or str(error)})) from error


def _unpack(writer: "Writer", archive: tarfile.TarFile, file: Path) -> Moved:
    first = archive.next()
    if first is None or first.name != NAME or first.size > _MOST_MANIFEST:
        raise StoreError(Text("store.no-export", {"path": str(file)}))
    text = _data(archive, first)
    manifest = msgspec.json.decode(text, type=Manifest)
    if manifest.format != FORMAT:
        raise StoreError(Text("store.no-export", {"path": str(file)}))
    if manifest.version > VERSION:
        args: dict[str, str | int] = {"path": str(file), "version": manifest.version, "known": VERSION}
        raise StoreError(Text("store.too-new", args))
    mark = f"imported {captures.digest_of(text)}"
    if writer.state(mark) is not None:
        raise StoreError(Text("store.imported-before", {"path": str(file)}))
    named = {part.file: part for part in manifest.parts}
    made: list[Part] = []
    frames = b""
    with engine.connected(writer.directory) as connection:
        while member := archive.next():
            if not member.isreg():
                continue
            folder = PurePosixPath(member.name).parts[0]
            if folder == "captures" and member.size <= _MOST_CAPTURE:
                _import_capture(writer, PurePosixPath(member.name).name, _data(archive, member))
            elif folder == "log" and member.size <= _MOST_CAPTURE:
                frames += _data(archive, member)
            elif (part := named.get(member.name)) and part.table in TABLES and member.size == part.bytes:
                made.append(_import_part(writer, connection, part, _data(archive, member), len(made)))
        tables = log.columns_of(log.frames_of(frames), writer.batches)
        made += parts_of_log(connection, writer.directory, tables, writer.manifest.number + 1 + len(made))
    writer.take_over(made, mark)
    return Moved(len(made), sum(part.rows for part in made))


def _data(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    opened = archive.extractfile(member)
    return opened.read() if opened else b""


def _import_capture(writer: "Writer", name: str, packed: bytes) -> None:
    kept = captures.unpacked(packed, f"sha256:{name}")
    if kept is not None:
        writer.keep(kept.data, kept.kind)


def _import_part(
    writer: "Writer", connection: "duckdb.DuckDBPyConnection", part: Part, data: bytes, count: int
) -> Part:
    from duckdb import Error

    table = TABLES[part.table]
    temporary = writer.directory / f"{files.TEMPORARY}imported.parquet"
    temporary.write_bytes(data)
    try:
        columns = ", ".join(f"CAST({name} AS {sql}) AS {name}" for name, sql in table.stored.items())
        parts = engine.part_rows(table, engine.path_list(writer.directory, [temporary.name]))
        rows = f"SELECT {columns} FROM ({parts})"
        told = connection.execute(f"SELECT min({table.time}), max({table.time}) FROM ({rows})").fetchone()
        if not told or told[0] is None:
            raise StoreError(Text("store.unread-part", {"file": part.file}))
        length = window_length(table, part.level)
        number = writer.manifest.number + 1 + count
        return write_part(
            connection, writer.directory, table, part.level, told[0] // length * length, number, rows, told
        )
    except Error as error:
        raise StoreError(Text("store.unread-part", {"file": part.file})) from error
    finally:
        temporary.unlink(missing_ok=True)

"""Bytes of a .tar (plain, gzip, bzip2, xz) or a .zip -> the files in it, as if it were a directory.

Archives come from anywhere: nothing is written to disk, links, devices and names that lead out are left out, and sizes,
counts and ratios have caps. Of an archive that is cut or broken everything before that place is read.
"""

import re
import stat
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from typing import Protocol

from msgspec import Struct

from oakum.collect.bundle.names import inner_path
from oakum.model import Argument, Buffer, Problem

_BLOCK = 512
_MOST_FILES = 100_000
_MOST_BYTES = 2 << 30  # of all files: they are held in memory
_FREE_BYTES, _MOST_RATIO = 64 << 20, 200  # as for captures: a dump of equal goroutines packs a hundred times
_MOST_HEADER = 1 << 20  # of a long name or of extended attributes
_MOST_INDEX = 32 << 20  # of a zip's central directory
_STEP = 1 << 20
_CHUNK = 16 << 10  # packed bytes at a time: what a tiny member of gzip leaves over is copied
_XZ_MEMORY = 100 << 20
_GZIP, _BZIP2, _XZ, _ZIP = b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ\x00", (b"PK\x03\x04", b"PK\x05\x06")
_FILE, _FOLDER = (b"0", b"\0", b"7"), b"5"
_LONG_NAME, _LONG_LINK, _EXTENDED, _GLOBAL = b"L", b"K", b"x", b"g"
_EMPTY = (b"1", b"2", b"3", b"4", b"5", b"6")  # links, devices, folders, pipes: whatever size their header says
_THINGS = {b"1": "link", b"2": "link", b"3": "device", b"4": "device", b"6": "pipe", b"S": "sparse file"}
# 52 path=orders/1/goroutine.pb.gz
_ATTRIBUTE = re.compile(rb"\d{1,7} ([\w.]{1,100})=([^\n]*)\n")


class Told(Protocol):
    """Takes what is left out of an archive: its sentence is problem.unread.NAME, which names the archive too."""

    def __call__(self, name: str, /, **args: Argument) -> None:
        """Tell it."""


class Member(Struct, frozen=True):
    path: str
    data: bytes
    written: datetime | None
    problems: tuple[Problem, ...] = ()


def is_archive(data: Buffer) -> bool:
    """Tell whether bytes are a tar, packed or not, or a zip."""
    head = bytes(data[: 64 << 10])
    if head.startswith(_ZIP):
        return True
    if head.startswith((_GZIP, _BZIP2, _XZ)):
        # bzip2 packs by blocks of up to 900 kB, of which nothing comes out before its end is read.
        head = _beginning(data if head.startswith(_BZIP2) else head)
    return _is_tar(head[:_BLOCK])


def _beginning(packed: Buffer) -> bytes:
    begin = b""
    try:
        for piece in _unpacked(packed, _BLOCK):
            begin += piece
            if len(begin) >= _BLOCK:
                break
    except _Broken:
        pass  # cut: what came before may tell
    return begin


def members(data: Buffer, complain: Told) -> Iterator[Member]:
    """Yield the files of an archive; what is left out and why is told."""
    seen: set[str] = set()
    skipped: dict[str, int] = {}
    found = _zipped(data, complain) if bytes(data[:4]) in _ZIP else _tarred(data, complain)
    for member in found:
        parts = inner_path(member.path)
        why = "hidden" if parts and _is_hidden(parts) else "" if parts else "names that lead out of the archive"
        path = "/".join(parts or ())
        why = why or ("names that were there before" if path in seen else "")
        if why:
            skipped[why] = skipped.get(why, 0) + 1
            continue
        seen.add(path)
        yield Member(path, member.data, member.written, member.problems)
    for why, count in skipped.items():
        if why != "hidden":
            complain("files-left-out", count=count, why=why)


def _is_hidden(parts: tuple[str, ...]) -> bool:
    return parts[0] == "__MACOSX" or any(part.startswith(".") for part in parts)


class _Broken(Exception):
    """The packed stream contradicts itself or ends too early."""


class _TooMuch(Exception):
    """More comes out than may."""


def _is_tar(head: bytes) -> bool:
    """Tell whether this is the header of a file in a tar: its checksum is right."""
    if len(head) < _BLOCK or not head[0]:
        return False
    try:
        told = int(head[148:156].strip(b" \0") or b"-1", 8)
    except ValueError:
        return False
    return told == sum(head[:148]) + 8 * 32 + sum(head[156:])


def _unpacked(data: Buffer, step: int = _STEP) -> Iterator[bytes]:
    """Yield what a packed file holds, piece by piece; members of gzip one after the other."""
    head = bytes(data[:6])
    if head.startswith(_GZIP):
        yield from _gunzipped(data, step)
    elif head.startswith((_BZIP2, _XZ)):
        yield from _blocks(data, head.startswith(_XZ), step)
    else:
        for at in range(0, len(data), step):
            yield bytes(data[at : at + step])


def _gunzipped(data: Buffer, step: int) -> Iterator[bytes]:
    at, size = 0, len(data)
    stream = zlib.decompressobj(31)
    rest = b""
    while at < size or rest:
        if not rest:
            rest = bytes(data[at : at + _CHUNK])
            at += len(rest)
        try:
            piece = stream.decompress(rest, step)
        except zlib.error as error:
            raise _Broken(str(error)) from None
        if piece:
            yield piece
        rest = stream.unconsumed_tail
        if stream.eof:
            rest = stream.unused_data
            if not rest and at < size:
                rest = bytes(data[at : at + _CHUNK])
                at += len(rest)
            if not rest.startswith(_GZIP[: len(rest)]) or not rest:
                return
            stream = zlib.decompressobj(31)
    if not stream.eof:
        raise _Broken("the stream is cut")


def _blocks(data: Buffer, xz: bool, step: int) -> Iterator[bytes]:
    try:
        if xz:
            import lzma

            made: tuple[type[Exception], ...] = (lzma.LZMAError, EOFError)
            stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)
        else:
            import bz2

            made = (OSError, EOFError, ValueError)
            stream = bz2.BZ2Decompressor()  # type: ignore[assignment]
    except ImportError as error:
        raise _Broken(f"this Python cannot unpack it ({error})") from None
    at = 0
    try:
        while not stream.eof and (at < len(data) or not stream.needs_input):
            chunk = bytes(data[at : at + _CHUNK]) if stream.needs_input else b""
            at += len(chunk)
            if piece := stream.decompress(chunk, step):
                yield piece
    except made as error:
        raise _Broken(str(error)) from None
    if not stream.eof:
        raise _Broken("the stream is cut")


class _Stream:
    """Unpacked bytes, read in order, and no more of them than may come out of so many packed ones."""

    def __init__(self, data: Buffer) -> None:
        self._pieces = _unpacked(data)
        self._held = bytearray()
        self._left = min(_MOST_BYTES, max(_FREE_BYTES, _MOST_RATIO * len(data)))
        self.why = ""  # it ended too early

    def take(self, size: int, keep: bool = True) -> bytes:
        """Return the next bytes, fewer only at the end; those that are not kept are only passed over."""
        parts = BytesIO()
        wanted = size
        while wanted:
            if not self._held:
                self._next()
                if not self._held:
                    break
            piece = self._held[:wanted]
            del self._held[:wanted]
            wanted -= len(piece)
            if keep:
                parts.write(piece)
        return parts.getvalue()

    def _next(self) -> None:
        try:
            piece = next(self._pieces, b"")
        except _Broken as error:
            self.why = str(error)
            return
        self._left -= len(piece)
        if self._left < 0:
            raise _TooMuch
        self._held += piece


def _tarred(data: Buffer, complain: Told) -> Iterator[Member]:
    stream = _Stream(data)
    skipped: dict[str, int] = {}
    try:
        yield from _tar_files(stream, skipped, complain)
    except _TooMuch:
        complain("archive-too-large")
    for what, count in skipped.items():
        complain("things-left-out", count=count, what=what if count == 1 else f"{what}s")


def _tar_files(stream: _Stream, skipped: dict[str, int], complain: Told) -> Iterator[Member]:
    """Yield the files of a tar. A header of its own may come before a file, with its long name or its large size."""
    name, true_size = "", -1
    for _ in range(2 * _MOST_FILES):
        head = stream.take(_BLOCK)
        if not head.strip(b"\0") and len(head) == _BLOCK:
            return  # the end: blocks of zeros
        if not _is_tar(head):
            _complain(complain, "archive-cut" if len(head) < _BLOCK else "archive-broken", stream)
            return
        kind, size = head[156:157], _octal(head[124:136])
        if kind in (_LONG_NAME, _LONG_LINK, _EXTENDED, _GLOBAL):
            if size > _MOST_HEADER:
                complain("archive-header")
                return
            extra = stream.take(_padded(size))[:size]
            if kind == _LONG_NAME:
                name = _text(extra.rstrip(b"\0"))
            elif kind == _EXTENDED:
                attributes = dict(_ATTRIBUTE.findall(extra))
                name = _text(attributes[b"path"]) if b"path" in attributes else name
                true_size = int(attributes[b"size"]) if attributes.get(b"size", b"").isdigit() else -1
            continue
        path = name or _plain_name(head)
        size = true_size if true_size >= 0 else size
        name, true_size = "", -1
        if kind in _FILE and not path.endswith("/"):
            content = stream.take(size)
            lost = size - len(content)
            stream.take(_padded(size) - size, keep=False)
            yield Member(path, content, _time_of(_octal(head[136:148])), _lost(lost))
            if lost:
                _complain(complain, "archive-cut-within", stream, path=path)
                return
            continue
        if kind != _FOLDER and not path.endswith("/"):
            thing = _THINGS.get(kind, "thing")
            skipped[thing] = skipped.get(thing, 0) + 1
        stream.take(_padded(size if kind not in _EMPTY else 0), keep=False)
    complain("archive-too-many", most=_MOST_FILES)


def _complain(complain: Told, name: str, stream: _Stream, **args: str) -> None:
    """Tell of an archive that ends too early, and why where that is known."""
    if stream.why:
        complain(f"{name}.why", error=stream.why, **args)
    else:
        complain(name, **args)


def _lost(missing: int) -> tuple[Problem, ...]:
    return (Problem.of("cut-archive", missing=missing),) if missing else ()


def _plain_name(head: bytes) -> str:
    name = head[:100].partition(b"\0")[0]
    prefix = head[345:500].partition(b"\0")[0] if head[257:263] == b"ustar\0" else b""
    return _text(prefix + b"/" + name if prefix else name)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _octal(field: bytes) -> int:
    """Return a number as tar writes it: octal digits, or since GNU's base-256 a high bit and the bytes."""
    if field[:1] == b"\x80":
        return int.from_bytes(field[1:])
    try:
        return max(0, int(field.strip(b" \0") or b"0", 8))
    except ValueError:
        return 0


def _padded(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK


def _time_of(seconds: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC) if seconds else None
    except (OverflowError, ValueError, OSError):
        return None


def _zipped(data: Buffer, complain: Told) -> Iterator[Member]:
    import zipfile  # brings half a dozen modules with it, and is rare

    raw = bytes(data)
    # The end of the central directory, which says how large it is: an index of millions would be held in memory.
    end = raw.rfind(b"PK\x05\x06", max(0, len(raw) - (66 << 10)))
    if end < 0 or int.from_bytes(raw[end + 12 : end + 16], "little") > _MOST_INDEX:
        complain("zip-index")
        return
    left = min(_MOST_BYTES, max(_FREE_BYTES, _MOST_RATIO * len(raw)))
    try:
        with zipfile.ZipFile(BytesIO(raw)) as archive:
            rows = archive.infolist()
            for row in rows[:_MOST_FILES]:
                kind = stat.S_IFMT(row.external_attr >> 16)
                if row.is_dir():
                    continue
                if kind not in (0, stat.S_IFREG):
                    complain("zip-not-plain", name=row.filename)
                    continue
                if row.flag_bits & 1:
                    complain("zip-encrypted", name=row.filename)
                    continue
                try:
                    with archive.open(row) as file:
                        content = file.read(left + 1)
                except (zipfile.BadZipFile, zlib.error, NotImplementedError, OSError, EOFError, ValueError) as error:
                    complain("zip-broken-there", name=row.filename, error=str(error))
                    continue
                left -= len(content)
                if left < 0:
                    raise _TooMuch
                yield Member(row.filename, content, _zip_time(row.date_time))
            if len(rows) > _MOST_FILES:
                complain("archive-too-many", most=_MOST_FILES)
    except _TooMuch:
        complain("archive-too-large")
    except (zipfile.BadZipFile, ValueError, OSError, RecursionError, OverflowError, NotImplementedError) as error:
        complain("zip-broken", error=str(error))


def _zip_time(parts: tuple[int, int, int, int, int, int]) -> datetime | None:
    try:
        return datetime(*parts, tzinfo=UTC)
    except ValueError:
        return None

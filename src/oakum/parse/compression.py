"""Compressed bytes -> plain bytes, in bounded pieces; anything else passes through as it is.

gzip (many members, cut or corrupt streams, gzip in gzip), zlib, bzip2 and xz are unpacked; other compressions are named
and refused. A stream that unpacks to far more than it should is refused as a whole.
"""

import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from time import monotonic
from typing import Protocol

from isal import igzip_lib, isal_zlib

from oakum.model import Buffer, Problem
from oakum.parse.limits import DEFAULT, MIB, Limits

# Memory that one xz stream may ask for; xz's own presets need up to 65 MiB.
XZ_MEMORY = 100 * MIB
STEP = MIB  # decompressed at a time
# Compressed bytes fed at a time. A member starts with few: what it leaves over is copied, and members can be tiny.
FIRST, MOST = 1 << 12, 1 << 18
# A profile that a proxy compressed again is common; a third time is not.
DEEPEST = 2

_COMMANDS = {"zstd": "zstd -d", "zip": "unzip", "lz4": "lz4 -d", "compress": "uncompress", "7-Zip": "7z x"}
_MAGIC = {
    b"\x1f\x8b\x08": "gzip",
    b"x\x01": "zlib",
    b"x\x9c": "zlib",
    b"x\xda": "zlib",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip",
    b"\x04\x22\x4d\x18": "lz4",
    b"\x1f\x9d": "compress",
    b"7z\xbc\xaf\x27\x1c": "7-Zip",
}


def unpack(data: Buffer, limits: Limits = DEFAULT) -> tuple[Buffer, tuple[str, ...], tuple[Problem, ...]]:
    """Return (plain bytes, compressions outermost first, problems)."""
    wrapping: list[str] = []
    problems: list[Problem] = []
    most = limits.decompressed(len(data))
    deadline = limits.deadline()
    while name := _compression(data):
        if name not in _MEMBER or len(wrapping) == DEEPEST:
            problems.append(_refused(name))
            break
        try:
            data, found = _members(data, name, most, deadline)
        except ImportError:
            problems.append(_refused(name))
            break
        wrapping.append(name)
        problems += found
    return data, tuple(wrapping), tuple(problems)


def _compression(data: Buffer) -> str:
    head = bytes(data[:10])
    for magic, name in _MAGIC.items():
        if head.startswith(magic):
            # BZh91AY&SY: text may well begin with the first three letters.
            if (name == "bzip2" and head[4:] != b"1AY&SY") or (name == "zlib" and not _is_zlib(data)):
                return ""
            return name
    return ""


def _is_zlib(data: Buffer) -> bool:
    """Return whether two bytes that may begin anything are followed by what zlib can unpack."""
    try:
        return bool(zlib.decompressobj().decompress(bytes(data[:FIRST]), FIRST))
    except zlib.error:
        return False


class _Corrupt(Exception):
    """The stream contradicts itself; what came before was yielded."""


class _Deflated:
    """One gzip member or zlib stream."""

    def __init__(self, wbits: int) -> None:
        self.stream = zlib.decompressobj(wbits=wbits)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what these compressed bytes become, at most STEP bytes a piece."""
        more = True
        while more:
            before = self.stream.copy()
            try:
                piece = self.stream.decompress(data, STEP)
            except zlib.error as error:
                # zlib keeps back what it unpacked before it met the error: byte by byte, it is handed out.
                yield from _until_error(before, data)
                raise _Corrupt(str(error)) from None
            yield piece
            data = self.stream.unconsumed_tail
            more = not self.stream.eof and (bool(data) or len(piece) == STEP)


def _until_error(stream: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
    try:
        for at in range(len(data)):
            yield stream.decompress(data[at : at + 1])
    except zlib.error:
        return


class _Decompressor(Protocol):
    """What bz2 and lzma share."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Blocks:
    """One member of a bzip2 or xz file."""

    def __init__(self, stream: _Decompressor, error: type[Exception]) -> None:
        self.stream = stream
        self._error = error

    def feed(self, data: bytes) -> Iterator[bytes]:
        try:
            yield self.stream.decompress(data, STEP)
            while not self.stream.eof and not self.stream.needs_input:
                yield self.stream.decompress(b"", STEP)
        except self._error as error:
            raise _Corrupt(str(error)) from None


# Rare, and absent from some builds of Python: imported when they are met.
def _bzip2() -> _Blocks:
    import bz2

    return _Blocks(bz2.BZ2Decompressor(), OSError)


def _xz() -> _Blocks:
    import lzma

    return _Blocks(lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY), lzma.LZMAError)


_MEMBER: dict[str, Callable[[], _Deflated | _Blocks]] = {
    "gzip": lambda: _Deflated(31),
    "zlib": lambda: _Deflated(15),
    "bzip2": _bzip2,
    "xz": _xz,
}


def _whole_gzip(data: Buffer, most: int) -> bytes | None:
    """Return what one sound gzip member becomes, twice as fast as zlib; None sends anything else the careful way."""
    stream = isal_zlib.decompressobj(wbits=31)
    plain = BytesIO()
    at = 0
    try:
        while not stream.eof and at < len(data):
            chunk = bytes(data[at : at + MOST])
            at += len(chunk)
            while chunk and not stream.eof:
                plain.write(stream.decompress(chunk, STEP))
                chunk = stream.unconsumed_tail
                if plain.tell() > most:
                    return None
    except igzip_lib.IsalError:  # type: ignore[misc]  # its stub calls the exception a number
        return None
    return plain.getvalue() if stream.eof and at == len(data) and not stream.unused_data else None


def _members(data: Buffer, name: str, most: int, deadline: float) -> tuple[bytes, list[Problem]]:
    """Return what all members of a compressed file become, one after another."""
    if name == "gzip" and (whole := _whole_gzip(data, most)) is not None:
        return whole, []
    plain = BytesIO()
    problems: list[Problem] = []
    at = 0
    while at < len(data):
        member = _MEMBER[name]()
        fed = FIRST
        try:
            while not member.stream.eof and at < len(data):
                chunk = bytes(data[at : at + fed])
                at += len(chunk)
                fed = min(2 * fed, MOST)
                for piece in member.feed(chunk):
                    plain.write(piece)
                    if plain.tell() > most:
                        return b"", [Problem.of("too-much.stream", name=name, most=most)]
        except _Corrupt as error:
            problems.append(Problem.of("corrupt-compression", f"byte {at}", name=name, error=str(error)))
            break
        if not member.stream.eof:
            problems.append(Problem.of("cut-compression", f"byte {at}", name=name))
            break
        at -= len(member.stream.unused_data)
        following = bytes(data[at : at + 64])
        if _compression(following) != name:
            if following.strip(b"\0"):
                problems.append(Problem.of("trailing-bytes", f"byte {at}", name=name))
            break
        if monotonic() > deadline:
            problems.append(Problem.of("slow.unpacking", f"byte {at}"))
            break
    return plain.getvalue(), problems


def _refused(name: str) -> Problem:
    return Problem.of("compressed", name=name, command=_COMMANDS.get(name, f"{name} -d"))

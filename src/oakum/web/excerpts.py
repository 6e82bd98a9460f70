"""A capture -> the lines of it that a page shows: around what a claim cites, a window at a time. Binary: none."""

import re
import zlib
from itertools import islice

from msgspec import Struct

WINDOW = 300  # lines
_BEFORE = 12  # lines above what is cited
_MOST = 64 << 20  # bytes, unpacked
_LOOK = 64 << 10  # bytes in which a binary format shows itself
_GZIP = b"\x1f\x8b"


class Line(Struct, frozen=True):
    number: int
    text: str
    cited: bool = False


class Excerpt(Struct, frozen=True):
    """A window of a text: its lines, how many there are in all, and where the windows beside it begin (0: none)."""

    lines: tuple[Line, ...]
    total: int
    earlier: int
    later: int
    cut: bool  # it is longer than what was unpacked


def excerpt(data: bytes, goroutine: int = 0, line: int = 0, start: int = 0) -> Excerpt | None:
    """Return the lines around a goroutine or a line, or from `start` on; None where it is no text."""
    data, cut = _unpacked(data)
    if b"\0" in data[:_LOOK]:
        return None
    cited = range(line, line + 1) if line else range(0)
    if goroutine and (found := re.search(rb"^goroutine %d \[" % goroutine, data, re.MULTILINE)):
        first = data.count(b"\n", 0, found.start()) + 1
        end = data.find(b"\n\n", found.start())
        last = data.count(b"\n", 0, end if end >= 0 else len(data)) + 1
        cited = range(first, last + 1)
    total = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
    begin = start or max(1, (cited.start if cited else 1) - _BEFORE)
    begin = max(1, min(begin, total))
    texts = islice(data[_offset(data, begin) :].split(b"\n", WINDOW), min(WINDOW, total - begin + 1))
    lines = tuple(
        Line(number, text.decode("utf-8", "replace").rstrip("\r"), number in cited)
        for number, text in enumerate(texts, begin)
    )
    later = begin + WINDOW if begin + WINDOW <= total else 0
    return Excerpt(lines, total, max(1, begin - WINDOW) if begin > 1 else 0, later, cut)


def _offset(data: bytes, line: int) -> int:
    """Return where a line begins, counted from one."""
    at = 0
    for _ in range(line - 1):
        at = data.find(b"\n", at) + 1
    return at


def _unpacked(data: bytes) -> tuple[bytes, bool]:
    if not data.startswith(_GZIP):
        return data[:_MOST], len(data) > _MOST
    unpack = zlib.decompressobj(31)
    try:
        found = unpack.decompress(data, _MOST)
    except zlib.error:
        return b"\0", False
    return found, bool(unpack.unconsumed_tail)

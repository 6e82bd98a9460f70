"""Where any of some texts of four letters stand in a large text: one pass over it, whatever their number.

Each text has an anchor, two letters that are rare. Pairs of letters are compared as numbers, by numpy, in pieces that
stay in the processor's cache; what stands beside an anchor is looked at only there.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from oakum.model import Buffer
from oakum.model.capture import forget
from oakum.model.profile import Int64s

_Words = NDArray[np.uint16]
PIECE = 4 << 20  # bytes that are handed on at a time, up to the end of a line
_CHUNK = 256 << 10
_EDGE = b"\n\n\n\n"  # beside the first and the last letters


class Piece(Struct, frozen=True, eq=False):
    """Whole lines of a text, and for each of the texts sought in which of them it stands."""

    start: int  # in the text
    data: bytes
    ends: Int64s  # of its lines
    lines: tuple[Int64s, ...]  # rows of `ends`, ascending

    def line(self, row: int) -> bytes:
        """Return one line, without its end."""
        return self.data[int(self.ends[row - 1]) + 1 if row else 0 : int(self.ends[row])]


class Sought(Struct, frozen=True):
    """A text of four letters: its anchor, the pair beside it, and on which side that is."""

    anchor: int
    beside: int
    before: bool

    @classmethod
    def of(cls, text: str, anchors: Sequence[str]) -> "Sought":
        first, second = text[:2], text[2:]
        before = second in anchors
        return cls(_pair(second if before else first), _pair(first if before else second), before)


def _pair(text: str) -> int:
    return int.from_bytes(text.encode(), "little")


def seek(text: Buffer, groups: Sequence[Sequence[str]], anchors: Sequence[str]) -> Iterator[Piece]:
    """Yield the text piece by piece, with the lines in which any text of each group stands."""
    pairs = np.array([_pair(one) for one in anchors], np.uint16)
    sought = [[Sought.of(one, anchors) for one in group] for group in groups]
    start = 0
    while start < len(text):
        data = bytes(text[start : start + PIECE])
        end = data.rfind(b"\n") + 1
        if end and start + len(data) < len(text):
            data = data[:end]
        yield _piece(start, data, sought, pairs)
        forget(text, start, len(data))
        start += len(data)


def _piece(start: int, data: bytes, sought: Sequence[Sequence[Sought]], pairs: _Words) -> Piece:
    places = _anchored(data, pairs)
    letters = np.frombuffer(b"%b%b%b" % (_EDGE, data, _EDGE), np.uint8)
    anchor, before, after = (_pairs(letters, places + len(_EDGE) + by) for by in (0, -2, 2))
    ends = np.flatnonzero(letters[len(_EDGE) : -len(_EDGE)] == ord("\n"))
    if not len(ends) or ends[-1] != len(data) - 1:
        ends = np.append(ends, len(data))
    rows = np.searchsorted(ends, places)
    lines = []
    for group in sought:
        hit = np.zeros(len(places), bool)
        for one in group:
            hit |= (anchor == one.anchor) & ((before if one.before else after) == one.beside)
        lines.append(np.unique(rows[hit]))
    return Piece(start, data, ends, tuple(lines))


def _pairs(letters: NDArray[np.uint8], places: Int64s) -> _Words:
    found: _Words = letters[places] + (letters[places + 1].astype(np.uint16) << 8)
    return found


def _anchored(data: bytes, pairs: _Words) -> Int64s:
    """Return where an anchor stands, in order."""
    hit, one = np.empty(_CHUNK // 2, bool), np.empty(_CHUNK // 2, bool)
    found = []
    for start in range(0, len(data), _CHUNK):
        for odd in (0, 1):  # a slice is a copy of its own, and so lies where numbers may
            chunk = data[start + odd : start + odd + _CHUNK]
            words = np.frombuffer(chunk, np.uint16, len(chunk) // 2)
            here, this = hit[: len(words)], one[: len(words)]
            np.equal(words, pairs[0], out=here)
            for pair in pairs[1:]:
                np.equal(words, pair, out=this)
                np.logical_or(here, this, out=here)
            found.append(start + odd + 2 * np.flatnonzero(here))
    places: Int64s = np.sort(np.concatenate(found)) if found else np.empty(0, np.int64)
    return places

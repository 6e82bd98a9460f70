"""Spans of bytes, many at once: which of them are equal, and the packed varints they hold.

Comes in: a Wire and where spans start and end. Goes out: numbers in numpy columns. Big inputs are cut into pieces that
fit the processor's cache and shared among threads; numpy lets go of the interpreter meanwhile.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from oakum.model.cores import spread
from oakum.parse.wire import BLOCK, Int32s, Int64s, Numbers, UInt8s, UInt64s, Wire

Cell = TypeVar("Cell", bound=np.generic)

PIECE = 1 << 18  # bytes decoded at a time
FEW = 512  # spans that are compared one by one: an ordinary profile has fewer stacks than columns pay off for
ROUNDS = 64  # words in which equal spans are compared together; what is longer is compared one by one

_CONTINUED = bytes(range(0x80, 0x100))
_MIX = np.uint64(0x9E3779B97F4A7C15)


def distinct(wire: Wire, starts: Int64s, ends: Int64s) -> tuple[Int32s, Int64s]:
    """Return (number of its content for each span, the first span of each content), in order of appearance."""
    if not len(starts):
        return np.zeros(0, np.int32), np.zeros(0, np.int64)
    if len(starts) <= FEW:
        return _distinct_of_few(wire, starts, ends)
    length = ends - starts
    longest = int(length.max())
    if longest < 8:
        # The length fits beside the content: equal numbers mean equal spans.
        leader = _first_equal(_word(wire, starts, ends) | length.astype(np.uint64) << np.uint64(56))
    else:
        blocks = range(0, len(starts), BLOCK)
        signatures = spread(lambda a: _signature(wire, starts[a : a + BLOCK], ends[a : a + BLOCK]), blocks)
        leader = _first_equal(np.concatenate(signatures))
        _part_unequal(wire, starts, ends, leader)
    first = np.flatnonzero(leader == np.arange(len(leader)))
    number = np.empty(len(leader), np.int32)
    number[first] = np.arange(len(first), dtype=np.int32)
    return number[leader], first


def _distinct_of_few(wire: Wire, starts: Int64s, ends: Int64s) -> tuple[Int32s, Int64s]:
    found: dict[bytes, int] = {}
    number = [
        found.setdefault(wire.data[start:end], len(found))
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
    column = np.array(number, np.int32)
    first = np.full(len(found), len(number), np.int64)
    np.minimum.at(first, column, np.arange(len(number)))
    return column, first


def _first_equal(numbers: UInt64s) -> Int64s:
    """Return for each row the first row that holds the same number."""
    ordered = np.sort(numbers)
    if not (ordered[1:] == ordered[:-1]).any():  # most profiles: sorting alone is far quicker than ranking
        return np.arange(len(numbers))
    order = np.argsort(numbers)
    ordered = numbers[order]
    groups = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    first = np.empty_like(order)
    first[order] = np.repeat(np.minimum.reduceat(order, groups), np.diff(groups, append=len(order)))
    return first


def _signature(wire: Wire, starts: Int64s, ends: Int64s) -> UInt64s:
    """Return a number that equal spans share and unequal ones seldom do."""
    length = ends - starts
    sign = length.astype(np.uint64)
    last = np.maximum(ends - 8, starts)
    # Five words, spread over the span: unequal stacks often have the same leaf and root.
    for part in range(5):
        word = _word(wire, starts + ((last - starts) * part >> 2), ends)
        sign = (sign ^ word) * _MIX
        sign ^= sign >> np.uint64(29)
    return sign


def _word(wire: Wire, at: Int64s, ends: Int64s) -> UInt64s:
    """Return the eight bytes from each position, zeros from the end on."""
    last = len(wire.bytes) - 8
    words: UInt64s = np.ndarray((last + 1,), "<u8", wire.bytes, 0, (1,))
    here = np.minimum(at, last)
    word = words[here]
    short = np.flatnonzero((ends - at < 8) | (here < at))
    if len(short):
        kept = 8 * np.clip(ends[short] - at[short], 0, 7).astype(np.uint64)
        moved = 8 * np.minimum(at[short] - here[short], 7).astype(np.uint64)
        word[short] = word[short] >> moved & (np.uint64(1) << kept) - np.uint64(1)
    return word


def _part_unequal(wire: Wire, starts: Int64s, ends: Int64s, leader: Int64s) -> None:
    """Give spans that only share the signature of their leader leaders of their own."""
    active = np.flatnonzero(leader != np.arange(len(leader)))
    same = ends[active] - starts[active] == (ends - starts)[leader[active]]
    unequal = [active[~same]]
    active = active[same]
    here, there, until = starts[active], starts[leader[active]], ends[active]
    for _ in range(ROUNDS):
        if not len(active):
            break
        same = _word(wire, here, until) == _word(wire, there, there + (until - here))
        unequal.append(active[~same])
        going = np.flatnonzero(same & (here + 8 < until))
        active, here, there, until = active[going], here[going] + 8, there[going] + 8, until[going]
    found: dict[bytes, int] = {}
    rest = [
        row for row in active.tolist() if _content(wire, starts, ends, row) != _content(wire, starts, ends, leader[row])
    ]
    for row in sorted([*np.concatenate(unequal).tolist(), *rest]):
        leader[row] = found.setdefault(_content(wire, starts, ends, row), row)


def _content(wire: Wire, starts: Int64s, ends: Int64s, row: int) -> bytes:
    return wire.data[int(starts[row]) : int(ends[row])]


def varints(
    wire: Wire, starts: Int64s, ends: Int64s, then: Callable[[Numbers], NDArray[Cell]]
) -> tuple[Int64s, NDArray[Cell]]:
    """Return (how many varints each span holds, what `then` makes of all of them, one after another).

    Spans ascend, do not overlap, and stand behind their length as packed fields do. A last varint that does not end
    is left out.
    """
    counts = np.zeros(len(starts), np.int64)
    ends = _terminated(wire, starts, ends)
    filled = np.flatnonzero(ends > starts)
    if not len(filled):
        return counts, then(np.zeros(0, np.uint64))
    starts, ends = starts[filled], ends[filled]
    cuts = np.searchsorted(ends, np.arange(int(starts[0]), int(ends[-1]), PIECE)[1:]).tolist()
    pieces = [_Piece(wire.bytes, starts[a:b], ends[a:b]) for a, b in pairwise([0, *cuts, len(ends)]) if a < b]
    sizes = spread(_Piece.count, pieces)
    counts[filled] = np.concatenate([piece.counts for piece in pieces])
    until = np.cumsum(sizes)
    column = np.empty(int(until[-1]), then(np.zeros(0, np.uint64)).dtype)

    def decode(row: int) -> None:
        column[until[row] - sizes[row] : until[row]] = then(pieces[row].decode())

    spread(decode, range(len(pieces)))
    return counts, column


def _terminated(wire: Wire, starts: Int64s, ends: Int64s) -> Int64s:
    """Return the ends, moved back to the last varint that is whole."""
    rows = np.flatnonzero((ends > starts) & (wire.bytes[ends - 1] > 0x7F))
    if len(rows):
        ends = ends.copy()
        for row in rows.tolist():
            start = int(starts[row])
            ends[row] = start + len(wire.data[start : int(ends[row])].rstrip(_CONTINUED))
    return ends


class _Piece:
    """Neighbouring spans of varints, few enough for the cache."""

    def __init__(self, octets: UInt8s, starts: Int64s, ends: Int64s) -> None:
        self._octets = octets[int(starts[0]) :]
        self._area = octets[int(starts[0]) : int(ends[-1])]
        self._places = np.stack((starts, ends)) - starts[0]

    def count(self) -> int:
        """Return how many varints lie in the spans."""
        self._first, last = _set_before(self._area < 0x80, self._places)
        self.counts = last - self._first
        return int(self.counts.sum())

    def decode(self) -> Numbers:
        """Return the varints of the spans, one after another."""
        # Between spans lie other varints. Each starts behind the stop of the one before, the first of all at 0.
        before = np.repeat(self._first - (np.cumsum(self.counts) - self.counts), self.counts)
        before += np.arange(-1, len(before) - 1)
        begins = np.flatnonzero(self._area < 0x80)[before]
        begins += 1
        begins[0] = 0
        byte = self._area[begins]
        number: Numbers = (byte & np.uint8(0x7F)).astype(np.uint32)
        for place in range(1, 10):
            more = byte >> 7
            if not more.any():
                break
            if place == 4:
                number = number.astype(np.uint64)
            # Beyond a varint's end stands the next one, which is masked out.
            byte = self._octets[place:].take(begins, mode="clip") & np.negative(more)
            number |= (byte & np.uint8(0x7F)).astype(number.dtype) << number.dtype.type(7 * place)
        return number


def _set_before(flags: NDArray[np.bool_], places: Int64s) -> Int64s:
    """Return how many flags are set before each place."""
    bits = np.zeros(len(flags) // 64 + 1, "<u8")
    packed = np.packbits(flags, bitorder="little")
    bits.view(np.uint8)[: len(packed)] = packed
    set_in = np.bitwise_count(bits)
    block = places >> 6
    below = (np.uint64(1) << (places & 63).astype(np.uint64)) - np.uint64(1)
    before: Int64s = np.cumsum(set_in, dtype=np.int64) - set_in
    counts: Int64s = before[block] + np.bitwise_count(bits[block] & below)
    return counts

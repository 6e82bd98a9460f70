"""A Go heap dump (runtime/debug.WriteHeapDump, Go 1.7 and later) -> its records: objects as columns, all else as lists.

Objects make nearly all of a dump, and are read many at a time: what looks like the head of one is found by its address
and size, and counts when the one before it ends there. Whatever does not fit is read record by record. Never raises:
a cut or damaged dump gives what stands before the damage, and a problem.
"""

from time import monotonic

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from oakum.model import Buffer, Problem
from oakum.model.profile import Int64s, UInt64s
from oakum.parse.limits import Limits

HEADER = b"go1.7 heap dump\n"
# Tags of records, as runtime/heapdump.go numbers them.
(_EOF, _OBJECT, _OTHER_ROOT, _TYPE, _GOROUTINE, _FRAME, _PARAMS, _FINALIZER, _ITAB, _THREAD, _MEMSTATS, _QUEUED, _DATA,
 _BSS, _DEFER, _PANIC, _BUCKET, _SAMPLE) = range(18)  # fmt: skip
# How many numbers follow the tag of a record that has nothing but numbers.
_NUMBERS = {_ITAB: 2, _THREAD: 3, _MEMSTATS: 24 + 256 + 1, _DEFER: 7, _PANIC: 6, _SAMPLE: 2, _FINALIZER: 5, _QUEUED: 5}
_STEP = 32 << 20  # bytes of objects that are read together, once that many followed each other
_FIRST_STEP = 1 << 16
_ROUNDS = 48  # pointers of an object that are read together with those of others; larger ones are read alone
_HEAD = 24  # bytes that the head of an object may take: tag, address, size
_FEW = 8  # fields that are quicker read one by one
_MOST_TEXT = 1 << 16
_MOST_LISTED = 4_000_000  # goroutines, frames, types: each becomes an object; real programs have fewer
_OFTEN = 4096  # records between looks at the clock

Bytes = NDArray[np.uint8]
UInt32s = NDArray[np.uint32]
# Of objects: address, size, place in the dump, number of pointers; of these: offset, value.
_Columns = tuple[UInt64s, Int64s, Int64s, Int64s, UInt32s, UInt64s]


class Pointers(Struct, frozen=True, eq=False):
    """Words of one stretch of memory that hold pointers: where they are in it, and where they lead."""

    offsets: Int64s
    values: UInt64s


class StackFrame(Struct, frozen=True, eq=False):
    function: str
    pc: int
    pointers: Pointers


class DumpedGoroutine(Struct, frozen=True, eq=False):
    """One goroutine with its frames, leaf first."""

    id: int
    status: int
    system: bool
    waiting: str
    address: int
    frames: list[StackFrame]


class Segment(Struct, frozen=True, eq=False):
    """The initialised (data) or the zeroed (bss) globals of the program."""

    name: str
    address: int
    size: int
    pointers: Pointers


class Bucket(Struct, frozen=True):
    """One allocation site of the memory profile: (function, file, line), leaf first."""

    size: int
    frames: tuple[tuple[str, str, int], ...]
    allocated: int
    freed: int


class Objects(Struct, frozen=True, eq=False):
    """Columns. Pointers of object i are rows starts[i]:starts[i+1] of `offsets` and `values`; `at` is where its
    contents lie in the dump."""

    address: UInt64s
    size: Int64s
    at: Int64s
    starts: Int64s
    offsets: UInt32s
    values: UInt64s

    def __len__(self) -> int:
        return len(self.address)


class Dump(Struct):
    """Everything that stands in a dump."""

    data: Buffer
    order: str = "<"  # as struct writes the byte order
    word: int = 8
    arena: tuple[int, int] = (0, 1 << 64)
    architecture: str = ""
    version: str = ""
    objects: Objects | None = None
    types: dict[int, tuple[int, str]] = field(default_factory=dict)
    itabs: dict[int, int] = field(default_factory=dict)
    goroutines: list[DumpedGoroutine] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    others: list[tuple[str, int]] = field(default_factory=list)
    finalizers: list[tuple[int, int, int]] = field(default_factory=list)  # object, closure, code
    queued: list[tuple[int, int, int]] = field(default_factory=list)  # object, closure, type of a pointer to it
    buckets: dict[int, Bucket] = field(default_factory=dict)
    samples: list[tuple[int, int]] = field(default_factory=list)  # address of an object, its bucket
    memstats: tuple[int, ...] = ()
    problems: list[Problem] = field(default_factory=list)


class _Cut(Exception):
    """The dump ends, or goes wrong, in the middle of a record."""


class _Reader:
    """A place in the dump, and what was read up to it."""

    def __init__(self, data: Buffer, limits: Limits) -> None:
        self.data, self.limits = data, limits
        self.end = len(data)
        self.bytes: Bytes = np.frombuffer(data, np.uint8)
        self.at = len(HEADER)
        self.dump = Dump(data)
        self.listed = 0
        self.step = _FIRST_STEP
        self.deadline = limits.deadline()
        self.pieces: list[_Columns] = []
        self.words = self._words()

    def _words(self) -> NDArray[np.unsignedinteger]:
        """Return the dump as the words that begin at each of its bytes."""
        word = self.dump.word
        length = max(0, self.end - word + 1)
        kind = np.dtype(f"{self.dump.order}u{word}")
        return np.ndarray((length,), kind, self.data, 0, (1,)) if length else np.zeros(0, kind)

    # one by one

    def number(self) -> int:
        data, at, value, shift = self.data, self.at, 0, 0
        while at < self.end:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                self.at = at
                return value & 0xFFFFFFFFFFFFFFFF
            shift += 7
            if shift > 63:
                raise _Cut
        raise _Cut

    def numbers(self, count: int) -> list[int]:
        return [self.number() for _ in range(count)]

    def stretch(self) -> tuple[int, int]:
        """Return where a stretch of memory lies in the dump, and how long it is."""
        size = self.number()
        start = self.at
        if size > self.end - start:
            raise _Cut
        self.at = start + size
        return start, size

    def text(self) -> str:
        start, size = self.stretch()
        return bytes(self.data[start : start + min(size, _MOST_TEXT)]).decode("utf-8", "replace")

    def fields(self) -> Int64s:
        """Return the offsets of the pointers in the stretch before."""
        found: list[int] = []
        for _ in range(_FEW):
            if self.number() == 0:
                return np.array(found, np.int64)
            found.append(self.number())
        return np.concatenate((np.array(found, np.int64), self._many_fields()))

    def _many_fields(self) -> Int64s:
        width = 1 << 12
        while True:
            window = self.bytes[self.at : self.at + width]
            ends = np.flatnonzero(window < 0x80)
            kinds = ends[::2]
            starts = np.concatenate(([0], ends[:-1] + 1)) if len(ends) else ends
            over = np.flatnonzero((window[kinds] == 0) & (kinds == starts[::2]))
            if len(over):
                last = int(over[0])
                values, _ = varints(self.bytes, self.at + starts[1 : 2 * last : 2])
                self.at += int(kinds[last]) + 1
                return values.astype(np.int64)
            if self.at + width >= self.end:
                raise _Cut
            width *= 4

    def pointers(self, start: int, size: int) -> Pointers:
        offsets = self.fields()
        offsets = offsets[(offsets >= 0) & (offsets <= size - self.dump.word)]
        values = self.words[start + offsets].astype(np.uint64)
        there = values != 0
        return Pointers(offsets[there], values[there])

    # records

    def read(self) -> Dump:
        try:
            self._records()
        except (_Cut, ValueError, OverflowError, IndexError):
            self.dump.problems.append(Problem.of("cut-heap-dump", f"byte {self.at}", size=self.end))
        self.dump.objects = self._objects()
        return self.dump

    def _records(self) -> None:
        dump, numbered = self.dump, 0
        while True:
            numbered += 1
            if (numbered % _OFTEN == 0 or self.step == _FIRST_STEP) and monotonic() > self.deadline:
                dump.problems.append(Problem.of("slow.heap-dump", f"byte {self.at}"))
                return
            started = self.at
            tag = self.number()
            if tag == _OBJECT:
                self.at = started
                self._run_of_objects()
            elif tag == _EOF:
                return
            elif tag == _GOROUTINE:
                self._goroutine()
            elif tag == _FRAME:
                self._frame()
            elif tag == _TYPE:
                address, size = self.numbers(2)
                name = self.text()
                self.number()
                self._count()
                dump.types[address] = (size, name)
            elif tag in (_DATA, _BSS):
                address = self.number()
                start, size = self.stretch()
                dump.segments.append(
                    Segment("data" if tag == _DATA else "bss", address, size, self.pointers(start, size))
                )
            elif tag == _PARAMS:
                self._params()
            elif tag == _OTHER_ROOT:
                name = self.text()
                dump.others.append((name, self.number()))
                self._count()
            elif tag == _BUCKET:
                self._bucket()
            elif tag in _NUMBERS:
                self._numbered(tag, self.numbers(_NUMBERS[tag]))
            else:
                self.at = started
                raise _Cut

    def _count(self) -> None:
        self.listed += 1
        if self.listed > _MOST_LISTED:
            raise _Cut

    def _numbered(self, tag: int, numbers: list[int]) -> None:
        dump = self.dump
        if tag == _ITAB:
            dump.itabs[numbers[0]] = numbers[1]
        elif tag == _FINALIZER:
            dump.finalizers.append((numbers[0], numbers[1], numbers[2]))
        elif tag == _QUEUED:
            dump.queued.append((numbers[0], numbers[1], numbers[4]))
        elif tag == _SAMPLE:
            dump.samples.append((numbers[0], numbers[1]))
        elif tag == _MEMSTATS:
            dump.memstats = tuple(numbers)
            return
        self._count()

    def _params(self) -> None:
        dump = self.dump
        big, word, low, high = self.numbers(4)
        architecture, version = self.text(), self.text()
        self.number()
        if word not in (4, 8) or big > 1:
            raise _Cut
        dump.order, dump.word, dump.arena = "><"[1 - big], word, (low, high)
        dump.architecture, dump.version = architecture, version
        self.words = self._words()

    def _goroutine(self) -> None:
        address, _, number, _, status, system, _, _ = self.numbers(8)
        waiting = self.text()
        self.numbers(4)
        self._count()
        self.dump.goroutines.append(DumpedGoroutine(number, status, bool(system), waiting, address, []))

    def _frame(self) -> None:
        self.numbers(3)
        start, size = self.stretch()
        _, pc, _ = self.numbers(3)
        function = self.text()
        pointers = self.pointers(start, size)
        self._count()
        if self.dump.goroutines:
            self.dump.goroutines[-1].frames.append(StackFrame(function, pc, pointers))

    def _bucket(self) -> None:
        number, size, depth = self.numbers(3)
        frames = []
        for _ in range(min(depth, self.limits.max_depth)):
            function, file = self.text(), self.text()
            frames.append((function, file, self.number()))
        if depth > self.limits.max_depth:
            raise _Cut
        allocated, freed = self.numbers(2)
        self._count()
        self.dump.buckets[number] = Bucket(size, tuple(frames), allocated, freed)

    # objects

    def _one_object(self) -> None:
        self.number()
        address = self.number()
        start, size = self.stretch()
        found = self.pointers(start, size)
        self.pieces.append(
            (
                np.array([address], np.uint64),
                np.array([size], np.int64),
                np.array([start], np.int64),
                np.array([len(found.offsets)], np.int64),
                found.offsets.astype(np.uint32),
                found.values,
            )
        )
        self._count()

    def _run_of_objects(self) -> None:
        """Read objects that follow each other: those of a piece together, and one by one what does not fit."""
        piece, began = _Piece(self, self.at, self.step), self.at
        while self.at < piece.last and self.data[self.at] == _OBJECT:
            taken = piece.take(self.at)
            if taken:
                self.at = taken
            else:
                self._one_object()
            if monotonic() > self.deadline:
                break
        self.step = min(_STEP, 4 * self.step) if 2 * (self.at - began) > self.step else _FIRST_STEP
        columns = piece.columns()
        if columns is not None:
            self.pieces.append(columns)

    def _objects(self) -> Objects:
        if not self.pieces:
            none = np.zeros(0, np.int64)
            return Objects(
                none.astype(np.uint64),
                none,
                none,
                np.zeros(1, np.int64),
                none.astype(np.uint32),
                none.astype(np.uint64),
            )
        address, size, at, counts, offsets, values = (
            np.concatenate([piece[column] for piece in self.pieces]) for column in range(6)
        )
        self.pieces.clear()
        starts = np.zeros(len(counts) + 1, np.int64)
        np.cumsum(counts, out=starts[1:])
        return Objects(address, size, at, starts, offsets, values)


class _Piece:
    """A piece of the dump with everything in it that looks like an object, taken as far as one follows the other."""

    def __init__(self, reader: _Reader, start: int, step: int) -> None:
        self.reader = reader
        self.last = min(start + step, reader.end)
        reader.at = start + 1
        reader.number()
        address_size = reader.at - start - 1
        reader.at = start
        self._find(start, address_size)
        self.taken: NDArray[np.bool_] = np.zeros(len(self.heads), np.bool_)
        # Where the next one does not begin at the end of this one.
        self.breaks = np.flatnonzero(self.ends[:-1] != self.heads[1:])

    def _find(self, start: int, width: int) -> None:
        """Find what begins like an object: a tag, an address of the heap in so many bytes, a size; and fits in."""
        reader = self.reader
        low, high = reader.dump.arena
        stretch = reader.bytes[start : max(start, self.last - _HEAD)]
        heads = np.flatnonzero(stretch == _OBJECT)
        if width > 1:
            shift = 7 * (width - 1)
            final = stretch[np.minimum(heads + width, len(stretch) - 1)]
            top = (low >> shift, max(low, high - 1) >> shift)
            heads = heads[(final >= min(top[0], 0x7F)) & (final <= min(top[1], 0x7F))]
        heads += start
        address, length = varints(reader.bytes, heads + 1)
        fits = (length == width) & (address >= np.uint64(low)) & (address <= np.uint64(min(high, (1 << 64) - 1)))
        fits &= address % np.uint64(8) == 0
        heads, address = heads[fits], address[fits]
        told, length = varints(reader.bytes, heads + 1 + width)
        begins = heads + 1 + width + length
        fits = (told > 0) & (told <= np.uint64(_STEP)) & (length > 0)
        size: Int64s = np.where(fits, told, np.uint64(0)).astype(np.int64)
        fits &= begins + size < self.last
        self.heads, self.address, self.size = heads[fits], address[fits], size[fits]
        self.begins = begins[fits]
        self._walk_fields()

    def _walk_fields(self) -> None:
        """Find where each one ends, and its pointers."""
        place = self.begins + self.size
        data, last = self.reader.bytes, self.last - 1
        self.ends = np.full(len(place), -1, np.int64)
        self.counts = np.zeros(len(place), np.int64)
        self.rounds: list[tuple[Int64s, UInt64s]] = []
        self.longer: dict[int, Int64s] = {}
        rows = np.arange(len(place))
        for number in range(_ROUNDS):
            inside = place <= last
            rows, place = rows[inside], place[inside]
            kind = data[place]
            over = kind == 0
            self.ends[rows[over]] = place[over] + 1
            self.counts[rows[over]] = number
            more = kind == 1
            rows, place = rows[more], place[more]
            if not len(rows):
                return
            offset, length = varints(data, place + 1)
            good = length > 0
            rows, place, offset, length = rows[good], place[good], offset[good], length[good]
            self.rounds.append((rows, offset))
            place = place + 1 + length
        # Many pointers: one by one, once they are known to be objects.
        self.long_rows = rows
        self.ends[rows] = -2

    def take(self, at: int) -> int:
        """Return where the objects end that follow each other from a place on; 0 where none was found there."""
        row = int(np.searchsorted(self.heads, at))
        end = 0
        while row < len(self.heads) and self.heads[row] == at:
            if self.ends[row] == -1:
                return end
            if self.ends[row] == -2:
                at = self._long(row)
                if not at:
                    return end
                end, row = at, int(np.searchsorted(self.heads, at))
                continue
            stop = int(np.searchsorted(self.breaks, row))
            final = int(self.breaks[stop]) if stop < len(self.breaks) else len(self.heads) - 1
            if final > row and self.ends[final] < 0:
                final -= 1
            self.taken[row : final + 1] = True
            end = at = int(self.ends[final])
            row = int(np.searchsorted(self.heads, at))
        return end

    def _long(self, row: int) -> int:
        """Read the pointers of an object that has many; return where it ends, 0 when it is cut."""
        reader = self.reader
        before = reader.at
        reader.at = int(self.begins[row] + self.size[row])
        try:
            offsets = reader._many_fields()
        except _Cut:
            reader.at = before
            return 0
        end, reader.at = reader.at, before
        self.taken[row] = True
        self.longer[row] = offsets
        self.counts[row] = len(offsets)
        return end

    def columns(self) -> _Columns | None:
        """Return the columns of what was taken."""
        rows = np.flatnonzero(self.taken)
        if not len(rows):
            return None
        counts = self.counts[rows]
        starts = np.zeros(len(self.taken) + 1, np.int64)  # of each that was found, taken or not
        wide = np.zeros(len(self.taken), np.int64)
        wide[rows] = counts
        np.cumsum(wide, out=starts[1:])
        offsets = np.zeros(int(starts[-1]), np.int64)
        for number, (which, values) in enumerate(self.rounds):
            mine = self.taken[which]
            if self.longer:
                mine &= ~np.isin(which, np.fromiter(self.longer, np.int64))
            offsets[starts[which[mine]] + number] = values[mine].astype(np.int64)
        for row, many in self.longer.items():
            offsets[starts[row] : starts[row + 1]] = many
        owner = np.repeat(rows, counts)
        word = self.reader.dump.word
        good = (offsets >= 0) & (offsets <= self.size[owner] - word)
        offsets, owner = offsets[good], owner[good]
        words: UInt64s = self.reader.words[self.begins[owner] + offsets].astype(np.uint64)
        there = words != 0
        offsets, owner, words = offsets[there], owner[there], words[there]
        counts = np.bincount(owner, minlength=len(self.taken))[rows].astype(np.int64)
        return self.address[rows], self.size[rows], self.begins[rows], counts, offsets.astype(np.uint32), words


def varints(data: Bytes, places: Int64s) -> tuple[UInt64s, Int64s]:
    """Return the numbers that begin at these places, and how many bytes each takes: 0 where none ends."""
    value = np.zeros(len(places), np.uint64)
    length = np.zeros(len(places), np.int64)
    rows = np.arange(len(places))
    places = places.astype(np.int64)
    for at in range(10):
        inside = places < len(data)
        if not inside.all():
            rows, places = rows[inside], places[inside]
        if not len(rows):
            break
        byte = data[places]
        value[rows] |= (byte & 0x7F).astype(np.uint64) << np.uint64(7 * at)
        final = byte < 0x80
        length[rows[final]] = at + 1
        rows, places = rows[~final], places[~final] + 1
    return value, length


def read(data: Buffer, limits: Limits) -> Dump | None:
    """Return what stands in a dump; None when this is none."""
    if bytes(data[: len(HEADER)]) != HEADER:
        return None
    return _Reader(data, limits).read()

"""A profile as columns: values and stack ids over interned stacks, locations, functions and strings.

Mirrors pprof's message so that it can be written back without loss, but never as one object a sample.
All ids are row numbers of the table they point into; -1 means none. Arrays are read-only by convention.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Any, TypeVar, overload

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from oakum.model.frame import Frame, Stack

Int64s = NDArray[np.int64]
Int32s = NDArray[np.int32]
UInt64s = NDArray[np.uint64]
Bools = NDArray[np.bool_]


def offsets(lengths: Int64s | Bools | Sequence[int]) -> Int64s:
    """Return where each of several runs of these lengths starts, and at the end where the last one ends."""
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


_Number = TypeVar("_Number", bound=np.generic)


def unique_values(values: NDArray[_Number]) -> NDArray[_Number]:
    """Return each value once, in order: np.unique, which would import masked arrays for it, a tenth of numpy."""
    ordered = np.sort(values, axis=None)
    once: NDArray[_Number] = ordered[np.concatenate((np.ones(len(ordered[:1]), np.bool_), ordered[1:] != ordered[:-1]))]
    return once


def among(some: Int64s, ordered: Int64s) -> Bools:
    """Return which of some numbers are among others that are in order, which np.isin would not know and sort."""
    if not len(ordered):
        return np.zeros(len(some), np.bool_)
    found: Bools = ordered[np.minimum(np.searchsorted(ordered, some), len(ordered) - 1)] == some
    return found


def _places(text: bytes, word: bytes) -> Iterator[int]:
    """Yield where a word stands in a text: what an expression would find, at the speed of memory."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))


class Strings(Sequence[str]):
    """A string table that decodes an entry when it is asked for; entry 0 is "". Entry i is blob[starts[i]:ends[i]]."""

    __slots__ = ("_cache", "blob", "ends", "starts")

    def __init__(self, blob: bytes | memoryview, starts: Int64s, ends: Int64s) -> None:
        self.blob = blob
        self.starts = starts
        self.ends = ends
        self._cache: dict[int, str] = {}

    @classmethod
    def of(cls, texts: Iterable[str | bytes]) -> "Strings":
        """Return a table holding these texts in this order."""
        raw = [t if isinstance(t, bytes) else t.encode("utf-8", "surrogateescape") for t in texts]
        ends = np.cumsum([len(r) for r in raw], dtype=np.int64) if raw else np.zeros(0, np.int64)
        starts = np.concatenate(([0], ends[:-1])).astype(np.int64) if raw else np.zeros(0, np.int64)
        return cls(b"".join(raw), starts, ends)

    def __reduce__(self) -> tuple[object, ...]:
        return Strings.of, ([self.raw(at) for at in range(len(self))],)  # a view into a whole capture does not pickle

    def raw(self, index: int) -> bytes:
        """Return entry `index` as the bytes that stood in the profile."""
        return bytes(self.blob[int(self.starts[index]) : int(self.ends[index])])

    def raws(self, rows: Int64s | Int32s) -> list[bytes]:
        """Return these entries as the bytes that stood in the profile."""
        spans = zip(self.starts[rows].tolist(), self.ends[rows].tolist(), strict=True)
        return [bytes(self.blob[start:end]) for start, end in spans]

    def texts(self, rows: Int64s | Int32s) -> list[str]:
        """Return these entries; those that were not asked for before are decoded together, which is quicker."""
        wanted = rows.tolist()
        missing = [row for row in set(wanted) - self._cache.keys() if row >= 0]
        for row, raw in zip(missing, self.raws(np.array(missing, np.int64)), strict=True):
            self._cache[row] = raw.decode("utf-8", "replace")
        return [self._cache[row] if row >= 0 else "" for row in wanted]

    def starting_with(self, *prefixes: bytes) -> Int64s:
        """Return the entries that begin with one of these; the text is searched, not each entry."""
        rows = [np.zeros(0, np.int64)]
        text = bytes(self.blob)
        for prefix in prefixes:
            found = np.array([*_places(text, prefix)], np.int64)
            # Entries stand in the order of the text; of several that begin at one place all but the last are empty.
            at = np.searchsorted(self.starts, found, side="right") - 1
            rows.append(at[(self.starts[at] == found) & (self.ends[at] - found >= len(prefix))])
        return np.concatenate(rows)

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        index = int(index)
        if index < 0:
            return ""
        text = self._cache.get(index)
        if text is None:
            text = self._cache[index] = self.raw(index).decode("utf-8", "replace")
        return text


class ValueType(Struct, frozen=True):
    """What a column of values counts, and in which unit: inuse_space/bytes."""

    type: str
    unit: str

    def __str__(self) -> str:
        return f"{self.type}/{self.unit}"


class Mapping(Struct, frozen=True):
    """One mapped file of the process, as the profile gives it."""

    start: int = 0
    limit: int = 0
    offset: int = 0
    file: str = ""
    build_id: str = ""
    has_functions: bool = False
    has_filenames: bool = False
    has_line_numbers: bool = False
    has_inline_frames: bool = False


class Label(Struct, frozen=True):
    """One label of a sample: text, or a number with its unit."""

    key: str
    text: str = ""
    number: int = 0
    unit: str = ""


class LabelSets(Struct, frozen=True, eq=False):
    """Distinct sets of labels; set 0 is empty. Members of set i are rows starts[i]:starts[i+1] of the columns."""

    starts: Int64s
    key: Int32s
    text: Int32s
    number: Int64s
    unit: Int32s

    @classmethod
    def none(cls) -> "LabelSets":
        """Return the table that only holds the empty set."""
        empty = np.zeros(0, np.int32)
        return cls(np.zeros(2, np.int64), empty, empty, np.zeros(0, np.int64), empty)

    def __len__(self) -> int:
        return len(self.starts) - 1


class Functions(Struct, frozen=True, eq=False):
    """Columns of the function table; name, system_name and file are string rows."""

    name: Int32s
    system_name: Int32s
    file: Int32s
    start_line: Int64s

    def __len__(self) -> int:
        return len(self.name)


class Locations(Struct, frozen=True, eq=False):
    """Columns of the location table. Lines of location i are rows line_starts[i]:line_starts[i+1], innermost
    (the inlined callee) first. A location without lines is an address nobody has named."""

    address: UInt64s
    mapping: Int32s
    folded: Bools
    line_starts: Int64s
    line_function: Int32s
    line_number: Int64s

    def __len__(self) -> int:
        return len(self.address)


class Stacks(Struct, frozen=True, eq=False):
    """Stack i is locations[starts[i]:starts[i+1]], leaf first."""

    starts: Int64s
    locations: Int32s

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, row: int) -> Int32s:
        return self.locations[self.starts[row] : self.starts[row + 1]]


class Profile(Struct, frozen=True, eq=False):
    """A profile of any kind and producer. `values[t, s]` is the value of sample type t in sample s."""

    kind: str  # heap, allocs, goroutine, goroutineleak, threadcreate, block, mutex, cpu, or the sample type's own name
    sample_types: tuple[ValueType, ...]
    values: Int64s
    stack_ids: Int32s
    label_ids: Int32s
    stacks: Stacks
    label_sets: LabelSets
    locations: Locations
    functions: Functions
    strings: Strings
    mappings: tuple[Mapping, ...] = ()
    default_sample_type: str = ""
    period_type: ValueType | None = None
    period: int = 0
    time_nanos: int = 0
    duration_nanos: int = 0
    comments: tuple[str, ...] = ()
    drop_frames: str = ""
    keep_frames: str = ""
    doc_url: str = ""
    extra: dict[str, Any] = field(default_factory=dict)  # what one format adds and no other has

    @property
    def samples(self) -> int:
        return len(self.stack_ids)

    def labels(self, label_id: int) -> tuple[Label, ...]:
        sets, strings = self.label_sets, self.strings
        rows = range(int(sets.starts[label_id]), int(sets.starts[label_id + 1]))
        return tuple(
            Label(
                strings[int(sets.key[r])],
                strings[int(sets.text[r])],
                int(sets.number[r]),
                strings[int(sets.unit[r])],
            )
            for r in rows
        )

    def frames(self, location: int) -> Iterator[Frame]:
        """Yield the frames of one location, inlined callee first; an unnamed address reads `0x...`."""
        locations, functions, strings = self.locations, self.functions, self.strings
        first, last = int(locations.line_starts[location]), int(locations.line_starts[location + 1])
        if first == last:
            address = int(locations.address[location])
            yield Frame(f"{address:#x}" if address else "<unknown>")
        for row in range(first, last):
            function = int(locations.line_function[row])
            if function < 0:
                yield Frame("<unknown>")
                continue
            yield Frame(
                strings[int(functions.name[function])],
                strings[int(functions.file[function])],
                int(locations.line_number[row]),
            )

    def stack(self, row: int) -> Stack:
        """Return one row of the stack table as frames, leaf first."""
        return self.stacks_at([row])[0]

    def stacks_at(self, rows: Iterable[int]) -> list[Stack]:
        """Return several rows of the stack table as frames; a location that stands in many is decoded once."""
        wanted = [self.stacks[row].tolist() for row in rows]
        known = self._frames_at(list(dict.fromkeys(chain.from_iterable(wanted))))
        return [Stack(tuple(chain.from_iterable(map(known.__getitem__, locations)))) for locations in wanted]

    def _frames_at(self, wanted: list[int]) -> dict[int, tuple[Frame, ...]]:
        """Return what `frames` does, for many locations: their columns are looked up together."""
        locations, functions, strings = self.locations, self.functions, self.strings
        at = np.array(wanted, np.int64)
        first, last = locations.line_starts[at], locations.line_starts[at + 1]
        begin = offsets(last - first)
        lines = np.arange(int(begin[-1])) + np.repeat(first - begin[:-1], last - first)
        called = locations.line_function[lines]
        there = called >= 0
        names, files = strings.texts(functions.name[called[there]]), strings.texts(functions.file[called[there]])
        told = map(Frame, names, files, locations.line_number[lines[there]].tolist())
        frames = [next(told) if named else Frame("<unknown>") for named in there.tolist()]
        return {
            location: tuple(frames[start:end] if start < end else self.frames(location))
            for location, (start, end) in zip(wanted, pairwise(begin.tolist()), strict=True)
        }

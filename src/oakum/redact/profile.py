"""pprof protobuf -> the same profile with other strings: functions, files, labels, mappings, comments as tokens.

Only the string table is written anew; every other byte stays, so that samples, addresses and times are what they were.
"""

from collections.abc import Callable, Iterator

from oakum.model.varint import varint
from oakum.redact.names import Names
from oakum.redact.tokens import Tokens

_SAMPLE, _MAPPING, _FUNCTION, _STRING = 2, 3, 5, 6
_VALUE_TYPES = (1, 11)
# Keys of labels that Go itself and other profilers write; numbers stand behind them.
_OWN_LABELS = frozenset({b"bytes", b"thread", b"goroutine", b"request", b"alignment"})

# What profiles of Go and of others count, and in which units; a program may add profiles of its own (pprof.NewProfile).
_TYPES = frozenset(
    b"""goroutine goroutineleak threadcreate allocs heap block mutex samples cpu wall time delay contentions
    contention objects space alloc_objects alloc_space inuse_objects inuse_space alloc inuse count bytes
    nanoseconds microseconds milliseconds seconds growth fragmentation thread exception off-cpu unit
    objects_count process_cpu memory""".split()
)

# Number, value (of a varint), start and end of the content (of bytes), start and end of the field.
Field = tuple[int, int, int, int, int, int]
_MOST_FIELDS = 64  # number of a field of a profile; anything above is another message


class Broken(Exception):
    """No protobuf message is here."""


def redact_profile(data: bytes, names: Names, tokens: Tokens) -> bytes | None:
    """Return the profile with its names replaced; None when the bytes are no profile."""
    try:
        fields = list(_fields(data, 0, len(data), cut=True))
    except Broken:
        return None
    if not all(1 <= number <= _MOST_FIELDS for number, *_ in fields):
        return None
    texts = [data[start:end] for number, _, start, end, _, _ in fields if number == _STRING]
    if not texts or texts[0] != b"" or not any(number == 1 for number, *_ in fields):
        return None
    roles = _Roles(data, texts, names, tokens)
    try:
        for number, value, start, end, _, _ in fields:
            roles.see(number, value, start, end)
    except Broken:
        return None
    new = roles.told()
    out, row = [], 0
    for number, _, _, _, begin, stop in fields:
        if number == _STRING:
            out.append(b"\x32" + varint(len(new[row])) + new[row])
            row += 1
        else:
            out.append(data[begin:stop])
    return b"".join(out)


class _Roles:
    """What each string of the table is used for; the first of these roles decides what becomes of it."""

    def __init__(self, data: bytes, texts: list[bytes], names: Names, tokens: Tokens) -> None:
        self._data, self._texts, self._names, self._tokens = data, texts, names, tokens
        self._types: set[int] = {0}
        self._functions: set[int] = set()
        self._files: dict[int, int] = {}  # row of the file: row of the first function in it
        self._mapped: set[int] = set()
        self._labels: set[int] = set()

    def see(self, number: int, value: int, start: int, end: int) -> None:
        """Take one field of the profile."""
        if number in _VALUE_TYPES:
            self._types |= {one[1] for one in _fields(self._data, start, end) if one[0] in (1, 2)}
        elif number == 14:
            self._types.add(value)
        elif number == _FUNCTION:
            told = {one[0]: one[1] for one in _fields(self._data, start, end)}
            self._functions |= {told.get(2, 0), told.get(3, 0)}
            self._files.setdefault(told.get(4, 0), told.get(2, 0))
        elif number == _MAPPING:
            self._mapped |= {one[1] for one in _fields(self._data, start, end) if one[0] in (5, 6)}
        elif number == _SAMPLE:
            for one, _, first, last, _, _ in _fields(self._data, start, end):
                if one == 3:
                    told = {each[0]: each[1] for each in _fields(self._data, first, last)}
                    self._labels |= {told.get(1, 0), told.get(2, 0)}
                    self._types.add(told.get(4, 0))  # the unit of a number

    def told(self) -> list[bytes]:
        """Return the new string table; what nothing refers to, or only comments do, is left empty."""
        return [self._one(row, text) for row, text in enumerate(self._texts)]

    def _one(self, row: int, raw: bytes) -> bytes:
        text = raw.decode("utf-8", "surrogateescape")
        if row in self._types:
            return raw if raw in _TYPES or not raw else self._tokens.word(text).encode()
        change: Callable[[str], str] = lambda _: ""  # noqa: E731
        if row in self._functions:
            change = self._names.function
        elif row in self._files:
            function = self._texts[self._files[row]] if self._files[row] < len(self._texts) else b""
            return self._names.file(text, function.decode("utf-8", "surrogateescape")).encode(
                "utf-8", "surrogateescape"
            )
        elif row in self._mapped:
            change = self._names.program
        elif row in self._labels:
            change = (lambda label: label) if raw in _OWN_LABELS or not raw else self._tokens.word
        return change(text).encode("utf-8", "surrogateescape")


def _fields(data: bytes, at: int, size: int, *, cut: bool = False) -> Iterator[Field]:
    """Yield the fields of a message; where it may be `cut`, what is not whole at its end is left out."""
    while at < size:
        begin = at
        key, at = _read_varint(data, at, size)
        value = start = end = 0
        kind = key & 7
        if kind == 0:
            value, at = _read_varint(data, at, size)
        elif kind == 2:
            length, start = _read_varint(data, at, size)
            at = end = start + length
            if end > size and cut:
                return
            if end > size:
                raise Broken
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        else:
            raise Broken
        yield key >> 3, value, start, end, begin, at


def _read_varint(data: bytes, at: int, size: int) -> tuple[int, int]:
    value = shift = 0
    while at < size and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
    raise Broken

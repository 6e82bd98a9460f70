"""One pprof message while it is read: its fields by tag, its string table, and the problems met on the way."""

import numpy as np
from msgspec import Struct, field

from oakum.model import Argument, Problem, Strings
from oakum.parse.limits import Limits
from oakum.parse.wire import Fields, Int32s, Int64s, Numbers, UInt8s, UInt64s, Wire

# Ids up to so many times the number of rows are looked up in a table of their own.
DENSE = 16


class Message(Struct):
    """The top-level fields of a profile, and what the readers of its tables share."""

    wire: Wire
    limits: Limits
    tags: UInt8s
    values: UInt64s
    ends: Int64s
    strings: Strings = field(default_factory=lambda: Strings.of([""]))
    problems: list[Problem] = field(default_factory=list)
    bad_strings: int = 0

    def rows(self, tag: int) -> tuple[Int64s, Int64s]:
        """Return where the messages with this tag start and end."""
        chosen = np.flatnonzero(self.tags == tag)
        return self.values[chosen].astype(np.int64), self.ends[chosen]

    def first(self, most: int, rows: tuple[Int64s, Int64s], name: str) -> tuple[Int64s, Int64s]:
        """Return at most so many of the rows; more become a problem."""
        if len(rows[0]) > most:
            self.say("many.things", len(rows[0]), things=name, most=most)
        return rows[0][:most], rows[1][:most]

    def walk(self, starts: Int64s, ends: Int64s, name: str) -> Fields:
        """Return the fields of the messages at starts:ends; those that break off become a problem."""
        fields = self.wire.walk(starts, ends)
        self.say("broken-message", fields.broken, things=name)
        return fields

    def number(self, tag: int) -> int:
        """Return the last number with this tag, or 0."""
        found = self.tags.tobytes().rfind(tag)
        return int(self.values[found].astype(np.int64)) if found >= 0 else 0

    def text(self, row: int) -> str:
        """Return a string of the table; "" for a row beyond it."""
        if 0 <= row < len(self.strings):
            return self.strings[row]
        self.bad_strings += 1
        return ""

    def string_rows(self, column: UInt64s) -> Int32s:
        """Return string numbers as rows of the table, 0 for those beyond it."""
        beyond = column >= len(self.strings)
        bad = int(np.count_nonzero(beyond))
        if bad:
            self.bad_strings += bad
            column = np.where(beyond, np.uint64(0), column)
        return column.astype(np.int32)

    def named(self, ids: UInt64s, name: str) -> "Rows":
        """Return the rows of a table by their ids; ids that do not tell rows apart become a problem."""
        rows = Rows(ids)
        self.say("duplicate-id", rows.duplicates, things=name)
        self.say("no-ids", rows.count if rows.nameless else 0, things=name)
        return rows

    def say(self, name: str, count: int, /, **args: Argument) -> None:
        """Note a problem that concerns `count` things; none is no problem."""
        if count:
            self.problems.append(Problem.of(name, count=count, **args))


class Rows:
    """Which row an id stands for. Ids are arbitrary numbers; of equal ids the last counts, as in pprof.

    Some writers leave all ids out and refer to rows by their place, from 1 on.
    """

    def __init__(self, ids: UInt64s) -> None:
        self.count = len(ids)
        self.nameless = self.count > 1 and not ids.any()
        self._in_order = self.nameless or np.array_equal(ids, np.arange(1, self.count + 1, dtype=np.uint64))
        order = np.arange(self.count)
        self._dense = not self._in_order and int(ids.max()) < DENSE * self.count
        if self._dense:
            self._rows = np.full(int(ids.max()) + 1, -1, np.int32)
            self._rows[ids] = order
            self.duplicates = self.count - int(np.count_nonzero(self._rows >= 0))
        elif not self._in_order:
            order = np.argsort(ids, kind="stable")
            self._ids = ids[order]
            last = np.append(self._ids[1:] != self._ids[:-1], True)
            self._ids, self._rows = self._ids[last], order[last].astype(np.int32)
            self.duplicates = self.count - len(self._ids)
        else:
            self.duplicates = 0

    def of(self, ids: Numbers) -> Int32s:
        """Return the row of each id, -1 where the table has none."""
        if self._in_order:
            below = ids - ids.dtype.type(1)  # 0 becomes the largest number there is
            if len(below) and int(below.max()) >= self.count:
                below = np.where(below < self.count, below, below.dtype.type(0xFFFFFFFF))
            return below.astype(np.uint32, copy=False).view(np.int32)
        if self._dense:
            inside = ids < len(self._rows)
            return np.where(inside, self._rows[np.where(inside, ids, ids.dtype.type(0))], np.int32(-1))
        place = np.minimum(np.searchsorted(self._ids, ids), len(self._ids) - 1)
        return np.where(self._ids[place] == ids, self._rows[place], np.int32(-1))

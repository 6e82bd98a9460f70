"""A strand: what one source wrote to a log, in order, without one wrapping; and when, where the records say so."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from operator import itemgetter

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from oakum.model import Buffer, Problem
from oakum.parse.logs import stamps

# goroutine 7 [chan send]:
_HEADER = re.compile(rb"goroutine \d+ ")
# goroutine profile: total 203        heap profile: 1: 480 [3: 2097632] @ heap/1048576
_PROFILE = re.compile(rb" profile: ")


def _beginnings(text: bytes) -> list[int]:
    """Return where dumps and profiles may begin. Two searches for literals are faster than one for either."""
    profiles = [text.rfind(b"\n", 0, found.start()) + 1 for found in _PROFILE.finditer(text)]
    return sorted([*(found.start() for found in _HEADER.finditer(text)), *profiles])


class Mark(Struct, frozen=True):
    """Where a record that may begin a dump went: `was` in the wrapped text, `at` in the strand."""

    at: int
    was: int
    stamp: str = ""
    verbatim: int = 0  # so many bytes went over unchanged


class Strand:
    """Text of one source, gathered part by part."""

    __slots__ = ("cuts", "dialect", "marks", "parts", "problems", "size", "source")

    def __init__(self, dialect: str, source: str = "") -> None:
        self.dialect = dialect
        self.source = source
        self.parts: list[bytes] = []
        self.size = 0
        self.marks: list[Mark] = []
        self.cuts: list[int] = []  # where the writer itself left something out
        self.problems: list[Problem] = []

    @classmethod
    def of(
        cls, dialect: str, source: str, bodies: list[bytes], was: Sequence[int], written: Sequence[str | bytes | None]
    ) -> "Strand":
        """Return the strand of many records: their bodies, where each stood, and its time stamp."""
        strand = cls(dialect, source)
        text = b"".join(bodies)
        strand.parts, strand.size = [text], len(text)
        ends = np.cumsum(np.fromiter(map(len, bodies), np.int64, len(bodies)))
        rows = np.unique(np.searchsorted(ends, np.array(_beginnings(text), np.int64), "right"))
        before = None
        for row in rows.tolist():
            stamp = written[row] if written else ""
            shown = stamp.decode("latin-1") if isinstance(stamp, bytes) else stamp or ""
            if not shown or shown[:19] != before:  # a dump of a hundred thousand needs one mark a second
                strand.marks.append(Mark(int(ends[row]) - len(bodies[row]), was[row], shown))
                before = shown[:19]
        return strand

    @classmethod
    def rewritten(cls, dialect: str, before: bytes, after: bytes, source: str = "") -> "Strand":
        """Return the strand of a text that was changed as a whole; what it says stands in the same order as before."""
        strand = cls(dialect, source)
        strand.parts, strand.size = [after], len(after)
        places = zip(_beginnings(before), _beginnings(after), strict=False)
        strand.marks = [Mark(new, old) for old, new in places]
        return strand

    def add(self, body: bytes, was: int, stamp: str = "") -> None:
        """Append what was taken out of its wrapping at `was`."""
        self.marks.append(Mark(self.size, was, stamp))
        self.parts.append(body)
        self.size += len(body)

    def copy(self, body: bytes, was: int) -> None:
        """Append text that was not wrapped."""
        self.marks.append(Mark(self.size, was, verbatim=len(body)))
        self.parts.append(body)
        self.size += len(body)

    def complain(self, key: str) -> None:
        """Note a problem, once however often it is met."""
        if all(problem.key != key for problem in self.problems):
            self.problems.append(Problem.of(key))

    @property
    def text(self) -> bytes:
        if len(self.parts) > 1:
            self.parts = [b"".join(self.parts)]
        return self.parts[0] if self.parts else b""


class Unwrapped(Struct, frozen=True):
    """Plain text of one source, and what taking the wrappings off has told about it."""

    text: Buffer
    wrapping: tuple[str, ...] = ()  # outermost first
    source: str = ""  # containerd[1188], shop/api
    # (offset in text, time stamps of the records around it as written, innermost first), by offset
    stamps: tuple[tuple[int, tuple[str, ...]], ...] = ()
    cuts: tuple[int, ...] = ()  # offsets in text at which a writer left out the rest
    problems: tuple[Problem, ...] = ()

    def peeled(self, strand: Strand) -> "Unwrapped":
        """Return what is left of this text when `strand` was taken out of it."""
        again = self.wrapping[-1:] == (strand.dialect,)  # two indents, one inside the other, are one word to a reader
        return Unwrapped(
            text=strand.text,
            wrapping=self.wrapping if again else (*self.wrapping, strand.dialect),
            source="/".join(part for part in (self.source, strand.source) if part),
            stamps=tuple(pair for mark in strand.marks for pair in self._restamped(mark)),
            # A cut inside a field that is written out now was seen again there; one at the end is still one.
            cuts=(*strand.cuts, *((strand.size,) if self.cuts[-1:] == (len(self.text),) else ())),
            problems=(*self.problems, *strand.problems),
        )

    def with_problem(self, problem: Problem) -> "Unwrapped":
        return replace(self, problems=(*self.problems, problem))

    def _restamped(self, mark: Mark) -> Iterator[tuple[int, tuple[str, ...]]]:
        around = self.stamps_at(mark.was)
        stamp = stamps.find(mark.stamp.encode("latin-1", "replace")) or mark.stamp
        yield mark.at, (stamp, *around) if stamp else around
        if mark.verbatim:
            first, last = (
                bisect_right(self.stamps, at, key=itemgetter(0)) for at in (mark.was, mark.was + mark.verbatim)
            )
            for at, written in self.stamps[first:last]:
                yield mark.at + at - mark.was, written

    def stamps_at(self, offset: int) -> tuple[str, ...]:
        """Return the time stamps of the record that holds `offset`, innermost first."""
        row = bisect_right(self.stamps, offset, key=itemgetter(0)) - 1
        return self.stamps[row][1] if row >= 0 else ()

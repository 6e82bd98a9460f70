"""Where each legacy text profile begins and ends.

In: plain text, perhaps with foreign lines and several profiles of different kinds. Out: one `Block` for each profile
header, up to the next header. Reads no records: that is for the module of each format.
"""

import re
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from oakum.model import Buffer

BlockKind = Literal["count", "heap", "jemalloc", "contention", "thread", "java"]

# More profiles than this are an attack, not a log: a watcher that dumps once a minute writes 1,440 a day.
MAX_BLOCKS = 10_000
# Header lines are short; whatever is longer only costs time.
MAX_HEADER = 4096
# Lines that hold a literal and may be headers; a go test log of a million "--- PASS" lines is not worth more time.
_MAX_CANDIDATES = 1_000_000
_CHUNK = 4 << 20

# Literals first: they are found at memory speed, so that a gigabyte of something else is passed over quickly.
_LITERALS = (re.compile(rb" profile: "), re.compile(rb"heap_v2/"), re.compile(rb"--- "))

# goroutine profile: total 5171
# [2020-11-10 19:49:52.146]threadcreate profile: total 1013
_COUNT = re.compile(rb"(?:\xef\xbb\xbf)?(?P<before>.*[\]\s])?(?P<name>[^\s\]]+) profile: total (?P<total>\d{1,18})\s*$")
# heap profile: 1: 480 [3: 2097632] @ heap/1048576
# heap profile:    144:  8498176 [   144:  8498176] @ heapz_v2/524288
# heap profile:     85: 178257920 [    85: 178257920] @ growthz
_HEAP = re.compile(
    rb"heap profile: *(\d{1,20}): *(\d{1,20}) *\[ *(\d{1,20}): *(\d{1,20}) *\] *@ *"
    rb"(heap[_a-z0-9]*|growthz?|fragmentationz?)/?(\d{0,18})"
)
# heap_v2/524288          (jemalloc 4 and later; a first line of its own)
_JEMALLOC = re.compile(rb"\s*heap_v2/(\d{1,18})\s*$")
# --- contention:         --- mutex:          (Go)          --- contentionz 1 ---          (C++)
_CONTENTION = re.compile(rb"--- (?:(contention|mutex):|(contentionz) )")
# --- threadz 1 ---
_THREADZ = re.compile(rb"--- threadz \d+ ---")
# --- Thread 7f794ab90940 (name: main/14748) stack: ---
THREAD = re.compile(rb"--- Thread ([0-9a-fA-F]+) \(name: (.*)/(\d+)\) stack: ---")
# --- heapz 1 ---
_JAVA_HEAP = re.compile(rb"\s*--- heapz 1 ---\s*$")
# The attribute line:  format = java
_JAVA_FORMAT = re.compile(rb"^\s*format *= *java\s*$", re.MULTILINE)


class Block(Struct, frozen=True):
    """One profile's share of a text: from its header line to the next header (or the end)."""

    kind: BlockKind
    text: bytes
    start: int
    end: int
    first_line: int  # counted from 1
    header: re.Match[bytes]
    alone: bool  # the text holds nothing before it and no other profile
    more: bool = False  # profiles after this one were not looked at: there were too many

    def lines(self) -> Iterator[bytes]:
        """Yield the lines without their ends, header first."""
        position = self.start
        while position < self.end:
            stop = min(self.end, position + _CHUNK)
            if stop < self.end:
                newline = self.text.rfind(b"\n", position, stop)
                if newline < 0:
                    newline = self.text.find(b"\n", stop, self.end)
                stop = newline + 1 if newline >= 0 else self.end
            yield from self.text[position:stop].removesuffix(b"\n").split(b"\n")
            position = stop

    def where(self, lines: int) -> str:
        """Return which lines of the capture the first `lines` lines are; "" when the profile stands alone."""
        return "" if self.alone else f"lines {self.first_line}-{self.first_line + max(lines, 1) - 1}"

    def line(self, index: int) -> str:
        """Return how a problem names line `index` of this block (the header is 0)."""
        return f"line {self.first_line + index}"

    @property
    def cut(self) -> bool:
        """Return whether the text ends inside this block without a line end."""
        return self.last and not self.text.endswith(b"\n")

    @property
    def last(self) -> bool:
        return self.end == len(self.text)


def find(data: Buffer) -> tuple[Block, ...]:
    """Return the text profiles of a capture in the order they stand in it; () when there are none."""
    if not any(one.pattern in data if isinstance(data, bytes) else one.search(data) for one in _LITERALS):
        return ()
    text = data if isinstance(data, bytes) else bytes(data)
    headers: list[tuple[int, BlockKind, re.Match[bytes]]] = []
    for start, line in _candidates(text):
        found = _header(text, start, line)
        if found is None or (found[1].re is THREAD and headers and headers[-1][1] == "thread"):
            continue
        headers.append((start, *found))
        if len(headers) > MAX_BLOCKS:
            break
    blocks = []
    line_number, counted = 1, 0
    for index, (start, kind, match) in enumerate(headers[:MAX_BLOCKS]):
        line_number += text.count(b"\n", counted, start)
        counted = start
        end = headers[index + 1][0] if index + 1 < len(headers) else len(text)
        alone = len(headers) == 1 and not text[:start].strip()
        more = index + 1 == MAX_BLOCKS and len(headers) > MAX_BLOCKS
        blocks.append(Block(kind, text, start, end, line_number, match, alone, more))
    return tuple(blocks)


def _candidates(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield (offset, line) of the lines that hold one of the literals, in order, each once."""
    ahead = {literal: _next(literal, text, 0) for literal in _LITERALS}
    for _ in range(_MAX_CANDIDATES):
        position = min(ahead.values())
        if position == len(text):
            return
        start = text.rfind(b"\n", max(0, position - MAX_HEADER), position) + 1
        end = text.find(b"\n", position, position + MAX_HEADER)
        end = end if end >= 0 else min(len(text), position + MAX_HEADER)
        if start or position <= MAX_HEADER:
            yield start, text[start:end]
        for literal, found in ahead.items():
            if found < end:
                ahead[literal] = _next(literal, text, end)


def _next(literal: re.Pattern[bytes], text: bytes, start: int) -> int:
    found = literal.search(text, start)
    return found.start() if found else len(text)


def _header(text: bytes, start: int, line: bytes) -> tuple[BlockKind, re.Match[bytes]] | None:
    if match := _HEAP.search(line):
        return "heap", match
    if match := _COUNT.match(line):
        # Prose can say "the goroutine profile: total 5": after other words only a record makes it a header.
        if match["before"] and not match["before"].endswith(b"]"):
            following = text[start + len(line) + 1 : start + len(line) + 1 + 64].lstrip()
            if b" @" not in following.partition(b"\n")[0]:
                return None
        return "count", match
    if match := _JEMALLOC.match(line):
        return "jemalloc", match
    if match := _CONTENTION.match(line):
        return ("java" if _is_java(text, start) else "contention"), match
    if match := _JAVA_HEAP.match(line):
        return "java", match
    if match := _THREADZ.search(line) or THREAD.search(line):
        return "thread", match
    return None


def _is_java(text: bytes, start: int) -> bool:
    return _JAVA_FORMAT.search(text, start, start + 512) is not None

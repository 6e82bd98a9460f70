"""All goroutines of a text as rows: equal stacks are read once, everything unusual line by line.

Comes in: plain text of any size, walked in chunks. Goes out: one row of numbers a goroutine, the distinct headers and
stacks they point to, what stood between them. Refuses nothing: what cannot be read is a problem beside the rows.
"""

import re
from array import array
from dataclasses import dataclass, field
from time import monotonic
from typing import TypeVar

import numpy as np

from oakum.model.profile import Int64s
from oakum.parse.limits import Limits
from oakum.parse.stack_headers import Header, header
from oakum.parse.stack_lines import Body, BrokenHeader, Found, Lines, Mark

ID, HEAD, BODY, PARENT, START, END = range(6)  # columns of a row

_CHUNK = 1 << 20
_BEGIN = b"goroutine "
# (0xc000010000, {0x1, 0x2?}, ...)        at the end of a function's line
_ARGUMENTS = {eol: re.compile(rb"\([0-9a-fx, .{}?_]*\)" + eol) for eol in (b"\n", b"\r\n")}
#  fp=0xc000add7d0 sp=0xc000add7b0 pc=0x4b2256        (GOTRACEBACK=crash)
_POINTERS = re.compile(rb" fp=0x[0-9a-f]+ sp=0x[0-9a-f]+(?: pc=0x[0-9a-f]+)?(?=\r?\n)")
# [select, 12 minutes, locked to thread]:        gp=0 m=0 [select, 12 minutes]:
_MINUTES = re.compile(rb"^((?:gp=0 m=0 )?\[[^\]]*?), (\d{1,9}) minutes([^\d].*)$", re.DOTALL)
# gp=0xc000002380 m=0 mp=0x1a2b        gp=0x3a5696e38d20 m=nil
_CRASH_WORDS = re.compile(rb"gp=\S+ m=\S+(?: mp=\S+)? (?=\[)")
# \t/usr/local/go/src/net/http/server.go:2937 +0x266
_WHOLE_POSITION = re.compile(rb":\d+ \+0x[0-9a-f]+\s*$")
_LINE_ENDS = (b"", b"\n", b"\r\n")
_NUL = b"\0"  # stands for arguments and the parent's id; a chunk that holds one itself is read line by line
_FULL = {64 << 20: "net/http/pprof cuts debug=2 at 64 MiB", 64 << 10: "a fixed buffer of 64 KiB is too small"}
_LONGEST_KEY = 64 << 10  # a longer block holds more than a stack
_MOST_KEYS = 32 << 20  # bytes of distinct stacks remembered; what comes later is read line by line
_MOST_PROBLEMS = 1000
_DIGITS = 18  # of an id: more do not fit into 64 bits

_Known = TypeVar("_Known")


@dataclass(slots=True)
class Scan:
    """All goroutines of a text, with what stood between them."""

    text: memoryview
    limits: Limits
    lines: Lines
    heads: dict[tuple[Header, int], int] = field(default_factory=dict)  # with minutes; number of each distinct one
    bodies: dict[Body, int] = field(default_factory=dict)
    marks: list[tuple[int, Mark]] = field(default_factory=list)  # with the number of rows before
    fresh: list[int] = field(default_factory=list)  # rows that start a dump of their own: printed by one goroutine
    goleak: set[int] = field(default_factory=set)  # rows that goleak printed
    problems: list[tuple[int, str, str, int]] = field(default_factory=list)  # row, key, text, offset
    more_problems: int = 0
    unread: int = -1  # offset from which on nothing was looked at
    unread_because: str = ""
    torn: int = -1  # offset of the last line, which ends too early
    full: str = ""  # why the text has exactly the length that it has
    _rows: list[int] = field(default_factory=list)  # six numbers each
    _done: list[Int64s] = field(default_factory=list)
    _count: int = 0
    _head_of: dict[bytes, int] = field(default_factory=dict)
    _header_of: dict[bytes, tuple[Header, int] | tuple[()]] = field(default_factory=dict)
    _known: dict[bytes, tuple[int, int]] = field(default_factory=dict)  # body or -1, parent
    _fast: bool = False  # the last row was known already: its lines were not read
    _known_bytes: int = 0
    _pointers: bool = False  # positions carry fp= and sp=, which differ in each goroutine

    def run(self) -> Int64s:
        """Read all of the text and return its rows."""
        deadline = self.limits.deadline()
        size = min(len(self.text), self.limits.max_bytes)
        eol, other = b"\n", b"\r\n"
        at = 0
        while at < size:
            if at and monotonic() > deadline:
                self.unread, self.unread_because = at, f"Reading took longer than {self.limits.max_seconds:g} s"
                break
            chunk = bytes(self.text[at : min(at + _CHUNK, size)])
            blocks = chunk.split(eol + eol + _BEGIN)
            if len(blocks) == 1 and other + other + _BEGIN in chunk:
                eol, other = other, eol
                blocks = chunk.split(eol + eol + _BEGIN)
            rest = blocks.pop()  # goes on in the next chunk
            if blocks:
                end = at + len(chunk) - len(rest) - len(_BEGIN)
                self._blocks(blocks, at, eol, _NUL not in chunk)
            else:
                end = at
            if at + len(chunk) == size:
                self._finish(chunk[end - at :], end)
                break
            if end == at:
                end = at + (chunk.rfind(b"\n") + 1 or len(chunk))
                self._patiently(chunk[: end - at], at)
            self._store(keep=1)
            at = end
        if at + _CHUNK >= size < len(self.text):
            self.unread, self.unread_because = size, f"Only {size} bytes are looked at"
        self.lines.finish()
        self._drain()
        self._store()
        rows = np.concatenate(self._done) if self._done else np.zeros((0, 6), np.int64)
        self._done.clear()
        return rows

    def _blocks(self, blocks: list[bytes], start: int, eol: bytes, usable: bool) -> None:
        # All but the first lack the word that begins them; a blank line stands between each two. Below the header only
        # arguments and the parent's id differ among goroutines of one stack: what is left is the key it is known by.
        head_of, known, rows, lines, pointers = self._head_of, self._known, self._rows, self.lines, self._pointers
        if usable and blocks[0].startswith(_BEGIN):
            blocks[0] = blocks[0][len(_BEGIN) :]
        else:
            self._patiently(blocks[0], start)
            lines.feed(b"", start)
            start += len(blocks[0]) + 2 * len(eol)
            del blocks[0]
        bare, blank = _ARGUMENTS[eol].sub, _NUL + eol
        gap = 2 * len(eol)
        fast = self._fast
        for block in blocks:
            end = start + len(_BEGIN) + len(block)
            line, _, below = block.partition(b"\n")
            number, _, words = line.partition(b" ")
            head = head_of.get(words)
            if head is None:
                head = self._head(words)
            key = bare(blank, below)
            if pointers:
                key = _POINTERS.sub(b"", key)
            parent = 0
            front, at, tail = key.rpartition(b" in goroutine ")
            if at:
                maker, _, tail = tail.partition(eol)
                key = _NUL.join((front, tail))
                parent = int(maker) if maker.isdigit() and len(maker) <= _DIGITS else -1
            told = known.get(key)
            if told is None:
                told = self._learn(key, _BEGIN + block, parent)
                pointers = self._pointers
            goroutine = int(number) if number.isdigit() and len(number) <= _DIGITS else 0
            if told[0] >= 0 and head >= 0 and parent >= 0 and goroutine and below and usable and not lines.foreign:
                if lines.open is not None:
                    lines.finish()
                    self._drain()
                rows += (goroutine, head, told[0], parent or told[1], start, end)
                fast = True
            else:
                self._fast = fast
                self._patiently(_BEGIN + block, start)
                lines.feed(b"", end)
                fast = self._fast
            start = end + gap
        self._fast = fast

    def _head(self, words: bytes) -> int:
        # The waiting time and pointers differ most: what stands around them is read once.
        crash = _CRASH_WORDS.match(words)
        around = b"gp=0 m=0 " + words[crash.end() :] if crash else words
        waited = _MINUTES.match(around) if b"{" not in around else None
        if waited:
            around = waited[1] + waited[3]
        told = self._header_of.get(around)
        if told is None:
            read = header(b"goroutine 1 " + around)
            told = (read[1], read[2]) if read and around.rstrip().endswith(b":") else ()
            self._remember(self._header_of, around, told)
        head = -1
        if told:
            head = self.heads.setdefault((told[0], int(waited[2]) if waited else told[1]), len(self.heads))
        if not crash:
            self._remember(self._head_of, words, head)
        return head

    def _remember(self, known: dict[bytes, _Known], key: bytes, value: _Known) -> None:
        if self._known_bytes <= _MOST_KEYS:
            self._known_bytes += len(key)
            known[key] = value

    def _learn(self, key: bytes, block: bytes, parent: int) -> tuple[int, int]:
        # Only a block that is one goroutine from end to end, without doubts, may stand for others.
        told = (-1, 0)
        if len(key) > _LONGEST_KEY or self._known_bytes > _MOST_KEYS:
            return told
        self._pointers = self._pointers or b" fp=0x" in key
        lines = Lines(self.limits.max_depth)
        lines.feed_all(block, 0)
        lines.finish()
        found = lines.out[0] if len(lines.out) == 1 else None
        if (
            isinstance(found, Found)
            and (found.start, found.end) == (0, len(block))
            and not (found.problems or lines.foreign)
            and (not parent or found.parent == parent)
        ):
            told = (self.bodies.setdefault(found.body(), len(self.bodies)), 0 if parent else found.parent)
        self._remember(self._known, key, told)
        return told

    def _patiently(self, text: bytes, base: int) -> None:
        if self._fast and self.lines.open is None and header(text.partition(b"\n")[0]) is None:
            # What looks like a header is none: it may stand within the stack above.
            start, end = self._rows[START - 6], self._rows[END - 6]
            del self._rows[-6:]
            self.lines.feed_all(bytes(self.text[start:end]), start)
            self.lines.feed(b"", end)
        self._fast = False
        self.lines.feed_all(text, base)
        self._drain()

    def _drain(self) -> None:
        for found in self.lines.out:
            row = self._count + len(self._rows) // 6
            if isinstance(found, Mark):
                self.marks.append((row, found))
                continue
            if isinstance(found, BrokenHeader):
                self._note(row, [("bad-header", found.text, found.offset)])
                continue
            if found.fresh and found.header.state == "running" and found.frames:
                self.fresh.append(row)
            if found.goleak:
                self.goleak.add(row)
            self._note(row, found.problems)
            head = self.heads.setdefault((found.header, found.minutes), len(self.heads))
            body = self.bodies.setdefault(found.body(), len(self.bodies))
            self._rows += (found.id, head, body, found.parent, found.start, found.end)
        self.lines.out.clear()

    def _note(self, row: int, problems: list[tuple[str, str, int]]) -> None:
        room = max(0, _MOST_PROBLEMS - len(self.problems))
        self.problems += [(row, *problem) for problem in problems[:room]]
        self.more_problems += len(problems[room:])

    def _store(self, keep: int = 0) -> None:
        # The last row stays at hand: what follows may belong to it.
        done = len(self._rows) - 6 * keep
        if done > 0:
            self._done.append(np.frombuffer(array("q", self._rows[:done]), np.int64).reshape(-1, 6))
            self._count += done // 6
            del self._rows[:done]

    def _finish(self, tail: bytes, base: int) -> None:
        # A last line without an end may be torn: it counts only if nothing can be missing.
        before, newline, last = tail.rpartition(b"\n")
        at = base + len(before) + len(newline)
        self._patiently(before + newline, base)
        lines = self.lines
        inside = lines.open is not None and not lines.paused and (lines.waiting or not lines.open.whole)
        if inside:
            torn = bool(last) and not _WHOLE_POSITION.search(last)
        else:
            torn = last.startswith(_BEGIN) or (bool(last) and _BEGIN.startswith(last))
        told = header(last)
        if told is not None or not torn:
            self._patiently(last, at)
        if lines.waiting and not lines.paused:
            torn = True
            at = at if last else base + before.rfind(b"\n") + 1
        elif lines.open is not None and lines.open.bare and self.text[lines.open.end :] in _LINE_ENDS:
            torn, at = True, lines.open.start
        size = len(self.text)
        # Println adds a newline to a buffer that is full.
        self.full = _FULL.get(size, "") or (_FULL.get(size - 1, "") if inside else "")
        if torn or self.full:
            self.torn = at
            if lines.open is not None and (inside or told):
                lines.tear()


__all__ = ["BODY", "END", "HEAD", "ID", "PARENT", "START", "Scan"]

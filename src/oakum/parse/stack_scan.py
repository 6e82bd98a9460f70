"""All goroutines of a text as rows: equal stacks are read once, everything unusual line by line.

Comes in: plain text of any size, walked in chunks. Goes out: one row of numbers a goroutine, the distinct headers and
stacks they point to, what stood between them. Refuses nothing: what cannot be read is a problem beside the rows.
"""

import re
from functools import lru_cache
from time import monotonic
from typing import TypeVar

import numpy as np
from msgspec import Struct, field

from oakum.model import Problem
from oakum.model.profile import Int64s
from oakum.parse.limits import Limits
from oakum.parse.stack_headers import Header, header
from oakum.parse.stack_lines import Body, BrokenHeader, Found, Lines, Mark

_T = TypeVar("_T")
ID, HEAD, MINUTES, BODY, PARENT, START, END = range(7)  # columns of a row
_WIDTH = END + 1

_CHUNK = 1 << 17  # what is read over and over should stay in the cache of a core
_BEGIN = b"goroutine "
# (0xc000010000, {0x1, 0x2?}, ...)        at the end of a function's line; those of () and (...) are all the same
_ARGUMENTS = {eol: re.compile(rb"\([0{_][0-9a-fx, .{}?_]*+\)" + eol) for eol in (b"\n", b"\r\n")}
#  fp=0xc000add7d0 sp=0xc000add7b0 pc=0x4b2256        (GOTRACEBACK=crash)
_POINTERS = re.compile(rb" fp=0x[0-9a-f]+ sp=0x[0-9a-f]+(?: pc=0x[0-9a-f]+)?(?=\r?\n)")
# gp=0xc000002380 m=0 mp=0x1a2b        gp=0x3a5696e38d20 m=nil
_CRASH_WORDS = re.compile(rb"gp=\S+ m=\S+(?: mp=\S+)? (?=\[)")
# [chan receive, 12 minutes]:        [select, 3 minutes, locked to thread]:
_WAITED = re.compile(rb"(\[[A-Za-z. ()]+(?<! minutes)), (\d{1,9}) minutes((?:, [^\]{}]*)?\]:\r?)")
# \t/usr/local/go/src/net/http/server.go:2937 +0x266
_WHOLE_POSITION = re.compile(rb":\d+ \+0x[0-9a-f]+\s*$")
_MINUTES_END = b" minutes]:"
_MOST_LATEST = 4096  # creators
_NOBODY = (-1, 0, b"")
_LOOK = 4096  # bytes of a chunk in which the pointers of a crash are looked for
_LINE_ENDS = (b"", b"\n", b"\r\n")
_NUL = b"\0"  # stands for arguments in a key; a chunk that holds one itself is read line by line
_PARENT = b"\0\0"  # stands for ` in goroutine 17` and the end of its line
_SOMEBODY = b"999999999999999999"  # the parent's id while a key is read; Go counts from 1
_FULL = {64 << 20: "net-http-pprof", 64 << 10: "buffer"}  # what cuts a dump there
_LONGEST_KEY = 64 << 10  # a longer block holds more than a stack
_LONGEST_SHARED = 4096  # bytes of a stack that is remembered for the next dump, which is often of the same program
_MOST_KEYS = 32 << 20  # bytes of distinct stacks remembered; what comes later is read line by line
_LONGEST_STACK = 2 << 20  # bytes from a header to the last of its frames, lines of a log among them
_REASON = 4096  # bytes before a dump in which a runtime says why it prints one
_MOST_PROBLEMS = 1000
_DIGITS = 18  # of an id: more do not fit into 64 bits
_MINUTE_DIGITS = 9


class Scan(Struct):
    """All goroutines of a text, with what stood between them."""

    text: memoryview
    limits: Limits
    lines: Lines
    pure_only: bool = False  # reading ends where lines come that are no part of a goroutine
    heads: dict[Header, int] = field(default_factory=dict)  # number of each distinct one
    bodies: dict[Body, int] = field(default_factory=dict)
    marks: list[tuple[int, Mark]] = field(default_factory=list)  # with the number of rows before
    fresh: list[int] = field(default_factory=list)  # rows that start a dump of their own: printed by one goroutine
    goleak: set[int] = field(default_factory=set)  # rows that goleak printed
    problems: list[tuple[int, Problem, int]] = field(default_factory=list)  # with row and offset
    more_problems: int = 0
    unread: int = -1  # offset from which on nothing was looked at
    unread_because: Problem | None = None
    torn: int = -1  # offset of the last line, which ends too early
    full: str = ""  # what made the text exactly as long as it is
    _rows: list[int] = field(default_factory=list)  # the columns of each
    _done: list[Int64s] = field(default_factory=list)
    _count: int = 0
    _head_of: dict[bytes, tuple[int, int]] = field(default_factory=dict)  # head or -1, minutes
    _waiting: dict[bytes, int] = field(default_factory=dict)  # head, by what stands before the minutes: [chan receive
    _known: dict[bytes, tuple[int, int]] = field(default_factory=dict)  # body or -1, parent
    _latest: dict[bytes, tuple[int, int, bytes]] = field(default_factory=dict)  # body, parent, key up to the parent
    _fast: bool = False  # the last row was known already: its lines were not read
    _known_bytes: int = 0
    _heard: int = -_LONGEST_STACK  # where the last chunk with a header ended

    def run(self) -> Int64s:
        """Read all of the text and return its rows."""
        deadline = self.limits.deadline()
        size = min(len(self.text), self.limits.max_bytes)
        eol, other = b"\n", b"\r\n"
        at = 0
        while at < size and (self.lines.pure or not self.pure_only):
            if at and monotonic() > deadline:
                self.unread = at
                self.unread_because = Problem.of("not-read-to-the-end.slow", seconds=self.limits.max_seconds)
                break
            chunk = bytes(self.text[at : min(at + _CHUNK, size)])
            last = chunk.rfind(eol + eol + _BEGIN)
            if last < 0 and other + other + _BEGIN in chunk:
                eol, other = other, eol
                last = chunk.rfind(eol + eol + _BEGIN)
            end = at
            if last >= 0:  # what follows goes on in the next chunk
                end += last + 2 * len(eol)
                self._blocks(chunk[:last], at, eol)
                self._heard = end
            if at + len(chunk) == size:
                self._finish(chunk[end - at :], end)
                break
            if end == at:
                end = at + (chunk.rfind(b"\n") + 1 or len(chunk))
                self._between(chunk[: end - at], at)
            self._store(keep=1)
            at = end
        if at + _CHUNK >= size < len(self.text):
            self.unread, self.unread_because = size, Problem.of("not-read-to-the-end.large", size=size)
        self.lines.finish()
        self._drain()
        self._store()
        rows = np.concatenate(self._done) if self._done else np.zeros((0, _WIDTH), np.int64)
        self._done.clear()
        return rows

    def _blocks(self, text: bytes, start: int, eol: bytes) -> None:
        # All but the first lack the word that begins them; a blank line stands between each two. Below the header only
        # arguments and the parent's id differ among goroutines of one stack: what is left is the key it is known by.
        head_of, waiting = self._head_of, self._waiting
        known, latest, rows, lines = self._known, self._latest, self._rows, self.lines
        usable = _NUL not in text
        separator = eol + eol + _BEGIN
        blocks = _ARGUMENTS[eol].sub(_NUL + eol, text).split(separator)
        starts, ends = _spans(text, separator, len(blocks))
        crash = b" fp=0x" in text[-_LOOK:]  # printed of every frame or of none
        if usable and text.startswith(_BEGIN):
            blocks[0] = blocks[0][len(_BEGIN) :]
        else:
            self._patiently(text[: ends[0]], start)
            lines.feed(b"", start)
            del blocks[0], starts[0], ends[0]
        fast = self._fast
        for block, begin, end in zip(blocks, starts, ends, strict=True):
            line, _, key = block.partition(b"\n")
            if crash:
                key = _POINTERS.sub(b"", key)
            number, _, words = line.partition(b" ")
            state, _, waited = words.partition(b", ")
            digits = waited[: -len(_MINUTES_END)]
            usual = state in waiting and digits.isdigit() and len(digits) <= _MINUTE_DIGITS
            if usual and waited.endswith(_MINUTES_END):
                head, minutes = waiting[state], int(digits)
            else:
                head, minutes = head_of.get(words) or self._head(words)
            front, at, tail = key.rpartition(b" in goroutine ")
            if at:
                maker, _, place = tail.partition(eol)
                parent = int(maker) if maker.isdigit() and len(maker) <= _DIGITS else -1
                # Most of what is created at one place has one stack, and to compare two is cheaper than to hash one.
                body, named, before = latest.get(place, _NOBODY)
                if front != before:
                    key = front + _PARENT + place
                    body, named = known.get(key) or self._learn(key, eol)
                    if len(front) <= _LONGEST_SHARED and len(latest) < _MOST_LATEST:
                        latest[place] = body, named, front
            else:
                parent = 0
                body, named = known.get(key) or self._learn(key, eol)
            goroutine = int(number) if number.isdigit() and len(number) <= _DIGITS else 0
            if body >= 0 and head >= 0 and parent >= 0 and goroutine and usable and not lines.foreign:
                if lines.open is not None:
                    lines.finish()
                    self._drain()
                rows += (goroutine, head, minutes, body, parent or named, start + begin, start + end)
                fast = True
            else:
                self._fast = fast
                self._patiently(text[begin:end], start + begin)
                lines.feed(b"", start + end)
                fast = self._fast
        self._fast = fast

    def _head(self, words: bytes) -> tuple[int, int]:
        # The waiting time and pointers differ most: what stands around them is read once.
        crash = _CRASH_WORDS.match(words) if words.startswith(b"gp=") else None
        around, waited = _without_minutes(b"gp=0 m=0 " + words[crash.end() :] if crash else words)
        told = self._head_of.get(around)
        if told is None:
            read = header(b"goroutine 1 " + around) if around.rstrip().endswith(b":") else None
            told = (self.heads.setdefault(read[1], len(self.heads)), read[2]) if read else (-1, -1)
            self._remember(self._head_of, around, told)
        if waited >= 0:
            told = (told[0], waited)
            state, _, minutes = words.partition(b", ")
            if minutes.endswith(_MINUTES_END) and _WAITED.fullmatch(words):
                self._remember(self._waiting, state, told[0])
                return told
        if not crash:
            self._remember(self._head_of, words, told)
        return told

    def _remember(self, known: dict[bytes, _T], key: bytes, value: _T) -> None:
        if self._known_bytes <= _MOST_KEYS:
            self._known_bytes += len(key)
            known[key] = value

    def _learn(self, key: bytes, eol: bytes) -> tuple[int, int]:
        told = (-1, 0)
        if len(key) > _LONGEST_KEY or self._known_bytes > _MOST_KEYS:
            return told
        read = _stack if len(key) <= _LONGEST_SHARED else _stack.__wrapped__
        stack = read(key, eol, self.limits.max_depth)
        if stack is not None:
            told = (self.bodies.setdefault(stack[0], len(self.bodies)), stack[1])
            self.lines.pure = self.lines.pure and stack[2]
        self._remember(self._known, key, told)
        return told

    def _patiently(self, text: bytes, base: int) -> None:
        if self._fast and self.lines.open is None and header(text.partition(b"\n")[0]) is None:
            # What looks like a header is none: it may stand within the stack above.
            start, end = self._rows[START - _WIDTH], self._rows[END - _WIDTH]
            del self._rows[-_WIDTH:]
            self.lines.feed_all(bytes(self.text[start:end]), start)
            self.lines.feed(b"", end)
        self._fast = False
        self.lines.feed_all(text, base)
        self._drain()

    def _between(self, text: bytes, base: int) -> None:
        # A log around dumps: far from any header only what stands last counts, which may say why a dump follows.
        if b"oroutine " in text:
            self._heard = base + len(text)
        elif base - self._heard >= _LONGEST_STACK:
            self.lines.finish()
            self._drain()
            self.lines.foreign, self._fast = True, False
            before = text.rfind(b"\n", 0, max(0, len(text) - _REASON)) + 1
            text, base = text[before:], base + before
        self._patiently(text, base)

    def _drain(self) -> None:
        for found in self.lines.out:
            row = self._count + len(self._rows) // _WIDTH
            if isinstance(found, Mark):
                self.marks.append((row, found))
                continue
            if isinstance(found, BrokenHeader):
                self._note(row, [(Problem.of("bad-header", line=found.line), found.offset)])
                continue
            if found.fresh and found.header.state == "running" and found.frames:
                self.fresh.append(row)
            if found.goleak:
                self.goleak.add(row)
            self._note(row, found.problems)
            head = self.heads.setdefault(found.header, len(self.heads))
            body = self.bodies.setdefault(found.body(), len(self.bodies))
            self._rows += (found.id, head, found.minutes, body, found.parent, found.start, found.end)
        self.lines.out.clear()

    def _note(self, row: int, problems: list[tuple[Problem, int]]) -> None:
        room = max(0, _MOST_PROBLEMS - len(self.problems))
        self.problems += [(row, *problem) for problem in problems[:room]]
        self.more_problems += len(problems[room:])

    def _store(self, keep: int = 0) -> None:
        # The last row stays at hand: what follows may belong to it.
        done = len(self._rows) - _WIDTH * keep
        if done > 0:
            self._done.append(np.array(self._rows[:done], np.int64).reshape(-1, _WIDTH))
            self._count += done // _WIDTH
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


def _spans(text: bytes, separator: bytes, blocks: int) -> tuple[list[int], list[int]]:
    """Return where each block of a text starts, with the word that begins it, and where it ends."""
    gap = len(separator) - len(_BEGIN)
    apart = gap // 2  # bytes from one newline to the next across a blank line
    newline = np.frombuffer(text, np.uint8) == ord("\n")
    ends = (np.flatnonzero(newline[:-apart] & newline[apart:]) - (apart - 1)).tolist()
    if len(ends) != blocks - 1:  # there are blank lines within blocks too
        ends = [found.start() for found in re.finditer(separator, text)]
    return [0, *(end + gap for end in ends)], [*ends, len(text)]


def _without_minutes(words: bytes) -> tuple[bytes, int]:
    """Return the words of a header without its waiting time, and that in minutes; as they are and -1 without one."""
    if usual := _WAITED.fullmatch(words):
        before, minutes, behind = usual.groups()
        return before + behind, int(minutes)
    # [select, 12 minutes, locked to thread]:        gp=0 m=0 [select, 12 minutes]:
    front, _, behind = words.partition(b" minutes")
    before, _, minutes = front.rpartition(b", ")
    if not minutes.isdigit() or len(minutes) > _MINUTE_DIGITS or words.find(b"{") >= 0:  # labels hold anything
        return words, -1
    inside = before.startswith((b"[", b"gp=0 m=0 [")) and before.find(b"]") < 0 and behind.startswith((b"]", b","))
    return (before + behind, int(minutes)) if inside else (words, -1)


@lru_cache(maxsize=4096)
def _stack(key: bytes, eol: bytes, max_depth: int) -> tuple[Body, int, bool] | None:
    """Return what goroutines of this key share, the parent that it names itself, and whether each line is a part of it.

    None unless it is one goroutine from end to end, without doubts: only such a block may stand for others.
    """
    if _SOMEBODY in key:
        return None
    block = b"goroutine 1 [running]:" + eol
    block += key.replace(_PARENT, b" in goroutine " + _SOMEBODY + eol).replace(_NUL + eol, b"()" + eol)
    lines = Lines(max_depth)
    lines.feed_all(block, 0)
    lines.finish()
    found = lines.out[0] if len(lines.out) == 1 else None
    if not isinstance(found, Found) or (found.start, found.end) != (0, len(block)) or found.problems or lines.foreign:
        return None
    named = _PARENT in key
    if named and found.parent != int(_SOMEBODY):
        return None
    return found.body(), 0 if named else found.parent, lines.pure

"""The lines of goroutine stacks as text, read one by one with patience: headers, frames, creators, ancestors.

Comes in: lines with their offsets, foreign lines among them. Goes out: goroutines (`Found`) and marks between them
(`panic:`, `SIGQUIT: quit`). Never raises; a line that is no part of a stack is passed over.
"""

import re
from functools import lru_cache

from msgspec import Struct, field

from oakum.model import Frame, Problem, Stack
from oakum.parse.stack_headers import Header, bracket, header, plain

# [Goroutine 40117 in state chan send, with pkg.(*worker).loop.func1 on top of the stack:        (goleak)
_GOLEAK = re.compile(rb"^[\s\[]*Goroutine (\d{1,18}) in state ([^\n]*), with (\S*) on top of the stack:")
# goroutine 12 [sele
_BROKEN_HEADER = re.compile(rb"^goroutine \d+ (?:\[|gp=)")
# created by net/http.(*Server).Serve in goroutine 1        (" in goroutine 1" from Go 1.21 on)
_CREATED = re.compile(rb"^created by (\S+(?: \S+)*?)(?: in goroutine (\d{1,18}))?$")
# [originating from goroutine 1]:        (GODEBUG=tracebackancestors=N)
_ORIGIN = re.compile(rb"^\[originating from goroutine (\d{1,18})\]:?$")
# ...additional frames elided...        ...23 frames elided...  (Go 1.21+)
_ELIDED = re.compile(rb"^\.\.\.(?:additional|\d+) frames elided\.\.\.$")
# /usr/local/go/src/net/http/server.go:2937 +0x266        C:/Users/x/pprof.go:693 +0x9f        _cgo_gotypes.go:43
# /src/runtime/proc.go:381 +0xd6 fp=0xc000add7d0 sp=0xc000add7b0 pc=0x4b2256        /tmp/x.c:12 pc=0x47d86a  (cgo)
_POSITION = re.compile(
    rb"^(\S.*?):(\d{1,9})(?: \+?0x[0-9a-f]+)?(?: fp=0x[0-9a-f]+ sp=0x[0-9a-f]+)?(?: pc=0x[0-9a-f]+)?$"
)
# pc=0x47d86a  (non-Go function)        /usr/local/go/src/runtime/asm_amd64.s +0x1  (no line)
_BARE_POSITION = re.compile(rb"^(?:(\S+\.\S+)(?: \+0x[0-9a-f]+)?|pc=0x[0-9a-f]+)$")
# main.main        (gccgo)        sleep_loop        non-Go function        (cgo)
_BARE_NAME = re.compile(rb"^(?:[A-Za-z_\x80-\xff][^\s()]*|non-Go function)$")
# rax    0xfffffffffffffffc        r15     0x1000        lr      0x10
_REGISTER = re.compile(rb"^[a-z]\w{1,7} +0x[0-9a-f]+$")
# panic: boom [recovered]        fatal error: concurrent map writes        PC=0x4e42c1 m=0 sigcode=0
# SIGQUIT: quit        ^\SIGQUIT: quit        me@host:~$ SIGABRT: abort
_MARK = re.compile(rb"^(?:\^\\|\S{1,80}[$#] )?(panic: .*|fatal error: .*|SIG[A-Z0-9]{2,9}: [a-z].*|PC=0x.*)")
# INFO[0042] === BEGIN goroutine stack dump ===        (dockerd, containerd: says that, not why)
_BEGIN = b"=== BEGIN goroutine stack dump ==="
_UNAVAILABLE = b"goroutine running on other thread; stack unavailable"
_ARGUMENT_BYTES = b"0123456789abcdefx, .{}?_"
_LONGEST_LINE = 1 << 16  # a longer one is no line of a stack; Go's own symbol names stay far below


class Body(Struct, frozen=True):
    """Everything below the header that goroutines of one group share."""

    frames: tuple[Frame, ...] = ()
    truncated: bool = False
    created_by: Frame | None = None
    ancestors: tuple[Stack, ...] = ()


class Found(Struct):
    """One goroutine while its lines are being read, and afterwards."""

    id: int
    header: Header
    minutes: int
    start: int
    end: int
    fresh: bool = False  # lines that belong to no stack stood between it and the goroutine before
    goleak: bool = False
    frames: list[Frame] = field(default_factory=list)
    arguments: list[bytes] = field(default_factory=list)  # of each frame, as printed
    truncated: bool = False
    created_by: Frame | None = None
    parent: int = 0
    ancestors: list[list[Frame]] = field(default_factory=list)
    elided: set[int] = field(default_factory=set)  # rows of ancestors whose stacks are incomplete
    problems: list[tuple[Problem, int]] = field(default_factory=list)  # with offset

    def body(self) -> Body:
        """Return what goroutines of its group share with it."""
        ancestors = tuple(Stack(tuple(frames), row in self.elided) for row, frames in enumerate(self.ancestors))
        return Body(tuple(self.frames), self.truncated, self.created_by, ancestors)

    @property
    def bare(self) -> bool:
        """Return whether nothing but its header was printed, not even that its stack is unavailable."""
        return not (self.frames or self.created_by or self.truncated or self.ancestors or self.goleak)

    @property
    def whole(self) -> bool:
        """Return whether its last frame is known to be its first: the creator or main.main was printed."""
        return self.created_by is not None or bool(self.frames and self.frames[-1].function == "main.main")


class Mark(Struct, frozen=True):
    """A line before a dump that says why it was written; `again` when it only repeats threads of the dump above."""

    text: str
    offset: int
    again: bool = False


class BrokenHeader(Struct, frozen=True):
    """A line that begins as a header and is none; the stack below it is nobody's."""

    line: str
    offset: int


@lru_cache(maxsize=1 << 16)
def frame(function: bytes, file: bytes, line: int) -> Frame:
    """Return one shared frame for equal lines."""
    return Frame(plain(function), plain(file), line)


def call(line: bytes) -> tuple[bytes, bytes] | None:
    """Return (function, arguments) of `pkg.(*T).M(0xc000010000, {0x1, 0x2?}, ...)`, or None."""
    if not line.endswith(b")"):
        return None
    at = line.rfind(b"(")
    name, arguments = line[:at], line[at + 1 : -1]
    if at <= 0 or arguments.translate(None, _ARGUMENT_BYTES):
        return None
    # A type argument may hold blanks; a log line that happens to end in () does so outside brackets.
    if b" " in name and not (b"[" in name and b" " not in name.partition(b"[")[0]):
        return None
    if name.count(b"(") != name.count(b")"):
        return None
    return name, arguments


class Lines:
    """Reads lines in order; finished goroutines and marks gather in `out`."""

    def __init__(self, max_depth: int) -> None:
        self.out: list[Found | Mark | BrokenHeader] = []
        self.open: Found | None = None
        self.foreign = False  # marks or lines of no stack came since the last goroutine
        self.threads = 0  # headers of goroutine 0 passed over
        self.pure = True  # every line so far was blank or a part of a goroutine
        self._max_depth = max_depth
        self._indent = b""
        # ("call", "created", "late" or "bare"; name; arguments; offset): a name whose position has not come yet
        self._pending: tuple[str, bytes, bytes, int] | None = None
        self._paused = False  # a blank line came: only a whole frame goes on with the stack
        self._skipping = False  # in `runtime stack:`, registers or a race report
        self._dashes = False
        self._marked = False
        self._strange = b""

    def feed(self, line: bytes, offset: int) -> None:
        """Take one line (without its end) that starts at `offset` of the text."""
        if len(line) > _LONGEST_LINE:
            self.pure = False
            return
        text = line.strip()
        if not text:
            self._paused = True
            return
        if b"oroutine " in text and self._begins(line, offset):
            return
        indented = line[len(self._indent) : len(self._indent) + 1] in (b"\t", b" ")
        if not indented and self._between(text, offset):
            self.pure = False
        elif self._skipping or self.open is None:
            self.foreign, self.pure = True, False
        elif self._in_stack(self.open, text, indented, offset):
            self.open.end = offset + len(line.rstrip())
        else:
            self._strange, self.pure = text, False
            self.foreign = self.foreign or self._paused or self.open.whole

    def feed_all(self, text: bytes, offset: int) -> None:
        """Take all lines of a text that starts at `offset`."""
        lines = text.split(b"\n")
        if not lines[-1]:  # the end of the last line, no blank one
            lines.pop()
        for line in lines:
            self.feed(line, offset)
            offset += len(line) + 1

    def finish(self) -> None:
        """Close the goroutine that is open, if any."""
        self._leave_pending()
        if self.open is not None:
            self.out.append(self.open)
        self.open = None
        self._paused = self._skipping = self._dashes = False
        self._strange = b""

    def tear(self) -> None:
        """Mark the open stack as incomplete: the text ends within it."""
        if self.open is not None:
            problems = len(self.open.problems)
            self._leave_pending()
            del self.open.problems[problems:]
            self.open.truncated = True

    @property
    def waiting(self) -> bool:
        """Return whether a function or creator was named and its position has not come yet."""
        if self._pending is None or self._pending[0] == "late":
            return False
        return self._pending[0] != "bare" or b"." in self._pending[1]

    @property
    def paused(self) -> bool:
        """Return whether a blank line came since the last line of the open stack."""
        return self._paused

    def _begins(self, line: bytes, offset: int) -> bool:
        leak = _GOLEAK.match(line)
        if leak is not None:
            minutes, head = bracket(b"[" + leak[2] + b"]")
            self._start(Found(int(leak[1]), head, minutes, offset, offset + len(line.rstrip()), goleak=True), b"")
            self.foreign, self.pure = True, False  # its own header may follow
            return True
        found = header(line)
        if found is None:
            if not _BROKEN_HEADER.match(line.lstrip()):
                return False
            self._skip()
            self.pure = False
            self.out.append(BrokenHeader(plain(line.strip()[:80]), offset))
            return True
        number, head, minutes, start = found
        self.pure = self.pure and number > 0 and not start
        indent = line[:start] if not line[:start].strip() else b""
        current = self.open
        if current is not None and current.goleak and current.id == number and not current.frames:
            current.header, current.minutes = head, minutes
            self._indent, self.foreign = indent, False
        elif number == 0:  # the stack of a thread, no goroutine
            self._skip()
            self.threads += 1
        else:
            self._start(Found(number, head, minutes, offset + start, offset + len(line.rstrip())), indent)
        return True

    def _start(self, found: Found, indent: bytes) -> None:
        self.finish()
        found.fresh = self.foreign
        self.open, self._indent = found, indent
        self.foreign = self._marked = False

    def _skip(self) -> None:
        self.finish()
        self._skipping = self.foreign = True

    def _between(self, text: bytes, offset: int) -> bool:
        # Lines that end a stack: marks of a new dump, sections that are no goroutine's.
        mark = _MARK.match(text)
        if mark is not None:
            again = self._dashes and mark[1].startswith(b"SIG")
            self.finish()
            if not (self._marked and mark[1].startswith(b"PC=")):
                self.out.append(Mark(plain(mark[1]), offset, again))
            self._marked = self.foreign = True
        elif _BEGIN in text:
            self.finish()
            self.out.append(Mark("", offset))
            self.foreign = True
        elif text == b"-----":
            self.finish()
            self._dashes = True
        elif text in (b"runtime stack:", b"WARNING: DATA RACE") or _REGISTER.match(text):
            self._skip()
        else:
            return False
        return True

    def _in_stack(self, current: Found, text: bytes, indented: bool, offset: int) -> bool:
        place = self._position(text, indented)
        if self._pending is not None and place is not None:
            kind, name, arguments, _ = self._pending
            self._pending = None
            self._paused = False
            self._add(current, frame(name, *place), arguments, kind == "created")
            return True
        if self._paused and current.whole:
            return text.startswith(b"[originating") and self._directive(current, text, offset)
        called = call(text)
        if called is not None:
            self._leave_pending()
            self._pending = ("late" if self._paused else "call", *called, offset)
            return not self._paused
        if self._directive(current, text, offset):
            return True
        if place is not None and indented and not self._paused and b" +0x" in text:
            what = plain(self._strange[:80]) or "nothing"
            current.problems.append((Problem.of("bad-frame", line=what), offset))
            self._strange = b""
            return True
        # gccgo prints no parentheses, nor do C functions of a cgo traceback; a position must follow at once.
        if not self._paused and not indented and self._pending is None:
            self._pending = ("bare", text, b"", offset) if _BARE_NAME.match(text) else None
        return False

    def _directive(self, current: Found, text: bytes, offset: int) -> bool:
        if text.startswith(b"created by ") and (made := _CREATED.match(text)):
            self._leave_pending()
            self._pending = ("created", made[1], b"", offset)
            if made[2] and not current.ancestors:
                current.parent = int(made[2])
        elif text.startswith(b"[originating") and (origin := _ORIGIN.match(text)):
            self._leave_pending()
            current.parent = current.parent or int(origin[1])
            current.ancestors.append([])
        elif text == _UNAVAILABLE or (text.startswith(b"...") and _ELIDED.match(text)):
            self._leave_pending()
            if current.ancestors:
                current.elided.add(len(current.ancestors) - 1)
            else:
                current.truncated = True
        else:
            return False
        return True

    def _position(self, text: bytes, indented: bool) -> tuple[bytes, int] | None:
        found = _POSITION.match(text)
        if found is not None and (indented or b" +0x" in text):
            return found[1], int(found[2])
        bare = _BARE_POSITION.match(text) if indented else None
        return (bare[1] or b"", 0) if bare is not None else None

    def _add(self, current: Found, new: Frame, arguments: bytes, creator: bool) -> None:
        self._strange = b""
        if current.ancestors:
            if not creator and len(current.ancestors[-1]) < self._max_depth:
                current.ancestors[-1].append(new)
        elif creator:
            current.created_by = new
        elif len(current.frames) < self._max_depth:
            current.frames.append(new)
            current.arguments.append(arguments)
        else:
            current.truncated = True

    def _leave_pending(self) -> None:
        # A function whose position never came is kept without one.
        pending, self._pending = self._pending, None
        if pending is None or self.open is None:
            return
        kind, name, arguments, offset = pending
        if kind in ("bare", "late") or (kind == "call" and b"." not in name and name != b"panic"):
            return
        self.open.problems.append((Problem.of("no-position", function=plain(name[:80])), offset))
        self._add(self.open, frame(name, b"", 0), arguments, kind == "created")

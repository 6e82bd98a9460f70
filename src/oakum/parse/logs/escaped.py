"""Dumps written into one quoted field with escapes: logrus, slog, JSON cut by a line limit, strace.

Comes in: text whose lines say `\\n` for a newline. Goes out: the field with real newlines, what stands around it on
lines of its own. A field whose closing quote is missing was cut, and the strand says so.
"""

import re
from heapq import merge

from oakum.parse.dump_lines import DUMP_LINE
from oakum.parse.logs import evidence, stamps
from oakum.parse.logs.strand import Strand
from oakum.regex import regex

_HINT = regex(rb"goroutine \d+ (?:gp=[^\n\[]{1,80} )?\[| profile: (?:total )?\d")
# time="2026-01-02T03:04:05Z" level=error msg="\t/a/m.go:10 +0x1" namespace=moby      (logrus; slog writes no quotes
# around what has no blank: time=2026-01-02T03:04:05.678Z level=ERROR msg=main.a(0x1))
_MESSAGE = regex(
    rb"^(?:[\w.]{1,64}=(?:\"[^\"\\\n]{0,256}\"|[^\s\"]{0,256}) ){1,8}msg=(?:\"((?:[^\"\\\n]|\\[^\n])*+)\"|([^\s\"]*+))"
    rb"(?= |\r?$)[^\n]*$",
    re.MULTILINE,
)
# \u003c  \x1b  \033   and any other escaped character
_RARE_ESCAPE = regex(rb"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([0-7]{1,3})|(.))", re.DOTALL)
_BEGINNING = 200  # bytes of a line in which its stamp and level stand
_LETTERS = {b"a": b"\a", b"b": b"\b", b"e": b"\x1b", b"f": b"\f", b"v": b"\v"}
# [pid  9460] write(7</run/containerd/log>, "time=\"2026-01-02T03:04:05Z\" level=info msg=..."..., 65536) = 8421
# 9460  03:04:05.678901 write(2, "goroutine 1 [running]:\n", 23) = 23
_STRACE = regex(
    rb"\n(?:\[pid +(\d{1,10})\] |(\d{1,10}) +)?(?:[\d:.]{8,20} )?"
    rb"(?:write|pwrite64|writev|send|sendto|sendmsg)\((\d{1,10})[^\"\n]{0,512}\""
    rb"((?:[^\"\\\n]|\\[^\n])*+)(\"?)(\.\.\.)?"
)


def peel_quoted(text: bytes, split: bool) -> list[Strand]:  # noqa: ARG001  # one field has one source
    """Return the text with escaped dumps written out; [] when no line holds one."""
    strand = Strand("escaped")
    done = 0
    # Two searches for literals are faster than one for either; a line that both find is looked at twice.
    for line, end in merge(evidence.hinted_lines(text), evidence.hinted_lines(text, evidence.PROFILE_HINT)):
        position = max(line, done)
        while hint := _HINT.search(text, position, end):
            quote = _opening(text, max(line, done), hint.start())
            start = quote + 1 if quote >= 0 else max(line, done)
            stop = _closing(text, start, end) if quote >= 0 else end
            position = (stop if stop >= 0 else end) + 1
            value = text[start : stop if stop >= 0 else end]
            if rb"\n" not in value:
                continue
            beginning = text[line : min(line + _BEGINNING, start)]
            strand.dialect = _dialect(beginning, text[max(line, start - 64) : start])
            strand.copy(text[done:start] + b"\n" * (start > line), done)
            plain = unescaped(value)
            if stop < 0:  # half a line number or half the name of a function looks like a whole one
                plain = plain[: plain.rfind(b"\n")]
            strand.add(plain + b"\n", start, stamps.find(beginning))
            if stop < 0:
                strand.cuts.append(strand.size)
                strand.complain("field-cut")
            done = min(position, end)
    if not strand.parts:
        return []
    strand.copy(text[done:], done)
    return [strand]


def peel_messages(text: bytes, split: bool) -> list[Strand]:  # noqa: ARG001  # the line says nothing of a source
    """Return the text with lines whose message is one line of a dump replaced by it; [] when no line holds one."""
    bodies, was, written = [], [], []
    done = 0
    for line in _MESSAGE.finditer(text):
        quoted, bare = line.groups()
        message = bare if quoted is None else unescaped(quoted)
        if b"\n" in message or not DUMP_LINE.match(message):
            continue
        bodies += [text[done : line.start()], message]
        was += [done, line.start()]
        written += ["", stamps.find(text[line.start() : line.start() + _BEGINNING])]
        done = line.end()
    if not any(map(_HINT.search, bodies[1::2])):
        return []
    return [Strand.of("logrus", "", [*bodies, text[done:]], [*was, done], [*written, ""])]


def _opening(text: bytes, low: int, high: int) -> int:
    """Return where the last quote before `high` stands that is not itself escaped, or -1."""
    while (quote := text.rfind(b'"', low, high)) >= 0:
        if not _is_escaped(text, low, quote):
            return quote
        high = quote
    return -1


def _closing(text: bytes, low: int, high: int) -> int:
    start = low
    while (quote := text.find(b'"', start, high)) >= 0:
        if not _is_escaped(text, low, quote):
            return quote
        start = quote + 1
    return -1


def _is_escaped(text: bytes, low: int, quote: int) -> bool:
    before = text[max(low, quote - 64) : quote]  # no writer escapes more than six times over
    return (len(before) - len(before.rstrip(b"\\"))) % 2 == 1


def _dialect(beginning: bytes, before: bytes) -> str:
    if before.rstrip(b'"').endswith(b"=") and b"level=" in beginning:
        return "logrus"
    return "json" if before.rstrip(b'" ').endswith(b":") else "escaped"


def unescaped(data: bytes) -> bytes:
    """Return `data` with one level of backslash escapes resolved."""
    return b"\\".join(_without_pairs(part) for part in data.split(rb"\\"))


def _without_pairs(data: bytes) -> bytes:
    if b"\\" not in data:
        return data
    data = data.replace(rb"\n", b"\n").replace(rb"\t", b"\t").replace(rb"\"", b'"').replace(rb"\r", b"\r")
    return _RARE_ESCAPE.sub(_rare, data) if b"\\" in data else data


def _rare(match: re.Match[bytes]) -> bytes:
    wide, byte, octal, letter = match.groups()
    if wide:
        return chr(int(wide, 16)).encode("utf-8", "replace")
    if byte or octal:
        return bytes([int(byte, 16) if byte else int(octal, 8) & 0xFF])
    return _LETTERS.get(letter, letter)


def peel_strace(text: bytes, split: bool) -> list[Strand]:
    """Return what the traced processes wrote, one strand for each process and file; [] when it is no strace."""
    written: dict[tuple[bytes, bytes], list[bytes]] = {}
    cuts: set[tuple[bytes, bytes]] = set()
    for call in _STRACE.finditer(b"\n" + text):
        pid, pid2, fd, body, closed, cut = call.groups()
        key = (pid or pid2 or b"", fd) if split else (b"", b"")
        parts = written.setdefault(key, [])
        parts.append(body)
        if cut or not closed:  # strace -s was smaller than the write
            parts.append(rb"\n")
            cuts.add(key)
    strands = []
    for key, parts in written.items():
        escaped = b"".join(parts)
        if not evidence.hints(escaped, 1):
            continue
        strand = Strand.rewritten("strace", text, unescaped(escaped), f"pid {key[0].decode()}" if key[0] else "")
        if key in cuts:
            strand.complain("write-cut")
            if parts[-1] == rb"\n":
                strand.cuts.append(strand.size)
        strands.append(strand)
    return strands

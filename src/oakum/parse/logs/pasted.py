"""Dumps that went through people: quoted mail, indented lists and issues, terminals that wrap, colours, web pages.

Also the header that stands at the end of a log line ("Observed a panic: goroutine 1 [running]:").
"""

import re
from collections import Counter

from oakum.parse import text as texts
from oakum.parse.dump_lines import DUMP_LINE, HEADER
from oakum.parse.logs import evidence, stamps
from oakum.parse.logs.strand import Strand
from oakum.regex import regex

_HINT = regex(rb"goroutine \d+ (?:gp=[^\n\[]{1,80} )?\[")
# > goroutine 1 [running]:     >> goroutine 1 [running]:     > > goroutine 1 [running]:
_QUOTE = regex(rb"\n(?:> ?){1,16}")
# <four blanks>goroutine 1 [running]:            <four blanks>2026-01-02T03:04:05Z stderr F goroutine 1 [running]:
_INDENTED_HEADER = regex(rb"^([ \t]{1,64})(?=\S)[^\n]*?goroutine \d+ \[", re.MULTILINE)
_HEADER_LINE = regex(HEADER + rb"\r?$")
# E0102 03:04:05.678901       1 runtime.go:79] Observed a panic: stack:
_KLOG = regex(rb"[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6} ")
_NARROWEST = 40  # columns of the smallest terminal to expect
_LONGEST = 4096  # no line of a stack is longer; without a bound, joining would cost the square of the size
# <tab>/usr/local/go/src/net/http/server.go:2969 +0x36c" namespace=moby        (the field that the dump stood in ends)
_CLOSED = regex(rb"^([ \t]+[^\s\"][^\"\n]*:\d+(?: \+0x[0-9a-f]+)?)\"(?= |\r?$)", re.MULTILINE)
# The beginnings of a dump's lines; what begins otherwise may be the rest of the line before.
_START = regex(rb"[ \t]{2,}\S|\t|goroutine \d|created by |[^\s(\"]+\(|\[|\.\.\.|\r?$")


def peel_quotes(text: bytes, split: bool) -> list[Strand]:  # noqa: ARG001  # a mail has one source
    """Return the text without the marks of quoted mail."""
    return _rewritten("quote", text, _QUOTE.sub(b"\n", b"\n" + text)[1:])


def peel_colours(text: bytes, split: bool) -> list[Strand]:  # noqa: ARG001  # a terminal has one source
    """Return the text without the escape sequences of a terminal."""
    return _rewritten("ansi", text, texts.without_colours(text))


def peel_html(text: bytes, split: bool) -> list[Strand]:  # noqa: ARG001  # a page has one source
    return _rewritten("html", text, texts.without_html(text) if b"&" in text or b"<" in text else text)


def peel_indent(text: bytes, split: bool) -> list[Strand]:  # noqa: ARG001  # an indent has no source
    """Return the text with runs of lines that share the indent of a goroutine header moved to the left."""
    indents = Counter(_INDENTED_HEADER.findall(evidence.sample(text)))
    if not indents:
        return []
    indent = min(indents, key=lambda blanks: (-indents[blanks], len(blanks)))
    # Only runs with a header in them: elsewhere the same blanks may stand before the positions of an unindented dump.
    run = re.compile(rb"^(?:(?:%b[^\n]*|[ \t]*\r?)\n)++" % indent, re.MULTILINE)
    closed = text if text.endswith(b"\n") else text + b"\n"
    moved = run.sub(lambda m: _moved(m[0], indent), closed)
    return _rewritten("indent", text, moved[: len(moved) - len(closed) + len(text)])


def _moved(run: bytes, indent: bytes) -> bytes:
    return (b"\n" + run).replace(b"\n" + indent, b"\n")[1:] if _HINT.search(run) else run


def peel_line_ends(text: bytes, split: bool) -> list[Strand]:  # noqa: ARG001  # the line says nothing of a source
    """Return the text with headers that end a log line put on a line of their own."""
    strand = Strand("log-line")
    done = 0
    for start, end in evidence.hinted_lines(text):
        at = text.rfind(b"goroutine ", start, end)
        while at > start and not _HINT.match(text, at):
            at = text.rfind(b"goroutine ", start, at)
        if (
            at <= start
            or text[at - 1 : at].isalnum()
            or not text[start:at].strip()
            or not _HEADER_LINE.match(text[at:end])
        ):
            continue
        if _KLOG.match(text, start):
            strand.dialect = "klog"
        elif text.startswith(b'="', at - 2):
            strand.dialect = "logrus"
        strand.copy(_CLOSED.sub(rb'\1\n"', text[done:at]) + b"\n", done)
        strand.add(text[at:end], at, stamps.find(text[start : min(at, start + 256)]))
        done = end
    if not strand.parts:
        return []
    strand.copy(_CLOSED.sub(rb'\1\n"', text[done:]), done)
    return [strand]


def peel_wraps(text: bytes, split: bool) -> list[Strand]:  # noqa: ARG001  # a terminal has one source
    """Return the text with lines joined that a terminal or a mailer has wrapped."""
    complete = DUMP_LINE
    end = b"\r\n" if b"\r\n" in text[:65536] else b"\n"
    broken = [line for line in evidence.sample(text).split(end) if not complete.match(line)]
    widths = Counter(width for line in broken if (width := _columns(line)) >= _NARROWEST)
    width = widths.most_common(1)[0][0] if widths else 0
    joined: list[bytes] = []
    last = b""  # what the screen shows of the line above, if that may go on
    for line in text.split(end):
        if last and line and len(joined[-1]) < _LONGEST:
            goes_on = not complete.match(joined[-1]) or not _START.match(line)
            full = _columns(last) == width
            if goes_on and (full or not line.startswith((b" ", b"\t"))):  # a mailer breaks at blanks, and takes them
                joined[-1] += line if full else b" " + line
                last = line if _may_go_on(line, width) else b""
                continue
        joined.append(line)
        last = line if _may_go_on(line, width) else b""
    return _rewritten("wrapped", text, end.join(joined))


def _may_go_on(line: bytes, width: int) -> bool:
    return line.endswith(b",") or _columns(line) == width


def _columns(line: bytes) -> int:
    """Return how many columns of a terminal a line fills."""
    if line.isascii():
        return len(line.expandtabs(8)) if b"\t" in line else len(line)
    return len(line.decode("utf-8", "replace").expandtabs(8))


def _rewritten(dialect: str, before: bytes, after: bytes) -> list[Strand]:
    return [] if after == before else [Strand.rewritten(dialect, before, after)]

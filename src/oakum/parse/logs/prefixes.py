"""Logs that put something before each line: journald, syslog, CRI, kubectl, compose, CI stamps, klog, hclog ...

One row per dialect; what no row knows is learned from the text itself. A row never decides alone that a
text is wrapped: see `evidence`. To add a dialect, add a row with its sample line. That's it.
"""

import re
from collections import Counter
from itertools import islice

import numpy as np
from msgspec import Struct

from oakum.parse.dump_lines import DUMP_LINE, HEADER
from oakum.parse.logs import evidence, parts, stamps
from oakum.parse.logs.stamps import BSD, GO, ISO
from oakum.parse.logs.strand import Strand
from oakum.regex import regex

# Not a stamp that belongs to the next layer:  stderr F goroutine 1 [running]:    host app[4711]: goroutine 1 [running]:
_LAST = rb"(?! std(?:out|err) [FP]| [\w.:\-]{1,255} [^\s\[\]:\"{}=]{1,128}\[\d{1,10}\]: )"
# rsyslog writes a control character as # and three octal digits: #011/usr/local/go/src/net/http/server.go:2969
_HASH_OCTAL = regex(rb"#(0[0-3][0-7])")
_HEADER = regex(HEADER)
_TOKEN = regex(rb"\d+| +|[^\d ]+")
_END = rb"(?: |(?=\r?\n)|\Z)"  # editors and mailers take off the blank at the end of an empty line

_JOURNALD_LINE_MAX = 48 * 1024  # journald breaks longer lines into records of exactly this size (LineMax=)


class Prefix(Struct, frozen=True):
    """A line's prefix. Groups: stamp; host and source tell writers apart; part = "P" when the line goes on."""

    name: str
    pattern: re.Pattern[bytes]
    # The prefix comes from the program itself: lines that are not of the dump keep it, so that they stay recognisable.
    own: bool = False
    hash_octal: bool = False  # rsyslog: tab became #011
    indents: bool = False  # further lines of a record are indented to the width of its prefix
    line_max: int = -1  # a record of exactly this size goes on in the next
    in_parts: bool = False  # so does one of any size that leaves a quoted field open


def _line(pattern: bytes) -> re.Pattern[bytes]:
    # The newline before the line is part of the pattern: a literal first byte lets `re` skip with memchr.
    return regex(b"\n(" + pattern + b")")


CARRIERS = (
    # Nov 02 03:14:52 worker-4.example containerd[1188]: goroutine 1 [running]:              (short)
    # 2026-01-02T03:04:05+0100 host app[4711]: goroutine 1 [running]:                        (short-iso)
    # Thu 2021-11-02 03:14:52 UTC host app[4711]: goroutine 1 [running]:                     (short-full)
    # [ 1234.567890] host app[4711]: goroutine 1 [running]:                                  (short-monotonic)
    # 1767319445.678901 host app[4711]: goroutine 1 [running]:                               (short-unix)
    Prefix(
        "journald",
        _line(
            rb"(?P<stamp>%b|(?:[A-Z][a-z]{2} )?%b|\[ *\d{1,12}\.\d{6}\]|\d{10}\.\d{6}) "
            rb"(?:(?P<host>[\w.:\-]{1,255}) )?(?P<source>[^\s\[\]:\"{}=]{1,128}(?:\[\d{1,10}\])?): ?" % (BSD, ISO)
        ),
        indents=True,
        line_max=_JOURNALD_LINE_MAX,
        in_parts=True,
    ),
    # <11>Jan  2 03:04:05 host app[4711]: goroutine 1 [running]:                             (RFC 3164)
    Prefix(
        "syslog",
        _line(
            rb"(?:<\d{1,3}>)?(?P<stamp>%b|%b) (?:(?P<host>[\w.:\-]{1,255}) )?(?:[a-z0-9]{2,9}\.[a-z]{2,7} )?"
            rb"(?P<source>[^\s\[\]:\"{}=]{1,128}(?:\[\d{1,10}\])?): ?" % (BSD, ISO)
        ),
        hash_octal=True,
        in_parts=True,
    ),
    # <11>1 2026-01-02T03:04:05.678901+01:00 host app 4711 - - goroutine 1 [running]:        (RFC 5424)
    Prefix(
        "syslog",
        _line(
            rb"(?:\d{1,6} )?<\d{1,3}>1 (?P<stamp>%b|-) (?P<host>\S{1,255}) (?P<source>\S{1,48} \S{1,128}) \S{1,32} "
            rb"(?:-|(?:\[[^\]\n]{0,2048}\])+)(?: (?:\xef\xbb\xbf)?|(?=\r?\n)|\Z)" % ISO
        ),
        hash_octal=True,
        in_parts=True,
    ),
    # 2026-01-02T03:04:05.100000234Z stderr F goroutine 1 [running]:                         (P: goes on in the next)
    Prefix("cri", _line(rb"(?P<stamp>%b) (?P<host>stdout|stderr) (?P<part>[FP])(?::[\w:]{1,64})?%b" % (ISO, _END))),
    # [pod/api-5d9c7b-x2x7k/api] 2026-01-02T03:04:05.100000234Z goroutine 1 [running]:
    Prefix("kubectl", _line(rb"\[pod/(?P<source>[^\]\s]{1,512})\](?: (?P<stamp>%b)%b)?%b" % (ISO, _LAST, _END))),
    # api-1  | goroutine 1 [running]:
    # api-1  | 2026-01-02T03:04:05.100000234Z goroutine 1 [running]:                         (compose logs -t)
    Prefix(
        "compose",
        _line(rb"(?P<source>[A-Za-z0-9][\w.\-]{0,127}) +\|(?: (?P<stamp>%b(?= ))%b)?%b" % (ISO, _LAST, _END)),
    ),
    # build<tab>Run tests<tab>2026-01-02T03:04:05.1234567Z goroutine 1 [running]:            (gh run view --log)
    # 2026-01-02T03:04:05.1234567Z goroutine 1 [running]:                                    (downloaded)
    Prefix(
        "github-actions",
        _line(
            rb"(?:(?P<source>[^\t\n]{1,200}\t[^\t\n]{1,200})\t)?(?:\xef\xbb\xbf)?"
            rb"(?P<stamp>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z)%b" % _END
        ),
    ),
    # [2026-01-02T03:04:05.000Z] goroutine 1 [running]:
    Prefix("jenkins", _line(rb"\[(?P<stamp>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\]%b" % _END)),
    # 2021-11-09T14:24:39.024Z [DEBUG] plugin.terraform-provider-vcd_v3.4.0.exe: goroutine 87 [running]:
    # 2017/05/05 17:55:54 [DEBUG] plugin: terraform: goroutine 68 [running]:
    Prefix(
        "hclog",
        _line(
            rb"(?P<stamp>%b|%b) \[(?:TRACE|DEBUG|INFO|WARN|ERROR)\] +(?:@\S{1,200}: )?"
            rb"(?P<source>[\w.\-/]{1,200}(?:: [a-z][\w\-]{0,99})?): ?" % (ISO, GO)
        ),
    ),
)
# What the program itself writes before its lines, or says no more than the time.
OWN = (
    # E0102 03:04:05.678901       1 dump.go:42] goroutine 1 [running]:
    Prefix(
        "klog",
        _line(rb"(?P<stamp>[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6}) +\d{1,10} [^\s\]]{1,256}:\d{1,7}\] ?"),
        own=True,
    ),
    # INFO[0000] goroutine 1 [running]:        INFO[2026-01-02T03:04:05Z] goroutine 1 [running]:
    Prefix(
        "logrus",
        _line(rb"(?:TRAC|DEBU|INFO|WARN|ERRO|FATA|PANI)\[(?:\d{4,9}|(?P<stamp>%b))\] ?" % ISO),
        own=True,
    ),
    # 2026-01-02T03:04:05.100000234Z goroutine 1 [running]:                                  (kubectl logs --timestamps)
    Prefix("stamp", _line(rb"(?P<stamp>%b)(?:\t|%b)" % (ISO, _END))),
)


def peel(row: Prefix, text: bytes, split: bool) -> list[Strand]:
    """Return the text without this prefix, one strand a source; [] when no line with a hint has it."""
    padded = b"\n" + text
    if not any(row.pattern.match(padded, evidence.line_start(text, hint)) for hint in evidence.hints(text)):
        return []
    # What stands before the first prefix, then prefix, its groups and body of each record: one call for all lines.
    cells = row.pattern.split(padded)
    step = row.pattern.groups + 1
    head, prefixes, bodies = cells[0], cells[1::step], cells[step::step]
    columns = {name: cells[number::step] for name, number in row.pattern.groupindex.items()}
    del cells
    lengths = [np.fromiter(map(len, column), np.int64, len(bodies)) for column in (prefixes, bodies)]
    was = len(head) + np.cumsum(lengths[0]) + np.cumsum(lengths[1]) - lengths[1] + np.arange(len(bodies))
    bodies = _bodies(row, prefixes, bodies, columns.get("part"))
    bodies[-1] = bodies[-1].removesuffix(b"\n")
    bodies[0] = head[1:] + b"\n" * bool(head) + bodies[0]
    names: list[str] = [name for name in ("host", "source") if name in columns] if split else []
    keys = list(zip(*(columns[name] for name in names), strict=True)) if names else [()] * len(bodies)
    places: dict[tuple[bytes | None, ...], list[int]] = {}
    for number, key in enumerate(keys):
        places.setdefault(key, []).append(number)
    labels = Counter(_label(names, key) for key in places)
    stamped = columns.get("stamp")
    strands = []
    for key, rows in places.items():
        label = _label(names, key)
        if labels[label] > 1 and label and key[0]:
            label = f"{key[0].decode('utf-8', 'replace')}/{label}"
        mine = bodies if len(places) == 1 else [bodies[number] for number in rows]
        if row.in_parts:
            mine = parts.rejoined(mine)
        written = [stamped[number] for number in rows] if stamped else []
        strands.append(Strand.of(row.name, label, mine, was[rows].tolist(), written))
    return strands


def _bodies(row: Prefix, prefixes: list[bytes], bodies: list[bytes], marks: list[bytes] | None) -> list[bytes]:
    """Return what the program wrote, newlines included."""
    if row.own:
        is_dump = DUMP_LINE.match
        bodies = [body if is_dump(body) else prefix + body for prefix, body in zip(prefixes, bodies, strict=True)]
    if row.indents and any(b"\n" in body for body in bodies):
        bodies = [
            body.replace(b"\n" + b" " * len(prefix), b"\n") for prefix, body in zip(prefixes, bodies, strict=True)
        ]
    if row.hash_octal:
        bodies = [body.replace(b"#011", b"\t") if b"#0" in body else body for body in bodies]
        bodies = [_HASH_OCTAL.sub(_octal, body) if b"#0" in body else body for body in bodies]
    if marks and b"P" in marks:
        return [body.rstrip(b"\r") if mark == b"P" else body + b"\n" for mark, body in zip(marks, bodies, strict=True)]
    return [body if len(body) == row.line_max else body + b"\n" for body in bodies]


def _octal(match: re.Match[bytes]) -> bytes:
    return bytes([int(match[1], 8)])


def _label(names: list[str], key: tuple[bytes | None, ...]) -> str:
    source = (dict(zip(names, key, strict=True)).get("source") or b"").decode("utf-8", "replace")
    program, blank, process = source.partition(" ")
    if blank and process.isdigit():
        return f"{program}[{process}]"
    return program if process == "-" else source.replace("\t", "/")


def learned(text: bytes) -> Prefix | None:
    """Return the prefix that stands before the goroutine headers of `text`, if one does: digits and blanks may vary."""
    shapes: Counter[bytes] = Counter()
    looked_at = evidence.sample(text)
    for start, stop in islice(evidence.hinted_lines(looked_at), 64):
        header = _HEADER.search(looked_at, start, stop)
        prefix = looked_at[start : header.start()] if header else b""
        if prefix.strip() and len(prefix) <= 256:
            shapes[prefix] += 1
    general: Counter[bytes] = Counter()
    for prefix, count in shapes.items():
        general[_general(prefix)] += count
    if not general:
        return None
    shape = general.most_common(1)[0][0]
    stamped = any(stamps.find(prefix) for prefix in shapes if _general(prefix) == shape)
    group = b"\n((?P<stamp>%b))" if stamped else b"\n(%b)"
    return Prefix("stamp" if stamped else "prefix", re.compile(group % shape), own=True)


def _general(prefix: bytes) -> bytes:
    """Return a pattern for prefixes like this one. The last blank is taken literally: after it the dump's own begin."""
    body = prefix.rstrip(b" ")
    shape = b""
    for token in _TOKEN.findall(body):
        shape += rb"\d++" if token.isdigit() else rb" ++" if token.isspace() else re.escape(token)
    last = prefix[len(body) :]
    return shape + (b"(?:%b|(?=\\r?\\n))" % last if last else b"")

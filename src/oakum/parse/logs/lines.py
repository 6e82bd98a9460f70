"""A log of any size -> how many lines report which event, when, and whom they name.

Lines are looked for by short texts (`seek`), and only those found are taken apart: of very many of a kind an even part.
"""

import calendar
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from time import monotonic

import numpy as np
from msgspec import Struct, field

from oakum.knowledge.log_lines import LogEvent, LogLines, log_lines
from oakum.model import Buffer
from oakum.model.signals import Log, Names, Tally
from oakum.parse.limits import Limits
from oakum.parse.logs import stamps
from oakum.parse.logs.seek import PIECE, Piece, seek
from oakum.regex import regex

# Lines of one kind that are looked at: of more in one piece an even part is, of a large log so many at least.
_LOOKED_AT, _LEAST = 20_000, 400
_EACH_MOST = 50  # events of one kind that are told one by one
_NAMES_MOST = 2000  # of one field
_STACKS_MOST = 300  # that are read of one kind: more name no other places
_LINE_MOST = 4096  # bytes of a line that are taken apart
_STACK_LINES = 60
_EXCERPT = 300
# time.go:118     /go/pkg/mod/k8s.io/apiserver@v0.0.0/pkg/server/filters/timeout.go:118 +0x1d
_PLACE = regex(rb"([\w.@+-]{1,120}\.go:\d{1,7})\b")
# k8s.io/apiserver/pkg/server/filters.(*timeoutHandler).ServeHTTP(0xc0001, {0x1, 0x2})
_CALL = regex(rb"^((?:[\w.~-]{1,120}/){0,12}[\w.%-]{1,120}\.(?:\(\*?\w{1,120}\)\.)?\w[\w.]{0,200})\(")
# 2026-11-16T02:41:03.7   2026/11/16 02:41:03   Nov 16 02:41:03.7   E1116 02:41:03.720429
_LOCAL = regex(
    r"(?:(\d{4})[-/](\d\d)[-/](\d\d)[T ]|([A-Z][a-z]{2}) ([ \d]\d) |[IWEF](\d\d)(\d\d) )"
    r"(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?$"
)
_OF_A_STACK = (b"goroutine ", b"panic", b"created by", b"\t", b"[")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_NO_YEAR = 1972  # has every day; stands for the year that is not told


class _Found(Struct):
    """What was found of one kind so far."""

    total: float = 0.0
    looked_at: int = 0
    times: list[float] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    who: dict[str, list[str]] = field(default_factory=dict)  # a name for each line; "": none
    places: Counter[str] = field(default_factory=Counter)
    excerpt: str = ""
    where: str = ""


class _Stamped(Struct):
    yearless: bool = False
    zoneless: bool = False


def read_log(text: Buffer, limits: Limits) -> tuple[Log | None, bool]:
    """Return what a log reports, and whether there may be a goroutine dump or a profile in it."""
    known = log_lines()
    found = {event.kind: _Found() for event in known.event}
    single: list[Tally] = []
    how = _Stamped()
    most = max(_LEAST, _LOOKED_AT * PIECE // (len(text) + 1))
    dumps = False
    deadline = limits.deadline()
    groups = [event.seek for event in known.event]
    lines_before = 0
    for piece in seek(text, [*groups, known.dumps], known.anchors):
        dumps = dumps or any(b"goroutine " in line or b" profile: " in line for line in _some(piece, len(groups)))
        for at, event in enumerate(known.event):
            _look(piece, at, event, known, found[event.kind], single, how, lines_before, most)
        lines_before += len(piece.ends)
        if monotonic() > deadline:
            break
    tallies = [_tally(event, found[event.kind]) for event in known.event]
    kept = (*(one for one in tallies if one.total), *single)
    return (Log(kept, how.yearless, how.zoneless) if kept else None), dumps


def _some(piece: Piece, at: int) -> Iterator[bytes]:
    return (piece.line(int(row)) for row in piece.lines[at])


def _look(
    piece: Piece, at: int, event: LogEvent, known: LogLines, found: _Found, single: list[Tally], how: _Stamped,
    before: int, most: int,
) -> None:  # fmt: skip
    """Take apart the lines of a piece that may report an event."""
    rows = piece.lines[at]
    if not len(rows):
        return
    picked = rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).astype(int)]
    weight = len(rows) / len(picked)
    for row in picked.tolist():
        line = piece.line(row)[:_LINE_MOST]
        if not event.pattern.search(line):
            continue
        when = _when(line, piece, row, how)
        where = f"line {before + row + 1}"
        if event.each and sum(one.kind == event.kind for one in single) < _EACH_MOST:
            single.append(_single(event, line, when, where, _stack(piece, row) if event.stack else Counter()))
            continue
        found.total += weight
        found.looked_at += 1
        found.times.append(when)
        found.weights.append(weight)
        if not found.excerpt:
            found.excerpt, found.where = line[:_EXCERPT].decode("utf-8", "replace"), where
        for who in known.who:
            found.who.setdefault(who.field, []).append(who.named(line))
        if event.stack and found.looked_at <= _STACKS_MOST:
            found.places.update(_stack(piece, row).keys())


def _single(event: LogEvent, line: bytes, when: float, where: str, places: "Counter[str]") -> Tally:
    about = event.about.search(line) if event.about else None
    name = next((one for one in about.groups() if one), b"") if about else b""
    said = line[:_EXCERPT].decode("utf-8", "replace")
    return Tally(
        event.kind, 1, 1, np.array([when]), places=dict(places), excerpt=said, where=where,
        object=name.decode("utf-8", "replace"), text=said,
    )  # fmt: skip


def _tally(event: LogEvent, found: _Found) -> Tally:
    who = {field: named for field, told in found.who.items() if (named := _names(told)).names}
    return Tally(
        event.kind, round(found.total), found.looked_at, np.array(found.times), who, dict(found.places), found.excerpt,
        found.where, weights=np.array(found.weights),
    )  # fmt: skip


def _names(told: Sequence[str]) -> Names:
    """Return the names that lines have, the most frequent first."""
    names = [name for name, _ in Counter(filter(None, told)).most_common(_NAMES_MOST)]
    places = {name: at for at, name in enumerate(names)}
    return Names(tuple(names), np.array([places.get(name, -1) for name in told], np.int64))


def _stack(piece: Piece, row: int) -> "Counter[str]":
    """Return the places in the code that the lines after one name."""
    start, own = int(piece.ends[row]) + 1, piece.line(row)
    last = min(row + _STACK_LINES, len(piece.ends) - 1)
    named: Counter[str] = Counter()
    escaped = own[: 16 * _LINE_MOST].split(b"\\n") if b".go:" in own else []
    for line in (*escaped, *piece.data[start : int(piece.ends[last])].split(b"\n")):
        if found := _PLACE.search(line[:_LINE_MOST]):
            named[found[1].decode()] = 1
        elif called := _CALL.match(line[:_LINE_MOST]):
            named[called[1].decode()] = 1
        elif named and not line.startswith(_OF_A_STACK) and stamps.find(line[:40]):
            break  # the next line of the log; one before the stack may be about it
    return named


def _when(line: bytes, piece: Piece, row: int, how: _Stamped) -> float:
    """Return when a line was written, in seconds; NaN when nothing tells that."""
    if access := stamps.ACCESS.search(line[:200]):
        return _access(access[0].decode())
    stamp = stamps.find(line[:200]) or stamps.find(line)
    if not stamp:
        start = int(piece.ends[row])
        before = [*stamps.JOURNAL.finditer(piece.data, max(0, start - 8192), start)]
        return int(before[-1][1]) / 1e6 if before else float("nan")
    seconds, yearless, zoneless = _seconds(stamp)
    how.yearless, how.zoneless = how.yearless or yearless, how.zoneless or zoneless
    return seconds


@lru_cache(maxsize=4096)
def _access(text: str) -> float:
    found = stamps.ACCESS.match(text.encode())
    if not found or found[2].decode() not in _MONTHS:
        return float("nan")
    day, month, year, hour, minute, second, zone = (part.decode() for part in found.groups())
    numbers = (int(year), _MONTHS.index(month) + 1, int(day), int(hour), int(minute), int(second))
    offset = int(zone[:3]) * 3600 + int(zone[0] + zone[3:]) * 60
    return float(calendar.timegm((*numbers, 0, 0, 0))) - offset


@lru_cache(maxsize=4096)
def _seconds(stamp: str) -> tuple[float, bool, bool]:
    """Return when a stamp was, and whether it lacks its year and its zone."""
    if (at := stamps.parse_stamp(stamp)) is not None:
        return at.timestamp(), False, False
    found = _LOCAL.search(stamp)
    if not found:
        return float("nan"), False, False
    year, month, day, name, of_name, klog_month, klog_day, hour, minute, second, fraction = found.groups()
    if name and name not in _MONTHS:
        return float("nan"), False, False
    whole = (
        int(year or _NO_YEAR),
        int(month or klog_month or (_MONTHS.index(name) + 1 if name else 1)),
        int(day or of_name or klog_day or 1),
        int(hour), int(minute), int(second), 0, 0, 0,
    )  # fmt: skip
    return calendar.timegm(whole) + float(f"0.{fraction or 0}"), not year, True

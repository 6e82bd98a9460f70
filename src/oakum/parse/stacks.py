"""Goroutine stacks as text (debug=2, SIGQUIT, panic, runtime.Stack), Go 1.3 to 1.27, into groups.

Comes in: plain text of any size, foreign lines and several dumps in it. Goes out: one `Reading` a dump, () when no
goroutine header is in it. Un-wraps no logs: that is done before.
"""

import mmap
import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from oakum.model import Buffer, Frame, GoroutineGroup, Goroutines, Problem, Reading, Stack
from oakum.model.profile import Bools, Int64s
from oakum.parse.limits import DEFAULT, Limits
from oakum.parse.parking import ordered, settle, written_rows
from oakum.parse.stack_headers import Header
from oakum.parse.stack_lines import Body, Found, Lines, Mark
from oakum.parse.stack_scan import BODY, END, HEAD, ID, MINUTES, PARENT, START, Scan

_MOST_PROBLEMS = 50
_MOST_DUMPS = 10_000
_MOST_SHARED = 64  # frames of a stack that is remembered for the next dump, which is often of the same program
# Go never maps the first page (runtime.minLegalPointer): what lies below is a number, no pointer.
_LOWEST_POINTER = 4096
# 0xc000123456        (a ? behind it would say that Go is not sure of the value)
_WORD = re.compile(rb"0x([0-9a-f]{1,16})(?![0-9a-f?])")
# /usr/local/go1.21.3/src/        /usr/local/Cellar/go/1.15.6/libexec/src/        go1.8.1.linux-amd64/src/
# /pkg/mod/golang.org/toolchain@v0.0.1-go1.21.3.linux-amd64/src/        /usr/lib/go-1.18/src/
_RELEASE = re.compile(r"\bgo(?:lang)?[-/]?(1\.\d{1,2}(?:\.\d{1,2})?(?:(?:rc|beta)\d{1,2})?)(?![\d.]*\d)")
_NAMED_PRIMITIVES = frozenset({"sync.Mutex.Lock", "sync.RWMutex.Lock", "sync.RWMutex.RLock", "sync.WaitGroup.Wait"})


class _Dump(Struct):
    rows: Int64s  # row numbers
    mark: Mark | None = None
    again: list[Int64s] = field(default_factory=list)  # row numbers of threads printed after it


def read(text: Buffer, limits: Limits = DEFAULT) -> tuple[Reading, ...]:
    """Return one reading for every goroutine dump in the text; () when there is no goroutine header in it."""
    scan = Scan(memoryview(text), limits, Lines(limits.max_depth))
    return _readings(text, scan, scan.run())


def read_pure(text: Buffer, limits: Limits = DEFAULT) -> tuple[Reading, ...]:
    """Return the reading of a text in which nothing but one dump stands; () for every other text."""
    scan = Scan(memoryview(text), limits, Lines(limits.max_depth), pure_only=True)
    rows = scan.run()
    readings = _readings(text, scan, rows) if scan.lines.pure else ()
    return readings if len(readings) == 1 else ()


def _readings(text: Buffer, scan: Scan, rows: Int64s) -> tuple[Reading, ...]:
    if not len(rows) and not scan.lines.threads:
        return ()
    whole = scan.text
    dumps = _dumps(scan, rows)
    kept: bytes | memoryview = whole if isinstance(text, mmap.mmap) else text
    spans = [_span(dump, rows) for dump in dumps]
    partly = len(dumps) > 1 or _more_around(whole, *spans[0])
    problems = _problems(scan, rows, dumps)
    ends = [at for span in spans for at in span] if partly else []
    line = _line_numbers(whole, ends + [at for found in problems for _, _, at in found])
    tables = _Tables(list(scan.heads), list(scan.bodies))
    readings = []
    for dump, (start, end), found in zip(dumps, spans, problems, strict=True):
        mine = rows[dump.rows] if len(dumps) > 1 or dump.again else rows
        goleak = bool(scan.goleak) and not scan.goleak.isdisjoint(dump.rows.tolist())
        cut = dump is dumps[-1] and (scan.torn >= 0 or scan.unread >= 0)
        readings.append(
            Reading(
                kind="goroutine",
                format="goleak" if goleak else "debug2",
                producer="Go",
                go_version=tables.version(mine),
                goroutines=Goroutines(groups=tables.groups(mine), cut=cut, text=kept),
                where=f"lines {line[start]}-{line[end]}" if partly else "",
                problems=tuple(replace(problem, where=f"line {line[at]}") for _, problem, at in found),
                notes=MappingProxyType(_notes(dump, scan.lines.threads if dump is dumps[0] else 0)),
            )
        )
    return tuple(readings)


def words(goroutines: Goroutines, group: GoroutineGroup, member: int) -> tuple[tuple[int, ...], ...]:
    """Return for each frame of one member the words that may be pointers and that Go was sure of (no `?`)."""
    start, end = (int(at) for at in group.spans[member])
    lines = Lines(len(group.stack.frames) + 4096)
    lines.feed_all(bytes(goroutines.text[start:end]), 0)
    lines.finish()
    found = next((found for found in lines.out if isinstance(found, Found)), None)
    if found is None:
        return ()
    _, rows = written_rows(found.frames, found.header.state)
    certain = [tuple(int(word, 16) for word in _WORD.findall(found.arguments[row])) for row in rows]
    return tuple(tuple(word for word in each if word >= _LOWEST_POINTER) for each in certain)


def _dumps(scan: Scan, rows: Int64s) -> list[_Dump]:
    # A mark after goroutines begins a new dump, and so does a goroutine that says what it does itself ([running])
    # after foreign lines: debug.PrintStack, a recovered panic.
    events = sorted([(row, 0, mark) for row, mark in scan.marks] + [(row, 1, None) for row in scan.fresh], key=_order)
    parts: list[tuple[int, Mark | None]] = [(0, None)]
    for row, _, mark in events:
        if row > parts[-1][0]:
            parts.append((row, mark))
        elif mark is not None:
            parts[-1] = (row, mark)
    dumps: list[_Dump] = []
    ends = [row for row, _ in parts[1:]] + [len(rows)]
    for (first, mark), end in zip(parts, ends, strict=True):
        numbers = np.arange(first, end, dtype=np.int64)
        if mark is not None and mark.again and dumps:
            dumps[-1].again.append(numbers)
            continue
        for part in np.split(numbers, _repeats(rows[first:end, ID])):
            if len(part) or not dumps:
                dumps.append(_Dump(part, mark))
            mark = None
    if len(dumps) > 1 and not len(dumps[0].rows):
        del dumps[0]
    empty = np.array([not body.frames for body in scan.bodies], np.bool_)
    for dump in dumps:
        if dump.again:
            _fold(dump, rows, empty)
    if len(dumps) > _MOST_DUMPS:
        last = dumps[_MOST_DUMPS - 1]
        more = Problem.of("more-dumps", dumps=len(dumps) - _MOST_DUMPS)
        scan.problems.append((int(last.rows[-1]), more, int(rows[last.rows[-1], END])))
        del dumps[_MOST_DUMPS:]
        scan.torn = -1  # it ends in a dump that is not given
    return dumps


def _notes(dump: _Dump, threads: int) -> dict[str, str]:
    notes = {"reason": dump.mark.text} if dump.mark and dump.mark.text else {}
    if threads:
        notes["threads"] = f"{threads} headers of goroutine 0, a thread's own stack, are not counted"
    if again := sum(len(rows) for rows in dump.again):
        notes["again"] = f"{again} goroutines that ran are printed again for their threads and counted once"
    return notes


def _order(event: tuple[int, int, Mark | None]) -> tuple[int, int]:
    return event[0], event[1]


def _repeats(ids: Int64s) -> list[int]:
    # A goroutine that appears again stands in a new dump.
    in_order = np.sort(ids)
    if not (in_order[1:] == in_order[:-1]).any():
        return []
    cuts: list[int] = []
    seen: set[int] = set()
    for row, number in enumerate(ids.tolist()):
        if number in seen:
            cuts.append(row)
            seen.clear()
        seen.add(number)
    return cuts


def _fold(dump: _Dump, rows: Int64s, empty: Bools) -> None:
    # GOTRACEBACK=crash prints what each thread runs after the dump: only here a goroutine that ran has its stack.
    kept = dump.rows.tolist()
    place = {number: at for at, number in enumerate(rows[dump.rows, ID].tolist())}
    for row in np.concatenate(dump.again).tolist():
        at = place.setdefault(int(rows[row, ID]), len(kept))
        if at == len(kept):
            kept.append(row)
        elif empty[rows[kept[at], BODY]]:
            kept[at] = row
    dump.rows = np.array(kept, np.int64)


class _Tables:
    """The distinct headers and stacks of a text, and what rows that point into them are."""

    def __init__(self, heads: list[Header], bodies: list[Body]) -> None:
        self._heads = heads
        self._bodies = bodies
        self._settled: dict[tuple[int, str], tuple[str | None, Stack]] = {}

    def groups(self, rows: Int64s) -> tuple[GoroutineGroup, ...]:
        """Return the rows as groups, most members first."""
        pairs = rows[:, HEAD] * len(self._bodies) + rows[:, BODY]
        distinct, seen, member = np.unique(pairs, return_index=True, return_inverse=True)
        number_of: dict[tuple[object, ...], int] = {}
        numbers = np.zeros(len(distinct), np.int64)
        shapes: list[tuple[Header, Body, str | None, Stack]] = []
        for at in np.argsort(seen, kind="stable").tolist():
            head_row, body_row = divmod(int(distinct[at]), len(self._bodies))
            head, body = self._heads[head_row], self._bodies[body_row]
            state, stack = self._settle(body_row, head.state)
            key = (stack, state, body.created_by, head.labels, head.leaked, head.marks, body.ancestors)
            numbers[at] = number_of.setdefault(key, len(number_of))
            if len(number_of) > len(shapes):
                shapes.append((head, body, state, stack))
        of_row = numbers[member]
        by_group = np.argsort(of_row, kind="stable")
        edges = np.searchsorted(of_row[by_group], np.arange(len(shapes) + 1)).tolist()
        # A column each for all of them: that of a group is a part of it.
        ids, parents, waits = rows[by_group, ID], rows[by_group, PARENT], rows[by_group, MINUTES].astype(np.int32)
        spans = rows[by_group, START : END + 1]
        groups = [
            GoroutineGroup(
                stack=stack,
                count=end - first,
                state=state,
                created_by=body.created_by,
                labels=head.labels,
                leaked=head.leaked,
                marks=head.marks,
                ancestors=body.ancestors,
                ids=ids[first:end],
                parents=parents[first:end],
                waits=waits[first:end],
                spans=spans[first:end],
            )
            for (head, body, state, stack), (first, end) in zip(shapes, pairwise(edges), strict=True)
        ]
        return ordered(groups)

    def version(self, rows: Int64s) -> str | None:
        """Return which Go release wrote the rows, as far as paths or the form of their lines tell."""
        mine = [self._bodies[row] for row in _distinct(rows[:, BODY])[:4096]]
        for body in mine:
            for frame in body.frames:
                if release := _release(frame.file):
                    return f"go{release}"
        heads = [self._heads[row] for row in _distinct(rows[:, HEAD])]
        forms = [head.form for head in heads if head.form]
        if any(head.state in _NAMED_PRIMITIVES for head in heads):
            forms.append("go1.20+")
        if (rows[:, PARENT] > 0).any() and not any(body.ancestors for body in mine):
            forms.append("go1.21+")
        return max(forms, default=None)

    def _settle(self, body_row: int, state: str) -> tuple[str | None, Stack]:
        settled = self._settled.get((body_row, state))
        if settled is None:
            body = self._bodies[body_row]
            read = _settled if len(body.frames) <= _MOST_SHARED else _settled.__wrapped__
            settled = self._settled[body_row, state] = read(body.frames, body.truncated, state)
        return settled


@lru_cache(maxsize=4096)
def _settled(frames: tuple[Frame, ...], truncated: bool, state: str) -> tuple[str | None, Stack]:
    """Return the state of goroutines and the stack they show: one object for all dumps of a program."""
    told, shown = settle(frames, state)
    return told, Stack(shown, truncated)


@lru_cache(maxsize=4096)
def _release(file: str) -> str:
    """Return the Go release that the path of a file names, or ""."""
    folder, source, _ = file.replace("\\", "/").partition("/src/")
    release = _RELEASE.search(folder) if source else None
    return release[1] if release else ""


def _distinct(numbers: Int64s) -> list[int]:
    return np.flatnonzero(np.bincount(numbers)).tolist()


def _span(dump: _Dump, rows: Int64s) -> tuple[int, int]:
    start = dump.mark.offset if dump.mark else 0
    if not len(dump.rows):
        return start, start
    if not dump.mark:
        start = int(rows[dump.rows, START].min())
    return start, int(rows[dump.rows, END].max())


def _more_around(text: memoryview, start: int, end: int) -> bool:
    edges = (text[:start], text[end:])
    return any(len(edge) > 1 << 20 or bytes(edge).strip(b" \t\r\n\xef\xbb\xbf") for edge in edges)


def _problems(scan: Scan, rows: Int64s, dumps: list[_Dump]) -> list[list[tuple[int, Problem, int]]]:
    dump_of = np.full(len(rows) + 1, len(dumps) - 1)
    for number, dump in enumerate(dumps):
        dump_of[dump.rows] = number
    found: list[list[tuple[int, Problem, int]]] = [[] for _ in dumps]
    for problem in scan.problems:
        found[dump_of[problem[0]]].append(problem)
    for mine in found:
        mine.sort(key=lambda problem: problem[2])
        if len(mine) > _MOST_PROBLEMS:
            more = Problem.of("more-problems", lines=len(mine) - _MOST_PROBLEMS + scan.more_problems)
            mine[_MOST_PROBLEMS:] = [(0, more, mine[_MOST_PROBLEMS][2])]
    if scan.torn >= 0:
        whole = Problem.of("cut-mid-stack")
        cut = Problem.of(f"cut-mid-stack.{scan.full}", size=len(scan.text)) if scan.full else whole
        found[-1].append((0, cut, scan.torn))
    if scan.unread_because is not None:
        found[-1].append((0, scan.unread_because, scan.unread))
    return found


def _line_numbers(text: memoryview, offsets: Iterable[int]) -> dict[int, int]:
    numbers: dict[int, int] = {}
    line, at = 1, 0
    for offset in sorted(set(offsets)):
        while at < offset:
            step = min(offset, at + (4 << 20))
            line += bytes(text[at:step]).count(b"\n")
            at = step
        numbers[offset] = line
    return numbers

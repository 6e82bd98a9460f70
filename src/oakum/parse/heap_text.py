"""Heap profiles as text: Go's debug=1 with its MemStats, gperftools and tcmalloc, jemalloc, growth, fragmentation.

In: a block of text that `heap profile: ...` or `heap_v2/N` begins. Out: its `Reading`, values scaled to what was
allocated as google/pprof does (jemalloc: as jeprof does), the unscaled totals of the header in `profile.extra`.
"""

import math
from time import monotonic

from oakum.model import Problem, Reading, ValueType
from oakum.parse.blocks import Block
from oakum.parse.columns import TOP, Columns
from oakum.parse.limits import Limits
from oakum.parse.mappings import opens_maps, read_maps
from oakum.parse.memstats_text import MemStatsLines
from oakum.parse.shortfalls import bad_records, cut_mid_stack, out_of_time, space_missing, too_many
from oakum.parse.symbols import Symbols
from oakum.regex import regex

# 1: 524288 [3: 1572864] @ 0x420cef 0x422151 0x4221da
_RECORD = regex(rb"(-?\d{1,19}): *(-?\d{1,19}) *\[ *(\d{1,19}): *(\d{1,19}) *\] @([ x0-9a-f]*)")
_ADDRESS = regex(rb"0x[0-9a-f]{1,16}(?![0-9a-f])")
#   t*: 172890: 2518883822 [0: 0]        (jemalloc; t0, t1 ... are the threads, t* their sum)
_JEMALLOC_SUM = regex(rb"t\*: (\d{1,19}): (\d{1,19}) \[(\d{1,19}): (\d{1,19})\]")
_JEMALLOC_THREAD = regex(rb"t\d+: ")

_TWO = (ValueType("objects", "count"), ValueType("space", "bytes"))
_FOUR = (
    ValueType("alloc_objects", "count"),
    ValueType("alloc_space", "bytes"),
    ValueType("inuse_objects", "count"),
    ValueType("inuse_space", "bytes"),
)
_KINDS = {
    b"growth": "growth",
    b"growthz": "growth",
    b"fragmentation": "fragmentation",
    b"fragmentationz": "fragmentation",
}

Figures = tuple[int, int, int, int]  # inuse objects, inuse bytes, allocated objects, allocated bytes


def read_block(block: Block, limits: Limits, deadline: float) -> Reading:
    return _Heap(block, limits).read(deadline)


class _Heap:
    def __init__(self, block: Block, limits: Limits) -> None:
        self._block = block
        self._columns = Columns(limits)
        self._symbols = Symbols(self._columns)
        self._memstats = MemStatsLines()
        self._problems: list[Problem] = []
        self._addresses: list[int] = []  # of the last record
        self._begun = 0  # line of the last record
        self._sums = [0, 0, 0, 0]
        self._bad: list[int] = []  # lines of records that make no sense
        self._declared: Figures | None = None
        self._kind, self._producer, self._scaled, self._period, self._four = "heap", "jemalloc", True, 0, False
        if block.kind == "jemalloc":
            self._period = int(block.header[1])
        else:
            self._read_header()

    def _read_header(self) -> None:
        inuse_objects, inuse_space, alloc_objects, alloc_space, form, rate = self._block.header.groups()
        self._declared = (int(inuse_objects), int(inuse_space), int(alloc_objects), int(alloc_space))
        self._producer = "Go" if form == b"heap" else "C++ (tcmalloc)"
        if form in _KINDS:
            self._kind, self._scaled, self._period = _KINDS[form], False, 1
            return
        # What was allocated and freed again is only told apart where the header says so.
        self._four = (alloc_objects not in (inuse_objects, b"0")) or (alloc_space not in (inuse_space, b"0"))
        if form == b"heapprofile":
            self._scaled, self._period = False, 1
        elif form == b"heap":
            # Early C++ profilers wrote twice the sampling rate here, and Go does as they did.
            self._period = int(rate or 0) // 2
        elif form in (b"heap_v2", b"heapz_v2"):
            self._period = int(rate or 0)
        else:
            self._scaled = False
            problem = Problem.of("unknown-heap-form", self._block.line(0), form=form.decode("ascii"))
            self._problems.append(problem)

    def read(self, deadline: float) -> Reading:
        block, columns = self._block, self._columns
        lines = block.lines()
        next(lines)
        maps = read_maps(())
        take = self._take_jemalloc if block.kind == "jemalloc" else self._take
        last = index = 0
        for index, raw in enumerate(lines, 1):
            if index % 65536 == 0 and monotonic() > deadline:
                self._problems.append(out_of_time(block, index))
                break
            line = raw.strip()
            if line.startswith(b"#"):
                if line[1:].lstrip().startswith(b"0x"):
                    self._symbols.add(line)
                else:
                    self._memstats.take(line)
                last = index
            elif opens_maps(line):
                maps = read_maps(lines)
                self._producer = self._producer.replace("Go", "C++ (tcmalloc)")
                break
            elif line and take(line, index):
                last = index
        self._symbols.settle(self._addresses)
        if block.cut and index == last:
            self._cut(index)
        go = self._producer == "Go"
        profile = columns.profile(
            self._kind,
            _FOUR if self._four else _TWO,
            period_type=ValueType("space", "bytes"),
            period=self._period,
            mappings=maps,
            extra={"header": self._declared, "hidden_leaves": go and self._symbols.seen, **self._memstats.by_size},
        )
        if self._bad:
            self._problems.append(bad_records(block, len(self._bad), self._bad[0]))
        # jemalloc corrects the header and each record for its sampling on their own: they do not add up.
        if self._declared is not None and block.kind == "heap":
            self._problems += space_missing(block, self._declared, self._sums)
        return Reading(
            kind=self._kind,
            format="heap-text",
            producer=self._producer,
            go_version=columns.go_version,
            profile=profile,
            memstats=self._memstats.result(),
            where=block.where(last + 1),
            problems=(*self._problems, *columns.problems(), *too_many(block)),
            notes=self._memstats.notes,
        )

    def _take(self, line: bytes, index: int) -> bool:
        record = _RECORD.search(line)
        if record is None:
            if b" @" in line and line[:1].isdigit():
                self._bad.append(index)
            return False
        self._begin(record[5], index)
        self._add((int(record[1]), int(record[2]), int(record[3]), int(record[4])))
        return True

    def _take_jemalloc(self, line: bytes, index: int) -> bool:
        if line.startswith(b"@"):
            self._begin(line, index)
            return True
        if found := _JEMALLOC_SUM.match(line):
            figures = (int(found[1]), int(found[2]), int(found[3]), int(found[4]))
            if self._declared is None:
                self._declared = figures
                self._four = figures[2:] != (0, 0)
            else:
                self._add(figures)
            return True
        return _JEMALLOC_THREAD.match(line) is not None

    def _begin(self, stack: bytes, index: int) -> None:
        self._symbols.settle(self._addresses)
        self._addresses = [(int(pc, 16) - 1) & TOP for pc in _ADDRESS.findall(stack)]
        self._begun = index

    def _add(self, figures: Figures) -> None:
        """Add one record, as pprof does: allocated first, scaled, with the size of its blocks as a label."""
        inuse, alloc = figures[:2], figures[2:]
        if (inuse[0] == 0 and inuse[1] != 0) or (self._four and alloc[0] == 0 and alloc[1] != 0):
            self._bad.append(self._begun)
            return
        values: list[int] = []
        size = 0
        for objects, space in (alloc, inuse) if self._four else (inuse,):
            if objects != 0:
                size = abs(space) // abs(objects) * (1 if (space < 0) == (objects < 0) else -1)
            values += scale(objects, space, self._period) if self._scaled else (objects, space)
        for column, figure in enumerate(figures):
            self._sums[column] += figure
        self._columns.sample(self._columns.stack(self._addresses), values, self._columns.number("bytes", size))

    def _cut(self, index: int) -> None:
        if self._memstats.drop_last():
            self._problems.append(Problem.of("cut-mid-memstats", self._block.line(index)))
        elif self._symbols.broken or (self._begun == index and (self._symbols.seen or self._block.kind == "jemalloc")):
            self._problems.append(cut_mid_stack(self._block, index))


def scale(objects: int, space: int, rate: int) -> tuple[int, int]:
    """Return objects and bytes divided by the chance that a Poisson sampler of this rate saw them."""
    if objects == 0 or space == 0:
        return 0, 0
    if rate <= 1:
        return objects, space
    try:
        factor = 1 / (1 - math.exp(-(float(space) / float(objects)) / rate))
        return int(objects * factor), int(space * factor)
    except (OverflowError, ZeroDivisionError, ValueError):
        return objects, space

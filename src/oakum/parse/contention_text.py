"""Waiting for locks and channels as text: Go's block and mutex profiles with debug=1, and C++ contentionz.

In: a block of text that `--- contention:`, `--- mutex:` or `--- contentionz 1 ---` begins. Out: its `Reading`,
delays in nanoseconds where the profile gives the clock, as google/pprof reads them. Java's form is `java_text`'s.
"""

from time import monotonic

from oakum.model import Problem, Reading, ValueType
from oakum.parse.blocks import Block
from oakum.parse.columns import TOP, Columns
from oakum.parse.limits import Limits
from oakum.parse.mappings import opens_maps, read_maps
from oakum.parse.shortfalls import bad_records, cut_mid_stack, out_of_time, too_many
from oakum.parse.symbols import Symbols
from oakum.regex import regex

# 19155477440 1345723 @ 0x10575f1 0x10f0266 0x1051c61        (cycles, count)
_RECORD = regex(rb"(\d{1,19}) +(\d{1,19}) @([ x0-9a-f]*)")
_ADDRESS = regex(rb"0x[0-9a-f]{1,16}(?![0-9a-f])")
# cycles/second=2793570419        sampling period = 100        ms since reset = 16502830
_ATTRIBUTE = regex(rb"(cycles/second|sampling period|ms since reset|discarded samples) *= *(-?\d{1,18})$")

_KINDS = {b"contention": "block", b"mutex": "mutex"}
TYPES = (ValueType("contentions", "count"), ValueType("delay", "nanoseconds"))


def read_block(block: Block, limits: Limits, deadline: float) -> Reading:
    columns = Columns(limits)
    symbols = Symbols(columns)
    attributes: dict[bytes, int] = {b"sampling period": 1}
    problems: list[Problem] = []
    addresses: list[int] = []
    bad: list[int] = []
    lines = block.lines()
    next(lines)
    maps = read_maps(())
    last = index = begun = 0
    for index, raw in enumerate(lines, 1):
        if index % 65536 == 0 and monotonic() > deadline:
            problems.append(out_of_time(block, index))
            break
        line = raw.strip()
        if line.startswith(b"#"):
            if line[1:].lstrip().startswith(b"0x"):
                symbols.add(line)
            last = index
        elif opens_maps(line):
            maps = read_maps(lines)
            break
        elif record := _RECORD.match(line):
            symbols.settle(addresses)
            addresses = [(int(pc, 16) - 1) & TOP for pc in _ADDRESS.findall(record[3])]
            columns.sample(columns.stack(addresses), _unsampled(int(record[1]), int(record[2]), attributes))
            last = begun = index
        elif attribute := _ATTRIBUTE.match(line):
            attributes[attribute[1]] = int(attribute[2])
            last = index
        elif b" @" in line and line[:1].isdigit():
            bad.append(index)
    symbols.settle(addresses)
    if block.cut and index == last and (symbols.broken or (symbols.seen and begun == index)):
        problems.append(cut_mid_stack(block, index))
    if bad:
        problems.append(bad_records(block, len(bad), bad[0]))
    go, cpp = block.header.groups()
    kind = "contention" if cpp else _KINDS[go]
    profile = columns.profile(
        kind,
        TYPES,
        period_type=TYPES[0],
        period=attributes[b"sampling period"],
        duration_nanos=attributes.get(b"ms since reset", 0) * 1_000_000,
        mappings=maps,
    )
    return Reading(
        kind=kind,
        format="contention-text",
        producer="C++ (tcmalloc)" if cpp else "Go",
        go_version=columns.go_version,
        profile=profile,
        where=block.where(last + 1),
        problems=(*problems, *columns.problems(), *too_many(block)),
    )


def _unsampled(cycles: int, count: int, attributes: dict[bytes, int]) -> tuple[int, int]:
    """Return (contentions, delay); the delay stays in cycles when the profile does not give the clock."""
    period, cycles_per_second = attributes[b"sampling period"], attributes.get(b"cycles/second", 0)
    if period <= 0:
        return count, cycles
    if cycles_per_second > 0:
        cycles = int(float(cycles) * float(period) / (cycles_per_second / 1e9))
    return count * period, cycles

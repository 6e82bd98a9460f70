"""Java profiles as text: `--- heapz 1 ---` and `--- contentionz 1 ---` with `format = java`, and names for addresses.

In: such a block of text. Out: its `Reading`, scaled as google/pprof does; addresses are keys of the name list only and
are not kept.
"""

import re
from time import monotonic

from oakum.model import Problem, Reading, ValueType
from oakum.parse.blocks import Block
from oakum.parse.columns import Columns
from oakum.parse.heap_text import scale
from oakum.parse.limits import Limits
from oakum.parse.shortfalls import bad_records, out_of_time, too_many
from oakum.regex import regex

#           7048     1 @ 0x00000003 0x00000004        (bytes or delay, then count)
_RECORD = regex(rb" *(\d{1,19}) +(\d{1,19}) +@ +([ x0-9a-f]*)")
_ADDRESS = regex(rb"0x[0-9a-f]{1,16}(?![0-9a-f])")
# An attribute line:  resolution = microseconds
_ATTRIBUTE = regex(rb"([\w ]+)=([\w ]+)")
#  0x00000003 com.example.function003 (Source003.java:103)
_NAME = regex(r"0x([0-9a-fA-F]{1,16})\s+(.*)$")
# com.example.function003 (Source003.java:103)        JVM_Sleep (/usr/lib/jvm/lib/libjvm.so)
_PLACE = regex(r"(.*)\s\((.*)\)$")

_SAMPLING_RATE = 512 << 10  # of Java's heapz
_MAX_LINE = 16 << 10


def read_block(block: Block, limits: Limits, deadline: float) -> Reading:
    columns = Columns(limits)
    problems: list[Problem] = []
    heap = b"heapz" in block.header[0]
    unit, period, milliseconds = "", 0, 0
    bad: list[int] = []
    names: list[bytes] = []
    lines = block.lines()
    next(lines)
    index = 0
    for index, line in enumerate(lines, 1):
        if index % 65536 == 0 and monotonic() > deadline:
            problems.append(out_of_time(block, index))
            break
        if record := _RECORD.match(line):
            figures = _figures(heap, int(record[2]), int(record[1]), period)
            if figures is None:
                bad.append(index)
                continue
            stack = columns.stack(int(pc, 16) for pc in _ADDRESS.findall(record[3]))
            labels = columns.number("bytes", int(record[1]) // int(record[2])) if heap else 0
            columns.sample(stack, figures, labels)
        elif line.lstrip().startswith(b"0x"):
            names.append(line)
        elif not columns.samples and (attribute := _ATTRIBUTE.match(line.strip())):
            name, value = attribute[1].strip(), attribute[2].strip()
            if name == b"resolution":
                unit = value.decode("ascii", "replace")
            elif name == b"sampling period" and value.isdigit() and len(value) < 19:
                period = int(value)
            elif name == b"ms since reset" and value.isdigit() and len(value) < 19:
                milliseconds = int(value)
    read_names(b"\n".join(names), columns)
    if bad:
        problems.append(bad_records(block, len(bad), bad[0]))
    first, second = ("inuse_objects", "inuse_space") if heap else ("contentions", "delay")
    kind = "heap" if heap else "contention"
    profile = columns.profile(
        kind,
        (ValueType(first, "count"), ValueType(second, unit)),
        period_type=ValueType("contentions", "count") if period else ValueType("", ""),
        period=period,
        duration_nanos=milliseconds * 1_000_000,
        named_addresses=False,
    )
    return Reading(
        kind=kind,
        format="java-text",
        producer="Java",
        profile=profile,
        where=block.where(index + 1),
        problems=(*problems, *columns.problems(), *too_many(block)),
    )


def _figures(heap: bool, count: int, amount: int, period: int) -> tuple[int, int] | None:
    if heap:
        return scale(count, amount, _SAMPLING_RATE) if count else None
    return (count * period, amount * period) if period else (count, amount)


def read_names(text: bytes, columns: Columns) -> None:
    """Name the addresses in the columns after a list of lines `0x3 function (file:line)`."""
    functions: dict[str, int] = {}
    named: dict[int, list[tuple[int, int]]] = {}
    for raw in text.split(b"\n"):
        line = raw[:_MAX_LINE].decode("utf-8", "surrogateescape").strip()
        found = _NAME.match(line)
        if found is None or not columns.knows(address := int(found[1], 16)):
            continue
        function, file, number = found[2], "", 0
        if line.endswith(")") and (place := _PLACE.match(found[2])):
            function = place[1]
            file, _, digits = place[2].rpartition(":")
            if file and re.fullmatch(r"-?\d+", digits):
                number = max(0, int(digits)) if len(digits) < 10 else 0
            else:
                file = place[2].rstrip("/").rpartition("/")[2] or "."
        elif "generated stub/JIT" in found[2]:
            function = "STUB"
        if function not in functions:  # one function, whatever file later lines name for it
            functions[function] = columns.function(function, file)
        named[address] = [(functions[function], number)]
    for address, lines in named.items():
        columns.name(address, lines)

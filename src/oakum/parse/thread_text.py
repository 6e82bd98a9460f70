"""Threads of a C++ process as text: `--- threadz 1 ---` and `--- Thread 7f79 (name: main/14748) stack: ---`.

In: such a block of text. Out: one `Reading` with a count of threads for each stack, read as google/pprof does:
addresses only, "same as previous thread" counted with the one before, the creator's addresses at the end of the stack.
"""

import re
from time import monotonic

from oakum.model import Problem, Reading, ValueType
from oakum.parse.blocks import THREAD, Block
from oakum.parse.columns import TOP, Columns
from oakum.parse.limits import Limits
from oakum.parse.mappings import opens_maps, read_maps
from oakum.parse.shortfalls import out_of_time, too_many

#   PC:  0x00bc8f1c: helper(arg *)
_ADDRESS = re.compile(rb"0x[0-9a-f]{1,16}(?![0-9a-f])")


def read_block(block: Block, limits: Limits, deadline: float) -> Reading:
    columns = Columns(limits)
    problems: list[Problem] = []
    stacks: list[list[int]] = []  # raw addresses of each stack
    counts: list[int] = []
    current: list[int] | None = None  # of the thread being read
    repeated = False  # it stands where the one before it stands
    lines = block.lines()
    maps = read_maps(())
    last = 0

    def settle() -> None:
        if current and not repeated:
            stacks.append(current)
            counts.append(1)
        elif current is not None and counts:
            counts[-1] += 1

    for index, raw in enumerate(lines):
        if index % 65536 == 65535 and monotonic() > deadline:
            problems.append(out_of_time(block, index))
            break
        line = raw.strip()
        if opens_maps(line):
            settle()
            current = None
            maps = read_maps(lines)
            break
        if line.startswith(b"---"):
            settle()
            current, repeated = ([], False) if THREAD.search(line) else (None, False)
            last = index
            if line.startswith(b"---- no stack trace for"):
                break
        elif current is not None and line:
            repeated = repeated or b"same as previous thread" in line
            current += [int(pc, 16) for pc in _ADDRESS.findall(line)]
            last = index
    settle()
    _add_samples(columns, stacks, counts)
    types = (ValueType("thread", "count"),)
    return Reading(
        kind="thread",
        format="thread-text",
        producer="C++ (tcmalloc)",
        profile=columns.profile("thread", types, period_type=types[0], period=1, mappings=maps),
        where=block.where(last + 1),
        problems=(*problems, *columns.problems(), *too_many(block)),
    )


def _add_samples(columns: Columns, stacks: list[list[int]], counts: list[int]) -> None:
    for addresses, count in zip(stacks, counts, strict=True):
        # Only the leaf is where the thread stands; the others are return addresses.
        called = [addresses[0], *((address - 1) & TOP for address in addresses[1:])]
        columns.sample(columns.stack_of(without_doubled_leaf(columns, called)), (count,))


def without_doubled_leaf(columns: Columns, addresses: list[int]) -> list[int]:
    """Return the location rows of a stack, less a leaf met twice: in the signal's context and on the stack."""
    rows = [columns.location(address) for address in addresses]
    if len(addresses) > 1 and addresses[0] == (addresses[1] + 1) & TOP:
        del rows[1]
    return rows

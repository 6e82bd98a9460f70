"""A Go heap dump (runtime/debug.WriteHeapDump) -> what holds the memory: one reading of kind "holders".

In: the dump, and the program that wrote it where it is given: names of variables, and types where it has DWARF. Out: a
tree of retained bytes by root and path, exact by dominators, and the same as a profile for the views. 10 M objects take
some 20 s and 2 GiB.
"""

from oakum.model import Buffer, Problem, Reading
from oakum.parse.binaries import dwarf, variables
from oakum.parse.heapdump import graph, paths, records
from oakum.parse.heapdump.dominators import TooSlow, find_dominators
from oakum.parse.heapdump.types import typed_labels
from oakum.parse.limits import DEFAULT, Limits


def read(data: Buffer, limits: Limits = DEFAULT, program: Buffer | None = None) -> tuple[Reading, ...]:
    """Return the one reading of a heap dump; () when it is none."""
    deadline = limits.deadline()
    dump = records.read(data, limits)
    if dump is None:
        return ()
    problems = list(dump.problems)
    symbols = variables.read(program) if program is not None else None
    if program is None:
        problems.append(Problem.of("no-program"))
    elif symbols is None:
        problems.append(Problem.of("no-program.stripped"))
    holders = None
    try:
        heap = graph.build(dump, symbols)
        found = find_dominators(heap.graph, heap.sizes, deadline)
        types = dwarf.read(program) if program is not None and symbols is not None else None
        if types is not None and symbols is not None:
            labels = typed_labels(heap, found, types, symbols, deadline)
        else:
            labels = paths.plain_labels(heap)
        holders = paths.tree(heap, found, labels)
    except TooSlow:
        problems.append(Problem.of("slow.holders", seconds=round(limits.max_seconds)))
    return (
        Reading(
            kind="holders",
            format="heap-dump",
            producer="Go",
            go_version=dump.version or None,
            profile=paths.profile_of(holders) if holders else None,
            holders=holders,
            problems=tuple(problems),
        ),
    )

"""Two snapshots -> what is new, gone, grown or shrunk between them, and their flame graphs against one another."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from oakum.assemble import Input
from oakum.model import Snapshot
from oakum.pipeline.case import assemble_case
from oakum.pipeline.figures import compared

if TYPE_CHECKING:
    from oakum.report.html.drawing import Drawing
    from oakum.views.diff import Difference


class Changes(Struct, frozen=True):
    """What changed: a table for each kind that both snapshots have, and pictures by name."""

    tables: "tuple[Difference, ...]"
    drawings: "dict[str, Drawing]"
    missing: tuple[str, ...] = ()  # kinds that one of them lacks


def compare_snapshots(before: Sequence[Input], after: Sequence[Input]) -> Changes:
    """Return what changed between the newest snapshots of both; raise NotAssembled where nothing was captured."""
    from oakum.views.diff import of_goroutines, of_profiles
    from oakum.views.query import Query

    first, second = _newest(before), _newest(after)
    tables, missing = [], []
    if first.goroutines is not None and second.goroutines is not None:
        tables.append(of_goroutines((first.goroutines, second.goroutines)))
    elif first.goroutines is not None or second.goroutines is not None:
        missing.append("goroutines")
    if first.heap is not None and second.heap is not None:
        kinds = [{one.type for one in heap.sample_types} for heap in (first.heap, second.heap)]
        if "inuse_space" in kinds[0] & kinds[1]:
            tables.append(of_profiles((first.heap, second.heap), Query(sample_index="inuse_space")))
    elif first.heap is not None or second.heap is not None:
        missing.append("heap")
    return Changes(tuple(tables), compared(first, second), tuple(missing))


def _newest(inputs: Sequence[Input]) -> Snapshot:
    process = assemble_case(inputs).case.processes[-1]
    return process.snapshots[-1]

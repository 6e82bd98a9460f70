"""A case -> the pictures of its report: flame graphs of the heap and of the goroutines, what grew marked.

The last snapshot is drawn, against the first one where there are two. What was not captured is not drawn.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

if TYPE_CHECKING:
    from oakum.model import Case, Finding, Process, Profile, Snapshot
    from oakum.report.html.drawing import Drawing

# Together a third of the page that they are put into.
_MOST_BYTES = {"flame-heap": 400_000, "flame-goroutines": 250_000}
_T = TypeVar("_T")
_HEAP_TYPES = ("inuse_space", "inuse_objects")


def figures(case: "Case", findings: "Sequence[Finding]" = ()) -> "dict[str, Drawing]":
    """Return the pictures by name: those of the process of the worst finding, or else of the one that grew most."""
    worst = findings[0].suspect.sites[0].process if findings else ""
    chosen = [one for one in case.processes if one.id == worst] or sorted(case.processes, key=_growth, reverse=True)
    if not chosen:
        return {}
    drawn = {name: _flame(name, profiles) for name, profiles in _profiles(chosen[0]).items() if profiles}
    return {name: drawing for name, drawing in drawn.items() if drawing is not None}


def compared(before: "Snapshot", after: "Snapshot") -> "dict[str, Drawing]":
    """Return the flame graphs of two snapshots against one another, of what both have."""
    drawn = {}
    for name, profiles in _profiles_of((before, after)).items():
        if len(profiles) == 2 and (drawing := _flame(name, profiles)) is not None:
            drawn[name] = drawing
    return drawn


def _profiles(process: "Process") -> "dict[str, list[Profile]]":
    """Return the first and the last profile of each kind, or the only one."""
    return _profiles_of(process.snapshots)


def _profiles_of(snapshots: "Sequence[Snapshot]") -> "dict[str, list[Profile]]":
    from oakum.views.goroutine_profile import profile_of

    heaps = [found for one in snapshots if one.heap is not None if (found := _in_use(one.heap))]
    dumps = [one for one in snapshots if one.goroutines is not None]
    return {
        "flame-heap": _ends(heaps),
        "flame-goroutines": [profile_of(one.goroutines, one.at) for one in _ends(dumps) if one.goroutines is not None],
    }


def _ends(found: Sequence[_T]) -> list[_T]:
    return [found[0], found[-1]] if len(found) > 1 else list(found)


def _in_use(heap: "Profile") -> "Profile | None":
    """Return a heap profile without what was allocated and freed again; None where it tells nothing else."""
    names = [one.type for one in heap.sample_types]
    rows = [names.index(name) for name in _HEAP_TYPES if name in names]
    if not rows:
        return None
    return replace(heap, sample_types=tuple(heap.sample_types[row] for row in rows), values=heap.values[rows])


def _flame(name: str, profiles: "Sequence[Profile]") -> "Drawing | None":
    from oakum.report.html.drawing import Drawing
    from oakum.views.flame import stack_rows
    from oakum.views.flame_page import part
    from oakum.views.query import Query
    from oakum.views.transform import fetched

    last, base = fetched(profiles[-1]), fetched(profiles[0]) if len(profiles) > 1 else None
    if base is not None and base.sample_types != last.sample_types:
        base = None  # one of them was written by a profiler that counts something else
    rows = stack_rows(last, Query(), base)
    return Drawing(*part(rows, name, most_bytes=_MOST_BYTES[name])) if len(rows.first) else None


def _growth(process: "Process") -> float:
    """Return how many times as many goroutines or bytes of heap there are at the end as there were at first."""
    dumps = _ends([one.goroutines.total for one in process.snapshots if one.goroutines is not None])
    heaps = [found for one in process.snapshots if one.heap is not None if (found := _in_use(one.heap))]
    live = _ends([int(found.values[0].sum()) for found in heaps])
    return max((pair[-1] / max(pair[0], 1) for pair in (dumps, live) if pair), default=0.0)

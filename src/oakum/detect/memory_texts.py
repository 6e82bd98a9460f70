"""Where the memory of a process is -> what that means, in sentences: not the heap, GC headroom, time to the limit.

Comes in: memory through the snapshots. Goes out: texts with their numbers, in the order in which one on call would ask.
"""

import math
from collections.abc import Iterator

import numpy as np

from oakum.model import Text
from oakum.model.heap_growth import MemorySeries
from oakum.model.sizes import size

# Parts of the memory that are worth a sentence: some MiB, and a good part of the whole.
_NOTABLE = 4 << 20
_PART = 0.15
# A small Go process is as large as this without holding anything.
_FEW = 32 << 20


def describe_memory(series: MemorySeries, full_in_seconds: float | None) -> tuple[Text, ...]:
    """Return what the numbers of the last snapshot mean; `full_in_seconds`: when the limit is reached."""
    at = series.last_known
    if at is None:
        return ()
    found = [*_not_heap(series, at), *_notable_parts(series, at)]
    if full_in_seconds is not None:
        minutes = max(1, round(full_in_seconds / 60))
        found.append(Text("memory.full-in", {"limit": size(series.limit[at]), "minutes": minutes}))
    return tuple(found)


def _notable_parts(series: MemorySeries, at: int) -> Iterator[Text]:
    rss, live, alloc = series.rss[at], series.heap_live[at], series.heap_alloc[at]
    # What Go keeps for reuse need not have been touched: more than is resident is not there.
    kept = np.fmin(series.idle[at] - series.released[at], rss - series.heap_inuse[at] - series.stacks[at])
    parts = {
        "memory.gc-headroom": alloc - live,
        "memory.not-returned": kept,
        "memory.stacks": series.stacks[at],
        "memory.off-heap": series.off_heap[at],
    }
    whole = rss if rss > 0 else np.fmax(alloc, series.sys[at] - series.released[at])
    target = "?" if math.isnan(series.next_gc[at]) else size(series.next_gc[at])
    for key, value in parts.items():
        if value > _NOTABLE and value > _PART * whole:
            yield Text(key, {"size": size(value), "live": size(live), "whole": size(whole), "target": target})


def _not_heap(series: MemorySeries, at: int) -> Iterator[Text]:
    """Yield that it is not the heap: the process grew and the live heap did not, or holds little of the process."""
    rss, live = series.rss[at], series.heap_live[at]
    known = np.flatnonzero(~np.isnan(series.rss[: at + 1] + series.heap_live[: at + 1]))
    if len(known) > 1:
        first = int(known[0])
        grown, alive = rss - series.rss[first], live - series.heap_live[first]
        if grown > 2 * _NOTABLE and alive < 0.25 * grown:
            yield Text("memory.not-heap-growth", {"rss": size(grown), "live": size(max(0.0, alive))})
    elif rss - live > max(_FEW, live):
        yield Text("memory.not-heap", {"rss": size(rss), "live": size(live)})

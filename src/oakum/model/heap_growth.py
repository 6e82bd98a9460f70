"""Heap and memory through the moments, as columns: what compare/ measures and detect/ reads.

`HeapGrowth` has one column for each stack that holds or held memory, `MemorySeries` one value for each moment. What a
moment does not say is -1 in whole numbers and NaN in others.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oakum.model.frame import Stack
from oakum.model.profile import Bools, Int64s

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class HeapGrowth:
    """Live and allocated memory by stack: arrays are [moment, stack]; `seen` says which moments have a profile.

    A heap profile is sampled: `samples` is how many sampled objects stand behind the live bytes, `noise` the variance
    that sampling gives to the live bytes, `churn` the variance of all bytes ever allocated. Stacks that hold little are
    left out of the rows, never out of the totals.
    """

    seen: Bools
    stacks: tuple[Stack, ...]
    space: Int64s
    objects: Int64s
    samples: Floats
    noise: Floats
    allocated: Int64s  # bytes since the start of the process
    churn: Floats
    total: Int64s  # live bytes of all stacks, one a moment
    total_allocated: Int64s
    twin: Int64s | None = None  # live bytes of each stack in the healthy twin; None: there is none

    @property
    def moments(self) -> NDArray[np.intp]:
        """Return the moments that have a profile, oldest first."""
        return np.flatnonzero(self.seen)


@dataclass(frozen=True, slots=True, eq=False)
class MemorySeries:
    """Memory of a process, one value a moment, in bytes; NaN where no capture says."""

    seconds: Floats  # since the first moment
    rss: Floats
    virtual: Floats
    limit: Floats
    heap_live: Floats  # marked by the last collection, or what the profile makes of it
    heap_marked: Floats  # marked by the last collection, as the collector itself says
    heap_alloc: Floats
    heap_inuse: Floats
    idle: Floats
    released: Floats
    stacks: Floats
    sys: Floats
    off_heap: Floats
    next_gc: Floats
    num_gc: Floats
    last_gc: Floats  # seconds since 1970
    total_alloc: Floats
    mallocs: Floats


@dataclass(frozen=True, slots=True)
class Pin:
    """Heap that goroutines of one suspect keep alive."""

    bytes: int  # at the last moment
    part: float  # of the live heap
    explains: float | None  # of the heap's growth; None: it did not grow, or one profile alone shows none
    each: int  # bytes for each goroutine
    rows: tuple[int, ...]  # of HeapGrowth
    path: Stack

    @property
    def weight(self) -> float:
        """Return how much of what is to be explained it explains."""
        return self.part if self.explains is None else self.explains


__all__ = ["Floats", "HeapGrowth", "MemorySeries", "Pin"]

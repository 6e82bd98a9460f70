"""Heap and memory through the snapshots, as columns: what compare/ measures and detect/ reads.

`HeapGrowth` has one column for each stack that holds or held memory, `MemorySeries` one value for each snapshot. What a
snapshot does not say is -1 in whole numbers and NaN in others.
"""

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from oakum.model.frame import Stack
from oakum.model.profile import Bools, Int64s

Floats = NDArray[np.float64]


class HeapGrowth(Struct, frozen=True, eq=False):
    """Live and allocated memory by stack: arrays are [snapshot, stack]; `seen` says which snapshots have a profile.

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
    total: Int64s  # live bytes of all stacks, one a snapshot
    total_allocated: Int64s
    baseline: Int64s | None = None  # live bytes of each stack in the healthy baseline; None: there is none

    @property
    def snapshots(self) -> NDArray[np.intp]:
        """Return the snapshots that have a profile, oldest first."""
        return np.flatnonzero(self.seen)


class MemorySeries(Struct, frozen=True, eq=False):
    """Memory of a process, one value a snapshot, in bytes; NaN where no capture says."""

    seconds: Floats  # since the first snapshot
    rss: Floats
    peak: Floats  # of the RSS, from the beginning on
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
    off_heap: Floats  # of the peak where no RSS is known
    next_gc: Floats
    num_gc: Floats
    last_gc: Floats  # seconds since 1970
    total_alloc: Floats
    mallocs: Floats

    @property
    def last_known(self) -> int | None:
        """Return the last snapshot with resident memory and heap; else with one of them; None where no one has any."""
        both = np.flatnonzero(~np.isnan(np.stack((self.rss, self.heap_alloc, self.heap_live))).all(axis=0))
        known = both if len(both) else np.flatnonzero(~(np.isnan(self.rss) & np.isnan(self.heap_live)))
        return int(known[-1]) if len(known) else None


class Pin(Struct, frozen=True):
    """Heap that goroutines of one suspect keep alive."""

    bytes: int  # at the last snapshot
    part: float  # of the live heap
    explains: float | None  # of the heap's growth; None: it did not grow, or one profile alone shows none
    each: int  # bytes for each goroutine
    rows: tuple[int, ...]  # of HeapGrowth
    path: Stack

    @property
    def weight(self) -> float:
        """Return how much of what is to be explained it explains."""
        return self.part if self.explains is None else self.explains

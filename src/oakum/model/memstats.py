"""Go's own account of its memory, from the trailer of heap debug=1 (runtime.MemStats), in bytes."""

from datetime import UTC, datetime

from msgspec import Struct


class MemStats(Struct, frozen=True):
    """runtime.MemStats as printed; None where this Go version did not print the figure."""

    alloc: int | None = None
    total_alloc: int | None = None
    sys: int | None = None
    lookups: int | None = None
    mallocs: int | None = None
    frees: int | None = None
    heap_alloc: int | None = None
    heap_sys: int | None = None
    heap_idle: int | None = None
    heap_inuse: int | None = None
    heap_released: int | None = None
    heap_objects: int | None = None
    stack_inuse: int | None = None
    stack_sys: int | None = None
    mspan_inuse: int | None = None
    mspan_sys: int | None = None
    mcache_inuse: int | None = None
    mcache_sys: int | None = None
    buck_hash_sys: int | None = None
    gc_sys: int | None = None
    other_sys: int | None = None
    next_gc: int | None = None
    last_gc_nanos: int | None = None  # Unix time in nanoseconds
    num_gc: int | None = None
    num_forced_gc: int | None = None
    gc_cpu_fraction: float | None = None
    debug_gc: bool | None = None
    max_rss: int | None = None
    pause_nanos: tuple[int, ...] = ()  # the last 256 pauses, ring order
    pause_end_nanos: tuple[int, ...] = ()

    @property
    def last_gc(self) -> datetime | None:
        """Return when the last collection ended; None when none ran."""
        return datetime.fromtimestamp(self.last_gc_nanos / 1e9, UTC) if self.last_gc_nanos else None

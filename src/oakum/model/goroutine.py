"""Goroutines, grouped: what stands where, in which state, since when, made by whom.

One group is all goroutines of a capture that share stack, state, creator, labels and marks; members are array rows.
What a capture cannot say is None or an empty array, never a guess.
"""

import numpy as np
from msgspec import Struct, field

from oakum.model.frame import Frame, Stack
from oakum.model.profile import Int32s, Int64s

# Labels under which a profile made from a text dump keeps what protobuf has no place for.
STATE_LABEL = "go.state"
CREATOR_LABEL = "go.created_by"

NO_INT64S: Int64s = np.zeros(0, np.int64)
NO_INT32S: Int32s = np.zeros(0, np.int32)


class GoroutineGroup(Struct, frozen=True, eq=False):
    """Goroutines that cannot be told apart but by id, age and parent. Parking frames are off the stack."""

    stack: Stack
    count: int
    state: str | None = None  # as Go 1.20+ prints it: "chan send", "sync.Mutex.Lock"; None: the capture cannot say
    created_by: Frame | None = None
    labels: tuple[tuple[str, str], ...] = ()
    leaked: bool = False  # Go's own garbage collector proved it, "(leaked)"
    marks: tuple[str, ...] = ()  # "scan", "durable", "synctest bubble 3", "locked to thread"
    ancestors: tuple[Stack, ...] = ()  # GODEBUG=tracebackancestors
    ids: Int64s = field(default_factory=lambda: NO_INT64S)
    parents: Int64s = field(default_factory=lambda: NO_INT64S)  # creator's goroutine id, 0 unknown
    waits: Int32s = field(
        default_factory=lambda: NO_INT32S
    )  # minutes, -1: the header names none (says nothing about the age)
    spans: Int64s = field(
        default_factory=lambda: NO_INT64S
    )  # shape (count, 2): where each member stands in Goroutines.text

    @property
    def place(self) -> Frame | None:
        return self.stack.place

    @property
    def longest(self) -> int | None:
        """Return the longest waiting time in minutes, or None when no member names one."""
        longest = int(self.waits.max()) if len(self.waits) else -1
        return longest if longest >= 0 else None


class Goroutines(Struct, frozen=True, eq=False):
    """All goroutines of one capture. `declared` is the total the capture itself announces, where it does."""

    groups: tuple[GoroutineGroup, ...]
    declared: int | None = None
    cut: bool = False  # the text ends in the middle: later goroutines are missing
    text: bytes | memoryview = b""  # the plain dump the spans point into; b"" when it was not kept

    @property
    def total(self) -> int:
        return sum(group.count for group in self.groups)

    @property
    def missing(self) -> int | None:
        """Return how many announced goroutines were not read; None when nothing was announced."""
        return None if self.declared is None else max(0, self.declared - self.total)

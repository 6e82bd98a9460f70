"""What holds the memory of a process: a tree from globals, goroutines and the runtime's queues to what they keep."""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from oakum.model.frame import Frame

COMMENT = "oakum holders"  # of a profile that Oakum wrote of holders: its sums are retained bytes
HOLDER_LABEL = "holder"  # of its samples: the kind of the root
SITE_LABEL = "allocated"  # of its samples: function, file, line, objects and bytes of a site, with tabs between

HolderKind = Literal[
    "global", "goroutine", "timers", "finalizer-queue", "finalizers", "runtime", "several", "other",  # roots
    "field", "entries", "objects", "data", "frame",  # below them
]  # fmt: skip


class Allocation(Struct, frozen=True):
    """One allocation site of what is held, as the memory profile in a dump samples it."""

    frames: tuple[Frame, ...]  # leaf first
    objects: int  # sampled ones
    bytes: int  # that these stand for

    @property
    def site(self) -> Frame:
        """Return the innermost line that is not the standard library's or the runtime's."""
        return next((one for one in self.frames if one.owner in ("own", "dependency")), self.frames[0])


class Holder(Struct, frozen=True):
    """One node of the tree: all that would be free without it."""

    name: str
    kind: HolderKind
    bytes: int
    objects: int
    below: tuple["Holder", ...] = ()  # largest first; what is too small to name is in `bytes` alone
    type: str = ""  # of the program's, where that is known: map[string]*main.session
    count: int = 1  # goroutines, or finalizers
    entries: int = 0  # objects directly below: about as many as a container has entries
    state: str = ""  # of goroutines
    stack: tuple[str, ...] = ()  # functions of goroutines, leaf first
    allocated: tuple[Allocation, ...] = ()

    def walk(self) -> Iterator[tuple[tuple["Holder", ...], "Holder"]]:
        """Yield this node and all below it, each with the nodes above it, the root first."""
        waiting: list[tuple[tuple[Holder, ...], Holder]] = [((), self)]
        while waiting:
            above, node = waiting.pop()
            yield above, node
            waiting += [((*above, node), one) for one in reversed(node.below)]


class Holders(Struct, frozen=True):
    """What holds the heap of one process at one time."""

    bytes: int  # of all objects that something holds
    objects: int
    roots: tuple[Holder, ...]  # largest first
    unreferenced: int = 0  # bytes of objects that nothing refers to: free with the next collection
    exact: bool = True  # by dominators; else by the first path that was found to each object


class HolderChange(Struct, frozen=True):
    """One path of holders through two snapshots, the root first; None where it is not there."""

    path: tuple[Holder, ...]  # of the later snapshot, where it is in that
    before: int | None
    after: int | None
    objects_before: int | None
    objects_after: int | None

    @property
    def bytes(self) -> int:
        return (self.after or 0) - (self.before or 0)

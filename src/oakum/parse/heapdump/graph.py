"""The records of a heap dump -> a graph: objects, and what keeps them: globals, goroutines by place, finalizers.

With the symbols of the program a global is one node by its name, else each word of a segment is one by its address. The
linker's static temporaries (main..stmp_3) are followed like objects, and are roots only where nothing refers to them.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from oakum.model.profile import Int32s, Int64s, UInt64s
from oakum.parse.binaries.variables import Variables
from oakum.parse.heapdump.dominators import Graph
from oakum.parse.heapdump.records import Dump, DumpedGoroutine, Objects

_PIECE = 4 << 20  # pointers that are looked up together
_STATIC = "..stmp_"
_PARTS = ("frame", "part")  # keepers that hang on another one
# runtime/runtime2.go: states of a goroutine that are not a wait
_STATES = {0: "idle", 1: "runnable", 2: "running", 3: "syscall", 6: "dead"}


class Keeper(Struct, frozen=True):
    """A node that is no object: a root, a frame of goroutines, a static temporary, or the root of all (kind "")."""

    kind: (
        str  # global, part (of the runtime's), goroutine, frame, finalizer, finalizer-queue, static, other, runtime, ""
    )
    name: str
    address: int = 0
    count: int = 1  # goroutines, or finalizers
    of: int = -1  # the row of the keeper that has this frame
    state: str = ""
    stack: tuple[str, ...] = ()
    symbol: int = -1  # row of the program's variable


class Heap(Struct, frozen=True, eq=False):
    """The graph: objects come first, then keepers, the root last. `offsets` is where in its source an edge begins,
    `inner` where in its target it leads."""

    dump: Dump
    objects: Objects
    keepers: tuple[Keeper, ...]
    graph: Graph
    offsets: Int64s
    inner: NDArray[np.uint32]
    sizes: Int64s
    lookup: "Lookup"

    def object_at(self, addresses: UInt64s) -> Int64s:
        """Return the object at each address, -1 where none is."""
        found = self.lookup.of(addresses)[0].astype(np.int64)
        return np.where(found < len(self.objects), found, -1)


class Lookup:
    """Where pointers lead: to objects by their addresses, and to static temporaries by theirs."""

    def __init__(self, addresses: UInt64s, sizes: Int64s) -> None:
        self.order = np.argsort(addresses, kind="stable").astype(np.int32)
        self.addresses = addresses[self.order]
        self.sizes = sizes[self.order].astype(np.uint64)

    def of(self, values: UInt64s) -> tuple[Int32s, NDArray[np.uint32]]:
        """Return the node that each pointer leads into, -1 where that is none, and where in it."""
        found, inner = np.full(len(values), -1, np.int32), np.zeros(len(values), np.uint32)
        if not len(self.addresses):
            return found, inner
        for start in range(0, len(values), _PIECE):
            some = values[start : start + _PIECE]
            rows = np.searchsorted(self.addresses, some, "right") - 1
            within = some - self.addresses[rows]
            inside = (rows >= 0) & (within < self.sizes[rows])
            inner[start : start + _PIECE] = np.where(inside, within, 0)
            found[start : start + _PIECE] = np.where(inside, self.order[rows], np.int32(-1))
        return found, inner


def build(dump: Dump, symbols: Variables | None = None) -> Heap:
    """Return the graph of a dump."""
    objects = dump.objects
    assert objects is not None
    count = len(objects)
    keepers, pointers, statics = _globals(dump, symbols)
    for keeper, values in _others(dump):
        keepers.append(keeper)
        pointers.append((np.zeros(len(values), np.int64), values))
    _goroutines(dump, keepers, pointers)
    keepers.append(Keeper("", ""))
    static = [row for row, one in enumerate(keepers) if one.kind == "static"]
    lookup = Lookup(
        np.concatenate((objects.address, np.array([keepers[row].address for row in static], np.uint64))),
        np.concatenate((objects.size, np.array([statics[row] for row in static], np.int64))),
    )
    targets, inner = lookup.of(objects.values)
    if static:
        beyond = targets >= count
        targets[beyond] = count + np.array(static, np.int32)[targets[beyond] - count]
    kept = targets >= 0
    before = np.zeros(len(kept) + 1, np.int64)
    np.cumsum(kept, out=before[1:])
    object_starts = before[objects.starts]
    edges = _Edges([targets[kept]], [objects.offsets[kept].astype(np.int64)], [inner[kept]])
    return _joined(dump, objects, keepers, pointers, lookup, static, object_starts, edges)


class _Edges(Struct):
    """Columns of edges, piece by piece: where they lead, and where they begin and end in their objects."""

    targets: list[Int32s]
    offsets: list[Int64s]
    inner: list[NDArray[np.uint32]]

    def add(self, targets: Int32s, offsets: Int64s, inner: NDArray[np.uint32]) -> int:
        self.targets.append(targets)
        self.offsets.append(offsets)
        self.inner.append(inner)
        return len(targets)


def _joined(
    dump: Dump, objects: Objects, keepers: list[Keeper], pointers: list[tuple[Int64s, UInt64s]], lookup: Lookup,
    static: list[int], object_starts: Int64s, edges: _Edges,
) -> Heap:  # fmt: skip
    """Return the graph of the objects with that of the keepers behind it."""
    count, root = len(objects), len(objects) + len(keepers) - 1
    lengths = []
    referred = np.zeros(root + 1, np.bool_)
    referred[edges.targets[0]] = True
    frames: dict[int, list[int]] = {}
    for row, one in enumerate(keepers):
        if one.kind in _PARTS:
            frames.setdefault(one.of, []).append(count + row)
    for row, (places, values) in enumerate(pointers):
        found, inner = lookup.of(values)
        beyond = found >= count
        if static:
            found[beyond] = count + np.array(static, np.int32)[found[beyond] - count]
        there = found >= 0
        places, found, inner = places[there], found[there], inner[there]
        if row in frames:
            found = np.concatenate((found, np.array(frames[row], np.int32)))
            places = np.concatenate((places, np.full(len(frames[row]), -1, np.int64)))
            inner = np.concatenate((inner, np.zeros(len(frames[row]), np.uint32)))
        if keepers[row].kind != "static":
            referred[found] = True
        if keepers[row].kind in ("global", "part"):
            for node in found[found >= count].tolist():  # a temporary is called like the variable it belongs to
                keepers[node - count] = replace(keepers[node - count], name=keepers[row].name)
        lengths.append(edges.add(found, places, inner))
    roots = [
        count + row
        for row, one in enumerate(keepers[:-1])
        if one.kind not in (*_PARTS, "static") or (one.kind == "static" and not referred[count + row])
    ]
    none = np.full(len(roots), -1, np.int64)
    lengths.append(edges.add(np.array(roots, np.int32), none, np.zeros(len(roots), np.uint32)))
    starts = np.concatenate((object_starts, object_starts[-1] + np.cumsum(lengths, dtype=np.int64)))
    sizes = np.concatenate((objects.size, np.zeros(len(keepers), np.int64)))
    graph = Graph(starts, np.concatenate(edges.targets))
    offsets, inside = np.concatenate(edges.offsets), np.concatenate(edges.inner)
    return Heap(dump, objects, tuple(keepers), graph, offsets, inside, sizes, lookup)


def slide(dump: Dump, symbols: Variables) -> int:
    """Return by how much the program was loaded elsewhere than its file says."""
    data = next((one.address for one in dump.segments if one.name == "data"), 0)
    return data - symbols.data if symbols.data and data else 0


def _globals(
    dump: Dump, symbols: Variables | None
) -> tuple[list[Keeper], list[tuple[Int64s, UInt64s]], dict[int, int]]:
    """Return the globals that hold pointers, these, and how large each static temporary is."""
    keepers: list[Keeper] = []
    pointers: list[tuple[Int64s, UInt64s]] = []
    sizes: dict[int, int] = {}
    moved = slide(dump, symbols) if symbols else 0
    cuts = np.sort(np.concatenate([np.zeros(0, np.uint64), *(one.pointers.values for one in dump.segments)]))
    for segment in dump.segments:
        places = segment.pointers.offsets.astype(np.uint64) + np.uint64(segment.address)
        rows, begins = _variables(places, symbols, moved, cuts)
        for first, last in _runs(begins):
            row, begin = int(rows[first]), int(begins[first])
            if symbols and row >= 0:
                kind, name = "static" if _STATIC in symbols.names[row] else "global", symbols.names[row]
            else:  # the linker gives its temporaries no symbols
                kind, name = "static" if symbols else "global", f"{segment.name}+{begin - segment.address:#x}"
            if kind == "static":
                sizes[len(keepers)] = int(places[last - 1]) + dump.word - begin
            keepers.append(Keeper(kind, name, begin, symbol=row))
            pointers.append((places[first:last].astype(np.int64) - begin, segment.pointers.values[first:last]))
    _gather_runtime(keepers, pointers)
    return keepers, pointers, sizes


def _variables(places: UInt64s, symbols: Variables | None, slide: int, cuts: UInt64s) -> tuple[Int64s, UInt64s]:
    """Return of words of a segment the variables they are in, -1 where these have no name, and where these begin.

    What has no name begins where something points to it, or where a variable with a name ends.
    """
    if symbols is None or not len(symbols.names):
        return np.full(len(places), -1, np.int64), places
    moved = np.uint64(slide % (1 << 64))
    rows = symbols.at(places - moved)
    before = np.searchsorted(symbols.addresses, places - moved, "right") - 1
    known = np.maximum(before, 0)
    ends = np.where(before >= 0, symbols.addresses[known] + symbols.sizes[known].astype(np.uint64) + moved, 0)
    pointed = np.searchsorted(cuts, places, "right") - 1
    starts = np.where(pointed >= 0, cuts[np.maximum(pointed, 0)], 0) if len(cuts) else ends
    unnamed = np.maximum(np.maximum(ends, starts), places[:1] if len(places) else ends)
    named = symbols.addresses[np.maximum(rows, 0)] + moved
    return rows, np.where(rows >= 0, named, unnamed).astype(np.uint64)


def _gather_runtime(keepers: list[Keeper], pointers: list[tuple[Int64s, UInt64s]]) -> None:
    """Make the variables of the runtime parts of one holder: timers and the like hang on several of them at once."""
    above = len(keepers)
    parts = [row for row, one in enumerate(keepers) if one.name.startswith("runtime.") and one.kind == "global"]
    if parts:
        for row in parts:
            keepers[row] = replace(keepers[row], kind="part", of=above)
        keepers.append(Keeper("runtime", "runtime"))
        pointers.append((np.zeros(0, np.int64), np.zeros(0, np.uint64)))


def _runs(begins: UInt64s) -> Iterable[tuple[int, int]]:
    """Yield the runs of words that are of one variable."""
    if len(begins):
        edges = [0, *(np.flatnonzero(begins[1:] != begins[:-1]) + 1).tolist(), len(begins)]
        yield from pairwise(edges)


def _others(dump: Dump) -> Iterable[tuple[Keeper, UInt64s]]:
    """Yield what else holds: the queue of finalizers, the functions of finalizers that are set, other roots."""
    if dump.queued:
        objects = [pointer for row in dump.queued for pointer in row[:2]]
        yield Keeper("finalizer-queue", "finalizer queue", count=len(dump.queued)), np.array(objects, np.uint64)
    if dump.finalizers:
        functions = np.array([row[1] for row in dump.finalizers], np.uint64)
        yield Keeper("finalizer", "finalizers", count=len(dump.finalizers)), functions
    for name, pointer in dump.others:
        yield Keeper("other", name), np.array([pointer], np.uint64)


def _goroutines(dump: Dump, keepers: list[Keeper], pointers: list[tuple[Int64s, UInt64s]]) -> None:
    """Add the goroutines, those at one place as one, each with its frames."""
    groups: dict[tuple[object, ...], list[DumpedGoroutine]] = {}
    for one in dump.goroutines:
        key = (_state(one), *((frame.function, frame.pc) for frame in one.frames))
        groups.setdefault(key, []).append(one)
    none = np.zeros(0, np.int64), np.zeros(0, np.uint64)
    for members in groups.values():
        head = members[0]
        stack = tuple(frame.function for frame in head.frames)
        above = len(keepers)
        keepers.append(Keeper("goroutine", _place(stack), head.id, len(members), state=_state(head), stack=stack))
        pointers.append(none)
        for depth, frame in enumerate(head.frames):
            values = np.concatenate([one.frames[depth].pointers.values for one in members])
            if len(values):
                places = np.concatenate([one.frames[depth].pointers.offsets for one in members])
                keepers.append(Keeper("frame", frame.function, of=above))
                pointers.append((places, values))


def _state(one: DumpedGoroutine) -> str:
    return _STATES.get(one.status & 0xF, one.waiting or "waiting")


def _place(stack: Sequence[str]) -> str:
    """Return the function that goroutines are in: the first that is not the runtime's."""
    return next((name for name in stack if not name.startswith(("runtime.", "internal/", "sync."))), (*stack, "?")[0])

"""What objects are: followed from globals through the types that the program's DWARF has -> the label of each object.

Level by level, all objects of one type at once. Behind an interface the dump itself names the type. An object that
nothing with a type leads to is known by its size, and so is all that only stacks refer to.
"""

import re
from time import monotonic

import numpy as np
from msgspec import Struct

from oakum.model.holders import HolderKind
from oakum.model.profile import Int32s, Int64s
from oakum.parse.binaries.dwarf import Dwarf, Layout, Slot
from oakum.parse.binaries.variables import Variables
from oakum.parse.heapdump.dominators import Dominators, rows_of
from oakum.parse.heapdump.graph import Heap, slide
from oakum.parse.heapdump.paths import Label, Labels, plain_labels

_ROOTS = 256  # globals that are followed, those that retain most
_ROUNDS = 1000  # levels; what is longer, a list, goes on as it is
_MOST_LABELS = 50_000
_HEADER = 8  # bytes before an object with pointers that is larger than this: its type
_SMALL = 512
_LOWEST = 4096  # no type is in the first page
# main.(*Replay).Sweep-fm   net/http.(*conn).serve   gopkg.in/yaml%2ev3.(*parser).parse.func1
_METHOD = re.compile(r"([^()]+)\.\(\*(\w+)\)\.\w+")


class _Kind(Struct, frozen=True):
    """How the memory at an object is to be read: a type, one or one after the other."""

    place: int
    repeated: bool
    small: bool = False  # a map of at most eight entries: its directory is its only group


class _Typing:
    def __init__(self, heap: Heap, found: Dominators, dwarf: Dwarf, program: Variables, deadline: float) -> None:
        self.heap, self.found, self.dwarf, self.deadline = heap, found, dwarf, deadline
        self.moved = slide(heap.dump, program)
        self.types, self.methods = self.moved + program.types, program.methods
        total = len(heap.graph)
        self.kind = np.full(total, -1, np.int32)  # row of `kinds`; -2: known, and not followed
        self.delta = np.zeros(total, np.int64)  # where in the object the type begins
        self.label = np.full(total, -1, np.int32)
        self.via = np.full(total, -1, np.int32)
        self.kinds: list[_Kind] = []
        self._kinds: dict[_Kind, int] = {}
        self.labels: list[Label] = []
        self._labels: dict[Label, int] = {}
        self.called = np.zeros(0, np.int32)
        self.root_types: dict[int, str] = {}
        self.boxed: dict[int, int] = {}
        self.words = np.ndarray(
            (max(0, len(heap.dump.data) - heap.dump.word + 1),), f"{heap.dump.order}u{heap.dump.word}",
            heap.dump.data, 0, (1,),
        )  # fmt: skip

    def row_of(self, kind: _Kind) -> int:
        if kind not in self._kinds:
            self._kinds[kind] = len(self.kinds)
            self.kinds.append(kind)
        return self._kinds[kind]

    def label_of(self, label: Label) -> int:
        if label not in self._labels:
            if len(self.labels) >= _MOST_LABELS:
                return -1
            self._labels[label] = len(self.labels)
            self.labels.append(label)
        return self._labels[label]

    def follow(self) -> None:
        """Give a type to all that globals lead to."""
        count, keepers = len(self.heap.objects), self.heap.keepers
        wanted = [row for row, one in enumerate(keepers) if one.kind in ("global", "part") and one.symbol >= 0]
        wanted.sort(key=lambda row: -int(self.found.retained[count + row]))
        front: list[Int64s] = []
        for row in wanted[:_ROOTS]:
            if (place := self.dwarf.variable(keepers[row].name)) and self.dwarf.layout(place).slots:
                self.root_types[row] = self.dwarf.layout(place).name
                self.kind[count + row] = self.row_of(_Kind(place, False))
                front.append(np.array([count + row], np.int64))
        nodes = self._levels(np.concatenate(front) if front else np.zeros(0, np.int64))
        if len(nodes):  # lists that go on
            self._levels(np.concatenate((nodes, *self._lists())))
        nodes = self._levels(
            np.concatenate(
                (self._queued(), self._receivers(), self._bound(), self._headed(), self._named_by_interfaces())
            )
        )
        if len(nodes):
            self._levels(np.concatenate((nodes, *self._lists())))

    def _queued(self) -> Int64s:
        """Give their type to the objects whose finalizer waits: the queue has it."""
        queued = self.heap.dump.queued
        at = self.heap.object_at(np.array([row[0] for row in queued], np.uint64))
        places = np.array([self._boxed(row[2]) for row in queued], np.int64)
        fits = (at >= 0) & (places > 0)
        at, places = at[fits], places[fits]
        return self._typed(at[self.kind[at] == -1], places[self.kind[at] == -1], repeated=False)

    def _receivers(self) -> Int64s:
        """Give their type to the receivers of methods that goroutines are in: where size and pointers are its own."""
        graph, count = self.heap.graph, len(self.heap.objects)
        found: dict[int, int] = {}
        layouts: dict[str, int] = {}
        for row, one in enumerate(self.heap.keepers):
            if one.kind != "frame":
                continue
            methods = (_METHOD.match(name) for name in self.heap.keepers[one.of].stack)
            names = {f"{_plain(method[1])}.{method[2]}" for method in methods if method}
            for name in names - layouts.keys():
                layouts[name] = self.dwarf.named(name)
            places = [place for name in sorted(names) if (place := layouts[name])]
            for edge in range(int(graph.starts[count + row]), int(graph.starts[count + row + 1])):
                node, inner = int(graph.targets[edge]), int(self.heap.inner[edge])
                if node >= count or self.kind[node] != -1 or inner not in (0, _HEADER) or node in found:
                    continue
                fits = [place for place in places if self._fits(node, inner, self.dwarf.layout(place))]
                if len(fits) == 1:
                    self.delta[node] = inner
                    found[node] = fits[0]
        for node, place in found.items():
            self.kind[node] = self.row_of(_Kind(place, False))
        return np.array([*found], np.int64)

    def _bound(self) -> Int64s:
        """Give their type to the values of method values: a function and, behind it, whose method it calls."""
        objects, graph, word = self.heap.objects, self.heap.graph, self.heap.dump.word
        named = {at + self.moved: name for at, name in self.methods}
        if not named:
            return np.zeros(0, np.int64)
        addresses = np.array(sorted(named), np.int64)
        at = np.flatnonzero((objects.size == 2 * word) & (np.diff(graph.starts[: len(objects) + 1]) == 1))
        at = at[self.heap.offsets[graph.starts[at]] == word]
        told = self.words[objects.at[at]].astype(np.int64)
        row = np.minimum(np.searchsorted(addresses, told), len(addresses) - 1)
        found = []
        for node, value in zip(at[addresses[row] == told].tolist(), told[addresses[row] == told].tolist(), strict=True):
            edge = int(graph.starts[node])
            target, inner, method = int(graph.targets[edge]), int(self.heap.inner[edge]), _METHOD.match(named[value])
            if method is None or target >= len(objects) or self.kind[target] != -1 or inner not in (0, _HEADER):
                continue
            place = self.dwarf.named(f"{_plain(method[1])}.{method[2]}")
            if place and self._fits(target, inner, self.dwarf.layout(place)):
                self.kind[target], self.delta[target] = self.row_of(_Kind(place, False)), inner
                found.append(target)
        return np.array(found, np.int64)

    def _fits(self, node: int, inner: int, layout: Layout) -> bool:
        """Tell whether an object has the size of a type, and pointers where that has some."""
        graph, room = self.heap.graph, int(self.heap.sizes[node]) - inner
        if not layout.size <= room <= layout.size + max(2 * self.heap.dump.word, layout.size // 6):
            return False
        offsets = self.heap.offsets[graph.starts[node] : graph.starts[node + 1]] - inner
        return bool(len(offsets)) and {*offsets.tolist()} <= {slot.offset for slot in layout.slots}

    def _known_types(self) -> tuple[Int64s, Int64s]:
        """Return the addresses of types that a word of memory may hold, and their places; itabs are among them."""
        told = dict.fromkeys((*self.dwarf.runtime_types(), *(at + self.types for at in self.dwarf.runtime_types())))
        addresses = np.array(sorted(one for one in {*told, *self.heap.dump.itabs} if one > _LOWEST), np.int64)
        places = np.array([self._place(one) for one in addresses.tolist()], np.int64)
        return addresses[places > 0], places[places > 0]

    def _headed(self) -> Int64s:
        """Give their type to larger objects with pointers: since Go 1.22 the allocator notes it before them."""
        objects = self.heap.objects
        addresses, places = self._known_types()
        at = np.flatnonzero((objects.size > _SMALL) & (self.kind[: len(objects)] == -1) & (np.diff(objects.starts) > 0))
        if not len(at) or not len(addresses):
            return at[:0]
        told = self.words[objects.at[at]].astype(np.int64)
        row = np.minimum(np.searchsorted(addresses, told), len(addresses) - 1)
        fits = addresses[row] == told
        at, row = at[fits], row[fits]
        self.delta[at] = _HEADER
        return self._typed(at, places[row], repeated=True)

    def _named_by_interfaces(self) -> Int64s:
        """Give their type to what interfaces hold, wherever these are: the word before the pointer names it."""
        objects, graph, word = self.heap.objects, self.heap.graph, self.heap.dump.word
        addresses, _ = self._known_types()
        if not len(addresses):
            return np.zeros(0, np.int64)
        edges = int(graph.starts[len(objects)])
        target = graph.targets[:edges]
        rows = np.flatnonzero((self.kind[target] == -1) & (target < len(objects)) & (self.heap.offsets[:edges] >= word))
        source = np.searchsorted(graph.starts, rows, "right") - 1
        told = self.words[objects.at[source] + self.heap.offsets[rows] - word].astype(np.int64)
        row = np.minimum(np.searchsorted(addresses, told), len(addresses) - 1)
        fits = (addresses[row] == told) & (self.heap.inner[rows] == 0)
        at, row = target[rows[fits]].astype(np.int64), row[fits]
        boxed = np.array([self._boxed(one) for one in addresses.tolist()], np.int64)
        return self._typed(at, boxed[row], repeated=False)

    def _typed(self, at: Int64s, places: Int64s, *, repeated: bool) -> Int64s:
        """Give these objects these types; return those that can be followed."""
        found = [at[:0]]
        for place in np.unique(places[places > 0]).tolist():
            if self.dwarf.layout(place).slots:
                mine = np.unique(at[places == place])
                self.kind[mine] = self.row_of(_Kind(place, repeated))
                found.append(mine)
        return np.concatenate(found)

    def _place(self, value: int) -> int:
        """Return the place of the type at an address, or of the one that an itab there is for."""
        address = self.heap.dump.itabs.get(value, value)
        return self.dwarf.of_runtime(address) or self.dwarf.of_runtime(address - self.types)

    def _levels(self, nodes: Int64s) -> Int64s:
        """Follow objects level by level; return those that are left after so many."""
        for _ in range(_ROUNDS):
            if not len(nodes) or monotonic() > self.deadline:
                return nodes[:0]
            kinds = self.kind[nodes]
            order = np.argsort(kinds, kind="stable")
            breaks = np.flatnonzero(np.diff(kinds[order])) + 1
            nodes = np.concatenate([self._level(group) for group in np.split(nodes[order], breaks)])
        return nodes

    def _level(self, nodes: Int64s) -> Int64s:
        """Give a type to all that objects of one type lead to; return those that can be followed further."""
        kind = self.kinds[self.kind[nodes[0]]]
        layout = self.dwarf.layout(kind.place)
        if layout.name.startswith("map<"):
            nodes, small = self._small_maps(nodes, layout)
            if len(small):
                found = self._targets(small, kind, _small(self.dwarf, layout))
                return np.concatenate((found, self._level(nodes))) if len(nodes) else found
        return self._targets(nodes, kind, layout)

    def _small_maps(self, nodes: Int64s, layout: Layout) -> tuple[Int64s, Int64s]:
        """Return the maps that have a directory, and those that have only one group: their directory has no length."""
        objects, word = self.heap.objects, self.heap.dump.word
        if not layout.slots:
            return nodes, nodes[:0]
        inside = nodes[nodes < len(objects)]
        length = objects.at[inside] + self.delta[inside] + layout.slots[0].offset + word
        small = self.words[np.minimum(length, len(self.words) - 1)] == 0
        return np.concatenate((inside[~small], nodes[nodes >= len(objects)])), inside[small]

    def _targets(self, nodes: Int64s, kind: _Kind, layout: Layout) -> Int64s:
        if not layout.slots or not len(nodes):
            return nodes[:0]
        graph = self.heap.graph
        rows = rows_of(graph.starts, nodes)
        source = np.repeat(nodes, graph.starts[nodes + 1] - graph.starts[nodes])
        place = self.heap.offsets[rows] - self.delta[source]
        if kind.repeated and layout.size > 0:
            place = np.where(place >= 0, place % layout.size, -1)
        offsets = np.array([slot.offset for slot in layout.slots], np.int64)
        at = np.minimum(np.searchsorted(offsets, place), len(offsets) - 1)
        target = graph.targets[rows]
        fits = (offsets[at] == place) & (self.kind[target] == -1) & (target < len(self.heap.objects))
        static = self._statics(target)
        fits |= (offsets[at] == place) & (self.kind[target] == -1) & static
        rows, source, at, target = rows[fits], source[fits], at[fits], target[fits]
        # Several may lead to one: the last that wrote its number there does.
        mark = np.arange(len(target))
        self.via[target] = mark
        first = self.via[target] == mark
        rows, source, at, target = rows[first], source[first], at[first], target[first]
        self.via[target] = source
        self.delta[target] = self.heap.inner[rows]
        self.kind[target] = -2
        further = [target[:0]]
        for slot_row in np.flatnonzero(np.bincount(at, minlength=len(offsets))).tolist():
            mine = at == slot_row
            slot = layout.slots[slot_row]
            self.label[target[mine]] = self.label_of(_label(slot, kind, layout))
            if slot.role == "interface":
                further.append(self._behind_interfaces(rows[mine], source[mine], target[mine]))
            elif slot.to and self.dwarf.layout(slot.to).slots:
                repeated = slot.role == "array" or (layout.inner and not slot.path)
                self.kind[target[mine]] = self.row_of(_Kind(slot.to, repeated))
                further.append(target[mine])
        return np.concatenate(further).astype(np.int64)

    def _statics(self, target: Int32s) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        static = np.zeros(len(self.heap.keepers), np.bool_)
        static[[row for row, one in enumerate(self.heap.keepers) if one.kind == "static"]] = True
        beyond = target - len(self.heap.objects)
        return np.asarray((beyond >= 0) & static[np.maximum(beyond, 0)])

    def _behind_interfaces(self, rows: Int64s, source: Int64s, target: Int32s) -> Int32s:
        """Give the type that an interface names to what it holds; return what can be followed."""
        objects, word = self.heap.objects, self.heap.dump.word
        inside = source < len(objects)
        rows, source, target = rows[inside], source[inside], target[inside]
        told = self.words[objects.at[source] + self.heap.offsets[rows] - word].astype(np.int64)
        found = [target[:0]]
        for value in np.unique(told).tolist():
            place = self._boxed(value)
            mine = target[told == value]
            if place and self.dwarf.layout(place).slots:
                self.kind[mine] = self.row_of(_Kind(place, False))
                found.append(mine)
        return np.concatenate(found)

    def _boxed(self, value: int) -> int:
        """Return the type of what an interface holds: a pointer is held as it is, all else is in an object."""
        if value not in self.boxed:
            place = self._place(value)
            layout = self.dwarf.layout(place) if place else None
            if layout is not None and len(layout.slots) == 1 and layout.size == self.heap.dump.word:
                slot = layout.slots[0]
                if slot.offset == 0 and slot.role == "pointer":
                    place = slot.to
            self.boxed[value] = place
        return self.boxed[value]

    def _lists(self) -> list[Int64s]:
        """Give their type to the rest of long lists: what one field of an object of one size leads to, on and on."""
        graph, sizes, found = self.heap.graph, self.heap.sizes, []
        source = np.repeat(np.arange(len(graph), dtype=np.int32), np.diff(graph.starts))
        for row, kind in enumerate(self.kinds[:]):
            layout = self.dwarf.layout(kind.place)
            slot = next((one for one in layout.slots if one.to == kind.place and one.role == "pointer"), None)
            members = np.flatnonzero(self.kind == row)
            if slot is None or kind.repeated or len(members) < _ROUNDS // 2:
                continue
            size = int(np.median(sizes[members]))
            on = (self.heap.offsets == slot.offset) & (sizes[source] == size) & (sizes[graph.targets] == size)
            on &= self.kind[graph.targets] == -1
            up = np.arange(len(graph), dtype=np.int32)
            before = up.copy()
            up[graph.targets[on]] = before[graph.targets[on]] = source[on]
            at = np.flatnonzero(up != np.arange(len(up)))
            for _ in range(32):
                up[at] = up[up[at]]
            mine = at[self.kind[up[at]] == row]
            self.kind[mine], self.via[mine] = row, before[mine]
            self.label[mine] = self.label_of(_label(slot, kind, layout))
            found.append(mine.astype(np.int64))
        return found


def _plain(package: str) -> str:
    """Return a package as it is written: in the names of symbols dots of its last part are %2e."""
    return re.sub(r"%([0-9a-f]{2})", lambda found: chr(int(found[1], 16)), package)


def _label(slot: Slot, kind: _Kind, layout: Layout) -> Label:
    """Return what an object is called that a slot leads to."""
    path = slot.path
    if kind.repeated and not layout.inner:
        path = f"[].{path}" if path else "[]"
    role: HolderKind = "entries" if path.startswith(("[]", "$")) else "field"
    return Label(path, role, slot.type if path else "")


def _small(dwarf: Dwarf, layout: Layout) -> Layout:
    """Return the layout of a map whose directory is its one group."""
    tables = dwarf.layout(dwarf.layout(layout.slots[0].to).slots[0].to)
    group = tables.slots[0].to if tables.slots else 0
    return Layout(layout.name, layout.size, (Slot(layout.slots[0].offset, "", "pointer", group, ""),), True)


def typed_labels(heap: Heap, found: Dominators, dwarf: Dwarf, program: Variables, deadline: float) -> Labels:
    """Return the labels of all objects, by their types as far as they are known."""
    typing = _Typing(heap, found, dwarf, program, deadline)
    typing.follow()
    plain = plain_labels(heap)
    count = len(heap.objects)
    of = plain.of.astype(np.int64) + len(typing.labels)
    label, via = typing.label[:count], typing.via[:count]
    direct = (label >= 0) & (via == found.above[:count])
    of[direct] = label[direct]
    # Others refer to it, too: it is known by its type.
    known = [*typing.labels, *plain.known]
    rows: dict[str, int] = {}
    shared = np.flatnonzero(~direct & (typing.kind[:count] >= 0))
    kinds = typing.kind[shared]
    for kind in np.unique(kinds).tolist():
        layout = dwarf.layout(typing.kinds[kind].place)
        name = "" if layout.inner else f"{'[]' * typing.kinds[kind].repeated}{layout.name}"
        if layout.inner or name:
            if name not in rows:
                rows[name] = len(known)
                known.append(Label(name, "objects"))
            of[shared[kinds == kind]] = rows[name]
    return Labels(of.astype(np.int32), known, typing.root_types)

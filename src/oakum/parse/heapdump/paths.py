"""Who holds what of a dump -> a tree of holders by their paths, as a model, and as a profile for the views.

Objects on one path (same holder, same name) are one node. Below a holder, objects that refer to others of their own
name (a list, a tree) are one node too. Small nodes are left out; their bytes stay in those above.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from oakum.model import Frame, Profile, ValueType
from oakum.model.holders import COMMENT, HOLDER_LABEL, SITE_LABEL, Allocation, Holder, HolderKind, Holders
from oakum.model.profile import Int32s, Int64s
from oakum.parse.columns import Columns
from oakum.parse.heapdump.dominators import Dominators
from oakum.parse.heapdump.graph import Heap

_DEEPEST = 24  # objects below a root whose paths are told; what is deeper counts to the path there
_PART = 1 / 2000  # of the heap: smaller nodes are not told
_MOST = 3000
_MOST_SITES = 12
_KINDS: dict[str, HolderKind] = {
    "global": "global", "goroutine": "goroutine", "runtime": "runtime", "finalizer": "finalizers",
    "finalizer-queue": "finalizer-queue", "static": "global", "other": "other", "frame": "frame", "part": "global",
}  # fmt: skip


class Label(Struct, frozen=True):
    """What an object is called by who holds it. An empty name: it is a part of its holder, as the buckets of a map."""

    name: str
    kind: HolderKind
    type: str = ""


class Labels(Struct, frozen=True, eq=False):
    """The label of each object, as a row of `known`."""

    of: Int32s
    known: Sequence[Label]
    roots: Mapping[int, str] = MappingProxyType({})  # the type of a keeper, by its row


def plain_labels(heap: Heap) -> Labels:
    """Return what objects are called where their types are not known: their size, and whether they have pointers."""
    objects = heap.objects
    plain = (np.diff(objects.starts) == 0).astype(np.int64)
    keys, of = np.unique(objects.size * 2 + plain, return_inverse=True)
    known = [Label(_sized(key >> 1), "data" if key & 1 else "objects") for key in keys.tolist()]
    return Labels(of.astype(np.int32), known)


def _sized(size: int) -> str:
    return f"{size:,} B" if size < 1 << 14 else f"{size / 1024:,.0f} KiB"


def tree(heap: Heap, found: Dominators, labels: Labels) -> Holders:
    """Return what holds the heap."""
    count = len(heap.objects)
    paths = _Paths(heap, found, labels)
    bytes_, objects = paths.totals()
    reached = found.above[:count] >= 0
    total = int(heap.objects.size[reached].sum())
    least = max(1, int(total * _PART))
    order = np.argsort(-bytes_, kind="stable")[:_MOST]
    told = {int(row) for row in order[bytes_[order] >= least].tolist()}
    below: dict[int, list[int]] = defaultdict(list)
    for row in sorted(told, key=lambda row: (-int(bytes_[row]), row)):
        below[paths.above[row]].append(row)
    entries = paths.entries()
    allocated = _allocations(heap, paths)

    def holder(row: int) -> Holder:
        made = paths.holders[row]
        return replace(
            made, bytes=int(bytes_[row]), objects=int(objects[row]), entries=int(entries[row]),
            below=tuple(map(holder, below.get(row, ()))), allocated=allocated.get(row, ()),
        )  # fmt: skip

    roots = [holder(row) for row in below.get(-1, ()) if row != paths.nobody and bytes_[row]]
    return Holders(total, int(np.count_nonzero(reached)), tuple(roots), int(heap.objects.size[~reached].sum()))


class _Paths:
    """The path of each node, from the root down, level by level."""

    def __init__(self, heap: Heap, found: Dominators, labels: Labels) -> None:
        self.heap = heap
        self.above: list[int] = []
        self.holders: list[Holder] = []
        count, total = len(heap.objects), len(heap.graph)
        self.of = np.full(total, -1, np.int32)
        self._label: list[int] = []  # of each path: the row of its label, -1 for keepers
        self.heads: list[int] = []  # of each path: the objects that are not parts of others on it
        self._types: dict[str, int] = {"": 0}
        self._type: list[int] = []  # of each path: the number of its type, 0 where it has none
        self.nobody = self._add(-1, Holder("", "other", 0, 0), -1)
        self._levels(found, labels, count, total)
        self.size = np.where(found.above >= 0, heap.sizes, 0)

    def _add(self, above: int, holder: Holder, label: int) -> int:
        self.above.append(above)
        self.holders.append(holder)
        self._label.append(label)
        self.heads.append(0)
        self._type.append(self._number(holder.type))
        return len(self.holders) - 1

    def _number(self, called: str) -> int:
        return self._types.setdefault(called, len(self._types))

    def _levels(self, found: Dominators, labels: Labels, count: int, total: int) -> None:
        depth, root = found.depth, total - 1
        self.of[root] = self.nobody
        reached = np.flatnonzero(found.above >= 0)
        reached = reached[reached != root]
        shallow = reached[depth[reached] <= _DEEPEST]
        shallow = shallow[np.argsort(depth[shallow], kind="stable")]
        bounds = np.searchsorted(depth[shallow], np.arange(1, _DEEPEST + 2)).tolist()
        timers = _timers(self.heap)
        self.timers = self._add(-1, Holder("timers", "timers", 0, 0), -1) if len(timers) else -1
        for first, last in pairwise(bounds):
            nodes = shallow[first:last]
            self._keepers(nodes[nodes >= count], found, labels)
            self._objects(nodes[nodes < count], found, labels, timers)
        # Deeper ones count to who holds them at the last level.
        deep = reached[depth[reached] > _DEEPEST]
        at = deep.astype(np.int32)
        moving = np.arange(len(deep))
        while len(moving):
            here = at[moving]
            jump = found.jump[here]
            at[moving] = np.where(depth[jump] >= _DEEPEST, jump, found.above[here])
            moving = moving[depth[at[moving]] > _DEEPEST]
        self.of[deep] = self.of[at]

    def _keepers(self, nodes: Int64s, found: Dominators, labels: Labels) -> None:
        count = len(self.heap.objects)
        for node in nodes.tolist():
            one = self.heap.keepers[node - count]
            above = self.of[found.above[node]]
            if one.kind == "static" and above != self.nobody:
                self.of[node] = above  # the linker's: whoever refers to it holds
                continue
            made = Holder(
                one.name, _KINDS[one.kind], 0, 0, count=one.count, state=one.state, stack=one.stack,
                type=labels.roots.get(node - count, ""),
            )  # fmt: skip
            self.of[node] = self._add(-1 if above == self.nobody else int(above), made, -1)

    def _objects(self, nodes: Int64s, found: Dominators, labels: Labels, timers: Int64s) -> None:
        if not len(nodes):
            return
        above = self.of[found.above[nodes]].astype(np.int64)
        top = above == self.nobody
        if top.any():
            above[top] = self._several(nodes[top], found)
        label = labels.of[nodes].astype(np.int64)
        if self.timers >= 0:
            above[np.isin(found.above[nodes], timers)] = self.timers
        own = np.array(self._label, np.int64)[above]
        silent = np.array([not one.name for one in labels.known], np.bool_)[label] if len(labels.known) else own < -1
        # A list or a tree: what it refers to is of its own type.
        kinds = np.array([self._number(one.type) for one in labels.known] or [0], np.int64)[label]
        same = (own == label) | silent | ((kinds > 0) & (np.array(self._type, np.int64)[above] == kinds))
        self.of[nodes[same]] = above[same]
        nodes, above, label = nodes[~same], above[~same], label[~same]
        keys, which = np.unique(above * max(1, len(labels.known)) + label, return_inverse=True)
        rows = np.zeros(len(keys), np.int32)
        for at, key in enumerate(keys.tolist()):
            parent, row = divmod(key, max(1, len(labels.known)))
            one = labels.known[row]
            rows[at] = self._add(parent, Holder(one.name, one.kind, 0, 0, type=one.type), row)
        self.of[nodes] = rows[which]
        for row, number in zip(rows.tolist(), np.bincount(which, minlength=len(rows)).tolist(), strict=True):
            self.heads[row] += number

    def _several(self, nodes: Int64s, found: Dominators) -> Int64s:
        """Return the paths of objects that no one root holds: each names the roots that refer to it."""
        graph, count, total = self.heap.graph, len(self.heap.objects), len(self.heap.graph)
        source = np.repeat(np.arange(total, dtype=np.int32), np.diff(graph.starts))
        wanted = np.zeros(total, np.bool_)
        wanted[nodes] = True
        edges = wanted[graph.targets] & (found.above[source] >= 0) & (source != total - 1)
        source, target = source[edges], graph.targets[edges]
        while (deep := found.depth[source] > 1).any():  # up to the root that holds it
            source[deep] = np.where(found.depth[found.jump[source]] >= 1, found.jump[source], found.above[source])[deep]
        of_root = source >= count
        source, target = source[of_root], target[of_root]
        low, high = np.full(total, total, np.int64), np.full(total, -1, np.int64)
        np.minimum.at(low, target, source)
        np.maximum.at(high, target, source)
        more = np.zeros(total, np.bool_)
        more[target[(source != low[target]) & (source != high[target])]] = True
        rows = np.zeros(len(nodes), np.int64)
        made: dict[tuple[int, int, bool], int] = {}
        for at, key in enumerate(zip(low[nodes].tolist(), high[nodes].tolist(), more[nodes].tolist(), strict=True)):
            if key not in made:
                names = [self.heap.keepers[one - count].name for one in dict.fromkeys(key[:2]) if count <= one < total]
                if key[2] or len(names) < 2:  # others do, too, which no one root holds
                    names.append("...")
                made[key] = self._add(-1, Holder(" + ".join(names), "several", 0, 0), -1)
            rows[at] = made[key]
        return rows

    def totals(self) -> tuple[Int64s, Int64s]:
        """Return the bytes and the objects of each path, with those below it."""
        there = self.of >= 0
        rows = self.of[there]
        size = np.zeros(len(self.holders), np.int64)
        number = np.zeros(len(self.holders), np.int64)
        np.add.at(size, rows, self.size[there])
        objects = self.of[: len(self.heap.objects)]
        np.add.at(number, objects[objects >= 0], 1)
        for row in range(len(self.holders) - 1, 0, -1):
            if self.above[row] >= 0:
                size[self.above[row]] += size[row]
                number[self.above[row]] += number[row]
        return size, number

    def entries(self) -> Int64s:
        """Return how many objects each path leads to from above, at most: as many as a container has entries."""
        count = np.zeros(len(self.holders), np.int64)
        for row, above in enumerate(self.above):
            if above >= 0:
                count[above] = max(int(count[above]), self.heads[row])
        return count


def _timers(heap: Heap) -> Int64s:
    """Return the processors of the scheduler: each holds the timers that it runs."""
    count = len(heap.objects)
    starts, targets = heap.graph.starts, heap.graph.targets
    for row, one in enumerate(heap.keepers):
        if one.name == "runtime.allp" and one.kind == "part":
            arrays = targets[starts[count + row] : starts[count + row + 1]]
            found = [targets[starts[node] : starts[node + 1]] for node in arrays.tolist() if node < count]
            return np.unique(np.concatenate(found)).astype(np.int64) if found else np.zeros(0, np.int64)
    return np.zeros(0, np.int64)


def _allocations(heap: Heap, paths: _Paths) -> dict[int, tuple[Allocation, ...]]:
    """Return where the sampled objects of each path, and of those below it, were allocated; most bytes first."""
    samples = heap.dump.samples
    if not samples:
        return {}
    addresses = np.array([address for address, _ in samples], np.uint64)
    nodes = heap.object_at(addresses)
    each = _sampled_every([heap.dump.buckets[bucket].size for _, bucket in samples if bucket in heap.dump.buckets],
                          int(heap.objects.size.sum()))  # fmt: skip
    told: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for node, (_, bucket) in zip(nodes.tolist(), samples, strict=True):
        row = int(paths.of[node]) if node >= 0 else -1
        if bucket not in heap.dump.buckets:
            continue
        while row > 0:
            one = told[row][bucket]
            one[0] += 1
            one[1] += max(each, heap.dump.buckets[bucket].size)
            row = paths.above[row]
    return {
        row: tuple(
            Allocation(tuple(Frame(*frame) for frame in heap.dump.buckets[bucket].frames), number, size)
            for bucket, (number, size) in sorted(sites.items(), key=lambda item: (-item[1][1], item[0]))[:_MOST_SITES]
        )
        for row, sites in told.items()
    }


def _site(one: Allocation) -> str:
    """Return the line of the program's own code that allocates, as a label has it."""
    frame = one.site
    return f"{frame.function}\t{frame.file}\t{frame.line}\t{one.objects}\t{one.bytes}"


def _sampled_every(sizes: Sequence[int], whole: int) -> int:
    """Return how many bytes of small objects one sample stands for: so many that all samples make the whole heap."""
    low, high = 0, max(1, whole)
    ordered = np.sort(np.array(sizes, np.int64))
    while high - low > max(16, low // 64):
        middle = (low + high) // 2
        if int(np.maximum(ordered, middle).sum()) > whole:
            high = middle
        else:
            low = middle
    return low


def profile_of(holders: Holders) -> Profile:
    """Return the tree as a profile: one stack for each path, with the objects and bytes that lie on it itself.

    It is in goref's form, with a comment of ours, by which it is known again.
    """
    columns = Columns()
    rows: dict[str, int] = {}
    for root in holders.roots:
        for above, node in root.walk():
            objects = node.objects - sum(one.objects for one in node.below)
            size = node.bytes - sum(one.bytes for one in node.below)
            if objects <= 0 and size <= 0 and not node.allocated:
                continue
            stack = []
            for one in (*above, node):
                name = f"{one.kind} of {one.name}" if one.kind in ("objects", "data") else one.name
                name += f" ({one.type})" if one.type else ""
                address = rows.setdefault(name, len(rows) + 1)
                columns.name(address, [(columns.function(name, ""), 0)])
                stack.append(address)
            facts = {HOLDER_LABEL: root.kind, "count": str(root.count), "state": root.state}
            told = [(key, text) for key, text in facts.items() if text]
            labels = columns.texts([*told, *((SITE_LABEL, _site(one)) for one in node.allocated)])
            columns.sample(columns.stack(reversed(stack)), (max(0, objects), max(0, size)), labels)
    made = columns.profile(
        "holders",
        (ValueType("inuse_objects", "count"), ValueType("inuse_space", "bytes")),
        named_addresses=False,
    )
    return replace(made, comments=(COMMENT,), default_sample_type="inuse_space", drop_frames="", keep_frames="")

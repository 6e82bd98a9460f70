"""What keeps the heap -> evidence: each memory suspect with its holder, and suspects where only holders are known.

Comes in: suspects of goroutines and heap, and the snapshots of the process. What allocates and what keeps are joined by
the allocation sites that a dump samples; without these by their share of the heap. The holder decides the mechanism.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from oakum.model import Evidence, EvidenceKind, Frame, Growth, Mechanism, Process, Site, Suspect, Text, normal_function
from oakum.model.diagnosis import Argument
from oakum.model.holders import Holder, Holders
from oakum.model.sizes import size

# Less of the heap is everybody's background.
_SHARE = 0.05
# Where no sampled object joins them, a site and a holder are one when both are most of the heap, or of its growth.
_MOST = 0.5
# What a holder gains between two dumps beyond this is growth: a map that was there keeps what it has.
_GREW = 1.1
# A holder keeps what is below it on one path: so much of it has to be there to be named.
_ON_PATH = 0.8
_CONTAINER = 8  # entries: fewer are fields
_DEEPEST = 6
_MOST_SUSPECTS = 5
_SYNC_MAP = "*internal/sync."
_NOBODY = "..."  # what holds it has no name: it hangs on several that are themselves held by several
_BY_KIND: dict[str, Mechanism] = {
    "goroutine": "held-by-goroutine", "timers": "unstopped-timer", "finalizer-queue": "finalizer-backlog",
    "global": "growing-container", "several": "growing-container",
}  # fmt: skip
# What a plain container does not speak against: registrations and pieces of texts are kept in containers, too.
_IN_CONTAINERS: frozenset[Mechanism] = frozenset({"accumulating-registration", "substring-pin", "growing-container"})


_Places = frozenset[tuple[str, int]]


class _Kept(Struct, frozen=True, eq=False):
    """One holder through the dumps of a process, oldest first; None where it is not in one."""

    root: Holder  # of the last dump
    node: Holder  # the container below it that keeps what it is about
    name: str  # the path from the one to the other
    sizes: tuple[int | None, ...]  # of the container
    share: float  # of the last dump
    part: float  # of the growth between the first and the last; its share where there is one dump

    @property
    def grew(self) -> bool:
        first, last = self.sizes[0] or 0, self.sizes[-1] or 0
        return len(self.sizes) > 1 and last > _GREW * first and self.part >= _SHARE

    @property
    def rises(self) -> bool:
        told = [one or 0 for one in self.sizes]
        return len(told) > 2 and all(later > _GREW * earlier for earlier, later in pairwise(told))


class _Dumps:
    """The holders of a process at several times, oldest first."""

    def __init__(self, dumps: Sequence[Holders]) -> None:
        self.last = dumps[-1]
        self.count = len(dumps)
        self._tables = [_by_path(dump) for dump in dumps]
        self._grown = max(1, dumps[-1].bytes - (dumps[0].bytes if len(dumps) > 1 else 0))

    def kept(self, root: Holder, sites: _Places = frozenset()) -> _Kept:
        """Return a root of the last dump with the container that keeps most of it, or of what was allocated there."""
        name, node = _path(root, sites)
        sizes = tuple(table.get((root.kind, name)) for table in self._tables)
        gained = node.bytes - ((sizes[0] or 0) if self.count > 1 else 0)
        part = min(1.0, max(0.0, gained / self._grown))
        return _Kept(root, node, name, sizes, node.bytes / max(1, self.last.bytes), part)


def with_holders(suspects: Sequence[Suspect], process: Process) -> list[Suspect]:
    """Return the suspects with what keeps their memory; where nothing else told of memory, what holders tell."""
    told = [(at, one.holders) for at, one in enumerate(process.snapshots) if one.holders is not None]
    if not told:
        return [*suspects]
    dumps = _Dumps([holders for _, holders in told])
    joined: list[Suspect] = []
    named: set[str] = set()
    for suspect in suspects:
        holder = _holder_of(suspect, dumps)
        if holder is not None:
            named.add(holder.root.name)
            suspect = _with_holder(suspect, holder, process, dumps)
        joined.append(suspect)
    if not any(one.heap for one in process.snapshots):
        left = [dumps.kept(one) for one in dumps.last.roots if one.kind in _BY_KIND and one.name not in named]
        left = [one for one in left if (one.grew if len(told) > 1 else one.share >= _SHARE)]
        left.sort(key=lambda one: -one.part)
        joined += [_suspect(one, process, dumps, [at for at, _ in told]) for one in left[:_MOST_SUSPECTS]]
    return joined


def _by_path(dump: Holders) -> dict[tuple[str, str], int]:
    """Return what each path of fields keeps: kind of the root and path -> bytes."""
    table: dict[tuple[str, str], int] = {}
    for root in dump.roots:
        name, start = _start(root)
        table[root.kind, root.name] = max(root.bytes, table.get((root.kind, root.name), 0))
        waiting = [(name, start)]
        while waiting:
            name, node = waiting.pop()
            if node.type.startswith(_SYNC_MAP):
                name = name.removesuffix(".m.root")
            table[root.kind, name] = max(node.bytes, table.get((root.kind, name), 0))
            waiting += [(f"{name}.{one.name}", one) for one in node.below if one.kind == "field"]
    return table


def _holder_of(suspect: Suspect, dumps: _Dumps) -> _Kept | None:
    """Return what keeps the memory of a suspect; None where that is not known."""
    known = [one for one in dumps.last.roots if one.kind in _BY_KIND]
    if suspect.wait is not None:
        stands = {normal_function(site.frame.function) for site in suspect.sites if site.role == "blocked"}
        mine = (dumps.kept(one) for one in known if one.kind == "goroutine")
        named = (one for one in mine if stands & {normal_function(name) for name in (one.root.name, *one.root.stack)})
        return next((one for one in named if one.share >= _SHARE), None)
    if not any(kind.startswith("heap-") for kind in suspect.kinds):
        return None
    sites = _places(site.frame for site in suspect.sites[:1] if site.role == "allocated")
    most, best = max(((_sampled(one, sites), one) for one in known), key=lambda pair: pair[0], default=(0, None))
    if most and best is not None:
        kept = dumps.kept(best, sites)
        return kept if kept.name != _NOBODY else None
    if any(one.allocated for one in known):
        return None  # sampled objects tell who allocated: not this
    share = suspect.share.get("inuse_space", 0.0)
    every = (dumps.kept(one) for one in known)
    return next((one for one in every if max(min(share, one.share), min(suspect.weight, one.part)) >= _MOST), None)


def _sampled(holder: Holder, sites: _Places) -> int:
    """Return how many bytes of the sampled objects of a holder were allocated in these functions."""
    return sum(one.bytes for one in holder.allocated if _made_by(one.frames, sites))


def _places(frames: Iterable[Frame]) -> _Places:
    """Return functions and lines: of a function that was inlined a dump has the line alone."""
    return frozenset(
        place
        for frame in frames
        for place in ((normal_function(frame.function), 0), (frame.file, frame.line))
        if place[0] and (place[1] or place[0] != frame.file)
    )


def _made_by(frames: Iterable[Frame], sites: _Places) -> bool:
    return not sites.isdisjoint(_places(frames))


def _with_holder(suspect: Suspect, kept: _Kept, process: Process, dumps: _Dumps) -> Suspect:
    evidence = (*suspect.evidence, *_evidence(kept, process, dumps))
    mechanisms = suspect.mechanisms
    if suspect.wait is None and mechanisms[0] in _DECIDABLE:  # what is harmless stays so
        decided = _mechanism(kept)
        if decided != "growing-container" or mechanisms[0] not in _IN_CONTAINERS:
            mechanisms = tuple(dict.fromkeys((decided, *mechanisms)))
    return replace(suspect, evidence=evidence, mechanisms=mechanisms)


_DECIDABLE: frozenset[Mechanism] = frozenset({*_BY_KIND.values(), *_IN_CONTAINERS})


def _mechanism(kept: _Kept) -> Mechanism:
    """Return the kind of mistake that a holder shows."""
    if kept.root.kind in ("global", "several") and "func(" in kept.node.type:
        return "accumulating-registration"
    return _BY_KIND[kept.root.kind]


def _start(root: Holder) -> tuple[str, Holder]:
    """Return where the path from a root begins: what several hold is known by its type, the innermost that has all."""
    found = root.name, root
    node = root
    for _ in range(_DEEPEST if root.kind == "several" else 0):
        if not node.below or node.below[0].bytes < _ON_PATH * root.bytes or node.below[0].kind != "objects":
            break
        node = node.below[0]
        if "." in node.name:  # a type; others are known by their size alone
            found = node.name, node
    return found


def _path(root: Holder, sites: _Places) -> tuple[str, Holder]:
    """Return the path from a root to the container that keeps most of it, as Go would write it, and that.

    With `sites`, to the one that keeps most of what was allocated in these functions.
    """
    name, node = _start(root)
    if root.kind not in ("global", "several"):
        return name, node
    whole = _sampled(node, sites)
    for _ in range(_DEEPEST):
        if node.entries >= _CONTAINER and not (whole and any(one.kind == "field" for one in node.below)):
            break
        fields = [one for one in node.below if one.kind == "field"]
        if whole:
            child = max(fields, key=lambda one: _sampled(one, sites), default=None)
            enough = child is not None and _sampled(child, sites) >= _ON_PATH * whole
        else:
            child = fields[0] if fields and fields[0] is node.below[0] else None
            enough = child is not None and child.bytes >= _ON_PATH * root.bytes
        if child is None or not enough:
            break
        if child.type.startswith(_SYNC_MAP):  # what is inside is nobody's own
            return f"{name}.{child.name}".removesuffix(".m.root"), replace(child, type="sync.Map", entries=0)
        name, node = f"{name}.{child.name}", child
    return name, node


def _evidence(kept: _Kept, process: Process, dumps: _Dumps) -> list[Evidence]:
    last = next(one for one in reversed(process.snapshots) if one.holders is not None)
    source = last.sources.get("holders")
    if source is None:
        return []
    root, node, name = kept.root, kept.node, kept.name
    args: dict[str, Argument] = {
        "name": name, "type": node.type, "bytes": size(node.bytes), "objects": node.objects, "entries": node.entries,
        "percent": round(100 * kept.share), "count": root.count, "state": root.state or "?",
    }  # fmt: skip
    key = f"held.{root.kind}"
    if root.kind == "global" or (root.kind == "several" and name != root.name):
        many = ".entries" if node.entries >= _CONTAINER else ""
        key = f"held.global.typed{many}" if node.type else f"held.global{many}"
    excerpt = "\n".join((root.name, *(one.name for one in root.below[:4])))
    found = [Evidence("held-by", Text(key, args), source.digest, where=name, excerpt=excerpt)]
    if kept.grew:
        kind: EvidenceKind = "held-steady-growth" if kept.rises else "held-growth"
        grown: dict[str, Argument] = {
            "name": name, "first": size(kept.sizes[0] or 0), "last": size(node.bytes), "dumps": dumps.count,
            "percent": round(100 * kept.part),
        }  # fmt: skip
        found.append(Evidence(kind, Text(kind.replace("-", ".", 1), grown), source.digest, where=name))
    return found


def _suspect(kept: _Kept, process: Process, dumps: _Dumps, at: Sequence[int]) -> Suspect:
    """Return a suspect for a holder of which nothing else tells."""
    sites = [Site("allocated", one.site, process=process.id) for one in kept.root.allocated[:3]]
    counts: list[int | None] = [None] * len(process.snapshots)
    for row, held in zip(at, kept.sizes, strict=True):
        counts[row] = held
    return Suspect(
        sites=tuple(dict.fromkeys(sites)) or (Site("keeps", Frame(kept.name), process=process.id),),
        mechanisms=(_mechanism(kept),),
        evidence=tuple(_evidence(kept, process, dumps)),
        weight=round(kept.part, 4),
        growth=(Growth("inuse_space", tuple(counts), None),) if dumps.count > 1 else (),
        share={"inuse_space": round(kept.share, 4)},
    )

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
_BY_KIND: dict[str, Mechanism] = {
    "goroutine": "held-by-goroutine", "timers": "unstopped-timer", "finalizer-queue": "finalizer-backlog",
    "global": "growing-container", "several": "growing-container",
}  # fmt: skip
# What a plain container does not speak against: registrations and pieces of texts are kept in containers, too.
_IN_CONTAINERS: frozenset[Mechanism] = frozenset({"accumulating-registration", "substring-pin", "growing-container"})


class _Kept(Struct, frozen=True, eq=False):
    """One holder through the dumps of a process, oldest first; None where it is not in one."""

    root: Holder  # of the last dump
    sizes: tuple[int | None, ...]
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


def with_holders(suspects: Sequence[Suspect], process: Process) -> list[Suspect]:
    """Return the suspects with what keeps their memory; where nothing else told of memory, what holders tell."""
    told = [(at, one.holders) for at, one in enumerate(process.snapshots) if one.holders is not None]
    if not told:
        return [*suspects]
    kept = _through([holders for _, holders in told])
    joined: list[Suspect] = []
    named: set[str] = set()
    for suspect in suspects:
        holder = _holder_of(suspect, kept)
        if holder is None:
            joined.append(suspect)
            continue
        named.add(holder.root.name)
        joined.append(_with_holder(suspect, holder, process, len(told)))
    if not any(one.heap for one in process.snapshots):
        left = [one for one in kept if one.root.name not in named and _BY_KIND.get(one.root.kind)]
        left = [one for one in left if (one.grew if len(told) > 1 else one.share >= _SHARE)]
        left.sort(key=lambda one: -one.part)
        joined += [_suspect(one, process, [at for at, _ in told]) for one in left[:_MOST_SUSPECTS]]
    return joined


def _through(dumps: Sequence[Holders]) -> list[_Kept]:
    """Return the holders of the last dump with what they kept in each, the largest first."""
    tables = [{(root.kind, _path(root)[0]): root.bytes for root in dump.roots} for dump in dumps]
    first, last = dumps[0], dumps[-1]
    grown = max(1, last.bytes - first.bytes) if len(dumps) > 1 else max(1, last.bytes)
    found = []
    for root in last.roots:
        sizes = tuple(table.get((root.kind, _path(root)[0])) for table in tables)
        gained = root.bytes - (sizes[0] or 0) if len(dumps) > 1 else root.bytes
        found.append(_Kept(root, sizes, root.bytes / max(1, last.bytes), min(1.0, max(0.0, gained / grown))))
    return found


def _holder_of(suspect: Suspect, kept: Sequence[_Kept]) -> _Kept | None:
    """Return what keeps the memory of a suspect; None where that is not known."""
    if suspect.wait is not None:
        stands = {normal_function(site.frame.function) for site in suspect.sites if site.role == "blocked"}
        mine = (one for one in kept if one.root.kind == "goroutine" and one.share >= _SHARE)
        return next((one for one in mine if stands & {normal_function(name) for name in one.root.stack}), None)
    if not any(kind.startswith("heap-") for kind in suspect.kinds):
        return None
    sites = {normal_function(site.frame.function) for site in suspect.sites if site.role == "allocated"}
    known = [one for one in kept if one.root.kind in _BY_KIND]
    by_site = [(sum(a.bytes for a in one.root.allocated if _made_by(a.frames, sites)), one) for one in known]
    most, best = max(by_site, key=lambda pair: pair[0], default=(0, None))
    if most:
        return best
    if any(one.root.allocated for one in kept):
        return None  # sampled objects tell who allocated: not this
    share = suspect.share.get("inuse_space", 0.0)
    return next(
        (one for one in known if min(share, one.share) >= _MOST or min(suspect.weight, one.part) >= _MOST), None
    )


def _made_by(frames: Iterable[Frame], sites: set[str]) -> bool:
    return any(normal_function(frame.function) in sites for frame in frames)


def _with_holder(suspect: Suspect, kept: _Kept, process: Process, dumps: int) -> Suspect:
    evidence = [*suspect.evidence, *_evidence(kept, process, dumps)]
    if suspect.wait is not None:
        return replace(suspect, evidence=tuple(evidence))
    decided = _mechanism(kept.root)
    others = suspect.mechanisms
    if decided != "growing-container" or others[0] not in _IN_CONTAINERS:
        others = tuple(dict.fromkeys((decided, *others)))
    if suspect.mechanisms[0] not in _DECIDABLE:  # it is harmless, and stays so
        others = suspect.mechanisms
    return replace(suspect, evidence=tuple(evidence), mechanisms=others)


_DECIDABLE: frozenset[Mechanism] = frozenset({*_BY_KIND.values(), *_IN_CONTAINERS})


def _mechanism(root: Holder) -> Mechanism:
    """Return the kind of mistake that a holder shows."""
    _, last = _path(root)
    if root.kind in ("global", "several") and "func(" in (last.type or root.type):
        return "accumulating-registration"
    return _BY_KIND[root.kind]


def _path(root: Holder) -> tuple[str, Holder]:
    """Return the path from a root to the container that keeps most of it, as Go would write it, and that."""
    name, node = root.name, root
    if root.kind == "several" and root.below and root.below[0].bytes >= _ON_PATH * root.bytes:
        shared = root.below[0]  # what they share, by its type
        if shared.kind == "objects" and "." in shared.name:
            name, node = shared.name, shared
    for _ in range(_DEEPEST):
        if node.entries >= _CONTAINER or not node.below or node.below[0].bytes < _ON_PATH * root.bytes:
            break
        child = node.below[0]
        if child.kind != "field":
            break
        name, node = f"{name}.{child.name}", child
    return name, node


def _evidence(kept: _Kept, process: Process, dumps: int) -> list[Evidence]:
    at = max(at for at, one in enumerate(process.snapshots) if one.holders is not None)
    source = process.snapshots[at].sources.get("holders")
    if source is None:
        return []
    root = kept.root
    name, node = _path(root)
    args: dict[str, Argument] = {
        "name": name, "type": node.type, "bytes": size(root.bytes), "objects": root.objects, "entries": node.entries,
        "percent": round(100 * kept.share), "count": root.count, "state": root.state or "?",
    }  # fmt: skip
    key = f"held.{root.kind}"
    if root.kind == "global" or (root.kind == "several" and name != root.name):
        key = "held.global"
        many = ".entries" if node.entries >= _CONTAINER else ""
        key += f".typed{many}" if node.type else many
    excerpt = "\n".join((root.name, *(one.name for one in root.below[:4])))
    found = [Evidence("held-by", Text(key, args), source.digest, where=name, excerpt=excerpt)]
    if kept.grew:
        kind: EvidenceKind = "held-steady-growth" if kept.rises else "held-growth"
        first = next((one for one in kept.sizes if one is not None), 0) if kept.sizes[0] is not None else 0
        grown: dict[str, Argument] = {
            "name": name, "first": size(first or 0), "last": size(root.bytes), "dumps": dumps,
            "percent": round(100 * kept.part),
        }  # fmt: skip
        found.append(Evidence(kind, Text(kind.replace("-", ".", 1), grown), source.digest, where=name))
    return found


def _suspect(kept: _Kept, process: Process, dumps: Sequence[int]) -> Suspect:
    """Return a suspect for a holder of which nothing else tells."""
    root = kept.root
    name, _ = _path(root)
    sites = [Site("allocated", one.site, process=process.id) for one in root.allocated[:3]]
    counts: list[int | None] = [None] * len(process.snapshots)
    for at, held in zip(dumps, kept.sizes, strict=True):
        counts[at] = held
    growth = (Growth("inuse_space", tuple(counts), None),) if len(dumps) > 1 else ()
    return Suspect(
        sites=tuple(dict.fromkeys(sites)) or (Site("keeps", Frame(name), process=process.id),),
        mechanisms=(_mechanism(root),),
        evidence=tuple(_evidence(kept, process, len(dumps))),
        weight=round(kept.part, 4),
        growth=growth,
        share={"inuse_space": round(kept.share, 4)},
    )

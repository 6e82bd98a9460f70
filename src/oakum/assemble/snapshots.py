"""Parts that were captured in one place -> snapshots of one process, oldest first. The one grouper of all commands.

Two captures of one kind and format are two snapshots; debug=0, 1 and 2 of one are the same goroutines, of which the
richest is taken. When a snapshot was taken: what a bundle's manifest says, else its profiles, else when its files
were written, where these lie apart. One module: what belongs together is asked in one place.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType

from msgspec import Struct

from oakum.assemble.identity import identity_of
from oakum.assemble.parts import KERNEL, Part
from oakum.assemble.sockets import joined
from oakum.model import Goroutines, Identity, Metrics, Snapshot
from oakum.model.frame import owner_of, split_function

# Formats of one thing in one snapshot, richest first: a dump has ages and creators, protobuf has states; goleak lists
# only what it found unexpected.
_FORMATS = {
    "goroutines": ("debug2", "pprof", "debug1", "goleak"),
    "leaked": ("debug2", "pprof", "debug1"),
    "heap": ("pprof", "heap-text"),
    "holders": ("heap-dump", "holders", "goref"),
}
_FORMATS["goroutine"], _FORMATS["goroutineleak"] = _FORMATS["goroutines"], _FORMATS["leaked"]  # as views call them
# Whose time is the snapshot's, the surest first; then any other.
_TIMED = ("goroutines", "heap", "leaked", "metrics", "status")
# Of these there may be several in one snapshot: the process's own, and those of what watches it.
_SEVERAL = ("metrics", "status")
# Captures of one snapshot are fetched one after the other, each within pprof's own 30 seconds.
CLOSE = timedelta(seconds=30)
# Copying or unpacking writes files at once; captures that were saved when they were taken lie apart.
_APART = timedelta(seconds=2)


class Gathered(Struct, eq=False, dict=True):
    """What was captured together: per slot what fills it, in several formats perhaps."""

    label: str
    parts: list[Part]

    @property
    def time(self) -> datetime | None:
        """Return when it was: as the manifest of a bundle says, else as its captures themselves do."""
        parts = [f for f in self.parts if f.slot and not f.in_a_log and not f.ranged]
        asked = [f.capture.taken_at for f in parts if f.capture.taken_at]
        return min(asked) if asked else self.own_time

    @property
    def own_time(self) -> datetime | None:
        """Return when it was, as its captures themselves say."""
        times: dict[str, list[datetime]] = {}
        for part in self.parts:
            if part.slot and part.reading.taken_at:
                times.setdefault(part.slot, []).append(part.reading.taken_at)
        return min(times[min(times, key=_surest)]) if times else None

    @property
    def written(self) -> tuple[datetime, datetime] | None:
        """Return when its first and its last file were written."""
        times = [f.capture.received_at for f in self.parts if f.slot and f.capture.received_at]
        return (min(times), max(times)) if times else None

    @property
    def ranged(self) -> bool:
        """Tell whether a store of metrics tells of it, and no capture."""
        return all(f.ranged for f in self.parts)

    @property
    def slots(self) -> set[str]:
        """Return what it can say."""
        return {f.slot for f in self.parts if f.slot}

    @cached_property
    def identity(self) -> Identity:
        """Return which process it is of, as far as its parts tell."""
        return identity_of(self.parts)

    @cached_property
    def own_code(self) -> frozenset[str]:
        """Return the functions of package main, main itself left out; where there are none, the program's packages."""
        names: set[str] = set()
        for reading in (part.reading for part in self.parts if part.slot):
            if reading.goroutines is not None:
                frames = (frame for group in reading.goroutines.groups for frame in group.stack.frames)
                names |= {frame.function for frame in frames if frame.owner == "own"}
            elif (profile := reading.profile) is not None:
                names.update(profile.strings.texts(profile.functions.name))
        main = {name for name in names if name.startswith("main.") and not name.startswith(("main.main", "main.init"))}
        own = {split_function(name)[0] for name in names if owner_of(name, "") == "own"} - {"main"}
        return frozenset(main or own)

    @property
    def dump(self) -> Goroutines | None:
        """Return its goroutines with their ids, where a dump has them."""
        found = (part.reading.goroutines for part in self.parts if part.slot == "goroutines")
        return next((one for one in found if one is not None), None)

    @property
    def ended(self) -> str:
        """Return why the process ended with this snapshot; "" when it may have gone on."""
        return next((part.ended for part in self.parts if part.slot == "goroutines" and part.ended), "")

    @property
    def collected(self) -> float | None:
        """Return when garbage was last collected, in seconds since 1970: it was taken after that."""
        stats = (part.reading.memstats.last_gc_nanos for part in self.parts if part.reading.memstats)
        nanos = next((told for told in stats if told), None)
        return nanos / 1e9 if nanos else self.total("go_memstats_last_gc_time_seconds") or None

    @property
    def allocated(self) -> float | None:
        """Return how many bytes were allocated since the start, as its heap profile samples them."""
        for profile in (part.reading.profile for part in self.parts if part.slot == "heap"):
            for row, kind in enumerate(profile.sample_types if profile else ()):
                if profile is not None and kind.type == "alloc_space":
                    return float(profile.values[row].sum())
        return None

    def total(self, metric: str) -> float | None:
        """Return the sum of a metric, in whichever of its parts."""
        told = (part.reading.metrics.total(metric) for part in self.parts if part.reading.metrics)
        return next((value for value in told if value is not None), None)

    def labelled(self, metric: str, label: str) -> str:
        """Return the value of a label of a metric that is one of several and is set; "" where there is none."""
        for metrics in (part.reading.metrics for part in self.parts if part.reading.metrics):
            for labels, value in metrics.by_labels(metric).items():
                if value > 0 and label in dict(labels):
                    return dict(labels)[label]
        return ""

    def best(self, slot: str) -> Part | None:
        """Return the richest of what fills a slot; the others say the same again, and why one is not taken is noted."""
        fits = richest_first(f for f in self.parts if f.slot == slot)
        if not fits:
            return None
        for other in fits[1:]:
            if missing := missing_in(other, fits[0]):
                whole = missing[1]
                other.reject("cut-beside-whole", missing=missing[0], total=whole, origin=fits[0].capture.origin)
        return fits[0]

    def snapshot(self, at: datetime | None) -> Snapshot:
        """Return the snapshot, with everything that was read of it."""
        best = {slot: one for slot in sorted(self.slots) if (one := self.best(slot))}
        stats = next((f for f in self.parts if f.reading.memstats is not None), None)
        listed = [(f, f.reading.sockets) for f in reversed(self.parts) if f.reading.sockets is not None]
        sockets = next((f for f, told in listed if told.rows), listed[0][0] if listed else None)
        heap = best.get("heap")
        if heap is not None and heap.reading.profile is None:
            del best["heap"]
        more = {"memstats": stats, "sockets": sockets}
        sources = {slot: one.source for slot, one in (best | more).items() if one}
        get: Callable[[str], Part | None] = best.get
        goroutines, leaked = get("goroutines"), get("leaked")
        return Snapshot(
            label=self.label,
            at=at,
            goroutines=goroutines.goroutines if goroutines else None,
            leaked=leaked.goroutines if leaked else None,
            claimed=goroutines is not None and goroutines.reading.format == "goleak",
            heap=heap.reading.profile if heap else None,
            holders=best["holders"].reading.holders if "holders" in best else None,
            memstats=stats.reading.memstats if stats else None,
            metrics=self.metrics,
            status=self._status(),
            sources=MappingProxyType(dict(sorted(sources.items()))),
            sockets=joined([told for _, told in listed]),
            profiles=MappingProxyType({f.reading.kind: other for f in self.parts if (other := f.other_profile)}),
            notes=MappingProxyType({k: v for f in reversed(self.parts) for k, v in f.reading.notes.items()}),
            go_version=next((f.reading.go_version for f in self.parts if f.reading.go_version), None),
            identity=self.identity,
        )

    @property
    def metrics(self) -> Metrics | None:
        """Return what the process tells of itself; what a store of metrics has of it may be in several answers."""
        best = self.best("metrics")
        if best is None or not best.ranged:
            return best.reading.metrics if best else None
        told = [part.reading.metrics for part in (*self.parts, best) if part.ranged and part.reading.metrics]
        return told[0] if len(told) == 2 else Metrics({key: value for one in told for key, value in one.values.items()})

    def _status(self) -> Metrics | None:
        """Return what the kernel tells of the process, in whatever files."""
        told = [f for f in reversed(richest_first(self.parts)) if f.slot == "status"]
        values = {key: value for f in told if f.reading.metrics for key, value in f.reading.metrics.values.items()}
        return Metrics(values) if told else None


def _surest(slot: str) -> int:
    return _TIMED.index(slot) if slot in _TIMED else len(_TIMED)


def richest_first(parts: Iterable[Part]) -> list[Part]:
    """Return parts that tell the same thing, the one that tells most of it first."""
    return sorted(parts, key=_poverty)


def _poverty(part: Part) -> tuple[bool, bool, int]:
    reading = part.reading
    if reading.metrics is not None:
        if reading.format in KERNEL:
            return False, False, KERNEL.index(reading.format)
        return False, reading.metrics.total("go_goroutines") is None, -len(reading.metrics)
    order = _FORMATS.get(part.slot or "", ())
    rank = order.index(reading.format) if reading.format in order else len(order)
    cut = reading.goroutines is not None and reading.goroutines.cut
    return cut, reading.kind == "allocs", rank


def missing_in(cut: Part, whole: Part) -> tuple[int, int] | None:
    """Return how many goroutines a cut dump lacks of how many a whole one of the same snapshot has; None: none."""
    some = cut.reading.goroutines
    everything = whole.goroutines if some is not None and some.cut else None
    if some is None or everything is None or some.total >= everything.total:
        return None
    return everything.total - some.total, everything.total


def together(parts: Sequence[Part], label: str) -> list[Gathered]:
    """Return the snapshots of one directory: one, or as many as there are captures of one kind and format."""
    ranges = _ranges(parts)
    usable = without_single_stacks([f for f in parts if f.slot and not f.ranged])
    beside = [f for f in parts if f.beside]
    by_kind: dict[tuple[str, str, str], list[Part]] = {}
    for one in usable:
        by_kind.setdefault((one.slot or "", one.reading.kind, one.reading.format), []).append(one)
    if not by_kind:
        return ranges
    solid = [found for (slot, _, _), found in by_kind.items() if slot not in _SEVERAL]
    anchors = max(solid or by_kind.values(), key=len)
    if len(anchors) == 1:
        anchors = max((_at_different_times([f for f in usable if f.slot == slot]) for slot in _FORMATS), key=len)
    if len(anchors) < 2:
        return [Gathered(label, [*usable, *beside]), *ranges]
    snapshots = in_order([Gathered(f.label, [f]) for f in anchors])
    for others in (*by_kind.values(), beside):
        for at, one in enumerate(others):
            if one in anchors:
                continue
            nearest(snapshots, one, at if len(others) == len(anchors) else None).parts.append(one)
    return [*snapshots, *ranges]


def _at_different_times(parts: Sequence[Part]) -> list[Part]:
    """Return parts that tell one thing in different formats, where each was taken at another time; else none."""
    if len(parts) < 2:
        return []
    asked = [None if f.in_a_log else f.capture.taken_at for f in parts]
    own = [f.reading.taken_at for f in parts]
    written = [f.capture.received_at for f in parts]
    apart = CLOSE
    if all(asked) or all(own):
        times = sorted(time for time in (asked if all(asked) else own) if time)
    elif all(written) and _counts_differ(parts):  # a copy is written at another time than it was taken
        times, apart = sorted(time for time in written if time), _APART
    else:
        return []
    return list(parts) if all(later - earlier > apart for earlier, later in pairwise(times)) else []


def _counts_differ(parts: Sequence[Part]) -> bool:
    counts = sorted(found.total for f in parts if (found := f.goroutines))
    return len(counts) == len(parts) and all(_differ(less, more) for less, more in pairwise(counts))


def _differ(one: int, other: int) -> bool:
    return abs(one - other) > max(5, other // 10)  # a few come and go between two requests


def _ranges(parts: Iterable[Part]) -> list[Gathered]:
    """Return a snapshot for each sample that stores of metrics have."""
    return [Gathered(f.label, [f]) for f in parts if f.slot and f.ranged]


def without_single_stacks(parts: list[Part]) -> list[Part]:
    """Leave out single stacks, unless there is nothing else."""
    lasting = [f for f in parts if not f.single_stack]
    if not lasting:
        return parts[-1:]
    for one in parts:
        if one.single_stack:
            one.reject("one-stack")
    return lasting


def nearest(snapshots: Sequence[Gathered], one: Part, at: int | None = None) -> Gathered:
    """Return the snapshot that a part belongs to: nearest in time, else the one of the same number, else the last."""
    when = one.reading.taken_at
    timed = [(abs(when - own), i) for i, m in enumerate(snapshots) if when and (own := m.own_time)]
    if len(timed) == len(snapshots):
        return snapshots[min(timed)[1]]
    if at is not None:
        return snapshots[at]
    saved = one.capture.received_at
    written = [(abs(saved - w[0]), i) for i, m in enumerate(snapshots) if saved and (w := m.written)]
    return snapshots[min(written)[1]] if len(written) == len(snapshots) else snapshots[-1]


def loose(parts: Sequence[Part], apart: bool = False) -> list[Gathered]:
    """Return the snapshots of files that were named one by one.

    Different kinds are one snapshot unless their own times lie apart; one kind twice is two snapshots, unless it is one
    snapshot in two formats: taken close together, or with about the same goroutines. `apart`: it never is.
    """
    snapshots: list[Gathered] = []
    for one in without_single_stacks([f for f in parts if f.slot and not f.ranged]):
        home = next((snapshot for snapshot in snapshots if _belongs(one, snapshot, apart)), None)
        if home is None:
            snapshots.append(Gathered(one.label, [one]))
        else:
            home.parts.append(one)
    for one in parts:
        if one.beside and snapshots:
            nearest(snapshots, one).parts.append(one)
    return [*snapshots, *_ranges(parts)]


def _belongs(one: Part, snapshot: Gathered, apart: bool) -> bool:
    same = [f for f in snapshot.parts if f.slot == one.slot]
    if any(apart or (f.reading.format, f.reading.kind) == (one.reading.format, one.reading.kind) for f in same):
        return False
    when, then = one.reading.taken_at, snapshot.own_time
    if when and then:
        return abs(when - then) <= CLOSE
    for other in same:
        mine, theirs = one.goroutines, other.goroutines
        if mine and theirs and _differ(mine.total, theirs.total):
            return False
    return True


def in_order(snapshots: Sequence[Gathered]) -> list[Gathered]:
    """Return the snapshots oldest first: by their times, else by when files were written, else as given."""
    if all(m.time for m in snapshots):
        return sorted(snapshots, key=lambda m: m.time or datetime.min)
    if _written_apart(snapshots):
        return sorted(snapshots, key=lambda m: m.written or (datetime.min, datetime.min))
    collected = [m.collected for m in snapshots]
    if None not in collected and len(set(collected)) == len(snapshots):
        return sorted(snapshots, key=lambda m: m.collected or 0.0)
    return list(snapshots)


def _written_apart(snapshots: Sequence[Gathered]) -> bool:
    """Tell whether files were written when they were captured: those of one snapshot before all of the next."""
    spans = sorted(m.written for m in snapshots if m.written)
    if len(spans) < len(snapshots) or len(snapshots) < 2:
        return False
    return all(later[0] - earlier[1] >= _APART for earlier, later in pairwise(spans))


def captured_and_ranges(gathered: Iterable[Gathered]) -> tuple[list[Gathered], list[Gathered]]:
    """Return the snapshots that were captured, oldest first, and those that only metrics tell of."""
    everything = [m for m in gathered if m.slots]
    return in_order([m for m in everything if not m.ranged]), [m for m in everything if m.ranged]


def is_dated(gathered: Sequence[Gathered]) -> bool:
    """Tell whether their order is known: else a smaller figure may be that of an earlier snapshot."""
    return has_times(gathered) or _collected_in_order(gathered)


def has_times(gathered: Sequence[Gathered]) -> bool:
    """Tell whether it is known when they were taken: they say so, or their files were written then."""
    return all(m.time for m in gathered) or _written_apart(gathered)


def _collected_in_order(snapshots: Sequence[Gathered]) -> bool:
    """Tell whether several collections show that the order as given is that of the time; of a new process none may."""
    known = [when for m in snapshots if (when := m.collected)]
    return len(set(known)) > 1 and known == sorted(known)


def snapshots_and_history(
    captured: Sequence[Gathered], ranges: Sequence[Gathered]
) -> tuple[tuple[Snapshot, ...], tuple[Snapshot, ...]]:
    """Return the snapshots of one run, and what only metrics tell of the time around them; each oldest first.

    Growth of stacks is seen between captures; without any, what metrics tell are the snapshots.
    """
    told = list(ranges)
    if not captured:
        return _snapshots(told), ()
    for snapshot in captured:  # its memory, where no capture tells it
        when = snapshot.time
        times = [(abs(when - then), at) for at, m in enumerate(told) if when and (then := m.own_time)]
        if "metrics" not in snapshot.slots and times and min(times)[0] <= CLOSE:
            snapshot.parts += told.pop(min(times)[1]).parts
    return _snapshots(captured), _snapshots(told)


def _snapshots(gathered: Iterable[Gathered]) -> tuple[Snapshot, ...]:
    ordered = in_order([m for m in gathered if m.slots])
    apart = _written_apart(ordered)
    return tuple(m.snapshot(m.time or (m.written[0] if apart and m.written else None)) for m in ordered)

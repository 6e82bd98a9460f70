"""Heap that grows -> suspects: one for each cause, each byte in at most one, with what speaks for and against it.

Paths, trends and pins have modules of their own. One module: the way from rows of the heap to suspects is one line.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from oakum.detect.heap_goroutines import Background, Companion, background
from oakum.detect.heap_live import agreed
from oakum.detect.heap_paths import Path, path_of
from oakum.detect.heap_pins import attribute, beside, follows, holders_of, made_by, standing_on
from oakum.detect.heap_trend import Moves, Trend, moves
from oakum.detect.rate import per_hour
from oakum.knowledge.pairs import Pair
from oakum.model import (
    Evidence,
    EvidenceKind,
    Frame,
    Growth,
    Mechanism,
    Process,
    Site,
    Suspect,
    Text,
    Trace,
    Victim,
    normal_function,
)
from oakum.model.diagnosis import Argument
from oakum.model.heap_growth import Floats, HeapGrowth, MemorySeries, Pin
from oakum.model.profile import Int64s
from oakum.model.sizes import size
from oakum.model.vocabulary import CLEARS, HARMLESS

# What a cause has to hold of the heap, or of its growth, to be told: less is everybody's background.
_SHARE = 0.05
# How many causes, and how many harmless ones, a person wants to read of.
_MOST = 10
# Stacks of a cause that are kept to be recognised by.
_STACKS_MOST = 8
# Standard errors of sampling: less may be chance.
_ERRORS = 3.0
# Of what was allocated at a site: a cache that evicts, or work that ends, frees more than that.
_RETAINED = 0.95
# A baseline under the same load has about as much; sampling and chance do not double it.
_BASELINE = 2.0
# Objects that outnumber the goroutines that came with them are held by something else: a map, a list, a registration.
_KEPT = 8
# The live heap is known exactly: a site cannot have grown by much more than all of it.
_WOBBLE = 3.0
_KINDS: Mapping[Trend, EvidenceKind] = {
    "one": "heap-largest", "single-step": "heap-single-step", "rises": "heap-steady-growth", "plateau": "heap-plateau",
}  # fmt: skip


class _HeapCluster(Struct):
    """Rows of the heap that grow for one reason; the first row is the one that gained most."""

    rows: list[int]
    moves: Moves
    paths: list[Path] = field(default_factory=list)

    @property
    def path(self) -> Path:
        return self.paths[0]


class _Heap:
    """The heap of one process, and what its rows say."""

    def __init__(
        self, process: Process, growth: HeapGrowth, series: MemorySeries, activity: Sequence[float | None]
    ) -> None:
        self.process, self.growth, self.series = process, growth, series
        self.seen = self._fresh(growth, series.num_gc)
        self.paths = [path_of(stack) for stack in growth.stacks]
        self.done = list(self._done(activity))
        self.works = self._works()
        self.last = int(self.seen[-1])
        # Side by side: rows are summed hundreds of times.
        columns = (growth.space, growth.noise, growth.churn, growth.allocated)
        self._columns: Floats = np.stack([column[self.seen].astype(np.float64) for column in columns])
        before = growth.space[self.seen[0]] if len(self.seen) > 1 else 0
        self._gained: list[int] = (growth.space[self.last] - before).tolist()

    @staticmethod
    def _fresh(growth: HeapGrowth, collections: Floats) -> Int64s:
        """Return the snapshots whose profile is new: it changes with a collection only, and says nothing before one."""
        made, held = growth.total_allocated, growth.total
        kept = [int(growth.snapshots[0])]
        for at in growth.snapshots[1:].tolist():
            collected = len(collections) > at and collections[at] > collections[kept[-1]]
            if collected or made[at] != made[kept[-1]] or held[at] != held[kept[-1]]:
                kept.append(at)
        return np.array(kept, np.int64)

    def _done(self, activity: Sequence[float | None]) -> Iterator[Floats]:
        """Yield measures of what was done up to each snapshot: allocations, the work told, and the time."""
        seen, made = self.seen, self.series.mallocs
        yield made if not np.isnan(made[seen]).any() else self.growth.total_allocated.astype(np.float64)
        if len(activity) == len(self.growth.seen) - 1:
            yield np.cumsum([0.0] + [math.nan if step is None else step for step in activity])
        passed = np.diff(self.series.seconds[seen])
        there = not np.isnan(passed).any() and bool((passed > 0).all())
        yield self.series.seconds if there else np.arange(len(self.growth.seen), dtype=np.float64)

    def _works(self) -> list[Floats]:
        """Return what was done in each step between profiles, as shares of the busiest; the time is the last."""
        told = [np.diff(done[self.seen]) for done in self.done]
        return [
            np.asarray(np.clip(steps / steps.max(), 0.0, 1.0))
            for steps in told
            if len(steps) and not np.isnan(steps).any() and steps.max() > 0
        ]

    def moves(self, rows: Sequence[int]) -> Moves:
        """Return how these rows move together."""
        space, noise, churn, made = self._columns.take(rows, axis=2).sum(axis=2)
        return moves(space, noise, churn, self.works, made)

    def agreed(self, rows: Sequence[int]) -> Moves:
        """Return how these rows move, by the profile and by what the collector says of the whole."""
        return agreed(self.moves(rows), np.asarray(rows), self.growth, self.series, self.done)

    def space(self, rows: Sequence[int]) -> Floats:
        """Return the live bytes of these rows, one value a snapshot; NaN where there is no profile."""
        values = self.growth.space[:, rows].sum(axis=1).astype(np.float64)
        return np.where(self.growth.seen, values, math.nan)

    def objects(self, rows: Sequence[int]) -> Floats:
        """Return the live objects of these rows, one value a snapshot; NaN where there is no profile."""
        values = self.growth.objects[:, rows].sum(axis=1).astype(np.float64)
        return np.where(self.growth.seen, values, math.nan)

    def gained(self, row: int) -> int:
        """Return by how much a row exceeds its first snapshot; what it holds when there is one snapshot."""
        return self._gained[row]


def heap_suspects(
    process: Process,
    growth: HeapGrowth,
    series: MemorySeries,
    pinned: Sequence[Suspect],
    activity: Sequence[float | None],
    pins: Mapping[int, Pin] | None = None,
) -> tuple[Suspect, ...]:
    """Return what grows or holds most in the heap, worst first, then what grew and is harmless.

    `pinned` are the goroutine suspects, harmless ones too, `pins` what they hold; `activity` is the work done in each
    step.
    """
    if not growth.seen.any() or not growth.stacks:
        return ()
    heap = _Heap(process, growth, series, activity)
    pins = attribute(pinned, growth, process) if pins is None else pins
    held = {row for pin in pins.values() for row in pin.rows}
    causes = _causes(heap, held)
    behind = background(process)
    suspects = sorted((_suspect(heap, cause, pinned) for cause in causes), key=_order)
    return tuple(sorted(_with_companions(suspects, behind), key=_order))


def _with_companions(suspects: Sequence[Suspect], behind: Background) -> Iterator[Suspect]:
    """Yield the suspects; a finalizer or timers that are at work tell of the one that is nearest to their code."""
    chosen: dict[int, list[Companion]] = defaultdict(list)
    for one in behind.companions:
        near = [(one.nearness(suspect.path), -at) for at, suspect in enumerate(suspects) if not _harmless(suspect)]
        if near and max(near)[0]:
            chosen[-max(near)[1]].append(one)
    for at, suspect in enumerate(suspects):
        for one in chosen[at]:
            suspect = replace(
                suspect,
                mechanisms=tuple(dict.fromkeys((one.mechanism, *suspect.mechanisms))),
                sites=(*suspect.sites, *one.sites),
                evidence=(*suspect.evidence, one.evidence),
            )
        yield suspect


def _order(suspect: Suspect) -> tuple[bool, bool, bool, float]:
    """Return what puts suspects in order: what keeps rising, then what names who should have let go, then size."""
    named = suspect.mechanisms[0] != "growing-container" and suspect.weight >= 0.1
    return _harmless(suspect), not suspect.kinds.has("heap-steady-growth"), not named, -suspect.weight


def _harmless(suspect: Suspect) -> bool:
    return suspect.mechanisms[0] in HARMLESS


def _causes(heap: _Heap, held: set[int]) -> list[_HeapCluster]:
    """Return the rows that no goroutine holds, joined by cause, those worth telling."""
    sites: dict[tuple[str, int, str, int], list[int]] = defaultdict(list)
    for row, path in enumerate(heap.paths):
        if row not in held and not path.goroutine:
            sites[path.site].append(row)
    found = [_HeapCluster(rows, heap.moves(rows)) for rows in sites.values()]
    found.sort(key=lambda cause: -sum(heap.gained(row) for row in cause.rows))
    for cause in found:
        cause.paths = [heap.paths[row] for row in cause.rows]
    joined: list[_HeapCluster] = []
    homes: dict[object, list[_HeapCluster]] = defaultdict(list)  # by driver, and by all that is below it
    for cause in found:
        path = cause.path
        keys: list[object] = [normal_function(path.driver.function)]
        if len(path.own) > 1 and path.allocated.owner == "own":  # one cache that several handlers fill
            keys.append(path.own[:-1])
        home = next((other for key in keys for other in homes[key] if _together(other, cause)), None)
        if home is None:
            joined.append(cause)
            for key in keys:
                homes[key].append(cause)
        else:
            home.rows += cause.rows
            home.paths += cause.paths
    for cause in joined:
        order = sorted(range(len(cause.rows)), key=lambda at: -heap.gained(cause.rows[at]))
        cause.paths = [cause.paths[at] for at in order]
        cause.rows = [cause.rows[at] for at in order]
        cause.moves = heap.agreed(cause.rows)
    return _worth_telling(heap, joined)


def _together(home: _HeapCluster, cause: _HeapCluster) -> bool:
    """Tell whether two allocations grow for one reason: below one call, of one type or on one path, moving alike."""
    if home.path.anybody or cause.path.anybody:
        alike = home.path.allocated == cause.path.allocated or home.path.own[-2:] == cause.path.own[-2:]
        return home.path.anybody and cause.path.anybody and alike  # all that a server reads of a request is one thing
    near = (
        _calls(home.path) == _calls(cause.path)
        or home.path.own[:-1] == cause.path.own[:-1]
        or bool(home.path.types & cause.path.types)
    )
    moving = ("single-step", "rises", "one")
    # One line that several calls reach makes one thing: whether that slows down shows in the sum.
    if home.path.own[:-1] == cause.path.own[:-1] and {home.moves.trend, cause.moves.trend} <= {*moving, "plateau"}:
        return True
    if home.moves.trend in moving and cause.moves.trend in moving:
        return near or home.moves.trend == cause.moves.trend == "rises"
    if cause.moves.trend == "noise" and home.moves.trend in moving:  # too few samples to say how it moves
        return near
    return home.moves.trend == cause.moves.trend and near


def _calls(path: Path) -> tuple[str, int]:
    """Return the call in the driver below which it all happens."""
    return normal_function(path.driver.function), path.driver.line


def _worth_telling(heap: _Heap, causes: Sequence[_HeapCluster]) -> list[_HeapCluster]:
    total = heap.growth.total[heap.seen]
    whole = max(1, int(total[-1]))
    risen = max(1, int(total[-1] - total[0])) if len(total) > 1 else whole
    peak = max(1, int(total.max()))
    growing, harmless = [], []
    for cause in causes:
        held = int(heap.growth.space[heap.last, cause.rows].sum())
        gained = sum(heap.gained(row) for row in cause.rows)
        if cause.moves.trend == "one":
            noise = math.sqrt(float(heap.growth.noise[heap.last, cause.rows].sum()))
            if held >= max(_SHARE * whole, _ERRORS * noise):
                growing.append(cause)
        elif cause.moves.trend in ("single-step", "rises"):
            if gained >= _SHARE * risen:
                growing.append(cause)
        elif cause.moves.trend in ("plateau", "falls") and cause.moves.peak >= 2 * _SHARE * peak:
            harmless.append(cause)
    growing.sort(key=lambda cause: -sum(heap.gained(row) for row in cause.rows))
    harmless.sort(key=lambda cause: -cause.moves.peak)
    return growing[:_MOST] + harmless[:_MOST]


def _suspect(heap: _Heap, cause: _HeapCluster, pinned: Sequence[Suspect]) -> Suspect:
    evidence = [_trend(heap, cause), *_climbs(heap, cause)]
    evidence += _retained(heap, cause)
    evidence += _shape(heap, cause)
    evidence += _baseline_evidence(heap, cause)
    evidence += _wobble(heap, cause)
    sites = _sites(heap, cause)
    cleared = [CLEARS[one.kind] for one in evidence if one.kind in CLEARS]
    mechanisms = tuple(dict.fromkeys((*cleared, *_mechanisms(heap, cause))))
    victims = _victims(heap, cause, pinned)
    if not victims:
        evidence += _beside(heap, cause, pinned)
    total = heap.growth.total[heap.seen]
    held = int(heap.growth.space[heap.last, cause.rows].sum())
    gained = max(0, sum(heap.gained(row) for row in cause.rows))
    risen = float(total[-1] - total[0]) if len(total) > 1 else float(total[-1])
    return Suspect(
        sites=tuple(sites),
        mechanisms=mechanisms,
        evidence=tuple(evidence),
        weight=round(min(1.0, gained / max(1.0, risen, gained)), 4),
        victims=victims,
        path=_told_path(cause.path),
        growth=_growth(heap, cause),
        share={"inuse_space": round(held / max(1, int(total[-1])), 4)},
        allocations=tuple(
            Trace(heap.growth.stacks[row].frames, process=heap.process.id) for row in cause.rows[:_STACKS_MOST]
        ),
    )


def _told_path(path: Path) -> tuple[Frame, ...]:
    """Return driver ... registration ... allocation, root first."""
    return tuple(reversed(path.own))


def _mechanisms(heap: _Heap, cause: _HeapCluster) -> tuple[Mechanism, ...]:
    if _kind(cause) in CLEARS:
        return ()
    pair = _pair(heap, cause)
    named: list[Mechanism] = [pair.mechanism] if pair else []
    named += ["growing-container"]
    if any(path.text for path in cause.paths):
        named.append("substring-pin")
    if cause.moves.trend != "rises":
        named.append("warm-up")
    return tuple(dict.fromkeys(named))


def _pair(heap: _Heap, cause: _HeapCluster) -> Pair | None:
    """Return the pair that keeps what was allocated: on the path of most of it; of a timer, of a good part of it.

    A timer is small and holds whatever its function refers to; what is registered comes with its registration.
    """
    gained: dict[Pair, int] = defaultdict(int)
    for row, path in zip(cause.rows, cause.paths, strict=True):
        if path.pair is not None:
            gained[path.pair] += max(0, heap.gained(row))
    whole = sum(max(0, heap.gained(row)) for row in cause.rows)
    for pair, part in sorted(gained.items(), key=lambda item: (item[0].generic, -item[1])):
        if part >= (_SHARE if pair.mechanism == "unstopped-timer" else 0.5) * whole > 0:
            return pair
    return None


def _sites(heap: _Heap, cause: _HeapCluster) -> list[Site]:
    """Return the allocation that gained most, who registers it, what drives it; then the other allocations."""
    process = heap.process.id
    count = int(heap.growth.objects[heap.last, cause.rows[0]]) or None
    sites = [Site("allocated", cause.path.allocated, count=count, process=process)]
    pair = _pair(heap, cause)
    for path in cause.paths:
        sites += [Site("registered", frame, process=process) for frame in path.registered if path.pair is pair]
    for path in cause.paths:
        sites += [Site("driver", frame, process=process) for frame in _drivers(path)]
    for row, path in zip(cause.rows[1:], cause.paths[1:], strict=True):
        if path.allocated not in [site.frame for site in sites]:
            number = int(heap.growth.objects[heap.last, row]) or None
            sites.append(Site("allocated", path.allocated, count=number, process=process))
    return list({(site.role, site.frame): site for site in sites}.values())


def _drivers(path: Path) -> list[Frame]:
    """Return what drives it: the driver, and the own frame below it that calls the allocation or the registration."""
    first = path.registered[-1] if path.registered else path.allocated
    at = path.own.index(first) if first in path.own else 0
    between = [frame for frame in path.own[at + 1 :] if frame.owner == "own"]
    told = [*between[:1], path.driver]
    return [frame for frame in dict.fromkeys(told) if frame not in path.registered and frame != path.allocated]


def _evidence(
    heap: _Heap, kind: EvidenceKind, key: str, cause: _HeapCluster, args: dict[str, Argument], at: int | None = None
) -> Evidence:
    snapshot = heap.process.snapshots[heap.last if at is None else at]
    source = snapshot.sources.get("heap") or next(iter(snapshot.sources.values()))
    path = cause.path
    return Evidence(
        kind,
        Text(key, args),
        source.digest,
        where=str(path.allocated),
        excerpt="\n".join(str(frame) for frame in path.own[:8]),
    )


def _trend(heap: _Heap, cause: _HeapCluster) -> Evidence:
    told = cause.moves
    samples = round(float(heap.growth.samples[heap.last, cause.rows].sum()))
    args: dict[str, Argument] = {
        "function": cause.path.allocated.function, "first": size(told.first), "last": size(told.last),
        "peak": size(told.peak), "rises": told.rises, "steps": told.steps, "samples": samples,
        "objects": int(heap.growth.objects[heap.last, cause.rows].sum()),
        "percent": round(100 * told.last / max(1, int(heap.growth.total[heap.last]))),
    }  # fmt: skip
    kind = _kind(cause)
    key = kind.replace("-", ".", 1) if args["objects"] or kind != "heap-largest" else "heap.largest-bytes"
    return _evidence(heap, kind, key, cause, args)


def _kind(cause: _HeapCluster) -> EvidenceKind:
    return _KINDS.get(cause.moves.trend, "heap-falls")


def _climbs(heap: _Heap, cause: _HeapCluster) -> list[Evidence]:
    """Return that it rose in each of the few steps, or goes on: with a source in which nothing takes it out, enough."""
    if cause.moves.trend != "single-step" or not cause.moves.goes_on:
        return []
    if cause.moves.climbs:
        return [_evidence(heap, "heap-even-growth", "heap.even-growth", cause, {"steps": cause.moves.steps})]
    args: dict[str, Argument] = {"rises": cause.moves.rises, "steps": cause.moves.steps}
    return [_evidence(heap, "heap-goes-on", "heap.goes-on", cause, args)]


def _retained(heap: _Heap, cause: _HeapCluster) -> list[Evidence]:
    """Return that next to nothing that was allocated there was freed, neither under load nor after it."""
    if not cause.moves.outlives:
        return []
    gained, made = (
        int(column[heap.last, cause.rows].sum() - column[heap.seen[0], cause.rows].sum())
        for column in (heap.growth.space, heap.growth.allocated)
    )
    if gained < _RETAINED * made:
        return []
    args: dict[str, Argument] = {"allocated": size(made), "percent": round(100 * gained / max(1, made))}
    return [_evidence(heap, "heap-retained", "heap.retained", cause, args)]


def _shape(heap: _Heap, cause: _HeapCluster) -> list[Evidence]:
    """Return what shows that something keeps it: a registration, a timer, a container, or that no goroutine can."""
    if cause.moves.trend in ("plateau", "falls"):
        return []
    pair = _pair(heap, cause)
    for path in cause.paths:
        if pair is not None and path.pair is pair:
            args: dict[str, Argument] = {
                "function": path.registered[0].function, "caller": path.registered[-1].function,
                "release": ", ".join(pair.release), "pair": pair.id,
            }  # fmt: skip
            return [_evidence(heap, "heap-owner", "heap.owner.registration", cause, args)]
    for path in cause.paths:
        if path.container is not None:
            return [_evidence(heap, "heap-owner", "heap.owner.container", cause, {"function": path.container.function})]
    there = [number for number in standing_on(heap.process.snapshots, cause.path) if number is not None]
    objects = heap.growth.objects[heap.seen, cause.rows[0]]
    gained = int(objects[-1] - objects[0]) if len(objects) > 1 else int(objects[-1])
    if there and gained >= _KEPT * max(1, there[-1] - min(there)) and not cause.path.anybody:
        numbers: dict[str, Argument] = {"objects": gained, "goroutines": there[-1]}
        return [_evidence(heap, "heap-owner", "heap.owner.kept", cause, numbers)]
    return []


def _baseline_evidence(heap: _Heap, cause: _HeapCluster) -> list[Evidence]:
    baseline = heap.growth.baseline
    if baseline is None:
        return []
    ours, theirs = int(heap.growth.space[heap.last, cause.rows].sum()), int(baseline[cause.rows].sum())
    noise = math.sqrt(float(heap.growth.noise[heap.last, cause.rows].sum()))
    args: dict[str, Argument] = {"ours": size(ours), "twin": size(theirs)}
    if ours >= _BASELINE * theirs and ours - theirs >= _ERRORS * noise:
        return [_evidence(heap, "heap-baseline", "heap.baseline", cause, args)]
    return (
        [_evidence(heap, "heap-like-baseline", "heap.like-baseline", cause, args)] if ours < _BASELINE * theirs else []
    )


def _wobble(heap: _Heap, cause: _HeapCluster) -> list[Evidence]:
    """Return that the site moved by more than the whole heap did, or the profile holds more than there is.

    Then sampling did it, or the profile lags: it shows what was live two collections ago.
    """
    alloc = heap.series.heap_alloc[heap.last] if len(heap.series.heap_alloc) == len(heap.growth.seen) else math.nan
    noise = math.sqrt(float(heap.growth.noise[heap.last].sum()))
    whole = float(heap.growth.total[heap.last])
    if cause.moves.trend in ("single-step", "rises") and whole - _ERRORS * noise > alloc:
        told: dict[str, Argument] = {"profile": size(whole), "heap": size(alloc)}
        return [_evidence(heap, "heap-sampling-noise", "heap.lags-behind", cause, told)]
    live = heap.series.heap_live[heap.seen] if len(heap.series.heap_live) == len(heap.growth.seen) else np.zeros(0)
    if cause.moves.trend not in ("single-step", "rises") or len(live) < 2 or np.isnan(live[[0, -1]]).any():
        return []
    gained = cause.moves.last - cause.moves.first
    grown = max(0.0, float(live[-1] - live[0]))
    if gained <= _WOBBLE * grown + (1 << 20):
        return []
    args: dict[str, Argument] = {"gained": size(gained), "heap": size(grown)}
    return [_evidence(heap, "heap-sampling-noise", "heap.sampling-noise", cause, args)]


def _beside(heap: _Heap, cause: _HeapCluster, pinned: Sequence[Suspect]) -> list[Evidence]:
    """Return that goroutines leak in step with it: they may hold it, though no frame says so."""
    if cause.moves.trend not in ("single-step", "rises"):
        return []
    suspect = beside(heap.space(cause.rows), heap.objects(cause.rows[:1]), pinned, heap.growth)
    if suspect is None:
        return []
    args: dict[str, Argument] = {"function": suspect.sites[0].frame.function, "count": suspect.sites[0].count or 0}
    return [_evidence(heap, "heap-with-goroutines", "heap.with-goroutines", cause, args)]


def _victims(heap: _Heap, cause: _HeapCluster, pinned: Sequence[Suspect]) -> tuple[Victim, ...]:
    """Return the goroutines that the registration made, which grow with it.

    None when others leak in step with it: then the registry itself is left behind, with all that was registered.
    """
    pair, space = _pair(heap, cause), heap.space(cause.rows)
    if pair is None or cause.moves.trend in ("plateau", "falls"):
        return ()
    paths = [path for path in cause.paths if path.pair is pair]
    made, others = [], []
    for suspect in pinned:
        blocked = [site for site in suspect.sites if site.role == "blocked"]
        holders = holders_of(suspect, heap.process)
        if any(made_by(path, holders.born, holders.packages) for path in paths) and (
            len(heap.seen) == 1 or follows(space, holders.counts)
        ):
            made += [Victim(site.frame, site.state, site.count or 0, "behind", heap.process.id) for site in blocked]
        else:
            others.append(suspect)
    return tuple(made) if beside(space, heap.objects(cause.rows[:1]), others, heap.growth) is None else ()


def _growth(heap: _Heap, cause: _HeapCluster) -> tuple[Growth, ...]:
    if len(heap.seen) < 2:
        return ()
    told = []
    for measure, columns in (("inuse_space", heap.growth.space), ("inuse_objects", heap.growth.objects)):
        values = columns[:, cause.rows].sum(axis=1)
        if not values.any():
            continue  # how many objects there are is not told
        counts = tuple(int(value) if seen else None for value, seen in zip(values, heap.growth.seen, strict=True))
        one = Growth("inuse_space", counts, per_hour(heap.series.seconds[heap.seen], values[heap.seen]))
        told.append(one if measure == "inuse_space" else replace(one, measure="inuse_objects"))
    return tuple(told)

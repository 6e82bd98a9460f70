"""Heap that goroutines keep alive: which rows of the heap belong to which goroutine suspect, and how much each holds.

Two things have to agree: a function that both the allocation's path and the goroutine have, and numbers that move
together through the snapshots. What a registration made, goroutines included, belongs to the registration.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from oakum.detect.heap_paths import Path, path_of, type_of
from oakum.model import Evidence, Frame, Process, Snapshot, Suspect, Text, normal_function
from oakum.model.diagnosis import Argument
from oakum.model.heap_growth import Floats, HeapGrowth, Pin
from oakum.model.sizes import size
from oakum.model.vocabulary import HARMLESS

# How much of the heap's movement the number of goroutines has to explain. Sampling alone costs a tenth or two; where
# only a type is shared, and no function, more has to agree.
_FIT = 0.8
_CLOSE_FIT = 0.9
# What may grow in steps in which no goroutine came: a profile is two collections late.
_ALONE = 0.34
# In one snapshot only numbers tell what goroutines hold from what a map holds: a pile-up of them may hold anything, a
# few hold no more objects of one kind than this each.
_MANY = 8
_EACH = 64
# Objects of one site that come with one goroutine: a request and its parts are some, a share of a map is hundreds.
_WITH_EACH = 12.0
_FEWEST = 0.5
# Functions that every goroutine or every path may have.
_ANYBODY = frozenset({"main.main", "net/http.(*conn).serve", "net/http.HandlerFunc.ServeHTTP"})


class Holders(Struct, frozen=True):
    """The goroutines of one suspect: their functions and how many there were."""

    functions: frozenset[str]
    born: frozenset[str]
    types: frozenset[str]  # whose methods started them or stand on their stacks
    packages: frozenset[str]
    counts: Floats
    harmless: bool


def attribute(pinned: Sequence[Suspect], growth: HeapGrowth, process: Process) -> dict[int, Pin]:
    """Return what each goroutine suspect keeps alive, by its index; a row of the heap belongs to at most one."""
    if not pinned or not growth.stacks:
        return {}
    paths = [path_of(stack) for stack in growth.stacks]
    crowds = [holders_of(suspect, process) for suspect in pinned]
    wanted: dict[int, tuple[float, int]] = {}  # row -> how much it shares, and with whom
    by_name: dict[str, list[int]] = defaultdict(list)
    by_type: dict[str, list[int]] = defaultdict(list)
    for row, path in enumerate(paths):
        for frame in path.own:
            by_name[normal_function(frame.function)].append(row)
        for name in path.types:
            by_type[name].append(row)
    for index, holders in enumerate(crowds):
        for row, shared in _shared(holders, by_name, by_type).items():
            if shared > wanted.get(row, (0, 0))[0] and not made_by(paths[row], holders.born, holders.packages):
                wanted[row] = (shared, index)
    pins: dict[int, Pin] = {}
    for index, holders in enumerate(crowds):
        # In the order of the heap, the largest first: of equal rows the same one is named in every run.
        near = sorted(row for row, (shared, whose) in wanted.items() if whose == index and shared >= 1)
        far = sorted(row for row, (shared, whose) in wanted.items() if whose == index and shared < 1)
        pin = _pin(near, holders, growth, _FIT) if near else None
        # Only through the snapshots can a type that both share tell anything.
        if far and len(growth.snapshots) > 1 and (more := _pin([*near, *far], holders, growth, _CLOSE_FIT)) is not None:
            pin = more
        if pin is not None:
            pins[index] = pin
    return pins


def pin_evidence(pin: Pin, suspect: Suspect, process: Process) -> Evidence | None:
    """Return the sentence that says how much these goroutines hold; None without a capture to cite."""
    source = next((s.sources["heap"] for s in reversed(process.snapshots) if "heap" in s.sources), None)
    if source is None:
        return None
    place = next((frame for frame in pin.path.frames if frame.owner in ("own", "dependency")), pin.path.frames[0])
    args: dict[str, Argument] = {
        "each": size(pin.each), "bytes": size(pin.bytes), "percent": round(100 * pin.weight),
        "function": place.function, "count": suspect.sites[0].count or 0,
    }  # fmt: skip
    key = "heap.pinned-now" if pin.explains is None else "heap.pinned"
    return Evidence("heap-pinned", Text(key, args), source.digest, where=str(place))


def holders_of(suspect: Suspect, process: Process) -> Holders:
    """Return the goroutines of a suspect; who they are is read off the last dump."""
    blocked = [site for site in suspect.sites if site.role == "blocked"]
    created = {normal_function(site.frame.function) for site in suspect.sites if site.role == "created"}
    places = {(normal_function(site.frame.function), site.frame.line) for site in blocked}
    functions = {name for name, _ in places} | created
    born = set(created)
    snapshot = next((s for s in reversed(process.snapshots) if s.goroutines is not None), None)
    for group in snapshot.goroutines.groups if snapshot and snapshot.goroutines else ():
        place = group.place
        if place is not None and (normal_function(place.function), place.line) in places:
            functions |= {normal_function(frame.function) for frame in group.stack.frames if _somebodys(frame)}
            if group.created_by is not None:
                born.add(normal_function(group.created_by.function))
            elif group.stack.entry is not None:  # who runs a closure was most likely started where it was written
                born.add(normal_function(group.stack.entry.function).removesuffix(".func"))
    packages = frozenset(site.frame.package for site in blocked if site.frame.owner == "dependency")
    return Holders(
        functions=frozenset((functions | born) - _ANYBODY),
        born=frozenset(born - _ANYBODY),
        types=frozenset(type_of(name) for name in functions | born) - {""},
        packages=packages,
        harmless=bool(suspect.mechanisms) and suspect.mechanisms[0] in HARMLESS,
        counts=goroutine_counts(suspect, len(process.snapshots)),
    )


def goroutine_counts(suspect: Suspect, snapshots: int) -> Floats:
    """Return how many goroutines a suspect has in each snapshot; NaN where that is not told."""
    counts = next((one.counts for one in suspect.growth if one.measure == "goroutines"), ())
    if len(counts) != snapshots:
        known = suspect.sites[0].count if suspect.sites else None
        return np.array([np.nan] * (snapshots - 1) + [np.nan if known is None else known], np.float64)
    return np.array([np.nan if count is None else count for count in counts], np.float64)


def _somebodys(frame: Frame) -> bool:
    return frame.owner in ("own", "dependency")


def _shared(holders: Holders, by_name: Mapping[str, list[int]], by_type: Mapping[str, list[int]]) -> dict[int, float]:
    """Return how many functions each row's path and the goroutines share; a half when it is only a type.

    The driver's type does not count: one server has many handlers.
    """
    found: dict[int, float] = defaultdict(float)
    for name in holders.functions:
        for row in by_name.get(name, ()):
            found[row] += 1
    if not holders.harmless:
        for name in holders.types:
            for row in by_type.get(name, ()):
                found.setdefault(row, 0.5)
    return found


def made_by(path: Path, born: frozenset[str], packages: frozenset[str]) -> bool:
    """Tell whether goroutines were made by the registration on this path: then they come with it, not it with them."""
    if path.pair is None:
        return False
    return bool(path.inside & born) or path.registered[0].package in packages


def follows(space: Floats, counts: Floats, fit: float = _FIT) -> bool:
    """Tell whether bytes move with the number of goroutines, and not without it."""
    known = ~np.isnan(space + counts)
    held, there = space[known], counts[known]
    if len(held) < 2 or there.max() == there.min() or held.max() == held.min():
        return False
    slope = float(np.cov(there, held)[0, 1] / there.var(ddof=1))
    explained = float(np.corrcoef(there, held)[0, 1]) ** 2
    steps, came = np.diff(held), np.diff(there)
    alone = float(np.maximum(0.0, steps)[came <= 0].sum())
    return slope > 0 and explained >= fit and alone <= _ALONE * max(1.0, float(np.maximum(0.0, steps).sum()))


def _pin(rows: Sequence[int], holders: Holders, growth: HeapGrowth, fit: float) -> Pin | None:
    seen = growth.snapshots
    if not len(seen):
        return None
    space = growth.space[:, rows].sum(axis=1).astype(np.float64)
    counts = holders.counts
    last = seen[-1]
    held, number = int(space[last]), counts[last]
    if held <= 0:
        return None
    largest = max(rows, key=lambda row: int(growth.space[last, row]))
    if len(seen) == 1:
        if not (number >= _MANY or number * _EACH >= growth.objects[last, largest]):
            return None
        explains, each = None, int(held / max(1.0, np.nan_to_num(number, nan=1.0)))
    else:
        space[~growth.seen] = np.nan
        if not follows(space, counts, fit):
            return None
        gained, came = space[last] - space[seen[0]], number - counts[seen[0]]
        whole = float(growth.total[last] - growth.total[seen[0]])
        explains = round(min(1.0, max(0.0, gained / whole)), 4) if whole > 0 else None
        each = int(gained / came) if came > 0 and gained > 0 else int(held / max(1.0, number))
    part = round(held / max(1, int(growth.total[last])), 4)
    return Pin(held, part, explains, each, tuple(rows), growth.stacks[largest])


def beside(space: Floats, objects: Floats, pinned: Sequence[Suspect], growth: HeapGrowth) -> Suspect | None:
    """Return a goroutine suspect that grows in step with live bytes, and can hold them, although they share no frame.

    What was handed to a goroutine came with it: about as many objects as goroutines, or a few for each. Hundreds for
    each are kept by something else, and so are fewer objects than goroutines.
    """
    if len(growth.snapshots) < 3:  # two points are always in step
        return None
    seen = growth.snapshots
    gained = float(objects[seen[-1]] - objects[seen[0]])
    for suspect in pinned:
        # A pool that multiplies may hold what grows with it; connections come and go with everything.
        known = suspect.mechanisms[0] if suspect.mechanisms else ""
        pool = known == "idle-pool" and suspect.sites[0].frame.owner == "dependency"
        counts = goroutine_counts(suspect, len(space))
        came = float(counts[seen[-1]] - counts[seen[0]])
        if gained > 0 and came > 0 and not _FEWEST * came <= gained <= _WITH_EACH * came:
            continue
        if (known not in HARMLESS or pool) and follows(space, counts, _CLOSE_FIT if pool else _FIT):
            return suspect
    return None


def standing_on(snapshots: Sequence[Snapshot], path: Path) -> list[int | None]:
    """Return how many goroutines of each snapshot have a function of the path on their stack, or a creator in it."""
    names = {normal_function(frame.function) for frame in path.own} - _ANYBODY
    found: list[int | None] = []
    for snapshot in snapshots:
        if snapshot.goroutines is None:
            found.append(None)
            continue
        number = 0
        for group in snapshot.goroutines.groups:
            creator = normal_function(group.created_by.function) if group.created_by else ""
            if creator in names or not names.isdisjoint(group.stack.normal_names):
                number += group.count
        found.append(number)
    return found

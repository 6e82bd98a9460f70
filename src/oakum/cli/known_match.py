"""A case -> where it has the signature of known bugs: every goroutine group and every stack of its heap is looked up.

Growth is asked for where healthy processes have such goroutines too; else a pile-up is enough: more than one that
nobody means to wait, a crowd of those that rest, a good part of the heap. Which version runs, and what it says to the
leak, is decided where a diagnosis decides it.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from msgspec import Struct, field

from oakum.explain.upstream.known import HEAP_SHARE, PILE, PILE_SHARE, recognise
from oakum.knowledge.benign import benign
from oakum.knowledge.leaks import Leak, leaks
from oakum.knowledge.signature import Hit, Signature, bare
from oakum.model import (
    Case,
    Evidence,
    Frame,
    GoroutineGroup,
    Process,
    Profile,
    Sighting,
    Site,
    Snapshot,
    Suspect,
    Text,
    Trace,
)
from oakum.model.profile import Bools

# Below this part of the heap, what grows is code that runs and has something in use.
_SHARE = 0.05
# Nobody means these to last; as states are called since Go 1.20, and before.
_HARD = frozenset(
    {
        "chan send", "chan send (nil chan)", "chan receive (nil chan)", "sync.Mutex.Lock", "sync.RWMutex.Lock",
        "sync.RWMutex.RLock", "sync.WaitGroup.Wait", "semacquire",
    }
)  # fmt: skip
_SPACE = "inuse_space"

_Key = tuple[str, tuple[tuple[str, Signature], ...]]  # process, entries with the signature that fits


class Seen(NamedTuple):
    """What was seen, the most first, and how many stacks were looked at."""

    sightings: tuple[Sighting, ...]
    stacks: int


class _Pile(Struct, dict=True):
    """Goroutines, or memory, that one signature fits, while they are counted."""

    trace: Trace
    place: Frame
    capture: str
    heap: bool
    values: list[int | None]
    largest: int = 0
    longest: int | None = None
    share: float = 0.0
    normal: bool = True  # some of them are there in every process that uses this well
    rests: bool = True  # they wait as goroutines do that are meant to live long
    all: int = 0  # goroutines of the process at the last snapshot
    ids: set[str] = field(default_factory=set)


def match(case: Case, progress: Callable[[str], None]) -> Seen:
    """Return where the case has the signature of known bugs."""
    piles: dict[_Key, _Pile] = {}
    stacks = 0
    for process in case.processes:
        for at, snapshot in enumerate(process.snapshots):
            progress(f"{process.name}: {snapshot.label}")
            stacks += _waiting(piles, process, at, snapshot) + _allocating(piles, process, at, snapshot)
    suspects = recognise([_suspect(one) for one in piles.values()], case.processes, leaks(), every=True)
    processes = {process.id: process for process in case.processes}
    found = [
        _sighting(pile, suspect, processes[key[0]])
        for (key, pile), suspect in zip(piles.items(), suspects, strict=True)
    ]
    return Seen(tuple(sorted(found, key=_size, reverse=True)), stacks)


def _waiting(piles: dict[_Key, _Pile], process: Process, at: int, snapshot: Snapshot) -> int:
    """Count the goroutines of one snapshot that signatures fit; return how many stacks there were."""
    slot = "goroutines" if snapshot.goroutines is not None else "leaked"
    all_of_them = snapshot.goroutines or snapshot.leaked
    groups = all_of_them.groups if all_of_them is not None else ()
    for group in groups:
        hits = leaks().waiting(group.stack.frames, group.state, group.created_by)
        if key := _key(process, hits):
            trace = Trace(group.stack.frames, group.state, group.created_by, process.id)
            pile = _pile(piles, key, trace, group.place or Frame("?"), snapshot.sources[slot].digest, False, process)
            pile.values[at] = (pile.values[at] or 0) + group.count
            if group.count > pile.largest:
                pile.trace, pile.place, pile.largest = trace, group.place or pile.place, group.count
            pile.normal = pile.normal and _normal(hits[0], group)
            pile.rests = pile.rests and group.state not in _HARD
            pile.all = all_of_them.total if all_of_them is not None else 0
            pile.longest = max((one for one in (pile.longest, group.longest) if one is not None), default=None)
    return len(groups)


def _normal(hit: Hit[Leak], group: GoroutineGroup) -> bool:
    """Tell whether a healthy process has some of these: who uses a library well has them too, in smaller numbers."""
    rests = benign().match(group)
    return hit.entry.fault == "usage" or (rests is not None and rests.resting is True)


def _allocating(piles: dict[_Key, _Pile], process: Process, at: int, snapshot: Snapshot) -> int:
    """Add up the memory of one snapshot that signatures fit; return how many stacks there were."""
    heap = snapshot.heap
    columns = [row for row, kind in enumerate(heap.sample_types) if kind.type == _SPACE] if heap is not None else []
    if heap is None or not columns:
        return 0
    size = np.bincount(heap.stack_ids, weights=heap.values[columns[0]], minlength=len(heap.stacks))
    whole = float(size.sum()) or 1.0
    told: dict[_Key, int] = {}
    for row in np.flatnonzero((size > 0) & _worth_a_look(heap)):
        stack = heap.stack(int(row))
        hits = leaks().allocating(stack.frames)
        if key := _key(process, hits):
            trace = Trace(stack.frames, process=process.id)
            place = _allocated(hits[0], stack.frames)
            pile = _pile(piles, key, trace, place, snapshot.sources["heap"].digest, True, process)
            told[key] = told.get(key, 0) + int(size[row])
            if size[row] > pile.largest:
                pile.trace, pile.place, pile.largest = trace, place, int(size[row])
    for key, amount in told.items():
        piles[key].values[at], piles[key].share = amount, amount / whole
    return int(np.count_nonzero(size > 0))


def _worth_a_look(heap: Profile) -> Bools:
    """Return which stacks have a function that some signature begins with: a heap may have a hundred thousand."""
    known = np.array([leaks().allocates(heap.strings[int(name)]) for name in heap.functions.name] + [False], bool)
    lines, stacks = heap.locations, heap.stacks  # function -1, of no name, is the last
    locations = np.zeros(len(lines), bool)
    locations[np.repeat(np.arange(len(lines)), np.diff(lines.line_starts))[known[lines.line_function]]] = True
    found = np.zeros(len(stacks), bool)
    found[np.repeat(np.arange(len(stacks)), np.diff(stacks.starts))[locations[stacks.locations]]] = True
    return found


def _allocated(hit: Hit[Leak], frames: Sequence[Frame]) -> Frame:
    """Return the frame that the entry knows it by."""
    wanted = {bare(name) for name in hit.signature.functions}
    return next((frame for frame in frames if bare(frame.function) in wanted), frames[0])


def _key(process: Process, hits: Sequence[Hit[Leak]]) -> _Key | None:
    """Return what the surest hits have in common; those that are less sure tell nothing beside them."""
    best = [hit for hit in hits if hit.order == hits[0].order]
    return (process.id, tuple((hit.entry.id, hit.signature) for hit in best)) if best else None


def _pile(
    piles: dict[_Key, _Pile], key: _Key, trace: Trace, place: Frame, capture: str, heap: bool, process: Process
) -> _Pile:
    if key not in piles:
        symptoms = {id_ for id_, signature in key[1] if signature.symptom}
        piles[key] = _Pile(trace, place, capture, heap, [None] * len(process.snapshots), ids=symptoms)
    return piles[key]


def _suspect(pile: _Pile) -> Suspect:
    """Return the pile as a diagnosis would look at it."""
    site = Site("allocated" if pile.heap else "blocked", pile.place, pile.trace.state, process=pile.trace.process)
    evidence = Evidence(
        "pile-up", Text("upstream.stands", {"function": pile.place.function, "state": ""}), pile.capture
    )
    traces = () if pile.heap else (pile.trace,)
    return Suspect((site,), (), (evidence,), traces=traces, allocations=(pile.trace,) if pile.heap else ())


def _sighting(pile: _Pile, suspect: Suspect, process: Process) -> Sighting:
    # None is a number too, where something was captured.
    captured = [s.heap is not None if pile.heap else bool(s.goroutines or s.leaked) for s in process.snapshots]
    values = tuple((value or 0) if there else None for value, there in zip(pile.values, captured, strict=True))
    known = [value for value in values if value is not None]
    return Sighting(
        process=process.id,
        place=pile.place,
        state=pile.trace.state,
        created=pile.trace.created,
        counts=() if pile.heap else values,
        sizes=values if pile.heap else (),
        share=pile.share,
        longest=pile.longest,
        piled_up=_heaped(pile.share, known) if pile.heap else known[-1] > 1,
        normal=not pile.heap and not _grows(known) and (pile.normal or (pile.rests and not _crowd(pile, known[-1]))),
        matches=suspect.known,
        symptoms=tuple((gap.what, gap.why) for gap in suspect.unsettled) if not suspect.known else (),
        ids=tuple(sorted(pile.ids)),
    )


def _grows(values: Sequence[int]) -> bool:
    """Tell whether there are more and more; a few come and go."""
    return values[-1] - values[0] > max(2, values[0] // 10)


def _heaped(share: float, known: Sequence[int]) -> bool:
    """Tell whether memory piles up: it grows through the snapshots, or is much of the only one."""
    return share >= (_SHARE if len(known) > 1 else HEAP_SHARE) and (len(known) == 1 or _grows(known))


def _crowd(pile: _Pile, count: int) -> bool:
    """Tell whether there are so many that no growth has to be seen."""
    return count >= PILE and count >= PILE_SHARE * pile.all


def _size(one: Sighting) -> tuple[bool, bool, int]:
    """Return what sightings are sorted by: what counts, bugs before advice for every release, the most."""
    bug = any(known.fault == "library" for known in one.matches[:1])
    return one.piled_up, bug, max((value for value in (*one.counts, *one.sizes) if value is not None), default=0)


def counted(sightings: Sequence[Sighting]) -> Iterator[Sighting]:
    """Yield what counts as found: it has piled up, is not normal, and the version does not rule it out."""
    for one in sightings:
        if one.piled_up and not one.normal and any(known.affects_build != "no" for known in one.matches[:1]):
            yield one

"""Recorded takes of the casebook as cases, and what may be done to a case that changes nothing about its truth.

Comes in: the name of a case and of a take. Goes out: a Case as `oakum diagnose` would build it; transformed copies of it.
"""

import gzip
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
from msgspec.structs import replace

from casebook.runner.case import case as casebook_case
from casebook.runner.case import chosen
from casebook.runner.evidence import recording
from casebook.runner.expectation import expectation
from oakum.cli.case import case as case_of
from oakum.model import Case, Finding, GoroutineGroup, Goroutines, Process, Snapshot
from oakum.model.profile import Int64s

# What each capture's name stands for when one format is dropped.
FORMATS = {
    "debug2": "goroutine.debug2",
    "pb": "goroutine.pb",
    "heap": "heap.pb",
    "memstats": "heap.debug1",
    "metrics": "metrics",
    "status": "process.status",
}


@dataclass(frozen=True)
class Recorded:
    """One snapshot of one process: captures by name, unpacked where that is free of loss."""

    process: str
    name: str
    at: datetime
    files: Mapping[str, bytes]


Change = Callable[[str, bytes], tuple[str, bytes] | None]


@cache
def recorded(case: str, take: str) -> tuple[Recorded, ...]:
    """Return what was captured in a take, but Go's own proof."""
    found = recording(casebook_case(case).captures / take)
    return tuple(
        Recorded(
            snapshot.process,
            snapshot.name,
            snapshot.at,
            {path.name: path.read_bytes() for path in snapshot.files() if "goroutineleak" not in path.name},
        )
        for snapshot in found.snapshots
    )


def laid_out(case: str, take: str, folder: Path, change: Change = lambda name, data: (name, data)) -> list[str]:
    """Write a take's captures, changed, and return the arguments that name them."""
    snapshots = recorded(case, take)
    several = len({snapshot.process for snapshot in snapshots}) > 1
    arguments: dict[str, None] = {}
    for at, snapshot in enumerate(snapshots, 1):
        home = folder / snapshot.process / str(at) if several else folder / str(at)
        home.mkdir(parents=True)
        for name, data in snapshot.files.items():
            if changed := change(name, data):
                path = home / changed[0]
                path.write_bytes(changed[1])
                os.utime(path, (snapshot.at.timestamp(),) * 2)
        if any(home.iterdir()):
            arguments[str(home.parent if several else home)] = None
    return list(arguments)


def loaded(case: str, take: str, change: Change = lambda name, data: (name, data)) -> Case:
    """Return a take as `oakum diagnose` sees it, its captures changed."""
    with TemporaryDirectory() as folder:
        return case_of(laid_out(case, take, Path(folder), change))


@cache
def taken(case: str, take: str) -> Case:
    """Return a take as `oakum diagnose` sees it."""
    return loaded(case, take)


def takes(verdict: str) -> Iterator[tuple[str, str]]:
    """Yield every recorded take of which this is true."""
    for case in chosen(()):
        for take in case.takes:
            if expectation(case, take.build.name).verdict == verdict and (case.captures / take.name).is_dir():
                yield case.name, take.name


def without(kind: str) -> Change:
    """Return a change that drops one format from every snapshot."""
    return lambda name, data: None if name.startswith(FORMATS[kind]) else (name, data)


# The user's names, but not main.main, main.main.func1 and main.go. A name of the same length fits into protobuf too.
_OWN = re.compile(rb"\bmain\.(?!main\b|go\b)(?=[\w(])|example\.com(?=/)")


def renamed(name: str, data: bytes) -> tuple[str, bytes]:
    """Return a capture in which the user's own packages have other names."""
    plain = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    # In protobuf the byte before a name is its length, and may look like a letter.
    own = re.compile(_OWN.pattern.replace(rb"\b", b"", 1)) if ".pb" in name else _OWN
    return name, own.sub(lambda found: b"yard." if found[0] == b"main." else b"example.org", plain)


def _each(case: Case, change: Callable[[Snapshot, int, int], Snapshot]) -> Case:
    """Return the case with every snapshot of every process changed; told which it is, of how many."""

    def changed(process: Process) -> Process:
        count = len(process.snapshots)
        return replace(process, snapshots=tuple(change(one, at, count) for at, one in enumerate(process.snapshots)))

    return replace(case, processes=tuple(changed(process) for process in case.processes))


def shuffled(case: Case, random: Random) -> Case:
    """Return the case with the goroutines of every dump in another order."""

    def mixed(found: Goroutines | None) -> Goroutines | None:
        if found is None:
            return None
        groups = [_rows(group, random.sample(range(group.count), group.count)) for group in found.groups]
        return replace(found, groups=tuple(random.sample(groups, len(groups))))

    return _each(case, lambda one, *_: replace(one, goroutines=mixed(one.goroutines), leaked=mixed(one.leaked)))


def _rows(group: GoroutineGroup, order: list[int]) -> GoroutineGroup:
    """Return the group with its members in another order; who cannot be told apart has none."""
    if len(group.ids) != group.count:
        return group
    parents = group.parents[order] if len(group.parents) else group.parents
    waits = group.waits[order] if len(group.waits) else group.waits
    spans = group.spans[order] if len(group.spans) else group.spans
    return replace(group, ids=group.ids[order], parents=parents, waits=waits, spans=spans)


def scaled(case: Case, times: int) -> Case:
    """Return the case as a program so many times as busy would show it: every goroutine that was started by another."""

    def more(found: Goroutines | None) -> Goroutines | None:
        if found is None:
            return None
        return replace(found, declared=None, groups=tuple(_scaled(group, times) for group in found.groups))

    return _each(case, lambda one, *_: replace(one, goroutines=more(one.goroutines), leaked=more(one.leaked)))


def _scaled(group: GoroutineGroup, times: int) -> GoroutineGroup:
    main = bool(group.stack.frames) and group.stack.frames[-1].function in ("main.main", "runtime.main")
    if main or (len(group.ids) and group.created_by is None):
        return replace(group, ids=_renumbered(group.ids, times, 0), parents=_renumbered(group.parents, times, 0))
    copies = range(times)
    return replace(
        group,
        count=group.count * times,
        ids=np.concatenate([_renumbered(group.ids, times, copy) for copy in copies]),
        parents=np.concatenate([_renumbered(group.parents, times, copy) for copy in copies]),
        waits=np.tile(group.waits, times),
        spans=np.tile(group.spans, (times, 1)) if len(group.spans) else group.spans,
    )


def _renumbered(ids: Int64s, times: int, copy: int) -> Int64s:
    """Return fresh ids in the same order, the same for the same goroutine in every snapshot; main stays 1, unknown 0."""
    return np.where(ids > 1, ids * times + copy, ids)


def with_noise(case: Case, other: Case, *, still: bool) -> Case:
    """Return the case with the goroutines of another process in it: those of its last snapshot throughout, or all."""
    noise = [one.goroutines for one in other.processes[0].snapshots if one.goroutines is not None]

    def both(process: Process) -> Process:
        count = len(process.snapshots)
        there = [noise[-1 if still else round(at * (len(noise) - 1) / max(1, count - 1))] for at in range(count)]
        mine, theirs = _one_numbering([one.goroutines for one in process.snapshots], there)
        joined = [
            one if one.goroutines is None else replace(one, goroutines=_joined(one.goroutines, noisy, mine, theirs))
            for one, noisy in zip(process.snapshots, there, strict=True)
        ]
        return replace(process, snapshots=tuple(joined))

    return replace(case, processes=tuple(both(process) for process in case.processes))


Numbering = Callable[[Int64s], Int64s]


def _one_numbering(mine: Sequence[Goroutines | None], theirs: Sequence[Goroutines]) -> tuple[Numbering, Numbering]:
    """Return how to number the goroutines of two processes as one would have: by the step in which they were started."""
    first, second = _highest(mine), _highest(theirs)
    # In each step the other process starts its goroutines first.
    return (
        lambda ids: np.where(ids > 1, ids + second[np.minimum(np.searchsorted(first, ids), len(second) - 1)], ids),
        lambda ids: np.where(
            ids > 1, ids + np.append(0, first)[np.minimum(np.searchsorted(second, ids), len(first) - 1)], ids
        ),
    )


def _highest(snapshots: Sequence[Goroutines | None]) -> Int64s:
    """Return the highest id that was given until each snapshot."""
    highest = [max((int(g.ids.max()) for g in one.groups if len(g.ids)), default=0) if one else 0 for one in snapshots]
    return np.maximum.accumulate(np.array(highest, np.int64))


def _joined(one: Goroutines, other: Goroutines, mine: Numbering, theirs: Numbering) -> Goroutines:
    text = bytes(one.text)
    own = [replace(group, ids=mine(group.ids), parents=mine(group.parents)) for group in one.groups]
    noise = [
        replace(
            group,
            ids=theirs(group.ids),
            parents=theirs(group.parents),
            spans=group.spans + len(text) if len(group.spans) else group.spans,
        )
        for group in other.groups
        if group.created_by is not None or not len(group.ids)  # one main is enough
    ]
    return replace(one, groups=(*own, *noise), text=text + bytes(other.text), declared=None)


def places(findings: Iterable[Finding]) -> list[tuple[str, str, str, str]]:
    """Return of each finding its id, how sure it is, its mechanism and its place."""
    return [(one.id, one.confidence, one.mechanism, str(one.suspect.sites[0].frame)) for one in findings]


__all__ = [
    "FORMATS", "Change", "Recorded", "laid_out", "loaded", "places", "recorded", "renamed", "scaled", "shuffled", "taken",
    "takes", "with_noise", "without",
]  # fmt: skip

"""What goroutines tell of memory that they do not hold: a finalizer that is at work all the time, timers that go off.

Comes in: a process. Goes out: companions, each with the mechanism that it makes of heap that grows beside it.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct

from oakum.model import (
    Evidence,
    EvidenceKind,
    Frame,
    GoroutineGroup,
    Mechanism,
    Process,
    Site,
    Snapshot,
    Text,
    normal_function,
)
from oakum.model.diagnosis import Argument

# runtime/mfinal.go: runfinq until Go 1.24, runFinalizers since; runtime/mcleanup.go: runCleanups.
_FINALIZERS = frozenset({"runtime.runfinq", "runtime.runFinalizers", "runtime.runCleanups", "runtime.runCleanup"})
# time.AfterFunc starts a goroutine for each time that it goes off.
_TIMER = "time.goFunc"


class Companion(Struct, frozen=True):
    """Goroutines of one kind, seen in the last snapshot and, where there are more than two, in one before."""

    mechanism: Mechanism
    sites: tuple[Site, ...]
    packages: frozenset[str]
    files: frozenset[str]
    evidence: Evidence

    def nearness(self, path: Sequence[Frame]) -> int:
        """Return how near their code is to what allocates: 2 in its file, 1 in a package of the path, 0 elsewhere."""
        if path and path[-1].file and path[-1].file in self.files:
            return 2
        return int(bool({frame.package for frame in path if frame.owner in ("own", "dependency")} & self.packages))


class Background(Struct, frozen=True):
    """All companions of one process."""

    companions: tuple[Companion, ...]


def background(process: Process) -> Background:
    """Return what goroutines tell of memory that they do not hold."""
    snapshots = [snapshot for snapshot in process.snapshots if snapshot.goroutines is not None]
    if not snapshots:
        return Background(())
    found = []
    for mechanism, kind, key, at_work in _COMPANIONS:
        groups = [at_work(snapshot) for snapshot in snapshots]
        busy = sum(1 for here in groups if here)
        if groups[-1] and (busy >= 2 or len(snapshots) <= 2):
            found.append(_companion(process, snapshots[-1], groups[-1][0], mechanism, kind, key, busy, len(snapshots)))
    return Background(tuple(one for one in found if one is not None))


def _companion(
    process: Process,
    snapshot: Snapshot,
    group: GoroutineGroup,
    mechanism: Mechanism,
    kind: EvidenceKind,
    key: str,
    busy: int,
    of: int,
) -> Companion | None:
    place, source = group.place, snapshot.sources.get("goroutines")
    if place is None or source is None:
        return None
    frames = [frame for frame in group.stack.frames if frame.owner in ("own", "dependency")]
    sites = [Site("blocked", place, state=group.state, count=group.count, process=process.id)]
    if group.created_by is not None:
        sites.append(Site("created", group.created_by, process=process.id))
    args: dict[str, Argument] = {
        "function": frames[-1].function,
        "place": place.function,
        "state": group.state or "?",
        "busy": busy,
        "of": of,
    }
    return Companion(
        mechanism,
        tuple(sites),
        frozenset(frame.package for frame in frames),
        frozenset(frame.file for frame in frames),
        Evidence(kind, Text(key, args), source.digest, where=str(place)),
    )


def _users(groups: Sequence[GoroutineGroup]) -> list[GoroutineGroup]:
    return [group for group in groups if group.stack.is_users]


def _finalizing(snapshot: Snapshot) -> list[GoroutineGroup]:
    """Return the goroutine that runs finalizers, while it is in somebody's.

    Go up to 1.23 hides its last frame: it is then the only goroutine but main that nobody made.
    """
    groups = snapshot.goroutines.groups if snapshot.goroutines else ()
    named = [group for group in _users(groups) if not _FINALIZERS.isdisjoint(group.stack.names)]
    if named or not any(group.created_by for group in groups):
        return named
    return [
        group
        for group in _users(groups)
        if group.created_by is None
        and group.count == 1
        and len(group.ids) == 1
        and int(group.ids[0]) > 1
        and group.stack.entry is not None
        and normal_function(group.stack.entry.function) not in ("main.main", "runtime.main")
    ]


def _timed(snapshot: Snapshot) -> list[GoroutineGroup]:
    groups = snapshot.goroutines.groups if snapshot.goroutines else ()
    found = [g for g in _users(groups) if g.created_by is not None and g.created_by.function == _TIMER]
    return sorted(found, key=lambda group: -group.count)


_COMPANIONS: tuple[tuple[Mechanism, EvidenceKind, str, Callable[[Snapshot], list[GoroutineGroup]]], ...] = (
    ("finalizer-backlog", "finalizer-runs", "heap.finalizer", _finalizing),
    ("unstopped-timer", "timer-runs", "heap.timer", _timed),
)

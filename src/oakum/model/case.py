"""What one diagnosis looks at: moments of one process, or of several that call each other; perhaps a healthy twin."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

from oakum.model.build import Build
from oakum.model.capture import Problem
from oakum.model.goroutine import Goroutines
from oakum.model.memstats import MemStats
from oakum.model.metrics import Metrics
from oakum.model.profile import Profile


@dataclass(frozen=True, slots=True)
class Source:
    """Which capture something was read in, so that a claim can point at it."""

    origin: str  # a path as given, a URL, or "-"
    digest: str  # sha256:HEX
    format: str = ""
    where: str = ""  # which part of the capture; "": all of it


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """One moment of one process: what was captured together. What was not captured is None.

    Of debug=0, 1 and 2 of one moment the richest is `goroutines`; they are the same goroutines and never added.
    `sources` names the capture of each field: "goroutines", "leaked", "heap", "memstats", "metrics", "status".
    """

    label: str
    at: datetime | None = None
    goroutines: Goroutines | None = None
    leaked: Goroutines | None = None  # Go's own goroutineleak profile: what its collector proved
    claimed: bool = False  # `goroutines` is goleak's list: only what goleak found unexpected
    heap: Profile | None = None
    memstats: MemStats | None = None
    metrics: Metrics | None = None  # what the process tells of itself
    status: Metrics | None = None  # what the kernel tells of it (/proc/PID/status)
    sources: Mapping[str, Source] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, eq=False)
class Process:
    """One process through its moments, oldest first, and the moments of a healthy twin."""

    id: str  # "p1"
    name: str
    snapshots: tuple[Snapshot, ...]
    baseline: tuple[Snapshot, ...] = ()
    build: Build | None = None
    build_sources: tuple[Source, ...] = ()  # where the build was read, the surest first
    address: str = ""  # what it was captured from and can be again: http://10.0.0.7:6060, kube://node/n7; "": unknown
    history: tuple[Snapshot, ...] = ()  # what metrics tell of the time around the moments, oldest first

    @property
    def timeline(self) -> tuple[Snapshot, ...]:
        """Return the moments and what metrics tell of the time around them, oldest first."""
        if not self.history:
            return self.snapshots
        if any(snapshot.at is None for snapshot in self.snapshots):  # what was captured comes after the past
            return (*self.history, *self.snapshots)
        everything = (*self.history, *self.snapshots)
        return tuple(sorted(everything, key=lambda snapshot: snapshot.at or datetime.min))


@dataclass(frozen=True, slots=True)
class InputRow:
    """One thing that was read, for the list of inputs."""

    origin: str
    kind: str
    format: str
    digest: str
    taken_at: datetime | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Everything that one diagnosis is given."""

    processes: tuple[Process, ...]
    inputs: tuple[InputRow, ...] = ()


__all__ = ["Case", "InputRow", "Process", "Snapshot", "Source"]

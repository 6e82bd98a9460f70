"""What one diagnosis looks at: snapshots of one process, or of several that call each other; perhaps a baseline."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType

from msgspec import Struct, field

from oakum.model.build import Build
from oakum.model.capture import Problem
from oakum.model.experiment import Experiment
from oakum.model.goroutine import Goroutines
from oakum.model.holders import Holders
from oakum.model.memstats import MemStats
from oakum.model.metrics import Metrics
from oakum.model.profile import Profile
from oakum.model.routes import Routes
from oakum.model.signals import Log, Series
from oakum.model.sockets import Sockets
from oakum.model.text import Text

# Addresses of what runs.
_RUNNING = ("http://", "https://", "https+insecure://", "unix://", "kube://", "pid:")


class Source(Struct, frozen=True):
    """Which capture something was read in, so that a claim can point at it."""

    origin: str  # a path as given, a URL, or "-"
    digest: str  # sha256:HEX
    format: str = ""
    where: str = ""  # which part of the capture; "": all of it


class Identity(Struct, frozen=True):
    """What a snapshot tells of the process that it is of; empty or None where it does not."""

    binary: str = ""  # the file name of the program
    build_id: str = ""  # of that file
    version: str = ""  # of the program: the revision it was built from, or its release
    main: str = ""  # the last directory of its main package
    started: float | None = None  # Unix time
    pid: int | None = None
    address: str = ""  # what it was captured from


class Run(Struct, frozen=True):
    """Which run of a process this is: between two restarts it is a process of its own."""

    number: int  # from 1, oldest first
    of: int
    first: str  # id of the process that is the first run
    started: datetime | None = None
    why: Text | None = None  # why it was started anew, where that is known


class Snapshot(Struct, frozen=True, eq=False):
    """One snapshot of one process: what was captured together. What was not captured is None.

    Of debug=0, 1 and 2 of one snapshot the richest is `goroutines`; they are the same goroutines and never added.
    `sources` names the capture of each field: "goroutines", "leaked", "heap", "holders", "memstats", "metrics",
    "status", "sockets".
    """

    label: str
    at: datetime | None = None
    goroutines: Goroutines | None = None
    leaked: Goroutines | None = None  # Go's own goroutineleak profile: what its collector proved
    claimed: bool = False  # `goroutines` is goleak's list: only what goleak found unexpected
    heap: Profile | None = None
    holders: Holders | None = None  # what keeps the heap
    memstats: MemStats | None = None
    metrics: Metrics | None = None  # what the process tells of itself
    status: Metrics | None = None  # what the kernel tells of it (/proc/PID/status)
    sources: Mapping[str, Source] = field(default_factory=lambda: MappingProxyType({}))
    sockets: Sockets | None = None  # queues, and who is at the other end
    profiles: Mapping[str, Profile] = field(default_factory=lambda: MappingProxyType({}))  # others: block, mutex, cpu
    notes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))  # "reason": "SIGQUIT: quit" ...
    go_version: str | None = None  # a hint read from paths or headers
    identity: Identity = Identity()


class Process(Struct, frozen=True, eq=False):
    """One process through its snapshots, oldest first, and the snapshots of a healthy baseline."""

    id: str  # "p1"
    name: str
    snapshots: tuple[Snapshot, ...]
    baseline: tuple[Snapshot, ...] = ()
    build: Build | None = None
    build_sources: tuple[Source, ...] = ()  # where the build was read, the surest first
    address: str = ""  # what it was captured from and can be again: http://10.0.0.7:6060, kube://node/n7; "": unknown
    history: tuple[Snapshot, ...] = ()  # what metrics tell of the time around the snapshots, oldest first
    given: str = ""  # the argument that it was given by
    run: Run | None = None  # None: it was not restarted
    experiment: Experiment | None = None  # the work that was sent to it while the snapshots were taken

    @property
    def still_runs(self) -> bool:
        """Tell whether it was captured while it ran, and can be again; files and stores of the past cannot."""
        return self.address.startswith(_RUNNING)

    @property
    def timeline(self) -> tuple[Snapshot, ...]:
        """Return the snapshots and what metrics tell of the time around them, oldest first."""
        if not self.history:
            return self.snapshots
        if any(snapshot.at is None for snapshot in self.snapshots):  # what was captured comes after the past
            return (*self.history, *self.snapshots)
        everything = (*self.history, *self.snapshots)
        return tuple(sorted(everything, key=lambda snapshot: snapshot.at or datetime.min))


class InputRow(Struct, frozen=True):
    """One thing that was read, for the list of inputs."""

    origin: str
    kind: str
    format: str
    digest: str
    taken_at: datetime | None = None
    problems: tuple[Problem, ...] = ()


class Case(Struct, frozen=True, eq=False):
    """Everything that one diagnosis is given."""

    processes: tuple[Process, ...]
    inputs: tuple[InputRow, ...] = ()
    sockets: tuple[tuple[Source, Sockets], ...] = ()  # of a whole machine, or of a process that is not told
    notices: tuple[Text, ...] = ()  # what stands on the first screen: it restarted, these are two programs
    series: tuple[Series, ...] = ()  # of ranges of metrics, of any process
    logs: tuple[Log, ...] = ()
    routes: Routes = Routes()  # of the cluster around the processes

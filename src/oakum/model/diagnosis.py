"""What a diagnosis says: findings with their evidence, what was found harmless, and what was not checked.

A diagnosis is a value that can be stored and shown in a year without looking anything up. Every sentence in it is a
`Text`: the key of a template and its arguments; report/ owns the words, English and Chinese.
"""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from oakum.model.build import Build
from oakum.model.case import InputRow, Run
from oakum.model.cause import Cause, Lead, Remedy
from oakum.model.experiment import Trial
from oakum.model.frame import Frame
from oakum.model.known import KnownMatch
from oakum.model.signals import Event, Signal
from oakum.model.text import Argument as Argument  # where those who write evidence look for it
from oakum.model.text import Text
from oakum.model.vocabulary import BY_DECISIVENESS, EvidenceKind, Kinds, Mechanism, SiteRole, WaitKind

Confidence = Literal["proven", "likely", "possible"]
Verdict = Literal["leaking", "healthy", "undecided"]
Because = Literal["parent", "same lock", "behind", "peer"]
Measure = Literal["goroutines", "inuse_space", "inuse_objects", "rss"]
Against = Literal["past", "baseline"]
_RANKS: Mapping[str, int] = {kind: at for at, kind in enumerate(BY_DECISIVENESS)}


class Site(Struct, frozen=True):
    """A place in the code and what it has to do with the finding."""

    role: SiteRole
    frame: Frame
    state: str | None = None
    count: int | None = None
    process: str = "p1"


class Victim(Struct, frozen=True):
    """Goroutines that wait because of the finding, and are none of their own."""

    frame: Frame
    state: str | None
    count: int
    because: Because
    process: str = "p1"


class PerEvent(Struct, frozen=True):
    """Growth per unit of work."""

    event: str
    value: float
    low: float
    high: float


class Growth(Struct, frozen=True):
    """One measure of a finding through the snapshots; None where a snapshot does not say."""

    measure: Measure
    counts: tuple[int | None, ...]
    per_hour: float | None = None
    per_event: PerEvent | None = None
    against: Against = "past"


class Evidence(Struct, frozen=True):
    """One claim and where it can be checked by hand."""

    kind: EvidenceKind
    claim: Text
    capture: str  # digest
    where: str = ""  # "goroutine 4711, line 120"
    excerpt: str = ""

    def __post_init__(self) -> None:
        if not self.capture:
            raise ValueError(f"{self.kind}: a claim without a capture is no evidence")


class Trace(Struct, frozen=True):
    """The stack of some goroutines, leaf first, their state and who started them."""

    frames: tuple[Frame, ...]
    state: str | None = None
    created: Frame | None = None
    process: str = "p1"


class Gap(Struct, frozen=True):
    """What was not checked and why that matters. The command that would settle it is written in report/."""

    what: Text
    why: Text
    process: str = ""  # whose evidence lacks it
    about: str = ""  # the capture that it would be compared with, the entry of the catalogue
    command: str = ""  # of a stored diagnosis: as it was written then


class Suspect(Struct, frozen=True):
    """What detect found: goroutines or memory of one cause, and everything that speaks for and against it.

    `mechanisms` are those it can be, best first, the harmless ones too; judge.py alone decides.
    """

    sites: tuple[Site, ...]  # the root first
    mechanisms: tuple[Mechanism, ...]
    evidence: tuple[Evidence, ...]
    weight: float = 0.0  # share of the process that it holds or of the growth that it explains: orders findings
    victims: tuple[Victim, ...] = ()
    path: tuple[Frame, ...] = ()  # heap: driver ... registration ... allocation, root first
    growth: tuple[Growth, ...] = ()
    share: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    wait: WaitKind | None = None  # goroutines: what kind of wait the root's is
    traces: tuple[Trace, ...] = ()  # goroutines: a stack of the root, then of those tied to it: explain follows them
    allocations: tuple[Trace, ...] = ()  # memory: the stacks that allocated most of it
    known: tuple[KnownMatch, ...] = ()  # the upstream bug that it is, the surest first
    unsettled: tuple[Gap, ...] = ()  # what would settle whether it is one
    cause: Cause | None = None  # explain: why, in the source
    remedies: tuple[Remedy, ...] = ()  # explain: drafted from the source
    leads: tuple[Lead, ...] = ()  # explain: upstream changed this code later

    @property
    def kinds(self) -> Kinds:
        return Kinds(one.kind for one in self.evidence)

    @property
    def decisive_first(self) -> tuple[Evidence, ...]:
        """Return the evidence in the order in which a reader needs it; of one kind, as detect added it."""
        return tuple(sorted(self.evidence, key=lambda one: _RANKS.get(one.kind, len(_RANKS))))

    @property
    def blocked(self) -> int:
        """Return how many goroutines stand at its sites."""
        return sum(site.count or 0 for site in self.sites if site.role == "blocked")


class Finding(Struct, frozen=True):
    """One cause. `id` is stable across runs, builds and hosts."""

    id: str
    rank: int
    mechanism: Mechanism
    confidence: Confidence
    title: Text
    suspect: Suspect
    commands: tuple[str, ...] = ()  # what to run next

    @property
    def cause(self) -> Cause | None:
        return self.suspect.cause

    @property
    def known(self) -> tuple[KnownMatch, ...]:
        """Return the upstream bug that it is, the surest first."""
        return self.suspect.known

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        return self.suspect.remedies

    @property
    def leads(self) -> tuple[Lead, ...]:
        """Return what upstream changed in this code later."""
        return self.suspect.leads

    def ranked(self, rank: int) -> "Finding":
        """Return the finding at another rank."""
        return replace(self, rank=rank)


class Explained(Struct, frozen=True):
    """Something that grew or waits, was looked at, and is harmless."""

    mechanism: Mechanism
    title: Text
    sites: tuple[Site, ...] = ()


class Memory(Struct, frozen=True):
    """Where the memory of a process is at its last snapshot, in bytes; None where no capture says."""

    process: str = "p1"
    rss: int | None = None
    limit: int | None = None
    heap_live: int | None = None  # marked by the last collection
    heap_dead: int | None = None  # allocated since, or dead and not yet swept
    heap_idle: int | None = None  # kept by Go for reuse
    heap_released: int | None = None  # given back to the system
    stacks: int | None = None
    runtime: int | None = None
    off_heap: int | None = None  # RSS that Go does not account for
    next_gc: int | None = None
    last_gc: datetime | None = None
    full_in_seconds: float | None = None  # to the limit at the present rate
    says: tuple[Text, ...] = ()  # what that means: "not a heap leak", "GC headroom" ... with the numbers


class SnapshotRow(Struct, frozen=True):
    """One snapshot, for the list of snapshots."""

    label: str
    process: str
    baseline: bool
    at: datetime | None
    inputs: tuple[str, ...]  # digests


class Point(Struct, frozen=True):
    """What a process measured at one time: in a snapshot, or in the past that was kept of it."""

    process: str
    at: datetime | None
    label: str
    baseline: bool = False
    captured: bool = True  # False: metrics of the past alone
    totals: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))  # goroutines, heap_live, rss
    inputs: tuple[str, ...] = ()  # digests of the captures that say so


class ProcessRow(Struct, frozen=True):
    """One process, for the list of processes."""

    id: str
    name: str
    build: Build | None = None
    address: str = ""  # what it was captured from and can be again; "": unknown
    given: str = ""  # the argument that it was given by
    run: Run | None = None  # None: it was not restarted


class ChainEnd(Struct, frozen=True):
    """One side of a hop: the process by its name, and the code that asks or is to answer."""

    process: str
    frame: Frame


class ChainEdge(Struct, frozen=True):
    """One hop of a wait chain: goroutines of one process wait for the other, and what shows it, strongest first."""

    waiter: ChainEnd
    blocker: ChainEnd
    protocol: str
    confidence: Confidence
    evidence: tuple[Evidence, ...]
    count: int = 0  # goroutines that wait
    handler: Frame | None = None  # what is to answer, where the blocker is another goroutine of its process


class Chain(Struct, frozen=True):
    """Processes that wait for one another: the waiter first, the terminal blocker last; a cycle repeats its first."""

    edges: tuple[ChainEdge, ...]
    root: Site  # the first site of the finding that it belongs to
    cycle: bool = False
    finding: str = ""  # the id of that finding

    @property
    def processes(self) -> tuple[str, ...]:
        """Return the names of the processes, the waiter first."""
        return (self.edges[0].waiter.process, *(edge.blocker.process for edge in self.edges))


class Diagnosis(Struct, frozen=True):
    """The answer. Findings worst first."""

    verdict: Verdict
    summary: Text
    processes: tuple[ProcessRow, ...]
    moments: tuple[SnapshotRow, ...]
    findings: tuple[Finding, ...]
    explained: tuple[Explained, ...]
    memory: tuple[Memory, ...]
    gaps: tuple[Gap, ...]
    inputs: tuple[InputRow, ...]
    timeline: tuple[Point, ...] = ()  # process by process, oldest first; a healthy baseline's after its own
    called: tuple[str, ...] = ()  # the words that named this evidence, and its source: what to run next repeats them
    target: str = ""  # the process that was asked while it ran, and can be asked again; "": files were given
    tool: str = ""  # the version that made it; "": this one
    notices: tuple[Text, ...] = ()  # what stands on the first screen: it restarted, these are two programs
    chains: tuple[Chain, ...] = ()  # who waits for whom over the borders of processes
    signals: tuple[Signal, ...] = ()  # what ranges of metrics show: since when what grows, and what it follows
    events: tuple[Event, ...] = ()  # the time line: what happened when, oldest first
    trials: tuple[Trial, ...] = ()  # experiments, one for each process that work was sent to

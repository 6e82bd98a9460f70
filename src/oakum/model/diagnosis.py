"""What a diagnosis says: findings with their evidence, what was found harmless, and what was not checked.

A diagnosis is a value that can be stored and shown in a year without looking anything up. Every sentence in it is a
`Text`: the key of a template and its arguments; report/ owns the words, English and Chinese.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType
from typing import Literal

from oakum.model.build import Build
from oakum.model.case import InputRow
from oakum.model.cause import Cause, Lead, Remedy
from oakum.model.frame import Frame
from oakum.model.known import KnownMatch
from oakum.model.text import Argument, Text

Confidence = Literal["proven", "likely", "possible"]
Verdict = Literal["leaking", "healthy", "undecided"]
Role = Literal["blocked", "created", "allocated", "registered", "driver", "released"]
Because = Literal["parent", "same lock", "behind"]
Measure = Literal["goroutines", "inuse_space", "inuse_objects", "rss"]
Against = Literal["past", "baseline"]


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the code and what it has to do with the finding."""

    role: Role
    frame: Frame
    state: str | None = None
    count: int | None = None
    process: str = "p1"


@dataclass(frozen=True, slots=True)
class Victim:
    """Goroutines that wait because of the finding, and are none of their own."""

    frame: Frame
    state: str | None
    count: int
    because: Because
    process: str = "p1"


@dataclass(frozen=True, slots=True)
class PerEvent:
    """Growth per unit of work."""

    event: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Growth:
    """One measure of a finding through the moments; None where a moment does not say."""

    measure: Measure
    counts: tuple[int | None, ...]
    per_hour: float | None = None
    per_event: PerEvent | None = None
    against: Against = "past"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One claim and where it can be checked by hand. Kinds are the vocabulary of judge.py."""

    kind: str
    claim: Text
    capture: str  # digest
    where: str = ""  # "goroutine 4711, line 120"
    excerpt: str = ""

    def __post_init__(self) -> None:
        if not self.capture:
            raise ValueError(f"{self.kind}: a claim without a capture is no evidence")


@dataclass(frozen=True, slots=True)
class Trace:
    """The stack of some goroutines, leaf first, their state and who started them."""

    frames: tuple[Frame, ...]
    state: str | None = None
    created: Frame | None = None
    process: str = "p1"


@dataclass(frozen=True, slots=True)
class Gap:
    """What was not checked, why that matters, and the command that would settle it."""

    what: Text
    why: Text
    command: str = ""


@dataclass(frozen=True, slots=True)
class Suspect:
    """What detect found: goroutines or memory of one cause, and everything that speaks for and against it.

    `mechanisms` are those it can be, best first, the harmless ones too; judge.py alone decides.
    """

    sites: tuple[Site, ...]  # the root first
    mechanisms: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    weight: float = 0.0  # share of the process that it holds or of the growth that it explains: orders findings
    victims: tuple[Victim, ...] = ()
    path: tuple[Frame, ...] = ()  # heap: driver ... registration ... allocation, root first
    growth: tuple[Growth, ...] = ()
    share: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    wait: str = ""  # goroutines: what kind of wait the root's is: never, hard, soft, resting, working, unknown
    traces: tuple[Trace, ...] = ()  # goroutines: a stack of the root, then of those tied to it: explain follows them
    allocations: tuple[Trace, ...] = ()  # memory: the stacks that allocated most of it
    known: tuple[KnownMatch, ...] = ()  # the upstream bug that it is, the surest first
    unsettled: tuple[Gap, ...] = ()  # what would settle whether it is one
    cause: Cause | None = None  # explain: why, in the source
    remedies: tuple[Remedy, ...] = ()  # explain: drafted from the source
    leads: tuple[Lead, ...] = ()  # explain: upstream changed this code later

    @property
    def kinds(self) -> frozenset[str]:
        """Return the kinds of evidence there are."""
        return frozenset(one.kind for one in self.evidence)

    @property
    def blocked(self) -> int:
        """Return how many goroutines stand at its sites."""
        return sum(site.count or 0 for site in self.sites if site.role == "blocked")


@dataclass(frozen=True, slots=True)
class Finding:
    """One cause. `id` is stable across runs, builds and hosts."""

    id: str
    rank: int
    mechanism: str
    confidence: Confidence
    title: Text
    suspect: Suspect
    commands: tuple[str, ...] = ()  # what to run next
    cause: Cause | None = None
    known: tuple[KnownMatch, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    leads: tuple[Lead, ...] = ()

    def ranked(self, rank: int) -> "Finding":
        """Return the finding at another rank."""
        return replace(self, rank=rank)


@dataclass(frozen=True, slots=True)
class Explained:
    """Something that grew or waits, was looked at, and is harmless."""

    mechanism: str
    title: Text
    sites: tuple[Site, ...] = ()


@dataclass(frozen=True, slots=True)
class Memory:
    """Where the memory of a process is at its last moment, in bytes; None where no capture says."""

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
    says: tuple[Text, ...] = ()  # "not a heap leak", "GC headroom" ... with the numbers


@dataclass(frozen=True, slots=True)
class MomentRow:
    """One moment, for the list of moments."""

    label: str
    process: str
    baseline: bool
    at: datetime | None
    inputs: tuple[str, ...]  # digests


@dataclass(frozen=True, slots=True)
class Point:
    """What a process measured at one time: in a moment, or in the past that was kept of it."""

    process: str
    at: datetime | None
    label: str
    baseline: bool = False
    captured: bool = True  # False: metrics of the past alone
    totals: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))  # goroutines, heap_live, rss
    inputs: tuple[str, ...] = ()  # digests of the captures that say so


@dataclass(frozen=True, slots=True)
class ProcessRow:
    """One process, for the list of processes."""

    id: str
    name: str
    build: Build | None = None
    address: str = ""  # what it was captured from and can be again; "": unknown


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The answer. Findings worst first."""

    verdict: Verdict
    summary: Text
    processes: tuple[ProcessRow, ...]
    moments: tuple[MomentRow, ...]
    findings: tuple[Finding, ...]
    explained: tuple[Explained, ...]
    memory: tuple[Memory, ...]
    gaps: tuple[Gap, ...]
    inputs: tuple[InputRow, ...]
    timeline: tuple[Point, ...] = ()  # process by process, oldest first; a healthy twin's after its own
    called: tuple[str, ...] = ()  # the words that named this evidence, and its source: what to run next repeats them
    tool: str = ""  # the version that made it; "": this one


__all__ = [
    "Against", "Argument", "Because", "Cause", "Confidence", "Diagnosis", "Evidence", "Explained", "Finding", "Gap",
    "Growth", "KnownMatch", "Lead", "Measure", "Memory", "MomentRow", "PerEvent", "Point", "ProcessRow", "Remedy",
    "Role", "Site", "Suspect", "Text", "Trace", "Verdict", "Victim",
]  # fmt: skip

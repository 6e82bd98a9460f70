"""The document oakum.diagnosis/1, declared once: its rows, their fields in the order of the document, their types.

Written and read by report/json.py. An attribute has the name of the model's field; `name` is what the document calls
it, where that differs. Words of a vocabulary are plain texts: one of a later version is shown as it is.
"""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from oakum.model.diagnosis import Confidence, Verdict

Measured = Annotated[float, Meta(ge=-1e30, le=1e30)]  # no rate of a machine comes near
Time = Annotated[datetime, Meta(tz=True)]
Args = dict[str, str | int | Measured | bool | list[int | Measured] | None]


class Sentence(Struct):
    text: str
    key: str
    args: Args


class BuildRow(Struct):
    go: str | None
    path: str | None
    main: str | None
    main_version: str | None = field(name="version")
    modules: dict[str, str] = field(default_factory=dict)


class RunRow(Struct):
    number: int
    of: int
    first: str  # id of the process that is the first run
    started: Time | None
    why: Sentence | None


class ProcessRow(Struct, omit_defaults=True):
    id: str
    name: str
    build: BuildRow | None
    address: str = ""
    given: str = ""
    run: RunRow | None = None


class SnapshotRow(Struct):
    at: Time | None
    process: str
    baseline: bool
    label: str
    inputs: list[str]


class PointRow(Struct):
    at: Time | None
    process: str
    baseline: bool
    captured: bool
    label: str
    totals: dict[str, int]
    inputs: list[str]


class FrameRow(Struct):
    function: str
    file: str
    line: int


class SiteRow(Struct):
    role: str
    function: str
    file: str
    line: int
    state: str | None
    count: int | None
    process: str


class VictimRow(Struct):
    function: str
    file: str
    line: int
    state: str | None
    count: int
    because: str
    process: str


class PerEventRow(Struct):
    event: str
    value: Measured | None
    low: Measured | None
    high: Measured | None


class GrowthRow(Struct):
    measure: str
    counts: list[int | None]
    per_hour: Measured | None
    per_event: PerEventRow | None
    against: str
    command: str = ""


class EvidenceRow(Struct):
    kind: str
    claim: str
    key: str
    args: Args
    capture: Annotated[str, Meta(min_length=1)]  # a claim without a capture is no evidence
    where: str
    excerpt: str
    command: str = ""


class CauseSiteRow(Struct):
    role: str
    function: str
    file: str
    line: int
    code: str
    process: str


class ExcerptRow(Struct):
    file: str
    first: int
    lines: list[str]
    marks: dict[int, str]


class CauseRow(Struct, kw_only=True):
    paragraph: str = field(name="because", default="")
    because: list[Sentence] = field(name="says")
    sites: list[CauseSiteRow]
    excerpts: list[ExcerptRow]
    sources: list[str]

    def __post_init__(self) -> None:
        self.paragraph = " ".join(one.text for one in self.because)


class KnownRow(Struct):
    id: str
    module: str
    found: str | None
    fixed: list[str]
    upgrade_to: str | None
    where: str
    affects_build: str
    references: list[str]
    summary: Sentence | None
    says: list[Sentence]
    reviewed: bool
    fault: str


class AttemptRow(Struct):
    passed: bool
    left: int


class ProofRow(Struct):
    tried: int
    why_not: str | None
    test: str
    path: str
    name: str
    command: str
    measures: Literal["goroutines", "heap"]
    function: str
    calls: int
    before: list[AttemptRow]
    after: list[AttemptRow]
    seconds: Measured
    why_not_key: str | None = None
    why_not_args: Args = field(default_factory=dict)


class RemedyRow(Struct):
    kind: Literal["upgrade", "patch", "mitigate"]
    text: str
    key: str
    args: Args
    diff: str | None
    risk: str | None
    risk_key: str | None = None
    risk_args: Args = field(default_factory=dict)
    compiled: bool | None = None
    proof: ProofRow | None = None


class LeadRow(Struct):
    module: str
    running: str
    changed: str
    functions: list[str]
    diff: str
    last_alike: str
    at_lines: bool


class FindingRow(Struct, kw_only=True):
    id: str
    rank: int
    mechanism: str
    confidence: Confidence
    title: str
    key: str
    args: Args
    sites: Annotated[list[SiteRow], Meta(min_length=1)]  # nothing is found nowhere
    victims: list[VictimRow]
    path: list[FrameRow]
    growth: list[GrowthRow]
    share: dict[str, Measured | None]
    cause: CauseRow | None
    known: list[KnownRow]
    remedies: list[RemedyRow]
    leads: list[LeadRow] = field(default_factory=list)
    commands: list[str]
    evidence: list[EvidenceRow]

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """Return the mechanism that was chosen: the others that a suspect could have been are not stored."""
        return (self.mechanism,)


class ExplainedRow(Struct):
    mechanism: str
    title: str
    key: str
    args: Args
    sites: list[SiteRow]


class MemoryRow(Struct):
    process: str
    rss: int | None
    limit: int | None
    heap_live: int | None
    heap_dead: int | None
    heap_idle: int | None
    heap_released: int | None
    stacks: int | None
    runtime: int | None
    off_heap: int | None
    next_gc: int | None
    last_gc: Time | None
    full_in_seconds: Measured | None
    says: list[Sentence]


class GapRow(Struct):
    what: str
    why: str
    command: str
    key: str
    args: Args
    why_key: str = ""  # "": a document of 0.1
    why_args: Args = field(default_factory=dict)


class ProblemRow(Struct):
    key: str
    text: str
    where: str
    text_key: str = ""  # "": a document that was written when problems had a text alone
    text_args: Args = field(default_factory=dict)


class InputRow(Struct):
    origin: str
    kind: str
    format: str
    taken_at: Time | None
    digest: str
    problems: list[ProblemRow]


class ChainEndRow(Struct):
    process: str
    function: str
    file: str
    line: int


class ChainEdgeRow(Struct):
    waiter: ChainEndRow = field(name="from")
    blocker: ChainEndRow = field(name="to")
    protocol: str
    confidence: Confidence
    evidence: list[EvidenceRow]
    count: int = 0
    handler: FrameRow | None = None


class ChainRow(Struct):
    edges: Annotated[list[ChainEdgeRow], Meta(min_length=1)]
    root: SiteRow
    cycle: bool
    finding: str


class OnsetRow(Struct):
    at: Time
    low: Time
    high: Time


class DriverRow(Struct):
    event: str
    process: str
    value: Measured
    low: Measured
    high: Measured
    lag: Measured
    explains: Measured
    alike: list[str]
    source: str


class SignalRow(Struct):
    process: str
    measure: str
    first: Measured
    last: Measured
    onset: OnsetRow | None
    shape: str
    steps: int
    drivers: list[DriverRow]
    idle: Sentence | None
    source: str


class EventRow(Struct):
    at: Time
    kind: str
    text: str
    key: str
    args: Args
    process: str
    until: Time | None
    capture: str
    where: str


class SlopeRow(Struct):
    measure: str
    value: Measured
    low: Measured
    high: Measured
    stays: bool
    smallest: Measured
    returned: Measured
    more: int | None
    counts: list[Measured | None]
    place: FrameRow | None
    state: str | None
    key: str
    drift: Measured = 0.0
    outlasted: Measured = 0.0


class TrialRow(Struct):
    process: str
    target: str
    unit: str
    asked: list[str]
    ended: str
    work: list[int | None]
    phases: list[str | None]
    seconds: list[Measured | None]
    failed: int
    statuses: dict[str, int]
    totals: list[SlopeRow]
    places: list[SlopeRow]
    source: str


class Document(Struct, kw_only=True):
    schema: str
    tool: str
    verdict: Verdict
    summary: Sentence
    processes: list[ProcessRow]
    moments: list[SnapshotRow]
    findings: list[FindingRow]
    explained: list[ExplainedRow]
    last_memory: MemoryRow = field(name="memory")  # of the first process; all of them, where there are several:
    memory: list[MemoryRow] = field(name="memories", default_factory=list)
    gaps: list[GapRow]
    inputs: list[InputRow]
    chains: list[ChainRow] = field(default_factory=list)
    timeline: list[PointRow] = field(default_factory=list)
    trials: list[TrialRow] = field(default_factory=list)
    called: list[str] = field(default_factory=list)
    notices: list[Sentence] = field(default_factory=list)
    signals: list[SignalRow] = field(default_factory=list)
    events: list[EventRow] = field(default_factory=list)

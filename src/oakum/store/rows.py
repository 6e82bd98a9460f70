"""The rows that a store keeps: one frozen struct per table, and the batch that is written as one atomic unit.

Times are microseconds since 1970 UTC, ids are strings. The columns of a table are the fields of its struct, in order;
docs/store.md says what each means. None where a capture does not say.
"""

from functools import cached_property
from types import UnionType
from typing import Literal, get_args, get_origin

from msgspec import Struct
from msgspec.structs import fields

Detail = Literal["count", "profile", "dump"]
PlaceKind = Literal["goroutines", "heap"]
LimitKind = Literal["cgroup", "gomemlimit", "ulimit", "node", ""]
IncidentState = Literal["open", "resolved", "flapping"]


class RunRow(Struct, frozen=True, kw_only=True):
    """One process between two restarts. Written again when more is known of it: the newest row of a run counts."""

    run: str  # digest of service, replica and start: run_id
    service: str
    replica: str = ""
    target: str = ""  # the address, without credentials
    started_at: int | None = None
    first_seen: int
    program: str = ""
    version: str = ""
    go: str = ""
    image: str = ""
    limit_bytes: int | None = None
    limit_kind: LimitKind = ""
    cores: float | None = None
    modules: tuple[str, ...] = ()  # of its build, "path@version" as they run; (): not captured
    zone: str = ""  # where it runs, as whoever handed in its profiles says


class SnapshotRow(Struct, frozen=True, kw_only=True):
    """What one look at one process brought."""

    run: str
    service: str
    at: int
    goroutines: int | None = None
    heap_live: int | None = None
    heap_alloc: int | None = None  # ever allocated
    heap_sys: int | None = None
    rss: int | None = None
    limit_bytes: int | None = None
    cpu_seconds: float | None = None
    work: float | None = None  # requests served so far
    detail: Detail = "count"
    cost_bytes: int = 0  # fetched
    cost_seconds: float = 0.0  # the time for which the target was busy with it
    captures: tuple[str, ...] = ()  # digests of what `Writer.keep` was given


class PlaceRow(Struct, frozen=True, kw_only=True):
    """Goroutines in one state at one place, or the heap that was allocated there."""

    run: str
    service: str
    at: int
    place: str  # Stack.key
    function: str
    file: str = ""
    line: int = 0
    state: str = ""  # of goroutines
    kind: PlaceKind
    count: int | None = None
    live_bytes: int | None = None
    allocated_bytes: int | None = None


class MetricRow(Struct, frozen=True, kw_only=True):
    """One value of one metric of a process."""

    run: str
    service: str
    at: int
    name: str
    labels: str = ""  # sorted "k=v,k=v"
    value: float


class EventRow(Struct, frozen=True, kw_only=True):
    """What happened to a service: restart, oom-kill, deploy, config, load, target-lost, target-back, capture ..."""

    service: str
    run: str = ""
    at: int
    kind: str
    key: str = ""  # of its sentence in report/words
    args: str = "{}"  # JSON


class FindingRow(Struct, frozen=True, kw_only=True):
    """One finding of one diagnosis."""

    service: str
    run: str = ""
    at: int
    incident: str = ""
    finding: str  # Finding.id
    confidence: str = ""
    mechanism: str = ""
    function: str = ""
    file: str = ""
    line: int = 0
    growth_per_hour: float | None = None
    document: str = ""  # digest of the kept diagnosis as JSON


class IncidentRow(Struct, frozen=True, kw_only=True):
    """One incident as it stands; each change is a row, and the highest revision counts."""

    incident: str
    service: str
    state: IncidentState
    opened_at: int
    updated_at: int
    closed_at: int | None = None
    since: int | None = None  # when growth began, with its interval
    since_low: int | None = None
    since_high: int | None = None
    limit_low: int | None = None  # when the limit is reached: "not before" first
    limit_high: int | None = None
    verdict: str = ""
    mechanism: str = ""
    function: str = ""
    file: str = ""
    line: int = 0
    replicas: tuple[str, ...] = ()
    page: str = ""  # digest of the kept page
    revision: int = 0
    after: str = ""  # the change before growth began, as JSON: at, kind, key and args of its event


class Batch(Struct, frozen=True, kw_only=True):
    """What is written together: all of it is kept, or nothing. `state`: named small blobs, replaced with the batch."""

    runs: tuple[RunRow, ...] = ()
    snapshots: tuple[SnapshotRow, ...] = ()
    places: tuple[PlaceRow, ...] = ()
    metrics: tuple[MetricRow, ...] = ()
    events: tuple[EventRow, ...] = ()
    findings: tuple[FindingRow, ...] = ()
    incidents: tuple[IncidentRow, ...] = ()
    state: tuple[tuple[str, bytes], ...] = ()


WRITTEN = "written"  # the number of the batch that a row came with
_COLUMN = {"at": "time"}  # which SQL reserves
_SQL = {int: "BIGINT", float: "DOUBLE", str: "VARCHAR"}


class Table(Struct, frozen=True, dict=True):
    """How a table is kept: its columns with their SQL types, its time, the order of its rows in a part."""

    name: str
    row: type[Struct]
    time: str  # the column that says when
    order: tuple[str, ...]
    # What a coarser row must not lose of those that it stands for: column -> those with its lowest and highest value.
    ranges: tuple[str, ...] = ()
    key: tuple[str, ...] = ()  # what is one series: coarser rows are one per series and period; (): never made coarser
    newest: str = ""  # of rows with the same value there only the one written last counts
    added: tuple[str, ...] = ()  # columns that stores of earlier releases lack

    @cached_property
    def columns(self) -> dict[str, str]:
        return {_COLUMN.get(one.name, one.name): _sql_type(one.type) for one in fields(self.row)}

    @cached_property
    def fields(self) -> dict[str, str]:
        """Return the field of its struct that each column has."""
        return {_COLUMN.get(one.name, one.name): one.name for one in fields(self.row)}

    @cached_property
    def extremes(self) -> dict[str, str]:
        return {f"{name}_{end}": self.columns[name] for name in self.ranges for end in ("low", "high")}

    @cached_property
    def stored(self) -> dict[str, str]:
        """Return the columns of a part: those of the row, the level, and of how many rows it is the last."""
        written = {WRITTEN: "BIGINT"} if self.newest else {}
        return {**self.columns, **self.extremes, **written, "level": "VARCHAR", "stands_for": "BIGINT"}


def _sql_type(of: object) -> str:
    if get_origin(of) is tuple:
        return "VARCHAR[]"
    if get_origin(of) is UnionType:
        return _sql_type(next(one for one in get_args(of) if one is not type(None)))
    return "VARCHAR" if get_origin(of) is Literal else _SQL[of]  # type: ignore[index]  # one of the three, or a mistake


_PLACE = ("service", "kind", "place", "state", "run")
TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        Table("runs", RunRow, "first_seen", ("service", "run"), newest="run", added=("modules", "zone")),
        Table(
            "snapshots",
            SnapshotRow,
            "time",
            ("service", "run", "time"),
            ("goroutines", "heap_live", "rss"),
            ("service", "run"),
        ),
        Table("places", PlaceRow, "time", (*_PLACE, "time"), ("count", "live_bytes"), _PLACE),
        Table(
            "metrics",
            MetricRow,
            "time",
            ("service", "name", "labels", "run", "time"),
            ("value",),
            ("service", "name", "labels", "run"),
        ),
        Table("events", EventRow, "time", ("service", "time")),
        Table("findings", FindingRow, "time", ("service", "time")),
        Table(
            "incidents",
            IncidentRow,
            "opened_at",
            ("service", "incident", "revision"),
            newest="incident",
            added=("after",),
        ),
    )
}


def run_id(service: str, replica: str, started_at: int | None) -> str:
    """Return the id of a run: the same process gets the same one, whoever looks at it."""
    from hashlib import blake2b

    text = f"{service}\0{replica}\0{started_at if started_at is not None else ''}"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

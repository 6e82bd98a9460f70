"""The JSON API, version 1: what its answers are made of, and how a store's rows become them.

openapi.json describes it; `described` makes that file, and a test compares. A field is never removed or renamed
within a version; more may come. Times are RFC 3339 in UTC, those of series milliseconds since 1970.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from oakum import history
from oakum.report.history import IncidentHistory, ServiceHistory
from oakum.store.rows import EventRow, SnapshotRow
from oakum.web.timeline import Course, PlaceCourse, Values

MOST = 500  # items of an answer
USUAL = 100


class ServiceItem(Struct, frozen=True, kw_only=True):
    id: str  # its name
    verdict: str  # leaking, healthy, undecided; "": no diagnosis
    incident_state: str
    goroutines: float | None
    goroutines_per_hour: float | None
    heap_live: float | None
    heap_live_per_hour: float | None
    rss: int | None
    limit_bytes: int | None
    since: datetime | None
    limit_not_before: datetime | None
    limit_by: datetime | None
    first_seen: datetime
    last_seen: datetime
    replicas: int
    snapshots: int
    build: str


class Services(Struct, frozen=True):
    items: list[ServiceItem]
    total: int
    next: str | None  # `after` of the next page


class ReplicaSeries(Struct, frozen=True):
    run: str
    replica: str
    goroutines: Values
    heap_live: Values
    rss: Values
    limit_bytes: Values
    work_per_second: Values


class TotalSeries(Struct, frozen=True):
    goroutines: Values
    heap_live: Values
    rss: Values
    limit_bytes: Values
    work_per_second: Values


class Series(Struct, frozen=True):
    service: str
    times: list[int]  # milliseconds since 1970
    total: TotalSeries
    replicas: list[ReplicaSeries]


class PlaceSeries(Struct, frozen=True):
    id: str  # of the place: survives a rebuild
    state: str
    function: str
    file: str
    line: int
    values: Values


class Places(Struct, frozen=True):
    service: str
    kind: str
    times: list[int]
    places: list[PlaceSeries]
    rest: Values


class EventItem(Struct, frozen=True):
    time: datetime
    service: str
    run: str
    kind: str
    text: str


class Events(Struct, frozen=True):
    items: list[EventItem]


class SnapshotItem(Struct, frozen=True, kw_only=True):
    id: str  # RUN@MICROSECONDS
    time: datetime
    run: str
    goroutines: int | None
    heap_live: int | None
    rss: int | None
    limit_bytes: int | None
    detail: str
    captures: int  # that are kept


class Snapshots(Struct, frozen=True):
    items: list[SnapshotItem]
    next: str | None


class IncidentItem(Struct, frozen=True, kw_only=True):
    id: str
    service: str
    state: str
    verdict: str
    mechanism: str
    function: str
    file: str
    line: int
    opened_at: datetime
    closed_at: datetime | None
    since: datetime | None
    limit_not_before: datetime | None
    limit_by: datetime | None
    replicas: list[str]


class Incidents(Struct, frozen=True):
    items: list[IncidentItem]
    total: int
    next: str | None


class Fault(Struct, frozen=True):
    status: int
    message: str


class Failed(Struct, frozen=True):
    error: Fault


class GrafanaTarget(Struct, frozen=True, rename="camel"):
    """What a panel asks for: SERVICE and a measure, as `target: "orders goroutines"` or in `payload`."""

    target: str = ""
    ref_id: str = ""
    payload: Any = None  # an object, where a panel has one


class GrafanaRange(Struct, frozen=True, rename={"start": "from", "end": "to"}):
    start: datetime
    end: datetime


class GrafanaQuery(Struct, frozen=True, rename="camel"):
    range: GrafanaRange
    targets: list[GrafanaTarget] = []
    max_data_points: int = 300


class GrafanaSeries(Struct, frozen=True, rename="camel"):
    target: str
    datapoints: list[tuple[float | None, int]]
    ref_id: str = ""


class GrafanaMetric(Struct, frozen=True):
    label: str
    value: str


def service_item(one: ServiceHistory) -> ServiceItem:
    return ServiceItem(
        id=one.service,
        verdict=one.verdict,
        incident_state=one.state,
        goroutines=one.goroutines.value,
        goroutines_per_hour=one.goroutines.per_hour,
        heap_live=one.heap_live.value,
        heap_live_per_hour=one.heap_live.per_hour,
        rss=one.rss,
        limit_bytes=one.limit_bytes,
        since=one.since,
        limit_not_before=one.limit_low,
        limit_by=one.limit_high,
        first_seen=one.first_seen,
        last_seen=one.last_seen,
        replicas=one.running,
        snapshots=one.snapshots,
        build=one.build,
    )


def incident_item(one: IncidentHistory) -> IncidentItem:
    return IncidentItem(
        id=one.incident,
        service=one.service,
        state=one.state,
        verdict=one.verdict,
        mechanism=one.mechanism,
        function=one.function,
        file=one.file,
        line=one.line,
        opened_at=one.opened_at,
        closed_at=one.closed_at,
        since=one.since,
        limit_not_before=one.limit_low,
        limit_by=one.limit_high,
        replicas=list(one.replicas),
    )


def series_of(service: str, found: Course) -> Series:
    return Series(
        service,
        _milliseconds(found.times),
        TotalSeries(**found.totals),
        [ReplicaSeries(one.run, one.replica, **one.values) for one in found.replicas],
    )


def places_of(service: str, kind: str, found: PlaceCourse) -> Places:
    lines = [PlaceSeries(one.place, one.state, one.function, one.file, one.line, one.values) for one in found.places]
    return Places(service, kind, _milliseconds(found.times), lines, found.rest)


def _milliseconds(times: tuple[int, ...]) -> list[int]:
    return [at // 1000 for at in times]


def event_item(row: EventRow, lang: str = "en") -> EventItem:
    told = history.event_of(row, lang)
    return EventItem(told.at, row.service, row.run, row.kind, told.text)


def snapshot_item(row: SnapshotRow) -> SnapshotItem:
    return SnapshotItem(
        id=f"{row.run}@{row.at}",
        time=history.instant(row.at),
        run=row.run,
        goroutines=row.goroutines,
        heap_live=row.heap_live,
        rss=row.rss,
        limit_bytes=row.limit_bytes,
        detail=row.detail,
        captures=len(row.captures),
    )


# The description: path -> what it is for, its parameters, what it answers.
_SERVICE = ("service", "path", "string", "The name of a service.")
_WINDOW = (
    ("from", "query", "string", "Begin: milliseconds since 1970, or RFC 3339. Default: a day before the newest."),
    ("to", "query", "string", "End. Default: the newest snapshot."),
)
_POINTS = ("points", "query", "integer", "At most so many times (2 to 1000, default 300).")
_LIMIT = ("limit", "query", "integer", f"At most so many items (1 to {MOST}, default {USUAL}).")
_AFTER = ("after", "query", "string", "`next` of the page before.")
Parameter = tuple[str, str, str, str]
PATHS: Mapping[str, tuple[str, str, tuple[Parameter, ...], Any]] = {
    "/api/v1/services": ("get", "Services by name.", (
        ("q", "query", "string", "Part of a name or a build."),
        ("verdict", "query", "string", "leaking, undecided, healthy or none."), _LIMIT, _AFTER), Services),
    "/api/v1/services/{service}": ("get", "One service.", (_SERVICE,), ServiceItem),
    "/api/v1/services/{service}/series": (
        "get", "Goroutines, memory and load through time, by replica.", (_SERVICE, *_WINDOW, _POINTS), Series),
    "/api/v1/services/{service}/places": ("get", "Goroutines or live heap by place, through time.", (
        _SERVICE, ("kind", "query", "string", "goroutines (default) or heap."), *_WINDOW, _POINTS), Places),
    "/api/v1/services/{service}/events": ("get", "What happened to a service.", (_SERVICE, *_WINDOW), Events),
    "/api/v1/services/{service}/snapshots": ("get", "Snapshots, newest first.", (_SERVICE, _LIMIT, _AFTER), Snapshots),
    "/api/v1/incidents": ("get", "Incidents, newest first.", (
        ("service", "query", "string", "Of this service only."),
        ("state", "query", "string", "open, resolved or flapping."), _LIMIT, _AFTER), Incidents),
    "/api/v1/incidents/{incident}": (
        "get", "One incident.", (("incident", "path", "string", "The id of an incident."),), IncidentItem),
    "/api/v1/grafana/metrics": ("post", "What a panel of Grafana can show.", (), list[GrafanaMetric]),
    "/api/v1/grafana/query": ("post", "Series for panels of Grafana (JSON data source).", (), list[GrafanaSeries]),
}  # fmt: skip


def described() -> dict[str, Any]:
    """Return the OpenAPI document."""
    kinds = [answer for *_, answer in PATHS.values()] + [GrafanaQuery, Failed]
    schemas, components = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    failed = {"description": "Why not.", "content": {"application/json": {"schema": schemas[-1]}}}
    paths: dict[str, Any] = {}
    for (path, (method, about, parameters, _)), schema in zip(PATHS.items(), schemas, strict=False):
        told: dict[str, Any] = {
            "summary": about,
            "operationId": path.removeprefix("/api/v1/").replace("/", "-").replace("{", "").replace("}", ""),
            "parameters": [
                {"name": name, "in": place, "required": place == "path", "schema": {"type": kind}, "description": text}
                for name, place, kind, text in parameters
            ],
            "responses": {
                "200": {"description": about, "content": {"application/json": {"schema": schema}}},
                "default": failed,
            },
        }
        if path.endswith("/query"):
            told["requestBody"] = {"required": True, "content": {"application/json": {"schema": schemas[-2]}}}
        paths[path] = {method: told}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Oakum",
            "version": "1",
            "summary": "The history of a store: services, their growth, incidents.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "http://127.0.0.1:9470"}],
        "security": [{}, {"token": []}],
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }

"""The JSON API: reads only. A program sends its token as Authorization: Bearer; a page of ours has its cookie."""

from collections.abc import Callable
from datetime import UTC, datetime
from importlib import resources
from typing import Any, TypeVar

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from oakum import history
from oakum.report.history import ServiceHistory
from oakum.store.reader import Reader
from oakum.store.rows import EventRow
from oakum.web import api, timeline
from oakum.web.overview import Wanted, chosen
from oakum.web.pages.services import wanted_of
from oakum.web.timeline import MOST_POINTS, POINTS, Window
from oakum.web.visit import Visit, get

_MOST_BODY = 64 << 10
_MOST_TARGETS = 20
_MEASURES = ("goroutines", "heap_live", "rss", "limit_bytes", "work_per_second")
_EVER = 1 << 60
_T = TypeVar("_T")


def answered(value: Any) -> Response:
    return Response(msgspec.json.encode(value), media_type="application/json")


async def services(visit: Visit) -> Response:
    summary = await visit.overview()
    wanted = wanted_of(visit)
    found = chosen(summary.services, Wanted(wanted.text, wanted.verdict, "service"))
    page, after = _paged(visit, found, lambda one: one.service)
    return answered(api.Services([api.service_item(one) for one in page], len(found), after))


async def service(visit: Visit) -> Response:
    return answered(api.service_item(await named(visit)))


async def series(visit: Visit) -> Response:
    one = await named(visit)
    window, points = window_of(visit, one), _points(visit)

    def asked(reader: Reader) -> bytes:
        return msgspec.json.encode(api.series_of(one.service, timeline.course(reader, one.service, window, points)))

    data = await visit.remembered(("series", one.service, window, points), asked)
    return Response(data, media_type="application/json")


async def places(visit: Visit) -> Response:
    one = await named(visit)
    window, points = window_of(visit, one), _points(visit)
    kind = "heap" if visit.query.get("kind") == "heap" else "goroutines"

    def asked(reader: Reader) -> dict[str, bytes]:
        found = timeline.place_courses(reader, one.service, window, points)
        return {kind: msgspec.json.encode(api.places_of(one.service, kind, found[kind])) for kind in found}

    data = await visit.remembered(("places", one.service, window, points), asked)
    return Response(data[kind], media_type="application/json")


async def events(visit: Visit) -> Response:
    one = await named(visit)
    rows = await events_of(visit, one, window_of(visit, one))
    return answered(api.Events([api.event_item(row, visit.lang) for row in rows[-api.MOST :]]))


async def events_of(visit: Visit, one: ServiceHistory, window: Window) -> list[EventRow]:
    """Return what happened to a service in a window; what came after the newest snapshot belongs to that."""
    end = window.end if window.end < history.micros(one.last_seen) else _EVER
    return await visit.remembered(
        ("events", one.service, window.start, end), lambda reader: reader.events(one.service, window.start, end)
    )


async def snapshots(visit: Visit) -> Response:
    one = await named(visit)
    limit = visit.number("limit", api.USUAL, 1, api.MOST)
    after = snapshot_id(visit, "after")
    first = history.micros(one.first_seen)
    rows = await visit.ask(lambda reader: reader.looks(one.service, first, _EVER, limit + 1, after))
    items = [api.snapshot_item(row) for row in rows[:limit]]
    return answered(api.Snapshots(items, items[-1].id if len(rows) > limit else None))


async def incidents(visit: Visit) -> Response:
    summary = await visit.overview()
    service, state = visit.query.get("service"), visit.query.get("state")
    found = [
        one
        for one in summary.incidents
        if (service is None or one.service == service) and (state is None or one.state == state)
    ]
    page, after = _paged(visit, found, lambda one: one.incident)
    return answered(api.Incidents([api.incident_item(one) for one in page], len(found), after))


async def incident(visit: Visit) -> Response:
    wanted = visit.path("incident")
    summary = await visit.overview()
    for one in summary.incidents:
        if one.incident == wanted:
            return answered(api.incident_item(one))
    raise HTTPException(404)


async def described(visit: Visit) -> Response:
    del visit
    data = resources.files("oakum.web").joinpath("openapi.json").read_bytes()
    return Response(data, media_type="application/json")


# Grafana's JSON data source asks by POST.


async def grafana_metrics(visit: Visit) -> Response:
    summary = await visit.overview()
    names = [f"{one.service} {measure}" for one in summary.services for measure in _MEASURES]
    return answered([api.GrafanaMetric(name, name) for name in names[: 5 * api.MOST]])


async def grafana_query(visit: Visit) -> Response:
    if not visit.request.headers.get("content-type", "").startswith("application/json"):
        raise HTTPException(400)
    try:
        query = msgspec.json.decode(await visit.request.body(), type=api.GrafanaQuery)
    except (msgspec.DecodeError, msgspec.ValidationError):
        raise HTTPException(400) from None
    if len(query.targets) > _MOST_TARGETS:
        raise HTTPException(400)
    summary = await visit.overview()
    window = Window(_micros_of(query.range.start), _micros_of(query.range.end))
    points = min(MOST_POINTS, max(2, query.max_data_points))
    found: list[api.GrafanaSeries] = []
    for target in query.targets:
        name, measure = _target(target)
        if measure not in _MEASURES or summary.find(name) is None:
            continue
        course = await visit.remembered(("course", name, window, points), _course(name, window, points))
        values = zip(course.totals[measure], (at // 1000 for at in course.times), strict=True)
        found.append(api.GrafanaSeries(f"{name} {measure}", list(values), target.ref_id))
    return answered(found)


def _course(name: str, window: Window, points: int) -> Callable[[Reader], timeline.Course]:
    return lambda reader: timeline.course(reader, name, window, points)


def _target(target: api.GrafanaTarget) -> tuple[str, str]:
    name, _, measure = target.target.rpartition(" ")
    told = target.payload if isinstance(target.payload, dict) else {}
    return str(told.get("service", name)), str(told.get("measure", measure))


async def named(visit: Visit) -> ServiceHistory:
    """Return the service that the path names."""
    found = (await visit.overview()).find(visit.path("service"))
    if found is None:
        raise HTTPException(404)
    return found


def snapshot_id(visit: Visit, name: str) -> tuple[str, int] | None:
    """Return the run and the time of the snapshot that a part of the query names; None when there is no such part."""
    text = visit.query.get(name, "")
    if not text:
        return None
    run, _, at = text.rpartition("@")
    if not run or len(text) > 200 or not (at.isascii() and at.isdigit()) or len(at) > 18:
        raise HTTPException(400)
    return run, int(at)


def window_of(visit: Visit, one: ServiceHistory, past: int = history.DAY) -> Window:
    """Return the window that the address asks for; without one the last day that the service was seen."""
    newest = history.micros(one.last_seen)
    end = min(_time(visit, "to", newest), max(newest, visit.settings.now()))
    return Window(min(_time(visit, "from", max(end - past, history.micros(one.first_seen))), end), end)


def _time(visit: Visit, name: str, usual: int) -> int:
    text = visit.query.get(name, "")
    if not text:
        return usual
    if text.isascii() and text.isdigit() and len(text) <= 14:
        return int(text) * 1000
    try:
        return _micros_of(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        raise HTTPException(400) from None


def _micros_of(at: datetime) -> int:
    return history.micros(at if at.tzinfo else at.replace(tzinfo=UTC))


def _points(visit: Visit) -> int:
    return visit.number("points", POINTS, 2, MOST_POINTS)


def _paged(visit: Visit, found: list[_T], key: Callable[[_T], str]) -> tuple[list[_T], str | None]:
    """Return the page behind the item that `after` names, and the id that the next one is behind."""
    limit = visit.number("limit", api.USUAL, 1, api.MOST)
    after = visit.query.get("after")
    begin = 0
    if after is not None:
        begin = next((at + 1 for at, one in enumerate(found) if key(one) == after), len(found))
    page = found[begin : begin + limit]
    return page, key(page[-1]) if begin + limit < len(found) else None


def _asked(path: str, show: Callable[[Visit], Any]) -> Route:
    """Return the route of a question that is asked by POST, as Grafana does; it changes nothing."""

    async def endpoint(request: Request) -> Response:
        answer: Response = await show(Visit(request))
        return answer

    return Route(path, endpoint, methods=["POST"], max_body_size=_MOST_BODY)


async def grafana(visit: Visit) -> Response:
    del visit
    return answered({"status": "ok"})


ROUTES = (
    get("/api/v1/openapi.json", described),
    get("/api/v1/services", services),
    get("/api/v1/services/{service}", service),
    get("/api/v1/services/{service}/series", series),
    get("/api/v1/services/{service}/places", places),
    get("/api/v1/services/{service}/events", events),
    get("/api/v1/services/{service}/snapshots", snapshots),
    get("/api/v1/incidents", incidents),
    get("/api/v1/incidents/{incident}", incident),
    get("/api/v1/grafana/", grafana),
    _asked("/api/v1/grafana/metrics", grafana_metrics),
    _asked("/api/v1/grafana/query", grafana_query),
)

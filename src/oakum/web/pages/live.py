"""Live: snapshots of one service as they come into the store, and a look now, which the watcher is asked for."""

import asyncio
from collections.abc import AsyncIterator
from time import monotonic

import msgspec
from starlette.datastructures import FormData
from starlette.responses import RedirectResponse, Response, StreamingResponse

from oakum import history
from oakum.store.requests import is_written, want_look
from oakum.store.rows import SnapshotRow
from oakum.web import api
from oakum.web.pages.api import named
from oakum.web.timeline import Window
from oakum.web.visit import Visit, get, post

_EVERY = 2.0  # seconds between two looks at the store
_STREAMS = 24  # at once: each asks the store every two seconds
_LASTS = 1800.0  # seconds; the browser then connects again by itself
_QUIET = 15.0  # seconds after which a sign of life is sent
_SHOWN = 30
_PAST = 15 * 60_000_000
_open = 0  # streams


async def show(visit: Visit) -> Response:
    one = await named(visit)
    newest = history.micros(one.last_seen)
    rows, runs = await visit.ask(
        lambda reader: (reader.looks(one.service, newest - _PAST, 1 << 60, _SHOWN), reader.runs(one.service))
    )
    end = max([newest, *(row.at for row in rows)])
    asked = visit.number("asked", 0, 0, 1 << 60)
    return visit.page(
        "live.html",
        title=visit.word("serve.live.title", service=one.service),
        here="services",
        one=one,
        rows=rows,
        names={run.run: run.replica for run in runs},
        window=Window(end - _PAST, end),
        asked=asked,
        came=any(row.at > asked for row in rows),
        watched=is_written(visit.settings.store),
        read_only=visit.settings.read_only,
    )


async def capture(visit: Visit, form: FormData) -> Response:
    """Ask the watcher for a look now."""
    del form
    one = await named(visit)
    store = visit.settings.store
    done = is_written(store) and await asyncio.to_thread(want_look, store, one.service)
    address = visit.request.url.path.removesuffix("/capture")
    path = visit.request.scope.get("raw_path", b"").decode("ascii").removesuffix("/capture") or address
    return RedirectResponse(f"{path}/live?asked={visit.settings.now() if done else 1}", 303)


async def stream(visit: Visit) -> Response:
    """Send each snapshot as it comes."""
    one = await named(visit)
    if _open >= _STREAMS:
        return Response("too many streams\n", 503, {"Retry-After": "30"}, media_type="text/plain")
    given = visit.request.headers.get("last-event-id", "") or visit.query.get("after", "")
    after = int(given) if given.isascii() and given.isdigit() and len(given) < 18 else history.micros(one.last_seen)
    return StreamingResponse(_sent(visit, one.service, after), media_type="text/event-stream")


async def _sent(visit: Visit, service: str, after: int) -> AsyncIterator[str]:
    global _open
    _open += 1
    try:
        ends, spoke = monotonic() + _LASTS, monotonic()
        yield "retry: 5000\n\n"
        while monotonic() < ends and not await visit.request.is_disconnected():
            since = after
            rows: list[SnapshotRow] = await visit.ask(
                lambda reader, since=since: reader.looks(service, since + 1, 1 << 60, _SHOWN)  # type: ignore[misc]  # bound now
            )
            for row in reversed(rows):
                after = max(after, row.at)
                yield f"id: {after}\nevent: snapshot\ndata: {msgspec.json.encode(api.snapshot_item(row)).decode()}\n\n"
            if rows:
                spoke = monotonic()
            elif monotonic() - spoke > _QUIET:
                spoke = monotonic()
                yield ": still here\n\n"
            await asyncio.sleep(_EVERY)
    finally:
        _open -= 1


ROUTES = (
    get("/services/{service}/live", show),
    get("/services/{service}/live/events", stream),
    post("/services/{service}/capture", capture),
)

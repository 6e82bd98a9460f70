"""Settings -> the application: what is served, behind the guard; errors as pages, none with a traceback."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from oakum import history
from oakum.model import OakumError, Text, Unreachable
from oakum.report.words import WORDS, say
from oakum.web.carriers import Catalogued
from oakum.web.comparison import Comparer
from oakum.web.log import ServerLog
from oakum.web.overview import Overview
from oakum.web.pages import PAGES
from oakum.web.records import Busy, Records
from oakum.web.rendering import static_file
from oakum.web.security.forms import FormTokens
from oakum.web.security.guard import Guard
from oakum.web.security.sessions import Sessions
from oakum.web.settings import Settings
from oakum.web.tray import Tray
from oakum.web.visit import Visit
from oakum.web.workers import Workers, WorkFailed

_EVER = "public, max-age=31536000, immutable"


def create_app(
    settings: Settings,
    log: ServerLog | None = None,
    started: Callable[[], None] = lambda: None,
    tray: Tray | None = None,
) -> ASGIApp:
    """Return the application that serves one store; `started` is called when it begins to, `tray` holds what is shown
    and not kept."""

    said = log or ServerLog()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        started()
        if app.state.records.present:
            try:
                await _warm(app)
            except Exception as error:  # whatever is wrong with the store: pages say it
                said.failed("", error)
        yield
        app.state.overview.close()
        app.state.records.close()
        app.state.workers.close()
        app.state.tray.close()

    app = Starlette(
        routes=[Route("/static/{digest}/{name}", _static, methods=["GET"]), *(one for page in PAGES for one in page)],
        exception_handlers={
            HTTPException: _failed,
            OakumError: _failed,
            Busy: _failed,
            WorkFailed: _failed,
            Exception: _failed,
        },
        lifespan=lifespan,
    )
    sessions = Sessions(settings.token, settings.clock)
    app.state.settings = settings
    app.state.sessions = sessions
    app.state.records = Records(settings.store)
    app.state.overview = Overview(settings.store, lambda error: said.failed("", error))
    app.state.form_tokens = FormTokens()
    app.state.tray = tray or Tray()
    app.state.workers = Workers()
    app.state.comparer = Comparer(app.state.workers)
    app.state.catalogued = Catalogued()
    return Guard(app, settings, sessions, said)


async def _warm(app: Starlette) -> None:
    """Have the first page ready, and what the readers of the store know of its parts."""
    summary = await app.state.overview.get()
    if summary.services and summary.newest:
        name, start = summary.services[0].service, history.micros(summary.newest) - history.DAY
        await app.state.records.everywhere(
            lambda reader: (reader.growth(name, start), reader.looks(name, start, 1 << 60, 1))
        )


async def _static(request: Request) -> Response:
    found = static_file(request.path_params["name"])
    if found is None or found[2] != request.path_params["digest"]:
        raise HTTPException(404)
    return Response(found[0], media_type=found[1], headers={"Cache-Control": _EVER})


async def _failed(request: Request, error: Exception) -> Response:
    """Return the page of an error: what happened in one sentence, and where to go on."""
    visit = Visit(request)
    status, text = _told(error)
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": {"status": status, "message": say(text, "en")}}, status)
    return visit.page("error.html", title=visit.word(f"serve.error.{_worded(status)}"), status=status, text=text)


def _told(error: Exception) -> tuple[int, Text]:
    if isinstance(error, Unreachable):
        return 503, error.text
    if isinstance(error, WorkFailed):
        return 422, error.text
    status = error.status_code if isinstance(error, HTTPException) else 503 if isinstance(error, Busy) else 500
    return status, Text(f"serve.error.{_worded(status)}.do")


def _worded(status: int) -> int:
    return status if f"serve.error.{status}" in WORDS else 400 if status < 500 else 500

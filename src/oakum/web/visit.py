"""One request as a page sees it: language, words, the store, the layout, and tokens for forms."""

import re
from collections.abc import Awaitable, Callable, Hashable, Mapping
from datetime import datetime
from typing import Any, TypeVar
from urllib.parse import urlencode

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from oakum.model import Text
from oakum.report.words import LANGUAGES, say, span, word
from oakum.store.reader import Reader
from oakum.web.overview import Overview, Summary
from oakum.web.records import Records
from oakum.web.rendering import template
from oakum.web.security import forms
from oakum.web.security.guard import SLASH
from oakum.web.security.headers import apart
from oakum.web.security.sessions import Sessions
from oakum.web.settings import Settings

THEMES = ("light", "dark")
_YEAR = 365 * 86_400
_MOST_FORM = 64 << 10  # bytes of a form without files
_T = TypeVar("_T")


class Visit:
    def __init__(self, request: Request) -> None:
        self.request = request
        self.settings: Settings = request.app.state.settings
        self.records: Records = request.app.state.records
        self.sessions: Sessions = request.app.state.sessions
        self._tokens: forms.FormTokens = request.app.state.form_tokens
        self.query: Mapping[str, str] = request.query_params
        self.lang = self._chosen("lang", LANGUAGES) or _spoken(request.headers.get("accept-language", ""))
        self.lang = self.lang or self.settings.lang
        self.theme = self._chosen("theme", THEMES)
        self.visitor = request.cookies.get(forms.COOKIE, "")
        self._new_visitor = False

    def _chosen(self, name: str, values: tuple[str, ...]) -> str:
        """Return what the address says, else what was said last."""
        for value in (self.query.get(name, ""), self.request.cookies.get(f"oakum-{name}", "")):
            if value in values:
                return value
        return ""

    # Words, addresses.

    def word(self, key: str, **args: Any) -> str:
        return word(key, self.lang, **args)

    def say(self, text: Text) -> str:
        return say(text, self.lang)

    def span(self, at: datetime | int) -> str:
        """Return how long ago something was."""
        return span((self.settings.now() - _micros(at)) / 1e6, self.lang)

    def until(self, at: datetime | int) -> str:
        """Return in how long something will be; of what has passed, since when."""
        left = (_micros(at) - self.settings.now()) / 1e6
        if left >= 0:
            return self.word("serve.in", span=span(left, self.lang))
        return self.word("serve.ago", span=span(-left, self.lang))

    def number(self, name: str, usual: int, least: int, most: int) -> int:
        """Return a number of the query, within its bounds."""
        text = self.query.get(name, "")
        return min(most, max(least, int(text))) if re.fullmatch(r"[0-9]{1,18}", text) else usual

    def path(self, name: str) -> str:
        """Return a part of the path."""
        return str(self.request.path_params[name]).replace(SLASH, "/")

    def here(self, **changed: str) -> str:
        """Return the address of this page with parts of its query changed; "" removes one."""
        query = {**self.query, **changed}
        told = urlencode({name: value for name, value in query.items() if value})
        return self.request.url.path + (f"?{told}" if told else "")

    # The store.

    async def overview(self) -> Summary:
        """Return all services, as they stood at the newest look of the server."""
        if not self.records.present:
            return Summary()
        overview: Overview = self.request.app.state.overview
        return await overview.get()

    async def ask(self, question: Callable[[Reader], _T]) -> _T:
        """Return what a question to the store gives, asked in a thread."""
        return await self.records.ask(question)

    async def remembered(self, key: Hashable, question: Callable[[Reader], _T]) -> _T:
        """As `ask`; the answer of the last ten seconds to the same question is taken, which `key` identifies."""
        return await self.records.remembered(key, question)

    # Forms.

    @property
    def form_token(self) -> str:
        """Return the token that every form of this page carries in a field named FIELD."""
        if not self.visitor:
            self.visitor, self._new_visitor = self._tokens.visitor(), True
        return self._tokens.token(self.visitor)

    async def form(self, most_files: int = 0) -> FormData:
        """Return the form that was sent; raise unless it carries the token of its visitor."""
        given = await self.request.form(max_files=most_files, max_fields=100, max_part_size=_MOST_FORM)
        token = given.get(forms.FIELD) or self.request.headers.get(forms.HEADER, "")
        if not self._tokens.fits(self.visitor, str(token)):
            await given.close()
            raise HTTPException(403, "form-token")
        return given

    # Answers.

    def page(self, name: str, *, title: str, status: int = 200, here: str = "", **context: Any) -> Response:
        """Return a page in the layout; `here` is the key of its entry in the navigation."""
        text = template(name, self.lang).render(visit=self, title=title, here=here, **context)
        return self._kept(HTMLResponse(text, status))

    def standalone(self, html: str) -> Response:
        """Return a whole file of the report or a flame graph: it runs apart from our pages, under its own policy."""
        return HTMLResponse(html, headers=apart(html))

    def download(self, data: bytes, name: str, kind: str) -> Response:
        """Return a file to be saved; `name` is made safe, `kind` is its media type."""
        safe = re.sub(r"[^A-Za-z0-9._-]", "-", name).strip(".-")[:100] or "oakum"
        headers = {"Content-Disposition": f'attachment; filename="{safe}"', "Content-Security-Policy": "sandbox"}
        return Response(data, media_type=kind, headers=headers)

    def _kept(self, response: Response) -> Response:
        """Set the cookies of what was chosen."""
        for name, value in (("lang", self.query.get("lang")), ("theme", self.query.get("theme"))):
            if value is not None:
                kept = value if value in (LANGUAGES if name == "lang" else THEMES) else ""
                self._cookie(response, f"oakum-{name}", kept)
        if self._new_visitor:
            self._cookie(response, forms.COOKIE, self.visitor)
        return response

    def _cookie(self, response: Response, name: str, value: str) -> None:
        secure = self.settings.secure
        response.set_cookie(name, value, max_age=_YEAR, httponly=True, samesite="strict", secure=secure, path="/")


Show = Callable[[Visit], Awaitable[Response]]
Change = Callable[[Visit, FormData], Awaitable[Response]]


def get(path: str, show: Show) -> Route:
    """Return the route of a page that changes nothing."""

    async def endpoint(request: Request) -> Response:
        return await show(Visit(request))

    return Route(path, endpoint, methods=["GET"])


def post(path: str, change: Change, *, most: int = _MOST_FORM, most_files: int = 0) -> Route:
    """Return the route of what changes something: its form has at most so many bytes and carries its token."""

    async def endpoint(request: Request) -> Response:
        visit = Visit(request)
        given = await visit.form(most_files)
        try:
            return await change(visit, given)
        finally:
            await given.close()

    return Route(path, endpoint, methods=["POST"], max_body_size=most)


def _spoken(accepted: str) -> str:
    """Return the first language of a browser that we speak."""
    for one in accepted[:200].split(","):
        code = one.partition(";")[0].strip()[:2].lower()
        if code in LANGUAGES:
            return code
    return ""


def _micros(at: datetime | int) -> int:
    return at if isinstance(at, int) else round(at.timestamp() * 1e6)

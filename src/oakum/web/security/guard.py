"""The middleware around every page: which requests are answered at all, within which bounds, and what answers carry.

Order: path, host (DNS rebinding is a wrong one), method, rate, who asks, and where what changes something comes from.
A refusal is short, names nothing of this machine, and is logged once. No traceback leaves here.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import quote, unquote_to_bytes

import h11
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, cookie_parser
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from oakum.web.log import ServerLog
from oakum.web.security.headers import HEADERS, POLICY, STRICT_TRANSPORT
from oakum.web.security.rates import Rates
from oakum.web.security.refusals import Refused, answer
from oakum.web.security.sessions import COOKIE, Sessions
from oakum.web.settings import Settings

SAFE = ("GET", "HEAD")
METHODS = (*SAFE, "POST")
BLOCKED = "too many wrong tokens"
SLASH = "\x00"  # stands in a path for a slash inside a name
_OPEN = ("/login", "/static/")  # for who has no session yet
_READ_BY_POST = "/api/v1/grafana/"  # asks with a body, changes nothing
_MOST_HEADERS, _MOST_HEAD, _MOST_PATH = 64, 16 << 10, 4096
_BODY_SECONDS = 60.0  # until all of a body has come
_SEND_SECONDS = 30.0  # for which a reader may leave a piece unread


class Guard:
    def __init__(self, app: ASGIApp, settings: Settings, sessions: Sessions, log: ServerLog) -> None:
        self.app, self.settings, self.sessions, self.log = app, settings, sessions, log
        self.reads = Rates(per_second=500.0, burst=1000)  # 50 readers of one address, each with ten files at once
        self.changes = Rates(per_second=1.0, burst=20)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        started = False

        async def sent(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                self._add_headers(MutableHeaders(scope=message))
            async with asyncio.timeout(_SEND_SECONDS):
                await send(message)

        try:
            scope["path"] = _split_path(scope["raw_path"] if scope.get("raw_path") else quote(scope["path"]).encode())
            self.check(scope, Headers(scope=scope))
            await self.app(scope, _within_time(receive, lambda: self._note_slow(scope)), sent)
        except Refused as refused:
            self.log.refused(_client(scope), scope["method"], refused.status, refused.why)
            response = RedirectResponse(refused.to, 303) if refused.to else answer(refused)
            with suppress(h11.LocalProtocolError):  # as below, while this answer was made
                await response(scope, receive, sent)
        except TimeoutError:  # who asks does not read the answer: the connection is closed
            self._note_slow(scope)
            raise
        except (ClientDisconnect, h11.LocalProtocolError):
            pass  # who asked is gone, or sent what is no body: uvicorn says so, and has answered
        except Exception as error:
            self.log.failed(scope["path"], error)
            if not started:
                await answer(Refused(500, "internal error"))(scope, receive, sent)

    def _note_slow(self, scope: Scope) -> None:
        self.log.refused(_client(scope), scope["method"], 408, "too slow")

    def check(self, scope: Scope, headers: Headers) -> None:
        """Raise for a request that is answered by nobody."""
        method, path, client = scope["method"], scope["path"], _client(scope)
        pairs = scope["headers"]
        if len(pairs) > _MOST_HEADERS or sum(len(name) + len(value) for name, value in pairs) > _MOST_HEAD:
            raise Refused(431, "headers too large")
        if len(scope["query_string"]) > _MOST_PATH:
            raise Refused(414, "query too long")
        if "content-length" in headers and "transfer-encoding" in headers:  # whoever is between us may take the other
            raise Refused(400, "two lengths")
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            raise Refused(421, "wrong host")
        if method not in METHODS:
            raise Refused(405, "method not allowed")
        changes = method not in SAFE and not path.startswith(_READ_BY_POST)
        rates = self.changes if changes else self.reads
        if not rates.admits(client):
            raise Refused(429, "too many requests", after=5)
        bearer = self._check_session(path, method, client, headers)
        if method not in SAFE:
            if changes and self.settings.read_only and path != "/login":
                raise Refused(403, "read-only")
            self._check_origin(headers, hosts[0], needed=changes and not bearer)

    def _is_ours(self, host: str) -> bool:
        name, _, port = host.rpartition(":") if not host.endswith("]") and ":" in host else (host, "", "")
        usual = "443" if self.settings.secure else "80"
        return name.lower() in self.settings.names and (port or usual) == str(self.settings.port)

    def _check_session(self, path: str, method: str, client: str, headers: Headers) -> bool:
        """Raise for who does not know the token; return whether it came as a program sends it."""
        if not self.settings.token:
            return False
        given = headers.get("authorization")
        if given is not None:
            scheme, _, token = given.partition(" ")
            became = self.sessions.attempt(client, token.strip() if scheme.lower() == "bearer" else "")
            if became != "right":
                raise Refused(429, BLOCKED, after=10) if became == "blocked" else Refused(401, "wrong token")
            return True
        if path.startswith(_OPEN) or self.sessions.is_valid(cookie_parser(headers.get("cookie", "")).get(COOKIE, "")):
            return False
        if path.startswith("/api/") or method not in SAFE:
            raise Refused(401, "token needed")
        raise Refused(401, "token needed", to=f"/login?next={quote(path, safe='/')}")

    def _check_origin(self, headers: Headers, host: str, *, needed: bool) -> None:
        """Raise unless it comes from a page of ours: browsers say where from with whatever changes something."""
        scheme = "https" if self.settings.secure else "http"
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin is not None and origin.lower() != f"{scheme}://{host}".lower():
            raise Refused(403, "wrong origin")
        if site is not None and site not in ("same-origin", "none"):
            raise Refused(403, "wrong origin")
        if origin is None and site is None and needed:
            raise Refused(403, "no origin")

    def _add_headers(self, headers: MutableHeaders) -> None:
        for name, value in HEADERS:
            headers.setdefault(name, value)
        headers.setdefault("Content-Security-Policy", POLICY)
        headers.setdefault("Cache-Control", "no-store")
        if self.settings.secure:
            headers.setdefault(*STRICT_TRANSPORT)


def _split_path(raw: bytes) -> str:
    """Return the path with what is encoded in it, a slash inside a name kept apart; raise for one that no page has."""
    if len(raw) > _MOST_PATH:
        raise Refused(414, "path too long")
    try:
        parts = [unquote_to_bytes(part).decode() for part in raw.split(b"?")[0].split(b"/")]
    except UnicodeDecodeError:
        raise Refused(400, "bad path") from None
    if any(part in (".", "..") or "\\" in part or SLASH in part for part in parts) or "" in parts[1:-1]:
        raise Refused(400, "bad path")
    return "/".join(part.replace("/", SLASH) for part in parts)


def _within_time(receive: Receive, note: Callable[[], None]) -> Receive:
    """Return a receiver that waits so long for a whole body, however its pieces come."""
    ends: float | None = None
    whole = False

    async def received() -> Message:
        nonlocal ends, whole
        if whole:  # nothing is to come but the end of the connection
            return await receive()
        loop = asyncio.get_running_loop()
        ends = ends or loop.time() + _BODY_SECONDS
        try:
            async with asyncio.timeout_at(ends):
                message = await receive()
        except TimeoutError:
            note()
            raise HTTPException(408) from None
        whole = message["type"] != "http.request" or not message.get("more_body", False)
        return message

    return received


def _client(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else ""

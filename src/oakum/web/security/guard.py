"""The middleware before every page: which requests are answered at all, and what each answer carries.

A refusal is short, says why, names nothing of this machine, and is logged once. Order: host, then what changes
something: where it comes from. (DNS rebinding is a wrong host; another site is a wrong origin.)
"""

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from oakum.web.security.headers import HEADERS, POLICY, STRICT_TRANSPORT
from oakum.web.security.refusals import Refused, answer
from oakum.web.settings import Settings

SAFE = ("GET", "HEAD")
METHODS = (*SAFE, "POST")


class Guard:
    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app, self.settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._add_headers(MutableHeaders(scope=message))
            await send(message)

        try:
            self.check(scope["method"], Headers(scope=scope))
        except Refused as refused:
            await answer(refused)(scope, receive, sent)
            return
        await self.app(scope, receive, sent)

    def check(self, method: str, headers: Headers) -> None:
        """Raise for a request that is answered by nobody."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            raise Refused(421, "wrong host")
        if method not in METHODS:
            raise Refused(405, "method not allowed")
        if method not in SAFE:
            if self.settings.read_only:
                raise Refused(403, "read-only")
            self._check_origin(headers, hosts[0])

    def _is_ours(self, host: str) -> bool:
        name, _, port = host.rpartition(":") if not host.endswith("]") and ":" in host else (host, "", "")
        expected = str(self.settings.port)
        return name.lower() in self.settings.names and (port or self._usual_port()) == expected

    def _usual_port(self) -> str:
        return "443" if self.settings.secure else "80"

    def _check_origin(self, headers: Headers, host: str) -> None:
        """Raise unless it is known to come from a page of ours: browsers say so with whatever changes something."""
        scheme = "https" if self.settings.secure else "http"
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin is not None and origin.lower() != f"{scheme}://{host}".lower():
            raise Refused(403, "wrong origin")
        if site is not None and site not in ("same-origin", "none"):
            raise Refused(403, "wrong origin")
        if origin is None and site is None and not headers.get("authorization"):
            raise Refused(403, "no origin")

    def _add_headers(self, headers: MutableHeaders) -> None:
        for name, value in HEADERS:
            headers.setdefault(name, value)
        headers.setdefault("Content-Security-Policy", POLICY)
        headers.setdefault("Cache-Control", "no-store")
        if self.settings.secure:
            headers.setdefault(*STRICT_TRANSPORT)

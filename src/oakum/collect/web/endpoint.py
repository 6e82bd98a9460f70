"""A server behind HTTP -> its answers: one request at a time, bytes as received, never past the time or size allowed.

Targets that are reached otherwise (through an API server, a forwarded port, a socket) are too: `under` makes one
with a prefix, `explain` says in words what a refusal means there.
"""

import re
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import MappingProxyType
from urllib.parse import urlencode, urlsplit

import httpcore

from oakum import __version__
from oakum.collect.web import address, refusal, trouble, vault
from oakum.collect.web.access import Access, basic, check
from oakum.collect.web.address import Place
from oakum.collect.web.body import Body
from oakum.collect.web.pools import Pools
from oakum.collect.web.wire import RequestDeadline, request_deadline, traffic
from oakum.model import Buffer, OakumError, Problem, Text, Unreachable, UsageError

Explain = Callable[[int, str, bytes], Text | None]  # status, path, body -> what it means here; None: nothing to add

_REDIRECTS = 5
_AGAIN = 3  # times that a server is asked again which says when
_PATIENCE = 10  # seconds that it may ask us to wait
_FAULTS = (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError, httpcore.ProxyError)


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What a server answered: also an error page is an answer."""

    status: int
    headers: Mapping[str, str]  # lower case
    data: Buffer
    began: datetime
    ended: datetime
    cut: Text | None = None  # why the body is not whole: "the connection was closed after 812 of 9,000 bytes"
    why: Text | None = None  # what a status other than 200 means, and what to do; None for 200

    @property
    def good(self) -> bool:
        return self.status == 200

    @property
    def page(self) -> Text | None:
        """Return what web page it is: 'a web page titled "Sign in"'; None when it is none. Logins come with 200."""
        return refusal.page(self.data)

    @property
    def fault(self) -> Text:
        """Return why it is not what was asked for."""
        return self.why or self.cut or Text("web.status", {"status": str(self.status)})


@dataclass(frozen=True, slots=True)
class _Question:
    method: str
    path: str
    asked: str  # path and query
    most: int
    data: bytes | None = None
    kind: str = ""
    more: Mapping[str, str] = field(default_factory=dict)
    delivers: bool = False  # a notification: nothing is followed or asked again, and its path may be a secret

    @property
    def headers(self) -> dict[str, str]:
        return {**({"Content-Type": self.kind} if self.kind else {}), **self.more}

    @property
    def shown(self) -> str:
        return "/***" if self.delivers else self.asked


@dataclass(frozen=True)
class HttpEndpoint:
    """Where a server is entered: base address, prefix, credentials. Threads may share one."""

    base: str  # http://10.0.0.7:6060, https+insecure://name:password@host; for a unix socket http://localhost
    access: Access = field(default_factory=Access)
    socket: str | None = None  # the path of a unix socket
    prefix: str = ""  # "/api/v1/nodes/n7/proxy"
    shown: str = ""  # how it is called to people; "": base and prefix
    explain: Explain | None = None
    _user: str | None = field(default=None, repr=False)  # name:password of the address, for this server alone
    _pools: Pools = field(default_factory=Pools, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Take credentials out of the address, at once: nobody can show what is not there."""
        place = address.read(self.base)
        object.__setattr__(self, "base", place.base)
        object.__setattr__(self, "shown", address.without_user(self.shown))
        if place.user:
            basic(place.user)
            object.__setattr__(self, "_user", place.user)
        if place.insecure:
            object.__setattr__(self, "access", replace(self.access, insecure=True))
            if not self.shown:
                object.__setattr__(self, "shown", f"https+insecure{place.base.removeprefix('https')}{self.prefix}")

    @property
    def address(self) -> str:
        """Return what names it, credentials left out."""
        return self.shown or f"{self.base}{self.prefix}"

    @property
    def remarks(self) -> tuple[Problem, ...]:
        """Return what people should know before their credentials are sent: they are, for they were given for it."""
        place = address.read(self.base)
        if self.socket or address.is_loopback(place.host) or not self._sends_credentials(place.scheme):
            return ()
        if place.scheme == "http":
            return (Problem.of("credentials-in-clear", target=self.address),)
        if self.access.insecure:
            return (Problem.of("credentials-unchecked", target=self.address),)
        return ()

    def under(self, prefix: str, shown: str = "", explain: Explain | None = None) -> "HttpEndpoint":
        """Return the same server below a path; it is called as before, with the path, unless `shown` says otherwise."""
        named = shown or (f"{self.shown}{prefix}" if self.shown else "")
        return replace(self, prefix=f"{self.prefix}{prefix}", shown=named, explain=explain or self.explain)

    def url(self, path: str, query: Mapping[str, str] = MappingProxyType({})) -> str:
        """Return the address of a request, as people can repeat it."""
        return f"{self.address}{_asked(path, query)}"

    def get(
        self,
        path: str,
        query: Mapping[str, str] = MappingProxyType({}),
        *,
        seconds: float = 30.0,
        most: int = 512 << 20,
    ) -> Answer:
        """Return what the server answers to a GET; raise Unreachable, in words, when it does not."""
        return self._answered(_Question("GET", path, _asked(path, query), most), RequestDeadline(seconds))

    def post(
        self, path: str, data: bytes, kind: str = "application/json", *, seconds: float = 30.0, most: int = 512 << 20
    ) -> Answer:
        """Return the answer to a question that is too long for an address. Never for what changes the target."""
        return self._answered(_Question("POST", path, path, most, data, kind), RequestDeadline(seconds))

    def deliver(
        self, path: str, data: bytes, headers: Mapping[str, str], *, seconds: float = 10.0, most: int = 64 << 10
    ) -> Answer:
        """Hand over a notification, once: no redirect is followed, no wait is obeyed, and of its address only the host
        is shown: hooks have their secret in the path. Raise Unreachable when there is no answer."""
        check(headers)
        question = _Question("POST", path, path, most, data, "application/json", headers, delivers=True)
        return self._answered(question, RequestDeadline(seconds))

    def failure(self, path: str, why: Text) -> Unreachable:
        """Return the error that a request to a path came to nothing."""
        return Unreachable(Text("web.at", {"where": self.url(path), "why": why}), self.address)

    def close(self) -> None:
        """Let go of the connections; the next request makes new ones."""
        self._pools.close()

    def _answered(self, question: "_Question", mine: RequestDeadline) -> Answer:
        before, begun = request_deadline.set(mine), time.monotonic()
        try:
            answer = self._followed(question, mine)
        except (*_FAULTS, UsageError, OSError, ValueError) as error:
            said = trouble.in_words(error, mine, self.socket, self._pools.proxy)
            told = Text("web.at", {"where": f"{self.address}{question.shown}", "why": said})
            raise Unreachable(vault.hidden_in(told), self.address) from error
        finally:
            request_deadline.reset(before)
            if (counted := traffic.get()) is not None:
                counted.waits.append(time.monotonic() - begun)
        if answer.good or answer.why:
            return answer
        body = bytes(answer.data[:65536])
        meant = self.explain(answer.status, question.path, body) if self.explain else None
        known = bool(self.access.tls_cert) or self._sends_credentials(urlsplit(self.base).scheme)
        why = meant or refusal.in_words(answer.status, answer.headers, body, known, self._pools.proxy)
        return replace(answer, why=vault.hidden_in(why))

    def _followed(self, question: "_Question", mine: RequestDeadline) -> Answer:
        """Follow redirects that stay here; ask again when the server says when."""
        url = f"{self.base}{address.encoded(self.prefix + question.asked)}"
        below = f"{urlsplit(self.base).path}{self.prefix}".rstrip("/")
        again = redirects = 0
        while True:
            answer = self._retried(question, url, mine)
            if question.delivers:
                return answer
            there = answer.headers.get("location", "")
            if answer.status in (301, 302, 303, 307, 308) and there:
                there = address.joined(url, there)
                if not address.stays(url, there, below, one_port=self.socket is not None):
                    # Credentials stay home, and what another host says is no evidence of this one.
                    return replace(answer, why=trouble.elsewhere(there))
                redirects += 1
                if redirects > _REDIRECTS:
                    return replace(answer, why=trouble.in_circles(there))
                url = there
                continue
            wait = _retry_after(answer)
            if wait is None or again == _AGAIN or not mine.has(wait + 1):
                return answer
            again += 1
            time.sleep(wait)

    def _retried(self, question: "_Question", url: str, mine: RequestDeadline) -> Answer:
        """Ask; once more when the connection was an old one, which the server closed just as it was used."""
        mine.begin()
        try:
            return self._once(question, url, mine)
        except (httpcore.RemoteProtocolError, httpcore.ReadError, httpcore.WriteError):
            if mine.anew or mine.heard:
                raise
        mine.begin()
        return self._once(question, url, mine)

    def _once(self, question: "_Question", url: str, mine: RequestDeadline) -> Answer:
        began, cut = datetime.now(UTC), None
        place = address.read(url.partition("?")[0])
        pool = self._pools.of(place, self.access, self.socket)
        target = address.encoded(_target(url))
        there = httpcore.URL(scheme=place.scheme, host=place.host, port=place.port, target=target)
        headers = list((self._headers(place) | question.headers).items())
        counted = traffic.get()
        with (
            closing(Body(counted.bounded(question.most) if counted else question.most)) as body,
            pool.stream(question.method, there, headers=headers, content=question.data) as reply,
        ):
            found = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in reply.headers}
            mine.phase = "body"
            try:
                for chunk in reply.iter_stream():
                    if not body.add(chunk):
                        break
                cut = body.full
            except _FAULTS as error:
                if not body.size and reply.status == 200:
                    raise
                cut = trouble.broken_off(error, mine, body.size, found.get("content-length"))
            found.pop("set-cookie", None)  # a session is a credential
            return Answer(reply.status, MappingProxyType(found), body.data(), began, datetime.now(UTC), cut)

    def _headers(self, place: Place) -> dict[str, str]:
        """Return all headers of a request; what says who asks is noted, so that it is never written."""
        given = self.access.sent(place.scheme)
        if self._user:
            given = {name: value for name, value in given.items() if name.lower() != "authorization"}
            given["Authorization"] = basic(self._user)
        check(given)
        vault.note_headers(given)
        names = {name.lower() for name in given}
        ours = {
            "Host": place.named,
            "User-Agent": f"oakum/{__version__}",
            "Accept": "*/*",
            "Accept-Encoding": "identity",
        }
        return {name: value for name, value in ours.items() if name.lower() not in names} | given

    def _sends_credentials(self, scheme: str) -> bool:
        try:
            given = self.access.sent(scheme)
        except OakumError:
            return False
        return bool(self._user) or any(vault.is_sensitive(name) for name in given)


def _asked(path: str, query: Mapping[str, str]) -> str:
    return f"{path}{'?' if query else ''}{urlencode(query)}"


def _target(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"


def _retry_after(answer: Answer) -> float | None:
    """Return the seconds after which a server wants to be asked again; an API server that is busy says 1."""
    said = answer.headers.get("retry-after", "")
    if answer.status not in (429, 503) or not re.fullmatch(r"[0-9]{1,3}", said) or int(said) > _PATIENCE:
        return None
    return max(0.1, float(said))

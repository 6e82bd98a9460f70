"""An API server on the loopback: what a real one answered is played again, to whoever shows the same credentials.

Comes in: testdata/exchanges.json, or a cluster that runs (tests/cluster), whose answers are then written there. Goes out:
a server that speaks TLS, knows users by certificate and token, and refuses with the refusals that were recorded.
"""

import http.client
import json
import re
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Protocol, cast
from urllib.parse import parse_qsl, urlencode, urlsplit

from cluster.world import CONTROL, USERS

TESTDATA = Path(__file__).with_name("testdata")
TLS = TESTDATA / "tls"
TOKENS = {f"token-of-{user}": user for user in USERS}

_KEPT = ("content-type", "content-encoding", "location", "www-authenticate", "retry-after")
_INLINE = 4096  # bytes of text that stand in exchanges.json itself


@dataclass(frozen=True)
class Exchange:
    """A request, who asked, and what was answered."""

    who: str  # admin, reader ...; stranger: a token that nobody knows; anonymous: no credentials at all
    request: str  # "GET /api/v1/nodes?labelSelector=..."
    status: int
    headers: dict[str, str]
    body: bytes


class Source(Protocol):
    """Where answers come from: a recording or a cluster."""

    def answer(self, who: str, method: str, path: str, headers: dict[str, str]) -> Exchange:
        """Return what is answered to a request."""


class Recording:
    """The answers that were recorded."""

    def __init__(self, folder: Path = TESTDATA) -> None:
        stored = json.loads((folder / "exchanges.json").read_text(encoding="utf-8"))
        self._answers = {(one.who, one.request): one for one in (_read(row, folder) for row in stored)}
        self.missing: list[str] = []  # what was asked, and is not there

    def answer(self, who: str, method: str, path: str, headers: dict[str, str]) -> Exchange:
        """Return what was answered to this user; a stranger is refused everywhere alike."""
        request = normal(method, path)
        found = self._answers.get((who, request))
        if found is None and who == "stranger":
            found = next(one for one in self._answers.values() if one.who == who)
        if found is None:
            self.missing.append(f"{who}: {request}")
            return Exchange(who, request, 501, {}, b"not recorded; make live-cluster records what the tests ask")
        return found


@dataclass
class Live:
    """The answers of a cluster, kept while they are given."""

    folder: Path  # of the cluster: certificates and tokens
    kept: dict[tuple[str, str], Exchange] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    def answer(self, who: str, method: str, path: str, headers: dict[str, str]) -> Exchange:
        """Ask the cluster with the credentials that this user has there."""
        rows = (self.folder / "tokens.csv").read_text(encoding="utf-8").splitlines()
        tokens = {row.split(",")[1]: row.split(",")[0] for row in rows} | {"stranger": "of-another-cluster"}
        context = ssl.create_default_context(cafile=self.folder / "ca.crt")
        if who == "admin":
            context.load_cert_chain(self.folder / "admin.crt", self.folder / "admin.key")
        sent = {name: value for name, value in headers.items() if name.lower() not in ("host", "authorization")}
        if who in tokens:
            sent["Authorization"] = f"Bearer {tokens[who]}"
        connection = http.client.HTTPSConnection(CONTROL, 6443, context=context, timeout=60)
        try:
            connection.request(method, path, headers=sent)
            reply = connection.getresponse()
            if reply.status == 101:
                return Exchange(who, path, 501, {}, b"what follows an upgrade is not recorded")
            body = reply.read()
        finally:
            connection.close()
        found = {name.lower(): value for name, value in reply.getheaders()}
        request = normal(method, path)
        kept = {name: found[name] for name in _KEPT if name in found}
        exchange = Exchange(who, request, reply.status, kept, _small(request, body))
        # The first answer stays: later ones differ only in what has happened since.
        return self.kept.setdefault((who, request), exchange)

    def write(self, folder: Path = TESTDATA) -> None:
        """Write what was kept; a body is a file of its own where it is long or no text."""
        bodies = folder / "bodies"
        bodies.mkdir(parents=True, exist_ok=True)
        for old in bodies.iterdir():
            old.unlink()
        rows = []
        for number, one in enumerate(sorted(self.kept.values(), key=lambda one: (one.who, one.request)), 1):
            row: dict[str, object] = {
                "who": one.who,
                "request": one.request,
                "status": one.status,
                "headers": one.headers,
            }
            text = _text(one.body)
            if text is not None and len(one.body) <= _INLINE:
                row["body"] = text
            else:
                row["file"] = f"bodies/{number:02d}-{Path(urlsplit(one.request).path).name}"
                (folder / str(row["file"])).write_bytes(one.body)
            rows.append(row)
        (folder / "exchanges.json").write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def normal(method: str, path: str) -> str:
    """Return a request in one spelling: the order of a query says nothing."""
    parts = urlsplit(path)
    query = urlencode(sorted(parse_qsl(parts.query, keep_blank_values=True)))
    return f"{method} {parts.path}{'?' if query else ''}{query}"


def _read(row: dict[str, str], folder: Path) -> Exchange:
    body = (folder / row["file"]).read_bytes() if "file" in row else row["body"].encode()
    return Exchange(row["who"], row["request"], int(row["status"]), dict(row["headers"]), body)  # type: ignore[arg-type]


def _text(body: bytes) -> str | None:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None


def _small(request: str, body: bytes) -> bytes:
    """Return a body short enough to keep: of the metrics of a component, which are a megabyte, those of every Go program."""
    if not urlsplit(request.split(" ")[1]).path.endswith("/metrics") or len(body) < _INLINE:
        return body
    families = (
        b"go_goroutines",
        b"go_threads",
        b"go_info",
        b"go_memstats_",
        b"go_gc_",
        b"process_",
        b"kubernetes_build_info",
    )
    lines = body.splitlines(keepends=True)
    return b"".join(
        line for line in lines if line.removeprefix(b"# HELP ").removeprefix(b"# TYPE ").startswith(families)
    )


def _nobody_else(one: Exchange) -> bytes:
    """Return a body without the addresses of nodes: a client that goes there directly finds nobody, at once."""
    path = urlsplit(one.request.split(" ")[1]).path
    if not path.startswith("/api/v1/nodes") or "/proxy" in path:
        return one.body
    return re.sub(rb'"10\.240\.0\.\d+"', b'"127.0.0.1"', one.body).replace(b'"Port":10250', b'"Port":9')


@contextmanager
def serving(source: Source) -> Iterator[str]:
    """Serve a source; give the address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # an answer is one packet: the second of two would wait 40 ms for the first to be acknowledged

        def do_GET(self) -> None:
            self._answer()

        do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_GET  # noqa: N815

        def _answer(self) -> None:
            one = source.answer(self._who(), self.command, self.path, dict(self.headers.items()))
            body = _nobody_else(one)
            self.send_response(one.status)
            for name, value in one.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            self.wfile.flush()

        def _who(self) -> str:
            assert isinstance(self.connection, ssl.SSLSocket)
            shown = self.connection.getpeercert() or {}
            subject = cast(tuple[tuple[tuple[str, str], ...], ...], shown.get("subject", ()))
            for ((key, value),) in subject:
                if key == "commonName":
                    return value
            said = self.headers.get("Authorization", "")
            return TOKENS.get(said.removeprefix("Bearer "), "stranger") if said else "anonymous"

        def log_message(self, *_: object) -> None:
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "server.crt", TLS / "server.key")
    context.load_verify_locations(TLS / "ca.crt")
    context.verify_mode = ssl.CERT_OPTIONAL
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    # The handshake is the handler's, in a thread of its own: a client that does not speak must not block the others.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"https://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


__all__ = ["TESTDATA", "TLS", "TOKENS", "Exchange", "Live", "Recording", "normal", "serving"]

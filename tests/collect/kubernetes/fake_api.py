"""An API server and the programs in its pods, on loopback: for what no real one does when it is asked to.

Comes in: answers by path, and where each port of a pod leads. Goes out: a kubeconfig. What a real cluster answers is in
test_recorded.py; here are faults, several API servers, and pods that end.
"""

import json
import socket
import struct
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER, SSLContext, TLSVersion
from types import MappingProxyType
from urllib.parse import parse_qs, urlsplit

import yaml
from websockets.datastructures import Headers
from websockets.http11 import Request, Response
from websockets.sync.server import ServerConnection, serve

TLS = Path(__file__).with_name("testdata") / "tls"
INDEX = (
    b"<html><body><table><tr><td>3</td><td><a href='goroutine?debug=1'>goroutine</a></td></tr></table></body></html>"
)
Destination = int | str  # a port of this machine, or what the runtime says instead


class FakeApi:
    """What is answered: by path; by pod and port."""

    def __init__(self) -> None:
        self.address = ""
        self.forget()

    def forget(self) -> None:
        """Be as new."""
        self.answers: dict[str, tuple[int, object]] = {}
        self.ports: dict[tuple[str, int], Destination] = {}
        self.asked: list[str] = []
        self.tokens: list[str] = []
        self.proxy: str | None = None  # before it
        self.below = ""  # the path of the cluster

    def pod(self, name: str, namespace: str = "shop", **more: object) -> dict[str, object]:
        """Let there be a pod; return it as the API server describes it."""
        found: dict[str, object] = {
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"nodeName": "n1", "containers": [{"name": "main"}]},
            "status": {"phase": "Running"},
        } | more
        self.answers[f"/api/v1/namespaces/{namespace}/pods/{name}"] = (200, found)
        return found

    def pods(self, namespace: str, *pods: dict[str, object]) -> None:
        """Let these be the pods of a namespace, whatever the selector."""
        self.answers[f"/api/v1/namespaces/{namespace}/pods"] = (200, {"items": list(pods), "metadata": {}})

    def kubeconfig(self, folder: Path, **user: object) -> str:
        """Return a kubeconfig for it."""
        cluster = {"server": self.address + self.below, "certificate-authority": str(TLS / "ca.crt")}
        if self.proxy:
            cluster["proxy-url"] = self.proxy
        content = {
            "clusters": [{"name": "fake", "cluster": cluster}],
            "users": [{"name": "jane", "user": user or {"token": "token-of-jane"}}],
            "contexts": [{"name": "fake", "context": {"cluster": "fake", "user": "jane", "namespace": "shop"}}],
            "current-context": "fake",
        }
        path = folder / f"kubeconfig-{self.address.rsplit(':', 1)[1]}"
        path.write_text(yaml.safe_dump(content), encoding="utf-8")
        return str(path)

    def reply(self, _: ServerConnection, request: Request) -> Response | None:
        """Answer what is no port-forward."""
        path = urlsplit(request.path).path.removeprefix(self.below)
        self.asked.append(request.path)
        self.tokens.append(request.headers.get("Authorization", ""))
        if path.endswith("/portforward") and path not in self.answers:
            return None
        missing = {"kind": "Status", "message": "the server could not find the requested resource", "code": 404}
        status, body = self.answers.get(path, (404, missing))
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = Headers({"Content-Length": str(len(data)), "Connection": "close"})
        return Response(status, "", headers, data)

    def forward(self, tunnel: ServerConnection) -> None:
        """Forward a port, as kubelet and runtime do."""
        request = tunnel.request
        assert request is not None
        parts = urlsplit(request.path)
        port = int(parse_qs(parts.query)["ports"][0])
        leads = self.ports.get((parts.path.split("/")[-2], port), "dial tcp4 127.0.0.1: connect: connection refused")
        tunnel.send(b"\x00" + struct.pack("<H", port))
        tunnel.send(b"\x01" + struct.pack("<H", port))
        if isinstance(leads, str):
            if leads:
                tunnel.send(b"\x01" + f"error forwarding port {port} to pod 4e12, uid : {leads}".encode())
            return
        with socket.create_connection(("127.0.0.1", leads)) as there:
            threading.Thread(target=_upwards, args=(tunnel, there), daemon=True).start()
            with suppress(OSError):
                while data := there.recv(65536):
                    tunnel.send(b"\x00" + data)


def _upwards(tunnel: ServerConnection, there: socket.socket) -> None:
    with suppress(OSError):
        for message in tunnel:
            assert isinstance(message, bytes)
            there.sendall(message[1:])
        there.shutdown(socket.SHUT_RDWR)


@contextmanager
def api_server() -> Iterator[FakeApi]:
    """Run an API server with TLS, as the certificates of the recorded one allow."""
    fake = FakeApi()
    context = SSLContext(PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "server.crt", TLS / "server.key")
    # websockets reads and writes in two threads, which OpenSSL forbids; before 1.3 it goes well.
    context.maximum_version = TLSVersion.TLSv1_2
    with serve(fake.forward, "127.0.0.1", 0, process_request=fake.reply, ssl=context, compression=None) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        fake.address = f"https://127.0.0.1:{server.socket.getsockname()[1]}"
        yield fake
        server.shutdown()
        thread.join(10)


class _Program(BaseHTTPRequestHandler):
    pages: dict[str, tuple[int, bytes]]
    credentials: list[str]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.credentials.append(self.headers.get("Authorization", ""))
        status, body = self.pages.get(urlsplit(self.path).path, (404, b"404 page not found\n"))
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def program(
    tls: Path | None = None, pages: Mapping[str, bytes] = MappingProxyType({})
) -> Iterator[tuple[int, list[str]]]:
    """Run a program that serves pprof, with a certificate and key; return its port, and the tokens that it was shown."""
    served = {"/debug/pprof/": (200, INDEX), "/debug/pprof/goroutine": (200, b"goroutine profile: total 3\n")}
    shown: list[str] = []
    kind = type(
        "Program",
        (_Program,),
        {"pages": served | {path: (200, page) for path, page in pages.items()}, "credentials": shown},
    )
    server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    if tls:
        context = SSLContext(PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls, tls.with_suffix(".key") if tls.suffix == ".crt" else None)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.server_address[1], shown
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


@contextmanager
def proxy() -> Iterator[tuple[int, list[str]]]:
    """Run a proxy that understands CONNECT; return its port, and what it was asked."""
    asked: list[str] = []

    def serve_one(client: socket.socket) -> None:
        with client, client.makefile("rb") as lines:
            head = [line.decode().strip() for line in iter(lines.readline, b"\r\n")]
            asked.extend(head)
            host, port = head[0].split()[1].rsplit(":", 1)
            with socket.create_connection((host, int(port))) as there:
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                threading.Thread(target=_pump, args=(there, client), daemon=True).start()
                _pump(client, there)

    def accept() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=serve_one, args=(listener.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1], asked
        listener.shutdown(socket.SHUT_RDWR)


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_RDWR)


__all__ = ["INDEX", "TLS", "FakeApi", "api_server", "program", "proxy"]

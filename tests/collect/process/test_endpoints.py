"""Where a process listens, and what is spoken there; TLS is that of a Go server in tests/collect/web."""

import os
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import ThreadingUnixStreamServer
from threading import Thread

import pytest

from oakum.collect.process import endpoints
from oakum.collect.process.proc import Proc
from oakum.collect.web import Access
from oakum.model import Socket

ME = Proc(os.getpid())


def listening(local: str, kind: str = "tcp") -> Socket:
    return Socket(kind, "LISTEN", 0, 0, local, "*")


def test_addresses_that_can_be_asked_likely_ones_first() -> None:
    rows = [listening(local) for local in ("0.0.0.0:8080", "[::]:9090", "10.0.0.7:443", "[::1]:6060", "0.0.0.0:8080")]
    assert [endpoint.address for endpoint in endpoints.endpoints(rows, ME)] == [
        "http://[::1]:6060", "http://127.0.0.1:8080", "http://127.0.0.1:9090", "http://10.0.0.7:443",
    ]  # fmt: skip


def test_sockets_of_a_container_are_entered_through_its_root(tmp_path: Path) -> None:
    inside = tmp_path / "12" / "root" / "run"
    inside.mkdir(parents=True)
    (inside / "app.sock").touch()
    rows = [listening("/run/app.sock", "u_str"), listening("@abstract", "u_str"), listening("relative", "u_str")]
    assert [endpoint.socket for endpoint in endpoints.endpoints(rows, Proc(12, tmp_path))] == [
        str(inside / "app.sock"),
        "\0abstract",
    ]


def test_no_credentials_where_no_http_is_spoken(tmp_path: Path) -> None:
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as silent:

        def listen() -> None:
            client = silent.accept()[0]
            heard.append(client.recv(65536))
            client.sendall(b"SSH-2.0-x\r\n")
            client.close()

        thread = Thread(target=listen)
        thread.start()
        row = listening(f"127.0.0.1:{silent.getsockname()[1]}")
        assert list(endpoints.answering([row], ME, Access(token="hunter2"))) == []
        thread.join()
    assert b"GET /debug/pprof/ " in heard[0]
    assert b"hunter2" not in heard[0]


class Answers(BaseHTTPRequestHandler):
    status, body, seen = 404, b"404 page not found\n", ""

    def do_GET(self) -> None:
        type(self).seen = self.headers.get("Authorization", "")
        self.send_response(self.status)
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, format: str, *args: object) -> None:
        pass


class Unix(ThreadingUnixStreamServer):
    daemon_threads = True

    def get_request(self) -> tuple[socket.socket, tuple[str, int]]:  # a client needs a name
        return super().get_request()[0], ("local", 0)


@pytest.mark.parametrize("unix", [False, True])
def test_a_door_that_speaks_http(tmp_path: Path, unix: bool) -> None:
    path = str(tmp_path / "s")
    server = Unix(path, Answers) if unix else ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    row = listening(path, "u_str") if unix else listening(f"127.0.0.1:{server.socket.getsockname()[1]}")
    thread = Thread(target=lambda: server.serve_forever(0.01))
    thread.start()
    try:
        (endpoint,) = endpoints.answering([row], ME, Access(token="hunter2"))
        assert Answers.seen == ""
        assert endpoint.get("/").status == 404
        assert Answers.seen == "Bearer hunter2"
        assert endpoint.address == (f"unix://{path}:" if unix else f"http://{row.local}")
        endpoint.close()
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_door_that_wants_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Answers, "status", 400)
    monkeypatch.setattr(Answers, "body", b"Client sent an HTTP request to an HTTPS server.\n")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = Thread(target=lambda: server.serve_forever(0.01))
    thread.start()
    try:
        port = server.server_address[1]
        (endpoint,) = endpoints.answering([listening(f"0.0.0.0:{port}")], ME, Access())
        assert (endpoint.base, endpoint.address) == (f"https://127.0.0.1:{port}", f"https+insecure://127.0.0.1:{port}")
        assert endpoint.access.insecure
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

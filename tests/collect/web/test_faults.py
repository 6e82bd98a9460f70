"""Servers on a bad day: each fault is a sentence that says what happened and what to do; never late, nothing lost."""

import errno
import mmap
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpcore
import pytest

from collect.web.faults import Connection, Talk, answer, says, serving
from oakum.collect.web import Access, HttpEndpoint
from oakum.model import Text, Unreachable
from oakum.report.words import size
from oakum.report.words.lines import error_line, worded

SOON = 0.1  # the time-out of requests that shall not be answered in time
WHILE = 0.5  # the same, where something shall come before
LATE = 5.0  # what is taken for a hang, on a slow machine too


@pytest.fixture(autouse=True)
def straight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Go to servers without a proxy, which the machine may have been told of."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def trouble(endpoint: HttpEndpoint, path: str = "/debug/pprof/heap", seconds: float = 20.0) -> str:
    """Return what is said when there is no answer; the address stands before it."""
    began = time.monotonic()
    with pytest.raises(Unreachable) as raised:
        endpoint.get(path, seconds=seconds)
    assert time.monotonic() - began < seconds + LATE
    assert raised.value.origin == endpoint.address
    said = error_line(raised.value)
    assert said.startswith(f"{endpoint.address}{path}: ")
    return said.removeprefix(f"{endpoint.address}{path}: ")


def free_port() -> int:
    """Return a port where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def test_refusing() -> None:
    assert trouble(HttpEndpoint(f"http://127.0.0.1:{free_port()}")) == "connection refused: nothing listens there"


# Time.


def test_hanging() -> None:
    with serving(Connection.hold) as server:
        said = trouble(HttpEndpoint(server.base), seconds=SOON)
    assert said == "connected, but no answer within 0.1 s; raise --timeout"


def test_a_byte_of_the_header_now_and_then() -> None:
    def talk(connection: Connection) -> None:
        connection.request()
        connection.drip(b"HTTP/1.1 200 OK\r\n" + b"X-Wait: yes\r\n" * 10_000)

    with serving(talk) as server:
        assert "no answer within 0.1 s" in trouble(HttpEndpoint(server.base), seconds=SOON)


def test_a_byte_of_the_body_now_and_then() -> None:
    def talk(connection: Connection) -> None:
        connection.request()
        connection.send(answer(b"goroutine 1 [running]:", length=10_000))
        connection.drip(b"x" * 10_000)

    with serving(talk) as server:
        began = time.monotonic()
        got = HttpEndpoint(server.base).get("/", seconds=WHILE)
        assert time.monotonic() - began < LATE
    assert got.good
    assert bytes(got.data[:23]) == b"goroutine 1 [running]:x"
    assert worded(got.cut).startswith("the time (0.5 s) was up after ")
    assert worded(got.cut).endswith(" of 10,000 bytes; raise --timeout")


def test_a_body_that_never_comes() -> None:
    def talk(connection: Connection) -> None:
        connection.request()
        connection.send(answer(length=10))
        connection.hold()

    with serving(talk) as server:
        assert trouble(HttpEndpoint(server.base), seconds=WHILE).startswith(
            "it began to answer, but nothing came within 0.5 s"
        )


def test_tiny_chunks_without_end() -> None:
    def talk(connection: Connection) -> None:
        connection.request()
        connection.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            connection.send(b"1\r\nx\r\n" * 5_000)

    with serving(talk) as server:
        got = HttpEndpoint(server.base).get("/", seconds=WHILE)
    assert "the time (0.5 s) was up" in worded(got.cut)
    assert len(got.data)


def test_a_thousand_times_continue() -> None:
    def talk(connection: Connection) -> None:
        connection.request()
        while True:
            connection.send(b"HTTP/1.1 100 Continue\r\n\r\n")

    with serving(talk) as server:
        assert "no answer within" in trouble(HttpEndpoint(server.base), seconds=SOON)


def test_a_listener_that_accepts_nobody() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(listener.getsockname())
        said = trouble(HttpEndpoint(f"http://127.0.0.1:{listener.getsockname()[1]}"), seconds=SOON)
        for each in waiting:
            each.close()
    assert said == "no connection within 0.1 s: a firewall or NetworkPolicy drops packets, or the host is down"


# What is not whole.


def test_half_closed() -> None:
    def talk(connection: Connection) -> None:
        connection.request()
        connection.socket.shutdown(socket.SHUT_WR)
        connection.hold()

    with serving(talk) as server:
        assert (
            trouble(HttpEndpoint(server.base))
            == "it closed the connection without an answer; does it want https://, or speak HTTP/2 alone (gRPC)?"
        )


def test_closed_in_the_headers() -> None:
    with serving(says(b"HTTP/1.1 200 OK\r\nContent-")) as server:
        assert trouble(HttpEndpoint(server.base)) == "it closed the connection in the middle of the headers"


@pytest.mark.parametrize(
    ("sent", "cut"),
    [
        (answer(b"heap profile: 1", length=9_000), "the connection was closed after 15 of 9,000 bytes"),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nf\r\nheap profile: 1\r\nff\r\n",
            "the connection was closed after 15 bytes",
        ),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nf\r\nheap profile: 1\r\nzz\r\n",
            "the connection was closed after 15 bytes",
        ),
    ],
)
def test_what_came_of_a_truncated_body_is_kept(sent: bytes, cut: str) -> None:
    with serving(says(sent)) as server:
        got = HttpEndpoint(server.base).get("/")
    assert (got.status, bytes(got.data), worded(got.cut)) == (200, b"heap profile: 1", cut)


@pytest.mark.parametrize("chunked", [False, True])
def test_an_answer_that_breaks_off_at_any_byte(chunked: bool) -> None:
    """Whatever of the body came is kept, and told to be a part; before it, there is a sentence."""
    whole = answer(b"heap profile", "200 OK")
    if chunked:
        whole = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nheap \r\n7\r\nprofile\r\n0\r\n\r\n"
    sizes = iter(range(len(whole)))
    body = whole.index(b"\r\n\r\n") + 4
    with serving(lambda connection: says(whole[: next(sizes)])(connection)) as server:
        for size in range(len(whole)):
            try:
                got = HttpEndpoint(server.base).get("/")
            except Unreachable as error:
                assert size < body + 4
                cut = error_line(error)
            else:
                assert b"heap profile".startswith(got.data)
                cut = worded(got.cut)
            assert "closed" in cut


def test_an_error_whose_page_breaks_off_is_still_that_error() -> None:
    with serving(says(answer(status="403 Forbidden", length=100))) as server:
        got = HttpEndpoint(server.base).get("/")
    assert (got.status, worded(got.cut)) == (403, "the connection was closed after 0 of 100 bytes")
    assert worded(got.why).startswith("403, authentication required")


def test_reset_in_the_body() -> None:
    def talk(connection: Connection) -> None:
        connection.request()
        connection.send(answer(b"x" * 10, length=100))
        # Closed with a reset instead of an end.
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")

    with serving(talk) as server:
        try:
            said = worded(HttpEndpoint(server.base).get("/").cut)
        except Unreachable as error:  # the reset may overtake the bytes
            said = error_line(error)
    assert "closed after" in said or "reset" in said


# Too much.


def endless(connection: Connection) -> None:
    """Send ten gigabytes."""
    connection.request()
    connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n")
    block = bytes(1 << 16)
    while True:
        connection.send(block)


@pytest.mark.parametrize("most", [1000, 65_536, (8 << 20) - 1, 8 << 20, (8 << 20) + 1, 20 << 20])
def test_a_body_is_cut_at_the_most_that_is_allowed(most: int) -> None:
    with serving(endless) as server:
        got = HttpEndpoint(server.base).get("/", most=most)
    assert len(got.data) == most
    assert isinstance(got.data, mmap.mmap) == (most > 8 << 20)
    assert worded(got.cut) == f"it was cut at {size(most)}, the most that is taken of one answer"


def test_a_body_of_just_the_most_is_whole() -> None:
    with serving(says(answer(b"x" * 1000))) as server:
        got = HttpEndpoint(server.base).get("/", most=1000)
    assert (len(got.data), worded(got.cut)) == (1000, "")


@pytest.mark.slow
def test_memory_stays_small_whatever_comes() -> None:
    """A process that takes 256 MiB of a body without end must not need them in memory."""
    code = """
import resource, sys
from oakum.collect.web import HttpEndpoint
endpoint = HttpEndpoint(sys.argv[1])
endpoint.get("/", most=1 << 20)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
got = endpoint.get("/", most=256 << 20)
assert len(got.data) == 256 << 20
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    with serving(endless) as server:
        run = subprocess.run(
            [sys.executable, "-c", code, server.base], capture_output=True, text=True, timeout=60, check=False
        )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) < 48 << 10  # KiB


def test_a_full_disk_cuts_and_keeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of this process may not grow beyond 9 MiB: writing fails in the middle, as on a full disk."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with limited_files(9 << 20), serving(endless) as server:
        got = HttpEndpoint(server.base).get("/", most=64 << 20)
        assert len(got.data) == 9 << 20
        assert worded(got.cut).startswith("it was cut at 9.0 MiB: ")
        assert worded(got.cut).endswith("; TMPDIR names another place")
    with limited_files(4 << 20), serving(endless) as server:
        got = HttpEndpoint(server.base).get("/", most=64 << 20)
        assert len(got.data) >= 8 << 20


@contextmanager
def limited_files(size: int) -> Iterator[None]:
    """Let no file become larger than this; Python ignores the signal that comes with it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_headers_without_end() -> None:
    def talk(connection: Connection) -> None:
        connection.request()
        connection.send(b"HTTP/1.1 200 OK\r\n")
        while True:
            connection.send(b"X-More: " + b"x" * 8000 + b"\r\n")

    with serving(talk) as server:
        assert trouble(HttpEndpoint(server.base)) == "its headers are longer than 100 KiB: not a Go server"


def test_a_gzip_bomb_is_bytes() -> None:
    bomb = b"\x1f\x8b\x08" + b"\0" * 5000
    with serving(says(answer(bomb, "200 OK", "Content-Encoding: gzip, br, nonsense"))) as server:
        assert bytes(HttpEndpoint(server.base).get("/").data) == bomb


# What is not what was asked for.


def test_a_wrong_content_type_does_not_matter() -> None:
    with serving(says(answer(b"goroutine profile: total 3", "200 OK", "Content-Type: image/png"))) as server:
        got = HttpEndpoint(server.base).get("/")
    assert (got.good, worded(got.page), bytes(got.data)) == (True, "", b"goroutine profile: total 3")


@pytest.mark.parametrize(
    ("page", "said"),
    [
        (
            b"<!DOCTYPE html><title>Sign in\n - Grafana</title>",
            'a web page titled "Sign in - Grafana" (a login, it seems)',
        ),
        (b"\n<!-- made by x --><HTML><body><input type=password>", "a web page (a login, it seems)"),
        (b"<html><head><title>\x1b[31m/debug/pprof/</title>", 'a web page titled "?[31m/debug/pprof/"'),
        (b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0">', "a web page"),
        (b"<" * 70_000, ""),
        (b'go_info{version="<html>"} 1', ""),
        (b"", ""),
    ],
)
def test_a_login_page_with_200_is_told_as_a_page(page: bytes, said: str) -> None:
    with serving(says(answer(page))) as server:
        got = HttpEndpoint(server.base).get("/")
    assert (got.good, worded(got.page)) == (True, said)


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (b"SSH-2.0-OpenSSH_9.2p1 Debian\r\n", 'it does not speak HTTP; it said "SSH-2.0-OpenSSH_9.2p1 Debian"'),
        (b"-ERR unknown command\r\n", 'it does not speak HTTP; it said "-ERR unknown command"'),
        (bytes(range(9, 200)), 'it does not speak HTTP; it said "'),
        (b"\x15\x03\x01\x00\x02\x02\x46", "it speaks TLS; try https://"),
        (
            b"\x00\x00\x12\x04\x00\x00\x00\x00\x00" + bytes(18),
            "it speaks HTTP/2 only (gRPC?); pprof is served elsewhere",
        ),
        (b"HTTP/1.1 nonsense\r\n\r\n", "the answer is not HTTP"),
        (b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "the answer is not HTTP"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "the answer is not HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", "the answer is not HTTP"),
    ],
)
def test_garbage_is_named_at_once(sent: bytes, said: str) -> None:
    def talk(connection: Connection) -> None:
        connection.request()
        connection.send(sent)
        connection.hold()  # who waits for the rest would wait forever

    with serving(talk) as server:
        told = trouble(HttpEndpoint(server.base))
    assert told.startswith(said)
    assert told.isprintable()


@pytest.mark.parametrize(
    ("status", "headers", "text", "said"),
    [
        ("401 Unauthorized", (), b"", "401, authentication required; authenticate with --token, --token-file or --tls-cert"),
        (
            "401 Unauthorized",
            ('WWW-Authenticate: Basic realm="metrics"',),
            b"<html>log in</html>",
            "401, authentication required; authenticate with NAME:PASSWORD@ in the address",
        ),
        (
            "401 Unauthorized",
            ("WWW-Authenticate: Negotiate",),
            b"",
            "401, authentication required; it asks for 'negotiate'; authenticate with -H 'Authorization: ...'",
        ),
        (
            "403 Forbidden",
            (),
            b"forbidden\nmore",
            "403, authentication required (--token, --tls-cert): forbidden",
        ),
        ("404 Not Found", (), b"404 page not found\n", "404, not found: 404 page not found"),
        ("418 I'm a teapot", (), b"\x1b[2Jshort", "418: ?[2Jshort"),
        ("407 Proxy Authentication Required", (), b"", "407, the proxy requires authentication: http://NAME:PASSWORD@HOST:PORT"),
        ("429 Too Many Requests", (), b"", "429, rate limited; wait, or lower --parallel"),
        ("500 Internal Server Error", (), b"Unknown profile", "500, it failed: Unknown profile"),
        ("502 Bad Gateway", (), b"", "502, the proxy, ingress or service mesh got no answer from the server"),
        ("503 Service Unavailable", ("Retry-After: 3600",), b"", "503, it is overloaded, starting, or not behind its proxy"),
        ("504 Gateway Timeout", (), b"", "504, the proxy, ingress or service mesh got no answer from the server"),
        ("400 Bad Request", (), b"Client sent an HTTP request to an HTTPS server.\n", "it speaks TLS; try https://"),
    ],
)  # fmt: skip
def test_a_refusal_says_what_to_do(status: str, headers: tuple[str, ...], text: bytes, said: str) -> None:
    with serving(says(answer(text, status, *headers))) as server:
        got = HttpEndpoint(server.base).get("/")
    assert (got.good, worded(got.why)) == (False, said)


def test_those_who_know_more_explain_a_refusal() -> None:
    def explain(status: int, path: str, text: bytes) -> Text | None:
        return Text("web.at", {"where": path, "why": f"needs nodes/proxy ({text.decode()})"}) if status == 403 else None

    with serving(says(answer(b"no secret-token here", "403 Forbidden"))) as server:
        endpoint = HttpEndpoint(server.base, Access(token="secret-token")).under("/proxy", explain=explain)
        assert worded(endpoint.get("/heap").why) == "/heap: needs nodes/proxy (no *** here)"
    with serving(says(answer(b"", "404 Not Found"))) as server:
        assert worded(HttpEndpoint(server.base, explain=explain).get("/heap").why) == "404, not found"


# Names and routes.


def test_a_name_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    for number, said in (
        (socket.EAI_NONAME, "no such host; cluster-internal names"),
        (socket.EAI_AGAIN, "DNS lookup failed: the name server does not answer"),
    ):

        def fail(*_: object, number: int = number, **__: object) -> None:
            raise socket.gaierror(number, "as the resolver says")

        monkeypatch.setattr(socket, "getaddrinfo", fail)
        assert trouble(HttpEndpoint("http://orders.shop.svc:6060")).startswith(said)


def test_a_name_server_that_hangs_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: released.wait(30) and [])
    try:
        said = trouble(HttpEndpoint("http://orders.shop.svc:6060"), seconds=SOON)
    finally:
        released.set()
    assert said == "DNS lookup failed within 0.1 s: the name server does not answer"


def test_a_name_with_a_dead_address_is_tried_at_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """localhost is ::1 first, and most servers of Go listen on 127.0.0.1 alone."""
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, 0)) for each in ("127.0.0.2", "127.0.0.1")]
    real = socket.getaddrinfo

    def look_up(host: str, *args: int, **named: int) -> object:
        return found if host == "orders.test" else real(host, *args, **named)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with serving(says(answer(b"here"))) as server:
        assert bytes(HttpEndpoint(f"http://orders.test:{server.port}").get("/").data) == b"here"


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.EHOSTUNREACH, "no route to host"),
        (errno.ENETUNREACH, "network unreachable"),
        (errno.EMFILE, "too many open files"),
        (errno.EPERM, "this machine does not allow the connection"),
        (errno.EINVAL, "Invalid argument"),
    ],
)
def test_no_way_there(number: int, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise httpcore.ConnectError(OSError(number, os.strerror(number)))

    monkeypatch.setattr(httpcore.SyncBackend, "connect_tcp", fail)
    assert trouble(HttpEndpoint("http://10.0.0.7:6060")).startswith(said)


# Sockets in the file system.


def test_a_unix_socket_answers(tmp_path: Path) -> None:
    with serving(says(answer(b"stacks")), path=tmp_path / "debug.sock") as server:
        endpoint = HttpEndpoint("http://localhost", socket=str(tmp_path / "debug.sock"), shown="unix:///run/debug.sock")
        assert bytes(endpoint.get("/debug/pprof/goroutine").data) == b"stacks"
        assert b"Host: localhost\r\n" in server.requests[0]
        assert endpoint.url("/x") == "unix:///run/debug.sock/x"


def test_a_unix_socket_that_was_closed_meanwhile_is_opened_anew(tmp_path: Path) -> None:
    with serving(says(answer(b"x")), path=tmp_path / "debug.sock") as server:
        endpoint = HttpEndpoint("http://localhost", socket=str(tmp_path / "debug.sock"))
        assert endpoint.get("/").good
        assert endpoint.get("/").good
        assert server.connections == 2


def unix(path: Path) -> HttpEndpoint:
    """Return an endpoint at a path."""
    return HttpEndpoint("http://localhost", socket=str(path), shown=f"unix://{path.name}")


def test_a_unix_socket_that_hangs(tmp_path: Path) -> None:
    with serving(Connection.hold, path=tmp_path / "s"):
        assert "no answer within 0.1 s" in trouble(unix(tmp_path / "s"), seconds=SOON)


def test_a_unix_socket_that_is_missing(tmp_path: Path) -> None:
    said = "no such socket; is the daemon running with its debug socket enabled?"
    assert trouble(unix(tmp_path / "gone")) == said


def test_a_socket_in_no_file_system() -> None:
    with socket.socket(socket.AF_UNIX) as gone:
        gone.bind("")  # the kernel chooses a name
        name = gone.getsockname()
    endpoint = HttpEndpoint("http://localhost", socket=name.decode(), shown="unix://@x")
    assert trouble(endpoint) == "nothing listens on it; it is a leftover of an ended process"


def test_a_unix_socket_where_nobody_listens(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / "s"))
    assert trouble(unix(tmp_path / "s")) == "nothing listens on it; it is a leftover of an ended process"


def test_a_path_that_is_no_socket(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert trouble(unix(tmp_path / "file")) == "not a socket"
    assert trouble(unix(tmp_path)) == "not a socket"


def test_a_path_that_is_too_long(tmp_path: Path) -> None:
    assert "107 bytes" in trouble(unix(tmp_path / ("x" * 120)))


def test_a_unix_socket_whose_queue_is_full(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen(0)
        waiting = [socket.socket(socket.AF_UNIX) for _ in range(4)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(str(tmp_path / "s"))
        said = trouble(unix(tmp_path / "s"))
        for each in waiting:
            each.close()
    assert said == "its queue is full: the process behind it accepts no more connections"


def test_a_unix_socket_of_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may do everything: the refusal is the kernel's number alone."""

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    with serving(Connection.hold, path=tmp_path / "s"):
        assert trouble(unix(tmp_path / "s")) == "permission denied; it belongs to another user: try sudo"


def test_every_fault_of_many_leaves_the_others_alone() -> None:
    """One endpoint each, at once: the slow and the broken do not hold those that answer."""
    talks: tuple[Talk, ...] = (Connection.hold, says(b"garbage\r\n\r\n"), says(b""), says(answer(b"fine")))
    outcomes: list[str] = []

    def ask(base: str, seconds: float) -> None:
        try:
            outcomes.append(bytes(HttpEndpoint(base).get("/", seconds=seconds).data).decode())
        except Unreachable:
            outcomes.append("trouble")

    with serving(talks[0]) as one, serving(talks[1]) as two, serving(talks[2]) as three, serving(talks[3]) as four:
        asked = [(one.base, SOON), (two.base, 20), (three.base, 20), (four.base, 20)] * 4
        threads = [threading.Thread(target=ask, args=each) for each in asked]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
    assert sorted(outcomes) == ["fine"] * 4 + ["trouble"] * 12

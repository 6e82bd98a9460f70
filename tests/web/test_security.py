"""A real server on loopback under hostile requests: refused, logged once, no traceback, and it goes on."""

import re
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from oakum.store import open_writer
from oakum.store.requests import take_wanted
from support import oakum
from web.serving import Served, received, request, sent, serving
from web_store import filled

TOKEN = "0123456789abcdef-secret"


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("secure") / "store"
    with open_writer(directory) as writer:
        filled(writer)
    return directory


@pytest.fixture(scope="module")
def served(full: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(full, tmp_path_factory.mktemp("log") / "log") as found:
        yield found


@pytest.fixture(scope="module")
def locked(full: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a token, that changes nothing."""
    log = tmp_path_factory.mktemp("log") / "log"
    with serving(full, log, "--read-only", OAKUM_SERVE_TOKEN=TOKEN) as found:
        yield found


def test_it_answers(served: Served) -> None:
    reply = request(served, "/")
    assert reply.status == 200
    assert b"orders" in reply.body
    assert reply.header("server") == ""


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1",
        "127.0.0.1:1",
        "localhost.evil.example:{port}",
        "127.0.0.1:{port}@evil.example",
        "[::1",
        "",
    ],
)
def test_another_host_is_refused(served: Served, host: str) -> None:
    assert request(served, "/", Host=host.format(port=served.port)).status in (400, 421)


def test_two_hosts_are_refused(served: Served) -> None:
    data = f"GET / HTTP/1.1\r\nHost: {served.host}\r\nHost: evil.example\r\n\r\n".encode()
    assert sent(served, data).status in (400, 421)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "TRACE", "CONNECT", "OPTIONS", "PATCH", "GET\x00", "FOO" * 10])
def test_other_methods_are_refused(served: Served, method: str) -> None:
    assert request(served, "/", method).status in (400, 405)


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd", "/static/../app.py", "/static/%2e%2e/%2e%2e/app.py", "/static/x/..%2f..%2fapp.py",
        "/static//etc/passwd", "/..%5c..%5cwindows", "/services/%00", "/services/%ff", "/static/", "/static",
        "/static/vendor", "/%2e", "//evil.example/", "/services/" + "a" * 5000,
    ],
)  # fmt: skip
def test_paths_lead_nowhere_else(served: Served, path: str) -> None:
    reply = request(served, path)
    assert reply.status in (400, 404, 414), reply.head
    assert b"root:" not in reply.body
    assert b"Traceback" not in reply.body


def test_a_name_may_have_any_characters(served: Served) -> None:
    assert request(served, "/services/a%2Fb%3Cscript%3E").status == 404
    assert b"<script>alert" not in request(served, "/?q=%3Cscript%3Ealert(1)%3C/script%3E").body


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\nHost: {host}\r\nX: " + b"a" * 70_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: {host}\r\n" + b"".join(b"X%d: y\r\n" % number for number in range(200)) + b"\r\n",
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: {host}\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: {host}\r\nContent-Length: -1\r\n\r\n",
        b"POST /login HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Length: 99999999999\r\n\r\n",
        b"NONSENSE\r\n\r\n",
    ],
    ids=["long header", "many headers", "long path", "tls", "smuggled", "negative", "huge body", "nonsense"],
)
def test_what_is_no_request_is_refused(served: Served, data: bytes) -> None:
    data = data.replace(b"{host}", served.host.encode())
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        reply = received(connection)
    assert reply.status in (0, 400, 404, 408, 413, 414, 431), reply.head
    assert request(served, "/").status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Origin": "http://{host}", "Sec_Fetch_Site": "cross-site"},
        {"Origin": "http://{host}"},  # ours, but without the token of a form
        {"Origin": "http://{host}", "Cookie": "oakum-visitor=x", "X_Oakum_Form_Token": "0" * 64},
    ],
)
def test_another_site_changes_nothing(served: Served, full: Path, headers: dict[str, str]) -> None:
    told = {name: text.format(host=served.host) for name, text in headers.items()}
    reply = request(
        served, "/services/orders/capture", "POST", b"x=1", Content_Type="application/x-www-form-urlencoded", **told
    )
    assert reply.status == 403
    assert not (full / "wanted").exists()


def test_a_form_with_its_token_is_taken(tmp_path: Path) -> None:
    with open_writer(tmp_path / "store") as writer:
        filled(writer)
        with serving(tmp_path / "store", tmp_path / "log") as served:
            page = request(served, "/services/orders/live")
            visitor = re.search(r"oakum-visitor=([^;]+)", page.head)
            token = re.search(r'name="form-token" value="([0-9a-f]{64})"', page.body.decode())
            assert visitor
            assert token
            told = {
                "Origin": f"http://{served.host}",
                "Cookie": f"oakum-visitor={visitor[1]}",
                "Content_Type": "application/x-www-form-urlencoded",
            }
            body = f"form-token={token[1]}".encode()
            assert request(served, "/services/none/capture", "POST", body, **told).status == 404
            reply = request(served, "/services/orders/capture", "POST", body, **told)
            assert reply.status == 303
            assert reply.header("location").startswith("/services/orders/live?asked=")
        assert take_wanted(tmp_path / "store") == ["orders"]
        assert take_wanted(tmp_path / "store") == []
    with serving(tmp_path / "store", tmp_path / "log") as served:  # nobody writes it any more
        assert b"oakum watch" in request(served, "/services/orders/live").body


def test_refusals_are_logged_once_without_what_was_sent(served: Served) -> None:
    before = len(served.lines())
    for _ in range(5):
        request(served, "/secret-path", Host="secret-host.example", Authorization="Bearer secret-token")
    lines = served.lines()
    assert sum("wrong host" in line for line in lines) <= 1 + lines.count("never")
    assert "secret" not in "\n".join(lines)
    assert len(lines) <= before + 1
    assert "Traceback" not in "\n".join(lines)


def test_without_the_token_nothing_is_shown(locked: Served) -> None:
    reply = request(locked, "/services/orders")
    assert reply.status == 303
    assert reply.header("location") == "/login?next=/services/orders"
    assert b"orders</a>" not in reply.body
    assert request(locked, "/api/v1/services").status == 401
    assert request(locked, "/api/v1/services", Authorization="Bearer wrong").status == 401
    assert request(locked, "/api/v1/services", Authorization=f"Bearer {TOKEN}").status == 200
    assert request(locked, "/api/v1/services", Authorization=f"bearer {TOKEN}").status == 200  # RFC 9110
    assert request(locked, "/api/v1/services", Authorization=TOKEN).status == 401
    assert request(locked, f"/api/v1/services?token={TOKEN}").status == 401


def test_the_form_opens_a_session(locked: Served) -> None:
    page = request(locked, "/login?next=//evil.example")
    visitor = re.search(r"oakum-visitor=([^;]+); HttpOnly; Max-Age=\d+; Path=/; SameSite=strict", page.head)
    token = re.search(r'name="form-token" value="([0-9a-f]{64})"', page.body.decode())
    assert visitor
    assert token
    told = {
        "Origin": f"http://{locked.host}",
        "Cookie": f"oakum-visitor={visitor[1]}",
        "Content_Type": "application/x-www-form-urlencoded",
    }
    wrong = request(locked, "/login", "POST", f"form-token={token[1]}&token=guess".encode(), **told)
    assert wrong.status == 403
    assert b"That is not the token" in wrong.body
    right = request(
        locked, "/login", "POST", f"form-token={token[1]}&token={TOKEN}&next=//evil.example".encode(), **told
    )
    assert (right.status, right.header("location")) == (303, "/")
    session = re.search(r"oakum-session=([^;]+); HttpOnly", right.head)
    assert session
    assert request(locked, "/services/orders", Cookie=f"oakum-session={session[1]}").status == 200
    assert request(locked, "/services/orders", Cookie=f"oakum-session={session[1][:-1]}x").status == 303
    # It is read-only: not even somebody of ours changes anything.
    told["Cookie"] += f"; oakum-session={session[1]}"
    body = f"form-token={token[1]}".encode()
    assert request(locked, "/services/orders/capture", "POST", body, **told).status == 403
    assert TOKEN not in locked.log.read_text()


def test_many_wrong_tokens_are_not_looked_at(full: Path, tmp_path: Path) -> None:
    with serving(full, tmp_path / "log", OAKUM_SERVE_TOKEN=TOKEN) as served:
        found = [
            request(served, "/api/v1/services", Authorization=f"Bearer guess-{number}").status for number in range(15)
        ]
        assert found[:10] == [401] * 10
        assert found[-1] == 429
        assert request(served, "/api/v1/services", Authorization=f"Bearer {TOKEN}").status == 429


def test_it_ends_when_it_is_told_to(full: Path, tmp_path: Path) -> None:
    with serving(full, tmp_path / "log") as served, socket.create_connection(("127.0.0.1", served.port)):
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(30) == 0
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_other_addresses_need_a_token(tmp_path: Path) -> None:
    answer = oakum("serve", "--listen", "0.0.0.0:0", "--store", tmp_path)
    assert answer.code == 2
    assert "--token-file" in answer.err
    (tmp_path / "token").write_text("short")
    answer = oakum("serve", "--listen", "0.0.0.0:0", "--token-file", tmp_path / "token")
    assert answer.code == 2
    assert "short" not in answer.err.replace("shorter", "")
    assert oakum("serve", "--listen", "example.org:80").code == 2
    assert oakum("serve", "--tls-cert", tmp_path / "token").code == 2

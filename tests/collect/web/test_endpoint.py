"""A server that answers: prefixes, credentials, redirects, connections that are kept; many endpoints at once."""

import base64
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from collect.web.faults import Connection, answer, certificate, keeps_saying, says, serving
from oakum.collect.web import Access, HttpEndpoint, tls
from oakum.model import UsageError
from oakum.report.words.lines import error_line, worded
from support import ROOT, unreachable


def test_an_answer_is_kept_as_it_was_received() -> None:
    packed = b"\x1f\x8b\x08\x00" + bytes(200)
    with serving(says(answer(packed, "200 OK", "Content-Encoding: gzip", "Set-Cookie: session=abc"))) as server:
        endpoint = HttpEndpoint(server.base).under("/api/v1/nodes/n7/proxy")
        got = endpoint.get("/debug/pprof/heap", {"gc": "1"})
        assert (got.good, bytes(got.data), got.cut, got.why, got.page) == (True, packed, None, None, None)
        assert got.headers["content-encoding"] == "gzip"
        assert "set-cookie" not in got.headers
        assert got.began <= got.ended
    asked = server.requests[0].decode()
    assert asked.startswith("GET /api/v1/nodes/n7/proxy/debug/pprof/heap?gc=1 HTTP/1.1\r\n")
    assert f"Host: 127.0.0.1:{server.port}\r\n" in asked
    assert "Accept-Encoding: identity\r\n" in asked
    assert (
        endpoint.url("/debug/pprof/heap", {"gc": "1"}) == f"{server.base}/api/v1/nodes/n7/proxy/debug/pprof/heap?gc=1"
    )


def test_paths_that_no_request_can_hold_are_encoded() -> None:
    with serving(says(answer())) as server:
        HttpEndpoint(server.base).get("/a b\r\nHost: evil/ü?x={y}")
    assert server.requests[0].startswith(b"GET /a%20b%0D%0AHost:%20evil/%C3%BC?x=%7By%7D HTTP/1.1\r\n")


def test_name_and_password_of_an_address_are_sent_and_never_shown() -> None:
    with serving(says(answer(b"hunter22 is wrong", "401 Unauthorized", 'WWW-Authenticate: Basic realm="x"'))) as server:
        endpoint = HttpEndpoint(server.base.replace("://", "://admin:hunter22@"), Access(token="tok-tok-tok"))
        refused = endpoint.get("/debug/pprof/")
    assert f"Authorization: Basic {base64.b64encode(b'admin:hunter22').decode()}\r\n" in server.requests[0].decode()
    assert b"tok-tok-tok" not in server.requests[0]
    for shown in (
        repr(endpoint),
        endpoint.address,
        endpoint.url("/x"),
        worded(refused.why),
        repr(endpoint.under("/x")),
    ):
        assert "hunter22" not in shown
    assert (
        worded(refused.why)
        == "401, the credentials were rejected; authenticate with NAME:PASSWORD@ in the address: *** is wrong"
    )
    assert {b"hunter22", b"tok-tok-tok"} <= set(endpoint.access.secrets())


def test_a_token_file_is_read_anew_for_each_request(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("first-token\n", encoding="utf-8")
    access = Access(token_file=str(file), headers=(("X-Scope-OrgID", "team-a"), ("authorization", "Basic old")))
    with serving(keeps_saying(answer())) as server:
        endpoint = HttpEndpoint(server.base, access)
        endpoint.get("/")
        file.write_text("second-token\n", encoding="utf-8")
        endpoint.get("/")
        endpoint.close()
    asked = [request.decode() for request in server.requests]
    assert "Authorization: Bearer first-token\r\n" in asked[0]
    assert "Authorization: Bearer second-token\r\n" in asked[1]
    assert "X-Scope-OrgID: team-a\r\n" in asked[0]
    assert "Basic old" not in asked[0]
    assert {b"first-token", b"second-token"} <= set(access.secrets())


def test_what_cannot_be_sent_is_said_without_repeating_it(tmp_path: Path) -> None:
    with serving(says(answer())) as server:
        for access, said in (
            (Access(token="bad\nvalue-of-token"), "the value of the header Authorization has characters"),
            (Access(token_file=str(tmp_path / "gone")), "No such file or directory"),
            (Access(headers=(("bad name", "secret-value"),)), "a header is a name, a colon and a value"),
        ):
            with unreachable(said) as raised:
                HttpEndpoint(server.base, access).get("/")
            assert "value-of-token" not in error_line(raised.value)
            with pytest.raises(UsageError, match=said):
                access.check()
    assert server.requests == []


def test_people_are_told_before_credentials_travel_in_clear() -> None:
    access = Access(token="secret-token")
    assert [problem.key for problem in HttpEndpoint("http://10.0.0.7:6060", access).remarks] == ["credentials-in-clear"]
    assert [problem.key for problem in HttpEndpoint("http://a:b@10.0.0.7:6060").remarks] == ["credentials-in-clear"]
    assert [problem.key for problem in HttpEndpoint("https+insecure://10.0.0.7", access).remarks] == [
        "credentials-unchecked"
    ]
    for endpoint in (
        HttpEndpoint("http://10.0.0.7:6060"),
        HttpEndpoint("http://10.0.0.7:6060", Access(headers=(("X-Scope-OrgID", "team-a"),))),
        HttpEndpoint("http://localhost:6060", access),
        HttpEndpoint("http://localhost", access, socket="/run/x.sock"),
        HttpEndpoint("https://10.0.0.7", access),
    ):
        assert endpoint.remarks == ()


@pytest.mark.parametrize(
    "word", ["ftp://h", "http://", "http://h:99999", "http://[::1", "http://h h", "http://h/?q=1", "h:1"]
)
def test_wrong_addresses_are_refused(word: str) -> None:
    with pytest.raises(UsageError):
        HttpEndpoint(word)


def test_wrong_addresses_are_refused_without_their_password() -> None:
    for typed in ("http://admin:hunter22@host:port", "http://admin:hunter/22@host", "http://admin:hunter 22@host"):
        with pytest.raises(UsageError) as raised:
            HttpEndpoint(typed)
        assert "hunter" not in error_line(raised.value)


# Redirects.


def test_a_redirect_on_the_same_server_is_followed() -> None:
    def talk(connection: Connection) -> None:
        while asked := connection.request():
            inside = b"GET /debug/pprof/ " in asked
            moved = answer(b"", "301 Moved Permanently", "Location: /debug/pprof/#top")
            connection.send(answer(b"index") if inside else moved)

    with serving(talk) as server:
        endpoint = HttpEndpoint(server.base, Access(token="secret-token"))
        assert bytes(endpoint.get("/debug/pprof").data) == b"index"
        assert server.connections == 1
        endpoint.close()


@pytest.mark.parametrize(
    "there", ["/login", "/api/v1/secrets", "/proxy/../api/v1/secrets", "/proxy/%2e%2e/x", "//proxy/x"]
)
def test_a_redirect_out_of_the_prefix_is_not_followed(there: str) -> None:
    """A pod behind an API server could send us to whatever our credentials open there."""
    with serving(says(answer(b"", "302 Found", f"Location: {there}"))) as server:
        got = HttpEndpoint(server.base, Access(token="secret-token")).under("/proxy").get("/heap")
    assert len(server.requests) == 1
    assert not got.good
    assert worded(got.why).startswith("it redirects to ")


def test_a_redirect_to_another_host_gets_no_credentials() -> None:
    with serving(says(answer(b"stolen"))) as other:
        place = f"Location: http://localhost:{other.port}/oauth2/start?state=xyz"
        with serving(says(answer(b"", "302 Found", place))) as server:
            got = HttpEndpoint(server.base, Access(token="secret-token")).get("/debug/pprof/")
    assert other.requests == []
    assert got.status == 302
    assert worded(got.why) == (
        f"it redirects to http://localhost:{other.port}/oauth2/start: not followed, and no credentials were sent"
        " there; it looks like a login"
    )


def test_a_redirect_loop_ends() -> None:
    with serving(keeps_saying(answer(b"", "302 Found", "Location: /again"))) as server:
        endpoint = HttpEndpoint(server.base)
        got = endpoint.get("/")
        endpoint.close()
    assert worded(got.why) == f"too many redirects, last to {server.base}/again"
    assert len(server.requests) == 6


def test_http_may_lead_to_https_of_the_same_host() -> None:
    with serving(says(answer(b"inside")), certificate("server")) as secure:
        moved = answer(b"", "308 Permanent Redirect", f"Location: {secure.base}/debug/pprof/")
        with serving(says(moved)) as server:
            access = Access(tls_ca=str(Path(__file__).parent / "testdata" / "authority.crt"), token="secret-token")
            assert bytes(HttpEndpoint(server.base, access).get("/debug/pprof/").data) == b"inside"
    assert b"Bearer secret-token" in secure.requests[0]


def test_https_does_not_lead_to_http() -> None:
    with serving(says(answer(b"", "302 Found", "Location: http://127.0.0.1:9/"))) as server:
        assert "it redirects to" in worded(HttpEndpoint(server.base).get("/").why)


@pytest.mark.parametrize("place", ["http://[::1", "\x1b[31mred", "http://user:pw@127.0.0.1/"])
def test_a_hostile_location_is_only_shown(place: str) -> None:
    with serving(says(answer(b"", "302 Found", f"Location: {place}"))) as server:
        said = worded(HttpEndpoint(server.base).under("/x").get("/").why)
    assert said.startswith(("it redirects to ", "too many redirects"))
    assert said.isprintable()
    assert "pw@" not in said


# Connections.


def test_a_connection_that_was_closed_meanwhile_is_made_anew() -> None:
    """The server hears the second request and closes without a word, as one does whose idle time is just up."""
    lock = threading.Lock()
    first = iter([True])

    def talk(connection: Connection) -> None:
        connection.request()
        connection.send(answer(b"one"))
        with lock:
            closes = next(first, False)
        if connection.request() and not closes:
            connection.send(answer(b"never"))

    with serving(talk) as server:
        endpoint = HttpEndpoint(server.base)
        assert bytes(endpoint.get("/1").data) == b"one"
        assert bytes(endpoint.get("/2").data) == b"one"
        assert server.connections == 2
        assert len(server.requests) == 3
        endpoint.close()


def test_a_new_connection_that_is_closed_is_not_tried_again() -> None:
    with serving(says(b"")) as server:
        with unreachable("closed the connection without an answer"):
            HttpEndpoint(server.base).get("/")
        assert server.connections == 1


def test_a_door_can_be_used_after_it_was_closed() -> None:
    with serving(keeps_saying(answer(b"x"))) as server:
        endpoint = HttpEndpoint(server.base)
        endpoint.get("/")
        endpoint.close()
        assert endpoint.get("/").good
        endpoint.close()
        assert server.connections == 2


def test_a_busy_server_is_asked_again_when_it_says() -> None:
    answers = iter([answer(b"", "429 Too Many Requests", "Retry-After: 0"), answer(b"heap")])

    def talk(connection: Connection) -> None:
        while connection.request():
            connection.send(next(answers))

    with serving(talk) as server:
        endpoint = HttpEndpoint(server.base)
        assert bytes(endpoint.get("/", seconds=20).data) == b"heap"
        endpoint.close()


def test_a_post_asks_a_long_question() -> None:
    def talk(connection: Connection) -> None:
        asked = connection.request()
        assert b"Content-Type: application/json\r\n" in asked
        connection.send(answer(connection.socket.recv(100)))

    with serving(talk) as server:
        assert bytes(HttpEndpoint(server.base).post("/querier.v1/Select", b'{"start": 1}').data) == b'{"start": 1}'


def test_many_doors_cost_neither_threads_nor_contexts() -> None:
    before = threading.active_count()
    made = tls._made.cache_info().misses
    with serving(keeps_saying(answer(b"x" * 1000))) as server:
        endpoints = [HttpEndpoint(server.base) for _ in range(100)]
        assert threading.active_count() <= before + 1  # the server
        with ThreadPoolExecutor(8) as threads:
            got = list(threads.map(lambda endpoint: endpoint.get("/"), endpoints))
        assert all(answer.good for answer in got)
        for endpoint in endpoints:
            endpoint.close()
    assert tls._made.cache_info().misses == made


def test_threads_share_an_endpoint() -> None:
    def talk(connection: Connection) -> None:
        while asked := connection.request():
            connection.send(answer(asked.split()[1]))

    with serving(talk) as server:
        endpoint = HttpEndpoint(server.base)
        with ThreadPoolExecutor(16) as threads:
            got = list(threads.map(lambda number: endpoint.get(f"/{number}"), range(60)))
        endpoint.close()
    assert [bytes(each.data) for each in got] == [f"/{number}".encode() for number in range(60)]


def test_commands_that_read_files_do_not_load_http() -> None:
    code = "import sys; import oakum.collect.targets, oakum.cli; sys.exit('httpcore' in sys.modules or 'ssl' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "src", check=False, timeout=60)
    assert done.returncode == 0

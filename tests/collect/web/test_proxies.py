"""Proxies: when one is used, as Go decides; what is sent to it; and how a dead one is told from a dead server."""

import select
import socket
import ssl
from contextlib import suppress

import pytest

from collect.web.faults import HERE, Connection, answer, certificate, says, serving
from oakum.collect.web import Access, HttpEndpoint, address, proxies
from oakum.model import Unreachable
from oakum.report.words.lines import error_line, worded

NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUEST_METHOD")


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def chosen(url: str) -> str | None:
    """Return the proxy before an address."""
    found = proxies.proxy_for(address.read(url))
    return str(found) if found else None


def test_each_scheme_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "proxy:3128")
    monkeypatch.setenv("https_proxy", "https://user:hunter22@secure")
    assert chosen("http://10.0.0.7:6060") == "http://proxy:3128 (HTTP_PROXY)"
    assert chosen("https://10.0.0.7") == "https://secure:443 (https_proxy)"
    assert "hunter22" not in repr(proxies.proxy_for(address.read("https://10.0.0.7")))
    monkeypatch.setenv("REQUEST_METHOD", "GET")  # a CGI program's HTTP_PROXY is a header of who asks
    assert chosen("http://10.0.0.7:6060") is None


def test_all_proxy_stands_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5h://bastion")
    assert chosen("http://10.0.0.7:6060") == "socks5://bastion:1080 (ALL_PROXY)"


@pytest.mark.parametrize("url", ["http://localhost:1", "http://127.8.0.1", "http://[::1]:1", "https://a.localhost"])
def test_none_before_this_machine(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://proxy:1")
    assert chosen(url) is None


@pytest.mark.parametrize(
    ("words", "url", "used"),
    [
        ("example.com", "http://example.com", False),
        ("example.com", "http://n7.example.com", False),
        ("example.com", "http://notexample.com", True),
        (".example.com", "http://example.com", True),
        (".example.com", "http://n7.EXAMPLE.com", False),
        ("*.example.com", "http://n7.example.com", False),
        ("*.example.com", "http://example.com", True),
        ("example.com:8080", "http://example.com:8080", False),
        ("example.com:8080", "http://example.com:8081", True),
        ("example.com:80", "http://example.com", False),
        (" a.com , 10.0.0.0/8 ", "http://10.1.2.3:6060", False),
        ("10.0.0.0/8", "http://11.1.2.3:6060", True),
        ("10.0.0.7", "http://10.0.0.7:6060", False),
        ("10.0.0.7:6060", "http://10.0.0.7:6060", False),
        ("10.0.0.7:1", "http://10.0.0.7:6060", True),
        ("fd00::/8", "http://[fd00::7]:6060", False),
        ("[fd00::7]:6060", "http://[fd00::7]:6060", False),
        ("fd00::7", "http://[fd00::7]", False),
        ("10.0.0.0/8", "http://[fd00::7]", True),
        ("*", "http://anything", False),
        (",,:,.,[", "http://anything", True),
    ],
)
def test_no_proxy_as_go_reads_it(words: str, url: str, used: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "proxy:3128")
    monkeypatch.setenv("NO_PROXY", words)
    assert (chosen(url) is not None) == used


def trouble(endpoint: HttpEndpoint, seconds: float = 20) -> str:
    """Return what is said when there is no answer."""
    with pytest.raises(Unreachable) as raised:
        endpoint.get("/", seconds=seconds)
    said = error_line(raised.value)
    assert "hunter22" not in said
    return said.removeprefix(f"{endpoint.address}/: ")


def dead_port() -> int:
    """Return a port where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def test_a_dead_proxy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    port = dead_port()
    monkeypatch.setenv("HTTPS_PROXY", f"http://user:hunter22@127.0.0.1:{port}")
    said = trouble(HttpEndpoint("https://10.0.0.7"))
    assert said == f"the proxy http://127.0.0.1:{port} (HTTPS_PROXY): connection refused: nothing listens there"


def test_a_proxy_that_is_written_wrong_is_named_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "ftp://user:hunter22@proxy:1")
    assert trouble(HttpEndpoint("http://10.0.0.7")).startswith("HTTP_PROXY: a proxy looks like")


def test_http_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(says(answer(b"through"))) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://user:hunter22@127.0.0.1:{proxy.port}")
        endpoint = HttpEndpoint("http://orders.test:6060", Access(token="secret-token"))
        assert bytes(endpoint.get("/heap").data) == b"through"
    asked = proxy.requests[0].decode()
    assert asked.startswith("GET http://orders.test:6060/heap HTTP/1.1\r\n")
    assert "Proxy-Authorization: Basic " in asked
    assert b"hunter22" in endpoint.access.secrets()


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("407 Proxy Authentication Required", "requires authentication"),
        ("502 Bad Gateway", "could not get an answer; NO_PROXY=HOST bypasses it"),
    ],
)
def test_refusals_of_a_proxy_name_it(status: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(says(answer(b"", status))) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"127.0.0.1:{proxy.port}")
        why = worded(HttpEndpoint("http://orders.test").get("/").why)
        assert f"the proxy http://127.0.0.1:{proxy.port} (HTTP_PROXY) {said}" in why
        monkeypatch.setenv("HTTPS_PROXY", f"127.0.0.1:{proxy.port}")
        refused = trouble(HttpEndpoint("https://orders.test"))
    assert refused.startswith(f"the proxy http://127.0.0.1:{proxy.port} (HTTPS_PROXY) ")


def relay(one: socket.socket, other: socket.socket) -> None:
    """Carry bytes both ways until a side ends; in one thread, for a socket of TLS bears no two."""
    with suppress(OSError):
        while True:
            for source in select.select([one, other], [], [], 20)[0]:
                data = source.recv(65536)
                if isinstance(source, ssl.SSLSocket) and source.pending():
                    data += source.recv(source.pending())
                if not data:
                    return
                (other if source is one else one).sendall(data)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_https_through_a_proxy_is_a_tunnel(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The proxy sees a name and a port, and neither token nor path; the certificate is that of the server."""
    with serving(says(answer(b"inside")), certificate("renamed")) as server:

        def talk(connection: Connection) -> None:
            connection.request()
            with socket.create_connection(("127.0.0.1", server.port)) as there:
                connection.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
                relay(connection.socket, there)

        with serving(talk, certificate("server") if scheme == "https" else None) as proxy:
            monkeypatch.setenv("HTTPS_PROXY", proxy.base)
            access = Access(tls_ca=str(HERE / "authority.crt"), token="secret-token", server_name="orders.example")
            endpoint = HttpEndpoint("https://10.0.0.7:6443", access)
            assert bytes(endpoint.get("/heap").data) == b"inside"
            endpoint.close()
    assert proxy.requests[0].startswith(b"CONNECT 10.0.0.7:6443 HTTP/1.1\r\n")
    assert b"secret-token" not in proxy.requests[0]
    assert b"Bearer secret-token" in server.requests[0]


def test_through_socks_as_ssh_offers_it() -> None:
    """A kubeconfig's proxy-url; the proxy looks the name up."""
    with serving(says(answer(b"inside"))) as server:
        heard: list[bytes] = []

        def talk(connection: Connection) -> None:
            heard.append(connection.socket.recv(100))
            connection.send(b"\x05\x02")
            heard.append(connection.socket.recv(100))
            connection.send(b"\x01\x00")
            heard.append(connection.socket.recv(100))
            connection.send(b"\x05\x00\x00\x01" + bytes(6))
            with socket.create_connection(("127.0.0.1", server.port)) as there:
                relay(connection.socket, there)

        with serving(talk) as proxy:
            access = Access(proxy=f"socks5://user:hunter22@127.0.0.1:{proxy.port}")
            endpoint = HttpEndpoint("http://orders.shop.svc:6060", access)
            assert bytes(endpoint.get("/").data) == b"inside"
            endpoint.close()
    assert heard == [
        b"\x05\x02\x00\x02",
        b"\x01\x04user\x08hunter22",
        b"\x05\x01\x00\x03\x0forders.shop.svc" + (6060).to_bytes(2, "big"),
    ]


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (
            (b"\x05\x00", b"\x05\x05\x00\x01" + bytes(6)),
            "refuses the connection: it could not connect: connection refused",
        ),
        ((b"\x05\xff",), "refuses the connection: it requires authentication"),
        ((b"\x04\x00",), "refuses the connection: it does not speak SOCKS5"),
        ((b"",), "refuses the connection: it closed the connection"),
    ],
)
def test_refusals_of_a_socks_proxy(answers: tuple[bytes, ...], said: str) -> None:
    def talk(connection: Connection) -> None:
        for each in answers:
            connection.socket.recv(100)
            connection.send(each)

    with serving(talk) as proxy:
        told = trouble(HttpEndpoint("http://orders.shop.svc:6060", Access(proxy=f"socks5://127.0.0.1:{proxy.port}")))
    assert said in told


def test_a_socks_proxy_that_hangs() -> None:
    with serving(Connection.hold) as proxy:
        endpoint = HttpEndpoint("http://orders.shop.svc:6060", Access(proxy=f"socks5://127.0.0.1:{proxy.port}"))
        assert "no connection through it within 0.5 s" in trouble(endpoint, seconds=0.5)

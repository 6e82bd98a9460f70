"""Certificates: whom we trust, whom the server trusts, and what is said when either does not."""

from pathlib import Path
from ssl import TLSVersion

import pytest

from collect.web.faults import HERE, Connection, answer, certificate, keeps_saying, says, serving
from oakum.collect.web import Access, HttpEndpoint, tls
from oakum.model import Unreachable, UsageError
from oakum.report.words.lines import error_line, worded

AUTHORITY = str(HERE / "authority.crt")
TRUSTED = Access(tls_ca=AUTHORITY)
FINE = says(answer(b"fine"))


def trouble(endpoint: HttpEndpoint, seconds: float = 20) -> str:
    """Return what is said when there is no answer."""
    with pytest.raises(Unreachable) as raised:
        endpoint.get("/", seconds=seconds)
    return error_line(raised.value).removeprefix(f"{endpoint.address}/: ")


def test_a_certificate_of_the_authority_that_was_named() -> None:
    with serving(FINE, certificate("server")) as server:
        assert bytes(HttpEndpoint(server.base, TRUSTED).get("/").data) == b"fine"
        assert bytes(HttpEndpoint(server.base.replace("127.0.0.1", "localhost"), TRUSTED).get("/").data) == b"fine"


@pytest.mark.parametrize(
    ("name", "access", "said"),
    [
        ("self-signed", Access(), "its certificate is self-signed, and nobody vouches for it; --tls-ca FILE names"),
        ("self-signed", TRUSTED, "its certificate is self-signed, and nobody vouches for it; --tls-ca FILE names"),
        ("server", Access(), "its certificate is signed by an authority that is not known here; --tls-ca FILE names"),
        ("expired", TRUSTED, "its certificate has expired; --tls-ca FILE names"),
        ("renamed", TRUSTED, "its certificate is for another name, not for '127.0.0.1'; --tls-server-name says which"),
    ],
)
def test_a_certificate_that_is_not_trusted(name: str, access: Access, said: str) -> None:
    with serving(FINE, certificate(name)) as server:
        assert trouble(HttpEndpoint(server.base, access)).startswith(said)
        assert server.requests == []
        insecure = server.base.replace("https://", "https+insecure://")
        endpoint = HttpEndpoint(insecure, access)
        assert bytes(endpoint.get("/").data) == b"fine"
        assert endpoint.under("/x").url("/y") == f"{insecure}/x/y"


def test_a_server_reached_by_its_address_has_the_name_of_its_certificate() -> None:
    with serving(FINE, certificate("renamed")) as server:
        access = Access(tls_ca=AUTHORITY, server_name="orders.example")
        assert bytes(HttpEndpoint(server.base, access).get("/").data) == b"fine"
        wrong = Access(tls_ca=AUTHORITY, server_name="payments.example")
        assert "not for 'payments.example'" in trouble(HttpEndpoint(server.base, wrong))


def test_a_server_that_wants_a_certificate_of_ours() -> None:
    mine = Access(tls_ca=AUTHORITY, tls_cert=str(HERE / "client.crt"), tls_key=str(HERE / "client.key"))
    stranger = Access(tls_ca=AUTHORITY, tls_cert=str(HERE / "unknown-client.pem"))
    with serving(FINE, certificate("server", clients=True)) as server:
        assert bytes(HttpEndpoint(server.base, mine).get("/").data) == b"fine"
        # TLS 1.3 refuses after the handshake, when the request may be under way: the reason can be lost in a reset.
        none = trouble(HttpEndpoint(server.base, TRUSTED))
        assert none == "it requires a client certificate: --tls-cert and --tls-key" or "--tls-cert" in none
        assert "--tls-cert" in trouble(HttpEndpoint(server.base, stranger))


def test_tls_1_2_refuses_in_the_handshake() -> None:
    context = certificate("server", clients=True)
    context.maximum_version = TLSVersion.TLSv1_2
    with serving(FINE, context) as server:
        assert "--tls-cert" in trouble(HttpEndpoint(server.base, TRUSTED))


def test_https_spoken_to_a_port_of_http() -> None:
    def like_go(connection: Connection) -> None:
        connection.socket.recv(1000)
        connection.send(answer(b"", "400 Bad Request"))

    with serving(like_go) as server:
        assert trouble(HttpEndpoint(server.base.replace("http:", "https:"))) == "it does not speak TLS; try http://"


def test_https_spoken_to_a_port_that_waits_or_closes() -> None:
    with serving(Connection.hold) as server:
        said = trouble(HttpEndpoint(server.base.replace("http:", "https:")), seconds=0.5)
    assert said == "connected, but no TLS within 0.5 s; does it speak plain http?"
    with serving(lambda _: None) as server:
        said = trouble(HttpEndpoint(server.base.replace("http:", "https:")))
    assert said.startswith(("it closed the connection during TLS", "the connection was reset by the other side"))


def test_a_byte_of_the_handshake_now_and_then() -> None:
    def talk(connection: Connection) -> None:
        connection.drip(b"\x16\x03\x03\x40\x00" + bytes(10_000))

    with serving(talk) as server:
        said = trouble(HttpEndpoint(server.base.replace("http:", "https:")), seconds=0.5)
    assert said.startswith("connected, but no TLS within 0.5 s")


def test_https_does_not_lead_to_http() -> None:
    with serving(says(answer(b"", "302 Found", "Location: http://127.0.0.1/")), certificate("server")) as server:
        assert "it redirects to http://127.0.0.1/" in worded(HttpEndpoint(server.base, TRUSTED).get("/").why)


def test_a_truncated_body_over_tls_is_kept() -> None:
    with serving(says(answer(b"abc", length=10)), certificate("server")) as server:
        got = HttpEndpoint(server.base, TRUSTED).get("/")
    assert (bytes(got.data), worded(got.cut)) == (b"abc", "the connection was closed after 3 of 10 bytes")


def test_tls_behind_a_unix_socket(tmp_path: Path) -> None:
    """So a forwarded port of kube-scheduler is reached."""
    with serving(FINE, certificate("server"), tmp_path / "s"):
        endpoint = HttpEndpoint("https://localhost", TRUSTED, socket=str(tmp_path / "s"))
        assert bytes(endpoint.get("/").data) == b"fine"
        assert "not known here" in trouble(HttpEndpoint("https://localhost", socket=str(tmp_path / "s")))
    with serving(Connection.hold, path=tmp_path / "t"):
        assert "no TLS within 0.5 s" in trouble(
            HttpEndpoint("https://localhost", socket=str(tmp_path / "t")), seconds=0.5
        )


@pytest.mark.parametrize(
    ("access", "said"),
    [
        (Access(tls_ca=str(HERE / "gone")), "--tls-ca .*gone: No such file or directory"),
        (Access(tls_ca=str(HERE / "make-certificates.sh")), "no certificates in PEM form are in it"),
        (
            Access(tls_ca=AUTHORITY, tls_cert=str(HERE / "client.crt"), tls_key=str(HERE / "gone")),
            "No such file or directory",
        ),
        (Access(tls_ca=AUTHORITY, tls_cert=str(HERE / "client.crt")), "no certificate and key in PEM form"),
        (
            Access(tls_ca=AUTHORITY, tls_cert=str(HERE / "server.pem"), tls_key=str(HERE / "client.key")),
            "the key of another certificate",
        ),
        (
            Access(tls_ca=AUTHORITY, tls_cert=str(HERE / "client.crt"), tls_key=str(HERE / "locked.key")),
            "the key has a password",
        ),
        (Access(tls_key=str(HERE / "client.key")), "--tls-cert FILE names it"),
        (Access(token="a", token_file="b"), "exclude each other"),
    ],
)
def test_files_that_cannot_be_used_are_told_before_anybody_is_asked(access: Access, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        access.check()


def test_unusable_files_are_no_crash_of_a_request() -> None:
    with serving(FINE, certificate("server")) as server:
        assert "No such file" in trouble(HttpEndpoint(server.base, Access(tls_ca="gone")))


def test_doors_share_what_is_costly(tmp_path: Path) -> None:
    copy = tmp_path / "ca.crt"
    copy.write_bytes(Path(AUTHORITY).read_bytes())
    before = tls._made.cache_info().misses
    with serving(keeps_saying(answer(b"x")), certificate("server")) as server:
        for _ in range(5):
            endpoint = HttpEndpoint(server.base, Access(tls_ca=str(copy)))
            assert endpoint.get("/").good
            endpoint.close()
        assert tls._made.cache_info().misses == before + 1
        # Renewed: the next connections trust the new one.
        copy.unlink()
        copy.write_bytes(Path(AUTHORITY).read_bytes() + b"\n")
        endpoint = HttpEndpoint(server.base, Access(tls_ca=str(copy)))
        assert endpoint.get("/").good
        endpoint.close()
    assert tls._made.cache_info().misses == before + 2


def test_a_ready_context_goes_first() -> None:
    with serving(FINE, certificate("server")) as server:
        ready = tls.context(TRUSTED)
        assert bytes(HttpEndpoint(server.base, Access(tls=ready, tls_ca="gone")).get("/").data) == b"fine"

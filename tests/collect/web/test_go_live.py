"""A real Go server on a bad day: what its own net/http does to us."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from collect.web.faults import HERE
from oakum.collect.web import Access, HttpEndpoint
from oakum.model import Unreachable
from oakum.report.words.lines import error_line, worded
from toolchain import environment, need_go

pytestmark = pytest.mark.live

TRUSTED = Access(tls_ca=str(HERE / "authority.crt"))


@pytest.fixture(scope="module")
def listening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Build and run the server; return its addresses by what is spoken there."""
    place = tmp_path_factory.mktemp("badday")
    built = subprocess.run(
        [need_go(), "build", "-p", "1", "-o", str(place / "badday"), "."],
        cwd=HERE / "badday",
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    with subprocess.Popen(
        [place / "badday", str(HERE), str(place / "s")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        addresses = dict(line.split() for line in iter(running.stdout.readline, "ready\n"))
        yield addresses
        running.stdin.close()
        running.wait(30)


def trouble(endpoint: HttpEndpoint) -> str:
    """Return what is said when there is no answer."""
    with pytest.raises(Unreachable) as raised:
        endpoint.get("/debug/pprof/heap", seconds=20)
    return error_line(raised.value).removeprefix(f"{endpoint.address}/debug/pprof/heap: ")


def test_the_wrong_scheme_is_told(listening: dict[str, str]) -> None:
    assert worded(HttpEndpoint(f"http://{listening['tls']}").get("/debug/pprof/").why) == "it speaks TLS; try https://"
    assert trouble(HttpEndpoint(f"https://{listening['plain']}")) == "it does not speak TLS; try http://"


def test_certificates(listening: dict[str, str]) -> None:
    assert bytes(HttpEndpoint(f"https://{listening['tls']}", TRUSTED).get("/debug/pprof/heap").data[:2]) == b"\x1f\x8b"
    assert "authority that is not known here" in trouble(HttpEndpoint(f"https://{listening['tls']}"))
    mutual = f"https://{listening['mutual']}"
    mine = Access(tls_ca=TRUSTED.tls_ca, tls_cert=str(HERE / "client.crt"), tls_key=str(HERE / "client.key"))
    assert HttpEndpoint(mutual, mine).get("/debug/pprof/heap").good
    for access in (TRUSTED, Access(tls_ca=TRUSTED.tls_ca, tls_cert=str(HERE / "unknown-client.pem"))):
        for _ in range(10):  # the alert races with the reset that follows it
            assert "--tls-cert" in trouble(HttpEndpoint(mutual, access))


def test_answers_that_go_breaks_off_are_kept(listening: dict[str, str]) -> None:
    endpoint = HttpEndpoint(f"http://{listening['plain']}")
    aborted = endpoint.get("/abort")
    assert bytes(aborted.data) == b"goroutine profile: total 3\n"
    assert worded(aborted.cut) == "the connection was closed after 27 bytes"
    late = endpoint.get("/slow")
    assert len(late.data) == 100_000
    assert worded(late.cut) == "the connection was closed after 100,000 bytes"


def test_a_handler_that_is_too_slow_is_503(listening: dict[str, str]) -> None:
    assert worded(HttpEndpoint(f"http://{listening['plain']}").get("/busy").why).endswith(": too slow")


def test_an_idle_connection_that_go_closed_is_made_anew(listening: dict[str, str]) -> None:
    endpoint = HttpEndpoint(f"http://{listening['plain']}")
    for _ in range(5):
        assert endpoint.get("/debug/pprof/goroutine").good
        time.sleep(0.05)  # its idle time: sometimes just closed, sometimes just not
    endpoint.close()


def test_the_redirect_of_its_mux_is_followed(listening: dict[str, str]) -> None:
    got = HttpEndpoint(f"http://{listening['plain']}").under("/debug/pprof").get("")
    assert got.good
    assert worded(got.page) == 'a web page titled "/debug/pprof/"'


def test_a_unix_socket(listening: dict[str, str]) -> None:
    endpoint = HttpEndpoint("http://localhost", socket=listening["unix"], shown="unix:///run/debug.sock")
    assert bytes(endpoint.get("/debug/pprof/goroutine", {"debug": "1"}).data).startswith(b"goroutine profile: total ")
    assert Path(listening["unix"]).is_socket()


def test_http_2_alone(listening: dict[str, str]) -> None:
    assert trouble(HttpEndpoint(f"http://{listening['http2']}")).endswith(
        "does it want https://, or speak HTTP/2 alone (gRPC)?"
    )

"""/metrics and /healthz: the text format, bounded labels, hostile requests."""

import re
import socket
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from oakum.model import OakumError
from oakum.watch import exporter
from oakum.watch.exporter import METRICS, Exporter, Health, ServiceStatus, exposition

NOW = 1_750_000_000_000_000
# oakum_service_verdict{service="a\"b",verdict="leaking"} 1
_LINE = re.compile(r'^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (-?[0-9.e+]+)$')


def samples(text: str) -> dict[str, float]:
    """Return the samples; every line is a comment or one of them, and none comes twice."""
    found: dict[str, float] = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        match = _LINE.match(line)
        assert match, line
        series = line.rpartition(" ")[0]
        assert series not in found
        found[series] = float(match[3])
    return found


def leaking(service: str = "checkout") -> ServiceStatus:
    return ServiceStatus(
        service=service, verdict="leaking", incidents=1, mechanism="abandoned-sender", function="shop.f", goroutines=1702,
        bytes_per_hour=2.5e6, since=NOW - 3_600_000_000, limit_low=NOW + 7_200_000_000, limit_high=NOW + 9_000_000_000,
    )  # fmt: skip


@pytest.fixture
def served() -> Iterator[Exporter]:
    with Exporter(clock=lambda: NOW / 1e6) as lent:
        yield lent


def asked(lent: Exporter, request: bytes) -> bytes:
    """Send bytes, and return all that is answered."""
    with socket.create_connection(("127.0.0.1", lent.port), timeout=20) as connection:
        connection.sendall(request)
        found = b""
        while part := connection.recv(65536):
            found += part
        return found


def get(lent: Exporter, path: str) -> tuple[int, str]:
    head, _, body = asked(lent, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()).partition(b"\r\n\r\n")
    return int(head.split()[1]), body.decode()


def test_a_service_is_told_in_full() -> None:
    found = samples(exposition([leaking()], Health(targets=5, targets_lost=2, captures=9, advanced=NOW), NOW))
    assert found['oakum_service_verdict{service="checkout",verdict="leaking"}'] == 1
    assert found['oakum_service_verdict{service="checkout",verdict="healthy"}'] == 0
    assert (
        found['oakum_service_place_goroutines{service="checkout",function="shop.f",mechanism="abandoned-sender"}']
        == 1702
    )
    assert found['oakum_service_growth_bytes_per_hour{service="checkout"}'] == 2.5e6
    assert found['oakum_service_limit_seconds{service="checkout",bound="not_before"}'] == 7200
    assert found['oakum_service_limit_seconds{service="checkout",bound="by"}'] == 9000
    assert found['oakum_watch_targets{state="up"}'] == 3
    assert found["oakum_watch_captures_total"] == 9
    assert found["oakum_watch_last_pass_timestamp_seconds"] == NOW / 1e6


def test_every_metric_has_its_help_and_type_before_it() -> None:
    text = exposition([leaking()], Health(advanced=NOW), NOW)
    assert re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE) == [
        (name, kind) for name, (kind, _) in METRICS.items() if name != "oakum_service_growth_goroutines_per_hour"
    ]
    assert all(name.endswith("_total") == (kind == "counter") for name, (kind, _) in METRICS.items())


def test_labels_are_escaped_and_cut() -> None:
    names = ['a"b', "back\\slash", "two\nlines", "\ud800", "x" * 1000, "x" * 999 + "y", "other", "日本"]
    found = samples(exposition([ServiceStatus(service=name) for name in names], Health(), NOW))
    assert 'oakum_service_incidents_open{service="a\\"b"}' in found
    assert 'oakum_service_incidents_open{service="two\\nlines"}' in found
    assert 'oakum_service_incidents_open{service="other_"}' in found
    assert max(map(len, found)) < 300


def test_services_beyond_the_most_are_one_with_a_count() -> None:
    services = [*(ServiceStatus(service=f"s{number:04}", verdict="healthy") for number in range(5000)), leaking("zz")]
    text = exposition(services, Health(), NOW, most=50)
    found = samples(text)
    assert found["oakum_watch_services"] == 5001
    assert found["oakum_watch_services_left_out"] == 4951
    assert found['oakum_service_verdict{service="other",verdict="healthy"}'] == 4951
    assert found['oakum_service_verdict{service="zz",verdict="leaking"}'] == 1  # what leaks is never in the rest
    assert len(text) < 40_000


def test_it_answers_on_loopback(served: Exporter) -> None:
    served.update([leaking()], Health(targets=1))
    status, body = get(served, "/metrics?x=1")
    assert status == 200
    assert samples(body)['oakum_service_limit_seconds{service="checkout",bound="by"}'] == 9000
    assert get(served, "/healthz") == (200, "ok\n")
    assert get(served, "/../etc/passwd")[0] == 404
    head = asked(served, b"HEAD /healthz HTTP/1.1\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200")
    assert head.endswith(b"\r\n\r\n")


def test_health_ends_when_the_loop_does() -> None:
    with Exporter(stale=0.0) as lent:
        time.sleep(0.01)
        status, body = get(lent, "/healthz")
        assert (status, body.startswith("no pass was finished for")) == (503, True)
        lent._stale = 60.0
        lent.advance()
        assert get(lent, "/healthz")[0] == 200


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"POST /metrics HTTP/1.1\r\nContent-Length: 999999999999\r\n\r\n", 405),
        (b"DELETE / HTTP/1.1\r\n\r\n", 405),
        (b"GET /metrics\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 100_000, 431),
        (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20_000, 431),
    ],
)
def test_hostile_requests_are_answered_and_over(served: Exporter, request_: bytes, status: int) -> None:
    assert asked(served, request_).startswith(f"HTTP/1.1 {status} ".encode())
    assert get(served, "/healthz")[0] == 200


def test_who_is_slow_is_not_waited_for(served: Exporter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporter, "_SECONDS", 0.2)
    slow = [socket.create_connection(("127.0.0.1", served.port), timeout=20) for _ in range(8)]
    for one in slow:
        one.sendall(b"GET /metrics HT")
    assert get(served, "/metrics")[0] == 200
    for one in slow:
        with one, suppress(ConnectionResetError):  # closed without an answer, or reset
            assert one.recv(100) == b""


def test_too_many_connections_are_refused(served: Exporter) -> None:
    idle = [socket.create_connection(("127.0.0.1", served.port), timeout=20) for _ in range(exporter._CONNECTIONS)]
    try:
        status = 200
        for _ in range(200):  # until all of them are taken
            status = get(served, "/healthz")[0]
            if status == 503:
                break
            time.sleep(0.01)
        assert status == 503
    finally:
        for one in idle:
            one.close()


def test_a_port_that_is_taken_is_said() -> None:
    with Exporter() as first, pytest.raises(OakumError, match="cannot be listened on"):
        Exporter(port=first.port).start()


def test_it_ends_with_connections_open() -> None:
    lent = Exporter()
    lent.start()
    with socket.create_connection(("127.0.0.1", lent.port), timeout=20) as open_one:
        open_one.sendall(b"GET /")
        lent.stop()
        assert lent._thread is not None
        assert not lent._thread.is_alive()
    lent.stop()

"""What paths say: services, replicas, builds, kinds, times, in whatever way people write them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakum.fleet.pattern import PROFILES, Named, PathPattern, time_of
from oakum.model import UsageError

PLAIN = PathPattern("{service}/{profile}-{time}.pb.gz")
AT = round(datetime(2025, 11, 19, 10, 15, tzinfo=UTC).timestamp() * 1e6)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2025-11-19T10:15:00Z", AT),
        ("2025-11-19T10-15-00Z", AT),
        ("2025-11-19T12:15:00+02:00", AT),
        ("2025-11-19T05:15:00-0500", AT),
        ("2025-11-19t10:15:00.25z", AT + 250_000),
        ("20251119T101500Z", AT),
        ("20251119101500", AT),
        ("2025-11-19T10:15", AT),
        ("1763547300", AT),
        ("1763547300.5", AT + 500_000),
        ("1763547300250", AT + 250_000),
        ("1763547300000001", AT + 1),
        ("1763547300000001999", AT + 1),
        ("2025-13-19T10:15:00Z", None),
        ("2025-11-19T25:15:00Z", None),
        ("yesterday", None),
        ("9" * 40, None),
    ],
)
def test_times(text: str, at: int | None) -> None:
    assert time_of(text) == at


@given(st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1)))
def test_a_time_is_read_as_it_is_written(at: datetime) -> None:
    at = at.replace(tzinfo=UTC)
    micros = round((at - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1e6)
    assert abs((time_of(at.isoformat()) or 0) - micros) <= 1
    assert time_of(str(micros // 1_000_000)) == micros // 1_000_000 * 1_000_000


@pytest.mark.parametrize(
    "service", ["orders", "a b", "my-heap-7", "goroutine-2", "x.y{z}", "日本", "-", "a'b\"c", "%2F", "=1+1"]
)
def test_a_service_may_be_called_anything(service: str) -> None:
    for profile in PROFILES:
        said = PLAIN.match(f"{service}/{profile}-2025-11-19T10:15:00Z.pb.gz")
        assert said == Named(service, profile=profile, at=AT)


def test_what_does_not_fit_is_told() -> None:
    for path in ("orders/heap.pb.gz", "orders/other-1763547300.pb.gz", "a/b/heap-1763547300.pb.gz", "heap-1.pb.gz",
                 "orders/heap-1763547300.pb", "orders/heap-soon.pb.gz", "x" * 5000):  # fmt: skip
        assert PLAIN.match(path) is None


def test_replicas_zones_and_builds() -> None:
    pattern = PathPattern("**/{zone}/{service}/{pod}/{version}/{profile}_{time}.pprof")
    said = pattern.match("day/b/orders/orders-7f9c-x2/v1.2/goroutine_1763547300.pprof")
    assert said == Named("orders", "orders-7f9c-x2", "b", "v1.2", "goroutine", AT)
    assert PathPattern("*-{service}.{time}").match("heap-orders.1763547300") == Named("orders", at=AT)


@pytest.mark.parametrize(
    "text", ["", "no placeholder", "{service}/{service}", "{what}/{time}", "{service}{replica}{zone}{build}"]
)
def test_a_pattern_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        PathPattern(text)


def test_a_hostile_name_takes_no_time() -> None:
    pattern = PathPattern("{service}-{replica}-{zone}-{profile}-{time}.pb.gz")
    assert pattern.match("-" * 255) is None
    assert pattern.match("a-heap-1" * 31) is None


@pytest.mark.parametrize("replica", ["orders-7f9c", "1-2", "7f9c", "x.1", "0"])
@pytest.mark.parametrize("time", ["2025-11-19T10:15:00Z", "20251119T101500Z", "1763547300"])
def test_a_name_may_go_on_behind_the_time(replica: str, time: str) -> None:
    pattern = PathPattern("{service}/{profile}-{time}-{replica}.pb.gz")
    assert pattern.match(f"orders/heap-{time}-{replica}.pb.gz") == Named("orders", replica, profile="heap", at=AT)

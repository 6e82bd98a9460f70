"""OpenMetrics text with time stamps is a range, in seconds or milliseconds; stamps of one scrape are not."""

import pytest

from oakum.model import Capture
from oakum.parse import parse


@pytest.mark.parametrize(("scale", "head"), [(1, b""), (1000, b"# TYPE go_goroutines gauge\n")])
def test_samples_with_stamps_are_a_range(scale: int, head: bytes) -> None:
    lines = [
        f'go_goroutines{{instance="a:1",job="orders"}} {at} {(1_700_000_000 + 15 * at) * scale}' for at in range(40)
    ]
    readings = parse(Capture("dump.txt", head + "\n".join([*lines, "# EOF", ""]).encode()))
    assert {reading.format for reading in readings} == {"prometheus-range"}
    (series,) = readings[0].series
    assert (series.name, series.owner, len(series.times)) == ("go_goroutines", "orders a:1", 40)
    assert series.times[1] - series.times[0] == 15
    assert series.values[-1] == 39


def test_one_scrape_that_is_stamped_is_one_scrape() -> None:
    (reading,) = parse(
        Capture("m.txt", b"# TYPE go_goroutines gauge\ngo_goroutines 7 1700000000000\nup 1 1700000000000\n")
    )
    assert reading.format == "prometheus-text"
    assert reading.metrics is not None
    assert reading.metrics.total("go_goroutines") == 7


def test_a_quantile_without_observations_is_no_number() -> None:
    text = (
        b"# TYPE lookup_seconds summary\n"
        b'lookup_seconds{quantile="0.5"} NaN\nlookup_seconds_count 0\n# TYPE go_goroutines gauge\ngo_goroutines 13\n'
    )
    (reading,) = parse(Capture("metrics.txt", text))
    assert reading.metrics is not None
    assert {name for name, _ in reading.metrics.values} == {"lookup_seconds_count", "go_goroutines"}
    assert not reading.problems

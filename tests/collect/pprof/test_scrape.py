"""The few figures of a scrape that a plan needs."""

import gzip

import pytest

from collect.pprof.pretend import metrics
from oakum.collect.pprof.scrape import Scrape, read


def test_what_the_client_for_go_writes() -> None:
    told = read(metrics(goroutines=812, collections=9, started=1.7e9))
    assert told == Scrape(1, 812, "go1.26.8", 9, 11_080_936, 46_116_864, 1.7e9)
    assert read(gzip.compress(metrics(goroutines=812, collections=9, started=1.7e9))) == told


def test_labels_that_a_registry_adds() -> None:
    assert read(b'go_goroutines{service="orders",zone="a b"} 8.12e+02 1700000000000\n').goroutines == 812


def test_a_federation_tells_of_many() -> None:
    told = read(b'go_goroutines{instance="a"} 3\ngo_goroutines{instance="b"} 4\n')
    assert (told.processes, told.goroutines) == (2, None)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"go_goroutines NaN\n",
        b"go_goroutines +Inf\nprocess_start_time_seconds 1e99\n",
        b"go_goroutines 1.2.3\n",
        b"go_goroutines -4\n",
        b"go_goroutines{" + b"{" * 100_000,
        b"\xff\xfe" * 1000,
        b"\x1f\x8b\x08\x00",
    ],
)
def test_nonsense_says_nothing(text: bytes) -> None:
    assert read(text) == Scrape()

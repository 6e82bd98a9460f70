"""Growth for each event: told only where a counter explains every step."""

from oakum.compare.events import per_event
from oakum.model import Metrics, Snapshot


def _moments(*counters: dict[str, int]) -> list[Snapshot]:
    return [
        Snapshot(f"m{at}", metrics=Metrics({(name, (("path", "/x"),)): value for name, value in counter.items()}))
        for at, counter in enumerate(counters)
    ]


def test_one_for_each_request() -> None:
    found = per_event((0, 40, 100, 100), _moments(*({"http_requests_total": n} for n in (3, 43, 103, 103))))
    assert found is not None
    assert found.event == "http_requests_total{path=/x}"
    assert (found.value, found.low, found.high) == (1.0, 1.0, 1.0)


def test_what_follows_all_requests_of_a_kind_follows_no_single_path() -> None:
    """Three paths in a mix that changes: one goroutine for each POST, whichever path, none for a GET."""
    sent = (("GET", "/", (5, 9, 60, 90)), ("POST", "/a", (0, 30, 40, 40)), ("POST", "/b", (0, 10, 60, 60)))
    moments = [
        Snapshot(
            f"m{at}",
            metrics=Metrics(
                {("http_requests_total", (("method", how), ("path", path))): counts[at] for how, path, counts in sent}
            ),
        )
        for at in range(4)
    ]
    found = per_event((0, 40, 100, 100), moments)
    assert found is not None
    assert (found.event, found.value) == ("http_requests_total{method=POST}", 1.0)


def test_requests_under_way_blur_small_steps() -> None:
    """Metrics are scraped a little after the dump: 28 events in the third step, 47 goroutines."""
    found = per_event((0, 802, 849, 1653, 1702), _moments(*({"late": n} for n in (0, 821, 849, 1675, 1702))))
    assert found is not None
    assert (found.value, found.low, found.high) == (1.0, 0.973, 1.0)
    assert per_event((0, 802, 849, 1653, 1702), _moments(*({"late": n} for n in (0, 802, 1002, 1602, 1702)))) is None


def test_two_for_each_request() -> None:
    found = per_event((4, 44, 84), _moments(*({"jobs_total": n} for n in (0, 20, 40))))
    assert found is not None
    assert found.value == 2.0


def test_a_mix_that_stays_the_same_explains_nothing() -> None:
    """Seven of ten requests leak: the counter of all of them rises in step, and is not why."""
    assert per_event((0, 70, 140), _moments(*({"http_requests_total": n} for n in (0, 100, 200)))) is None


def test_growth_without_the_event_refutes_it() -> None:
    assert per_event((0, 40, 80, 120), _moments(*({"http_requests_total": n} for n in (0, 40, 80, 80)))) is None


def test_a_gauge_is_no_event() -> None:
    assert per_event((0, 40, 80, 120), _moments(*({"open": n} for n in (0, 40, 80, 40)))) is None


def test_without_metrics_nothing_is_said() -> None:
    assert per_event((0, 40, 80), [Snapshot("a"), Snapshot("b"), Snapshot("c")]) is None
    assert per_event((0, 40), _moments({"n": 0}, {"n": 40})) is None

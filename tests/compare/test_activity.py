"""Work done in each step: the first measure that every step can tell, and only ratios."""

import pytest
from msgspec.structs import replace

from goroutine_text import MAIN, Story, dump, goroutine, snapshot
from handmade import profile
from oakum.compare.activity import activity
from oakum.model import Metrics, Snapshot


def _numbered(*highest: int) -> list[Snapshot]:
    return [snapshot(dump(MAIN, goroutine(one, "running", "main.work")), at) for at, one in enumerate(highest)]


def _counted(*values: float | None, name: str = "http_requests_total") -> list[Snapshot]:
    return [
        replace(snapshot(None, at), metrics=None if value is None else Metrics({(name, ()): value}))
        for at, value in enumerate(values)
    ]


def test_goroutines_started_are_work() -> None:
    assert activity(_numbered(100, 350, 400)).steps == (250.0, 50.0)
    assert activity(_numbered(100, 350, 400)).measure == "goroutines started"


def test_a_story_counts_what_it_started() -> None:
    story = Story()
    for work in (10, 200, 30):
        story.snapshot(work)
    assert activity([snapshot(text, at) for at, text in enumerate(story.dumps)]).steps == (200.0, 30.0)


def test_requests_where_no_dump_has_ids() -> None:
    found = activity(_counted(100, 160, 400))
    assert (found.measure, found.steps) == ("requests", (60.0, 240.0))


@pytest.mark.parametrize(
    "name",
    [
        "grpc_server_handled_total",
        "rest_client_requests_total",
        "apiserver_request_duration_seconds_count",
        "queries_total",
    ],
)
def test_names_under_which_requests_are_counted(name: str) -> None:
    assert activity(_counted(1, 5, name=name)).steps == (4.0,)


def test_a_gauge_is_no_work() -> None:
    assert activity(_counted(1, 5, name="http_requests_in_flight")).steps == ()


def test_a_restarted_counter_tells_nothing() -> None:
    assert activity(_counted(100, 20, 50)).steps == ()


def test_a_step_that_nobody_counted_makes_all_unknown() -> None:
    assert activity(_counted(100, None, 300)).steps == ()


def test_a_process_that_restarted_has_lower_ids() -> None:
    assert activity(_numbered(4000, 90, 500)).measure != "goroutines started"


def test_allocations_are_the_last_resort() -> None:
    heaps = [
        replace(
            snapshot(None, at), heap=profile([("make main", (count, 0))], ("alloc_objects/count", "inuse_space/bytes"))
        )
        for at, count in enumerate((100, 150, 450))
    ]
    found = activity(heaps)
    assert (found.measure, found.steps) == ("objects allocated", (50.0, 300.0))


def test_nothing_to_measure_by() -> None:
    assert activity([]).steps == ()
    assert activity([snapshot(None)]).steps == ()
    assert activity([snapshot(None, 0), snapshot(None, 1)]).steps == ()

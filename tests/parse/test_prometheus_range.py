"""Answers of Prometheus' query API become snapshots: thinned, split where the process was restarted, by process."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oakum.model import Capture, Reading
from oakum.parse import parse as parse_capture
from oakum.parse.limits import DEFAULT
from oakum.parse.prometheus_range import SNAPSHOTS, read
from oakum.report.words.lines import problem_line

START = 1_700_000_000
Course = Callable[[int], float]


def parse(data: bytes) -> tuple[Reading, ...]:
    return parse_capture(Capture("prometheus.json", data))


def series(name: str, course: Course, points: int = 240, step: int = 90, **labels: str) -> dict[str, object]:
    values = [[START + at * step, str(course(at))] for at in range(points)]
    return {"metric": {"__name__": name, **labels}, "values": values}


def answer(*results: Mapping[str, object], kind: str = "matrix", **more: object) -> bytes:
    return json.dumps({"status": "success", "data": {"resultType": kind, "result": results}, **more}).encode()


def totals(readings: tuple[Reading, ...], name: str) -> list[float | None]:
    return [reading.metrics.total(name) if reading.metrics else None for reading in readings]


def test_a_range_is_thinned_to_snapshots_with_their_times_and_says_so() -> None:
    read = parse(answer(series("go_goroutines", lambda at: 10 + at, job="orders", instance="a:80")))
    assert len(read) == SNAPSHOTS
    assert {reading.format for reading in read} == {"prometheus-range"}
    assert read[0].taken_at == datetime.fromtimestamp(START, UTC)
    assert read[-1].taken_at == datetime.fromtimestamp(START + 239 * 90, UTC)
    assert totals(read, "go_goroutines")[:: SNAPSHOTS - 1] == [10, 249]
    assert read[0].notes["process"] == "orders a:80"
    assert [problem.key for problem in read[0].problems] == ["thinned"]


def test_answers_to_several_queries_are_one_process() -> None:
    own = answer(series("go_goroutines", lambda _: 7, 10, job="orders", instance="a:80", pod="o-1", namespace="shop"))
    work = answer(series("http_requests_total", lambda at: at * 5, 10, job="orders", instance="a:80", pod="o-1",
                         namespace="shop"))  # fmt: skip
    limits = answer(
        series("container_memory_working_set_bytes", lambda _: 4096, 10, namespace="shop", pod="o-1", container="app"),
        series("container_memory_working_set_bytes", lambda _: 9999, 10, namespace="shop", pod="o-1"),
        series("container_memory_working_set_bytes", lambda _: 3, 10, namespace="shop", pod="o-1", container="POD"),
    )
    read = parse(b"\n".join((own, work, limits)))
    assert len(read) == 10
    assert totals(read, "http_requests_total")[-1] == 45
    assert totals(read, "container_memory_working_set_bytes")[-1] == 4096, (
        "the pod and its pause container are no process"
    )


def test_two_instances_are_two_processes() -> None:
    one = series("go_goroutines", lambda _: 1, 3, job="orders", instance="a:80")
    two = series("go_goroutines", lambda _: 2, 3, job="orders", instance="b:80")
    read = parse(answer(one, two))
    assert [reading.notes["process"] for reading in read] == ["orders a:80"] * 3 + ["orders b:80"] * 3


def restarting(at_point: int) -> bytes:
    started = series("process_start_time_seconds", lambda at: START - 60 if at < at_point else START + at_point * 90,
                     job="j", instance="i")  # fmt: skip
    return answer(started, series("go_goroutines", lambda at: at, job="j", instance="i"))


@pytest.mark.parametrize(("at", "after"), [(100, SNAPSHOTS), (230, 10)])
def test_each_run_of_a_restarted_process_is_read(at: int, after: int) -> None:
    read = parse(restarting(at))
    assert [reading.notes["run"] for reading in read] == ["1"] * SNAPSHOTS + ["2"] * after
    assert totals(read, "go_goroutines")[SNAPSHOTS - 1 : SNAPSHOTS + 1] == [at - 1, at]


def test_of_a_crash_loop_the_last_runs_and_the_longest_are_read() -> None:
    counter = series("go_gc_duration_seconds_count", lambda at: at if at < 100 else at % 5, job="j", instance="i")
    read = parse(answer(counter))
    assert [reading.notes["run"] for reading in read] == ["1"] * SNAPSHOTS + [run for run in "2345" for _ in range(5)]
    assert "restarted 28 times" in problem_line(read[0].problems[0])
    assert "of 29 runs 5 were read" in problem_line(read[0].problems[0])


def test_gauges_that_never_fall_show_a_restart_too() -> None:
    """No counter and no start: what Go keeps from the system falls with the goroutines, which it never does."""
    gauges = {
        "go_goroutines": (900, 20),
        "process_resident_memory_bytes": (8e8, 2e7),
        "go_memstats_sys_bytes": (9e8, 3e7),
    }

    def course(was: float, now: float) -> Course:
        return lambda at: was if at < 120 else now

    results = [series(name, course(was, now), job="j", instance="i") for name, (was, now) in gauges.items()]
    read = parse(answer(*results))
    assert {reading.notes["run"] for reading in read} == {"1", "2"}
    drained = parse(answer(*results[:2]))
    assert not any("run" in reading.notes for reading in drained), "a queue that drains is no restart"


def test_a_counter_that_falls_is_a_restart_too() -> None:
    counter = series("go_gc_duration_seconds_count", lambda at: at % 120, job="j", instance="i")
    read = parse(answer(counter))
    second = [reading for reading in read if reading.notes["run"] == "2"]
    assert totals(tuple(second), "go_gc_duration_seconds_count")[0] == 0
    assert second[0].taken_at == datetime.fromtimestamp(START + 120 * 90, UTC)


def test_a_vector_is_one_snapshot_and_promtool_prints_bare_lists() -> None:
    metric = {"__name__": "go_goroutines", "instance": "a:80"}
    (read,) = parse(answer({"metric": metric, "value": [START, "12"]}, kind="vector"))
    assert totals((read,), "go_goroutines") == [12]
    (bare,) = parse(json.dumps([{"metric": metric, "values": [[START, "13"]]}]).encode())
    assert totals((bare,), "go_goroutines") == [13]


def test_sums_without_labels_belong_to_the_only_process() -> None:
    read = parse(answer({"metric": {"__name__": "go_goroutines"}, "values": [[START, "3"], [START + 60, "4"]]}))
    assert totals(read, "go_goroutines") == [3, 4]


def test_warnings_and_partial_answers_are_told() -> None:
    read = parse(answer(series("up", lambda _: 1, 2, job="j"), warnings=["store 7 was not asked"], isPartial=True))
    told = [problem_line(problem) for problem in read[0].problems]
    assert "Prometheus warns about its answer: store 7 was not asked" in told
    assert any("partial" in text for text in told)


def test_an_empty_answer_and_a_refusal_say_so() -> None:
    (empty,) = parse(answer())
    assert empty.problems[0].key == "empty-answer"
    (refused,) = parse(b'{"status":"error","errorType":"bad_data","error":"parse error","data":{"resultType":""}}')
    assert "bad_data: parse error" in problem_line(refused.problems[0])


def test_series_that_an_expression_made_nameless_are_told() -> None:
    (told,) = parse(answer({"metric": {"job": "orders"}, "values": [[START, "0.5"]]}))
    assert "ask for the metric itself" in problem_line(told.problems[0])


def test_what_is_no_number_is_left_out() -> None:
    values = [[START, "NaN"], [START + 1, "5"], ["x", "1"], [True, "2"], [1e300, "3"], [START + 2, "x"], [START + 3], 7]
    read = parse(answer({"metric": {"__name__": "go_goroutines", "job": "j"}, "values": values}))
    assert totals(read, "go_goroutines") == [5]


@pytest.mark.parametrize(
    "other", [b'{"status":"success","data":["job"]}', b"[]", b'{"metric": 1}', b'[{"metric": {}}, 3]']
)
def test_other_json_is_not_taken_for_it(other: bytes) -> None:
    assert not any(reading.format == "prometheus-range" and reading.metrics for reading in parse(other))


def test_cutting_it_anywhere_still_gives_a_value() -> None:
    whole = answer(series("go_goroutines", lambda at: at, 6, job="j"), series("up", lambda at: 1, 3), warnings=["w"])
    for end in range(len(whole)):
        assert not any(one.key == "internal" for reading in parse(whole[:end]) for one in reading.problems), end


LEAF = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
JSON = st.recursive(
    LEAF, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)
RESULT = st.fixed_dictionaries(
    {},
    optional={
        "metric": JSON | st.dictionaries(st.sampled_from(["__name__", "job", "pod"]), JSON, max_size=3),
        "values": JSON | st.lists(st.lists(LEAF, max_size=3), max_size=4),
        "value": JSON | st.lists(LEAF, max_size=2),
    },
)


@settings(max_examples=40)
@given(st.lists(RESULT | JSON, max_size=4), JSON, JSON)
def test_whatever_stands_in_an_answer_is_read_without_a_failure(
    result: list[object], warnings: object, more: object
) -> None:
    whole = {
        "status": "success",
        "data": {"resultType": "matrix", "result": result},
        "warnings": warnings,
        "infos": more,
    }
    read(json.dumps(whole).encode(), DEFAULT)


def test_a_hostile_answer_takes_no_longer_than_its_size() -> None:
    falling = [series("go_gc_duration_seconds_count", lambda at: -at, 20_000, 1, job="j", instance="i")]
    pods = [series("container_memory_rss", lambda _: 1, 1, pod=f"p{at}", namespace="n") for at in range(3000)]
    own = [series("go_goroutines", lambda _: 1, 1, pod=f"q{at}", instance="i") for at in range(3000)]
    began = process_time()
    assert len(parse(answer(*falling, *pods, *own))) < 100
    assert process_time() - began < 10

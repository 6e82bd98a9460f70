"""A Prometheus: which processes it has scraped, what is taken of them, and what is said when it refuses."""

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from oakum.collect.history.prometheus import PrometheusTarget, open
from oakum.collect.target import CaptureOptions, Taken
from oakum.collect.web import Access
from oakum.model import UsageError
from oakum.report.words.lines import problem_line
from support import unreachable

from .servers import Answering, Reply, answering

JSON = "application/json"


def good(data: object, **more: object) -> Reply:
    return 200, JSON, json.dumps({"status": "success", "data": data, **more}).encode()


def refused(status: int, error: str, kind: str = "bad_data") -> Reply:
    return status, JSON, json.dumps({"status": "error", "errorType": kind, "error": error}).encode()


def matrix(query: str) -> Reply:
    metric = {"__name__": "go_goroutines", "job": "orders", "instance": "a:80"}
    return good({"resultType": "matrix", "result": [{"metric": metric, "values": [[1700000000, "7"]]}]})


SERIES: Sequence[Mapping[str, str]] = [
    {"__name__": "go_goroutines", "job": "orders", "instance": f"{name}:80"} for name in "abcdef"
]


def prometheus(
    ranges: Answering = lambda path, _: matrix(path), series: Sequence[Mapping[str, str]] = SERIES, prefix: str = ""
) -> Answering:
    """Return a server that has these series, and answers to ranges so."""

    def reply(path: str, body: bytes) -> Reply:
        parts = urlsplit(path)
        asked = parse_qs(parts.query)
        if parts.path == f"{prefix}/api/v1/query":
            if "vector(1)" in asked["query"][0]:
                return good({"resultType": "vector", "result": []})
            found = [
                {"metric": {"job": "orders"}, "value": [1, "6"]},
                {"metric": {"job": "kubelet"}, "value": [1, "1"]},
            ]
            return good({"resultType": "vector", "result": found})
        if parts.path == f"{prefix}/api/v1/series":
            wanted = asked["match[]"][0]
            kept = [one for one in series if f'job="{one["job"]}"' in wanted and one["__name__"] in wanted]
            if 'instance="' in wanted:
                kept = [one for one in kept if f'instance="{one["instance"]}"' in wanted]
            return good(kept)
        return ranges(path, body) if parts.path == f"{prefix}/api/v1/query_range" else (404, "text/plain", b"404\n")

    return reply


def opened(base: str, query: str = 'match={job="orders",instance="a:80"}') -> list[PrometheusTarget]:
    return open(f"prometheus+{base}?{query}", Access())


def taken(target: PrometheusTarget, seconds: float = 30.0) -> Taken:
    options = CaptureOptions(seconds=seconds)
    (step,) = target.plan(options).steps
    return target.take(step, options)


def test_each_instance_is_a_target_and_some_others_of_the_job_stand_beside() -> None:
    with answering(prometheus()) as base:
        one = opened(base)
        all_of_them = opened(base, "match=job=orders")
        alone = opened(base, 'match={job="orders",instance="a:80"}&others=0')
    assert [(target.name, target.other) for target in one] == [
        ("orders-a:80", False), ("orders-b:80", True), ("orders-c:80", True), ("orders-d:80", True),
    ]  # fmt: skip
    assert len(all_of_them) == 6
    assert len(alone) == 1
    assert one[0].address == f'prometheus+{base}?match={{job="orders",instance="a:80"}}'
    assert len({target.process for target in one}) == 4


def test_the_plan_says_what_and_how_far_back_and_that_once_is_enough() -> None:
    with answering(prometheus()) as base:
        (target, *_) = opened(base, "match=job=orders&last=1h&step=30s")
        default = opened(base, "match=job=orders")[0].plan(CaptureOptions(past=timedelta(hours=2)))
        plan = target.plan(CaptureOptions())
    assert plan.once
    assert plan.steps[0].file == "prometheus.json"
    assert plan.steps[0].what.endswith("in the last 1h, every 30s")
    assert default.steps[0].what.endswith("in the last 2h, every 30s")


def test_answers_are_kept_as_received_one_after_the_other() -> None:
    with answering(prometheus()) as base:
        got = taken(opened(base)[0])
    assert got.capture is not None
    assert bytes(got.capture.data) == (matrix("")[2] + b"\n") * 2
    assert not got.problems


def test_a_pod_is_asked_for_its_container_too() -> None:
    asked: list[str] = []

    def ranges(path: str, body: bytes) -> Reply:
        asked.append(parse_qs(urlsplit(path).query)["query"][0])
        return matrix(path)

    pod = [{"__name__": "go_goroutines", "job": "orders", "instance": "a:80", "namespace": "shop", "pod": "o-1"}]
    with answering(prometheus(ranges, pod)) as base:
        taken(opened(base)[0])
    assert len(asked) == 3
    assert asked[2].startswith("sum by (__name__, namespace, pod) (")
    assert 'namespace="shop",pod="o-1",container!="",container!="POD"' in asked[2]


def test_containers_that_nobody_scrapes_are_targets_by_their_pods() -> None:
    cadvisor = {"__name__": "container_memory_working_set_bytes", "job": "orders", "instance": "node1", "pod": "o-1"}
    series = [{**cadvisor, "namespace": "shop", "container": "app"}, {**cadvisor, "namespace": "shop"}]
    with answering(prometheus(series=series)) as base:
        targets = opened(base, "match=job=orders")
    assert [target.name for target in targets] == ["shop-o-1-app"]


def test_who_asks_for_the_kubelet_does_not_mean_all_containers() -> None:
    kubelet = {"job": "kubelet", "instance": "n7:10250"}
    inside = {"__name__": "container_memory_working_set_bytes", "namespace": "shop", "pod": "o-1", "container": "app"}
    with answering(prometheus(series=[{"__name__": "go_goroutines", **kubelet}, inside | kubelet])) as base:
        assert [target.name for target in opened(base, "match=job=kubelet")] == ["kubelet-n7:10250"]


def test_usual_prefixes_are_tried() -> None:
    with answering(prometheus(prefix="/prometheus")) as base:
        (target, *_) = opened(base)
        assert taken(target).capture is not None
    assert target.address.startswith(f"prometheus+{base}/prometheus?")


def test_nobody_named_and_nothing_that_fits_are_told_what_there_is() -> None:
    with answering(prometheus()) as base:
        with pytest.raises(UsageError, match=r"match= says which process.*orders \(6\), kubelet"):
            opened(base, "")
        with pytest.raises(UsageError, match=r"nothing fits match=\{job=\"x\"\}.*job is orders \(6\), kubelet"):
            opened(base, "match=job=x")


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (refused(400, "1:3: parse error: unexpected end"), "400, the query was not understood: 1:3: parse error"),
        (refused(400, "exceeded maximum resolution of 11,000 points per timeseries"), "a longer step="),
        (refused(422, "query processing would load too many samples into memory", "execution"), "a shorter last="),
        (refused(503, "query timed out in expression evaluation", "timeout"), "503, it is overloaded"),
        ((401, "text/plain", b"no org id\n"), "-H 'X-Scope-OrgID: TENANT'"),
        ((200, "text/html", b"<html><title>Sign in</title>"), "not that of the Prometheus API"),
        ((200, JSON, b'{"status":"success","data":{"resu'), "not that of the Prometheus API"),
    ],
)
def test_what_is_refused_is_said_and_nothing_is_lost(reply: Reply, said: str) -> None:
    def ranges(path: str, body: bytes) -> Reply:
        return reply if "sum+by" in path or "sum%20by" in path else matrix(path)

    with answering(prometheus(ranges)) as base:
        got = taken(opened(base)[0], 5.0)
    assert got.capture is not None, "the other query was answered"
    (problem,) = got.problems
    assert problem_line(problem).startswith("work of orders-a:80: ")
    assert said in problem_line(problem)


def test_an_empty_range_and_warnings_are_told() -> None:
    empty = good({"resultType": "matrix", "result": []}, warnings=["store 7 is away"])
    with answering(prometheus(lambda *_: empty)) as base:
        got = taken(opened(base)[0])
    assert got.capture is None
    assert {problem.key for problem in got.problems} == {"empty", "warning"}


def test_too_many_points_are_told_before_anybody_is_asked() -> None:
    with pytest.raises(UsageError, match=r"604,800 points.*step=55s is the shortest"):
        open("prometheus+http://127.0.0.1:9?match=job=x&last=7d&step=1s", Access())


def test_what_is_no_prometheus_is_said_to_be_none() -> None:
    with (
        answering(lambda path, body: (404, "text/plain", b"404 page not found\n")) as base,
        unreachable("no Prometheus answers there"),
    ):
        opened(base)
    with unreachable("refused"):
        open("prometheus+http://127.0.0.1:9?match=job=x", Access())


def test_credentials_stay_out_of_what_is_shown() -> None:
    with answering(prometheus()) as base:
        targets = opened(base.replace("://", "://ann:hunter2@"))
        got = taken(targets[0])
    shown = (
        targets[0].address,
        targets[0].name,
        str(targets[0].plan(CaptureOptions())),
        got.capture and got.capture.origin,
    )
    assert "hunter2" not in str(shown)

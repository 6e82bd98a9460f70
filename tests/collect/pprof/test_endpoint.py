"""A target over pprof: what it plans, in which order it asks, what it leaves out, and what it says when things go wrong."""

import threading
from collections.abc import Iterator

import pytest

from collect.pprof.pretend import LOGIN, Page, Pretend, index, metrics, pretend, profiles, recorded
from collect.web.faults import Connection, answer, serving
from oakum.collect.pprof.endpoint import DUMP_MOST, PprofTarget
from oakum.collect.pprof.http import open as opened
from oakum.collect.target import CaptureOptions, Plan, Step, Taken
from oakum.collect.web import Access, HttpEndpoint
from oakum.report.words.lines import problem_line, worded

OPTIONS = CaptureOptions(seconds=20)


def files(plan: Plan) -> list[str]:
    return [step.file for step in plan.steps]


def all_of(target: PprofTarget, plan: Plan, options: CaptureOptions = OPTIONS) -> list[Taken]:
    return [target.take(step, options) for step in plan.steps]


@pytest.fixture
def server() -> Iterator[Pretend]:
    with pretend({"/debug/pprof/": index("go1.27"), "/metrics": metrics(), **profiles()}) as pretended:
        yield pretended


def test_everything_in_order_and_asked_once(server: Pretend) -> None:
    server.pages["/version"] = b'{"major": "1", "gitVersion": "v1.30.1", "goVersion": "go1.22.3"}'
    (target,) = opened(server.base, Access())
    plan = target.plan(OPTIONS)
    expected = [
        "metrics.txt", "version.json", "heap.pb.gz", "goroutine.pb.gz", "goroutine.debug2.txt", "goroutineleak.pb.gz",
    ]  # fmt: skip
    assert files(plan) == expected
    assert (plan.left_out, plan.problems) == ((), ())
    assert dict(plan.facts) == {
        "prefix": "/debug/pprof", "goroutines": 45, "heap": 11_080_936, "rss": 46_116_864, "collections": 7,
        "go": "go1.26.8", "started": "2023-11-14T22:13:20+00:00",
    }  # fmt: skip
    assert plan.steps[4].ask == f"GET {server.base}/debug/pprof/goroutine?debug=2"
    taken = all_of(target, plan)
    assert all(one.capture and not one.problems for one in taken)
    assert len(server.asked) == len(set(server.asked)) == len(expected) + 1  # and the index
    assert taken[3].capture is not None
    assert bytes(taken[3].capture.data) == recorded("goroutine.pb.gz")
    assert taken[3].capture.origin == f"{server.base}/debug/pprof/goroutine"
    assert taken[3].capture.received_at == taken[3].ended
    target.close()


def test_looking_alone_takes_nothing_heavy(server: Pretend) -> None:
    (target,) = opened(server.base, Access())
    target.plan(OPTIONS)
    assert server.asked == ["/debug/pprof/", "/metrics", "/version"]


def test_without_metrics_the_heap_in_text_brings_the_memory(server: Pretend) -> None:
    del server.pages["/metrics"]
    (target,) = opened(server.base, Access())
    plan = target.plan(OPTIONS)
    assert files(plan)[0] == "heap.debug1.txt"
    assert {"collections", "heap"} <= set(plan.facts)
    assert all(one.capture for one in all_of(target, plan))
    assert server.asked.count("/debug/pprof/heap?debug=1") == 1


def test_handlers_without_an_index_are_counted_by_debug_1(server: Pretend) -> None:
    del server.pages["/debug/pprof/"]
    (target,) = opened(server.base, Access())
    plan = target.plan(OPTIONS)
    assert files(plan) == [
        "metrics.txt",
        "goroutine.debug1.txt",
        "heap.pb.gz",
        "goroutine.pb.gz",
        "goroutine.debug2.txt",
    ]
    assert all(one.capture for one in all_of(target, plan))
    assert server.asked.count("/debug/pprof/goroutine?debug=1") == 1


def test_too_many_goroutines_are_not_dumped(server: Pretend) -> None:
    server.pages["/debug/pprof/"] = index(goroutines=45_000)
    (target,) = opened(server.base, Access())
    plan = target.plan(OPTIONS)
    assert "goroutine.debug2.txt" not in files(plan)
    assert "goroutine.pb.gz" in files(plan)
    (left,) = plan.left_out
    assert left.what == "goroutine.debug2.txt"
    assert "45,000 goroutines, more than 10,000" in worded(left.why)
    assert "--force" in worded(left.how)
    assert "goroutine.debug2.txt" in files(target.plan(CaptureOptions(force=True)))
    assert "goroutine.debug2.txt" in files(target.plan(CaptureOptions(budget=50_000)))


def test_goroutineleak_comes_last_and_only_in_the_last_snapshot(server: Pretend) -> None:
    (target,) = opened(server.base, Access())
    first = target.plan(OPTIONS, 1, last=False)
    assert "goroutineleak.pb.gz" not in files(first)
    assert "later dump" in worded(first.left_out[0].why)
    assert files(target.plan(OPTIONS, 2, last=True))[-1] == "goroutineleak.pb.gz"


def _heap(plan: Plan) -> Step:
    return next(step for step in plan.steps if step.file == "heap.pb.gz")


def test_a_collection_is_asked_for_only_when_the_profile_would_say_nothing_new(server: Pretend) -> None:
    (target,) = opened(server.base, Access())

    def snapshot(number: int, collections: int) -> Step:
        server.pages["/metrics"] = metrics(collections=collections)
        plan = target.plan(OPTIONS, number, last=False)
        all_of(target, plan)
        return _heap(plan)

    assert snapshot(1, 7).key == "/debug/pprof/heap"
    again = snapshot(2, 7)
    assert again.key == "/debug/pprof/heap?gc=1"
    assert "none has run since the last snapshot" in again.what
    assert snapshot(3, 8).key == "/debug/pprof/heap?gc=1"  # the one we asked for was the eighth
    assert snapshot(4, 12).key == "/debug/pprof/heap"


def test_a_collection_is_asked_for_before_the_first_and_when_wished(server: Pretend) -> None:
    (target,) = opened(server.base, Access())
    assert "asked for" in _heap(target.plan(CaptureOptions(gc=True))).what
    server.pages["/metrics"] = metrics(collections=0)
    assert "profile is empty" in _heap(target.plan(OPTIONS)).what


@pytest.mark.parametrize("later", [metrics(started=1.8e9), metrics(collections=2)])
def test_a_restart_is_noticed(server: Pretend, later: bytes) -> None:
    (target,) = opened(server.base, Access())
    all_of(target, target.plan(OPTIONS, 1, last=False))
    server.pages["/metrics"] = later
    plan = target.plan(OPTIONS, 2)
    assert [problem.key for problem in plan.problems] == ["restarted"]
    assert _heap(plan).key == "/debug/pprof/heap"


def test_a_young_process_that_was_restarted_is_known_by_what_it_allocated(server: Pretend) -> None:
    del server.pages["/metrics"]
    (target,) = opened(server.base, Access())

    def snapshot(number: int, allocated: int) -> list[str]:
        text = f"heap profile: 0: 0 [0: 0] @ heap/1048576\n# TotalAlloc = {allocated}\n# NumGC = 0\n"
        server.pages["/debug/pprof/heap?debug=1"] = text.encode()
        return [problem.key for problem in target.plan(OPTIONS, number, last=False).problems]

    assert [snapshot(1, 500_000), snapshot(2, 500_000), snapshot(3, 90_000), snapshot(4, 95_000)] == [
        [],
        [],
        ["restarted"],
        [],
    ]


def test_goroutines_instead_of_a_heap_are_not_kept_as_one(server: Pretend) -> None:
    server.pages["/debug/pprof/heap"] = b"goroutine profile: total 3\n"
    (target,) = opened(server.base, Access())
    taken = {one.step.file: one for one in all_of(target, target.plan(OPTIONS))}
    assert taken["heap.pb.gz"].capture is None
    assert "another profile came instead" in problem_line(taken["heap.pb.gz"].problems[0])


def test_who_ignores_our_wish_for_a_collection_was_not_restarted(server: Pretend) -> None:
    (target,) = opened(server.base, Access())
    for number in (1, 2, 3):
        plan = target.plan(OPTIONS, number, last=False)
        all_of(target, plan)
        assert not plan.problems


def test_goroutines_that_cannot_be_counted_are_left_out(server: Pretend) -> None:
    server.pages["/debug/pprof/"] = b"<html><a href='goroutine?debug=1'>"
    server.pages["/debug/pprof/goroutine?debug=1"] = (500, b"")
    server.pages["/metrics"] = (404, b"")
    (target,) = opened(server.base, Access())
    plan = target.plan(OPTIONS)
    assert files(plan) == ["heap.debug1.txt", "heap.pb.gz"]
    assert "could not be counted" in worded(plan.left_out[0].why)
    assert "goroutine.debug2.txt" in files(target.plan(CaptureOptions(force=True)))


def test_metrics_of_a_gateway_are_not_those_of_the_program() -> None:
    pages = {"/orders/debug/pprof/": index(goroutines=812), **profiles("/orders/debug/pprof")}
    with pretend({**pages, "/metrics": metrics(60), "/version": b'{"version": "1", "goVersion": "go1.20"}'}) as server:
        (target,) = opened(f"{server.base}/orders", Access())
        plan = target.plan(OPTIONS)
        assert not {"metrics.txt", "version.json"} & set(files(plan))
        # The same program, with a prefix of its own.
        server.pages["/metrics"] = metrics(805)
        (target,) = opened(f"{server.base}/orders", Access())
        assert {"metrics.txt", "version.json"} <= set(files(target.plan(OPTIONS)))


def test_metrics_of_many_processes_are_no_ones(server: Pretend) -> None:
    more = 'go_goroutines{instance="a"} 3\ngo_goroutines{instance="b"} 4\n'
    server.pages["/metrics"] = metrics(more=more)
    (target,) = opened(server.base, Access())
    assert "metrics.txt" not in files(target.plan(OPTIONS))


def test_metrics_that_may_not_be_read_are_told_of(server: Pretend) -> None:
    server.pages["/metrics"] = (403, b"Forbidden")
    (target,) = opened(server.base, Access())
    (left,) = target.plan(OPTIONS).left_out
    assert (left.what, "403" in worded(left.why)) == ("metrics.txt", True)


def test_metrics_alone_are_taken_and_pprof_missed() -> None:
    with pretend({"/metrics": metrics()}) as server:
        (target,) = opened(server.base, Access())
        plan = target.plan(OPTIONS)
    assert files(plan) == ["metrics.txt"]
    assert [problem.key for problem in plan.problems] == ["no-pprof"]


def test_pprof_found_elsewhere_is_told() -> None:
    with pretend({"/debug/pprof/": index(), **profiles()}) as server:
        (target,) = opened(f"{server.base}/orders", Access())
        plan = target.plan(OPTIONS)
    assert [problem.key for problem in plan.problems] == ["found-elsewhere"]


def test_klog_is_suggested_where_its_verbosity_can_be_set(server: Pretend) -> None:
    server.pages["/metrics"] = metrics(more='kubernetes_build_info{git_version="v1.30.1"} 1\n')
    server.pages["/debug/flags/v"] = (406, b"error: unrecognized http method")
    (target,) = opened(server.base, Access())
    (advice,) = target.plan(OPTIONS).advice
    assert f"curl -X PUT --data 5 {server.base}/debug/flags/v" in worded(advice)
    assert not target.plan(OPTIONS, 2).advice


@pytest.mark.parametrize(
    ("page", "key", "said"),
    [
        ((404, b"Unknown profile\n"), "refused", "404"),
        ((500, b"profiling already in use\n"), "refused", "500"),
        (LOGIN, "not-a-profile", 'a web page titled "Sign in"'),
        (b"", "not-a-profile", "an empty answer"),
        (b"<html><title>/debug/pprof/</title><a href='goroutine?debug=1'>", "not-a-profile", "came instead"),
    ],
)
def test_what_is_no_profile_is_not_kept(server: Pretend, page: Page, key: str, said: str) -> None:
    server.pages["/debug/pprof/goroutine"] = page
    (target,) = opened(server.base, Access())
    taken = {one.step.file: one for one in all_of(target, target.plan(OPTIONS))}
    missed = taken.pop("goroutine.pb.gz")
    assert missed.capture is None
    assert missed.problems[0].key == key
    assert said in problem_line(missed.problems[0])
    assert all(one.capture for one in taken.values())  # the rest is not lost


def test_a_dump_that_go_cut_is_told(server: Pretend) -> None:
    start = recorded("goroutine.debug2.txt")
    server.pages["/debug/pprof/goroutine?debug=2"] = start + b"x" * (DUMP_MOST - len(start))
    (target,) = opened(f"{server.base}/debug/pprof/goroutine?debug=2", Access())
    (taken,) = all_of(target, target.plan(OPTIONS))
    assert taken.capture is not None
    assert [problem.key for problem in taken.problems] == ["dump-cut"]


def test_one_profile_named_is_the_only_thing_asked_for(server: Pretend) -> None:
    (target,) = opened(f"{server.base}/debug/pprof/heap?debug=1", Access())
    plan = target.plan(OPTIONS)
    assert files(plan) == ["heap.debug1.txt"]
    assert all_of(target, plan)[0].capture
    assert server.asked == ["/debug/pprof/heap?debug=1"]


def test_one_dump_named_is_counted_first(server: Pretend) -> None:
    (target,) = opened(f"{server.base}/debug/pprof/goroutine?debug=2", Access())
    few = CaptureOptions(budget=1)
    plan = target.plan(few)
    assert files(plan) == ["goroutine.debug1.txt"]
    assert plan.left_out[0].what == "goroutine.debug2.txt"
    assert all_of(target, plan, few)[0].capture
    assert server.asked == ["/debug/pprof/goroutine?debug=1"]
    assert files(target.plan(CaptureOptions(budget=1, force=True))) == ["goroutine.debug2.txt"]


def test_a_dump_that_does_not_end_is_not_followed_by_another() -> None:
    """The server answers the index, then hangs in what takes a dump."""
    dumps = threading.Semaphore(0)

    def talk(connection: Connection) -> None:
        while request := connection.request():
            if b"GET /debug/pprof/ " in request:
                connection.send(answer(index("go1.27")))
            elif b"/goroutine" in request:
                dumps.release()
                connection.hold()
            elif b"/heap" in request:
                connection.send(answer(recorded("heap.debug1.txt" if b"debug=1" in request else "heap.pb.gz")))
            else:
                connection.send(answer(b"404 page not found", "404 Not Found"))

    with serving(talk) as server:
        (target,) = opened(server.base, Access())
        plan = target.plan(OPTIONS)
        taken = {one.step.file: one for one in all_of(target, plan, CaptureOptions(seconds=1.0))}
    assert taken["heap.pb.gz"].capture
    assert taken["goroutine.pb.gz"].problems[0].key == "unreachable"
    assert "never two at once" in problem_line(taken["goroutine.debug2.txt"].problems[0])
    assert "never two at once" in problem_line(taken["goroutineleak.pb.gz"].problems[0])
    assert dumps.acquire(blocking=False)
    assert not dumps.acquire(blocking=False)


def test_a_server_that_is_gone_gives_a_problem() -> None:
    with pretend({}) as server:
        pass
    (target,) = opened(server.base, Access())
    plan = target.plan(CaptureOptions(seconds=5))
    assert files(plan) == []
    assert "connection refused" in problem_line(plan.problems[0])


def test_over_any_endpoint(server: Pretend) -> None:
    """As kubernetes uses it: an endpoint below a path, named otherwise."""
    server.pages = {f"/api/v1/nodes/n7/proxy{path}": page for path, page in server.pages.items()}
    endpoint = HttpEndpoint(server.base).under("/api/v1/nodes/n7/proxy", shown="kube://node/n7")
    target = PprofTarget(endpoint, "kube://node/n7", "n7", "kubelet on n7")
    plan = target.plan(OPTIONS)
    assert plan.steps[0].ask == "GET kube://node/n7/metrics"
    assert all(one.capture for one in all_of(target, plan))
    assert (target.address, target.name, target.process) == ("kube://node/n7", "n7", "kubelet on n7")

"""Many targets, several snapshots: who is slow, dead or mad costs nobody else anything, and what came is kept."""

import signal
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest

from oakum.collect import scheduler
from oakum.collect.capture_run import CaptureOutcome, Schedule
from oakum.collect.growth import grown
from oakum.collect.scheduler import CaptureScheduler
from oakum.collect.target import CaptureOptions, Plan, Step, Taken, Target
from oakum.model import Capture, OakumError, Problem, Text, Unreachable, UsageError
from oakum.report.words.lines import problem_line
from support import quoted

STEPS = (Step("goroutine.pb.gz", "goroutines", "GET a"), Step("heap.pb.gz", "heap", "GET b"))
PATIENT = 20.0  # seconds, on a machine that is three times slower than any


class Service:
    """A target that does as it is told."""

    def __init__(self, name: str, process: str = "", counts: Sequence[int] = ()) -> None:
        self.name = name
        self.address = f"http://{name}:6060"
        self.process = process or name
        self.counts = counts
        self.steps: tuple[Step, ...] = STEPS
        self.plans: list[tuple[float, int, bool]] = []
        self.closed = False
        self.at_plan: Callable[[], object] = lambda: None
        self.at_take: Callable[[], object] = lambda: None

    def plan(self, options: CaptureOptions, snapshot: int = 1, last: bool = True) -> Plan:
        self.plans.append((time.monotonic(), snapshot, last))
        self.at_plan()
        facts = {"goroutines": self.counts[snapshot - 1]} if self.counts else {}
        return Plan(self.steps, facts=facts)

    def take(self, step: Step, options: CaptureOptions) -> Taken:
        self.at_take()
        now = datetime.now(UTC)
        return Taken(step, Capture(step.ask, b"x" * 10, now), now, now)

    def close(self) -> None:
        self.closed = True


class Dead(Service):
    def plan(self, options: CaptureOptions, snapshot: int = 1, last: bool = True) -> Plan:
        super().plan(options, snapshot, last)
        return Plan(problems=(quoted("unreachable", "connection refused"),))


class Shelf:
    """A sink that only remembers."""

    def __init__(self, room: int = 1_000_000) -> None:
        self.kept: list[str] = []
        self.snapshots: list[tuple[str, int]] = []
        self.problems: list[tuple[str, str]] = []
        self.room = room
        self.lock = threading.Lock()

    def snapshot(self, target: Target, number: int, plan: Plan, began: datetime) -> None:
        self.snapshots.append((target.name, number))

    def add(self, target: Target, number: int, taken: Taken) -> str | None:
        with self.lock:
            if len(self.kept) >= self.room:
                raise OakumError("no space left on device")
            self.kept.append(f"{target.name}/{number}/{taken.step.file}")
            return self.kept[-1]

    def problem(self, target: Target, problem: Problem) -> None:
        self.problems.append((target.name, problem.key))


def go(targets: Sequence[Target], schedule: Schedule | None = None, shelf: Shelf | None = None) -> CaptureOutcome:
    words = [(target.address, lambda target=target: [target]) for target in targets]
    return CaptureScheduler(words, CaptureOptions(seconds=1), schedule or Schedule(), shelf or Shelf()).run()


def test_everything_is_taken_of_everybody() -> None:
    services = [Service(f"s{number}") for number in range(100)]
    shelf = Shelf()
    outcome = go(services, Schedule(snapshots=3, every=0, parallel=8), shelf)
    assert len(shelf.kept) == 100 * 3 * len(STEPS)
    assert [result.name for result in outcome.results] == [one.name for one in services]
    assert all(result.snapshots == [1, 2, 3] and result.size == 60 for result in outcome.results)
    assert all(one.closed for one in services)
    assert not outcome.interrupted


def test_snapshots_are_numbered_and_the_last_is_told() -> None:
    service = Service("a")
    go([service], Schedule(snapshots=3, every=0))
    assert [(number, last) for _, number, last in service.plans] == [(1, False), (2, False), (3, True)]


def test_snapshots_begin_on_time() -> None:
    """From beginning to beginning; a machine that is busy elsewhere may be late once or twice."""
    for _ in range(5):
        service = Service("a")
        service.at_take = lambda: time.sleep(0.05)
        go([service], Schedule(snapshots=2, every=0.2))
        (begun, _, _), (again, _, _) = service.plans
        assert again - begun > 0.19
        if again - begun < 0.28:  # 0.3 if the work came on top
            return
    raise AssertionError("always late")


def test_one_that_hangs_delays_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "_SLOW", 0.1)
    release = threading.Event()
    hanging = [Service(f"h{number}") for number in range(8)]
    for one in hanging:
        one.at_plan = lambda: release.wait(PATIENT)
    well = [Service(f"w{number}") for number in range(20)]
    for one in well[-1:]:
        one.at_take = release.set  # the others are let go when the last of the well is served
    outcome = go([*hanging, *well], Schedule(snapshots=1, parallel=4))
    assert all(result.paths for result in outcome.results)
    assert release.is_set()


def test_never_two_dumps_of_one_process() -> None:
    at_work: list[str] = []
    together: list[int] = []
    lock = threading.Lock()

    def busy() -> None:
        with lock:
            at_work.append("x")
            together.append(len(at_work))
        time.sleep(0.01)
        with lock:
            at_work.pop()

    twins = [Service("by-name", "10.0.0.7:6060"), Service("by-pod", "10.0.0.7:6060")]
    for one in twins:
        one.at_plan = one.at_take = busy
    outcome = go(twins, Schedule(snapshots=2, every=0))
    assert set(together) == {1}
    assert all(result.snapshots for result in outcome.results)


def test_who_dies_keeps_what_it_gave_and_is_asked_again() -> None:
    service = Service("a")

    def die() -> None:
        if len(service.plans) == 2:
            raise Unreachable(Text("web.refused"))

    service.at_plan = die
    shelf = Shelf()
    (result,) = go([service], Schedule(snapshots=3, every=0), shelf).results
    assert result.snapshots == [1, 3]
    assert ("a", "failed") in shelf.problems


def test_who_never_gave_anything_is_not_asked_again() -> None:
    dead = Dead("a")
    outcome = go([dead, Service("b")], Schedule(snapshots=3, every=0))
    assert len(dead.plans) == 1
    assert [problem_line(problem) for problem in outcome.results[0].problems] == ["connection refused"]
    assert outcome.results[1].snapshots == [1, 2, 3]


def test_a_mad_target_takes_nobody_with_it() -> None:
    mad = Service("a")
    mad.at_plan = lambda: 1 / 0
    outcome = go([mad, Service("b")])
    assert "ZeroDivisionError" in str(outcome.results[0].problems[0])
    assert outcome.results[1].paths


def test_what_never_comes_back_is_left_behind() -> None:
    release = threading.Event()
    stuck = Service("a")
    stuck.at_take = lambda: release.wait(PATIENT)
    shelf = Shelf()
    words = [(one.address, lambda one=one: [one]) for one in (stuck, Service("b"))]
    outcome = CaptureScheduler(words, CaptureOptions(seconds=0.1), Schedule(limit=0.1), shelf).run()
    release.set()
    assert [problem.key for problem in outcome.results[0].problems] == ["hung"]
    assert outcome.results[1].paths
    time.sleep(0.05)
    assert not [path for path in shelf.kept if path.startswith("a/")], "nothing is kept after the end"


def test_time_for_a_snapshot_is_bounded() -> None:
    slow = Service("a")
    slow.at_take = lambda: time.sleep(0.15)
    (result,) = go([slow], Schedule(limit=0.1)).results
    assert len(result.paths) == 1
    assert "heap.pb.gz" in str(result.problems[0])


def test_a_slow_target_is_late_and_others_are_not() -> None:
    slow, quick = Service("slow"), Service("quick")
    slow.at_plan = lambda: time.sleep(0.2)
    outcome = go([slow, quick], Schedule(snapshots=3, every=0.05))
    assert [result.snapshots for result in outcome.results] == [[1, 2, 3], [1, 2, 3]]
    assert quick.plans[-1][0] < slow.plans[-1][0]


def test_an_interrupt_keeps_everything_and_lets_what_is_on_its_way_arrive() -> None:
    service, other = Service("a"), Service("b")

    def interrupt() -> None:
        service.at_take = lambda: None
        signal.raise_signal(signal.SIGINT)
        time.sleep(0.1)

    service.at_take = interrupt
    shelf = Shelf()
    begun = time.monotonic()
    outcome = go([service, other], Schedule(snapshots=10, every=60.0), shelf)
    assert outcome.interrupted
    assert time.monotonic() - begun < PATIENT
    assert "a/1/goroutine.pb.gz" in shelf.kept
    assert service.closed


def test_an_interrupt_waits_for_nobody_who_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "_PARTING", 0.1)
    release = threading.Event()
    service = Service("a")

    def hang() -> None:
        signal.raise_signal(signal.SIGINT)
        release.wait(PATIENT)

    service.at_take = hang
    shelf = Shelf()
    begun = time.monotonic()
    outcome = go([service], shelf=shelf)
    release.set()
    assert outcome.interrupted
    assert time.monotonic() - begun < PATIENT / 2
    assert ("a", "unfinished") in shelf.problems


def test_few_threads_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    start = threading.Thread.start

    def limited(thread: threading.Thread) -> None:
        if threading.active_count() > allowed:
            raise RuntimeError("can't start new thread")
        start(thread)

    allowed = threading.active_count() + 2
    monkeypatch.setattr(threading.Thread, "start", limited)
    outcome = go([Service(f"s{number}") for number in range(30)])
    assert all(result.paths for result in outcome.results)
    allowed = 0
    with pytest.raises(OakumError, match="cannot start a thread"):
        go([Service("a")])


def test_a_full_disk_ends_the_run() -> None:
    shelf = Shelf(room=3)
    with pytest.raises(OakumError, match="no space left"):
        go([Service(f"s{number}") for number in range(50)], Schedule(parallel=2), shelf)
    assert len(shelf.kept) == 3


def test_wrong_words_end_it_before_anything_is_taken() -> None:
    def wrong() -> Sequence[Target]:
        raise UsageError("kube://nod/n7: node, pod or component?")

    service = Service("a")
    shelf = Shelf()
    words = [("a", lambda: [service]), ("kube://nod/n7", wrong)]
    with pytest.raises(UsageError, match="nod"):
        CaptureScheduler(words, CaptureOptions(), Schedule(), shelf).run()
    assert not shelf.kept


def test_a_word_that_is_not_reached_is_told_and_the_rest_taken() -> None:
    def unreached() -> Sequence[Target]:
        raise Unreachable(Text("web.at", {"where": "https://10.0.0.1:6443", "why": Text("web.no-route")}))

    shelf = Shelf()
    words = [("kube://pod/shop", unreached), ("none", list), ("a", lambda: [Service("a")])]
    outcome = CaptureScheduler(words, CaptureOptions(), Schedule(), shelf).run()
    assert [bool(result.paths) for result in outcome.results] == [False, False, True]
    assert shelf.problems == [("kube://pod/shop", "failed"), ("none", "nothing")]


def test_a_word_that_is_long_in_opening_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "_HOLD", 0.05)
    served = threading.Event()
    late = Service("late")

    def slow() -> Sequence[Target]:
        assert served.wait(PATIENT)
        return [late]

    quick = Service("quick")
    quick.at_take = served.set
    outcome = CaptureScheduler(
        [("slow", slow), ("quick", lambda: [quick])], CaptureOptions(), Schedule(2, 0), Shelf()
    ).run()
    assert [result.snapshots for result in outcome.results] == [[1, 2], [1, 2]]


def test_the_past_is_taken_once() -> None:
    store = Service("prometheus")
    store.steps = (Step("20261116T101500Z/heap.pb.gz", "heap", "GET x"),)
    outcome = go([store, Service("b")], Schedule(snapshots=3, every=0))
    assert [result.snapshots for result in outcome.results] == [[1], [1, 2, 3]]


def test_without_a_keeper_only_plans_are_made() -> None:
    service = Service("a", counts=[7])
    service.at_take = lambda: 1 / 0
    outcome = CaptureScheduler([("a", lambda: [service])], CaptureOptions(), Schedule(snapshots=3), None).run()
    assert outcome.results[0].plan.steps == STEPS
    assert len(service.plans) == 1


def test_until_growth_ends_one_snapshot_after_it_was_seen() -> None:
    growing = Service("a", counts=range(100, 200, 10))
    outcome = go([growing], Schedule(snapshots=10, every=0, until_growth=True))
    assert outcome.grew == "a: goroutines 100 → 120"
    assert growing.plans[-1][1:] == (4, True)


def test_until_growth_gives_up() -> None:
    outcome = go([Service("b", counts=[50, 55, 50, 53, 52])], Schedule(snapshots=5, every=0, until_growth=True))
    assert not outcome.grew
    assert outcome.results[0].snapshots == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("counts", "grew"),
    [
        ({"goroutines": [100, 105, 110]}, True),
        ({"goroutines": [100, 112, 111]}, False),  # it fell again
        ({"goroutines": [100, 104, 108]}, False),  # less than a tenth
        ({"goroutines": [3, 5, 7]}, False),  # a handful
        ({"goroutines": [100, 200]}, False),  # two snapshots may be chance
        ({"goroutines": [9000, 9010, 9020, 9030, 9040, 9050]}, True),  # a large crowd grows steadily
        ({"goroutines": [9000, 9010, 9020, 9019, 9040, 9050]}, False),
        ({"goroutines": [100, 100, 100], "rss": [100e6, 130e6, 160e6]}, True),
        ({"rss": [100e6, 105e6, 110e6]}, False),  # the saw-tooth of the collector
        ({}, False),
    ],
)
def test_clear_growth(counts: dict[str, list[float]], grew: bool) -> None:
    assert bool(grown(counts)) is grew

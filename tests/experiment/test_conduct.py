"""The course of an experiment: when it pauses, what it sends after the break, and what it does not wait for."""

from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from oakum.collect.target import CaptureOptions, Plan, Step, Taken, Target
from oakum.experiment import conduct
from oakum.experiment.conduct import Conduct, Outcome, Setup, batches
from oakum.experiment.load import Tally
from oakum.model import Capture, Experiment, Problem

TIMES = 200
QUICK = Setup(TIMES, settle=0, pause=0, drain=0)


class Service:
    """A target that has one goroutine more for each unit of work."""

    address = name = process = "http://127.0.0.1:6060"

    def __init__(self) -> None:
        self.count = 3

    def plan(self, options: CaptureOptions, snapshot: int = 1, last: bool = True) -> Plan:
        return Plan((Step("goroutine.txt", "goroutines", "GET", "goroutine"),), facts={"goroutines": self.count})

    def take(self, step: Step, options: CaptureOptions) -> Taken:
        now = datetime.now(UTC)
        return Taken(step, Capture(step.file, b"goroutine 1 [running]:\n"), now, now)

    def close(self) -> None:
        pass


class Sending:
    unit = "request"
    asked: tuple[str, ...] = ("GET /orders",)
    numbered = False

    def __init__(self, service: Service) -> None:
        self.service = service
        self.sizes: list[int] = []

    def do(self, count: int, first: int, until: float) -> Tally:
        self.service.count += count
        self.sizes.append(count)
        return Tally(count, count)


def kept_nowhere() -> SimpleNamespace:
    return SimpleNamespace(
        snapshot=lambda *_: None, add=lambda _target, _number, taken: taken.step.file, problem=lambda *_: None
    )


def run(
    monkeypatch: pytest.MonkeyPatch,
    doubt: Callable[[Experiment], bool],
    clear_after: int = 10 * TIMES,
    setup: Setup = QUICK,
) -> tuple[Outcome, list[int]]:
    monkeypatch.setattr(conduct, "BREAK_SECONDS", 0.0)
    monkeypatch.setattr(conduct, "_QUIET", 0.0)
    service = Service()
    work = Sending(service)
    target: Target = service
    done = Conduct(
        target,
        work,
        setup,
        CaptureOptions(),
        kept_nowhere(),
        lambda stages, _: stages[-1].completed >= clear_after,
        doubt,
    ).run()
    return done, work.sizes


def course(done: Outcome) -> str:
    """Return the phases, a letter each."""
    return "".join(stage.phase[0] for stage in done.experiment.stages if stage)


def test_the_last_batch_is_sent_after_the_break(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Experiment] = []

    def doubt(made: Experiment) -> bool:
        seen.append(made)
        return True

    done, sizes = run(monkeypatch, doubt)
    assert course(done) == "ss" + "bbbbb" + "dd" + "d" + "b" + "dd"
    assert sizes == list(batches(TIMES))
    (asked,) = seen
    assert [stage.phase for stage in asked.stages if stage] == ["settle"] * 2 + ["batch"] * 5
    assert done.experiment.ended == "complete"


def test_without_a_doubt_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    done, sizes = run(monkeypatch, lambda _: False)
    assert course(done) == "ss" + "bbbbbb" + "dd"
    assert sum(sizes) == TIMES


def test_what_is_clear_early_is_asked_for_once_more_after_the_break(monkeypatch: pytest.MonkeyPatch) -> None:
    done, sizes = run(monkeypatch, lambda _: True, clear_after=80)
    assert course(done) == "ss" + "bbb" + "dd" + "d" + "b" + "dd"
    assert sizes[-1] == batches(TIMES)[-1]
    assert done.experiment.ended == "clear"
    done, sizes = run(monkeypatch, lambda _: False, clear_after=80)
    assert course(done) == "ss" + "bbb" + "dd"
    assert sum(sizes) == 80


def test_there_is_no_break_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    done, _ = run(monkeypatch, lambda _: True, setup=Setup(TIMES, 0, 0, 0, limit=0))
    assert course(done) == "ss" + "b" + "dd"
    assert done.experiment.ended == "time"


def test_one_unit_is_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    done, sizes = run(monkeypatch, lambda _: False, setup=Setup(1, 0, 0, 0))
    assert sizes == [1]
    assert course(done) == "ss" + "b" + "dd"
    assert all(isinstance(problem, Problem) for problem in done.problems)

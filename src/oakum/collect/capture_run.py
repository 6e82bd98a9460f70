"""What a run over many targets is told, hands on, and leaves: schedule, sink, the result of each target."""

from contextlib import suppress
from datetime import UTC, datetime
from typing import Protocol

from msgspec import Struct, field

from oakum.collect.target import CaptureOptions, Plan, Step, Taken, Target
from oakum.model import Problem, Text


class Schedule(Struct, frozen=True):
    """How often, how far apart, how many at once. A snapshot begins at the same time for all targets."""

    snapshots: int = 1
    every: float = 30.0  # seconds from the beginning of one snapshot to that of the next
    until_growth: bool = False  # end one snapshot after growth was seen
    parallel: int = 32
    limit: float = 300.0  # seconds for one snapshot of one target; what is not there by then is left out


def snapshot_limit(seconds: float) -> float:
    """Return the seconds for one snapshot of one target, whose requests may take so long each."""
    return max(300.0, 4 * seconds)


class CaptureSink(Protocol):
    """What keeps that which was taken: a bundle. Called from many threads."""

    def snapshot(self, target: Target, number: int, plan: Plan, began: datetime) -> object:
        """Note that a snapshot of a target begins."""

    def add(self, target: Target, number: int, taken: Taken) -> str | None:
        """Keep what came of a step, and return its path; None when nothing came that can be kept."""

    def problem(self, target: Target, problem: Problem) -> object:
        """Keep what is wrong with a target as a whole."""


class TargetResult(Struct, eq=False, dict=True):
    """What became of one target."""

    word: str
    target: Target | None = None  # None: what the word names was not reached
    plan: Plan = field(default_factory=Plan)  # of the last snapshot that was planned
    snapshots: list[int] = field(default_factory=list)  # those that something came of
    paths: list[str] = field(default_factory=list)  # where it was kept
    size: int = 0
    problems: list[Problem] = field(default_factory=list)
    failures: list[Problem] = field(default_factory=list)  # those of them that no plan and no capture brought
    advice: list[Text] = field(default_factory=list)  # of any snapshot
    counts: dict[str, list[float]] = field(default_factory=dict)  # "goroutines", "rss", "heap": one a snapshot
    begun: float = 0.0
    closed: bool = False

    @property
    def name(self) -> str:
        return self.target.name if self.target else self.word

    @property
    def address(self) -> str:
        return self.target.address if self.target else self.word

    def close(self) -> None:
        if self.target is not None and not self.closed:
            self.closed = True
            with suppress(Exception):  # it is left either way
                self.target.close()

    def add_failure(self, problem: Problem) -> None:
        """Keep what went wrong with the target as a whole."""
        self.failures.append(problem)
        self._note(problem)

    def _note(self, problem: Problem) -> None:
        """Keep a problem; the same in every snapshot is one."""
        if problem not in self.problems:
            self.problems.append(problem)

    def planned(self, plan: Plan) -> None:
        """Keep what a look at the target told."""
        self.plan = plan
        self.advice += [text for text in plan.advice if text not in self.advice]
        for problem in plan.problems:
            self._note(problem)
        for key in ("goroutines", "rss", "heap"):
            value = plan.facts.get(key)
            if isinstance(value, int | float) and not isinstance(value, bool):
                self.counts.setdefault(key, []).append(float(value))

    def took(self, number: int, taken: Taken, path: str | None) -> None:
        """Count what came of a step, and where it is kept."""
        for problem in taken.problems:
            self._note(problem)
        if path is None:
            if taken.capture is not None:
                self._note(Problem.of("not-redacted", file=taken.step.file))
            return
        self.paths.append(path)
        self.size += len(taken.capture.data) if taken.capture else 0
        if number not in self.snapshots:
            self.snapshots.append(number)


class CaptureOutcome(Struct, frozen=True):
    """What became of all targets, in the order of the words."""

    results: tuple[TargetResult, ...]
    interrupted: bool = False
    grew: str = ""  # what had grown when a series was ended


class Unopened:
    """Stands for a word that led to no target, so that a bundle can tell why."""

    def __init__(self, word: str) -> None:
        self.address = self.name = word
        self.process = ""

    def plan(self, options: CaptureOptions, snapshot: int = 1, last: bool = True) -> Plan:
        del options, snapshot, last
        return Plan()

    def take(self, step: Step, options: CaptureOptions) -> Taken:
        del options
        now = datetime.now(UTC)
        return Taken(step, None, now, now)

    def close(self) -> None:
        pass


def of_the_past(plan: Plan) -> bool:
    """Tell whether another snapshot would only tell the same again."""
    return plan.once or (bool(plan.steps) and all("/" in step.file or step.at for step in plan.steps))

"""What a run over many targets is told, hands on, and leaves: schedule, keeper, the course of each target."""

from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from oakum.collect.target import Plan, Step, Taken, Target, Wishes
from oakum.model import Problem


@dataclass(frozen=True, slots=True)
class Schedule:
    """How often, how far apart, how many at once. A moment begins at the same time for all targets."""

    moments: int = 1
    every: float = 30.0  # seconds from the beginning of one moment to that of the next
    until_growth: bool = False  # end one moment after growth was seen
    parallel: int = 32
    patience: float = 300.0  # seconds for one moment of one target; what is not there by then is left out


def patience(seconds: float) -> float:
    """Return the seconds for one moment of one target, whose requests may take so long each."""
    return max(300.0, 4 * seconds)


class Keeper(Protocol):
    """What keeps that which was taken: a bundle. Called from many threads."""

    def moment(self, target: Target, number: int, plan: Plan, began: datetime) -> object:
        """Note that a moment of a target begins."""

    def add(self, target: Target, number: int, taken: Taken) -> str | None:
        """Keep what came of a step, and return its path; None when nothing came that can be kept."""

    def problem(self, target: Target, problem: Problem) -> object:
        """Keep what is wrong with a target as a whole."""


@dataclass(eq=False)
class Course:
    """What became of one target."""

    word: str
    target: Target | None = None  # None: what the word names was not reached
    plan: Plan = field(default_factory=Plan)  # of the last moment that was planned
    moments: list[int] = field(default_factory=list)  # those that something came of
    paths: list[str] = field(default_factory=list)  # where it was kept
    size: int = 0
    problems: list[Problem] = field(default_factory=list)
    mishaps: list[Problem] = field(default_factory=list)  # those of them that no plan and no capture brought
    advice: list[str] = field(default_factory=list)  # of any moment
    counts: dict[str, list[float]] = field(default_factory=dict)  # "goroutines", "rss", "heap": one a moment
    begun: float = 0.0
    closed: bool = False

    @property
    def name(self) -> str:
        """Return what people call it."""
        return self.target.name if self.target else self.word

    @property
    def address(self) -> str:
        """Return what names it."""
        return self.target.address if self.target else self.word

    def close(self) -> None:
        """Let go of the target, once."""
        if self.target is not None and not self.closed:
            self.closed = True
            with suppress(Exception):  # it is left either way
                self.target.close()

    def mishap(self, key: str, text: str) -> None:
        """Keep what went wrong with the target as a whole."""
        self.mishaps.append(Problem(key, text))
        self._note(self.mishaps[-1])

    def _note(self, problem: Problem) -> None:
        """Keep a problem; the same in every moment is one."""
        if all((problem.key, str(problem)) != (known.key, str(known)) for known in self.problems):
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
                text = f"{taken.step.file}: left out, since the names in bytes of this kind cannot be replaced."
                self._note(Problem("not-redacted", text))
            return
        self.paths.append(path)
        self.size += len(taken.capture.data) if taken.capture else 0
        if number not in self.moments:
            self.moments.append(number)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of all targets, in the order of the words."""

    courses: tuple[Course, ...]
    interrupted: bool = False
    grew: str = ""  # what had grown when a series was ended


class Unopened:
    """Stands for a word that led to no target, so that a bundle can tell why."""

    def __init__(self, word: str) -> None:
        self.address = self.name = word
        self.process = ""

    def plan(self, wishes: Wishes, moment: int = 1, last: bool = True) -> Plan:
        del wishes, moment, last
        return Plan()

    def take(self, step: Step, wishes: Wishes) -> Taken:
        del wishes
        now = datetime.now(UTC)
        return Taken(step, None, now, now)

    def close(self) -> None:
        pass


def of_the_past(plan: Plan) -> bool:
    """Tell whether another moment would only tell the same again."""
    return plan.once or (bool(plan.steps) and all("/" in step.file or step.at for step in plan.steps))


__all__ = ["Course", "Keeper", "Outcome", "Schedule", "Unopened", "of_the_past", "patience"]

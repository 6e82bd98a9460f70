"""The experiment itself: settle, batches of work with snapshots between, a break, drain -> a bundle, and what was done.

Whatever ends it early (an interrupt, the time, a process that ends, restarts, refuses or is overloaded), the snapshots
that came are kept with the work that was done before each.
"""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Protocol

from msgspec import Struct

from oakum.collect.target import CaptureOptions, Plan, Step, Taken, Target
from oakum.experiment.load import Tally, Work
from oakum.experiment.record import FILE, record
from oakum.model import Capture, Experiment, Problem, Stage
from oakum.model.experiment import BREAK_SECONDS, Ended, Phase

# Of all work, batch by batch: the first one warms up, the others differ in size, so that what comes with the work does
# not look like what comes with the time. The last one comes after the break, where there is one.
_PARTS = (2, 2, 4, 3, 5, 4)
_BACK_OFF = 2.0  # seconds, for one that is overloaded
_COLLECTS = "gc=1"  # heap?gc=1
_QUIET = 0.8  # seconds without a change, after a batch; longer where work once paused for longer and went on
_RESTS_MOST = 3  # times as long as draining takes, while the count still goes one way
_DRAINS_MOST = 6  # snapshots after the work, while the count still moves


class Setup(Struct, frozen=True):
    """How much, and how long; all times are seconds."""

    times: int
    settle: float = 1.0  # between the two snapshots before the work
    pause: float = 0.2  # between two looks after a batch: what was answered ends
    drain: float = 4.0  # before each snapshot after the work
    limit: float = 600.0  # for everything


class Sink(Protocol):
    """What keeps snapshots: a bundle."""

    def snapshot(self, target: Target, number: int, plan: Plan, began: datetime) -> object: ...

    def add(self, target: Target, number: int, taken: Taken) -> str | None: ...

    def problem(self, target: Target, problem: Problem) -> object: ...


class Outcome(Struct, frozen=True):
    """What was done, and what is to be said of how it ended."""

    experiment: Experiment
    snapshots: int  # of which something was kept
    work: Tally
    problems: tuple[Problem, ...] = ()


class _Over(Exception):
    def __init__(self, ended: Ended) -> None:
        super().__init__(ended)
        self.ended: Ended = ended


def batches(times: int) -> tuple[int, ...]:
    """Return how many units each batch has, of so many in all."""
    ends = [round(times * sum(_PARTS[: at + 1]) / sum(_PARTS)) for at in range(len(_PARTS))]
    sizes = [end - start for start, end in zip([0, *ends], ends, strict=False)]
    return tuple(size for size in sizes if size > 0)


# Goroutines after each snapshot so far, and what had been done: whether the answer is clear, so that it may end.
Watch = Callable[[list[Stage], list[float | None]], bool]
# What was done so far: whether a break without work would tell what more work does not.
Doubt = Callable[[Experiment], bool]


class Conduct:
    """One experiment with one target. Its methods are called in order, by `run`."""

    def __init__(
        self,
        target: Target,
        work: Work,
        setup: Setup,
        options: CaptureOptions,
        sink: Sink,
        watch: Watch,
        doubt: Doubt = lambda _: False,
    ) -> None:
        self._target, self._work, self._setup = target, work, setup
        self._options, self._sink, self._watch, self._doubt = options, sink, watch, doubt
        self._tally = Tally()
        self._stages: list[Stage] = []
        self._counts: list[float | None] = []
        self._problems: list[Problem] = []
        self._kept = 0
        self._restarted = False
        self._quiet = setup.drain / 2  # after the first batch, which shows how long work pauses that is not done yet
        self._paused = 0.0
        self._until = time.monotonic() + setup.limit

    def run(self) -> Outcome:
        """Conduct it to its end, whatever that is."""
        ended: Ended = "complete"
        try:
            self._settle()
            *batches_before, last = batches(self._setup.times)
            ended = self._send(batches_before)
            paused = ended in ("complete", "clear") and self._pause(ended)
            if ended == "complete" or paused:
                again = self._send([last])
                ended = ended if again == "complete" else again
            self._drain()
        except _Over as over:
            ended = over.ended
        except KeyboardInterrupt:
            ended = "interrupted"
        made = self._made(ended)
        self._keep(made)
        return Outcome(made, self._kept, self._tally, tuple(self._problems))

    def _settle(self) -> None:
        """Take two snapshots before anything is done: what grows between them grows with the time."""
        self._snapshot("settle")
        time.sleep(self._setup.settle)
        self._snapshot("settle")

    def _made(self, ended: Ended) -> Experiment:
        work = self._work
        return Experiment(
            self._target.address, work.unit, tuple(self._stages), work.asked, ended, numbered=work.numbered
        )

    def _pause(self, ended: Ended) -> bool:
        """Send nothing for a while, if that would tell more; return whether it did.

        What ends by itself, ends then; what the last batch brings after it, no pool that has filled up brings.
        """
        if not self._doubt(self._made(ended)) or time.monotonic() + BREAK_SECONDS > self._until:
            return False
        self._drain()
        time.sleep(BREAK_SECONDS)
        self._snapshot("drain")
        return True

    def _send(self, sizes: Sequence[int]) -> Ended:
        """Send batch after batch; return why no more were sent."""
        overloaded = 0
        for size in sizes:
            came = self._work.do(size, self._tally.sent + 1, self._until)
            self._tally.add(came)
            time.sleep(_BACK_OFF if came.overloaded else 0)
            self._rest()
            self._snapshot("batch")
            overloaded = overloaded + 1 if came.overloaded else 0
            if came.unanswered and self._tally.statuses.total() == self._tally.statuses[0]:
                raise _Over("refused")
            if came.unanswered or overloaded > 1:
                return "refused" if came.unanswered else "throttled"
            if time.monotonic() >= self._until:
                return "time"
            if self._watch(self._stages, self._counts):
                return "clear"
        return "complete"

    def _rest(self) -> None:
        """Wait until the count of goroutines stays the same for a while: work may go on after its answer.

        As long as draining takes at most, and longer while the count goes one way. A machine that is busy takes its
        time, and what comes and goes by itself sets no new extreme before long.
        """
        begun = changed = widest = time.monotonic()
        seen: list[float] = []  # each count that was another one than the one before
        while time.monotonic() - begun < _RESTS_MOST * self._setup.drain:
            time.sleep(self._setup.pause)
            now, at = _count(self._look(last=False).facts), time.monotonic()
            if now is None:
                return
            if not seen or now != seen[-1]:
                self._paused = max(self._paused, at - changed) if seen else self._paused
                widest = widest if seen and min(seen) <= now <= max(seen) else at
                changed = at
                seen.append(now)
            if at - changed >= max(self._quiet, 2 * self._paused):
                break
            if at - begun >= self._setup.drain and at - widest >= self._setup.drain / 2:
                break
        self._quiet = _QUIET

    def _look(self, *, last: bool) -> Plan:
        """Look at the process; note when it is another one than before."""
        plan = self._target.plan(self._options, len(self._stages) + 1, last)
        self._restarted = self._restarted or any(problem.key == "restarted" for problem in plan.problems)
        return plan

    def _drain(self) -> None:
        """Wait for what takes its time, and take snapshots until the count is one that was there before: two at least.

        What rises while nothing is done is work that outlives its answers, and ends, or comes with the time.
        """
        for number in range(_DRAINS_MOST):
            time.sleep(self._setup.drain)
            self._snapshot("drain", last=number > 0)
            *before, now = [-math.inf if count is None else count for count in self._counts[-number - 1 :]]
            if number and min(before) <= now <= max(before):
                return

    def _snapshot(self, phase: Phase, last: bool = False) -> None:
        """Take one snapshot; raise when the process is not there any more, or is another one."""
        number, began = len(self._stages) + 1, datetime.now(UTC)
        self._collect(last)
        plan = self._look(last=last)
        if not plan.steps:
            self._problems += plan.problems
            raise _Over("gone")
        self._stages.append(self._stage(phase, began))
        self._counts.append(_count(plan.facts))
        self._sink.snapshot(self._target, number, plan, began)
        for step in plan.steps:
            taken = self._target.take(step, self._options)
            self._kept += self._sink.add(self._target, number, taken) is not None
            self._problems += taken.problems
        if self._restarted:
            raise _Over("restarted")

    def _collect(self, last: bool) -> None:
        """Let the process collect garbage, where its pprof allows, so that its memory statistics are of what lives."""
        for step in self._look(last=last).steps:
            if _COLLECTS in step.key:
                self._target.take(step, self._options)
                return

    def _stage(self, phase: Phase, began: datetime) -> Stage:
        tally = self._tally
        statuses = {str(status): count for status, count in sorted(tally.statuses.items())}
        return Stage(phase, began, tally.sent, tally.completed, tally.failed, statuses)

    def _keep(self, made: Experiment) -> None:
        """Put what was done beside the snapshots."""
        now = datetime.now(UTC)
        step = Step(f"./{FILE}", "the work done before each snapshot", "oakum reproduce")
        self._sink.add(self._target, len(self._stages), Taken(step, Capture(FILE, record(made)), now, now))


def _count(facts: Mapping[str, object]) -> float | None:
    count = facts.get("goroutines")
    return float(count) if isinstance(count, int | float) and not isinstance(count, bool) else None

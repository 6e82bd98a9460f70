"""Words of targets and a schedule -> everything that could be taken, kept as it comes; and what became of each target.

Each target has its own pace: one that hangs holds a thread, but no place in the row, and its snapshots alone are late.
What came stays, whatever happens next.
"""

import os
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from oakum.collect.capture_run import CaptureOutcome, CaptureSink, Schedule, TargetResult, Unopened, of_the_past
from oakum.collect.growth import grown
from oakum.collect.target import CaptureOptions, Taken, Target
from oakum.model import OakumError, Problem, Unread, UsageError, said_of

# A step that takes longer is waiting, not working: its place in the row is lent to another target.
_SLOW = 3.0
_LENT_MOST = 256  # threads beside those in the row
# Words that must ask an API server which targets they mean may take so long; then the others begin without them.
_HOLD = 2.0
_PARTING = 2.0  # after an interrupt: what is on its way may still arrive
_TICK = 0.25
_FILES = 65_536

Open = Callable[[], Sequence[Target]]
_Kept = TypeVar("_Kept")


class _Word(Struct, eq=False, dict=True):
    """A word of the command line and the targets that it names, once they are known."""

    open: Open
    results: list[TargetResult]


class _Job(Struct, eq=False, dict=True):
    """A word to be opened (number 0), or one snapshot of one target: due, then at work."""

    due: float
    number: int
    result: TargetResult
    word: _Word
    last: bool = False
    began: float = 0.0
    active: float = 0.0  # when it last had an answer
    step: str = "the first look"
    left_behind: bool = False


class CaptureScheduler:
    """One run over all targets: `run` is called once. Only its thread starts work; the others take."""

    def __init__(
        self,
        words: Iterable[tuple[str, Open]],
        options: CaptureOptions,
        schedule: Schedule,
        sink: CaptureSink | None = None,  # None: plans are made, and nothing is taken
        progress: Callable[["CaptureScheduler"], None] = lambda _: None,
    ) -> None:
        self.schedule = schedule
        self._options = options
        self._sink = sink
        self._progress = progress
        self._words = [_Word(open_, [TargetResult(word)]) for word, open_ in words]
        self._news = threading.Condition()  # guards everything below
        self._due = [_Job(0.0, 0, one.results[0], one) for one in self._words]
        self._running: list[_Job] = []
        self._threads = schedule.parallel + _LENT_MOST  # at most
        self._keeping = 0  # threads that hand something to the sink
        self._broken: OakumError | None = None  # nothing can be kept any more, or the words are wrong
        self._stopping = False
        self._open_until = 0.0  # snapshots begin when all words are open, or now
        self._begun: float | None = None
        self._last = schedule.snapshots
        self._grew = ""

    def run(self) -> CaptureOutcome:
        """Take every snapshot of every target, as far as that can be done; an interrupt ends it and loses nothing."""
        interrupted = False
        _more_files()
        try:
            self._open_until = time.monotonic() + _HOLD
            self._loop(lambda: not self._due and not self._running)
        except KeyboardInterrupt:
            interrupted = True
            self._part()
        finally:
            self._leave()
        if self._broken:
            raise self._broken
        return CaptureOutcome(tuple(self.results), interrupted, self._grew)

    @property
    def results(self) -> list[TargetResult]:
        return [result for word in self._words for result in word.results]

    @property
    def next_in(self) -> float | None:
        """Return the seconds until somebody's next snapshot; None while some are at work, or when all is done."""
        due = [job.due for job in tuple(self._due)]
        return max(0.0, min(due) - time.monotonic()) if due and not self._running else None

    @property
    def slowest(self) -> tuple[str, float]:
        """Return whom is waited for longest, and for how many seconds."""
        now = time.monotonic()
        waits = [(now - job.active, job.result.name) for job in tuple(self._running)]
        seconds, name = max(waits, default=(0.0, ""))
        return name, seconds

    def _loop(self, done: Callable[[], bool]) -> None:
        """Start what is due, leave behind what takes too long, until `done`."""
        while True:
            with self._news:
                if self._broken:
                    self._stopping = True
                if self._stopping:
                    self._due.clear()
                self._leave_behind()
                self._start_due()
                if done():
                    return
                self._news.wait(self._nap())
            self._progress(self)

    def _nap(self) -> float:
        """Return how long nothing has to be done, as far as is known; an interrupt is noticed in between."""
        now = time.monotonic()
        return min([_TICK, *(max(0.001, job.due - now) for job in self._due if job.due > now)])

    def _part(self) -> None:
        """Let what is on its way arrive; who cannot wait for that interrupts once more."""
        self._stopping = True
        until = time.monotonic() + _PARTING
        with suppress(KeyboardInterrupt):
            self._loop(lambda: not self._running or time.monotonic() > until)

    def _leave(self) -> None:
        """Let nobody keep anything any more, and let go of the targets."""
        with self._news:
            self._stopping = True
            for job in self._running:
                job.left_behind = True
                job.result.add_failure(Problem.of("unfinished", asked=job.step))
            while self._keeping:
                self._news.wait(_TICK)
        for result in self.results:
            result.close()
            if self._sink is not None and not self._broken:
                for problem in result.failures:
                    self._sink.problem(result.target or Unopened(result.word), problem)

    def _leave_behind(self) -> None:
        """Go on without who does not come back, though every request has a time-out of its own."""
        now = time.monotonic()
        for job in [j for j in self._running if now - j.began > self.schedule.limit + self._options.seconds]:
            job.left_behind = True
            job.result.add_failure(Problem.of("hung", asked=job.step, seconds=round(now - job.began)))
            self._running.remove(job)  # and not asked again: it may still be at it

    def _start_due(self) -> None:
        now = time.monotonic()
        opening = any(not job.number for job in (*self._due, *self._running))
        if self._begun is None and (not opening or now > self._open_until):
            self._begun = now
        busy = {job.result.target.process for job in self._running if job.result.target}
        places = self.schedule.parallel - sum(now - job.active <= _SLOW for job in self._running)
        places = min(places, self._threads - len(self._running))
        waiting: list[_Job] = []
        for job in sorted(self._due, key=lambda job: (job.due, job.number)):
            process = job.result.target.process if job.result.target else ""
            if job.number > self._last:
                continue  # growth was seen meanwhile
            # Never two dumps of one process at once.
            if job.due > now or places < 1 or (process and process in busy) or (job.number and self._begun is None):
                waiting.append(job)
                continue
            places -= 1
            if self._start(job, now):
                busy.add(process)
            else:
                waiting.append(job)
        self._due = waiting

    def _start(self, job: _Job, now: float) -> bool:
        """Begin a job in a thread of its own; False when no more are allowed here, as in pods with a limit."""
        if job.number == 1:
            job.result.begun = max(job.due, self._begun or now)
        job.last = job.number >= self._last
        job.began = job.active = now
        self._running.append(job)
        try:
            threading.Thread(target=self._work, args=(job,), daemon=True, name=f"oakum {job.result.name}").start()
        except RuntimeError as error:
            self._running.remove(job)
            self._threads = len(self._running)
            if not self._threads:
                raise OakumError(
                    f"cannot start a thread: {error}; raise the limit of threads (ulimit -u, cgroup pids.max)"
                ) from error
            return False
        return True

    def _work(self, job: _Job) -> None:
        """Do one job in a thread of its own; whatever happens there stays with this target."""
        try:
            if job.number:
                self._snapshot(job)
            else:
                self._open(job)
        except UsageError as error:
            if self._begun is None:
                self._broken = error  # the words are wrong, and nothing has been taken yet
            job.result.add_failure(Problem.of("usage", error=said_of(error)))
        except Unread as error:
            job.result.add_failure(replace(error.problem, key="failed"))
        except OakumError as error:
            job.result.add_failure(Problem.of("failed", error=said_of(error)))
        except Exception as error:
            if os.environ.get("OAKUM_DEBUG"):
                traceback.print_exc()
            # Its words might hold anything.
            job.result.add_failure(Problem.of("internal.capture", error=type(error).__name__))
        with self._news:
            over = not job.left_behind and not self._goes_on(job)
            self._news.notify_all()
        if over:
            job.result.close()  # 500 targets are 500 connections

    def _open(self, job: _Job) -> None:
        targets = job.word.open()
        with self._news:
            if job.left_behind or self._stopping:
                for target in targets:
                    target.close()
                return
            if not targets:
                job.result.add_failure(Problem.of("nothing", target=job.result.word))
                return
            job.word.results = [TargetResult(job.result.word, target) for target in targets]
            due = 0.0 if self._begun is None else time.monotonic()
            self._due += [_Job(due, 1, result, job.word) for result in job.word.results]

    def _snapshot(self, job: _Job) -> None:
        """Take one snapshot of one target: look, then one thing after the other."""
        result, target = job.result, job.result.target
        assert target is not None
        began = datetime.now(UTC)
        plan = target.plan(self._options, job.number, job.last)
        with self._news:
            if job.left_behind:
                return
            job.active = time.monotonic()
            result.planned(plan)
        if self._sink is None:
            return
        self._hand_over(job, lambda sink: sink.snapshot(target, job.number, plan, began))
        for at, step in enumerate(plan.steps):
            if self._stopping or job.left_behind:
                return
            if time.monotonic() - job.began > self.schedule.limit:
                files = ", ".join(step.file for step in plan.steps[at:])
                result.add_failure(Problem.of("late", files=files, seconds=self.schedule.limit))
                return
            job.step = step.ask
            taken = target.take(step, self._options)
            self._took(job, target, taken)

    def _took(self, job: _Job, target: Target, taken: Taken) -> None:
        path = self._hand_over(job, lambda sink: sink.add(target, job.number, taken))
        with self._news:
            if not job.left_behind and not self._broken:
                job.active = time.monotonic()
                job.result.took(job.number, taken, path)

    def _hand_over(self, job: _Job, store: Callable[[CaptureSink], _Kept]) -> _Kept | None:
        """Hand something to the sink; a full disk ends the run, and what was kept stays."""
        with self._news:
            if job.left_behind or self._broken or self._sink is None:
                return None
            self._keeping += 1
        try:
            return store(self._sink)
        except OakumError as error:
            self._broken = error
            return None
        finally:
            with self._news:
                self._keeping -= 1
                self._news.notify_all()

    def _goes_on(self, job: _Job) -> bool:
        """Note that a job is over, and when the next snapshot of this target is due; tell whether there is one."""
        self._running.remove(job)
        result, number = job.result, job.number
        # Who gave nothing at all is not there; who gave something before may be restarting, and is asked again.
        if self._stopping or self._sink is None or not result.snapshots or of_the_past(result.plan):
            return False
        if self.schedule.until_growth and not self._grew and (why := grown(result.counts)):
            self._grew = f"{result.name}: {why}"
            # One more confirms it, and is the last, in which everything is taken.
            self._last = min(self._last, number + 1)
        if number >= self._last:
            return False
        now, every = time.monotonic(), self.schedule.every
        due = result.begun + number * every
        # Who is late is given a rest all the same, and has its snapshots later than the others.
        self._due.append(_Job(due if due >= now else now + every / 2, number + 1, result, job.word))
        return True


def _more_files() -> None:
    """Allow as many open files as the system does, as Go's programs do: a series keeps a connection to each target."""
    with suppress(ImportError, ValueError, OSError):
        import resource  # not on Windows

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = _FILES if hard == resource.RLIM_INFINITY else min(hard, _FILES)
        if soft < most:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


__all__ = ["CaptureOutcome", "CaptureScheduler", "CaptureSink", "Open", "Schedule", "TargetResult"]

"""Targets -> snapshots in the store, diagnoses when something grows, incidents: the loop that runs for weeks.

One thread starts looks, writes to the store and decides; looks, diagnoses and deliveries run in threads of their own
and hand over what they found. Whatever one target does, the others go on.
"""

import os
import queue
import threading
from collections.abc import Callable, Iterable, Sequence
from threading import Semaphore

from msgspec import Struct
from msgspec.structs import replace

from oakum.collect.target import CaptureOptions
from oakum.model import OakumError, Problem
from oakum.store import Batch
from oakum.store.requests import take_wanted
from oakum.store.rows import EventRow
from oakum.watch.announcer import Announcer
from oakum.watch.casework import Casework, Done
from oakum.watch.changes import ran
from oakum.watch.clock import SYSTEM, Clock
from oakum.watch.config import Config
from oakum.watch.discovery import Discovery, Found
from oakum.watch.evidence import Evidence
from oakum.watch.ledger import Ledger, limits_of
from oakum.watch.log import Log, worded
from oakum.watch.notify import Channel, Outcome
from oakum.watch.subject import LOST, Seen, Settings, Subject, event, look, reason

_DISCOVER = 30.0  # seconds between two questions which targets there are
_TICK = 0.25
_LATE = 90.0  # seconds after which a look is left behind, though each of its requests has a deadline
_THREADS_MOST = 128
_JUMP = 5.0  # seconds by which the clock may differ from the time that has passed


class Refreshed(Struct, frozen=True, eq=False):
    """Which targets there are now."""

    found: list[Found]


class Delivered(Struct, frozen=True, eq=False):
    outcomes: tuple[Outcome, ...]


News = Seen | Done | Refreshed | Delivered | None
Spawn = Callable[[Callable[[], None], str], None]
Remade = tuple[Config, Discovery, Sequence[Channel]]


def in_thread(work: Callable[[], None], name: str) -> None:
    """Run something in a thread of its own, which ends with the process."""
    threading.Thread(target=work, daemon=True, name=name).start()


class Watcher:
    """`run` until `stop` is called; signal handlers and threads may call stop and reload."""

    def __init__(
        self,
        config: Config,
        discovery: Discovery,
        options: CaptureOptions,
        log: Log,
        channels: Sequence[Channel] = (),
        *,
        clock: Clock = SYSTEM,
        spawn: Spawn = in_thread,
        ticked: Callable[["Watcher"], None] = lambda _: None,
    ) -> None:
        if config.store is None:
            raise OakumError("no store is named")
        self.config, self.log, self.clock = config, log, clock
        self._discovery, self._spawn, self._ticked = discovery, spawn, ticked
        self.ledger = Ledger(config.store, log, clock, limits_of(config.retention))
        self.evidence = Evidence(config.store / "recent")
        self.settings = Settings(config.every, options, config.allowance, self.evidence, Semaphore(2), clock)
        self.announcer = Announcer(channels, self.ledger, log, clock)
        self._news: queue.SimpleQueue[News] = queue.SimpleQueue()
        self.casework = Casework(self.ledger, self.evidence, self.announcer, log, config, self._spawned_case)
        self.subjects: dict[str, Subject] = {}
        self._running: list[Subject] = []
        self._left: list[Subject] = []  # left behind, and perhaps still at it
        self._asking = False
        self._ask_at = clock.monotonic()
        self._times = (clock.now(), clock.monotonic())
        self._stopping = False
        self._reload: Callable[[], Remade] | None = None
        self.snapshots = self.failures = self.fetched = 0

    # ---- what signals and other threads call

    def stop(self) -> None:
        self._stopping = True
        self._news.put(None)

    def reload(self, make: Callable[[], Remade]) -> None:
        """Take a new configuration, made when there is time for it."""
        self._reload = make
        self._news.put(None)

    # ---- the loop

    def run(self) -> None:
        """Watch until `stop`; what was acknowledged is on the disk at any time."""
        self.log.write(
            "info", "watching", store=str(self.config.store), targets=len(self._discovery),
            incidents=len(self.casework.book.open),
        )  # fmt: skip
        try:
            while not self._stopping:
                self.tick()
                self._wait()
        finally:
            self.close()

    def tick(self) -> None:
        """Do what is due now."""
        self._check_clock()
        if self._reload is not None and not self._asking:
            self._reconfigure(self._reload)
        self._discover()
        self._leave_behind()
        self._look_at_wanted()
        self._start_due()
        self._take_news()
        self._deliver()
        self.ledger.flush()
        self.ledger.maintain()
        self._ticked(self)

    def close(self) -> None:
        """End: what came is written, whatever is under way is let go."""
        self._take_news()
        self.ledger.close()
        self.log.write("info", "stopped", snapshots=self.snapshots)

    @property
    def next_due(self) -> float | None:
        """Return when the next look is due, of the time that passes; None when there is none."""
        return min((one.due for one in self.subjects.values() if one.began is None), default=None)

    def _wait(self) -> None:
        due = self.next_due
        nap = _TICK if due is None else min(_TICK, max(0.0, due - self.clock.monotonic()))
        try:
            first = self._news.get(timeout=max(0.001, nap))
        except queue.Empty:
            return
        if first is not None:
            self._news.put(first)

    def _check_clock(self) -> None:
        """Say that the clock has jumped; times in the store are those of the clock."""
        now, passed = self.clock.now(), self.clock.monotonic()
        jumped = (now - self._times[0]) / 1e6 - (passed - self._times[1])
        self._times = now, passed
        if abs(jumped) > _JUMP:
            self.log.write("warn", "clock-jumped", seconds=round(jumped))
            self.ledger.add(Batch(events=(event("", now, "clock", "watch.clock", seconds=jumped),)))

    def _take_news(self) -> None:
        while True:
            try:
                one = self._news.get_nowait()
            except queue.Empty:
                return
            try:
                self._take(one)
            except Exception as error:  # a mistake of ours about one target must not end the watch of the others
                if os.environ.get("OAKUM_DEBUG"):
                    raise
                self.log.once("internal", "error", "internal-error", why=f"{type(error).__name__}: {error}")

    def _take(self, one: News) -> None:
        if isinstance(one, Seen):
            self._seen(one)
        elif isinstance(one, Done):
            self.casework.judged(one, self.subjects)
        elif isinstance(one, Refreshed):
            self._found(one.found)
        elif isinstance(one, Delivered):
            self.announcer.settle(one.outcomes)

    def _deliver(self) -> None:
        deliver = self.announcer.due()
        if deliver is not None:
            self._spawn(lambda: self._news.put(Delivered(deliver())), "notify")

    def _spawned_case(self, work: Callable[[], Done | None]) -> None:
        """Run diagnoses one after the other in a thread, until there is none."""

        def all_of_them() -> None:
            while not self._stopping and (done := work()) is not None:
                self._news.put(done)

        self._spawn(all_of_them, "diagnosis")

    # ---- which targets there are

    def _discover(self) -> None:
        now = self.clock.monotonic()
        if self._asking or now < self._ask_at or (self.subjects and not self._discovery.changes):
            return
        self._asking = True
        discovery = self._discovery

        def ask() -> None:
            found = [one.found for one in self.subjects.values()]
            try:
                found = discovery.refresh(self._troubled, self._cleared)
            except Exception as error:  # what one word leads to must not end the watch of the others
                self.log.once("discovery", "error", "internal-error", why=f"{type(error).__name__}: {error}")
            self._news.put(Refreshed(found))

        self._spawn(ask, "discovery")

    def _troubled(self, word: str, error: OakumError) -> None:
        self.log.once(f"word {word}", "warn", "discovery-failed", target=word, why=worded(error))

    def _cleared(self, word: str) -> None:
        if self.log.over(f"word {word}"):
            self.log.write("info", "discovery-works", target=word)

    def _found(self, found: Iterable[Found]) -> None:
        self._asking = False
        now = self.clock.monotonic()
        self._ask_at = now + _DISCOVER
        there = {one.key: one for one in found}
        for key in [key for key in self.subjects if key not in there]:
            self._forget(self.subjects.pop(key))
        fresh = [one for key, one in there.items() if key not in self.subjects]
        for at, one in enumerate(fresh):
            # Spread over the interval, but the first ones at once: who starts it wants to see something.
            every = one.every or self.config.every
            wait = 0.0 if at < self.config.parallel else every * at / max(1, len(fresh))
            self.subjects[one.key] = Subject(one, self.settings, now + min(wait, every))
            self.log.write("info", "target", service=one.service, replica=one.replica, address=one.target.address)
        self.casework.follow_places(self.subjects)

    def _forget(self, subject: Subject) -> None:
        subject.gone = True
        self.log.write("info", "target-gone", service=subject.service, replica=subject.replica)
        gone = event(subject.service, self.clock.now(), "target-lost", "watch.target-gone", replica=subject.replica)
        self.ledger.add(Batch(events=(gone,)))
        self.evidence.forget(subject.key)
        if subject.began is None:
            subject.found.target.close()

    # ---- looks

    def _look_at_wanted(self) -> None:
        """Have services looked at now, with the dump, for which somebody who reads the store asks."""
        wanted = take_wanted(self.ledger.directory)
        for subject in self.subjects.values():
            if subject.service in wanted and not subject.failures:
                subject.due = min(subject.due, self.clock.monotonic())
                subject.full = True
        for service in wanted:
            self.log.write("info", "look-asked-for", service=service)

    def _start_due(self) -> None:
        now = self.clock.monotonic()
        busy = {one.process for one in (*self._running, *self._left)}
        places = min(self.config.parallel - len(self._running), _THREADS_MOST - len(self._running) - len(self._left))
        due = [one for one in self.subjects.values() if one.began is None and one.due <= now]
        for subject in sorted(due, key=lambda one: one.due):
            if places < 1:
                break
            if subject.process in busy:  # never two captures of one process at once
                continue
            busy.add(subject.process)
            places -= 1
            self._start(subject, now)

    def _start(self, subject: Subject, now: float) -> None:
        subject.began = now
        self._running.append(subject)

        def work() -> None:
            try:
                seen = look(subject)
            except Exception as error:
                seen = Seen(subject, error=f"{type(error).__name__}: {error}")
            self._news.put(seen)

        try:
            self._spawn(work, f"look {subject.replica}")
        except RuntimeError as error:
            self._running.remove(subject)
            subject.began = None
            subject.due = now + subject.every
            self.log.once("threads", "warn", "no-thread", why=str(error))

    def _leave_behind(self) -> None:
        """Go on without a look that does not end; its target is not asked again before it does."""
        now = self.clock.monotonic()
        for subject in [one for one in self._running if one.began is not None and now - one.began > _LATE]:
            self._running.remove(subject)
            self._left.append(subject)
            self.log.once(
                f"target {subject.key}", "warn", "target-hangs", service=subject.service, replica=subject.replica
            )

    def _seen(self, seen: Seen) -> None:
        subject = seen.subject
        for group in (self._running, self._left):
            if subject in group:
                group.remove(subject)
        subject.began = None
        if subject.gone:
            subject.found.target.close()
            return
        now = self.clock.monotonic()
        subject.schedule(now, seen.row is not None)
        self.fetched += int(seen.taking.cost.bytes) if seen.taking else 0
        if seen.row is None:
            self._failed(seen)
            return
        self._answers(seen)
        self.snapshots += 1
        happened = (*seen.batch.events, *self._changed(subject, seen))
        self.ledger.add(replace(seen.batch, events=happened))
        for one in happened:
            self.log.write("info", one.kind, service=one.service, replica=subject.replica)
        if subject.whatever:
            subject.due = now  # before the limit: at once
        self.casework.seen(subject, seen, self.subjects)

    def _changed(self, subject: Subject, seen: Seen) -> list[EventRow]:
        """Return what has changed about the service: its build, limits, load."""
        assert seen.summary is not None
        assert seen.row is not None
        changes, cursor = self.casework.changes, subject.known.cursor
        for one in seen.batch.events:
            changes.add(one)
        fresh, told = cursor is None or cursor.snapshots == 1, ran(seen.summary)
        now = told if fresh or subject.ran is None else subject.ran.then(told)
        others = [one.ran for one in self.subjects.values() if one.service == subject.service and one is not subject]
        found = changes.seen(
            subject.service, subject.replica, seen.row.run, None if fresh else subject.ran or now, now,
            [one for one in others if one is not None], subject.known.trail,
        )  # fmt: skip
        subject.ran = now
        return found

    def _failed(self, seen: Seen) -> None:
        """Say once that a target does not answer; it is asked again, ever more seldom."""
        self.failures += 1
        subject, problem = seen.subject, reason(seen.taking)
        why = seen.error or (worded(problem) if problem else "nothing came")
        self.log.once(
            f"target {subject.key}", "warn", "internal-error" if seen.error else "target-failed",
            service=subject.service, replica=subject.replica, why=why,
        )  # fmt: skip
        if problem is not None and problem.key == "oom-killed" and subject.failures == 1:
            killed = event(subject.service, self.clock.now(), "oom-kill", "watch.oom-kill", replica=subject.replica)
            self.ledger.add(Batch(events=(killed,)))
            self.log.write("warn", "oom-kill", service=subject.service, replica=subject.replica)
        if subject.failures >= LOST and not subject.lost:
            subject.lost = True
            now = self.clock.now()
            told = event(subject.service, now, "target-lost", "watch.target-lost", replica=subject.replica, why=why)
            self.ledger.add(Batch(events=(told,)))

    def _answers(self, seen: Seen) -> None:
        subject = seen.subject
        if self.log.over(f"target {subject.key}"):
            self.log.write("info", "target-answers", service=subject.service, replica=subject.replica)
        if subject.lost:
            subject.lost = False
            now = self.clock.now()
            back = event(subject.service, now, "target-back", "watch.target-back", replica=subject.replica)
            self.ledger.add(Batch(events=(back,)))
        self._note(subject, [one for one in seen.taking.problems if one.key != "restarted"] if seen.taking else [])
        key = f"evidence {subject.key}"
        if seen.kept:
            self.log.once(key, "warn", "evidence-not-kept", service=subject.service, why=seen.kept)
        else:
            self.log.over(key)

    def _note(self, subject: Subject, problems: Sequence[Problem]) -> None:
        """Say what is wrong with an answer, once as long as it goes on."""
        key = f"problem {subject.key}"
        if not problems:
            self.log.over(key)
            return
        why = worded(problems[0])
        self.log.once(key, "warn", "problem", service=subject.service, replica=subject.replica, why=why)

    # ---- reloading

    def _reconfigure(self, make: Callable[[], Remade]) -> None:
        self._reload = None
        try:
            config, discovery, channels = make()
        except OakumError as error:
            self.log.write("error", "reload-failed", why=worded(error))
            return
        if config.store != self.config.store:
            self.log.write("warn", "reload-store", why="another store needs a restart; the present one is kept")
        self.config = self.casework.config = replace(config, store=self.config.store)
        self._discovery = discovery  # targets stay with the subjects that use them
        self.announcer.use(channels)
        self.settings = replace(self.settings, every=config.every, allowance=config.allowance)
        for subject in self.subjects.values():
            subject.settings, subject.every = self.settings, subject.found.every or config.every
            subject.budget.allowance = config.allowance
        self._ask_at = 0.0
        self.log.write("info", "reloaded", targets=len(discovery))

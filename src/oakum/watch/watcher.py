"""Targets -> snapshots in the store, diagnoses when something grows, incidents: the loop that runs for weeks.

One thread starts looks, writes to the store and decides; looks and diagnoses run in threads of their own and hand over
what they found. Whatever one target does, the others go on.
"""

import os
import queue
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from threading import Semaphore

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from oakum.collect.target import CaptureOptions
from oakum.model import OakumError, StoreError
from oakum.store import Batch, open_writer
from oakum.store.rows import EventRow, SnapshotRow
from oakum.store.writer import Writer
from oakum.watch.config import Config
from oakum.watch.diagnoser import Judged, judge
from oakum.watch.discovery import Discovery, Found
from oakum.watch.evidence import Evidence
from oakum.watch.incidents import Change, Incidents, Outlook, Rules, Signs, advance
from oakum.watch.log import Log, worded
from oakum.watch.subject import LOST, Seen, Settings, Subject, event, look, reason

_DISCOVER = 30.0  # seconds between two questions which targets there are
_MAINTAIN = 60.0
_TICK = 0.25
_LATE = 90.0  # seconds after which a look is left behind, though each of its requests has a deadline
_THREADS_MOST = 128
_WAITING_MOST = 512  # batches that a full disk keeps from being written
_GAP_MOST = 64  # looks between two diagnoses of one target
_RETRY = 5.0  # seconds until a store that could not be written is tried again
_JUMP = 5.0  # seconds by which the clock may differ from the time that has passed
_BOOK = "incidents"


class Clock(Struct, frozen=True, eq=False):
    """What time it is; tests have their own."""

    now: Callable[[], int] = lambda: time.time_ns() // 1000
    monotonic: Callable[[], float] = time.monotonic


_CLOCK = Clock()


class Done(Struct, frozen=True, eq=False):
    """A diagnosis that was made."""

    subject: Subject
    at: int
    judged: Judged | None
    error: str = ""


class Refreshed(Struct, frozen=True, eq=False):
    found: list[Found]


Spawn = Callable[[Callable[[], None], str], None]


def threads(work: Callable[[], None], name: str) -> None:
    """Run something in a thread of its own, which ends with the process."""
    threading.Thread(target=work, daemon=True, name=name).start()


class Watcher:
    """`run` until `stop` is called; both signal handlers and threads may call stop and reload."""

    def __init__(
        self,
        config: Config,
        discovery: Discovery,
        options: CaptureOptions,
        log: Log,
        *,
        clock: Clock = _CLOCK,
        spawn: Spawn = threads,
        changed: Callable[["Watcher", Sequence[Change]], None] = lambda *_: None,
        ticked: Callable[["Watcher"], None] = lambda _: None,
    ) -> None:
        if config.store is None:
            raise OakumError("no store is named")
        self.config, self.log, self.clock = config, log, clock
        self._discovery, self._spawn, self._changed, self._ticked = discovery, spawn, changed, ticked
        self.writer: Writer = open_writer(config.store)
        self.evidence = Evidence(config.store / "recent")
        self.settings = Settings(
            config.every, options, config.allowance, self.evidence, Semaphore(2), clock.now, clock.monotonic
        )
        self.book = self._recalled()
        self.subjects: dict[str, Subject] = {}
        self._running: list[Subject] = []
        self._left: list[Subject] = []  # left behind, and perhaps still at it
        self._news: queue.SimpleQueue[Seen | Done | Refreshed | None] = queue.SimpleQueue()
        self._to_judge: queue.SimpleQueue[Subject] = queue.SimpleQueue()
        self._judging: set[str] = set()
        self._judge_runs = False
        self._waiting: list[Batch] = []  # what the store could not take yet
        self._retry = 0.0
        self._dropped = 0
        self._asking = False
        self._ask_at = self._maintain_at = clock.monotonic()
        self._times = (clock.now(), clock.monotonic())
        self._stopping = False
        self._reload: Callable[[], tuple[Config, Discovery]] | None = None
        self.snapshots = 0
        self.written_at: int | None = None  # when the store last took something

    def _recalled(self) -> Incidents:
        data = self.writer.state(_BOOK)
        try:
            return msgspec.json.decode(data, type=Incidents) if data else Incidents()
        except msgspec.MsgspecError as error:
            self.log.write("error", "state-unreadable", why=str(error))
            return Incidents()

    # ---- what signals and other threads call

    def stop(self) -> None:
        self._stopping = True
        self._news.put(None)

    def reload(self, make: Callable[[], tuple[Config, Discovery]]) -> None:
        """Take a new configuration, made when there is time for it."""
        self._reload = make
        self._news.put(None)

    def submit(self, batch: Batch) -> None:
        """Write something of others with the next batch; called in the watcher's thread alone."""
        self._waiting.append(batch)

    # ---- the loop

    def run(self) -> None:
        """Watch until `stop`; what was acknowledged is on the disk at any time."""
        self.log.write(
            "info", "watching", store=str(self.config.store), words=len(self._discovery), incidents=len(self.book.open)
        )
        try:
            while not self._stopping:
                self.tick()
                self._wait()
        finally:
            self.close()

    def tick(self) -> None:
        """Do what is due now."""
        self._check_clock()
        if self._reload is not None:
            self._reconfigure()
        self._discover()
        self._leave_behind()
        self._start_due()
        self._take_news()
        self._flush()
        self._maintain()
        self._ticked(self)

    def close(self) -> None:
        """End: what came is written, whatever is under way is let go."""
        self._take_news()
        self._retry = 0.0
        self._flush()
        if self._waiting:
            self.log.write("error", "lost", batches=len(self._waiting), why="the store cannot be written")
        self.writer.close()
        self.log.write("info", "stopped", snapshots=self.snapshots)

    @property
    def next_due(self) -> float | None:
        """Return when the next look is due, on the monotonic clock; None when there is none."""
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
            self._waiting.append(Batch(events=(event("", now, "clock", "watch.clock", seconds=jumped),)))

    # ---- which targets there are

    def _discover(self) -> None:
        now = self.clock.monotonic()
        if self._asking or now < self._ask_at or (self.subjects and not self._discovery.changes):
            return
        self._asking = True
        discovery = self._discovery

        def ask() -> None:
            found: list[Found] = []
            try:
                found = discovery.refresh(self._troubled, lambda word: self._cleared(word))
            finally:
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
        self._follow_places()

    def _forget(self, subject: Subject) -> None:
        subject.gone = True
        self.log.write("info", "target-gone", service=subject.service, replica=subject.replica)
        gone = event(subject.service, self.clock.now(), "target-lost", "watch.target-gone", replica=subject.replica)
        self._waiting.append(Batch(events=(gone,)))
        self.evidence.forget(subject.key)
        if subject.began is None:
            subject.found.target.close()

    # ---- looks

    def _start_due(self) -> None:
        now = self.clock.monotonic()
        busy = {one.process for one in (*self._running, *self._left)}
        places = min(self.config.parallel - len(self._running), _THREADS_MOST - len(self._running) - len(self._left))
        due = sorted(
            (one for one in self.subjects.values() if one.began is None and one.due <= now), key=lambda one: one.due
        )
        for subject in due:
            if places < 1:
                break
            if subject.process in busy:  # never two captures of one process at once
                continue
            busy.add(subject.process)
            places -= 1
            self._start(subject, now)

    def _start(self, subject: Subject, now: float) -> None:
        subject.began, subject.left_behind = now, False
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
            subject.left_behind = True
            self.log.once(
                f"target {subject.key}", "warn", "target-hangs", service=subject.service, replica=subject.replica
            )

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

    def _take(self, one: Seen | Done | Refreshed | None) -> None:
        if isinstance(one, Seen):
            self._seen(one)
        elif isinstance(one, Done):
            self._judged(one)
        elif isinstance(one, Refreshed):
            self._found(one.found)

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
        if seen.row is None:
            self._failed(seen)
            return
        self._answers(seen)
        self.snapshots += 1
        self._waiting.append(seen.batch)
        for one in seen.batch.events:
            self.log.write("info", one.kind, service=one.service, replica=subject.replica)
        if seen.restarted and subject.every > 0:
            subject.gap, subject.diagnose_in = 1, 0
        if subject.whatever:
            subject.due = now  # before the limit: at once
        signs = self._signs(subject, seen.row)
        self._advance(signs)
        self._consider(subject)

    def _failed(self, seen: Seen) -> None:
        """Say once that a target does not answer; it is asked again, ever more seldom."""
        subject, problem = seen.subject, reason(seen.taking)
        why = seen.error or (worded(problem) if problem else "nothing came")
        self.log.once(
            f"target {subject.key}", "warn", "internal-error" if seen.error else "target-failed",
            service=subject.service, replica=subject.replica, why=why,
        )  # fmt: skip
        if seen.taking is not None and seen.taking.past:
            self.subjects.pop(subject.key, None)
            return
        if subject.failures >= LOST and not subject.lost:
            subject.lost = True
            told = event(
                subject.service, self.clock.now(), "target-lost", "watch.target-lost",
                replica=subject.replica, why=why,
            )  # fmt: skip
            self._waiting.append(Batch(events=(told,)))

    def _answers(self, seen: Seen) -> None:
        subject = seen.subject
        if self.log.over(f"target {subject.key}"):
            self.log.write("info", "target-answers", service=subject.service, replica=subject.replica)
        if subject.lost:
            subject.lost = False
            back = event(subject.service, self.clock.now(), "target-back", "watch.target-back", replica=subject.replica)
            self._waiting.append(Batch(events=(back,)))
        self._note(
            subject, "problem", [one for one in seen.taking.problems if one.key != "restarted"] if seen.taking else []
        )
        key = f"evidence {subject.key}"
        if seen.kept:
            self.log.once(key, "warn", "evidence-not-kept", service=subject.service, why=seen.kept)
        else:
            self.log.over(key)

    def _note(self, subject: Subject, kind: str, problems: Sequence[object]) -> None:
        """Say what is wrong with an answer, once as long as it goes on."""
        key = f"{kind} {subject.key}"
        if not problems:
            self.log.over(key)
            return
        self.log.once(
            key,
            "warn",
            kind,
            service=subject.service,
            replica=subject.replica,
            why=worded(problems[0]),  # type: ignore[arg-type]
        )

    # ---- diagnoses

    def _consider(self, subject: Subject) -> None:
        """Have a target diagnosed that grows, or that an incident is open for; as evidence comes, ever more seldom."""
        open_ = [one for one in self.book.of(subject.service) if subject.replica in one.row.replicas]
        suspected = any(
            one.service == subject.service and one.replica == subject.replica for one in self.book.candidates
        )
        if not subject.why and not open_ and not suspected:
            subject.gap, subject.diagnose_in = 1, 0
            return
        subject.diagnose_in -= 1
        if subject.diagnose_in > 0 or subject.key in self._judging:
            return
        if open_ and not subject.why:  # calm: nothing new would be found
            return
        self._judging.add(subject.key)
        subject.full = True  # the next look brings states and ages, if that is paid for
        self._to_judge.put(subject)
        if not self._judge_runs:
            self._judge_runs = True
            self._spawn(self._judge_all, "diagnosis")

    def _judge_all(self) -> None:
        """Diagnose one after the other, in a thread of its own, until nobody is left."""
        while not self._stopping:
            try:
                subject = self._to_judge.get_nowait()
            except queue.Empty:
                break
            at = self.clock.now()
            try:
                evidence = self.evidence.snapshots(subject.key)
                judged = judge(subject.service, evidence, self.config.source) if evidence else None
                self._news.put(Done(subject, at, judged))
            except Exception as error:  # a diagnosis that fails ends nothing
                self._news.put(Done(subject, at, None, f"{type(error).__name__}: {error}"))
        self._judge_runs = False

    def _judged(self, done: Done) -> None:
        subject, judged = done.subject, done.judged
        self._judging.discard(subject.key)
        if done.error or judged is None:
            self.log.once(
                f"diagnosis {subject.key}", "error", "diagnosis-failed", service=subject.service, why=done.error
            )
            subject.diagnose_in = 8
            return
        subject.verdict = judged.verdict
        subject.gap = min(_GAP_MOST, subject.gap * 2)
        subject.diagnose_in = subject.gap
        row = judged.row
        if row is None or subject.gone:
            return
        if not judged.sightings:
            self._advance(replace(self._signs(subject, row, measured=False), sightings=()))
            return
        document, page, kept = self._keep(subject, judged)
        sightings = tuple(replace(one, finding=replace(one.finding, document=document)) for one in judged.sightings)
        signs = replace(self._signs(subject, row, measured=False), sightings=sightings, page=page)
        changes = self._advance(signs)
        ids = {one.finding: one.row.incident for one in self.book.of(subject.service)}
        findings = tuple(replace(one.finding, incident=ids.get(one.finding.finding, "")) for one in sightings)
        self._waiting.append(Batch(findings=findings, snapshots=kept))
        if self.book.candidates != before.candidates:
            subject.diagnose_in = 1  # what was seen once is looked at again
        elif sure:
            subject.gap = 1 if changes and changes[0].kind != "updated" else min(_GAP_MOST, subject.gap * 2)
            subject.diagnose_in = subject.gap

    def _keep(self, judged: Judged) -> tuple[str, str, tuple[SnapshotRow, ...]]:
        """Keep what findings cite: the diagnosis, its page, and the captures of its snapshots."""
        try:
            document = self.writer.keep(judged.document, "diagnosis.json")
            page = self.writer.keep(judged.page, "page.html")
            rows = []
            for kept, captures in zip(judged.snapshots, judged.captures, strict=True):
                names = [name for name, *_ in kept.files]
                digests = [self.writer.keep(bytes(one.data), name) for name, one in zip(names, captures, strict=False)]
                rows.append(replace(kept.row, captures=tuple(digests)))
            return document, page, tuple(rows)
        except StoreError as error:
            self._store_failed(error)
            return "", "", ()

    # ---- incidents

    def _signs(self, subject: Subject, row: SnapshotRow, measured: bool = True) -> Signs:
        known, latest = subject.known, subject.latest
        values: dict[str, float] = {}
        if measured and latest is not None:
            kinds = {place.kind for place in latest.places}
            for one in self.book.of(subject.service):
                if one.kind in kinds:
                    wanted = set(one.places)
                    values[one.row.incident] = float(
                        sum(
                            (place.count or 0) if one.kind == "goroutines" else (place.live or 0)
                            for place in latest.places
                            if place.kind == one.kind and place.key in wanted
                        )
                    )
        there = frozenset(one.replica for one in self.subjects.values() if one.service == subject.service)
        return Signs(
            subject.service, subject.replica, row.at, row.run, None, values,
            known.trail.worked, self._outlook(subject), "", there,
        )  # fmt: skip

    def _outlook(self, subject: Subject) -> Outlook | None:
        told = subject.forecast
        if told is None:
            return None
        return Outlook(told.begin, told.begin_low, told.begin_high, told.reaches_low, told.reaches_high)

    def _advance(self, signs: Signs) -> tuple[Change, ...]:
        before = self.book
        self.book, changes = advance(before, signs, Rules(round(self.config.settle * 1e6)))
        if changes:
            now = signs.at
            events: list[EventRow] = []
            for change in changes:
                row = change.incident
                if change.kind != "updated":
                    self.log.write(
                        "info" if change.kind == "resolved" else "warn", f"incident-{change.kind}",
                        incident=row.incident, service=row.service, mechanism=row.mechanism, function=row.function,
                        replicas=",".join(row.replicas),
                    )  # fmt: skip
                    events.append(
                        event(
                            row.service,
                            now,
                            f"incident-{change.kind}",
                            f"watch.incident-{change.kind}",
                            incident=row.incident,
                            mechanism=row.mechanism,
                            function=row.function,
                        )
                    )
            self._waiting.append(Batch(incidents=tuple(one.incident for one in changes), events=tuple(events)))
            self._follow_places()
        if changes or self.book.candidates != before.candidates:
            self._waiting.append(Batch(state=((_BOOK, msgspec.json.encode(self.book)),)))
        if changes:
            self._changed(self, changes)
        return changes

    def _follow_places(self) -> None:
        """Have every look at a service with an incident keep the places of it, however little is there."""
        for subject in self.subjects.values():
            subject.places = frozenset(place for one in self.book.of(subject.service) for place in one.places)

    # ---- the store

    def _flush(self) -> None:
        """Write what waits, as one batch; a store that cannot be written keeps it waiting, up to a bound."""
        if not self._waiting or self.clock.monotonic() < self._retry:
            return
        try:
            self.writer.append(merged(self._waiting))
        except StoreError as error:
            self._store_failed(error)
            self._retry = self.clock.monotonic() + _RETRY
            self._drop()
            return
        self._waiting.clear()
        self.written_at = self.clock.now()
        if self.log.over("store"):
            self.log.write("info", "store-written", dropped=self._dropped)
            self._dropped = 0

    def _store_failed(self, error: StoreError) -> None:
        self.log.once("store", "error", "store-failed", why=worded(error))

    def _drop(self) -> None:
        """Keep at most so many: of the oldest only the figures go, incidents and state stay."""
        while len(self._waiting) > _WAITING_MOST:
            oldest = self._waiting.pop(0)
            self._dropped += len(oldest.snapshots)
            rest = Batch(
                events=oldest.events[-8:], findings=oldest.findings, incidents=oldest.incidents, state=oldest.state
            )
            if rest.incidents or rest.state:
                self._waiting[0] = merged([rest, self._waiting[0]])

    def _maintain(self) -> None:
        now = self.clock.monotonic()
        if now < self._maintain_at:
            return
        try:
            done = self.writer.maintain(self.clock.now())
            self._maintain_at = now + (_TICK if done.more else _MAINTAIN)
        except StoreError as error:
            self._store_failed(error)
            self._maintain_at = now + _MAINTAIN

    # ---- reloading

    def _reconfigure(self) -> None:
        make, self._reload = self._reload, None
        if make is None or self._asking:
            self._reload = make
            return
        try:
            config, discovery = make()
        except OakumError as error:
            self.log.write("error", "reload-failed", why=worded(error))
            return
        if config.store != self.config.store:
            self.log.write("warn", "reload-store", why="another store needs a restart; the present one is kept")
        old = self._discovery
        self.config = replace(config, store=self.config.store)
        self._discovery = discovery
        self.settings = replace(self.settings, every=config.every, allowance=config.allowance)
        for subject in self.subjects.values():
            subject.settings, subject.every = self.settings, subject.found.every or config.every
            subject.budget.allowance = config.allowance
        self._ask_at = 0.0
        self._asking = False
        del old  # its targets stay with the subjects that use them; those that are not named any more are closed there
        self.log.write("info", "reloaded", words=len(discovery))


def merged(batches: Sequence[Batch]) -> Batch:
    """Return several batches as one: of a state the newest counts."""
    if len(batches) == 1:
        return batches[0]
    names = [name for name in Batch.__struct_fields__ if name != "state"]
    rows = {name: tuple(row for one in batches for row in getattr(one, name)) for name in names}
    state = {name: data for one in batches for name, data in one.state}
    return Batch(**rows, state=tuple(state.items()))

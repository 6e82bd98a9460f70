"""One watched target: its schedule, budget, run and trail; and one look at it, from the request to rows of the store.

`look` runs in a thread of its own and owns the subject as long as it runs. Nothing here writes to the store.
"""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from threading import Semaphore

import msgspec
import numpy as np
from msgspec import Struct, field

from oakum.collect.target import CaptureOptions
from oakum.model import Problem
from oakum.store.rows import Batch, EventRow, RunRow, SnapshotRow
from oakum.store.summary import row_of
from oakum.watch.budget import Allowance, Budget, Cost
from oakum.watch.changes import Ran
from oakum.watch.clock import SYSTEM, Clock
from oakum.watch.discovery import Found
from oakum.watch.evidence import Evidence
from oakum.watch.forecast import Forecast, forecast
from oakum.watch.runs import Cursor, follow
from oakum.watch.summary import Summary, metric_rows, summarize
from oakum.watch.take import Look, Taking, take
from oakum.watch.trends import Point, Trail, growing, stirring

_RISING = 0.85  # of the limit: memory that is above it and rises is about to be too much
_BEFORE = 3  # looks ahead of the limit, as it is forecast
_RUNS = 4  # before this one whose figures are pooled
_FORECAST_EACH = 10  # looks, while nothing grows
_BACK_OFF_MOST = 900.0
_JITTER = 0.1
LOST = 3  # failures in a row after which a target is said to be lost
_OOM = "OOMKilled"
DUMPS = 2  # of one process, by which those that stay are told from those that left


class Remembered(Struct):
    """What is known of a target, as it is kept beside its evidence."""

    cursor: Cursor | None = None
    trail: Trail = field(default_factory=Trail)
    past: list[tuple[list[int], list[float]]] = field(default_factory=list)  # memory of earlier runs
    number: int = 0
    black_box: str = ""  # the run whose evidence was taken before the limit
    oom_kills: float = 0.0
    dumped: str = ""  # the run of which there are dumps, and how many
    dumps: int = 0


class Settings(Struct, frozen=True, eq=False):
    """What all subjects share."""

    every: float
    options: CaptureOptions
    allowance: Allowance
    evidence: Evidence
    reading: Semaphore  # few captures are parsed at once: memory is bounded
    clock: Clock = SYSTEM
    chance: Callable[[], float] = random.random


class Subject:
    """One target. Used by one thread at a time: the watcher's, or that of its look."""

    def __init__(self, found: Found, settings: Settings, due: float) -> None:
        self.found, self.settings = found, settings
        self.key, self.service, self.replica = found.key, found.service, found.replica
        self.every = found.every or settings.every
        self.budget = Budget(settings.allowance)
        self.known = self._recalled()
        self.due = due
        self.began: float | None = None  # of the look under way
        self.gone = False
        self.failures = 0
        self.lost = False
        self.full = False  # the next look takes the dump
        self.whatever = False  # it costs: just before the limit
        self.why = ""  # what grows
        self.latest: Summary | None = None
        self.modules: tuple[str, ...] = ()  # of its build, as the store has them
        self.interval = self.every
        self.forecast: Forecast | None = None  # of its memory
        self.onset: Forecast | None = None  # of its goroutines: since when
        self.places: frozenset[str] = frozenset()  # of open incidents
        self.diagnose_in = 0  # looks until the next diagnosis is worth it
        self.gap = 0
        self.cited: frozenset[int] = frozenset()  # times of snapshots whose captures the store has
        self.verdict = ""
        self.ran: Ran | None = None  # how it runs: of this process

    @property
    def process(self) -> str:
        return self.found.target.process

    def _recalled(self) -> Remembered:
        try:
            return msgspec.json.decode(self.settings.evidence.remembered(self.key), type=Remembered)
        except msgspec.MsgspecError:
            return Remembered()

    def schedule(self, now: float, answered: bool) -> None:
        """Set when the next look is due: later for who fails, or costs more than it may."""
        if not answered:
            self.failures += 1
            wait = min(self.every * 2 ** min(self.failures - 1, 10), max(_BACK_OFF_MOST, self.every))
        else:
            self.failures = 0
            wait = self.interval
        spread = 1 + _JITTER * (2 * self.settings.chance() - 1)
        self.due = now + max(wait * spread, self.budget.rest(now))


class Seen(Struct, frozen=True, eq=False):
    """What one look brought."""

    subject: Subject
    taking: Taking | None = None
    summary: Summary | None = None
    batch: Batch = Batch()
    row: SnapshotRow | None = None
    restarted: bool = False
    error: str = ""  # a mistake of ours
    kept: str = ""  # why evidence could not be buffered


def look(subject: Subject) -> Seen:
    """Look at a target; whatever happens stays with it."""
    settings, known = subject.settings, subject.known
    known.number += 1
    asked = Look(known.number, subject.full, subject.whatever, settings.options.seconds)
    whatever = subject.whatever
    subject.full = subject.whatever = False

    def allowed(file: str, spent: Cost) -> bool:
        return subject.budget.allows(settings.clock.monotonic(), spent.plus(subject.budget.expected(file)))

    room = subject.budget.room(settings.clock.monotonic(), whatever=whatever)
    taking = take(subject.found.target, settings.options, asked, allowed, settings.clock.monotonic, room)
    at = settings.clock.now()
    if not taking.answered:
        subject.budget.spend(settings.clock.monotonic(), taking.cost, taking.by_file)
        return Seen(subject, taking)
    when = datetime.fromtimestamp(at / 1e6, UTC)
    with settings.reading:
        summary = summarize(taking.captures, taking.facts, when, subject.places)
    cost = _measured(taking.cost, subject.latest, summary)
    subject.budget.spend(settings.clock.monotonic(), cost, taking.by_file)
    subject.interval = subject.budget.interval(subject.every, _cheapest(taking.by_file))
    return _followed(subject, taking, summary, cost, at, pinned=whatever)


def _measured(cost: Cost, before: Summary | None, summary: Summary) -> Cost:
    """Return what a look has cost: the target cannot have been busier than all that it did since the last one."""
    if before is None or before.cpu_seconds is None or summary.cpu_seconds is None:
        return cost
    used = summary.cpu_seconds - before.cpu_seconds
    return Cost(cost.bytes, min(cost.seconds, used)) if used >= 0 else cost


def _cheapest(by_file: Mapping[str, Cost]) -> Cost:
    """Return what each look costs at least: dearer steps wait until they are paid for."""
    return by_file.get("plan", Cost())


def _followed(subject: Subject, taking: Taking, summary: Summary, cost: Cost, at: int, *, pinned: bool) -> Seen:
    known, settings = subject.known, subject.settings
    before = known.cursor
    known.cursor, restarted = follow(before, subject.service, subject.replica, summary.identity, at)
    run = known.cursor.run
    events = _events(subject, summary, restarted, before, at)
    if restarted:
        times, values = known.trail.series("rss")
        known.past = [*known.past, (times, values)][-_RUNS:] if len(times) > 2 else known.past
        known.trail = Trail()
        subject.forecast = subject.onset = None
    known.trail.add(_point(summary, at))
    row = row_of(
        summary, run, subject.service, at, detail=taking.detail, cost_bytes=int(cost.bytes), cost_seconds=cost.seconds
    )
    trouble = ""
    try:
        settings.evidence.add(subject.key, row, subject.found.target.address, taking.captures, pinned=pinned)
    except OSError as error:
        trouble = error.strerror or str(error)
    events += _foresee(subject, summary, at, run)
    subject.why = growing(known.trail)
    if taking.detail == "dump":
        known.dumps = known.dumps + 1 if known.dumped == run else 1
        known.dumped = run
    if (known.dumped != run or known.dumps < DUMPS) and (subject.why or stirring(known.trail)):
        subject.full = True  # by their ids those that stay are told; if it is paid for
    subject.latest = summary
    told = summary.modules not in ((), subject.modules)  # not every look brings them
    subject.modules = summary.modules or subject.modules
    try:
        settings.evidence.remember(subject.key, msgspec.json.encode(known))
    except OSError as error:
        trouble = trouble or error.strerror or str(error)
    first = before is None or restarted or before.identity.version != known.cursor.identity.version
    batch = Batch(
        runs=(_run_row(subject, summary, known.cursor),) if first or told else (),
        snapshots=(row,),
        places=tuple(place.row(run, subject.service, at) for place in summary.places),
        metrics=metric_rows(summary, run, subject.service, at),
        events=tuple(events),
    )
    return Seen(subject, taking, summary, batch, row, restarted, kept=trouble)


def _events(
    subject: Subject, summary: Summary, restarted: bool, before: Cursor | None, at: int
) -> list[EventRow]:  # fmt: skip
    """Return what the snapshot shows to have happened to the process: a restart, an OOM kill."""
    known, found = subject.known, []
    run = known.cursor.run if known.cursor else ""

    def add(kind: str, key: str, **args: str) -> None:
        found.append(event(subject.service, at, kind, key, run=run, replica=subject.replica, **args))

    kills = summary.oom_kills or 0.0
    killed = (restarted and summary.ended.startswith(_OOM)) or (before is not None and kills > known.oom_kills)
    known.oom_kills = kills
    if killed:
        subject.full = subject.whatever = True  # what is left of it, and how it begins again
        add("oom-kill", "watch.oom-kill-why" if summary.ended else "watch.oom-kill", why=summary.ended)
    if restarted:
        add("restart", "watch.restart-why" if summary.ended else "watch.restart", why=summary.ended)
    return found


def event(service: str, at: int, kind: str, key: str, run: str = "", **args: str | float) -> EventRow:
    told = {name: value for name, value in args.items() if value != ""}
    return EventRow(service=service, run=run, at=at, kind=kind, key=key, args=json.dumps(told, ensure_ascii=False))


def _point(summary: Summary, at: int) -> Point:
    counters = (("requests", summary.work), ("allocated", summary.heap_alloc), ("cpu", summary.cpu_seconds))
    kind, work = next(((kind, float(value)) for kind, value in counters if value is not None), ("", None))
    goroutines, heap, rss = (
        None if value is None else float(value) for value in (summary.goroutines, summary.heap_live, summary.held)
    )
    return Point(at, goroutines, heap, rss, work, kind)


def _foresee(subject: Subject, summary: Summary, at: int, run: str) -> list[EventRow]:
    """Forecast the memory, and ask for the evidence before the limit, once in a run."""
    known = subject.known
    times, values = known.trail.series("rss")
    if len(times) < 4 or (known.number % _FORECAST_EACH and not subject.why and not subject.places):
        told = subject.forecast
    else:
        runs = [*known.past, (times, values)]
        told = subject.forecast = _forecast(runs, float(summary.limit) if summary.limit else None, at)
        subject.onset = _forecast([known.trail.series("goroutines")], None, at) if subject.why else None
    if known.black_box == run or not summary.limit or summary.held is None:
        return []
    rising = len(values) > 2 and values[-1] > values[-2] > values[-3]
    left = (told.reaches_low - at) / 1e6 if told is not None and told.reaches_low is not None else None
    soon = left is not None and left < max(_BEFORE * subject.interval, 60.0) and rising
    share = summary.held / summary.limit
    if not soon and not (share >= _RISING and rising):
        return []
    known.black_box = run
    subject.full = subject.whatever = True
    key, args = ("watch.capture", {"share": share})
    if share < _RISING and left is not None:
        key, args = "watch.capture-foreseen", {"seconds": max(0.0, left)}
    return [event(subject.service, at, "capture", key, run=run, replica=subject.replica, **args)]


def _forecast(runs: Sequence[tuple[list[int], list[float]]], limit: float | None, at: int) -> Forecast:
    times = [np.array(one, np.int64) for one, _ in runs]
    return forecast(times, [np.array(one, np.float64) for _, one in runs], limit, at)


def _run_row(subject: Subject, summary: Summary, cursor: Cursor) -> RunRow:
    return RunRow(
        run=cursor.run, service=subject.service, replica=subject.replica, target=subject.found.target.address,
        started_at=cursor.identity.started, first_seen=cursor.first_seen, program=cursor.identity.program,
        version=cursor.identity.version, go=summary.go, image=summary.image, limit_bytes=summary.limit,
        limit_kind=summary.limit_kind, cores=summary.cores,
        modules=summary.modules,
    )  # fmt: skip


def reason(taking: Taking | None) -> Problem | None:
    """Return why nothing came of a look."""
    return taking.problems[-1] if taking is not None and taking.problems else None

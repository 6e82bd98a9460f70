"""What looks bring -> diagnoses when something grows, renewed as evidence comes; and incidents, kept in the store.

The diagnosis itself runs in another thread; all else here is the watcher's.
"""

import queue
from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from oakum.store import Batch
from oakum.store.rows import SnapshotRow
from oakum.watch.announcer import Announcer
from oakum.watch.changes import Changes, as_kept, preceding
from oakum.watch.config import Config
from oakum.watch.diagnoser import Judged, judge
from oakum.watch.evidence import Evidence
from oakum.watch.forecast import Forecast
from oakum.watch.incidents import SURE, Change, Incidents, Outlook, Rules, Signs, advance
from oakum.watch.ledger import Ledger
from oakum.watch.log import Level, Log
from oakum.watch.subject import DUMPS, Seen, Subject, event

_BOOK = "incidents"
_GAP_MOST = 64  # looks between two diagnoses of one target
_AFTER_FAILURE = 8
_FROM_THE_START = 3  # looks after its start at most: what it does then, it has done since
_Subjects = Mapping[str, Subject]


class Done(Struct, frozen=True, eq=False):
    """A diagnosis that was made."""

    subject: Subject
    judged: Judged | None = None
    error: str = ""


class Casework:
    def __init__(
        self,
        ledger: Ledger,
        evidence: Evidence,
        announcer: Announcer,
        log: Log,
        config: Config,
        spawn: Callable[[Callable[[], Done | None]], None],
    ) -> None:
        self._ledger, self._evidence, self._announcer, self._log = ledger, evidence, announcer, log
        self.config = config
        self._spawn = spawn
        self._queue: queue.SimpleQueue[Subject] = queue.SimpleQueue()
        self._judging: set[str] = set()
        self.book = self._recalled()
        self.changes = Changes(*ledger.lately())
        self._pages: dict[str, str] = {}  # incident -> the file that people open

    def _recalled(self) -> Incidents:
        data = self._ledger.state(_BOOK)
        try:
            return msgspec.json.decode(data, type=Incidents) if data else Incidents()
        except msgspec.MsgspecError as error:
            self._log.write("error", "state-unreadable", why=str(error))
            return Incidents()

    def seen(self, subject: Subject, seen: Seen, subjects: _Subjects) -> None:
        """Take a snapshot: it may end an incident, or be a reason to look closer."""
        assert seen.row is not None
        if seen.restarted:
            subject.gap = subject.diagnose_in = 0
        self._advance(self._signs(subject, seen.row, subjects), subjects)
        self._consider(subject)

    def follow_places(self, subjects: _Subjects) -> None:
        """Have every look at a service with an incident keep its places, however little is there."""
        for subject in subjects.values():
            subject.places = frozenset(place for one in self.book.of(subject.service) for place in one.places)

    # ---- diagnoses

    def _consider(self, subject: Subject) -> None:
        """Have a target diagnosed that grows; of one that has an incident, ever more seldom."""
        mine = (subject.service, subject.replica)
        suspected = any((one.service, one.replica) == mine for one in self.book.candidates)
        if not subject.why and not suspected:
            subject.gap = subject.diagnose_in = 0
            return
        subject.diagnose_in -= 1
        if subject.diagnose_in > 0 or subject.key in self._judging:
            return
        self._judging.add(subject.key)
        subject.full = True  # the next look brings states and ages, if that is paid for
        self._queue.put(subject)
        if len(self._judging) == 1:
            self._spawn(self._next)

    def _next(self) -> Done | None:
        """Diagnose the next one; in a thread of its own."""
        try:
            subject = self._queue.get_nowait()
        except queue.Empty:
            return None
        try:
            evidence = self._evidence.snapshots(subject.key)
            return Done(subject, judge(subject.service, evidence, self.config.source) if evidence else Judged(""))
        except Exception as error:  # a diagnosis that fails ends nothing
            return Done(subject, error=f"{type(error).__name__}: {error}")

    def judged(self, done: Done, subjects: _Subjects) -> None:
        """Take a diagnosis: what it shows may be an incident."""
        subject, judged = done.subject, done.judged
        self._judging.discard(subject.key)
        if self._judging and not self._queue.empty():
            self._spawn(self._next)  # whoever came as the thread was about to end
        if done.error or judged is None:
            self._log.once(
                f"diagnosis {subject.key}", "error", "diagnosis-failed", service=subject.service, why=done.error
            )
            subject.diagnose_in = _AFTER_FAILURE
            return
        self._log.over(f"diagnosis {subject.key}")
        subject.verdict = judged.verdict
        subject.gap = subject.diagnose_in = min(_GAP_MOST, max(1, subject.gap * 2))
        row = judged.row
        if row is None or subject.gone:
            return
        signs = self._signs(subject, row, subjects, measured=False)
        signs = replace(signs, sightings=(), identified=judged.dumps >= DUMPS)
        if not judged.sightings:
            self._advance(signs, subjects)
            return
        document, page, kept = self._ledger.keep(judged, subject.cited)
        if document:
            subject.cited = frozenset(one.at for one in judged.snapshots)
        found = tuple(replace(one, finding=replace(one.finding, document=document)) for one in judged.sightings)
        changes = self._advance(replace(signs, sightings=found, page=page), subjects, judged.page)
        ids = {one.finding: one.row.incident for one in self.book.of(subject.service)}
        findings = tuple(
            replace(one.finding, incident=ids.get(one.finding.finding, ""))
            for one in found
            if one.finding.confidence in SURE
        )
        self._ledger.add(Batch(findings=findings, snapshots=kept))
        mine = [one for one in self.book.of(subject.service) if subject.replica in one.row.replicas]
        if not mine:
            subject.gap = subject.diagnose_in = 0  # what was seen once is looked at again
        elif any(one.kind != "updated" for one in changes):
            subject.gap = subject.diagnose_in = 2

    # ---- incidents

    def _signs(self, subject: Subject, row: SnapshotRow, subjects: _Subjects, *, measured: bool = True) -> Signs:
        there = frozenset(one.replica for one in subjects.values() if one.service == subject.service)
        told = subject.forecast
        begun = subject.onset if subject.onset is not None and subject.onset.grows else told
        outlook = None
        if told is not None or begun is not None:
            since, low, high = _since(begun, subject)
            before = preceding(self.changes.of(subject.service), since, low, high) if since and high else []
            outlook = Outlook(
                since,
                low,
                high,
                told.reaches_low if told else None,
                told.reaches_high if told else None,
                as_kept(before[0]) if before else "",
            )
        values = self._at_places(subject) if measured else {}
        worked = subject.known.trail.worked
        return Signs(
            subject.service, subject.replica, row.at, row.run, None, values, worked, outlook, "", there
        )  # fmt: skip

    def _at_places(self, subject: Subject) -> dict[str, float]:
        """Return how many goroutines or bytes are at the places of each incident, where that was looked at."""
        places = subject.latest.places if subject.latest is not None else ()
        kinds = {place.kind for place in places}
        return {
            one.row.incident: float(
                sum(
                    (place.count if one.kind == "goroutines" else place.live) or 0
                    for place in places
                    if place.kind == one.kind and place.key in one.places
                )
            )
            for one in self.book.of(subject.service)
            if one.kind in kinds
        }

    def _advance(self, signs: Signs, subjects: _Subjects, page: bytes = b"") -> tuple[Change, ...]:
        before = self.book
        self.book, changes = advance(before, signs, Rules(round(self.config.settle * 1e6)))
        if not changes and self.book.candidates == before.candidates:
            return ()
        events = []
        for change in changes:
            row = change.incident
            if page and row.page == signs.page:
                self._pages[row.incident] = self._ledger.write_page(row.incident, page)
            if change.kind == "updated":
                continue
            told = {"incident": row.incident, "mechanism": row.mechanism, "function": row.function}
            name = f"incident-{change.kind}"
            events.append(event(row.service, signs.at, name, f"watch.{name}", run=signs.run, **told))
        state = ((_BOOK, msgspec.json.encode(self.book)),)
        self._ledger.add(Batch(incidents=tuple(one.incident for one in changes), events=tuple(events), state=state))
        self._announcer.tell(changes, lambda incident: self._pages.get(incident, ""))
        if events:
            self._ledger.flush()  # what the log says is on the disk, whatever ends us now
        self._say(changes)
        if changes:
            self.follow_places(subjects)
            self._pages = {one.row.incident: self._pages.get(one.row.incident, "") for one in self.book.open}
        return changes

    def _say(self, changes: Sequence[Change]) -> None:
        for change in changes:
            if change.kind == "updated":
                continue
            row = change.incident
            level: Level = "info" if change.kind == "resolved" else "warn"
            self._log.write(
                level, f"incident-{change.kind}", service=row.service, replicas=",".join(row.replicas),
                page=self._pages.get(row.incident, ""), incident=row.incident, mechanism=row.mechanism,
                function=row.function,
            )  # fmt: skip


def _since(begun: Forecast | None, subject: Subject) -> tuple[int | None, int | None, int | None]:
    """Return when growth began; what grew from the first look on began no earlier than its process did."""
    if begun is None or not begun.grows:
        return None, None, None
    cursor = subject.known.cursor
    if begun.begin is not None or begun.runs != 1 or cursor is None or cursor.identity.started is None:
        return begun.begin, begun.begin_low, begun.begin_high
    started = cursor.identity.started
    if cursor.first_seen - started > _FROM_THE_START * subject.interval * 1e6:
        return None, None, begun.begin_high  # nobody looked
    return started, started, begun.begin_high

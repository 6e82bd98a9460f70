"""Signs of services -> incidents: opened, updated, resolved, flapping. One per cause and service, not per replica.

A pure state machine with hysteresis: what is only likely must be seen twice, an incident ends when its place has not
grown for long enough while work went on, and one that comes back again and again says so once. Times are microseconds.
"""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from oakum.model import normal_function
from oakum.store.rows import FindingRow, IncidentRow

_MINUTE = 60_000_000
_DAY = 24 * 60 * _MINUTE
_SAMPLES = 12  # of each replica
_CALM_LEAST = 5  # snapshots without growth
_LONGER = 6  # times as long as after a restart must a process be calm that has leaked
_TWICE, _BESIDE = 2, 6  # diagnoses that must show a cause that is not proven; and one beside another
# By counts alone an overloaded queue rises like a leak from one second to the next; by ids it is seen to move. Where
# there are none, what is only likely must have been seen for so long: most askers and proxies give up after a minute.
# Less than the minute between two looks, which come a tenth earlier or later.
_PATIENT = _MINUTE * 3 // 4
_SOON = 10 * _MINUTE  # until memory runs out, in which somebody can still look and restart
_REOPENED = 2  # times in a day from which on it flaps
_CLOSED_MOST = 256
_RUNS_MOST = 64
_WOULD_SHOW = {"goroutines": 20.0, "heap": 16.0 * (1 << 20)}  # growth at the former pace that noise does not hide
_GONE = _DAY  # without any replica
_MOVED = 0.25  # of the time to the limit: a forecast that changes by more is told
SURE = ("proven", "likely")


class Rules(Struct, frozen=True):
    """How patient an incident is."""

    settle: int = 10 * _MINUTE  # without growth, after a restart: a fixed build was deployed


_USUAL = Rules()


class Outlook(Struct, frozen=True):
    """Since when it grows, and when the limit is reached: instants, None where it is not known."""

    since: int | None = None
    since_low: int | None = None
    since_high: int | None = None
    limit_low: int | None = None
    limit_high: int | None = None
    after: str = ""  # the change before growth began, as the store keeps it


class Sighting(Struct, frozen=True):
    """A finding of the newest diagnosis, and the places (stack keys) that are followed because of it."""

    finding: FindingRow
    places: tuple[str, ...] = ()
    kind: Literal["goroutines", "heap"] = "goroutines"


class Signs(Struct, frozen=True):
    """What one snapshot of one replica shows."""

    service: str
    replica: str
    at: int
    run: str = ""
    sightings: tuple[Sighting, ...] | None = None  # None: no diagnosis was made
    measured: Mapping[str, float] = {}  # incident -> goroutines or bytes at its places
    worked: bool | None = None  # since the snapshot before; None: nothing counts it
    outlook: Outlook | None = None
    page: str = ""
    replicas: frozenset[str] | None = None  # all that are watched now; None: not known
    identified: bool = False  # by the diagnosis: who stays was told from who comes and goes, by their ids


class Sample(Struct, frozen=True, array_like=True):
    at: int
    value: float
    worked: bool | None
    run: str = ""


class Tracked(Struct, frozen=True):
    """An incident with what decides about it."""

    row: IncidentRow
    finding: str
    runs: tuple[str, ...] = ()  # in which it was seen
    per_hour: float = 0.0  # the pace at which it grew, at most
    places: tuple[str, ...] = ()
    kind: str = "goroutines"
    seen_at: int = 0  # when a diagnosis last showed it
    samples: dict[str, list[Sample]] = field(default_factory=dict)  # by replica
    opened: tuple[int, ...] = ()  # when, within a day
    quiet: bool = False  # it flaps, which was said


class Candidate(Struct, frozen=True):
    """A finding that was not seen often enough."""

    service: str
    replica: str
    finding: str
    function: str
    at: int
    times: int = 1  # in diagnoses one after the other
    since: int = 0  # of the first of these


class Incidents(Struct, frozen=True):
    """All that is remembered; it goes into the store with each change."""

    open: tuple[Tracked, ...] = ()
    closed: tuple[Tracked, ...] = ()  # the newest last
    candidates: tuple[Candidate, ...] = ()

    def of(self, service: str) -> tuple[Tracked, ...]:
        return tuple(one for one in self.open if one.row.service == service)


class Change(Struct, frozen=True):
    kind: Literal["opened", "updated", "resolved", "flapping"]
    incident: IncidentRow
    notify: bool


def advance(book: Incidents, signs: Signs, rules: Rules = _USUAL) -> tuple[Incidents, tuple[Change, ...]]:
    """Return what is remembered after a snapshot, and what has changed."""
    changes: list[Change] = []
    for sighting in signs.sightings or ():
        book, told = _seen(book, signs, sighting)
        changes += told
    if signs.sightings is not None:
        book = replace(book, candidates=_pending(book, signs))
    kept: list[Tracked] = []
    for one in book.open:
        if one.row.service != signs.service:
            kept.append(one)
            continue
        one = _measured(one, signs)
        if _over(one, signs, rules):
            book, change = _close(book, one, signs)
            changes.append(change)
        else:
            one, told = _foreseen(one, signs)
            changes += told
            kept.append(one)
    return replace(book, open=tuple(kept)), tuple(changes)


def _pending(book: Incidents, signs: Signs) -> tuple[Candidate, ...]:
    """Return the candidates: of this replica only those that this diagnosis shows, and that are no incident yet."""
    causes = {(one.finding, _name(one.row.function)) for one in book.of(signs.service)}
    new = [
        Candidate(
            signs.service, signs.replica, found.finding, _name(found.function), signs.at,
            1 + _times(book, signs, found), _since(book, signs, found),
        )
        for found in (one.finding for one in signs.sightings or ())
        if found.confidence in SURE and not _among(found, causes)
    ]  # fmt: skip
    mine = (signs.service, signs.replica)
    others = [one for one in book.candidates if (one.service, one.replica) != mine and signs.at - one.at <= _DAY]
    return (*others, *new)


def _seen(book: Incidents, signs: Signs, sighting: Sighting) -> tuple[Incidents, list[Change]]:
    found = sighting.finding
    if found.confidence not in SURE:
        return book, []
    for at, one in enumerate(book.open):
        if _is(one, signs.service, found):
            after, told = _again(one, signs, sighting)
            return replace(book, open=(*book.open[:at], after, *book.open[at + 1 :])), told
    # Beside a leak that is known much else grows that it holds: that must be seen longer to be another one.
    beside = any(signs.replica in one.row.replicas for one in book.of(signs.service))
    enough = _BESIDE if beside else 1 if found.confidence == "proven" else _TWICE
    if _times(book, signs, found) + 1 < enough:
        return book, []
    young = not signs.identified and signs.at - _since(book, signs, found) < _PATIENT
    if young and found.confidence != "proven" and not _urgent(signs):
        return book, []
    return _open(book, signs, sighting)


def _urgent(signs: Signs) -> bool:
    """Tell whether memory may run out soon: whoever waits to be sure then comes late."""
    told = signs.outlook
    return told is not None and told.limit_low is not None and told.limit_low - signs.at < _SOON


def _before(book: Incidents, signs: Signs, found: FindingRow) -> list[Candidate]:
    """Return what was seen of a finding before, in whichever replica."""
    return [
        one
        for one in book.candidates
        if one.service == signs.service and one.at < signs.at and _among(found, {(one.finding, one.function)})
    ]


def _times(book: Incidents, signs: Signs, found: FindingRow) -> int:
    return max((one.times for one in _before(book, signs, found)), default=0)


def _since(book: Incidents, signs: Signs, found: FindingRow) -> int:
    return min((one.since or one.at for one in _before(book, signs, found)), default=signs.at)


def _open(book: Incidents, signs: Signs, sighting: Sighting) -> tuple[Incidents, list[Change]]:
    """Open an incident; one that was closed within a day is opened again, and flaps when that goes on."""
    found = sighting.finding
    before = next(
        (one for one in reversed(book.closed)
         if _is(one, signs.service, found) and signs.at - (one.row.closed_at or 0) <= _DAY),
        None,
    )  # fmt: skip
    recent = tuple(at for at in (before.opened if before else ()) if signs.at - at <= _DAY)
    opened = (*recent, signs.at)
    flapping = len(opened) > _REOPENED
    row = IncidentRow(
        incident=before.row.incident if before else _incident_id(signs, found),
        service=signs.service,
        state="flapping" if flapping else "open",
        opened_at=before.row.opened_at if before else signs.at,
        updated_at=signs.at,
        verdict="leaking",
        mechanism=found.mechanism,
        function=found.function,
        file=found.file,
        line=found.line,
        replicas=(signs.replica,),
        page=signs.page,
        revision=before.row.revision + 1 if before else 1,
    )
    row = _with_outlook(row, signs.outlook)
    quiet = bool(before and before.quiet)
    tracked = Tracked(
        row, found.finding, (signs.run,), max(0.0, found.growth_per_hour or 0.0), sighting.places, sighting.kind,
        signs.at, {}, opened, flapping,
    )  # fmt: skip
    change = Change("flapping" if flapping else "opened", row, notify=not quiet)
    closed = tuple(one for one in book.closed if one is not before)
    return replace(book, open=(*book.open, tracked), closed=closed), [change]


def _again(one: Tracked, signs: Signs, sighting: Sighting) -> tuple[Tracked, list[Change]]:
    """Return an incident that was seen again: with the newest page, and the replica, if that is new."""
    found, row = sighting.finding, one.row
    joined = signs.replica not in row.replicas
    mechanism = found.mechanism or row.mechanism
    row = replace(
        row,
        updated_at=signs.at,
        mechanism=mechanism,
        function=found.function or row.function,
        file=found.file or row.file,
        line=found.line or row.line,
        replicas=(*row.replicas, signs.replica) if joined else row.replicas,
        page=signs.page or row.page,
        revision=row.revision + 1,
    )
    places = tuple(dict.fromkeys((*sighting.places, *one.places)))[:32]
    pace = max(one.per_hour, found.growth_per_hour or 0.0)
    runs = tuple(dict.fromkeys((*one.runs, signs.run)))[-_RUNS_MOST:]
    after = replace(one, row=row, seen_at=signs.at, runs=runs, per_hour=pace, places=places)
    return after, [Change("updated", row, notify=(joined or mechanism != one.row.mechanism) and not one.quiet)]


def _measured(one: Tracked, signs: Signs) -> Tracked:
    """Return an incident with what a replica shows at its places; replicas that are gone are forgotten."""
    samples = dict(one.samples)
    if signs.replicas is not None:
        samples = {replica: told for replica, told in samples.items() if replica in signs.replicas}
    if (value := signs.measured.get(one.row.incident)) is not None:
        sample = Sample(signs.at, value, signs.worked, signs.run)
        before = [other for other in samples.get(signs.replica, []) if other.at < signs.at]
        samples[signs.replica] = _thinned([*before, sample])
    return replace(one, samples=samples)


def _thinned(samples: list[Sample]) -> list[Sample]:
    """Return at most so many: the newest, and of those before every second, so that they reach far back."""
    if len(samples) <= _SAMPLES:
        return samples
    half = _SAMPLES // 2
    return [*samples[:-half][::2], *samples[-half:]]


def _over(one: Tracked, signs: Signs, rules: Rules) -> bool:
    """Tell whether it has ended: every affected replica has been calm for long enough, at work."""
    told = [samples for replica, samples in one.samples.items() if replica in one.row.replicas]
    if not told:
        alive = signs.replicas is None or any(replica in signs.replicas for replica in one.row.replicas)
        others = [samples for samples in one.samples.values() if samples and samples[-1].run not in one.runs]
        if alive or not others:
            return not alive and signs.at - one.seen_at > _GONE
        told = others  # its pods were replaced
    return all(_calm(samples, one, signs.at, rules) for samples in told)


def _calm(samples: Sequence[Sample], one: Tracked, now: int, rules: Rules) -> bool:
    """Tell whether a replica has not grown for so long, at work, that it would have been seen at the former pace."""
    since = _last_growth(samples, one.kind)
    started_anew = samples[-1].run not in one.runs
    if not started_anew:
        since = max(since, one.seen_at)
    after = [sample for sample in samples if sample.at >= since]
    wait = rules.settle if started_anew else rules.settle * _LONGER
    if one.per_hour > 0:
        wait = max(wait, min(_DAY, round(_WOULD_SHOW[one.kind] / one.per_hour * 60 * _MINUTE)))
    worked = sum(sample.worked is not False for sample in after) >= _CALM_LEAST
    return len(after) > _CALM_LEAST and worked and now - since >= wait and samples[-1].at - since >= wait


def _last_growth(samples: Sequence[Sample], kind: str) -> int:
    """Return when it last grew beyond what is noise: a tenth of what there was, and some goroutines or bytes."""
    least = 5.0 if kind == "goroutines" else float(4 << 20)
    lowest, since = samples[0].value, samples[0].at
    run = samples[0].run
    for sample in samples:
        if sample.run != run:  # another process: what it begins with is no growth
            run, lowest, since = sample.run, sample.value, sample.at
        if sample.value > lowest + max(least, 0.1 * lowest):
            lowest, since = sample.value, sample.at
        lowest = min(lowest, sample.value)
    return since


def _close(book: Incidents, one: Tracked, signs: Signs) -> tuple[Incidents, Change]:
    row = replace(
        one.row, state="resolved", updated_at=signs.at, closed_at=signs.at, revision=one.row.revision + 1,
        limit_low=None, limit_high=None,
    )  # fmt: skip
    closed = replace(one, row=row, samples={})
    return replace(book, closed=(*book.closed, closed)[-_CLOSED_MOST:]), Change("resolved", row, notify=not one.quiet)


def _foreseen(one: Tracked, signs: Signs) -> tuple[Tracked, list[Change]]:
    """Return an incident with a newer forecast, where that changes anything for whoever reads it."""
    if signs.outlook is None or signs.replica not in one.row.replicas:
        return one, []
    row, new = one.row, signs.outlook
    before, after = (limit - signs.at if limit else None for limit in (row.limit_low, new.limit_low))
    moved = (before is None) != (after is None)
    changed = moved or (row.limit_high is None) != (new.limit_high is None)
    if before is not None and after is not None:
        moved = abs(after - before) > max(_MINUTE, _MOVED * abs(before))
        changed = changed or abs(after - before) > _MOVED * abs(before)
    if not moved and not changed and (row.since is not None or new.since is None):
        return one, []
    row = replace(_with_outlook(row, new), updated_at=signs.at, revision=row.revision + 1)
    return replace(one, row=row), [Change("updated", row, notify=moved and after is not None and not one.quiet)]


def _with_outlook(row: IncidentRow, outlook: Outlook | None) -> IncidentRow:
    """Return an incident with a forecast; when growth began is not forgotten as it ends."""
    if outlook is None:
        return row
    if outlook.since is not None:
        row = replace(row, since=outlook.since, since_low=outlook.since_low, since_high=outlook.since_high)
        row = replace(row, after=outlook.after or row.after)
    return replace(row, limit_low=outlook.limit_low, limit_high=outlook.limit_high)


def _is(one: Tracked, service: str, found: FindingRow) -> bool:
    same = one.finding == found.finding or _name(one.row.function) == _name(found.function)
    return one.row.service == service and same


def _among(found: FindingRow, causes: set[tuple[str, str]]) -> bool:
    return any(found.finding == finding or _name(found.function) == function for finding, function in causes)


def _name(function: str) -> str:
    return normal_function(function)


def _incident_id(signs: Signs, found: FindingRow) -> str:
    return blake2b(f"{signs.service}\n{found.finding}\n{signs.at}".encode(), digest_size=6).hexdigest()

"""A finding -> since when it is there and how fast it grows, as far as its counts and the ages of goroutines tell.

Counts are aligned with the snapshots of their process, or with its whole time line where metrics tell of the past.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from oakum.model import Evidence, Finding, Growth, Point, SnapshotRow
from oakum.model.diagnosis import Diagnosis
from oakum.model.signals import Signal
from oakum.report.layout import utc
from oakum.report.page.speech import Speech, clock, stamp
from oakum.report.words.experiment import UNITS

_AGES = ("steady-arrivals", "uneven-arrivals", "arrival-burst", "stuck", "reported-wait")


class Dated(Struct, frozen=True):
    """One value of a series and the snapshot that tells it."""

    value: int | None
    at: datetime | None
    label: str
    inputs: tuple[str, ...]  # digests


def dated(diagnosis: Diagnosis, process: str, growth: Growth) -> tuple[Dated, ...]:
    """Return the values of a growth with their snapshots; () when it cannot be said which snapshots they belong to."""
    snapshots = [row for row in diagnosis.moments if row.process == process and not row.baseline]
    points = [point for point in diagnosis.timeline if point.process == process and not point.baseline]
    candidates: tuple[Sequence[SnapshotRow | Point], ...] = (snapshots, points)
    for rows in candidates:
        if len(rows) == len(growth.counts):
            return tuple(
                Dated(count, row.at, row.label, row.inputs) for count, row in zip(growth.counts, rows, strict=True)
            )
    return ()


def began(values: Sequence[Dated]) -> int | None:
    """Return at which of the values it is there for the first time; None when it was there from the first on."""
    known = [at for at, one in enumerate(values) if one.value is not None]
    if len(known) < 2 or values[known[0]].value:
        return None
    return next((at for at in known if values[at].value), None)


def beginnings(diagnosis: Diagnosis, process: str, findings: Sequence[Finding]) -> dict[str, list[Finding]]:
    """Return which findings of a process are there for the first time in which snapshot, by its label."""
    found: dict[str, list[Finding]] = {}
    for one in findings:
        if one.suspect.sites[0].process != process:
            continue
        for growth in one.suspect.growth:
            values = dated(diagnosis, process, growth)
            if (at := began(values)) is not None:
                found.setdefault(values[at].label, []).append(one)
                break
    return found


def allocating(found: Finding) -> int:
    """Return how many functions allocate what a finding's memory is the sum of."""
    return len({site.frame.function for site in found.suspect.sites if site.role == "allocated"})


def since(speech: Speech, diagnosis: Diagnosis, found: Finding) -> list[str]:
    """Return sentences: when it began, how long they have waited."""
    process = found.suspect.sites[0].process
    told: list[str] = []
    first: datetime | None = None  # the snapshot in which it was there already, where counts tell one
    seen = False  # whether snapshots before and after its beginning are there: ages say less, and not to the minute
    for growth in found.suspect.growth:
        values = dated(diagnosis, process, growth)
        if values and not told:
            told += _began(speech, growth, values)
            seen = began(values) is not None
            first = values[0].at if len(values) > 1 and values[0].value else None
    told += _ages(speech, diagnosis, found, dated=not seen, first=first)
    return [*_by_metrics(speech, diagnosis, found), *told]


def across_runs(speech: Speech, found: Finding) -> list[str]:
    """Return a sentence: how it grew in one run of the process and in the other."""
    mark = "。" if speech.lang == "zh" else "."
    return [f"{speech.say(one.claim)}{mark}" for one in found.suspect.evidence if one.kind == "other-run"]


def pace(speech: Speech, diagnosis: Diagnosis, found: Finding) -> list[str]:
    """Return sentences: how fast it grows, and how it went, as a range of metrics shows it."""
    told = [one for growth in found.suspect.growth for one in rates(speech, growth)]
    signal = _signal(diagnosis, found)
    if signal is not None and signal.shape != "ramp" and signal.steps > 1:
        told.append(speech.word(f"signals.shape.{signal.shape}", steps=signal.steps))
    if signal is not None and signal.idle is not None:
        told.append(speech.say(signal.idle))
    return told


def _began(speech: Speech, growth: Growth, values: Sequence[Dated]) -> list[str]:
    known = [one for one in values if one.value is not None]
    if len(known) < 2:
        return []
    times = [one.at for one in values]
    first, last = known[0], known[-1]
    what = speech.word(f"measure.{growth.measure}")
    args = {
        "what": what,
        "first": speech.amount(growth.measure, first.value or 0),
        "then": snapshot_name(speech, first, times),
        "last": speech.amount(growth.measure, last.value or 0),
        "now": snapshot_name(speech, last, times),
    }
    at = began(values)
    if at is not None:
        before = max(step for step in range(at) if values[step].value is not None)
        args["before"] = snapshot_name(speech, values[before], times)
        args["began"] = snapshot_name(speech, values[at], times)
        return [speech.word("since.between", **args)]
    if (last.value or 0) > (first.value or 0):
        return [speech.word("since.before", **args)]
    return [speech.word("since.steady", **args)]


def rates(speech: Speech, growth: Growth) -> list[str]:
    """Return how fast a measure grows: in an hour, and for each unit of work."""
    told = []
    what = speech.word(f"measure.{growth.measure}")
    if growth.per_hour is not None and growth.per_hour > 0:
        told.append(speech.word("since.per-hour", what=what, rate=speech.rate(growth.measure, growth.per_hour)))
    if event := growth.per_event:
        each = speech.amount(growth.measure, event.value) if growth.measure == "inuse_space" else f"{event.value:.3g}"
        key = "since.per-unit" if event.event in UNITS else "since.per-event"
        told.append(speech.word(key, what=what, value=each, event=speech.name(event.event)))
    return told


_SIGNALS = {"goroutines": "goroutines", "inuse_space": "heap", "inuse_objects": "heap", "rss": "rss"}


def _by_metrics(speech: Speech, diagnosis: Diagnosis, found: Finding) -> list[str]:
    """Return when growth of the process began, as a range of metrics shows it."""
    signal = _signal(diagnosis, found)
    if signal is None:
        return []
    if (onset := signal.onset) is None:
        return [speech.word("signals.onset-before")]
    return [speech.word("signals.onset", at=stamp(onset.at), low=clock(onset.low), high=clock(onset.high))]


def _signal(diagnosis: Diagnosis, found: Finding) -> Signal | None:
    """Return what a range of metrics shows of what a finding measures."""
    measures = {_SIGNALS.get(growth.measure) for growth in found.suspect.growth}
    rows = {row.id: row.run.first if row.run else row.id for row in diagnosis.processes}
    first = rows.get(found.suspect.sites[0].process)
    return next((one for one in diagnosis.signals if one.process == first and one.measure in measures), None)


def _ages(
    speech: Speech, diagnosis: Diagnosis, found: Finding, *, dated: bool, first: datetime | None = None
) -> list[str]:
    """Return how long goroutines have waited, by the dump that tells it, and since when that is.

    Go's ages are coarse: a time that is later than a snapshot in which it was there already is none.
    """
    for one in found.suspect.evidence:
        if one.kind in _AGES and isinstance(
            minutes := one.claim.args.get("oldest", one.claim.args.get("minutes")), int
        ):
            at = _taken(diagnosis, one) if dated else None
            if at is None:
                return [speech.word("since.age", minutes=minutes)]
            try:
                from_when = at - timedelta(minutes=minutes)
            except OverflowError:
                return [speech.word("since.age", minutes=minutes)]
            if first is not None and utc(from_when) > utc(first):
                return [speech.word("since.age", minutes=minutes)]
            return [speech.word("since.age-dated", minutes=minutes, when=stamp(from_when))]
    return []


def _taken(diagnosis: Diagnosis, evidence: Evidence) -> datetime | None:
    return next((row.at for row in diagnosis.moments if evidence.capture in row.inputs), None)


def snapshot_name(speech: Speech, one: Dated | SnapshotRow | Point, others: Sequence[datetime | None] = ()) -> str:
    """Return a snapshot as short as it can be told: its time, else the end of its path."""
    return clock(one.at, others) or speech.name(one.label.rstrip("/").rpartition("/")[2]) or "?"

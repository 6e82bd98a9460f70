"""Is the leak gone? A diagnosis of before and one of after -> what became of each finding. One page.

Compared is what each unit of work leaves, never a count: who did ten times the work has ten times the goroutines. Only
what would have been seen is gone; where that cannot be said, what is missing is.
"""

import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import get_args

from msgspec.structs import replace

from oakum.compare.trial import Load, growth_slope, smallest_of_heap
from oakum.model import Diagnosis, Finding, ProcessRow, Slope, Text, Trial, normal_function
from oakum.model.experiment import Phase, Stage
from oakum.model.verification import Change, Ratio, Verification, Verified

_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)  # only what lies between two times counts
# Worst first.
_NAMED_MOST = 3  # requests
_ORDER = ("new", "same", "smaller", "unsettled", "gone")


def verify(before: Diagnosis, after: Diagnosis) -> Verification:
    """Return what became of the findings of `before`, and what `after` has beside them."""
    foreign = _foreign(before, after)
    left = list(_sure(after))
    changes: list[Change] = []
    for found in _sure(before):
        same = next((one for one in left if one.id == found.id), None) or next(
            (one for one in left if _place(one) == _place(found)), None
        )
        left = [one for one in left if one is not same]
        changes.append(_change(before, after, found, same, foreign))
    changes += [_new(before, after, one, foreign) for one in left]
    changes.sort(key=lambda one: _ORDER.index(one.became))
    return Verification(_verdict(changes), before, after, tuple(changes), tuple(_notes(before, after, foreign)))


def _sure(diagnosis: Diagnosis) -> Iterable[Finding]:
    return [one for one in diagnosis.findings if one.confidence != "possible"]


def _place(found: Finding) -> tuple[str, bool]:
    """Return where a finding is, as another build has it: the function, and whether goroutines or memory stay there."""
    measures = {one.measure for one in found.suspect.growth}
    return normal_function(found.suspect.sites[0].frame.function), "goroutines" not in measures


def _change(before: Diagnosis, after: Diagnosis, found: Finding, same: Finding | None, foreign: Text | None) -> Change:
    """Return what became of a finding; `same` is that of after at its place."""
    trials = _trial_of(before, found), _trial_for(after, before, found)
    was = _slope(found, trials[0])
    now = _slope(same, trials[1]) if same else _unfound(found, trials[1])
    told = Change("unsettled", found, trials[0].unit if trials[0] else "", was, now)
    if foreign is not None:
        return replace(told, why=foreign)
    if trials[0] is None or was is None:
        return replace(told, why=_lacking("before", before, trials[0]))
    if trials[1] is None or now is None:
        return replace(told, why=_lacking("after", after, trials[1]))
    if trials[0].unit != trials[1].unit:
        return replace(told, why=Text("verify.why.units", {"before": trials[0].unit, "after": trials[1].unit}))
    if was.value <= 0 or was.low <= 0:
        return replace(told, why=Text("verify.why.before-unclear", {"units": trials[0].units}))
    became = _compared(told, was, now, trials[1], leaks=same is not None)
    why = _unlike(trials[0], trials[1]) if became.became == "gone" else None
    return replace(told, why=why) if why is not None else became


def _unlike(before: Trial, after: Trial) -> Text | None:
    """Return that what leaked may not have been reached: other requests were sent, or they failed only afterwards."""
    sent = [{one for one in side.asked if " " in one} for side in (before, after)]  # redacted, they have no method
    if before.unit == "request" and all(sent) and not sent[0] & sent[1]:
        names = [", ".join(one.asked[:_NAMED_MOST]) for one in (before, after)]
        return Text("verify.why.requests", {"before": names[0], "after": names[1]})
    if (after.mostly_failed and not before.mostly_failed) or (after.mostly_rejected and not before.mostly_rejected):
        said = ", ".join(f"{status}: {count}" for status, count in sorted(after.statuses.items()))
        return Text("verify.why.failed-after", {"failed": after.failed, "units": after.units, "said": said or "-"})
    return None


def _compared(told: Change, was: Slope, now: Slope, trial: Trial, *, leaks: bool) -> Change:
    """Return what two measurements make of a finding; `leaks`: it is a finding of after, too."""
    if (now.stays and now.low > 0) or (leaks and now.value > 0):
        ratio = Ratio(now.value / was.value, max(now.low, 0.0) / was.high, now.high / was.low)
        return replace(told, became="smaller" if ratio.high < 1 else "same", ratio=ratio)
    if now.smallest < was.value and now.high < was.low:
        return replace(told, became="gone")
    # So many units bring what would be seen down to what there was.
    more = max(1, math.ceil(trial.units * max(now.smallest / was.value, now.high / was.low, 1.1)) - trial.units)
    return replace(told, why=Text("verify.why.power", {"units": trial.units, "more": more, "unit": trial.unit}))


def _new(before: Diagnosis, after: Diagnosis, found: Finding, foreign: Text | None) -> Change:
    """Return a finding that only after has, with what there was of it before."""
    trial = _trial_of(after, found)
    was = _unfound(found, _trial_for(before, after, found))
    told = Change("new", found, trial.unit if trial else "", was, _slope(found, trial))
    if foreign is not None:
        return replace(told, became="unsettled", why=foreign)
    if was is not None and was.stays and trial is not None and told.after is not None:
        return _compared(told, was, told.after, trial, leaks=True)  # it grew before as well, as part of another finding
    return told


def _verdict(changes: Sequence[Change]) -> Verified:
    became = {one.became for one in changes}
    if became & {"new", "same", "smaller"}:
        return "leaks"
    return "fixed" if became == {"gone"} else "undecided"


# What was measured.


def _trial_of(diagnosis: Diagnosis, found: Finding) -> Trial | None:
    process = found.suspect.sites[0].process
    return next((one for one in diagnosis.trials if one.process == process), None)


def _trial_for(diagnosis: Diagnosis, other: Diagnosis, found: Finding) -> Trial | None:
    """Return the experiment with the process that a finding of another diagnosis would be in."""
    names = {row.id: row.name for row in diagnosis.processes}
    name = {row.id: row.name for row in other.processes}.get(found.suspect.sites[0].process)
    alike = [one for one in diagnosis.trials if names.get(one.process) == name]
    return next(iter(alike or diagnosis.trials), None)


def _load(trial: Trial) -> Load:
    """Return the work of an experiment as its stages tell it."""
    stages: list[Stage | None] = []
    for name, seconds, work in zip(trial.phases, trial.seconds, trial.work, strict=True):
        phase = next((known for known in get_args(Phase) if known == name), None)
        if phase is None or seconds is None or work is None:
            stages.append(None)
        else:
            stages.append(Stage(phase, _EPOCH + timedelta(seconds=seconds), work, work))
    return Load.of(stages, trial.unit)


def _slope(found: Finding, trial: Trial | None) -> Slope | None:
    """Return what each unit of work leaves of a finding."""
    growth = {one.measure: one.counts for one in found.suspect.growth if one.against == "past"}
    measure = next((name for name in ("goroutines", "inuse_space", "rss") if name in growth), None)
    if trial is None or measure is None:
        return None
    return growth_slope(measure, growth[measure], growth.get("inuse_objects", ()), _load(trial))


def _unfound(found: Finding, trial: Trial | None) -> Slope | None:
    """Return what each unit of work leaves at the place of a finding where nothing was found: most often, nothing."""
    if trial is None:
        return None
    name, memory = _place(found)
    load, measure = _load(trial), "inuse_space" if memory else "goroutines"
    there = [
        one.counts
        for one in trial.places
        if one.measure == measure and one.place and normal_function(one.place.function) == name
    ]
    counts = [sum(one or 0.0 for one in column) for column in zip(*there, strict=True)] or [0.0] * len(trial.work)
    slope = growth_slope(measure, [round(one) for one in counts], (), load)
    if slope is None or not memory:
        return slope
    return replace(slope, smallest=max(slope.smallest, smallest_of_heap(trial.units)))


# What is to be known of both sides.


def _foreign(before: Diagnosis, after: Diagnosis) -> Text | None:
    """Return that these are two programs, where their builds say so."""
    mains = [{row.build.main for row in one.processes if row.build and row.build.main} for one in (before, after)]
    if not all(mains) or mains[0] & mains[1]:
        return None
    names = [", ".join(sorted(name for name in one if name)) for one in mains]
    return Text("verify.why.program", {"before": names[0], "after": names[1]})


def _lacking(side: str, diagnosis: Diagnosis, trial: Trial | None) -> Text:
    """Return what a side lacks: snapshots, or work between them."""
    snapshots = sum(not row.baseline for row in diagnosis.moments)
    if snapshots < 3:
        return Text(f"verify.why.snapshots-{side}", {"snapshots": snapshots})
    return Text(f"verify.why.load-{side}", {"units": trial.units if trial else 0})


def _notes(before: Diagnosis, after: Diagnosis, foreign: Text | None) -> Iterable[Text]:
    builds = [_build(row) for one in (before, after) for row in one.processes[:1]]
    if foreign is None and len(builds) == 2 and builds[0] and builds[0] == builds[1]:
        yield Text("verify.note.same-build", {"build": builds[0]})
    for side, one in (("before", before), ("after", after)):
        for trial in one.trials[:1]:
            if trial.mostly_failed:
                yield Text(f"verify.note.failed-{side}", {"failed": trial.failed, "units": trial.units})
            if trial.ended not in ("complete", "clear"):
                yield Text(f"verify.note.ended-{side}", {"units": trial.units})
    if not any(True for _ in _sure(before)):
        yield Text("verify.note.no-leak-before", {})


def _build(row: ProcessRow) -> str:
    """Return the version of a program, where it names one that tells builds apart."""
    version = row.build.main_version if row.build else None
    return f"{row.build.main} {version}" if row.build and version and version != "(devel)" else ""

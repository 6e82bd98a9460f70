"""An experiment -> its answer in a sentence, its counts against the work done, and a table of what each unit leaves."""

import math
from collections.abc import Sequence
from itertools import pairwise

from oakum.model import Finding, Growth, Slope, Trial
from oakum.model.diagnosis import Diagnosis
from oakum.model.vocabulary import EvidenceKind
from oakum.report.page.blocks import Cell, Chart, ChartPoint, Para, Row, Section, Series, table
from oakum.report.page.derive import Derive
from oakum.report.page.speech import Speech
from oakum.report.words import size

_ROWS_MOST = 12
_STATUSES_MOST = 4
# In so many snapshots they may be fewer by chance.
_ENDING = 2
# So many samples show a place of the heap, where Go samples each 512 KiB.
_SAMPLES, _PERIOD = 10, 512 << 10
_DOUBTS: tuple[EvidenceKind, ...] = ("may-end", "may-fill")


def answer(speech: Speech, diagnosis: Diagnosis) -> list[str]:
    """Return what experiments show, half a sentence each: what went wrong with the work first; none without any."""
    told = []
    for trial in diagnosis.trials:
        told += [*_failures(speech, trial), *_result(speech, diagnosis, trial)]
    return [*told[:1], *(one[:1].upper() + one[1:] for one in told[1:])]  # sentences, one after the other


def beside(speech: Speech, diagnosis: Diagnosis) -> list[str]:
    """Return that the work added nothing to what leaks in the process, half a sentence each."""
    return [
        _nothing(speech, trial, "added-nothing")
        for trial in diagnosis.trials
        if diagnosis.verdict == "leaking" and trial.units and not _result(speech, diagnosis, trial)
    ]


def _failures(speech: Speech, trial: Trial) -> list[str]:
    """Return that most of the work failed, with the answers."""
    units = max(trial.units, sum(trial.statuses.values()))  # those that were turned away, too
    if not trial.mostly_failed:
        return []
    names = {"0": speech.word("experiment.no-answer")}
    answers = sorted(trial.statuses.items(), key=lambda pair: -pair[1])[:_STATUSES_MOST]
    said = speech.comma.join(f"{names.get(status, status)}: {count:,}" for status, count in answers)
    key = "all" if trial.failed >= units else "most"
    return [
        speech.word(f"experiment.failed-{key}", failed=trial.failed, units=units, unit=trial.unit)
        + (speech.word("experiment.answers", said=said) if said else "")
        + (speech.word("experiment.rejected") if trial.mostly_rejected else "")
    ]


def _result(speech: Speech, diagnosis: Diagnosis, trial: Trial) -> list[str]:
    found = [one for one in diagnosis.findings if one.suspect.sites[0].process == trial.process]
    stays = next(((one, growth) for one in found for growth in one.suspect.growth if _of(growth, trial)), None)
    totals = [one for one in trial.totals if one.stays and one.measure != "rss"]
    if stays is not None:
        place, growth = stays
        parts = [_stays(speech, trial, place, growth), *_doubts(speech, place)]
        told = growth.per_event.value if growth.per_event else 0.0
        if len(totals) == 1 and totals[0].measure == growth.measure and totals[0].low <= told <= totals[0].high:
            return parts  # which is all there is
        whole = speech.word("experiment.and").join(_short(speech, one) for one in totals)
        in_all = [speech.word("experiment.in-all", whole=whole, unit=trial.unit)] if whole else []
        return [*parts[:1], *in_all, *parts[1:]]
    if not trial.units:
        return [speech.word("experiment.no-work")]
    drifts = [one for one in trial.totals if one.drift > 0 and one.measure != "rss"]
    if drifts and diagnosis.verdict != "healthy":
        whole = speech.word("experiment.and").join(
            speech.word(f"experiment.of-{one.measure}", amount=_number(one, one.drift)) for one in drifts
        )
        return [speech.word("experiment.drifts", whole=whole)]
    if diagnosis.verdict == "leaking":
        return []  # see `beside`
    if diagnosis.verdict != "healthy" and (ending := _ending(trial)):  # more work would say no more
        return [speech.word("experiment.draining", first=round(ending[0]), last=round(ending[-1]))]
    if lost := trial.unplaced:
        numbers = {name: size(getattr(lost, name)) for name in ("value", "low", "high")}
        more = math.ceil(_SAMPLES * _PERIOD / lost.value) - trial.units
        more = more if more > 0 else trial.units  # it is spread over many places
        return [speech.word("experiment.unplaced", **numbers, unit=trial.unit, more=more)]
    grown = max(trial.totals[:1], key=lambda one: one.value, default=None)
    if diagnosis.verdict == "healthy" or grown is None or grown.more is None:
        return [_nothing(speech, trial)]
    args = {"value": _number(grown, grown.value), "low": _number(grown, grown.low), "high": _number(grown, grown.high)}
    return [speech.word("experiment.open", **args, unit=trial.unit, more=grown.more)]


def _ending(trial: Trial) -> list[float]:
    """Return the goroutines after the last of the work, where they were fewer in each snapshot; else nothing."""
    last = max((at for at, phase in enumerate(trial.phases) if phase == "batch"), default=-1)
    counts = [one.counts[last + 1 :] for one in trial.totals if one.measure == "goroutines" and last >= 0]
    after = [count for column in counts for count in column if count is not None]
    return after if len(after) > _ENDING and all(a > b for a, b in pairwise(after)) else []


def _of(growth: Growth, trial: Trial) -> bool:
    return growth.per_event is not None and growth.per_event.event == trial.unit


def _stays(speech: Speech, trial: Trial, found: Finding, growth: Growth) -> str:
    """Return what stays at the place of a finding."""
    told = growth.per_event
    assert told is not None
    heap = growth.measure != "goroutines"
    show = size if heap else "{:.2f}".format
    return speech.word(
        f"experiment.stays-{'heap' if heap else 'goroutines'}",
        value=show(told.value), low=show(told.low), high=show(told.high),
        unit=trial.unit, function=speech.short(found.suspect.sites[0].frame.function),
    )  # fmt: skip


def _doubts(speech: Speech, found: Finding) -> list[str]:
    """Return what keeps a finding from being proven, and what would tell."""
    kinds = found.suspect.kinds if found.confidence != "proven" else ()
    return [speech.word(f"experiment.unsure-{kind}") for kind in _DOUBTS if kind in kinds]


def _nothing(speech: Speech, trial: Trial, name: str = "nothing") -> str:
    """Return that nothing stays, and the smallest leak that would have been seen."""
    seen = [_smallest(speech, one) for one in trial.totals if one.measure != "rss" and not one.stays and one.smallest]
    key = f"experiment.{name}-seen" if seen else f"experiment.{name}"
    whole = speech.word("experiment.or").join(seen)
    return speech.word(key, units=trial.units, unit=trial.unit, smallest=whole)


def _smallest(speech: Speech, slope: Slope) -> str:
    return speech.word(f"experiment.of-{slope.measure}", amount=_number(slope, slope.smallest))


def _short(speech: Speech, slope: Slope) -> str:
    return speech.word(f"experiment.of-{slope.measure}", amount=_number(slope, slope.value))


def _number(slope: Slope, value: float) -> str:
    return f"{value:.2f}" if slope.measure == "goroutines" else size(value)


def work_charts(speech: Speech, diagnosis: Diagnosis, derive: Derive) -> list[Chart]:
    """Return counts against the work done: of the first finding that stays, else of all goroutines."""
    charts = []
    for trial in diagnosis.trials:
        found = [one for one in diagnosis.findings if one.suspect.sites[0].process == trial.process]
        pair = next(((one, growth) for one in found for growth in one.suspect.growth if _of(growth, trial)), None)
        if pair is not None:
            one, growth = pair
            name, command = speech.short(one.suspect.sites[0].frame.function), derive.growth(one, growth)
            charts.append(_chart(speech, trial, growth.measure, growth.counts, name, command))
            continue
        for total in trial.totals[:1]:
            command = derive.totals(trial.process, "goroutines")
            charts.append(_chart(speech, trial, total.measure, total.counts, "", command))
    return charts


def _chart(
    speech: Speech, trial: Trial, measure: str, counts: Sequence[float | None], function: str, command: str
) -> Chart:
    key = "experiment.chart" if function else "experiment.chart-whole"
    called = speech.word(f"measure.{measure}")
    title = speech.word(key, what=called, function=function, unit=trial.unit)
    done = [0 if work is None else work for work in trial.work]
    values = list(counts) if len(counts) == len(done) else [None] * len(done)
    steps = [after - before for before, after in pairwise(done)]
    labels = [speech.word("experiment.done", count=count, unit=trial.unit) for count in done]
    points = tuple(
        ChartPoint(value, label, x=float(count))
        for value, label, count, kept in zip(values, labels, done, [1, *steps], strict=True)
        if kept or value is not None
    )
    return Chart(
        title, "count" if measure == "goroutines" else "bytes", (Series(called, points, "grew"),), title, command
    )


def experiment_section(speech: Speech, diagnosis: Diagnosis) -> Section | None:
    """Return what each unit of work leaves, for the process as a whole and for its places."""
    if not diagnosis.trials:
        return None
    rows = [_row(speech, trial, one) for trial in diagnosis.trials for one in (*trial.totals, *trial.places)]
    names = ("where", "measure", "each", "interval", "course", "verdict")
    columns = [speech.word(f"experiment.column.{name}") for name in names]
    blocks = [*(Para(line) for trial in diagnosis.trials for line in _about(speech, trial))]
    return Section(
        "experiment", speech.word("section.experiment"), (*blocks, table(columns, rows[:_ROWS_MOST])), folded=True,
        line=speech.word("experiment.line", units=diagnosis.trials[0].units, unit=diagnosis.trials[0].unit),
    )  # fmt: skip


def _about(speech: Speech, trial: Trial) -> list[str]:
    """Return what was done: the work, its answers, and why it ended."""
    asked = speech.joined([speech.name(one) for one in trial.asked[:_STATUSES_MOST]])
    said = speech.comma.join(f"{status}: {count:,}" for status, count in sorted(trial.statuses.items()))
    told = [speech.word("experiment.sent", units=trial.units, unit=trial.unit, batches=trial.phases.count("batch"))]
    told += [speech.word("experiment.asked", asked=asked)] if asked else []
    told += [speech.word("experiment.answered", said=said)] if said else []
    return [speech.glue.join([*told, speech.word(f"experiment.ended.{trial.ended}")])]


def _row(speech: Speech, trial: Trial, slope: Slope) -> Row:
    known = [count for count in slope.counts if count is not None]
    course = " → ".join(speech.amount(slope.measure, known[at]) for at in (0, -1)) if known else ""
    where = speech.short(slope.place.function) if slope.place else speech.word("experiment.whole")
    back = slope.returned > max(slope.value, 0.0) and not slope.stays
    verdict = "stays" if slope.stays else "returned" if back else "open" if slope.more else "nothing"
    return Row(
        (
            Cell(where, code=slope.place is not None),
            Cell(speech.word(f"measure.{slope.measure}")),
            Cell(_number(slope, slope.value), slope.value),
            Cell(f"[{_number(slope, slope.low)}, {_number(slope, slope.high)}]"),
            Cell(course),
            Cell(speech.word(f"experiment.is-{verdict}", more=slope.more or 0, unit=trial.unit)),
        )
    )

"""A diagnosis -> the charts: a growth through its snapshots, the totals of a process, its memory budget."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from msgspec.structs import replace

from oakum.model import Finding, Growth, Memory, Point
from oakum.model.diagnosis import Diagnosis
from oakum.report.page.blocks import Bar, Chart, ChartPoint, Series, Waterfall, anchor_of_input
from oakum.report.page.derive import Derive
from oakum.report.page.events import chart_events
from oakum.report.page.since import Dated, allocating, dated, snapshot_name
from oakum.report.page.speech import Speech, clock, ends
from oakum.report.words import size

MEASURES = ("goroutines", "heap_live", "rss")
_POINTS_MOST = 240  # of one line: more than a screen has room for
_RANKS_MOST = 3  # findings that are named at the snapshot in which they began
_SAID_MOST = 7  # values that are read at a glance
_PARTS = ("heap_live", "heap_dead", "heap_idle", "stacks", "runtime", "off_heap")

Unit = Literal["bytes", "count"]


def growth_charts(speech: Speech, diagnosis: Diagnosis, derive: Derive, found: Finding) -> list[Chart]:
    """Return one chart for each measure of a finding that has at least two values."""
    charts = []
    for growth in found.suspect.growth:
        values = dated(diagnosis, found.suspect.sites[0].process, growth) or _undated(growth)
        if sum(one.value is not None for one in values) < 2:
            continue
        measure = speech.word(f"measure.{growth.measure}")
        function = found.suspect.sites[0].frame.function
        whole = function.startswith("(")
        places = 1 if growth.measure == "goroutines" else allocating(found)
        key = "chart.growth-whole" if whole else "chart.growth" if places < 2 else "chart.growth-several"
        title = speech.word(key, what=measure, function=speech.short(function), more=places - 1)
        if growth.against == "baseline":
            title += f"{speech.comma}{speech.word('growth.against-baseline')}"
        kind = {"goroutines": "goroutine", "rss": "metrics"}.get(growth.measure, "heap")
        points, thinned = _points(speech, diagnosis, derive, values, kind)
        series = [Series(measure, points, "grew"), *_twin(speech, found, growth, points)]
        said = _said(speech, growth.measure, measure, [one.value for one in values]) + thinned
        unit: Unit = "bytes" if growth.measure in ("inuse_space", "rss") else "count"
        events = chart_events(speech, diagnosis, found.suspect.sites[0].process)
        charts.append(Chart(title, unit, tuple(series), said, derive.growth(found, growth), events))
    return charts


def _undated(growth: Growth) -> tuple[Dated, ...]:
    return tuple(Dated(count, None, f"#{at}", ()) for at, count in enumerate(growth.counts, 1))


def _twin(speech: Speech, found: Finding, growth: Growth, points: Sequence[ChartPoint]) -> list[Series]:
    """Return how many the baseline has, where a claim tells it: one value, beside the last."""
    claims = (one.claim.args.get("twin") for one in found.suspect.evidence if one.kind == "baseline")
    twin = next((count for count in claims if isinstance(count, int)), None)
    if twin is None or growth.measure != "goroutines":
        return []
    *before, last = points
    alone = (*(ChartPoint(None, one.label, one.at) for one in before), ChartPoint(twin, last.label, last.at))
    return [Series(speech.word("chart.twin"), alone, "twin")]


def totals(
    speech: Speech,
    diagnosis: Diagnosis,
    derive: Derive,
    process: str,
    name: str,
    began: Mapping[str, Sequence[Finding]],
) -> list[Chart]:
    """Return the totals of a process through time, each with its baseline's; `began`: findings by snapshot."""
    marks = {label: speech.word("chart.began", ranks=_ranks(speech, found)) for label, found in began.items()}
    points = [point for point in diagnosis.timeline if point.process == process]
    charts = []
    for measure in MEASURES:
        called = speech.word(f"total.{measure}")
        series, said = [], []
        for twin in (False, True):
            values = [_dated(point, measure) for point in points if point.baseline == twin]
            if sum(one.value is not None for one in values) < (1 if twin else 2):
                continue
            drawn, thinned = _points(speech, diagnosis, derive, values, "goroutine" if measure == "goroutines" else "")
            if not twin:
                names = {one.at: marks[one.label] for one in values if one.at and one.label in marks}
                drawn = tuple(replace(point, began=names.get(point.at, "") if point.at else "") for point in drawn)
            label = speech.word("chart.twin") if twin else called
            series.append(Series(label, drawn, "twin" if twin else "plain"))
            said.append(_said(speech, measure, label, [one.value for one in values]) + thinned)
        if series and series[0].tone == "plain":
            title = speech.word("chart.total", what=called, process=speech.name(name))
            unit: Unit = "count" if measure == "goroutines" else "bytes"
            glue = "" if speech.lang == "zh" else " "
            command = derive.totals(process, measure)
            events = chart_events(speech, diagnosis, process)
            charts.append(Chart(title, unit, tuple(series), glue.join(said), command, events))
    return charts


def _ranks(speech: Speech, findings: Sequence[Finding]) -> str:
    return speech.joined([str(one.rank) for one in findings[:_RANKS_MOST]]) + (
        "…" if len(findings) > _RANKS_MOST else ""
    )


def _dated(point: Point, measure: str) -> Dated:
    return Dated(point.totals.get(measure), point.at, point.label, point.inputs)


def _points(
    speech: Speech, diagnosis: Diagnosis, derive: Derive, values: Sequence[Dated], kind: str
) -> tuple[tuple[ChartPoint, ...], str]:
    """Return the points of a line, at most so many, and what is to be said of those that are left out."""
    times = ends(one.at for one in values)
    shown = thinned(values, lambda one: one.value)
    kinds = {row.digest: row.kind for row in diagnosis.inputs}
    points = []
    for one in shown:
        digests = sorted(one.inputs, key=lambda digest: kinds.get(digest) != kind)
        number = next((found for digest in digests if (found := derive.number(digest, one.at))), None)
        to = f"#{anchor_of_input(number)}" if number else ""
        points.append(ChartPoint(one.value, snapshot_name(speech, one, times), one.at, to))
    if len(shown) == len(values):
        return tuple(points), ""
    glue = "" if speech.lang == "zh" else " "
    return tuple(points), glue + speech.word("chart.thinned", shown=len(shown), count=len(values))


def thinned(values: Sequence[Dated], of: Callable[[Dated], float | None]) -> list[Dated]:
    """Return at most so many of the values: the first, the last, and the highest of each stretch between them."""
    if len(values) <= _POINTS_MOST:
        return list(values)
    inner, stretch = values[1:-1], (len(values) - 2) / (_POINTS_MOST - 2)
    picked = [values[0]]
    for at in range(_POINTS_MOST - 2):
        part = inner[int(at * stretch) : int((at + 1) * stretch)]
        picked.append(max(part, key=lambda one: -1.0 if of(one) is None else float(of(one) or 0)))
    return [*picked, values[-1]]


def _said(speech: Speech, measure: str, called: str, values: Sequence[int | None]) -> str:
    return speech.word("chart.said", what=called, values=" → ".join(at_a_glance(speech, measure, values)))


def at_a_glance(speech: Speech, measure: str, values: Sequence[int | None]) -> list[str]:
    """Return the values that are known, of many the first, the last and some between them."""
    known = [value for value in values if value is not None]
    if len(known) > _SAID_MOST:
        step = (len(known) - 1) / (_SAID_MOST - 1)
        known = [known[round(at * step)] for at in range(_SAID_MOST)]
    return [speech.amount(measure, value) for value in known]


def waterfall(speech: Speech, diagnosis: Diagnosis, derive: Derive, memory: Memory, name: str) -> Waterfall | None:
    """Return the memory of a process as parts that add up; None when no capture tells any."""
    parts = [(part, value) for part in _PARTS if (value := getattr(memory, part)) is not None]
    if not parts and memory.rss is None:
        return None
    bars = [Bar(speech.word(f"budget.{part}"), value, speech.word(f"waterfall.note.{part}")) for part, value in parts]
    rest = (memory.rss or 0) - sum(bar.value for bar in bars)
    if bars and rest > 0:
        bars.append(Bar(speech.word("waterfall.rest"), rest, speech.word("waterfall.note.rest")))
    told = speech.stop.join(f"{bar.name} {size(bar.value)}" for bar in bars)
    if memory.rss is not None and not _exceeds(memory):
        bars.append(Bar(speech.word("budget.rss"), memory.rss, tone="whole"))
        said = speech.word("waterfall.said", parts=told, whole=size(memory.rss))
    else:  # what Go accounts for is then the whole: parts of less than themselves would be more than all of it
        bars.append(Bar(speech.word("waterfall.accounted"), sum(bar.value for bar in bars), tone="whole"))
        said = speech.word("waterfall.said-parts", parts=told)
        if memory.rss is not None:
            bars.append(Bar(speech.word("budget.rss"), memory.rss, speech.word("waterfall.over"), "limit"))
    if memory.limit is not None:
        bars.append(Bar(speech.word("budget.limit"), memory.limit, tone="limit"))
    times = [row.at for row in diagnosis.moments if row.process == memory.process and not row.baseline]
    when = clock(times[-1], times) if times else ""
    key = "waterfall.title" if when else "waterfall.title-undated"
    title = speech.word(key, process=speech.name(name), when=when)
    return Waterfall(title, tuple(bars), said, derive.budget(memory))


def _exceeds(memory: Memory) -> bool:
    """Tell whether the parts are more than what is resident."""
    parts = sum(getattr(memory, part) or 0 for part in _PARTS)
    return memory.rss is not None and parts > memory.rss

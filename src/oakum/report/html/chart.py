"""A chart -> where its lines, marks and labels stand: across in percent, so that letters stay legible on a phone."""

import math
from datetime import datetime

from msgspec import Struct

from oakum.report.page.blocks import Chart, ChartPoint, Series
from oakum.report.words import size

HEIGHT = 150  # pixels of the field that is drawn in
SMALL = 84  # of the one in the first screen
_CHARACTER = 0.8  # percent of a chart's width, at most
_MOST_MARKS = 40  # of a series; more run into each other, and the table below has them all
_STRETCHES = 400  # of a line; a screen has not many more pixels across
_HEADROOM = 1.07  # above the greatest value there is room to write it
_EVENT_ROWS = 4
_EVENT_ROOM = 1.5  # percent that a mark takes
_LINE = 15  # pixels that a line of letters takes
# A series is told apart by its mark and its dashes, not by colour alone.
_MARKS = (
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0Z",
    "M-4 -4H4V4H-4Z",
    "M0 -5.5L5 4H-5Z",
    "M0 -6L6 0L0 6L-6 0Z",
)


class _Scale(Struct, frozen=True):
    top: float  # the value at the upper edge
    height: int

    def y(self, value: float) -> float:
        return round(self.height * (1 - max(value, 0.0) / (self.top or 1.0)), 1)


class Mark(Struct, frozen=True):
    """A value: where it stands, what it says, where it leads."""

    x: float  # percent
    y: float  # pixels
    told: str
    to: str


class Line(Struct, frozen=True):
    """A series as it is drawn. `runs` are corners in thousandths across: a snapshot without a value breaks it."""

    name: str
    tone: str
    dash: int
    shape: str
    runs: tuple[str, ...]
    marks: tuple[Mark, ...]


class Label(Struct, frozen=True):
    """Letters at a place; `anchor` is start, middle or end."""

    x: float
    y: float
    text: str
    anchor: str
    tone: str = ""


class Plot(Struct, frozen=True):
    height: int
    ticks: tuple[Label, ...]
    lines: tuple[Line, ...]
    values: tuple[Label, ...]
    times: tuple[Label, ...]
    began: tuple[Label, ...]
    events: tuple["Strip", ...] = ()


class Strip(Struct, frozen=True):
    """An event below the axis, in percent: a mark, or as long as it lasted."""

    x: float
    width: float
    told: str
    kind: str
    row: int  # events that overlap stand below each other


def plot(chart: Chart, height: int = HEIGHT) -> Plot | None:
    """Return the drawing, so many pixels high; None where no point has a value."""
    known = [point.value for one in chart.series for point in one.points if point.value is not None]
    if not known or not all(map(math.isfinite, known)):
        return None
    ticks = _ticks(max(*known, 0.0), chart.unit, 4 if height >= HEIGHT else 2)
    top = ticks[-1]
    across = _across(chart.series)
    lines, values = [], []
    for number, one in enumerate(chart.series):
        tone = one.tone if one.tone != "plain" else f"plain{number % 4}"
        xs = across[number]
        line = _line(one, xs, _Scale(top, height), number, tone, chart.unit)
        lines.append(line)
        last = _last(one, xs)
        if last is not None:
            x, value = last
            values.append(
                Label(x, _Scale(top, height).y(value), _said(value, chart.unit), "end" if x > 50 else "start", tone)
            )
    return Plot(
        height,
        tuple(Label(0, _Scale(top, height).y(tick), _said(tick, chart.unit), "end") for tick in ticks),
        tuple(lines),
        _apart(values),
        _times(chart.series, across),
        tuple(
            Label(round(x, 2), -4, point.began, "end" if x > 45 else "start")
            for one, xs in zip(chart.series, across, strict=True)
            for x, point in zip(xs, one.points, strict=True)
            if point.began
        ),
        _events(chart),
    )


def _events(chart: Chart) -> tuple[Strip, ...]:
    """Return the events within the axis of a chart whose points stand by time; those that overlap in rows."""
    if not chart.events or not _by_time(chart.series):
        return ()
    times = [point.at for one in chart.series for point in one.points if point.at is not None]
    first, whole = min(times), (max(times) - min(times)).total_seconds()
    ends = [-1.0] * _EVENT_ROWS
    found = []
    for one in chart.events:
        start = 100 * (one.at - first).total_seconds() / whole
        end = 100 * ((one.until or one.at) - first).total_seconds() / whole
        if end < 0 or start > 100:
            continue
        start, end = max(start, 0.0), min(end, 100.0)
        row = next((at for at, last in enumerate(ends) if last < start), _EVENT_ROWS - 1)
        ends[row] = max(end, start + _EVENT_ROOM)
        found.append(Strip(round(start, 2), round(end - start, 2), one.told, one.kind, row))
    return tuple(found)


def _ticks(most: float, unit: str, count: int) -> tuple[float, ...]:
    """Return some round numbers from nought past the greatest value; bytes are round in powers of two."""
    if most <= 0:
        return (0.0, 1.0)
    rough = max(most / count, 1.0)
    if unit == "bytes":
        step = 2.0 ** math.ceil(math.log2(rough))
    else:
        power = 10.0 ** math.floor(math.log10(rough))
        step = math.ceil(next(power * by for by in (1, 2, 2.5, 5, 10, 20) if power * by >= rough - 1e-9))
    return tuple(step * at for at in range(math.ceil(_HEADROOM * most / step) + 1))


def _by_time(series: tuple[Series, ...]) -> bool:
    """Tell whether points stand by time: where all tell it and one clock fits them."""
    own = [point.at for one in series if one.tone != "twin" for point in one.points]
    every = [point.at for one in series for point in one.points]
    times = [at for at in every if at is not None]
    return len(times) == len(every) and len(set(times)) > 1 and _one_clock([at for at in own if at], times)


def _across(series: tuple[Series, ...]) -> tuple[tuple[float, ...], ...]:
    """Return where each point stands, in percent: by the work done, by time, else in order."""
    places = [point.x for one in series for point in one.points]
    done = [x for x in places if x is not None]
    if done and len(done) == len(places) and max(done) > min(done):
        start, wide = min(done), max(done) - min(done)
        return tuple(tuple(100 * ((point.x or 0.0) - start) / wide for point in one.points) for one in series)
    times = [point.at for one in series for point in one.points if point.at is not None]
    if _by_time(series):
        first, last = min(times), max(times)
        whole = (last - first).total_seconds() or 1.0
        return tuple(
            tuple(100 * (point.at - first).total_seconds() / whole for point in one.points if point.at)
            for one in series
        )
    most = max(len(one.points) for one in series)
    return tuple(tuple(100 * at / (most - 1) if most > 1 else 50.0 for at in range(len(one.points))) for one in series)


def _one_clock(own: list[datetime], every: list[datetime]) -> bool:
    """Tell whether a baseline was captured about when the process was: else it squeezes the process into a corner."""
    if not own:
        return True
    return (max(every) - min(every)).total_seconds() <= 3 * ((max(own) - min(own)).total_seconds() or 1.0)


def _line(one: Series, xs: tuple[float, ...], scale: "_Scale", number: int, tone: str, unit: str) -> Line:
    told = [(x, point) for x, point in zip(xs, one.points, strict=True) if point.value is not None]
    runs: list[list[tuple[float, float]]] = [[]]
    for x, point in zip(xs, one.points, strict=True):
        if point.value is None:
            runs.append([])
        else:
            runs[-1].append((x * 10, scale.y(point.value)))
    if one.tone == "twin" and len(told) == 1:  # one look at a baseline is a level to compare with
        y = runs[0][0][1] if runs[0] else scale.y(told[0][1].value or 0.0)
        runs = [[(0.0, y), (1000.0, y)]]
    few = len(told) <= _MOST_MARKS
    marks = [
        Mark(round(x, 2), scale.y(point.value or 0.0), _point(one, point, unit), point.to)
        for at, (x, point) in enumerate(told)
        if few or at in (0, len(told) - 1)
    ]
    corners = tuple(" ".join(f"{x:.1f},{y}" for x, y in _thinned(run)) for run in runs if len(run) > 1)
    return Line(one.name, tone, number % 4, _MARKS[number % 4], corners, tuple(marks))


def _thinned(run: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return a line of very many corners by the lowest and the highest of each stretch: it looks the same."""
    if len(run) <= 2 * _STRETCHES:
        return run
    length = math.ceil(len(run) / _STRETCHES)
    kept = [run[0]]
    for at in range(0, len(run), length):
        stretch = run[at : at + length]
        kept += sorted({min(stretch, key=lambda one: one[1]), max(stretch, key=lambda one: one[1])})
    return [*kept, run[-1]]


def _point(one: Series, point: ChartPoint, unit: str) -> str:
    return f"{one.name} · {point.label}: {_said(point.value or 0.0, unit)}"


def _said(value: float, unit: str) -> str:
    if unit == "bytes":
        return size(value).replace(".0 ", " ")
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def _last(one: Series, xs: tuple[float, ...]) -> tuple[float, float] | None:
    told = [(x, point.value) for x, point in zip(xs, one.points, strict=True) if point.value is not None]
    return told[-1] if told else None


def _apart(labels: list[Label]) -> tuple[Label, ...]:
    """Return the labels above their marks, none on another."""
    placed: list[Label] = []
    for one in sorted(labels, key=lambda label: label.y, reverse=True):
        y = one.y - 9
        for other in placed:
            if abs(other.x - one.x) < 20 and abs(other.y - y) < _LINE:
                y = other.y - _LINE
        placed.append(Label(one.x, max(y, -2.0), one.text, one.anchor, one.tone))
    return tuple(placed)


def _times(series: tuple[Series, ...], across: tuple[tuple[float, ...], ...]) -> tuple[Label, ...]:
    """Return the snapshots below the chart: the first, the last, and those between that leave room."""
    longest = max(range(len(series)), key=lambda at: (series[at].tone != "twin", len(series[at].points)))
    found = sorted(zip(across[longest], (point.label for point in series[longest].points), strict=True))
    if not found:
        return ()
    if len(found) == 1:
        return (Label(found[0][0], 0, found[0][1], "middle"),)
    longest_text = max(len(text) for _, text in found)
    room = max(100 / 4.5, 1.5 * longest_text * _CHARACTER)  # one at the edge stands beside it, one between across it
    kept = [found[0]]
    for one in found[1:-1]:
        if one[0] - kept[-1][0] >= room and found[-1][0] - one[0] >= room:
            kept.append(one)
    kept.append(found[-1])
    anchors = ["start", *["middle"] * (len(kept) - 2), "end"]
    return tuple(Label(round(x, 2), 0, text, anchor) for (x, text), anchor in zip(kept, anchors, strict=True))

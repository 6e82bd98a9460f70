"""The time line in reports: one table in order, marks on the axis of the charts, in both languages, names escaped."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from diagnoses import rich
from oakum.model.diagnosis import Diagnosis
from oakum.model.signals import Driver, Event, Onset, Signal
from oakum.model.text import Argument, Text
from oakum.report import html, markdown
from oakum.report.html.chart import plot
from oakum.report.json import diagnosis as read_back
from oakum.report.json import document
from oakum.report.page.blocks import Chart, ChartPoint, Section, Series, Table
from oakum.report.page.compose import compose
from oakum.report.page.events import chart_events
from oakum.report.page.incident import incident
from oakum.report.page.speech import Speech

BEGAN = datetime(2026, 3, 1, 12, 0, 30, tzinfo=UTC)


def told() -> Diagnosis:
    base = rich()
    first = base.processes[0].id
    lines: dict[str, Argument] = {"lines": 1702, "share": 0.92, "name": "<img src=x>platform-admin/2.3"}
    events = (
        Event(BEGAN, "growth-began", Text("event.growth-began.goroutines", {"low": "a", "high": "b"}), first),
        Event(BEGAN, "time-out", Text("event.time-out.lines-agent", lines), first, BEGAN + timedelta(seconds=40)),
        Event(BEGAN + timedelta(days=9), "oom-kill", Text("event.oom-kill.nobody", {"said": "x"}), first),
    )
    driver = Driver("requests_total{code=504}", "api", 1.0, 0.98, 1.02, 0.0, 0.97, ("other",), "sha256:1")
    onset = Onset(BEGAN, BEGAN - timedelta(seconds=2), BEGAN + timedelta(seconds=2))
    idle = Text("signals.idle.requests", {"driver": "", "busy": 4.0, "after": 0.0})
    signal = Signal(first, "goroutines", 3, 1103, onset, "steps", 2, (driver,), idle, "sha256:1")
    return replace(base, events=events, signals=(signal,))


def sections(page: tuple[Section, ...]) -> list[Section]:
    return [inner for one in page for inner in (one, *sections(one.sections))]


@pytest.mark.parametrize(
    ("lang", "share"), [("en", "92% of those that name a user agent"), ("zh", "其中 92% 来自user-agent")]
)
def test_the_time_line_is_a_table_in_order_in_every_report(lang: str, share: str) -> None:
    for page in (compose(told(), lang), incident(told(), lang)):
        found = next(one for one in sections(page.sections) if one.anchor == "timeline")
        listed = next(block for block in found.blocks if isinstance(block, Table))
        assert [row.cells[0].sort for row in listed.rows] == sorted(row.cells[0].sort or 0 for row in listed.rows)
        assert share in markdown.render(page).replace("\\", "")
        assert "<img src=x>" not in html.render(page)


def test_events_are_marked_on_the_axis_of_the_growth_and_those_outside_of_it_are_not() -> None:
    diagnosis = told()
    points = tuple(ChartPoint(at, str(at), BEGAN + timedelta(minutes=at - 1)) for at in range(5))
    marks = chart_events(Speech("en"), diagnosis, diagnosis.processes[0].id)
    drawn = plot(Chart("goroutines", "count", (Series("goroutines", points),), "", events=marks))
    assert drawn is not None
    assert [one.kind for one in drawn.events] == ["growth-began", "time-out"]
    assert all(0 <= one.x <= 100 and one.x + one.width <= 100 for one in drawn.events)
    assert len({one.row for one in drawn.events}) == 2, "what overlaps stands below each other"


def test_since_when_and_why_it_stopped_is_said_with_the_finding() -> None:
    text = markdown.render(compose(told(), "en"))
    assert "growth began at 2026-03-01 12:00:30Z" in text
    assert "stopped growing when the requests stopped" in text


def test_what_was_stored_is_read_back() -> None:
    given = told()
    again = read_back(json.loads(json.dumps(document(given))))
    assert (again.events, again.signals) == (given.events, given.signals)


def test_without_metrics_and_logs_there_is_no_such_table() -> None:
    page = compose(rich(), "en")
    blocks = [block for one in sections(page.sections) if one.anchor == "timeline" for block in one.blocks]
    assert not any(isinstance(block, Table) and block.caption for block in blocks)

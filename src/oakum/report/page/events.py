"""The time line of a diagnosis -> a table of its events in order, and the marks below a chart with the same axis."""

from collections.abc import Sequence
from datetime import datetime

from oakum.model.diagnosis import Diagnosis
from oakum.model.signals import Event
from oakum.report.page.blocks import Cell, ChartEvent, Row, Table, anchor_of_input, table
from oakum.report.page.derive import Derive
from oakum.report.page.speech import Speech, clock, ends

_ROWS_MOST = 100


def event_table(speech: Speech, diagnosis: Diagnosis, derive: Derive) -> tuple[Table, ...]:
    """Return the events, oldest first; () when none are known."""
    shown = diagnosis.events[:_ROWS_MOST]
    if not shown:
        return ()
    times = ends(one.at for one in shown)
    names = {row.id: speech.called(row) for row in diagnosis.processes}
    several = len(names) > 1
    rows = []
    for one in shown:
        number = derive.number(one.capture) if one.capture else None
        rows.append(
            Row(
                (
                    Cell(_span(one, times), one.at.timestamp()),
                    Cell(speech.word(f"signals.kind.{one.kind}")),
                    Cell(names.get(one.process, "") if several else ""),
                    Cell(speech.name(speech.say(one.text)), to=f"#{anchor_of_input(number)}" if number else ""),
                )
            )
        )
    columns = [speech.word(f"column.{name}") for name in ("when", "kind", "process", "event")]
    return (table(columns, rows, speech.word("signals.title")),)


def chart_events(speech: Speech, diagnosis: Diagnosis, process: str) -> tuple[ChartEvent, ...]:
    """Return what happened to a process, and to those that are not known, for the chart of its growth."""
    own = [one for one in diagnosis.events if one.process in (process, "")][:_ROWS_MOST]
    times = ends(one.at for one in own)
    return tuple(
        ChartEvent(one.at, one.until, f"{_span(one, times)} {speech.name(speech.say(one.text))}", one.kind)
        for one in own
    )


def _span(one: Event, others: Sequence[datetime]) -> str:
    began = clock(one.at, others)
    return f"{began} - {clock(one.until, others)}" if one.until and one.until != one.at else began

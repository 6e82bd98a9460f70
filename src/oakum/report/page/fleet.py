"""The services of a fleet in order -> a page: shared causes, services that leak, those that do not."""

from datetime import datetime

from oakum import __version__
from oakum.report.fleet import FleetPen, FleetRow, Ranking
from oakum.report.page.blocks import Block, Cell, Page, Para, Row, Section, table
from oakum.report.page.speech import Speech
from oakum.report.words import size

_HEALTHY_MOST = 2000  # rows; of more the numbers say enough


def fleet(ranking: Ranking, lang: str) -> Page:
    """Return the ranking in one language."""
    speech = Speech(lang)
    rows = [row for row in ranking.rows if row.verdict != "healthy"]
    healthy = [row for row in ranking.rows if row.verdict == "healthy"]
    verdict = rows[0].verdict if rows else "healthy"
    counts = {one: sum(row.verdict == one for row in ranking.rows) for one in ("leaking", "undecided", "healthy")}
    shared = tuple(Para(FleetPen(speech.look).shared(one)) for one in ranking.causes if len(one.services) > 1)
    sections = [
        _section(speech, "causes", "fleet.page.causes", shared),
        _section(speech, "services", "fleet.page.services", (_services(speech, rows),) if rows else ()),
        _section(speech, "healthy", "fleet.page.healthy", (_healthy(speech, healthy),) if healthy else ()),
    ]
    return Page(
        title=speech.word("fleet.page.title"),
        lang=lang,
        tone="leaking" if verdict == "leaking" else "undecided" if verdict == "undecided" else "healthy",
        badge=speech.word(f"badge.{verdict}"),
        verdict=speech.word("fleet.head", services=len(ranking.rows), **counts),
        about=(speech.word("fleet.page.until", time=_time(ranking.until)),) if ranking.until else (),
        sections=tuple(one for one in sections if one.blocks),
        foot=speech.word("page.foot", version=__version__),
    )


def _section(speech: Speech, anchor: str, key: str, blocks: tuple[Block, ...]) -> Section:
    return Section(anchor, speech.word(key), blocks)


def _services(speech: Speech, rows: list[FleetRow]) -> Block:
    names = ("service", "verdict", "place", "growth", "memory", "cost", "begin", "more")
    pen = FleetPen(speech.look)
    return table([speech.word(f"fleet.column.{name}") for name in names], [_row(speech, pen, row) for row in rows])


def _row(speech: Speech, pen: FleetPen, row: FleetRow) -> Row:
    growth = ""
    if row.kind == "goroutines":
        growth = speech.word("fleet.goroutines", count=row.goroutines_per_hour)
    more = [one for one in (pen.deployed(row), pen.who(row), pen.known(row), pen.others(row)) if one]
    return Row(
        (
            Cell(speech.name(row.service), code=True),
            Cell(speech.word(f"badge.{row.verdict}")),
            Cell(speech.name(row.place), code=True),
            Cell(growth, row.goroutines_per_hour),
            Cell(f"+{size(row.bytes_per_hour)}/h" if row.bytes_per_hour else "", row.bytes_per_hour),
            Cell(f"{row.gib_hours:,.3g}" if row.gib_hours else "", row.gib_hours),
            Cell(_time(row.begin) if row.begin else "", row.begin.timestamp() if row.begin else None),
            Cell(speech.joined(more)),
        )
    )


def _healthy(speech: Speech, rows: list[FleetRow]) -> Block:
    names = ("service", "looks", "aside")
    shown = [
        Row(
            (
                Cell(speech.name(row.service), code=True),
                Cell(f"{row.looks:,}", row.looks),
                Cell(str(row.set_aside or "")),
            )
        )
        for row in rows[:_HEALTHY_MOST]
    ]
    return table([speech.word(f"fleet.column.{name}") for name in names], shown)


def _time(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M}"

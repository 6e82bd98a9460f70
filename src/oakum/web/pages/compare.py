"""Compare: any two snapshots, of one service or of two, of one build or of two: what changed, and is the leak gone."""

from collections.abc import Sequence
from typing import Any

from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace
from starlette.responses import Response

from oakum import history
from oakum.model.sizes import size
from oakum.report.html import control_words, controls, parts
from oakum.report.page.speech import Speech
from oakum.report.page.verification import verification_page
from oakum.report.words import WORDS
from oakum.store.reader import Reader
from oakum.store.rows import RunRow
from oakum.web.comparison import Compared, Comparer, Side, Table, side_of
from oakum.web.overview import Summary
from oakum.web.rendering import time_text
from oakum.web.visit import Visit, get

_MOST_LISTED = 200  # snapshots of a service in a form
_MOST_SPREAD = 60  # of each run, where no captures are kept
_MOST_SERVICES = 2000  # names that a form suggests
_LONGEST = 4000  # characters of a side


class Choice(Struct, frozen=True):
    """A snapshot that a form offers. `name`: what tells its run from others."""

    service: str
    at: int
    run: str
    name: str
    goroutines: int | None
    kept: bool  # its captures are

    @property
    def word(self) -> str:
        return f"{self.service}@{self.at}"


async def show(visit: Visit) -> Response:
    if not visit.records.present:
        return visit.page("empty.html", title=visit.word("serve.compare"), here="compare", path=visit.settings.store)
    words = [visit.query.get(name, "")[:_LONGEST].strip() for name in ("before", "after")]
    only_before = not words[1]
    words[1] = words[1] or words[0]
    before, after = await visit.ask(lambda reader: tuple(side_of(reader, word) if word else None for word in words))
    summary = await visit.overview()
    choices = await visit.ask(lambda reader: [_choices(reader, summary, side) for side in (before, after)])
    unknown = [word for word, side in zip(words, (before, after), strict=True) if word and side is None]
    context: dict[str, Any] = {"found": None, "parts": None, "drawn": {}}
    title = visit.word("serve.compare")
    if only_before and after is not None:
        before = await visit.ask(lambda reader: _first(reader, choices[1], after))
    elif before is not None and after is not None and before.word != after.word:
        comparer: Comparer = visit.request.app.state.comparer
        found = await comparer.compare(visit.records, before, after, visit.lang)
        title = visit.word("serve.compare.title", before=_name(visit, before), after=_name(visit, after))
        context = await to_thread.run_sync(lambda: _context(visit, before, after, found))
    return visit.page(
        "compare.html",
        title=title,
        here="compare",
        words=words,
        sides=(before, after),
        choices=choices,
        services=[one.service for one in summary.services[:_MOST_SERVICES]],
        unknown=unknown,
        controls=controls(visit.lang),
        w=control_words(visit.lang),
        **context,
    )


def _first(reader: Reader, offered: Sequence[Choice], newest: Side) -> Side:
    """Return the oldest snapshot that a form offers of the run that another is of: from there to it, it grew."""
    at = min(one.at for one in offered if one.run == newest.row.run)
    row = reader.look(newest.service, newest.row.run, at)
    return replace(newest, row=row) if row is not None else newest


def _name(visit: Visit, side: Side) -> str:
    told = [side.service, *_told_apart(side.run), time_text(side.row.at)]
    return Speech(visit.lang).name(" ".join(told))


def _told_apart(run: RunRow | None) -> list[str]:
    """Return what tells a run from others of its service: a version, where it has one, else the replica."""
    if run is None:
        return []
    named = run.version if run.version not in ("", "(devel)") else run.replica
    return [named] if named else []


def _choices(reader: Reader, summary: Summary, side: Side | None) -> list[Choice]:
    """Return what the form offers of the service that was chosen: its snapshots, newest first, with their builds."""
    if side is None:
        return []
    names = {row.run: " ".join(_told_apart(row)) for row in reader.runs(side.service)}
    rows = [(row.at, row.run, row.goroutines, True) for row in reader.kept_snapshots(side.service, _MOST_LISTED)]
    if len(rows) < 2 and (one := summary.find(side.service)) is not None:
        start, end = history.micros(one.first_seen), history.micros(one.last_seen)
        spread = reader.courses(side.service, start, end, _MOST_SPREAD)
        rows += [(row["time"], row["run"], row["goroutines"], False) for row in history.records(spread)[-_MOST_LISTED:]]
    if all((at, run) != (side.row.at, side.row.run) for at, run, *_ in rows):
        rows.append((side.row.at, side.row.run, side.row.goroutines, bool(side.row.captures)))
    rows.sort(key=lambda row: (-row[0], row[1]))
    return [Choice(side.service, at, run, names.get(run, ""), count, kept) for at, run, count, kept in rows]


def _context(visit: Visit, before: Side, after: Side, found: Compared) -> dict[str, Any]:
    verified = found.verified()
    shown = parts(verification_page(verified, visit.lang), top=2) if verified is not None else None
    drawn = {name: text for one in found.figures.values() for name, text in one.blocks(visit.lang).items()}
    return {
        "found": found,
        "parts": shown,
        "drawn": drawn,
        "facts": _facts(visit, before, after),
        "tables": [_table(visit, one) for one in found.tables],
        "same_run": before.row.run == after.row.run,
    }


def _facts(visit: Visit, before: Side, after: Side) -> list[tuple[str, str, str, str]]:
    """Return label, before, after and change of what the store has of both snapshots."""
    rows: list[tuple[str, str, str, str]] = []

    def add(key: str, values: list[str], change: str = "") -> None:
        if any(values):
            rows.append((visit.word(key), values[0], values[1], change))

    runs = [side.run for side in (before, after)]
    add("serve.column.service", [before.service, after.service])
    add("serve.column.replica", [run.replica if run else "" for run in runs])
    add("serve.column.version", [run.version if run else "" for run in runs])
    add("serve.column.go", [run.go if run else "" for run in runs])
    seconds = (after.row.at - before.row.at) / 1e6
    times = [time_text(side.row.at, "%Y-%m-%d %H:%M:%S") for side in (before, after)]
    add("serve.column.time", times, visit.word("serve.compare.span", seconds=abs(seconds)))
    for key, name in (("serve.goroutines", "goroutines"), ("serve.heap", "heap_live"), ("serve.column.rss", "rss")):
        values = [getattr(side.row, name) for side in (before, after)]
        told = ["" if one is None else _amount(one, name) for one in values]
        change = "" if None in values else _signed(values[1] - values[0], name)
        add(key, told, change)
    return rows


def _amount(value: float, name: str) -> str:
    return f"{value:,.0f}" if name == "goroutines" else size(value)


def _signed(value: float, name: str) -> str:
    return f"{'+' if value > 0 else ''}{_amount(value, name)}"


def _table(visit: Visit, one: Table) -> dict[str, Any]:
    kind = "goroutines" if one.unit == "count" else "heap_live"
    return {
        "title": visit.word("serve.compare.goroutines" if one.unit == "count" else "serve.compare.heap"),
        "columns": [_column(visit, name) for name in one.columns],
        "totals": [_amount(total, kind) for total in one.totals],
        "change": _signed(one.totals[-1] - one.totals[0], kind),
        "rows": [
            {
                "name": row.name,
                "kind": row.kind,
                "amounts": [_amount(value, kind) for value in row.values],
                "sort": [*row.values, row.values[-1] - row.values[0]],
                "change": _signed(row.values[-1] - row.values[0], kind),
            }
            for row in one.rows
        ],
        "left_out": one.count - len(one.rows),
    }


def _column(visit: Visit, name: str) -> str:
    key = {"place": "column.where", "function": "column.where", "state": "column.state"}.get(name, "")
    return visit.word(key) if key in WORDS else name


ROUTES = (get("/compare", show),)

"""oakum history: what a store remembers of services. Works beside the watcher that writes it."""

import json
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from oakum.cli.access_options import DURATION, STORE, live_option
from oakum.cli.outputs import lang_option, language, page_look, write
from oakum.cli.screen import remark
from oakum.cli.stored import store_directory
from oakum.model import StoreError, Text

if TYPE_CHECKING:
    from oakum.report.history import EventHistory, IncidentHistory, Line, PlaceHistory, ServiceHistory
    from oakum.store.reader import Measure, Reader
    from oakum.store.rows import EventRow, IncidentRow

_POINTS = 24  # of a chart in a line
_GROWTH = 86_400_000_000  # growth per hour is that of the last day


@click.command(
    epilog="""Examples:

\b
  # every service: verdict, goroutines, live heap, growth, time to the limit
  oakum history --store oakum-store
  # one of them: places that grow, incidents, events
  oakum history orders --store oakum-store
  # for programs
  oakum history --store oakum-store --json

Exit codes: 0 shown, 2 usage error, 4 failed.

See also: oakum diagnose --store DIR SERVICE (the evidence that was kept), oakum store check.
""",
)
@click.argument("service", required=False)
@live_option(*STORE)
@click.option(
    "--past", type=DURATION, default="7d", show_default=True, metavar="TIME", help="How far back charts and places go."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON (schema oakum.history/1).")
@lang_option
def command(service: str | None, store: str | None, past: float, as_json: bool, lang: str | None) -> int:
    """Show what a store remembers: services, since when they grow, when they reach their limit, and incidents.

    With SERVICE also the places in its code by their growth, and what happened to it. Growth per hour is that of the
    last day, within runs: a restart is no decrease.
    """
    from oakum.report.history import History, document, render
    from oakum.store import open_reader

    directory, spoken = store_directory(store), lang or language()
    now = round(time.time() * 1e6)
    with open_reader(directory) as reader:
        services = _services(reader, service, round(past * 1e6))
        if not services:
            raise StoreError(_nothing(reader, service, str(directory)))
        newest = max(one.last_seen for one in services)
        start = _micros(newest) - round(past * 1e6)
        history = History(
            store=str(directory),
            now=max(_datetime(now), newest),
            services=tuple(services),
            incidents=tuple(_incident(row) for row in reader.incidents(service)),
            places=tuple(_places(reader, service, start)) if service else (),
            events=tuple(_event(row, spoken) for row in reader.events(service, start)) if service else (),
        )
        problems = reader.problems
    for text in problems:
        from oakum.report.words import say

        remark(say(text, spoken))
    if as_json:
        write(json.dumps(document(history), ensure_ascii=False, indent=2) + "\n", None)
    else:
        write(render(history, page_look(spoken, None), alone=service is not None), None)
    return 0


def _nothing(reader: "Reader", service: str | None, path: str) -> Text:
    names = reader.services()["service"].tolist()
    if service is None or not names:
        return Text("history.empty", {"path": path})
    return Text("history.no-service", {"path": path, "service": service, "names": ", ".join(names[:10])})


def _services(reader: "Reader", service: str | None, past: int) -> "list[ServiceHistory]":
    from oakum.report.history import ServiceHistory

    rows = _records(reader.services())
    if service is not None:
        rows = [row for row in rows if row["service"] == service]
    if not rows:
        return []
    newest = max(row["last_seen"] for row in rows)
    growth = {row["service"]: row for row in _records(reader.top(1_000_000, newest - _GROWTH))}
    incidents: dict[str, IncidentRow] = {}
    for incident in reader.incidents(service):  # newest first; an open one before those that are over
        if incident.service not in incidents or (
            incident.state == "open" and incidents[incident.service].state != "open"
        ):
            incidents[incident.service] = incident
    verdicts = _verdicts(reader, service)
    found = []
    for row in rows:
        name, start = row["service"], row["last_seen"] - past
        known, grown = incidents.get(name), growth.get(name, {})
        is_open = known is not None and known.state == "open"
        found.append(
            ServiceHistory(
                service=name,
                verdict=(known.verdict or "leaking") if known is not None and is_open else verdicts.get(name, ""),
                state=known.state if known else "",
                goroutines=_line(
                    reader, name, "goroutines", start, row["goroutines"], grown.get("goroutines_per_hour")
                ),
                heap_live=_line(reader, name, "heap_live", start, row["heap_live"], grown.get("bytes_per_hour")),
                rss=row["rss"],
                limit_bytes=row["limit_bytes"],
                **(_instants(known) if known is not None and is_open else {}),
                first_seen=_datetime(row["first_seen"]),
                last_seen=_datetime(row["last_seen"]),
                runs=row["runs"],
                running=row["running"],
                snapshots=row["snapshots"],
            )
        )
    worst = {"leaking": 0, "undecided": 1}
    return sorted(found, key=lambda one: (worst.get(one.verdict, 2), -(one.heap_live.per_hour or 0), one.service))


def _line(
    reader: "Reader", service: str, measure: "Measure", start: int, value: float | None, per_hour: float | None
) -> "Line":
    from oakum.report.history import Line

    return Line(value, per_hour, tuple(reader.spread(service, measure, start, _POINTS)))


def _verdicts(reader: "Reader", service: str | None) -> dict[str, str]:
    """Return what the newest diagnosis of each service said."""
    found: dict[str, str] = {}
    for event in reader.events(service):
        if event.kind == "diagnosis":
            found[event.service] = str(_args(event).get("verdict", ""))
    return found


def _args(event: "EventRow") -> dict[str, Any]:
    try:
        args = json.loads(event.args)
    except ValueError:
        return {}
    return args if isinstance(args, dict) else {}


def _instants(row: "IncidentRow") -> dict[str, datetime | None]:
    names = ("since", "since_low", "since_high", "limit_low", "limit_high")
    return {name: None if (at := getattr(row, name)) is None else _datetime(at) for name in names}


def _incident(row: "IncidentRow") -> "IncidentHistory":
    from oakum.report.history import IncidentHistory

    return IncidentHistory(
        incident=row.incident,
        service=row.service,
        state=row.state,
        verdict=row.verdict,
        mechanism=row.mechanism,
        function=row.function,
        file=row.file,
        line=row.line,
        opened_at=_datetime(row.opened_at),
        closed_at=_datetime(row.closed_at) if row.closed_at is not None else None,
        replicas=row.replicas,
        revision=row.revision,
        **_instants(row),
    )


def _places(reader: "Reader", service: str, start: int) -> "list[PlaceHistory]":
    from oakum.report.history import PlaceHistory

    names = ("kind", "function", "file", "line", "state", "place", "value", "per_hour")
    return [PlaceHistory(**{name: row[name] for name in names}) for row in _records(reader.growth(service, start))]


def _event(row: "EventRow", lang: str) -> "EventHistory":
    from oakum.report.history import EventHistory
    from oakum.report.words import WORDS, say

    args = {name: value for name, value in _args(row).items() if isinstance(value, str | int | float)}
    return EventHistory(_datetime(row.at), row.kind, say(Text(row.key, args), lang) if row.key in WORDS else row.kind)


def _records(columns: dict[str, Any]) -> list[dict[str, Any]]:
    """Return columns as rows of plain values; what is masked is None."""
    values: Sequence[list[Any]] = [column.tolist() for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]


def _datetime(at: int) -> datetime:
    return datetime.fromtimestamp(at / 1e6, UTC)


def _micros(at: datetime) -> int:
    return round(at.timestamp() * 1e6)

"""What a store remembers -> the values that `oakum history` prints and the pages show: services, incidents, places.

Growth per hour is that of the last day, within runs: a restart is no decrease. Nothing is decided here: verdicts are
those of the newest diagnosis, or of an open incident.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from oakum.model import Text
from oakum.report.history import EventHistory, IncidentHistory, Line, PlaceHistory, ServiceHistory
from oakum.report.words import WORDS, say, word
from oakum.store.reader import Measure, Reader
from oakum.store.rows import EventRow, IncidentRow

POINTS = 24  # of a chart in a line
DAY = 86_400_000_000  # growth per hour is that of the last day
_WORST = {"leaking": 0, "undecided": 1}


def services(reader: Reader, service: str | None, past: int) -> list[ServiceHistory]:
    """Return the services, worst first; charts go back so many microseconds. With `service` that one alone."""
    rows = records(reader.services())
    if service is not None:
        rows = [row for row in rows if row["service"] == service]
    if not rows:
        return []
    newest = max(row["last_seen"] for row in rows)
    growth = {row["service"]: row for row in records(reader.top(1_000_000, newest - DAY))}
    known = _worst_incidents(reader, service)
    verdicts = {name: str(_parsed(args).get("verdict", "")) for name, args in reader.told("diagnosis").items()}
    builds = reader.builds()
    charts = _charts(reader, rows, past) if service is None else {}
    found = []
    for row in rows:
        name, incident = row["service"], known.get(row["service"])
        grown = growth.get(name, {})
        is_open = incident is not None and incident.state == "open"
        start = row["last_seen"] - past
        lines = {
            measure: Line(
                row[measure], grown.get(per_hour), charts.get((name, measure)) or _spread(reader, name, measure, start)
            )
            for measure, per_hour in _MEASURES
        }
        found.append(
            ServiceHistory(
                service=name,
                verdict=(incident.verdict or "leaking") if incident is not None and is_open else verdicts.get(name, ""),
                state=incident.state if incident else "",
                goroutines=lines["goroutines"],
                heap_live=lines["heap_live"],
                rss=row["rss"],
                limit_bytes=row["limit_bytes"],
                **(_instants(incident) if incident is not None and is_open else {}),
                first_seen=instant(row["first_seen"]),
                last_seen=instant(row["last_seen"]),
                runs=row["runs"],
                running=row["running"],
                snapshots=row["snapshots"],
                build=builds.get(name, ""),
            )
        )
    return sorted(found, key=lambda one: (_WORST.get(one.verdict, 2), -(one.heap_live.per_hour or 0), one.service))


_MEASURES: tuple[tuple[Measure, str], ...] = (("goroutines", "goroutines_per_hour"), ("heap_live", "bytes_per_hour"))
_Points = tuple[float | None, ...]


def _spread(reader: Reader, service: str, measure: Measure, start: int) -> _Points:
    return tuple(reader.spread(service, measure, start, POINTS))


def _charts(reader: Reader, rows: Sequence[dict[str, Any]], past: int) -> dict[tuple[str, str], _Points]:
    """Return the charts of all services at once: of many, a question each would take minutes."""
    start = max(row["last_seen"] for row in rows) - past
    found: dict[tuple[str, str], list[float | None]] = {
        (row["service"], measure): [None] * POINTS for row in rows for measure, _ in _MEASURES
    }
    for row in records(reader.spreads(start, POINTS)):
        for measure, _ in _MEASURES:
            found[row["service"], measure][row["slot"]] = row[measure]
    return {key: tuple(points) for key, points in found.items()}


def _worst_incidents(reader: Reader, service: str | None) -> dict[str, IncidentRow]:
    """Return the incident of each service that counts: the newest, an open one before those that are over."""
    found: dict[str, IncidentRow] = {}
    for incident in reader.incidents(service):
        known = found.get(incident.service)
        if known is None or (incident.state == "open" and known.state != "open"):
            found[incident.service] = incident
    return found


def incidents(reader: Reader, service: str | None = None, lang: str = "en") -> list[IncidentHistory]:
    return [incident_of(row, lang) for row in reader.incidents(service)]


def incident_of(row: IncidentRow, lang: str = "en") -> IncidentHistory:
    return IncidentHistory(
        incident=row.incident,
        service=row.service,
        state=row.state,
        verdict=row.verdict,
        mechanism=row.mechanism,
        function=row.function,
        file=row.file,
        line=row.line,
        opened_at=instant(row.opened_at),
        closed_at=instant(row.closed_at) if row.closed_at is not None else None,
        replicas=row.replicas,
        revision=row.revision,
        after=after_of(row, lang),
        **_instants(row),
    )


def after_of(row: IncidentRow, lang: str) -> EventHistory | None:
    """Return the change before growth began, in words."""
    told = _parsed(row.after)
    try:
        args = json.dumps(told["args"])
        return event_of(
            EventRow(service=row.service, at=int(told["at"]), kind=str(told["kind"]), key=str(told["key"]), args=args),
            lang,
        )
    except (KeyError, TypeError, ValueError, OverflowError, OSError):  # none is known, or a store that somebody made
        return None


def places(reader: Reader, service: str, start: int, end: int = 1 << 62) -> list[PlaceHistory]:
    names = ("kind", "function", "file", "line", "state", "place", "value", "per_hour")
    return [PlaceHistory(**{name: row[name] for name in names}) for row in records(reader.growth(service, start, end))]


def event_of(row: EventRow, lang: str) -> EventHistory:
    """Return an event in words."""
    args = {name: value for name, value in args_of(row).items() if isinstance(value, str | int | float)}
    if (verdict := f"serve.verdict.{args.get('verdict')}") in WORDS:
        args["verdict"] = word(verdict, lang)
    return EventHistory(instant(row.at), row.kind, say(Text(row.key, args), lang) if row.key in WORDS else row.kind)


def args_of(row: EventRow) -> dict[str, Any]:
    return _parsed(row.args)


def records(columns: dict[str, Any]) -> list[dict[str, Any]]:
    """Return columns as rows of plain values; what is masked is None."""
    values: Sequence[list[Any]] = [column.tolist() for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]


def instant(at: int) -> datetime:
    return datetime.fromtimestamp(at / 1e6, UTC)


def micros(at: datetime) -> int:
    return round(at.timestamp() * 1e6)


def _instants(row: IncidentRow) -> dict[str, datetime | None]:
    names = ("since", "since_low", "since_high", "limit_low", "limit_high")
    return {name: None if (at := getattr(row, name)) is None else instant(at) for name in names}


def _parsed(text: str) -> dict[str, Any]:
    try:
        args = json.loads(text)
    except ValueError:
        return {}
    return args if isinstance(args, dict) else {}

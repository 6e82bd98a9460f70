"""Service: one service through time: charts, places that grow, replicas beside each other, events, two snapshots."""

from datetime import timedelta
from typing import Any
from urllib.parse import quote

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.responses import Response

from oakum import history
from oakum.report.history import IncidentHistory, PlaceHistory, ServiceHistory
from oakum.report.words import WORDS
from oakum.store.reader import Reader
from oakum.store.rows import EventRow, RunRow, SnapshotRow
from oakum.web.diagnoses import DIGEST
from oakum.web.pages.api import events_of, named, snapshot_id, window_of
from oakum.web.timeline import Window
from oakum.web.visit import Visit, get

PASTS = {"6h": 6, "1d": 24, "7d": 168, "30d": 720, "all": 0}  # hours; 0: all that is known
_USUAL = "1d"
_PLACES = 12  # of each kind; a link shows all
_EVENTS = 40
_RUNS = 20
_LOOKS = 25
_MOST_LOOKS = 400  # newest first: of a hundred replicas four each
_RUNNING = history.DAY // 24  # a run that was not seen for longer has ended


class Replica(Struct, frozen=True):
    """One run, and what it had last."""

    run: RunRow
    last: SnapshotRow | None = None
    ended: bool = False


class Told(Struct, frozen=True):
    """What a page says of a service in a window."""

    places: tuple[PlaceHistory, ...] = ()
    replicas: tuple[Replica, ...] = ()
    looks: tuple[SnapshotRow, ...] = ()
    more: bool = False  # snapshots before these
    problems: tuple[object, ...] = ()


async def show(visit: Visit) -> Response:
    one = await named(visit)
    past = visit.query.get("past", _USUAL)
    past = past if past in PASTS else _USUAL
    hours = PASTS[past]
    window = window_of(visit, one, hours * 3_600_000_000 or history.micros(one.last_seen))
    window = Window(max(window.start, history.micros(one.first_seen)), window.end)
    before = snapshot_id(visit, "before")
    told = await visit.remembered(
        ("service", one.service, window, before), lambda reader: _told(reader, one, window, before)
    )
    rows = (await events_of(visit, one, window))[-_EVENTS:]
    summary = await visit.overview()
    incidents = [found for found in summary.incidents if found.service == one.service]
    return visit.page(
        "service.html",
        title=one.service,
        here="services",
        one=one,
        told=told,
        events=[(history.event_of(row, visit.lang), _told_at(row)) for row in rows],
        incidents=incidents,
        facts=_facts(visit, one, incidents),
        mechanism=lambda name: visit.word(f"mechanism.{name}") if f"mechanism.{name}" in WORDS else name,
        window=window,
        past=past if "from" not in visit.query else "",
        pasts=PASTS,
        everything=visit.query.get("places") == "all",
        most=_PLACES,
        runs={replica.run.run: replica.run for replica in told.replicas},
        before=before,
    )


def _told_at(row: EventRow) -> str:
    """Return the address of the page that tells more of an event; "": there is none."""
    args = history.args_of(row)
    if row.kind == "diagnosis":
        digest = str(args.get("document", "")).removeprefix("sha256:")
        return f"/diagnoses/{digest}" if DIGEST.fullmatch(digest) else ""
    incident = args.get("incident")
    return f"/incidents/{quote(incident, safe='')}" if isinstance(incident, str) and incident else ""


def _told(reader: Reader, one: ServiceHistory, window: Window, before: tuple[str, int] | None) -> Told:
    name = one.service
    # The page's, and the last of each run: of what is looked at each minute these are of the last two hours.
    latest = max(window.start, (before[1] if before else window.end) - 2 * _RUNNING)
    looks = reader.looks(name, latest, window.end, _MOST_LOOKS, before)
    if len(looks) <= _LOOKS:
        looks = reader.looks(name, window.start, window.end, _MOST_LOOKS, before)
    return Told(
        places=tuple(history.places(reader, name, window.start, window.end)),
        replicas=tuple(_replicas(reader, one, looks)),
        looks=tuple(looks[:_LOOKS]),
        more=len(looks) > _LOOKS,
        problems=reader.problems,
    )


def _replicas(reader: Reader, one: ServiceHistory, looks: list[SnapshotRow]) -> list[Replica]:
    """Return the newest runs, those that still run first, each with what it had last."""
    last: dict[str, SnapshotRow] = {}
    for row in looks:
        if history.micros(one.last_seen) - row.at <= _RUNNING:
            last.setdefault(row.run, row)
    known = {run.run: run for run in reader.runs(one.service)}
    for row in last.values():  # one that nothing else is told of
        known.setdefault(row.run, RunRow(run=row.run, service=one.service, first_seen=row.at))
    running = [Replica(known[run], row) for run, row in last.items()]
    ended = [Replica(run, None, True) for run in reversed(known.values()) if run.run not in last]
    return (sorted(running, key=lambda found: found.run.replica) + ended)[:_RUNS]


def _facts(visit: Visit, one: ServiceHistory, incidents: list[IncidentHistory]) -> list[tuple[str, str]]:
    """Return the answer in a few lines: since when, until when, where."""
    facts: list[tuple[str, str]] = []
    if one.since is not None:
        told = visit.word("serve.at-ago", time=f"{one.since:%Y-%m-%d %H:%M}", span=visit.span(one.since))
        if (
            one.since_low is not None
            and one.since_high is not None
            and one.since_high - one.since_low > timedelta(minutes=1)
        ):
            told += visit.word(
                "history.between", low=f"{one.since_low:%Y-%m-%d %H:%M}", high=f"{one.since_high:%Y-%m-%d %H:%M}"
            )
        facts.append((visit.word("serve.fact.since"), told))
    if one.limit_low is not None:
        told = visit.until(one.limit_low)
        if one.limit_high is not None:
            told = visit.word("serve.fact.limit-range", low=told, high=visit.until(one.limit_high))
        facts.append((visit.word("serve.fact.limit"), told))
    open_ = next((found for found in incidents if found.state == "open" and found.function), None)
    if open_ is not None:
        where = f"{open_.file}:{open_.line}" if open_.file else ""
        facts.append((visit.word("serve.fact.place"), f"`{open_.function}` {where}".strip()))
    return facts


async def diff(visit: Visit) -> Response:
    """Show what two snapshots of a service differ in, by the places that the store knows."""
    one = await named(visit)
    before, after = (snapshot_id(visit, name) for name in ("before", "after"))
    if before is None or after is None:
        raise HTTPException(400)
    (run_a, at_a), (run_b, at_b) = sorted((before, after), key=lambda pair: pair[1])
    found = await visit.ask(lambda reader: _difference(reader, one.service, (run_a, at_a), (run_b, at_b)))
    if found is None:
        raise HTTPException(404)
    return visit.page(
        "diff.html", title=visit.word("serve.diff.title", service=one.service), here="services", one=one, **found
    )


def _difference(reader: Reader, service: str, before: tuple[str, int], after: tuple[str, int]) -> dict[str, Any] | None:
    first, second = (reader.look(service, *pair) for pair in (before, after))
    if first is None or second is None:
        return None
    names = {run.run: run for run in reader.runs(service)}
    kinds: list[tuple[str, list[dict[str, Any]]]] = []
    for kind in ("goroutines", "heap"):
        sides = [reader.places_at(service, row.run, row.at, kind) for row in (first, second)]
        keys = dict.fromkeys([*sides[1], *sides[0]])
        rows = []
        for key in keys:
            was, now = (side.get(key) for side in sides)
            known = now or was
            assert known is not None
            values = [found["value"] if found else None for found in (was, now)]
            change = (values[1] or 0) - (values[0] or 0)
            rows.append({**known, "before": values[0], "after": values[1], "change": change})
        rows.sort(key=lambda row: (-abs(row["change"]), row["function"]))
        if rows:
            kinds.append((kind, rows))
    return {"before": first, "after": second, "runs": names, "kinds": kinds}


ROUTES = (get("/services/{service}", show), get("/services/{service}/diff", diff))

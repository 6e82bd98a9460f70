"""Known bugs: the catalogue with its search, one entry, and which services carry which."""

from typing import Any

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.responses import Response

from oakum.knowledge.leaks import Leak, leaks
from oakum.knowledge.search import near, search
from oakum.model import Text
from oakum.report.carried import fixed_in, module_of, why_not_certain
from oakum.report.html import control_words, controls
from oakum.report.known import first_module
from oakum.report.page.known_bug import known_bug
from oakum.report.page.speech import Speech
from oakum.web.carriers import Carrier, Carriers, Catalogued
from oakum.web.visit import Visit, get

_MOST_ROWS = 500  # of carriers; more are counted
_LONGEST_SEARCH = 200  # characters


async def show(visit: Visit) -> Response:
    words = visit.query.get("q", "")[:_LONGEST_SEARCH].split()
    found = await _carriers(visit)
    entries = await to_thread.run_sync(lambda: search(words))
    speech = Speech(visit.lang)
    bugs = _by_bug(speech, found)
    carried = {row["id"]: row for row in bugs}
    rows = [_entry(speech, entry, carried.get(entry.id)) for entry in entries]
    return visit.page(
        "known.html",
        title=visit.word("serve.known"),
        here="known",
        rows=rows,
        near=near(words) if not rows else (),
        all=len(leaks().ids),
        found=found,
        bugs=bugs,
    )


async def show_one(visit: Visit) -> Response:
    id_ = visit.path("id")
    if id_ not in leaks().ids:
        raise HTTPException(404)
    entry = leaks().entry(id_)
    found = await _carriers(visit)
    speech = Speech(visit.lang)
    return visit.page(
        "known_bug.html",
        title=entry.id,
        here="known",
        entry=entry,
        summary=entry.summary[visit.lang],
        mechanism=_mechanism(visit, entry.mechanism),
        facts=known_bug(entry, visit.lang),
        carriers=[_carrier(speech, one) for one in found.carriers if one.bug.id == id_][:_MOST_ROWS],
        services=found.services,
        controls=controls(visit.lang),
        w=control_words(visit.lang),
        anchors=frozenset(),
        figures={},
        most=_MOST_ROWS,
        small=0,
    )


async def _carriers(visit: Visit) -> Carriers:
    catalogued: Catalogued = visit.request.app.state.catalogued
    return await catalogued.ask(visit.records)


def _by_bug(speech: Speech, found: Carriers) -> list[dict[str, Any]]:
    """Return each known bug that some service has, those that are certain and in most services first."""
    rows: dict[str, dict[str, Any]] = {}
    for one in found.carriers:
        row = rows.setdefault(one.bug.id, {**_carrier(speech, one), "services": []})
        row["certain"] |= one.bug.certain
        if one.service not in row["services"]:
            row["services"].append(one.service)
    return sorted(rows.values(), key=lambda row: (not row["certain"], -len(row["services"]), row["id"]))


def _entry(speech: Speech, entry: Leak, carried: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "id": entry.id,
        "summary": entry.summary[speech.lang],
        "module": first_module(speech, entry),
        "reviewed": entry.reviewed,
        "services": len(carried["services"]) if carried else 0,
        "sure": bool(carried and carried["certain"]),
    }


def _carrier(speech: Speech, one: Carrier) -> dict[str, Any]:
    return {
        "service": one.service,
        "replica": one.replica,
        "id": one.bug.id,
        "summary": speech.say(one.bug.summary),
        "module": module_of(one.bug),
        "certain": one.bug.certain,
        "why": "" if one.bug.certain else why_not_certain(speech, one.bug),
        "fixed": fixed_in(speech, one.bug),
    }


def _mechanism(visit: Visit, name: str) -> str:
    return visit.say(Text(f"mechanism.{name}", {}))


ROUTES = (get("/known", show), get("/known/{id}", show_one))

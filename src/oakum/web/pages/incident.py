"""An incident or a stored diagnosis: the blocks of the report, its evidence, what has changed since; its downloads."""

import re
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from anyio import to_thread
from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.responses import Response

from oakum.history import after_of
from oakum.model import Diagnosis, StoreError
from oakum.report.html import Drawing, control_words
from oakum.report.html import render as html
from oakum.report.json import document
from oakum.report.markdown import render as markdown
from oakum.report.page.compose import compose
from oakum.report.page.incident import incident as postmortem
from oakum.report.page.speech import Speech
from oakum.store import captures
from oakum.store.laying_out import lay_out
from oakum.store.reader import Reader
from oakum.store.rows import IncidentRow, SnapshotRow
from oakum.web.diagnoses import DIGEST, Became, Listed, became, compared, of_service, shown, stored
from oakum.web.excerpts import Excerpt, excerpt
from oakum.web.visit import Visit, get

_SHA = "sha256:"
_MOST_LOOKED_AT = 500  # snapshots with captures: a diagnosis is of a dozen
_CHANGED = {"bundle.tar.gz": False, "redacted.tar.gz": True}  # -> are names replaced
FORMS = {
    "report.html": "text/html; charset=utf-8",
    "report.md": "text/markdown; charset=utf-8",
    "report.json": "application/json",
    "incident.md": "text/markdown; charset=utf-8",
}


class Found(Struct, frozen=True):
    """What the store has of one diagnosis."""

    digest: str
    at: int
    diagnosis: Diagnosis
    services: tuple[str, ...]
    others: tuple[Listed, ...]
    against: Listed | None
    became: tuple[Became, ...]
    incident: IncidentRow | None = None
    page: bool = False  # the page that was written when it was found is kept
    ends: tuple[str, str] | None = None  # its first and last snapshot, as Compare names them


# What is asked of the store.


def _incident(reader: Reader, name: str, digest: str) -> Found | None:
    row = next((one for one in reader.incidents() if one.incident == name), None)
    if row is None:
        return None
    mine = [one for one in of_service(reader, row.service) if one.incident == name]
    chosen = next((one for one in mine if one.document == digest), None) if digest else next(iter(mine), None)
    if chosen is None:
        return None
    return _found(reader, chosen.document, row, mine)


def _incident_alone(reader: Reader, name: str) -> IncidentRow | None:
    return next((one for one in reader.incidents() if one.incident == name), None)


def _found(
    reader: Reader, digest: str, incident: IncidentRow | None = None, mine: Sequence[Listed] = ()
) -> Found | None:
    citing = reader.citing(digest)
    diagnosis = stored(reader, digest) if citing else None
    if diagnosis is None:
        return None
    services = tuple(dict.fromkeys(service for service, _, _ in citing))
    others = list(mine) or of_service(reader, services[0])
    against = compared(reader, services[0], digest, others)
    before = stored(reader, against.document) if against is not None else None
    changed: Sequence[Became] = ()
    if against is not None and before is not None:
        earlier = against.at <= citing[0][2]
        changed = became(before, diagnosis) if earlier else became(diagnosis, before)
    return Found(
        digest,
        citing[0][2],
        diagnosis,
        services,
        tuple(others),
        against if changed else None,
        tuple(changed),
        incident,
        incident is not None and incident.page != "" and captures.path_of(reader.directory, incident.page).exists(),
        _ends(reader, diagnosis, incident.service if incident else services[0]),
    )


def _ends(reader: Reader, diagnosis: Diagnosis, service: str) -> tuple[str, str] | None:
    """Return the first and the last kept snapshot of the newest run that a diagnosis is of; None where there is one."""
    wanted = {row.digest for row in diagnosis.inputs}
    rows = [row for row in reader.kept_snapshots(service, _MOST_LOOKED_AT) if wanted.intersection(row.captures)]
    mine = [row for row in rows if row.run == rows[0].run]
    return (f"{service}@{mine[-1].at}", f"{service}@{mine[0].at}") if len(mine) > 1 else None


# The pages.


async def show_incident(visit: Visit) -> Response:
    name = visit.path("incident")
    at = visit.query.get("at", "")
    found = await visit.ask(lambda reader: _incident(reader, name, _SHA + at if DIGEST.fullmatch(at) else ""))
    if found is not None:
        return await _page(visit, found)
    alone = await visit.ask(lambda reader: _incident_alone(reader, name))
    if alone is None:
        raise HTTPException(404)
    title = visit.word("serve.incident", id=alone.incident)
    return visit.page("incident.html", title=title, here="services", incident=alone, after=after_of(alone, visit.lang))


async def show_diagnosis(visit: Visit) -> Response:
    digest = _digest(visit)
    found = await visit.ask(lambda reader: _found(reader, digest))
    if found is None:
        raise HTTPException(404)
    return await _page(visit, found)


async def _page(visit: Visit, found: Found) -> Response:
    place = visit.records.directory

    def address(digest: str) -> str:
        kept = bool(DIGEST.fullmatch(digest.removeprefix(_SHA))) and captures.path_of(place, digest).exists()
        return f"/evidence/{digest.removeprefix(_SHA)}" if kept else ""

    base = f"/diagnoses/{found.digest.removeprefix(_SHA)}"
    context = await to_thread.run_sync(lambda: view(visit.lang, found.diagnosis, address, {}))
    return visit.page(
        "diagnosis.html",
        here="services",
        base=base,
        forms=[*FORMS, *_CHANGED] if context["evidence"] else [*FORMS],
        found=found,
        held=None,
        changes=[_row(visit, one) for one in found.became],
        after=after_of(found.incident, visit.lang) if found.incident else None,
        **context,
    )


def view(
    lang: str, diagnosis: Diagnosis, address: Callable[[str], str], figures: Mapping[str, Drawing]
) -> dict[str, Any]:
    """Return what diagnosis.html shows of a diagnosis."""
    page, parts = shown(diagnosis, lang, address, figures)
    evidence = any(address(row.digest) for row in diagnosis.inputs)
    return {"title": page.title, "parts": parts, "evidence": evidence, "w": control_words(lang)}


def _row(visit: Visit, one: Became) -> dict[str, Any]:
    speech = Speech(visit.lang)
    site = one.finding.suspect.sites[0] if one.finding.suspect.sites else None

    def amount(value: float | None) -> str:
        return visit.word("serve.against.none") if value is None else speech.amount(one.measure, value)

    change = (one.after or 0.0) - (one.before or 0.0)
    return {
        "id": one.finding.id,
        "title": speech.say(one.finding.title),
        "where": speech.short(site.frame.function) if site else "",
        "before": amount(one.before),
        "after": amount(one.after),
        "change": f"{'+' if change > 0 else ''}{speech.amount(one.measure, change)}",
        "sort": change,
        "confidence": [visit.word(f"confidence.{said}") if said else "" for said in one.confidence],
        "state": "new" if not one.confidence[0] else "gone" if not one.confidence[1] else "same",
    }


async def show_written(visit: Visit) -> Response:
    """Show the page as it was written when the incident was found, with its pictures."""
    name = visit.path("incident")

    def read(reader: Reader) -> bytes | None:
        row = _incident_alone(reader, name)
        try:
            return reader.document(row.page) if row is not None and row.page else None
        except StoreError:
            return None

    found = await visit.ask(read)
    if found is None:
        raise HTTPException(404)
    return visit.standalone(found.decode("utf-8", "replace"))


# Evidence, at the cited lines.


async def show_evidence(visit: Visit) -> Response:
    digest = _digest(visit)

    def read(reader: Reader) -> captures.Kept | None:
        try:
            return captures.read(reader.directory, digest)
        except StoreError:
            return None

    kept = await visit.ask(read)
    if kept is None:
        raise HTTPException(404)
    return await evidence_page(visit, kept)


async def evidence_page(visit: Visit, kept: captures.Kept) -> Response:
    """Return a capture as text, from the lines that are asked for on; or as a file."""
    if visit.query.get("raw"):
        return visit.download(kept.data, kept.kind, "application/octet-stream")
    wanted = {name: _number(visit.query.get(name, "")) for name in ("goroutine", "line", "from")}
    found: Excerpt | None = await to_thread.run_sync(
        lambda: excerpt(kept.data, wanted["goroutine"], wanted["line"], wanted["from"])
    )
    title = visit.word("serve.evidence", name=Speech(visit.lang).name(kept.kind))
    return visit.page(
        "evidence.html", title=title, here="services", kept=kept, found=found, w=control_words(visit.lang)
    )


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"\d{1,12}", text) else 0


# Downloads.


async def download(visit: Visit) -> Response:
    digest, name = _digest(visit), visit.path("name")
    if name in _CHANGED:
        return await _bundle(visit, digest, name)
    found = await visit.ask(lambda reader: stored(reader, digest) if reader.citing(digest) else None)
    if name not in FORMS or found is None:
        raise HTTPException(404)
    return await written(visit, found, name, {})


async def written(visit: Visit, diagnosis: Diagnosis, name: str, figures: Mapping[str, Drawing]) -> Response:
    """Return a diagnosis as a file."""
    data = await to_thread.run_sync(lambda: form_of(diagnosis, name, visit.lang, figures))
    return visit.download(data.encode("utf-8", "backslashreplace"), f"oakum-{name}", FORMS[name])


def form_of(diagnosis: Diagnosis, name: str, lang: str, figures: Mapping[str, Drawing]) -> str:
    if name == "report.json":
        return msgspec.json.format(msgspec.json.encode(document(diagnosis)), indent=2).decode() + "\n"
    if name == "incident.md":
        return markdown(postmortem(diagnosis, lang))
    page = compose(diagnosis, lang, tuple(figures))
    return html(page, document(diagnosis), figures) if name == "report.html" else markdown(page)


async def _bundle(visit: Visit, digest: str, name: str) -> Response:
    """Return the captures that a diagnosis was made of, as far as they are kept."""
    place = Path(await to_thread.run_sync(tempfile.mkdtemp))
    try:
        rows = await visit.ask(lambda reader: _laid_out(reader, digest, place / "evidence"))
        if not rows:
            raise HTTPException(404)
        return await bundled(visit, [str(place / "evidence")], place, name)
    finally:
        await to_thread.run_sync(lambda: shutil.rmtree(place, ignore_errors=True))


async def bundled(visit: Visit, files: Sequence[str], place: Path, name: str, folder: str = "") -> Response:
    """Return files as a bundle, made in a process of its own."""
    workers = visit.request.app.state.workers
    packed = place / f"oakum-{name}"
    asked = {"files": files, "folder": folder, "place": str(packed), "redacted": _CHANGED[name]}
    await workers.run("bundle", lang=visit.lang, **asked)
    data = await to_thread.run_sync(packed.read_bytes)
    return visit.download(data, packed.name, "application/gzip")


def _laid_out(reader: Reader, digest: str, place: Path) -> int:
    diagnosis = stored(reader, digest)
    if diagnosis is None:
        return 0
    wanted = {row.digest for row in diagnosis.inputs}
    services: dict[str, list[SnapshotRow]] = {}
    for service in dict.fromkeys(service for service, _, _ in reader.citing(digest)):
        if rows := [row for row in reader.snapshots(service) if wanted.intersection(row.captures)]:
            services[service] = rows
    return len(lay_out(reader, services, place)) if services else 0


def _digest(visit: Visit) -> str:
    digest = visit.path("digest")
    if not DIGEST.fullmatch(digest):
        raise HTTPException(404)
    return _SHA + digest


ROUTES = (
    get("/incidents/{incident}", show_incident),
    get("/incidents/{incident}/page", show_written),
    get("/diagnoses/{digest}", show_diagnosis),
    get("/diagnoses/{digest}/{name}", download),
    get("/evidence/{digest}", show_evidence),
)

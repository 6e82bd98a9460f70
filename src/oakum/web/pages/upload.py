"""Upload: captures in any format, diagnosed at once in a process of its own. Nothing is kept unless asked for."""

import shutil
from pathlib import Path
from typing import Any

from anyio import to_thread
from msgspec import convert
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from oakum.collect.bundle.names import safe_name, unique_name
from oakum.model import Text
from oakum.report.html import Drawing
from oakum.report.json import diagnosis as read_diagnosis
from oakum.store.adding import Added
from oakum.web.pages.incident import FORMS, bundled, evidence_page, view, written
from oakum.web.tray import Held, Tray
from oakum.web.visit import Visit, get, post
from oakum.web.workers import Workers, WorkFailed

MOST = 256 << 20  # bytes of one upload: ten dumps of a large service, packed
MOST_FILES = 100
_BUNDLES = ("bundle.tar.gz", "redacted.tar.gz")
_LONGEST_NAME = 200


async def show(visit: Visit) -> Response:
    return _form(visit)


def _form(visit: Visit, error: Text | None = None) -> Response:
    return visit.page(
        "upload.html",
        title=visit.word("serve.upload"),
        here="upload",
        status=200 if error is None else 422,
        error=error,
        most=MOST,
        most_files=MOST_FILES,
    )


async def take(visit: Visit, form: FormData) -> Response:
    files = [one for one in form.getlist("files") if isinstance(one, UploadFile) and one.filename]
    if not files:
        return _form(visit, Text("serve.upload.none"))
    tray, workers = _desk(visit)
    held = tray.claim(str(files[0].filename)[:_LONGEST_NAME])
    try:
        held.words, held.base = await _save(files, held.given), str(held.given)
        await diagnose_held(workers, held, visit.lang)
    except WorkFailed as failed:
        tray.forget(held.token)
        return _form(visit, failed.text)
    except BaseException:
        tray.forget(held.token)
        raise
    return RedirectResponse(f"/held/{held.token}", 303)


def _desk(visit: Visit) -> tuple[Tray, Workers]:
    return visit.request.app.state.tray, visit.request.app.state.workers


async def _save(files: list[UploadFile], place: Path) -> list[str]:
    """Write what was sent below names of ours; return the files in the order in which they came."""
    taken: set[str] = set()
    words: list[str] = []
    for one in files:
        path = place / unique_name(safe_name(Path(str(one.filename).replace("\\", "/")).name, "capture"), taken)
        await to_thread.run_sync(_copy, one, path)
        words.append(path.name)
    return words


def _copy(one: UploadFile, path: Path) -> None:
    with path.open("xb") as out:
        shutil.copyfileobj(one.file, out)


async def diagnose_held(workers: Workers, held: Held, lang: str) -> None:
    """Diagnose what was sent."""
    place = str(held.folder / "captures")
    found = await workers.run(
        "diagnose", files=held.words, folder=held.base, captures=place, lang=lang, called=held.words
    )
    held.document = found["document"]
    held.figures = {name: convert(one, Drawing) for name, one in found["figures"].items()}
    held.captures = found["captures"]
    held.left_out = tuple(found["left_out"])


def _held(visit: Visit) -> Held:
    held = _desk(visit)[0].get(visit.path("token"))
    if held is None or not held.document:
        raise HTTPException(404)
    return held


async def show_held(visit: Visit) -> Response:
    return await _show(visit, _held(visit))


async def _show(visit: Visit, held: Held, error: Text | None = None) -> Response:
    base = f"/held/{held.token}"

    def address(digest: str) -> str:
        return f"{base}/evidence/{digest.removeprefix('sha256:')}" if digest in held.captures else ""

    def made() -> dict[str, Any]:
        return view(visit.lang, read_diagnosis(held.document), address, held.figures)

    context = await to_thread.run_sync(made)
    return visit.page(
        "diagnosis.html",
        here="upload",
        status=200 if error is None else 422,
        base=base,
        forms=[*FORMS, *_BUNDLES] if held.words else [*FORMS],
        found=None,
        held=held,
        error=error,
        changes=[],
        **context,
    )


async def show_held_evidence(visit: Visit) -> Response:
    held, digest = _held(visit), f"sha256:{visit.path('digest')}"
    kept = await to_thread.run_sync(lambda: held.capture(digest))
    if kept is None:
        raise HTTPException(404)
    return await evidence_page(visit, kept)


async def download_held(visit: Visit) -> Response:
    held, name = _held(visit), visit.path("name")
    if name in _BUNDLES and held.words:
        place = held.folder / f"out-{name}"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(mode=0o700)
        return await bundled(visit, held.words, place, name, held.base)
    if name not in FORMS:
        raise HTTPException(404)
    return await written(visit, read_diagnosis(held.document), name, held.figures)


async def keep(visit: Visit, form: FormData) -> Response:
    """Add what was sent to the store, as `oakum store add` does."""
    held = _held(visit)
    if not held.words:
        raise HTTPException(404)
    service = str(form.get("service", ""))[:_LONGEST_NAME].strip()
    workers = _desk(visit)[1]
    try:
        answer = await workers.run(
            "keep",
            files=[*held.words, held.saved()],
            folder=held.base,
            store=str(visit.records.directory.absolute()),
            service=service,
            lang=visit.lang,
        )
    except WorkFailed as failed:
        return await _show(visit, held, failed.text)
    added = convert(answer, Added)
    return visit.page("kept.html", title=visit.word("serve.held.kept"), here="upload", added=added)


async def discard(visit: Visit, form: FormData) -> Response:
    del form
    _desk(visit)[0].forget(visit.path("token"))
    return RedirectResponse("/upload", 303)


ROUTES = (
    get("/upload", show),
    post("/upload", take, most=MOST, most_files=MOST_FILES),
    get("/held/{token}", show_held),
    get("/held/{token}/evidence/{digest}", show_held_evidence),
    post("/held/{token}/keep", keep),
    post("/held/{token}/discard", discard),
    get("/held/{token}/{name}", download_held),
)

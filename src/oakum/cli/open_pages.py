"""A diagnosis in the browser: a server on a free port of this machine, until Ctrl-C. Nothing of it is kept."""

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oakum.cli.screen import remark
from oakum.collect.programs import Started, find_program
from oakum.model import OakumError

if TYPE_CHECKING:
    from oakum.model import Diagnosis
    from oakum.report.html.drawing import Drawing
    from oakum.web.tray import Held

_MOST = 512 << 20  # bytes of captures that are shown; the report itself has its excerpts
_STORE = "oakum-store"


def open_diagnosis(
    diagnosis: "Diagnosis", figures: "Mapping[str, Drawing]", evidence: Sequence[str], lang: str, store: str | None
) -> None:
    """Show a diagnosis until the server is ended; raise OakumError where what serves it is not installed."""
    try:
        from oakum.web.log import ServerLog
        from oakum.web.server import Server
        from oakum.web.settings import Settings
        from oakum.web.tray import Tray
    except ImportError as error:
        raise OakumError(
            f"--open needs what `pip install 'oakum[serve]'` installs ({error.name or error} is missing)"
        ) from error
    from oakum.report.json import document
    from oakum.report.page.headline import subject
    from oakum.report.page.speech import Speech
    from oakum.report.words import word

    tray = Tray()
    held = tray.claim(subject(Speech(lang), diagnosis), lasting=True)
    held.document, held.figures = document(diagnosis), dict(figures)
    held.words = [str(Path(one).absolute()) for one in evidence if Path(one).exists()]
    _keep_captures(held, evidence)
    place = Path(store or os.environ.get("OAKUM_STORE") or _STORE)
    server = Server(Settings(store=place, lang=lang), ServerLog(), tray=tray)
    address = f"{server.url}held/{held.token}"
    click.echo(word("open.at", lang, address=address))
    remark(word("open.until", lang))
    open_browser(address)
    try:
        with suppress(KeyboardInterrupt):
            server.run()
    finally:
        tray.close()


def _keep_captures(held: "Held", evidence: Sequence[str]) -> None:
    """Lay the captures apart, by their digests, as far as they are not too many."""
    from oakum.collect.files import gather

    place = held.folder / "captures"
    place.mkdir(mode=0o700)
    wanted = {row["digest"] for row in held.document["inputs"]}
    left = _MOST
    with suppress(OakumError, OSError):  # what has gone since is not shown
        for capture in gather(evidence, lambda _: None):
            size = len(capture.data)
            if capture.digest not in wanted or capture.digest in held.captures or size > left:
                continue
            left -= size
            (place / capture.digest.removeprefix("sha256:")).write_bytes(capture.data)
            held.captures[capture.digest] = Path(capture.origin).name


def open_browser(address: str) -> None:
    """Show an address in the user's browser, where there is a screen; who has none has read the address."""
    if sys.platform == "win32":
        os.startfile(address)
        return
    if sys.platform == "darwin":
        name = "open"
    elif os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        name = "xdg-open"
    else:
        return
    program = find_program(name)
    if program is not None:
        with suppress(OSError), Path(os.devnull).open("wb") as nothing:
            Started([program, address], nothing)

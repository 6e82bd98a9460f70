"""A diagnosis -> what was asked for: files, each in the format that its ending names, and what goes to stdout.

Names are looked at before anything is read, files are written when everything is there: whole, then renamed.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from oakum.cli.options import spare_inputs
from oakum.cli.screen import colourful, columns_of, remark, safe, styled, width
from oakum.model.errors import OakumError, UsageError
from oakum.model.sizes import size

if TYPE_CHECKING:
    from oakum.model import Diagnosis
    from oakum.report.html.drawing import Drawing
    from oakum.report.page.blocks import Page
    from oakum.report.pen import Look

FORMATS = {
    ".txt": "text",
    ".json": "json",
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".sarif": "sarif",
    ".xml": "junit",
}
Figures = Callable[[], "Mapping[str, Drawing]"]

output_option = click.option(
    "-o",
    "--output",
    multiple=True,
    metavar="FILE",
    help="Write to FILE instead of stdout; the extension sets the format: .html, .md, .json, .txt, .sarif, .xml "
    "(JUnit). Repeatable.",
)
incident_option = click.option(
    "--incident", is_flag=True, help="Write an incident report: symptoms, investigation, root cause, fix, verification."
)
lang_option = click.option(
    "--lang", type=click.Choice(("en", "zh")), help="Language of the report; default: the locale's."
)


class Output(Struct, frozen=True):
    """One thing to write: where to, and as what."""

    name: str  # a path as given; "-": stdout
    form: str


class Manner(Struct, frozen=True):
    lang: str
    incident: bool = False  # as the report of an incident, where people read it
    kept: str = ""  # the file in which the diagnosis lies as data, which pages name; "": none that is known


def wanted(names: Sequence[str], *, as_json: bool, inputs: Sequence[str]) -> tuple[Output, ...]:
    """Return what is to be written; raise for a name that cannot be written to, or that is one of the inputs."""
    found: dict[str, Output] = {}
    for name in names:
        output = Output("-", "json" if as_json else "text") if name == "-" else Output(name, _form(name))
        place = name if name == "-" else os.path.realpath(name)
        if place in found:
            raise UsageError(f"-o {name}: given twice")
        found[place] = output
        if name != "-":
            _check(name)
    spare_inputs(names, inputs)
    if not found or (as_json and "json" not in {one.form for one in found.values()} and "-" not in found):
        found["-"] = Output("-", "json" if as_json else "text")
    return tuple(found.values())


def _form(name: str) -> str:
    ending = Path(name).suffix.lower()
    if ending in FORMATS:
        return FORMATS[ending]
    if _is_stream(Path(name)):
        return "text"
    if not name:
        raise UsageError("-o: the name is empty; is a shell variable unset?")
    _check(name)  # a directory that has no ending is told to be one
    raise UsageError(
        f"-o {name}: the extension sets the format; {f'{ending} is unknown' if ending else 'there is none'}, use "
        f"{', '.join(FORMATS)}"
    )


def _is_stream(path: Path) -> bool:
    """Tell whether a path is a pipe, a terminal or another device, which is written to and never replaced."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _check(name: str) -> None:
    """Raise when a file cannot be written there, before anybody waits for a diagnosis."""
    path = Path(name)
    try:
        if path.is_dir():
            raise UsageError(f"-o {name}: this is a directory; name a file in it")
        if not path.parent.is_dir():
            raise UsageError(f"-o {name}: no such directory {path.parent}; create it: mkdir -p {path.parent}")
        if not os.access(path.parent, os.W_OK) and not _is_stream(path):
            raise UsageError(f"-o {name}: {path.parent} is not writable; name another directory")
    except (OSError, ValueError) as error:  # a name that is too long, or has a NUL in it
        raise UsageError(f"-o {name}: {getattr(error, 'strerror', None) or error}") from error


def produce(diagnosis: "Diagnosis", outputs: Sequence[Output], manner: Manner, figures: Figures = dict) -> None:
    """Write a diagnosis to all that was asked for; what stdout gets comes last, remarks on files before it.

    `figures` makes the pictures of a page; it is called only when a page is written.
    """
    spare_inputs(
        [one.name for one in outputs], [row.origin for row in diagnosis.inputs if row.kind not in ("unknown", "unread")]
    )
    from oakum.report.json import diagnosis as stored
    from oakum.report.json import document
    from oakum.report.words import word

    data = document(diagnosis)
    diagnosis = stored(data)  # every format says what is stored, to the digit
    made = [
        (one, rendered(diagnosis, one, replace(manner, kept=_kept(one, outputs, data) or manner.kept), figures))
        for one in outputs
    ]
    for output, text in sorted(made, key=lambda pair: pair[0].name == "-"):
        write(text, output.name)
        if output.name != "-":
            key = "written.page" if output.form == "html" else "written"
            amount = size(len(text.encode("utf-8", "backslashreplace")))
            remark(word(key, manner.lang, name=output.name, size=amount))


def _kept(output: Output, outputs: Sequence[Output], data: Mapping[str, Any]) -> str:
    """Return the file of this run that holds the diagnosis as data: JSON before a page, which may be too full."""
    files = [one for one in outputs if one.name != "-" and not _is_stream(Path(one.name))]
    kept = [one.name for one in files if one.form == "json"]
    if pages := [one.name for one in sorted(files, key=lambda one: one != output) if one.form == "html"]:
        from oakum.report.html import carries

        kept += pages if not kept and carries(data) else []
    return next(iter(kept), "")


def rendered(diagnosis: "Diagnosis", output: Output, manner: Manner, figures: Figures = dict) -> str:
    """Return a diagnosis in one format."""
    if output.form in ("json", "sarif"):
        return json.dumps(_data(diagnosis, output.form, manner.lang), indent=2, ensure_ascii=False) + "\n"
    if output.form == "junit":
        from oakum.report.junit import render as junit

        return junit(diagnosis, manner.lang)
    if output.form == "html":
        return html(diagnosis, manner, figures)
    if output.form == "markdown" or manner.incident:
        from oakum.report.markdown import render as markdown

        return markdown(_page(diagnosis, manner))
    from oakum.report.terminal import render

    return render(_page(diagnosis, manner), page_look(manner.lang, output.name))


def html(diagnosis: "Diagnosis", manner: Manner, figures: Figures) -> str:
    """Return the page that carries its diagnosis."""
    from oakum.report.html import render
    from oakum.report.json import document

    drawn = {} if manner.incident else figures()
    return render(_page(diagnosis, manner, tuple(drawn)), document(diagnosis), drawn)


def _data(diagnosis: "Diagnosis", form: str, lang: str) -> dict[str, Any]:
    if form == "sarif":
        from oakum.report.findings_sarif import document as sarif

        return sarif(diagnosis, lang)
    from oakum.report.json import document

    return document(diagnosis)


def _page(diagnosis: "Diagnosis", manner: Manner, figures: Sequence[str] = ()) -> "Page":
    if manner.incident:
        from oakum.report.page.incident import incident

        return incident(diagnosis, manner.lang, manner.kept)
    from oakum.report.page.compose import compose

    return compose(diagnosis, manner.lang, figures, manner.kept)


def language() -> str:
    """Return the language of the locale, as the C library chooses it."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def page_look(lang: str, output: str | None) -> "Look":
    """Return how a page is dressed: for a file plainly, for the screen as it can."""
    from oakum.report.pen import Look

    if output and output != "-":
        return Look(None, lang, lambda text, *_: text, safe, columns_of)
    dressed = styled if colourful() else lambda text, *_: text
    return Look(width(), lang, dressed, safe, columns_of, _glyphs())


def _glyphs() -> bool:
    try:
        "→█•…▶◀".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def write(text: str, output: str | None) -> None:
    """Write a report to a file, whole or not at all, or to stdout."""
    if output is None or output == "-":
        click.echo(text, nl=False, color=True)
        return
    # A name that is no Unicode keeps its bytes visible, in JSON as an escape.
    data = text.encode("utf-8", "backslashreplace")
    path = Path(os.path.realpath(output))  # what a link leads to is written, the link stays
    part = path.with_name(f".oakum-{os.getpid()}.part")
    try:
        if _is_stream(path):
            path.write_bytes(data)
            return
        try:
            part.write_bytes(data)
            if path.exists():
                part.chmod(path.stat().st_mode & 0o7777)
            part.replace(path)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
    except FileNotFoundError as error:
        raise UsageError(f"-o {output}: no such directory {path.parent}") from error
    except OSError as error:
        raise OakumError(f"-o {output}: cannot be written: {error.strerror or error}") from error

"""A page -> one HTML file: nothing loads from a network, all content stands in it without scripts, below 2 MB.

Comes in: a `Page`, the JSON contract to carry along, pictures that others drew. Everything in them may come from
evidence: it is escaped here, and the page's policy runs nothing but the scripts whose hashes it carries.
"""

import base64
import json
import re
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Any

from msgspec import Struct

from oakum import __version__
from oakum.report.html.chain import layers
from oakum.report.html.chart import SMALL, plot
from oakum.report.html.drawing import Drawing
from oakum.report.html.embedded import BEGIN, END, KEPT
from oakum.report.html.fit import STEPS, Limits, fitted
from oakum.report.html.text import anchor_id, anchors_of, claims_of, clean, href, lines, prose, tail
from oakum.report.html.waterfall import bars
from oakum.report.page.blocks import Cell, Page
from oakum.report.page.speech import Speech
from oakum.report.words import LANGUAGES, WORDS, size

MOST_BYTES = 1_950_000  # of the whole file: mail and chat still take it
_MOST_DOCUMENT = 900_000  # of them for the JSON; a longer one is left out, and that is said
_WORD_MOST = 24  # characters of a name that stands on one line: a state, a snapshot
_SCRIPTED = ("copied", "copy-failed", "found", "found-none")  # words that the script says
# "<" cannot begin a tag or a comment, ">" and "&" cannot end one; U+2028 and U+2029 end a line in old scripts.
_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def render(page: Page, document: Mapping[str, Any] | None = None, figures: Mapping[str, Drawing] | None = None) -> str:
    """Return the file. The document is what `embedded.embedded` finds in it again; too long a one is left out."""
    figures = figures or {}
    carried, left_out = _carried(document)
    spoken = _spoken(page)
    for limits in STEPS:
        text = _written(fitted(page, limits, spoken), limits, carried, left_out, figures, spoken)
        if len(text.encode("utf-8", "replace")) <= MOST_BYTES:
            break
    return text


class Parts(Struct, frozen=True):
    """Markup of a page for a page around it, which loads styles and scripts as files: none of it is either."""

    contents: str
    content: str
    controls: str
    data: Mapping[str, str]  # id of a block -> JSON without markup


def parts(
    page: Page,
    figures: Mapping[str, Drawing] | None = None,
    addresses: frozenset[str] = frozenset(),
    top: int = 1,
) -> Parts:
    """Return a page in parts: what a server puts into pages of its own. `addresses`: its pages that links lead to;
    `top`: the level of the verdict's heading."""
    figures, spoken = figures or {}, _spoken(page)
    page = fitted(page, STEPS[0], spoken)
    values = _values(page, STEPS[0], figures, spoken)
    values |= {"anchors": anchors_of(page) | addresses, "top": top}
    data = {name: text for drawing in figures.values() for name, text in drawing.blocks(page.lang).items()}
    contents, content = (_template(f"{name}.html").render(values) for name in ("contents", "content"))
    return Parts(contents, content, controls(page.lang), data)


def controls(lang: str) -> str:
    """Return the markup of what report.js says and shows."""
    spoken = control_words(lang)
    return str(_template("controls.html").render(w=spoken, words_json=_words_json(spoken)))


def carries(document: Mapping[str, Any]) -> bool:
    return not _carried(document)[1]


def _carried(document: Mapping[str, Any] | None) -> tuple[str, bool]:
    """Return the document as it is carried along, and whether it is too long for that."""
    if document is None:
        return "", False
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False)
    if len(text) <= _MOST_DOCUMENT:  # escaping a hundred megabytes takes seconds
        text = text.translate(_ESCAPES)
        if len(text.encode("utf-8", "replace")) <= _MOST_DOCUMENT:
            return text, False
    return "", True


def _spoken(page: Page) -> dict[str, str]:
    """Return the words of the page's own controls, in its language."""
    words = control_words(page.lang)
    if page.kept:
        name = Speech(page.lang).name(page.kept).replace("`", "'")
        words |= {key: words[f"{key}-kept"].replace("{file}", name) for key in ("left-out", "no-document")}
    return words


def control_words(lang: str) -> dict[str, str]:
    """Return the words of controls that templates name `w`."""
    at = LANGUAGES.index(lang) if lang in LANGUAGES else 0
    return {key.removeprefix("control."): both[at] for key, both in WORDS.items() if key.startswith("control.")}


def _words_json(spoken: Mapping[str, str]) -> str:
    return json.dumps({key: spoken[key] for key in _SCRIPTED}, ensure_ascii=False).translate(_ESCAPES)


def _written(
    page: Page, limits: Limits, document: str, left_out: bool, figures: Mapping[str, Drawing], spoken: Mapping[str, str]
) -> str:
    # Two pictures of one kind share their style and their script.
    styles = [*dict.fromkeys(drawing.style for drawing in figures.values()), _asset("report.css")]
    early = _asset("early.js")
    scripts = [*dict.fromkeys(drawing.script for drawing in figures.values()), _asset("report.js")]
    policy = (
        f"default-src 'none'; script-src {_hashes([early, *scripts])}; style-src {_hashes(styles)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    text: str = _template("report.html").render(
        _values(page, limits, figures, spoken),
        document=document,
        document_left_out=left_out,
        kept_name=KEPT,
        begin=BEGIN,
        end=END,
        styles=styles,
        early=early,
        scripts=scripts,
        policy=policy,
        version=__version__,
    )
    return text


def _values(page: Page, limits: Limits, figures: Mapping[str, Drawing], spoken: Mapping[str, str]) -> dict[str, object]:
    """Return what the templates of a page's parts need."""
    return {
        "page": page,
        "most": limits.rows,
        "w": spoken,
        "anchors": anchors_of(page),
        "claim_ids": claims_of(page),
        "figures": figures,
        "words_json": _words_json(spoken),
        "top": 1,
        "small": SMALL,
    }


def _template(name: str) -> Any:
    return _environment().get_template(name)


@cache
def _environment() -> Any:
    """Return the Jinja environment of pages: what a template writes is escaped and made visible."""
    import jinja2  # here, because most commands write no page

    made = jinja2.Environment(
        loader=jinja2.PackageLoader("oakum.report.html", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    furnish(made)
    return made


def furnish(environment: Any) -> None:
    """Give an environment of Jinja what templates/blocks.html uses."""
    environment.finalize = clean
    environment.filters |= {"prose": prose, "lines": lines, "size": size, "id": anchor_id, "kind": _kind, "tail": tail}
    environment.globals |= {"href": href, "plot": plot, "bars": bars, "layers": layers, "identity": id}
    environment.tests |= {"a": lambda block, name: type(block).__name__ == name}


def _kind(cell: Cell) -> str:
    """Return how a cell is set: a number to the right; a time, a word, a digest on one line; a name broken anywhere."""
    if re.fullmatch(r"[-+−]?[\d.,]+(\s?[\w%/]{1,4})?", cell.text) and cell.sort is not None:
        return "number"
    if re.fullmatch(r"[0-9a-f]{64}", cell.text):
        return "digest"
    if cell.code:
        return "name" if len(cell.text) > _WORD_MOST else "word"
    return "time" if cell.sort is not None and ":" in cell.text else ""


def _asset(name: str) -> str:
    return resources.files("oakum.report.html").joinpath("assets", name).read_text(encoding="utf-8")


def _hashes(texts: list[str]) -> str:
    return " ".join(f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'" for text in texts)


__all__ = ["MOST_BYTES", "Drawing", "Parts", "carries", "control_words", "controls", "furnish", "parts", "render"]

"""Text of evidence -> text that is safe to show: nothing invisible, nothing endless, links that lead somewhere."""

import re
from collections.abc import Iterable
from typing import Any

from oakum.report.page.blocks import Claims, Page, Section, Table, walk

_LONG_PATH = 48  # characters that stand beside a sentence without breaking
_LONGEST = 2000  # characters of one name or sentence; Go's longest real names are a tenth of it
# What a browser would not show or would obey: controls, marks that turn the direction of writing, invisible joiners,
# ends of lines, halves of characters.
_UNSEEN = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)


def shown(text: str) -> str:
    """Return the text with what cannot be seen written as an escape, cut where it is endless."""
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]} … (+{len(text) - _LONGEST:,}) … {text[-_LONGEST // 2 :]}"
    return _UNSEEN.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    if char == "\n":
        return "\\n"
    return f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}"


def clean(value: Any) -> Any:  # jinja2's finalize: every value that a template writes passes here
    """Return a value as it may be written: text made safe to show, markup of ours as it is."""
    return shown(value) if type(value) is str else value


def lines(text: str, most: int = 400) -> list[str]:
    """Return the lines of a block of text, each to be made safe on its own; of too many, the first ones."""
    found = text.split("\n")
    while found and not found[-1].strip():
        found.pop()
    return found if len(found) <= most else [*found[:most], f"… (+{len(found) - most:,})"]


def prose(text: str) -> Any:
    """Return a sentence as markup: what stands between backticks is code."""
    from markupsafe import Markup

    parts = shown(text).split("`")
    if len(parts) % 2 == 0:  # a lone backtick is itself
        parts[-2:] = [f"{parts[-2]}`{parts[-1]}"]
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if at % 2 else part for at, part in enumerate(parts) if part
    )


def tail(path: str) -> str:
    """Return the end of a long path, which tells it from others; the list of captures has all of it."""
    last = "/".join(path.rsplit("/", 2)[1:])
    return f"…/{last}" if len(path) > _LONG_PATH and last and len(last) < len(path) - 2 else path


def anchor_id(anchor: str) -> str:
    """Return an anchor as an id may be written."""
    return re.sub(r"[^\w.:-]", "-", anchor.removeprefix("#"), flags=re.ASCII)[:200]


def anchors_of(page: Page) -> frozenset[str]:
    """Return what can be linked to in a page."""
    found: set[str] = set()

    def visit(sections: Iterable[Section]) -> None:
        for section in sections:
            found.add(anchor_id(section.anchor))
            for block in walk(section.blocks):
                if isinstance(block, Table):
                    found.update(anchor_id(row.anchor) for row in block.rows if row.anchor)
            visit(section.sections)

    visit(page.sections)
    return frozenset(found)


def claims_of(page: Page) -> dict[int, str]:
    """Return the id of each claim, by its identity: its number in the part that it stands in."""
    found: dict[int, str] = {}

    def visit(sections: Iterable[Section]) -> None:
        for section in sections:
            lists = [block for block in walk(section.blocks) if isinstance(block, Claims)]
            for number, claim in enumerate((claim for block in lists for claim in block.claims), 1):
                found.setdefault(id(claim), f"{anchor_id(section.anchor)}.{number}")
            visit(section.sections)

    visit(page.sections)
    return found


def href(to: str, anchors: frozenset[str]) -> str:
    """Return the address of a link; "" where it must not be one: it leads nowhere on this page, or not by HTTP.

    A server's own addresses are among the anchors.
    """
    if to.startswith("/"):
        return to if to in anchors else ""
    if re.fullmatch(r"https?://[^\s\x00-\x20\"'<>\\]+", to):
        return to if len(to) <= _LONGEST else ""
    name = anchor_id(to)
    return f"#{name}" if name and name in anchors else ""

"""Pages that quote goroutines to explain something, told from pages into which somebody pasted a dump.

Comes in: an unwrapped text and the goroutines read in it. Goes out: the same readings, a quotation with the note
"quoted". Looks at pages alone: Markdown with fenced code, HTML. Decides by what is in them, never by a name.
"""

from types import MappingProxyType

from msgspec.structs import replace

from oakum.model import Buffer, GoroutineGroup, Reading
from oakum.regex import regex

_LONGEST = 1 << 20  # bytes of a page that people write; what is longer holds a dump or a log
_LONGEST_BLANK = 4096  # before the first tag of a page
# Who asks for help pastes the dump, which is most of the page; who explains quotes a few lines among many of their own.
_LEAST_SHARE = 4  # a pasted dump is at least one line in four
# ```        ~~~text        <three blanks>```go        <!DOCTYPE html>        <html lang="en">
_PAGE = regex(rb"(?im)^ {0,3}(?:```|~~~)|\A\s*+<(?:!doctype html|html)\b")


def marked(text: Buffer, wrapping: tuple[str, ...], readings: list[Reading]) -> list[Reading]:
    """Return the readings, those of them marked that a page only quotes."""
    if len(text) > _LONGEST or not any(reading.goroutines for reading in readings):
        return readings
    page = bytes(text)
    # The expression is asked of few: a dump has neither a fence nor a tag at its start.
    maybe = b"```" in page or b"~~~" in page or page[:_LONGEST_BLANK].lstrip().startswith(b"<")
    if "html" not in wrapping and not (maybe and _PAGE.search(page)):
        return readings
    lines = sum(1 for line in page.splitlines() if line.strip())
    return [_quotation(reading) if _is_quoted(reading, page, lines) else reading for reading in readings]


def _is_quoted(reading: Reading, page: bytes, lines: int) -> bool:
    """Tell whether these goroutines are some of a dump, and little of the page."""
    found = reading.goroutines
    if found is None or reading.format != "debug2":
        return False
    framed = [group for group in found.groups if group.stack.frames]
    if framed and (reading.notes.get("reason") or any(map(_is_of_every_dump, framed))):
        return False
    own = sum(page.count(b"\n", start, end) + 1 for group in framed for start, end in group.spans.tolist())
    return own * _LEAST_SHARE < lines


def _is_of_every_dump(group: GoroutineGroup) -> bool:
    """Tell whether it is main's goroutine, or the one that printed the dump: Go leaves neither out."""
    return group.state == "running" or 1 in group.ids.tolist()


def _quotation(reading: Reading) -> Reading:
    return replace(reading, notes=MappingProxyType({**reading.notes, "quoted": "a page quotes it"}))

"""What `oakum scan` found -> a page for a terminal or a pipe, and the JSON document that programs read.

The page has each flaw with file:line first, as terminals and editors take it, then the known bugs of builds. The
document is schema oakum.scan/1, additive changes only; the same tree gives the same document, to the byte.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from oakum import __version__
from oakum.model import CauseSite, Flaw, Problem, Scan
from oakum.report.carried import carried_lines, documents, summary_parts
from oakum.report.json import cause_document, remedy_document
from oakum.report.page.blocks import Block, Para, Place
from oakum.report.page.source import cause_blocks
from oakum.report.page.speech import Speech
from oakum.report.page.todo import remedy_blocks
from oakum.report.pen import Look, Pen
from oakum.report.terminal import BlockPen
from oakum.report.words import WORDS, say, word

SCHEMA = "oakum.scan/1"
_MARGIN = 3
_REMARKS = ("bare-ignore", "direct-only", "no-modules", "replaced")  # problems of files that were read to their end


def render(found: Scan, look: Look, seconds: float) -> str:
    """Return the whole page: flaws, known bugs of what is built, then what sums up."""
    pen = BlockPen(look, _MARGIN)
    lines = [line for flaw in found.flaws for line in (*_flaw(pen, Speech(look.lang), flaw), "")]
    lines += carried_lines(pen, found)
    return "\n".join([*lines, _summary(pen, found, seconds)]) + "\n"


def title(mechanism: str, lang: str = "en") -> str:
    """Return a mechanism's title; its name when a later version brought it."""
    key = f"mechanism.{mechanism}"
    return word(key, lang) if key in WORDS else mechanism


def _flaw(pen: BlockPen, speech: Speech, flaw: Flaw) -> Iterator[str]:
    place = pen.look.safe(f"{flaw.place.file}:{flaw.place.line}")
    yield f"{pen.look.styled(place, 'bold', 'cyan')}: {pen.look.styled(pen.look.safe(flaw.mechanism), 'bold', 'red')}"
    told = pen.look.safe(title(flaw.mechanism, pen.look.lang))
    yield from (pen.look.styled(line, "bold") for line in pen.wrapped(told, _MARGIN))
    shown = cause_blocks(speech, flaw.cause, (), partial(_place, speech), partial(_more, speech))
    yield from pen.blocks([Para(speech.saying(flaw.cause.because)), *shown], _MARGIN)
    for remedy in flaw.remedies:
        yield ""
        yield from pen.blocks(remedy_blocks(speech, remedy, kind=True), _MARGIN)


def _place(speech: Speech, one: CauseSite, facts: Sequence[str]) -> Place:
    return Place(speech.name(one.frame.function), speech.name(one.frame.file), one.frame.line, speech.comma.join(facts))


def _more(speech: Speech, count: int) -> list[Block]:
    return [Para(speech.word("page.more", count=count), quiet=True)] if count > 0 else []


def _summary(pen: Pen, found: Scan, seconds: float) -> str:
    sure = len({row.id for row in found.carried if row.mendable})
    first = [pen.word("scan.found", count=len(found.flaws))] if found.flaws else []
    first += [pen.word("known.carries", count=sure)] if sure else []
    rest = []
    if found.files:
        rest.append(pen.word("scan.read", files=found.files, packages=found.packages, seconds=seconds))
    if found.ignored:
        rest.append(pen.word("scan.ignored", count=len(found.ignored)))
    rest += summary_parts(pen, found)
    if not found.files:
        rest[-1:] = [pen.comma.join((*rest[-1:], pen.word("known.seconds", seconds=seconds)))]
    if unread := sum(one.key not in _REMARKS for one in found.problems):
        rest.append(pen.word("scan.problems", count=unread))
    told = pen.comma.join(first) or pen.word("known.nothing-sure" if found.carried else "scan.found-none")
    colour = "red" if found.flaws or sure else "magenta" if found.carried else "green"
    lines = pen.wrapped(f"{told}{pen.colon}{pen.stop.join(rest)}", 0)
    lines[0] = lines[0].replace(told, pen.look.styled(told, "bold", colour), 1)
    return "\n".join(lines)


def document(found: Scan) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "tool": __version__,
        "roots": list(found.roots),
        "files": found.files,
        "packages": found.packages,
        "flaws": [_document(flaw) for flaw in found.flaws],
        "ignored": [_document(flaw) | {"reason": flaw.ignored} for flaw in found.ignored],
        "problems": [_problem(one) for one in found.problems],
        **documents(found),
    }


def _document(flaw: Flaw) -> dict[str, Any]:
    return {
        "id": flaw.id,
        "mechanism": flaw.mechanism,
        "title": title(flaw.mechanism),
        "function": flaw.place.function,
        "file": flaw.place.file,
        "line": flaw.place.line,
        "cause": cause_document(flaw.cause),
        "remedies": [remedy_document(one) for one in flaw.remedies],
    }


def _problem(one: Problem) -> dict[str, str]:
    return {"key": one.key, "text": say(one.text), "where": one.where}

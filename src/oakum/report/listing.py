"""A finding and the source of its places -> whole functions, the decisive lines marked, who stands where in the margin.

The source is handed in; where it is not to be had, the excerpts that the finding carries are shown. A function that is
very long is shown about its marks.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from oakum.model import Excerpt, Finding, Frame, SourceNotFound, SourceText, Text
from oakum.report.advice import remedies
from oakum.report.code import Row, code
from oakum.report.page.source import role
from oakum.report.page.speech import Speech
from oakum.report.page.todo import lead_blocks, remedy_blocks
from oakum.report.pen import Pen
from oakum.report.terminal import BlockPen
from oakum.report.words import WORDS
from oakum.report.words.phrases import in_chinese

_WHOLE_MOST = 120  # lines of a function; of a longer one those about its marks are shown
_AROUND = 8
_COMMENT_MOST = 12  # lines above a function that belong to it
_FILES_MOST = 40
_INDENT = 5  # of source

# func Run(   func (r *Reflector) Run(   type Desk struct {   var (   const x = 1        declarations begin a line
_DECLARATION = re.compile(r"func (?:\([^)]*\) )?(\w+)[\[(]|(?:type|var|const) (?:\(|\w)")
# }   )   })   what ends one, also at the beginning of a line; but not `) (Answer, error) {`
_END = re.compile(r"[})](?!.*\{\s*$)")


class Spot(Struct, frozen=True):
    """A place of the finding: what it has to do with it, and how many goroutines are there."""

    frame: Frame
    role: str
    of_cause: bool = False
    state: str | None = None
    count: int | None = None
    code: str = ""  # the line as it was when the cause was read
    shows: bool = True  # its function is shown; otherwise it is only marked where it is shown anyway


class Line(Struct, frozen=True):
    number: int
    text: str
    spots: tuple[Spot, ...] = ()


class Listed(Struct, frozen=True):
    """What is shown of one file; None stands for lines left out."""

    file: str
    source: str | None  # where it was read; None: from the excerpts of the finding
    remarks: tuple[str, ...]
    lines: tuple[Line | None, ...]


def spots(finding: Finding) -> tuple[Spot, ...]:
    """Return the places of a finding that are lines of source, those of the cause first."""
    cause = finding.cause.sites if finding.cause else ()
    of_cause = [Spot(one.frame, one.role, of_cause=True, code=one.code) for one in cause]
    suspect = finding.suspect
    standing = [Spot(one.frame, one.role, state=one.state, count=one.count) for one in suspect.sites]
    behind = [Spot(one.frame, "blocked", state=one.state, count=one.count, shows=False) for one in suspect.victims]
    return tuple(one for one in (*of_cause, *standing, *behind) if one.frame.file and one.frame.line > 0)


def listing(
    finding: Finding, source_of: Callable[[Frame], SourceText], context: int | None = None
) -> tuple[tuple[Listed, ...], tuple[SourceNotFound, ...]]:
    """Return the files of a finding with their functions, and what was not found; with a context only so many lines."""
    texts: dict[str, SourceText] = {}
    at: dict[str, list[Spot]] = {}
    missing: dict[str, SourceNotFound] = {}
    for spot in spots(finding):
        try:
            text = source_of(spot.frame)
        except SourceNotFound as error:
            missing.setdefault(spot.frame.file, error)
            continue
        texts.setdefault(text.path, text)
        at.setdefault(text.path, []).append(spot)
    found = []
    for path, text in texts.items():
        lines = text.data.decode("utf-8", "replace").split("\n")  # Go counts no other ends of lines
        if strange := next((spot for spot in at[path] if not _agrees(spot, lines)), None):
            missing |= dict.fromkeys((spot.frame.file for spot in at[path]), _another(strange, text))
        elif any(spot.shows for spot in at[path]):
            found.append(_file(text, lines, at[path], context))
    excerpts = [one for one in (finding.cause.excerpts if finding.cause else ()) if one.file in missing]
    found += [_excerpted(one, finding) for one in excerpts]
    unread = tuple(error for file, error in missing.items() if all(one.file != file for one in excerpts))
    return tuple(found[:_FILES_MOST]), tuple(dict.fromkeys(unread))


def _another(spot: Spot, text: SourceText) -> SourceNotFound:
    args: dict[str, str | int] = {"name": spot.frame.function, "path": text.path, "line": spot.frame.line}
    if text.note:
        return SourceNotFound(Text("source.differs-noted", {**args, "note": text.note}))
    return SourceNotFound(Text("source.differs", args))


def _agrees(spot: Spot, lines: Sequence[str]) -> bool:
    """Return whether the line can be the one that ran: it reads as when the cause was read, or is in that function."""
    if spot.frame.line > len(lines):
        return False
    if spot.code:
        return spot.code in lines[spot.frame.line - 1]
    above = (found for at in range(spot.frame.line, 0, -1) if (found := _DECLARATION.match(lines[at - 1])))
    declared = next(above, None)
    names = re.findall(r"\w+", spot.frame.function.rpartition("/")[2])
    # Functions of package variables have no declaration of their own: init.func1, glob..func1.
    return declared is None or not declared[1] or declared[1] in names or not {"init", "glob"}.isdisjoint(names)


def _file(text: SourceText, lines: Sequence[str], here: Sequence[Spot], context: int | None) -> Listed:
    numbers: set[int] = set()
    by_line: dict[int, list[Spot]] = {}
    for spot in here:
        by_line.setdefault(spot.frame.line, []).append(spot)
        if spot.shows:
            numbers |= _shown_with(lines, spot.frame.line, context)
    shown: list[Line | None] = []
    for number in sorted(numbers):
        last = shown[-1] if shown else None
        if last is not None and number > last.number + 1:
            shown.append(None)
        shown.append(Line(number, lines[number - 1], tuple(by_line.get(number, ()))))
    remarks = (f"{text.path} ({text.how})" if text.how else text.path, *((text.note,) if text.note else ()))
    return Listed(here[0].frame.file, text.path, remarks, tuple(shown))


def _shown_with(lines: Sequence[str], number: int, context: int | None) -> set[int]:
    """Return the numbers of the declaration around a line with its comment, or of the lines next to it."""
    around = _AROUND if context is None else context
    near = range(max(1, number - around), min(len(lines), number + around) + 1)
    first = next((at for at in range(number, 0, -1) if _DECLARATION.match(lines[at - 1])), 0)
    if context is not None or not first:
        return set(near)
    last = _end(lines, first, number)
    if last - first > _WHOLE_MOST:
        return {first, *(at for at in near if first <= at <= last)}
    for _ in range(_COMMENT_MOST):
        if first > 1 and lines[first - 2].startswith("//"):
            first -= 1
    return set(range(first, last + 1))


def _end(lines: Sequence[str], first: int, number: int) -> int:
    """Return the last line of a declaration that holds a line; the next one begins after it in any case."""
    if number == first and not lines[first - 1].rstrip().endswith(("{", "(", ",")):
        return number
    for at in range(number, len(lines) + 1):
        if _END.match(lines[at - 1]):
            return at
        if at > number and _DECLARATION.match(lines[at - 1]):
            return at - 1
    return len(lines)


def _excerpted(excerpt: Excerpt, finding: Finding) -> Listed:
    here = [one for one in spots(finding) if one.frame.file == excerpt.file]
    lines = []
    for number, text in enumerate(excerpt.lines, excerpt.first):
        of_line = tuple(one for one in here if one.frame.line == number)
        if number in excerpt.marks and not any(one.of_cause for one in of_line):
            of_line += (Spot(Frame("", excerpt.file, number), excerpt.marks[number], of_cause=True),)
        lines.append(Line(number, text, of_line))
    return Listed(excerpt.file, None, (), tuple(lines))


def lines(pen: BlockPen, finding: Finding, files: Sequence[Listed]) -> Iterator[str]:
    """Yield the finding's source as text: what it is, every file, then the drafted fix and leads, whole."""
    sure = pen.look.styled(pen.word(f"confidence.{finding.confidence}"), "bold", "red")
    yield f"{pen.look.styled(str(finding.rank), 'bold')} {sure} {pen.dot} {pen.look.safe(finding.mechanism)}"
    yield from (pen.look.styled(line, "bold") for line in pen.wrapped(pen.say(finding.title), pen.margin))
    if finding.cause:
        yield ""
        yield from pen.wrapped(pen.saying(finding.cause.because), pen.margin)
    for listed in files:
        yield ""
        yield from _shown(pen, listed)
    if finding.leads or any(one.diff for one in finding.remedies):
        yield ""
        speech = Speech(pen.look.lang)
        for remedy in remedies(finding):
            yield from pen.blocks(remedy_blocks(speech, remedy, kind=bool(finding.remedies)), pen.margin)
        for lead in finding.leads:
            yield from pen.blocks(lead_blocks(speech, lead), pen.margin)


def _shown(pen: Pen, listed: Listed) -> Iterator[str]:
    marks = [line.number for line in listed.lines if line is not None and line.spots]
    spot, room = pen.look.safe(f"{listed.file}:{min(marks)}" if marks else listed.file), pen.room(_INDENT)
    yield f"{' ' * _INDENT}{pen.look.styled(spot if room is None else pen.shortened(spot, room), 'cyan')}"
    for remark in listed.remarks:
        told = in_chinese(remark) if pen.look.lang == "zh" else remark
        yield from pen.dim(pen.wrapped(pen.look.safe(told), _INDENT))
    rows = [None if line is None else _row(pen, line) for line in listed.lines]
    yield from code(pen, rows, _INDENT)


def _row(pen: Pen, line: Line) -> Row:
    told = list(dict.fromkeys(_told(pen, spot) for spot in line.spots))
    # Those who stand here and those who were started here are the same goroutines, not twice as many.
    counts = [spot.count for spot in line.spots if spot.count is not None and spot.role == "blocked"]
    return Row(line.number, line.text, pen.comma.join(told), sum(counts) if counts else None)


def _told(pen: Pen, spot: Spot) -> str:
    if spot.of_cause:
        return role(pen, spot.role)
    key = f"role.{spot.role}"
    word = pen.word(key) if key in WORDS else role(pen, spot.role)
    if not spot.state:
        return word
    state = pen.look.safe(spot.state)
    return f"{word}（{state}）" if pen.look.lang == "zh" else f"{word} ({state})"


def document(finding: Finding, files: Sequence[Listed]) -> dict[str, Any]:
    return {
        "view": "finding",
        "finding": {"id": finding.id, "rank": finding.rank, "mechanism": finding.mechanism},
        "files": [
            {
                "file": listed.file,
                "source": listed.source,
                "remarks": list(listed.remarks),
                "lines": [_line(line) for line in listed.lines if line is not None],
            }
            for listed in files
        ],
    }


def _line(line: Line) -> Mapping[str, Any]:
    counts = [spot.count for spot in line.spots if spot.count is not None and spot.role == "blocked"]
    return {
        "line": line.number,
        "text": line.text,
        "roles": list(dict.fromkeys(spot.role for spot in line.spots)),
        "goroutines": sum(counts) if counts else None,
    }

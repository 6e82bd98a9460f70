"""A cause in the source -> blocks: the lines that it speaks of with their part in it, and which files were read."""

from collections.abc import Callable, Sequence

from oakum.model import Cause, CauseSite, Excerpt, Site
from oakum.report.code import Row, about_marks, dedented, gapped
from oakum.report.page.blocks import Block, Code, CodeLine, Para, Place, Places
from oakum.report.page.speech import Speech
from oakum.report.pen import Pen
from oakum.report.words import WORDS

FILES_MOST = 6
_PLACES_MOST = 12
_LINES_MOST = 40  # of one file; more are shown about their marks
_LINE_MOST = 300  # characters of a line of source
_ROLE_MOST = 24  # characters of a role that has no words here
_TAB = 4


def role(pen: Pen, name: str) -> str:
    """Return a role in words; one of a later version as it is."""
    key = f"cause.role.{name}"
    return pen.word(key) if key in WORDS else pen.look.safe(name[:_ROLE_MOST])


def cause_blocks(
    speech: Speech,
    cause: Cause,
    sites: Sequence[Site],
    place: Callable[[CauseSite, Sequence[str]], Place],
    more: Callable[[int], Sequence[Block]],
) -> list[Block]:
    """Return the lines that a cause speaks of, where its other places are, and which files were read."""
    files = _marked(speech, cause.excerpts, sites)
    blocks: list[Block] = [_code(speech, file, rows) for file, rows in list(files.items())[:FILES_MOST]]
    blocks += more(len(files) - FILES_MOST)
    lines = {(file, row.number) for file, rows in files.items() for row in rows}
    elsewhere = [one for one in cause.sites if (one.frame.file, one.frame.line) not in lines]
    if elsewhere:
        places = [place(one, _part(speech, one)) for one in elsewhere[:_PLACES_MOST]]
        blocks += [Places(tuple(places)), *more(len(elsewhere) - len(places))]
    if cause.sources:
        told = speech.stop.join(speech.name(one) for one in cause.sources[:FILES_MOST])
        blocks += [Para(speech.word("cause.read", source=told), quiet=True), *more(len(cause.sources) - FILES_MOST)]
    return blocks


def _marked(speech: Speech, excerpts: Sequence[Excerpt], sites: Sequence[Site]) -> dict[str, list[Row]]:
    """Return the lines of each file that are shown, those marked too where goroutines stand and were started."""
    standing: dict[tuple[str, int], str] = {}
    for site in sites:
        if site.role in ("blocked", "created"):
            count = speech.word("count.goroutines", count=site.count) if site.count and site.role == "blocked" else ""
            told = f"{speech.word(f'role.{site.role}')}{speech.colon if count else ''}{count}"
            standing.setdefault((site.frame.file, site.frame.line), told)
    files: dict[str, dict[int, Row]] = {}
    for excerpt in excerpts:
        rows = files.setdefault(excerpt.file, {})
        for number, text in enumerate(excerpt.lines, excerpt.first):
            mark = role(speech, excerpt.marks[number]) if number in excerpt.marks else ""
            both = dict.fromkeys((mark, standing.get((excerpt.file, number), "")))  # "started here" may be said by both
            told = speech.comma.join(part for part in both if part)
            if mark or number not in rows:
                rows[number] = Row(number, text, told)
    return {file: [rows[number] for number in sorted(rows)] for file, rows in files.items()}


def _part(speech: Speech, one: CauseSite) -> list[str]:
    """Return the part that a line has in the mistake, and the line."""
    told = [role(speech, one.role)]
    return [*told, f"`{speech.cut(one.code, _LINE_MOST)}`"] if one.code else told


def _code(speech: Speech, file: str, rows: Sequence[Row]) -> Code:
    """Return lines of one file; of many only those about the marks."""
    near = about_marks(rows) if len(rows) > _LINES_MOST and any(row.told for row in rows) else rows
    shown = gapped(near[: 2 * _LINES_MOST])
    texts = iter(dedented([row.text.expandtabs(_TAB).rstrip() for row in shown if row]))
    lines = [
        CodeLine(row.number, speech.cut(next(texts), _LINE_MOST), row.told) if row else CodeLine(0, None)
        for row in shown
    ]
    if len(near) > 2 * _LINES_MOST:
        lines.append(CodeLine(0, None))
    return Code(speech.name(file), tuple(lines))

"""The cause of a finding, its drafted fix and leads -> lines of the page.

The paragraph first, then the source that it speaks of, the decisive lines marked; what to do with the diff, its risk
and whether it compiled; what upstream changed later. Lines of code and diffs begin left of the margin: code is wide.
"""

from collections.abc import Iterator, Sequence

from oakum.model import Cause, CauseSite, Excerpt, Finding, Lead, Remedy, Site
from oakum.report.advice import remedies
from oakum.report.code import Row, about_marks, code, diff, gapped
from oakum.report.layout import wrap
from oakum.report.pen import Pen
from oakum.report.words import WORDS

INDENT = 5  # of code and diffs
_EXCERPTS_MOST = 6
_LINES_MOST = 16  # of one file; more are shown about their marks
_SITES_MOST = 6
_SOURCES_MOST = 4
_ROLE_MOST = 24  # characters of a role that has no words here
_FIX_MOST = 40  # lines of a drafted diff: they are few by design


class Wide(str):
    """A finished line that begins left of the margin."""

    __slots__ = ()


def role(pen: Pen, name: str) -> str:
    """Return a role in words; one of a later version as it is."""
    key = f"cause.role.{name}"
    return pen.word(key) if key in WORDS else pen.look.safe(name[:_ROLE_MOST])


def because_lines(pen: Pen, cause: Cause) -> Iterator[str]:
    """Yield a cause: the paragraph, the excerpts, the places that stand in none of them, and which source was read."""
    yield from pen.paragraph(pen.saying(cause.because))
    files = marked(pen, cause.excerpts, ())
    for file, rows in files.items():
        yield Wide("")
        yield from _excerpt(pen, file, rows)
    shown = {(file, row.number) for file, rows in files.items() for row in rows}
    left = [one for one in cause.sites if (one.frame.file, one.frame.line) not in shown]
    if left or cause.sources:
        yield Wide("")
    yield from _sites(pen, left)
    if cause.sources:
        read = cause.sources if pen.columns is None else cause.sources[:_SOURCES_MOST]
        told = pen.stop.join(read) + (f"{pen.stop}{pen.dots}" if len(read) < len(cause.sources) else "")
        yield from pen.dim(pen.paragraph(pen.word("cause.read", source=told)))


def marked(pen: Pen, excerpts: Sequence[Excerpt], sites: Sequence[Site]) -> dict[str, list[Row]]:
    """Return the lines of each file that are shown, those marked too where goroutines stand and were started."""
    standing: dict[tuple[str, int], str] = {}
    for site in sites:
        if site.role in ("blocked", "created"):
            count = pen.word("count.goroutines", count=site.count) if site.count and site.role == "blocked" else ""
            told = f"{pen.word(f'role.{site.role}')}{pen.colon if count else ''}{count}"
            standing.setdefault((site.frame.file, site.frame.line), told)
    files: dict[str, dict[int, Row]] = {}
    for excerpt in excerpts if pen.columns is None else excerpts[:_EXCERPTS_MOST]:
        rows = files.setdefault(excerpt.file, {})
        for number, text in enumerate(excerpt.lines, excerpt.first):
            mark = role(pen, excerpt.marks[number]) if number in excerpt.marks else ""
            both = dict.fromkeys((mark, standing.get((excerpt.file, number), "")))  # "started here" may be said by both
            told = pen.comma.join(part for part in both if part)
            if mark or number not in rows:
                rows[number] = Row(number, text, told)
    return {file: [rows[number] for number in sorted(rows)] for file, rows in files.items()}


def _excerpt(pen: Pen, file: str, rows: Sequence[Row]) -> Iterator[str]:
    marks = [row.number for row in rows if row.told]
    long = pen.columns is not None and len(rows) > _LINES_MOST and marks
    spot = f"{file}:{marks[0] if marks else rows[0].number}" if rows else file
    yield from (Wide(line) for line in header(pen, spot))
    yield from (Wide(line) for line in code(pen, gapped(about_marks(rows) if long else rows), INDENT))


def header(pen: Pen, spot: str) -> Iterator[str]:
    """Yield where an excerpt stands, as terminals and editors take it: file:line."""
    spot, room = pen.look.safe(spot), pen.room(INDENT)
    yield f"{' ' * INDENT}{pen.look.styled(spot if room is None else pen.shortened(spot, room), 'cyan')}"


def _sites(pen: Pen, sites: Sequence[CauseSite]) -> Iterator[str]:
    """Yield `role  file:line  code`, on as many lines as it takes."""
    shown = sites if pen.columns is None else sites[:_SITES_MOST]
    words = [role(pen, one.role) for one in shown]
    wide = max(map(pen.look.width_of, words), default=0)
    for one, told in zip(shown, words, strict=True):
        spot = f"{one.frame.file}:{one.frame.line}" if one.frame.file else one.frame.function
        gap = " " * (wide - pen.look.width_of(told))
        text = pen.look.safe(one.code)
        line = f"{told}{gap}  {pen.look.safe(spot)}  {text}".rstrip()
        room = pen.room(pen.margin)
        if room is None or pen.look.width_of(line) <= room:
            yield line
            continue
        yield told
        yield f"  {pen.shortened(pen.look.safe(spot), room - 2)}"
        yield from (f"  {piece}" for piece in wrap(text, room - 2, pen.look.width_of) if text)
    if len(shown) < len(sites):
        yield pen.word("count.more", count=len(sites) - len(shown))


def fix_lines(pen: Pen, found: Finding) -> Iterator[str]:
    """Yield what to do, whole: words, the drafted diff with its risk, and leads."""
    for remedy in remedies(found):
        yield from remedy_lines(pen, remedy, kind=bool(found.remedies), cut=False)
    for lead in found.leads:
        yield from _lead(pen, lead)


def remedy_lines(pen: Pen, remedy: Remedy, *, kind: bool = True, cut: bool = True) -> Iterator[str]:
    """Yield one thing to do, with its diff and risk."""
    before = f"{pen.word(f'remedy.{remedy.kind}')}{pen.colon}" if kind else ""
    yield from pen.paragraph(before + pen.say(remedy.text))
    yield from _draft(pen, remedy, _FIX_MOST if cut else None)
    if remedy.risk:
        yield from pen.dim(pen.paragraph(pen.word("remedy.risk", risk=pen.say(remedy.risk))))


def _draft(pen: Pen, remedy: Remedy, most: int | None) -> Iterator[str]:
    if not remedy.diff:
        return
    yield Wide("")
    yield from (Wide(line) for line in diff(pen, remedy.diff, INDENT, most))
    yield Wide("")
    yield from pen.dim(pen.paragraph(pen.word("remedy.compiled" if remedy.compiled else "remedy.not-compiled")))


def _lead(pen: Pen, lead: Lead) -> Iterator[str]:
    """Yield which release changed the code, and the change."""
    names = ", ".join(one.rpartition("/")[2] for one in lead.functions)
    words = {"module": lead.module, "changed": lead.changed, "running": lead.running, "functions": names}
    yield from pen.paragraph(pen.word("lead.changed-lines" if lead.at_lines else "lead.changed", **words))
    if not lead.diff:
        return
    yield Wide("")
    yield from (Wide(line) for line in diff(pen, lead.diff, INDENT))
    yield Wide("")

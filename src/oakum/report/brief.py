"""A diagnosis -> what of it is told in half a minute: the verdict, the worst finding in short, the others in a line.

For those who have the whole page at hand: whatever is left out here stands there.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from oakum.model import Cause, Finding, Frame, Site
from oakum.model.diagnosis import Diagnosis
from oakum.report.advice import remedies
from oakum.report.cause import INDENT, Wide, header, marked, remedy_lines
from oakum.report.code import code
from oakum.report.page.headline import headline
from oakum.report.pen import Look
from oakum.report.terminal import TerminalPage

_MARKED_MOST = 5  # decisive lines of source that are taken in at a glance


def render(diagnosis: Diagnosis, look: Look) -> str:
    """Return the verdict and what it rests on."""
    return "\n".join(_Brief(diagnosis, look).lines()) + "\n"


class _Brief(TerminalPage):
    def lines(self) -> Iterable[str]:
        yield from self.badge(headline(self.diagnosis, self.look.lang))
        for at, found in enumerate(self.diagnosis.findings):
            yield from self.in_one_line(found) if at else self.finding(found)

    def finding(self, found: Finding) -> Iterable[str]:
        suspect = found.suspect
        yield from self.headline(found)
        yield from self.labelled("where", [line for site in suspect.sites[:1] for line in self.site(site)])
        yield from self.labelled("growth", self.grown(found))
        yield from self.labelled("cause", self.cause(found.cause, suspect.sites) if found.cause else [])
        yield from self.labelled("known", [line for known in found.known[:1] for line in self.known_bug(known)])
        yield from self.labelled("do", self.what_to_do(found))

    def grown(self, found: Finding) -> Iterable[str]:
        """Return the numbers of the first measure, and how much of the whole that is."""
        if found.suspect.growth:
            yield from self.growth(replace(found.suspect.growth[0], per_hour=None, per_event=None, against="past"))
        shares = [self.word(f"share.{name}", share=share) for name, share in found.suspect.share.items() if share > 0]
        if shares:
            yield from self.paragraph(self.comma.join(shares))

    def cause(self, cause: Cause, sites: Sequence[Site]) -> Iterable[str]:
        """Return why, and the decisive lines of the file that has most of them."""
        yield from self.paragraph(self.saying(cause.because))
        files = marked(self, cause.excerpts, sites)
        decisive = {file: [row for row in rows if row.told] for file, rows in files.items()}
        file, rows = max(decisive.items(), key=lambda pair: len(pair[1]), default=("", []))
        if rows:
            yield from (Wide(line) for line in header(self, f"{file}:{rows[0].number}"))
            yield from (Wide(line) for line in code(self, rows[:_MARKED_MOST], INDENT))

    def what_to_do(self, found: Finding) -> Iterable[str]:
        """Return the best remedy and the drafted change, in words."""
        known = remedies(found)
        drafted = [remedy for remedy in known[1:] if remedy.diff][:1]
        for remedy in (*known[:1], *drafted):
            yield from remedy_lines(self, replace(remedy, diff=None, risk=None), kind=bool(found.remedies))

    def in_one_line(self, found: Finding) -> Iterable[str]:
        first, *_ = self.headline(found)
        yield first
        for site in found.suspect.sites[:1]:
            placed = replace(site, frame=Frame(site.frame.function))  # which line of it is told on the page
            yield from (f"   {line}" for line in self.site(placed, indent=3))


__all__ = ["render"]

"""What of a Chinese page is still English: pages of all kinds -> the sentences in them that no Chinese reader expects.

Code, commands, names, paths and Go's own words stay as they are; what is left of a text is searched for three English
words in a row.
"""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from oakum.model import Diagnosis
from oakum.report.html import render as html
from oakum.report.json import document
from oakum.report.markdown import render as markdown
from oakum.report.page.compose import compose
from oakum.report.page.incident import incident
from oakum.report.pen import Look
from oakum.report.terminal import render as terminal

# Three words of letters in a row, but for names (dots, slashes, hyphens, underscores, digits, brackets at their ends).
_ENGLISH = re.compile(
    r"(?<![\w./*(\[{<=:-])[A-Za-z]+[a-z'][,;:]? (?:[A-Za-z]?[a-z']+[,;:]? )+[A-Za-z]?[a-z']+(?![\w/(*=])"
)
# What Go prints, and what is quoted in brackets of its own.
_GO = re.compile(
    r"\b(?:chan (?:send|receive)(?: \(nil chan\))?|IO wait|select \(no cases\)|GC (?:worker|sweep|scavenge) \w+|finalizer wait|"
    r"goroutine \d+ \[[^\]]*\]|go tool (?:pprof|trace)|go version(?: -m)?|build info(?:rmation)?|force gc \(idle\)|"
    r"leader election|(?:CPU|delta) profile|execution trace|trace context|remote write|batch span processor|Java Flight Recorder)"
)
_CODE = (
    re.compile(r"(?:^|\s)\$ .*$", re.MULTILINE),  # a command on a terminal
    re.compile(r"^ +\d+ .*(?=◀)|^ +\d+ [ ▶].*$", re.MULTILINE),  # a line of source, up to its mark
    re.compile(r"^\s*(?:[+-]|@@).*$|^(?:\s{6,})\S.*$", re.MULTILINE),  # a diff
    re.compile(r"^(`{3,}|~{3,}).*?^\1", re.MULTILINE | re.DOTALL),
    re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL),
    re.compile(r"go func\(\) \{.*\}\(\)"),  # advice in one line
    re.compile(r"struct \{[^}]*\}"),  # a type that a generic function was built for
    re.compile(r"“[^”]*”"),  # words of the operating system, of a server: quoted as they came
)
# English punctuation beside a Chinese character, and a space where Chinese has none.
_HALF_WIDTH = re.compile(r"[\u4e00-\u9fff](?:[,;:(?!](?!//)| \()|[,;]\s?[\u4e00-\u9fff]|[，。；：、] [\u4e00-\u9fff]")
_WORDLESS = ("script", "style", "code", "pre", "kbd", "samp")
_SAID = ("title", "aria-label", "alt", "placeholder", "label", "data-tip")


class _Seen(HTMLParser):
    """Collects what a reader of an HTML file sees, a line for each piece between two tags that is not code."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.hidden: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _WORDLESS:
            self.hidden.append(tag)
        if not self.hidden:
            self.lines += [value for name, value in attrs if value and name in _SAID]

    def handle_endtag(self, tag: str) -> None:
        if self.hidden and self.hidden[-1] == tag:
            self.hidden.pop()

    def handle_data(self, data: str) -> None:
        if not self.hidden and data.strip():
            self.lines.append(data)


def seen(page: str) -> str:
    """Return the words of an HTML file without its code."""
    parser = _Seen()
    parser.feed(page)
    return "\n".join(parser.lines)


def english_in(text: str) -> list[str]:
    """Return what in a Chinese text is an English sentence, or a part of one."""
    return [found[0] for found in _ENGLISH.finditer(_GO.sub(" ∎ ", _without_code(text)))]


def half_width_in(text: str) -> list[str]:
    """Return where a Chinese text has the punctuation of an English one."""
    bare = _without_code(text)
    return [bare[max(0, found.start() - 20) : found.end() + 20] for found in _HALF_WIDTH.finditer(bare)]


def _without_code(text: str) -> str:
    for code in _CODE:
        text = code.sub(" ∎ ", text)
    return text


def pages(diagnosis: Diagnosis) -> Iterator[tuple[str, str]]:
    """Yield a diagnosis in Chinese as a terminal, Markdown and HTML show it, as a report and as that of an incident."""
    yield "terminal", terminal(compose(diagnosis, "zh"), Look(None, "zh", lambda text, *_: text, str, len))
    for name, page in (("report", compose(diagnosis, "zh")), ("incident", incident(diagnosis, "zh"))):
        yield f"{name}.md", markdown(page)
        yield f"{name}.html", seen(html(page, document(diagnosis)))


def left_in_english(diagnosis: Diagnosis) -> dict[str, list[str]]:
    """Return for each kind of page what of it is English; names of controls (HTML) have their keys in brackets."""
    found = {}
    for name, text in pages(diagnosis):
        left = english_in(text) + ([] if name.endswith(".html") else half_width_in(text))
        if left:
            found[name] = left
    return found


__all__ = ["english_in", "half_width_in", "left_in_english", "pages", "seen"]

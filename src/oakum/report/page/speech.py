"""What a page is said with: words and sentences of one language, names cut where nobody reads on, times and numbers."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from oakum.model.diagnosis import ProcessRow
from oakum.report.layout import utc
from oakum.report.pen import Look, Pen
from oakum.report.words import WORDS, size
from oakum.report.words.experiment import UNITS

SENTENCE = 2000  # characters; a hostile name may have a million
NAME = 240  # of a function, a path, a version
_LABEL = re.compile(r'[{,]\s*(\w+)="?([^",}]*)')
_PATHS = ("path", "route", "handler", "uri", "url", "endpoint", "resource")
_METHODS = ("method", "verb")
_CODES = ("code", "status", "status_code")
_BYTES = ("inuse_space", "rss", "heap_live")


class Speech(Pen):
    """Says things in one language; whatever is too long keeps both ends and says how much is missing."""

    def __init__(self, lang: str) -> None:
        super().__init__(Look(None, lang, lambda text, *_: text, self.cut, len))
        self.lang = lang
        self.glue = "" if lang == "zh" else " "  # between two sentences

    def cut(self, text: str, most: int = SENTENCE) -> str:
        """Return the text, or its two ends and how many characters lie between them."""
        if len(text) <= most:
            return text
        tail = most // 2
        return f"{text[: most - tail]}{self.left_out(len(text) - most)}{text[-tail:]}"

    def left_out(self, count: int) -> str:
        """Return the mark for characters that were cut out; not through `word`, which cuts itself."""
        return WORDS["page.cut"][self.lang == "zh"].format(count=count)

    def name(self, text: str) -> str:
        """Return a name that evidence brought, short enough to be read."""
        return self.cut(text, NAME)

    def called(self, row: ProcessRow) -> str:
        """Return the name of a process, and which run of it this is."""
        name = self.word("page.process") if row.name == "-" else self.name(row.name)
        return self.comma.join([name, *self.run(row)])

    def run(self, row: ProcessRow) -> list[str]:
        """Return which run of a process this is, where it was restarted."""
        return [self.word("process.run", number=row.run.number, of=row.run.of)] if row.run else []

    def kind(self, name: str) -> str:
        """Return the kind or the format of a capture; Go's own names for them stay as they are."""
        return self.word(f"kind.{name}") if f"kind.{name}" in WORDS else self.name(name)

    def short(self, function: str) -> str:
        """Return a function without the path of its package: watch.(*StreamWatcher).receive."""
        head, paren, tail = self.placed(function).partition("(")  # type arguments and method values may have slashes
        return self.name(head.rpartition("/")[2] + paren + tail)

    def amount(self, measure: str, value: float) -> str:
        return size(value) if measure in _BYTES else f"{value:,.0f}"

    def rate(self, measure: str, value: float) -> str:
        """Return how much it gains in an hour, with its sign."""
        if measure in _BYTES:
            told = size(value)
        else:
            told = f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.3g}"
        return f"+{told}" if value > 0 else told

    def event(self, metric: str) -> str:
        """Return what a counter counts, as short as it can be told: `POST /jobs`, where its labels have a path."""
        if metric in UNITS:
            return self.word("experiment.one", unit=metric).removeprefix("次")
        labels = dict(_LABEL.findall(metric))
        path = next((labels[name] for name in _PATHS if labels.get(name)), "")
        method = next((labels[name] for name in _METHODS if labels.get(name)), "")
        code = next((labels[name] for name in _CODES if labels.get(name)), "")
        if "request" in metric.partition("{")[0]:
            if path and not method:
                return self.word("event.request", path=self.name(path))
            if len(labels) == 1 and method:
                return self.word("event.method", method=self.name(method))
            if len(labels) == 1 and code:
                return self.word("event.code", code=self.name(code))
        told = f"`{self.name(f'{method} {path}'.strip() if path else metric)}`"
        return f" {told} " if self.lang == "zh" else told


def clock(when: datetime | None, others: Sequence[datetime | None] = ()) -> str:
    """Return a time as short as it can be told beside the others: without the day when all are of one day."""
    if when is None:
        return ""
    days = {utc(one).date() for one in (when, *others) if one is not None}
    return f"{utc(when):%H:%M:%S}Z" if len(days) == 1 else f"{utc(when):%Y-%m-%d %H:%M:%S}Z"


def ends(times: Iterable[datetime | None]) -> list[datetime]:
    """Return the first and the last of some times: they are of one day when all are."""
    known = sorted(utc(one) for one in times if one is not None)
    return [*known[:1], *known[-1:]]


def stamp(when: datetime | None) -> str:
    return f"{utc(when):%Y-%m-%d %H:%M:%S}Z" if when is not None else ""

"""Two JSON documents of one diagnosis -> where they differ, path by path: findings[0].growth[0].counts[2].

Things of one identity are held against one another wherever they stand, so that one that is missing is told as that and
not as a difference of all that follow it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from html.parser import HTMLParser
from typing import Any, Final

from msgspec import Struct

_ALIGNED_MOST = 2000  # rows of a list that are put side by side; longer ones are compared by their places


class _Nothing:
    """What stands on one side alone has this on the other: JSON's null is a value."""

    def __repr__(self) -> str:
        return "nothing"


NOTHING: Final = _Nothing()


class Difference(Struct, frozen=True):
    """One place at which two documents differ: what the report has, what the evidence gives."""

    path: str
    report: Any
    evidence: Any


class Counted(Struct, frozen=True):
    numbers: int
    sentences: int


def differences(report: Any, evidence: Any) -> list[Difference]:
    """Return where two documents differ, in the order of the report's."""
    return list(_compared("", report, evidence))


def counted(document: Any) -> Counted:
    """Return how many numbers and sentences stand in a document."""
    numbers = sentences = 0
    left = [document]
    while left:
        one = left.pop()
        if isinstance(one, Mapping):
            sentences += "key" in one and "args" in one
            left += one.values()
        elif isinstance(one, list):
            left += one
        elif isinstance(one, int | float) and not isinstance(one, bool):
            numbers += 1
    return Counted(numbers, sentences)


def _compared(path: str, ours: Any, theirs: Any) -> Iterator[Difference]:
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        for name in [*ours, *(name for name in theirs if name not in ours)]:
            below = f"{path}.{name}" if path else str(name)
            yield from _compared(below, ours.get(name, NOTHING), theirs.get(name, NOTHING))
    elif isinstance(ours, list) and isinstance(theirs, list):
        for at, one, other in _paired(ours, theirs):
            yield from _compared(f"{path}[{at}]", one, other)
    elif ours != theirs or isinstance(ours, bool) != isinstance(theirs, bool):
        yield Difference(path, ours, theirs)


def _paired(ours: Sequence[Any], theirs: Sequence[Any]) -> Iterator[tuple[int, Any, Any]]:
    """Yield (place in the report, what is there, what the evidence has for it); what is alone faces nothing."""
    names = [[_identity(one) for one in side] for side in (ours, theirs)]
    longest = max(len(ours), len(theirs))
    if longest > _ALIGNED_MOST or names[0] == names[1]:
        for at in range(longest):
            one, other = (side[at] if at < len(side) else NOTHING for side in (ours, theirs))
            yield at, one, other
        return
    for _, begin, end, start, stop in SequenceMatcher(None, names[0], names[1], autojunk=False).get_opcodes():
        for step in range(max(end - begin, stop - start)):
            one = ours[begin + step] if begin + step < end else NOTHING
            other = theirs[start + step] if start + step < stop else NOTHING
            yield begin + step, one, other


def _identity(one: Any) -> str:
    """Return what a row is known by: an id, a capture, else all of it."""
    if isinstance(one, Mapping):
        for names in (("id",), ("origin", "kind", "format"), ("mechanism", "sites"), ("key",)):
            if all(name in one for name in names):
                return json.dumps([one[name] for name in names], sort_keys=True)
        if "function" in one:
            return f"{one['function']}:{one.get('line')}"
    return json.dumps(one, sort_keys=True)


def page_differences(page: str, expected: str) -> list[Difference]:
    """Return where the texts of two HTML pages differ, line by line; what scripts and styles hold is no text."""
    ours, theirs = _text(page), _text(expected)
    same = _alike(ours, theirs)
    end = _alike(ours[:same:-1], theirs[:same:-1])  # from the end, so that long pages are compared where they differ
    pairs = _paired(ours[same : len(ours) - end], theirs[same : len(theirs) - end])
    return [Difference(f"{same + at + 1}", one, other) for at, one, other in pairs if one != other]


def _alike(ours: Sequence[str], theirs: Sequence[str]) -> int:
    """Return how many lines are the same at the beginning."""
    pairs = zip(ours, theirs, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(ours), len(theirs)))


class _Text(HTMLParser):
    """Gathers the text of a page, and what its elements tell beside it: titles, numbers that tables are sorted by."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in ("script", "style")
        told = [
            f"{name}={value}" for name, value in attrs if name.startswith(("data-", "aria-", "title", "alt", "href"))
        ]
        self.lines += told if not self._silent else []

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._silent and (line := " ".join(data.split())):
            self.lines.append(line)


def _text(page: str) -> list[str]:
    reader = _Text()
    reader.feed(page)
    reader.close()
    return reader.lines

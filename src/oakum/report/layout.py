"""Lines of text for a terminal of any width: wrapping in both languages, small charts of a series, times.

Widths are columns, not characters: Chinese ones take two. How wide a text is, is told by a function that is handed in.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import TypeVar

_BARS = "▁▂▃▄▅▆▇█"
# Chinese wraps between any two characters, but a line neither begins with these nor ends with an opening bracket.
_CLOSING = "，。；：、！？）》」』】…"
_OPENING = "（《「『【"
_SERIES_MOST = 7  # numbers of a series that are read at a glance
_CHART_MOST = 24
_MARKED_FEWEST = 12  # bars: on fewer a mark tells no time
# What happened, as it is marked below the bars; where several happened at one bar, the first of these is shown.
_MARKS = {"growth-began": "▲", "oom-kill": "▼", "restart": "▼", "eviction": "▼", "deploy": "◆"}
_OTHER_MARK = "•"
LONGEST = 4000  # characters of one paragraph; nobody reads more, and a hostile name may have a million

Width = Callable[[str], int]
_T = TypeVar("_T")


def wrap(text: str, columns: int | None, width_of: Width) -> list[str]:
    """Return the text in lines of at most so many columns; one line when there is no limit."""
    if columns is None:
        return [text]
    text = capped(text)
    lines, line = [], ""
    for word in _words(text, width_of):
        if width_of((line + word).rstrip()) <= columns:
            line += word
            continue
        if line.strip():
            lines.append(line.rstrip())
        *whole, line = _pieces(word.lstrip(), max(columns, 8), width_of)
        lines += whole
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def capped(text: str) -> str:
    """Return the text, or its beginning and its end where it is endless, with how much is left out between them."""
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2 - 20  # what comes out is not too long itself, however often it passes here
    return f"{text[:half]} ... (+{len(text) - 2 * half:,}) ... {text[-half:]}"


def _words(text: str, width_of: Width) -> list[str]:
    """Return what must not be torn: words with the space before them, single Chinese characters with punctuation."""
    words: list[str] = []
    for at, char in enumerate(text):
        before = text[at - 1] if at else " "
        wide = width_of(char) > 1
        joins = char in _CLOSING or before in _OPENING
        new = (char == " " and before != " ") or (not joins and before != " " and (wide or width_of(before) > 1))
        if not words or new:
            words.append(char)
        else:
            words[-1] += char
    return words


def _pieces(word: str, columns: int, width_of: Width) -> list[str]:
    """Return a word that may be longer than a line in pieces, torn after a slash or before a dot if possible."""
    pieces = []
    while width_of(word) > columns:
        end = 0
        while end < len(word) and width_of(word[: end + 1]) <= columns:
            end += 1
        cut = max(word.rfind("/", 0, end) + 1, word.rfind(".", 1, end))
        cut = cut if cut > end // 3 else max(end, 1)
        pieces.append(word[:cut])
        word = word[cut:]
    return [*pieces, word]


def utc(when: datetime) -> datetime:
    """Return the time in UTC; a time that has no zone is taken for it, and so is one at the end of all calendars."""
    try:
        return when.astimezone(UTC) if when.tzinfo else when.replace(tzinfo=UTC)
    except OverflowError:
        return when.replace(tzinfo=UTC)


def series(counts: Sequence[int | None], show: Callable[[int], str], arrow: str = "→") -> str:
    """Return the numbers of a series, those in the middle left out when there are many."""
    shown = ["?" if count is None else show(count) for count in counts]
    if len(shown) > _SERIES_MOST:
        step = (len(shown) - 1) / (_SERIES_MOST - 1)
        shown = [shown[round(at * step)] for at in range(_SERIES_MOST)]
    return f" {arrow} ".join(shown)


def chart(counts: Sequence[int | None]) -> str:
    """Return a series as small bars above zero; a snapshot that says nothing is a space."""
    picked = _picked(counts)
    top = max((count for count in picked if count is not None), default=0)
    if top <= 0:
        return ""
    last = len(_BARS) - 1
    return "".join(" " if count is None else _BARS[min(last, max(0, round(count / top * last)))] for count in picked)


def marks(
    times: Sequence[datetime | None], events: Iterable[tuple[datetime, str]], gap: str = " "
) -> tuple[str, dict[str, list[str]]]:
    """Return a row of marks below the bars of `chart`, on their axis, and the kinds of events that each stands for.

    Nothing where bars are few or undated. A capture is no mark: it is a bar.
    """
    bars = [at for at in _picked(times) if at is not None]
    if len(bars) < _MARKED_FEWEST or len(bars) < min(len(times), _CHART_MOST) or bars != sorted(bars):
        return "", {}
    row: dict[int, str] = {}
    kinds: dict[str, list[str]] = {}
    ranks = [*dict.fromkeys(_MARKS.values()), _OTHER_MARK]
    for at, kind in events:
        if kind == "capture" or not bars[0] <= at <= bars[-1]:
            continue
        mark = _MARKS.get(kind, _OTHER_MARK)
        column = bisect_right(bars, at) - 1
        row[column] = min(row.get(column, mark), mark, key=ranks.index)
        if kind not in kinds.setdefault(mark, []):
            kinds[mark].append(kind)
    shown = "".join(row.get(column, gap) for column in range(len(bars)))
    return (shown, {mark: kinds[mark] for mark in ranks if mark in shown}) if row else ("", {})


def _picked(values: Sequence[_T]) -> list[_T]:
    """Return as many of the values as there is room for bars, evenly spread."""
    if len(values) <= _CHART_MOST:
        return [*values]
    step = (len(values) - 1) / (_CHART_MOST - 1)
    return [values[round(at * step)] for at in range(_CHART_MOST)]

"""Lines of text for a terminal of any width: wrapping in both languages, small charts of a series, times.

Widths are columns, not characters: Chinese ones take two. How wide a text is, is told by a function that is handed in.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

_BARS = "▁▂▃▄▅▆▇█"
# Chinese wraps between any two characters, but a line neither begins with these nor ends with an opening bracket.
_CLOSING = "，。；：、！？）》」』】…"
_OPENING = "（《「『【"
_SERIES_MOST = 7  # numbers of a series that are read at a glance
_CHART_MOST = 24
LONGEST = 4000  # characters of one paragraph; nobody reads more, and a hostile name may have a million

Width = Callable[[str], int]


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
    picked = list(counts)
    if len(picked) > _CHART_MOST:
        step = (len(picked) - 1) / (_CHART_MOST - 1)
        picked = [picked[round(at * step)] for at in range(_CHART_MOST)]
    top = max((count for count in picked if count is not None), default=0)
    if top <= 0:
        return ""
    last = len(_BARS) - 1
    return "".join(" " if count is None else _BARS[min(last, max(0, round(count / top * last)))] for count in picked)

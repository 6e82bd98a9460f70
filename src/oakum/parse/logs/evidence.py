"""How much of a text reads as a goroutine dump or a text profile, so that a wrapping is chosen by what it yields.

Comes in: any text, perhaps a gigabyte of it. Goes out: counts over small samples, never over the whole.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from oakum.model import Buffer
from oakum.parse.dump_lines import (
    CALL,
    COUNT,
    CREATED,
    DUMP_LINES,
    HEADER,
    HEADER_HINT,
    HEADER_LINE,
    NAMED,
    POSITION,
    PROFILE,
    SPOTS,
    WINDOW,
)
from oakum.regex import regex

# Two neighbouring lines that belong together: the order of lines counts, so that mixed sources score low.
_PAIR = regex(
    rb"^(?:%b\r?\n(?=(?:%b|%b)\r?$)|(?:%b|%b)\r?\n(?=%b\r?$)|%b\r?\n(?=\d|#|\r?$)|%b\r?\n(?=#)|%b\r?$)"
    % (HEADER, CALL, CREATED, CALL, CREATED, POSITION, PROFILE, COUNT, NAMED),
    re.MULTILINE,
)
# A header and all up to the last position before the next empty line; bounded, since headers can follow each other.
_STACK = regex(rb"^%b\r?\n(?:(?![ \t\r]*\n)[^\n]*+\n){0,300}^%b\r?(?:\n|\Z)" % (HEADER, POSITION), re.MULTILINE)
_PROFILE_LINE = regex(rb"^" + PROFILE + rb"\r?\n(?=\d|#|\r?\n)", re.MULTILINE)
# goroutine 1 [running]:     goroutine profile: total 203     heap profile: 1: 480 [3: 2097632] @ heap/1048576
# 103,111,114,111,117,116,105,110,101,32          (the word as journalctl -o json writes it beside control characters)
_HINTS = (
    HEADER_HINT,
    regex(rb" profile: (?:total )?\d+"),
    regex(rb"103, ?111, ?114, ?111, ?117, ?116, ?105, ?110, ?101, ?32\b"),
)

PROFILE_HINT = _HINTS[1]

_SAMPLE = 256 * 1024  # enough for some two hundred stacks; all of it is tried against every dialect
_BEFORE = 64 * 1024  # bytes before the first header of a dump that may say why it was printed, and when
_REACH = 4 << 20  # bytes from a header to the next one, or to the end of its stack, other lines among them


def score(text: bytes) -> int:
    """Return how many lines of `text` are followed by the line that a dump or profile has there."""
    return len(_PAIR.findall(text))


def is_settled(text: bytes) -> bool:
    """Return whether the stacks of a small text read well, whatever stands between them: nothing is left to gain."""
    if not _HINTS[0].search(text):  # only profiles: their headers begin lines
        return 0 < len(_HINTS[1].findall(text)) == len(_PROFILE_LINE.findall(text))
    if not _STACK.search(text) or len(HEADER_LINE.findall(text)) < len(_HINTS[0].findall(text)):
        return False
    stacks: list[bytes] = _STACK.findall(text)
    lines = sum(stack.count(b"\n") for stack in stacks)
    return sum(len(DUMP_LINES.findall(stack, 0, len(stack) - 1)) for stack in stacks) >= 0.98 * lines


def column(texts: Iterable[bytes]) -> float:
    """Return how far from the beginning of their lines goroutine headers stand on average; an escaped newline begins a
    line too, the farther away the more often it is escaped."""
    columns = [_column(text, hint.start()) for text in texts for hint in islice(_HINTS[0].finditer(text), 64)]
    return sum(columns) / len(columns) if columns else float("inf")


def _column(text: bytes, position: int) -> int:
    newline = text.rfind(b"\n", 0, position)
    escaped = text.rfind(rb"\n", newline + 1, position)
    if escaped < 0:
        return position - newline
    before = text[max(newline + 1, escaped - 64) : escaped]
    return position - escaped + len(before) - len(before.rstrip(b"\\"))


def hints(text: Buffer, spots: int = SPOTS) -> list[int]:
    """Return where words of a dump stand, wrapped or not: at most `spots` places of each kind spread over the text."""
    found: set[int] = set()
    for hint in _HINTS:
        last = -1
        for spot in range(spots):
            start = spot * len(text) // spots
            if start <= last:
                continue
            match = hint.search(text, start)
            if match is None:
                break
            last = match.start()
            found.add(last)
    return sorted(found)


def hinted_lines(text: bytes, hint: re.Pattern[bytes] = _HINTS[0]) -> Iterator[tuple[int, int]]:
    """Yield start and end (before the newline) of the lines that have a goroutine header, or `hint`, somewhere."""
    position = 0
    while match := hint.search(text, position):
        start = text.rfind(b"\n", 0, match.start()) + 1
        end = text.find(b"\n", match.end())
        position = end if end >= 0 else len(text)
        yield start, position


def sample(text: Buffer, size: int = _SAMPLE) -> bytes:
    """Return whole lines around the hints of `text`, about `size` bytes; all of it when it is small."""
    if len(text) <= size:
        return bytes(text)
    window = size // SPOTS
    taken: list[bytes] = []
    covered = 0
    for hint in hints(text):
        own = line_start(text, hint, covered)
        if hint < covered or (own == covered and taken):  # seen, or in an endless line that was begun
            continue
        start = line_start(text, max(hint - window // 8, covered), covered)
        if hint - start > window // 2:  # after a long line
            start = own
        # An endless line is begun and cut: that is enough to see what it is.
        lines = bytes(text[start : start + window])
        if b"\n" not in lines[hint - start :]:
            lines = bytes(text[start : start + size])
        whole = lines.rfind(b"\n") + 1
        lines = lines[:whole] if whole > hint - start else lines
        taken.append(lines)
        covered = start + len(lines)
    return b"\n".join(taken)


def around_hints(text: Buffer) -> Buffer:
    """Return the lines around the hints of a text, all that a dump there can reach; the text itself if that is most."""
    parts: list[tuple[int, int]] = []
    upcoming = dict.fromkeys(_HINTS, -1)  # where each comes next; what is not found any more is not looked for
    at = 0
    while upcoming:
        for hint in [hint for hint, place in upcoming.items() if place < at]:
            del upcoming[hint]
            if match := hint.search(text, at):
                upcoming[hint] = match.start()
        if not upcoming:
            break
        first = min(upcoming.values())
        end = first + _REACH
        while end < len(text) and any(hint.search(text, end - _REACH // 2, end) for hint in upcoming):
            end += _REACH // 2
        line, newline, _ = bytes(text[end : end + WINDOW]).partition(b"\n")
        start, at = line_start(text, max(at, first - _BEFORE), at), end + len(line) + len(newline)
        parts.append((start, at))
    if sum(end - start for start, end in parts) > 0.9 * len(text):
        return text
    return b"".join(bytes(text[start:end]) for start, end in parts)


def line_start(text: Buffer, position: int, lowest: int = 0) -> int:
    """Return where the line around `position` begins, or `lowest` when it begins before that."""
    reach = 4096
    while True:
        low = max(lowest, position - reach)
        newline = bytes(text[low:position]).rfind(b"\n")
        if newline >= 0:
            return low + newline + 1
        if low == lowest:
            return lowest
        reach *= 4

"""Headers of goroutine stacks as text, in every form from Go 1.3 to 1.27.

Comes in: one line. Goes out: id, state, waiting time, labels and marks as Go printed them, or None.
"""

import re
from functools import lru_cache

from msgspec import Struct

# goroutine 7 [chan send]:
# goroutine 7 [select (no cases), 12 minutes, locked to thread]:
# goroutine 1 gp=0xc000002380 m=0 mp=0x1a2b [running]:              (GOTRACEBACK=system and crash, Go 1.22+)
# goroutine 9 [chan receive labels:{"k": "v"}]:                     (GODEBUG=tracebacklabels=1, Go 1.26)
# goroutine 22 [select (no cases) (leaked)] {k: "v \"q\"", pattern: "GET /x"}:        (Go 1.27)
_QUOTED = rb'"(?:[^"\\\n]|\\.)*"'
_HEADER = re.compile(
    rb"goroutine (\d{1,18})(?: gp=\S+ m=\S+(?: mp=\S+)?)? (\[(?:[^\]\"\n]|%s)*\](?: \{(?:[^}\"\n]|%s)*\})?):"
    % (_QUOTED, _QUOTED)
)
_BLANK = b" \t\xef\xbb\xbf"  # with the byte order mark
# k: "v \"q\""   "k": "v"   k: v
_LABEL = re.compile(rb'(%s|[^\s",:{}][^",:{}]*): (%s|[^",{}]*)' % (_QUOTED, _QUOTED))
# 12 minutes
_MINUTES = re.compile(r"^(\d{1,9}) minutes?$")
# chan send (durable)        select (no cases) (leaked)        IO wait (scan)
_SUFFIX = re.compile(r" \((leaked|scan|durable)\)$")


class Header(Struct, frozen=True):
    """What a header says besides the id and the waiting time."""

    state: str
    labels: tuple[tuple[str, str], ...] = ()
    leaked: bool = False
    marks: tuple[str, ...] = ()
    form: str = ""  # the first Go release that prints headers so, where the form tells


def plain(raw: bytes) -> str:
    """Return bytes of a dump as text; what is no UTF-8 is replaced."""
    return raw.decode("utf-8", "replace")


def header(line: bytes) -> tuple[int, Header, int, int] | None:
    """Return (id, header, minutes or -1, where it starts in the line), or None when the line holds no header."""
    start = len(line) - len(line.lstrip(_BLANK))
    found = _HEADER.match(line, start)
    if found is None:
        # A logger may have written before it, but then nothing follows: `2020/01/01 12:00:00 goroutine 5 [running]:`
        start = line.rfind(b"goroutine ")
        found = _HEADER.match(line, start) if start > 0 else None
        if found is None or line[found.end() :].strip():
            return None
    minutes, head = bracket(found[2])
    if b" gp=" in found[0]:
        head = Header(head.state, head.labels, head.leaked, head.marks, head.form or "go1.22+")
    return int(found[1]), head, minutes, start


@lru_cache(maxsize=4096)
def bracket(raw: bytes) -> tuple[int, Header]:
    """Return (minutes or -1, header) of what stands in and behind the bracket."""
    inside, _, behind = raw.partition(b"]") if b' labels:{"' not in raw else (raw, b"", b"")
    form = ""
    labels: tuple[tuple[str, str], ...] = ()
    inner, at, inline = inside.strip(b"[]").partition(b" labels:{")
    if at:
        labels, form = _labels(inline), "go1.26+"
    elif b"{" in behind:
        labels, form = _labels(behind), "go1.27+"
    state, *words = plain(inner).split(", ")
    marks: list[str] = []
    leaked = False
    while suffix := _SUFFIX.search(state):
        state = state[: suffix.start()]
        if suffix[1] == "leaked":
            leaked, form = True, form or "go1.26+"
        else:
            marks.insert(0, suffix[1])
    minutes = -1
    for word in words:
        if told := _MINUTES.match(word):
            minutes = int(told[1])
        else:
            marks.append(word)
            form = form or ("go1.25+" if word.startswith("synctest bubble") else "")
    return minutes, Header(state, labels, leaked, tuple(marks), form)


def _labels(raw: bytes) -> tuple[tuple[str, str], ...]:
    return tuple((_unquoted(key), _unquoted(value)) for key, value in _LABEL.findall(raw))


# \"   \\   \n   \x1b   \u00e9        (Go's quoting of strings)
_ESCAPE = re.compile(r'\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|([abfnrtv\\"]))')
_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", '"': '"'}


def _unquoted(raw: bytes) -> str:
    text = plain(raw)
    if not text.startswith('"'):
        return text

    def letter(found: re.Match[str]) -> str:
        if found[4]:
            return _LETTERS[found[4]]
        code = int(found[1] or found[2] or found[3], 16)
        return chr(code) if code < 0x110000 else found[0]

    return _ESCAPE.sub(letter, text[1:-1])

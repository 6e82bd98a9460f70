"""What the terminal can show: its width, whether it has colours, and a few styles that read on dark and light.

Piped output is plain and as wide as it needs; NO_COLOR is honoured, CLICOLOR_FORCE and FORCE_COLOR too. Data goes to
stdout, progress and remarks to stderr.
"""

import os
import re
import shutil
import sys
import unicodedata
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from oakum.model import Text

from oakum.regex import regex

# Only attributes and colours that are legible on both black and white: no yellow, no white, no bright ones.
_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "blue": "34", "magenta": "35", "cyan": "36"}
_ESCAPES = regex(r"\x1b\[[0-9;]*m")
# What a hostile name could do to a terminal: escape sequences, bells, lines of its own. Tab stays.
_CONTROLS = regex(
    "[\x00-\x08\x0a-\x1f\x7f\x80-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


def colourful(stream: TextIO | None = None) -> bool:
    """Return whether colours should be written to the stream (stdout by default)."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("CLICOLOR_FORCE", "0") != "0" or os.environ.get("FORCE_COLOR"):
        return True
    return (stream or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"


def styled(text: str, *styles: str) -> str:
    """Return the text in these styles, or as it is when stdout has no colours."""
    if not styles or not colourful():
        return text
    return f"\x1b[{';'.join(_STYLES[s] for s in styles)}m{text}\x1b[0m"


def width() -> int | None:
    """Return the columns of the terminal, or None when stdout is not one (then nothing is shortened)."""
    if not sys.stdout.isatty():
        told = os.environ.get("COLUMNS", "")
        return int(told) if re.fullmatch("[1-9][0-9]{0,8}", told) else None
    return shutil.get_terminal_size().columns


def columns_of(text: str) -> int:
    """Return how many columns the text takes, colours left out, wide characters counted twice."""
    plain = _ESCAPES.sub("", text)
    if plain.isascii():
        return len(plain)
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in plain)


def safe(text: str) -> str:
    """Return the text with control characters made visible, so that evidence cannot drive the terminal."""
    return _CONTROLS.sub(_visible, text)


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    return "\\n" if code == 10 else f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def shorten(text: str, columns: int) -> str:
    """Return the text cut in the middle to fit; both ends of a Go name say more than its middle."""
    if columns < 4 or len(text) <= columns:
        return text
    tail = (columns - 1) * 2 // 3
    return f"{text[: columns - 1 - tail]}…{text[-tail:]}"


def remark(text: str) -> None:
    """Write one line to stderr: what was chosen, skipped or is being done."""
    print(f"oakum: {safe(text)}", file=sys.stderr)


class Progress:
    """A line on stderr that says what is being read; silent when stderr is not a terminal."""

    def __init__(self, what: str, lang: str = "en") -> None:
        self._what, self._lang = f"progress.{what}", lang
        self._shown = sys.stderr.isatty() and not os.environ.get("OAKUM_QUIET")

    def at(self, *steps: "Text | str") -> None:
        """Show the step now at work; names and paths are shown as they are."""
        if self._shown:
            from oakum.report.words import say, word  # not before a terminal waits for something

            said = word(self._what, self._lang)
            said += " · ".join(step if isinstance(step, str) else say(step, self._lang) for step in steps)
            room = shutil.get_terminal_size().columns - 1
            print(f"\r\x1b[K{shorten(safe(said), room)}", end="", file=sys.stderr, flush=True)

    def done(self) -> None:
        """Take the line away."""
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

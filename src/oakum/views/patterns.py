"""Go regular expressions (RE2) -> Python's, so that -focus and its kin accept what pprof accepts.

Refuses what RE2 refuses (look-around, back references) and the few things Python cannot say, naming the flag.
"""

import re
import sys
import unicodedata
from functools import lru_cache

from oakum.model import UsageError

# {3}   {3,}   {3,7}: a repetition; any other brace is a plain character in Go
_REPEAT = re.compile(r"\{\d+(?:,\d*)?\}")
# (?i)   (?i:   (?s-m)   (?-i:
_FLAGS = re.compile(r"\?([imsU]*)(-[imsU]+)?([:)])")
# (?P<name>   (?<name>
_NAMED = re.compile(r"\?P?<(\w+)>")
# \pL   \PN   \p{Greek}   \p{^Lu}
_CLASS = re.compile(r"\\([pP])(?:\{(\^?)(\w+)\}|(\w))")
# \x41   \x{1F600}
_HEX = re.compile(r"\\x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))")
# [:alpha:]   [:^digit:]
_POSIX = re.compile(r"\[:(\^?)(\w+):\]")
_POSIX_CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": "\\x00-\\x7F", "blank": "\\t ", "cntrl": "\\x00-\\x1F\\x7F",
    "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~", "punct": "!-/:-@\\[-`{-~",
    "space": "\\t\\n\\v\\f\\r ", "upper": "A-Z", "word": "0-9A-Za-z_", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
# In Go these know ASCII only.
_PERL_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_", "s": "\\t\\n\\f\\r "}
_KEPT_ESCAPES = "aftnrv"


class _Reader:
    """Reads one expression from left to right and writes it again."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.out: list[str] = []
        # For each open group: the "(?i:" opened for a "(?i)" in its middle, and whether (?m) holds.
        self.groups: list[tuple[tuple[str, ...], bool]] = [((), False)]

    def translated(self) -> str:
        while self.at < len(self.text):
            self._step()
        self.out.append(")" * len(self.groups[-1][0]))
        return "".join(self.out)

    def _step(self) -> None:
        char = self.text[self.at]
        if char == "\\":
            self._escape()
        elif char == "[":
            self._brackets()
        elif char == "(":
            self._open()
        elif char == ")":
            opened, _ = self.groups.pop() if len(self.groups) > 1 else ((), False)
            self._write(")" * (len(opened) + 1), 1)
        elif char == "|":
            opened = self.groups[-1][0]
            self._write(f"{')' * len(opened)}|{''.join(opened)}", 1)
        elif char == "$":
            self._write("$" if self.groups[-1][1] else "\\Z", 1)
        elif char == "{" and not _REPEAT.match(self.text, self.at):
            self._write("\\{", 1)
        elif char in "*+?}" and self.text.startswith("+", self.at + 1):
            raise re.error("invalid nested repetition operator")
        else:
            self._write(char, 1)

    def _write(self, text: str, taken: int) -> None:
        self.out.append(text)
        self.at += taken

    def _open(self) -> None:
        if not self.text.startswith("(?", self.at):
            self.groups.append(((), self.groups[-1][1]))
            self._write("(", 1)
            return
        named = _NAMED.match(self.text, self.at + 1)
        if named:
            self.groups.append(((), self.groups[-1][1]))
            self._write(f"(?P<{named[1]}>", 1 + len(named[0]))
            return
        flags = _FLAGS.match(self.text, self.at + 1)
        if not flags:
            raise re.error("look-around and other Perl groups are not part of Go's syntax")
        if "U" in flags[0]:
            raise re.error("(?U) is not supported; write lazy repetitions as *?")
        before, multi = self.groups[-1]
        multi = (multi or "m" in flags[1]) and "m" not in (flags[2] or "")
        opened = f"(?{flags[1]}{flags[2] or ''}:"
        if flags[3] == ":":
            self.groups.append(((), multi))
        else:
            self.groups[-1] = ((*before, opened), multi)
        self._write(opened, 1 + len(flags[0]))

    def _escape(self) -> None:
        text, at = self.text, self.at
        found = _CLASS.match(text, at)
        if found:
            self._write(_category(found), len(found[0]))
            return
        found = _HEX.match(text, at)
        if found:
            self._write(re.escape(chr(int(found[1] or found[2], 16))), len(found[0]))
            return
        char = text[at + 1 : at + 2]
        if char == "Q":
            end = text.find("\\E", at + 2)
            end = end if end >= 0 else len(text)
            self._write(re.escape(text[at + 2 : end]), end + 2 - at)
        elif char.lower() in _PERL_CLASSES:
            self._write(f"[{'^' if char.isupper() else ''}{_PERL_CLASSES[char.lower()]}]", 2)
        elif char in ("b", "B"):
            self._write(f"(?a:\\{char})", 2)
        elif char in ("A", "z"):
            self._write("\\A" if char == "A" else "\\Z", 2)
        else:
            self._write(_literal(char), 2)

    def _brackets(self) -> None:
        text = self.text
        self._write("[", 1)
        if text.startswith("^", self.at):
            self._write("^", 1)
        if text.startswith("]", self.at):
            self._write("\\]", 1)
        while not text.startswith("]", self.at):
            if self.at >= len(text):
                raise re.error("missing closing ]")
            self._member()
        self._write("]", 1)

    def _member(self) -> None:
        text, at = self.text, self.at
        posix, unicode, hexadecimal = _POSIX.match(text, at), _CLASS.match(text, at), _HEX.match(text, at)
        char = text[at + 1 : at + 2]
        if posix:
            if posix[2] not in _POSIX_CLASSES or posix[1]:
                raise re.error(f"character class {posix[0]} is not supported inside brackets")
            self._write(_POSIX_CLASSES[posix[2]], len(posix[0]))
        elif unicode:
            self._write(_category(unicode)[1:-1], len(unicode[0]))
        elif hexadecimal:
            self._write(re.escape(chr(int(hexadecimal[1] or hexadecimal[2], 16))), len(hexadecimal[0]))
        elif text[at] == "\\" and char in _PERL_CLASSES:
            self._write(_PERL_CLASSES[char], 2)
        elif text[at] == "\\" and char.lower() in _PERL_CLASSES:
            self._write(f"\\{char}", 2)
        elif text[at] == "\\":
            self._write(_literal(char), 2)
        else:
            # Python warns of [[, --, && and the like: they may mean sets one day.
            second_dash = text[at] == "-" and text[at - 1] == "-"
            self._write(f"\\{text[at]}" if text[at] in "[&|~" or second_dash else text[at], 1)


def _literal(char: str) -> str:
    if not char:
        raise re.error("trailing backslash at end of expression")
    if char == "0" or not (char.isascii() and char.isalnum()):
        return re.escape(char) if char != "0" else "\\0"
    if char in _KEPT_ESCAPES:
        return f"\\{char}"
    raise re.error(f"invalid escape sequence: \\{char}")


def _category(found: re.Match[str]) -> str:
    name = found[3] or found[4]
    negated = (found[1] == "P") != (found[2] == "^")
    return f"[{'^' if negated else ''}{_characters(name)}]"


@lru_cache(64)
def _characters(category: str) -> str:
    """Return a Unicode category as ranges for a bracket expression."""
    ranges: list[str] = []
    start = -1
    for code in range(sys.maxunicode + 2):
        inside = code <= sys.maxunicode and unicodedata.category(chr(code)).startswith(category)
        if inside and start < 0:
            start = code
        elif not inside and start >= 0:
            ranges.append(f"\\U{start:08x}-\\U{code - 1:08x}")
            start = -1
    if not ranges:
        raise re.error(f"unknown character class \\p{{{category}}}")
    return "".join(ranges)


def compiled(expression: str, flag: str) -> re.Pattern[str]:
    """Return the expression of a flag, ready to search with; raise UsageError when Go or Python would not have it."""
    try:
        return re.compile(_Reader(expression).translated())
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"-{flag}={expression}: not a regular expression: {error}") from None


Pattern = re.Pattern[str]

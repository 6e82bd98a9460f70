"""What stands beside sentences, -> English or Chinese: problems of inputs and errors of files, places, remarks.

Places and remarks are compared with the templates of words/problems.py. They may come from evidence and have any
length: a template is compared from left to right, once, without going back.
"""

import re
from collections.abc import Sequence
from functools import cache

from msgspec import Struct

from oakum.model import OakumError, Problem, Unread
from oakum.report.words import say, word
from oakum.report.words.problems import PLACES, REMARKS

_MOST = 20_000  # characters that are compared; no sentence of ours is longer, but for a path in it
_HOLE = re.compile(r"\{(\w+)\}")
_NUMBERS = frozenset({"number", "count", "total", "most", "seconds"})  # holes in which only a number may stand


class _Template(Struct, frozen=True):
    """An English sentence taken apart: literals with a hole between each two, and the Chinese one."""

    literals: tuple[str, ...]
    holes: tuple[str, ...]
    chinese: str

    def values(self, text: str) -> dict[str, str] | None:
        """Return what stands in the holes, each as short as it can be; None when the text is another one."""
        first, last = self.literals[0], self.literals[-1]
        if not self.holes:
            return {} if text == first else None
        if not text.startswith(first) or not text.endswith(last) or len(text) < len(first) + len(last):
            return None
        found, at, end = [], len(first), len(text) - len(last)
        for literal in self.literals[1:-1]:
            until = text.find(literal, at, end)
            if until < 0:
                return None
            found.append(text[at:until])
            at = until + len(literal)
        values = dict(zip(self.holes, (*found, text[at:end]), strict=True))
        numbers = (value for hole, value in values.items() if hole in _NUMBERS)
        return values if all(number.replace(",", "").isdigit() for number in numbers) else None


@cache
def _templates(table: Sequence[tuple[str, str]]) -> tuple[_Template, ...]:
    return tuple(_taken_apart(english, chinese) for english, chinese in table)


def _taken_apart(english: str, chinese: str) -> _Template:
    parts = _HOLE.split(english)  # literal, name, literal, name ... literal
    return _Template(tuple(parts[::2]), tuple(parts[1::2]), chinese)


def _chinese(text: str, table: Sequence[tuple[str, str]]) -> str | None:
    """Return the text in Chinese; None when it is none of the table."""
    if len(text) > _MOST:
        return None
    for template in _templates(table):
        values = template.values(text)
        if values is not None:
            return template.chinese.format_map(values)
    return None


def problem_in(one: Problem, lang: str) -> tuple[str, str]:
    """Return what is wrong with an input, and where in it."""
    return say(one.text, lang), place_in(one.where, lang)


def problem_line(one: Problem, lang: str = "en") -> str:
    """Return what is wrong with an input and where, in one line."""
    text, where = problem_in(one, lang)
    return word("inputs.problem", lang, told=text, where=where) if where else text


def error_line(error: OakumError, lang: str = "en") -> str:
    """Return what an error says; one that has a problem of an input says that."""
    return problem_line(error.problem, lang) if isinstance(error, Unread) else str(error)


def place_in(where: str, lang: str) -> str:
    """Return where in a capture something stands: goroutine 4711, line 120."""
    if lang != "zh" or len(where) > _MOST:
        return where
    return "，".join(_chinese(part, PLACES) or part for part in where.split(", "))


def remark_in(text: str, lang: str) -> str:
    """Return what is said beside a report, in parts perhaps; what is not known stays English, as errors do."""
    if lang != "zh":
        return text
    return " · ".join(_chinese(part, REMARKS) or part for part in text.split(" · "))


def command_in(typed: str, lang: str) -> str:
    """Return a command as it is typed, with the remark behind it."""
    words, mark, remark = typed.partition("  # ")
    return f"{words}{mark}{remark_in(remark, lang)}" if mark else typed


__all__ = ["command_in", "error_line", "place_in", "problem_in", "problem_line", "remark_in"]

"""English sentences that a diagnosis carries as text, with names and numbers in them -> Chinese, by words/problems.py.

Texts may come from evidence and have any length: a template is compared from left to right, once, without going back.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from oakum.model import Problem
from oakum.report.words.problems import NUMBERS, PARTS, PLACES, REMARKS, SENTENCES

_MOST = 20_000  # characters that are compared; no sentence of ours is longer, but for a path in it
_DEEPEST = 3  # sentences within sentences
_HOLE = re.compile(r"\{(\w+)(?::(said|quoted))?\}")
_UNTOLD = "原文：“{text}”"


@dataclass(frozen=True, slots=True)
class _Template:
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
        numbers = (value for hole, value in values.items() if hole in NUMBERS)
        return values if all(number.replace(",", "").isdigit() for number in numbers) else None


@cache
def _templates(table: Sequence[tuple[str, str]]) -> tuple[_Template, ...]:
    return tuple(_taken_apart(english, chinese) for english, chinese in table)


def _taken_apart(english: str, chinese: str) -> _Template:
    parts = _HOLE.split(english)  # literal, name, None, literal, name, None ... literal
    return _Template(tuple(parts[::3]), tuple(parts[1::3]), chinese)


def _chinese(text: str, table: Sequence[tuple[str, str]], depth: int = _DEEPEST) -> str | None:
    """Return the text in Chinese; None when it is no sentence of the table."""
    if depth == 0 or len(text) > _MOST:
        return None
    for template in _templates(table):
        values = template.values(text)
        if values is not None and (said := _filled(template.chinese, values, depth)) is not None:
            return said
    return None


def _filled(chinese: str, values: dict[str, str], depth: int) -> str | None:
    pieces: list[str] = []
    at = 0
    for hole in _HOLE.finditer(chinese):
        value: str | None = values[hole[1]]
        if hole[2] == "quoted":
            value = f"“{value}”"
        elif hole[2] == "said":
            value = _within(values[hole[1]], depth)
        if value is None:
            return None
        pieces += (chinese[at : hole.start()], value)
        at = hole.end()
    return "".join((*pieces, chinese[at:]))


def _within(text: str, depth: int) -> str | None:
    return _chinese(text, PARTS, depth - 1) or _chinese(text, SENTENCES, depth - 1)


def problem_in(one: Problem, lang: str) -> tuple[str, str]:
    """Return what is wrong with an input, and where in it."""
    if lang != "zh":
        return one.text, one.where
    return _chinese(one.text, SENTENCES) or _UNTOLD.format(text=one.text), place_in(one.where, lang)


def place_in(where: str, lang: str) -> str:
    """Return where in a capture something stands: goroutine 4711, line 120."""
    if lang != "zh" or len(where) > _MOST:
        return where
    return "，".join(_chinese(part, PLACES) or part for part in where.split(", "))


def remark_in(text: str, lang: str) -> str:
    """Return what is said beside a report, in parts perhaps; what is not known stays English, as errors do."""
    if lang != "zh":
        return text
    return " · ".join(_chinese(part, REMARKS) or _chinese(part, SENTENCES) or part for part in text.split(" · "))


def command_in(typed: str, lang: str) -> str:
    """Return a command as it is typed, with the remark behind it."""
    words, mark, remark = typed.partition("  # ")
    return f"{words}{mark}{remark_in(remark, lang)}" if mark else typed


__all__ = ["command_in", "place_in", "problem_in", "remark_in"]

"""Problems of inputs and errors -> one line, English or Chinese; where in a capture something stands.

A place is written as its kind and where ("line 120", "goroutine 4711"); several are parted by commas.
"""

from oakum.model import OakumError, Problem, Unread
from oakum.report.words import WORDS, say, word


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
    if lang == "en":
        return where
    return "，".join(_place(part, lang) for part in where.split(", "))


def _place(part: str, lang: str) -> str:
    kind, _, at = part.partition(" ")
    key = f"place.{kind}"
    return word(key, lang, at=at) if key in WORDS and at and " " not in at else part

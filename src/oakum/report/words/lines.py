"""Problems of inputs and errors -> one line, English or Chinese; where in a capture something stands.

A place is written as its kind and where ("line 120", "goroutine 4711"); several are parted by commas.
"""

from oakum.model import OakumError, Problem, SourceNotFound, Text, Unreachable, Unread
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
    if isinstance(error, Unread):
        return problem_line(error.problem, lang)
    if isinstance(error, SourceNotFound):
        return "\n".join(source_lines(error, lang))
    return say(error.text, lang) if isinstance(error, Unreachable) else str(error)


def source_lines(error: SourceNotFound, lang: str = "en") -> list[str]:
    """Return why source was not found, the places tried, what to do, and why it was not fetched."""
    said = say(error.text, lang)
    lines = [say(Text("source.looked", {"said": said}), lang)] if error.advice else [said]
    if error.advice:
        lines += [f"  {say(place, lang)}" for place in error.looked]
        lines.append(say(Text("source.next", {"advice": error.advice}), lang))
    return lines + ([say(error.fetched, lang)] if error.fetched else [])


def worded(one: "Problem | Text | str | None", lang: str = "en") -> str:
    """Return what collect says, whatever it says it with."""
    if isinstance(one, Problem):
        return problem_line(one, lang)
    return say(one, lang) if isinstance(one, Text) else one or ""


def place_in(where: str, lang: str) -> str:
    """Return where in a capture something stands: goroutine 4711, line 120."""
    if lang == "en":
        return where
    return "，".join(_place(part, lang) for part in where.split(", "))


def _place(part: str, lang: str) -> str:
    kind, _, at = part.partition(" ")
    key = f"place.{kind}"
    return word(key, lang, at=at) if key in WORDS and at and " " not in at else part

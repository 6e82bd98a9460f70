"""What the numbers owe to the program that is scored: windows that come out right only thanks to its own recordings.

Nothing is fitted by a machine that could be fitted again without one program. But a number that one program alone holds
in place might as well be a third smaller or larger, had that program never been recorded. So each program is scored
with every such number where it hurts most: that is what leaving it out can cost, number by number.
"""

from collections.abc import Iterable, Iterator, Sequence

from casebook.runner.accuracy import markdown_table
from casebook.runner.sensitivity import Answer, Changed, Measured, label
from casebook.runner.windows import Asked


def _program(window: str) -> str:
    """Return the program of a window: takes of one case are one program."""
    return window.partition(" ")[0].partition("/")[0]


def owed(measured: Iterable[Measured]) -> set[str]:
    """Return the windows that lose their truth with a number which no other program holds there."""
    changes: Iterator[Changed] = (changed for one in measured for changed in (one.less, one.more))
    return {window for one in changes if len({_program(held) for held in one.windows}) == 1 for window in one.windows}


def table(measured: Iterable[Measured], asked: Sequence[tuple[Asked, Answer]]) -> str:
    """Return what is right with all recordings, and what would be without the program that is scored."""
    without = owed(measured)
    rows: list[tuple[str, ...]] = [
        ("snapshots", "formats", "leaking", "detected", "by rotation", "healthy", "accused", "by rotation")
    ]
    for window, formats in sorted({(_window(one), one.formats) for one, _ in asked}):
        these = [(one, told) for one, told in asked if (_window(one), one.formats) == (window, formats)]
        counts = (*_counts(these, without, leaking=True), *_counts(these, without, leaking=False))
        rows.append((window, formats, *map(str, counts)))
    return markdown_table(rows, words=2)


def _window(question: Asked) -> str:
    return question.window.partition(" ")[0]


def _counts(asked: Sequence[tuple[Asked, Answer]], without: set[str], *, leaking: bool) -> tuple[int, int, int]:
    """Return how many there are, and how many are detected, or accused: with all recordings, and by rotation."""
    these = [(one, bool(told and told[0])) for one, told in asked if bool(one.findings) == leaking]
    right = sum(was for _, was in these)
    left = sum(was and label(one) not in without for one, was in these)
    return (len(these), right, left) if leaking else (len(these), len(these) - right, len(these) - left)

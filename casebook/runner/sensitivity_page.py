"""docs/numbers.md: each number that decides, its reason, and what a third less and a third more of it changes."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime

from casebook.runner import rotation
from casebook.runner.accuracy import markdown_table
from casebook.runner.corpus import SEED, TRIPLES
from casebook.runner.numbers import Number
from casebook.runner.sensitivity import Answer, Changed, Measured
from casebook.runner.tools import ROOT
from casebook.runner.windows import Asked

PAGE = ROOT / "docs" / "numbers.md"
_PAGE = """\
# Numbers that decide

Written by `make sensitivity`, measured on {date}. Each of the {numbers} numbers of `compare/`, `detect/` and `judge.py`
is made a third smaller and a third larger, one at a time (a whole number by 1 at least), and {asked:,} windows of
{recordings} recordings are diagnosed again: everything, debug=2 with the heap, protobuf only, one dump, and {triples}
sets of three snapshots of each recording, drawn with the seed {seed}. What counts as detected and as accused:
[windows.md](windows.md). The numbers were chosen with these recordings at hand.

No window has a baseline, two snapshots only, a range of metrics, several processes, or source: what only these use is
not measured. An answer is the verdict and the findings in their order, each with its mechanism and confidence; rates,
events, and sentences about memory are none. Limits of cost are meant to change no answer.

**+** are truths gained: a leak is detected, a healthy program is no longer accused. **-** are truths lost. *Other* are
answers that differ, and are as true as before: another mechanism, confidence or rank, `undecided` instead of `healthy`.
A number is needed by a recording that loses a truth. Which numbers count: `casebook/runner/numbers.py`.

## Without the program that is scored

A number that one program alone holds in place could be a third smaller or larger had that program never been recorded.
**By rotation**: each program is scored with every such number where it hurts it most. What rules beside numbers owe to
their recordings is not in it: that is what the [first contact](first-contact.md) shows.

{rotation}

## Numbers that nothing needs

{count} of {numbers}: no truth is lost with two thirds of the number, nor with four thirds of it.

{unneeded}

## All numbers

{table}
"""
_NOTHING = "-"
_SHOWN = 3


def gained(changed: Changed) -> int:
    """Return how many truths a change gains."""
    return len(changed.detected) + len(changed.cleared)


def lost(changed: Changed) -> int:
    """Return how many truths it costs."""
    return len(changed.lost) + len(changed.accused)


def _cell(changed: Changed) -> str:
    truths = f"+{gained(changed)} -{lost(changed)}" if gained(changed) or lost(changed) else ""
    aside = (
        (len(changed.accused), "accused"),
        (len(changed.cleared), "cleared"),
        (changed.failed, "without an answer"),
        (changed.others, "other"),
    )
    told = [f"{count} {word}" for count, word in aside if count > 0]
    return f"{truths} ({', '.join(told)})".strip() if told else truths or _NOTHING


def needed_by(one: Measured) -> list[str]:
    """Return the recordings that lose a truth, those with the most windows first."""
    names = Counter(name for changed in (one.less, one.more) for name in (*changed.lost, *changed.accused))
    return [name for name, _ in sorted(names.items(), key=lambda pair: (-pair[1], pair[0]))]


def _code(text: str) -> str:
    """Return what the source has, verbatim: where a number is, a comment."""
    return "`{}`".format(text.replace("|", "\\|").replace("`", "'")) if text else _NOTHING


def shown(number: Number) -> str:
    """Return where a number is."""
    return _code(f"{number.module}: {number.where}")


def _value(number: Number) -> str:
    return f"{number.value:,}" if isinstance(number.value, int) else f"{number.value:.4g}"


def table(measured: Iterable[Measured]) -> str:
    """Return all numbers as a Markdown table."""
    rows: list[tuple[str, ...]] = [("number", "value", "reason", "two thirds", "four thirds", "needed by")]
    for one in measured:
        names = needed_by(one)
        more = [f"{len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
        needs = ", ".join((*map(_code, names[:_SHOWN]), *more)) or _NOTHING
        rows.append(
            (shown(one.number), _value(one.number), _code(one.number.reason), _cell(one.less), _cell(one.more), needs)
        )
    return markdown_table(rows, words=6)


_KINDS: Sequence[tuple[str, Callable[[Measured], bool]]] = (
    ("No recording uses", lambda one: not one.uses),
    ("No answer changes with", lambda one: not any(c.others or c.failed or gained(c) for c in (one.less, one.more))),
    ("Some answers change, and none becomes less true, with", lambda _: True),
)


def unneeded(measured: Iterable[Measured]) -> Iterator[str]:
    """Yield paragraphs that list the numbers whose change costs no truth, neither way."""
    rest = [one for one in measured if not needed_by(one)]
    for text, fits in _KINDS:
        here = [one for one in rest if fits(one)]
        rest = [one for one in rest if one not in here]
        if here:
            yield f"{text} {len(here)}:\n\n" + "\n".join(f"- {_told(one)}" for one in here)


def _told(one: Measured) -> str:
    gains = [
        f"{word} gain {gained(changed)}"
        for word, changed in (("two thirds", one.less), ("four thirds", one.more))
        if gained(changed)
    ]
    return f"{shown(one.number)} {_value(one.number)}" + (f": {', '.join(gains)}" if gains else "")


def page(measured: Sequence[Measured], asked: Sequence[tuple[Asked, Answer]], date: str = "") -> str:
    """Return docs/numbers.md; the date is today's where none is given."""
    return _PAGE.format(
        date=date or datetime.now(UTC).date().isoformat(),
        numbers=len(measured),
        asked=len(asked),
        recordings=len({one.name for one, _ in asked}),
        rotation=rotation.table(measured, asked),
        count=sum(not needed_by(one) for one in measured),
        triples=TRIPLES,
        seed=SEED,
        unneeded="\n\n".join(unneeded(measured)) or "None.",
        table=table(measured),
    )

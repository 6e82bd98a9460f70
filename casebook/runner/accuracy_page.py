"""docs/accuracy.md: the results of `accuracy` by evidence and by mechanism, with every miss named.

Comes in: the results. Goes out: the page. What is true of each take is read from expect.toml; nothing is measured here.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from casebook.runner.accuracy import COMMAND, NAIVE, WITH_SOURCE, Result, causes_table, markdown_table, misses, table
from casebook.runner.case import case
from casebook.runner.expectation import MECHANISMS, expectation
from casebook.runner.score import Score
from casebook.runner.settings import SETTINGS
from casebook.runner.tools import ROOT

PAGE = ROOT / "docs" / "accuracy.md"
# Read as they are; the numbers below and between them are written by this module.
_HEAD = """\
# How accurate it is

Written by `{command}` from the [casebook](../casebook/README.md): {cases} cases in {takes} recorded takes, measured on
{date}. The first table has all columns of the summary in the [README](../README.md#how-accurate); the others break it
down by mechanism.

A place is **found** when a finding names it by function and line; of several places, all must be. A leak is
**detected** when the verdict is `leaking` and `likely` or `proven` findings name its places. A finding that is none
of the expected ones is a **wrong accusation**, unless it is only `possible`. The **mechanism** is right when it is the
one in the case's expect.toml. A healthy take is **cleared** when the verdict is `healthy`; `undecided` is
neither a pass nor an accusation. The **naive rule** reports whatever grew between the first and the last snapshot as
a leak.

The rules were tuned on these recordings, so the figures are optimistic: [first-contact.md](first-contact.md) has the
scores of programs that no rule had seen, [windows.md](windows.md) those of parts of every recording. Errors found on
other programs are kept in [tests/regressions](../tests/regressions/README.md);
[scan.md](scan.md#accuracy-of-the-code-scan) has the results
of `oakum scan` on code that no rule had seen.

## By evidence

{by_evidence}

Programs whose source is in the casebook, diagnosed with it. A cause is **named** when one of its true lines is among
the lines reported, the blocked line not counted; a **wrong cause** names none of them. The five incidents are
explained from the upstream modules' own source by a live test (`pytest -m live tests/casebook/test_explained.py`).

{causes}

## Place found, by mechanism

{found}

A take counts in a column when that evidence can show its leak at all: a goroutine dump shows no growing map. Programs
that leak in two ways have rows of their own; both leaks must be found where the evidence shows them.

## Mechanism right, by mechanism

{named}

## Cause named in the source, by mechanism

{explained}

## Healthy programs cleared, by what they look like

{cleared}

A cell counts the takes with the verdict `healthy`; the others are `undecided`, unless the cell says accused. A single
snapshot is never called healthy, so its columns have none. Fixed builds of leaking programs are in the row of the
mechanism that was fixed.

## Every miss

{misses}
"""
_NOTHING = "-"


def mechanisms(case_name: str, take_name: str) -> tuple[str, ...]:
    """Return what a take leaks by; of a healthy one what it looks like, or what was fixed in it."""
    one = case(case_name)
    build = next(take.build for take in one.takes if take.name == take_name)
    truth = expectation(one, build.name)
    findings = truth.findings or [found for other in one.builds for found in expectation(one, other.name).findings]
    return tuple(dict.fromkeys(finding.mechanism for finding in findings)) or (truth.looks_like,)


Truths = Mapping[tuple[str, str], tuple[str, ...]]
Told = Callable[[Sequence[Score]], str]


def _found(scores: Sequence[Score]) -> str:
    return f"{sum(score.found for score in scores)} of {len(scores)}"


def _named(scores: Sequence[Score]) -> str:
    return f"{sum(score.mechanism for score in scores)} of {len(scores)}"


def _cleared(scores: Sequence[Score]) -> str:
    cleared = f"{sum(score.verdict == 'healthy' and not score.wrong for score in scores)} of {len(scores)}"
    accused = sum(score.accused for score in scores)
    return f"{cleared}, {accused} accused" if accused else cleared


def _rows(results: Sequence[Result], truths: Truths) -> Iterator[tuple[str, list[Result]]]:
    """Yield the results of each mechanism with its name, linked; those of several mechanisms together come last."""
    order = [*MECHANISMS]
    by_mechanism: dict[tuple[str, ...], list[Result]] = {}
    for result in results:
        by_mechanism.setdefault(truths[result.case, result.take], []).append(result)
    for names in sorted(by_mechanism, key=lambda names: (len(names), [*map(order.index, names)])):
        yield " + ".join(f"[{name}](mechanisms/{name}.md)" for name in names), by_mechanism[names]


def matrix(results: Sequence[Result], told: Told, truths: Truths) -> str:
    """Return a table with a row for each mechanism and a column for each setting that any of the results has."""
    settings = [name for name in SETTINGS if any(result.setting == name for result in results)]
    rows = [["mechanism", *settings]]
    for name, mine in _rows(results, truths):
        cells = [[result.score for result in mine if result.setting == setting] for setting in settings]
        rows.append([name, *(told(cell) if cell else _NOTHING for cell in cells)])
    return markdown_table(rows)


def _explained(results: Sequence[Result], truths: Truths) -> str:
    rows = [["mechanism", "takes", "cause named", "every line named", "wrong cause", "no cause told"]]
    read = [result for result in results if result.setting == WITH_SOURCE and result.score.explanations]
    for name, mine in _rows(read, truths):
        told = [result.score.explanations for result in mine]
        numbers = (
            len(told), sum(all(one.named for one in each) for each in told),
            sum(all(one.complete for one in each) for each in told),
            sum(any(one.wrong for one in each) for each in told),
            sum(any(not one.said for one in each) for each in told),
        )  # fmt: skip
        rows.append([name, *map(str, numbers)])
    return markdown_table(rows)


def _misses(results: Sequence[Result]) -> str:
    """Return every miss, the takes of a case together that were missed alike."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for line in misses([result for result in results if result.setting != NAIVE]):
        setting, what, told = line.split(": ", 2)
        name, _, take = what.partition("/")
        alike.setdefault((name, setting, told), []).append(take)
    rows = [["case", "evidence given", "what was missed", "takes"]]
    rows += [[name, setting, told, ", ".join(takes)] for (name, setting, told), takes in sorted(alike.items())]
    return markdown_table(rows).replace("--:", "---") if alike else "None."


def page(results: Sequence[Result], date: str = "") -> str:
    """Return the page; the date is today's where none is given."""
    truths = {key: mechanisms(*key) for key in {(result.case, result.take) for result in results}}
    asked = [result for result in results if result.setting != NAIVE]
    leaking = [result for result in asked if result.score.leaking]
    return _HEAD.format(
        command=COMMAND,
        cases=len({result.case for result in results}),
        takes=len(truths),
        date=date or datetime.now(UTC).date().isoformat(),
        by_evidence=table(results),
        causes=causes_table([result for result in results if result.setting == WITH_SOURCE]),
        found=matrix(leaking, _found, truths),
        named=matrix(leaking, _named, truths),
        explained=_explained(leaking, truths),
        cleared=matrix([result for result in asked if not result.score.leaking], _cleared, truths),
        misses=_misses(results),
    )


def date_of(text: str) -> str:
    """Return the date that a page says it was measured on."""
    said = re.search(r"measured on\s+(\d{4}-\d\d-\d\d)", text)
    return said[1] if said else ""


def write_page(results: Sequence[Result], path: Path = PAGE) -> None:
    """Write the page, with today's date."""
    path.write_text(page(results), encoding="utf-8")


__all__ = ["PAGE", "date_of", "matrix", "mechanisms", "page", "write_page"]

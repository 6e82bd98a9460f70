"""The table in the readmes is what `make accuracy` measures now."""

import re
from pathlib import Path

import pytest

from casebook.runner.accuracy import READMES, WITH_SOURCE, Result, accuracy, table, with_table
from casebook.runner.accuracy_page import PAGE, date_of, page
from casebook.runner.case import chosen
from casebook.runner.causes import report

pytestmark = pytest.mark.slow
FLOOR = 0.95  # of the leaking takes


@pytest.fixture(scope="module")
def results() -> list[Result]:
    return accuracy(chosen(()))


@pytest.mark.parametrize("language", READMES)
def test_the_readmes_say_what_is_measured(language: str, results: list[Result]) -> None:
    path: Path = READMES[language]
    text = path.read_text(encoding="utf-8")
    date = re.search(r"\d{4}-\d\d-\d\d(?=[^\n]*`make accuracy`)", text)
    assert date, f"{path.name} has no table; make accuracy"
    assert with_table(text, results, language, date[0]) == text, f"{path.name} is out of date; make accuracy"


def test_the_accuracy_page_says_what_is_measured(results: list[Result]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert page(results, date_of(text)) == text, f"{PAGE.name} is out of date; make accuracy"


def test_the_casebook_is_hard_for_the_naive_rule(results: list[Result]) -> None:
    naive = [result.score for result in results if result.setting.startswith("naive")]
    healthy = [score for score in naive if not score.leaking]
    assert sum(score.accused for score in healthy) > 0.8 * len(healthy)


def test_causes_are_named_in_our_own_programs(results: list[Result]) -> None:
    """With its source: the mechanism is right, and the cause names the line of the missing or wrong operation."""
    read = [result for result in results if result.setting == WITH_SOURCE and result.score.leaking]
    told = "\n".join(report(read))
    assert len(read) > 100
    assert sum(result.score.mechanism for result in read) >= FLOOR * len(read), told
    named = [all(one.named for one in result.score.explanations) for result in read]
    assert sum(named) >= FLOOR * len(read), told
    assert not [result for result in read if any(one.wrong for one in result.score.explanations)], told


def test_known_bugs_are_named_and_no_others(results: list[Result]) -> None:
    """The incidents are named wherever the evidence shows their goroutines or memory; nothing else ever is."""
    assert not [result for result in results if result.score.misnamed]
    whole = [result for result in results if result.setting == "all snapshots" and result.score.known is not None]
    assert len(whole) >= 10
    assert all(result.score.known for result in whole)


def test_no_answer_is_told_as_such(results: list[Result]) -> None:
    from oakum.cli import COMMANDS

    if "diagnose" in dict(COMMANDS):
        return
    rows = [line for line in table(results).splitlines()[2:] if "naive" not in line]
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert int(cells[-1]) == int(cells[1]) + int(cells[7])

"""What the explanations of the casebook name and miss is told case by case, and counted."""

import pytest

from casebook.runner.accuracy import Result, causes_table
from casebook.runner.case import case
from casebook.runner.causes import SETTING, causes, leaking, report
from casebook.runner.expectation import Site
from casebook.runner.score import Explanation, Score

MADE = Site("made", file="desk.go", line=38, code="make(chan int)", also=(37,))
LEFT = Site("never-received", file="desk.go", line=52)
NAME = "abandoned-sender at main.ask"
SILENT = Explanation(NAME, False, missing=(MADE, LEFT))
WRONG = Explanation(NAME, True, missing=(MADE, LEFT), told=("made desk.go:1",))
HALF = Explanation(NAME, True, (LEFT,), (MADE,), ("left desk.go:52",), "It left.")
WHOLE = Explanation(NAME, True, (MADE, LEFT), (), ("made desk.go:37", "left desk.go:52"), "It left.")


def result(explanation: Explanation, take: str = "t1", mechanism: bool = True) -> Result:
    said = Score(True, "leaking", found=True, first=True, mechanism=mechanism, explanations=(explanation,))
    return Result("quotes", take, SETTING, said)


@pytest.mark.parametrize(
    ("explanation", "lines"),
    [
        (SILENT, [f"  {NAME}: silent"]),
        (WRONG, [f"  {NAME}: WRONG, it says made desk.go:1", "    missing: made desk.go:38/37  make(chan int)", "    missing: never-received desk.go:52"]),
        (HALF, [f"  {NAME}: 1 of 2 lines", "    missing: made desk.go:38/37  make(chan int)"]),
        (WHOLE, []),
    ],
)  # fmt: skip
def test_what_is_missing_is_told(explanation: Explanation, lines: list[str]) -> None:
    told = [*report([result(explanation), result(explanation, "t2")])]
    assert told == (["quotes (t1, t2)", *lines] if lines else [])


def test_takes_that_differ_are_told_apart() -> None:
    told = [*report([result(HALF), result(SILENT, "t2", mechanism=False)])]
    assert told[0] == "quotes (t1)"
    assert told[-3:] == ["quotes (t2)", "  the mechanism is wrong", f"  {NAME}: silent"]


def test_everything_that_was_said_is_told_when_asked_for() -> None:
    told = [*report([result(WHOLE)], verbose=True)]
    assert told[1:] == [
        f"  {NAME}: 2 of 2 lines",
        "    told: made desk.go:37",
        "    told: left desk.go:52",
        "    It left.",
    ]


def test_takes_are_counted() -> None:
    results = [result(one) for one in (SILENT, WRONG, HALF, WHOLE)]
    assert causes_table(results).splitlines()[-1] == f"| {SETTING} | 4 | 4 | 2 | 1 | 1 | 1 |"


@pytest.mark.slow
def test_a_case_is_explained_with_its_source() -> None:
    one = case("abandoned-sender-freight")
    results = causes([one])
    assert [r.take for r in results] == [take.name for take in leaking(one)]
    assert all(r.score.mechanism and len(r.score.explanations) == 1 for r in results)
    assert causes([case("healthy-probe-rounds")]) == []

"""What a recheck found: its verdict, what is set apart, and the page and document that tell it."""

import json
from dataclasses import replace
from typing import Any

import pytest

from diagnoses import rich
from oakum.report.differences import NOTHING, Difference, differences
from oakum.report.json import document as diagnosis_document
from oakum.report.pen import Look, Pen
from oakum.report.recheck import Rechecked, document, render, set_apart

FRESH = Rechecked("report.json", 32, 70, 14, made_by="0.1.0", tool="0.1.0")
ONE = Difference("findings[0].growth[0].counts[2]", 160, 158)
LONG = Difference("findings[0].title", "x" * 200 + "160 goroutines", "x" * 200 + "158 goroutines")


def page(found: Rechecked, lang: str = "en") -> str:
    look = Look(None, lang, lambda text, *_: text, lambda text: text.replace("\x1b", "?"), len)
    return render(found, Pen(look), "oakum report --recheck report.json EVIDENCE...")


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (FRESH, "identical"),
        (replace(FRESH, differences=(ONE,)), "differs"),
        (replace(FRESH, changed=(ONE,)), "differs"),
        (replace(FRESH, extra=("x",)), "differs"),
        (replace(FRESH, page=(ONE,)), "differs"),
        (replace(FRESH, markup=True), "differs"),
        (replace(FRESH, missing=("x",)), "unsettled"),
        (replace(FRESH, open=(("source", ONE),)), "unsettled"),
        (replace(FRESH, missing=("x",), differences=(ONE,)), "differs"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_verdicts(found: Rechecked, verdict: str) -> None:
    assert found.verdict == document(found)["verdict"] == verdict
    for lang in ("en", "zh"):
        text = page(found, lang)
        assert "recheck." not in text, "every sentence has its words"
        assert text.count("\n") > 0
    json.dumps(document(found))


def test_everything_is_told_in_the_document_and_the_first_on_the_page() -> None:
    many = tuple(replace(ONE, path=f"findings[{at}].rank") for at in range(50))
    found = replace(FRESH, differences=many)
    assert "... and 30 more; --json lists them all" in page(found)
    assert len(document(found)["differences"]) == 50
    assert "另有 30 处" in page(found, "zh")


def test_a_difference_is_shown_where_it_is() -> None:
    text = page(replace(FRESH, differences=(LONG, ONE)))
    assert '160 goroutines" in the report' in text
    assert '158 goroutines" from the evidence' in text
    assert len(max(text.splitlines(), key=len)) < 300


def test_what_stands_on_one_side_alone() -> None:
    gone = Difference("findings[1]", {"title": "They wait \x1b[31m"}, NOTHING)
    new = Difference("gaps[0]", NOTHING, {"what": "No heap."})
    text = page(replace(FRESH, differences=(gone, new)))
    assert '"They wait ?[31m" is in the report, and does not follow from the evidence' in text
    assert '"No heap." follows from the evidence, and is not in the report' in text
    first, second = document(replace(FRESH, differences=(gone, new)))["differences"]
    assert "evidence" not in first
    assert "report" not in second


def test_another_version_and_what_to_do() -> None:
    found = replace(FRESH, made_by="0.0.1", missing=("cap/a", "cap/b", "other"), gone={"cap": 2})
    text = page(found)
    assert "made by oakum 0.0.1, this is 0.1.0" in text
    assert "cap: 2 captures" in text
    assert "cap/a" not in text
    assert "   other\n" in text
    assert "$ oakum report --recheck report.json EVIDENCE..." in text


def sides(*, unread: bool, cause: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a document, and the same derived without the source of its first finding."""
    ours = json.loads(json.dumps(diagnosis_document(rich())))
    theirs = json.loads(json.dumps(diagnosis_document(rich())))
    if not cause:
        theirs["findings"][0].update(cause=None, remedies=[], leads=[], confidence="possible")
        theirs.update(verdict="undecided")
    if unread:
        theirs["gaps"].append({**theirs["gaps"][0], "key": "gap.source-missing"})
    return ours, theirs


def test_what_depends_on_source_is_set_apart() -> None:
    ours, theirs = sides(unread=True, cause=False)
    ours["findings"][0]["sites"][0]["count"] = 1
    stand, apart = set_apart(differences(ours, theirs), ours, theirs, go=True)
    assert [one.path for one in stand] == ["findings[0].sites[0].count"]
    assert {why for why, _ in apart} == {"source"}
    assert {"verdict", "findings[0].cause", "findings[0].confidence"} <= {one.path for _, one in apart}


def test_a_cause_that_the_source_does_not_give_stands() -> None:
    ours, theirs = sides(unread=False, cause=False)
    stand, apart = set_apart(differences(ours, theirs), ours, theirs, go=True)
    assert "findings[0].cause" in {one.path for one in stand}
    assert apart == ()


def test_a_draft_needs_go() -> None:
    ours, theirs = sides(unread=False, cause=True)
    theirs["findings"][0]["remedies"][1]["compiled"] = None
    found = differences(ours, theirs)
    assert set_apart(found, ours, theirs, go=True) == (tuple(found), ())
    assert set_apart(found, ours, theirs, go=False) == ((), tuple(("go", one) for one in found))

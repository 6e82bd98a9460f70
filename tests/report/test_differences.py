"""Two documents side by side: each difference with its path, what is missing told once, and what there is counted."""

import copy
import json
from typing import Any

from diagnoses import rich
from oakum.report.differences import NOTHING, counted, differences, page_differences
from oakum.report.json import document


def saved() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(document(rich())))
    return found


def test_none() -> None:
    assert differences(saved(), saved()) == []


def test_a_number_is_told_with_its_path() -> None:
    other = saved()
    other["findings"][0]["growth"][0]["counts"][2] = 158
    (one,) = differences(saved(), other)
    assert (one.path, one.report, one.evidence) == ("findings[0].growth[0].counts[2]", 53, 158)


def test_what_is_missing_is_told_once() -> None:
    fewer = saved()
    gone = fewer["findings"].pop(0)
    (one,) = differences(fewer, saved())
    assert (one.path, one.report) == ("findings[0]", NOTHING)
    assert one.evidence["id"] == gone["id"]
    (other,) = differences(saved(), fewer)
    assert (other.path, other.evidence) == ("findings[0]", NOTHING)
    without = saved()
    del without["findings"][0]["evidence"][0]
    (claim,) = differences(without, saved())
    assert claim.evidence["kind"] == "steady-growth"


def test_kinds_of_values_differ() -> None:
    for ours, theirs in ((1, True), (0, False), (None, 0), ("1", 1), ([], {}), (1, 1.5)):
        assert len(differences({"x": ours}, {"x": theirs})) == 1
    assert differences({"x": 1}, {"x": 1.0}) == []


def test_a_field_is_missing() -> None:
    older = saved()
    del older["timeline"]
    assert [one.path for one in differences(older, saved())] == ["timeline"]
    assert [one.path for one in differences(saved(), older)] == ["timeline"]


def test_order_matters() -> None:
    turned = saved()
    turned["findings"].reverse()
    assert differences(turned, saved())
    longer = {"rows": list(range(5000))}
    changed = copy.deepcopy(longer)
    changed["rows"][4000] = -1
    assert [one.path for one in differences(longer, changed)] == ["rows[4000]"]


def test_counted() -> None:
    found = counted({"a": [1, 2.5, True, None, "3"], "b": {"key": "k", "args": {"n": 4}, "text": "t"}})
    assert (found.numbers, found.sentences) == (3, 1)


def test_the_text_of_pages() -> None:
    page = '<html><style>p{}</style><p title="all">160 <b>goroutines</b></p><script>var x = 1</script></html>'
    assert page_differences(page, page.replace("var x = 1", "")) == []
    (one,) = page_differences(page.replace("160", "158"), page)
    assert (one.report, one.evidence) == ("158", "160")
    assert [one.report for one in page_differences(page.replace("all", "some"), page)] == ["title=some"]
    assert page_differences(page + "<p>more</p>", page)[0].evidence is NOTHING
    long = "".join(f"<p>{at}</p>" for at in range(9000))
    (one,) = page_differences(long.replace("<p>4000</p>", "<p>3999</p><p>4000</p>"), long)
    assert (one.report, one.evidence) == ("3999", NOTHING)

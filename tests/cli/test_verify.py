"""Before and after a fix: each finding is gone, smaller, still there or new, by what each unit of work leaves of it."""

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from casebook.runner.case import CASEBOOK
from experiments import BATCHES, leaking, write_experiment
from oakum.collect.own_reports import is_report
from support import oakum

SIMULATOR = CASEBOOK / "open-simulator-88" / "captures"
VARIANTS = ("leaking", "fixed-scheduler", "fixed-informers", "fixed")


def verified(before: Path, after: Path, *words: str) -> tuple[int, dict[str, Any]]:
    told = oakum("verify", "--json", *words, before, after)
    assert "Traceback" not in told.err
    return told.code, json.loads(told.out)


def became(document: dict[str, Any]) -> list[str]:
    return [one["became"] for one in document["changes"]]


@pytest.fixture(scope="module")
def leak(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_experiment(tmp_path_factory.mktemp("leak"), leaking(1.0))


def test_a_leak_that_would_have_been_seen_is_gone(leak: Path, tmp_path: Path) -> None:
    code, told = verified(leak, write_experiment(tmp_path, [3] * 10))
    assert (code, told["verdict"], became(told)) == (0, "fixed", ["gone"])
    (change,) = told["changes"]
    assert change["before"]["value"] == pytest.approx(1.0, abs=0.02)
    assert change["after"]["value"] == 0
    assert 0 < change["after"]["smallest"] < 0.06  # of 270 requests after the first batch
    assert "would have been seen" in change["text"]


@pytest.mark.parametrize("left", [0.5, 0.1, 0.9])
def test_a_fix_that_leaves_a_part_has_its_ratio(leak: Path, tmp_path: Path, left: float) -> None:
    code, told = verified(leak, write_experiment(tmp_path, leaking(left)))
    assert (code, told["verdict"], became(told)) == (1, "leaks", ["smaller"])
    ratio = told["changes"][0]["ratio"]
    assert ratio["low"] <= left <= ratio["high"]
    assert ratio["value"] == pytest.approx(left, abs=0.03)


def test_the_same_leak_under_more_load_is_no_more_and_no_less(leak: Path, tmp_path: Path) -> None:
    batches = tuple(4 * size for size in BATCHES)
    code, told = verified(leak, write_experiment(tmp_path, leaking(1.0, batches=batches), batches=batches))
    assert (code, became(told)) == (1, ["same"])
    ratio = told["changes"][0]["ratio"]
    assert ratio["low"] <= 1 <= ratio["high"]


def test_what_only_after_has_is_new(leak: Path, tmp_path: Path) -> None:
    healthy = write_experiment(tmp_path, [3] * 10)
    code, told = verified(healthy, leak)
    assert (code, became(told)) == (1, ["new"])
    assert "verify.note.no-leak-before" in [one["key"] for one in told["notes"]]


def test_nothing_before_and_nothing_after_is_inconclusive(tmp_path: Path) -> None:
    before, after = (write_experiment(tmp_path / name, [3] * 10) for name in ("a", "b"))
    code, told = verified(before, after)
    assert (code, told["verdict"], became(told)) == (3, "undecided", [])


def test_too_little_work_is_inconclusive_and_says_how_much_more(tmp_path: Path) -> None:
    rare = write_experiment(tmp_path / "before", leaking(0.1))
    batches = (5, 5, 10, 7, 13, 10)
    code, told = verified(rare, write_experiment(tmp_path / "after", [3] * 10, batches=batches))
    assert (code, became(told)) == (3, ["unsettled"])
    why = told["changes"][0]["why"]
    assert why["key"] == "verify.why.power"
    assert why["args"]["more"] > 30
    text = oakum("verify", rare, tmp_path / "after" / "orders").out
    assert "INCONCLUSIVE" in text
    assert "$ oakum reproduce" in text


def test_a_load_that_did_not_reach_the_leak_is_inconclusive(leak: Path, tmp_path: Path) -> None:
    """A wrong path, a missing token: nothing stays, and nothing is fixed."""
    rejected = write_experiment(tmp_path / "rejected", [3] * 10, failed=300, status="404")
    code, told = verified(leak, rejected)
    assert (code, became(told), told["changes"][0]["why"]["key"]) == (3, ["unsettled"], "verify.why.failed-after")
    assert "404: 300" in oakum("verify", leak, rejected).out
    other = write_experiment(tmp_path / "other", [3] * 10, asked="GET /healthz")
    code, told = verified(leak, other)
    assert (code, told["changes"][0]["why"]["key"]) == (3, "verify.why.requests")
    headline = oakum("diagnose", "--no-source", rejected).out.partition("\n")[0]
    assert "All 300 requests failed (404: 300): are method, path, body and credentials right?" in headline


def test_sides_that_were_redacted_apart_are_compared_all_the_same(leak: Path, tmp_path: Path) -> None:
    """Their requests have other names on each side, and so have functions of their own; the work is the same."""
    made = [leak, write_experiment(tmp_path / "after", [3] * 10)]
    sides = [tmp_path / f"{at}.tar.gz" for at in range(2)]
    for plain, redacted in zip(made, sides, strict=True):
        assert oakum("capture", plain, "--redact", "-o", redacted).code == 0
    code, told = verified(sides[0], sides[1])
    assert (code, became(told)) == (0, ["gone"])


def test_a_leak_that_comes_with_each_error_is_judged_under_the_same_errors(tmp_path: Path) -> None:
    before = write_experiment(tmp_path / "before", leaking(1.0), failed=300, status="504")
    code, told = verified(before, write_experiment(tmp_path / "after", [3] * 10, failed=300, status="504"))
    assert (code, became(told)) == (0, ["gone"])


def test_one_snapshot_of_after_is_inconclusive(leak: Path, tmp_path: Path) -> None:
    after = write_experiment(tmp_path, [3] * 10) / "4" / "goroutine.txt"
    code, told = verified(leak, after)
    assert (code, told["changes"][0]["why"]["key"]) == (3, "verify.why.snapshots-after")


def test_a_saved_diagnosis_is_a_side_too(leak: Path, tmp_path: Path) -> None:
    fixed = write_experiment(tmp_path, [0] * 10)
    before, after = tmp_path / "before.json", tmp_path / "after.html"
    assert oakum("diagnose", "--no-source", leak, "-o", before).code == 1
    assert oakum("diagnose", "--no-source", fixed, "-o", after).code == 0
    code, told = verified(before, after)
    assert (code, became(told)) == (0, ["gone"])


def test_every_format_says_the_same_and_can_be_derived_again(leak: Path, tmp_path: Path) -> None:
    half = write_experiment(tmp_path / "half", leaking(0.5))
    names = {ending: tmp_path / f"fix.{ending}" for ending in ("json", "html", "md", "xml", "txt")}
    outputs = [word for name in names.values() for word in ("-o", str(name))]
    assert oakum("verify", leak, half, *outputs).code == 1
    text = {ending: name.read_text() for ending, name in names.items()}
    assert all("50%" in text[ending] for ending in ("html", "md", "xml", "txt"))
    assert 'class="line grew' in text["html"]  # both curves
    assert text["html"].count("<polyline") >= 2
    suite = ElementTree.fromstring(text["xml"])
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    assert all(is_report(text[ending].encode()) for ending in ("json", "html", "md", "xml"))
    for ending in ("json", "html"):
        again = oakum("report", "--recheck", names[ending])
        assert (again.code, "IDENTICAL" in again.out) == (0, True), again.out
        assert oakum("report", names[ending], "-o", tmp_path / f"again-{ending}.md").code == 0
    changed = text["json"].replace('"became": "smaller"', '"became": "gone"')
    names["json"].write_text(changed)
    assert oakum("report", "--recheck", names["json"]).code == 1
    (half / "5" / "goroutine.txt").write_text("goroutine 1 [running]:\nmain.main()\n\t/srv/main.go:1 +0x1\n")
    assert oakum("report", "--recheck", names["html"]).code == 1


def test_it_is_said_in_chinese(leak: Path, tmp_path: Path) -> None:
    half = write_experiment(tmp_path / "half", leaking(0.5))
    text = oakum("verify", "--lang", "zh", leak, half).out
    assert "仍在泄漏" in text
    assert not re.search(r"\b(before|after|requests?|goroutines)\b", text)


@pytest.mark.slow
def test_each_fix_of_three_uncovers_or_leaves_the_next() -> None:
    """Captures of an ordinary service, without an experiment: the goroutines that it started are its work."""
    sides = [SIMULATOR / f"{name}-go1.26-modcache" for name in VARIANTS]
    told = [verified(before, after)[1] for before, after in pairwise(sides)]
    assert [sorted(became(one)) for one in told] == [["gone", "same", "same"], ["gone", "same"], ["gone"]]
    gone = [next(row["function"] for row in one["changes"] if row["became"] == "gone") for one in told]
    assert [name.rpartition("/")[2] for name in gone] == [
        "queue.(*PriorityQueue).Pop", "cache.(*DeltaFIFO).Pop", "watch.(*Broadcaster).loop",
    ]  # fmt: skip
    code, all_of_it = verified(sides[0], sides[-1])
    assert (code, became(all_of_it)) == (0, ["gone"] * 3)


def test_two_programs_are_not_compared(leak: Path, tmp_path: Path) -> None:
    other = CASEBOOK / "rancher-30122" / "captures"
    build = next(path for path in sorted(other.iterdir()) if path.is_dir())
    code, told = verified(SIMULATOR / "leaking-go1.26-modcache", build)
    assert code == 3
    assert {one["why"]["key"] for one in told["changes"]} == {"verify.why.program"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("before",), "two sides"),
        ((), "two sides"),
        (("a", "b", "--enforce"), "--enforce needs --test"),
        (("a", "b", "--test", "./x"), "exclude each other"),
        (("--test", "./nowhere"), "no such directory"),
        (("--test", ".", "--write-baseline"), "needs --baseline"),
        (("--test", ".", "--env", "A B=1"), "NAME"),
        (("--test", ".", "--baseline", "none.json"), "no such file"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(words: tuple[str, ...], told: str) -> None:
    answer = oakum("verify", *words)
    assert (answer.code, told in answer.err) == (2, True), answer.err

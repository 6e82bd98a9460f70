"""What stays after tests, for people and for programs: a leak of the baseline is told apart and fails nothing."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from experiments import leaking, write_experiment
from oakum.cli.case import case
from oakum.model import Diagnosis, Slope, Unreadable
from oakum.model import tested as model
from oakum.pipeline.diagnosis import Options, diagnose_case
from oakum.report.markdown import render as markdown
from oakum.report.page import tested as page
from oakum.report.tested import annotations, baseline, document, fingerprint, junit, read_baseline, sarif

HOSTILE = "Test::error file=x,line=1::owned\n::set-env name=PATH::x"


@pytest.fixture(scope="module")
def diagnosis(tmp_path_factory: pytest.TempPathFactory) -> Diagnosis:
    folder = write_experiment(tmp_path_factory.mktemp("orders"), leaking(1.0))
    return diagnose_case(case((str(folder),)), Options(read_source=False)).diagnosis


@pytest.fixture
def run(diagnosis: Diagnosis) -> model.TestRun:
    (found,) = diagnosis.findings
    slope = Slope("goroutines", 1.0, 0.93, 1.07, stays=True)
    leak = model.Tested("shop/orders", "TestFetch", "test", "passed", 6, diagnosis, {found.id: slope})
    healthy = replace(leak, name="TestList", diagnosis=replace(diagnosis, verdict="healthy", findings=()))
    skipped = model.Tested("shop/orders", "TestSkipped", "test", "idle")
    return model.TestRun((leak, healthy, skipped), 6, 1.0, {"shop/broken": "broken.go:3:1: syntax error"})


def with_known(run: model.TestRun) -> model.TestRun:
    first, *rest = run.tests
    return replace(run, tests=(replace(first, known=frozenset(one.id for one in first.leaks)), *rest))


def test_the_document_has_each_test_with_its_leaks(run: model.TestRun) -> None:
    told = json.loads(json.dumps(document(run)))
    assert (told["schema"], told["verdict"]) == ("oakum.tests/1", "leaking")
    assert [len(row["leaks"]) for row in told["tests"]] == [1, 0, 0]
    (leak,) = told["tests"][0]["leaks"]
    assert leak["per_iteration"]["value"] == 1.0
    assert leak["fingerprint"].startswith("shop/orders/TestFetch:")
    assert told["tests"][0]["diagnosis"]["schema"] == "oakum.diagnosis/1"
    assert document(with_known(run))["verdict"] == "healthy"


def test_a_suspicion_is_not_said_to_be_nothing(run: model.TestRun) -> None:
    first, *rest = run.tests
    assert first.diagnosis is not None
    (found,) = first.diagnosis.findings
    perhaps = replace(first.diagnosis, verdict="undecided", findings=(replace(found, confidence="possible"),))
    unsure = replace(run, tests=(replace(first, diagnosis=perhaps), *rest))
    assert document(unsure)["verdict"] == "healthy"
    assert "No leak in 2 tests; 1 suspicion, not confirmed" in page.tested_page(unsure, "en").verdict
    few = replace(unsure, count=2)
    assert document(few)["verdict"] == "undecided"
    assert "too few iterations to tell; `-count 6` does" in page.tested_page(few, "en").verdict


@pytest.mark.parametrize(
    ("lang", "said"), [("en", "1.00 [0.93, 1.07] goroutines stay per iteration"), ("zh", "每次迭代有 1.00")]
)
def test_the_page_names_the_leak_and_every_test(run: model.TestRun, lang: str, said: str) -> None:
    text = markdown(page.tested_page(run, lang)).replace("\\", "")
    assert said in text
    assert all(name in text for name in ("TestFetch", "TestList", "TestSkipped", "shop/broken"))
    assert "oakum verify --test shop/orders -run" in text


def test_junit_fails_what_leaks_and_nothing_that_is_known(run: model.TestRun) -> None:
    suite = ElementTree.fromstring(junit(run, "en"))
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["3", "1", "1", "1"]
    assert ElementTree.fromstring(junit(with_known(run), "en")).get("failures") == "0"


def test_sarif_has_a_result_a_leak_and_suppresses_what_is_known(run: model.TestRun) -> None:
    (made,) = sarif(run, "en")["runs"]
    (result,) = made["results"]
    assert made["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    assert "TestFetch" in result["message"]["text"]
    assert "suppressions" not in result
    assert sarif(with_known(run), "en")["runs"][0]["results"][0]["suppressions"]


def test_an_annotation_is_one_line_whatever_a_name_says(run: model.TestRun) -> None:
    hostile = replace(run, tests=tuple(replace(one, name=HOSTILE) for one in run.tests))
    text = annotations(hostile, "en", lambda file: f"a,b:{file}\n")
    assert text.count("\n") == 1
    assert text.startswith("::error file=a%2Cb%3A")
    assert annotations(with_known(run), "en", str) == ""


def test_a_baseline_is_read_back(run: model.TestRun) -> None:
    known = read_baseline(baseline(run, ["shop/other/TestX:0123"]).encode())
    first = run.tests[0]
    assert known == {fingerprint(first, first.leaks[0]), "shop/other/TestX:0123"}


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b'{"schema": "x", "leaks": []}', b'{"schema": 1}', b"\xff"])
def test_what_is_no_baseline_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable):
        read_baseline(data)


def test_captures_of_a_test_are_a_bundle_like_any_other(tmp_path: Path, run: model.TestRun) -> None:
    kept = replace(run, tests=tuple(replace(one, captures=str(tmp_path)) for one in run.tests))
    assert str(tmp_path) in markdown(page.tested_page(kept, "en")).replace("\\", "").replace("\u200b", "")

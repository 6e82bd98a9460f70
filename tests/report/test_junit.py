"""A diagnosis as JUnit XML: what fails, what is skipped, what passes, and that no evidence breaks the XML."""

from typing import Any, cast
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from diagnoses import empty, heap_leak, rich
from oakum.model import Diagnosis, Gap, ProcessRow, Text
from oakum.report.junit import render

HOSTILE = "</testcase><script>\x1b[31m\x00\ufffe\udc80\u202e]]>&\"'"


def suite(of: Diagnosis, lang: str = "en") -> ElementTree.Element:
    text = render(of, lang).encode("utf-8", "backslashreplace")
    top = ElementTree.fromstring(text)
    assert top.tag == "testsuites"
    (found,) = top
    cases = found.findall("testcase")
    counts = {"tests": len(cases), "failures": len(found.findall(".//failure")), "errors": 0, "skipped": len(found.findall(".//skipped"))}  # fmt: skip
    for name, count in counts.items():
        assert found.get(name) == top.get(name) == str(count)
    return found


def test_a_finding_fails_and_a_possible_one_is_skipped() -> None:
    likely, possible, harmless = suite(rich()).findall("testcase")
    (failure,) = likely
    assert likely.get("name") == "abandoned-sender [a1b2c3]"
    assert likely.get("classname") == "oakum.orders"
    assert (likely.get("file", "").rpartition("/")[2], likely.get("line")) == ("streamwatcher.go", "127")
    assert failure.tag == "failure"
    assert failure.get("type") == "abandoned-sender"
    assert failure.get("message", "").startswith("likely: ")
    body = failure.text or ""
    for part in ("growth: goroutines 3 -> ? -> 53 -> 1,103", "kubernetes-98653", "v0.21.0", "case/after/goroutine.txt", "oakum goroutines --stacks"):  # fmt: skip
        assert part in body
    assert [child.tag for child in possible] == ["skipped", "system-out"]
    assert harmless.get("name") == "found harmless"
    assert [child.tag for child in harmless] == ["system-out"]


def test_what_runs_stands_in_the_properties() -> None:
    found = {one.get("name"): one.get("value") for one in suite(rich()).findall("properties/property")}
    assert found["verdict"] == "leaking"
    assert (found["process.p1"], found["process.p2"]) == ("orders", "stock")
    assert (found["process.p1.go"], found["process.p1.version"]) == ("go1.26.8", "(devel)")
    assert (found["moments"], found["captures"]) == ("4", "2")


def test_healthy_passes_and_undecided_is_skipped() -> None:
    (passes,) = suite(empty()).findall("testcase")
    assert (passes.get("name"), [child.tag for child in passes]) == ("no leak", ["system-out"])
    gap = Gap(Text("gap.second-moment"), Text("gap.second-moment.why"), command="oakum diagnose a b")
    undecided = replace(empty(), verdict="undecided", summary=Text("verdict.undecided", {"findings": 0}), gaps=(gap,))
    (skipped,) = suite(undecided).findall("testcase")
    assert [child.tag for child in skipped] == ["skipped", "system-out"]
    assert "oakum diagnose a b" in (skipped[1].text or "")
    also = replace(undecided, findings=(heap_leak(),))
    assert [one.get("name") for one in suite(also).findall("testcase")] == ["growing-container [d4e5f6]", "no leak"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_evidence_breaks_it(lang: str) -> None:
    found = replace(
        heap_leak(),
        mechanism=cast(Any, HOSTILE),
        title=Text(HOSTILE, {"x": HOSTILE}),
        confidence="proven",
        commands=(HOSTILE,),
    )
    odd = replace(rich(), findings=(found,), processes=(ProcessRow("p1", HOSTILE),), called=(HOSTILE,))
    (case, *_) = suite(odd, lang).findall("testcase")
    assert case.get("name", "").startswith("</testcase><script>\\x1b[31m\\x00\\ufffe")
    assert "\u202e" not in render(odd, lang)
    long = replace(found, title=Text("x" * 1_000_000))
    text = render(replace(odd, findings=(long,)), lang)
    assert len(text) < 100_000
    assert "characters more" in text


def test_in_chinese() -> None:
    (failure,) = suite(rich(), "zh").findall(".//failure")
    assert failure.get("message", "").startswith("很可能：")
    assert "位置：k8s.io/apimachinery" in (failure.text or "")

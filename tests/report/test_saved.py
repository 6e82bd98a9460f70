"""A saved diagnosis read again: nothing of it is lost, and no document makes it, or what shows it, stumble."""

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casebook.runner.case import chosen
from diagnoses import FIRST, empty, rich
from oakum.cli.case import case
from oakum.cli.with_source import Reading, read
from oakum.model import Diagnosis, Finding, Gap, Memory, Point, Text, Unreadable
from oakum.report.json import document
from oakum.report.pen import Look
from oakum.report.saved import builds, diagnosis, findings, is_saved
from oakum.report.terminal import render
from support import ROOT


def saved(of: Diagnosis | None = None) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(document(of or rich())))
    return found


def page(of: Diagnosis, lang: str) -> str:
    return render(of, Look(None, lang, lambda text, *_: text, lambda text: text, len))


def test_what_is_shown_comes_back() -> None:
    first, second = findings(saved())
    truth = rich().findings[0]
    assert (first.id, first.rank, first.mechanism, first.confidence) == ("a1b2c3", 1, "abandoned-sender", "likely")
    assert first.title == truth.title
    assert first.cause == truth.cause
    assert first.remedies == truth.remedies
    assert first.leads == truth.leads
    assert first.known == truth.known
    assert first.suspect.sites == truth.suspect.sites
    assert first.suspect.victims == truth.suspect.victims
    assert first.suspect.evidence == truth.suspect.evidence
    assert second.cause is None
    assert second.suspect.path == rich().findings[1].suspect.path
    assert findings(document(empty())) == ()
    assert builds(saved()) == (rich().processes[0].build,)


def everything() -> Diagnosis:
    """Return the rich diagnosis with what it lacks: a time line, a gap whose reason has its own arguments."""
    points = (Point("p1", None, "before", totals={"goroutines": 3}), Point("p1", None, "x", True, False, {}, (FIRST,)))
    gap = Gap(Text("gap.second-moment"), Text("gap.source-differs", {"function": "main.f", "place": "a.go:1"}), "")
    first, *others = rich().findings
    growth = tuple(replace(one, per_hour=41.25) for one in first.suspect.growth)  # JSON has no NaN
    found = (replace(first, suspect=replace(first.suspect, growth=growth)), *others)
    return replace(rich(), findings=found, timeline=points, gaps=(*rich().gaps, gap), tool="0.0.9")


@pytest.mark.parametrize("name", ["everything", "empty", "one-memory"])
def test_the_same_document_comes_out(name: str) -> None:
    alone = replace(empty(), memory=(Memory(rss=7),))
    of = {"everything": everything(), "empty": empty(), "one-memory": alone}[name]
    back = diagnosis(saved(of))
    assert saved(back) == saved(of)
    assert page(back, "en") == page(of, "en")
    assert page(back, "zh") == page(of, "zh")


def recorded() -> list[tuple[str, str]]:
    """Return every recorded take of the casebook."""
    return [(one.name, take.name) for one in chosen(()) for take in one.takes if (one.captures / take.name).is_dir()]


SAMPLE = ("kubernetes-98653", "healthy-live-streams", "off-heap-geoindex")


def six_digits(found: Finding) -> Finding:
    """Return a finding whose rates have no more digits than are stored."""
    growth = tuple(
        one if one.per_hour is None else replace(one, per_hour=float(f"{one.per_hour:.6g}"))
        for one in found.suspect.growth
    )
    return replace(found, suspect=replace(found.suspect, growth=growth))


def comes_back(name: str, take: str, *sources: bool) -> None:
    """Diagnose a take, with its source or without, and read what was stored of it back."""
    home = ROOT / "casebook" / name
    given = case([str(home / "captures" / take)])
    for with_source in sources:
        how = Reading((str(home),) if with_source else (), reads=with_source, compiles=False)
        made = read(given, how, lambda _: None).diagnosis
        made = replace(
            made,
            findings=tuple(map(six_digits, made.findings)),
            called=("--source", str(home), str(home / "captures" / take)),
        )
        back = diagnosis(saved(made))
        assert saved(back) == saved(made)
        assert page(back, "en") == page(made, "en")
        assert page(back, "zh") == page(made, "zh")


@pytest.mark.parametrize("name", SAMPLE)
def test_recordings_come_back(name: str) -> None:
    take = next(take for case_, take in recorded() if case_ == name)
    comes_back(name, take, True)


@pytest.mark.slow
def test_every_recording_comes_back() -> None:
    takes = recorded()
    assert len(takes) > 150
    for name, take in takes:
        comes_back(name, take, True, False)


def test_documents_of_before_are_read() -> None:
    """A field that was added later is empty, and a reason whose key was not kept is found by its words."""
    old = saved(everything())
    for name in ("timeline", "called", "memories"):
        del old[name]
    for gap in old["gaps"]:
        del gap["why_key"], gap["why_args"]
    back = diagnosis(old)
    assert (back.timeline, back.called) == ((), ())
    assert [gap.why.key for gap in back.gaps] == ["gap.heap.why", "known.words"]
    assert [gap["why"] for gap in document(back)["gaps"]] == [gap["why"] for gap in old["gaps"]]


def test_what_is_no_diagnosis() -> None:
    assert is_saved(saved())
    assert is_saved({"schema": "oakum.diagnosis/9"})
    others: list[object] = [{}, [], None, 3, {"schema": "speedscope"}, {"schema": 1}]
    assert not any(map(is_saved, others))
    with pytest.raises(Unreadable, match=r"this version reads oakum\.diagnosis/1"):
        findings({"schema": "oakum.diagnosis/9"})


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("verdict", "splendid", "verdict .* one of leaking, healthy, undecided is expected, not 'splendid'"),
        ("findings.0.confidence", "very", r"findings\[0\] .* one of proven"),
        ("findings.0.rank", True, r"findings\[0\] .* a whole number is expected, not true or false"),
        ("findings.0.sites", {}, r"findings\[0\] .* a list is expected, not an object"),
        ("findings.0.sites", [], r"findings\[0\] .* it has no sites"),
        ("findings.1.growth.0.counts.0", 10**309, r"findings\[1\] .* too large"),
        ("findings.0.growth.0.per_hour", 1e308, r"findings\[0\] .* too large"),
        ("findings.0.rank", 1.5, r"findings\[0\] .* a whole number is expected, not 1\.5"),
        ("findings.0.args", {"count": {"x": 1}}, "a whole number is expected, not an object"),
        ("inputs.0.taken_at", "yesterday", r"inputs\[0\] .*yesterday"),
        ("moments.0.at", "2026-03-01T12:00:00", "without its zone"),
        ("moments", 7, "moments .* a list is expected, not a number"),
        ("memory", None, "memory"),
        ("processes.0.build.modules", [], r"processes\[0\]"),
    ],
)
def test_what_is_wrong_is_said(path: str, value: object, said: str) -> None:
    broken: Any = saved()
    if path == "memory":
        broken["memories"] = []
    *way, last = path.split(".")
    at = broken
    for step in way:
        at = at[int(step) if isinstance(at, list) else step]
    at[int(last) if isinstance(at, list) else last] = value
    with pytest.raises(Unreadable, match=said):
        diagnosis(broken)
    missing = saved()
    del missing["gaps"]
    with pytest.raises(Unreadable, match="has no gaps"):
        diagnosis(missing)
    del missing["findings"][0]["evidence"]
    with pytest.raises(Unreadable, match=r"findings\[0\] has no evidence"):
        diagnosis(missing)


PARTS = (
    "sites", "victims", "cause", "remedies", "leads", "args", "rank", "title", "key", "id", "growth", "share", "evidence",
    "known", "path", "commands",
)  # fmt: skip
TOP = ("summary", "processes", "moments", "explained", "memory", "memories", "gaps", "inputs", "timeline", "called")
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from([*PARTS, "marks", "0"]), inner, max_size=2),
    max_leaves=4,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(PARTS), st.sampled_from(TOP), ODD)
def test_any_document_is_read_or_refused(part: str, top: str, odd: Any) -> None:
    broken = saved()
    broken["findings"][0][part] = odd
    with suppress(Unreadable):
        assert len(findings(broken)) == 2
        page(diagnosis(broken), "zh")
    broken["processes"][0]["build"] = odd
    with suppress(Unreadable):
        builds(broken)
    broken = saved() | {top: odd}
    with suppress(Unreadable):
        page(diagnosis(broken), "en")

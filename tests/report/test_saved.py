"""A saved diagnosis read again: nothing of it is lost, and no document makes it, or what shows it, stumble."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from casebook.runner.case import chosen
from diagnoses import FIRST, empty, rich
from oakum.cli.case import case
from oakum.model import Diagnosis, Finding, Gap, Memory, Point, Problem, Text, Unreadable
from oakum.model.vocabulary import EVIDENCE
from oakum.pipeline.diagnosis import Options, diagnose_case
from oakum.report.former import FORMER_KEYS
from oakum.report.json import diagnosis, document, is_saved
from oakum.report.page.compose import compose
from oakum.report.pen import Look
from oakum.report.terminal import render
from oakum.report.words import WORDS
from support import ROOT, quoted


def saved(of: Diagnosis | None = None) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(document(of or rich())))
    return found


def page(of: Diagnosis, lang: str) -> str:
    return render(compose(of, lang), Look(None, lang, lambda text, *_: text, lambda text: text, len))


def test_what_is_shown_comes_back() -> None:
    first, second = diagnosis(saved()).findings
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
    assert diagnosis(document(empty())).findings == ()
    assert diagnosis(saved()).processes[0].build == rich().processes[0].build


def test_problems_come_back_with_key_and_arguments() -> None:
    told = Problem.of("records-missing", "line 1", noun="goroutines", declared=1103, read=1000, missing=103)
    of = replace(rich(), inputs=(replace(rich().inputs[0], problems=(told,)),))
    (row,) = saved(of)["inputs"][0]["problems"]
    assert row["key"] == "records-missing"
    assert row["text"] == "The profile announces 1,103 goroutines, 1,000 were read: 103 missing"
    assert diagnosis(saved(of)).inputs[0].problems == (told,)


@pytest.mark.parametrize("key", [None, "problem.of-a-later-version"])
def test_a_problem_without_words_of_ours_shows_its_stored_text(key: str | None) -> None:
    stored = saved()
    row = {"key": "cut", "text": "Of another version: it is cut.", "where": "line 9"}
    stored["inputs"][0]["problems"] = [row | ({"text_key": key, "text_args": {"x": 1}} if key else {})]
    (problem,) = diagnosis(stored).inputs[0].problems
    assert problem == quoted("cut", "Of another version: it is cut.", "line 9")
    assert "Of another version: it is cut." in page(diagnosis(stored), "zh")


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
        how = Options((str(home),) if with_source else (), read_source=with_source, compile_drafts=False)
        made = diagnose_case(given, how).diagnosis
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
        diagnosis({"schema": "oakum.diagnosis/9"})


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("verdict", "splendid", "its verdict is not as one is written: Invalid enum value 'splendid'"),
        ("findings.0.confidence", "very", r"its findings\[0\]\.confidence is .* 'very'"),
        ("findings.0.rank", True, r"its findings\[0\]\.rank .* Expected `int`, got `bool`"),
        ("findings.0.sites", {}, r"findings\[0\]\.sites .* Expected `array`, got `object`"),
        ("findings.0.sites", [], r"findings\[0\]\.sites .* of length >= 1"),
        ("findings.0.evidence.0.capture", "", r"findings\[0\]\.evidence\[0\]\.capture .* of length >= 1"),
        ("findings.1.growth.0.counts.0", 10**309, r"its findings\[1\]\.growth\[0\]\.counts\[0\] is .* too large"),
        ("findings.0.growth.0.per_hour", 1e308, r"findings\[0\]\.growth\[0\]\.per_hour .* <= 1e\+30"),
        ("findings.0.rank", 1.5, r"findings\[0\]\.rank .* Expected `int`, got `float`"),
        ("findings.0.args", {"count": {"x": 1}}, r"findings\[0\]\.args.* got `object`"),
        ("findings.0.args", {"count": 10**309}, r"its findings\[0\]\.args\.count is .* too large"),
        ("inputs.0.taken_at", "yesterday", r"inputs\[0\]\.taken_at .*Invalid RFC3339"),
        ("moments.0.at", "2026-03-01T12:00:00", r"moments\[0\]\.at .*with a timezone"),
        ("moments", 7, "its moments .* Expected `array`, got `int`"),
        ("memory", None, "its memory .* got `null`"),
        ("processes.0.build.modules", [], r"its processes\[0\]\.build\.modules"),
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
    with pytest.raises(Unreadable, match="missing required field `gaps`"):
        diagnosis(missing)
    del missing["findings"][0]["evidence"]
    with pytest.raises(Unreadable, match=r"findings\[0\] .* missing required field `evidence`"):
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
        read = diagnosis(broken)
        assert len(read.findings) == 2
        page(read, "zh")
    broken["processes"][0]["build"] = odd
    with suppress(Unreadable):
        diagnosis(broken)
    broken = saved() | {top: odd}
    with suppress(Unreadable):
        page(diagnosis(broken), "en")


@pytest.mark.parametrize("name", ["queue", "heap"])
def test_kinds_of_evidence_are_read_by_their_former_names(name: str) -> None:
    """Written by 0.1, which called steady growth `gains`, a baseline `baseline`, and a pile-up `crowd`."""
    stored = json.loads((Path(__file__).parent / "testdata" / "former" / f"{name}.json").read_text(encoding="utf-8"))
    back = diagnosis(stored)
    claims = [one for found in back.findings for one in found.suspect.evidence]
    assert claims
    assert {one.kind for one in claims} <= set(EVIDENCE)
    assert {one.claim.key for one in claims} | {one.title.key for one in back.explained} <= WORDS.keys()
    assert len(claims) == sum(len(found["evidence"]) for found in stored["findings"])
    for lang in ("en", "zh"):
        shown = page(back, lang)
        assert not [key for key in FORMER_KEYS if key in shown]

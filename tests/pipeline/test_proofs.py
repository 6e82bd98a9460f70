"""A proof becomes evidence of its finding, and is told in the report, in both languages; a stored one is kept."""

import json

from msgspec.structs import replace

from diagnoses import rich
from oakum.model import Attempt, Diagnosis, Proof, Text
from oakum.pipeline.proofs import proofs_of, with_proofs
from oakum.report.json import diagnosis as diagnosis_of
from oakum.report.json import document
from oakum.report.markdown import render
from oakum.report.page.compose import compose
from oakum.report.page.incident import incident

HELD = Proof(
    tried=3, test="package main\n\nfunc TestX() {}\n", path="desk/x_test.go", name="TestX",
    command="go test -run '^TestX$' -count=3 ./desk", function="(*Desk).Quote", calls=40,
    before=(Attempt(False, 40),) * 3, after=(Attempt(True, 0),) * 3, seconds=20.5,
)  # fmt: skip
NONE = Proof(tried=5, why_not=Text("proof.none.no-failure", {"tried": 5, "failed": 0, "why": ""}))


def markdown(diagnosis: Diagnosis, lang: str) -> str:
    return render(compose(diagnosis, lang))


def proven(proof: Proof) -> Diagnosis:
    given = rich()
    finding = given.findings[0]
    diff = next(remedy.diff for remedy in finding.remedies if remedy.diff)
    return with_proofs(given, {(finding.id, diff): proof})


def test_a_proof_is_evidence() -> None:
    finding = proven(HELD).findings[0]
    (shown,) = [one for one in finding.suspect.evidence if one.kind == "proven-by-test"]
    assert (shown.where, shown.excerpt) == (HELD.path, HELD.command)
    assert not [one for one in proven(NONE).findings[0].suspect.evidence if one.kind == "proven-by-test"]


def test_a_suspicion_that_a_test_shows_is_a_leak() -> None:
    given = rich()
    finding = given.findings[0]
    weak = replace(
        finding, suspect=replace(finding.suspect, evidence=finding.suspect.evidence[:0]), confidence="possible"
    )
    undecided = replace(given, findings=(weak,), verdict="undecided")
    diff = next(remedy.diff for remedy in finding.remedies if remedy.diff)
    judged = with_proofs(undecided, {(finding.id, diff): HELD})
    assert (judged.findings[0].confidence, judged.verdict) == ("likely", "leaking")
    assert with_proofs(undecided, {}) == undecided


def test_it_is_stored_and_read_again() -> None:
    for proof in (HELD, NONE):
        told = proven(proof)
        stored = json.loads(json.dumps(document(told)))
        assert list(proofs_of(diagnosis_of(stored).findings).values()) == [proof]


def test_it_is_told_in_both_languages() -> None:
    english, chinese = (markdown(proven(HELD), lang) for lang in ("en", "zh"))
    for text in (english, chinese):
        assert "func TestX() {}" in text
        assert HELD.command in text
        assert "40, 40, 40" in text
    assert "No test offered: 5 drafted tests ran" in markdown(proven(NONE), "en")
    assert "未提供测试" in markdown(proven(NONE), "zh")


def test_a_post_mortem_says_what_is_verified() -> None:
    text = render(incident(proven(HELD), "en"))
    assert "A test fails without the draft patch and passes with it" in text
    assert "The test `TestX` failed 3 times without the draft patch for cause 1" in text

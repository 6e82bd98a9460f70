"""Cases whose heap was dumped (casebook/CASE/holders): the right holder is named, the mechanism is right, and what is
healthy is not accused. `python -m casebook.runner holders CASE` records them again."""

import tomllib
from pathlib import Path

import pytest

from casebook.runner.case import case as case_of
from casebook.runner.expectation import expectation
from diagnosed import at_the_root
from oakum.cli.case import case
from oakum.diagnose import diagnose
from oakum.model import Diagnosis
from support import ROOT

CASES = ROOT / "casebook"
RECORDED = sorted(path.relative_to(CASES) for path in CASES.glob("*/holders/*") if path.is_dir())
TRUTHS = tomllib.loads((Path(__file__).parent / "holders.toml").read_text(encoding="utf-8"))


def made(recorded: Path) -> Diagnosis:
    with at_the_root():
        return diagnose(case((f"casebook/{recorded}",)))


def told(diagnosis: Diagnosis) -> list[tuple[str, str, str]]:
    """Return what is said of holders: the mechanism, how sure it is, and the name of the holder."""
    return [
        (finding.mechanism, finding.confidence, str(evidence.where))
        for finding in diagnosis.findings
        for evidence in finding.suspect.evidence
        if evidence.kind == "held-by"
    ]


def test_every_recording_has_its_truth() -> None:
    assert {str(path) for path in RECORDED} == {
        f"{name}/holders/{build}" for name, one in TRUTHS.items() for build in one
    }


@pytest.mark.parametrize("recorded", RECORDED, ids=str)
def test_the_right_holder_is_named(recorded: Path) -> None:
    name, _, build = recorded.parts
    truth = TRUTHS[name][build]
    diagnosis = made(recorded)
    assert diagnosis.verdict == truth.get("verdict", "leaking")
    if diagnosis.verdict == "healthy":
        assert not diagnosis.findings
        return
    mechanism = truth.get("mechanism") or expectation(case_of(name), build).findings[0].mechanism
    first = diagnosis.findings[0]
    assert (first.mechanism, first.confidence) == (mechanism, "likely")
    if "holder" in truth:
        assert (mechanism, "likely", truth["holder"]) in told(diagnosis)
        assert first.suspect.kinds.any("held-growth", "held-steady-growth")

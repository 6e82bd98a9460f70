"""Mitigation, permanent fix, upstream; how to check it afterwards."""

import pytest
from msgspec.structs import replace

from diagnosed import diagnosed
from diagnoses import RECEIVE, changed, heap_leak, leak, rich
from oakum.model import Diagnosis, Finding, Frame, Memory, Remedy, Site, Text
from oakum.report.page.blocks import Block, Command, Diff, Facts, Fold, Link, Para, walk
from oakum.report.page.derive import Derive
from oakum.report.page.speech import Speech
from oakum.report.page.todo import checks, todo


def told(found: Finding, diagnosis: Diagnosis | None = None, lang: str = "en") -> dict[str, list[Block]]:
    (facts,) = todo(Speech(lang), diagnosis or rich(), found)
    assert isinstance(facts, Facts)
    return {fact.label: walk(fact.blocks) for fact in facts.facts}


def words(blocks: list[Block]) -> str:
    return " ".join(block.text for block in blocks if isinstance(block, Para | Link))


def known(found: Finding, **change: object) -> Finding:
    return changed(found, known=(replace(found.known[0], **change),), leads=())


def test_a_restart_helps_until_it_is_mended_and_upgrades_mend_it() -> None:
    said = told(leak())
    assert list(said) == ["mitigation", "permanent fix", "upstream"]
    assert "Restart orders before it runs out of memory" in words(said["mitigation"])
    assert "limit of 1.0 GiB in about 3 h 20 min" in words(said["mitigation"])
    assert words(said["permanent fix"]).startswith("upgrade: k8s.io/apimachinery v0.21.0 or later.")
    assert [type(block) for block in said["permanent fix"] if isinstance(block, Diff)] == [Diff]
    assert "Known as kubernetes-98653 and fixed upstream" in words(said["upstream"])
    assert any(isinstance(block, Fold) for block in said["upstream"])  # what a later release changed


def test_mitigations_come_now_and_a_restart_is_not_told_twice() -> None:
    eases = Remedy("mitigate", Text("known.words", {"en": "Restart the servers one by one.", "zh": "逐个重启。"}))
    said = told(changed(leak(), remedies=(eases,)))
    assert words(said["mitigation"]) == "Restart the servers one by one."
    assert "permanent fix" not in said


def test_a_suspicion_is_settled_first() -> None:
    said = told(heap_leak())
    assert words(said["mitigation"]).startswith("None yet: this is a suspect.")
    assert said["permanent fix"]  # what follows from the mechanism


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"fixed": ()}, "not fixed in any release: add these numbers to the upstream issue"),
        ({"fixed": (), "fault": "usage"}, "fix the code that calls"),
        ({"affects_build": "unknown"}, "the version of k8s.io/apimachinery is unknown"),
        ({"affects_build": "no"}, "the fix is incomplete"),
    ],
)
def test_upstream_is_told_what_it_does_not_know(change: dict[str, object], text: str) -> None:
    assert text in words(told(known(leak(), **change))["upstream"])


@pytest.mark.parametrize(
    ("frame", "driver", "text"),
    [
        (RECEIVE, None, "The code belongs to k8s.io/apimachinery: report it there"),
        (RECEIVE, "main.run", "called from your `main.run`: check that call first"),
        (Frame("main.work", "/srv/x/main.go", 3), None, "Your own code (main)"),
        (Frame("net.(*netFD).Read", "/usr/local/go/src/net/fd_posix.go", 5), "main.run", "Your own code (main)"),
        (Frame("net.(*netFD).Read", "/usr/local/go/src/net/fd_posix.go", 5), None, "Not a known bug."),
        (Frame("(process)"), None, "Not a known bug."),
    ],
)
def test_whose_code_it_is_says_whom_to_tell(frame: Frame, driver: str | None, text: str) -> None:
    sites = [Site("blocked", frame, "select", 3)]
    sites += [Site("driver", Frame(driver, "/srv/x/main.go", 9))] if driver else []
    found = changed(leak(), known=(), leads=(), cause=None, suspect=replace(leak().suspect, sites=tuple(sites)))
    assert text in words(told(found)["upstream"])


def test_no_address_but_of_the_web_is_linked() -> None:
    found = known(leak(), references=("javascript:alert(1)", "https://example.com/1"))
    assert [block.to for block in told(found)["upstream"] if isinstance(block, Link)] == ["https://example.com/1"]


def test_the_check_names_the_finding_and_what_must_come_out() -> None:
    diagnosis = diagnosed("leaking")
    found = diagnosis.findings[0]
    blocks = list(checks(Speech("en"), diagnosis, Derive(diagnosis), found))
    assert f"finding `{found.id}` no longer appears" in words(blocks)
    assert "in this evidence: 0 → 80 → 160" in words(blocks)
    commands = [block.text for block in blocks if isinstance(block, Command)]
    assert commands[0].startswith("oakum diagnose --snapshots 3")
    assert "5-later/goroutine.debug2.txt.gz" in commands[1]


def test_without_a_limit_nothing_is_said_of_it() -> None:
    diagnosis = replace(rich(), memory=(Memory(rss=1 << 30),))
    assert "limit" not in words(told(leak(), diagnosis)["mitigation"])

"""What to do now, properly and upstream; how to check it afterwards."""

from dataclasses import replace

import pytest

from diagnosed import diagnosed
from diagnoses import RECEIVE, heap_leak, leak, rich
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
    return replace(found, known=(replace(found.known[0], **change),), leads=())  # type: ignore[arg-type]


def test_a_restart_helps_until_it_is_mended_and_upgrades_mend_it() -> None:
    said = told(leak())
    assert list(said) == ["now", "properly", "upstream"]
    assert "Restart orders before memory runs out" in words(said["now"])
    assert "limit of 1.0 GiB is reached in about 3 h 20 min" in words(said["now"])
    assert words(said["properly"]).startswith("upgrade: k8s.io/apimachinery v0.21.0 or later.")
    assert [type(block) for block in said["properly"] if isinstance(block, Diff)] == [Diff]
    assert "Upstream knows it as kubernetes-98653 and has mended it" in words(said["upstream"])
    assert any(isinstance(block, Fold) for block in said["upstream"])  # what a later release changed


def test_mitigations_come_now_and_a_restart_is_not_told_twice() -> None:
    eases = Remedy("mitigate", Text("known.words", {"en": "Restart the servers one by one.", "zh": "逐个重启。"}))
    said = told(replace(leak(), remedies=(eases,)))
    assert words(said["now"]) == "Restart the servers one by one."
    assert "properly" not in said


def test_a_suspicion_is_settled_first() -> None:
    said = told(heap_leak())
    assert words(said["now"]).startswith("Nothing yet: this is a suspicion.")
    assert said["properly"]  # what follows from the mechanism


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"fixed": ()}, "no release mends it: add these numbers to the issue"),
        ({"fixed": (), "fault": "usage"}, "the code that uses it has to"),
        ({"affects_build": "unknown"}, "whether it is this one the version of k8s.io/apimachinery decides"),
        ({"affects_build": "no"}, "the fix is not enough"),
    ],
)
def test_upstream_is_told_what_it_does_not_know(change: dict[str, object], text: str) -> None:
    assert text in words(told(known(leak(), **change))["upstream"])


@pytest.mark.parametrize(
    ("frame", "driver", "text"),
    [
        (RECEIVE, None, "the code is of k8s.io/apimachinery: report it there"),
        (RECEIVE, "main.run", "called from your own `main.run`: look there first"),
        (Frame("main.work", "/srv/x/main.go", 3), None, "The code is your own (main)"),
        (Frame("net.(*netFD).Read", "/usr/local/go/src/net/fd_posix.go", 5), "main.run", "The code is your own (main)"),
        (Frame("net.(*netFD).Read", "/usr/local/go/src/net/fd_posix.go", 5), None, "does not have it."),
        (Frame("(process)"), None, "does not have it."),
    ],
)
def test_whose_code_it_is_says_whom_to_tell(frame: Frame, driver: str | None, text: str) -> None:
    sites = [Site("blocked", frame, "select", 3)]
    sites += [Site("driver", Frame(driver, "/srv/x/main.go", 9))] if driver else []
    found = replace(leak(), known=(), leads=(), cause=None, suspect=replace(leak().suspect, sites=tuple(sites)))
    assert text in words(told(found)["upstream"])


def test_no_address_but_of_the_web_is_linked() -> None:
    found = known(leak(), references=("javascript:alert(1)", "https://example.com/1"))
    assert [block.to for block in told(found)["upstream"] if isinstance(block, Link)] == ["https://example.com/1"]


def test_the_check_names_the_finding_and_what_must_come_out() -> None:
    diagnosis = diagnosed("leaking")
    found = diagnosis.findings[0]
    blocks = list(checks(Speech("en"), diagnosis, Derive(diagnosis), found))
    assert f"finding `{found.id}` is gone" in words(blocks)
    assert "in this evidence it was 0 → 80 → 160" in words(blocks)
    commands = [block.text for block in blocks if isinstance(block, Command)]
    assert commands[0].startswith("oakum diagnose --moments 3")
    assert "5-later/goroutine.debug2.txt.gz" in commands[1]


def test_without_a_limit_nothing_is_said_of_it() -> None:
    diagnosis = replace(rich(), memory=(Memory(rss=1 << 30),))
    assert "limit" not in words(told(leak(), diagnosis)["now"])

"""Drafted tests are run without and with a drafted fix: what tells them apart every time is offered, nothing else."""

import difflib
from pathlib import Path

import pytest

from oakum.experiment import prove as proving
from oakum.experiment.compile import Go
from oakum.experiment.prove import prove
from oakum.model import DraftedTest, Text
from toolchain import environment, need_go

pytestmark = pytest.mark.live
DESK = """package desk

import "time"

func Ask(patience time.Duration) int {
	answers := make(chan int)
	go func() {
		time.Sleep(50 * time.Millisecond)
		answers <- 1
	}()
	select {
	case answer := <-answers:
		return answer
	case <-time.After(patience):
		return 0
	}
}
"""
TEST = """package desk

import (
	"runtime"
	"testing"
	"time"
)

func {name}\0(t *testing.T) {{
	before := runtime.NumGoroutine()
	{body}
	time.Sleep(300 * time.Millisecond)
	left := runtime.NumGoroutine() - before
	t.Logf("left behind: %d goroutines", left)
	if left > 2 {{
		t.Fatal("they stay")
	}}
}}
"""
CALLS = "for n := 0; n < 10; n++ {\n\t\tAsk(time.Millisecond)\n\t}"


@pytest.fixture
def module(tmp_path: Path) -> Path:
    home = tmp_path / "orders"
    (home / "desk").mkdir(parents=True)
    (home / "go.mod").write_text("module example.com/orders\n\ngo 1.20\n")
    (home / "desk" / "desk.go").write_text(DESK)
    (home / "desk" / "desk_test.go").write_text("package desk\n\nthis is no Go\n")
    return home


def draft(module: Path, body: str, name: str = "TestAskLeak") -> DraftedTest:
    text = TEST.format(name=name, body=body)
    return DraftedTest(name, str(module / "desk" / "desk.go"), text, "goroutines", "Ask", 10)


def diff(new: str) -> str:
    after = DESK.replace("make(chan int)", new, 1)
    lines = (DESK.splitlines(True), after.splitlines(True))
    return "".join(difflib.unified_diff(*lines, "a/desk/desk.go", "b/desk/desk.go"))


@pytest.fixture
def go() -> Go:
    return Go(str(need_go()), env=environment())


def test_what_fails_without_and_passes_with_the_fix_is_offered(module: Path, go: Go) -> None:
    before = {path: path.read_bytes() for path in module.rglob("*") if path.is_file()}
    told: list[Text] = []
    others = [draft(module, "undefined()"), draft(module, 'panic("no")'), draft(module, "_ = Ask")]
    proof = prove([*others, draft(module, CALLS)], diff("make(chan int, 1)"), module, go=go, progress=told.append)
    assert proof.holds, proof.why_not
    assert [run.left for run in proof.before] == [10, 10, 10]
    assert [run.left for run in proof.after] == [0, 0, 0]
    assert (proof.path, proof.tried) == ("desk/ask_leak_test.go", 3), "what does not compile is left out"
    assert proof.command == "go test -run '^TestAskLeak$' -count=3 ./desk"
    assert proof.test == draft(module, CALLS).written()
    assert {one.key for one in told} == {"progress.proving", "progress.confirming"}
    assert {path: path.read_bytes() for path in module.rglob("*") if path.is_file()} == before


def test_a_fix_in_vain_gets_no_test(module: Path, go: Go) -> None:
    proof = prove([draft(module, CALLS)], diff("make(chan int) // as it was"), module, go=go)
    assert proof.why_not == Text("proof.none.no-difference", {"tried": 1, "failed": 1, "why": ""})
    assert not proof.test


def test_what_does_not_leak_gets_no_test(module: Path, go: Go) -> None:
    proof = prove([draft(module, "_ = Ask")], diff("make(chan int, 1)"), module, go=go)
    assert proof.why_not is not None
    assert proof.why_not.key == "proof.none.no-failure"


def test_what_fails_only_sometimes_gets_no_test(module: Path, go: Go) -> None:
    """It fails while it is looked for, and passes when it is repeated."""
    once = f'if testing.Verbose() && len(t.Name()) > len("TestAskLeak") {{\n\t{CALLS}\n\t}}'
    proof = prove([draft(module, once)], diff("make(chan int, 1)"), module, go=go)
    assert proof.why_not is not None
    assert proof.why_not.key == "proof.none.no-difference"


def test_no_drafted_test_and_no_go_file_are_said(module: Path, go: Go) -> None:
    fixed = diff("make(chan int, 1)")
    assert prove([], fixed, module, go=go).why_not == Text("proof.none.no-draft")
    broken = prove([draft(module, "undefined()")], fixed, module, go=go).why_not
    assert broken is not None
    assert broken.key == "proof.none.not-built"
    assert "undefined: undefined" in str(broken.args["why"])
    assert "/" not in str(broken.args["why"]).partition(":")[0], "no folder of ours is told"


@pytest.mark.parametrize(
    "body",
    [
        "for {\n\t}",
        "select {}",
        "var all [][]byte\n\tfor {\n\t\tall = append(all, make([]byte, 64<<20))\n\t\tfor i := range all[len(all)-1] {\n"
        "\t\t\tall[len(all)-1][i] = 1\n\t\t}\n\t}",
        'for {\n\t\tprintln("more and more and more and more")\n\t}',
    ],
    ids=["busy", "hanging", "memory", "output"],
)
def test_a_test_is_bounded(body: str, module: Path, go: Go, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proving, "_RUN_SECONDS", 2.0)
    monkeypatch.setattr(proving, "_MEMORY", 256 << 20)
    proof = prove([draft(module, body)], diff("make(chan int, 1)"), module, go=go)
    assert proof.why_not is not None
    assert proof.why_not.key == "proof.none.no-failure"
    assert proof.seconds < 60


def test_nothing_is_written_beside_it_and_no_other_machine_is_named(module: Path, go: Go) -> None:
    """A test runs in an empty folder, with a proxy that is not there."""
    body = (
        'if here, _ := os.ReadDir("."); len(here) != 0 || os.Getenv("HTTP_PROXY") != "http://127.0.0.1:9" {\n'
        f"\t\tpanic(here)\n\t}}\n\t{CALLS}"
    )
    made = draft(module, body)
    made = DraftedTest(made.name, made.beside, made.text.replace('"runtime"', '"os"\n\t"runtime"'), "goroutines", "Ask")
    assert prove([made], diff("make(chan int, 1)"), module, go=go).holds

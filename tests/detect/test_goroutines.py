"""Goroutines into suspects: who waits for whom, what belongs together, what Go itself proves."""

from collections import Counter
from pathlib import Path

import pytest

from goroutine_text import MAIN, WAITGROUP, Story, crew, diagnosed, dump, goroutine, snapshot
from oakum.cli.case import case
from oakum.diagnose import diagnose
from oakum.model import Case, Diagnosis, Process

WORK = "main.(*worker).run"


def functions(diagnosis: Diagnosis) -> list[str]:
    return [one.suspect.sites[0].frame.function for one in diagnosis.findings]


def accused(diagnosis: Diagnosis) -> list[str]:
    return [one.suspect.sites[0].frame.function for one in diagnosis.findings if one.confidence != "possible"]


@pytest.mark.parametrize("parent", [1, 0])
@pytest.mark.parametrize("moments", [1, 3])
def test_main_that_waits_for_its_workers_is_no_finding(parent: int, moments: int) -> None:
    workers = crew(range(20, 28), "select", WORK, minutes=90, parent=parent)
    text = dump(goroutine(1, "sync.WaitGroup.Wait", *WAITGROUP, "main.main", minutes=90, by=""), workers)
    assert "main.main" not in functions(diagnosed(*[text] * moments))


@pytest.mark.parametrize("moments", [1, 3])
def test_an_errgroup_that_waits_for_its_workers_is_no_finding(moments: int) -> None:
    group = "golang.org/x/sync/errgroup.(*Group)"
    file = "/go/pkg/mod/golang.org/x/sync@v0.10.0/errgroup/errgroup.go"
    waits = goroutine(
        18, "sync.WaitGroup.Wait", *WAITGROUP, f"{group}.Wait@{file}:56", "main.(*runner).Run", minutes=90, parent=1
    )
    workers = crew(
        range(20, 24), "select", WORK, f"{group}.Go.func1@{file}:78", minutes=90, by=f"{group}.Go@{file}:75", parent=18
    )
    assert accused(diagnosed(*[dump(MAIN, waits, workers)] * moments)) == []


def test_a_waitgroup_that_starts_its_workers_itself_is_no_finding() -> None:
    go = "sync.(*WaitGroup).Go@/usr/local/go/src/sync/waitgroup.go:237"
    waits = goroutine(18, "sync.WaitGroup.Wait", *WAITGROUP, "main.(*runner).Run", minutes=90, parent=1)
    workers = crew(range(20, 24), "select", WORK, f"{go.replace('Go@', 'Go.func1@')}", minutes=90, by=go, parent=18)
    assert accused(diagnosed(dump(MAIN, waits, workers))) == []


def test_who_waits_for_a_stuck_child_is_its_victim() -> None:
    story = Story()
    story.number = 50
    parents, children = [], []
    for _ in range(4):
        for _ in range(3):
            story.number += 1
            parent = story.number
            parents.append(parent)
            children.append(story.number + 1)
            story.number += 1
        waits = [
            goroutine(one, "sync.WaitGroup.Wait", *WAITGROUP, "main.(*desk).gather", minutes=20) for one in parents
        ]
        sends = [
            goroutine(one, "chan send", "main.(*desk).gather.func1", by="main.(*desk).gather", parent=up, minutes=20)
            for one, up in zip(children, parents, strict=True)
        ]
        story.number += 100
        story.dumps.append(dump(MAIN, waits, sends, goroutine(story.number, "running", "main.work")))
    said = diagnosed(*story.dumps)
    assert functions(said) == ["main.(*desk).gather.func1"]
    (victim,) = said.findings[0].suspect.victims
    assert (victim.frame.function, victim.count, victim.because) == ("main.(*desk).gather", 12, "parent")


def _with_proof(text: str, proof: str) -> Diagnosis:
    return diagnose(Case((Process("p1", "shop", (snapshot(text, leaked=proof),)),)))


def test_what_go_itself_lists_is_proven() -> None:
    lost = crew(range(20, 24), "chan receive", "main.(*desk).ask")
    said = _with_proof(dump(MAIN, lost, crew(range(30, 40), "select", WORK)), dump(lost))
    first = said.findings[0]
    assert (said.verdict, first.confidence, first.suspect.sites[0].frame.function) == (
        "leaking",
        "proven",
        "main.(*desk).ask",
    )
    (proof,) = [one for one in first.suspect.evidence if one.kind == "leak-profile"]
    assert proof.capture.startswith("sha256:")


def test_what_go_lists_is_proven_even_where_no_dump_shows_it() -> None:
    said = _with_proof(dump(MAIN), dump(crew(range(20, 24), "chan send", "main.(*desk).ask")))
    assert [(one.confidence, one.suspect.sites[0].frame.function) for one in said.findings] == [
        ("proven", "main.(*desk).ask")
    ]


def test_a_stack_without_frames_proves_nothing() -> None:
    """The profile lists main in `select {}` so."""
    said = _with_proof(dump(MAIN, crew(range(30, 34), "select", WORK)), "goroutine 1 [select (no cases)]:\n")
    assert [one for one in said.findings if one.confidence == "proven"] == []


def test_a_dump_that_marks_the_leaked_proves_them() -> None:
    said = diagnosed(dump(MAIN, crew(range(20, 23), "chan send", "main.(*desk).ask", leaked=True)))
    assert [one.confidence for one in said.findings] == ["proven"]


def test_two_lines_of_one_function_are_one_finding() -> None:
    story = Story()
    first = story.crew("chan send", "main.(*desk).ask@/srv/shop/desk.go:40")
    second = story.crew("chan send", "main.(*desk).ask@/srv/shop/desk.go:52")
    for _ in range(4):
        story.snapshot()
        story.join(first, 5)
        story.join(second, 3)
    story.snapshot()
    said = story.diagnosed()
    (found,) = said.findings
    assert {site.frame.line for site in found.suspect.sites if site.role == "blocked"} == {40, 52}


def test_two_causes_are_two_findings() -> None:
    story = Story()
    first = story.crew("chan send", "main.(*desk).ask", by="main.(*desk).Handle")
    second = story.crew("chan receive", "example.com/mill/press.(*Bed).wait", by="example.com/mill/press.(*Bed).Open")
    for _ in range(4):
        story.snapshot()
        story.join(first, 7)
        story.join(second, 4)
    story.snapshot(work=1)
    assert sorted(functions(story.diagnosed())) == ["example.com/mill/press.(*Bed).wait", "main.(*desk).ask"]


def test_no_goroutine_is_in_two_findings() -> None:
    story = Story()
    makers = ["main.a", "main.b", "main.main"]
    states = ["chan send", "chan receive", "sync.WaitGroup.Wait", "select", "sync.Mutex.Lock"]
    crews = [story.crew(state, f"main.(*desk).f{at}", by=makers[at % 3]) for at, state in enumerate(states * 2)]
    for step in range(4):
        for at, one in enumerate(crews):
            story.join(one, at % 4 + step)
        story.snapshot()
    held: Counter[str] = Counter()
    for found in story.diagnosed().findings:
        for site in found.suspect.sites:
            if site.role == "blocked":
                held[f"{site.frame} {site.state}"] += site.count or 0
        for victim in found.suspect.victims:
            held[f"{victim.frame} {victim.state}"] += victim.count
    there = {(len(one.members), one.frames[0]) for one in crews}
    assert all(
        any(name.startswith(f"{frame} ") and count <= many for many, frame in there) for name, count in held.items()
    )


def test_a_goroutine_that_ran_the_finalizers_and_is_stuck() -> None:
    stuck = goroutine(
        5,
        "chan send",
        "main.(*scratch).free",
        by="runtime.createfing@/usr/local/go/src/runtime/mfinal.go:163",
        minutes=30,
    )
    said = diagnosed(*[dump(MAIN, stuck)] * 2)
    assert said.findings[0].mechanism == "finalizer-backlog"


def test_of_several_stacks_at_one_place_the_source_is_read_along_that_of_the_root() -> None:
    """Who unsubscribes within a publication waits for itself; who unsubscribes from elsewhere waits behind it."""
    recorded = Path(__file__).parents[1] / "regressions" / "handler-leaves-its-own-bus" / "captures" / "5"
    (found,) = diagnose(case([str(recorded)])).findings
    assert "Publish" in [frame.name for frame in found.suspect.traces[0].frames]
    (twice,) = [one for one in found.suspect.evidence if one.kind == "locked-twice"]
    assert "(*Bus).Unsubscribe" in twice.excerpt
    assert "(*once).Handle" in twice.excerpt


def test_who_was_started_and_has_not_run_yet_is_nowhere() -> None:
    """debug=1 prints the address of its first instruction and nothing else."""
    counts = "goroutine profile: total {}\n{}1 @ 0x43ae92 0x46b181\n#\t0x43ae91\tmain.main+0x11\tmain.go:10\n\n"
    started = "1 @ 0x46b181\n\n"
    assert diagnosed(counts.format(1, ""), counts.format(2, started), counts.format(2, started)).verdict == "healthy"


def test_who_many_started_one_each_is_no_crew_from_the_beginning() -> None:
    waits = [
        goroutine(one, "chan receive", WORK, minutes=2, by="main.handle", parent=one - 1) for one in range(20, 100, 2)
    ]
    (found,) = diagnosed(*[dump(MAIN, waits)] * 2).findings
    assert "startup-pool" not in found.suspect.kinds
    crewed = crew(range(20, 60), "chan receive", WORK, minutes=2, parent=1)
    assert diagnosed(*[dump(MAIN, crewed)] * 2).verdict == "healthy"

"""Gaps: what was not checked, why that matters, and the command that would settle it."""

import pytest
from msgspec.structs import replace

from diagnoses import heap_leak, leak
from goroutine_text import MAIN, Story, crew, diagnosed, dump, read, snapshot
from oakum.detect.gaps import gaps
from oakum.diagnose import diagnose
from oakum.model import Activity, Build, Case, Diagnosis, Finding, Goroutines, Metrics, Process
from oakum.report.gap_commands import gap_command
from oakum.report.words import WORDS


def _keys(diagnosis: Diagnosis) -> set[str]:
    return {gap.what.key.removeprefix("gap.") for gap in diagnosis.gaps}


def _of(*processes: Process) -> Diagnosis:
    return diagnose(Case(processes))


def test_one_dump_lacks_a_second_moment_and_the_heap() -> None:
    said = diagnosed(dump(MAIN, crew(range(20, 40), "chan receive", "main.ask")))
    assert {"second-moment", "heap", "memstats", "rss"} <= _keys(said)
    assert "ages" not in _keys(said)
    assert all(gap.why.key in WORDS and gap.what.key in WORDS for gap in said.gaps)
    assert all(gap_command(said, gap) for gap in said.gaps if gap.what.key != "gap.source")


def test_two_moments_are_enough_of_them() -> None:
    assert "second-moment" not in _keys(diagnosed(dump(MAIN), dump(MAIN)))
    assert "second-moment" not in _keys(diagnosed(dump(MAIN), baseline=[dump(MAIN)]))


def test_growth_under_load_lacks_a_moment_after_it() -> None:
    story = Story()
    members = story.crew("select", "main.ask", aged=False)  # they wake up: perhaps they are used
    for _ in range(3):
        story.join(members, 10)
        story.snapshot()
    assert "after-load" in _keys(story.diagnosed())
    story.snapshot(work=1)
    assert "after-load" not in _keys(story.diagnosed())


def test_only_more_load_tells_a_leak_from_a_cache() -> None:
    process = Process("p1", "shop", (snapshot(dump(MAIN), 0), snapshot(dump(MAIN), 1)), address="pid:812")
    work = [Activity("requests", (100.0,))]
    memory, waiting = replace(heap_leak(), confidence="possible"), replace(leak(), confidence="possible")

    told = _of(process)

    def lacks(*findings: Finding) -> dict[str, str]:
        found = gaps(Case((process,)), work, findings)
        return {gap.what.key.removeprefix("gap."): gap_command(told, gap) for gap in found}

    assert lacks(memory)["more-load"] == "oakum diagnose --snapshots 5 --every 2m pid:812"
    assert not {"after-load", "short"} & set(lacks(memory)), "that memory stays after the load says nothing"
    assert "more-load" not in lacks(waiting)
    assert {"more-load", "after-load"} <= set(lacks(memory, waiting))
    assert "more-load" not in lacks(replace(memory, confidence="likely"))


def test_counts_without_ids_lack_ages() -> None:
    groups = read(dump(MAIN, crew(range(20, 40), "chan receive", "main.ask"))).groups
    blind = Goroutines(tuple(type(group)(group.stack, group.count, group.state) for group in groups))
    moments = tuple(replace(snapshot(dump(MAIN), at), goroutines=blind) for at in range(2))
    assert "ages" in _keys(_of(Process("p1", "shop", moments)))


def test_a_cut_dump_is_told() -> None:
    moment = snapshot(dump(MAIN))
    assert moment.goroutines is not None
    cut = replace(moment, goroutines=replace(moment.goroutines, cut=True))
    assert "cut" in _keys(_of(Process("p1", "shop", (cut,))))


def test_no_goroutines_at_all() -> None:
    metrics = Metrics({("process_resident_memory_bytes", ()): 1e7})
    sources = {"metrics": snapshot(dump(MAIN)).sources["goroutines"]}
    said = _of(Process("p1", "shop", (replace(snapshot(None), metrics=metrics, sources=sources),)))
    assert "goroutines" in _keys(said)
    assert said.verdict == "undecided"


def test_a_go_that_can_prove_leaks_is_asked_to() -> None:
    unsure = (snapshot(dump(MAIN, crew(range(20, 40), "chan receive", "main.ask"))),)
    experiment = {"GOEXPERIMENT": "nodwarf5,goroutineleakprofile"}
    build: Build | None
    for build in (Build("go1.27.3"), Build("go1.26.8", settings=experiment), Build("go1.26.8 X:goroutineleakprofile")):
        assert "goroutineleak" in _keys(_of(Process("p1", "shop", unsure, build=build))), build
    for build in (Build("go1.19.8"), Build("go1.26.8"), Build("go1.25.1", settings=experiment), Build(), None):
        assert "goroutineleak" not in _keys(_of(Process("p1", "shop", unsure, build=build))), build


@pytest.mark.parametrize(
    ("address", "asked"),
    [
        ("http://10.0.0.7:6060", "curl -so heap.pb.gz 'http://10.0.0.7:6060/debug/pprof/heap'"),
        ("http://10.0.0.7:6060/debug/pprof/heap", "curl -so heap.pb.gz 'http://10.0.0.7:6060/debug/pprof/heap'"),
        ("http://gate/shop", "oakum capture http://gate/shop"),
        ("pid:812", "oakum capture pid:812"),
        ("kube://pod/shop/orders-0", "oakum capture kube://pod/shop/orders-0"),
        ("", "curl -so heap.pb.gz 'http://HOST:PORT/debug/pprof/heap'"),
    ],
)
def test_commands_use_the_captured_address(address: str, asked: str) -> None:
    said = _of(Process("p1", "shop", (snapshot(dump(MAIN)),), address=address))
    commands = {gap.what.key: gap_command(said, gap) for gap in said.gaps}
    assert commands["gap.heap"] == asked
    assert not address or not any("HOST:PORT" in command for command in commands.values())
    assert ("/proc/812/" in commands["gap.rss"]) == (address == "pid:812")


def test_the_same_gap_of_two_processes_is_told_once() -> None:
    one = Process("p1", "shop", (snapshot(dump(MAIN)),))
    said = _of(one, replace(one, id="p2"))
    assert len(said.gaps) == len({(gap.what.key, gap_command(said, gap)) for gap in said.gaps})

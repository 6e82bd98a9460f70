"""The picture of who waits for whom: roots, those behind them, who starts them, what is missing; across processes too."""

import pytest
from msgspec.structs import replace

from diagnosed import diagnosed
from diagnoses import HANDLER, changed, heap_leak, leak
from oakum.model import Cause, CauseSite, Finding, Frame, Site, Victim
from oakum.model.vocabulary import Mechanism
from oakum.report.page.blocks import Chain
from oakum.report.page.picture import chain
from oakum.report.page.speech import Speech
from oakum.report.words import WORDS, mechanisms


def drawn(found: Finding, names: dict[str, str] | None = None, lang: str = "en") -> Chain:
    picture = chain(Speech(lang), found, names or {"p1": "orders"})
    assert picture is not None
    for edge in picture.edges:
        assert edge.start != edge.end
        assert max(edge.start, edge.end) < len(picture.nodes)
    return picture


def test_it_leads_from_those_behind_to_what_is_missing() -> None:
    picture = drawn(leak())
    tones = [node.tone for node in picture.nodes]
    assert tones.count("root") == 1
    assert tones.count("victim") == 6
    assert tones.count("origin") == tones.count("missing") == 1
    root, missing = tones.index("root"), tones.index("missing")
    assert any((edge.start, edge.end, edge.label) == (root, missing, "chan send") for edge in picture.edges)
    assert all(edge.end == root for edge in picture.edges if picture.nodes[edge.start].tone == "victim")
    assert "no receive on this path: desk.go:50" in picture.nodes[missing].lines
    assert picture.said == (
        "1,103 goroutines wait for a receiver that is gone. 21 more goroutines blocked behind it. Started by "
        "`watch.NewStreamWatcher`."
    )


def test_many_victims_are_counted_together() -> None:
    found = leak()
    many = tuple(Victim(HANDLER, "select", 2, "behind") for _ in range(50))
    picture = drawn(replace(found, suspect=replace(found.suspect, victims=many)))
    assert len(picture.nodes) < 15
    rest = next(node for node in picture.nodes if "44" in node.title)
    assert rest.lines == ("88 goroutines",)


def test_a_circle_of_locks_is_one() -> None:
    diagnosis = diagnosed("locks")
    picture = drawn(diagnosis.findings[0])
    roots = [at for at, node in enumerate(picture.nodes) if node.tone == "root"]
    assert len(roots) == 2
    assert {(edge.start, edge.end) for edge in picture.edges} >= {(roots[0], roots[1]), (roots[1], roots[0])}
    assert "missing" not in {node.tone for node in picture.nodes}


def test_the_few_who_hold_the_second_lock_are_the_root_of_the_crowd_before_the_first() -> None:
    found = leak()
    first, second = Frame("main.(*book).transfer", "book.go", 23), Frame("main.(*book).transfer", "book.go", 26)
    suspect = replace(
        found.suspect,
        sites=(Site("blocked", first, "sync.Mutex.Lock", 344),),
        victims=(Victim(second, "sync.Mutex.Lock", 2, "same lock"),),
    )
    sites = (CauseSite("locked-first", first), CauseSite("locked-second", second))
    cause = Cause((), sites)
    picture = drawn(changed(found, suspect=suspect, mechanism="lock-cycle", cause=cause))
    assert picture.said.startswith(
        "2 goroutines wait for the lock the other holds. 344 more goroutines blocked behind it."
    )
    assert [(node.tone, node.lines[0].split()[0]) for node in picture.nodes[:2]] == [("root", "2"), ("victim", "344")]
    unread = drawn(changed(found, suspect=suspect, mechanism="lock-cycle", cause=None))
    assert unread.said.startswith("344 goroutines wait")  # nothing says that the two hold anything


def test_each_process_has_its_own_node() -> None:
    found = leak()
    sites = (*found.suspect.sites, Site("blocked", HANDLER, "IO wait", 3, "p2"))
    behind = (Victim(HANDLER, "select", 7, "behind", "p2"),)
    picture = drawn(
        replace(found, suspect=replace(found.suspect, sites=sites, victims=behind)), {"p1": "shim", "p2": "daemon"}
    )
    assert picture.nodes[0].lines[-1] == "process shim"
    assert picture.nodes[1].lines[-1] == "process daemon"
    assert (1, 0) in {(edge.start, edge.end) for edge in picture.edges}
    assert (2, 1) in {(edge.start, edge.end) for edge in picture.edges}  # it waits behind those of its own process


def test_memory_has_none() -> None:
    assert chain(Speech("en"), heap_leak(), {}) is None
    assert chain(Speech("en"), diagnosed("outside").findings[0], {}) is None


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("mechanism", mechanisms.GOROUTINES)
def test_every_mechanism_of_goroutines_says_what_is_missing(mechanism: Mechanism, lang: str) -> None:
    assert f"missing.{mechanism}" in WORDS
    assert drawn(replace(leak(), mechanism=mechanism), lang=lang).said

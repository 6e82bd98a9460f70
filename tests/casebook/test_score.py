"""The scorer can fail: right answers, and every way of being wrong, against a handmade truth."""

from dataclasses import replace
from typing import Any

import pytest

from casebook.runner.expectation import Expectation, Expected, Known, Site
from casebook.runner.score import Explanation, Score, score

PLACE = Site("blocked", "main.(*Desk).ask.func1", "desk.go", 44)
KNOWN = Known("acme-7", "example.org/acme", "v1.0.0", ("v1.1.0", "v2.0.0"))


def expected(
    rank: int = 1, place: Site = PLACE, mechanism: str = "abandoned-sender", known: Known | None = None
) -> Expected:
    return Expected(rank, mechanism, (), (place,), (Site("blocked", "main.(*Desk).report"),), (), "", None, known)


def truth(*findings: Expected) -> Expectation:
    return Expectation("leaking" if findings else "healthy", "", "", "", findings, ())


def finding(rank: int = 1, site: Site = PLACE, **other: Any) -> dict[str, Any]:
    where = {"role": site.role, "function": site.function, "line": site.line, "file": site.file}
    return {"rank": rank, "mechanism": "abandoned-sender", "confidence": "likely", "sites": [where], **other}


def said(verdict: str, *findings: dict[str, Any]) -> dict[str, Any]:
    return {"verdict": verdict, "findings": [*findings]}


def test_right() -> None:
    assert score(said("leaking", finding()), truth(expected())) == Score(
        True, "leaking", found=True, detected=True, first=True, mechanism=True
    )


def test_a_place_that_is_only_possible_is_found_and_not_detected() -> None:
    only = {**finding(), "confidence": "possible"}
    for verdict in ("undecided", "leaking"):
        result = score(said(verdict, only), truth(expected()))
        assert (result.found, result.detected) == (True, False)


def test_no_answer_is_no_success() -> None:
    leaking, healthy = score(None, truth(expected())), score(None, truth())
    assert (leaking.found, leaking.answered) == (False, False)
    assert (healthy.accused, healthy.answered) == (False, False)


@pytest.mark.parametrize("verdict", ["", None, "fine"])
def test_what_has_no_verdict_is_no_answer(verdict: str | None) -> None:
    result = score({"verdict": verdict, "findings": [finding()]}, truth(expected(known=KNOWN)))
    assert result == Score(True, "", known=False)


def test_what_is_called_healthy_was_not_found() -> None:
    result = score(said("healthy", finding()), truth(expected()))
    assert (result.found, result.first, result.mechanism, result.answered) == (False, False, False, True)


@pytest.mark.parametrize(
    "site",
    [
        Site("blocked", "main.(*Desk).ask.func1", "desk.go", 45),  # another line
        Site("blocked", "main.(*Desk).ask.func1", "desk.go", 0),  # no line
        Site("blocked", "main.(*Desk).report", "desk.go", 44),  # a victim
        Site("created", "main.(*Desk).ask.func1", "desk.go", 44),  # another role
    ],
)
def test_another_place_is_a_miss_and_an_accusation(site: Site) -> None:
    result = score(said("leaking", finding(site=site)), truth(expected()))
    assert not result.found
    assert not result.first
    assert len(result.wrong) == 1


@pytest.mark.parametrize("function", ["main.(*Desk).ask.func2", "main.(*Desk).ask.gowrap1", "main.(*Desk).ask.func1.1"])
def test_closures_of_one_function_read_alike(function: str) -> None:
    assert score(said("leaking", finding(site=Site("blocked", function, "", 44))), truth(expected())).found


def test_a_place_that_everybody_shares_needs_another_site_beside_it() -> None:
    read, made = Site("blocked", "net.(*netFD).Read"), Site("created", "main.(*Bridge).dial", "bridge.go", 7)
    wanted = truth(replace(expected(), sites=(read, made)))
    alone, both = finding(site=read), finding(site=read)
    both["sites"] += finding(site=made)["sites"]
    assert not score(said("leaking", alone), wanted).found
    assert score(said("leaking", both), wanted).found


@pytest.mark.parametrize(
    ("mechanism", "found"), [("lock-cycle", True), ("peer-stopped-reading", True), ("double-lock", False)]
)
def test_any_root_of_a_ring_may_come_first(mechanism: str, found: bool) -> None:
    other = Site("blocked", "main.(*Shelf).Reserve", "shelf.go", 40)
    wanted = truth(replace(expected(mechanism=mechanism), sites=(PLACE, other)))
    assert score(said("leaking", finding(site=other)), wanted).found is found


def test_a_creator_that_is_named_must_be_the_right_one() -> None:
    made, other = (
        Site("created", "main.(*Gate).wide", "gate.go", 9),
        Site("created", "main.(*Gate).staff", "gate.go", 5),
    )
    wanted = truth(replace(expected(), sites=(PLACE, made)))
    for creator, found in ((made, True), (other, False)):
        answer = finding()
        answer["sites"] += finding(site=creator)["sites"]
        assert score(said("leaking", answer), wanted).found is found
    assert score(said("leaking", finding()), wanted).found  # protobuf knows no creators


def test_those_of_equal_rank_may_come_in_any_order() -> None:
    second = Site("blocked", "main.(*Spool).run", "spool.go", 9)
    for rank, first in ((1, True), (2, False)):
        wanted = truth(expected(), expected(rank, second))
        result = score(said("leaking", finding(1, second), finding(2)), wanted)
        assert (result.found, result.first) == (True, first)


def test_a_site_of_another_process_is_another_place() -> None:
    wanted = truth(expected(place=replace(PLACE, process="shim")))
    there, elsewhere = finding(), finding()
    there["sites"][0]["process"], elsewhere["sites"][0]["process"] = "shim", "kubelet"
    assert score(said("leaking", there), wanted).found
    assert not score(said("leaking", elsewhere), wanted).found


def test_processes_are_numbered_and_named_once() -> None:
    wanted = truth(expected(place=replace(PLACE, process="shim")))
    for process, found in (("p1", False), ("p2", True)):
        answer = said("leaking", finding())
        answer["processes"] = [{"id": "p1", "name": "/usr/bin/kubelet"}, {"id": "p2", "name": "/usr/bin/shim"}]
        answer["findings"][0]["sites"][0]["process"] = process
        assert score(answer, wanted).found is found
        assert score(answer, truth(expected())).found  # where there is one process, any name of it is right


def test_the_root_must_be_ranked_first() -> None:
    other = finding(1, Site("blocked", "main.other"))
    result = score(said("leaking", finding(2), other), truth(expected()))
    assert (result.found, result.first, result.wrong) == (True, False, ("abandoned-sender at main.other:0",))


def test_one_cause_one_finding() -> None:
    assert score(said("leaking", finding(1), finding(2)), truth(expected())).wrong


def test_a_finding_that_lumps_places_together_counts_for_its_first_only() -> None:
    second = Site("blocked", "main.(*Spool).run", "spool.go", 9)
    lump = finding()
    lump["sites"] += finding(site=second)["sites"]
    result = score(said("leaking", lump), truth(expected(), expected(2, second)))
    assert (result.found, result.first) == (False, True)


def test_the_wrong_mechanism() -> None:
    result = score(said("leaking", finding(mechanism="nil-channel")), truth(expected()))
    assert (result.found, result.mechanism) == (True, False)


@pytest.mark.parametrize(
    ("fixed", "found", "right"),
    [
        (["v1.1.0", "v2.0.0"], "v1.0.0", True),
        (["v1.1.0"], "v1.0.0", False),
        ([], "v1.0.0", False),
        (["v1.1.0", "v2.0.0"], None, True),  # the evidence does not tell it
        (["v1.1.0", "v2.0.0"], "v1.0.9", False),
    ],
)
def test_a_known_bug_needs_every_fixed_version_and_no_wrong_one(
    fixed: list[str], found: str | None, right: bool
) -> None:
    answer = said("leaking", finding(known=[{"id": "acme-7", "fixed": fixed, "found": found, "where": "self"}]))
    assert score(answer, truth(expected(known=KNOWN))).known is right


@pytest.mark.parametrize(
    ("affects", "fault", "counts"), [("yes", "library", 1), ("no", "library", 0), ("yes", "usage", 0)]
)
def test_a_bug_that_it_is_not(affects: str, fault: str, counts: int) -> None:
    answer = said("leaking", finding(known=[{"id": "acme-8", "fixed": [], "affects_build": affects, "fault": fault}]))
    assert len(score(answer, truth(expected())).misnamed) == counts


def test_a_suspicion_is_no_accusation() -> None:
    result = score(said("undecided", finding(confidence="possible")), truth())
    assert (result.accused, result.wrong, len(result.suspected)) == (False, (), 1)


@pytest.mark.parametrize("answer", [said("leaking"), said("undecided", finding())])
def test_a_healthy_program_accused(answer: dict[str, Any]) -> None:
    assert score(answer, truth()).accused


def test_memory_outside_the_heap_is_found_in_the_process() -> None:
    place = Site("allocated", "main.grow", "arena.go", 12)
    answer = said("leaking", {"rank": 1, "mechanism": "off-heap", "confidence": "likely", "sites": []})
    assert score(answer, truth(expected(place=place, mechanism="off-heap"))).found
    either = replace(expected(place=place, mechanism="growing-container"), also=("off-heap",))
    assert score(answer, truth(either)).found
    assert score(said("leaking", finding(site=place)), truth(either)).found


MADE = Site("made", file="desk.go", line=38, also=(37,))
LEFT = Site("never-received", file="office/desk.go", line=52)


def explained(*lines: tuple[str, int], places: tuple[Site, ...] = (PLACE,)) -> Explanation:
    """Return how an explanation of these lines does, where MADE and LEFT are the cause."""
    sites = [{"role": "any", "file": file, "line": line} for file, line in lines]
    wanted = replace(expected(), sites=places, causes=(MADE, LEFT, replace(PLACE, role="waits")))
    told = finding(cause={"because": "so", "sites": sites}) if lines else finding(cause=None)
    (explanation,) = score(said("leaking", told), truth(wanted)).explanations
    return explanation


def test_a_cause_is_named_by_file_and_line() -> None:
    one = explained(("/srv/quotes/desk.go", 38), ("/go/pkg/mod/example.org/x@v1.0.0/office/desk.go", 52))
    assert (one.named, one.missing, one.complete, one.wrong) == ((MADE, LEFT), (), True, False)
    half = explained(("C:\\quotes\\desk.go", 37), ("/srv/quotes/desk.go", 52))
    assert (half.named, half.missing, half.complete, half.wrong) == ((MADE,), (LEFT,), False, False)


def test_a_version_is_no_part_of_a_name() -> None:
    versioned = replace(LEFT, file="example.org/x@v1.0.0/office/desk.go")
    wanted = truth(replace(expected(), causes=(versioned,)))
    for file in ("/vendor/example.org/x/office/desk.go", "/go/pkg/mod/example.org/x@v1.0.0/office/desk.go"):
        told = finding(cause={"sites": [{"file": file, "line": 52}]})
        assert score(said("leaking", told), wanted).explanations[0].complete


@pytest.mark.parametrize("line", [("desk.go", 44), ("desk.go", 39), ("odesk.go", 38)])
def test_where_it_blocks_explains_nothing(line: tuple[str, int]) -> None:
    one = explained(line)
    assert (one.wrong, one.said, one.named) == (True, True, ())


def test_silence_is_not_wrong() -> None:
    one = explained()
    assert (one.said, one.wrong, one.complete, one.missing) == (False, False, False, (MADE, LEFT))
    unfound = score(said("healthy", finding(cause={"sites": []})), truth(replace(expected(), causes=(MADE,))))
    assert not unfound.explanations[0].said
    assert not score(None, truth(replace(expected(), causes=(MADE,)))).explanations[0].said

"""The verdict in one sentence: what, where, how much, how fast, which known bug; for every verdict and both languages."""

import re

import pytest
from msgspec.structs import replace

from diagnosed import diagnosed
from diagnoses import HANDLER, RECEIVE, changed, empty, heap_leak, leak, rich
from oakum.model import Diagnosis, Finding, Gap, Growth, KnownMatch, Point, Site, Text, Victim
from oakum.report.page.headline import headline

# A sentence in another language has no place in this one; names of Go, measures and units have.
_WORDS = re.compile(r"\b(?:the|of|and|wait|grew|memory|leaks?|known|more)\b", re.IGNORECASE)


def one_sentence(text: str, lang: str) -> None:
    assert text.endswith("。" if lang == "zh" else ".")
    assert "\n" not in text
    assert not re.search(r"\{\w*\}|\b\w+\.\w+ \(\w+=", text), text  # a template that was not filled
    if lang == "zh":
        assert not _WORDS.search(re.sub(r"`[^`]*`", "", text)), text
    else:
        assert not re.search(r"[\u3000-\u9fff]", text)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    "name",
    ["leaking", "healthy", "undecided", "locks", "outside"]
    + [pytest.param(name, marks=pytest.mark.slow) for name in ("peers", "twin", "container", "simulator", "timers")],
)
def test_it_is_one_sentence_in_one_language(name: str, lang: str) -> None:
    diagnosis = diagnosed(name)
    text = headline(diagnosis, lang)
    one_sentence(text, lang)
    assert diagnosis.processes[0].name in text or diagnosis.findings
    if diagnosis.findings and not diagnosis.findings[0].suspect.sites[0].frame.function.startswith("("):
        assert diagnosis.findings[0].suspect.sites[0].frame.function.rpartition("/")[2] in text


def test_goroutines_are_told_with_all_of_the_process_and_the_known_bug() -> None:
    assert headline(diagnosed("leaking"), "en") == (
        "cpc: 160 of 215 goroutines blocked on channel send in `watch.(*StreamWatcher).receive`, holding 88% of the "
        "heap, +1 per `/jobs` request. Known bug kubernetes-98653, fixed in k8s.io/apimachinery "
        "v0.21.0."
    )


def test_locks_are_told_with_those_that_wait_behind_them() -> None:
    text = headline(diagnosed("locks"), "en")
    assert re.search(r"\d+ of \d+ goroutines blocked in or behind `main\.", text)
    assert "an hour" not in text  # the one goroutine that holds the lock does not grow


def test_what_is_healthy_says_what_was_compared() -> None:
    text = headline(diagnosed("healthy"), "en")
    assert "3 snapshots" in text
    assert re.search(r"goroutines \d+ → \d+", text)


def test_what_is_undecided_says_what_is_missing() -> None:
    assert "Only one snapshot" in headline(diagnosed("undecided"), "en")
    assert "只有一次快照" in headline(diagnosed("undecided"), "zh")


def of(finding: Finding) -> Diagnosis:
    return replace(rich(), findings=(finding,))


def test_what_would_settle_memory_is_not_a_proof_of_goroutines() -> None:
    proof = Gap(Text("gap.goroutineleak"), Text("gap.goroutineleak.why"))
    later = Gap(Text("gap.after-load"), Text("gap.after-load.why"))
    memory = replace(of(replace(heap_leak(), confidence="possible")), verdict="undecided", gaps=(proof, later))
    assert headline(memory, "en").endswith(". No snapshot after the load.")
    assert "proof" not in headline(replace(memory, gaps=(proof,)), "en")
    goroutines = replace(memory, findings=(replace(leak(), confidence="possible"),))
    assert ". No goroutineleak profile captured." in headline(goroutines, "en")


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ((0, 40, 80), "+41.2 per hour"),
        ((0, 40, 80, 80), "+41.2 per hour while growing"),
        ((80, 40), "per hour"),
    ],
    ids=["grows", "stands", "two"],
)
def test_what_stands_does_not_grow(counts: tuple[int, ...], told: str) -> None:
    found = leak()
    growth = replace(found.suspect.growth[0], counts=counts, per_event=None)
    assert told in headline(of(replace(found, suspect=replace(found.suspect, growth=(growth,)))), "en")


def test_one_for_each_event_is_not_said_of_all_who_wait_behind() -> None:
    found = leak()
    behind = (Victim(HANDLER, "select", 2206, "behind"),)
    points = (Point("p1", None, "after", totals={"goroutines": 4000}),)
    many = replace(of(replace(found, suspect=replace(found.suspect, victims=behind))), timeline=points)
    assert "3,309 of 4,000 goroutines blocked in or behind" in headline(many, "en")
    assert "+1 there per" in headline(many, "en")
    assert "在该处增加 1 个" in headline(many, "zh")


def test_a_sum_of_several_places_is_told_as_one() -> None:
    found = heap_leak()
    own = replace(found.suspect, sites=tuple(one for one in found.suspect.sites if one.role != "allocated"))
    one = Site("allocated", HANDLER, count=3)
    growth = (Growth("inuse_space", (0, 1 << 20)),)
    for sites, told in (
        ((one,), ".(*Desk).Add` grew from"),
        ((one, replace(one, frame=RECEIVE)), "` and 1 other place grew"),
    ):
        suspect = replace(own, sites=(*sites, *own.sites), growth=growth)
        assert told in headline(of(replace(found, suspect=suspect)), "en")


def test_goroutines_of_several_places_are_not_told_to_stand_at_one() -> None:
    found = leak()
    sites = (*found.suspect.sites, Site("blocked", HANDLER, "IO wait", 1))
    points = (Point("p1", None, "after", totals={"goroutines": 4000}),)
    both = replace(of(replace(found, suspect=replace(found.suspect, sites=sites))), timeline=points)
    told = "1,104 of 4,000 goroutines blocked: 1,103 in `watch.(*StreamWatcher).receive`, 1 in 1 other place"
    assert told in headline(both, "en")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"affects_build": "unknown"}, "Possibly known bug kubernetes-98653"),
        ({"where": "peer"}, "in the peer process"),
        ({"fixed": (), "upgrade_to": None}, "not fixed in any release"),
    ],
)
def test_a_known_bug_is_told_as_sure_as_it_is(change: dict[str, object], told: str) -> None:
    found = leak()
    known = KnownMatch(**{**{name: getattr(found.known[0], name) for name in KnownMatch.__struct_fields__}, **change})
    assert told in headline(of(changed(found, known=(known,), remedies=())), "en")


def test_a_bug_that_the_build_has_the_fix_of_is_not_named() -> None:
    found = leak()
    fixed = changed(found, known=(replace(found.known[0], affects_build="no"),))
    assert "kubernetes-98653" not in headline(of(fixed), "en")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_least_is_a_sentence_too(lang: str) -> None:
    one_sentence(headline(empty(), lang), lang)
    one_sentence(headline(replace(empty(), verdict="undecided"), lang), lang)
    one_sentence(headline(of(heap_leak()), lang), lang)
    bare = replace(heap_leak(), suspect=replace(heap_leak().suspect, growth=(), evidence=()))
    one_sentence(headline(of(bare), lang), lang)


def test_a_hostile_name_is_cut() -> None:
    found = leak()
    site = found.suspect.sites[0]
    evil = replace(site, frame=replace(site.frame, function="main." + "x" * 1_000_000))
    text = headline(of(replace(found, suspect=replace(found.suspect, sites=(evil,)))), "en")
    assert len(text) < 1500
    assert "characters omitted" in text


@pytest.mark.parametrize(
    ("function", "told"), [("net.(*netFD).Read", "network I/O"), ("os.(*File).read", "read or write")]
)
def test_a_file_is_no_network(function: str, told: str) -> None:
    found = leak()
    first, *rest = found.suspect.sites
    site = replace(first, frame=replace(first.frame, function=function), state="IO wait")
    text = headline(
        replace(rich(), findings=(replace(found, suspect=replace(found.suspect, sites=(site, *rest))),)), "en"
    )
    assert told in text, text

"""The answer at a glance: where, why, known bug, what to do; of what is not settled, the command that settles it."""

from dataclasses import replace

import pytest

from diagnosed import diagnosed
from diagnoses import cause, empty, leak, rich
from hostile import hostile
from oakum.model import Evidence, Frame, Site, Text
from oakum.report.advice import elsewhere, lock_in_source
from oakum.report.html import render
from oakum.report.html.text import anchors_of
from oakum.report.page.blocks import Claims, Command, Fact, Link, Page, Para, Places, Section, walk
from oakum.report.page.compose import compose

OURS = Frame("example.com/shop.(*Cart).watch", "/srv/shop/cart.go", 31)


def labels(page: Page) -> list[str]:
    return [fact.label for fact in page.glance]


def told(fact: Fact) -> str:
    parts = []
    for block in fact.blocks:
        match block:
            case Para(text=text) | Link(text=text) | Command(text=text):
                parts.append(text)
            case Places(places=places):
                parts += [f"{one.function} {one.file}:{one.line} {one.told}" for one in places]
    return "\n".join(parts)


def test_a_leak_is_answered_in_five_lines() -> None:
    page = compose(diagnosed("leaking"), "en")
    assert labels(page) == ["where", "cause", "known bug", "now", "properly"]
    where, _, bug, now, properly = map(told, page.glance)
    assert where.endswith("watch/streamwatcher.go:127 chan send, 160 goroutines")
    assert bug == "kubernetes-98653\nk8s.io/apimachinery v0.18.8 has it; mended in v0.21.0"
    assert now.startswith("Restart cpc")
    assert properly.startswith("upgrade: k8s.io/apimachinery v0.21.0 or later.")
    assert "kubernetes-98653" not in page.verdict, "it stands in the line of its own"


@pytest.mark.parametrize("name", ["leaking", "undecided", "peers", "locks", "container", "outside"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_label_leads_to_a_section_of_the_page(name: str, lang: str) -> None:
    page = compose(diagnosed(name), lang)
    assert page.glance
    assert {fact.to.removeprefix("#") for fact in page.glance} <= anchors_of(page)
    assert all(fact.blocks for fact in page.glance)


def test_ones_own_code_stands_beside_a_place_in_a_dependency() -> None:
    found = leak()
    driven = replace(found, suspect=replace(found.suspect, sites=(found.suspect.sites[0], Site("driver", OURS))))
    (where, *_) = compose(replace(rich(), findings=(driven,)), "en").glance
    assert "example.com/shop.(*Cart).watch /srv/shop/cart.go:31 driven from here" in told(where)


def test_a_long_cause_is_cut_between_sentences() -> None:
    one = Text("cause.shown")
    for lang, most in (("en", 560), ("zh", 290)):
        long = replace(cause(), because=(one,) * 40)
        page = compose(replace(rich(), findings=(replace(leak(), cause=long),)), lang)
        text = told(page.glance[1])
        assert text.endswith(("." if lang == "en" else "。") + " …")
        assert len(text) <= most + 60


def test_a_drafted_change_is_announced() -> None:
    assert told(compose(rich(), "en").glance[-1]).endswith("A change is drafted below.")


def test_what_is_not_settled_comes_with_what_settles_it() -> None:
    page = compose(diagnosed("undecided"), "en")
    assert labels(page) == ["where", "to settle it"]
    (command,) = [one for one in page.glance[-1].blocks if isinstance(one, Command)]
    assert command.text == diagnosed("undecided").gaps[0].command


def test_nothing_is_added_to_what_is_healthy() -> None:
    assert compose(diagnosed("healthy"), "en").glance == ()
    assert compose(empty(), "zh").glance == ()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_hostile_names_stay_short_and_harmless(lang: str) -> None:
    evil = "</script><img src=x onerror=alert(1)>`|\n\x1b[2J\u202e" + "A" * 1_000_000
    page = compose(hostile(evil), lang)
    assert all(len(told(fact)) < 20_000 for fact in page.glance)
    text = render(page)
    verdict = text.partition('id="o-verdict"')[2].partition("</section>")[0]
    assert "<img" not in verdict
    assert "\x1b" not in verdict


def claims(sections: tuple[Section, ...]) -> list[str]:
    found = [one for part in sections for one in (*walk(part.blocks),)]
    texts = [claim.text for one in found if isinstance(one, Claims) for claim in one.claims]
    return texts + [text for part in sections for text in claims(part.sections)]


def test_a_claim_about_another_process_names_it() -> None:
    told_of = diagnosed("peers")
    found = told_of.findings[0]
    owners = [elsewhere(told_of, found, one) for one in found.suspect.evidence]
    assert "" in owners
    assert "containerd" in owners
    assert any(text.startswith("containerd: 0, 54") for text in claims(compose(told_of, "en").sections))
    assert any(text.startswith("containerd：") for text in claims(compose(told_of, "zh").sections))
    assert not any(text.startswith("cpc:") for text in claims(compose(diagnosed("leaking"), "en").sections))


def test_a_lock_is_called_as_in_the_source_when_there_is_one() -> None:
    found = leak()
    one, two = (
        Evidence("shape", Text("locks.same-lock", {"count": count, "lock": "main.book, 0xc000"}), "sha256:" + "1" * 64)
        for count in (3, 4)
    )
    held = Text("cause.lock.held-here", {"function": "f", "lock": "b.mu", "locked": "a.go:1", "line": "a.go:2"})
    other = Text("cause.lock.held-here", {"function": "f", "lock": "b.other", "locked": "a.go:1", "line": "a.go:2"})
    suspect = replace(found.suspect, evidence=(one, two))
    tied = replace(found, suspect=suspect, cause=replace(cause(), because=(held, held)))
    assert (lock_in_source(tied, one), lock_in_source(tied, two)) == ("b.mu", "")
    assert "In the source it is `b.mu`." in "".join(claims(compose(replace(rich(), findings=(tied,)), "en").sections))
    of_two = replace(tied, cause=replace(cause(), because=(held, other)))
    assert lock_in_source(of_two, one) == ""
    assert lock_in_source(replace(tied, cause=None), one) == ""


def test_the_places_that_are_counted_together_stand_first() -> None:
    """160 wait: 159 at one place, 1 at another; both are read without being unfolded."""
    page = compose(diagnosed("peers"), "en")
    (suspects,) = [part for part in page.sections if part.anchor == "suspects"]
    found = diagnosed("peers").findings[0]
    mine = [
        one for one in found.suspect.sites if one.role == "blocked" and one.process == found.suspect.sites[0].process
    ]
    places = next(one for one in walk(suspects.sections[0].blocks) if isinstance(one, Places)).places
    assert [place.function for place in places[: len(mine)]] == [site.frame.function for site in mine]
    assert f"{sum(one.count or 0 for one in mine):,} of 167 goroutines wait: {mine[0].count:,} at" in page.verdict

"""The answer at a glance: where, why, known bug, what to do; of what is not settled, the command that settles it."""

import pytest
from msgspec.structs import replace

from diagnosed import diagnosed
from diagnoses import cause, changed, empty, leak, rich
from hostile import hostile
from oakum.model import Evidence, Frame, Site, Text
from oakum.report.advice import elsewhere, lock_in_source
from oakum.report.gap_commands import gap_command
from oakum.report.html import render
from oakum.report.html.text import anchors_of
from oakum.report.page.blocks import Claims, Command, Fact, Link, Page, Para, Places, Section, walk
from oakum.report.page.compose import compose
from oakum.report.page.speech import Speech

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


def test_a_leak_is_answered_in_seven_lines() -> None:
    page = compose(diagnosed("leaking"), "en")
    assert labels(page) == ["where", "since", "root cause", "known bug", "mitigation", "permanent fix", "next"]
    where, began, _, bug, now, properly, following = map(told, page.glance)
    assert began.startswith("Started between 00:08:25Z and 00:08:53Z")
    assert following.startswith("oakum goroutines --stacks --focus ")
    (chart,) = page.picture
    assert [point.value for point in chart.series[0].points] == [0, 80, 160]
    assert where.endswith("watch/streamwatcher.go:127 chan send, 160 goroutines")
    assert bug == "kubernetes-98653\nk8s.io/apimachinery v0.18.8 is affected; fixed in v0.21.0"
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
    assert "example.com/shop.(*Cart).watch /srv/shop/cart.go:31 triggered here" in told(where)


def test_a_long_cause_is_cut_between_sentences() -> None:
    one = Text("cause.shown")
    for lang, most in (("en", 420), ("zh", 220)):
        long = replace(cause(), because=(one,) * 40)
        page = compose(replace(rich(), findings=(changed(leak(), cause=long),)), lang)
        (text,) = [told(fact) for fact in page.glance if fact.to.endswith("-cause")]
        assert text.endswith(("." if lang == "en" else "。") + " …")
        assert len(text) <= most + 60
        (rest,) = [part.blocks[0] for part in page.sections[0].sections[0].sections if part.anchor.endswith("-cause")]
        assert isinstance(rest, Para)
        sentence = Speech(lang).say(one)
        assert (text + rest.text).count(sentence) == 40, "what is cut stands below, and nothing twice"


def test_a_drafted_change_is_announced() -> None:
    assert told(compose(rich(), "en").glance[-2]).endswith("Draft patch below.")


def test_what_is_not_settled_comes_with_what_settles_it() -> None:
    page = compose(diagnosed("undecided"), "en")
    assert labels(page) == ["where", "next step"]
    (command,) = [one for one in page.glance[-1].blocks if isinstance(one, Command)]
    undecided = diagnosed("undecided")
    assert command.text == gap_command(undecided, undecided.gaps[0])
    below = [one.text for part in page.sections for one in walk(part.blocks) if isinstance(one, Command)]
    assert command.text not in below, "it stands beside the verdict, once"


def _paragraphs(page: Page) -> list[str]:
    def inside(sections: tuple[Section, ...]) -> list[str]:
        own = [one.text for part in sections for one in walk(part.blocks) if isinstance(one, Para)]
        return own + [text for part in sections for text in inside(part.sections)]

    return [one.text for fact in page.glance for one in fact.blocks if isinstance(one, Para)] + inside(page.sections)


@pytest.mark.parametrize("name", ["leaking", "undecided", "peers", "locks", "container", "outside"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_cause_mitigation_and_permanent_fix_appear_once(name: str, lang: str) -> None:
    diagnosis = diagnosed(name)
    page = compose(diagnosis, lang)
    texts = _paragraphs(page)
    speech, found = Speech(lang), diagnosis.findings[0]
    sentences = [speech.say(one) for one in found.cause.because] if found.cause else []
    sentences += [speech.say(one.text) for one in found.remedies]
    sentences += [fact.blocks[0].text for fact in page.glance if isinstance(fact.blocks[0], Para)]
    for sentence in dict.fromkeys(sentences):
        assert sum(text.count(sentence) for text in texts) <= max(1, sentences.count(sentence)), sentence


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
        Evidence(
            "inferred-link",
            Text("locks.same-lock", {"count": count, "lock": "main.book, 0xc000"}),
            "sha256:" + "1" * 64,
        )
        for count in (3, 4)
    )
    held = Text("cause.lock.held-here", {"function": "f", "lock": "b.mu", "locked": "a.go:1", "line": "a.go:2"})
    other = Text("cause.lock.held-here", {"function": "f", "lock": "b.other", "locked": "a.go:1", "line": "a.go:2"})
    suspect = replace(found.suspect, evidence=(one, two))
    tied = changed(found, suspect=suspect, cause=replace(cause(), because=(held, held)))
    assert (lock_in_source(tied, one), lock_in_source(tied, two)) == ("b.mu", "")
    assert "In the source: `b.mu`." in "".join(claims(compose(replace(rich(), findings=(tied,)), "en").sections))
    of_two = changed(tied, cause=replace(cause(), because=(held, other)))
    assert lock_in_source(of_two, one) == ""
    assert lock_in_source(changed(tied, cause=None), one) == ""


def test_the_places_that_are_counted_together_stand_first() -> None:
    """160 wait: 159 at one place, 1 at another; both are read without being unfolded."""
    page = compose(diagnosed("peers"), "en")
    found = diagnosed("peers").findings[0]
    mine = [
        one for one in found.suspect.sites if one.role == "blocked" and one.process == found.suspect.sites[0].process
    ]
    places = next(one for one in page.glance[0].blocks if isinstance(one, Places)).places
    assert [place.function for place in places[: len(mine)]] == [site.frame.function for site in mine]
    assert f"{sum(one.count or 0 for one in mine):,} of 167 goroutines blocked: {mine[0].count:,} in" in page.verdict

"""The judge: kinds of evidence to confidence, and nothing without evidence."""

import random
from typing import Any

import pytest

from oakum.judge import confidence, judge, verdict
from oakum.model import Evidence, Frame, Site, Suspect, Text
from oakum.model.vocabulary import HARMLESS

DIGEST = "sha256:" + "0" * 64
PLACE = Frame("main.(*Desk).ask", "/srv/shop/desk.go", 44)
FOR = (
    "steady-growth",
    "outlives-load",
    "single-step",
    "stuck",
    "reported-wait",
    "pile-up",
    "majority",
    "baseline",
    "growth-at-constant-load",
)


def suspect(
    wait: Any,
    *kinds: Any,
    mechanism: Any = "",
    weight: float = 0.5,
    place: Frame = PLACE,
    role: Any = "blocked",
    count: int = 3,
) -> Suspect:
    mechanism = mechanism or ("abandoned-sender" if wait else "growing-container")
    evidence = tuple(Evidence(kind, Text(f"goroutines.{kind}"), DIGEST) for kind in kinds)
    return Suspect((Site(role, place, count=count),), (mechanism,), evidence, weight, wait=wait or None)


@pytest.mark.parametrize(
    ("wait", "kinds", "said"),
    [
        # Go's own proof is above all, also where the wait is one at rest.
        ("hard", "leak-profile", "proven"),
        ("resting", "leak-profile progress pile-up", "proven"),
        # A test proves what the code does; that it happens in the process, the captures show.
        ("hard", "steady-growth proven-by-test", "proven"),
        ("soft", "single-step proven-by-test", "likely"),
        # Nothing can end it.
        ("never", "never-wakes", "likely"),
        ("never", "nil-stop-channel stuck", "possible"),
        ("never", "nil-stop-channel steady-growth", "likely"),
        # Who cannot send or lock, and is not alone with that.
        ("hard", "steady-growth", "likely"),
        ("hard", "steady-growth stuck majority", "likely"),
        ("hard", "stuck", "likely"),
        ("hard", "outlives-load single-step", "likely"),
        ("hard", "baseline", "likely"),
        ("hard", "reported-wait single-step", "likely"),
        ("hard", "majority cause-in-source", "likely"),
        ("hard", "pile-up cause-in-source", "possible"),
        # A pool that lends to nobody who is there: also where clients still wait, or only counts are known.
        ("hard", "client-connected counts-only steady-growth pool-unused", "likely"),
        ("hard", "client-connected counts-only steady-growth", "possible"),
        # A wait of a moment, or a count alone, may be load.
        ("hard", "pile-up", "possible"),
        ("hard", "reported-wait", "possible"),
        # Three of one dump for a minute: no coincidence, unless whoever is before them works.
        ("hard", "reported-wait pile-up", "likely"),
        ("hard", "reported-wait pile-up head-at-work", "possible"),
        ("hard", "reported-wait pile-up client-connected", "possible"),
        ("hard", "single-step", "possible"),
        ("hard", "queue-growth", "possible"),
        # What is alive is never more than possible.
        ("hard", "steady-growth progress", "possible"),
        ("soft", "steady-growth outlives-load progress", "possible"),
        # A crew at rest: one rise, or one dump, tells no pool from a leak.
        ("soft", "single-step", "possible"),
        ("soft", "pile-up majority reported-wait", "possible"),
        ("resting", "single-step", "possible"),
        ("resting", "pile-up", "possible"),
        ("unknown", "pile-up majority", "possible"),
        ("soft", "steady-growth outlives-load", "likely"),
        ("soft", "baseline reported-wait", "likely"),
        # By the source a timer or a deadline ends each: unless some are there for longer than a minute.
        ("resting", "orphaned steady-growth evenly-started", "likely"),
        ("resting", "orphaned steady-growth evenly-started ends-by-itself", "possible"),
        ("resting", "orphaned steady-growth reported-wait ends-by-itself", "likely"),
        ("hard", "steady-growth ends-by-itself", "possible"),
        # Heap: shape and growth, never one of them.
        ("", "heap-owner heap-steady-growth", "likely"),
        ("", "heap-owner heap-baseline", "likely"),
        ("", "heap-owner", "possible"),
        ("", "heap-steady-growth", "possible"),
        ("", "heap-single-step heap-owner", "possible"),
        # What the source says of memory: nothing takes it out, or something bounds it.
        ("", "never-removed heap-steady-growth", "likely"),
        ("", "never-removed heap-baseline", "likely"),
        ("", "never-removed heap-single-step heap-even-growth", "likely"),
        ("", "heap-owner heap-single-step heap-even-growth", "possible"),
        ("", "never-removed heap-steady-growth heap-with-goroutines", "likely"),
        ("", "heap-owner heap-steady-growth heap-with-goroutines", "possible"),
        ("", "never-removed heap-single-step", "possible"),
        ("", "never-removed heap-largest", "possible"),
        ("", "heap-owner heap-steady-growth bounded", "possible"),
        ("", "never-removed heap-steady-growth heap-sampling-noise", "possible"),
        ("", "off-heap-steady-growth", "likely"),
    ],
)
def test_kinds_of_evidence_make_confidence(wait: str, kinds: str, said: str) -> None:
    assert confidence(suspect(wait, *kinds.split())) == said


@pytest.mark.parametrize("wait", ["never", "hard", "soft", "resting", "working", "unknown"])
def test_only_go_proves(wait: str) -> None:
    assert confidence(suspect(wait, *FOR)) != "proven"
    assert confidence(suspect(wait, "leak-profile")) == "proven"


@pytest.mark.parametrize("wait", ["soft", "resting", "unknown", "working"])
@pytest.mark.parametrize("kind", FOR)
def test_one_sign_alone_convicts_nobody_at_rest(wait: str, kind: str) -> None:
    assert confidence(suspect(wait, kind)) == "possible"


@pytest.mark.parametrize("mechanism", ["accumulating-registration", "unstopped-timer", "finalizer-backlog"])
def test_what_names_who_should_let_go_needs_even_growth_only(mechanism: str) -> None:
    kinds = ("heap-owner", "heap-single-step", "heap-even-growth")
    assert confidence(suspect("", *kinds, mechanism=mechanism)) == "likely"
    assert confidence(suspect("", *kinds[:2], mechanism=mechanism)) == "possible"
    assert confidence(suspect("", *kinds, "heap-with-goroutines", mechanism=mechanism)) == "possible"


@pytest.mark.parametrize(("wait", "count", "said"), [("hard", 1000, "likely"), ("unknown", 4310, "likely"),
    ("hard", 999, "possible"), ("soft", 4310, "possible"), ("resting", 4310, "possible")])  # fmt: skip
def test_a_thousand_that_are_most_of_the_process_are_no_queue(wait: str, count: int, said: str) -> None:
    assert confidence(suspect(wait, "pile-up", "majority", count=count)) == said


def test_the_verdict_follows_the_surest() -> None:
    likely, _ = judge([suspect("hard", "stuck")])
    possible, _ = judge([suspect("soft", "single-step")])
    assert verdict(likely, compared=True) == verdict([*possible, *likely], compared=False) == "leaking"
    assert verdict(possible, compared=True) == "undecided"
    assert verdict((), compared=False) == "undecided"  # silence is no pass
    assert verdict((), compared=True) == "healthy"


@pytest.mark.parametrize("mechanism", sorted(HARMLESS))
def test_what_is_harmless_is_explained_and_no_finding(mechanism: str) -> None:
    findings, explained = judge([suspect("resting", "plateau", mechanism=mechanism)])
    assert findings == ()
    (one,) = explained
    assert (one.mechanism, one.title.key) == (mechanism, "goroutines.plateau")


def test_the_surest_comes_first_then_what_holds_most() -> None:
    names = ["proven", "much", "little", "send", "receive", "rest"]
    suspects = [
        suspect("hard", "leak-profile", weight=0.01, place=Frame("main.proven")),
        suspect("hard", "stuck", weight=0.6, place=Frame("main.much")),
        suspect("hard", "stuck", weight=0.2, place=Frame("main.little")),
        suspect("hard", "reported-wait", weight=0.1, place=Frame("main.send")),
        suspect("soft", "pile-up", weight=0.3, place=Frame("main.receive")),
        suspect("resting", "pile-up", weight=0.9, place=Frame("main.rest")),
    ]
    for seed in range(5):
        findings, _ = judge(random.Random(seed).sample(suspects, len(suspects)))
        assert [one.suspect.sites[0].frame.name for one in findings] == names
        assert [one.rank for one in findings] == [1, 2, 3, 4, 5, 6]


def test_who_waits_for_another_process_comes_after_what_may_be_the_cause() -> None:
    waits = suspect(
        "resting",
        "steady-growth",
        "outlives-load",
        "growth-at-constant-load",
        mechanism="missing-deadline",
        weight=0.9,
        place=Frame("main.call"),
    )
    stuck = suspect("hard", "stuck", weight=0.1)
    findings, _ = judge([waits, stuck])
    assert findings[0].mechanism == "abandoned-sender"


def test_an_id_survives_rebuilds_and_other_hosts() -> None:
    def identity(place: Frame) -> str:
        (found,), _ = judge([suspect("hard", "stuck", place=place)])
        return found.id

    assert identity(PLACE) == identity(Frame(PLACE.function, "example.com/shop/desk.go", 97))
    assert identity(Frame("main.(*Desk).ask.func1")) == identity(Frame("main.(*Desk).ask.func2.1"))
    assert identity(Frame("main.run[...]")) == identity(Frame("main.run[go.shape.int]"))
    assert identity(PLACE) != identity(Frame("main.(*Desk).reply"))


def test_a_claim_without_a_capture_cannot_be_built() -> None:
    with pytest.raises(ValueError, match="no evidence"):
        Evidence("steady-growth", Text("goroutines.steady-growth"), "")


def test_the_title_names_the_place_and_how_many() -> None:
    (found,), _ = judge([suspect("hard", "stuck")])
    assert (found.title.args["function"], found.title.args["line"], found.title.args["count"]) == (
        PLACE.function,
        44,
        3,
    )

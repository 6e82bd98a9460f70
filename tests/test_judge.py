"""The judge: kinds of evidence to confidence, and nothing without evidence."""

import random

import pytest

from oakum.judge import HARMLESS, confidence, judge, verdict
from oakum.model import Evidence, Frame, Site, Suspect, Text

DIGEST = "sha256:" + "0" * 64
PLACE = Frame("main.(*Desk).ask", "/srv/shop/desk.go", 44)
FOR = ("gains", "outlives-load", "ramp", "stuck", "waits", "crowd", "most", "twin", "steady")


def suspect(
    wait: str,
    *kinds: str,
    mechanism: str = "abandoned-sender",
    weight: float = 0.5,
    place: Frame = PLACE,
    role: str = "blocked",
) -> Suspect:
    evidence = tuple(Evidence(kind, Text(f"goroutines.{kind}"), DIGEST) for kind in kinds)
    return Suspect((Site(role, place, count=3),), (mechanism,), evidence, weight, wait=wait)  # type: ignore[arg-type]  # of tables


@pytest.mark.parametrize(
    ("wait", "kinds", "said"),
    [
        # Go's own proof is above all, also where the wait is one at rest.
        ("hard", "leak-profile", "proven"),
        ("resting", "leak-profile alive crowd", "proven"),
        # Nothing can end it.
        ("never", "never-wakes", "likely"),
        ("never", "nil-stop stuck", "possible"),
        ("never", "nil-stop gains", "likely"),
        # Who cannot send or lock, and is not alone with that.
        ("hard", "gains", "likely"),
        ("hard", "gains stuck most", "likely"),
        ("hard", "stuck", "likely"),
        ("hard", "outlives-load ramp", "likely"),
        ("hard", "twin", "likely"),
        ("hard", "waits ramp", "likely"),
        ("hard", "most explained", "likely"),
        ("hard", "crowd explained", "possible"),
        # A wait of a moment, or a count alone, may be load.
        ("hard", "crowd", "possible"),
        ("hard", "waits", "possible"),
        ("hard", "ramp", "possible"),
        ("hard", "queue-grows", "possible"),
        # What is alive is never more than possible.
        ("hard", "gains alive", "possible"),
        ("soft", "gains outlives-load alive", "possible"),
        # A crew at rest: one rise, or one dump, tells no pool from a leak.
        ("soft", "ramp", "possible"),
        ("soft", "crowd most waits", "possible"),
        ("resting", "ramp", "possible"),
        ("resting", "crowd", "possible"),
        ("unknown", "crowd most", "possible"),
        ("soft", "gains outlives-load", "likely"),
        ("soft", "twin waits", "likely"),
        # Heap: shape and growth, never one of them.
        ("", "heap-shape heap-rises", "likely"),
        ("", "heap-shape heap-twin", "likely"),
        ("", "heap-shape", "possible"),
        ("", "heap-rises", "possible"),
        ("", "heap-ramp heap-shape", "possible"),
        # What the source says of memory: nothing takes it out, or something bounds it.
        ("", "kept heap-rises", "likely"),
        ("", "kept heap-twin", "likely"),
        ("", "kept heap-ramp heap-climbs", "likely"),
        ("", "heap-shape heap-ramp heap-climbs", "possible"),
        ("", "kept heap-ramp", "possible"),
        ("", "kept heap-retains", "possible"),
        ("", "heap-shape heap-rises bounded", "possible"),
        ("", "kept heap-rises heap-wobbles", "possible"),
        ("", "off-heap-rises", "likely"),
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


def test_the_verdict_follows_the_surest() -> None:
    likely, _ = judge([suspect("hard", "stuck")])
    possible, _ = judge([suspect("soft", "ramp")])
    assert verdict(likely, compared=True) == verdict([*possible, *likely], compared=False) == "leaking"
    assert verdict(possible, compared=True) == "undecided"
    assert verdict((), compared=False) == "undecided"  # silence is no pass
    assert verdict((), compared=True) == "healthy"


@pytest.mark.parametrize("mechanism", sorted(HARMLESS))
def test_what_is_harmless_is_explained_and_no_finding(mechanism: str) -> None:
    findings, explained = judge([suspect("resting", "levels-off", mechanism=mechanism)])
    assert findings == ()
    (one,) = explained
    assert (one.mechanism, one.title.key) == (mechanism, "goroutines.levels-off")


def test_the_surest_comes_first_then_what_holds_most() -> None:
    names = ["proven", "much", "little", "send", "receive", "rest"]
    suspects = [
        suspect("hard", "leak-profile", weight=0.01, place=Frame("main.proven")),
        suspect("hard", "stuck", weight=0.6, place=Frame("main.much")),
        suspect("hard", "stuck", weight=0.2, place=Frame("main.little")),
        suspect("hard", "waits", weight=0.1, place=Frame("main.send")),
        suspect("soft", "crowd", weight=0.3, place=Frame("main.receive")),
        suspect("resting", "crowd", weight=0.9, place=Frame("main.rest")),
    ]
    for seed in range(5):
        findings, _ = judge(random.Random(seed).sample(suspects, len(suspects)))
        assert [one.suspect.sites[0].frame.name for one in findings] == names
        assert [one.rank for one in findings] == [1, 2, 3, 4, 5, 6]


def test_who_waits_for_another_process_comes_after_what_may_be_the_cause() -> None:
    waits = suspect(
        "resting",
        "gains",
        "outlives-load",
        "steady",
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
        Evidence("gains", Text("goroutines.gains"), "")


def test_the_title_names_the_place_and_how_many() -> None:
    (found,), _ = judge([suspect("hard", "stuck")])
    assert (found.title.args["function"], found.title.args["line"], found.title.args["count"]) == (
        PLACE.function,
        44,
        3,
    )

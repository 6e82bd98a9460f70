"""Deploys, limits and load: one event per change and service, whatever its replicas; and what growth came with."""

import json

from oakum.store.rows import EventRow, RunRow
from oakum.watch.changes import Changes, Ran, preceding
from oakum.watch.trends import Point, Trail, load_change

MINUTE = 60_000_000
HOUR = 60 * MINUTE


def trail(*rates: float, kind: str = "requests", at: int = 0) -> Trail:
    """Return a run that served so many requests a second in each minute."""
    found, served = Trail(), 1000.0
    found.add(Point(at, work=served, kind=kind))
    for minute, rate in enumerate(rates, 1):
        served += rate * 60
        found.add(Point(at + minute * MINUTE, work=served, kind=kind))
    return found


def told(changes: list[EventRow]) -> list[tuple[str, dict[str, object]]]:
    return [(one.kind, json.loads(one.args)) for one in changes]


def test_a_rollout_is_one_deploy() -> None:
    changes = Changes([RunRow(run="r", service="s", replica="a", version="v1", first_seen=0)])
    one, two = Ran("v1"), Ran("v2")
    quiet = trail(5)
    assert changes.seen("s", "a", "r1", None, one, [], quiet) == []
    assert told(changes.seen("s", "c", "r2", None, two, [one], quiet)) == [
        ("deploy", {"replica": "c", "version": "v2"})
    ]
    assert changes.seen("s", "d", "r3", None, two, [one, two], quiet) == [], "the next pod of the same rollout"
    assert changes.seen("s", "a", "r4", None, one, [one, two], quiet) == [], "an old pod that restarts meanwhile"
    assert changes.seen("s", "c", "r2", two, two, [two], quiet) == []
    assert [one.kind for one in changes.of("s")] == ["deploy"]
    assert told(changes.seen("s", "e", "r5", None, one, [two], quiet)) == [
        ("deploy", {"replica": "e", "version": "v1"})
    ], "back"


def test_an_image_tells_builds_apart_that_have_no_version() -> None:
    changes = Changes()
    assert changes.seen("s", "a", "r1", None, Ran(image="shop:1"), [], trail(5)) == []
    (found,) = changes.seen("s", "b", "r2", None, Ran(image="shop:2"), [], trail(5))
    assert json.loads(found.args)["version"] == "shop:2"


def test_limits_that_change_are_told_and_what_is_not_known_is_no_change() -> None:
    changes = Changes()
    small, large = Ran("v1", limit=256 << 20, cores=2), Ran("v1", limit=512 << 20, cores=4)
    assert changes.seen("s", "a", "r1", None, small, [], trail(5)) == []
    found = changes.seen("s", "a", "r1", small, large, [], trail(5))
    assert [one.key for one in found] == ["watch.config-limit", "watch.config-cores"]
    assert changes.seen("s", "a", "r1", large, large.then(Ran()), [], trail(5)) == []
    assert changes.seen("s", "b", "r2", None, small, [small, large], trail(5)) == [], (
        "some have the one, some the other"
    )


def test_a_load_that_stays_twice_as_high_is_a_change_and_a_burst_is_none() -> None:
    found = load_change(trail(5, 5.2, 4.8, 5, 11, 12, 11))
    assert found is not None
    assert (found.at, round(found.before), round(found.after)) == (4 * MINUTE, 5, 11)
    assert load_change(trail(11, 12, 11, 11, 5, 4.8, 5)) is not None
    assert load_change(trail(5, 5, 5, 5, 12, 5, 12)) is None
    assert load_change(trail(5, 5, 13, 5, 12, 12, 12)) is None, "it was so high before"
    assert load_change(trail(0.01, 0.02, 0.01, 0, 0.06, 0.05, 0.05)) is None, "a handful"
    assert load_change(trail(5, 5, 5, 5, 11, 12, 11, kind="allocated")) is None, "a leak allocates, too"
    assert load_change(trail(5, 11, 12, 11)) is None, "too little was seen"


def test_a_change_of_load_is_told_once_for_all_replicas() -> None:
    changes, how = Changes(), Ran("v1")
    rates = [5.0, 5.0, 5.0, 5.0, 11.0, 12.0, 11.0]
    assert [one.kind for one in changes.seen("s", "a", "r1", how, how, [how], trail(*rates))] == ["load"]
    assert changes.seen("s", "b", "r2", how, how, [how], trail(*rates, at=MINUTE // 3)) == []
    assert changes.seen("s", "a", "r1", how, how, [how], trail(*rates, 12)) == []


def happened(at: int, kind: str) -> EventRow:
    return EventRow(service="s", at=at, kind=kind)


def test_the_change_before_growth_is_the_nearest_and_a_deploy_before_its_restart() -> None:
    deploy, restart = happened(118 * MINUTE, "deploy"), happened(117 * MINUTE, "restart")
    events = [
        happened(3 * MINUTE, "deploy"),
        restart,
        deploy,
        happened(200 * MINUTE, "config"),
        happened(119 * MINUTE, "capture"),
    ]
    found = preceding(events, 120 * MINUTE, 115 * MINUTE, 125 * MINUTE)
    assert found[:2] == [deploy, restart]
    assert {one.kind for one in found} == {"deploy", "restart"}, "what came after it is none, nor what is no change"
    assert preceding(events, 10 * HOUR, None, 10 * HOUR) == []


def test_what_is_remembered_is_bounded() -> None:
    changes = Changes(events=[happened(at, "restart") for at in range(1000)] + [happened(1, "target-lost")])
    assert [one.at for one in changes.of("s")] == list(range(936, 1000))
    for at in range(5000):
        changes.add(EventRow(service=f"t{at}", at=at, kind="deploy"))
    assert changes.of("s") == ()

"""Incidents: one per cause and service, opened with patience, closed after growth ended at work, flapping said once."""

from collections.abc import Sequence

import msgspec

from oakum.store.rows import FindingRow
from oakum.watch.incidents import Change, Incidents, Outlook, Rules, Sighting, Signs, advance

MINUTE = 60_000_000
SETTLE = Rules(10 * MINUTE)


class Service:
    """A service whose snapshots are told one by one, a minute apart."""

    def __init__(self) -> None:
        self.book, self.at = Incidents(), 0
        self.changes: list[Change] = []

    def snapshot(
        self,
        count: float = 10.0,
        *,
        seen: Sequence[str] | None = None,
        confidence: str = "likely",
        function: str = "main.(*pool).wait",
        replica: str = "a",
        run: str = "r1",
        worked: bool | None = True,
        outlook: Outlook | None = None,
        replicas: frozenset[str] | None = None,
        minutes: float = 1.0,
        identified: bool = False,
    ) -> list[str]:
        """Take a snapshot; return what changed."""
        self.at += round(minutes * MINUTE)
        sightings = None
        if seen is not None:
            sightings = tuple(
                Sighting(
                    FindingRow(
                        service="orders",
                        run=run,
                        at=self.at,
                        finding=one,
                        confidence=confidence,
                        mechanism="abandoned-sender",
                        function=function,
                        growth_per_hour=600.0,
                    ),
                    ("k1",),
                )
                for one in seen
            )
        measured = {one.row.incident: count for one in self.book.open}
        signs = Signs(
            "orders", replica, self.at, run, sightings, measured, worked, outlook, "page", replicas, identified
        )
        # What is remembered survives the store at any time.
        self.book = msgspec.json.decode(msgspec.json.encode(self.book), type=Incidents)
        self.book, changes = advance(self.book, signs, SETTLE)
        self.changes += changes
        return [one.kind for one in changes]

    def opened(self) -> "Service":
        self.snapshot(20, seen=["f1"])
        assert self.snapshot(30, seen=["f1"]) == ["opened"]
        return self


def test_what_is_likely_is_seen_twice_before_it_is_an_incident_and_what_is_proven_once() -> None:
    service = Service()
    assert service.snapshot(seen=["f1"]) == []
    assert service.snapshot(seen=["f1"]) == ["opened"]
    assert Service().snapshot(seen=["f1"], confidence="proven") == ["opened"]
    once = Service()
    once.snapshot(seen=["f1"])
    once.snapshot(seen=[])
    assert once.snapshot(seen=["f1"]) == [], "a diagnosis in between did not show it"
    possible = Service()
    assert [possible.snapshot(seen=["f1"], confidence="possible") for _ in range(5)] == [[]] * 5


def test_one_incident_whatever_the_replicas_and_however_the_finding_is_called() -> None:
    service = Service().opened()
    assert service.snapshot(seen=["f1"], replica="b") == ["updated"]
    assert service.snapshot(seen=["f2"], replica="b") == ["updated"], "another id at the same function"
    assert service.snapshot(seen=["f2"], replica="b", function="main.(*pool).wait.func2") == []
    (one,) = service.book.open
    assert one.row.replicas == ("a", "b")
    assert [change.notify for change in service.changes] == [True, True, False]
    revisions = [change.incident.revision for change in service.changes]
    assert revisions == sorted(set(revisions)), "every state that is told has its own"


def test_what_grows_beside_a_leak_must_be_seen_longer() -> None:
    service = Service().opened()
    seen = [service.snapshot(40, seen=["f1", "g9"], function="main.cache") for _ in range(3)]
    assert all("opened" not in kinds for kinds in seen)


def test_it_ends_after_the_fixed_build_was_deployed_and_work_went_on() -> None:
    service = Service().opened()
    for count in (40, 50, 60):
        service.snapshot(count)
    kinds = [service.snapshot(3, run="r2") for _ in range(30)]
    closed = kinds.index(["resolved"])
    assert 9 <= closed <= 12
    assert not service.book.open
    assert service.changes[-1].incident.closed_at == service.changes[-1].incident.updated_at
    assert kinds[closed + 1 :] == [[]] * (29 - closed)


def test_it_does_not_end_at_rest_nor_while_it_grows_nor_soon_in_the_process_that_leaked() -> None:
    asleep = Service().opened()
    assert all(asleep.snapshot(3, run="r2", worked=False) == [] for _ in range(60))
    growing = Service().opened()
    assert all(growing.snapshot(30 + 10 * at, run="r2") == [] for at in range(60))
    same = Service().opened()
    ended = [same.snapshot(31) for _ in range(90)].index(["resolved"])
    assert ended >= 59, "a leak whose path is not taken for a while is no leak that is fixed"


def test_replicas_that_are_gone_do_not_hold_it_and_new_ones_decide() -> None:
    service = Service().opened()
    kinds = [service.snapshot(2, replica="b", run="rb", replicas=frozenset({"b"})) for _ in range(20)]
    assert ["resolved"] in kinds
    empty = Service().opened()
    kinds = [empty.snapshot(0, replica="x", run="r1", replicas=frozenset(), minutes=120) for _ in range(14)]
    assert ["resolved"] in kinds, "nobody is left that could leak, for a day"


def closed_again(service: Service) -> None:
    run = f"r{service.at}"
    assert ["resolved"] in [service.snapshot(3, run=run) for _ in range(15)]


def test_what_comes_back_again_and_again_flaps_and_says_so_once() -> None:
    service = Service().opened()
    first = service.book.open[0].row.incident
    for _ in range(4):
        closed_again(service)
        run = f"q{service.at}"
        service.snapshot(20, seen=["f1"], run=run)
        service.snapshot(30, seen=["f1"], run=run)
    told = [(change.kind, change.notify) for change in service.changes if change.kind != "updated"]
    assert told[:6] == [
        ("opened", True), ("resolved", True), ("opened", True), ("resolved", True), ("flapping", True), ("resolved", False),
    ]  # fmt: skip
    assert not any(notify for _, notify in told[5:])
    assert {change.incident.incident for change in service.changes} == {first}
    assert service.book.open[0].row.state == "flapping"


def test_after_a_day_it_is_another_incident() -> None:
    service = Service().opened()
    first = service.book.open[0].row.incident
    closed_again(service)
    service.snapshot(3, run="later", minutes=3000)
    service.opened()
    assert service.book.open[0].row.incident != first


def test_a_forecast_that_moves_is_told_and_one_that_does_not_is_not() -> None:
    service = Service().opened()
    far = Outlook(since=1, limit_low=service.at + 600 * MINUTE, limit_high=service.at + 900 * MINUTE)
    assert service.snapshot(40, outlook=far) == ["updated"]
    assert service.changes[-1].notify
    assert service.snapshot(50, outlook=far) == []
    near = Outlook(since=1, limit_low=service.at + 60 * MINUTE, limit_high=service.at + 90 * MINUTE)
    assert service.snapshot(60, outlook=near) == ["updated"]
    row = service.book.open[0].row
    assert (row.since, row.limit_low) == (1, near.limit_low)


def test_what_is_remembered_is_bounded() -> None:
    service = Service().opened()
    for at in range(3000):
        service.snapshot(40 + at, replica=f"r{at % 3}", replicas=frozenset({"r0", "r1", "r2"}))
    assert len(msgspec.json.encode(service.book)) < 6000


def test_what_rises_for_seconds_may_be_a_queue_unless_memory_runs_out() -> None:
    """Looks a second apart: what is likely must last as long as askers are patient, what is proven need not."""
    queue = Service()
    told = [queue.snapshot(seen=["q"], minutes=1 / 60) for _ in range(44)]
    assert not any(told)
    assert any(queue.snapshot(seen=["q"], minutes=1 / 60) for _ in range(4))
    told_apart = Service()
    told_apart.snapshot(seen=["q"], minutes=1 / 60)
    assert told_apart.snapshot(seen=["q"], minutes=1 / 60, identified=True), "by ids it is no queue"
    drained = Service()
    for seen in (["q"], ["q"], [], ["q"], ["q"]):
        assert drained.snapshot(seen=seen, minutes=0.3) == [], "what was away begins anew"
    certain = Service()
    assert certain.snapshot(seen=["q"], confidence="proven", minutes=1 / 60)
    hurry = Service()
    near = Outlook(limit_low=3 * MINUTE)
    hurry.snapshot(seen=["q"], minutes=1 / 60, outlook=near)
    assert hurry.snapshot(seen=["q"], minutes=1 / 60, outlook=near)

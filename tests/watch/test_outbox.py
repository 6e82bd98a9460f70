"""The outbox: once for each state, the newest state only, back-off, over restarts, bounded."""

from hypothesis import given
from hypothesis import strategies as st

from oakum.watch.notify import Kind, Message, Outbox, Outcome, message
from oakum.watch.notify.outbox import MOST
from watch.receiving import MINUTE, NOW, incident

ONE: dict[str, int | None] = {"hook": None}
SECOND = 1_000_000


def told(revision: int = 1, kind: Kind = "opened", name: str = "i1") -> Message:
    return message(kind, incident(revision, name))


def taken(outbox: Outbox, now: int, channels: dict[str, int | None] = ONE) -> tuple[Outbox, list[str]]:
    """Deliver everything that is due."""
    due = outbox.due(now)
    done = outbox.settled([Outcome(one.channel, one.message.key) for one in due], channels, now)
    return done, [one.message.key for one in due]


def failed(outbox: Outbox, now: int, after: float | None = None) -> Outbox:
    return outbox.settled([Outcome(one.channel, one.message.key, "down", after) for one in outbox.due(now)], ONE, now)


def test_a_state_is_delivered_once() -> None:
    outbox = Outbox().add([told()], ONE, NOW)
    outbox, keys = taken(outbox, NOW)
    assert keys == ["i1:1"]
    assert taken(outbox.add([told()], ONE, NOW), NOW)[1] == []
    assert taken(outbox.add([told(2, "updated")], ONE, NOW), NOW)[1] == ["i1:2"]


def test_a_newer_state_replaces_one_that_waits() -> None:
    outbox = Outbox().add([told(), told(2, "updated")], ONE, NOW)
    assert taken(outbox, NOW)[1] == ["i1:2"]
    assert taken(outbox.add([told(1)], ONE, NOW), NOW)[1] == ["i1:2"]  # an older one does not come back


def test_resolved_is_told_even_where_opened_never_was() -> None:
    outbox = failed(Outbox().add([told()], ONE, NOW), NOW)
    outbox = outbox.add([told(2, "resolved")], ONE, NOW)
    assert taken(outbox, NOW)[1] == []  # the server is down: it is not asked sooner
    assert taken(outbox, NOW + MINUTE)[1] == ["i1:2"]


def test_it_is_kept_over_a_restart() -> None:
    outbox = failed(Outbox().add([told()], ONE, NOW), NOW)
    again = Outbox.decode(outbox.encode())
    assert again == outbox
    done, keys = taken(again, NOW + MINUTE)
    assert keys == ["i1:1"]
    assert taken(Outbox.decode(done.encode()).add([told()], ONE, NOW), NOW)[1] == []
    assert Outbox.decode(None) == Outbox.decode(b"{half") == Outbox.decode(b'{"waiting": 7}') == Outbox()


def test_waits_double_up_to_a_quarter_of_an_hour() -> None:
    outbox, now, waits = Outbox().add([told()], ONE, NOW), NOW, []
    for _ in range(12):
        outbox = failed(outbox, now)
        due = outbox.next_due()
        assert due is not None
        waits.append((due - now) / SECOND)
        now = due
    assert 3.75 <= waits[0] <= 6.25
    assert 7.5 <= waits[1] <= 12.5
    assert all(675 <= wait <= 1125 for wait in waits[8:])
    assert len(set(waits)) == len(waits)  # jitter
    assert outbox.failures == 12


def test_a_server_may_say_when_but_not_forever() -> None:
    outbox = Outbox().add([told()], ONE, NOW)
    assert failed(outbox, NOW, 120).next_due() == NOW + 120 * SECOND
    assert failed(outbox, NOW, 10**9).next_due() == NOW + 3600 * SECOND


def test_what_is_added_while_a_delivery_is_under_way_stays() -> None:
    outbox = Outbox().add([told()], ONE, NOW)
    due = outbox.due(NOW)
    outbox = outbox.add([told(2, "updated")], ONE, NOW)
    outbox = outbox.settled([Outcome("hook", due[0].message.key)], ONE, NOW)
    assert taken(outbox, NOW)[1] == ["i1:2"]


def test_it_is_bounded_and_counts_what_it_drops() -> None:
    outbox = Outbox().add([told(name=f"i{number}") for number in range(MOST + 7)], ONE, NOW)
    assert (len(outbox.waiting), outbox.dropped) == (MOST, 7)
    assert outbox.waiting[0].message.key == "i7:1"  # the oldest go
    for at in range(0, 4500, 500):
        outbox, _ = taken(outbox.add([told(name=f"n{at + number}") for number in range(500)], ONE, NOW), NOW)
    assert len(outbox.delivered) <= 4000


def test_a_channel_that_forgets_is_told_again_until_it_is_over() -> None:
    channels: dict[str, int | None] = {"am": 300}
    outbox, keys = taken(Outbox().add([told()], channels, NOW), NOW, channels)
    assert keys == ["i1:1"]
    assert taken(outbox, NOW + 299 * SECOND, channels)[1] == []
    outbox, keys = taken(Outbox.decode(outbox.encode()), NOW + 300 * SECOND, channels)
    assert keys == ["i1:1"]
    outbox = outbox.add([told(2, "resolved")], channels, NOW + 400 * SECOND)
    outbox, keys = taken(outbox, NOW + 400 * SECOND, channels)
    assert keys == ["i1:2"]
    assert (outbox.next_due(), taken(outbox, NOW + 10**12, channels)[1]) == (None, [])


def test_a_channel_that_is_gone_holds_nothing_back() -> None:
    outbox = Outbox().add([told()], ONE, NOW)
    outbox = outbox.settled([Outcome("hook", "i1:1", "no such channel", dropped=True)], {}, NOW)
    assert outbox.next_due() is None


@given(
    st.lists(
        st.tuples(st.sampled_from("add take fail restart".split()), st.integers(0, 2), st.integers(1, 6)), max_size=40
    )
)
def test_no_state_is_ever_delivered_twice_nor_an_older_after_a_newer(steps: list[tuple[str, int, int]]) -> None:
    outbox, now = Outbox(), NOW
    seen: dict[str, list[int]] = {}
    for what, number, revision in steps:
        now += 5 * MINUTE * revision
        if what == "add":
            outbox = outbox.add([told(revision, name=f"i{number}")], ONE, now)
        elif what == "fail":
            outbox = failed(outbox, now)
        elif what == "restart":
            outbox = Outbox.decode(outbox.encode())
        else:
            for one in outbox.due(now):
                seen.setdefault(one.message.incident.incident, []).append(one.message.incident.revision)
            outbox, _ = taken(outbox, now)
    for revisions in seen.values():
        assert revisions == sorted(set(revisions))

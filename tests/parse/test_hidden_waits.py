"""debug=1 hides the runtime's frames and prints their addresses: the states that these tell are those of the protobuf."""

import gzip
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from oakum.model import Capture, Goroutines
from oakum.parse import goroutines, parse
from oakum.parse.hidden_waits import hidden_waits
from support import ROOT

PARK, NETPOLL, SELECT, SEND, SEND1, RECV, RECV1, RECV2 = 90, 80, 70, 12, 10, 32, 20, 22
POLL = ((PARK, NETPOLL), "internal/poll.runtime_pollWait")
SENDING, RECEIVING, RANGING = (PARK, SEND, SEND1), (PARK, RECV, RECV1), (PARK, RECV, RECV2)


def test_sends_and_receives_are_told_apart_where_both_occur() -> None:
    told = hidden_waits([POLL, (SENDING, "main.ask"), (RECEIVING, "main.wait"), ((PARK, SELECT), "main.loop")])
    assert told == {SENDING: "chan send", RECEIVING: "chan receive", (PARK, SELECT): "select"}


def test_one_that_may_be_either_is_not_guessed() -> None:
    assert hidden_waits([POLL, (SENDING, "main.ask")]) == {}


def test_only_a_receive_has_two_callers() -> None:
    told = hidden_waits([POLL, (RECEIVING, "main.wait"), (RANGING, "main.loop")])
    assert set(told.values()) == {"chan receive"}


def test_a_nil_channel_is_not_taken_for_a_send() -> None:
    early = (PARK, RECV - 5, RECV1)  # chanrecv parks elsewhere for nil
    assert hidden_waits([POLL, (early, "main.wait"), (RANGING, "main.loop")]) == {}


def test_without_a_goroutine_that_shows_where_gopark_is_nothing_is_told() -> None:
    assert hidden_waits([(SENDING, "main.ask"), (RECEIVING, "main.wait")]) == {}


def test_a_goroutine_that_was_preempted_waits_for_nothing() -> None:
    assert hidden_waits([POLL, ((55, 54), "main.sum"), ((PARK, SELECT), "main.loop")]) == {(PARK, SELECT): "select"}


def _goroutines(path: Path) -> Goroutines:
    data = path.read_bytes()
    found = goroutines(parse(Capture(path.name, gzip.decompress(data) if path.suffix == ".gz" else data))[0])
    assert found is not None
    return found


@pytest.mark.parametrize(
    "take",
    [
        "abandoned-sender-mirrors/captures/leaking-go1.27-trimpath",
        "abandoned-sender-freight/captures/leaking-go1.19-modcache",
        "kubernetes-98653/captures/leaking-go1.26-modcache",
    ],
)
def test_states_are_those_of_the_protobuf_beside_it(take: str) -> None:
    told: Counter[str | None] = Counter()
    for folder in sorted(path.parent for path in (ROOT / "casebook" / take).glob("*/goroutine.pb.gz")):
        states = defaultdict(set)
        for group in _goroutines(folder / "goroutine.pb.gz").groups:
            states[group.stack.key].add(group.state)
        for group in _goroutines(next(folder.glob("goroutine.debug1.txt*"))).groups:
            if group.state is not None and group.stack.key in states:
                assert group.state in states[group.stack.key]
            told[group.state] += group.count
    assert told["chan send"] > 0
    assert told["select"] + told["chan receive"] > 0

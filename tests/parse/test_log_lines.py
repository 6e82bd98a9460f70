"""Logs of any dialect -> dated events: every example of the list, whom lines name, and nothing is lost in a large one."""

import random
import re
from datetime import UTC, datetime

import numpy as np
import pytest

from oakum.knowledge.log_lines import LogEvent, Who, log_lines
from oakum.model import Capture, Reading
from oakum.model.signals import Log, Tally
from oakum.parse import parse
from oakum.parse.limits import DEFAULT
from oakum.parse.logs.lines import read_log
from oakum.parse.logs.seek import Sought, seek

KNOWN = log_lines()
QUIET = b"".join(b"I1116 02:40:%02d.000000       1 main.go:3] serving as usual\n" % at for at in range(10))


def log_of(text: bytes) -> Log:
    log, _ = read_log(text, DEFAULT)
    assert log is not None
    return log


def tallies(text: bytes, kind: str) -> list[Tally]:
    return [one for one in log_of(text).tallies if one.kind == kind]


@pytest.mark.parametrize("event", KNOWN.event, ids=lambda event: event.kind)
def test_each_kind_is_found_by_its_examples_and_by_nothing_else(event: LogEvent) -> None:
    for example in event.examples:
        assert tallies(QUIET + example.encode() + b"\n", event.kind), example
    for other in event.others:
        log, _ = read_log(QUIET + other.encode() + b"\n", DEFAULT)
        assert log is None or all(one.kind != event.kind for one in log.tallies), other


@pytest.mark.parametrize("who", KNOWN.who, ids=lambda who: who.field)
def test_names_are_read_from_their_examples(who: Who) -> None:
    for name, line in who.examples.items():
        assert who.named(line.encode()) == name


def test_every_text_that_is_sought_has_an_anchor() -> None:
    for text in (*KNOWN.dumps, *(text for event in KNOWN.event for text in event.seek)):
        assert len(text) == 4
        assert {text[:2], text[2:]} & set(KNOWN.anchors), text
        assert Sought.of(text, KNOWN.anchors).anchor


@pytest.mark.parametrize("seed", range(6))
def test_what_is_sought_is_found_wherever_it_stands(seed: int) -> None:
    chance = random.Random(seed)
    letters = ["meou", "anic", "x", "\n", "e", "d ou", "ou", "ic", "meo"]
    text = "".join(chance.choice(letters) for _ in range(3000)).encode()
    groups = (("meou", "d ou"), ("anic",))
    for piece in seek(text, groups, KNOWN.anchors):
        lines = piece.data.split(b"\n")
        for rows, pattern in zip(piece.lines, (rb"meou|d ou", rb"anic"), strict=True):
            assert rows.tolist() == [at for at, line in enumerate(lines) if re.search(pattern, line)]
            assert all(piece.line(row) == lines[row] for row in rows.tolist())


@pytest.mark.parametrize(
    ("line", "when"),
    [
        (b"2026-11-16T02:41:03.5Z error: request timed out", datetime(2026, 11, 16, 2, 41, 3, 500000, UTC)),
        (b"2026/11/16 02:41:03 request timed out", datetime(2026, 11, 16, 2, 41, 3, tzinfo=UTC)),
        (
            b'10.8.0.4 - - [16/Nov/2026:03:41:03 +0100] "GET / HTTP/1.1" 504 1',
            datetime(2026, 11, 16, 2, 41, 3, tzinfo=UTC),
        ),
        (b'{"ts":1794796863.5,"msg":"request timed out"}', datetime(2026, 11, 16, 2, 41, 3, 500000, UTC)),
        (
            b"__REALTIME_TIMESTAMP=1794796863500000\nMESSAGE=request timed out",
            datetime(2026, 11, 16, 2, 41, 3, 500000, UTC),
        ),
    ],
)
def test_lines_are_dated(line: bytes, when: datetime) -> None:
    (tally,) = tallies(line + b"\n", "time-out")
    assert datetime.fromtimestamp(float(tally.times[0]), UTC) == when


def test_a_stamp_without_a_year_says_so() -> None:
    log = log_of(b"E1116 02:41:03.720429 1 x.go:1] request timed out\n")
    assert (log.yearless, log.zoneless) == (True, True)


def test_lines_of_a_large_log_are_counted_though_not_all_are_looked_at() -> None:
    agents = ["platform-admin/2.3"] * 92 + ["kubectl/v1.12.4"] * 8
    line = "E1116 02:41:%02d.000001 1 wrap.go:32] GET /api/v1/pods: (1s) 504 [[%s] 10.1.0.7:40112]\n"
    text = "".join(line % (at % 60, agents[at * 7 % 100]) for at in range(120_000)).encode()
    (tally,) = tallies(text, "time-out")
    assert tally.total == pytest.approx(120_000, rel=0.001)
    assert tally.looked_at < 60_000
    named = tally.who["agent"]
    assert named.names[0] == "platform-admin/2.3"
    assert float(np.mean(named.rows == 0)) == pytest.approx(0.92, abs=0.02)


def test_the_stack_below_a_panic_names_its_places() -> None:
    text = QUIET + (
        b"2026-11-16T02:41:03Z http: panic serving 10.0.0.2:4711: boom\ngoroutine 7 [running]:\n"
        b"main.(*Desk).ask(0xc000010000)\n\t/srv/quotes/desk.go:44 +0x1d\n2026-11-16T02:41:04Z next\n\t/srv/x/other.go:9\n"
    )
    (tally,) = tallies(text, "panic")
    assert set(tally.places) == {"main.(*Desk).ask", "desk.go:44"}


def test_a_log_is_one_reading_and_dumps_in_it_keep_theirs() -> None:
    quiet = QUIET + b"E1116 02:41:03.720429 1 x.go:1] request timed out\n"
    (reading,) = parse(Capture("log.txt", quiet))
    assert (reading.kind, reading.format) == ("log", "log")
    dump = b"goroutine 1 [chan send]:\nmain.f()\n\t/srv/x.go:3 +0x1\n\n"
    readings: tuple[Reading, ...] = parse(Capture("log.txt", quiet + dump))
    assert readings[0].kind == "goroutine"
    assert readings[0].log is not None


def test_a_log_that_is_cut_anywhere_is_read() -> None:
    text = QUIET + b"\n".join(example.encode() for event in KNOWN.event for example in event.examples)
    for end in range(0, len(text), 7):
        read_log(text[:end], DEFAULT)

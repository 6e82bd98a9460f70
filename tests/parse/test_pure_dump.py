"""A text that is nothing but a dump is read without the other formats, and comes to what they would make of it."""

from datetime import UTC, datetime

import pytest

from oakum.model import Capture, Reading
from oakum.parse import others, parse, stacks
from oakum.parse.limits import DEFAULT

_STACK = """\
goroutine {} [chan receive, {} minutes]:
main.(*Worker).run(0xc{:09x})
\t/srv/orders/worker.go:41 +0x85
created by main.start in goroutine 1
\t/srv/orders/main.go:17 +0x9a

"""
_LARGE = "".join(_STACK.format(at, at % 90 + 1, at * 64) for at in range(2, 9000))
_SMALL = "".join(_STACK.format(at, at % 90 + 1, at * 64) for at in range(2, 9))
# Lines that are no part of a goroutine, and what they are.
_FOREIGN = {
    "log line": "2026-03-01T10:00:00Z level=info msg=ready\n",
    "profile": "goroutine profile: total 1\n1 @ 0x43a0f6\n#\t0x43a0f5\tmain.run+0x85\t/srv/orders/worker.go:41\n",
    "metrics": "# TYPE go_goroutines gauge\ngo_goroutines 12\n",
    "fence": "```\nwhy?\n```\n",
    "thread": "goroutine 0 [idle]:\nruntime.futex()\n\t/go/src/runtime/sys.s:557 +0x21\n",
    "signal": "SIGQUIT: quit\n",
    "torn header": "goroutine 12 [sele\n",
}


def _facts(readings: tuple[Reading, ...]) -> list[object]:
    return [
        (one.kind, one.format, one.wrapping, one.where, one.taken_at, dict(one.notes), one.problems, _groups(one))
        for one in readings
    ]


def _groups(reading: Reading) -> list[object]:
    groups = reading.goroutines.groups if reading.goroutines else ()
    return [(group.stack, group.state, group.count, group.spans.tolist()) for group in groups]


@pytest.mark.parametrize("dump", [_SMALL, _LARGE], ids=["small", "large"])
@pytest.mark.parametrize("form", ["whole", "crlf", "cut", "twice", "after a line", "byte order mark"])
def test_it_is_read_as_among_all_formats(dump: str, form: str) -> None:
    text = {
        "whole": dump,
        "crlf": dump.replace("\n", "\r\n"),
        "cut": dump[:-200],
        # A second dump starts with an id that was there: the line before it tells when.
        "twice": f"{dump}2026-03-01T10:00:00Z SIGQUIT: quit\n\n{dump}",
        "after a line": f"SIGQUIT: quit\n\n{dump}",
        "byte order mark": f"\ufeff{dump}",
    }[form]
    _same_as_others(text.encode())


@pytest.mark.parametrize("line", _FOREIGN.values(), ids=_FOREIGN.keys())
@pytest.mark.parametrize("place", ["between", "within", "behind"])
def test_what_is_not_pure_is_left_to_the_others(line: str, place: str) -> None:
    first, blank, rest = _SMALL.partition("\n\n")
    text = {
        "between": f"{first}{blank}{line}\n{rest}",
        "within": f"{first}{blank}{rest}".replace("created by", f"{line}created by", 1),
        "behind": f"{_SMALL}{line}",
    }[place]
    assert stacks.read_pure(text.encode()) == ()
    _same_as_others(text.encode())


def _same_as_others(data: bytes) -> None:
    found = parse(Capture("dump.txt", data, received_at=datetime(2026, 3, 1, tzinfo=UTC)))
    assert found[0].goroutines is not None
    assert _facts(found) == _facts(others.read(data, DEFAULT, []))

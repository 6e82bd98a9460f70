"""A large dump is read without the other formats, and comes to what they would have made of it."""

from datetime import UTC, datetime

import pytest

from oakum.model import Capture, Reading
from oakum.parse import others, parse
from oakum.parse.dump_lines import LARGE
from oakum.parse.limits import DEFAULT

_STACK = """\
goroutine {} [chan receive, {} minutes]:
main.(*Worker).run(0xc{:09x})
\t/srv/orders/worker.go:41 +0x85
created by main.start in goroutine 1
\t/srv/orders/main.go:17 +0x9a

"""
_DUMP = "".join(_STACK.format(at, at % 90 + 1, at * 64) for at in range(2, 9000))


def _facts(readings: tuple[Reading, ...]) -> list[object]:
    return [
        (one.kind, one.format, one.wrapping, one.where, one.taken_at, dict(one.notes), one.problems, _groups(one))
        for one in readings
    ]


def _groups(reading: Reading) -> list[object]:
    groups = reading.goroutines.groups if reading.goroutines else ()
    return [(group.stack, group.state, group.count, group.spans.tolist()) for group in groups]


@pytest.mark.parametrize(
    "text",
    [
        _DUMP,
        _DUMP.replace("\n", "\r\n"),
        _DUMP[:-200],
        # A second dump starts with an id that was there: the line before it tells when.
        f"{_DUMP}2026-03-01T10:00:00Z SIGQUIT: quit\n\n{_DUMP}",
        f"SIGQUIT: quit\n\n{_DUMP}",
        f"\ufeff{_DUMP}",
    ],
    ids=["whole", "crlf", "cut", "twice", "after a line", "byte order mark"],
)
def test_it_is_read_as_among_all_formats(text: str) -> None:
    data = text.encode()
    assert len(data) > LARGE
    found = parse(Capture("dump.txt", data, received_at=datetime(2026, 3, 1, tzinfo=UTC)))
    assert found[0].goroutines is not None
    assert _facts(found) == _facts(others.read(data, DEFAULT, []))

"""Wrapping and small charts."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakum.cli.screen import columns_of
from oakum.report.layout import chart, marks, series, utc, wrap


@given(st.text(alphabet="ab /.(*)（，中文。", max_size=120), st.integers(8, 60))
def test_wrapping_keeps_everything_and_fits(text: str, columns: int) -> None:
    lines = wrap(text, columns, columns_of)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(columns_of(line) <= columns + 4 for line in lines), "punctuation may hang over"


def test_names_are_torn_where_they_read_well() -> None:
    name = "k8s.io/apimachinery/pkg/watch.(*StreamWatcher).receive"
    assert wrap(name, 40, columns_of) == ["k8s.io/apimachinery/pkg/watch", ".(*StreamWatcher).receive"]
    assert wrap(name, None, columns_of) == [name]
    assert wrap("", 40, columns_of) == [""]


def test_series() -> None:
    assert series((3, None, 1103), "{:,}".format) == "3 → ? → 1,103"
    assert series(range(100), str) == "0 → 16 → 33 → 50 → 66 → 82 → 99"


def test_chart() -> None:
    assert chart((0, 7, 14)) == "▁▅█"
    assert chart((None, 1)) == " █"
    assert chart((0, 0)) == chart(()) == ""
    assert len(chart(range(1000))) == 24


def test_times() -> None:
    east = timezone(timedelta(hours=8))
    assert utc(datetime(2026, 1, 1, 8, tzinfo=east)) == utc(datetime(2026, 1, 1)) == datetime(2026, 1, 1, tzinfo=UTC)
    assert utc(datetime(1, 1, 1, tzinfo=east)).year == 1


def _minutes(*numbers: int) -> list[datetime]:
    return [datetime(2026, 11, 16, 2, 0, tzinfo=UTC) + timedelta(minutes=number) for number in numbers]


def test_what_happened_is_marked_below_the_bars() -> None:
    times = _minutes(*range(24))
    happened = zip(
        _minutes(3, 3, 10, 20, 23), ["time-out", "growth-began", "deploy", "oom-kill", "capture"], strict=True
    )
    row, kinds = marks(times, happened)
    assert row == "   ▲      ◆         ▼   "
    assert kinds == {"▲": ["growth-began"], "▼": ["oom-kill"], "◆": ["deploy"]}
    assert len(row) == len(chart([*range(1, 25)]))


def test_marks_are_on_the_axis_of_the_bars_however_many_snapshots_there_are() -> None:
    times = _minutes(*range(240))
    row, kinds = marks(times, [(_minutes(120)[0], "panic")], "·")
    assert (row.index("•"), len(row)) == (11, 24)  # bars are ten minutes apart
    assert kinds == {"•": ["panic"]}


@pytest.mark.parametrize(
    "times",
    [_minutes(*range(5)), [None] * 24, [*_minutes(*range(20)), None], [*reversed(_minutes(*range(24)))], []],
    ids=["few", "undated", "one undated", "out of order", "none"],
)
def test_nothing_is_marked_where_bars_tell_no_time(times: list[datetime | None]) -> None:
    assert marks(times, [(_minutes(3)[0], "panic")]) == ("", {})


def test_what_happened_before_or_after_is_not_marked() -> None:
    assert marks(_minutes(*range(10, 40)), [(at, "panic") for at in _minutes(1, 60)]) == ("", {})

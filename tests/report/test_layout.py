"""Wrapping and small charts."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from oakum.cli.screen import columns_of
from oakum.report.layout import chart, series, utc, wrap


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

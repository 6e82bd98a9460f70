import pytest

from oakum.views.measure import compatible, label, percentage, scale, scaled_label


@pytest.mark.parametrize(
    ("value", "unit", "wanted", "text"),
    [
        (1, "s", "ms", "1000ms"),
        (1, "kb", "b", "1024B"),
        (1, "kbyte", "b", "1024B"),
        (1, "kilobyte", "b", "1024B"),
        (1, "mb", "kb", "1024kB"),
        (1, "gb", "mb", "1024MB"),
        (1024, "gb", "tb", "1TB"),
        (1024, "tb", "pb", "1PB"),
        (2048, "mb", "auto", "2GB"),
        (3145728, "bytes", "minimum", "3MB"),
        (3.1e6, "nanoseconds", "auto", "3.10ms"),
        (36e12, "ns", "auto", "10hrs"),
        (-512, "B", "kB", "-0.50kB"),
        (1, "B", "MB", "0"),
        (-1, "B", "MB", "0"),
        (100, "ns", "bogus", "0"),
        (3_000_000_000, "ns", "bogus", "3s"),
        (12, "count", "minimum", "12"),
        (12, "count", "auto", "12"),
        (12, "count", "count", "12"),
        (12, "widgets", "widgets", "12widgets"),
        (7, "", "", "7"),
        (1000, "milliGCU", "auto", "1GCU"),
        (1, "megaGCU", "kiloGCU", "1000k*GCU"),
    ],
)
def test_values_print_as_in_pprof(value: float, unit: str, wanted: str, text: str) -> None:
    assert scaled_label(int(value), unit, wanted) == text


def test_auto_chooses_for_each_value() -> None:
    assert [label(v, "bytes") for v in (0, 1, 1023, 1536, 5 << 30)] == ["0", "1B", "1023B", "1.50kB", "5GB"]


@pytest.mark.parametrize(
    ("value", "total", "text"),
    [
        (1, 1, "  100%"),
        (9996, 10000, "  100%"),
        (9994, 10000, "99.94%"),
        (1, 3, "33.33%"),
        (1, 100, " 1.00%"),
        (1, 200, "  0.5%"),
        (1, 100_000, "0.001%"),
        (1, 10_000_000, "1e-05%"),
        (0, 10, "    0%"),
        (3, 0, "    0%"),
        (-1, 3, "33.33%"),
        (3, 1, "300.00%"),
    ],
)
def test_shares_print_as_in_pprof(value: int, total: int, text: str) -> None:
    assert percentage(value, total) == text


def test_units_of_one_family_convert() -> None:
    assert compatible("bytes", "MB")
    assert compatible("widgets", "widgets")
    assert not compatible("bytes", "ns")
    assert scale(1, "ms", "ns") == (1e6, "ns")

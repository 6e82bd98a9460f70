"""How fast something grew is told of the time in which it grew: quiet moments do not thin it."""

import pytest

from oakum.detect.rate import per_hour


@pytest.mark.parametrize(
    ("seconds", "values", "expected"),
    [
        ((0, 3600), (10, 70), 60.0),
        ((0, 1800, 3600, 7200), (0, 30, 60, 60), 60.0),  # quiet after the load
        ((0, 3600, 5400, 7200), (5, 5, 35, 65), 60.0),  # quiet before it
        ((0, 1800, 3600, 36000), (0, 500_000, 1_000_000, 1_000_900), 1_000_000.0 * 1.0009),  # sampled: level, not equal
        ((0, 1800, 3600), (0, 80, 60), 60.0),  # it swings: the whole time counts
        ((0, 3600), (70, 10), -60.0),
        ((0, 3600), (7, 7), 0.0),
        ((0, 0), (1, 2), None),
        ((float("nan"), float("nan")), (1, 2), None),
        ((0,), (5,), None),
    ],
    ids=["two", "after", "before", "sampled", "swings", "falls", "level", "no-time", "undated", "one"],
)
def test_it_is_measured_while_it_grows(
    seconds: tuple[float, ...], values: tuple[int, ...], expected: float | None
) -> None:
    found = per_hour(seconds, values)
    assert found == (None if expected is None else pytest.approx(expected))

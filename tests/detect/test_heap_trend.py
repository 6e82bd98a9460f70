"""How live bytes move: what slows down, what is given back, and what a quiet step says."""

import numpy as np
import pytest

from oakum.detect.heap_trend import Moves, moves

MIB = 1 << 20


def moved(
    mebibytes: list[float], work: list[float], time: list[float], error: float = 0.5, made: list[float] | None = None
) -> Moves:
    """Return how a site moves; `work` and `time` of each step, `error` of each snapshot, `made`: allocated, in MiB."""
    noise = np.full(len(mebibytes), (error * MIB) ** 2)
    works = [np.array(work) / max(work), np.array(time) / max(time)]
    return moves(np.array(mebibytes) * MIB, noise, np.cumsum(2 * noise), works, np.array(made or mebibytes) * MIB)


def test_a_long_step_of_rest_is_judged_by_its_rate() -> None:
    """Half a minute after the load did a third of a busy step's work in all: nothing grew, and nothing levelled off."""
    assert moved([0, 23, 48, 73, 94, 95], [1, 1, 1, 1, 0.3], [10, 10, 10, 10, 35]).trend == "rises"
    assert moved([0, 23, 48, 73, 94, 95], [1, 1, 1, 1, 0.3], [10, 10, 10, 10, 10]).trend != "rises"


@pytest.mark.parametrize(("last", "trend"), [(31.0, "rises"), (26.0, "single-step")])
def test_a_tenth_given_back_at_the_end_is_no_fall(last: float, trend: str) -> None:
    assert moved([0, 8, 16, 24, 33, last], [1, 1, 1, 1, 0.05], [1, 1, 1, 1, 3]).trend == trend


@pytest.mark.parametrize(
    ("last", "error", "trend"), [(9.4, 0.3, "single-step"), (9.4, 4.0, "noise"), (12.2, 0.3, "rises")]
)
def test_what_brought_half_as_much_at_the_end_does_not_go_on(last: float, error: float, trend: str) -> None:
    assert moved([0, 4.1, 8.5, last], [1, 1, 1], [1, 1, 1], error).trend == trend


@pytest.mark.parametrize(
    ("made", "trend"),
    [
        ([0, 11, 31, 50], "rises"),  # nothing is freed
        ([0, 15, 42, 68], "rises"),  # a quarter is, of buffers beside what is kept: in every step
        ([0, 11, 31, 62], "single-step"),  # since it is full, a cache evicts
        ([0, 13, 64, 112], "single-step"),
    ],
)
def test_what_has_begun_to_evict_does_not_go_on(made: list[float], trend: str) -> None:
    assert moved([0, 11, 31, 50], [1, 1, 1], [1, 1, 1], made=made).trend == trend

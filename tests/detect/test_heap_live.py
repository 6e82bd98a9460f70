"""What the collector marked against what the sampled profile shows: numbers of services whose truth is known."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from oakum.detect.heap_live import agreed
from oakum.detect.heap_trend import Moves, moves
from oakum.model import Frame, Stack
from oakum.model.heap_growth import Floats, HeapGrowth, MemorySeries

MB = 1e6
# Seconds of the last collection before each moment, as a heap that doubles between collections has them.
ENDS = (-1.0, 7.0, 11.0, 19.0, 33.0)


def growth(space: Sequence[float], others: float = 0.5) -> HeapGrowth:
    """Return the profile of one place, in MB a moment, beside something that stands; 512 KiB a sample."""
    held = np.array(space) * MB
    noise = (held * (512 << 10))[:, None]
    rows = held.astype(np.int64)[:, None]
    return HeapGrowth(
        seen=np.ones(len(held), np.bool_), stacks=(Stack((Frame("main.put"),)),), space=rows, objects=rows // 2048,
        samples=rows / (512 << 10), noise=noise, allocated=rows, churn=noise, total=(held + others * MB).astype(np.int64),
        total_allocated=np.cumsum(np.full(len(held), 50 * MB)).astype(np.int64),
    )  # fmt: skip


def series(marked: Sequence[float], collections: Sequence[float], ends: Sequence[float] = ENDS) -> MemorySeries:
    """Return what MemStats says: bytes that were marked, in MB, how often and when."""
    count = len(marked)
    none = np.full(count, math.nan)
    live = np.array(marked) * MB
    columns = dict.fromkeys(MemorySeries.__struct_fields__, none)
    columns |= {"heap_live": live, "heap_marked": live, "num_gc": np.array(collections)}
    columns |= {"seconds": 9.0 * np.arange(count), "last_gc": 1.8e9 + np.array(ends[:count])}
    return MemorySeries(**columns)


def told(space: Sequence[float], marked: Sequence[float], collections: Sequence[float] = (2, 6, 7, 8, 9)) -> Moves:
    """Return how the place moves under a load that stays the same."""
    heap = growth(space)
    steps: list[Floats] = [np.ones(len(space) - 1), np.ones(len(space) - 1)]
    by_profile = moves(heap.space[:, 0].astype(np.float64), heap.noise[:, 0], heap.churn[:, 0], steps)
    done = np.arange(len(space), dtype=np.float64)
    rows = np.zeros(1, np.int64)
    return agreed(by_profile, rows, heap, series(marked, collections[: len(space)]), [done, 9.0 * done])


def line(pace: float = 1.0) -> list[float]:
    """Return what a leak of 0.7 MB a second has marked at each collection; `pace` is for the later half."""
    return [3.0 + 0.7 * (min(end, 15.0) + 1 + pace * max(0.0, end - 15.0)) for end in ENDS]


def test_a_leak_whose_profile_seems_to_slow_down() -> None:
    """Collections grow rare while the heap doubles: the profile is older each time, what was marked is on a line."""
    assert told([0.5, 8.9, 14.7, 18.4, 20.0], line()).trend == "rises"


@pytest.mark.parametrize("pace", [0.0, 0.1])
def test_what_is_full_is_level_whatever_the_profile_says(pace: float) -> None:
    assert told([3.2, 10.5, 15.8, 23.1, 28.9], line(pace)).trend == "plateau"


def test_what_slows_down_is_no_leak_yet() -> None:
    found = told([1.1, 7.4, 10.5, 17.9, 28.4], line(0.5))
    assert found.trend == "single-step"
    assert not found.climbs


def test_the_profile_decides_where_the_collector_says_nothing() -> None:
    rising = [3.2, 10.5, 15.8, 23.1, 28.9]
    assert told(rising, [math.nan] * 5).trend == "rises"
    assert told(rising, line(0.0), collections=(2, 2, 2, 2, 2)).trend == "rises"  # one collection: nothing to compare


def test_a_small_part_of_the_growth_is_not_judged_by_the_whole() -> None:
    heap = growth([1.0, 4.0, 7.0, 10.0, 13.0])
    heap.total[:] += (np.arange(5) * 20 * MB).astype(np.int64)
    steps: list[Floats] = [np.ones(4), np.ones(4)]
    by_profile = moves(heap.space[:, 0].astype(np.float64), heap.noise[:, 0], heap.churn[:, 0], steps)
    done = np.arange(5, dtype=np.float64)
    found = agreed(by_profile, np.zeros(1, np.int64), heap, series(line(0.0), (2, 6, 7, 8, 9)), [done, done])
    assert found.trend == by_profile.trend == "rises"


def test_clocks_that_differ_do_not_matter() -> None:
    heap = growth([0.5, 8.9, 14.7, 18.4, 20.0])
    steps: list[Floats] = [np.ones(4), np.ones(4)]
    by_profile = moves(heap.space[:, 0].astype(np.float64), heap.noise[:, 0], heap.churn[:, 0], steps)
    done = np.arange(5, dtype=np.float64)
    for behind in (0.0, -3600.0, 86400.0):
        memory = series(line(), (2, 6, 7, 8, 9), tuple(end + behind for end in ENDS))
        assert agreed(by_profile, np.zeros(1, np.int64), heap, memory, [done, 9 * done]).trend == "rises"


def test_rises_after_the_load_are_no_rises_more() -> None:
    """Two rises under load, then one at rest: the profile lags, and shows what came with the load."""
    space = np.array([0.0, 6.0, 12.0, 18.0]) * MB
    noise = space * (512 << 10)
    time = np.ones(3)
    assert moves(space, noise, noise, [np.ones(3), time]).trend == "rises"
    assert moves(space, noise, noise, [np.array([1.0, 1.0, 0.05]), time]).trend == "single-step"


@pytest.mark.parametrize(
    ("space", "climbs"),
    [([0, 8, 16], True), ([0, 8, 24], True), ([0, 8, 11], False), ([0, 8, 8], False), ([0, 8], False)],
)
def test_two_steps_that_rise_alike(space: list[float], climbs: bool) -> None:
    held = np.array(space) * MB
    ones: list[Floats] = [np.ones(len(space) - 1), np.ones(len(space) - 1)]
    found = moves(held, held * (64 << 10), held * (64 << 10), ones)
    assert found.trend != "rises"
    assert found.climbs == climbs


def test_few_samples_of_what_all_the_heap_has_grown_by() -> None:
    """Three samples may be chance; that the live heap grew as much, and nothing else did, is none."""
    sampled = [0.0, 0.5, 1.0, 1.6, 2.1]
    heap = growth(sampled)
    by_profile = moves(heap.space[:, 0].astype(np.float64), heap.noise[:, 0], heap.churn[:, 0], [np.ones(4)])
    assert by_profile.trend == "noise"
    assert told(sampled, line()).trend == "single-step"
    assert told(sampled, [3.0] * 5).trend == "noise"

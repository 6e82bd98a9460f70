"""Heap profiles of several moments on common rows: the same stack is one row, whatever order a profile has it in."""

import numpy as np
import pytest

from handmade import Sample, profile
from oakum.compare.heap import heap_growth
from oakum.model import Profile
from oakum.model.heap_growth import HeapGrowth

TYPES = ("alloc_objects/count", "alloc_space/bytes", "inuse_objects/count", "inuse_space/bytes")
RATE = 512 << 10
KEEP = "main.(*Shop).keep@shop.go:12 main.(*Shop).serve@shop.go:40"
WARM = "main.load@load.go:7 main.main@main.go:9"


def heap(*samples: Sample, period: int = RATE) -> Profile:
    return profile(samples, TYPES, period=period)


def space(growth: HeapGrowth) -> dict[str, list[int]]:
    """Return live bytes through the moments by the leaf's name."""
    return {s.frames[0].function: growth.space[:, at].tolist() for at, s in enumerate(growth.stacks)}


def test_the_same_stack_is_one_row_in_whatever_order() -> None:
    first = heap((KEEP, (2, 200, 2, 200)), (WARM, (1, 50, 1, 50)))
    second = heap((WARM, (1, 50, 1, 50)), (KEEP, (3, 300, 3, 300)), (KEEP, (1, 100, 1, 100)))
    growth = heap_growth([first, second])
    assert space(growth) == {"main.(*Shop).keep": [200, 400], "main.load": [50, 50]}
    assert growth.total.tolist() == [250, 450]
    assert growth.objects[:, 0].tolist() == [2, 4]


def test_another_line_is_another_row() -> None:
    other = KEEP.replace(":12", ":13")
    growth = heap_growth([heap((KEEP, (1, 10, 1, 10)), (other, (1, 20, 1, 20)))])
    assert sorted(growth.space[0].tolist()) == [10, 20]


def test_inlined_calls_and_addresses_tell_rows_apart() -> None:
    samples: list[Sample] = [
        ("main.a<main.b main.c", (1, 1, 1, 1)), ("main.b<main.a main.c", (1, 2, 1, 2)), ("main.a main.b main.c", (1, 4, 1, 4)),
        ("0x10 main.c", (1, 8, 1, 8)), ("0x20 main.c", (1, 16, 1, 16)),
    ]  # fmt: skip
    assert sorted(heap_growth([heap(*samples)]).space[0].tolist()) == [1, 2, 4, 8, 16]


def test_a_moment_without_a_profile_is_no_zero() -> None:
    growth = heap_growth([heap((KEEP, (1, 10, 1, 10))), None, heap((KEEP, (2, 20, 2, 20)))])
    assert growth.seen.tolist() == [True, False, True]
    assert growth.total.tolist() == [10, -1, 20]
    assert growth.snapshots.tolist() == [0, 2]


def test_nothing_at_all() -> None:
    assert heap_growth([]).stacks == ()
    assert heap_growth([None, None]).stacks == ()
    assert heap_growth([profile([("main.a", (1,))], ("samples/count",))]).seen.tolist() == [False]


def test_what_the_profiler_allocates_is_left_out() -> None:
    own = "compress/flate.NewWriter runtime/pprof.(*profileBuilder).build net/http/pprof.Index"
    growth = heap_growth([heap((KEEP, (1, 10, 1, 10)), (own, (1, 1000, 1, 1000)))])
    assert space(growth) == {"main.(*Shop).keep": [10]}
    assert growth.total.tolist() == [10]
    assert growth.total_allocated.tolist() == [10]


def test_samples_and_noise_of_small_and_large_objects() -> None:
    # One sampled object of 1 KiB reads as 512.5 KiB; one of 64 MiB is always sampled and has no noise.
    small, large = "main.small main.run", "main.large main.run"
    growth = heap_growth([heap((small, (5125, 5125 << 10, 5125, 5125 << 10)), (large, (1, 64 << 20, 1, 64 << 20)))])
    by_name = {stack.frames[0].function: at for at, stack in enumerate(growth.stacks)}
    at = by_name["main.small"]
    assert growth.samples[0, at] == pytest.approx(10, rel=0.01)
    assert np.sqrt(growth.noise[0, at]) == pytest.approx((5125 << 10) / np.sqrt(10), rel=0.01)
    assert growth.noise[0, by_name["main.large"]] == 0


def test_the_twin_is_compared_by_function() -> None:
    theirs = KEEP.replace(":12", ":99").replace(":40", ":98")
    growth = heap_growth([heap((KEEP, (4, 400, 4, 400)), (WARM, (1, 9, 1, 9)))], [heap((theirs, (1, 100, 1, 100)))])
    assert growth.baseline is not None
    by_name = {stack.frames[0].function: int(growth.baseline[at]) for at, stack in enumerate(growth.stacks)}
    assert by_name == {"main.(*Shop).keep": 100, "main.load": 0}


@pytest.mark.slow
def test_many_stacks_cost_rows_not_totals() -> None:
    count = 9000
    samples: list[Sample] = [(f"main.f{at} main.run", (1, at + 1, 1, at + 1)) for at in range(count)]
    growth = heap_growth([heap(*samples)])
    assert len(growth.stacks) == 1000
    assert int(growth.total[0]) == count * (count + 1) // 2
    assert int(growth.space[0].min()) == count - 999

"""Runs are cut at restarts, trails are bounded, growth is noticed within a few snapshots, and slowly over hours."""

import random

from oakum.watch.runs import Identity, follow
from oakum.watch.trends import Point, Trail, growing, stirring

SECOND = 1_000_000


def test_a_run_is_cut_where_the_start_differs_or_a_counter_falls() -> None:
    first, cut = follow(None, "orders", "a", Identity(10 * SECOND, {"cpu": 5.0}), 100 * SECOND)
    assert not cut
    same, cut = follow(first, "orders", "a", Identity(10 * SECOND + 300_000, {"cpu": 6.0}), 160 * SECOND)
    assert (same.run, same.snapshots, cut) == (first.run, 2, False), "the kernel's clock ticks are coarse"
    other, cut = follow(same, "orders", "a", Identity(150 * SECOND), 220 * SECOND)
    assert cut
    assert other.run != first.run
    unknown, _ = follow(None, "orders", "a", Identity(None, {"alloc": 900.0}), SECOND)
    assert not follow(unknown, "orders", "a", Identity(None, {"alloc": 950.0}), 2 * SECOND)[1]
    assert follow(unknown, "orders", "a", Identity(None, {"alloc": 100.0}), 2 * SECOND)[1]
    again, cut = follow(None, "orders", "a", Identity(10 * SECOND, {"cpu": 7.0}), 400 * SECOND)
    assert again.run == first.run, "a watcher that was restarted knows the process again"


def trail(values: list[float], step: int = 60) -> Trail:
    made = Trail()
    for at, value in enumerate(values):
        made.add(Point((1 + at * step) * SECOND, value))
    return made


def test_growth_is_noticed_within_a_few_snapshots() -> None:
    noise = random.Random(4)
    calm = [100.0 + noise.randrange(-3, 4) for _ in range(40)]
    assert not growing(trail(calm))
    risen = next(n for n in range(1, 9) if growing(trail([*calm, *(100.0 + 8 * k for k in range(1, n + 1))])))
    assert risen <= 4


def test_two_rises_are_a_reason_to_look_who_they_are() -> None:
    assert stirring(trail([100.0, 104.0, 108.0]))
    assert not growing(trail([100.0, 104.0, 108.0]))
    assert not stirring(trail([100.0, 108.0, 108.0]))
    assert not stirring(trail([10.0, 11.0, 12.0])), "a service has a few more or less"
    assert not stirring(trail([1000.0, 1010.0, 1020.0]))


def test_slow_growth_is_noticed_in_the_long_run_and_noise_is_none() -> None:
    noise = random.Random(7)
    slow = [100 + at * 0.02 + noise.gauss(0, 4) for at in range(3000)]
    assert any(growing(trail(slow[:n])) for n in range(200, 3000, 50))
    flat = [100 + noise.gauss(0, 4) for _ in range(3000)]
    assert sum(bool(growing(trail(flat[:n]))) for n in range(200, 3000, 50)) <= 2


def test_a_trail_is_bounded_and_reaches_back_to_its_beginning() -> None:
    long = trail([float(at) for at in range(20_000)])
    times, values = long.series("goroutines")
    assert len(times) < 120
    assert values[0] < 200
    assert values[-1] == 19_999.0
    assert times == sorted(times)


def test_a_clock_that_is_set_back_leaves_times_in_order() -> None:
    made = trail([1.0, 2.0, 3.0, 4.0])
    made.add(Point(90 * SECOND, 9.0))
    times, _ = made.series("goroutines")
    assert times == sorted(set(times))
    assert times[-1] == 90 * SECOND


def test_work_is_counted_by_one_counter() -> None:
    made = Trail()
    told = []
    for at, (work, kind) in enumerate([(5.0, "requests"), (6.0, "requests"), (6.0, "requests"), (9.0, "cpu")]):
        made.add(Point((1 + at) * SECOND, 1.0, work=work, kind=kind))
        told.append(made.worked)
    assert told == [None, True, False, None]

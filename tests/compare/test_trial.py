"""What each unit of work leaves: intervals that hold, what stays told from what comes back, warms up or only drifts."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from oakum.compare.trial import Load, fell, slope
from oakum.experiment.conduct import batches
from oakum.model.experiment import Phase, Slope, Stage

BATCHES = (10, 10, 20, 15, 25, 20)  # the first one warms up
START = datetime(2026, 11, 18, tzinfo=UTC)
Chance = np.random.Generator


def load(batches: Sequence[int] = BATCHES, seconds: float = 1.0) -> Load:
    """Return two snapshots before the work, one after each batch, two after draining."""
    phases: list[Phase] = ["settle", "settle", *(["batch"] * len(batches)), "drain", "drain"]  # type: ignore[list-item]
    done = np.cumsum([0, 0, *batches, 0, 0])
    stages = [
        Stage(phase, START + timedelta(seconds=seconds * at), int(units), int(units))
        for at, (phase, units) in enumerate(zip(phases, done, strict=True))
    ]
    return Load.of(stages)


def counts(came: Sequence[float], first: float = 12) -> np.ndarray:
    """Return what came with each batch, and stays, as counts of every snapshot."""
    return first + np.cumsum([0.0, 0.0, *came, 0.0, 0.0])


def measured(came: Sequence[float], batches: Sequence[int] = BATCHES) -> Slope:
    found = slope("goroutines", counts(came), load(batches))
    assert found is not None
    return found


def test_one_for_each_unit_is_one_within_two_percent() -> None:
    batches = tuple(3 * size for size in BATCHES)
    found = measured(batches, batches)
    assert (found.value, found.stays) == (1.0, True)
    assert 0.98 <= found.low <= 1 <= found.high <= 1.02


@pytest.mark.parametrize(
    "came",
    [
        pytest.param((4, 0, 0, 0, 0, 0), id="workers started at the first use"),
        pytest.param((8, 6, 2, 0, 0, 0), id="a pool that fills"),
        pytest.param((1, 0, 0, 1, 0, 0), id="two that came late"),
        pytest.param((0, 3, -3, 2, -2, 0), id="a queue that moves"),
        pytest.param((0, 0, 0, 0, 0, 0), id="nothing"),
    ],
)
def test_what_fills_or_moves_does_not_stay(came: Sequence[int]) -> None:
    assert not measured(came).stays


def test_what_has_gone_after_draining_came_back() -> None:
    series = counts(BATCHES)
    series[-2:] -= sum(BATCHES)
    found = slope("goroutines", series, load())
    assert found is not None
    assert not found.stays
    assert found.returned == pytest.approx(1.0, abs=0.15)


def test_half_that_comes_back_leaves_half() -> None:
    series = counts([2 * size for size in BATCHES])
    series[-2:] -= sum(BATCHES)
    found = slope("goroutines", series, load())
    assert found is not None
    assert found.low <= 1 <= found.high
    assert found.returned > 0.8


def test_what_still_drains_is_not_said_to_stay() -> None:
    series = counts([2 * size for size in BATCHES])
    series[-2:] -= (20, 40)
    found = slope("goroutines", series, load())
    assert found is not None
    assert not found.stays


def test_what_was_started_and_has_all_ended_leaves_a_narrow_interval() -> None:
    series = counts([30 * size for size in BATCHES])
    series[-1] = series[0]
    found = slope("goroutines", series, load())
    assert found is not None
    assert (found.value, found.stays) == (0, False)
    assert found.high <= found.smallest < 1


def test_a_queue_that_moves_slowly_does_not_stay() -> None:
    series = counts([40 * size for size in BATCHES])
    series[-2:] -= (60, 120)
    found = slope("goroutines", series, load())
    assert found is not None
    assert not found.stays


def test_what_comes_with_the_time_is_not_of_the_work() -> None:
    series = 12 + 10 * np.arange(len(BATCHES) + 4, dtype=np.float64)  # ten in each second, busy or not
    found = slope("goroutines", series, load())
    assert found is not None
    assert not found.stays
    assert found.low <= 0 <= found.high


def test_few_of_many_say_how_much_more_is_needed() -> None:
    found = measured((0, 0, 1, 0, 1, 0))
    assert not found.stays
    assert found.more is not None
    assert found.more > 0


def test_without_work_nothing_is_measured() -> None:
    assert slope("goroutines", np.arange(4.0), Load.of([None] * 4)) is None
    assert slope("goroutines", np.arange(4.0), load(())) is None
    assert slope("goroutines", np.full(10, np.nan), load()) is None


# How leaks happen, what each unit leaves on average, and what comes with batches of so many units.
LARGE = np.array([3 * size for size in BATCHES])
LEAKS: dict[str, tuple[float, Callable[[Chance], np.ndarray]]] = {
    "once in fifty": (0.02, lambda chance: chance.binomial(LARGE, 0.02)),
    "once in ten": (0.1, lambda chance: chance.binomial(LARGE, 0.1)),
    "every other": (0.5, lambda chance: chance.binomial(LARGE, 0.5)),
    "by retries": (0.5, lambda chance: chance.poisson(0.5 * LARGE)),
    "several of each": (2.3, lambda chance: chance.poisson(2.3 * LARGE)),
    "in pairs": (0.2, lambda chance: 2 * chance.binomial(LARGE, 0.1)),
    "each, and one in motion": (1.0, lambda chance: LARGE + np.diff(chance.integers(0, 2, len(LARGE) + 1))),
}


@pytest.mark.parametrize("seed", range(3))
def test_intervals_of_counts_hold(seed: int) -> None:
    """Over 200 simulated experiments the true slope lies in the interval in 92 to 98 %."""
    chance = np.random.default_rng(seed)
    kinds = list(LEAKS.values())
    inside = 0
    for number in range(200):
        true, leak = kinds[number % len(kinds)]
        found = measured(leak(chance).tolist(), LARGE.tolist())
        inside += found.low <= true <= found.high
    assert 0.92 <= inside / 200 <= 0.98


# What is the same every time has an interval that always holds: it is never narrower than half a goroutine at either end.
EXACT = {"each, and one in motion"}


@pytest.mark.parametrize("kind", LEAKS)
def test_intervals_of_each_kind_of_leak_hold(kind: str) -> None:
    true, leak = LEAKS[kind]
    chance = np.random.default_rng(300)
    inside = 0
    for _ in range(1000):
        found = measured(leak(chance).tolist(), LARGE.tolist())
        inside += found.low <= true <= found.high
    assert 0.915 <= inside / 1000 <= (1 if kind in EXACT else 0.98)


def conducted(came: Sequence[float], pace: float, chance: Chance, *, paused: bool = False) -> Slope:
    """Return what is measured where so much comes with each batch, and so much by itself in each second.

    With the times that an experiment takes, and as many snapshots after the work as it takes while the count moves.
    """
    steps: list[tuple[Phase, float]] = [("settle", 0), ("settle", 1), *([("batch", 3)] * 5)]  # type: ignore[list-item]
    steps += [("drain", 5), ("drain", 5), ("drain", 30)] if paused else []
    steps += [("batch", 4), *([("drain", 5)] * 6)]  # type: ignore[list-item]
    stages, seen, sizes, arrived = [], [12.0], iter(LARGE.tolist()), iter(came)
    units, at = 0, 0.0
    for phase, seconds in steps:
        at += seconds
        units += next(sizes) if phase == "batch" else 0
        seen.append(seen[-1] + (next(arrived) if phase == "batch" else 0) + chance.poisson(pace * seconds))
        stages.append(Stage(phase, START + timedelta(seconds=at), units, units))
        after = [stage.phase for stage in stages].count("drain") - 3 * paused
        if units == LARGE.sum() and after > 1 and min(seen[-after:-1]) <= seen[-1] <= max(seen[-after:-1]):
            break
    found = slope("goroutines", np.array(seen[1:]), Load.of(stages))
    assert found is not None
    return found


@pytest.mark.parametrize("paused", [True, False], ids=["with a break", "without"])
def test_intervals_hold_beside_what_comes_with_the_time(paused: bool) -> None:
    chance = np.random.default_rng(400 + paused)
    kinds = [(true, leak, pace) for true, leak in LEAKS.values() for pace in (0.2, 0.5, 1.0)]
    inside = 0
    for number in range(600):
        true, leak, pace = kinds[number % len(kinds)]
        found = conducted(leak(chance).tolist(), pace, chance, paused=paused)
        inside += found.low <= true <= found.high
    assert inside >= 0.9 * 600


@pytest.mark.parametrize(("paused", "most"), [(True, 0.02), (False, 0.1)], ids=["with a break", "without"])
def test_what_only_the_time_brings_is_hardly_ever_said_to_stay_with_the_work(paused: bool, most: float) -> None:
    chance = np.random.default_rng(500 + paused)
    said = [conducted([0] * 6, pace, chance, paused=paused).stays for pace in (0.2, 0.5, 1.0) for _ in range(200)]
    assert sum(said) <= most * len(said)


@pytest.mark.parametrize("seed", range(3))
def test_intervals_of_sampled_bytes_hold(seed: int) -> None:
    """A heap profile keeps an object of 4 KiB once in 128, and counts it 128 times."""
    chance = np.random.default_rng(100 + seed)
    size, period = 4096, 512 << 10
    kept = -np.expm1(-size / period)
    inside = 0
    for _ in range(200):
        objects = np.cumsum([0, 0, *(chance.binomial(200 * units, kept) for units in BATCHES), 0, 0]) / kept
        noise = objects * size * size * (1 - kept) / kept
        found = slope("inuse_space", objects * size, load(), noise)
        assert found is not None
        inside += found.low <= 200 * size <= found.high
    assert 0.92 <= inside / 200 <= 0.98


@pytest.mark.parametrize("seed", range(2))
def test_a_leak_of_the_smallest_size_is_seen(seed: int) -> None:
    chance = np.random.default_rng(200 + seed)
    least = measured((0,) * len(BATCHES)).smallest
    seen = sum(measured([float(chance.poisson(least * size)) for size in BATCHES]).stays for _ in range(200))
    assert seen >= 0.92 * 200


def test_nothing_is_seen_where_nothing_leaks() -> None:
    chance = np.random.default_rng(5)
    false = 0
    for _ in range(400):
        level = chance.poisson(8, len(BATCHES) + 4).astype(float)  # connections that come and go
        found = slope("goroutines", level, load())
        assert found is not None
        false += found.stays
    assert false <= 0.02 * 400


def test_a_pool_that_fills_for_as_long_as_the_work_goes_on_is_hardly_ever_said_to_leak() -> None:
    chance = np.random.default_rng(7)
    batches = (20, 20, 40, 30, 50, 40)

    def filled() -> bool:
        pool, came = 0, []
        for size in batches:
            new = sum(chance.random() < 0.6 * (1 - (pool + at * 0.3) / 60) for at in range(size))
            pool += new
            came.append(new)
        return measured(came, batches).stays

    assert sum(filled() for _ in range(100)) <= 15


def test_a_last_batch_as_large_as_all_before_it_says_as_much() -> None:
    batches = (10, 10, 20, 40, 20, 100)
    assert measured(batches, batches).stays
    assert not measured((10, 10, 20, 30, 10, 10), batches).stays


def test_what_still_leaves_after_the_work_is_not_said_to_stay() -> None:
    batches = (30, 30, 60, 45, 75, 60)
    came = [15, 15, 30, 23, 37, 30]
    busy = load(batches)
    stays = slope("goroutines", counts(came), busy)
    assert stays is not None
    assert stays.stays
    leaving = counts(came)
    leaving[-2:] = leaving[-3] - 3, leaving[-3] - 5
    still = slope("goroutines", leaving, busy)
    assert still is not None
    assert not still.stays


@pytest.mark.parametrize(
    ("after", "moves"),
    [((90, 80, 70), (100, 70)), ((90, 90, 70), None), ((100, 100, 100), None), ((90, 80), None), ((90, 95, 70), None)],
)
def test_a_queue_that_moves_falls_in_every_step_after_the_work(
    after: tuple[int, ...], moves: tuple[int, int] | None
) -> None:
    phases: list[Phase] = ["settle", "settle", "batch", "batch", *(["drain"] * len(after))]  # type: ignore[list-item]
    stages = [Stage(phase, START + timedelta(seconds=at)) for at, phase in enumerate(phases)]
    assert fell(np.array([0, 0, 40, 100, *after]), Load.of(stages)) == moves


@pytest.mark.parametrize("times", [100, 200, 300, 500])
def test_a_leak_once_in_fifty_is_found_or_it_is_said_how_much_more_finds_it(times: int) -> None:
    """Either it stays, with an honest interval; or more is asked for; or it is below what would have been seen."""
    chance = np.random.default_rng(times)
    sizes = np.array(batches(times))
    inside = found_later = asked = 0
    for _ in range(200):
        found = measured(chance.binomial(sizes, 0.02).tolist(), sizes.tolist())
        inside += found.low <= 0.02 <= found.high
        assert found.stays or found.more or found.smallest > 0.02
        if not found.stays and found.more:
            asked += 1
            whole = np.array(batches(times + found.more))
            found_later += measured(chance.binomial(whole, 0.02).tolist(), whole.tolist()).stays
    assert inside >= 0.92 * 200
    assert found_later >= 0.8 * asked


def test_what_was_turned_away_in_the_end_is_no_work() -> None:
    """Ninety were served, the rest answered 429; where all are turned away from the first, that is the load."""
    done = [0, 0, 20, 40, 80, 110, 160]
    served = [0, 0, 20, 40, 80, 90, 90]

    def stages(good: Sequence[int]) -> list[Stage]:
        return [
            Stage("batch" if units else "settle", START + timedelta(seconds=at), units, units, units - well,
                  {"200": well, "429": units - well})
            for at, (units, well) in enumerate(zip(done, good, strict=True))
        ]  # fmt: skip

    assert Load.of(stages(served)).done.tolist() == served
    assert Load.of(stages([0] * 7)).done.tolist() == done
    begun = [0, 0, 20, 40, 70, 70, 70]  # of the batch in which it begins, ten are turned away
    assert Load.of(stages(begun)).done.tolist() == begun
    never_majority = [0, 0, 15, 30, 60, 85, 125]  # now and then one, as of a time-out: that is the load
    assert Load.of(stages(never_majority)).done.tolist() == done


def test_what_comes_with_the_time_is_told_where_it_is_a_good_part_of_all() -> None:
    series = 12 + 10 * np.arange(len(BATCHES) + 4, dtype=np.float64)
    found = slope("goroutines", series, load())
    assert found is not None
    assert found.drift == pytest.approx(10, rel=0.05)
    for known in range(3, len(series)):  # as far as it has come by then
        seen = np.where(np.arange(len(series)) < known, series, np.nan)
        assert slope("goroutines", seen, load()) is not None
    few = slope("goroutines", 1000 + np.arange(len(BATCHES) + 4, dtype=np.float64), load())
    assert few is not None
    assert few.drift == 0

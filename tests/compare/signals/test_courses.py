"""Since when what grows and what it follows: the right counter among many, nothing where everything merely grows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from oakum.compare.signals.courses import signals
from oakum.model import Process
from oakum.model.signals import Floats, Series, Signal

START = 1_700_000_000.0
STEP = 15.0


def series(name: str, values: ArrayLike, process: str = "p1", **labels: str) -> Series:
    numbers = np.asarray(values, np.float64)
    times = START + STEP * np.arange(len(numbers), dtype=np.float64)
    owner = "orders" if process == "p1" else process
    return Series(
        name, tuple(sorted(labels.items())), times, numbers, owner, process if process == "p1" else "", "sha256:0"
    )


def told(*given: Series) -> dict[str, Signal]:
    return {one.measure: one for one in signals([Process("p1", "orders", ())], given)}


def counts(random: np.random.Generator, samples: int, usual: float) -> Floats:
    """Return what is done in each sample by a service whose load wanders."""
    load = usual * np.exp(np.cumsum(random.normal(0, 0.1, samples)))
    return random.poisson(np.clip(load, 0, 50 * usual)).astype(float)


def test_growth_per_unit_is_found_among_hundreds_of_counters() -> None:
    random = np.random.default_rng(5)
    work = np.cumsum(counts(random, 800, 3))
    others = [series("http_requests_total", np.cumsum(counts(random, 800, 3)), path=f"/r{at}") for at in range(300)]
    goroutines = series("go_goroutines", 40 + 2 * work + random.poisson(6, 800))
    found = told(goroutines, *others, series("http_requests_total", work, path="/simulate", method="POST"))[
        "goroutines"
    ]
    (driver,) = found.drivers
    assert driver.event == "http_requests_total{method=POST,path=/simulate}"
    assert driver.low <= 2.0 <= driver.high
    assert driver.value == pytest.approx(2.0, rel=0.02)
    assert driver.lag == 0.0


def test_of_others_counters_the_one_that_fits_is_named_with_its_program() -> None:
    random = np.random.default_rng(9)
    work = np.cumsum(counts(random, 600, 2))
    mine = np.cumsum(counts(random, 600, 9))
    found = told(
        series("go_goroutines", 40 + work + random.poisson(3, 600)),
        series("http_requests_total", mine),
        series("rest_client_requests_total", work, process="admin", code="504"),
    )["goroutines"]
    assert [(one.event, one.process) for one in found.drivers] == [("rest_client_requests_total{code=504}", "admin")]


def test_where_everything_grows_with_time_nothing_is_named() -> None:
    random = np.random.default_rng(3)
    given = [series("go_goroutines", 40 + 3 * np.arange(800) + random.poisson(4, 800))]
    given += [series("jobs_total", np.cumsum(random.poisson(at + 1, 800)), kind=f"k{at}") for at in range(200)]
    assert told(*given)["goroutines"].drivers == ()


def test_a_service_that_has_the_same_evenings_is_not_named() -> None:
    random = np.random.default_rng(11)
    evening = (np.arange(960) % 240 > 180).astype(float)
    hidden = np.cumsum(random.poisson(evening * random.choice([1.0, 2.0, 4.0], 4).repeat(240)))
    other = np.cumsum(random.poisson(20 + 30 * evening))
    given = [
        series("go_goroutines", 50 + hidden + random.poisson(4, 960)),
        series("http_requests_total", other, process="shop"),
    ]
    assert told(*given)["goroutines"].drivers == ()
    timed_out = series("apiserver_request_total", hidden, code="504")
    assert [one.event for one in told(*given, timed_out)["goroutines"].drivers] == ["apiserver_request_total{code=504}"]


def test_restarts_are_joined() -> None:
    random = np.random.default_rng(2)
    work = counts(random, 600, 2)
    run = np.arange(600) // 200
    inside = np.concatenate([np.cumsum(work[run == at]) for at in range(3)])
    found = told(
        series("go_goroutines", 30 + inside + random.poisson(2, 600)),
        series("http_requests_total", inside),
        series("process_cpu_seconds_total", inside + 0.1),
    )["goroutines"]
    assert (found.shape, found.steps) == ("saw-tooth", 2)
    assert found.drivers[0].value == pytest.approx(1.0, rel=0.03)


def test_growth_that_stops_with_the_requests_is_told_from_a_pool_that_is_full() -> None:
    random = np.random.default_rng(4)
    busy = np.where(np.arange(600) < 300, 5.0, 0.0)
    work = np.cumsum(random.poisson(busy))
    stopped = told(series("go_goroutines", 30 + work), series("http_requests_total", work))["goroutines"]
    assert stopped.idle is not None
    steady = np.cumsum(random.poisson(5, 600))
    full = told(series("go_goroutines", 30 + np.minimum(work, 200)), series("http_requests_total", steady))[
        "goroutines"
    ]
    assert full.idle is None
    assert full.drivers == ()


def test_without_any_counter_the_processor_time_tells_that_the_load_stopped() -> None:
    busy = np.cumsum(np.where(np.arange(400) < 200, 1.0, 0.01))
    found = told(
        series("go_goroutines", 30 + np.minimum(np.arange(400), 200)), series("process_cpu_seconds_total", busy)
    )
    assert found["goroutines"].idle is not None


def test_when_growth_began_lies_in_its_interval() -> None:
    random = np.random.default_rng(6)
    values = 60 + np.maximum(np.arange(500) - 300, 0) + random.poisson(5, 500)
    onset = told(series("go_goroutines", values))["goroutines"].onset
    assert onset is not None
    assert onset.low.timestamp() <= START + 300 * STEP <= onset.high.timestamp()
    assert (onset.high - onset.low).total_seconds() <= 20 * STEP
    assert told(series("go_goroutines", 60 + np.arange(500)))["goroutines"].onset is None


def test_restarts_of_a_service_that_only_makes_garbage_are_no_growth() -> None:
    """What was under way when it was restarted is gone with it, and does not add up."""
    random = np.random.default_rng(21)
    started = START + STEP * np.repeat(np.arange(12) * 60, 60)
    heap = 25e6 + random.uniform(0, 18e6, 720)
    assert told(series("go_memstats_heap_alloc_bytes", heap), series("process_start_time_seconds", started)) == {}


def test_a_leak_that_came_with_a_restart_began_there() -> None:
    random = np.random.default_rng(22)
    work = random.poisson(6 * (1 + 0.6 * np.sin(np.arange(800) / 90)))
    goroutines = (
        30 + np.where(np.arange(800) < 300, 0, np.cumsum(work) - np.cumsum(work)[299]) + random.poisson(20, 800)
    )
    started = START + STEP * np.where(np.arange(800) < 300, -500, 300)
    found = told(series("go_goroutines", goroutines), series("process_start_time_seconds", started))["goroutines"]
    assert found.onset is not None
    assert found.onset.low.timestamp() <= START + STEP * 300 <= found.onset.high.timestamp()


def test_one_burst_that_meets_one_rise_is_a_coincidence() -> None:
    random = np.random.default_rng(23)
    rise = 200 * (np.arange(400) >= 150)
    burst = np.concatenate((np.zeros(149), [30, 240, 5], np.zeros(248)))
    found = told(
        series("go_goroutines", 20 + rise + random.poisson(2, 400)),
        series("http_requests_total", np.cumsum(burst), path="/exec"),
    )["goroutines"]
    assert found.drivers == ()


def test_what_comes_minutes_later_is_found_with_its_lag() -> None:
    random = np.random.default_rng(24)
    work = counts(random, 800, 3)
    late = np.concatenate((np.zeros(20), np.cumsum(work)[:-20]))
    (driver,) = told(
        series("go_goroutines", 40 + late + random.poisson(3, 800)), series("jobs_total", np.cumsum(work))
    )["goroutines"].drivers
    assert driver.lag == pytest.approx(20 * STEP, rel=0.1)


def test_what_comes_and_goes_has_no_course() -> None:
    wave = 200 + 150 * np.sin(np.arange(900) / 70)
    assert told(series("go_goroutines", wave), series("http_requests_total", np.cumsum(wave))) == {}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(allow_nan=False), max_size=40),
    st.lists(st.floats(allow_nan=False), max_size=40),
    st.lists(st.floats(0, 1e12), max_size=40),
)
def test_no_numbers_make_it_stumble(first: list[float], second: list[float], third: list[float]) -> None:
    told(
        series("go_goroutines", first),
        series("http_requests_total", second),
        series("http_requests_total", third, a="b"),
    )
    told(series("go_goroutines", third), series("process_start_time_seconds", third), series("jobs_total", third))


def hidden_work(kind: str, random: np.random.Generator, samples: int, day: Floats) -> Floats:
    """Return what drives the growth, in each sample."""
    at = np.arange(samples)
    rates = {
        "diurnal": 2 * day,
        "bursts": np.where(random.random(samples) < 0.02, 60.0, 0.0),
        "on and off": np.where((at > 0.3 * samples) & (at < 0.6 * samples), 5.0, 0.0),
        "steady": np.full(samples, 2.0),
    }
    return random.poisson(rates[kind]).astype(float)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("kind", ["diurnal", "bursts", "on and off", "steady"])
def test_among_services_with_the_same_days_only_the_cause_is_named(kind: str, seed: int) -> None:
    random, samples = np.random.default_rng(seed), 960
    day = 1 + 0.8 * np.sin(2 * np.pi * np.arange(samples) / samples * random.integers(1, 5) + 6 * random.random())
    work = hidden_work(kind, random, samples, day)
    given = [series("go_goroutines", 40 + np.cumsum(work) + random.poisson(20 * day))]
    for at in range(120):
        load = (day, np.ones(samples), np.exp(np.cumsum(random.normal(0, 0.08, samples))).clip(0, 30))[at % 3]
        done = np.cumsum(random.poisson(random.choice([0.3, 3, 100]) * load * random.gamma(4, 0.25, samples)))
        given.append(series("http_requests_total", done, "p1" if at % 4 == 0 else f"svc{at % 7}", path=f"/r{at}"))
    assert told(*given)["goroutines"].drivers == ()
    timed_out = series("http_requests_total", np.cumsum(work), "peer", code="504")
    (driver,) = told(*given, timed_out)["goroutines"].drivers[:1]
    assert (driver.event, driver.process) == ("http_requests_total{code=504}", "peer")
    assert driver.value == pytest.approx(1.0, rel=0.05)
    assert driver.low <= 1.0 <= driver.high

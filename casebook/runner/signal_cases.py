"""Simulated ranges of metrics whose driver is known, for what no recorded program shows: `CASES`, each with its truth.

Simulated, not recorded: days of traffic take days. Counts are whole, requests under way come and go, scrapes are at an
interval, counters of a process begin anew when it does. Every case has a seed of its own, and is always the same.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_START = 1_794_000_000.0  # Unix seconds


class SignalTruth(Struct, frozen=True, forbid_unknown_fields=True):
    """What is true of one measure of one process of a range."""

    measure: str
    drivers: tuple[str, ...]  # any of these is right; (): nothing drives it but time, and naming anything is wrong
    range: str = ""  # the file, in the folder of its case
    process: str = ""  # part of its name; "": that of the first
    per_unit: float | None = None
    lag: float | None = None  # seconds
    onset: datetime | None = None


class SignalCase(Struct, frozen=True):
    """A simulated case: how its series are made, and what is true of them."""

    name: str
    make: Callable[[np.random.Generator], list[dict[str, Any]]]
    truth: SignalTruth


def answer(case: SignalCase) -> dict[str, Any]:
    """Return the series of a case, as Prometheus answers a range query."""
    seed = int.from_bytes(case.name.encode()[:8], "big")
    return {"status": "success", "data": {"resultType": "matrix", "result": case.make(np.random.default_rng(seed))}}


def _times(samples: int, step: float) -> Floats:
    return _START + step * np.arange(samples, dtype=np.float64)


def _series(name: str, times: Floats, values: NDArray[Any], job: str = "orders", **labels: str) -> dict[str, Any]:
    metric = {"__name__": name, "job": job, "instance": f"{job}:6060", **labels}
    return {"metric": metric, "values": [[float(at), f"{value:.10g}"] for at, value in zip(times, values, strict=True)]}


def _day(times: Floats, hours: float = 24.0) -> Floats:
    """Return how busy a time of the day is: nights are a quarter of the evenings."""
    busy: Floats = 1.0 + 0.6 * np.sin(2 * np.pi * (times - _START) / (hours * 3600))
    return busy


def _state(times: Floats, job: str = "orders") -> list[dict[str, Any]]:
    return [_series("process_start_time_seconds", times, np.full(len(times), _START - 86_400), job)]


def _errors_of_one_route(rng: np.random.Generator) -> list[dict[str, Any]]:
    """Ten routes with the same day; each failed export leaves a goroutine; they fail when a disk is slow."""
    times = _times(1440, 60)
    slow = np.repeat(rng.random(144) < 0.15, 10)
    found, left = _state(times), np.zeros(len(times))
    for number, route in enumerate(
        ("cart", "checkout", "export", "items", "login", "orders", "pay", "search", "users", "wish")
    ):
        asked = rng.poisson((4 + 3 * number) * _day(times))
        failed = rng.binomial(asked, np.where(slow & (route == "export"), 0.3, 0.01))
        for code, count in (("200", asked - failed), ("500", failed)):
            labels = {"route": f"/{route}", "code": code}
            found.append(_series("http_requests_total", times, np.cumsum(count), **labels))
        if route == "export":
            left = np.cumsum(failed)
    return [*found, _series("go_goroutines", times, 40 + left + rng.poisson(12 * _day(times)))]


def _per_tick(rng: np.random.Generator) -> list[dict[str, Any]]:
    """A round every half minute leaves three goroutines; twice it pauses, while the traffic goes on as it likes."""
    times = _times(960, 30)
    resting = ((times > times[200]) & (times < times[330])) | ((times > times[600]) & (times < times[690]))
    rounds = np.cumsum(np.where(resting, 0, 1))
    traffic = rng.poisson(20 * _day(times, 5) * np.exp(0.3 * np.repeat(rng.standard_normal(96), 10)))
    return [
        *_state(times),
        _series("catalog_sync_rounds_total", times, rounds),
        _series("http_requests_total", times, np.cumsum(traffic), code="200"),
        _series("go_goroutines", times, 30 + 3 * rounds + rng.poisson(0.4 * traffic)),
    ]


_DEPLOY = 400


def _after_a_deploy(rng: np.random.Generator) -> list[dict[str, Any]]:
    """Since a deploy each POST keeps 40 kB; the process is killed at its limit, and starts anew."""
    times = _times(1600, 30)
    posts, gets = rng.poisson(6 * _day(times, 9)), rng.poisson(50 * _day(times, 9))
    started, heap, total = np.empty(len(times)), np.empty(len(times)), np.empty((2, len(times)))
    since, kept, done = times[0] - 9000.0, 0.0, np.zeros(2)
    for at in range(len(times)):
        if at == _DEPLOY or kept > 90e6:
            since, kept, done = times[at] - 3.0, 0.0, np.zeros(2)
        kept += 40e3 * posts[at] if at >= _DEPLOY else 0.0
        done = done + np.array((posts[at], gets[at]))
        started[at], total[:, at] = since, done
        heap[at] = 25e6 + kept + rng.uniform(0, 18e6)  # garbage since the last collection
    return [
        _series("process_start_time_seconds", times, started),
        _series("http_requests_total", times, total[0], method="POST"),
        _series("http_requests_total", times, total[1], method="GET"),
        _series("go_memstats_heap_alloc_bytes", times, heap),
    ]


def _time_alone(rng: np.random.Generator) -> list[dict[str, Any]]:
    """A timer leaves a goroutine every forty seconds; 300 counters of ten programs have nothing to do with it."""
    times = _times(960, 30)
    left = np.floor((times - times[0]) / 40)
    found = [*_state(times), _series("go_goroutines", times, 50 + left + rng.poisson(9, len(times)))]
    for number in range(300):
        pace = (
            rng.uniform(0.2, 40)
            * _day(times, rng.uniform(4, 30))
            * np.exp(0.4 * np.repeat(rng.standard_normal(48), 20))
        )
        job = "orders" if number % 10 == 0 else f"other-{number % 10}"
        found.append(_series(f"app_{number}_done_total", times, np.cumsum(rng.poisson(pace)), job))
    return found


def _five_minutes_later(rng: np.random.Generator) -> list[dict[str, Any]]:
    """Each message that is dead-lettered is tried again after five minutes, by a goroutine that never ends."""
    times = _times(720, 30)
    asked = rng.poisson(30 * _day(times, 7))
    dead = rng.poisson(np.where(np.repeat(rng.random(72) < 0.3, 10), 4.0, 0.3))
    left = np.concatenate((np.zeros(10), np.cumsum(dead)[:-10]))
    return [
        *_state(times),
        _series("queue_messages_total", times, np.cumsum(asked), result="ok"),
        _series("queue_messages_total", times, np.cumsum(dead), result="dead"),
        _series("http_requests_total", times, np.cumsum(rng.poisson(12 * _day(times, 7))), code="200"),
        _series("go_goroutines", times, 35 + left + rng.poisson(6 * _day(times, 7))),
    ]


def _counted_elsewhere(rng: np.random.Generator) -> list[dict[str, Any]]:
    """The server counts its requests alike; that a client gave up, only the client counts. Each leaves a goroutine."""
    times = _times(1200, 30)
    calls = {
        job: rng.poisson(25 * _day(times, 8) * np.exp(0.2 * np.repeat(rng.standard_normal(120), 10)))
        for job in ("web", "batch")
    }
    hurried = np.repeat(rng.random(120) < 0.25, 10)
    gave_up = rng.binomial(calls["batch"], np.where(hurried, 0.2, 0.004))
    asked = calls["web"] + calls["batch"]
    found = [*_state(times), _series("go_goroutines", times, 45 + np.cumsum(gave_up) + rng.poisson(0.3 * asked))]
    found.append(_series("grpc_server_started_total", times, np.cumsum(asked), grpc_method="Price"))
    for job, count in calls.items():
        failed = gave_up if job == "batch" else rng.binomial(count, 0.004)
        found.append(_series("grpc_client_handled_total", times, np.cumsum(count - failed), job, grpc_code="OK"))
        found.append(_series("grpc_client_handled_total", times, np.cumsum(failed), job, grpc_code="DeadlineExceeded"))
    return found


CASES = (
    SignalCase(
        "errors-of-one-route",
        _errors_of_one_route,
        SignalTruth("goroutines", ("http_requests_total{code=500,route=/export}",), per_unit=1.0, lag=0.0),
    ),
    SignalCase("per-tick", _per_tick, SignalTruth("goroutines", ("catalog_sync_rounds_total",), per_unit=3.0, lag=0.0)),
    SignalCase(
        "after-a-deploy",
        _after_a_deploy,
        SignalTruth(
            "heap",
            ("http_requests_total{method=POST}",),
            per_unit=40e3,
            lag=0.0,
            onset=datetime.fromtimestamp(_START + 30.0 * _DEPLOY, UTC),
        ),
    ),
    SignalCase("time-alone", _time_alone, SignalTruth("goroutines", ())),
    SignalCase(
        "five-minutes-later",
        _five_minutes_later,
        SignalTruth("goroutines", ("queue_messages_total{result=dead}",), per_unit=1.0, lag=300.0),
    ),
    SignalCase(
        "counted-elsewhere",
        _counted_elsewhere,
        SignalTruth("goroutines", ("grpc_client_handled_total{grpc_code=DeadlineExceeded}",), per_unit=1.0, lag=0.0),
    ),
)

"""What the numbers of a process alone say: a slope is told and settles nothing; saws, warm-ups and bursts are none."""

import math
import random
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

import pytest

from oakum.diagnose import diagnose
from oakum.model import Case, Diagnosis, Metrics, Process, Snapshot, Source
from oakum.model.metrics import Labels

MIB = 1 << 20
Course = Callable[[int], Mapping[str, float]]


def _scrape(values: Mapping[str, float]) -> dict[tuple[str, Labels], float]:
    return {(name, ()): float(value) for name, value in values.items()}


def told(course: Course, moments: int = 24) -> Diagnosis:
    start = datetime(2026, 11, 16, tzinfo=UTC)
    sources = {"metrics": Source("prometheus.json", "sha256:0", "prometheus-range")}
    snapshots = [
        Snapshot(str(at), start + timedelta(minutes=15 * at), metrics=Metrics(values), sources=sources)
        for at in range(moments)
        for values in [_scrape(course(at))]
    ]
    return diagnose(Case((Process("p1", "orders", tuple(snapshots)),)))


def jitter(size: float) -> Callable[[], float]:
    numbers = random.Random(7)
    return lambda: numbers.gauss(0, size)


def test_goroutines_that_keep_growing_are_possible_and_leave_it_undecided() -> None:
    off = jitter(8)
    said = told(lambda at: {"go_goroutines": round(100 + 15 * at + off())})
    assert said.verdict == "undecided"
    (finding,) = said.findings
    assert (finding.mechanism, finding.confidence) == ("growing-goroutines", "possible")
    assert finding.suspect.growth[0].per_hour == pytest.approx(60, rel=0.1)
    assert "gap.goroutines" in {gap.what.key for gap in said.gaps}


def test_memory_that_grows_with_goroutines_is_no_finding_of_its_own() -> None:
    said = told(lambda at: {"go_goroutines": 50 + 20 * at, "go_gc_heap_live_bytes": (20 + 4 * at) * MIB})
    (finding,) = said.findings
    assert [growth.measure for growth in finding.suspect.growth] == ["goroutines", "inuse_space"]


@pytest.mark.parametrize("metric", ["go_gc_heap_live_bytes", "process_resident_memory_bytes"])
def test_memory_that_keeps_growing_is_told_by_what_is_known_of_it(metric: str) -> None:
    off = jitter(2 * MIB)
    said = told(lambda at: {metric: (60 + 9 * at) * MIB + off()})
    assert [finding.mechanism for finding in said.findings] == ["growing-memory"]


def test_two_or_three_values_of_memory_that_swings_say_nothing() -> None:
    said = told(lambda at: {"process_resident_memory_bytes": (60 + 30 * at) * MIB}, moments=3)
    assert said.findings == ()


def test_what_still_rises_long_after_the_start_is_no_warm_up() -> None:
    off = jitter(2)
    said = told(lambda at: {"go_goroutines": 45 if not at else round(140 + 3 * at + off())})
    assert [finding.mechanism for finding in said.findings] == ["growing-goroutines"]


HEALTHY: dict[str, Course] = {
    "level": lambda at: {"go_goroutines": 300 + at % 7},
    "saw of the collector": lambda at: {
        "go_memstats_heap_alloc_bytes": (40 + 7 * at % 41) * MIB, "go_memstats_next_gc_bytes": 82 * MIB,
        "process_resident_memory_bytes": (160 + at % 5) * MIB,
    },
    "saw of the resident memory": lambda at: {"process_resident_memory_bytes": (160 + 40 * (at % 3)) * MIB},
    "warm-up": lambda at: {"go_goroutines": round(20 + 400 * (1 - math.exp(-at / 2)))},
    "burst": lambda at: {"go_goroutines": 100 + (900 if 8 <= at < 11 else 0)},
    "day and night": lambda at: {"go_goroutines": round(400 + 250 * math.sin(at / 24 * math.tau))},
    "traffic": lambda at: {"go_goroutines": 100 + 20 * at, "http_requests_total": 5000 * at + 500 * at * at},
}  # fmt: skip


@pytest.mark.parametrize("course", HEALTHY)
def test_what_is_no_slope_alarms_nobody(course: str) -> None:
    said = told(HEALTHY[course])
    assert (said.verdict, said.findings) == ("healthy", ())


def test_a_warm_up_is_explained() -> None:
    (explained,) = told(HEALTHY["warm-up"]).explained
    assert explained.mechanism == "warm-up"

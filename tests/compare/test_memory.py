"""Where the memory of a process is: what captures say, what follows from Go's rules, and what nobody knows."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from oakum.compare import memory as compare_memory
from oakum.compare.memory import memory_series
from oakum.detect.memory_texts import describe_memory
from oakum.model import Memory, MemStats, Metrics, Process, Snapshot
from oakum.report.words.memory import WORDS

MIB = 1 << 20
START = datetime(2026, 3, 1, tzinfo=UTC)


def metrics(**values: float) -> Metrics:
    return Metrics({(name, ()): value for name, value in values.items()})


def stats(live: int, **more: int) -> MemStats:
    """Return the statistics of a process with so much live heap, at GOGC=100, some of it dead."""
    given = {
        "heap_alloc": live + 10 * MIB, "next_gc": 2 * live + MIB, "stack_sys": MIB, "heap_idle": 8 * MIB,
        "heap_released": 6 * MIB, "heap_inuse": live + 12 * MIB, "sys": live + 26 * MIB, **more,
    }  # fmt: skip
    return MemStats(**given)  # type: ignore[arg-type]  # names are checked where they are written


def memory(process: Process) -> Memory:
    """Return the memory as it is measured and described."""
    series = memory_series(process)
    measured = compare_memory.memory(process.id, series)
    return replace(measured, says=describe_memory(series, measured.full_in_seconds))


def process(*moments: Mapping[str, object]) -> Process:
    snapshots = [
        Snapshot(str(at), START + timedelta(minutes=at), **moment)  # type: ignore[arg-type]  # fields of a snapshot
        for at, moment in enumerate(moments)
    ]
    return Process("p1", "shop", tuple(snapshots))


def test_nothing_is_known_of_nothing() -> None:
    told = memory(process({}))
    assert (told.rss, told.heap_live, told.off_heap, told.says) == (None, None, None, ())
    assert math.isnan(memory_series(process({})).rss[0])


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e300])
def test_what_cannot_be_is_not_told(value: float) -> None:
    wrong = metrics(process_resident_memory_bytes=value, go_memstats_heap_alloc_bytes=value)
    told = memory(process({"metrics": wrong}))
    assert (told.rss, told.heap_live, told.last_gc) == (None, None, None)
    late = metrics(process_resident_memory_bytes=MIB, go_memstats_last_gc_time_seconds=value)
    assert memory(process({"metrics": late})).last_gc is None


def test_the_budget() -> None:
    told = memory(process({"memstats": stats(100 * MIB), "status": metrics(process_resident_memory_bytes=180 * MIB)}))
    assert told.heap_live == 100 * MIB  # next_gc = live + (live + stacks) * 100 %
    assert told.heap_dead == 10 * MIB
    assert told.heap_idle == 2 * MIB
    assert told.heap_released == 6 * MIB
    assert told.off_heap == 60 * MIB  # 180 - (126 - 6)
    assert [text.key for text in told.says] == ["memory.off-heap"]


def test_metrics_say_the_same_as_memstats() -> None:
    told = memory(
        process(
            {
                "metrics": metrics(
                    go_memstats_heap_alloc_bytes=110 * MIB, go_memstats_next_gc_bytes=201 * MIB,
                    go_memstats_stack_sys_bytes=MIB, go_memstats_sys_bytes=126 * MIB, go_memstats_heap_idle_bytes=8 * MIB,
                    go_memstats_heap_released_bytes=6 * MIB, go_memstats_heap_inuse_bytes=112 * MIB,
                    process_resident_memory_bytes=180 * MIB,
                )
            }
        )
    )  # fmt: skip
    assert (told.heap_live, told.heap_dead, told.off_heap) == (100 * MIB, 10 * MIB, 60 * MIB)


def test_gogc_is_used_where_it_is_told() -> None:
    figures = {"memstats": stats(100 * MIB, next_gc=150 * MIB, stack_sys=0), "metrics": metrics(go_gc_gogc_percent=50)}
    assert memory(process(figures)).heap_live == 100 * MIB


def test_a_target_that_cannot_be_is_not_turned_round() -> None:
    """GOGC=400 and nobody said so: half of the target is more than there is."""
    told = memory(process({"memstats": stats(100 * MIB, next_gc=500 * MIB)}))
    assert told.heap_live == 110 * MIB  # all that is allocated: nothing better is known


def test_growth_that_is_not_the_heap() -> None:
    def at(rss: int, idle: int) -> dict[str, object]:
        return {
            "memstats": stats(50 * MIB, heap_idle=idle, sys=76 * MIB + idle, heap_inuse=62 * MIB),
            "status": metrics(process_resident_memory_bytes=rss),
        }

    told = memory(process(at(80 * MIB, 8 * MIB), at(180 * MIB, 110 * MIB)))
    assert [text.key for text in told.says] == ["memory.not-heap-growth", "memory.not-returned"]


def test_when_the_limit_is_reached() -> None:
    moments = [
        {
            "memstats": stats((50 + 10 * at) * MIB),
            "metrics": metrics(process_resident_memory_bytes=(100 + 10 * at) * MIB, go_gc_gomemlimit_bytes=230 * MIB),
        }
        for at in range(4)
    ]
    told = memory(process(*moments))
    assert told.limit == 230 * MIB
    assert told.full_in_seconds == pytest.approx(600)
    assert told.says[-1].args == {"limit": "230.0 MiB", "minutes": 10}


def test_no_limit_is_no_limit() -> None:
    figures = {"metrics": metrics(process_resident_memory_bytes=100 * MIB, go_gc_gomemlimit_bytes=float(2**63 - 1))}
    assert memory(process(figures, figures, figures)).limit is None


def test_every_sentence_has_its_words() -> None:
    moments = [
        {
            "memstats": stats(20 * MIB, heap_alloc=90 * MIB, stack_sys=40 * MIB, next_gc=100 * MIB),
            "metrics": metrics(process_resident_memory_bytes=(200 + 50 * at) * MIB, go_gc_gomemlimit_bytes=900 * MIB),
        }
        for at in range(3)
    ]
    for text in memory(process(*moments)).says + memory(process(moments[0])).says:
        assert all(words.format(**text.args) for words in WORDS[text.key])

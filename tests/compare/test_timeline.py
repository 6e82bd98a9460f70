"""What a process measured as a whole, moment by moment: only what a capture says, the past between the moments."""

from datetime import timedelta

from msgspec.structs import replace

from goroutine_text import MIDNIGHT, crew, dump, process, snapshot
from oakum.compare.timeline import timeline
from oakum.model import Metrics, Snapshot, Source

RSS = "process_resident_memory_bytes"


def metrics(**values: float) -> Metrics:
    return Metrics({(name, ()): value for name, value in values.items()})


def test_each_moment_with_what_its_captures_say() -> None:
    first = snapshot(dump(crew(range(1, 4), "chan send", "main.f")), 0, status=metrics(**{RSS: 5 << 20}))
    second = Snapshot("second", MIDNIGHT + timedelta(minutes=5), metrics=metrics(go_goroutines=17))
    points = timeline(replace(process(None), snapshots=(first, second)))
    assert [dict(point.totals) for point in points] == [{"goroutines": 3, "rss": 5 << 20}, {"goroutines": 17}]
    assert all(point.captured and not point.baseline for point in points)
    assert points[0].inputs == tuple(source.digest for source in first.sources.values())


def test_the_past_stands_between_and_the_twin_after() -> None:
    past = Snapshot("metrics", MIDNIGHT - timedelta(hours=1), metrics=metrics(go_goroutines=2))
    nothing = Snapshot("nothing", MIDNIGHT - timedelta(minutes=30), metrics=metrics(other=1))
    case = process(dump(crew([1], "select", "main.f")), baseline=[dump(crew([1, 2], "select", "main.f"))])
    points = timeline(replace(case, history=(past, nothing)))
    assert [(point.totals["goroutines"], point.captured, point.baseline) for point in points] == [
        (2, False, False),
        (1, True, False),
        (2, True, True),
    ]


def test_what_goleak_lists_and_what_was_cut_are_no_totals() -> None:
    listed = snapshot(dump(crew(range(1, 4), "chan send", "main.f")), 0)
    claimed = replace(listed, claimed=True)
    assert listed.goroutines is not None
    cut = replace(listed, goroutines=replace(listed.goroutines, cut=True), metrics=metrics(go_goroutines=90))
    points = timeline(replace(process(None), snapshots=(claimed, cut)))
    assert [dict(point.totals) for point in points] == [{}, {"goroutines": 90}]


def test_digests_are_named_once() -> None:
    both = {name: Source("x", "sha256:aa") for name in ("heap", "memstats")}
    points = timeline(replace(process(None), snapshots=(Snapshot("one", MIDNIGHT, sources=both),)))
    assert points[0].inputs == ("sha256:aa",)

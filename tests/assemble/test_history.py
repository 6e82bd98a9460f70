"""Ranges of metrics in a case: moments where nothing else was captured, history beside captures, processes apart."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from oakum.cli.case import case
from oakum.diagnose import diagnose
from oakum.report.words import say

START = 1_700_000_000
DUMP = """goroutine 1 [chan receive]:
main.main()
\t/srv/app/main.go:10 +0x1d

goroutine 7 [chan send, 5 minutes]:
main.work()
\t/srv/app/main.go:20 +0x1d
created by main.main
\t/srv/app/main.go:9 +0x1d
"""


def ranges(*instances: str, points: int = 10, restart: int | None = None) -> str:
    result = []
    for instance in instances:
        labels = {"job": "orders", "instance": instance}
        began = [START - 60 if restart is None or at < restart else START + restart * 60 for at in range(points)]
        courses = {"go_goroutines": list(range(points)), "process_start_time_seconds": began}
        for name, values in courses.items():
            told = [[START + at * 60, str(value)] for at, value in enumerate(values)]
            result.append({"metric": labels | {"__name__": name}, "values": told})
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}})


def test_a_range_alone_is_a_series_of_moments_and_one_input(tmp_path: Path) -> None:
    file = tmp_path / "prometheus.json"
    file.write_text(ranges("a:80"))
    given = case([str(file)])
    (process,) = given.processes
    assert process.name == "orders a:80"
    assert len(process.snapshots) == 10
    assert process.snapshots[0].at == datetime.fromtimestamp(START, UTC)
    assert len(given.inputs) == 1


def test_processes_of_one_answer_are_kept_apart(tmp_path: Path) -> None:
    file = tmp_path / "prometheus.json"
    file.write_text(ranges("a:80", "b:80"))
    given = case([str(file)])
    assert [(process.name, len(process.snapshots)) for process in given.processes] == [
        ("orders a:80", 10), ("orders b:80", 10),
    ]  # fmt: skip
    beside = tmp_path / "bundle" / "prom" / "1"
    beside.mkdir(parents=True)
    (beside / "prometheus.json").write_text(ranges("a:80", "b:80"))
    assert len(case([str(tmp_path / "bundle")]).processes) == 2


def test_beside_captures_a_range_is_history(tmp_path: Path) -> None:
    for at in (1, 2):
        (tmp_path / f"{at}").mkdir()
        (tmp_path / f"{at}" / "goroutine.txt").write_text(DUMP)
    (tmp_path / "prometheus.json").write_text(ranges("a:80"))
    (process,) = case([str(tmp_path)]).processes
    assert [snapshot.goroutines is not None for snapshot in process.snapshots] == [True, True]
    assert len(process.history) == 10
    assert len(process.timeline) == 12
    assert process.timeline[-1].goroutines is not None, "what has no time comes after the past"


def test_a_file_named_beside_a_range_stays_a_moment(tmp_path: Path) -> None:
    (tmp_path / "goroutine.txt").write_text(DUMP)
    (tmp_path / "prometheus.json").write_text(ranges("a:80"))
    (process,) = case([str(tmp_path / "goroutine.txt"), str(tmp_path / "prometheus.json")]).processes
    assert len(process.snapshots) == 1
    assert process.snapshots[0].metrics is None, "the oldest of the range is not of the dump's moment"
    assert len(process.history) == 10


def test_a_restart_that_only_metrics_show_makes_two_runs(tmp_path: Path) -> None:
    (tmp_path / "prometheus.json").write_text(ranges("a:80", points=40, restart=35))
    found = case([str(tmp_path)])
    assert [(len(p.snapshots), p.run and p.run.number) for p in found.processes] == [(24, 1), (5, 2)]
    first, second = found.processes
    assert first.snapshots[-1].at == datetime.fromtimestamp(START + 34 * 60, UTC)
    assert second.run is not None
    assert second.run.started == datetime.fromtimestamp(START + 35 * 60, UTC)
    assert [notice.key for notice in found.notices] == ["notice.restarted-unknown"]


def test_history_is_of_the_run_that_was_captured(tmp_path: Path) -> None:
    (tmp_path / "prometheus.json").write_text(ranges("a:80", points=40, restart=35))
    (tmp_path / "goroutine.txt").write_text(DUMP)
    before, captured = case([str(tmp_path)]).processes
    assert len(before.snapshots) == 24
    assert captured.snapshots[0].goroutines is not None
    assert captured.history[0].at == datetime.fromtimestamp(START + 35 * 60, UTC)


def bundled(place: Path, minutes: Sequence[int]) -> None:
    """Write snapshots of goroutines without ids, taken so many minutes after the start of the range."""
    taken = []
    for number, minute in enumerate(minutes, 1):
        home = place / "orders" / str(number)
        home.mkdir(parents=True)
        (home / "goroutine.txt").write_text(
            f"goroutine profile: total {minute}\n{minute} @ 0x1\n#\t0x1\tmain.leak+0x1\t/srv/main.go:3\n\n"
        )
        at = datetime.fromtimestamp(START + minute * 60 + 7, UTC).isoformat().replace("+00:00", "Z")
        taken.append(
            {"folder": str(number), "number": number, "at": at, "captures": [{"file": "goroutine.txt", "began": at}]}
        )
    target = {"folder": "orders", "name": "orders", "address": "http://a:80", "moments": taken}
    (place / "manifest.json").write_text(json.dumps({"schema": "oakum.bundle/1", "targets": [target]}))


def test_captures_are_cut_where_metrics_show_the_restart(tmp_path: Path) -> None:
    """Counts of goroutines say nothing of a restart: 30 may have become 10."""
    bundled(tmp_path / "captures", (5, 20, 30, 36, 38))
    (tmp_path / "range.json").write_text(ranges("a:80", points=40, restart=35))
    (tmp_path / "range").mkdir()
    (tmp_path / "range.json").rename(tmp_path / "range/prometheus.json")
    found = case([str(tmp_path / "captures"), str(tmp_path / "range")])
    assert [(len(p.snapshots), p.run and p.run.number) for p in found.processes] == [(3, 1), (2, 2)]
    assert all(p.history for p in found.processes)
    assert found.processes[0].timeline[-1].at == datetime.fromtimestamp(START + 34 * 60, UTC)


def test_what_was_captured_is_compared_with_what_metrics_tell_of_the_run_before(tmp_path: Path) -> None:
    """Of the run before the restart there is no dump: all its goroutines are counted."""
    bundled(tmp_path / "captures", (36, 80, 160))
    (tmp_path / "range").mkdir()
    (tmp_path / "range/prometheus.json").write_text(ranges("a:80", points=40, restart=35))
    diagnosis = diagnose(case([str(tmp_path / "captures"), str(tmp_path / "range")]))
    found = next(one for one in diagnosis.findings if one.suspect.sites[0].frame.function == "main.leak")
    (told,) = [one.claim for one in found.suspect.evidence if one.kind == "other-run"]
    assert say(told) == "All goroutines: 0 → 34 in run 1, 35 → 160 so far in run 2"
    assert say(told, "zh").startswith("全部协程：第 1 次运行从 0 到 34")


def test_answers_saved_one_by_one_are_one_snapshot_a_time(tmp_path: Path) -> None:
    for name, factor in (
        ("go_goroutines", 10),
        ("go_memstats_alloc_bytes", 1 << 20),
        ("process_resident_memory_bytes", 2 << 20),
    ):
        values = [[START + at * 60, str(at * factor)] for at in range(12)]
        result = [{"metric": {"__name__": name, "job": "orders", "instance": "a:80"}, "values": values}]
        answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
        (tmp_path / f"{name}.json").write_text(json.dumps(answer))
    (process,) = case([str(tmp_path)]).processes
    assert len(process.snapshots) == 12
    metrics = process.snapshots[-1].metrics
    assert metrics is not None
    assert [metrics.total(name) for name in ("go_goroutines", "process_resident_memory_bytes")] == [110, 22 << 20]


def test_growth_that_only_metrics_show_is_compared_run_against_run(tmp_path: Path) -> None:
    result = []
    for name, course in (
        ("go_goroutines", [20 + 40 * at if at < 24 else 20 + 10 * (at - 24) for at in range(40)]),
        ("go_memstats_alloc_bytes_total", [1000 * at if at < 24 else at - 24 for at in range(40)]),
        ("container_oom_events_total", [0 if at < 24 else 1 for at in range(40)]),
    ):
        values = [[START + at * 60, str(value)] for at, value in enumerate(course)]
        result.append({"metric": {"__name__": name, "job": "orders", "instance": "a:80"}, "values": values})
    (tmp_path / "prometheus.json").write_text(
        json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}})
    )
    diagnosis = diagnose(case([str(tmp_path)]))
    assert [notice.key for notice in diagnosis.notices] == ["notice.restarted-oom"]
    (found,) = diagnosis.findings
    assert found.mechanism == "growing-goroutines"
    (told,) = [say(one.claim) for one in found.suspect.evidence if one.kind == "other-run"]
    assert told == "20 → 940 in run 1, 20 → 170 so far in run 2"

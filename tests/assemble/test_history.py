"""Ranges of metrics in a case: moments where nothing else was captured, history beside captures, processes apart."""

import json
from datetime import UTC, datetime
from pathlib import Path

from oakum.cli.case import case

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


def test_history_is_of_the_run_that_was_captured(tmp_path: Path) -> None:
    (tmp_path / "prometheus.json").write_text(ranges("a:80", points=40, restart=35))
    (alone,) = case([str(tmp_path)]).processes
    assert len(alone.snapshots) == 24, "of the longest run"
    assert alone.snapshots[-1].at == datetime.fromtimestamp(START + 34 * 60, UTC)
    (tmp_path / "goroutine.txt").write_text(DUMP)
    given = case([str(tmp_path)])
    (beside,) = given.processes
    assert beside.history[0].at == datetime.fromtimestamp(START + 35 * 60, UTC)
    unused = [row for row in given.inputs if any(problem.key == "other-run" for problem in row.problems)]
    assert len(unused) == 1

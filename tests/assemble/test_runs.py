"""A process that was restarted in the middle of a series: each of its runs is one of its own."""

import json
from pathlib import Path

import pytest

from oakum.cli.case import case


def _moment(place: Path, number: int, allocated: int, goroutines: int) -> dict[str, object]:
    folder = place / "orders" / str(number)
    folder.mkdir(parents=True)
    text = f"heap profile: 0: 0 [0: 0] @ heap/1048576\n\n# runtime.MemStats\n# TotalAlloc = {allocated}\n# NumGC = 0\n"
    (folder / "heap.debug1.txt").write_text(text)
    stack = f"{goroutines} @ 0x1 0x2\n#\t0x1\tmain.leak+0x1\t/srv/main.go:3\n\n"
    (folder / "goroutine.debug1.txt").write_text(f"goroutine profile: total {goroutines}\n{stack}")
    began = f"2026-11-16T10:15:{number:02}Z"
    files = [{"file": name, "began": began} for name in ("heap.debug1.txt", "goroutine.debug1.txt")]
    return {"folder": str(number), "number": number, "at": began, "captures": files}


@pytest.mark.parametrize(
    ("allocated", "runs"),
    [((100, 200, 300), [3]), ((500, 90, 95), [1, 2]), ((500, 600, 90), [2, 1]), ((500, 90, 50), [1, 1, 1])],
)
def test_a_series_is_cut_at_restarts(tmp_path: Path, allocated: tuple[int, ...], runs: list[int]) -> None:
    moments = [_moment(tmp_path, at, made, 10 * at) for at, made in enumerate(allocated, 1)]
    manifest = {"schema": "oakum.bundle/1", "targets": [{"folder": "orders", "name": "orders", "moments": moments}]}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    given = case([str(tmp_path)])
    assert [len(process.snapshots) for process in given.processes] == runs
    assert [process.run and process.run.number for process in given.processes] == (
        [None] if len(runs) == 1 else list(range(1, len(runs) + 1))
    )
    assert len(given.notices) == len(runs) - 1
    assert not any(problem.key == "other-run" for row in given.inputs for problem in row.problems)

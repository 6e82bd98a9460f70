"""A process that was restarted in the middle of a series: only one of its runs is a series."""

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
    ("allocated", "kept"),
    [((100, 200, 300), 3), ((500, 90, 95), 2), ((500, 600, 90), 2), ((500, 90, 50), 1)],
)
def test_a_series_is_of_one_run(tmp_path: Path, allocated: tuple[int, ...], kept: int) -> None:
    moments = [_moment(tmp_path, at, made, 10 * at) for at, made in enumerate(allocated, 1)]
    manifest = {"schema": "oakum.bundle/1", "targets": [{"folder": "orders", "name": "orders", "moments": moments}]}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    given = case([str(tmp_path)])
    assert len(given.processes[0].snapshots) == kept
    unused = [row for row in given.inputs if any(problem.key == "other-run" for problem in row.problems)]
    assert len(unused) == 2 * (len(allocated) - kept)

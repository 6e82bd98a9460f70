"""What in a tree tells of builds: go.mod of each module, programs that may be run, bounded."""

from pathlib import Path

import pytest

from oakum.collect import build_files as module
from oakum.collect.build_files import build_files
from oakum.report.words import say


def put(path: Path, data: bytes = b"", mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(mode)


def test_what_is_found(tmp_path: Path) -> None:
    program = b"\x7fELF" + bytes(100 << 10)
    put(tmp_path / "go.mod")
    put(tmp_path / "tools" / "go.mod")
    for name in ("vendor", "testdata", "node_modules", ".git", "_x"):
        put(tmp_path / name / "go.mod")
        put(tmp_path / name / "app", program, 0o755)
    put(tmp_path / "bin" / "app", program, 0o755)
    put(tmp_path / "bin" / "library.so", program)
    put(tmp_path / "bin" / "script", b"#!/bin/sh\n" + bytes(100 << 10), 0o755)
    put(tmp_path / "bin" / "tiny", program[:64], 0o755)
    (tmp_path / "bin" / "link").symlink_to(tmp_path / "bin" / "app")
    (tmp_path / "loop").symlink_to(tmp_path)
    found = build_files(tmp_path)
    assert found.modules == (tmp_path / "go.mod", tmp_path / "tools" / "go.mod")
    assert found.programs == (tmp_path / "bin" / "app",)
    assert not found.source
    put(tmp_path / "cmd" / "main.go")
    assert build_files(tmp_path).source


def test_more_programs_than_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_PROGRAMS", 2)
    for at in range(5):
        put(tmp_path / f"app{at}", b"\x7fELF" + bytes(100 << 10), 0o755)
    found = build_files(tmp_path)
    assert len(found.programs) == 2
    assert [say(one.text) for one in found.problems] == [
        "3 more programs were not read; name them, or the directory they are in"
    ]

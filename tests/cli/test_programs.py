"""What is told of the programs of others, who may put anything there."""

import os
import struct
import time
from pathlib import Path

import pytest

from cli.test_find import program
from oakum.cli import programs
from oakum.cli.programs import build, describe, listing


def test_a_program_of_go(tmp_path: Path) -> None:
    file = program(tmp_path, "orders")
    told = listing(file)
    assert told == f"{file}: go1.26.8\n\tpath\texample.com/shop/cmd/orders\n\tmod\texample.com/shop\tv1.2.3\t\n"
    assert describe(file) == told.encode()
    found = build(told)
    assert (found.go, found.path, found.main_version) == ("go1.26.8", "example.com/shop/cmd/orders", "v1.2.3")


def test_values_that_the_linker_was_given_are_not_told(tmp_path: Path) -> None:
    more = 'build\t-ldflags="-s -w -X main.key=hunter2"\nbuild\tGOOS=linux\n'
    told = listing(program(tmp_path, "orders", more))
    assert told is not None
    assert "\tbuild\t-ldflags=***\n\tbuild\tGOOS=linux\n" in told


def test_a_program_without_modules_still_tells_its_go() -> None:
    assert build("/bin/old: go1.12.6\n").go == "go1.12.6"


def test_what_is_no_program_of_go(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").touch()
    (tmp_path / "text").write_text("#!/bin/sh\n")
    for name in ("pipe", "empty", "text", "missing", "."):
        assert listing(tmp_path / name) is None


def test_a_file_of_terabytes_takes_no_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "_MOST", 16 << 20)
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 1, 6, 0, 0, 0, 1 << 41, 1 << 41, 16)
    file = tmp_path / "huge"
    file.write_bytes(head + segment)
    os.truncate(file, 1 << 41)
    began = time.process_time()
    assert listing(file) is None
    assert time.process_time() - began < 10  # seconds; all of it would be a day

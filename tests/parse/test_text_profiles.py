"""Texts that mix profiles of different kinds."""

import mmap
import tempfile
from pathlib import Path

import pytest

from oakum.parse import blocks, text_profiles
from support import need_shared

HANDMADE = Path(__file__).parent / "testdata" / "legacy" / "handmade"


def test_a_watchers_log_gives_every_profile_in_order() -> None:
    readings = text_profiles.read((HANDMADE / "watcher.log").read_bytes())
    assert [(reading.kind, reading.format, reading.where) for reading in readings] == [
        ("threadcreate", "debug1", "lines 2-7"),
        ("goroutine", "debug1", "lines 10-16"),
        ("heap", "heap-text", "lines 18-23"),
        ("block", "contention-text", "lines 24-26"),
    ]
    assert readings[2].memstats is not None
    assert readings[2].memstats.heap_alloc == 4096


def test_any_buffer() -> None:
    text = (HANDMADE / "watcher.log").read_bytes()
    with tempfile.TemporaryFile() as file:
        file.write(text)
        file.flush()
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            assert len(text_profiles.read(mapped)) == len(text_profiles.read(memoryview(text))) == 4


def test_a_byte_order_mark() -> None:
    (reading,) = text_profiles.read(b"\xef\xbb\xbfgoroutine profile: total 1\n1 @ 0x11\n")
    assert (reading.kind, reading.problems) == ("goroutine", ())


def test_long_lines_hide_no_header() -> None:
    (reading,) = text_profiles.read(
        b"x" * 10_000 + b" profile: total 3\n" + b"y" * 9_000 + b"\ngoroutine profile: total 0\n"
    )
    assert reading.where == "lines 3-3"


@pytest.mark.slow
def test_too_many_profiles_are_told() -> None:
    readings = text_profiles.read(b"goroutine profile: total 0\n" * (blocks.MAX_BLOCKS + 5))
    assert len(readings) == blocks.MAX_BLOCKS
    assert [problem.key for problem in readings[-1].problems] == ["too-many-profiles"]
    assert readings[0].problems == ()


@pytest.mark.parametrize("text", [b"", b"--- FAIL: TestX\n", b"see heap_v2/ below", b"my profile: total of things\n"])
def test_nothing_of_the_kind(text: bytes) -> None:
    assert text_profiles.read(text) == ()


@pytest.mark.shared
def test_shared_streams() -> None:
    folder = need_shared() / "goroutine1"
    hundred = text_profiles.read((folder / "apiserver-100-profiles.txt").read_bytes())
    assert len(hundred) == 100
    assert all(reading.problems == () for reading in hundred)
    kinds = [reading.kind for reading in text_profiles.read((folder / "holmes-examples.txt").read_bytes())]
    assert kinds == ["heap", "goroutine", "goroutine", "heap", "threadcreate", "goroutine"]

"""Compressed captures: unpacked where that is safe, named where it is not, refused where it is an attack."""

import bz2
import gzip
import lzma
import sys
import time
import tracemalloc
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakum.model import Capture
from oakum.parse import parse
from oakum.parse.compression import unpack
from oakum.parse.limits import DEFAULT, MIB, Limits
from oakum.report.words.lines import problem_line

TEXT = b"".join(b"goroutine %d [chan send, %d minutes]:\n" % (row, row % 90) for row in range(20_000))


def keys(data: bytes, limits: Limits = DEFAULT) -> list[str]:
    return [problem.key for problem in unpack(data, limits)[2]]


def test_plain_bytes_pass_through() -> None:
    for data in (b"", b"\x1f", b"\x1f\x8b", b"goroutine 1 [running]:", b"BZh is a word", b"PK", memoryview(b"abc")):
        assert unpack(data) == (data, (), ())
        assert unpack(data)[0] is data


@pytest.mark.parametrize(("pack", "name"), [(gzip.compress, "gzip"), (bz2.compress, "bzip2"), (lzma.compress, "xz")])
def test_unpacked(pack: Callable[[bytes], bytes], name: str) -> None:
    packed = pack(TEXT)
    assert unpack(packed) == (TEXT, (name,), ())
    assert unpack(memoryview(packed)) == (TEXT, (name,), ())
    assert unpack(packed + packed) == (TEXT + TEXT, (name,), ())
    assert unpack(gzip.compress(packed)) == (TEXT, ("gzip", name), ())
    assert unpack(packed + bytes(512)) == (TEXT, (name,), ())
    assert keys(packed + b"and more") == ["trailing-bytes"]


@pytest.mark.parametrize(
    ("magic", "name", "command"),
    [
        (b"\x28\xb5\x2f\xfd", "zstd", "zstd -d"),
        (b"PK\x03\x04", "zip", "unzip"),
        (b"\x04\x22\x4d\x18", "lz4", "lz4 -d"),
        (b"\x1f\x9d\x90", "compress", "uncompress"),
        (b"7z\xbc\xaf\x27\x1c", "7-Zip", "7z x"),
    ],
)
def test_other_compressions_are_named(magic: bytes, name: str, command: str) -> None:
    data = magic + bytes(100)
    left, wrapping, problems = unpack(data)
    assert (left, wrapping) == (data, ())
    assert [problem.key for problem in problems] == ["compressed"]
    assert name in problem_line(problems[0])
    assert command in problem_line(problems[0])
    assert unpack(gzip.compress(data))[1] == ("gzip",)


def test_a_third_layer_is_left_to_the_user() -> None:
    inner = gzip.compress(TEXT)
    left, wrapping, problems = unpack(gzip.compress(gzip.compress(inner)))
    assert (left, wrapping) == (inner, ("gzip", "gzip"))
    assert [problem.key for problem in problems] == ["compressed"]


def test_python_without_xz(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = lzma.compress(TEXT)
    monkeypatch.setitem(sys.modules, "lzma", None)
    left, wrapping, problems = unpack(packed)
    assert (left, wrapping) == (packed, ())
    assert "xz -d" in problem_line(problems[0])


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_cut_stream_gives_what_came_before(pack: Callable[[bytes], bytes]) -> None:
    packed = pack(TEXT)
    for size in range(12, len(packed), 97):
        left, wrapping, problems = unpack(packed[:size])
        assert TEXT.startswith(bytes(left))
        assert len(wrapping) == 1
        assert [(problem.key, problem.where) for problem in problems] == [("cut-compression", f"byte {size}")]


def test_a_stream_cut_in_its_last_bytes_is_whole_but_for_its_checksum() -> None:
    left, _, problems = unpack(gzip.compress(TEXT)[:-5])
    assert left == TEXT
    assert len(problems) == 1


def test_a_corrupt_stream_gives_what_came_before() -> None:
    packed = bytearray(gzip.compress(TEXT))
    middle = len(packed) // 2
    packed[middle : middle + 40] = b"\xff" * 40
    left, _, problems = unpack(bytes(packed))
    assert [problem.key for problem in problems] == ["corrupt-compression"]
    assert len(left) > len(TEXT) // 3
    assert bytes(left[: len(TEXT) // 3]) == TEXT[: len(TEXT) // 3]
    packed = bytearray(gzip.compress(TEXT))
    packed[-6] ^= 1
    left, _, problems = unpack(bytes(packed))
    assert left == TEXT
    assert [problem.key for problem in problems] == ["corrupt-compression"]
    for other in (bz2.compress(TEXT), lzma.compress(TEXT)):
        assert keys(other[:50] + bytes(60) + other[110:]) == ["corrupt-compression"]


def test_the_second_member_may_be_broken() -> None:
    packed = gzip.compress(TEXT)
    left, _, problems = unpack(packed + packed[:500])
    assert bytes(left).startswith(TEXT)
    assert [problem.key for problem in problems] == ["cut-compression"]


@given(st.binary(max_size=300))
def test_bytes_behind_a_gzip_header_never_raise(noise: bytes) -> None:
    for magic in (b"\x1f\x8b\x08", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", b"BZh91AY&SY", b"\xfd7zXZ\x00"):
        assert len(unpack(magic + noise)[1]) <= 2


def zeros(megabytes: int) -> bytes:
    """Return so many megabytes of zeros as one gzip stream."""
    stream = zlib.compressobj(9, wbits=31)
    return b"".join([*(stream.compress(bytes(MIB)) for _ in range(megabytes)), stream.flush()])


def bzip2_zeros(megabytes: int) -> bytes:
    """Return so many megabytes of zeros as one bzip2 stream."""
    stream = bz2.BZ2Compressor()
    return b"".join([*(stream.compress(bytes(MIB)) for _ in range(megabytes)), stream.flush()])


BOMBS: dict[str, Callable[[], bytes]] = {
    "gzip": lambda: zeros(80),
    "gzip in gzip": lambda: gzip.compress(zeros(300)),
    "bzip2": lambda: bzip2_zeros(80),
    "xz": lambda: lzma.compress(bytes(80 * MIB), preset=0),
}


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.slow
def test_a_bomb_is_refused_in_time_and_memory(name: str) -> None:
    bomb = BOMBS[name]()
    tracemalloc.start()
    started = time.process_time()
    left, _, problems = unpack(bomb)
    seconds = time.process_time() - started
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert left == b""
    assert [problem.key for problem in problems] == ["too-much"]
    assert seconds < 2
    assert peak < 150 * MIB


def test_what_compresses_well_is_no_bomb() -> None:
    # A dump of very many goroutines that stand at the same place, and differ by their numbers alone.
    stack = b" [chan send, 12 minutes]:\nmain.leak.func1()\n\t/src/main.go:12 +0x1d\ncreated by main.leak\n\n"
    data = b"".join(b"goroutine %d%s" % (number, stack) for number in range(700_000))
    assert len(data) > 64 * MIB
    assert unpack(gzip.compress(data))[0] == data


def test_limits() -> None:
    packed = gzip.compress(TEXT)
    assert keys(packed, Limits(max_bytes=1000)) == ["too-much"]
    assert keys(packed, Limits(free_bytes=1000, max_ratio=2)) == ["too-much"]
    assert keys(packed, Limits(free_bytes=1000, max_ratio=200)) == []
    assert keys(packed + packed, Limits(max_seconds=-1.0)) == ["slow"]


def test_very_many_tiny_members() -> None:
    started = time.process_time()
    left, _, problems = unpack(gzip.compress(b"x", mtime=0) * 20_000)
    assert (left, problems) == (b"x" * 20_000, ())
    assert time.process_time() - started < 10


def test_a_cut_download_says_what_to_do() -> None:
    whole = gzip.compress(b"goroutine profile: total 7\n" * 50)
    for size in (12, len(whole) // 2):
        (reading,) = parse(Capture("-", whole[:size]))
        assert reading.problems[0].key == "cut-compression"
        assert problem_line(reading.problems[0]) == f"the gzip stream is cut: download it again (byte {size})"
    (reading,) = parse(Capture("-", whole[:12]))
    assert len(reading.problems) == 1, "that nothing was in it follows from that"

"""What a capture is gets recognised by its bytes; what nobody knows is named; nothing ever raises."""

import gzip
import io
import mmap
import struct
import tarfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wrappings
from oakum.model import Buffer, Capture, Reading
from oakum.parse import goroutines, others, parse
from oakum.parse.limits import DEFAULT, Limits
from oakum.report.words.lines import problem_line

PLAIN = (Path(__file__).parent / "testdata" / "logs" / "plain.txt").read_bytes()
DEBUG1 = b"goroutine profile: total 2\n2 @ 0x47d86a 0x41421c\n#\t0x41421b\tmain.leak.func1+0x1b\t/src/main.go:3\n\n"
LEAK = DEBUG1.replace(b"goroutine profile", b"goroutineleak profile")
THREADS = b"threadcreate profile: total 1\n1 @ 0x47d86a\n#\t0x47d869\truntime.allocm+0x1d\t/src/runtime/proc.go:3\n\n"
HEAP = (
    b"heap profile: 1: 480 [3: 2097632] @ heap/1048576\n1: 480 [3: 2097632] @ 0x47d86a\n"
    b"#\t0x47d869\tmain.alloc+0x1d\t/src/main.go:3\n\n# runtime.MemStats\n# Alloc = 1892\n# HeapAlloc = 1892\n"
)
BLOCK = b"--- contention:\ncycles/second=1000000000\n7000 3 @ 0x47d86a\n"
MUTEX = b"--- mutex:\ncycles/second=1000000000\nsampling period=1\n7000 3 @ 0x47d86a\n"
TRACE = b"go 1.22 trace\x00\x00\x00" + b"\x01" * 64
CPU = struct.pack("<5Q", 0, 3, 0, 10000, 0) + struct.pack("<3Q", 5, 1, 0x47D86A) + struct.pack("<3Q", 0, 1, 0)


def field(number: int, body: bytes) -> bytes:
    return bytes([number << 3 | 2, len(body)]) + body


def pprof() -> bytes:
    # One sample of one location in main.work, type cpu/nanoseconds.
    sample_type = field(1, b"\x08\x01\x10\x02")
    sample = field(2, field(1, b"\x01") + field(2, b"\x07"))
    location = field(4, b"\x08\x01\x18\x2a" + field(4, b"\x08\x01\x10\x09"))
    function = field(5, b"\x08\x01\x10\x03\x18\x03\x20\x04")
    strings = b"".join(field(6, text) for text in (b"", b"cpu", b"nanoseconds", b"main.work", b"/src/main.go"))
    return sample_type + sample + location + function + strings


def read(data: Buffer, limits: Limits = DEFAULT) -> tuple[Reading, ...]:
    readings = parse(Capture("looks-like.pb.gz", data), limits)
    assert readings
    assert "internal" not in {problem.key for reading in readings for problem in reading.problems}
    return readings


FORMS = {
    "debug2": (PLAIN, "goroutine", "debug2"),
    "debug1": (DEBUG1, "goroutine", "debug1"),
    "leak": (LEAK, "goroutineleak", "debug1"),
    "threads": (THREADS, "threadcreate", "debug1"),
    "heap": (HEAP, "heap", "heap-text"),
    "block": (BLOCK, "block", "contention-text"),
    "mutex": (MUTEX, "mutex", "contention-text"),
    "trace": (TRACE, "trace", "trace"),
    "cpu": (CPU, "cpu", "legacy-cpu"),
    "pprof": (pprof(), "cpu", "pprof"),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", FORMS)
def test_recognised_by_content(name: str, packed: bool) -> None:
    data, kind, form = FORMS[name]
    (reading,) = read(gzip.compress(data) if packed else data)
    assert (reading.kind, reading.format) == (kind, form)
    assert reading.wrapping == (("gzip",) if packed else ())


@pytest.mark.parametrize("level", [0, 6, 9])
@pytest.mark.parametrize("name", FORMS)
def test_recognised_inside_zlib(name: str, level: int) -> None:
    data, kind, form = FORMS[name]
    (reading,) = read(zlib.compress(data, level))
    assert (reading.kind, reading.format, reading.wrapping) == (kind, form, ("zlib",))


def test_zlib_is_bounded_and_its_cut_is_said() -> None:
    (reading,) = read(zlib.compress(bytes(1 << 27), 9))
    assert "too-much" in {problem.key for problem in reading.problems}
    assert "cut-compression" in {problem.key for problem in read(zlib.compress(PLAIN)[:-9])[0].problems}
    (reading,) = read(b"x\x01" + PLAIN)
    assert "zlib" not in reading.wrapping


def archive(form: int) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=form) as tar:
        for name in ("a/goroutine.txt", "b/goroutine.txt"):
            member = tarfile.TarInfo(name)
            member.size = len(PLAIN)
            tar.addfile(member, io.BytesIO(PLAIN))
    return file.getvalue()


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("packed", [False, True])
def test_a_tar_archive_is_not_read_through(form: int, packed: bool) -> None:
    data = archive(form)
    (reading,) = read(gzip.compress(data) if packed else data)
    assert (reading.kind, reading.format, reading.usable) == ("unknown", "unknown", False)
    (problem,) = reading.problems
    assert f"tar archive of {len(data)} bytes" in problem_line(problem)
    assert "`tar -xf FILE`" in problem_line(problem)


@pytest.mark.parametrize("name", FORMS)
def test_any_buffer_reads_the_same(name: str, tmp_path: Path) -> None:
    data, kind, form = FORMS[name]
    file = tmp_path / "capture"
    file.write_bytes(data)
    with file.open("rb") as opened:
        mapped = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    for buffer in (memoryview(data), mapped):
        (reading,) = read(buffer)
        assert (reading.kind, reading.format) == (kind, form)


def test_wrapping_is_filled_outermost_first() -> None:
    inner = wrappings.klog_every_line(PLAIN.decode()).decode()
    data = gzip.compress(wrappings.utf16_le(wrappings.docker_json(inner)))
    (reading,) = read(data)
    assert reading.wrapping == ("gzip", "utf-16", "docker-json", "klog")


def test_profiles_of_several_kinds_follow_each_other() -> None:
    stamped = b"[2020-11-10 19:49:52.146]" + THREADS
    readings = read(HEAP + b"\n" + DEBUG1 + b"\nwatched: 3\n" + stamped + LEAK + b"\n" + PLAIN)
    assert [r.kind for r in readings] == ["heap", "goroutine", "threadcreate", "goroutineleak", "goroutine"]
    assert [r.format for r in readings] == ["heap-text", "debug1", "debug1", "debug1", "debug2"]
    assert readings[0].memstats is not None


def test_goroutines_of_any_format() -> None:
    for data, total in ((PLAIN, 13), (DEBUG1, 2), (LEAK, 2)):
        found = goroutines(read(data)[0])
        assert found is not None
        assert found.total == total
    assert goroutines(read(HEAP)[0]) is None
    assert goroutines(read(b"404 page not found\n")[0]) is None


UNKNOWN = {
    "empty": b"",
    "blank": b"\n\n",
    "not found": b"404 page not found\n",
    "page": b"<!DOCTYPE html><html><head><title>Sign in</title></head></html>",
    "log": b"2026/01/02 03:04:05 INFO served\n" * 200,
    "json log": b'{"level":"info","msg":"served"}\n' * 200,
    "report": b"Type: goroutine\nShowing nodes accounting for 8, 100% of 8 total\n      flat  flat%   sum%\n",
    "noise": bytes(range(256)) * 8,
    "words": b"a goroutine 7 was seen in [running]: nothing more",
    "speedscope": b'{"$schema": "https://www.speedscope.app/file-format-schema.json", "profiles": []}',
    "zip": b"PK\x03\x04" + b"\0" * 40,
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_nobody_recognises_is_named_with_the_next_step(name: str) -> None:
    (reading,) = read(UNKNOWN[name])
    assert (reading.kind, reading.format, reading.usable) == ("unknown", "unknown", False)
    assert reading.problems
    assert all(len(problem_line(problem)) > 20 for problem in reading.problems)


def test_a_cut_gzip_stream_gives_what_was_there_and_says_so() -> None:
    packed = gzip.compress(wrappings.cri(PLAIN.decode()))
    readings = read(packed[: len(packed) // 2])
    assert readings[0].problems
    assert readings[0].wrapping[0] == "gzip"


def test_a_bug_in_a_reader_becomes_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
        raise IndexError("list index out of range")

    monkeypatch.setattr(others, "BINARY", (broken, *others.BINARY))
    (reading,) = parse(Capture("-", b"SIGQUIT: quit\n\n" + PLAIN))
    assert reading.kind == "goroutine"
    assert [problem.key for problem in reading.problems] == ["internal"]
    monkeypatch.setattr("oakum.parse.logs.unwrap", broken)
    (reading,) = parse(Capture("-", wrappings.klog_first_line(PLAIN.decode())))
    assert {problem.key for problem in reading.problems} == {"internal"}


@settings(max_examples=150, deadline=None)
@given(data=st.binary(max_size=400), name=st.sampled_from(sorted(FORMS)), at=st.floats(0, 1), keep=st.floats(0, 1))
def test_bytes_put_anywhere_never_raise(data: bytes, name: str, at: float, keep: float) -> None:
    whole = FORMS[name][0]
    place = int(at * len(whole))
    read(whole[:place] + data + whole[place : place + int(keep * len(whole))])

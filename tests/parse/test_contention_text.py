"""Block, mutex and contentionz profiles as text."""

from pathlib import Path

import pytest

from oakum.model import Profile, Reading
from oakum.parse import pprof, text_profiles
from oakum.parse.compression import unpack
from oakum.parse.limits import DEFAULT

LEGACY = Path(__file__).parent / "testdata" / "legacy"


def only(data: bytes) -> Reading:
    (reading,) = text_profiles.read(data)
    return reading


def profile_of(reading: Reading) -> Profile:
    assert reading.profile is not None
    return reading.profile


def test_contentionz_is_unsampled() -> None:
    reading = only((LEGACY / "handmade" / "contentionz.txt").read_bytes())
    assert (reading.kind, reading.format, reading.producer) == ("contention", "contention-text", "C++ (tcmalloc)")
    profile = profile_of(reading)
    # 3 contentions of 4000 cycles at 2 GHz, one in a hundred seen
    assert profile.values.T.tolist() == [[300, 200_000], [100, 25_000]]
    assert (profile.period, profile.duration_nanos) == (100, 3661 * 10**9)
    assert profile.mappings[0].file == "/srv/app/server"
    assert reading.problems == ()


@pytest.mark.parametrize(("header", "kind"), [("contention", "block"), ("mutex", "mutex")])
def test_go_names_the_kind(header: str, kind: str) -> None:
    text = (
        f"--- {header}:\ncycles/second=1000000000\n5000 2 @ 0x11\n#\t0x10\tsync.(*Mutex).Lock+0x57\tsync/mutex.go:46\n"
    )
    reading = only(text.encode())
    assert (reading.kind, reading.producer) == (kind, "Go")
    assert profile_of(reading).values.T.tolist() == [[2, 5000]]
    assert [str(frame) for frame in profile_of(reading).stack(0).frames] == ["sync.(*Mutex).Lock sync/mutex.go:46"]


def test_without_a_clock_or_a_period_nothing_is_scaled() -> None:
    assert profile_of(only(b"--- mutex:\n5000 2 @ 0x11\n")).values.T.tolist() == [[2, 5000]]
    text = b"--- mutex:\ncycles/second=2000000000\nsampling period=0\n5000 2 @ 0x11\n"
    assert profile_of(only(text)).values.T.tolist() == [[2, 5000]]


def test_an_empty_profile_is_still_one() -> None:
    reading = only((LEGACY / "handmade" / "go-mutex-nothing.txt").read_bytes())
    assert (reading.kind, profile_of(reading).samples, reading.problems) == ("mutex", 0, ())


def test_broken_records_and_cuts() -> None:
    reading = only(b"--- mutex:\n5 2 @ 0x11\n#\t0x10\tf+0x1\ta.go:1\nx\n5 @ 0x11\n7 1 @ 0x2")
    assert [problem.key for problem in reading.problems] == ["cut-mid-stack", "bad-records"]


def test_not_mine() -> None:
    assert only((LEGACY / "handmade" / "java.contention").read_bytes()).format == "java-text"
    assert text_profiles.read(b"--- FAIL: TestX\n") == ()


@pytest.mark.parametrize("version", ["go1.21", "go1.27"])
@pytest.mark.parametrize("name", ["block", "mutex"])
def test_the_same_process_as_protobuf(version: str, name: str) -> None:
    text = LEGACY / version / f"{name}.txt"
    reading = only(text.read_bytes())
    assert reading.problems == ()
    other = pprof.read(unpack(text.with_suffix(".pb.gz").read_bytes(), DEFAULT)[0])
    assert other is not None
    assert _by_stack(profile_of(reading)) == _by_stack(profile_of(other))


def _by_stack(profile: Profile) -> list[tuple[list[int], list[str]]]:
    out = []
    for sample in range(profile.samples):
        frames = profile.stack(int(profile.stack_ids[sample])).frames
        named = [str(frame) for frame in frames if not frame.function.startswith("0x")]
        out.append((profile.values[:, sample].tolist(), [name for name in named if "runtime.goexit" not in name]))
    return sorted(out)

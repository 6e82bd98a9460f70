"""Java profiles as text."""

from pathlib import Path

from oakum.model import Profile, Reading
from oakum.parse import text_profiles

HANDMADE = Path(__file__).parent / "testdata" / "legacy" / "handmade"


def only(data: bytes) -> Reading:
    (reading,) = text_profiles.read(data)
    return reading


def profile_of(reading: Reading) -> Profile:
    assert reading.profile is not None
    return reading.profile


def test_heap() -> None:
    reading = only((HANDMADE / "java.heap").read_bytes())
    assert (reading.kind, reading.format, reading.producer, reading.problems) == ("heap", "java-text", "Java", ())
    profile = profile_of(reading)
    assert [str(kind) for kind in profile.sample_types] == ["inuse_objects/count", "inuse_space/bytes"]
    # 1 / (1 - exp(-524288/524288)) = 1.58197671; 1 / (1 - exp(-256/524288)) = 2048.5
    assert profile.values.T.tolist() == [[3, 1658822], [8194, 2097664]]
    assert [str(frame) for frame in profile.stack(0).frames] == [
        "com.example.Cache.put Cache.java:42",
        "com.example.Main.main Main.java:0",
        "JVM_Start libjvm.so:0",
    ]
    assert [frame.function for frame in profile.stack(1).frames] == ["com.example.Cache.put", "GC", "<unknown>"]
    assert not profile.locations.address.any()


def test_contention() -> None:
    reading = only((HANDMADE / "java.contention").read_bytes())
    assert reading.kind == "contention"
    profile = profile_of(reading)
    assert str(profile.sample_types[1]) == "delay/microseconds"
    assert profile.values.T.tolist() == [[200, 1400], [100, 300]]
    assert (profile.period, profile.duration_nanos) == (100, 60 * 10**9)
    assert [frame.function for frame in profile.stack(0).frames] == ["com.example.Lock.enter", "STUB"]


def test_one_function_keeps_its_first_file() -> None:
    text = (
        b"--- heapz 1 ---\nformat = java\nresolution = bytes\n 8 1 @ 0x1 0x2\n 0x1 f (a(b).java:3)\n 0x2 f (c.java:9)\n"
    )
    frames = profile_of(only(text)).stack(0).frames
    assert [str(frame) for frame in frames] == ["f a(b).java:3", "f a(b).java:9"]


def test_a_record_of_no_objects_is_told() -> None:
    reading = only(b"--- heapz 1 ---\nformat = java\nresolution = bytes\n 8 0 @ 0x1\n 8 1 @ 0x1\n")
    assert profile_of(reading).samples == 1
    assert [problem.key for problem in reading.problems] == ["bad-records"]

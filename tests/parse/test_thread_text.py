"""C++ thread lists."""

from pathlib import Path

from oakum.model import Profile, Reading
from oakum.parse import text_profiles

HANDMADE = Path(__file__).parent / "testdata" / "legacy" / "handmade"


def only(data: bytes) -> Reading:
    (reading,) = text_profiles.read(data)
    return reading


def addresses(reading: Reading) -> list[tuple[int, list[int]]]:
    profile = reading.profile
    assert isinstance(profile, Profile)
    rows = [profile.locations.address[profile.stacks[row]].tolist() for row in profile.stack_ids.tolist()]
    return list(zip(profile.values[0].tolist(), rows, strict=True))


def test_threads_that_stand_together_are_counted_together() -> None:
    reading = only((HANDMADE / "threadz.txt").read_bytes())
    assert (reading.kind, reading.format, reading.problems) == ("thread", "thread-text", ())
    assert addresses(reading) == [
        (1, [0x40A010, 0x40BE30]),  # the leaf printed twice counts once
        (3, [0x40A020, 0x40BE40, 0x40C000, 0x40C100]),
    ]
    assert reading.profile is not None
    assert [mapping.file for mapping in reading.profile.mappings] == ["/srv/app/server"]


def test_a_list_without_its_first_line() -> None:
    reading = only((HANDMADE / "threads-only.txt").read_bytes())
    assert addresses(reading) == [(1, [0x40A010, 0x40B000]), (1, [0x40A020, 0x40B000])]


def test_a_first_thread_that_repeats_nothing() -> None:
    text = b"--- threadz 1 ---\n--- Thread 7f (name: a/1) stack: ---\n  [same as previous thread]\n"
    assert addresses(only(text)) == []


def test_two_lists_in_one_text() -> None:
    text = (HANDMADE / "threadz.txt").read_bytes()
    first, second = text_profiles.read(text + b"noise\n" + text)
    assert (first.where, second.where) == ("lines 1-14", "lines 18-31")
    assert addresses(first) == addresses(second)

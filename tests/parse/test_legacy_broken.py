"""Broken legacy profiles: nothing raises, nothing hangs, and what was whole is still read."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oakum.model import Reading
from oakum.parse import legacy_cpu, text_profiles, trace
from oakum.parse.foreign import name_foreign

LEGACY = Path(__file__).parent / "testdata" / "legacy"
FILES = sorted(path for path in LEGACY.rglob("*") if path.is_file() and path.suffix != ".go")
TEXTS = {str(path.relative_to(LEGACY)): path.read_bytes() for path in FILES}
READERS: tuple[Callable[[bytes], tuple[Reading, ...]], ...] = (legacy_cpu.read, text_profiles.read, trace.read)
CPU_HEADER = b"".join(word.to_bytes(4, "little") for word in (0, 3, 0, 10000, 0))
LINES = [line for text in TEXTS.values() for line in text.split(b"\n") if len(line) < 300]


def exercise(data: bytes) -> None:
    for read in READERS:
        for reading in read(data):
            if reading.profile is None:
                continue
            profile = reading.profile
            assert profile.values.shape == (len(profile.sample_types), profile.samples)
            assert len(profile.label_ids) == profile.samples
            for row in range(len(profile.stacks)):
                profile.stack(row)
            for row in profile.label_ids.tolist():
                profile.labels(row)
            assert (profile.locations.mapping < len(profile.mappings)).all()
    name_foreign(data)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(TEXTS))
def test_cut_anywhere(name: str) -> None:
    data = TEXTS[name]
    step = max(1, len(data) // 150)
    for end in range(0, len(data), step):
        exercise(data[:end])


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_beheaded_anywhere(name: str) -> None:
    data = TEXTS[name]
    for start in range(0, len(data), max(1, len(data) // 50)):
        exercise(data[start:])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=25), st.binary(max_size=40))
def test_lines_in_any_order(lines: list[bytes], noise: bytes) -> None:
    exercise(b"\n".join([*lines, noise]))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(TEXTS)), st.integers(0, 1 << 30), st.binary(min_size=1, max_size=30))
def test_bytes_overwritten(name: str, at: int, noise: bytes) -> None:
    data = TEXTS[name]
    at %= len(data)
    exercise(data[:at] + noise + data[at + len(noise) :])


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([b"", CPU_HEADER, b"goroutine profile: total 9\n", b"heap_v2/5\n"]), st.binary(max_size=400))
def test_random_bytes(head: bytes, data: bytes) -> None:
    exercise(head + data)


@pytest.mark.parametrize("number", ["99999999999999999999", "9223372036854775807", "-1", "0x", "1_0", "٣"])
def test_strange_numbers(number: str) -> None:
    for text in TEXTS.values():
        for digits in (b"1", b"3", b"524288", b"0x"):
            exercise(text.replace(digits, number.encode(), 3))


@pytest.mark.parametrize(
    "text",
    [
        b"goroutine profile: total 1\n1 @" + b" 0x1f" * 60_000 + b"\n" + b"#\t0x99\tf+0x1\ta.go:1\n" * 30_000,
        b"goroutine profile: total 1\n1 @ 0x1\n#\t0x0\t" + b"+0x1 " * 60_000 + b"\n",
        b"goroutine profile: total 1\n1 @ 0x1\n# labels: {" + b'"a\\' * 80_000 + b"\n",
        b"goroutine profile: total 1\n1 @ 0x1\n# labels: {" + b'"a":"' * 60_000 + b"\n",
        b"heap profile: 1: 1 [1: 1] @ heap/2\n" + b"1: " * 80_000 + b"\n",
        b"heap profile: 1: 1 [1: 1] @ heap/2\n# runtime.MemStats\n# PauseNs = [" + b"1 " * 80_000 + b"]\n",
        b"--- mutex:\n" + b"1 " * 100_000 + b"\n",
        b"--- heapz 1 ---\nformat = java\n 8 1 @ 0x1\n 0x1 " + b" (" * 80_000 + b")\n",
        b"--- Thread 7f (name: " + b"/1" * 1900 + b"\n" + b"--- " * 60_000,
        b" profile: " * 30_000,
        b"MAPPED_LIBRARIES:\n" * 3000 + b"growth profile: total 3\n" + b"MAPPED_LIBRARIES:\n" + b"ab-" * 60_000,
    ],
)
@pytest.mark.slow
def test_hostile_texts_take_no_time(text: bytes) -> None:
    started = time.process_time()
    exercise(text)
    assert time.process_time() - started < 20

"""CPU profiles as binary words, made here in all four word forms."""

import struct

import pytest

from oakum.model import Profile, Reading
from oakum.parse import legacy_cpu

MAPS = b"00400000-00500000 r-xp 00000000 08:01 42    /srv/app/server\n"
# count, then addresses leaf first; the second address of each is the signal handler's
SAMPLES = [
    (3, [0x401000, 0x7001, 0x402001, 0x403001]),
    (1, [0x401100, 0x7001, 0x401101, 0x403001]),
    (2, [0x401000]),
]


def encode(word: str, samples: list[tuple[int, list[int]]], java: int = 0, trailer: bytes = MAPS) -> bytes:
    words = [0, 3, java, 10000, 0]
    for count, addresses in samples:
        words += [count, len(addresses), *addresses]
    words += [0, 1, 0]
    return struct.pack(word[0] + word[1] * len(words), *words) + trailer


def only(data: bytes) -> Reading:
    (reading,) = legacy_cpu.read(data)
    return reading


def addresses(reading: Reading) -> list[tuple[list[int], list[int]]]:
    profile = reading.profile
    assert isinstance(profile, Profile)
    rows = [profile.locations.address[profile.stacks[row]].tolist() for row in profile.stack_ids.tolist()]
    return list(zip(profile.values.T.tolist(), rows, strict=True))


@pytest.mark.parametrize("word", ["<I", ">I", "<Q", ">Q"])
def test_every_word_form(word: str) -> None:
    reading = only(encode(word, SAMPLES))
    assert (reading.kind, reading.format, reading.producer) == ("cpu", "legacy-cpu", "C++ (gperftools)")
    assert reading.problems == ()
    assert addresses(reading) == [
        ([3, 30_000_000], [0x401000, 0x7000, 0x402000, 0x403000]),
        ([1, 10_000_000], [0x401100, 0x7000, 0x401100, 0x403000]),
        ([2, 20_000_000], [0x401000]),
    ]
    assert reading.profile is not None
    assert [mapping.file for mapping in reading.profile.mappings] == ["/srv/app/server", ""]
    assert reading.profile.period == 10_000_000


def test_the_frame_of_the_signal_handler_goes() -> None:
    """All but one in 32 samples share it."""
    many = [(1, [0x401000 + 16 * i, 0x7001, 0x402001]) for i in range(63)]
    reading = only(encode("<Q", [*many, (1, [0x401000, 0x8001])]))
    assert addresses(reading)[0][1] == [0x401000]  # 0x402000 is shared as well: two frames may go
    assert addresses(reading)[-1][1] == [0x401000, 0x8000]


def test_a_leaf_met_twice_counts_once() -> None:
    reading = only(encode("<Q", [(1, [0x401000, 0x401000, 0x403001]), (1, [0x402000]), (1, [0x402000])]))
    assert addresses(reading)[0][1] == [0x401000, 0x403000]


def test_java_names() -> None:
    names = b" 0x1 com.example.f (F.java:3)\n 0x2 VM\n"
    reading = only(encode("<I", [(2, [1, 2]), (1, [2])], java=1, trailer=names))
    assert reading.producer == "Java"
    assert reading.profile is not None
    assert [str(frame) for frame in reading.profile.stack(0).frames] == ["com.example.f F.java:3", "VM"]
    assert reading.profile.values.T.tolist() == [[2, 20_000_000], [1, 10_000_000]]


def test_without_maps_it_is_a_go_program() -> None:
    assert only(encode("<Q", SAMPLES, trailer=b"")).producer == "Go"


def test_a_cut_keeps_whole_samples() -> None:
    whole = encode("<Q", SAMPLES, trailer=b"")
    reading = only(whole[: (5 + 6 + 3) * 8 + 3])
    assert len(addresses(reading)) == 1
    assert [problem.key for problem in reading.problems] == ["cut-mid-samples"]


@pytest.mark.parametrize("data", [b"", b"\0" * 40, b"goroutine profile: total 3\n", struct.pack("<5Q", 0, 4, 0, 1, 0)])
def test_not_mine(data: bytes) -> None:
    assert legacy_cpu.read(data) == ()

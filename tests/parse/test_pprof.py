"""pprof protobuf in every form: what it holds is read, what is broken becomes a problem, what is not one is None."""

import mmap
import random
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from oakum.model import Frame, Label, Mapping, Profile, Reading, ValueType
from oakum.parse import pprof, wire
from oakum.parse.compression import unpack
from oakum.parse.limits import DEFAULT, Limits
from pprof_message import (
    field,
    function,
    goroutine_profile,
    heap_profile,
    location,
    message,
    packed,
    sample,
    strings,
    unpacked,
    value_type,
    varint,
)
from support import need_shared

NAMES = strings("", "cpu", "nanoseconds", "main.leaf", "main.go", "main.root", "key", "text", "bytes", "a.out", "id")
CPU = value_type(1, 2)
TABLES = location(1, (1, 11)) + location(2, (2, 22)) + function(1, 3, 4, 10) + function(2, 5, 4, 20) + NAMES


def read(data: bytes, limits: Limits = DEFAULT) -> Reading:
    reading = pprof.read(data, limits)
    assert reading is not None
    return reading


def profile_of(data: bytes) -> Profile:
    """Return a profile that is read without a problem."""
    reading = read(data)
    assert reading.problems == ()
    assert reading.profile is not None
    return reading.profile


def broken_profile_of(data: bytes, *keys: str, limits: Limits = DEFAULT) -> Profile:
    """Return a profile that is read with just these problems."""
    reading = read(data, limits)
    assert [problem.key for problem in reading.problems] == list(keys)
    assert reading.profile is not None
    return reading.profile


def stacks_of(profile: Profile) -> list[list[int]]:
    """Return the locations of each sample, leaf first."""
    return [profile.stacks[int(stack)].tolist() for stack in profile.stack_ids]


def same(left: Profile, right: Profile) -> bool:
    """Return whether two profiles hold the same samples, stacks, labels and tables."""
    columns = [
        (profile.values, profile.stack_ids, profile.label_ids, profile.stacks.starts, profile.stacks.locations,
         profile.label_sets.starts, profile.label_sets.key, profile.label_sets.number, profile.locations.address,
         profile.locations.line_starts, profile.locations.line_function, profile.locations.line_number,
         profile.functions.name, profile.functions.file)
        for profile in (left, right)
    ]  # fmt: skip
    return all(np.array_equal(a, b) for a, b in zip(*columns, strict=True))


def test_every_field() -> None:
    label = message((1, 6), (2, 7))
    number = message((1, 8), (3, 2**63 + 5), (4, 8))
    data = b"".join(
        (
            CPU,
            sample([1, 2], [-5], label, number),
            sample([2], [7]),
            sample([1, 2], [1], label, number),
            field(3, message((1, 3), (2, 0x1000), (3, 0x2000), (4, 16), (5, 9), (6, 10), (7, 1), (8, 1), (9, 1), (10, 1))),
            field(4, message((1, 1), (2, 3), (3, 0xFFFFFFFF81000000)) + field(4, message((1, 1), (2, 11), (3, 5))) + field(5, 1)),
            location(2, (2, 22)),
            function(1, 3, 4, 10),
            function(2, 5, 4, 20),
            NAMES,
            message((7, 3), (8, 5), (9, 1_600_000_000_000_000_500), (10, 30), (12, 99), (13, 6), (13, 7), (14, 1), (15, 7)),
            value_type(1, 2, number=11),
        )
    )  # fmt: skip
    reading = read(data)
    profile = profile_of(data)
    assert reading.kind == profile.kind == "cpu"
    assert reading.format == "pprof"
    assert reading.taken_at == datetime(2020, 9, 13, 12, 26, 40, tzinfo=UTC)
    assert profile.sample_types == (ValueType("cpu", "nanoseconds"),)
    assert profile.period_type == ValueType("cpu", "nanoseconds")
    assert profile.values.tolist() == [[-5, 7, 1]]
    assert profile.stack_ids.tolist() == [0, 1, 0]
    assert stacks_of(profile) == [[0, 1], [1], [0, 1]]
    assert profile.stack(0).frames == (Frame("main.leaf", "main.go", 11), Frame("main.root", "main.go", 22))
    assert profile.label_ids.tolist() == [1, 0, 1]
    assert profile.labels(0) == ()
    assert profile.labels(1) == (Label("key", "text"), Label("bytes", number=-(2**63) + 5, unit="bytes"))
    assert profile.mappings == (Mapping(0x1000, 0x2000, 16, "a.out", "id", True, True, True, True),)
    assert profile.locations.address.tolist() == [0xFFFFFFFF81000000, 0]
    assert profile.locations.mapping.tolist() == [0, -1]
    assert profile.locations.folded.tolist() == [True, False]
    assert profile.extra["line_columns"].tolist() == [5, 0]
    assert profile.functions.start_line.tolist() == [10, 20]
    assert (profile.drop_frames, profile.keep_frames, profile.doc_url) == ("main.leaf", "main.root", "text")
    assert (profile.time_nanos, profile.duration_nanos, profile.period) == (1_600_000_000_000_000_500, 30, 99)
    assert profile.comments == ("key", "text")
    assert profile.default_sample_type == "cpu"


def test_packed_and_unpacked_are_the_same() -> None:
    samples = [([1, 2, 1], [3]), ([2], [4]), ([], [5]), ([1, 2, 1], [6])]
    ways = (
        b"".join(field(2, packed(1, ids) + packed(2, values)) for ids, values in samples),
        b"".join(field(2, unpacked(1, ids) + unpacked(2, values)) for ids, values in samples),
        b"".join(field(2, unpacked(2, values) + packed(1, ids)) for ids, values in samples),
        b"".join(field(2, packed(1, ids[:1]) + unpacked(2, values) + unpacked(1, ids[1:])) for ids, values in samples),
        b"".join(field(2, unpacked(1, ids[:1]) + packed(1, ids[1:]) + packed(2, values)) for ids, values in samples),
    )
    for written in ways:
        profile = profile_of(CPU + written + TABLES)
        assert stacks_of(profile) == [[0, 1, 0], [1], [], [0, 1, 0]]
        assert profile.stack_ids.tolist() == [0, 1, 2, 0]
        assert profile.values.tolist() == [[3, 4, 5, 6]]
    assert profile_of(CPU + TABLES + field(13, b"\x06\x07")).comments == ("key", "text")


def test_unknown_fields_are_skipped_at_every_level() -> None:
    odd = field(99, 7) + field(98, b"xyz") + b"\xf9\x01" + bytes(8) + b"\xfd\x01" + bytes(4)
    line = field(4, odd + message((1, 1), (2, 11)) + odd)
    label = field(3, odd + message((1, 6), (2, 7)))
    data = b"".join(
        (
            field(1, message((1, 1), (2, 2)) + odd), odd,
            field(2, odd + packed(1, [1]) + odd + packed(2, [5]) + label + odd),
            field(4, odd + field(1, 1) + line + odd), field(5, odd + message((1, 1), (2, 3))), field(3, odd + field(1, 1)),
            odd, NAMES,
        )
    )  # fmt: skip
    profile = profile_of(data)
    assert profile.stack(0).frames == (Frame("main.leaf", "", 11),)
    assert profile.labels(int(profile.label_ids[0])) == (Label("key", "text"),)
    assert profile.values.tolist() == [[5]]


@pytest.mark.parametrize("ids", [(7, 3), (2**64 - 1, 2**33), (3, 2), (2, 1), (0, 5), (1, 0)])
def test_ids_are_arbitrary(ids: tuple[int, int]) -> None:
    first, second = ids
    tables = location(first, (first, 11)) + location(second, (second, 22)) + function(first, 3) + function(second, 5)
    profile = profile_of(CPU + sample([second, first], [1]) + tables + NAMES)
    assert stacks_of(profile) == [[1, 0]]
    assert profile.stack(0).functions == ("main.root", "main.leaf")
    broken = broken_profile_of(CPU + sample([second, 9, 2**40, 2**64 - 2], [1]) + tables + NAMES, "missing-location")
    assert stacks_of(broken) == [[1, 2, 2, 2]]


def test_tables_without_ids_are_numbered_as_they_stand() -> None:
    tables = location(0, (1, 11)) + location(0, (2, 22)) + function(0, 3) + function(0, 5)
    profile = broken_profile_of(CPU + sample([2, 1], [1]) + tables + NAMES, "no-ids", "no-ids")
    assert profile.stack(0).functions == ("main.root", "main.leaf")


def test_of_equal_ids_the_last_counts() -> None:
    data = (
        CPU + sample([1], [1]) + location(1, (1, 11)) + location(1, (1, 12)) + function(1, 3) + function(1, 5) + NAMES
    )
    profile = broken_profile_of(data, "duplicate-id", "duplicate-id")
    assert profile.stack(0).frames == (Frame("main.root", "", 12),)
    assert len(profile.locations) == len(profile.functions) == 2


def test_references_that_lead_nowhere() -> None:
    data = CPU + sample([1, 9], [1]) + location(1, (8, 11), mapping=4) + NAMES
    profile = broken_profile_of(data, "missing-mapping", "missing-function", "missing-location")
    assert profile.values.tolist() == [[1]]
    assert stacks_of(profile) == [[0, 1]]
    assert profile.locations.mapping.tolist() == [-1, -1]
    assert profile.stack(0).functions == ("<unknown>", "<unknown>")
    empty = broken_profile_of(CPU + sample([5], [1]) + NAMES, "missing-location")
    assert empty.stack(0).functions == ("<unknown>",)


def test_strings_beyond_the_table_read_as_empty() -> None:
    data = CPU + value_type(50, 2**40) + sample([1], [1, 2], message((1, 77), (2, 1))) + location(1, (1, 1))
    profile = broken_profile_of(data + function(1, 60) + NAMES, "string-out-of-range")
    assert profile.sample_types == (ValueType("cpu", "nanoseconds"), ValueType("", ""))
    assert profile.stack(0).functions == ("",)
    assert profile.labels(1) == (Label("", "cpu"),)


def test_samples_with_too_many_or_too_few_values() -> None:
    odd = [sample([1], [1]), sample([1], [1, 2]), sample([1], [1, 2, 3]), sample([1], [])]
    for few in (0, 1000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("oakum.parse.samples.FEW", few)
            profile = broken_profile_of(CPU * 2 + b"".join(odd) + TABLES, "wrong-value-count")
            assert profile.values.tolist() == [[1, 1, 1, 0], [0, 2, 2, 0]]
            cut_value = field(2, packed(1, [1]) + field(2, b"\x05\x80")) * 3
            assert broken_profile_of(CPU * 2 + cut_value + TABLES, "wrong-value-count").values.tolist() == [
                [5] * 3,
                [0] * 3,
            ]


def test_without_sample_types() -> None:
    profile = broken_profile_of(sample([1], [4, 5]) + TABLES, "no-sample-types")
    assert profile.sample_types == (ValueType("", ""),) * 2
    assert profile.values.tolist() == [[4], [5]]
    assert profile.kind == "unknown"


def test_more_sample_types_than_values_cannot_fill_the_memory() -> None:
    data = value_type(1, 2) * 60_000 + field(2, b"") * 60_000 + NAMES
    profile = broken_profile_of(data, "many-sample-types", "wrong-value-count")
    assert profile.values.size < 10 * len(data)


def test_no_samples_no_mappings_no_period() -> None:
    profile = profile_of(CPU + NAMES)
    assert profile.samples == len(profile.stacks) == len(profile.locations) == len(profile.functions) == 0
    assert profile.values.shape == (1, 0)
    assert profile.period_type is None
    assert profile.mappings == ()
    assert len(profile.label_sets) == 1
    assert read(CPU + NAMES).taken_at is None


def test_invalid_utf8_is_kept_as_it_stands() -> None:
    profile = profile_of(
        CPU + sample([1], [1]) + location(1, (1, 1)) + function(1, 3) + strings("", "cpu", "ns", b"f\xff\xc3")
    )
    assert profile.strings.raw(3) == b"f\xff\xc3"
    assert profile.stack(0).functions == ("f\ufffd\ufffd",)


def test_a_time_that_no_calendar_holds() -> None:
    assert read(CPU + NAMES + field(9, 2**63 - 1)).taken_at == datetime(2262, 4, 11, 23, 47, 16, 854775, UTC)
    assert read(CPU + NAMES + field(9, 2**64 - 5)).taken_at is None


def test_any_buffer_is_read(tmp_path: Path) -> None:
    data = goroutine_profile("main.main")
    (tmp_path / "goroutine").write_bytes(data)
    expected = profile_of(data)
    assert same(profile_of(memoryview(data)), expected)  # type: ignore[arg-type]  # Buffer is wider than bytes
    with (tmp_path / "goroutine").open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        reading = pprof.read(mapped)
    assert reading is not None
    assert reading.profile is not None
    assert same(reading.profile, expected)


def test_large_tables_read_as_small_ones_do() -> None:
    data = heap_profile(3000)
    profile = profile_of(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wire, "FEW", 1 << 40)
        patch.setattr("oakum.parse.samples.FEW", 1 << 40)
        assert same(profile_of(data), profile)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wire, "FEW", 4)
        patch.setattr(wire, "BLOCK", 100)
        patch.setattr("oakum.parse.runs.PIECE", 1000)
        assert same(profile_of(data), profile)
    assert profile.samples == 3000
    assert profile.values[:, 2999].tolist() == [2999, 2999 * 512, -2999, 0]
    assert len(profile.stacks) < 3000
    assert len(profile.label_sets) == 21
    for row in (0, 17, 2999):
        stack = [(row * 31 + place * (row % 7 + 1)) % 40 for place in range(row % 12 + 1)]
        assert stacks_of(profile)[row] == stack
        assert profile.labels(int(profile.label_ids[row])) == (Label("bytes", number=1 << row % 20),)


@pytest.mark.slow
def test_cut_anywhere() -> None:
    data = heap_profile(12, functions=6)
    whole = profile_of(data)
    samples = 0
    ends = {0} | {end for _, _, end in wire.fields_of(data, 0, len(data))}
    for size in range(len(data)):
        reading = pprof.read(data[:size])
        if reading is None:
            assert size < 12
            continue
        assert reading.profile is not None
        assert samples <= reading.profile.samples <= whole.samples
        samples = reading.profile.samples
        cut = [problem.where for problem in reading.problems if problem.key == "cut"]
        assert cut == ([] if size in ends else [f"byte {max(end for end in ends if end <= size)}"])
        for row in range(len(reading.profile.stacks)):
            assert reading.profile.stack(row).functions
    assert samples == 12


def test_changed_bytes_never_raise() -> None:
    dice = random.Random(7)
    profiles = [heap_profile(60, functions=9), goroutine_profile("runtime.gopark", "runtime.chanrecv", "main.main")]
    started = time.process_time()
    for _ in range(800):
        data = bytearray(dice.choice(profiles))
        for _ in range(dice.choice((1, 2, 8))):
            at = dice.randrange(len(data))
            data[at : at + dice.randrange(2)] = bytes(
                dice.choice((0, 0x80, 0xFF, dice.randrange(256))) for _ in range(dice.randrange(3))
            )
        reading = pprof.read(bytes(data))
        if reading is not None:
            profile = reading.profile
            assert profile is not None
            assert profile.values.shape == (len(profile.sample_types), profile.samples)
            for row in range(len(profile.stacks)):
                assert profile.stack(row) is not None
    assert time.process_time() - started < 60


@pytest.mark.parametrize(
    "hostile",
    [
        b"\x12" + varint(2**63 - 1) + b"x",
        b"\x12" + varint(2**64 - 1) + b"x",
        field(2, b"\x0a" + varint(2**64 - 1)),
        field(2, b"\x0a" + varint(2**62)),
        field(2, b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
        field(2, b"\x80" * 40),
        field(2, b"\x0a\x80"),
        field(4, field(4, b"\x08")) * 60,
        field(5, b"\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
        field(2, field(3, b"\x08\x80")) * 60,
        field(2, b"\x0b\x0b\x0b") * 60,
        field(2, b"\x00\x01") * 60,
        b"\x12\x02\x0a\x10" * 60,
    ],
)
def test_hostile_lengths(hostile: bytes) -> None:
    for data in (CPU + sample([1], [1]) + TABLES + hostile, CPU + TABLES + hostile * 3 + sample([1], [1]), hostile):
        reading = pprof.read(data)
        assert reading is None or reading.problems


@pytest.mark.slow
def test_one_message_of_very_many_fields() -> None:
    started = time.process_time()
    profile = broken_profile_of(CPU + field(2, unpacked(1, [1] * 300_000)) + TABLES, "wrong-value-count", "deep-stack")
    assert len(profile.stacks.locations) == Limits().max_depth
    for number in (1, 2**63):
        deep = (
            CPU
            + field(2, packed(1, [number] * 5000) + packed(2, [1]))
            + location(number, (1, 11))
            + function(1, 3)
            + NAMES
        )
        assert broken_profile_of(deep, "deep-stack").stacks.locations.tolist() == [0] * Limits().max_depth
    assert time.process_time() - started < 30


def test_limits() -> None:
    data = heap_profile(200)
    strings_kept = broken_profile_of(data, "many", "string-out-of-range", limits=Limits(max_strings=20))
    assert len(strings_kept.strings) == 20
    shallow = broken_profile_of(data, "deep-stack", limits=Limits(max_depth=3))
    assert np.diff(shallow.stacks.starts).max() == 3
    assert stacks_of(shallow)[11] == stacks_of(profile_of(data))[11][:3]
    assert read(data, Limits(max_seconds=-1.0)).problems[0].key == "slow"
    many = broken_profile_of(
        CPU + NAMES + field(2, b"") * 100_000, "many", "wrong-value-count", limits=Limits(max_messages=50_000)
    )
    assert many.samples < 100_000


NOT_PROFILES = {
    "empty": b"",
    "zeros": bytes(400),
    "text": b"goroutine 1 [running]:\nmain.main()\n\t/src/main.go:3 +0x1d\n",
    "debug1": b"goroutine profile: total 3\n1 @ 0x1 0x2\n",
    "lines": b"\n" + b"\n".join(b"line %d" % row for row in range(300)),
    "number first": b"2024-01-01 00:00:00 error\n" * 50,
    "x": b"x" * 5000,
    "json": b'{"shared": {"frames": []}}',
    "json string": b'"' + b"a" * 900 + b'"',
    "star": b"* item\n" * 400,
    "png": b"\x89PNG\r\n\x1a\n" + bytes(100),
    "elf": b"\x7fELF\x02\x01\x01" + bytes(100),
    "jfr": b"FLR\x00\x00\x02\x00\x01" + bytes(100),
    "trace": b"go 1.22 trace\x00\x00\x00" + bytes(100),
    "html": b"<html><body>404 page not found</body></html>",
    "strings without an empty first": strings("a", "b", "c"),
    "one empty string": strings(""),
    "other message": message((1, b"name"), (2, 5), (3, b"other")),
    "gzip": b"\x1f\x8b\x08\x00" + bytes(60),
}


@pytest.mark.parametrize("name", NOT_PROFILES)
def test_what_is_no_profile(name: str) -> None:
    assert pprof.read(NOT_PROFILES[name]) is None


def test_random_bytes_are_no_profile() -> None:
    dice = random.Random(3)
    assert all(pprof.read(dice.randbytes(dice.randrange(1, 2000))) is None for _ in range(3000))


def test_a_big_text_is_turned_away_at_once() -> None:
    started = time.process_time()
    for start in (b"\n", b'"', b"*", b"2", b"x", b"goroutine"):
        assert pprof.read(start + b" goroutine 7 [chan send]:\n" * 2_000_000) is None
    assert time.process_time() - started < 2


@pytest.mark.shared
@pytest.mark.slow
def test_shared_evidence_is_read_as_its_index_says() -> None:
    yaml = pytest.importorskip("yaml")
    folder = need_shared()
    entries = yaml.safe_load((folder / "INDEX.yaml").read_text(encoding="utf-8"))["files"]
    read_as_profile = 0
    for entry in entries:
        data, _, problems = unpack((folder / entry["file"]).read_bytes())
        reading = pprof.read(data)
        if not entry["kind"].startswith("pprof protobuf"):
            assert reading is None, entry["file"]
            continue
        read_as_profile += 1
        assert reading is not None, entry["file"]
        assert problems == ()
        assert {problem.key for problem in reading.problems} <= {"no-ids"}, entry["file"]
        profile = reading.profile
        assert profile is not None
        if "samples" in entry:
            assert [str(sampled) for sampled in profile.sample_types] == entry["sample_types"], entry["file"]
            assert profile.samples == entry["samples"]
            assert len(profile.functions) == entry["functions"]
            assert len(profile.mappings) == entry["mappings"]
            assert "taken" not in entry or str(reading.taken_at)[:10] == entry["taken"]
            assert entry["profile"] not in ("goroutine", "threadcreate", "cpu") or reading.kind == entry["profile"]
            assert entry["profile"] != "block or mutex" or reading.kind in ("block", "mutex", "contention")
    assert read_as_profile > 170

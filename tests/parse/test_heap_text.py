"""Heap profiles as text: Go with MemStats, tcmalloc, gperftools, jemalloc; values worked out by hand."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from oakum.model import MemStats, Profile, Reading, normal_function
from oakum.parse import pprof, text_profiles
from oakum.parse.compression import unpack
from oakum.parse.heap_text import scale
from oakum.parse.limits import DEFAULT

LEGACY = Path(__file__).parent / "testdata" / "legacy"
HANDMADE = LEGACY / "handmade"

GO = b"""heap profile: 3: 1049088 [4: 1049152] @ heap/1048576
1: 1048576 [1: 1048576] @ 0x42ba3ef 0x40650a1
#\t0x42ba3ee\tmain.load+0x3e\t/app/main.go:24

2: 512 [3: 576] @ 0x42bb1ba
#\t0x42bb1b9\tmain.parse[...]+0x69\texample.com/m@v1.2.3/parse.go:25


# runtime.MemStats
# Alloc = 21529392
# TotalAlloc = 6074449568
# Sys = 49304840
# Lookups = 7
# Mallocs = 109532900
# Frees = 109322568
# HeapAlloc = 21529393
# HeapSys = 40206336
# HeapIdle = 13377536
# HeapInuse = 26828800
# HeapReleased = 8839168
# HeapObjects = 210332
# Stack = 1736704 / 1736705
# MSpan = 435840 / 538560
# MCache = 4832 / 15704
# BuckHashSys = 1742092
# GCSys = 4192696
# OtherSys = 872748
# NextGC = 28707490
# LastGC = 1743730343000000000
# PauseNs = [7933386 258544 0]
# PauseEnd = [1743724238205228512 1743724263275247551 0]
# NumGC = 495
# NumForcedGC = 3
# GCCPUFraction = 0.00039769220880376025
# DebugGC = false
# MaxRSS = 91029504
"""


def only(data: bytes) -> Reading:
    (reading,) = text_profiles.read(data)
    return reading


def profile_of(reading: Reading) -> Profile:
    assert reading.profile is not None
    return reading.profile


def types(profile: Profile) -> list[str]:
    return [str(kind) for kind in profile.sample_types]


def test_frames_that_go_hides_are_told() -> None:
    assert profile_of(only(GO)).extra["hidden_leaves"]
    nameless = b"".join(line for line in GO.splitlines(keepends=True) if not line.startswith(b"#\t0x"))
    assert not profile_of(only(nameless)).extra["hidden_leaves"]
    assert not profile_of(only(GO.replace(b"heap/1048576", b"heap_v2/524288"))).extra["hidden_leaves"]


def test_go_heap_is_scaled_by_half_the_rate_in_the_header() -> None:
    reading = only(GO)
    assert (reading.kind, reading.format, reading.producer, reading.problems) == ("heap", "heap-text", "Go", ())
    profile = profile_of(reading)
    assert profile.period == 524288
    assert types(profile) == ["alloc_objects/count", "alloc_space/bytes", "inuse_objects/count", "inuse_space/bytes"]
    # 1 / (1 - exp(-1048576/524288)) = 1.15651764; with 192 bytes it is 2731.17, with 256 bytes 2048.5
    assert profile.values.T.tolist() == [[1, 1212696, 1, 1212696], [8193, 1573152, 4097, 1048832]]
    assert [str(frame) for frame in profile.stack(0).frames] == ["main.load /app/main.go:24", "0x40650a0"]
    assert str(profile.stack(1).frames[0]) == "main.parse[...] example.com/m@v1.2.3/parse.go:25"
    assert [profile.labels(row)[0].number for row in profile.label_ids.tolist()] == [1048576, 256]
    assert profile.extra["header"] == (3, 1049088, 4, 1049152)


def test_memstats() -> None:
    assert only(GO).memstats == MemStats(
        alloc=21529392, total_alloc=6074449568, sys=49304840, lookups=7, mallocs=109532900, frees=109322568,
        heap_alloc=21529393, heap_sys=40206336, heap_idle=13377536, heap_inuse=26828800, heap_released=8839168,
        heap_objects=210332, stack_inuse=1736704, stack_sys=1736705, mspan_inuse=435840, mspan_sys=538560,
        mcache_inuse=4832, mcache_sys=15704, buck_hash_sys=1742092, gc_sys=4192696, other_sys=872748,
        next_gc=28707490, last_gc_nanos=1743730343000000000, num_gc=495, num_forced_gc=3,
        gc_cpu_fraction=0.00039769220880376025, debug_gc=False, max_rss=91029504,
        pause_nanos=(7933386, 258544, 0), pause_end_nanos=(1743724238205228512, 1743724263275247551, 0),
    )  # fmt: skip
    memstats = only(GO).memstats
    assert memstats is not None
    assert memstats.last_gc == datetime(2025, 4, 4, 1, 32, 23, tzinfo=UTC)


def test_memstats_of_the_first_go_releases() -> None:
    reading = only((HANDMADE / "go1.0-heap.txt").read_bytes())
    memstats = reading.memstats
    assert memstats is not None
    assert (memstats.heap_alloc, memstats.heap_released, memstats.last_gc_nanos) == (1140000, None, None)
    assert (memstats.stack_inuse, memstats.stack_sys, memstats.pause_nanos) == (4096, 131072, (96000, 144000, 0))
    assert reading.notes == {"EnableGC": "true"}
    assert profile_of(reading).extra["by_size"] == ((8, 57, 15), (16, 9, 0))
    names = [[frame.function for frame in profile_of(reading).stack(row).frames] for row in range(2)]
    assert names == [["runtime.mallocgc", "main.load", "0x41048d"], ["runtime.mallocgc", "main.parse", "0x41048d"]]


def test_a_cut_inside_memstats_keeps_no_half_figure() -> None:
    reading = only(GO[: GO.index(b"\n# GCSys") - 3])
    assert reading.memstats is not None
    assert (reading.memstats.mcache_sys, reading.memstats.buck_hash_sys) == (15704, None)
    assert [problem.key for problem in reading.problems] == ["cut-mid-memstats"]
    assert only(GO.rstrip()).problems == ()


def test_alloc_equal_to_inuse_is_a_profile_of_two_columns() -> None:
    text = b"heap profile: 1: 480 [1: 480] @ heap/2\n1: 480 [1: 480] @ 0x11\n"
    assert types(profile_of(only(text))) == ["objects/count", "space/bytes"]
    assert profile_of(only(text)).values.T.tolist() == [[1, 480]]


def test_tcmalloc_with_its_maps() -> None:
    reading = only((HANDMADE / "tcmalloc.heap").read_bytes())
    assert (reading.producer, reading.problems) == ("C++ (tcmalloc)", ())
    profile = profile_of(reading)
    # 1 / (1 - exp(-1)) = 1.58197671; 1 / (1 - exp(-393216/524288)) = 1.89523; 1 / (1 - exp(-2048/524288)) = 256.5
    assert profile.values.T.tolist() == [
        [3, 1658822, 1, 829411], [7, 2980978, 3, 1658822], [256, 525312, 256, 525312], [0, 0, 0, 0],
    ]  # fmt: skip
    files = [(mapping.file, mapping.start, mapping.limit, mapping.offset) for mapping in profile.mappings]
    assert files == [
        ("/srv/app/server", 0x400000, 0x406000, 0),
        ("/lib/x86_64-linux-gnu/libc.so.6", 0x7F0000001000, 0x7F0000002000, 0x1000),
        ("[vdso]", 0x7FFFF7FFD000, 0x7FFFF7FFE000, 0),
    ]
    assert profile.locations.mapping.tolist() == [0, 0, 1, 0, 0, 2]


def test_gperftools_heapprofile_is_not_scaled() -> None:
    profile = profile_of(only((HANDMADE / "gperftools.heapprofile").read_bytes()))
    assert profile.values.T.tolist() == [[2, 3000], [1, 100]]
    assert profile.mappings[0].file == "/srv/builds/42/server"


@pytest.mark.parametrize(("name", "kind"), [("growthz", "growth"), ("fragmentationz", "fragmentation")])
def test_growth_and_fragmentation(name: str, kind: str) -> None:
    reading = only((HANDMADE / f"{name}.txt").read_bytes())
    assert (reading.kind, profile_of(reading).period) == (kind, 1)
    assert profile_of(reading).values[1].tolist() == ([1048576, 2097152] if kind == "growth" else [4096])


def test_jemalloc_counts_all_threads_once() -> None:
    reading = only((HANDMADE / "jemalloc.heap").read_bytes())
    assert (reading.kind, reading.producer, reading.problems) == ("heap", "jemalloc", ())
    profile = profile_of(reading)
    assert profile.values.T.tolist() == [[3, 1658822], [512, 524800]]
    assert profile.locations.address.tolist() == [0x55D000001000, 0x55D000002000, 0x55D000003000, 0x55D000004000]
    assert [mapping.file for mapping in profile.mappings] == ["/srv/app/rocks"]


def test_jemalloc_with_accumulated_figures() -> None:
    text = (HANDMADE / "jemalloc.heap").read_bytes().replace(b"[0: 0]", b"[4: 2097152]")
    assert types(profile_of(only(text)))[0] == "alloc_objects/count"
    assert profile_of(only(text)).values[:, 0].tolist() == [6, 3317645, 3, 1658822]


def test_records_missing_from_the_header_sum() -> None:
    reading = only(GO[: GO.index(b"2: 512")])
    (problem,) = reading.problems
    assert problem.key == "records-missing"
    assert tuple(problem.text.args.values()) == (2, 512, 3, 576)


def test_records_that_make_no_sense_are_left_out_and_told() -> None:
    text = b"heap profile: 1: 8 [1: 8] @ heap/2\n0: 8 [0: 8] @ 0x11\n1: 8 [1 8] @ 0x11\n1: 8 [1: 8] @ 0x21\n"
    reading = only(text)
    assert profile_of(reading).samples == 1
    assert [(problem.key, problem.where, problem.text.args) for problem in reading.problems] == [
        ("bad-records", "line 2", {"records": 2})
    ]


def test_an_unknown_form_is_read_unscaled_and_told() -> None:
    reading = only(b"heap profile: 1: 8 [2: 16] @ heap_v9/524288\n1: 8 [2: 16] @ 0x11\n")
    assert profile_of(reading).values.T.tolist() == [[2, 16, 1, 8]]
    assert [problem.key for problem in reading.problems] == ["unknown-heap-form"]


@pytest.mark.parametrize(
    ("objects", "space", "rate", "expected"),
    [
        (0, 0, 524288, (0, 0)),
        (3, 0, 524288, (0, 0)),
        (3, 4096, 1, (3, 4096)),
        (3, 4096, 0, (3, 4096)),
        (1, 524288, 524288, (1, 829411)),
        (1, 1 << 62, 2, (1, 1 << 62)),
        (1 << 60, 1, 1 << 60, (1 << 60, 1)),  # so rare a sample that its chance rounds to none: left as it is
        (-2, -1048576, 524288, (-3, -1658822)),
    ],
)
def test_scale(objects: int, space: int, rate: int, expected: tuple[int, int]) -> None:
    assert scale(objects, space, rate) == expected


@pytest.mark.parametrize("version", ["go1.21", "go1.27"])
def test_the_same_process_as_protobuf(version: str) -> None:
    """What the text scaled here says equals what Go scaled itself for debug=0."""
    reading = only((LEGACY / version / "heap.txt").read_bytes())
    assert reading.problems == ()
    assert reading.memstats is not None
    assert (reading.memstats.num_gc, reading.memstats.num_forced_gc) == (2, 2)
    other = pprof.read(unpack((LEGACY / version / "heap.pb.gz").read_bytes(), DEFAULT)[0])
    assert other is not None
    assert _by_stack(profile_of(reading)) == _by_stack(profile_of(other))


def _by_stack(profile: Profile) -> dict[tuple[tuple[str, int], ...], list[int]]:
    out: dict[tuple[tuple[str, int], ...], list[int]] = {}
    for sample in range(profile.samples):
        values = profile.values[:, sample].tolist()
        frames = profile.stack(int(profile.stack_ids[sample])).frames
        named = [f for f in frames if not f.function.startswith("0x") and f.function != "runtime.goexit"]
        while any(not f.function.startswith("runtime.") for f in named) and named[0].function.startswith("runtime."):
            del named[0]
        if any(values):  # writing the text allocates, too
            key = tuple((normal_function(frame.function), frame.line) for frame in named)
            out[key] = [a + b for a, b in zip(out.get(key, [0] * len(values)), values, strict=True)]
    return out

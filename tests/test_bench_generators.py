"""The inputs of the comparisons are what they claim to be, and the same every time; the measuring measures."""

import gzip
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import toolchain
from bench.generate import profile_bytes, varints, write_bomb, write_dump, write_profile
from bench.measure import Command, side_by_side
from bench.snapshots import write_snapshots
from oakum.cli.case import case
from oakum.model import Capture, Profile
from oakum.parse import goroutines, parse

SMALL = {"samples": 2_000, "locations": 800, "functions": 400, "depth": 30}


def read_profile(data: bytes) -> Profile:
    (reading,) = parse(Capture("-", data))
    assert reading.problems == ()
    assert reading.kind == "heap"
    assert reading.profile is not None
    return reading.profile


def test_varints_are_protobufs() -> None:
    values = [0, 1, 127, 128, 300, 16383, 16384, 2**32, 2**63, 2**64 - 1]
    expected = bytearray()
    for value in values:
        while value >= 0x80:
            expected.append(value & 0x7F | 0x80)
            value >>= 7
        expected.append(value)
    assert varints(np.array(values, np.uint64)) == bytes(expected)


def test_profile_has_the_size_asked_for() -> None:
    profile = read_profile(profile_bytes(**SMALL, seed=1))
    assert profile.samples == 2_000
    assert len(profile.locations) == 800
    assert len(profile.functions) == 400
    depths = np.diff(profile.stacks.starts)
    assert depths.max() == 30
    assert depths.min() >= 2
    assert [str(kind) for kind in profile.sample_types] == [
        "alloc_objects/count", "alloc_space/bytes", "inuse_objects/count", "inuse_space/bytes",
    ]  # fmt: skip
    assert (profile.values >= 0).all()
    used = np.unique(np.concatenate([profile.stacks[row] for row in profile.stack_ids]))
    assert len(used) == 800
    names = [profile.strings[int(name)] for name in profile.functions.name]
    assert len(set(names)) == 400


def test_stacks_share_their_first_frames() -> None:
    profile = read_profile(profile_bytes(**SMALL, seed=1))
    stacks = [profile.stacks[row][::-1].tolist() for row in profile.stack_ids.tolist()]
    prefixes = {tuple(stack[:end]) for stack in stacks for end in range(1, len(stack) + 1)}
    assert len(prefixes) < 0.7 * sum(map(len, stacks))


def test_profile_is_the_same_every_time(tmp_path: Path) -> None:
    assert profile_bytes(**SMALL, seed=1) == profile_bytes(**SMALL, seed=1) != profile_bytes(**SMALL, seed=2)
    size = write_profile(tmp_path / "p.pb.gz", **SMALL)
    assert len(gzip.decompress((tmp_path / "p.pb.gz").read_bytes())) == size


@pytest.mark.peer
def test_pprof_opens_the_profile(tmp_path: Path) -> None:
    compiler = toolchain.need_go()
    write_profile(tmp_path / "p.pb.gz", **SMALL)
    shown = subprocess.run(
        [compiler, "tool", "pprof", "-top", tmp_path / "p.pb.gz"], env=toolchain.environment(), capture_output=True,
        text=True, check=True,
    ).stdout  # fmt: skip
    total = int(read_profile((tmp_path / "p.pb.gz").read_bytes()).values[3].sum())
    assert "Type: inuse_space" in shown
    assert f"{total / 1024:.2f}kB total" in shown or f"{total}B total" in shown


@pytest.mark.parametrize("parents", [True, False])
def test_dump_has_the_goroutines_asked_for(parents: bool, tmp_path: Path) -> None:
    path = tmp_path / "dump.txt"
    assert write_dump(path, goroutines=3_000, stacks=40, parents=parents) == 3_000
    (reading,) = parse(Capture("-", path.read_bytes()))
    found = goroutines(reading)
    assert found is not None
    assert reading.problems == ()
    assert found.total == 3_000
    assert len(found.groups) == 41  # and main
    ids = np.concatenate([group.ids for group in found.groups])
    assert len(np.unique(ids)) == 3_000
    own = [group for group in found.groups if group.created_by]
    assert all((group.parents > 0).all() == parents for group in own)
    assert any(group.longest for group in own)


def test_dump_of_a_size_ends_with_a_whole_goroutine(tmp_path: Path) -> None:
    path = tmp_path / "dump.txt"
    count = write_dump(path, size=1 << 20)
    assert (1 << 20) - 8192 < path.stat().st_size <= 1 << 20
    assert path.read_bytes().endswith(b"\n\n")
    assert path.read_bytes().count(b"\n\n") == count
    again = tmp_path / "again.txt"
    write_dump(again, goroutines=count)
    assert again.read_bytes() == path.read_bytes()


def test_snapshots_are_one_process_that_grows(tmp_path: Path) -> None:
    write_snapshots(tmp_path, snapshots=3, goroutines=200, samples=300, locations=400)
    (process,) = case([str(tmp_path)]).processes
    assert [snapshot.goroutines.total for snapshot in process.snapshots if snapshot.goroutines] == [200, 205, 210]
    kept = [int(snapshot.heap.values[3].sum()) for snapshot in process.snapshots if snapshot.heap]
    assert kept[0] < kept[1] < kept[2]
    times = [snapshot.at for snapshot in process.snapshots]
    assert [(b - a).total_seconds() for a, b in pairwise(times) if a and b] == [60, 60]


@pytest.mark.peer
def test_gostackparse_reads_as_many_goroutines(tmp_path: Path) -> None:
    program = toolchain.need_gostackparse()
    write_dump(tmp_path / "dump.txt", goroutines=500)
    told = subprocess.run([program, tmp_path / "dump.txt"], capture_output=True, text=True, check=True).stdout
    assert told.startswith("500 goroutines, ")
    assert told.endswith(" 0 errors\n")


@pytest.mark.peer
def test_panicparse_reads_the_dump(tmp_path: Path) -> None:
    program = toolchain.need_panicparse()
    write_dump(tmp_path / "dump.txt", goroutines=200, stacks=3, parents=False)
    told = subprocess.run([program, tmp_path / "dump.txt"], capture_output=True, text=True, check=True).stdout
    counts = [int(line.partition(":")[0]) for line in told.splitlines() if line[:1].isdigit()]
    assert sum(counts) == 200


def test_bomb_is_small_outside_and_gzip_inside(tmp_path: Path) -> None:
    size = write_bomb(tmp_path / "bomb.gz", gigabytes=1)
    assert size < 10_240
    inner = gzip.decompress((tmp_path / "bomb.gz").read_bytes())
    assert inner.startswith(b"\x1f\x8b")
    assert inner == inner[: len(inner) // 10] * 10
    (reading,) = parse(Capture("-", (tmp_path / "bomb.gz").read_bytes()))
    assert not reading.usable
    assert reading.problems


def test_measuring_sees_time_memory_and_exit_code() -> None:
    def python(name: str, code: str) -> Command:
        return Command(name, [sys.executable, "-c", code], dict(os.environ), runs=2)

    idle, large = side_by_side(
        [python("idle", "pass"), python("large", "b = bytes(b'x' * 200_000_000); print('done'); raise SystemExit(3)")]
    )
    assert (idle.name, idle.exit_code, large.exit_code) == ("idle", 0, 3)
    assert 0 < idle.wall < large.wall
    assert large.memory > 200_000_000
    assert idle.output != large.output

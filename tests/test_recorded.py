"""The zoo, recorded under several Go versions: what parse reads of each capture against the truth beside it."""

import gzip
import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import toolchain
from oakum.model import Capture, GoroutineGroup, Goroutines, Profile, Reading, normal_function
from oakum.parse import goroutines, parse
from record.record import stage
from support import RECORDED

FOLDERS = sorted(path.parent for path in RECORDED.glob("*/truth.json"))
# The goroutine that takes the capture stands elsewhere in each, the spinning one elsewhere each time, and the deep one
# is cut at another depth by each format.
UNEQUAL = {"main.writeAll", "main.spin", "main.descend"}


@dataclass(frozen=True)
class Zoo:
    """The captures of one variant and the truth about them."""

    folder: Path
    truth: dict[str, Any]

    @property
    def go(self) -> tuple[int, int]:
        """Return the Go version as two numbers."""
        major, minor = self.truth["go"].removeprefix("go").split(".")[:2]
        return int(major), int(minor)

    def has(self, name: str) -> bool:
        """Return whether this variant has such a capture."""
        return (self.folder / name).exists() or (self.folder / f"{name}.gz").exists()

    def readings(self, name: str) -> tuple[Reading, ...]:
        """Return what is read of a capture, which may be stored gzipped."""
        path = self.folder / name
        stored = path if path.exists() else path.with_name(f"{name}.gz")
        return parse(Capture(name, stored.read_bytes()))

    def reading(self, name: str) -> Reading:
        """Return the only reading of a capture that must be read without problems."""
        (reading,) = self.readings(name)
        assert not reading.problems, name
        return reading

    def goroutines(self, name: str) -> Goroutines:
        """Return the goroutines of a capture."""
        found = goroutines(self.reading(name))
        assert found is not None
        return found


def opened(folder: Path) -> Zoo:
    return Zoo(folder, json.loads((folder / "truth.json").read_text(encoding="utf-8")))


@pytest.fixture(params=FOLDERS, ids=lambda folder: folder.name)
def zoo(request: pytest.FixtureRequest) -> Zoo:
    return opened(request.param)


def functions(group: GoroutineGroup) -> tuple[str, ...]:
    return tuple(normal_function(function) for function in group.stack.functions)


def members(found: Goroutines, exhibit: dict[str, Any], labels: bool = False) -> list[GoroutineGroup]:
    """Return the groups that belong to an exhibit."""
    wanted = normal_function(exhibit["function"])
    groups = [group for group in found.groups if wanted in functions(group)]
    if labels and exhibit.get("labels"):
        groups = [group for group in groups if dict(group.labels) == exhibit["labels"]]
    return groups


def check_exhibits(zoo: Zoo, name: str) -> None:
    """Compare the goroutines of a capture with the truth, as far as this kind of capture can say."""
    found = zoo.goroutines(name)
    profile = name.startswith("goroutine") and ".debug2" not in name
    says_labels = profile or zoo.go >= (1, 27)
    for exhibit in zoo.truth["exhibits"]:
        groups = members(found, exhibit, says_labels)
        count = exhibit["count"]
        if exhibit.get("labels") and not says_labels:
            count = sum(e["count"] for e in zoo.truth["exhibits"] if e["function"] == exhibit["function"])
        assert sum(group.count for group in groups) == count, exhibit
        states = {group.state for group in groups}
        if exhibit["state"] == "running":
            assert states <= {"running", "runnable", None}, exhibit
        elif ".debug1" in name or (profile and zoo.go < (1, 20)):  # runtime frames hidden; no lines of functions
            assert states <= {exhibit["state"], exhibit["state"].removesuffix(" (nil chan)"), None}, exhibit
        else:
            assert states == {exhibit["state"]}, exhibit


@pytest.mark.parametrize("name", ["goroutine.pb.gz", "goroutine.debug1.txt", "goroutine.debug2.txt", "stack.txt"])
def test_every_exhibit_is_found_in_its_state(zoo: Zoo, name: str) -> None:
    check_exhibits(zoo, name)
    assert zoo.goroutines(name).total == zoo.truth["goroutines"]
    assert zoo.goroutines(name).missing in (0, None)


def test_debug2_says_creators_parents_waits_and_threads(zoo: Zoo) -> None:
    found = zoo.goroutines("goroutine.debug2.txt")
    ids = {int(id) for group in found.groups for id in group.ids}
    assert len(ids) == found.total
    for exhibit in zoo.truth["exhibits"]:
        for group in members(found, exhibit):
            creator = normal_function(group.created_by.function) if group.created_by else None
            assert creator == (normal_function(exhibit["created_by"]) if "created_by" in exhibit else None)
            assert ("locked to thread" in group.marks) == exhibit.get("locked", False)
            # Before Go 1.21 hidden frames counted as well, and a stack that ended so was cut without a word.
            assert group.stack.truncated == (exhibit.get("elided", False) and zoo.go >= (1, 21))
            if zoo.go >= (1, 21) and creator and creator != "time.goFunc":  # which no goroutine calls
                assert all(parent > 0 for parent in group.parents.tolist())
            if exhibit["state"] != "running":
                assert set(group.waits.tolist()) == {zoo.truth["waited_minutes"] or -1}


def comparable(found: Goroutines, labels: bool) -> Counter[tuple[object, ...]]:
    counts: Counter[tuple[object, ...]] = Counter()
    for group in found.groups:
        if UNEQUAL.isdisjoint(functions(group)):
            places = tuple((normal_function(frame.function), frame.file, frame.line) for frame in group.stack.frames)
            counts[places, tuple(sorted(group.labels)) if labels else ()] += group.count
    return counts


def check_same_groups(zoo: Zoo) -> None:
    """Compare the three captures of the same goroutines with each other."""
    binary, text, dump = (
        zoo.goroutines(name) for name in ("goroutine.pb.gz", "goroutine.debug1.txt", "goroutine.debug2.txt")
    )
    assert comparable(binary, labels=True) == comparable(text, labels=True)
    labels = zoo.go >= (1, 27)
    assert comparable(binary, labels) == comparable(dump, labels)
    assert comparable(dump, True) == comparable(zoo.goroutines("stack.txt"), True)

    def states(found: Goroutines, nil_channels: bool = True) -> set[tuple[object, str]]:
        return {
            (functions(group), group.state if nil_channels else group.state.removesuffix(" (nil chan)"))
            for group in found.groups
            if group.state is not None and UNEQUAL.isdisjoint(functions(group))
        }

    # A nil channel is told by how far into runtime.chansend a goroutine got: since Go 1.20 profiles say where it begins.
    assert states(binary) == states(dump, nil_channels=zoo.go >= (1, 20))
    assert states(text) <= states(dump) | states(dump, nil_channels=False)


def test_the_same_goroutines_give_the_same_groups_in_every_format(zoo: Zoo) -> None:
    check_same_groups(zoo)


@pytest.mark.parametrize("name", ["goroutineleak.pb.gz", "goroutineleak.debug1.txt"])
def test_goroutineleak_profile_holds_the_leaked_only(zoo: Zoo, name: str) -> None:
    if not zoo.has(name):
        assert zoo.go < (1, 26)
        return
    assert zoo.reading(name).kind == "goroutineleak"
    found = zoo.goroutines(name)
    assert all(group.leaked for group in found.groups)
    leaked = [exhibit for exhibit in zoo.truth["exhibits"] if exhibit.get("leaked")]
    assert found.total == sum(exhibit["count"] for exhibit in leaked)
    for exhibit in leaked:
        assert sum(group.count for group in members(found, exhibit)) == exhibit["count"], exhibit


@pytest.mark.parametrize("name", ["goroutineleak.debug2.txt", "goroutine-after-leak.debug2.txt"])
def test_leaked_goroutines_are_marked_in_later_dumps(zoo: Zoo, name: str) -> None:
    if not zoo.has(name):
        assert zoo.go < (1, 26)
        return
    found = zoo.goroutines(name)
    assert found.total == zoo.truth["goroutines"]
    for exhibit in zoo.truth["exhibits"]:
        groups = members(found, exhibit)
        assert {group.leaked for group in groups} == {exhibit.get("leaked", False)}, exhibit
        if exhibit["state"] != "running":
            assert {group.state for group in groups} == {exhibit["state"]}, exhibit


def flat(profile: Profile) -> dict[str, Counter[str]]:
    """Return what each function holds by itself, for every sample type."""
    totals: dict[str, Counter[str]] = {}

    def leaf_of(names: tuple[str, ...]) -> str:
        # Go 1.26+ lists the allocator's own frames in the text form, and leaves them out of the protobuf.
        return normal_function(next((name for name in names if not name.startswith(("0x", "runtime."))), names[0]))

    leaves = [leaf_of(profile.stack(row).functions) for row in profile.stack_ids.tolist()]
    for kind, values in zip(profile.sample_types, profile.values, strict=True):
        totals[kind.type] = Counter()
        for leaf, value in zip(leaves, values.tolist(), strict=True):
            totals[kind.type][leaf] += value
    return totals


@pytest.mark.parametrize("name", ["heap.pb.gz", "heap.debug1.txt", "allocs.pb.gz", "allocs.debug1.txt"])
def test_heap_figures_are_exact(zoo: Zoo, name: str) -> None:
    reading = zoo.reading(name)
    assert reading.profile is not None
    if name.endswith(".pb.gz"):
        assert reading.kind == name.partition(".")[0]
        assert reading.format == "pprof"
        assert reading.profile.default_sample_type in ("", "alloc_space" if reading.kind == "allocs" else "inuse_space")
    else:
        assert reading.kind == "heap"
        assert reading.format == "heap-text"
    totals = flat(reading.profile)
    for hoard in zoo.truth["hoards"]:
        for measure in ("alloc_objects", "alloc_space", "inuse_objects", "inuse_space"):
            if hoard["alloc_objects"]:
                assert totals[measure][hoard["function"]] == hoard[measure], hoard


def test_text_and_protobuf_of_one_heap_are_scaled_alike(zoo: Zoo) -> None:
    if not zoo.has("sampled/heap.pb.gz"):
        assert zoo.folder.name.endswith("-cgo")
        return
    binary, text = zoo.reading("sampled/heap.pb.gz").profile, zoo.reading("sampled/heap.debug1.txt").profile
    assert binary is not None
    assert text is not None
    assert sum(flat(binary)["inuse_space"].values()) > 1 << 20
    assert flat(binary) == flat(text)


@pytest.mark.parametrize("name", ["heap.debug1.txt", "allocs.debug1.txt"])
def test_memstats_trailer(zoo: Zoo, name: str) -> None:
    stats = zoo.reading(name).memstats
    assert stats is not None
    before, after = zoo.truth["num_gc"]
    assert stats.num_gc is not None
    assert before <= stats.num_gc <= after
    assert stats.heap_sys is not None
    assert 0.9 * min(zoo.truth["heap_sys"]) <= stats.heap_sys <= 1.1 * max(zoo.truth["heap_sys"])
    assert stats.heap_alloc
    assert stats.next_gc
    assert stats.heap_alloc < stats.next_gc
    assert stats.last_gc is not None
    begun, ended = snapshots(zoo)
    assert begun - timedelta(minutes=2) <= stats.last_gc <= ended


def snapshots(zoo: Zoo) -> tuple[datetime, datetime]:
    # time.Time as JSON has nine digits after the second, one more than Python 3.11 reads.
    first, last = (
        datetime.fromisoformat(re.sub(r"\.\d+", "", zoo.truth[key])).astimezone(UTC) for key in ("begun", "ended")
    )
    return first, last + timedelta(seconds=1)


@pytest.mark.parametrize(
    ("name", "kind", "format"),
    [
        ("goroutine.pb.gz", "goroutine", "pprof"),
        ("goroutine.debug1.txt", "goroutine", "debug1"),
        ("goroutine.debug2.txt", "goroutine", "debug2"),
        ("stack.txt", "goroutine", "debug2"),
        ("threadcreate.pb.gz", "threadcreate", "pprof"),
        ("threadcreate.debug1.txt", "threadcreate", "debug1"),
        ("block.pb.gz", "block", "pprof"),
        ("block.debug1.txt", "block", "contention-text"),
        ("mutex.pb.gz", "mutex", "pprof"),
        ("mutex.debug1.txt", "mutex", "contention-text"),
        ("cpu.pb.gz", "cpu", "pprof"),
        ("trace.out", "trace", "trace"),
    ],
)
def test_kind_and_format_are_told_by_content(zoo: Zoo, name: str, kind: str, format: str) -> None:
    (reading,) = zoo.readings(name)
    assert (reading.kind, reading.format) == (kind, format)
    if format == "pprof" and kind != "threadcreate":
        begun, ended = snapshots(zoo)
        assert reading.taken_at is not None
        assert begun <= reading.taken_at <= ended


def test_contention_names_who_waited(zoo: Zoo) -> None:
    for name in ("block", "mutex"):
        binary, text = zoo.reading(f"{name}.pb.gz").profile, zoo.reading(f"{name}.debug1.txt").profile
        assert binary is not None
        assert text is not None
        for profile in (binary, text):
            seen = {
                normal_function(function)
                for row in set(profile.stack_ids.tolist())
                for function in profile.stack(row).functions
            }
            assert set(zoo.truth["contended"]) <= seen
        assert flat(binary)["contentions"] == flat(text)["contentions"]


def test_cpu_profile_was_spent_burning(zoo: Zoo) -> None:
    profile = zoo.reading("cpu.pb.gz").profile
    assert profile is not None
    spent = Counter[bool]()
    for row, value in zip(profile.stack_ids.tolist(), profile.values[-1].tolist(), strict=True):
        spent[not {zoo.truth["burning"], "main.spin"}.isdisjoint(profile.stack(row).functions)] += value
    assert spent[True] > spent[False]


def dumps(zoo: Zoo, name: str) -> Iterator[Goroutines]:
    for reading in zoo.readings(name):
        if found := goroutines(reading):
            yield found


@pytest.mark.parametrize("name", ["sigquit.all.txt", "sigquit.crash.txt", "ancestors.txt"])
def test_other_dumps_hold_the_same_exhibits(zoo: Zoo, name: str) -> None:
    if not zoo.has(name):
        assert zoo.folder.name.endswith("-cgo")
        return
    found = max(dumps(zoo, name), key=lambda found: found.total)
    for exhibit in zoo.truth["exhibits"]:
        if exhibit["function"] == "main.spin":
            continue  # on another thread its stack is not available, and `zoo stack` does not open it
        groups = members(found, exhibit)
        count = sum(e["count"] for e in zoo.truth["exhibits"] if e["function"] == exhibit["function"])
        # The program prints and waits for a signal as well.
        assert sum(group.count for group in groups) == count, exhibit
        assert {group.state for group in groups} == {exhibit["state"]}, exhibit
        if name == "ancestors.txt" and exhibit.get("created_by") == "main.openChannels":
            (ancestor, *_) = groups[0].ancestors
            assert [normal_function(function) for function in ancestor.functions][:2] == [
                "main.openChannels",
                "main.openGates",
            ]


@pytest.mark.parametrize(
    ("name", "reason", "function"),
    [
        ("panic.txt", "ledger is closed", "main.(*invoice).post"),
        ("repanic.txt", "ledger is closed", "main.guard.func"),
        ("segv.txt", "nil pointer dereference", "main.(*invoice).total"),
        ("deadlock.txt", "all goroutines are asleep", "main.awaitReply"),
        ("overflow.txt", "stack overflow", "main.bottomless"),
    ],
)
def test_crashes_are_dumps_with_a_reason(zoo: Zoo, name: str, reason: str, function: str) -> None:
    if not zoo.has(name):
        assert zoo.folder.name.endswith("-cgo")
        return
    (reading,) = (reading for reading in zoo.readings(name) if goroutines(reading))
    assert reason in reading.notes.get("reason", "")
    assert reading.goroutines is not None
    first = min((group for group in reading.goroutines.groups), key=lambda group: int(group.ids.min()))
    if name != "panic.txt":
        assert function in functions(first)
    else:
        assert any(function in functions(group) and group.state == "running" for group in reading.goroutines.groups)


def test_bubbles_of_synctest(zoo: Zoo) -> None:
    if not zoo.has("bubble.txt"):
        assert zoo.go < (1, 25)
        return
    found = zoo.goroutines("bubble.txt")
    waiting = [group for group in found.groups if "durable" in group.marks]
    assert {(group.state, group.count) for group in waiting} >= {("chan receive", 2), ("sleep", 1)}
    assert all(any(mark.startswith("synctest bubble") for mark in group.marks) for group in waiting)


def test_gzip_around_a_capture_changes_nothing_but_the_wrapping(zoo: Zoo) -> None:
    plain = parse(Capture("-", (zoo.folder / "goroutine.debug1.txt").read_bytes()))
    packed = parse(Capture("-", gzip.compress((zoo.folder / "goroutine.debug1.txt").read_bytes(), mtime=0)))
    assert [reading.wrapping for reading in packed] == [("gzip", *reading.wrapping) for reading in plain]
    assert [comparable(found, True) for r in plain if (found := goroutines(r))] == [
        comparable(found, True) for r in packed if (found := goroutines(r))
    ]


@pytest.mark.live
@pytest.mark.parametrize("version", [None, toolchain.NEWEST], ids=["installed", "newest"])
def test_live_process_gives_the_same_groups_in_every_format(version: str | None, tmp_path: Path) -> None:
    compiler = toolchain.need_go(version)
    language = ".".join(toolchain.version_of(compiler).split(".")[:2])
    source = stage(tmp_path, language)
    env = toolchain.environment() | {"CGO_ENABLED": "0"}
    program = tmp_path / "zoo.exe"
    subprocess.run([compiler, "build", "-o", program, "."], cwd=source, env=env, check=True)
    captures = tmp_path / "captures"
    captures.mkdir()
    subprocess.run([program, "profiles", captures], env=env, check=True, timeout=120)
    shutil.rmtree(source)
    live = opened(captures)
    for name in ("goroutine.pb.gz", "goroutine.debug1.txt", "goroutine.debug2.txt", "stack.txt"):
        check_exhibits(live, name)
    check_same_groups(live)

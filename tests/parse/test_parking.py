"""States and stacks of one process agree, whichever capture they came from."""

import gzip
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from oakum.model import Functions, Goroutines, LabelSets, Locations, Profile, Stack, Stacks, Strings, ValueType
from oakum.parse import pprof, stacks, text_profiles
from oakum.parse.parking import canonical_state, group_profile, settle, settled_rows
from support import need_shared
from toolchain import environment, need_go

TESTDATA = Path(__file__).parent / "testdata" / "stacks"
RELEASES = ("go1.21", "go1.24", "go1.26", "go1.27")
# What writes the profile is busy with it; recursion is cut at another depth in each format.
NOT_COMPARED = ("runtime/pprof.", "main.deep")


def _load(path: Path) -> Goroutines:
    data = path.read_bytes()
    if "debug2" in path.name:
        goroutines = stacks.read(data)[0].goroutines
        assert goroutines is not None
        return goroutines
    reading = pprof.read(gzip.decompress(data)) if "debug0" in path.name else text_profiles.read(data)[0]
    assert reading is not None
    assert reading.profile is not None
    return group_profile(reading.profile)


def _places(goroutines: Goroutines, *, state: bool) -> Counter[tuple[str, str | None]]:
    found: Counter[tuple[str, str | None]] = Counter()
    for group in goroutines.groups:
        if not group.stack.functions[0].startswith(NOT_COMPARED):
            found[group.stack.key, group.state if state else None] += group.count
    return found


def _agree(protobuf: Goroutines, text1: Goroutines, text2: Goroutines) -> None:
    assert protobuf.total == text1.total == text2.total
    assert _places(protobuf, state=True) == _places(text2, state=True)
    assert _places(protobuf, state=False) == _places(text1, state=False)
    told = {(key, state) for key, state in _places(text1, state=True) if state is not None}
    assert told <= set(_places(text2, state=True))


@pytest.mark.parametrize("release", RELEASES)
def test_the_three_formats_of_one_process_agree(release: str) -> None:
    folder = TESTDATA / release
    _agree(*(_load(folder / name) for name in ("debug0.pb.gz", "debug1.txt", "debug2.txt")))


@pytest.mark.parametrize("release", RELEASES)
def test_every_state_is_told_by_protobuf(release: str) -> None:
    states = Counter[str | None]()
    for group in _load(TESTDATA / release / "debug0.pb.gz").groups:
        states[group.state] += group.count
    assert states == {
        "chan send": 4, "chan send (nil chan)": 1, "chan receive": 6, "chan receive (nil chan)": 1, "select": 1,
        "select (no cases)": 1, "sleep": 1, "sync.Mutex.Lock": 3, "sync.RWMutex.RLock": 1, "sync.RWMutex.Lock": 2,
        "sync.WaitGroup.Wait": 1, "sync.Cond.Wait": 1, "IO wait": 2, "semacquire": 1, "syscall": 2, "running": 1,
    }  # fmt: skip


@pytest.mark.live
def test_a_process_of_today(tmp_path: Path) -> None:
    program = tmp_path / "states"
    env = environment() | {"GOFLAGS": "-buildvcs=false -trimpath"}
    subprocess.run([need_go(), "build", "-o", program, "."], cwd=TESTDATA / "states", env=env, check=True)
    subprocess.run([program, tmp_path], check=True, timeout=60)
    _agree(*(_load(tmp_path / name) for name in ("debug0.pb.gz", "debug1.txt", "debug2.txt")))


@pytest.mark.shared
@pytest.mark.parametrize("name", ["1.pprof.lookup.goroutine", "2.pprof.lookup.goroutine"])
def test_shared_triple(name: str) -> None:
    folder = need_shared() / "goroutine-triple"
    _agree(*(_load(folder / f"{name}.debug{n}.{end}") for n, end in ((0, "pb.gz"), (1, "txt"), (2, "txt"))))


@pytest.mark.parametrize("release", ["go1.26"])
def test_a_crash_dump_shows_the_same_stacks(release: str) -> None:
    crash = stacks.read((TESTDATA / release / "crash.txt").read_bytes())
    assert len(crash) == 1
    assert crash[0].goroutines is not None
    missing = _places(_load(TESTDATA / release / "debug2.txt"), state=True) - _places(crash[0].goroutines, state=True)
    assert not missing


def test_labels_of_a_protobuf() -> None:
    labelled = [group for group in _load(TESTDATA / "go1.26" / "debug0.pb.gz").groups if group.labels]
    assert [(g.count, g.labels, g.state) for g in labelled] == [
        (1, (("path", "/x"), ("tenant", 'a b "c"')), "chan receive")
    ]


def test_declared_total_of_debug1() -> None:
    goroutines = _load(TESTDATA / "go1.26" / "debug1.txt")
    assert (goroutines.declared, goroutines.missing) == (29, 0)


@pytest.mark.parametrize(
    ("functions", "header", "state", "parking"),
    [
        ("runtime.gopark runtime.chansend runtime.chansend1 main.f", None, "chan send", 3),
        ("runtime.gopark runtime.selectgo main.f", None, "select", 2),
        ("runtime.gopark runtime.block main.f", None, "select (no cases)", 2),
        ("main.f", None, None, 0),
        ("main.f", "chan receive (nil chan)", "chan receive (nil chan)", 0),
        # Before Go 1.20 every lock read semacquire; the stack names the primitive.
        ("sync.runtime_Semacquire sync.(*WaitGroup).Wait main.f", "semacquire", "sync.WaitGroup.Wait", 1),
        ("sync.runtime_SemacquireMutex sync.(*Mutex).lockSlow main.f", "semacquire", "sync.Mutex.Lock", 1),
        ("sync.runtime_SemacquireMutex sync.(*RWMutex).RLock main.f", "semacquire", "sync.RWMutex.RLock", 1),
        ("sync.runtime_Semacquire sync.(*RWMutex).Lock main.f", "semacquire", "sync.RWMutex.Lock", 1),
        ("sync.runtime_Syncsemacquire sync.(*Cond).Wait main.f", "semacquire", "sync.Cond.Wait", 1),
        ("internal/poll.runtime_Semacquire internal/poll.(*fdMutex).rwlock main.f", "semacquire", "semacquire", 1),
        # A writer that queues behind another one.
        (
            "internal/sync.runtime_SemacquireMutex internal/sync.(*Mutex).lockSlow internal/sync.(*Mutex).Lock "
            "sync.(*Mutex).Lock sync.(*RWMutex).Lock main.f",
            "sync.Mutex.Lock",
            "sync.RWMutex.Lock",
            1,
        ),
        # Woken from Cond.Wait, it waits for the mutex again.
        ("sync.runtime_SemacquireMutex sync.(*Mutex).Lock sync.(*Cond).Wait main.f", None, "sync.Mutex.Lock", 1),
        ("net.runtime_pollWait net.(*pollDesc).Wait main.f", None, "IO wait", 1),
        ("time.Sleep main.f", None, "sleep", 0),
        ("syscall.Syscall syscall.read main.f", None, "syscall", 0),
        ("internal/runtime/syscall.Syscall6 syscall.RawSyscall6 main.f", None, "syscall", 1),
        ("runtime.notetsleepg os/signal.signal_recv os/signal.loop", None, "syscall", 1),
        ("runtime.gopark runtime.goparkunlock runtime.forcegchelper", None, "force gc (idle)", 2),
        ("runtime.goexit", "syscall", "syscall", 0),
        ("0x47d86a 0x41421c main.f", None, None, 2),
        ("some.new.state", "weird state", "weird state", 0),
        ("", "running", "running", 0),
    ],
)
def test_canonical_state(functions: str, header: str | None, state: str | None, parking: int) -> None:
    assert canonical_state(functions.split(), header) == (state, parking)


def test_frames_that_debug2_hides_are_taken_off() -> None:
    functions = (
        "runtime.gopark runtime.chanrecv runtime.chanrecv1 main.init.0 runtime.doInit1 runtime.doInit runtime.main "
        "runtime.goexit"
    ).split()
    assert settled_rows(functions) == ("chan receive", [3])
    # Exported functions of the runtime are shown, and what `go f(x)` is wrapped in is not.
    functions = "runtime.gopark runtime.selectgo main.f runtime.Goexit main.g main.main.gowrap1 runtime.goexit".split()
    assert settled_rows(functions) == ("select", [2, 3, 4])
    assert settle([]) == (None, ())


def _profile(rows: list[list[int]], counts: list[int], names: list[str], kind: str = "goroutine") -> Profile:
    lengths = [len(row) for row in rows]
    size = len(names)
    return Profile(
        kind=kind,
        sample_types=(ValueType(kind, "count"),),
        values=np.array([counts], np.int64),
        stack_ids=np.arange(len(rows), dtype=np.int32),
        label_ids=np.zeros(len(rows), np.int32),
        stacks=Stacks(np.cumsum([0, *lengths], dtype=np.int64), np.array([at for row in rows for at in row], np.int32)),
        label_sets=LabelSets.none(),
        locations=Locations(
            address=np.arange(1, size + 1, dtype=np.uint64),
            mapping=np.full(size, -1, np.int32),
            folded=np.zeros(size, np.bool_),
            line_starts=np.arange(size + 1, dtype=np.int64),
            line_function=np.arange(size, dtype=np.int32),
            line_number=np.full(size, 7, np.int64),
        ),
        functions=Functions(
            name=np.arange(1, size + 1, dtype=np.int32),
            system_name=np.zeros(size, np.int32),
            file=np.zeros(size, np.int32),
            start_line=np.zeros(size, np.int64),
        ),
        strings=Strings.of(["", *names]),
    )


def test_equal_results_are_joined_and_ordered() -> None:
    names = ["runtime.gopark", "runtime.goparkunlock", "runtime.chanrecv", "main.f", "main.g"]
    profile = _profile([[4], [0, 2, 3], [0, 1, 2, 3], []], [2, 3, 4, 0], names)
    groups = group_profile(profile).groups
    assert [(g.count, g.state, g.stack.functions) for g in groups] == [
        (7, "chan receive", ("main.f",)),
        (2, None, ("main.g",)),
    ]


def test_goroutineleak_profiles_prove_the_leak() -> None:
    groups = group_profile(_profile([[0]], [3], ["main.f"], "goroutineleak")).groups
    assert [(g.count, g.leaked) for g in groups] == [(3, True)]


def test_a_stack_as_deep_as_go_keeps_lost_its_root() -> None:
    profile = _profile([list(range(32)), [0, 1]], [1, 1], [f"main.f{n}" for n in range(32)])
    assert [(len(g.stack.frames), g.stack.truncated) for g in group_profile(profile).groups] == [(32, True), (2, False)]
    deeper = _profile([list(range(33)), list(range(32))], [1, 1], [f"main.f{n}" for n in range(33)])
    assert not any(g.stack.truncated for g in group_profile(deeper).groups)


def test_no_samples() -> None:
    assert group_profile(_profile([], [], [])).groups == ()


def test_stacks_nobody_named_are_kept() -> None:
    profile = _profile([[0, 1]], [1], ["0x10", "0x20"])
    assert group_profile(profile).groups[0].stack == Stack(profile.stack(0).frames)

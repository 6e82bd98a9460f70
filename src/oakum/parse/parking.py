"""What a parked goroutine waits for, told by header and stack, and the stack without the frames that only park it.

Comes in: functions or frames, leaf first, of any goroutine format, and the header's state where there is one. Goes out:
the state as Go 1.20+ prints it and the frames that debug=2 would show. A state that nothing tells stays None.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from oakum.model import Frame, GoroutineGroup, Goroutines, Profile, Stack
from oakum.model.goroutine import CREATOR_LABEL, STATE_LABEL
from oakum.model.profile import Int64s
from oakum.parse.hidden_waits import Hidden, hidden_waits

# What a goroutine waits for, by the first of these functions met from the leaf on (protobuf keeps runtime frames).
_WAITS_IN = {
    function: state
    for state, functions in {
        "chan send": "runtime.chansend runtime.chansend1",
        "chan receive": "runtime.chanrecv runtime.chanrecv1 runtime.chanrecv2",
        "select": "runtime.selectgo runtime.selectgoImpl",
        "select (no cases)": "runtime.block",
        "IO wait": "runtime.netpollblock internal/poll.runtime_pollWait internal/poll.runtime_pollWaitCanceled "
        "net.runtime_pollWait net.runtime_pollWaitCanceled",
        "sleep": "runtime.timeSleep runtime.timeSleepUntil time.Sleep",
        "sync.Cond.Wait": "runtime.notifyListWait sync.runtime_notifyListWait sync.runtime_Syncsemacquire",
        "semacquire": "runtime.semacquire runtime.semacquire1",
        "coroutine": "runtime.coroswitch",
        "synctest.Run": "runtime.synctestRun internal/synctest.Run",
        "synctest.Wait": "runtime.synctestWait internal/synctest.Wait",
        "force gc (idle)": "runtime.forcegchelper",
        "GC sweep wait": "runtime.bgsweep",
        "GC scavenge wait": "runtime.bgscavenge runtime.(*scavengerState).park runtime.(*scavengerState).sleep",
        "GC worker (idle)": "runtime.gcBgMarkWorker",
        "GC assist wait": "runtime.gcParkAssist",
        "GOMAXPROCS updater (idle)": "runtime.updateMaxProcsGoroutine",
        "cleanup wait": "runtime.runCleanups",
        "finalizer wait": "runtime.runfinq runtime.runFinalizers",
        "timer goroutine (idle)": "runtime.timerproc",
        "trace reader (blocked)": "runtime.ReadTrace runtime.readTrace0",
        "syscall": "runtime.notetsleepg runtime.cgocall runtime.asmcgocall os/signal.signal_recv syscall.Syscall "
        "syscall.Syscall6 syscall.Syscall9 syscall.SyscallN syscall.RawSyscall syscall.RawSyscall6 syscall.syscall "
        "syscall.syscall6 syscall.syscallPtr syscall.rawSyscall internal/runtime/syscall.Syscall6 "
        "internal/runtime/syscall/linux.Syscall6 runtime/internal/syscall.Syscall6",
        "running": "runtime.goroutineProfileWithLabels runtime.goroutineProfileWithLabelsConcurrent runtime.Stack "
        "runtime.GoroutineProfile runtime/pprof.runtime_goroutineProfileWithLabels pprof_goroutineProfileWithLabels "
        "runtime/pprof.pprof_goroutineProfileWithLabels runtime/pprof.writeGoroutineStacks "
        "runtime/pprof.writeRuntimeProfile",
        "runnable": "runtime.Gosched runtime.goschedguarded runtime.asyncPreempt runtime.asyncPreempt2",
    }.items()
    for function in functions.split()
}

# Semaphores serve several primitives; the frames that follow name which. The last of an unbroken run counts: a writer
# queueing for RWMutex.w stands in `sync.(*Mutex).Lock <- sync.(*RWMutex).Lock`.
_PRIMITIVES = {
    "sync.(*Mutex).Lock": "sync.Mutex.Lock",
    "sync.(*Mutex).lockSlow": "sync.Mutex.Lock",
    "internal/sync.(*Mutex).Lock": "sync.Mutex.Lock",  # Go 1.24+
    "internal/sync.(*Mutex).lockSlow": "sync.Mutex.Lock",
    "sync.(*RWMutex).Lock": "sync.RWMutex.Lock",
    "sync.(*RWMutex).RLock": "sync.RWMutex.RLock",
    "sync.(*WaitGroup).Wait": "sync.WaitGroup.Wait",
    "sync.runtime_SemacquireMutex": "sync.Mutex.Lock",
    "internal/sync.runtime_SemacquireMutex": "sync.Mutex.Lock",
    "sync.runtime_SemacquireRWMutex": "sync.RWMutex.Lock",
    "sync.runtime_SemacquireRWMutexR": "sync.RWMutex.RLock",
    "sync.runtime_SemacquireWaitGroup": "sync.WaitGroup.Wait",
}

# Header states that the stack may name better: before Go 1.20 every lock read `semacquire`, and a write lock on an
# RWMutex reads `sync.Mutex.Lock` while it queues behind another writer.
_LOCK_STATES = frozenset(
    {"semacquire", "sync.Mutex.Lock", "sync.RWMutex.Lock", "sync.RWMutex.RLock", "sync.WaitGroup.Wait", "waiting"}
)

# sync.runtime_SemacquireMutex   internal/poll.runtime_pollWait   net.runtime_pollWait (before Go 1.7)
_LINKNAMED = re.compile(r"^[\w/]+\.runtime_\w+$")
# runtime.Gosched   runtime.(*Frames).Next   (debug=2 shows exported runtime functions only)
_EXPORTED = re.compile(r"^runtime\.(?:\(\*[A-Z]\w*\)\.|[A-Z]\w*\.)?[A-Z]\w*$")
# main.main.gowrap1   (what `go f(x)` compiles to since Go 1.22; only GOTRACEBACK=system and crash print it)
_WRAPPER = re.compile(r"\.gowrap\d+$")
# 0x47d86a   (an address that nobody named)
_ADDRESS = re.compile(r"^(?:0x[0-9a-f]+|<unknown>)$")
_SHOWN = frozenset({"runtime.gopanic", "runtime.runFinalizers", "runtime.runCleanups"})
_WAITS_OF_ANYONE = frozenset(
    {"chan send", "chan receive", "select", "select (no cases)", "IO wait", "sleep", "sync.Cond.Wait", "semacquire"}
)
_MECHANICS = frozenset({"runtime.gopark", "runtime.goparkunlock", "runtime.mcall", "runtime.park_m"}) | {
    function for function, state in _WAITS_IN.items() if state in _WAITS_OF_ANYONE
}
_CHANNEL_ENTRIES = ("runtime.chansend", "runtime.chanrecv")
# Where main.(*T).Run-fm and promoted methods stand: wrappers that only GOTRACEBACK=system and crash print.
_COMPILED = "<autogenerated>"
_ROOTS = ("runtime.goexit", "runtime.main")


@lru_cache(maxsize=65536)
def _in_runtime(function: str) -> bool:
    return function.startswith(("runtime.", "internal/runtime/", "runtime/internal/")) or function == "panic"


@lru_cache(maxsize=65536)
def _parks(function: str) -> bool:
    return _in_runtime(function) or _LINKNAMED.match(function) is not None


@lru_cache(maxsize=65536)
def _shown(function: str) -> bool:
    return not function.startswith("runtime.") or function in _SHOWN or _EXPORTED.match(function) is not None


def _told_by(functions: Sequence[str]) -> str | None:
    for row, function in enumerate(functions):
        state = _WAITS_IN.get(function)
        if state is None and ".runtime_Semacquire" in function:
            state = "semacquire"
        if state == "semacquire":
            for holder in functions[row:]:
                named = _PRIMITIVES.get(holder)
                if named is not None:
                    state = named
                elif not _parks(holder):
                    break
        if state is not None:
            return state
        if not _parks(function):
            return None
    return None


def canonical_state(functions: Sequence[str], header: str | None = None) -> tuple[str | None, int]:
    """Return the state of a goroutine and how many of its leading frames only park it.

    `functions` is leaf first; `header` is the state as a header printed it, None for formats without one.
    """
    parking = 0
    while parking < len(functions) and (_parks(functions[parking]) or _ADDRESS.match(functions[parking])):
        parking += 1
    if parking == len(functions):  # a goroutine of the runtime itself: nothing else would be left
        parking = 0
        while parking < len(functions) - 1 and functions[parking] in _MECHANICS:
            parking += 1
    if header is not None and header not in _LOCK_STATES:
        return header, parking
    told = _told_by([f for f in functions[: parking + 8] if not _ADDRESS.match(f)])
    if header is None or (told is not None and told != "semacquire"):
        return told, parking
    return header, parking


def settled_rows(functions: Sequence[str], header: str | None = None) -> tuple[str | None, list[int]]:
    """Return the state and the rows of the frames that debug=2 shows: none that park, no hidden runtime frames."""
    state, parking = canonical_state(functions, header)
    rows = range(parking, len(functions))
    shown = [row for row in rows if _shown(functions[row])]
    while len(shown) > 1 and _WRAPPER.search(functions[shown[-1]]):
        shown.pop()
    return state, shown or [row for row in rows if functions[row] not in _ROOTS] or list(rows)


def written_rows(frames: Sequence[Frame], header: str | None = None) -> tuple[str | None, list[int]]:
    """Return the state and the rows of the frames that debug=2 shows and that somebody wrote."""
    state, rows = settled_rows([frame.function for frame in frames], header)
    return state, [row for row in rows if frames[row].file != _COMPILED] or rows


def settle(frames: Sequence[Frame], header: str | None = None) -> tuple[str | None, tuple[Frame, ...]]:
    """Return the state and the frames that debug=2 shows."""
    state, rows = written_rows(frames, header)
    return state, tuple(frames[row] for row in rows)


def ordered(groups: list[GoroutineGroup]) -> tuple[GoroutineGroup, ...]:
    """Return the groups, most members first; equal ones keep their order."""
    return tuple(sorted(groups, key=lambda group: -group.count))


class _Shape(Struct, frozen=True):
    state: str | None
    stack: Stack
    labels: tuple[tuple[str, str], ...] = ()
    created_by: Frame | None = None

    def labelled(self, labels: tuple[tuple[str, str], ...]) -> "_Shape":
        """Return the shape with these labels; state and creator of a text dump come back from theirs."""
        told = dict(labels)
        creator = told.get(CREATOR_LABEL)
        return replace(
            self,
            state=self.state or told.get(STATE_LABEL),
            created_by=Frame(creator) if creator else None,
            labels=tuple(label for label in labels if label[0] not in (STATE_LABEL, CREATOR_LABEL)),
        )


def group_profile(profile: Profile) -> Goroutines:
    """Return the goroutines of a goroutine or goroutineleak profile, grouped by stack, state and labels."""
    column = next((i for i, kind in enumerate(profile.sample_types) if kind.type == profile.kind), 0)
    counts = profile.values[column] if len(profile.values) else np.zeros(0, np.int64)
    pairs = profile.stack_ids.astype(np.int64) * len(profile.label_sets) + profile.label_ids
    distinct, first, member = np.unique(pairs, return_index=True, return_inverse=True)
    totals: Int64s = np.zeros(len(distinct), np.int64)
    np.add.at(totals, member, counts)

    reader = _ProfileStacks(profile)
    found: dict[_Shape, int] = {}
    for at in np.argsort(first, kind="stable").tolist():
        row, labels = divmod(int(distinct[at]), len(profile.label_sets))
        shape = reader.shape(row).labelled(_labels(profile, labels)) if labels else reader.shape(row)
        found[shape] = found.get(shape, 0) + int(totals[at])
    leaked = profile.kind == "goroutineleak"
    groups = [
        GoroutineGroup(shape.stack, count, shape.state, shape.created_by, shape.labels, leaked)
        for shape, count in found.items()
        if count > 0
    ]
    declared = profile.extra.get("declared")
    return Goroutines(
        groups=ordered(groups),
        declared=declared if isinstance(declared, int) else None,
        cut=profile.extra.get("cut") is True,
    )


class _ProfileStacks:
    """State and stack of each row of the stack table; a row, and rows of equal locations, are looked at once."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._rows: dict[int, _Shape] = {}
        self._known: dict[bytes, _Shape] = {}
        self._frames: dict[int, tuple[Frame, ...]] = {}
        self._nil_channels: set[int] = set()
        depths = np.diff(profile.stacks.starts)
        self._deepest = int(depths.max()) if len(depths) else 0
        hides = profile.extra.get("hidden_leaves") is True
        rows = range(len(profile.stacks)) if hides else ()
        self._waits = hidden_waits(self._hidden(profile.stacks[row].tolist()) for row in rows)

    def _hidden(self, locations: list[int]) -> tuple[Hidden, str]:
        """Return the leading locations that have no name, and the name that follows them."""
        hidden: list[int] = []
        for location in locations:
            function = self._of(location)[0].function
            if not _ADDRESS.match(function):
                return tuple(hidden), function
            hidden.append(int(self._profile.locations.address[location]))
        return (), ""

    def _of(self, location: int) -> tuple[Frame, ...]:
        frames = self._frames.get(location)
        if frames is None:
            frames = self._frames[location] = tuple(self._profile.frames(location))
            if frames[0].function in _CHANNEL_ENTRIES and self._waits_early(location):
                self._nil_channels.add(location)
        return frames

    def shape(self, row: int) -> _Shape:
        """Return state and stack of one row, without labels."""
        shape = self._rows.get(row)
        if shape is None:
            locations = self._profile.stacks[row]
            key = locations.tobytes()
            shape = self._known.get(key)
            if shape is None:
                shape = self._known[key] = self._read(locations.tolist())
            self._rows[row] = shape
        return shape

    def _read(self, locations: list[int]) -> _Shape:
        frames = [frame for location in locations for frame in self._of(location)]
        state, kept = settle(_named(frames))
        if state is None and self._waits:
            state = self._waits.get(self._hidden(locations)[0])
        if state in ("chan send", "chan receive") and not self._nil_channels.isdisjoint(locations[:3]):
            state += " (nil chan)"
        # Go keeps 32 frames a goroutine, 128 since Go 1.23: a stack that is exactly so deep lost its root.
        truncated = len(frames) >= 128 or len(locations) == self._deepest == 32
        return _Shape(state, Stack(kept, truncated))

    def _waits_early(self, location: int) -> bool:
        # runtime.chansend and chanrecv look for nil in their first lines and park a hundred lines later otherwise.
        locations = self._profile.locations
        row = int(locations.line_starts[location])
        start = int(self._profile.functions.start_line[int(locations.line_function[row])])
        return start > 0 and 0 < int(locations.line_number[row]) - start < 30


def _named(frames: list[Frame]) -> list[Frame]:
    # debug=1 prints the addresses of the runtime frames that it hides; a stack nobody named at all is kept.
    named = [frame for frame in frames if not _ADDRESS.match(frame.function)]
    return [Frame("panic", f.file, f.line) if f.function == "runtime.gopanic" else f for f in named] or frames


def _labels(profile: Profile, row: int) -> tuple[tuple[str, str], ...]:
    return tuple(
        (label.key, label.text if label.text or not label.number else f"{label.number}{label.unit}")
        for label in profile.labels(row)
    )

"""Goroutines of one snapshot -> actors: single goroutines where the text tells them apart, else whole groups.

Comes in: `Goroutines` and which groups may be stuck. Goes out: for each actor the lock it waits for and the words that
its stack carries. Large groups are read by sample: members of one group differ in nothing but words and ids.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from msgspec import Struct, field

from oakum.model import Frame, GoroutineGroup, Goroutines
from oakum.model.frame import split_function
from oakum.model.goroutine import NO_INT64S
from oakum.model.profile import Int64s, unique_values
from oakum.model.words import Call, calls, matched, numbers

Kind = Literal["mutex", "read", "write", "queued"]  # queued: behind a writer that itself waits for readers or a holder

WAITGROUP = "sync.WaitGroup.Wait"
COND = "sync.Cond.Wait"
_KINDS: dict[str, Kind] = {
    "sync.Mutex.Lock": "mutex",
    "sync.RWMutex.Lock": "write",
    "sync.RWMutex.RLock": "read",
    "semacquire": "mutex",  # what remains of it is the lock of a file descriptor: internal/poll.(*fdMutex).rwlock
}
# Frames between the wait and the code that asked for the lock.
_LOCKS = frozenset({"*Mutex", "*RWMutex", "*rlocker", "*fdMutex", "*FD.writeLock", "*FD.readLock"})
_SYNC = frozenset({"sync", "internal/sync", "runtime", "internal/poll", "sync/atomic"})
# net/http.(*connReader).lock: does nothing but lock for its caller.
_HELPERS = frozenset({"lock", "rlock", "wlock", "readlock", "writelock"})
_LOCK_WORD = frozenset({"lockSlow", "Lock", "RLock", "rwlock"})

# A lock stands this near behind the beginning of the object that it guards, at most.
LARGEST_OBJECT = 4096
_SAMPLE = 64
# Members of a group that waits for several locks: every one may hold what another wants.
_WIDER_SAMPLE = 512
# All reading together: 0.1 ms each.
_READS = 1500


class TypeName(NamedTuple):
    """The type whose method a frame is; of plain functions the function that it is, or is a closure of."""

    package: str
    name: str


class Want(Struct, frozen=True):
    """The lock that a goroutine waits for, as far as its stack names it."""

    kind: Kind
    row: int  # of the frame that asked for it
    frame: Frame
    type: TypeName  # that has the lock
    place: str
    word: int | None = None  # the address of the lock
    owner: int | None = None  # the address of the object that it belongs to


class Actor(Struct, eq=False):
    """Goroutines of one group that do the same: one of them, or those that were not distinguished."""

    group: int
    of: GoroutineGroup
    count: int
    suspicious: bool
    rows: Int64s = field(default_factory=lambda: NO_INT64S)
    want: Want | None = None
    text: bytes | memoryview = b""  # of one that was told apart, as the dump prints it
    like: tuple["Actor", ...] = ()  # of those that were not: the members of the group that were
    _calls: tuple[Call, ...] | None = None
    _waited: int | None = None

    @property
    def calls(self) -> tuple[Call, ...]:
        """Return one call a frame, () when no words are known. Most goroutines are never asked: read when they are."""
        if self._calls is None:
            if self.like:
                self._calls = tuple(_common(column) for column in zip(*(one.calls for one in self.like), strict=True))
            else:
                self._calls = matched(calls(self.text), self.of.stack) if self.text else ()
        return self._calls

    @property
    def printed(self) -> set[bytes]:
        """Return the numbers that its text prints, in hexadecimal: the words of its calls, and some more."""
        return numbers((self.like[0] if self.like else self).text)

    @property
    def waited(self) -> int | None:
        """Return the longest waiting time in minutes that a header names."""
        if self._waited is None:
            waits = self.of.waits[self.rows] if len(self.rows) and len(self.of.waits) else self.of.waits
            self._waited = max(-1, int(waits.max())) if len(waits) else -1
        return self._waited if self._waited >= 0 else None

    @property
    def frames(self) -> tuple[Frame, ...]:
        """Return the frames, leaf first."""
        return self.of.stack.frames

    @property
    def state(self) -> str | None:
        """Return the state."""
        return self.of.state

    @property
    def oldest(self) -> int:
        """Return the lowest goroutine id, 0 when there are none."""
        return int(self.of.ids[self.rows].min()) if len(self.rows) and len(self.of.ids) else 0


@lru_cache(maxsize=65536)
def type_of(function: str) -> TypeName:
    """Return the type whose method a function is."""
    package, receiver, name = split_function(function)
    package = package.rpartition("/vendor/")[2]
    return TypeName(package, receiver.lstrip("*") if receiver else f"{name.partition('.')[0]}()")


def place_of(frames: tuple[Frame, ...], row: int) -> tuple[TypeName, str]:
    """Return the type whose lock a frame takes, and the name of the place; those of a Once are its user's."""
    frame = frames[row]
    if frame.package != "sync":
        return type_of(frame.function), frame.function
    user = next((frame.function for frame in frames[row:] if frame.package != "sync"), "")
    return TypeName("sync", f"Once in {user}"), f"{frame.function} in {user}"


def is_method(frame: Frame) -> bool:
    """Tell whether the first word is the address of the object: a method with a pointer receiver, and no closure."""
    return frame.receiver.startswith("*") and "." not in frame.name


def lock_kind(group: GoroutineGroup) -> Kind | None:
    """Return what kind of lock a group waits for; None when it waits for none."""
    kind = _KINDS.get(group.state or "")
    if kind == "write" and any(frame.receiver == "*Mutex" for frame in group.stack.frames[:4]):
        return "queued"
    if group.state == "semacquire" and not any(frame.receiver == "*fdMutex" for frame in group.stack.frames[:4]):
        return None
    return kind


def asked_at(frames: tuple[Frame, ...]) -> int:
    """Return the row of the frame that asked for the lock."""
    for row, frame in enumerate(frames):
        receiver = frame.receiver
        if frame.package in _SYNC and (
            not receiver or receiver in _LOCKS or f"{receiver}.{frame.name}" in _LOCKS or frame.package == "runtime"
        ):
            continue
        if frame.name.lower() in _HELPERS and row + 1 < len(frames) and frames[row + 1].package == frame.package:
            continue
        return row
    return max(0, len(frames) - 1)


def _wanting(kind: Kind | None, actor: Actor) -> Actor:
    """Return the actor with the lock that it waits for, if it waits for one."""
    if kind:
        actor.want = _want(kind, actor.frames, actor.calls)
    return actor


def _want(kind: Kind, frames: tuple[Frame, ...], found: tuple[Call, ...]) -> Want:
    row = asked_at(frames)
    frame = frames[row] if frames else Frame("")
    word = None
    for call, lock in zip(found[:row], frames[:row], strict=False):
        if lock.name in _LOCK_WORD and call.receiver is not None:
            word = call.receiver
    kept, place = place_of(frames, row) if frames else (TypeName("", ""), "")
    return Want(kind, row, frame, kept, place, word, _owner(frames, found, row, word) if found else None)


def _owner(frames: tuple[Frame, ...], found: tuple[Call, ...], row: int, word: int | None) -> int | None:
    # The receiver of the method that locks; of a function, the nearest of its arguments that begins before the lock.
    if is_method(frames[row]) and found[row].receiver is not None:
        own = found[row].receiver
        return own if own is not None and (word is None or 0 <= word - own < LARGEST_OBJECT) else None
    if word is not None:
        below = [address for address in found[row].addresses if 0 <= word - address < LARGEST_OBJECT]
        return max(below, default=None)
    # Neither is printed: the method stands in others of its type, which mostly have the same object.
    for at in range(row + 1, min(row + 4, len(frames))):
        if is_method(frames[at]) and type_of(frames[at].function) == type_of(frames[row].function):
            return found[at].receiver
    return None


def read(goroutines: Goroutines, suspicious: Callable[[int], bool]) -> list[Actor]:
    """Return the actors: first those that wait for a lock and may be stuck, then whoever may hold one."""
    reader = _Reader(goroutines)
    actors: list[Actor] = []
    waiting = [index for index, group in enumerate(goroutines.groups) if suspicious(index) and lock_kind(group)]
    # The few matter most: among them are the roots.
    for index in sorted(waiting, key=lambda index: goroutines.groups[index].count):
        actors.extend(reader.actors(index, suspicious=True))
    if not actors:
        return []
    # Whoever stands in the same code may hold the lock; of the others the few are read first, too.
    packages = {actor.want.frame.package for actor in actors if actor.want}
    others = set(range(len(goroutines.groups))) - set(waiting)

    def far(index: int) -> tuple[bool, int, int]:
        group = goroutines.groups[index]
        return packages.isdisjoint(group.stack.packages), group.count, index

    for index in sorted(others, key=far):
        actors.extend(reader.actors(index, suspicious=suspicious(index)))
    return actors


class _Reader:
    def __init__(self, goroutines: Goroutines) -> None:
        self._goroutines = goroutines
        self._left = _READS if len(goroutines.text) else 0

    def actors(self, index: int, suspicious: bool) -> Iterator[Actor]:
        group = self._goroutines.groups[index]
        kind = lock_kind(group)
        told = len(group.spans) == group.count and self._left > 0
        rows = _sample(group, _SAMPLE) if told else NO_INT64S
        found = self._read(index, group, rows, kind, suspicious)
        if kind and len({one.want.word for one in found if one.want}) > 1 and group.count > len(rows):
            more = np.setdiff1d(_sample(group, _WIDER_SAMPLE), rows)
            found += self._read(index, group, more, kind, suspicious)
        yield from found
        if len(found) < group.count:
            yield _rest(index, group, kind, found, suspicious)

    def _read(
        self, index: int, group: GoroutineGroup, rows: Int64s, kind: Kind | None, suspicious: bool
    ) -> list[Actor]:
        found = []
        rows = rows[: max(0, self._left)]
        self._left -= len(rows)
        for at, (start, end) in enumerate(group.spans[rows].tolist()):
            text = self._goroutines.text[start:end]
            found.append(_wanting(kind, Actor(index, group, 1, suspicious, rows[at : at + 1], text=text)))
        return found


def _sample(group: GoroutineGroup, most: int) -> Int64s:
    if group.count <= most:
        return np.arange(group.count, dtype=np.int64)
    # The oldest came first and may hold what the others want; the rest are spread over all.
    by_age = np.argsort(group.ids, kind="stable") if len(group.ids) == group.count else np.arange(group.count)
    spread = np.linspace(0, group.count - 1, most - most // 2).astype(np.int64)
    return unique_values(np.concatenate([by_age[: most // 2], by_age[spread]])).astype(np.int64)


def _rest(index: int, group: GoroutineGroup, kind: Kind | None, read: list[Actor], suspicious: bool) -> Actor:
    """Return the members that were not read: they carry what all that were read have in common."""
    rows = NO_INT64S
    if len(group.ids) == group.count:
        known = np.concatenate([one.rows for one in read]) if read else NO_INT64S
        rows = np.setdiff1d(np.arange(group.count, dtype=np.int64), known)
    return _wanting(kind, Actor(index, group, group.count - len(read), suspicious, rows, like=tuple(read)))


def _common(column: tuple[Call, ...]) -> Call:
    first = column[0]
    if all(call.words == first.words for call in column[1:]):
        return first
    words = zip(*(call.words for call in column), strict=False)
    return Call(first.function, tuple(word[0] if len(set(word)) == 1 else None for word in words))

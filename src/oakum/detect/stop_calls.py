"""Goroutines that stop or close an object -> those of the same object that they wait for.

Comes in: groups that may be stuck. Goes out: for those that wait in a Close, Stop, Wait or the like of an object who
works for the object and cannot end. Same object: the same certain receiver word; where none is printed, the same type.
"""

import re
from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

from oakum.detect.lock_actors import COND, WAITGROUP, TypeName, asked_at, is_method, type_of
from oakum.model import Frame, GoroutineGroup, Goroutines
from oakum.model.words import calls, matched

# What a method is called that returns when the work of its object has ended.
_STOPS = frozenset(
    "close destroy disconnect drain finish flush halt join quit shut shutdown stop teardown terminate".split()
)
_HOW = frozenset("do force forced graceful gracefully hard must soft try".split())
# "GracefulStop" -> Graceful, Stop
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# In these the stopping one waits, in those the working one cannot go on.
_WAITING = frozenset({WAITGROUP, COND, "chan receive", "select"})
_STUCK = ("chan send", "chan receive", "sync.Mutex", "sync.RWMutex", COND, WAITGROUP)
# The stopping method may wait within a few others: (*Server).Close -> (*Group).Wait -> (*WaitGroup).Wait
_DEPTH = 4
# Members read of one group, and of all.
_SAMPLE, _READS = 64, 512


class Stop(NamedTuple):
    """Members of a group wait for one of another. `rows`: () when all do, as far as the capture tells."""

    group: int
    rows: tuple[int, ...]
    target: int
    row: int
    certain: bool  # both carry the same object


def stops(goroutines: Goroutines, stuck: Callable[[int], bool]) -> list[Stop]:
    """Return who waits in a stopping method, and for whom."""
    groups = goroutines.groups
    able = [index for index in range(len(groups)) if stuck(index)]
    waiting = {index: row for index in able if (row := _stopping(groups[index])) is not None}
    working: dict[TypeName, list[int]] = defaultdict(list)
    for index in able if waiting else ():
        if index not in waiting and (groups[index].state or "").startswith(_STUCK):
            for one in {type_of(frame.function) for frame in groups[index].stack.frames if is_method(frame)}:
                working[one].append(index)
    reader = _Reader(goroutines)
    found: list[Stop] = []
    for index, row in waiting.items():
        kept = type_of(groups[index].stack.frames[row].function)
        others = sorted(working.get(kept, ()), key=lambda other: (-hardness(groups[other]), groups[other].count))
        if others:
            found += _same_object(index, others, kept, reader)
    return found


def _same_object(index: int, others: list[int], kept: TypeName, reader: "_Reader") -> list[Stop]:
    mine = reader.objects(index, kept)
    at: dict[int, tuple[int, int]] = {}
    unknown = None
    for other in others:
        words = reader.objects(other, kept)
        for word, rows in words.items():
            at.setdefault(word, (other, rows[0]))
        if not words and unknown is None:
            unknown = other
    found = [Stop(index, tuple(rows), *at[word], True) for word, rows in mine.items() if word in at]
    target = others[0] if not mine else unknown
    if not found and target is not None:  # no word tells the objects apart
        found.append(Stop(index, (), target, 0, certain=False))
    return found


def hardness(group: GoroutineGroup) -> int:
    """Return how surely a group's state is what keeps those waiting that wait for its end."""
    state = group.state or ""
    if state.startswith(("chan send", "sync.Mutex", "sync.RWMutex")):
        return 3
    if state == COND:
        return 2
    return 0 if state == WAITGROUP else 1


def _stopping(group: GoroutineGroup) -> int | None:
    """Return the row of the method that stops its object, when a group waits in one."""
    if group.state not in _WAITING:
        return None
    frames = group.stack.frames
    first = asked_at(frames)
    for row in range(first, min(first + _DEPTH, len(frames))):
        if is_method(frames[row]) and frames[row].package != "sync" and _stops(frames[row]):
            return row
    return None


def _stops(frame: Frame) -> bool:
    if frame.name.lower() == "wait":
        return True
    parts = [part.lower() for part in _PART.findall(frame.name)]
    return bool(parts) and (parts[0] in _STOPS or (parts[0] in _HOW and parts[-1] in _STOPS))


class _Reader:
    def __init__(self, goroutines: Goroutines) -> None:
        self._goroutines = goroutines
        self._left = _READS if len(goroutines.text) else 0
        self._known: dict[tuple[int, TypeName], dict[int, list[int]]] = {}

    def objects(self, index: int, kept: TypeName) -> dict[int, list[int]]:
        """Return the objects of a type whose methods a group's members are in: address -> rows."""
        found = self._known.get((index, kept))
        if found is None:
            found = self._known[(index, kept)] = self._read(index, kept)
        return found

    def _read(self, index: int, kept: TypeName) -> dict[int, list[int]]:
        group = self._goroutines.groups[index]
        many = min(len(group.spans), _SAMPLE, self._left)
        self._left -= many
        found: dict[int, list[int]] = defaultdict(list)
        frames = group.stack.frames
        for row in range(many):
            start, end = group.spans[row].tolist()
            words = matched(calls(self._goroutines.text[start:end]), group.stack)
            receivers = (
                call.receiver
                for call, frame in zip(words, frames, strict=True)
                if is_method(frame) and type_of(frame.function) == kept
            )
            word = next((word for word in receivers if word is not None), None)
            if word is not None:
                found[word].append(row)
        return found

"""Actors that wait for a lock -> the locks, each with its waiters, its address and the object that it belongs to.

Comes in: actors with the words of their stacks. Goes out: one `Lock` for each word; where none is printed, for each
object; where neither is, for each type that has one. What the waiters of one lock print serves the others of its type.
"""

from collections import defaultdict
from collections.abc import Iterable

from msgspec import Struct, field

from oakum.detect.lock_actors import Actor, TypeName, Want
from oakum.model.words import Call

# Callers of the code that asks for a lock: helpers that lock for others stand no deeper.
_CALLERS = 3


class Lock(Struct, eq=False):
    """One lock and all who wait for it."""

    type: TypeName  # of the first who asked for it
    types: set[TypeName] = field(default_factory=set)  # of all who asked
    words: set[int] = field(default_factory=set)  # its own address
    owners: set[int] = field(default_factory=set)  # the address of the object it belongs to
    waiters: list[Actor] = field(default_factory=list)
    asked: dict[str, int] = field(default_factory=dict)  # place -> the first line where somebody waits for it
    alike: list[dict[str, int]] = field(default_factory=list)  # the same of other locks of its types
    led: dict[str, int] = field(default_factory=dict)  # function -> the first line from which a waiter went on to ask
    through: set[int] = field(default_factory=set)  # the objects of those functions

    def add(self, actor: Actor, want: Want) -> None:
        """Add one who waits for it."""
        self.waiters.append(actor)
        if want.word is not None:
            self.words.add(want.word)
        if want.owner is not None:
            self.owners.add(want.owner)
        self.types.add(want.type)
        self.asked[want.place] = min(want.frame.line, self.asked.get(want.place, want.frame.line))
        for row in range(want.row + 1, min(want.row + 1 + _CALLERS, len(actor.frames))):
            frame = actor.frames[row]
            if frame.package == want.frame.package:
                self.led[frame.function] = min(frame.line, self.led.get(frame.function, frame.line))
                receiver = actor.calls[row].receiver if actor.calls else None
                self.through |= {receiver} if receiver is not None else set()

    def line(self, place: str, sure: bool) -> int | None:
        """Return the line of a place where it is taken, by what its own waiters or those of its like show.

        `sure`: the frame carries it. Else others of its type tell nothing where several types ask for it: one of them
        has it, and takes another lock of its own where the others take this one.
        """
        if place in self.asked:
            return self.asked[place]
        if not sure and len(self.types) > 1 and self.words:
            return None
        return min((lines[place] for lines in self.alike if place in lines), default=None)

    def carried_by(self, call: Call) -> bool:
        """Tell whether one of its addresses is among the words of a call."""
        if self.words.isdisjoint(call.words) and self.owners.isdisjoint(call.words):  # nearly all: no set is made
            return False
        return not self.addresses.isdisjoint(call.addresses)

    @property
    def shape(self) -> object:
        """Return what it has in common with other locks that are asked for by the same code."""
        lines = (*sorted(self.asked.items()), ("", 0), *sorted(self.led.items()))
        return frozenset(self.types), lines, bool(self.words), bool(self.addresses)

    @property
    def addresses(self) -> set[int]:
        """Return every word by which a stack may carry it."""
        return self.words | self.owners

    @property
    def name(self) -> str:
        """Return how to call it: the type that has it, and its address where a stack prints one."""
        place = ".".join(self.type)
        return f"{place}, {min(self.words or self.owners):#x}" if self.addresses else place


def locks_of(waiting: Iterable[Actor]) -> list[Lock]:
    """Return the locks, each with its waiters: by its word, else by its object, else by the type that has it."""
    by_word: dict[int, Lock] = {}
    by_owner: dict[tuple[TypeName, int], list[Lock]] = defaultdict(list)
    by_place: dict[tuple[str, int], list[Lock]] = defaultdict(list)
    wordless: list[tuple[Actor, Want]] = []
    for actor in waiting:
        want = actor.want
        assert want is not None
        if want.word is None:
            wordless.append((actor, want))
            continue
        lock = by_word.get(want.word)
        if lock is None:
            lock = by_word[want.word] = Lock(want.type)
        lock.add(actor, want)
        if want.owner is not None and lock not in by_owner[(want.type, want.owner)]:
            by_owner[(want.type, want.owner)].append(lock)
        if lock not in by_place[(want.frame.function, want.frame.line)]:
            by_place[(want.frame.function, want.frame.line)].append(lock)
    others: list[Lock] = []
    by_type: dict[TypeName, list[Lock]] = defaultdict(list)
    for lock in by_word.values():
        by_type[lock.type].append(lock)
    for actor, want in sorted(wordless, key=lambda one: one[1].owner is None):
        kind = want.type
        place = by_place.get((want.frame.function, want.frame.line), [])
        if want.owner is not None:
            same = by_owner[(kind, want.owner)]
            lock = same[0] if len(same) == 1 else next((one for one in same if one in place), None)
            if lock is None:
                lock = Lock(kind)
                others.append(lock)
                same.append(lock)
                by_type[kind].append(lock)
        elif place:  # a member of a large group that was not read, or an inlined call: where most of its kind wait
            lock = max(place, key=lambda one: sum(waiter.count for waiter in one.waiters))
        elif len(by_type[kind]) == 1:
            lock = by_type[kind][0]
        else:
            lock = Lock(kind)
            others.append(lock)
            by_type[kind] = [lock]
        lock.add(actor, want)
        if lock not in by_place[(want.frame.function, want.frame.line)]:
            by_place[(want.frame.function, want.frame.line)].append(lock)
    found = [*by_word.values(), *others]
    _learn_owners(found)
    _share_lines(found)
    return found


def _share_lines(locks: list[Lock]) -> None:
    """Let each lock know where others of its types are taken: code that takes one of them takes them all there."""
    lines: dict[TypeName, dict[str, int]] = defaultdict(dict)
    for lock in locks:
        for one in lock.types:
            for place, line in lock.asked.items():
                lines[one][place] = min(line, lines[one].get(place, line))
    for lock in locks:
        lock.alike = [lines[one] for one in lock.types]


def _learn_owners(locks: list[Lock]) -> None:
    """Give locks their objects where other locks of the type tell at which offset the type has its lock."""
    offsets: dict[TypeName, set[int]] = defaultdict(set)
    for lock in locks:
        offsets[lock.type] |= {word - owner for word in lock.words for owner in lock.owners}
    for lock in locks:
        if lock.words and not lock.owners and len(offsets[lock.type]) == 1:
            lock.owners |= {word - offset for word in lock.words for offset in offsets[lock.type]}

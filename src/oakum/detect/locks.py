"""Actors -> who waits for whom because of a lock: the same word, the likely holder, locked twice, pending writers.

Comes in: actors of one snapshot with the words of their stacks. Goes out: for each goroutine that waits for a lock the
one it waits for, itself when it locked twice, nobody when no stack can hold the lock. Without words the shape tells.
One module: who holds a lock and who waits for it are found through each other.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from msgspec import Struct

from oakum.detect.lock_actors import COND, LARGEST_OBJECT, Actor, TypeName, asked_at, is_method, place_of, type_of
from oakum.detect.lock_table import Lock, locks_of
from oakum.model import Frame, Text
from oakum.model.vocabulary import LOCK_FREE_STATES, RUNNING_STATES, SOFT_STATES
from oakum.model.words import LOWEST_ADDRESS

Proof = Literal["passed", "carried", "shape", "called", "package"]
# "holder": it waits for who has the lock. "twice": for itself, "reads-again": for the writer that waits for it.
# "writer": behind a writer that waits itself. "nobody": no stack can hold the lock.
Part = Literal["holder", "twice", "reads-again", "writer", "nobody"]

# States of loops that serve for ever; in a bare receive a goroutine may be stuck as well.
_IDLE: frozenset[str | None] = LOCK_FREE_STATES - SOFT_STATES | {None}
# How surely a stack holds a lock. Having passed the line where others wait tells most; a word tells which object.
_PASSED, _CARRIED, _SHAPE, _PACKAGE, _ELSEWHERE = 4.0, 2.0, 1.0, 0.0, 1.0
_LOOPS, _DEEPER = 3.0, 1.0
_ENOUGH = 2.0
# Candidates that are looked at for one lock; the few come first.
_MOST_CANDIDATES = 256
# Frames that are held against locks by their shape, in all: half a second. Where thousands of locks are each asked for
# by code of their own, the last are judged by their words alone.
_MOST_FRAMES = 150_000


class Held(NamedTuple):
    """How surely an actor holds a lock, and which of its frames tells."""

    score: float
    proof: Proof
    frame: Frame


class Wait(Struct, frozen=True, eq=False):
    """One actor waits for another because of a lock; for itself when it locked twice, for nobody when none holds it."""

    waiter: Actor
    holder: Actor | None
    lock: Lock
    part: Part
    certain: bool
    text: Text


def waits(actors: Iterable[Actor]) -> list[Wait]:
    """Return what all who are at a lock wait for, when one of them may be stuck: who came last tells of it, too."""
    everyone = list(actors)
    asking = [actor for actor in everyone if actor.want]
    if not any(actor.suspicious for actor in asking):
        return []
    locks = locks_of(asking)
    index = _Index(everyone, locks)
    return [wait for lock in locks for wait in _of_lock(lock, index)]


class _Row(NamedTuple):
    """What one frame of a group is, whichever goroutine stands in it."""

    function: str
    package: str
    is_method: bool
    type: TypeName
    place: str


def _row(frames: tuple[Frame, ...], row: int) -> _Row:
    frame = frames[row]
    if frame.package == "sync":  # the place is that of its user
        return _Row(frame.function, frame.package, is_method(frame), *place_of(frames, row))
    return _own_row(frame.function)


@lru_cache(maxsize=65536)
def _own_row(function: str) -> _Row:
    frame = Frame(function)
    return _Row(function, frame.package, is_method(frame), *place_of((frame,), 0))


def _places(lock: Lock) -> Iterator[str]:
    """Yield the places where locks of its types are taken; where a type has very many, its own are found by type."""
    return (place for lines in lock.alike if len(lines) < _MOST_CANDIDATES for place in lines)


class _Index:
    """Actors by what may tell that they hold one of the locks, so that not every lock is compared with every stack.

    Actors have no equality: they are kept by their identity, each once.
    """

    def __init__(self, actors: list[Actor], locks: list[Lock]) -> None:
        self._by_address: dict[int, dict[int, Actor]] = defaultdict(dict)
        self._by_function: dict[str, dict[int, Actor]] = defaultdict(dict)
        # Frames that do not print their object: they may be of any object of these types, and of this package.
        self._without_object: dict[TypeName | str, dict[int, Actor]] = defaultdict(dict)
        self._frames_left = _MOST_FRAMES
        self._alike: dict[object, list[tuple[Held, Actor]]] = {}  # by the shape of a lock
        objects = self._read_frames(actors, locks)
        for lock in locks:
            _find_owner(lock, objects)
        self._read_words(actors, locks)

    def _read_frames(self, actors: list[Actor], locks: list[Lock]) -> "dict[TypeName, _Objects]":
        """Note who stands in code that a lock is looked for in; return the objects of the types that have a lock."""
        functions = {function for lock in locks for function in lock.led}
        types = {one for lock in locks for one in lock.types}
        names = {*types, *(one.package for one in types), *(place for lock in locks for place in _places(lock))}
        addresses: dict[TypeName, set[int]] = defaultdict(set)  # of the objects of a type that are printed
        rows_of: dict[int, list[tuple[int, _Row]]] = {}  # by group: its members differ in their words alone
        for actor in actors:
            if actor.group not in rows_of:
                rows = [_row(actor.frames, at) for at in range(len(actor.frames))]
                rows_of[actor.group] = [
                    (at, row)
                    for at, row in enumerate(rows)
                    if row.function in functions or not names.isdisjoint((row.type, row.place, row.package))
                ]
            first = actor.want.row + 1 if actor.want else 0  # who waits in Lock holds nothing above that call
            for at, row in rows_of[actor.group]:
                if at < first:
                    continue
                self._by_function[row.function][id(actor)] = actor
                call = actor.calls[at] if row.is_method and actor.calls else None
                if call is not None and (receiver := call.receiver) is not None:
                    addresses[row.type].add(receiver)
                else:
                    for name in (row.type, row.place, row.package):
                        self._without_object[name][id(actor)] = actor
        return {one: _Objects(sorted(words)) for one, words in addresses.items()}

    def _read_words(self, actors: list[Actor], locks: list[Lock]) -> None:
        """Note who carries the address of a lock. Few do: of the others no word is read."""
        wanted = {address for lock in locks for address in lock.addresses if address >= LOWEST_ADDRESS}
        printed = {b"%x" % address for address in wanted}
        for actor in actors:
            if printed.isdisjoint(actor.printed):
                continue
            first = actor.want.row + 1 if actor.want else 0
            for call in actor.calls[first:]:
                for word in wanted.intersection(call.words):
                    self._by_address[word][id(actor)] = actor

    def holders(self, lock: Lock) -> Iterator[tuple[Held, Actor]]:
        """Return who may hold a lock, its waiters among them: who carries its address, and who has the shape for it."""
        carrying: dict[int, Actor] = {}
        for address in lock.addresses:
            carrying |= self._by_address.get(address, {})
        for actor in sorted(carrying.values(), key=lambda actor: actor.count)[:_MOST_CANDIDATES]:
            held = _holds(actor, lock, own=False)
            if held is not None:
                yield held, actor
        # All that does not carry the address is the same for every lock that is asked for at the same lines.
        shape = lock.shape
        alike = self._alike.get(shape)
        if alike is None:
            alike = self._alike[shape] = []
            for actor in self._near(lock) if self._frames_left > 0 else ():
                self._frames_left -= len(actor.frames)
                held = _holds(actor, lock, own=False, carries=False)
                if held is not None:
                    alike.append((held, actor))
        for held, actor in alike:
            if id(actor) not in carrying and not (held.proof == "called" and _elsewhere(actor, held.frame, lock)):
                yield held, actor

    def _near(self, lock: Lock) -> list[Actor]:
        """Return who stands in code that may hold a lock, and prints no address of another one."""
        found: dict[int, Actor] = {}
        names: set[TypeName | str] = {*lock.types, *_places(lock), *(one.package for one in lock.types)}
        for name in sorted(names, key=str):  # in one order, since only so many are looked at
            found |= self._without_object.get(name, {})
        for function in lock.led:
            found |= self._by_function.get(function, {})
        return sorted(found.values(), key=lambda actor: actor.count)[:_MOST_CANDIDATES]


class _Objects:
    """The objects of one type, by their addresses."""

    def __init__(self, addresses: list[int]) -> None:
        self._addresses = addresses
        # No object is larger than the least distance between two of them.
        apart = min((after - before for before, after in pairwise(addresses)), default=LARGEST_OBJECT)
        self._largest = min(apart, LARGEST_OBJECT)

    def around(self, word: int) -> int | None:
        """Return the object in which a word lies: the nearest that begins before it."""
        at = bisect_right(self._addresses, word)
        return self._addresses[at - 1] if at and word - self._addresses[at - 1] < self._largest else None


def _find_owner(lock: Lock, objects: dict[TypeName, _Objects]) -> None:
    """Find the object of a lock whose waiters do not print it."""
    if not lock.owners and len(lock.words) == 1 and lock.type in objects:
        owner = objects[lock.type].around(min(lock.words))
        lock.owners |= {owner} if owner is not None else set()


def _elsewhere(actor: Actor, frame: Frame, lock: Lock) -> bool:
    """Tell whether a frame surely is a method of another object than the one through which others went to the lock."""
    word = actor.calls[actor.frames.index(frame)].receiver if actor.calls and is_method(frame) else None
    return word is not None and bool(lock.through) and word not in lock.through


def _of_lock(lock: Lock, index: _Index) -> list[Wait]:
    waiting = set(map(id, lock.waiters))
    longest = max((waited for actor in lock.waiters if (waited := actor.waited) is not None), default=0)
    others = [
        (held, actor)
        for held, actor in index.holders(lock)
        if id(actor) not in waiting and not _restarted(actor, longest)
    ]
    again = [(held, actor) for actor in lock.waiters if (held := _holds(actor, lock, own=True))]
    pending = next((actor for actor in lock.waiters if actor.want and actor.want.kind == "write"), None)
    holder, held = _choose(lock, others, again, pending)
    found = []
    for actor in lock.waiters:
        kind = actor.want.kind if actor.want else "mutex"
        if actor is holder and kind == "read" and pending is not None:
            found.append(_wait(actor, pending, lock, held, "reads-again"))
        elif actor is holder:
            found.append(_wait(actor, actor, lock, held, "twice"))
        elif pending is not None and actor is not pending and kind in ("read", "queued"):
            found.append(_wait(actor, pending, lock, None, "writer"))
        else:
            found.append(_wait(actor, holder, lock, held, "holder" if holder else "nobody"))
    return found


def _choose(
    lock: Lock, others: list[tuple[Held, Actor]], again: list[tuple[Held, Actor]], pending: Actor | None
) -> tuple[Actor | None, Held | None]:
    """Return the likeliest holder, and how surely it is one."""
    likely = [one for one in others if one[0].score >= _ENOUGH]
    best = max(likely, key=_rank, default=None)
    twice = _locked_twice(lock, again, pending)
    own = max(twice, key=_rank, default=None)
    if own is not None and (best is None or own[0].score > best[0].score):
        return own[1], own[0]
    if best is not None:
        # A mutex has one holder: when several idle goroutines could be it alike, none of them is told.
        alike = sum(one[1].count for one in likely if _rank(one)[:2] >= _rank(best)[:2])
        sure = best[1].state not in LOCK_FREE_STATES or best[0].score > _PASSED
        if alike == 1 or sure or pending is not None:
            return best[1], best[0]
        return None, None
    return _last_resort(lock, others)


def _rank(one: tuple[Held, Actor]) -> tuple[float, int, int, int]:
    held, actor = one
    # One that stands alone at its place is likelier than any of several that stand alike.
    return held.score, -actor.of.count, state_rank(actor), -actor.oldest


def _last_resort(lock: Lock, others: list[tuple[Held, Actor]]) -> tuple[Actor | None, Held | None]:
    """Return the one goroutine that is left when nobody fits well: of the object, else of the same package.

    It has to be the only one, not at rest in a loop, and not waiting since long before anybody waited for the lock.
    """
    waiting = [(held, actor) for held, actor in others if actor.want is None]
    called = [one for one in waiting if one[0].proof == "called"]
    near = called or [one for one in waiting if one[0].proof != "package"]
    left = near or [one for one in waiting if one[1].state not in _IDLE]
    if len(left) != 1:
        return None, None
    held, actor = left[0]
    longest = max((waited for one in lock.waiters if (waited := one.waited) is not None), default=None)
    if longest is not None and (actor.waited or 0) > longest + 2:
        return None, None
    if actor.count > 1 or not (actor.suspicious or called) or actor.state in _IDLE:
        return None, None
    return actor, Held(_ENOUGH, "shape", held.frame)


def _locked_twice(lock: Lock, again: list[tuple[Held, Actor]], pending: Actor | None) -> list[tuple[Held, Actor]]:
    """Return those that may wait for themselves. Where all have that shape, one method merely calls another."""
    sure = [one for one in again if one[0].proof == "passed"]
    if sure:
        return sure
    back = [one for one in again if _came_back(*one)]
    if len(back) == 1 and back[0][1].count == 1:
        return back
    readers = [one for one in again if one[1].want is not None and one[1].want.kind == "read"]
    if readers and pending is not None:
        return readers
    at: dict[Frame, int] = defaultdict(int)
    for actor in lock.waiters:
        if actor.want is not None:
            at[actor.want.frame] += actor.count
    return [one for one in again if one[1].want is not None and at[one[1].want.frame] == 1]


def _came_back(held: Held, actor: Actor) -> bool:
    """Tell whether a method of the type called code of another package, which came back to it for the lock.

    Who wrote a callback does not see which lock it is called under; within a package nobody is that blind.
    """
    start = actor.want.row if actor.want else 0
    way = [frame for frame in actor.frames[start : actor.frames.index(held.frame)] if frame.owner != "stdlib"]
    return any(frame.package != held.frame.package for frame in way)


def _holds(actor: Actor, lock: Lock, own: bool, carries: bool = True) -> Held | None:
    """Return how surely an actor's stack holds a lock; None when nothing speaks for it.

    `own`: it waits for the lock, too. `carries`: it may carry the address of the lock.
    """
    if actor.state in RUNNING_STATES:
        return None
    if actor.state == COND and type_of(actor.frames[asked_at(actor.frames)].function) in lock.types:
        return None  # Wait has released the lock of its own condition
    best: Held | None = None
    nearest = -1
    for row in range(actor.want.row + 1 if actor.want else 0, len(actor.frames)):
        told = _frame_holds(actor, row, lock, own, carries)
        if told is None:
            continue
        nearest = row if nearest < 0 else nearest
        if best is None or told.score > best.score:
            best = told
    if best is None or own:
        return best
    score = best.score + _ELSEWHERE
    last = len(actor.frames) - 1
    proof = best.proof
    if actor.state in LOCK_FREE_STATES and (nearest == last or type_of(actor.frames[last].function) in lock.types):
        # The object's own goroutine in its loop: it comes by the lock all day and rests without it. Less so when it
        # waits in what the loop called.
        deeper = nearest < last or (proof == "passed" and actor.of.place != actor.frames[last])
        score -= _DEEPER if deeper else _LOOPS
        proof = proof if deeper or proof in ("called", "package") else "shape"
    if best.proof in ("shape", "package") and actor.count > 1:
        score -= _SHAPE
    if (
        best.proof == "shape"
        and not actor.calls
        and sum(type_of(frame.function) in lock.types for frame in actor.frames) > 1
    ):
        score += _SHAPE  # without words: one method of the type took the lock, and called another
    return Held(score, proof, best.frame)


def _frame_holds(actor: Actor, row: int, lock: Lock, own: bool, carries: bool) -> Held | None:
    """Return what one frame tells of holding a lock."""
    frame = actor.frames[row]
    call = actor.calls[row] if actor.calls else None
    carried = carries and call is not None and lock.carried_by(call)
    told = _row(actor.frames, row)
    alike = told.type in lock.types
    taken = lock.line(told.place, carried)
    passed = taken is not None and frame.line > taken
    led = lock.led.get(frame.function)
    if led is not None and frame.line < led and not passed:
        return None  # it has yet to come to the line from which others went on to ask for the lock
    certain = call is not None and told.is_method and call.receiver is not None
    if led is not None and frame.line > led and actor.want is None and not (alike or passed or carried):
        # Others still are in what it has left: acquire(key) locks for its caller.
        return Held(_PACKAGE, "called", frame)
    if not carried and certain and (lock.words or lock.owners):
        return None  # another object of the type
    if own and not alike and not passed:
        return None  # who calls a method has its object in hand, and not its lock
    if passed:
        return Held(_PASSED + (_CARRIED if carried else _SHAPE), "passed", frame)
    if carried:
        return Held(_CARRIED, "carried", frame)
    if alike:
        # Of two that wait in methods of one type for different locks, each has its own object in hand.
        rival = actor.want is not None and not own and actor.want.type in lock.types
        return None if rival and lock.words else Held(_SHAPE, "shape", frame)
    if actor.suspicious and actor.want is None and any(told.package == one.package for one in lock.types):
        return Held(_PACKAGE, "package", frame)
    return None


def _restarted(actor: Actor, longest: int) -> bool:
    """Tell whether it began to wait long after others did for the lock: who held it would have been stuck first."""
    return longest >= 3 and (actor.waited or 0) < longest - 2


def state_rank(actor: Actor) -> int:
    """Return how likely a state is a root's: waiting elsewhere, send, Cond or write lock, lock, receive, WaitGroup."""
    if actor.want is not None:
        return 3 if actor.want.kind in ("write", "queued") else 2
    state = actor.state or ""
    if state.startswith("chan send"):
        return 5
    if state == COND:
        return 4
    if state.startswith("chan receive"):
        return 1
    return 0 if state == "sync.WaitGroup.Wait" else 6


def _wait(waiter: Actor, holder: Actor | None, lock: Lock, held: Held | None, part: Part) -> Wait:
    named = bool(lock.addresses)
    # That one method stands below another of its object tells little; that it stands past the line tells all.
    sure = held is not None and held.proof == ("passed" if part == "twice" else held.proof) and held.proof != "shape"
    certain = named and (part == "writer" or sure)
    key = (
        f"locks.holder.{held.proof if held.proof in ('passed', 'carried') else 'shape'}"
        if part == "holder" and held
        else f"locks.{part}"
    )
    args = {"lock": lock.name, "function": held.frame.function if held else ""}
    return Wait(waiter, holder, lock, part, certain, Text(key, args))

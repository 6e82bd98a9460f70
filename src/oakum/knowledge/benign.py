"""Goroutines that live long by design: where they rest, how many there should be, and what it means when they grow.

Comes in: benign/*.toml, one fact a file, and groups of goroutines. Goes out: the entry that a group is of, and whether
it rests as the entry says. Does not count: whether there are too many of a kind is for the caller to decide.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache

from msgspec import Struct, convert

from oakum.knowledge.globs import glob, is_glob
from oakum.knowledge.written import Facts, names, texts
from oakum.model import Frame, GoroutineGroup, normal_function
from oakum.model.vocabulary import Mechanism

# A program may wrap its connections and listeners (TLS, metering, keep-alive): who waits below one of these methods
# waits for the network, whoever wrote the wrapper.
_WRAPPED = frozenset({"Read", "Accept"})


class Pattern(Struct, frozen=True, forbid_unknown_fields=True):
    """Which goroutines a fact is about. All names as `normal_function` gives them, a star standing for anything."""

    functions: tuple[str, ...]  # any frame; () when only the creator tells
    states: tuple[str, ...]  # in which it rests, as Go 1.20+ prints them
    leaf: tuple[str, ...] = ()  # where it stands while it rests; (): wherever its own code waits
    created: tuple[str, ...] = ()  # who started it; a capture that does not say is no contradiction
    through: tuple[str, ...] = ()  # code of others that it may be waiting in
    without: tuple[str, ...] = ()  # frames that make it something else
    generic: bool = False  # a helper that many packages use: any other entry that fits goes first


class Count(Struct, frozen=True, forbid_unknown_fields=True):
    """How many there are in a healthy process."""

    per: str
    expected: str
    relation: str


class InChinese(Struct, frozen=True, forbid_unknown_fields=True):
    """What an entry says on a Chinese page."""

    summary: str
    relation: str


class Benign(Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of goroutine that is meant to wait."""

    id: str
    summary: str
    area: str
    module: str
    match: Pattern
    count: Count
    zh: InChinese
    if_it_grows: str
    verified: bool  # read in the source of the module, or seen in a real dump
    symptom: Mechanism | None = None  # the mechanism that growth without bound points to
    since: str | None = None  # first and last release of Go that has it
    until: str | None = None


class Example(Struct, frozen=True, forbid_unknown_fields=True):
    """A goroutine as debug=2 prints it, and whether it is one of the entry's at rest."""

    matches: bool
    dump: str


class Match(Struct, frozen=True):
    """The entry that a group is of, and whether it rests as the entry says: None when the capture cannot say."""

    entry: Benign
    resting: bool | None


class Catalogue(Facts[Benign, Example]):
    """All entries, found by the names of a group's frames; a file is taken apart when a frame has one of its names."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        super().__init__(texts, lambda table: convert(table, Benign), Example)
        named = {id_: names(text, "functions") for id_, text in texts.items()}
        made_by = {id_: names(text, "created") for id_, text in texts.items() if not named[id_]}
        self._named = _index(((name, id_) for id_ in named for name in named[id_]), self.entry)
        self._made_by = _index(((name, id_) for id_ in made_by for name in made_by[id_]), self.entry)

    def match(self, group: GoroutineGroup) -> Match | None:
        """Return the entry that a group is of, the one nearest to the leaf; None when the catalogue knows none."""
        creator = group.created_by.function if group.created_by else None
        generic = None
        for row, frame in enumerate(group.stack.frames):
            for entry in self._named(frame.function):
                if _fits(entry.match, group, row, creator):
                    if not entry.match.generic:
                        return Match(entry, _rests(entry.match, group))
                    generic = generic or entry
        if creator is not None:
            for entry in self._made_by(creator):
                if _fits(entry.match, group, len(group.stack.frames), creator):
                    return Match(entry, _rests(entry.match, group))
        return Match(generic, _rests(generic.match, group)) if generic else None


def _fits(pattern: Pattern, group: GoroutineGroup, row: int, creator: str | None) -> bool:
    frames = group.stack.frames
    if creator is not None and pattern.created and not _any(pattern.created, creator):
        return False
    if pattern.without and any(_any(pattern.without, frame.function) for frame in frames):
        return False
    # Whatever a kind calls back is not its own: a handler that blocks inside a server's loop is the handler's matter.
    return all(_passes(pattern, frame, frames[row] if row < len(frames) else None) for frame in frames[:row])


def _passes(pattern: Pattern, frame: Frame, named: Frame | None) -> bool:
    if frame.owner in ("runtime", "stdlib") or (frame.receiver and frame.name in _WRAPPED):
        return True
    if named is not None and frame.package == named.package:
        return True
    return _any((*pattern.through, *pattern.leaf), frame.function)


def _rests(pattern: Pattern, group: GoroutineGroup) -> bool | None:
    place = group.place
    if place is not None and place.receiver == "*pollDesc":  # stood in package net before Go 1.9
        place = next((frame for frame in group.stack.frames if frame.receiver != "*pollDesc"), place)
    if pattern.leaf and (place is None or not _any(pattern.leaf, place.function)):
        return False
    return None if group.state is None else group.state in pattern.states


def _any(patterns: tuple[str, ...], function: str) -> bool:
    name = normal_function(function)
    return any(name == pattern or ("*" in pattern and glob(pattern)(name)) for pattern in patterns)


def _index(named: Iterable[tuple[str, str]], entry_of: Callable[[str], Benign]) -> Callable[[str], tuple[Benign, ...]]:
    """Return a function from a name as Go prints it to the entries that name it, alone or by a glob."""
    exact: dict[str, list[str]] = {}
    globs: dict[str, list[tuple[str, str]]] = {}  # by what follows the last dot, where no glob has a star
    for pattern, id_ in named:
        if is_glob(pattern):
            globs.setdefault(pattern.rpartition(".")[2], []).append((pattern, id_))
        else:
            exact.setdefault(pattern, []).append(id_)

    @lru_cache(maxsize=65536)
    def entries(function: str) -> tuple[Benign, ...]:
        name = normal_function(function)
        found = exact.get(name, [])
        for pattern, id_ in globs.get(name.rpartition(".")[2], ()):
            if id_ not in found and glob(pattern)(name):
                found = [*found, id_]
        return tuple(map(entry_of, found))

    return entries


@cache
def benign() -> Catalogue:
    """Return the catalogue of goroutines that live long by design."""
    return Catalogue(texts("benign"))


def examples(entry: Benign) -> tuple[Example, ...]:
    """Return the examples of an entry: what it must match and what it must not."""
    return benign().examples(entry.id)

"""Heap profiles of several snapshots, perhaps of a healthy baseline -> HeapGrowth: live and allocated bytes by stack.

Stacks of all profiles get common rows by a hash over their frames, computed in numpy: no object a sample. Only the rows
that hold or gained most are decoded into frames. What the profiler itself allocates is left out.
"""

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct

from oakum.model import Profile, Stack, normal_function
from oakum.model.heap_growth import Floats, HeapGrowth
from oakum.model.profile import Bools, Int64s, UInt64s, unique_values

# Enough for every path that could be told to a person; the rest stays in the totals. Of each profile more are looked
# at: what is left out of one snapshot and not of another is then too small to look like growth.
_MOST_ROWS = 1000
_MOST_STACKS = 8000
# Taking a profile allocates; its own buffers are no property of the program.
_OBSERVER = (b"runtime/pprof.", b"net/http/pprof.")
# Go samples an object every 512 KiB unless MemProfileRate says otherwise.
_USUAL_PERIOD = 512 << 10


class _Table(Struct, frozen=True, eq=False):
    """One profile, one row for each distinct stack that holds much, and the totals of all."""

    keys: UInt64s
    space: Floats
    objects: Floats
    samples: Floats
    noise: Floats
    allocated: Floats
    churn: Floats
    decode: Callable[[Int64s], list[Stack]]
    total: float
    total_allocated: float


_Keys = tuple[UInt64s, Int64s, Int64s]  # each word once, in order; the first stack that has it; the row of each stack


class _Names:
    """Numbers for frames, the same in every profile; a profile's frames are looked at once each, not once a sample."""

    def __init__(self, lines: bool) -> None:
        self._lines = lines
        self._functions: dict[bytes, int] = {b"": 0}
        self._numbers: dict[int, int] = {}  # of a function and a line in it, packed
        self._normal: dict[bytes, bytes] = {}  # as it stood in a profile -> what survives a rebuild
        self.latest: tuple[Profile, Int64s, _Keys] | None = None  # the last profile, its stacks and their words

    def of(self, profile: Profile, wanted: Int64s) -> UInt64s:
        """Return a random-looking word for each of these locations."""
        functions, strings, locations = profile.functions, profile.strings, profile.locations
        starts, ends = locations.line_starts[wanted], locations.line_starts[wanted + 1]
        lengths = ends - starts
        begin = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
        within = np.arange(begin[-1]) - np.repeat(begin[:-1], lengths)
        lines = np.repeat(starts, lengths) + within
        called = locations.line_function[lines]
        present = unique_values(called[called >= 0])
        number_of = np.zeros(len(functions) + 1, np.int64)  # the last stands for a line without a function: -1
        known, raws = self._functions, strings.raws(functions.name[present])
        number_of[present] = [
            known.setdefault(raw, len(known)) for raw in (raws if self._lines else map(self._normalized, raws))
        ]
        packed = number_of[called] << 32
        if self._lines:
            packed |= locations.line_number[lines] & 0xFFFFFFFF
        numbers = self._numbers
        rows = [numbers.setdefault(one, len(numbers) + 1) for one in packed.tolist()]
        # A location may hold inlined calls: its word depends on all of them, in order.
        words = _runs(_scramble(np.array(rows, np.uint64)) * _scramble(within.astype(np.uint64) + np.uint64(7)), begin)
        # An address that nobody has named differs from every other one.
        return np.where(lengths == 0, _scramble(locations.address[wanted] ^ np.uint64(1 << 63)), words)

    def _normalized(self, raw: bytes) -> bytes:
        """Return what another build calls it, too."""
        if raw not in self._normal:
            self._normal[raw] = normal_function(raw.decode("utf-8", "replace")).encode()
        return self._normal[raw]


def _observer(profile: Profile) -> Bools:
    """Return which stacks are the profiler's own."""
    strings, functions, locations = profile.strings, profile.functions, profile.locations
    of_observer = np.zeros(len(strings), np.bool_)
    of_observer[strings.starting_with(*_OBSERVER)] = True
    own = of_observer[functions.name]
    if not own.any():
        return np.zeros(len(profile.stacks), np.bool_)
    lines = own[locations.line_function] & (locations.line_function >= 0)
    there = _runs(lines.astype(np.uint64), locations.line_starts) > 0
    return _runs(there[profile.stacks.locations].astype(np.uint64), profile.stacks.starts) > 0


def _scramble(values: UInt64s) -> UInt64s:
    """Return words that look random (splitmix64), so that sums of them tell stacks apart."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31)) | np.uint64(1)


def _runs(values: UInt64s, starts: Int64s) -> UInt64s:
    """Return the sum of each run of values; an empty run is 0."""
    sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(values, dtype=np.uint64)))
    return sums[starts[1:]] - sums[starts[:-1]]


def _columns(profile: Profile) -> tuple[Floats, Floats, Floats, Floats] | None:
    """Return live bytes, live objects, allocated bytes and objects by sample; None when this is no heap profile."""
    at = {kind.type: row for row, kind in enumerate(profile.sample_types)}
    space = at.get("inuse_space", at.get("space"))
    objects = at.get("inuse_objects", at.get("objects"))
    if space is None:
        return None
    values = profile.values
    live = values[space].astype(np.float64)
    if objects is None:  # stores of profiles hand out one column at a time
        return live, np.zeros_like(live), live, np.zeros_like(live)
    return (
        live,
        values[objects].astype(np.float64),
        values[at.get("alloc_space", space)].astype(np.float64),
        values[at.get("alloc_objects", objects)].astype(np.float64),
    )


def _table(profile: Profile | None, names: _Names) -> _Table | None:
    columns = _columns(profile) if profile is not None else None
    if profile is None or columns is None:
        return None
    keep = ~_observer(profile)[profile.stack_ids]
    space, objects, allocated, made = (column[keep] for column in columns)
    ids = profile.stack_ids[keep]
    chosen = _largest(np.bincount(ids, space, len(profile.stacks)).astype(np.float64))
    place = np.full(len(profile.stacks), -1)
    place[chosen] = np.arange(len(chosen))
    inside = place[ids] >= 0
    with np.errstate(over="ignore"):
        unique, first, same = _keys(profile, chosen, names)
    rows = same[place[ids[inside]]]

    def summed(values: Floats) -> Floats:
        return np.bincount(rows, values[inside], len(unique)).astype(np.float64)

    period = max(1, profile.period or _USUAL_PERIOD)
    samples, noise = _sampled(objects, space, period)
    return _Table(
        keys=unique,
        space=summed(space),
        objects=summed(objects),
        samples=summed(samples),
        noise=summed(noise),
        allocated=summed(allocated),
        churn=summed(_sampled(made, allocated, period)[1]),
        decode=lambda rows: profile.stacks_at(chosen[first[rows]].tolist()),
        total=float(space.sum()),
        total_allocated=float(allocated.sum()),
    )


def _largest(held: Floats) -> Int64s:
    """Return the stacks that hold most; in a profile of ordinary size those that hold nothing now, too."""
    if len(held) <= _MOST_STACKS:
        return np.arange(len(held))
    return np.sort(np.argpartition(-held, _MOST_STACKS)[:_MOST_STACKS])


def _keys(profile: Profile, stacks: Int64s, names: _Names) -> _Keys:
    """Return words for these stacks: equal for equal frames, whichever profile they stand in."""
    if names.latest is not None:
        before, same_stacks, keys = names.latest
        if np.array_equal(same_stacks, stacks) and _same_tables(before, profile):
            return keys
    starts, locations = profile.stacks.starts, profile.stacks.locations
    lengths = starts[stacks + 1] - starts[stacks]
    begin = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
    depth = np.arange(begin[-1]) - np.repeat(begin[:-1], lengths)
    frames = locations[np.repeat(starts[stacks], lengths) + depth]
    used = np.flatnonzero(np.bincount(frames))  # locations are few and numbered: nothing need be sorted
    words = np.zeros(len(profile.locations.line_starts), np.uint64)
    words[used] = names.of(profile, used)
    by_depth = _scramble(np.arange(int(lengths.max(initial=0)), dtype=np.uint64))
    keys = np.unique(_runs(words[frames] * by_depth[depth], begin), return_index=True, return_inverse=True)
    names.latest = (profile, stacks, keys)
    return keys


def _same_tables(one: Profile, other: Profile) -> bool:
    """Tell whether two profiles name the same stacks: a process that has reached all its code adds none."""
    if one.strings.blob != other.strings.blob:
        return False
    columns = (
        (profile.strings.starts, profile.strings.ends, profile.functions.name, profile.stacks.starts,
         profile.stacks.locations, profile.locations.address, profile.locations.line_starts,
         profile.locations.line_function, profile.locations.line_number)
        for profile in (one, other)
    )  # fmt: skip
    return all(np.array_equal(mine, theirs) for mine, theirs in zip(*columns, strict=True))


def _sampled(objects: Floats, space: Floats, period: int) -> tuple[Floats, Floats]:
    """Return how many sampled objects stand behind each value, and the variance that sampling gives to its bytes.

    Go has divided what it sampled by the chance of being sampled, which grows with the size of an object. Where their
    number is not known they count as small, which makes the most of the noise.
    """
    unknown = (objects == 0) & (space > 0)
    size = np.divide(space, objects, out=np.zeros_like(space), where=objects > 0)
    chance = -np.expm1(-size / period)
    noise = np.divide(space * size * (1 - chance), chance, out=np.zeros_like(space), where=chance > 0)
    return np.where(unknown, space / period, objects * chance), np.where(unknown, space * period, noise)


def sampling_variance(objects: Floats, space: Floats, period: int = 0) -> Floats:
    """Return the variance that sampling gives to live bytes; without a period, at the one that Go usually has."""
    return _sampled(objects, space, period or _USUAL_PERIOD)[1]


def heap_growth(snapshots: Sequence[Profile | None], baseline: Sequence[Profile | None] = ()) -> HeapGrowth:
    """Return live and allocated memory by stack through the snapshots, those that gained or hold most first.

    None is a snapshot without a heap profile. Of the baseline the last profile counts; it may be of another build.
    """
    names = _Names(lines=True)
    tables = [_table(profile, names) for profile in snapshots]
    there = [table for table in tables if table is not None]
    keys = unique_values(np.concatenate([table.keys for table in there])) if there else np.zeros(0, np.uint64)
    places = [(at, table, np.searchsorted(keys, table.keys)) for at, table in enumerate(tables) if table is not None]

    def spread(column: Callable[[_Table], Floats]) -> Floats:
        whole = np.zeros((len(tables), len(keys)))
        for at, table, place in places:
            whole[at, place] = column(table)
        return whole

    space = spread(lambda table: table.space)
    peak = space.max(axis=0, initial=0)
    rows = np.argsort(-peak, kind="stable")[:_MOST_ROWS]
    rows = rows[peak[rows] > 0]
    stacks = _decode(keys[rows], tables)
    healthy = next((profile for profile in reversed(baseline) if profile is not None), None)
    return HeapGrowth(
        seen=np.array([table is not None for table in tables], np.bool_),
        stacks=stacks,
        space=space[:, rows].astype(np.int64),
        objects=spread(lambda table: table.objects)[:, rows].astype(np.int64),
        samples=spread(lambda table: table.samples)[:, rows],
        noise=spread(lambda table: table.noise)[:, rows],
        allocated=spread(lambda table: table.allocated)[:, rows].astype(np.int64),
        churn=spread(lambda table: table.churn)[:, rows],
        total=_totals(tables, lambda table: table.total),
        total_allocated=_totals(tables, lambda table: table.total_allocated),
        baseline=_against(stacks, healthy) if healthy is not None else None,
    )


def _totals(tables: Sequence[_Table | None], total: Callable[[_Table], float]) -> Int64s:
    return np.array([total(table) if table is not None else -1 for table in tables], np.int64)


def _decode(keys: UInt64s, tables: Sequence[_Table | None]) -> tuple[Stack, ...]:
    """Return the frames of these stacks, from the newest profile that has them."""
    found: dict[int, Stack] = {}
    missing = np.arange(len(keys))
    for table in reversed(tables):
        if table is None or not len(table.keys) or not len(missing):
            continue
        at = np.minimum(np.searchsorted(table.keys, keys[missing]), len(table.keys) - 1)
        here = table.keys[at] == keys[missing]
        found.update(zip(missing[here].tolist(), table.decode(at[here]), strict=True))
        missing = missing[~here]
    return tuple(found[row] for row in range(len(keys)))


def _against(stacks: Sequence[Stack], healthy: Profile) -> Int64s | None:
    """Return the live bytes of each stack in the baseline, by functions alone: another build has other lines.

    Several stacks of ours may be one without its lines; they share what the baseline has in equal parts.
    """
    table = _table(healthy, _Names(lines=False))
    if table is None:
        return None
    theirs: dict[tuple[str, ...], float] = {}
    largest = np.argsort(-table.space, kind="stable")[:_MOST_ROWS]
    for stack, space in zip(table.decode(largest), table.space[largest].tolist(), strict=True):
        key = tuple(normal_function(name) for name in stack.functions)
        theirs[key] = theirs.get(key, 0) + space
    ours = [tuple(normal_function(name) for name in stack.functions) for stack in stacks]
    times: dict[tuple[str, ...], int] = {}
    for key in ours:
        times[key] = times.get(key, 0) + 1
    return np.array([theirs.get(key, 0) / times[key] for key in ours], np.int64)

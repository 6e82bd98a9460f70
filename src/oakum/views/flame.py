"""Stacks -> one call tree in columns, read from the roots or from the leaves, with small frames folded together.

Comes in: a Profile, perhaps a base to compare it with. Goes out: a Tree, whose values are exact integers. Stacks are
walked level by level, all at once; what is too small to see is left behind at the level where it becomes so.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct

from oakum.model import Profile, ValueType
from oakum.model.profile import Bools, Int32s, Int64s, UInt64s
from oakum.views.nodes import clean_path, identify
from oakum.views.query import Query

SMALL = -1  # the name of a node that stands for frames too small to be shown

# A frame hash times its depth's power of this odd number: stacks of the same functions in the same order hash alike.
_PRIME = np.uint64(0x9E3779B97F4A7C15)


class StackRows(Struct, frozen=True, eq=False, dict=True):
    """The stacks of one or two profiles over common names, one row a stack, the lightest row first.

    `values[side, type, row]` is never negative. One profile has one side. With a base there are three: the profile,
    the base, and the greater of both, which is what a frame's width shows.
    """

    sample_types: tuple[ValueType, ...]
    names: tuple[str, ...]
    files: tuple[str, ...]
    values: Int64s
    first: Int64s  # row r is locations[first[r]:last[r]], leaf first, never empty
    last: Int64s
    locations: Int64s
    line_starts: Int64s  # every location has a line here, an unnamed address too
    line_name: Int32s
    line_file: Int32s
    line_number: Int64s

    @property
    def compared(self) -> bool:
        """Return whether there is a base."""
        return len(self.values) == 3

    @cached_property
    def totals(self) -> Int64s:
        """Return the sum of all rows for each side and sample type."""
        totals: Int64s = self.values.sum(axis=2)
        return totals


class Tree(Struct, frozen=True, eq=False):
    """Nodes breadth first, node 0 the root: a parent's row is always below its children's."""

    parent: Int32s
    name: Int32s  # row of StackRows.names; SMALL: so many callees or callers as `line` says, folded into one
    file: Int32s
    line: Int64s  # where the heaviest stack stands in this node
    mixed: Bools  # other stacks of this node stand in other lines
    cum: Int64s  # cum[side, type, node]

    def __len__(self) -> int:
        return len(self.parent)

    def flat(self) -> Int64s:
        """Return what each node has of its own: its value without that of its children."""
        own = self.cum.copy()
        for side in own:
            for row in side:
                np.subtract.at(row, self.parent[1:], row[1:].copy())
        return own


def stack_rows(profile: Profile, query: Query, base: Profile | None = None) -> StackRows:
    """Return the stacks of a profile at the query's granularity, beside those of a base when there is one.

    A value below zero is one that was taken away: it counts for the other side. So a profile that already is a
    difference (pprof -diff_base) is compared with what it was compared with before.
    """
    compared = base is not None or bool((profile.values < 0).any())
    tables = _Tables()
    parts = [_part(p, query, tables) for p in ([profile] if base is None else [profile, base])]
    shifts = np.cumsum([0] + [len(part.locations) for part in parts])
    line_shifts = np.cumsum([0] + [len(part.line_name) for part in parts])
    location_shifts = np.cumsum([0] + [len(part.line_starts) - 1 for part in parts])
    values = _sides([part.values for part in parts]) if compared else parts[0].values[None]
    rows = StackRows(
        sample_types=profile.sample_types,
        names=tuple(tables.names),
        files=tuple(tables.files),
        values=values,
        first=np.concatenate([p.first + s for p, s in zip(parts, shifts, strict=False)]),
        last=np.concatenate([p.last + s for p, s in zip(parts, shifts, strict=False)]),
        locations=np.concatenate([p.locations + s for p, s in zip(parts, location_shifts, strict=False)]),
        line_starts=np.concatenate(
            [p.line_starts[:-1] + s for p, s in zip(parts, line_shifts, strict=False)] + [line_shifts[-1:]]
        ),
        line_name=np.concatenate([p.line_name for p in parts]),
        line_file=np.concatenate([p.line_file for p in parts]),
        line_number=np.concatenate([p.line_number for p in parts]),
    )
    return merged(rows) if compared else _lightest_first(rows)


def merged(rows: StackRows) -> StackRows:
    """Return the rows with those of the same functions made one: they differed in lines or came from two sides."""
    if not len(rows.first):
        return rows
    hashes = _hashes(rows)
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    values = np.add.reduceat(rows.values[:, :, order], starts, axis=2)
    if rows.compared:
        values[2] = np.maximum(values[0], values[1])
    return _lightest_first(_chosen(rows, order[starts], values))


def grow(rows: StackRows, inverted: bool = False, smallest: float = 0.0) -> Tree:
    """Return the call tree, from the roots or (`inverted`) from the leaves.

    A node that is below the share `smallest` of the total in every column is folded with its siblings of the same
    kind into one node named SMALL.
    """
    floors = np.maximum(rows.totals * smallest, 1)
    levels = [_root(rows)]
    walk = _Walk(rows, inverted)
    node = np.zeros(len(rows.first), np.int64)
    grown = 1
    while len(walk.row):
        name = rows.line_name[walk.line]
        key = node * len(rows.names) + name
        order = np.argsort(key, kind="stable")  # rows of a node stay lightest first
        walk.keep(order)
        key = key[order]
        starts = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
        lengths = np.diff(np.append(starts, len(key)))
        sums = np.add.reduceat(rows.values[:, :, walk.row], starts, axis=2)
        large = (sums >= floors[:, :, None]).any(axis=(0, 1))
        parents = key[starts] // len(rows.names)
        level = _Level(
            parents[large],
            (key[starts] % len(rows.names))[large],
            *walk.places(starts, lengths, large),
            sums[:, :, large],
        )
        levels.append(level)
        inside = np.repeat(large, lengths)
        walk.keep(np.flatnonzero(inside))
        node = np.repeat(grown + np.arange(int(large.sum())), lengths[large])
        grown += len(level.parent)
        if not large.all():
            levels.append(_folded(parents[~large], sums[:, :, ~large]))
            grown += len(levels[-1].parent)
        node = node[walk.step()]
    return Tree(
        np.concatenate([level.parent for level in levels]).astype(np.int32),
        np.concatenate([level.name for level in levels]).astype(np.int32),
        np.concatenate([level.file for level in levels]).astype(np.int32),
        np.concatenate([level.line for level in levels]).astype(np.int64),
        np.concatenate([level.mixed for level in levels]),
        np.concatenate([level.cum for level in levels], axis=2),
    )


class _Level(Struct, frozen=True, eq=False):
    parent: Int64s
    name: Int64s
    file: Int32s
    line: Int64s
    mixed: Bools
    cum: Int64s


class _Walk:
    """Where each stack stands on its way from one end to the other; rows that have arrived or are small drop out."""

    def __init__(self, rows: StackRows, inverted: bool) -> None:
        self._rows = rows
        self._inverted = inverted
        self.row = np.arange(len(rows.first))
        self._position = rows.first.copy() if inverted else rows.last - 1
        self.line = self._entry()

    def _entry(self) -> Int64s:
        location = self._rows.locations[self._position]
        starts = self._rows.line_starts
        return starts[location] if self._inverted else starts[location + 1] - 1

    def keep(self, which: Int64s) -> None:
        self.row, self._position, self.line = self.row[which], self._position[which], self.line[which]

    def step(self) -> Int64s:
        """Take every row one frame further and return which of them had one."""
        rows = self._rows
        location = rows.locations[self._position]
        if self._inverted:
            done = self.line + 1 == rows.line_starts[location + 1]
        else:
            done = self.line == rows.line_starts[location]
        ahead = 1 if self._inverted else -1
        self._position = np.where(done, self._position + ahead, self._position)
        inside = (self._position < rows.last[self.row]) & (self._position >= rows.first[self.row])
        moved = np.flatnonzero(inside)
        done, self.line = done[moved], self.line[moved] + ahead
        self.row, self._position = self.row[moved], self._position[moved]
        self.line = np.where(done, self._entry(), self.line)
        return moved

    def places(self, starts: Int64s, lengths: Int64s, which: Bools) -> tuple[Int32s, Int64s, Bools]:
        """Return file and line of each group's heaviest row, and whether others of the group stand elsewhere."""
        file, line = self._rows.line_file[self.line], self._rows.line_number[self.line]
        heaviest = starts + lengths - 1
        differs = (line != np.repeat(line[heaviest], lengths)) | (file != np.repeat(file[heaviest], lengths))
        mixed = np.logical_or.reduceat(differs, starts)
        return file[heaviest][which], line[heaviest][which], mixed[which]


def _root(rows: StackRows) -> _Level:
    none = np.full(1, -1, np.int64)
    return _Level(none, none, none.astype(np.int32), none, np.zeros(1, np.bool_), rows.totals[:, :, None])


def _folded(parents: Int64s, sums: Int64s) -> _Level:
    starts = np.flatnonzero(np.concatenate(([True], parents[1:] != parents[:-1])))
    count = len(starts)
    return _Level(
        parents[starts],
        np.full(count, SMALL, np.int64),
        np.full(count, -1, np.int32),
        np.diff(np.append(starts, len(parents))).astype(np.int64),
        np.zeros(count, np.bool_),
        np.add.reduceat(sums, starts, axis=2),
    )


class _Tables:
    """Names and files of all profiles, numbered together."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.files: dict[str, int] = {"": 0}


class _Part(Struct, frozen=True, eq=False):
    values: Int64s
    first: Int64s
    last: Int64s
    locations: Int64s
    line_starts: Int64s
    line_name: Int32s
    line_file: Int32s
    line_number: Int64s


def _part(profile: Profile, query: Query, tables: _Tables) -> _Part:
    values, stacks = _by_stack(profile)
    nodes = identify(profile, query)
    rows, strings = nodes.rows, profile.strings
    names = [tables.names.setdefault(nodes.printable(node), len(tables.names)) for node in range(len(nodes))]
    paths = [clean_path(strings[text], query) for text in profile.functions.file.tolist()] + [""]
    files = [tables.files.setdefault(path, len(tables.files)) for path in paths]
    return _Part(
        values,
        profile.stacks.starts[stacks],
        profile.stacks.starts[stacks + 1],
        profile.stacks.locations.astype(np.int64),
        rows.starts,
        np.array(names, np.int32)[nodes.of_row],
        np.array(files, np.int32)[rows.function],
        np.where(rows.function < 0, 0, rows.line),
    )


def _by_stack(profile: Profile) -> tuple[Int64s, Int64s]:
    """Return the values of each stack that has frames and a value, and its row; samples of one stack are added up."""
    used = (profile.values != 0).any(axis=0)
    used &= np.diff(profile.stacks.starts)[profile.stack_ids] > 0
    order = np.flatnonzero(used)
    order = order[np.argsort(profile.stack_ids[order], kind="stable")]
    ids = profile.stack_ids[order].astype(np.int64)
    if not len(ids):
        return np.zeros((len(profile.sample_types), 0), np.int64), ids
    # Samples below and above zero of one stack stay apart: they are of two sides.
    side = (profile.values[:, order] < 0).any(axis=0)
    order, ids = order[np.argsort(ids * 2 + side, kind="stable")], np.sort(ids * 2 + side)
    starts = np.flatnonzero(np.concatenate(([True], ids[1:] != ids[:-1])))
    return np.add.reduceat(profile.values[:, order], starts, axis=1), ids[starts] // 2


def _sides(parts: Sequence[Int64s]) -> Int64s:
    """Return values[side, type, row] for the rows of one or two profiles, negative values on the other side."""
    sides = np.zeros((3, parts[0].shape[0], sum(part.shape[1] for part in parts)), np.int64)
    at = 0
    for side, values in enumerate(parts):
        rows = slice(at, at + values.shape[1])
        sides[side, : len(values), rows] = np.maximum(values, 0)[: sides.shape[1]]
        sides[1 - side, : len(values), rows] = np.maximum(-values, 0)[: sides.shape[1]]
        at += values.shape[1]
    return sides


def _hashes(rows: StackRows) -> UInt64s:
    mixed = (np.arange(len(rows.names), dtype=np.uint64) + np.uint64(1)) * _PRIME
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    widths = np.diff(rows.line_starts)
    lengths = widths[rows.locations]
    before = np.concatenate(([0], np.cumsum(lengths)))
    powers = np.ones(int((before[rows.last] - before[rows.first]).max()) + int(widths.max()) + 1, np.uint64)
    powers[1:] = _PRIME
    powers = np.multiply.accumulate(powers)
    inner = np.arange(len(rows.line_name)) - np.repeat(rows.line_starts[:-1], widths)
    of_line = _running(mixed[rows.line_name] * powers[inner])
    of_location = of_line[rows.line_starts[1:]] - of_line[rows.line_starts[:-1]]
    result = np.zeros(len(rows.first), np.uint64)
    for start in range(0, len(result), 65536):  # a block at a time: stacks of 300,000 rows would take 100 MB more
        some = slice(start, start + 65536)
        lengths = rows.last[some] - rows.first[some]
        ends = np.cumsum(lengths)
        entries = np.arange(ends[-1]) + np.repeat(rows.first[some] - ends + lengths, lengths)
        depth = before[entries] - np.repeat(before[rows.first[some]], lengths)
        sums = _running(of_location[rows.locations[entries]] * powers[depth])
        result[some] = sums[ends] - sums[ends - lengths]
    return result


def _running(terms: UInt64s) -> UInt64s:
    return np.concatenate((np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)))


def _lightest_first(rows: StackRows) -> StackRows:
    shares = rows.values[-1] / np.maximum(rows.totals[-1], 1)[:, None]
    order = np.argsort(shares.sum(axis=0), kind="stable")
    return _chosen(rows, order, rows.values[:, :, order])


def _chosen(rows: StackRows, which: Int64s, values: Int64s) -> StackRows:
    return StackRows(
        rows.sample_types,
        rows.names,
        rows.files,
        values,
        rows.first[which],
        rows.last[which],
        rows.locations,
        rows.line_starts,
        rows.line_name,
        rows.line_file,
        rows.line_number,
    )

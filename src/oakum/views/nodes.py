"""Samples -> the numbers of a call graph: flat and cum per node, as pprof counts them.

A node is a function, file, line or address, as the query's granularity says. A node that occurs twice in a stack
counts once in cum. Works on columns in chunks of stacks, so that 300,000 samples take little memory.
"""

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from oakum.model import Functions, Profile
from oakum.model.cores import spread
from oakum.model.profile import Bools, Int32s, Int64s, UInt64s, offsets
from oakum.views.names import raw_texts, used_rows
from oakum.views.query import Query

# Frames worked on at once: few enough to stay in the processor's cache, enough for numpy to be worth its calls.
_FRAMES_AT_ONCE = 1 << 18
# Sums of float64 are exact below this; beyond it weights are added in two halves.
_EXACT = 1 << 53
_HALF = 26
_LOW_HALF = (1 << _HALF) - 1

Floats = NDArray[np.float64]


class Rows(Struct, frozen=True, eq=False):
    """The lines of all locations, innermost first; a location without lines gets one row of function -1."""

    starts: Int64s  # rows of location i are starts[i]:starts[i+1]
    location: Int32s
    function: Int32s
    line: Int64s
    inlined: Bools  # the row was inlined into the one after it
    column: Int64s | None  # where the producer gives columns


class Nodes(Struct, frozen=True, eq=False):
    """What each node is and what it weighs; `flat_div` and `cum_div` divide them for -mean."""

    profile: Profile
    rows: Rows
    of_row: Int32s  # the node of each row
    name: Int64s  # string rows; 0 where unnamed
    file: Int64s  # rows of `files`; 0 is ""
    files: Sequence[str]
    line: Int64s
    column: Int64s
    address: UInt64s
    start_line: Int64s  # only of unnamed nodes, as in pprof
    binary: Int64s  # rows of `binaries`; 0 is ""
    binaries: Sequence[str]
    flat: Int64s = field(default_factory=lambda: np.zeros(0, np.int64))
    cum: Int64s = field(default_factory=lambda: np.zeros(0, np.int64))
    flat_div: Int64s | None = None
    cum_div: Int64s | None = None
    recursive: Bools = field(default_factory=lambda: np.zeros(0, np.bool_))  # stacks that hold a node twice
    _printed: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.name)

    def function(self, node: int) -> str:
        """Return the function's name, "" where it has none."""
        return self.profile.strings[int(self.name[node])]

    def path(self, node: int) -> str:
        """Return the source file, "" at a granularity without files."""
        return self.files[int(self.file[node])]

    def printable(self, node: int) -> str:
        """Return the name as pprof prints it: address, function, file:line, as far as the granularity has them."""
        known = self._printed.get(node)
        if known is None:
            known = self._printed[node] = self._print(node)
        return known

    def _print(self, node: int) -> str:
        function, path, line = self.function(node), self.path(node), int(self.line[node])
        parts = [f"{int(self.address[node]):016x}"] if self.address[node] else []
        if function:
            parts.append(function)
        if line:
            column = int(self.column[node])
            parts.append(f"{path}:{line}:{column}" if column else f"{path}:{line}")
        elif path:
            parts.append(path)
        elif not function:
            binary = self.binaries[int(self.binary[node])]
            parts.append(f"[{base_name(binary)}]" if binary else "<unknown>")
        return " ".join(parts)

    def flat_value(self, node: int) -> int:
        """Return flat, divided for -mean."""
        return divided(int(self.flat[node]), 0 if self.flat_div is None else int(self.flat_div[node]))

    def cum_value(self, node: int) -> int:
        """Return cum, divided for -mean."""
        return divided(int(self.cum[node]), 0 if self.cum_div is None else int(self.cum_div[node]))

    def weighty(self, drop_negative: bool) -> Bools:
        """Return which nodes have a value; -drop_negative leaves out those below zero."""
        weighty: Bools = (self.cum != 0) | (self.flat != 0)
        if drop_negative:
            weighty &= (self.flat > 0) | ((self.flat == 0) & (self.cum >= 0))
        return weighty

    def ordered(self, listed: Bools, by: str = "flat") -> list[int]:
        """Return the listed nodes, heaviest first, ties by name."""
        weight, other = (self.cum, self.flat) if by == "cum" else (self.flat, self.cum)
        rows = np.flatnonzero(listed)
        heavy, light = np.abs(weight[rows]).tolist(), np.abs(other[rows]).tolist()
        nodes = rows.tolist()

        def key(at: int) -> tuple[int, str, int]:
            return -heavy[at], self.printable(nodes[at]), -light[at]

        return [nodes[at] for at in sorted(range(len(nodes)), key=key)]


def count(profile: Profile, query: Query, values: Int64s, divisors: Int64s | None = None) -> Nodes:
    """Return every node of the profile with flat and cum of these values, one per sample."""
    nodes = identify(profile, query)
    columns = [values] if divisors is None else [values, divisors]
    weights = [sums(profile.stack_ids, column, len(profile.stacks)) for column in columns]
    flats = [_flat(nodes, weight) for weight in weights]
    cums, recursive = _cums(nodes, weights)
    counted = replace(nodes, flat=flats[0], cum=cums[0], recursive=recursive)
    return counted if divisors is None else replace(counted, flat_div=flats[1], cum_div=cums[1])


def rows_of(profile: Profile, noinlines: bool = False) -> Rows:
    """Return one row for each line of each location; without inlines, only the outermost."""
    locations = profile.locations
    starts, lines = locations.line_starts, np.diff(locations.line_starts)
    column = profile.extra.get("line_columns")
    table = [locations.line_function, locations.line_number, *([] if column is None else [column])]
    if noinlines and (lines > 1).any():
        outermost = starts[1:][lines > 0] - 1
        table, lines = [values[outermost] for values in table], np.minimum(lines, 1)
    if (lines == 0).any():
        filled = np.maximum(lines, 1)
        real = np.repeat(lines > 0, filled)
        table, lines = [_spread(values, real) for values in table], filled
        table[0][~real] = -1
    starts = offsets(lines)
    inlined = np.ones(len(table[0]), np.bool_)
    inlined[starts[1:] - 1] = False
    location = np.repeat(np.arange(len(lines), dtype=np.int32), lines)
    return Rows(starts, location, table[0], table[1], inlined, None if column is None else table[2])


def _spread(values: NDArray[Any], places: Bools) -> NDArray[Any]:
    """Return the values at these places, and 0 elsewhere."""
    spread = np.zeros(len(places), values.dtype)
    spread[places] = values
    return spread


def identify(profile: Profile, query: Query, *, trim_paths: bool = True) -> Nodes:
    """Return the nodes that the granularity makes of the profile's lines, not counted yet."""
    rows = rows_of(profile, query.noinlines)
    nothing: Int64s = np.zeros(len(rows.function), np.int64)
    name = file = line = column = address = start_line = binary = nothing
    files: Sequence[str] = ("",)
    binaries: Sequence[str] = ("",)
    functions = _with_none(profile)
    if query.granularity != "files":
        name = functions.name[rows.function].astype(np.int64)
    if query.granularity != "functions":
        of_text, files = _clean_files(profile, query if trim_paths else None)
        file = of_text[functions.file[rows.function]]
    if query.granularity in ("lines", "addresses"):
        line = np.where(rows.function < 0, 0, rows.line)
        if rows.column is not None and (
            query.showcolumns or (query.granularity == "addresses" and not query.noinlines)
        ):
            column = np.where(rows.function < 0, 0, rows.column)
    if query.granularity == "addresses":
        address = profile.locations.address[rows.location].view(np.int64)
    if not name.all():
        of_mapping, binaries = _numbered(mapping.file for mapping in profile.mappings)
        unnamed = name == 0
        binary = np.where(unnamed, np.append(of_mapping, 0)[profile.locations.mapping[rows.location]], 0)
        start_line = np.where(unnamed, functions.start_line[rows.function], 0)
    columns = (name, file, line, column, address, start_line, binary)
    of_row, first = grouped([c for c in columns if c is not nothing])
    return Nodes(
        profile=profile,
        rows=rows,
        of_row=of_row,
        name=name[first],
        file=file[first],
        files=files,
        line=line[first],
        column=column[first],
        address=address[first].view(np.uint64),
        start_line=start_line[first],
        binary=binary[first],
        binaries=binaries,
    )


def chunks(nodes: Nodes, most: int = 1 << 31) -> Iterator[tuple[int, int]]:
    """Yield ranges of stacks that are worked on at once, of `most` stacks at most."""
    starts = nodes.profile.stacks.starts
    begin, total = 0, len(starts) - 1
    while begin < total:
        end = int(np.searchsorted(starts, starts[begin] + _FRAMES_AT_ONCE, "right")) - 1
        end = min(max(end, begin + 1), begin + most, total)
        yield begin, end
        begin = end


def sums(groups: NDArray[Any], weights: Int64s, total: int) -> Int64s:
    """Return the sum of the weights in each of `total` groups, exact to the last unit."""
    parts = _exact_parts(weights)
    counted: list[Floats] = [np.bincount(groups, part, total).astype(np.float64, copy=False) for part in parts]
    return _whole(counted)


def _exact_parts(weights: Int64s) -> list[Floats]:
    """Return the weights as floats whose sums stay exact: as they are, or their lower and upper halves."""
    plain = weights.astype(np.float64)
    if float(np.abs(plain).sum()) < _EXACT:
        return [plain]
    return [(weights & _LOW_HALF).astype(np.float64), (weights >> _HALF).astype(np.float64)]


def _whole(parts: list[Floats]) -> Int64s:
    low, *high = (part.astype(np.int64) for part in parts)
    return low + (high[0] << _HALF) if high else low


def _flat(nodes: Nodes, weights: Int64s) -> Int64s:
    stacks = nodes.profile.stacks
    filled = np.flatnonzero(np.diff(stacks.starts))
    leaf = nodes.rows.starts[stacks.locations[stacks.starts[filled]]]
    return sums(nodes.of_row[leaf], weights[filled], len(nodes))


def _cums(nodes: Nodes, weights: Sequence[Int64s]) -> tuple[list[Int64s], Bools]:
    """Return cum of every node for each column of weights, and which stacks hold a node more than once."""
    total, stacks, starts = len(nodes), nodes.profile.stacks, nodes.rows.starts
    parts = [_exact_parts(column) for column in weights]
    columns = [part for column in parts for part in column]
    recursive = np.zeros(len(stacks), np.bool_)
    bits = np.uint32(max(1, total.bit_length()))
    of_row, lines = nodes.of_row.astype(np.intp), np.diff(starts)
    innermost, deep = of_row[starts[:-1]], lines > 1

    def chunk(span: tuple[int, int]) -> list[Floats]:
        begin, end = span
        locations = stacks.locations[stacks.starts[begin] : stacks.starts[end]]
        depths = np.diff(stacks.starts[begin : end + 1])
        stack = np.repeat(np.arange(end - begin, dtype=np.uint32) << bits, depths)
        spread_out = [np.repeat(column[begin:end], depths) for column in columns]
        node = innermost.take(locations)
        mine: list[Floats] = [np.bincount(node, weight, total).astype(np.float64, copy=False) for weight in spread_out]
        keys = [stack | node.astype(np.uint32)]
        # Then the callers into which these were inlined, line by line.
        line, more = 1, np.flatnonzero(deep.take(locations))
        while len(more):
            at = locations[more]
            node = of_row[starts[at] + line]
            for cum, weight in zip(mine, spread_out, strict=True):
                cum += np.bincount(node, weight[more], total)
            keys.append(stack[more] | node.astype(np.uint32))
            line += 1
            more = more[lines[at] > line]
        # Stack and node in one number: sorted, the second of two equal ones is a recursion, and was one too many.
        key = np.concatenate(keys)
        key.sort()
        again = key[1:][key[1:] == key[:-1]]
        owner, node = again >> bits, (again & np.uint32((1 << int(bits)) - 1)).astype(np.intp)
        recursive[begin + owner] = True
        for cum, column in zip(mine, columns, strict=True):
            cum -= np.bincount(node, column[begin:end][owner], total)
        return mine

    cums = [np.zeros(total) for _ in columns]
    for counted in spread(chunk, list(chunks(nodes, 1 << int(32 - bits)))):
        for cum, part in zip(cums, counted, strict=True):
            cum += part
    left = iter(cums)
    return [_whole([next(left) for _ in column]) for column in parts], recursive


def _with_none(profile: Profile) -> Functions:
    """Return the functions with a nameless one at the end, so that row -1 finds it."""
    functions, none = profile.functions, np.zeros(1, np.int64)
    same = _first_of_equals(profile, functions.name)
    return Functions(
        name=np.append(same, none).astype(np.int32),
        system_name=np.append(functions.system_name, none).astype(np.int32),
        file=np.append(functions.file, none).astype(np.int32),
        start_line=np.append(functions.start_line, none),
    )


def _first_of_equals(profile: Profile, texts: Int32s) -> Int32s:
    """Return the string rows, where equal texts stand twice in the table each as its first."""
    used = used_rows(texts, len(profile.strings))
    known: dict[bytes, int] = {b"": 0}
    raw = raw_texts(profile.strings, used)
    first = [known.setdefault(text, row) for text, row in zip(raw, used.tolist(), strict=True)]
    if first == used.tolist():
        return texts
    return np.array(first, np.int32)[np.searchsorted(used, texts)]


def _clean_files(profile: Profile, query: Query | None) -> tuple[Int64s, Sequence[str]]:
    """Return a number for each string row that names a file, and the files as pprof prints them."""
    used = used_rows(profile.functions.file, len(profile.strings)).tolist()
    numbers, files = _numbered(clean_path(profile.strings[row], query) for row in used)
    of_text = np.zeros(len(profile.strings) or 1, np.int64)
    of_text[used] = numbers
    return of_text, files


def clean_path(path: str, query: Query | None) -> str:
    """Return a source path as pprof prints it: trimmed as the query says, if there is one, without . and .. in it."""
    trimmed = _trim_path(path, query) if query else path
    if not trimmed:
        return ""
    cleaned = posixpath.normpath(trimmed)
    return cleaned[1:] if cleaned.startswith("//") else cleaned


def _trim_path(path: str, query: Query) -> str:
    if not query.trim_path:
        for root in filter(None, query.source_path.split(":")):
            _, found, rest = path.partition(f"/{base_name(root)}/")
            if found:
                return rest
    for prefix in (*filter(None, query.trim_path.split(":")), "/proc/self/cwd/./", "/proc/self/cwd/"):
        if path.startswith(prefix.rstrip("/") + "/"):
            return path[len(prefix.rstrip("/")) + 1 :]
    return path


def _numbered(texts: Iterable[str]) -> tuple[Int64s, Sequence[str]]:
    """Return a number for each text, equal for equal ones, and the distinct texts; "" is number 0."""
    known = {"": 0}
    numbers = [known.setdefault(text, len(known)) for text in texts]
    return np.array(numbers, np.int64), tuple(known)


def grouped(columns: Sequence[NDArray[Any]]) -> tuple[Int32s, Int64s]:
    """Return the number of the group of each row, rows alike in all columns being one, and a row of each group."""
    order = np.lexsort(columns)
    fresh = np.zeros(len(order), np.bool_)
    fresh[:1] = True
    for column in columns:
        ordered = column[order]
        fresh[1:] |= ordered[1:] != ordered[:-1]
    group = np.empty(len(order), np.int32)
    group[order] = np.cumsum(fresh, dtype=np.int32) - 1
    return group, order[fresh]


def base_name(path: str) -> str:
    """Return the last part of a path, as Go's filepath.Base."""
    return posixpath.basename(path.rstrip("/")) or ("/" if path else ".")


def divided(value: int, divisor: int) -> int:
    """Return value/divisor as Go divides integers; the value itself when there is nothing to divide by."""
    if not divisor:
        return value
    quotient = abs(value) // abs(divisor)
    return quotient if (value < 0) == (divisor < 0) else -quotient

"""Inputs of the comparisons: profiles, goroutine dumps and a gzip bomb, made up but shaped like real ones.

Comes in: a path and how big. Goes out: the file, the same bytes for the same arguments. Reads nothing.
"""

import gzip
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.dumps import write_dump
from bench.names import Function, functions_of

Tokens = NDArray[np.uint64]
Ids = NDArray[np.int64]

# Field numbers of pprof's profile.proto, shifted and with their wire type, as they stand in the file.
SAMPLE_TYPE, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING = 0x0A, 0x12, 0x1A, 0x22, 0x2A, 0x32
TIME_NANOS, PERIOD_TYPE, PERIOD = 0x48, 0x5A, 0x60
# Where a goroutine starts: 40 roots for all stacks.
ROOTS = 40


def varint_sizes(values: Tokens) -> Ids:
    """Return how many bytes each value takes as a protobuf varint."""
    sizes = np.ones(values.shape, np.int64)
    for k in range(1, 10):
        sizes += values >= np.uint64(1 << 7 * k)
    return sizes


def varints(values: Tokens) -> bytes:
    """Return the values as protobuf varints, one after another."""
    sizes = varint_sizes(values)
    starts = np.cumsum(sizes) - sizes
    out = np.zeros(int(sizes.sum()), np.uint8)
    for k in range(int(sizes.max(initial=0))):
        rows = np.flatnonzero(sizes > k)
        more = (sizes[rows] > k + 1).astype(np.uint8) << 7
        out[starts[rows] + k] = ((values[rows] >> np.uint64(7 * k)) & np.uint64(0x7F)).astype(np.uint8) | more
    return out.tobytes()


def messages(tag: int, *columns: "int | Ids") -> Tokens:
    """Return one message a row, its length put before it, as a matrix of varints; an int stands for all rows."""
    rows = max(len(column) for column in columns if not isinstance(column, int))
    body = np.empty((rows, len(columns)), np.uint64)
    for at, column in enumerate(columns):
        body[:, at] = column
    head = np.empty((rows, 2), np.uint64)
    head[:, 0] = tag
    head[:, 1] = varint_sizes(body).sum(axis=1)
    return np.concatenate((head, body), axis=1)


def text(tag: int, content: bytes) -> bytes:
    """Return one length-delimited field."""
    return varints(np.array([tag, len(content)], np.uint64)) + content


class CallGraph:
    """A made-up program: every location is a call site in a function, and calls one other function."""

    def __init__(self, locations: int, functions: int, random: np.random.Generator) -> None:
        extra = random.integers(0, functions, locations - functions)
        self.function = np.sort(np.concatenate((np.arange(functions), extra)))
        self.first = np.searchsorted(self.function, np.arange(functions))
        self.count = np.bincount(self.function, minlength=functions)
        # Some functions are called from everywhere, most from few places.
        self.callee = (functions * random.random(locations) ** 1.5).astype(np.int64)

    def walk(self, depths: Ids, random: np.random.Generator) -> NDArray[np.uint32]:
        """Return one stack a row, root first, padded at the end; stacks share their first frames as call trees do."""
        stacks = np.zeros((len(depths), int(depths.max())), np.uint32)
        function = (min(ROOTS, len(self.first)) * random.random(len(depths)) ** 2).astype(np.int64)
        for level in range(stacks.shape[1]):
            site = (self.count[function] * random.random(len(depths)) ** 2).astype(np.int64)
            stacks[:, level] = self.first[function] + site
            function = self.callee[stacks[:, level]]
        return stacks


def _samples(stacks: NDArray[np.uint32], depths: Ids, label: int, random: np.random.Generator, growth: float) -> Tokens:
    """Return the samples of a heap profile as varints: location ids, four values and the label `bytes`."""
    count = len(depths)
    sizes = np.array([8, 16, 32, 48, 64, 96, 128, 256, 512, 1024, 4096, 32768])[random.integers(0, 12, count)]
    allocated = np.exp(random.normal(5, 2.5, count)).astype(np.int64) + 1
    kept = np.where(random.random(count) < 0.5, 0, (allocated * random.random(count)).astype(np.int64))
    kept = (growth * kept).astype(np.int64)
    values = messages(0x12, allocated, allocated * sizes, kept, kept * sizes)
    labels = messages(0x1A, 0x08, np.full(count, label), 0x18, sizes)

    deepest = stacks.shape[1]
    inside = np.arange(deepest) < depths[:, None]
    # pprof wants the leaf first: row r, column c of the walk goes to place depth-1-c.
    reversed_columns = np.where(inside, depths[:, None] - 1 - np.arange(deepest), 0)
    leaf_first = np.take_along_axis(stacks, reversed_columns, axis=1).astype(np.uint64) + np.uint64(1)
    packed = (varint_sizes(leaf_first) * inside).sum(axis=1)
    tail = np.concatenate((values, labels), axis=1)
    whole = 1 + varint_sizes(packed.astype(np.uint64)) + packed + varint_sizes(tail).sum(axis=1)

    starts = np.cumsum(4 + depths + tail.shape[1]) - (4 + depths + tail.shape[1])
    tokens = np.empty(int((4 + depths + tail.shape[1]).sum()), np.uint64)
    for at, column in enumerate((SAMPLE, whole, 0x0A, packed)):
        tokens[starts + at] = column
    rows, columns = np.nonzero(inside)
    tokens[starts[rows] + 4 + columns] = leaf_first[inside]
    for at in range(tail.shape[1]):
        tokens[starts + 4 + depths + at] = tail[:, at]
    return tokens


def _locations(graph: CallGraph, named: list[Function], random: np.random.Generator) -> bytes:
    """Return the locations; the last fifth holds an inlined call, so two lines each."""
    count = len(graph.function)
    ids = np.arange(1, count + 1)
    address = 0x401000 + np.cumsum(random.integers(16, 300, count))
    inlined = random.integers(0, len(named), count)
    first_lines = np.array([function.line for function in named])
    line = first_lines[graph.function] + random.integers(1, 80, count)
    outer = messages(0x22, 0x08, graph.function + 1, 0x10, line)
    inner = messages(0x22, 0x08, inlined + 1, 0x10, first_lines[inlined] + random.integers(1, 20, count))
    cut = count - count // 5
    single = messages(LOCATION, 0x08, ids[:cut], 0x10, 1, 0x18, address[:cut], *outer[:cut].T.astype(np.int64))
    double = messages(
        LOCATION, 0x08, ids[cut:], 0x10, 1, 0x18, address[cut:],
        *inner[cut:].T.astype(np.int64), *outer[cut:].T.astype(np.int64),
    )  # fmt: skip
    return varints(single.ravel()) + varints(double.ravel())


def profile_bytes(
    samples: int,
    locations: int,
    functions: int,
    depth: int,
    seed: int,
    taken_at: int = 1_700_000_000_000_000_000,
    kept: float = 1.0,
) -> bytes:
    """Return a heap profile as uncompressed pprof protobuf, taken at so many nanoseconds; `kept` scales its heap."""
    random = np.random.default_rng(seed)
    named = functions_of(functions, random)
    graph = CallGraph(locations, functions, random)
    depths = np.clip(random.normal(0.44 * depth, 0.2 * depth, samples), 2, depth).astype(np.int64)
    stacks = graph.walk(depths, random)
    # Every location occurs: those the walk missed become leaves.
    missed = np.setdiff1d(np.arange(locations), stacks[np.arange(stacks.shape[1]) < depths[:, None]])[:samples]
    rows = random.choice(samples, len(missed), replace=False)
    stacks[rows, depths[rows] - 1] = missed

    table: dict[str, int] = {"": 0}

    def row(entry: str) -> int:
        return table.setdefault(entry, len(table))

    def value_type(tag: int, kind: str, unit: str) -> bytes:
        return varints(messages(tag, 0x08, np.array([row(kind)]), 0x10, row(unit)).ravel())

    counted = {"alloc_objects": "count", "alloc_space": "bytes", "inuse_objects": "count", "inuse_space": "bytes"}
    head = b"".join(value_type(SAMPLE_TYPE, kind, unit) for kind, unit in counted.items())
    period = value_type(PERIOD_TYPE, "space", "bytes") + varints(np.array([PERIOD, 512 * 1024], np.uint64))
    mapping = messages(
        MAPPING, 0x08, np.array([1]), 0x10, 0x400000, 0x18, 0x4000000, 0x28, row("/usr/bin/kubelet"), 0x38, 1
    )
    names = np.array([row(function.name) for function in named])
    files = np.array([row(function.file) for function in named])
    starts = np.array([function.line for function in named])
    table_of_functions = messages(
        FUNCTION, 0x08, np.arange(1, functions + 1), 0x10, names, 0x18, names, 0x20, files, 0x28, starts
    )
    body = varints(_samples(stacks, depths, row("bytes"), random, kept))
    time = varints(np.array([TIME_NANOS, taken_at], np.uint64))
    strings = b"".join(text(STRING, entry.encode()) for entry in table)
    return b"".join(
        (head, body, varints(mapping.ravel()), _locations(graph, named, random), varints(table_of_functions.ravel()),
         strings, time, period)
    )  # fmt: skip


def write_profile(
    path: Path,
    *,
    samples: int = 300_000,
    locations: int = 120_000,
    functions: int = 60_000,
    depth: int = 60,
    seed: int = 1,
) -> int:
    """Write a gzipped heap profile and return its uncompressed size; the defaults make about 35 MB."""
    data = profile_bytes(samples, locations, functions, depth, seed)
    path.write_bytes(gzip.compress(data, 1, mtime=0))
    return len(data)


def write_bomb(path: Path, *, gigabytes: int = 5) -> int:
    """Write about ten KB, gzip in gzip, that want to become `gigabytes`; return the size of the file."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    member = packer.compress(bytes(100_000_000)) + packer.flush()
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    outer = b"".join(packer.compress(member) for _ in range(gigabytes * 10)) + packer.flush()
    return path.write_bytes(outer)


__all__ = ["profile_bytes", "write_bomb", "write_dump", "write_profile"]

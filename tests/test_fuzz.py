"""Broken evidence never raises and never hangs. Time-boxed: FUZZ_SECONDS (20), again with FUZZ_SEED.

Takes recorded evidence, cuts, flips, repeats, splices and wraps it, and sends it through parse and the views.
"""

import gzip
import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from oakum.model import Capture
from oakum.parse import goroutines, parse
from oakum.views import nodes
from oakum.views.goroutine_profile import profile_of
from oakum.views.goroutines import rows
from oakum.views.proto import encode
from oakum.views.query import Query
from support import ROOT, SHARED

_MOST_BYTES = 300_000
_MOST_SECONDS = 20.0  # for one input; the largest take well below one


def _corpus() -> list[Path]:
    folders = [ROOT / "tests" / "testdata", ROOT / "tests" / "parse" / "testdata", SHARED]
    files = [p for folder in folders if folder.is_dir() for p in sorted(folder.rglob("*")) if p.is_file()]
    return [p for p in files if p.stat().st_size <= _MOST_BYTES]


def _cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _behead(data: bytes, rng: random.Random) -> bytes:
    return data[rng.randrange(len(data) + 1) :]


def _flip(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 3, 20))):
        if changed:
            changed[rng.randrange(len(changed))] = rng.choice((0, 0xFF, 0x7F, 0x80, 10, 34, rng.randrange(256)))
    return bytes(changed)


def _drop(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(data) + 1)
    return data[:start] + data[start + rng.choice((1, 7, 100, 5000)) :]


def _repeat(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(data) + 1)
    piece = data[start : start + rng.choice((1, 20, 400))]
    return data[:start] + piece * rng.choice((2, 10, 50)) + data[start:]


def _shuffle_lines(data: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    for _ in range(5):
        a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


def _number(data: bytes, rng: random.Random) -> bytes:
    value = rng.choice((b"0", b"-1", b"99999999999999999999", b"18446744073709551615", b"\xd9\xa3"))
    start = rng.randrange(len(data) + 1)
    return data[:start] + value + data[start:]


_CHANGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _cut, _behead, _flip, _drop, _repeat, _shuffle_lines, _number,
)  # fmt: skip


def _exercise(data: bytes) -> None:
    for reading in parse(Capture("fuzz", data)):
        assert all(problem.key != "internal" for problem in reading.problems), reading.problems
        found = goroutines(reading)
        if found is not None:
            assert found.total == sum(row.count for row in rows(found))
        profile = reading.profile or (profile_of(found) if found is not None else None)
        if profile is not None and profile.sample_types:
            nodes.count(profile, Query(), profile.values[0])
            encode(profile)


@pytest.mark.fuzz
def test_broken_evidence_never_raises() -> None:
    seed = int(os.environ.get("FUZZ_SEED") or time.time_ns() % 2**32)
    seconds = float(os.environ.get("FUZZ_SECONDS", "20"))
    rng = random.Random(seed)
    corpus = _corpus()
    assert corpus, "no evidence to start from"
    tried, until = 0, time.monotonic() + seconds
    while time.monotonic() < until:
        path = rng.choice(corpus)
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b" and rng.random() < 0.8:
            data = gzip.decompress(data)[:_MOST_BYTES]
        if rng.random() < 0.1:
            other = rng.choice(corpus).read_bytes()
            data = data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]
        for _ in range(rng.choice((1, 1, 2, 4))):
            data = rng.choice(_CHANGES)(data, rng)
        started = time.monotonic()
        try:
            _exercise(data)
        except BaseException:
            kept = ROOT / ".cache" / f"fuzz-{seed}-{tried}"
            kept.parent.mkdir(exist_ok=True)
            kept.write_bytes(data)
            print(f"seed {seed}, input {tried}, made from {path.name}, kept as {kept.name} in .cache")
            raise
        assert time.monotonic() - started < _MOST_SECONDS, f"seed {seed}, input {tried}, from {path}"
        tried += 1
    print(f"{tried} broken inputs, seed {seed}")
    assert tried > 0

"""A program that kills writers of a store and looks at what is left: `points DIR EVERY`, or `random DIR KILLS SEED`.

Each writer is a process of its own, forked from this one, which has a single thread. It reports each batch through a
pipe as soon as `append` has returned. Prints one line: how many were killed, and how many batches they acknowledged.
"""

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import duckdb  # noqa: F401  (once, not in each child)

from oakum.report.words import say
from oakum.store import Batch, EventRow, Limits, PlaceRow, RunRow, SnapshotRow, files, open_reader, open_writer, writer
from oakum.store.checking import check

STEP = 600_000_000  # ten minutes between two snapshots: windows end, rows become coarser
BEGIN = 1_780_000_000_000_000
LIMITS = Limits(raw_hours=2, hour_days=2, day_days=3000, captures_days=3000)
PLACES = 3


def batch(number: int, digest: str) -> Batch:
    at = BEGIN + number * STEP
    return Batch(
        runs=(RunRow(run="r", service="s", first_seen=BEGIN, version=str(number)),),
        snapshots=(SnapshotRow(run="r", service="s", at=at, goroutines=number, captures=(digest,) if digest else ()),),
        places=tuple(
            PlaceRow(run="r", service="s", at=at, place=f"p{one}", function="main.f", kind="goroutines", count=number)
            for one in range(PLACES)
        ),
        events=(EventRow(service="s", at=at, kind="test"),),
        state=(("number", str(number).encode()),),
    )


def write(directory: Path, acknowledge: Callable[[int], None], most: int) -> None:
    """Go on where the store ends, with all that a writer does."""
    writer._FLUSH_ROWS = 30  # what a long life has, in a short one
    with open_writer(directory, limits=LIMITS) as store:
        for number in range(store.batches, store.batches + most):
            digest = store.keep(f"capture {number}".encode() * 50, "goroutine.txt") if number % 5 == 0 else ""
            store.append(batch(number, digest))
            acknowledge(number)
            if number % 3 == 0 and store.maintain(BEGIN + number * STEP).more:
                store.maintain(BEGIN + number * STEP)


def verify(directory: Path, acknowledged: int) -> int:
    """Return how many batches the store has: all that were acknowledged, perhaps the one under way, all of them whole."""
    if acknowledged < 0 and not (directory / "manifest.json").exists():
        return 0  # killed before there was a store
    found = check(directory)
    assert not found.problems, [say(one) for one in found.problems]
    with open_reader(directory) as reader:
        count = reader.batches
        assert acknowledged + 1 <= count <= acknowledged + 2, (acknowledged, count)
        told = {}
        for name, each in (("snapshots", 1), ("places", PLACES), ("events", 1)):
            rows = reader.query(f"SELECT CAST(sum(stands_for) AS BIGINT) AS rows FROM {name}", [name])["rows"]
            told[name] = int(rows[0]) if count else 0
            assert told[name] == count * each, (name, told, count)
        if count:
            assert reader.state("number") == str(count - 1).encode()
            assert reader.runs("s")[0].version == str(count - 1)
        digests = {digest for row in reader.snapshots("s") for digest in row.captures}
        assert len(digests) == (count + 4) // 5, (len(digests), count)
        for digest in digests:
            assert reader.document(digest).startswith(b"capture ")
    return count


def run_child(directory: Path, most: int, step: Callable[..., None] | None, pipe: int) -> None:
    if step is not None:
        files.step = step
    try:
        write(directory, lambda number: void(os.write(pipe, b"%d\n" % number)), most)
    except BaseException as error:
        os.write(pipe, f"failed {error!r}\n".encode())
        os._exit(1)
    os._exit(0)


def void(_: object) -> None:
    pass


def forked(
    directory: Path, most: int, step: Callable[..., None] | None = None, lives: tuple[int, float] | None = None
) -> tuple[int, int]:
    """Run a writer in a child; return the last number that it acknowledged (-1: none), and how it ended.

    `lives`: it is killed so many seconds after it has acknowledged so many batches.
    """
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reads)
        run_child(directory, most, step, writes)
    os.close(writes)
    told = b""
    while piece := os.read(reads, 65536) if lives is None or told.count(b"\n") < lives[0] else b"":
        told += piece
    if lives is not None:
        time.sleep(lives[1])
        os.kill(child, signal.SIGKILL)
    while piece := os.read(reads, 65536):
        told += piece
    os.close(reads)
    _, status = os.waitpid(child, 0)
    lines = told.decode().split("\n")
    failed = [line for line in lines if line.startswith("failed")]
    assert not failed, failed
    numbers = [int(line) for line in lines[:-1]]
    return numbers[-1] if numbers else -1, status


class Dies:
    """Ends the process at the n-th operation on the disk; of a write, half is there."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, operation: str, path: Path, data: bytes = b"") -> None:
        self.left -= 1
        if self.left:
            return
        if operation == "write":
            with path.open("ab") as file:
                file.write(data[: len(data) // 2])
        os._exit(9)


def kill_at_points(directory: Path, every: int) -> tuple[int, int]:
    """Kill a writer at each operation of a new store, and at each of one that was killed before."""
    kills = at = batches = 0
    while True:
        at += every
        store = directory / str(at)
        last, status = forked(store, 14, Dies(at))
        verify(store, last)
        if os.waitstatus_to_exitcode(status) == 0:
            return kills, batches
        kills += 1
        # The next one is killed too, while it clears up behind the first, or soon after.
        then, _ = forked(store, 14, Dies(1 + at % 23))
        last = max(last, then)
        verify(store, last) if then >= 0 else None
        again, status = forked(store, 3)
        assert status == 0
        batches += verify(store, again)


def kill_at_random(directory: Path, kills: int, seed: int) -> tuple[int, int]:
    chance = random.Random(seed)
    last = -1
    for _ in range(kills):
        lives = (chance.choice((0, 1, 2, 5, 10)), chance.random() * chance.choice((0.002, 0.02)))
        told, _ = forked(directory, 1 << 30, lives=lives)
        last = max(last, told)
        last = max(last, verify(directory, last) - 1)
    return kills, last + 1


def interrupted(number: int, frame: FrameType | None) -> None:
    raise SystemExit(130)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, interrupted)
    how, where, count, *rest = sys.argv[1:]
    done = (
        kill_at_points(Path(where), int(count))
        if how == "points"
        else kill_at_random(Path(where), int(count), int(rest[0]))
    )
    print(f"{done[0]} killed, {done[1]} batches acknowledged")

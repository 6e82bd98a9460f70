"""What a snapshot tells of its process -> the run that it belongs to: cut where the process was restarted.

A restart shows where the start differs, or where a figure that only grows is lower than before. Pure.
"""

from collections.abc import Mapping

from msgspec import Struct

from oakum.store.rows import run_id

_SAME = 2_000_000  # microseconds; the kernel's clock ticks are coarse
_SLACK = 0.99  # sampled bytes are scaled and rounded


class Identity(Struct, frozen=True):
    """What a snapshot tells of its process."""

    started: int | None = None  # microseconds since 1970
    counters: Mapping[str, float] = {}  # figures that only grow while a process lives
    version: str = ""  # of the program, as far as it is told
    program: str = ""
    restarts: int | None = None  # of its container, as its runtime counts them


class Cursor(Struct, frozen=True):
    """The run that a replica is in."""

    run: str
    first_seen: int
    identity: Identity = Identity()
    snapshots: int = 0


def follow(cursor: Cursor | None, service: str, replica: str, seen: Identity, at: int) -> tuple[Cursor, bool]:
    """Return the run that a snapshot belongs to, and whether the process was restarted before it."""
    if cursor is None or restarted(cursor.identity, seen):
        started = seen.started if seen.started is not None else at
        second = (started + 500_000) // 1_000_000  # what tells the start may differ by some of the kernel's clock ticks
        begun = Cursor(run_id(service, replica, second * 1_000_000), at, seen, 1)
        return begun, cursor is not None
    before = cursor.identity
    known = Identity(
        seen.started if seen.started is not None else before.started,
        {**before.counters, **seen.counters},
        seen.version or before.version,
        seen.program or before.program,
        seen.restarts if seen.restarts is not None else before.restarts,
    )
    return Cursor(cursor.run, cursor.first_seen, known, cursor.snapshots + 1), False


def restarted(before: Identity, seen: Identity) -> bool:
    """Tell whether these are two processes."""
    if before.restarts is not None and seen.restarts is not None and seen.restarts > before.restarts:
        return True
    if before.started is not None and seen.started is not None:
        return abs(before.started - seen.started) > _SAME
    common = before.counters.keys() & seen.counters.keys()
    return any(seen.counters[name] < before.counters[name] * _SLACK for name in common)

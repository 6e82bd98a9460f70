"""When collections ran: since which snapshot a goroutine that only waits must show an age.

A collection dates every goroutine that it finds waiting; a dump prints the age from one minute on. So who stood here in
an earlier snapshot, with a collection after it and a minute since, and has no age, has run in between.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from oakum.model import Snapshot

_MINUTE = timedelta(seconds=65)
# Go collects at least every two minutes.
_FORCED = timedelta(seconds=130)


def dated_since(snapshots: Sequence[Snapshot]) -> tuple[int, ...]:
    """Return for each snapshot the latest earlier one since which a wait must have an age by now; -1 when none."""
    return tuple(_since(snapshots, at) for at in range(len(snapshots)))


def _since(snapshots: Sequence[Snapshot], at: int) -> int:
    now = snapshots[at].at
    if now is None:
        return -1
    collections = [end for end in _collections(snapshots[at]) if end <= now - _MINUTE]
    for then in range(at - 1, -1, -1):
        seen = snapshots[then].at
        if seen is not None and (any(end > seen for end in collections) or now - seen >= _FORCED + _MINUTE):
            return then
    return -1


def _collections(snapshot: Snapshot) -> list[datetime]:
    """Return when collections ended, as far as the memory statistics of the snapshot tell."""
    stats = snapshot.memstats
    if stats is None:
        return []
    ends = [nanos for nanos in (*stats.pause_end_nanos, stats.last_gc_nanos or 0) if nanos > 0]
    return [datetime.fromtimestamp(nanos / 1e9, UTC) for nanos in ends]

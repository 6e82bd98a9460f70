"""Snapshots of one series -> the processes and runs that they are of: before a restart it was another process.

A restart shows where the start differs, or where less was allocated or collected than before: both only grow. Snapshots
of processes that lived at one time are of replicas, and so are those with other pids, ports or goroutines of one id;
those of another main package or binary are of another program.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal

import numpy as np
from msgspec import Struct, field

from oakum.assemble.sockets import joined
from oakum.model import Argument, Text

if TYPE_CHECKING:
    from oakum.assemble.snapshots import Gathered
    from oakum.model import Goroutines
    from oakum.model.profile import Int64s

Relation = Literal["same", "restart", "replica", "program"]

_SAME = 2.0  # seconds; the kernel's clock ticks are coarse
_GROWING = ("total_alloc", "num_gc", "mallocs")
_COUNTERS = ("go_memstats_alloc_bytes_total", "go_gc_duration_seconds_count", "process_cpu_seconds_total")
_SCALES = (*(1.0 for _ in (*_GROWING, *_COUNTERS)), 0.99)  # sampled bytes, the last, are scaled and rounded
_LOOKED_BACK = 32  # processes of one series that a snapshot may be another one of
# Ids that one processor of Go keeps for the goroutines it will start are sixteen; of a few processors they are a few.
_KEPT_BACK = 64
_OOM = "container_oom_events_total"
_ENDED = "kube_pod_container_status_last_terminated_reason"
_EXIT = "kube_pod_container_status_last_terminated_exitcode"


class Run(Struct, eq=False):
    """Snapshots between two restarts, oldest first, and what is known of why it was started."""

    snapshots: "list[Gathered]"
    why: Text | None = None
    ranges: "list[Gathered]" = field(default_factory=list)  # what metrics tell of the time around them


class Split(Struct, eq=False):
    """What a series turned out to hold: runs of one process, or those of several."""

    runs: list[Run] = field(default_factory=list)
    relation: Relation = "same"  # to the process before it

    @property
    def last(self) -> "Gathered":
        """Return its newest snapshot."""
        return self.runs[-1].snapshots[-1]

    @property
    def snapshots(self) -> "list[Gathered]":
        """Return its snapshots, run after run."""
        return [one for run in self.runs for one in run.snapshots]


def split(snapshots: "Sequence[Gathered]", dated: bool) -> list[Split]:
    """Return the processes whose snapshots a series holds, oldest first; `dated`: that order is known."""
    found: list[Split] = []
    for snapshot in snapshots:
        related: dict[Relation, Split] = {}
        for one in found[:-_LOOKED_BACK:-1]:
            related.setdefault(relation(one.last, snapshot, dated), one)
        if same := related.get("same"):
            same.runs[-1].snapshots.append(snapshot)
        elif before := related.get("restart"):
            before.runs.append(Run([snapshot], why_restarted(before.last, snapshot)))
        else:
            how: Relation = "replica" if "replica" in related else "program" if related else "same"
            found.append(Split([Run([snapshot])], how))
    return found


def relation(before: "Gathered", after: "Gathered", dated: bool) -> Relation:
    """Return how the processes of two snapshots are related."""
    was, now = before.identity, after.identity
    if are_programs(before, after):
        return "program"
    if was.started is not None and now.started is not None:
        if abs(now.started - was.started) <= _SAME:
            return "same"
        return "replica" if _both_lived(before, after, dated) else "restart"
    if dated and before.ended:
        return "restart"
    fell = _counters_fell(before, after) if dated else None
    # Go reads the build id from the file as it is on disk now, which may be the next release.
    if was.build_id and now.build_id and was.build_id != now.build_id and fell is not False:
        return "restart" if dated else "replica"
    if _elsewhere(before, after) or _ids_differ(before, after) or (dated and _ids_fall(before, after)):
        return "replica" if not dated or _was_waiting(before, after) else "restart"
    return "restart" if fell else "same"


def are_programs(before: "Gathered", after: "Gathered") -> bool:
    """Tell whether two snapshots are of different programs: by main package, or by binary and code alike."""
    was, now = before.identity, after.identity
    if was.binary and now.binary and was.binary == now.binary:
        return False
    main = bool(was.main and now.main)
    if main and was.main == now.main:
        return False
    if not main and not (was.binary and now.binary):
        return False
    ours, theirs = before.own_code, after.own_code
    # A program at rest shows nothing but main; of two files either may be renamed.
    return not ours & theirs if main else bool(ours and theirs) and not ours & theirs


def _both_lived(before: "Gathered", after: "Gathered", dated: bool) -> bool:
    """Tell whether two processes with different starts ran at one time."""
    first, second = sorted((before, after), key=lambda one: one.identity.started or 0.0)
    if not dated or first.time is None:
        written = first.written
        # A file is written when it is captured, or copied later: before the other was started is before.
        return written is None or written[1].timestamp() > (second.identity.started or 0.0)
    return first.time.timestamp() > (second.identity.started or 0.0)


def _was_waiting(before: "Gathered", after: "Gathered") -> bool:
    """Tell whether goroutines of the later snapshot waited already when the earlier one was taken."""
    dump = after.dump
    longest = max((group.longest or 0 for group in dump.groups), default=0) if dump else 0
    return bool(before.time and after.time and after.time - timedelta(minutes=longest) < before.time and longest)


def _elsewhere(before: "Gathered", after: "Gathered") -> bool:
    """Tell whether two snapshots have different pids, or listen at no port in common: a process keeps both."""
    pids, ports = zip(*(_pid_and_ports(one) for one in (before, after)), strict=True)
    return (None not in pids and pids[0] != pids[1]) or (all(ports) and ports[0].isdisjoint(ports[1]))


def _pid_and_ports(snapshot: "Gathered") -> tuple[int | None, set[str]]:
    told = joined([part.reading.sockets for part in snapshot.parts if part.reading.sockets is not None])
    if told is None:
        return None, set()
    listening = (row.local for row in told.own if row.kind == "tcp" and row.state == "LISTEN")
    return told.owner, {local.rpartition(":")[2] for local in listening}


def _ids_differ(before: "Gathered", after: "Gathered") -> bool:
    """Tell whether goroutines of one id were started by different functions or goroutines: an id is given once in a
    process."""
    one, other = _creators(before.dump), _creators(after.dump)
    common = np.intersect1d(one[0], other[0], assume_unique=True)
    if not len(common):
        return False
    mine, theirs = (ids[1:, np.searchsorted(ids[0], common)] for ids in (one, other))
    differ = int(np.count_nonzero(mine[0] != theirs[0]))
    told = (mine[1] > 0) & (theirs[1] > 0)  # which goroutine it was, as Go 1.21 and later print it
    return differ > 1 or differ == len(common) or bool(np.any(mine[1][told] != theirs[1][told]))


def _creators(dump: "Goroutines | None") -> "Int64s":
    """Return the ids of goroutines whose creator is told, sorted; a hash of that, and its own id, 0 where unknown."""
    groups = [group for group in dump.groups if group.created_by and len(group.ids)] if dump else []
    if not groups:
        return np.zeros((3, 0), np.int64)
    ids = np.concatenate([group.ids for group in groups])
    names = [group.created_by.function if group.created_by else "" for group in groups]
    who = np.repeat(np.array([hash(name) for name in names], np.int64), [len(group.ids) for group in groups])
    parents = [group.parents if len(group.parents) == len(group.ids) else np.zeros_like(group.ids) for group in groups]
    ids, rows = np.unique(ids, return_index=True)
    return np.stack([ids, who[rows], np.concatenate(parents)[rows]])


def _ids_fall(before: "Gathered", after: "Gathered") -> bool:
    """Tell whether many goroutines came, and all of them with ids that were given out before."""
    one, other = before.dump, after.dump
    if one is None or other is None or one.cut:
        return False
    ids = [np.concatenate([np.zeros(0, np.int64), *(group.ids for group in dump.groups)]) for dump in (one, other)]
    if not len(ids[0]) or not len(ids[1]) or ids[1].max() > ids[0].max():
        return False
    return len(np.setdiff1d(ids[1], ids[0])) > _KEPT_BACK


def _counters_fell(before: "Gathered", after: "Gathered") -> bool | None:
    """Tell whether one of the figures that only grow is lower than before; None when there are none in both."""
    pairs = zip(_figures(before), _figures(after), _SCALES, strict=True)
    known = [now < was * scale for was, now, scale in pairs if was is not None and now is not None]
    return any(known) if known else None


def _figures(snapshot: "Gathered") -> list[float | None]:
    """Return what only grows while a process lives."""
    parts = snapshot.parts
    stats = next((one.reading.memstats for one in parts if one.reading.memstats is not None), None)
    figures: list[float | None] = [getattr(stats, name, None) for name in _GROWING]
    metrics = snapshot.metrics
    told = [metrics.by_labels(name) if metrics else {} for name in _COUNTERS]
    # With labels it is a sum over several.
    return [*figures, *(next(iter(one.values())) if len(one) == 1 else None for one in told), snapshot.allocated]


def why_restarted(before: "Gathered", after: "Gathered") -> Text | None:
    """Return why a process was restarted, where captures tell it: no memory, an exit code, another build."""
    ended = after.labelled(_ENDED, "reason")
    code = after.total(_EXIT)
    more = (after.total(_OOM) or 0.0) - (before.total(_OOM) or 0.0)
    if ended == "OOMKilled" or more > 0:
        return Text("notice.restarted-oom")
    if ended or code is not None:
        args: dict[str, Argument] = {"reason": ended or "-", "code": int(code or 0)}
        return Text("notice.restarted-exit", args)
    if before.ended:
        return crashed(before.ended)
    was, now = before.identity, after.identity
    if was.version and now.version and was.version != now.version:
        return Text("notice.restarted-deploy", {"old": was.version[:40], "after": now.version[:40]})
    if was.build_id and now.build_id and was.build_id != now.build_id:
        return Text("notice.restarted-build")
    return None


def crashed(reason: str) -> Text:
    """Return that a process ended with these words."""
    return Text("notice.restarted-crash", {"reason": reason[:200]})


def started_at(snapshots: "Iterable[Gathered]") -> datetime | None:
    """Return when the process of some snapshots was started, where that is told."""
    told = next((one.identity.started for one in snapshots if one.identity.started is not None), None)
    return datetime.fromtimestamp(told, UTC) if told is not None and 0 < told < 2**33 else None

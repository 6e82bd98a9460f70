"""Captures of one look -> figures and places worth keeping: rows of the store; the readings themselves are let go.

Parsing and putting together are the pipeline's, figures and places those of the store. What no capture says is None.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from msgspec import structs

from oakum.model import Capture, Metrics, NotAssembled, Snapshot
from oakum.pipeline.case import assemble_case, input_of
from oakum.store.rows import MetricRow
from oakum.store.summary import Figures, Place, column, figures_of, first, modules_of, places_of, told_of
from oakum.watch.runs import Identity

PLACES_MOST = 48  # of each kind in one snapshot: those that hold most
_METRICS_MOST = 64
# Which of the metrics of a scrape are kept: Go's own, the process's, and the counters of requests.
_KEPT = re.compile(
    r"go_(?:goroutines|threads|gc_duration_seconds_count|memstats_(?:alloc_bytes_total|heap_\w+_bytes|stack_inuse_bytes|sys_bytes"
    r"|next_gc_bytes)|gc_\w+_bytes|sched_gomaxprocs_threads)"
    r"|process_(?:resident_memory_bytes|cpu_seconds_total|open_fds|start_time_seconds|virtual_memory_bytes)"
    r"|container_(?:oom_events_total|memory_working_set_bytes|spec_memory_limit_bytes)"
)


class Summary(Figures, frozen=True, eq=False, kw_only=True):
    """What is kept of one snapshot."""

    at: datetime
    identity: Identity = Identity()
    go: str = ""
    image: str = ""
    ended: str = ""  # how a container ended last: "OOMKilled at 2026-11-16T07:59:12Z, exit code 137"
    places: tuple[Place, ...] = ()
    metrics: tuple[tuple[str, str, float], ...] = ()  # name, labels, value
    modules: tuple[str, ...] = ()  # of its build

    @property
    def held(self) -> int | None:
        """Return the memory that counts against the limit."""
        return self.charged if self.limit_kind == "cgroup" and self.charged is not None else self.rss


def summarize(
    captures: Sequence[tuple[str, Capture]], facts: Mapping[str, object], at: datetime, watched: Iterable[str] = ()
) -> Summary:
    """Return what captures of one look tell; `watched`: keys of places that are kept however little is there."""
    inputs = [input_of(capture, "watch", ("1", file)) for file, capture in captures]
    snapshot, build = Snapshot(""), None
    if inputs:
        try:
            case = assemble_case(inputs).case
            snapshot, build = case.processes[-1].snapshots[-1], case.processes[-1].build
        except (NotAssembled, IndexError):
            pass  # facts alone: a version without a profile
    told = told_of(snapshot)
    container = _container(facts)
    figures = figures_of(snapshot, str(container.get("memory limit", "")))
    if snapshot.goroutines is None and (counted := _number(facts.get("goroutines"))) is not None:
        figures = structs.replace(figures, goroutines=int(counted))
    identity = Identity(
        _started(told, facts),
        _counters(told, snapshot),
        snapshot.identity.version or snapshot.identity.build_id or (build.main_version if build else None) or "",
        snapshot.identity.main or snapshot.identity.binary,
        _restarts(facts),
    )
    return Summary(
        **structs.asdict(figures),
        at=at,
        identity=identity,
        go=(build.go if build else None) or snapshot.go_version or str(facts.get("go", "")),
        image=str(container.get("image", "")),
        ended=str(container.get("last state", "")),
        places=places_of(snapshot, PLACES_MOST, frozenset(watched)),
        metrics=tuple(_chosen(told)),
        modules=modules_of(build),
    )


def metric_rows(summary: Summary, run: str, service: str, at: int) -> tuple[MetricRow, ...]:
    return tuple(
        MetricRow(run=run, service=service, at=at, name=name, labels=labels, value=value)
        for name, labels, value in summary.metrics
    )


def _container(facts: Mapping[str, object]) -> Mapping[str, object]:
    """Return what a pod tells of its first container that was restarted, or of its first."""
    containers = facts.get("containers")
    rows = [one for one in containers.values() if isinstance(one, dict)] if isinstance(containers, dict) else []
    return max(rows, key=lambda one: bool(one.get("last state")), default={})


def _restarts(facts: Mapping[str, object]) -> int | None:
    """Return how often a container was restarted; of several nobody knows in which the process is."""
    containers = facts.get("containers")
    if not isinstance(containers, dict) or len(containers) != 1:
        return None
    told = _container(facts).get("restarts")
    return told if isinstance(told, int) else None


def _started(told: Sequence[Metrics], facts: Mapping[str, object]) -> int | None:
    seconds = first(told, "process_start_time_seconds")
    if seconds is not None and 0 < seconds < 1e11:
        return round(seconds * 1e6)
    try:
        return round(datetime.fromisoformat(str(facts["started"])).astimezone(UTC).timestamp() * 1e6)
    except (KeyError, ValueError, OverflowError):
        return None


def _counters(told: Sequence[Metrics], snapshot: Snapshot) -> dict[str, float]:
    names = ("process_cpu_seconds_total", "go_gc_duration_seconds_count", "go_memstats_alloc_bytes_total")
    found = {name: first(told, name) for name in names} | {"alloc_space": column(snapshot.heap, "alloc_space")}
    if snapshot.memstats is not None:
        found |= {"total_alloc": snapshot.memstats.total_alloc, "num_gc": snapshot.memstats.num_gc}
    return {name: float(value) for name, value in found.items() if value is not None}


def _chosen(told: Sequence[Metrics]) -> Iterable[tuple[str, str, float]]:
    """Yield the metrics that are kept, and one sum of the requests served."""
    values = {key: value for one in told for key, value in one.values.items() if _KEPT.fullmatch(key[0])}
    for (name, labels), value in sorted(values.items())[:_METRICS_MOST]:
        if math.isfinite(value):
            yield name, ",".join(f"{key}={one}" for key, one in labels), value


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

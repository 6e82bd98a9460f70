"""Series of metrics through time -> readings: the snapshots of each run of each process, and the series themselves.

Comes in: series with their labels, from whatever store. Goes out: readings of kind "metrics", one for each of at most
24 snapshots of each run of each process: a restart is a new process. Of many runs the last are read, and the longest.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from oakum.model import Metrics, Problem, Reading
from oakum.model.metrics import Labels
from oakum.model.profile import Bools
from oakum.model.signals import Floats, Series, started_anew
from oakum.parse.builds.metrics import build_told

SNAPSHOTS = 24  # of one run: enough to tell a slope from a saw
_MOST_PROCESSES = 50
_MOST_SERIES = 20_000
MOST_POINTS = 10_000_000
_RUNS_MOST = 4  # the last ones, and the longest: of a crash loop no more is learned
# Where a sample comes from, not what it says: the same for all of one process.
_PLACES = frozenset({
    "__name__", "job", "instance", "namespace", "pod", "container", "node", "endpoint", "prometheus",
    "prometheus_replica", "cluster", "metrics_path",
})  # fmt: skip
_CONTAINER_PLACES = _PLACES | {"id", "image", "name", "uid", "service"}
_OF_A_POD = ("container_", "kube_pod_")  # told by the kubelet and by kube-state-metrics, in whose name they stand
# They begin anew at zero when the process does.
_COUNTERS = (
    "process_cpu_seconds_total", "go_gc_duration_seconds_count", "go_memstats_alloc_bytes_total",
    "go_memstats_mallocs_total", "go_gc_cycles_total_gc_cycles_total",
)  # fmt: skip
# What Go and the kernel never give back, and what falls by half at a restart but may without one.
_NEVER_FALLS = ("go_memstats_sys_bytes", "go_threads", "go_memstats_buck_hash_sys_bytes")
_MAY_FALL = ("go_goroutines", "process_resident_memory_bytes", "go_memstats_heap_alloc_bytes", "process_open_fds")
_LESS, _HALF = 0.9, 0.5


class RawSeries(Struct, eq=False):
    """One series as a store has it."""

    labels: dict[str, str]
    times: Floats  # seconds since 1970, oldest first
    values: Floats  # none is NaN

    @property
    def name(self) -> str:
        return self.labels.get("__name__", "")

    @property
    def places(self) -> frozenset[str]:
        return _CONTAINER_PLACES if self.name.startswith(_OF_A_POD) else _PLACES

    @property
    def said(self) -> Labels:
        """Return its labels without those that only say where it is from."""
        places = self.places
        return tuple(sorted((name, text) for name, text in self.labels.items() if name not in places))

    def near(self, stamps: Floats, within: float) -> Floats:
        """Return the value at each time, or of the nearest sample close to it; NaN where there is none."""
        after = np.searchsorted(self.times, stamps)
        before = np.maximum(after - 1, 0)
        after = np.minimum(after, len(self.times) - 1)
        nearer = np.where(np.abs(self.times[before] - stamps) <= np.abs(self.times[after] - stamps), before, after)
        return np.where(np.abs(self.times[nearer] - stamps) <= within, self.values[nearer], np.nan)


class _Program(Struct, eq=False):
    name: str
    series: list[RawSeries] = field(default_factory=list)


def raw_series(labels: dict[str, str], times: Floats, values: Floats) -> RawSeries | None:
    """Return a series of samples that may be in any order; None when none of them is a number at a time."""
    # Years 1970 to 2500; NaN marks a series that went stale.
    kept = (times > 0) & (times < 1.7e10) & ~np.isnan(values)
    times, values = times[kept], values[kept]
    if not len(times):
        return None
    if (np.diff(times) < 0).any():
        order = np.lexsort((values, times))
        times, values = times[order], values[order]
    return RawSeries(labels, times, values)


def range_readings(series: Sequence[RawSeries], said: list[Problem]) -> tuple[Reading, ...]:
    """Return the snapshots that the series tell of, with the series; `said` goes with the first of them."""
    if sum(len(one.times) for one in series) > MOST_POINTS or len(series) > _MOST_SERIES:
        return (no_series([Problem.of("too-much.series", series=len(series))]),)
    programs, nobodys = _programs(series)
    if (more := len(programs) - _MOST_PROCESSES) > 0:
        said.append(Problem.of("too-many.processes", more=more))
    readings: list[Reading] = []
    for one in programs[:_MOST_PROCESSES]:
        first, *others = _snapshots(one)
        readings += [replace(first, series=tuple(_kept(each, one.name) for each in one.series)), *others]
    # What many others count may still be what growth follows.
    beside = [_kept(each, one.name) for one in programs[_MOST_PROCESSES:] for each in one.series]
    beside += [_kept(each, "") for each in nobodys]
    first = readings[0] if readings else no_series(())
    first = replace(first, problems=(*said, *first.problems), series=(*first.series, *beside))
    return (first, *readings[1:])


def no_series(said: Sequence[Problem]) -> Reading:
    return Reading(kind="metrics", format="prometheus-range", problems=tuple(said))


def _kept(one: RawSeries, owner: str) -> Series:
    return Series(one.name, one.said, one.times, one.values, owner)


def _programs(series: Sequence[RawSeries]) -> tuple[list[_Program], list[RawSeries]]:
    """Return the series by process, and those of nobody; what is told of a container goes to the process in it."""
    own: dict[tuple[str, ...], _Program] = {}
    pods: dict[tuple[str, str, str], list[RawSeries]] = {}
    nobodys: list[RawSeries] = []
    for one in series:
        labels = one.labels
        if one.name.startswith(_OF_A_POD) and "pod" in labels:
            pods.setdefault((labels.get("namespace", ""), labels["pod"], labels.get("container", "")), []).append(one)
        elif one.name and ("instance" in labels or "job" in labels or "pod" in labels):
            key = tuple(labels.get(name, "") for name in ("cluster", "job", "instance", "namespace", "pod"))
            program = own.setdefault(key, _Program(_called(labels)))
            program.series.append(one)
        else:
            nobodys.append(one)
    homeless = _into_pods(own, pods)
    named = [one for one in nobodys if one.name]
    if named and len(own) < 2:  # a sum has lost its labels
        (own[next(iter(own))] if own else own.setdefault((), _Program(""))).series.extend(named)
        nobodys = [one for one in nobodys if not one.name]
    return [*own.values(), *homeless], nobodys


def _into_pods(
    own: Mapping[tuple[str, ...], _Program], pods: dict[tuple[str, str, str], list[RawSeries]]
) -> list[_Program]:
    """Give each process what is told of its container; return the containers that no process is known of."""
    by_pod: dict[str, list[_Program]] = {}
    for program in own.values():
        by_pod.setdefault(program.series[0].labels.get("pod", ""), []).append(program)
    named = {key[:2] for key in pods if key[2]}
    homeless = []
    for (namespace, pod, container), told in pods.items():
        # The pod as a whole, and the container that holds its network, beside the containers that do the work.
        if container == "POD" or (not container and (namespace, pod) in named):
            continue
        homes = [program for program in by_pod.get(pod, ())[:_MOST_PROCESSES] if _lives(program, namespace, container)]
        if len(homes) == 1 or (len(own) == 1 and len(pods) == 1):
            (homes or list(own.values()))[0].series += told
        else:
            homeless.append(_Program(_called(told[0].labels), list(told)))
    return homeless


def _lives(program: _Program, namespace: str, container: str) -> bool:
    """Tell whether a process may be the one in a container of its pod."""
    labels = program.series[0].labels
    return labels.get("namespace", namespace) == namespace and labels.get("container", container) in (container, "")


def _called(labels: Mapping[str, str]) -> str:
    """Return what people call the process: kubelet n7:10250, shop/orders-7d4b9."""
    if "instance" in labels and not ("pod" in labels and labels["instance"] == ""):
        return " ".join(part for part in (labels.get("job", ""), labels["instance"]) if part)
    parts = (labels.get("namespace", ""), labels.get("pod", ""), labels.get("container", ""))
    return "/".join(part for part in parts if part) or labels.get("job", "")


def _snapshots(program: _Program) -> Iterator[Reading]:
    stamps = _stamps(program.series)
    runs = _runs(program.series, stamps)
    longest = max(reversed(runs), key=lambda run: float(run[-1] - run[0]))
    kept = [run for at, run in enumerate(runs) if at >= len(runs) - _RUNS_MOST or run is longest]
    notes = {"process": program.name} if program.name else {}
    for number, run in enumerate(kept, 1):
        which = {"run": str(number)} if len(kept) > 1 else {}
        chosen = _thinned(run)
        problems = tuple(_left_out(runs, kept) if number == 1 else ()) + tuple(_thinning(run, chosen))
        for at, (stamp, values) in enumerate(zip(chosen, _at(program.series, chosen, _tolerance(run)), strict=True)):
            told = problems if not at else ()
            when = datetime.fromtimestamp(float(stamp), UTC)
            yield _reading(when, Metrics(values), MappingProxyType(notes | which), told)


def _reading(at: datetime, metrics: Metrics, notes: Mapping[str, str], told: tuple[Problem, ...]) -> Reading:
    build = build_told(metrics)
    return Reading(
        kind="metrics",
        format="prometheus-range",
        go_version=build.go if build else None,
        taken_at=at,
        metrics=metrics,
        build=build,
        where=f"at {at:%Y-%m-%dT%H:%M:%SZ}",
        problems=told,
        notes=notes,
    )


def _stamps(series: Sequence[RawSeries]) -> Floats:
    """Return when there are samples of most series; answers to several queries have the same times."""
    seen, counts = np.unique(np.concatenate([one.times for one in series]), return_counts=True)
    stamps: Floats = seen[counts >= counts.max() / 2]
    return stamps


def _tolerance(run: Floats) -> float:
    steps = np.sort(np.diff(run))
    return max(1.0, float(steps[len(steps) // 2])) if len(steps) else 60.0


def _runs(series: Sequence[RawSeries], stamps: Floats) -> list[Floats]:
    """Return the stamps of each run of the process: from one start to the next."""
    breaks: list[Floats] = [_breaks_of_gauges(series, stamps)]
    for one in series:
        if one.name == "process_start_time_seconds":
            breaks.append(one.times[1:][started_anew(one.times, one.values)])
        elif one.name in _COUNTERS:
            breaks.append(one.times[1:][np.diff(one.values) < 0])
    number = np.searchsorted(np.unique(np.concatenate(breaks)), stamps, side="right")
    return np.split(stamps, np.flatnonzero(np.diff(number)) + 1)


def _breaks_of_gauges(series: Sequence[RawSeries], stamps: Floats) -> Floats:
    """Return when gauges fell as they do at a restart alone: what is never given back, and much else at one time."""
    hard, soft = (
        sum((_fell(one, stamps, part) for one in series if one.name in names), np.zeros(max(0, len(stamps) - 1), int))
        for names, part in ((_NEVER_FALLS, _LESS), (_MAY_FALL, _HALF))
    )
    return stamps[1:][(hard > 1) | ((hard > 0) & (soft > 1))]


def _fell(one: RawSeries, stamps: Floats, part: float) -> Bools:
    values = one.near(stamps, 0.0)
    return values[1:] < part * values[:-1]


def _left_out(runs: Sequence[Floats], kept: Sequence[Floats]) -> Iterator[Problem]:
    if len(kept) == len(runs):
        return
    began = [f"{datetime.fromtimestamp(float(one[0]), UTC):%Y-%m-%d %H:%M:%S}" for one in runs[1:]]
    yield Problem.of("restarted", restarts=len(began), when=", ".join(began[-3:]), read=len(kept), runs=len(runs))


def _thinned(run: Floats) -> Floats:
    if len(run) <= SNAPSHOTS:
        return run
    return run[[round(at * (len(run) - 1) / (SNAPSHOTS - 1)) for at in range(SNAPSHOTS)]]


def _thinning(run: Floats, chosen: Floats) -> Iterator[Problem]:
    if len(chosen) < len(run):
        yield Problem.of("thinned", moments=len(run), read=len(chosen))


def _at(series: Sequence[RawSeries], stamps: Floats, within: float) -> list[dict[tuple[str, Labels], float]]:
    """Return the scrape of each snapshot."""
    found: list[dict[tuple[str, Labels], float]] = [{} for _ in stamps]
    for one in series:
        key = one.name, one.said
        for values, value in zip(found, one.near(stamps, within).tolist(), strict=True):
            if value == value:  # not NaN
                # Two scrapers of one process tell the same twice.
                values[key] = max(values[key], value) if key in values else value
    return found

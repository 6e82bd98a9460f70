"""Answers of Prometheus' query API (matrix or vector; Thanos, Mimir and VictoriaMetrics answer alike) -> Metrics.

In: one answer or several one after the other, or what `promtool query range -o json` prints. Out: readings of kind
"metrics", one for each of at most 24 snapshots of each run of each process: a restart is a new process. Of many runs
the last are read, and the longest.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from types import MappingProxyType

from msgspec import Struct, field
from msgspec.structs import replace

from oakum.model import Buffer, Metrics, Problem, Reading
from oakum.model.metrics import Labels
from oakum.parse.builds.metrics import build_told
from oakum.parse.limits import Limits
from oakum.parse.plain_json import MOST, begins, documents, each, inside, text_of

SNAPSHOTS = 24  # of one run: enough to tell a slope from a saw
_MOST_PROCESSES = 50
_MOST_SERIES = 20_000
_MOST_POINTS = 2_000_000
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


class _Series(Struct, eq=False):
    name: str
    labels: dict[str, str]
    points: list[tuple[float, float]]  # seconds since 1970, value; oldest first

    def near(self, stamp: float, within: float) -> float | None:
        """Return the value at a snapshot, or of the nearest sample close to it."""
        at = bisect_left(self.points, (stamp, -math.inf))
        near = min(self.points[max(0, at - 1) : at + 1], key=lambda point: abs(point[0] - stamp), default=None)
        return near[1] if near is not None and abs(near[0] - stamp) <= within else None


class _Program(Struct, eq=False):
    name: str
    series: list[_Series] = field(default_factory=list)


def read(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    """Return the snapshots that the answers tell of, or nothing when this is no answer of Prometheus."""
    del limits  # bounded by its size, and by the number of points
    head = bytes(data[: 4 << 10])
    if len(data) > MOST or not begins(head) or (b'"resultType"' not in head and b'"metric"' not in head):
        return ()
    series: list[_Series] = []
    said: list[Problem] = []
    for document in documents(data):
        results = _results(document, said)
        if results is None:
            return ()
        series += results
    if not series:
        return (_empty(said),) if said or b'"resultType"' in head else ()
    if sum(len(one.points) for one in series) > _MOST_POINTS or len(series) > _MOST_SERIES:
        return (_empty([Problem.of("too-much.series", series=len(series))]),)
    programs = _programs(series)
    if (more := len(programs) - _MOST_PROCESSES) > 0:
        said.append(Problem.of("too-many.processes", more=more))
    readings = [reading for one in programs[:_MOST_PROCESSES] for reading in _snapshots(one)]
    if readings and said:
        readings[0] = replace(readings[0], problems=(*said, *readings[0].problems))
    return tuple(readings)


def _empty(said: Sequence[Problem]) -> Reading:
    told = tuple(said) or (Problem.of("empty-answer"),)
    return Reading(kind="metrics", format="prometheus-range", problems=told)


def _results(document: object, said: list[Problem]) -> list[_Series] | None:
    """Return the series of one answer; None when it is none."""
    if isinstance(document, list):  # promtool
        if not document or not all(isinstance(one, dict) and "metric" in one for one in document):
            return None
        return list(_series(document))
    if not isinstance(document, dict) or document.get("status") not in ("success", "error"):
        return None
    if document["status"] == "error":
        why = f"{text_of(document, 'errorType')}: {text_of(document, 'error')}"[:300]
        said.append(Problem.of("refused.query", why=why))
        return []
    kind = text_of(inside(document, "data"), "resultType")
    if kind not in ("matrix", "vector"):
        return None
    for warning in (*_texts(document.get("warnings")), *_texts(document.get("infos"))):
        said.append(Problem.of("warning.prometheus", said=warning[:300]))
    if document.get("isPartial") is True or document.get("partial") is True:
        said.append(Problem.of("warning.partial"))
    result = inside(document, "data").get("result")
    found = list(_series(result))
    if isinstance(result, list) and result and not found:
        said.append(Problem.of("nameless"))
    return found


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)][:5] if isinstance(value, list) else []


def _series(result: object) -> Iterator[_Series]:
    for one in each(result):
        labels = {name: value for name, value in inside(one, "metric").items() if isinstance(value, str)}
        values, value = one.get("values"), one.get("value")
        listed = values if isinstance(values, list) else [value] if isinstance(value, list) else []
        points = sorted(point for raw in listed if (point := _point(raw)))
        name = labels.get("__name__", "")
        if name and points:
            yield _Series(name, labels, points)


def _point(raw: object) -> tuple[float, float] | None:
    """[1700000000.123, "42"]"""
    if not isinstance(raw, list) or len(raw) != 2 or isinstance(raw[0], bool) or not isinstance(raw[0], int | float):
        return None
    try:
        stamp, value = float(raw[0]), float(raw[1])
    except (TypeError, ValueError, OverflowError):
        return None
    # Years 1970 to 2500; NaN marks a series that went stale.
    return (stamp, value) if 0 < stamp < 1.7e10 and not math.isnan(value) else None


def _programs(series: Sequence[_Series]) -> list[_Program]:
    """Return the series by process: what is told of a pod's containers goes to the process in it."""
    own: dict[tuple[str, ...], _Program] = {}
    pods: dict[tuple[str, str, str], list[_Series]] = {}
    nobodys: list[_Series] = []
    for one in series:
        labels = one.labels
        if one.name.startswith(_OF_A_POD) and "pod" in labels:
            pods.setdefault((labels.get("namespace", ""), labels["pod"], labels.get("container", "")), []).append(one)
        elif "instance" in labels or "job" in labels or "pod" in labels:
            key = tuple(labels.get(name, "") for name in ("cluster", "job", "instance", "namespace", "pod"))
            program = own.setdefault(key, _Program(_called(labels)))
            program.series.append(one)
        else:
            nobodys.append(one)
    homeless = _into_pods(own, pods)
    if nobodys and len(own) < 2:  # a sum has lost its labels
        (own[next(iter(own))] if own else own.setdefault((), _Program(""))).series.extend(nobodys)
    return [*own.values(), *homeless]


def _into_pods(
    own: Mapping[tuple[str, ...], _Program], pods: dict[tuple[str, str, str], list[_Series]]
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
    longest = max(reversed(runs), key=lambda run: run[-1] - run[0])
    kept = [run for at, run in enumerate(runs) if at >= len(runs) - _RUNS_MOST or run is longest]
    notes = {"process": program.name} if program.name else {}
    for number, run in enumerate(kept, 1):
        which = {"run": str(number)} if len(kept) > 1 else {}
        chosen = _thinned(run)
        problems = tuple(_left_out(runs, kept) if number == 1 else ()) + tuple(_thinning(run, chosen))
        for at, stamp in enumerate(chosen):
            values = _at(program.series, stamp, _tolerance(run))
            told = problems if not at else ()
            yield _reading(datetime.fromtimestamp(stamp, UTC), Metrics(values), MappingProxyType(notes | which), told)


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


def _stamps(series: Sequence[_Series]) -> list[float]:
    """Return when there are samples of most series; answers to several queries have the same times."""
    seen: dict[float, int] = {}
    for one in series:
        for stamp, _ in one.points:
            seen[stamp] = seen.get(stamp, 0) + 1
    most = max(seen.values())
    return sorted(stamp for stamp, count in seen.items() if count >= most / 2) or sorted(seen)


def _tolerance(run: Sequence[float]) -> float:
    steps = sorted(after - before for before, after in pairwise(run))
    return max(1.0, steps[len(steps) // 2]) if steps else 60.0


def _runs(series: Sequence[_Series], stamps: Sequence[float]) -> list[list[float]]:
    """Return the stamps of each run of the process: from one start to the next."""
    breaks: set[float] = set()
    for one in series:
        started = one.name == "process_start_time_seconds"
        if not started and one.name not in _COUNTERS:
            continue
        for (_, before), (stamp, after) in pairwise(one.points):
            # The kernel's idea of when a process began wanders by fractions of a second.
            if (started and after - before > 1) or (not started and after < before):
                breaks.add(stamp)
    breaks.update(_breaks_of_gauges(series, stamps))
    runs: list[list[float]] = [[]]
    ordered = sorted(breaks)
    for stamp in stamps:
        if runs[-1] and bisect_right(ordered, stamp) > bisect_right(ordered, runs[-1][-1]):
            runs.append([])
        runs[-1].append(stamp)
    return runs


def _breaks_of_gauges(series: Sequence[_Series], stamps: Sequence[float]) -> Iterator[float]:
    """Yield when gauges fell as they do at a restart alone: what is never given back, and much else at one time."""
    never, may = ([one for one in series if one.name in names] for names in (_NEVER_FALLS, _MAY_FALL))
    if not never:
        return
    for before, stamp in pairwise(stamps):
        fell = [[_fell(one, before, stamp, part) for one in some] for some, part in ((never, _LESS), (may, _HALF))]
        hard, soft = sum(fell[0]), sum(fell[1])
        if hard > 1 or (hard and soft > 1):
            yield stamp


def _fell(one: _Series, before: float, stamp: float, part: float) -> bool:
    was, now = one.near(before, 0.0), one.near(stamp, 0.0)
    return was is not None and now is not None and now < part * was


def _left_out(runs: Sequence[Sequence[float]], kept: Sequence[Sequence[float]]) -> Iterator[Problem]:
    if len(kept) == len(runs):
        return
    began = [f"{datetime.fromtimestamp(one[0], UTC):%Y-%m-%d %H:%M:%S}" for one in runs[1:]]
    yield Problem.of("restarted", restarts=len(began), when=", ".join(began[-3:]), read=len(kept), runs=len(runs))


def _thinned(run: Sequence[float]) -> list[float]:
    if len(run) <= SNAPSHOTS:
        return list(run)
    return [run[round(at * (len(run) - 1) / (SNAPSHOTS - 1))] for at in range(SNAPSHOTS)]


def _thinning(run: Sequence[float], chosen: Sequence[float]) -> Iterator[Problem]:
    if len(chosen) < len(run):
        yield Problem.of("thinned", moments=len(run), read=len(chosen))


def _at(series: Sequence[_Series], stamp: float, within: float) -> dict[tuple[str, Labels], float]:
    """Return the scrape of one snapshot, without the labels that only say where it is from."""
    values: dict[tuple[str, Labels], float] = {}
    for one in series:
        value = one.near(stamp, within)
        if value is not None:
            places = _CONTAINER_PLACES if one.name.startswith(_OF_A_POD) else _PLACES
            labels = tuple(sorted((name, text) for name, text in one.labels.items() if name not in places))
            key = one.name, labels
            # Two scrapers of one process tell the same twice.
            values[key] = max(values[key], value) if key in values else value
    return values

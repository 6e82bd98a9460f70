"""A scrape of /metrics in Prometheus' text format (also OpenMetrics) -> Metrics; with time stamps: a range of them.

In: `# TYPE` and `# HELP` lines and samples, labels escaped, or what `promtool tsdb dump-openmetrics` prints. Out: one
reading of kind "metrics", or those of a range. Refuses text that neither declares a type nor names a metric of a Go
process, nor stamps its samples; lines it cannot read are counted in a problem.
"""

import math
import re
from time import monotonic

import numpy as np

from oakum.model import Buffer, Metrics, Problem, Reading
from oakum.model.metrics import Labels
from oakum.parse.builds.metrics import build_told
from oakum.parse.limits import Limits
from oakum.parse.ranges import MOST_POINTS, range_readings, raw_series
from oakum.regex import regex

# TYPE go_goroutines gauge        (after "# ", which is searched for first: it begins a line)
_DECLARED = regex(rb"# (?<=^# )(?:TYPE|HELP|UNIT) [a-zA-Z_:][a-zA-Z0-9_:]* ", re.MULTILINE)
# go_goroutines 13
_OF_GO = regex(rb"\A(?:[a-zA-Z_:][^\n]* [-+0-9.eEINaNf]+\n){0,20}(?:go|process)_[a-z_]+ [0-9.e+]+\n")
# http_requests_total{code="200",path="/quote/"} 40 1700000000000
_SAMPLE = regex(r"^([a-zA-Z_:][a-zA-Z0-9_:]*(?:\{[^\n]*\})?)[ \t]+(\S+)(?:[ \t]+(-?[0-9.]+))?(?: # .*)?$")
# go_goroutines{instance="10.0.0.7:6060"} 83 1700000000.123
_STAMPED = regex(
    rb"\A(?:#[^\n]*\n){0,20}[a-zA-Z_:][\w:]*(?:\{[^\n]{0,4096}\})?"
    rb"[ \t]+[-+0-9.eEINaNf]+[ \t]+[0-9]{9,16}[.0-9]{0,10}\r?\n"
)
# code="200"   path="C:\\tmp"
_LABEL = regex(r'\s*([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"\s*(?:,|$)')
_ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}
_ESCAPE = regex(r'\\[\\"n]')
_MILLISECONDS = 1e11  # later than the year 5000 in seconds
_MOST = 200_000  # samples; a large API server has some 50,000


def read(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    """Return the scrape, or nothing when this is none."""
    head = bytes(data[: 64 << 10])
    first = _DECLARED.search(head)
    if (
        not (first and first.start() < 4096 and _looks_so(head[: first.start()]))
        and not _OF_GO.match(head)
        and not _STAMPED.match(head)
    ):
        return ()
    values: dict[str, float] = {}
    stamped: dict[str, list[tuple[float, float]]] = {}
    unread = points = 0
    deadline = limits.deadline()
    for number, line in enumerate(bytes(data).decode("utf-8", "replace").split("\n")):
        if not line.strip() or line.startswith("#"):
            continue
        if number % 4096 == 0 and (monotonic() > deadline or points > MOST_POINTS):
            break
        found = _SAMPLE.match(line.rstrip("\r"))
        if not found or (found[1] not in values and len(values) >= _MOST):
            unread += 1
            continue
        try:
            value = float(found[2])
            if found[3]:
                stamped.setdefault(found[1], []).append((float(found[3]), value))
                points += 1
            values[found[1]] = value
        except ValueError:
            unread += 1
    if any(len(one) > 1 for one in stamped.values()):
        return _range(stamped)
    return _scrape(values, unread)


def _range(stamped: dict[str, list[tuple[float, float]]]) -> tuple[Reading, ...]:
    """Return the readings of samples that have time stamps: seconds, or milliseconds as the older format has them."""
    series = []
    for key, points in stamped.items():
        if (parts := _parts(key)) is None:
            continue
        times, numbers = np.array(points, np.float64).T
        times = np.where(times > _MILLISECONDS, times / 1000, times)
        if found := raw_series({"__name__": parts[0], **dict(parts[1])}, times, numbers):
            series.append(found)
    return range_readings(series, []) if series else ()


def _scrape(texts: dict[str, float], unread: int) -> tuple[Reading, ...]:
    """Return one scrape, from the texts of its series."""
    values: dict[tuple[str, Labels], float] = {}
    for key, value in texts.items():
        if (parts := _parts(key)) is None:
            unread += 1
        elif math.isfinite(value):  # a quantile of a summary without observations is NaN: no number
            values[parts] = value
    if not values or unread > len(values):
        return ()  # a log that quotes a metric
    problems = (Problem.of("unread-metrics", lines=unread),) if unread else ()
    metrics = Metrics(values)
    build = build_told(metrics)
    return (
        Reading(
            kind="metrics",
            format="prometheus-text",
            go_version=build.go if build else None,
            metrics=metrics,
            build=build,
            problems=problems,
        ),
    )


def _looks_so(before: bytes) -> bool:
    """Tell whether what stands before the first declaration are samples, or nothing."""
    return all(_SAMPLE.match(line.decode("utf-8", "replace")) for line in before.splitlines() if line.strip())


def _parts(key: str) -> tuple[str, Labels] | None:
    """Return name and labels of http_requests_total{code="200"}."""
    name, _, text = key.partition("{")
    labels = _labels(text.removesuffix("}"))
    return None if labels is None else (name, labels)


def _labels(text: str) -> Labels | None:
    labels, at = [], 0
    while at < len(text):
        found = _LABEL.match(text, at)
        if not found:
            return None
        labels.append((found[1], _ESCAPE.sub(lambda escape: _ESCAPES[escape[0]], found[2])))
        at = found.end()
    return tuple(sorted(labels))

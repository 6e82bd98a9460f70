"""A scrape of /metrics in Prometheus' text format (also OpenMetrics) -> Metrics.

In: `# TYPE` and `# HELP` lines and samples, labels escaped. Out: one reading of kind "metrics". Refuses text that
neither declares a type nor names a metric of a Go process; lines it cannot read are counted in a problem. What its
labels tell of the build (go_info, prometheus_build_info) is its `build`.
"""

import re
from time import monotonic

from oakum.model import Buffer, Metrics, Problem, Reading
from oakum.model.metrics import Labels
from oakum.parse.builds.metrics import build_told
from oakum.parse.limits import Limits
from oakum.regex import regex

# TYPE go_goroutines gauge        (after "# ", which is searched for first: it begins a line)
_DECLARED = regex(rb"# (?<=^# )(?:TYPE|HELP|UNIT) [a-zA-Z_:][a-zA-Z0-9_:]* ", re.MULTILINE)
# go_goroutines 13
_OF_GO = regex(rb"\A(?:[a-zA-Z_:][^\n]* [-+0-9.eEINaNf]+\n){0,20}(?:go|process)_[a-z_]+ [0-9.e+]+\n")
# http_requests_total{code="200",path="/quote/"} 40 1700000000000
_SAMPLE = regex(r"^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{([^\n]*)\})?[ \t]+(\S+)(?:[ \t]+-?[0-9.]+)?(?: # .*)?$")
# code="200"   path="C:\\tmp"
_LABEL = regex(r'\s*([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"\s*(?:,|$)')
_ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}
_ESCAPE = regex(r'\\[\\"n]')
_MOST = 200_000  # samples; a large API server has some 50,000


def read(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    """Return the scrape, or nothing when this is none."""
    head = bytes(data[: 64 << 10])
    first = _DECLARED.search(head)
    if not (first and first.start() < 4096 and _looks_so(head[: first.start()])) and not _OF_GO.match(head):
        return ()
    values: dict[tuple[str, Labels], float] = {}
    unread = 0
    deadline = limits.deadline()
    for number, line in enumerate(bytes(data).decode("utf-8", "replace").split("\n")):
        if not line.strip() or line.startswith("#"):
            continue
        if number % 4096 == 0 and monotonic() > deadline:
            break
        found = _SAMPLE.match(line.rstrip("\r"))
        labels = _labels(found[2] or "") if found else None
        if not found or labels is None or len(values) >= _MOST:
            unread += 1
            continue
        try:
            values[found[1], labels] = float(found[3])
        except ValueError:
            unread += 1
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


def _labels(text: str) -> Labels | None:
    labels, at = [], 0
    while at < len(text):
        found = _LABEL.match(text, at)
        if not found:
            return None
        labels.append((found[1], _ESCAPE.sub(lambda escape: _ESCAPES[escape[0]], found[2])))
        at = found.end()
    return tuple(sorted(labels))

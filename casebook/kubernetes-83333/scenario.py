"""Two evenings on which the leased line is three times as slow, so that the admin platform's full listings time out.

Prometheus watches the API server and the platform; what it saw lies beside the snapshots. A shortened run does without
it where it is not installed.
"""

import http.client
import json
import re
import shutil
import time
from datetime import UTC, datetime
from urllib.parse import urlencode

from casebook.runner.fetch import get
from casebook.runner.stage import RunFailed, Send, Stage

USUAL, SLOW = "150ms", "450ms"
# The nodes beside the API server ask for themselves all the while.
NODES = tuple(Send("GET", f"/api/v1/nodes/nodes-{node:04}", count=10) for node in (7, 21, 28))
# The leaking release counts a time-out among the requests, the fixed one among the terminations.
TIMED_OUT = {
    "leaking": 'apiserver_request_count{code="504"}',
    "fixed": 'apiserver_request_terminations_total{code="504"}',
}
QUERIES = {
    "memory": "process_resident_memory_bytes",
    "heap_inuse": "go_memstats_heap_inuse_bytes",
    "heap_alloc": "go_memstats_alloc_bytes",
    "stack_inuse": "go_memstats_stack_inuse_bytes",
    "next_gc": "go_memstats_next_gc_bytes",
    "gc_count": "go_gc_duration_seconds_count",
    "last_gc": "go_memstats_last_gc_time_seconds",
    "goroutines": "go_goroutines",
    "open_fds": "process_open_fds",
    "apiserver_requests": "sum by (client, verb, code) (apiserver_request_count)",
    "apiserver_request_rate": "sum by (client, verb) (rate(apiserver_request_count[10s]))",
    "apiserver_latency_p90": (
        "histogram_quantile(0.9, sum by (le, verb) (rate(apiserver_request_latencies_bucket[10s]))) / 1e6"
    ),
    "platform_requests": "sum by (code) (rest_client_requests_total)",
    "platform_request_rate": "sum by (code) (rate(rest_client_requests_total[10s]))",
    "platform_latency_p90": (
        "histogram_quantile(0.9, sum by (le) (rate(rest_client_request_latency_seconds_bucket[10s])))"
    ),
    "platform_failures": "sum by (resource) (adminplatform_resync_failures_total)",
    "up": "up",
}


class Prometheus:
    """A Prometheus that scrapes both processes every second."""

    def __init__(self, stage: Stage, program: str, api: int, platform: int) -> None:
        self._base = f"127.0.0.1:{stage.free_port()}"
        self._began = time.time()
        jobs = {"kubernetes-apiservers": api, "admin-platform": platform}
        scrapes = [{"job_name": job, "static_configs": [{"targets": [f"127.0.0.1:{at}"]}]} for job, at in jobs.items()]
        config = {"global": {"scrape_interval": "1s", "scrape_timeout": "1s"}, "scrape_configs": scrapes}
        (stage.folder / "prometheus.yml").write_text(json.dumps(config))  # JSON is YAML
        stage.start(
            "prometheus",
            [
                program, "--config.file=prometheus.yml", "--storage.tsdb.path=tsdb", "--log.level=error",
                f"--web.listen-address={self._base}", "--storage.tsdb.retention.time=1d",
            ],
            ready=f"http://{self._base}/-/ready",
        )  # fmt: skip

    def ask(self, query: str) -> dict[str, str]:
        """Return the parameters of a range query over the whole run."""
        return {"query": query, "start": f"{self._began:.0f}", "end": f"{time.time():.0f}", "step": "2"}

    def answer(self, parameters: dict[str, str]) -> bytes:
        """Return the answer of the API as it came."""
        return get(f"http://{self._base}/api/v1/query_range?{urlencode(parameters)}")


def run(stage: Stage) -> None:
    """Run both evenings."""
    at, platform_at = stage.free_port(), stage.free_port()
    api, platform = f"http://127.0.0.1:{at}", f"http://127.0.0.1:{platform_at}"
    windows: list[dict[str, str]] = []

    def pause(seconds: float) -> None:
        stage.load(api, *NODES, seconds=seconds, connections=3)

    def snapshot(name: str, gc: bool = False) -> None:
        stage.sent[TIMED_OUT[stage.build]] = _sum(get(f"{api}/metrics").decode(), TIMED_OUT[stage.build])
        stage.snapshot(name, gc=gc)

    def evening(name: str) -> None:
        began = _set_line(at, SLOW)
        pause(20)
        snapshot(name)
        windows.append({"name": name, "from": began, "to": _set_line(at, USUAL)})

    stage.start(
        "apiserver",
        [stage.program("apiserver"), "-listen", f"127.0.0.1:{at}", "-request-timeout=1s", f"-line-delay={USUAL}",
         "-logtostderr", "-v=2", *stage.flags],
        pprof=f"{api}/debug/pprof", metrics=f"{api}/metrics",
    )  # fmt: skip
    stage.start(
        "adminplatform",
        [stage.program("adminplatform"), "-listen", f"127.0.0.1:{platform_at}", "-apiserver", api, "-from=127.0.0.2"],
        pprof=f"{platform}/debug/pprof", metrics=f"{platform}/metrics",
    )  # fmt: skip
    installed = shutil.which("prometheus")
    if not installed and not stage.short:
        raise RunFailed("prometheus is not installed: apt-get install -y prometheus")
    prometheus = Prometheus(stage, installed, at, platform_at) if installed else None

    pause(12)
    snapshot("before")
    evening("first-evening")
    pause(24)
    snapshot("day")
    evening("second-evening")
    stage.rest(75)
    snapshot("later", gc=True)

    stage.keep("windows.json", json.dumps(windows, indent=1) + "\n")
    if prometheus:
        queries = {**QUERIES, "timeouts": f"sum({TIMED_OUT[stage.build]})"}
        asked = {name: prometheus.ask(query) for name, query in queries.items()}
        stage.keep("prometheus/queries.json", json.dumps(asked, indent=1) + "\n")
        for name, parameters in asked.items():
            stage.keep(f"prometheus/{name}.json", prometheus.answer(parameters))


def _set_line(port: int, delay: str) -> str:
    """Change the delay of the line and return when that was."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("PUT", "/debug/flags/line-delay", body=delay)
    answer = connection.getresponse()
    connection.close()
    if answer.status != http.client.OK:
        raise RunFailed(f"the line's delay was not changed: {answer.status}")
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _sum(metrics: str, series: str) -> int:
    """Return the sum of the series of this name and label."""
    name, label = series.removesuffix("}").split("{")
    lines = re.findall(rf"^{name}{{[^\n]*{re.escape(label)}[^\n]*}} (\S+)$", metrics, re.MULTILINE)
    return int(sum(float(value) for value in lines))

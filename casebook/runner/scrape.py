"""`scrape CASE`: build and run a case, and keep its metrics as a range: casebook/CASE/signals/BUILD/metrics.json.gz.

Every process that has metrics is scraped once a second, as Prometheus would, and written as its answer to a range
query. Beside it lies what was sent until each snapshot (sent.json): the truth that growth per request is held against.
"""

import gzip
import json
import re
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from casebook.runner.build import for_live
from casebook.runner.case import Build, Case
from casebook.runner.fetch import FetchFailed, get
from casebook.runner.stage import Process, Stage

EVERY = 1.0  # seconds
# http_requests_total{code="200",path="/quote/"} 40
_SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_LEFT_OUT = ("_bucket", "_created")


class Scraped(Stage):
    """A run whose processes are scraped from their start on."""

    def __init__(self, *given: Any, **how: Any) -> None:
        super().__init__(*given, **how)
        self.series: dict[tuple[tuple[str, str], ...], dict[str, Any]] = {}

    def start(self, name: str, command: Any, *, metrics: str = "", **how: Any) -> Process:
        """Start a process, and a thread that scrapes it until it ends."""
        process = super().start(name, command, metrics=metrics, **how)
        if metrics:
            threading.Thread(target=self._scrape, args=(process,), daemon=True).start()
        return process

    def _scrape(self, process: Process) -> None:
        due = time.time()
        while process.running.poll() is None:
            with suppress(FetchFailed, OSError):
                self._add(process, round(time.time(), 3), get(process.metrics, process.tls, 2.0).decode())
            due += EVERY
            time.sleep(max(0.0, due - time.time()))

    def _add(self, process: Process, at: float, text: str) -> None:
        for name, labels, value in _SAMPLE.findall(text):
            if name.endswith(_LEFT_OUT):
                continue
            place = {"instance": process.metrics.split("/")[2], "job": process.name}
            metric = {"__name__": name, **dict(_LABEL.findall(labels)), **place}
            row = self.series.setdefault(tuple(metric.items()), {"metric": metric, "values": []})
            row["values"].append([at, value])


def scrape(case: Case, build: Build) -> Iterator[str]:
    """Run one build of a case; yield a line about what was kept of it."""
    programs = for_live(case, build) if case.own else {}
    with tempfile.TemporaryDirectory(prefix="cb-") as scratch:
        folder, out = Path(scratch) / "run", Path(scratch) / "out"
        folder.mkdir()
        out.mkdir()
        stage = Scraped(case, build, programs, folder, out)
        stage.play()
        answer = {"status": "success", "data": {"resultType": "matrix", "result": [*stage.series.values()]}}
        kept = case.folder / "signals" / build.name
        kept.mkdir(parents=True, exist_ok=True)
        (kept / "metrics.json.gz").write_bytes(gzip.compress(json.dumps(answer).encode(), 9, mtime=0))
        sent = [
            {"at": row["at"], "process": row["process"], "sent": row["requests"]} for row in stage.manifest()["moments"]
        ]
        (kept / "sent.json").write_text(json.dumps(sent, indent=1) + "\n", encoding="utf-8")
    yield f"{case.name}/{build.name}: {len(stage.series)} series"

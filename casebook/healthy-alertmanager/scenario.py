"""Alertmanager from its package: a webhook of ours receives what it sends; alerts come, fire and are resolved."""

import http.server
import json
import threading
import urllib.request
from datetime import UTC, datetime, timedelta

from casebook.runner.stage import Send, Stage


class _Hook(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def _post(base: str, first: int, last: int, ends: datetime | None = None) -> None:
    alerts = []
    for number in range(first, last):
        alert = {
            "labels": {"alertname": "DiskFull", "instance": f"db-{number}", "severity": "page"},
            "annotations": {"summary": f"disk of db-{number} is full", "runbook": "see the wiki " * 20},
        }
        alerts.append(alert | ({"endsAt": ends.isoformat()} if ends else {}))
    body = json.dumps(alerts).encode()
    asked = urllib.request.Request(f"{base}/api/v2/alerts", body, {"Content-Type": "application/json"})
    urllib.request.urlopen(asked, timeout=10).read()


def run(stage: Stage) -> None:
    """Ramp up in two waves of alert groups, hold, resolve them."""
    hook = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Hook)
    hook.daemon_threads = True
    threading.Thread(target=hook.serve_forever, daemon=True).start()
    config = stage.folder / "alertmanager.yml"
    config.write_text(
        "route:\n  receiver: hook\n  group_by: [instance]\n"
        "  group_wait: 1s\n  group_interval: 3s\n  repeat_interval: 1m\n"
        f"receivers:\n- name: hook\n  webhook_configs:\n  - url: http://127.0.0.1:{hook.server_port}/\n"
    )
    port = stage.free_port()
    base = f"http://127.0.0.1:{port}"
    command = [
        "prometheus-alertmanager", f"--config.file={config}", f"--storage.path={stage.folder}",
        "--cluster.listen-address=", f"--web.listen-address=127.0.0.1:{port}",
    ]  # fmt: skip
    stage.start("alertmanager", command, pprof=f"{base}/debug/pprof", metrics=f"{base}/metrics")
    stage.rest(3)
    stage.snapshot("before")
    _post(base, 0, 80)
    stage.load(base, Send("GET", "/api/v2/alerts", 30), seconds=10, connections=4)
    stage.snapshot("ramp")
    _post(base, 80, 240)
    stage.load(base, Send("GET", "/api/v2/alerts/groups", 30), seconds=10, connections=12)
    stage.snapshot("peak")
    for _ in range(4):
        _post(base, 0, 240)
        stage.load(base, Send("GET", "/api/v2/alerts", 10), seconds=18)
    stage.snapshot("hold")
    _post(base, 0, 240, datetime.now(UTC) - timedelta(seconds=1))
    stage.rest(75)
    stage.snapshot("resolved")
    hook.shutdown()

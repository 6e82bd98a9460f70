"""The controller, or the replica that does not lead, beside an API server that is not recorded."""

import json
import socket

from casebook.runner.fetch import get
from casebook.runner.stage import Send, Stage


def run(stage: Stage) -> None:
    cluster, port = stage.free_port(), stage.free_port()
    base = f"http://127.0.0.1:{port}"
    standby = stage.build == "standby"
    command = [stage.program("apiserver"), "-listen", f"127.0.0.1:{cluster}"]
    stage.start("apiserver", [*command, "-lease-holder", "cpc-0"] if standby else command)
    stage.until(lambda: _listens(cluster), "the API server does not listen")
    command = [stage.program("cpc"), "-listen", f"127.0.0.1:{port}", "-master", f"https://127.0.0.1:{cluster}"]
    if stage.short:  # the same jobs in a quarter of the time
        command += ["-workers", "30"]
    stage.start(
        "cpc",
        [*command, *stage.flags],
        pprof=f"{base}/debug/pprof",
        metrics=f"{base}/metrics",
    )
    stage.until(lambda: json.loads(get(f"{base}/leader"))["leader"] == "cpc-0", "nobody leads")
    stage.rest(4)
    stage.snapshot("before")

    for snapshot, jobs, viewers, seconds in (("first", 40, 2, 12), ("second", 40, 4, 12), ("third", 80, 2, 20)):
        work = [
            Send("GET", "/events", count=viewers, hold="read"),
            Send("GET", "/jobs", count=jobs // 4),
            Send("GET", "/healthz", count=6),
        ]
        if not standby:
            body = '{"application": "shop-{n}", "language": "java", "revision": "3f9c0a{n}"}'
            work.append(Send("POST", "/jobs", count=jobs, body=body))
        stage.load(base, *work, seconds=seconds / 2 if stage.short else seconds, connections=4)
        stage.until(lambda: _all_done(base), "jobs are not finished")
        stage.rest(1)
        stage.snapshot(snapshot)

    stage.rest(75)
    stage.snapshot("later", gc=True)


def _listens(port: int) -> bool:
    with socket.create_connection(("127.0.0.1", port), timeout=1):
        return True


def _all_done(base: str) -> bool:
    return all(job["state"] != "Queued" for job in json.loads(get(f"{base}/jobs")))

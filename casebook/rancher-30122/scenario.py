"""The server beside its local cluster's API server, which is not recorded; other clusters answer only in the twin."""

import json
import socket

from casebook.runner.fetch import get
from casebook.runner.stage import Send, Stage

CLUSTERS = 8


def run(stage: Stage) -> None:
    cluster, nobody, port = stage.free_port(), stage.free_port(), stage.free_port()
    base = f"http://127.0.0.1:{port}"
    command = [stage.program("apiserver"), "-listen", f"127.0.0.1:{cluster}", "-clusters", str(CLUSTERS)]
    if stage.build == "twin":  # most clusters are added while it runs
        command += ["-provisioned", "3", "-provision-every", "2s" if stage.short else "14s"]
    else:
        command += ["-endpoint", f"https://127.0.0.1:{nobody}", "-provisioned", str(CLUSTERS)]
    stage.start("apiserver", command)
    stage.until(lambda: _listens(cluster), "the API server does not listen")
    # Every two minutes, and five seconds after a failure, in an installation; that would take an hour to record.
    pause = "400ms" if stage.short else "3s"
    command = [stage.program("acp"), "-listen", f"127.0.0.1:{port}", "-master", f"https://127.0.0.1:{cluster}"]
    stage.start(
        "acp",
        [*command, "-peer-sync", pause, "-peer-retry", pause, *stage.flags],
        pprof=f"{base}/debug/pprof",
        metrics=f"{base}/metrics",
    )
    stage.until(lambda: len(json.loads(get(f"{base}/v3/clusters"))["data"]) == CLUSTERS, "clusters are not listed")
    stage.rest(7)
    stage.snapshot("before")

    for snapshot, viewers, seconds in (("first", 3, 25), ("second", 5, 40), ("third", 2, 30)):
        stage.load(
            base,
            Send("GET", "/v3/subscribe", count=viewers, hold="read"),
            Send("GET", "/v3/clusters", count=seconds),
            Send("GET", "/v3/clusters/c-239a9/users/alice", count=2 * seconds),
            seconds=seconds / 2 if stage.short else seconds,
            connections=5,
        )
        stage.snapshot(snapshot)

    stage.rest(75)
    stage.snapshot("later", gc=True)


def _listens(port: int) -> bool:
    with socket.create_connection(("127.0.0.1", port), timeout=1):
        return True

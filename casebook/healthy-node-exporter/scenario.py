"""node_exporter from its package: scrapes on a growing number of keep-alive connections, then none."""

from casebook.runner.stage import Send, Stage


def run(stage: Stage) -> None:
    """Ramp up, hold, stop."""
    base = f"http://127.0.0.1:{stage.free_port()}"
    # Only what says nothing of the machine it ran on.
    collectors = [f"--collector.{name}" for name in ("loadavg", "stat", "schedstat", "entropy", "sockstat", "netstat")]
    command = ["prometheus-node-exporter", "--collector.disable-defaults", *collectors]
    stage.start(
        "node-exporter", [*command, f"--web.listen-address={base.removeprefix('http://')}", "--web.max-requests=40"],
        pprof=f"{base}/debug/pprof",
    )  # fmt: skip
    stage.rest(3)
    stage.snapshot("before")
    stage.load(base, Send("GET", "/metrics", 60), seconds=10, connections=15)
    stage.snapshot("ramp")
    stage.load(base, Send("GET", "/metrics", 200), seconds=15, connections=45)
    stage.snapshot("peak")
    stage.load(base, Send("GET", "/metrics", 300), seconds=70)
    stage.snapshot("hold")
    stage.load(base, seconds=8, connections=0)
    stage.snapshot("after")

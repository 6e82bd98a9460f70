"""The transmitters are a process of their own; of it nothing is captured."""

from casebook.runner.stage import Send, Stage


def run(stage: Stage) -> None:
    """Send pages; now and then one goes to a transmitter that does not acknowledge."""
    health, radio, port = stage.free_port(), stage.free_port(), stage.free_port()
    stage.start(
        "transmitter",
        [stage.program("transmitter"), "-listen", f"127.0.0.1:{health}", "-radio", f"127.0.0.1:{radio}"],
        ready=f"http://127.0.0.1:{health}/",
    )
    base = f"http://127.0.0.1:{port}"
    stage.start(
        "pagebridge",
        [stage.program(), "-listen", f"127.0.0.1:{port}", "-radio", f"127.0.0.1:{radio}", *stage.flags],
        pprof=f"{base}/debug/pprof",
        metrics=f"{base}/metrics",
    )
    stage.rest(4)
    stage.snapshot("a")
    stage.load(base, Send("POST", "/page/{n}", count=250), seconds=15, connections=8, timeout=3)
    stage.snapshot("b")
    stage.load(base, Send("POST", "/page/{n}", count=220), seconds=15, connections=14, timeout=3)
    stage.snapshot("c")
    stage.load(base, Send("GET", "/status", count=40), seconds=75)
    stage.snapshot("d")
    stage.load(base, Send("POST", "/page/{n}", count=150), seconds=10, connections=14, timeout=3)
    stage.snapshot("e", gc=True)

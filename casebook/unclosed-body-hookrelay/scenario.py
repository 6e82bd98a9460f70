"""The receivers of the hooks are a process of their own; of it nothing is captured."""

from casebook.runner.stage import Send, Stage


def run(stage: Stage) -> None:
    """Deliver events in two rounds; customers are looked up all the while."""
    upstream, port = stage.free_port(), stage.free_port()
    base, hooks = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{upstream}"
    stage.start("receiver", [stage.program("receiver"), "-listen", f"127.0.0.1:{upstream}"], ready=f"{hooks}/healthz")
    stage.start(
        "hookrelay",
        [stage.program(), "-listen", f"127.0.0.1:{port}", "-hooks", hooks, *stage.flags],
        pprof=f"{base}/debug/pprof",
        metrics=f"{base}/metrics",
    )
    events = Send("POST", "/events/{n}", count=100, body='{"kind":"invoice","number":{n}}')
    stage.rest(3)
    stage.snapshot("m1")
    stage.load(base, events, Send("GET", "/customers/{n}", count=250), seconds=10, connections=20, timeout=3)
    stage.rest(1)
    stage.snapshot("m2")
    stage.load(base, events, Send("GET", "/customers/{n}", count=300), seconds=10, connections=40, timeout=3)
    stage.rest(1)
    stage.snapshot("m3")
    stage.rest(75)
    stage.snapshot("m4", gc=True)

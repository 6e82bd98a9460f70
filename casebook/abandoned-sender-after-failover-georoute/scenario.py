"""Three snapshots of ordinary work, then the planner is switched over to two engines, works on, and is left alone."""

from casebook.runner.stage import Send, Stage


def run(stage: Stage) -> None:
    """Play the day."""
    base = f"http://127.0.0.1:{stage.free_port()}"
    command = [stage.program(), "-listen", base.removeprefix("http://"), *stage.flags]
    stage.start("georoute", command, pprof=f"{base}/debug/pprof", metrics=f"{base}/metrics")
    stage.load(base, Send(path="/route/{n}", count=12), seconds=6, connections=6)
    stage.snapshot("early")
    stage.load(base, Send(path="/route/{n}", count=60), seconds=14, connections=12)
    stage.snapshot("forenoon")
    stage.load(base, Send(path="/route/{n}", count=110), seconds=18, connections=20)
    stage.snapshot("afternoon")
    stage.load(base, Send("POST", "/admin/mode?set=failover"), seconds=1)
    stage.load(base, Send(path="/route/{n}", count=44), seconds=11)
    stage.rest(74)
    stage.snapshot("night")

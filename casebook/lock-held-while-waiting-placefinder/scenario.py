"""The provider is a process of its own; of it nothing is captured."""

from casebook.runner.stage import Send, Stage


def run(stage: Stage) -> None:
    """Resolve places, then one whose answer never comes, then more."""
    upstream, port = stage.free_port(), stage.free_port()
    stage.start(
        "provider",
        [stage.program("provider"), "-listen", f"127.0.0.1:{upstream}"],
        ready=f"http://127.0.0.1:{upstream}/healthz",
    )
    base = f"http://127.0.0.1:{port}"
    stage.start(
        "placefinder",
        [stage.program(), "-listen", f"127.0.0.1:{port}", "-provider", f"http://127.0.0.1:{upstream}", *stage.flags],
        pprof=f"{base}/debug/pprof",
        metrics=f"{base}/metrics",
    )
    places = Send("GET", "/place/street-{n}", count=80)
    tiles = Send("GET", "/tile/{n}.png", count=90)
    stage.rest(3)
    stage.snapshot("0700")
    stage.load(base, places, tiles, seconds=12, connections=12, timeout=2)
    stage.snapshot("0800")
    stage.load(
        base,
        Send("GET", "/place/harbour-{n}", count=240),
        Send("GET", "/place/lighthouse-{n}", count=1),
        tiles,
        seconds=15,
        connections=30,
        timeout=1,
    )
    stage.snapshot("0900")
    stage.rest(75)
    stage.snapshot("1000", gc=True)

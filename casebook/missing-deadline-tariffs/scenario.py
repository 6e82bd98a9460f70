"""The registry is a process of its own; of it nothing is captured."""

from casebook.runner.stage import Send, Stage


def run(stage: Stage) -> None:
    """Ask for duties and baskets in two rushes with a long pause between."""
    upstream, port = stage.free_port(), stage.free_port()
    base, registry = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{upstream}"
    stage.start(
        "registry", [stage.program("registry"), "-listen", f"127.0.0.1:{upstream}"], ready=f"{registry}/healthz"
    )
    stage.start(
        "tariffs",
        [stage.program(), "-listen", f"127.0.0.1:{port}", "-registry", registry, *stage.flags],
        pprof=f"{base}/debug/pprof",
        metrics=f"{base}/metrics",
    )
    stage.rest(4)
    stage.snapshot("open")
    stage.load(
        base,
        Send("GET", "/duty/article-{n}", count=100),
        Send("GET", "/basket/{n}", count=60),
        seconds=12,
        connections=6,
        timeout=4,
    )
    stage.rest(2)
    stage.snapshot("morning")
    stage.rest(70)
    stage.snapshot("noon")
    stage.load(
        base,
        Send("GET", "/duty/goods-{n}", count=100),
        Send("GET", "/basket/{n}", count=60),
        seconds=10,
        connections=10,
        timeout=4,
    )
    stage.rest(2)
    stage.snapshot("afternoon", gc=True)

"""docker-registry from its package: blobs are pushed and pulled, some by slow readers, then nobody comes."""

import hashlib
import http.client
from urllib.parse import urlsplit

from casebook.runner.stage import Send, Stage


def _push(port: int, number: int, size: int) -> str:
    """Push one blob as docker does, and return its digest."""
    blob = number.to_bytes(4, "big") * (size // 4)
    digest = f"sha256:{hashlib.sha256(blob).hexdigest()}"
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("POST", f"/v2/shop/image{number % 9}/blobs/uploads/")
    answer = connection.getresponse()
    answer.read()
    location = urlsplit(answer.headers["Location"])
    target = f"{location.path}?{location.query}&digest={digest}"
    connection.request("PUT", target, body=blob, headers={"Content-Type": "application/octet-stream"})
    connection.getresponse().read()
    connection.close()
    return f"/v2/shop/image{number % 9}/blobs/{digest}"


def run(stage: Stage) -> None:
    """Ramp up pushes and pulls, hold with slow readers, stop."""
    port, debug = stage.free_port(), stage.free_port()
    config = stage.folder / "registry.yml"
    config.write_text(
        "version: 0.1\nlog: {level: warn, accesslog: {disabled: true}}\n"
        f"storage: {{filesystem: {{rootdirectory: {stage.folder}/blobs}}}}\n"
        f"http: {{addr: '127.0.0.1:{port}', secret: none,\n"
        f"  debug: {{addr: '127.0.0.1:{debug}', prometheus: {{enabled: true}}}}}}\n"
    )
    base = f"http://127.0.0.1:{port}"
    stage.start(
        "docker-registry", ["docker-registry", "serve", str(config)], pprof=f"http://127.0.0.1:{debug}/debug/pprof",
        metrics=f"http://127.0.0.1:{debug}/metrics", ready=f"http://127.0.0.1:{debug}/debug/health",
    )  # fmt: skip
    stage.rest(3)
    stage.snapshot("before")
    blobs = [_push(port, number, 200_000) for number in range(40)]
    stage.load(base, *[Send("GET", path, 2) for path in blobs], seconds=8, connections=8)
    stage.snapshot("ramp")
    blobs += [_push(port, number, 300_000) for number in range(40, 160)]
    stage.load(base, *[Send("GET", path, 2) for path in blobs], seconds=12, connections=24)
    large = _push(port, 1000, 24_000_000)
    stage.load(base, Send("GET", large, 12, hold="unread"), seconds=3)
    stage.snapshot("peak")
    stage.load(base, *[Send("GET", path, 1) for path in blobs], seconds=70)
    stage.snapshot("hold")
    stage.load(base, seconds=10, connections=2, drop=-1)
    stage.snapshot("after", gc=True)

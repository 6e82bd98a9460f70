"""A hundred services that leak, watched by one process: its memory, and what each of them pays for it.

`python -m bench.watching N` serves N of them until it is killed, and prints their ports. Their answers are made, as
those of the tests are: profiles, dumps and metrics of a process in which a goroutine a second is never answered.
"""

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple, cast

from oakum.collect.target import CaptureOptions, Step
from oakum.model import OakumError
from oakum.store import open_reader

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from fake_targets import FakeClock, FakeTarget  # noqa: E402  (shared with the tests, in whose folder it lies)

TARGETS = 100
_FILES = {
    "/metrics": "metrics.txt",
    "/debug/pprof/goroutine": "goroutine.pb.gz",
    "/debug/pprof/goroutine?debug=2": "goroutine.debug2.txt",
}
_INDEX = """<html><head><title>/debug/pprof/</title></head><body>
<tr><td>{}</td><td><a href='goroutine?debug=1'>goroutine</a></td></tr>
</body></html>"""


class _Now:
    """What the time is, as targets of the tests ask for it."""

    @property
    def now(self) -> float:
        return time.time()


async def _serve(count: int) -> None:
    """Serve each at a port of its own: one more goroutine each second is never answered."""
    begin = time.time()
    targets = [FakeTarget(f"service{at}", cast(FakeClock, _Now()), lambda now: int(now - begin)) for at in range(count)]

    def page(number: int, path: str) -> bytes | None:
        if path == "/debug/pprof/":
            plan = targets[number].plan(CaptureOptions())
            return _INDEX.format(plan.facts["goroutines"]).encode()
        file = _FILES.get(path.replace("?debug=0", ""))
        if file is None:
            return None
        taken = targets[number].take(Step(file, file, file, file), CaptureOptions())
        return bytes(taken.capture.data) if taken.capture else None

    async def answer(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                body = page(number, head.split(b" ", 2)[1].decode())
                status = b"200 OK" if body is not None else b"404 Not Found"
                writer.write(b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body or b""), body or b""))
                await writer.drain()
        writer.close()

    ports, servers = [], []  # else they would be collected
    for number in range(count):
        server = await asyncio.start_server(partial(answer, number), "127.0.0.1", 0)
        ports.append(server.sockets[0].getsockname()[1])
        servers.append(server)
    print(",".join(map(str, ports)), flush=True)
    await asyncio.Event().wait()


class Watched(NamedTuple):
    memory: int  # bytes at most
    cpu: float  # seconds of the watcher
    snapshots: int
    incidents: int
    bytes_an_hour: float  # of the target that was asked most, at a look a minute
    seconds_a_look: float  # that a target was busy with a cheap look, in the mean


def watch(env: dict[str, str], looks: int, every: float = 10.0) -> Watched:
    """Watch a hundred of them until each was looked at so often, within bounds."""
    with tempfile.TemporaryDirectory(prefix="oakum-bench-") as folder:
        place = Path(folder)
        serving = subprocess.Popen(
            [sys.executable, "-m", "bench.watching", str(TARGETS)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert serving.stdout is not None
        config = place / "watch.toml"
        config.write_text(
            f'every = "{every:g}s"\n[budget]\ncpu = "50%"\nnetwork = "4GB/h"\n'
            + "".join(
                f'[[target]]\nurl = "http://127.0.0.1:{port}"\nservice = "service{number}"\n'
                for number, port in enumerate(serving.stdout.readline().strip().split(","))
            )
        )
        words = [sys.executable, "-m", "oakum", "watch", "--config", str(config), "--store", str(place / "store")]
        with (place / "log").open("wb") as log:
            watcher = subprocess.Popen(words, env=env, stdout=log, stderr=log)
        memory, cpu = 0, 0.0
        try:
            until = time.monotonic() + 6 * every * looks  # a machine that is busy takes longer, not for ever
            while time.monotonic() < until and watcher.poll() is None:
                time.sleep(2)
                memory, cpu = _used(watcher.pid)
                if _snapshots(place / "store") >= looks * TARGETS:
                    break
        finally:
            watcher.terminate()
            watcher.wait()
            serving.kill()
            serving.wait()
        with open_reader(place / "store") as reader:
            rows = {name: reader.snapshots(name) for name in (f"service{at}" for at in range(TARGETS))}
            incidents = len(reader.incidents())
        cheap = [row for of in rows.values() for row in of[1:] if row.detail != "dump"]
        bytes_a_look = max(row.cost_bytes for row in cheap)
        busy = sum(row.cost_seconds for row in cheap) / len(cheap)
        return Watched(memory, cpu, sum(map(len, rows.values())), incidents, bytes_a_look * 60, busy)


def _used(pid: int) -> tuple[int, float]:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0, 0.0
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) * 1024 if found else 0, (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


def _snapshots(store: Path) -> int:
    try:
        with open_reader(store) as reader:
            return sum(len(reader.snapshots(f"service{at}")) for at in range(0, TARGETS, 10)) * 10
    except OakumError:  # nothing is in it yet
        return 0


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))

__all__ = ["TARGETS", "Watched", "watch"]

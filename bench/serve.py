"""Readers of `oakum serve` at once while a writer goes on: how long they wait, and what memory the server takes.

    python -m bench.serve            # 200 services
    python -m bench.serve --full     # 2,000 services for 30 days at one minute: up to twenty minutes to generate
    python -m bench.serve DIR        # over a store that is there

Each reader opens a page, reads it for ten seconds on average, and opens the next: three in four times the list of
services (sorted, searched, another page of it), else a service with the requests of its charts; half of these are of
the twenty that leak most, as in an incident.
"""

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import quote

from bench.history import END, build
from oakum.store import Batch, PlaceRow, SnapshotRow, open_writer

READERS = 50
SECONDS = 60.0
READS = 10.0  # seconds on average
PLACES = 6  # of each service


class Load:
    """What readers met: seconds for each kind of request."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}
        self.bytes: dict[str, int] = {}
        self.failed = 0

    def add(self, kind: str, seconds: float, status: int, size: int) -> None:
        self.seconds.setdefault(kind, []).append(seconds)
        self.bytes[kind] = max(self.bytes.get(kind, 0), size)
        self.failed += status != 200

    def told(self) -> dict[str, dict[str, float]]:
        every = [one for found in self.seconds.values() for one in found]
        return {kind: _quantiles(found) for kind, found in [*sorted(self.seconds.items()), ("all", every)]}


@dataclass(frozen=True)
class Measured:
    """What came of it: milliseconds by kind of request, MB, and what the machine did besides."""

    services: int
    ready: int  # ms until the first page had come
    first_bytes: int  # of the first page, with all that it loads
    alone: dict[str, dict[str, float]]
    readers: dict[str, dict[str, float]]
    failed: int
    written: int  # snapshots
    memory: int
    cores: float
    load: float


def _quantiles(found: list[float]) -> dict[str, float]:
    ordered = sorted(found)
    share = {"p50": 0.5, "p95": 0.95, "most": 1.0}
    told = {
        name: round(ordered[min(len(ordered) - 1, int(part * len(ordered)))] * 1000) for name, part in share.items()
    }
    return {"requests": len(ordered), **told}


async def _get(port: int, path: str, kind: str, load: Load) -> bytes:
    begun = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
        data = await reader.read(-1)
    finally:
        writer.close()
    load.add(kind, time.perf_counter() - begun, int(data[9:12] or 0), len(data))
    return data


async def _read(port: int, names: list[str], load: Load, ends: float, chance: random.Random) -> None:
    await asyncio.sleep(chance.random() * 2 * READS)
    while time.perf_counter() < ends:
        if chance.random() < 0.75:
            query = chance.choice(
                ("", f"?page={chance.randrange(1, 40)}", f"?q={quote(chance.choice(names)[:-1])}", "?sort=heap-growth")
            )
            await _get(port, f"/{query}", "services", load)
        else:
            base = f"/services/{quote(chance.choice(names[:20] if chance.random() < 0.5 else names), safe='')}"
            await _get(port, base, "service", load)
            charts = ("series", "places?kind=goroutines", "places?kind=heap", "events")
            await asyncio.gather(*(_get(port, f"/api/v1{base}/{one}", "chart", load) for one in charts))
        await asyncio.sleep(chance.random() * 2 * READS)


async def _all_of_them(port: int, names: list[str], seconds: float) -> Load:
    load = Load()
    ends = time.perf_counter() + seconds
    await asyncio.gather(*(_read(port, names, load, ends, random.Random(number)) for number in range(READERS)))
    return load


def _write(store: Path, names: list[str], ended: threading.Event, written: list[int]) -> None:
    """Write as a watcher does that looks at each service every minute, a batch a second."""
    share = max(1, len(names) // 60)
    with open_writer(store, create=False) as writer:
        at = END
        while not ended.wait(1.0):
            begin = (at - END) // 1_000_000 * share % len(names)
            at += 1_000_000
            rows = tuple(
                SnapshotRow(run=f"bench-{name}", service=name, at=at, goroutines=200, heap_live=1 << 27, rss=3 << 27)
                for name in names[begin : begin + share]
            )
            places = tuple(
                PlaceRow(run=row.run, service=row.service, at=at, place=f"bench-{number}", function=f"bench.f{number}",
                         file="bench.go", line=number, state="select", kind="goroutines", count=number)
                for row in rows for number in range(PLACES)
            )  # fmt: skip
            writer.append(Batch(snapshots=rows, places=places))
            writer.maintain(at)
            written[0] += len(rows)


def _memory(pid: int) -> tuple[int, float]:
    """Return the most memory that a process has had in MB, and its CPU seconds."""
    peak = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(peak[1]) // 1024 if peak else 0, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _one_by_one(pid: int, port: int, names: list[str], times: int = 20) -> dict[str, dict[str, float]]:
    """Return what each kind of request takes when nobody else asks: CPU of the server, and until it is answered."""
    told = {}
    chosen = [quote(name, safe="") for name in random.Random(0).sample(names, min(times, len(names)))]
    for kind, paths in {
        "services": [f"/?page={number}" for number in range(times)],
        "service": [f"/services/{name}" for name in chosen],
        "series": [f"/api/v1/services/{name}/series" for name in chosen],
        "places": [f"/api/v1/services/{name}/places" for name in chosen],
    }.items():
        load, before = Load(), _memory(pid)[1]
        for path in paths:
            asyncio.run(_get(port, path, kind, load))
        cpu = (_memory(pid)[1] - before) / len(paths)
        told[kind] = {**load.told()[kind], "CPU ms": round(cpu * 1000), "bytes": load.bytes[kind]}
    return told


def measure(store: Path, seconds: float = SECONDS) -> Measured:
    """Return what readers met over a store."""
    from oakum.store import open_reader

    with open_reader(store) as reader:
        names = [str(name) for name in reader.top(1_000_000)["service"].tolist()]
    command = [sys.executable, "-m", "oakum", "serve", "--store", str(store), "--listen", "127.0.0.1:0"]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stderr=log)
        try:
            port = 0
            while not port:
                time.sleep(0.1)
                log.seek(0)
                found = re.search(rb"url=http://127\.0\.0\.1:(\d+)/", log.read())
                port = int(found[1]) if found else 0
            warm = Load()
            page = asyncio.run(_get(port, "/", "first", warm))
            for path in dict.fromkeys(re.findall(rb'(?:href|src)="(/static/[^"]+)"', page)):
                asyncio.run(_get(port, path.decode(), path.decode(), warm))
            alone = _one_by_one(process.pid, port, names)
            ended, written = threading.Event(), [0]
            writer = threading.Thread(target=_write, args=(store, names, ended, written))
            writer.start()
            before = _memory(process.pid)[1]
            try:
                load = asyncio.run(_all_of_them(port, names, seconds))
            finally:
                ended.set()
                writer.join()
            peak, cpu = _memory(process.pid)
        finally:
            process.terminate()
            process.wait(30)
    return Measured(
        services=len(names),
        ready=round(warm.seconds["first"][0] * 1000),
        first_bytes=sum(warm.bytes.values()),
        alone=alone,
        readers=load.told(),
        failed=load.failed,
        written=written[0],
        memory=peak,
        cores=round((cpu - before) / seconds, 2),
        load=os.getloadavg()[0],
    )


def main(arguments: list[str]) -> None:
    if arguments and not arguments[0].startswith("--"):
        print(json.dumps(asdict(measure(Path(arguments[0]))), indent=1))
        return
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        build(store, 2000 if "--full" in arguments else 200, places=PLACES, days=30)
        print(json.dumps(asdict(measure(store)), indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])

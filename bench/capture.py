"""500 services on loopback, each on a port of its own, that serve recorded profiles; and what is asked of them.

`python -m bench.capture N` serves until it is killed, and prints its ports on one line, comma-separated; the first HANG
of them accept and never answer. `loop` is what people write instead: a shell script, one curl after the other.
"""

import asyncio
import gzip
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORDED = ROOT / "tests" / "testdata" / "recorded" / "go1.26.6"
TARGETS = 500
HANG = 10
# From one node of a cluster to another, and what a service takes to write a profile.
LATENCY = 0.005
_INDEX = b"""<html><head><title>/debug/pprof/</title></head><body>
<tr><td>45</td><td><a href='goroutine?debug=1'>goroutine</a></td></tr>
<tr><td>70</td><td><a href='heap?debug=1'>heap</a></td></tr></body></html>"""
_METRICS = b"""# TYPE go_goroutines gauge
go_goroutines 45
# TYPE go_info gauge
go_info{version="go1.26.6"} 1
# TYPE go_gc_duration_seconds summary
go_gc_duration_seconds_count 7
# TYPE go_memstats_heap_alloc_bytes gauge
go_memstats_heap_alloc_bytes 1.1080936e+07
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 4.6116864e+07
"""
_ASKED = ("metrics", "debug/pprof/heap", "debug/pprof/goroutine", "debug/pprof/goroutine?debug=2")


def _pages() -> dict[str, bytes]:
    return {
        "/debug/pprof/": _INDEX,
        "/metrics": _METRICS,
        "/debug/pprof/heap": (RECORDED / "heap.pb.gz").read_bytes(),
        "/debug/pprof/goroutine": (RECORDED / "goroutine.pb.gz").read_bytes(),
        "/debug/pprof/goroutine?debug=1": (RECORDED / "goroutine.debug1.txt").read_bytes(),
        "/debug/pprof/goroutine?debug=2": gzip.decompress((RECORDED / "goroutine.debug2.txt.gz").read_bytes()),
    }


async def _serve(count: int) -> None:
    pages = _pages()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                await asyncio.sleep(LATENCY)
                body = pages.get(head.split(b" ", 2)[1].decode())
                status = b"200 OK" if body is not None else b"404 Not Found"
                body = body or b""
                writer.write(b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        del writer
        await reader.read()

    servers = [await asyncio.start_server(hang if number < HANG else answer, "127.0.0.1", 0) for number in range(count)]
    print(",".join(str(server.sockets[0].getsockname()[1]) for server in servers), flush=True)
    await asyncio.Event().wait()


@contextmanager
def services(count: int = TARGETS) -> Iterator[list[str]]:
    """Lend the addresses of so many services that answer, after those of HANG that do not."""
    command = [sys.executable, "-m", "bench.capture", str(count + HANG)]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield [f"http://127.0.0.1:{port}" for port in process.stdout.readline().strip().split(",")]
    finally:
        process.kill()
        process.wait()


def loop(addresses: list[str]) -> str:
    """Return a script that fetches the same, one after the other."""
    lines = [
        f"curl -sS -m 5 -o $d/{number}.{at} '{address}/{path}'"
        for number, address in enumerate(addresses)
        for at, path in enumerate(_ASKED)
    ]
    return "d=$(mktemp -d)\n" + "\n".join(lines) + "\n"


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))

__all__ = ["HANG", "TARGETS", "loop", "services"]

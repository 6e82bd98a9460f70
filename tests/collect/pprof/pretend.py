"""A loopback server that answers what a test says, and notes what it was asked: for servers that cannot run here."""

import gzip
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from support import RECORDED

HERE = Path(__file__).parent / "testdata"
Page = bytes | tuple[int, bytes] | Callable[[], bytes]  # a body, a status with one, or what makes one each time

LOGIN = (
    b"<!DOCTYPE html><html><head><title>Sign in</title></head><form action=/login><input type=password></form></html>"
)


class Pretend:
    """What a server answers by path and query, and what it was asked."""

    def __init__(self, pages: Mapping[str, Page], otherwise: Page) -> None:
        self.pages = dict(pages)
        self.otherwise = otherwise
        self.asked: list[str] = []
        self.base = ""


@contextmanager
def pretend(pages: Mapping[str, Page], otherwise: Page = (404, b"404 page not found\n")) -> Iterator[Pretend]:
    """Lend a server that answers these pages."""
    told = Pretend(pages, otherwise)

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one piece: in two, the kernel waits before it sends the second

        def do_GET(self) -> None:
            told.asked.append(self.path)
            page = told.pages.get(self.path, told.otherwise)
            status, body = page if isinstance(page, tuple) else (200, page() if callable(page) else page)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.daemon_threads = True
    told.base = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=lambda: server.serve_forever(0.01), daemon=True)
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def index(go: str = "go1.26", goroutines: int = 45) -> bytes:
    """Return the index page that net/http/pprof of a version serves."""
    page = (HERE / f"index-{go}.html").read_text()
    return re.sub(r"\d+(?=</td><td><a href='goroutine\?)", str(goroutines), page).encode()


def metrics(goroutines: int = 45, collections: int = 7, started: float = 1.7e9, more: str = "") -> bytes:
    """Return a scrape as the Prometheus client for Go writes it."""
    figures = {
        "go_gc_duration_seconds_count": collections, "go_goroutines": goroutines, 'go_info{version="go1.26.8"}': 1,
        "go_memstats_heap_alloc_bytes": "1.1080936e+07", "process_resident_memory_bytes": "4.6116864e+07",
        "process_start_time_seconds": started,
    }  # fmt: skip
    lines = [f"# TYPE {name.partition('{')[0]} gauge\n{name} {value}" for name, value in figures.items()]
    return ("\n".join(lines) + f"\n{more}").encode()


def recorded(name: str, go: str = "go1.27.3") -> bytes:
    """Return what a Go program once answered; texts are kept gzipped in the repository."""
    path = RECORDED / go / name
    return path.read_bytes() if path.exists() else gzip.decompress(path.with_name(f"{name}.gz").read_bytes())


def profiles(prefix: str = "/debug/pprof") -> dict[str, Page]:
    """Return what lies under pprof, its index left out."""
    return {
        f"{prefix}/goroutine": recorded("goroutine.pb.gz"),
        f"{prefix}/goroutine?debug=1": recorded("goroutine.debug1.txt"),
        f"{prefix}/goroutine?debug=2": recorded("goroutine.debug2.txt"),
        f"{prefix}/heap": recorded("heap.pb.gz"),
        f"{prefix}/heap?gc=1": recorded("heap.pb.gz"),
        f"{prefix}/heap?debug=1": recorded("heap.debug1.txt"),
        f"{prefix}/heap?seconds=0": (400, b'invalid value for "seconds" - must be a positive integer\n'),
        f"{prefix}/goroutineleak": recorded("goroutineleak.pb.gz"),
    }

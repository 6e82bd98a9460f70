"""A loopback service that leaks: it serves the recorded snapshots of the demo, one after the other, as net/http/pprof does."""

import gzip
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from support import DEMO

SNAPSHOTS = ("before", "during", "after")
_INDEX = """<html><head><title>/debug/pprof/</title></head><body>
<tr><td>{goroutines}</td><td><a href='goroutine?debug=1'>goroutine</a></td></tr>
<tr><td>70</td><td><a href='heap?debug=1'>heap</a></td></tr></body></html>"""


class Service:
    """What it was asked, and which snapshot it is in: each look at the index is the next."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[str] = []
        self.headers: list[str] = []
        self.at = -1
        self.token = ""
        self.release = threading.Event()  # what /debug/pprof/heap waits for when it hangs
        self.hangs = False

    def body(self, path: str, debug: str) -> bytes | None:
        """Return what is answered; None when there is no such page."""
        name = path.removeprefix("/debug/pprof").strip("/")
        if path.rstrip("/") == "/debug/pprof":
            self.at = min(self.at + 1, len(SNAPSHOTS) - 1)
            return _INDEX.format(goroutines=self.goroutines()).encode()
        if name not in ("goroutine", "heap") or name == path.strip("/"):
            return None
        if name == "heap" and self.hangs:
            self.release.wait(60)
        snapshot = SNAPSHOTS[max(0, self.at)]
        if debug in ("1", "2"):
            return gzip.decompress((DEMO / f"{snapshot}.{name}.txt.gz").read_bytes())
        return (DEMO / f"{snapshot}.{name}.pb.gz").read_bytes()

    def goroutines(self) -> int:
        """Return how many goroutines there are in this snapshot."""
        dump = gzip.decompress((DEMO / f"{SNAPSHOTS[max(0, self.at)]}.goroutine.txt.gz").read_bytes())
        return len(re.findall(rb"^goroutine \d+", dump, re.MULTILINE))


@contextmanager
def serving() -> Iterator[Service]:
    """Lend a service."""
    service = Service()

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one piece

        def do_GET(self) -> None:
            service.asked.append(self.path)
            service.headers.append(self.headers.get("Authorization", ""))
            parts = urlsplit(self.path)
            body = service.body(parts.path, parse_qs(parts.query).get("debug", ["0"])[0])
            status = 200 if body is not None else 404
            if service.token and service.headers[-1] != f"Bearer {service.token}":
                status, body = 401, b"\x1b]0;owned\x07 you sent " + service.headers[-1].encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.daemon_threads = True
    service.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=lambda: server.serve_forever(0.01), daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.release.set()
        server.shutdown()
        server.server_close()
        thread.join()

"""A loopback server that notifications are sent to: it keeps what came, and answers as it is told."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from oakum.store.rows import IncidentRow

NOW = 1_750_000_000_000_000
MINUTE = 60_000_000


class Got(NamedTuple):
    path: str
    headers: dict[str, str]
    body: bytes


class Receiver:
    """What came, and what is answered: a status, headers, a body."""

    def __init__(self) -> None:
        self.url = ""
        self.got: list[Got] = []
        self.status, self.headers, self.body = 200, dict[str, str](), b"ok"


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Lend a receiver."""
    receiver = Receiver()

    class Answers(BaseHTTPRequestHandler):
        wbufsize = -1

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            receiver.got.append(Got(self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(receiver.status)
            for name, value in {**receiver.headers, "Content-Length": str(len(receiver.body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(receiver.body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    receiver.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=lambda: server.serve_forever(0.01), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def incident(revision: int = 1, name: str = "i1", **fields: Any) -> IncidentRow:
    """Return an incident of a service that leaks."""
    known: dict[str, Any] = {
        "service": "checkout", "state": "open", "opened_at": NOW - 60 * MINUTE, "updated_at": NOW,
        "since": NOW - 120 * MINUTE, "since_low": NOW - 130 * MINUTE, "since_high": NOW - 110 * MINUTE,
        "limit_low": NOW + 180 * MINUTE, "limit_high": NOW + 300 * MINUTE, "verdict": "leaking",
        "mechanism": "abandoned-sender", "function": "shop/cart.(*Cache).fill", "file": "cart/cache.go", "line": 77,
        "replicas": ("checkout-1", "checkout-2"),
    }  # fmt: skip
    return IncidentRow(incident=name, revision=revision, **{**known, **fields})

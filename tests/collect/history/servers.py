"""Servers on loopback that answer as a test says, for faults that no real store of the past has on demand."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Reply = tuple[int, str, bytes]  # status, content type, body
Answering = Callable[[str, bytes], Reply]  # path with query, body -> reply


@contextmanager
def answering(reply: Answering) -> Iterator[str]:
    """Yield the address of a server that answers so."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            self._say(b"")

        def do_POST(self) -> None:
            self._say(self.rfile.read(int(self.headers.get("Content-Length", "0"))))

        def _say(self, asked: bytes) -> None:
            status, kind, body = reply(self.path, asked)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

"""Some clients read an export slowly, as over a bad line; they read on until the end or until they hang up."""

import contextlib
import socket
import threading
import time

from casebook.runner.stage import Send, Stage


class _SlowClient(threading.Thread):
    """Asks for an export and reads a little of it at a time."""

    def __init__(self, port: int, table: int) -> None:
        super().__init__(daemon=True)
        self._line = socket.socket()
        self._line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 10)
        self._line.connect(("127.0.0.1", port))
        self._line.sendall(b"GET /export/%d HTTP/1.1\r\nHost: localhost\r\n\r\n" % table)
        self.start()

    def run(self) -> None:
        """Read a few kilobytes at a time, and wait between."""
        with contextlib.suppress(OSError):
            while self._line.recv(3 << 10):
                time.sleep(0.5)

    def hang_up(self) -> None:
        """Close the line."""
        with contextlib.suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)
        self._line.close()


def run(stage: Stage) -> None:
    """Take exports over slow lines while rows are looked up."""
    port = stage.free_port()
    base = f"http://127.0.0.1:{port}"
    stage.start(
        "exportd",
        [stage.program(), "-listen", f"127.0.0.1:{port}", *stage.flags],
        pprof=f"{base}/debug/pprof",
        metrics=f"{base}/metrics",
    )
    rows = Send("GET", "/row/{n}", count=40)
    exports = Send("GET", "/export/{n}", count=6)
    clients: list[_SlowClient] = []
    try:
        stage.load(base, rows, seconds=4, connections=4)
        stage.snapshot("mon")
        clients += [_SlowClient(port, table) for table in range(10)]
        stage.load(base, rows, exports, seconds=8)
        stage.snapshot("tue")
        clients += [_SlowClient(port, table) for table in range(12)]
        stage.load(base, rows, exports, seconds=8)
        stage.snapshot("wed")
        stage.load(base, rows, seconds=75)
        stage.snapshot("thu")
        for client in clients[:14]:
            client.hang_up()
        stage.load(base, rows, seconds=8)
        stage.snapshot("fri")
        for client in clients:
            client.hang_up()
        stage.rest(4)
        stage.snapshot("sat", gc=True)
    finally:
        for client in clients:
            client.hang_up()

"""A client that sends a bounded load: requests spread evenly over some seconds, on keep-alive connections.

Connections stay open between phases, as a load balancer's do; held requests keep a connection of their own open.
A request that fails or takes too long counts as sent: the load is what the service was asked, not what it answered.
Once `over` is set nothing more is waited for.
"""

import contextlib
import http.client
import queue
import socket
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from casebook.runner.case import BadCase, Send


class Client:
    """The load on one service, for the whole of a run."""

    def __init__(self, base: str, sent: Counter[str], over: threading.Event | None = None) -> None:
        parts = urlsplit(base)
        self._host, self._port, self._prefix = parts.hostname or "", parts.port or 80, parts.path
        self._idle: list[http.client.HTTPConnection] = []
        # With its socket: a connection forgets it when the answer says that it is the last one.
        self._held: list[tuple[http.client.HTTPConnection, socket.socket]] = []
        self._sent = sent
        self._over = over or threading.Event()
        self._number = 0

    @property
    def connections(self) -> int:
        """Return how many keep-alive connections are open."""
        return len(self._idle)

    @property
    def held(self) -> int:
        """Return how many requests are held open."""
        return len(self._held)

    def _open(self, timeout: float) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        connection.connect()
        return connection

    def _resize(self, connections: int, timeout: float) -> None:
        while len(self._idle) > connections:
            self._idle.pop().close()
        while len(self._idle) < connections:
            self._idle.append(self._open(timeout))

    def _ask(self, connection: http.client.HTTPConnection, send: Send, timeout: float) -> http.client.HTTPConnection:
        """Send one request and read its answer; return the connection, closed where it broke."""
        for fresh in (connection.sock is None, True):
            try:
                if connection.sock is None:
                    connection.connect()
                connection.sock.settimeout(timeout)
                connection.request(send.method, self._prefix + send.path, body=send.body or None)
                connection.getresponse().read()
                return connection
            except (ConnectionError, http.client.RemoteDisconnected):
                connection.close()
                if fresh:
                    break
                # The service closed it while it was idle: ask again on a new one, as every client does.
            except (OSError, http.client.HTTPException):
                connection.close()
                break
        return connection

    def _hold(self, send: Send, timeout: float) -> None:
        connection = self._open(timeout)
        self._held.append((connection, connection.sock))
        connection.request(send.method, self._prefix + send.path, body=send.body or None)
        if send.hold == "read":
            threading.Thread(target=_drain, args=(connection,), daemon=True).start()

    def drop(self, count: int) -> None:
        """Close so many held requests, oldest first; all when negative."""
        gone = self._held if count < 0 else self._held[:count]
        self._held = self._held[len(gone) :]
        for connection, line in gone:
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
            connection.close()

    def _next(self, send: Send) -> Send:
        self._number += 1
        self._sent[f"{send.method} {send.path.split('{n}')[0]}"] += 1
        n = str(self._number)
        return replace(send, path=send.path.replace("{n}", n), body=send.body.replace("{n}", n))

    def run(self, sends: Sequence[Send], seconds: float, connections: int | None, timeout: float) -> None:
        """Send all requests, mixed and evenly over the seconds; return when all are answered or given up."""
        began = time.monotonic()
        total = sum(send.count for send in sends)
        if connections is not None or (total and not self._idle):
            self._resize(connections if connections is not None else 1, timeout)
        if not self._idle and any(send.count and not send.hold for send in sends):
            raise BadCase(
                f"{sends[0].method} {sends[0].path} is to be sent on no connection; connections = 0 sends nothing"
            )
        # Kinds are interleaved in proportion: request i of a kind with n of them is due at (i + 1/2) / n.
        due = sorted(((at + 0.5) / send.count, kind) for kind, send in enumerate(sends) for at in range(send.count))
        waiting: queue.SimpleQueue[Send | None] = queue.SimpleQueue()
        workers = []

        def work(slot: int) -> None:
            while (send := waiting.get()) is not None and not self._over.is_set():
                self._idle[slot] = self._ask(self._idle[slot], send, timeout)

        for slot in range(len(self._idle)):
            workers.append(threading.Thread(target=work, args=(slot,), daemon=True))
            workers[-1].start()
        try:
            for share, kind in due:
                if self._over.wait(max(0.0, began + share * seconds - time.monotonic())):
                    break
                send = self._next(sends[kind])
                if send.hold:
                    self._hold(send, timeout)
                else:
                    waiting.put(send)
        finally:
            for _ in workers:
                waiting.put(None)
        for worker in workers:
            worker.join()
        self._over.wait(max(0.0, began + seconds - time.monotonic()))

    def close(self) -> None:
        """Close everything."""
        self.drop(-1)
        self._resize(0, 1.0)


def _drain(connection: http.client.HTTPConnection) -> None:
    """Read a held answer until its end, at whatever pace it comes."""
    with contextlib.suppress(OSError, http.client.HTTPException, ValueError, AttributeError):
        if connection.sock:
            connection.sock.settimeout(None)
        answer = connection.getresponse()
        while answer.read1(65536):
            pass


__all__ = ["Client"]

"""Connections that end in time: what httpcore reads and writes through, with one deadline for all of a request.

Time-outs of single reads would let a server that sends a byte now and then hold us forever, and a name server that is
silent would hold any of them. An RequestDeadline is a request on its way: till when, how far it came, what it heard.
"""

import ipaddress
import math
import socket
import ssl
import threading
import time
from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any

import httpcore

from oakum.collect.web import socks
from oakum.collect.web.proxies import Proxy
from oakum.collect.web.unix import UnixStream


class NotHTTP(httpcore.RemoteProtocolError):
    """What answers does not speak HTTP."""


class RequestDeadline:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._until = time.monotonic() + seconds
        self.begin()

    def begin(self) -> None:
        """Ask (again): nothing was heard yet."""
        self.phase = "answer"  # what it waits for: name, connection, tls, answer, body
        self.anew = False  # a connection was made for it
        self.secure = False  # TLS was spoken
        self.heard = b""  # how the answer begins

    def left(self) -> float:
        """Return the seconds that it still has; raise when there are none."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("the time is up")
        return left

    def has(self, seconds: float) -> bool:
        """Tell whether there is time for a wait."""
        return self._until - time.monotonic() > seconds

    def hears(self, data: bytes) -> None:
        """Take the beginning of an answer; raise when it is not that of HTTP, rather than wait for the rest of it."""
        if len(self.heard) < 5 and data:
            self.heard = (self.heard + data)[:200]
            if self.heard[:5] != b"HTTP/"[: len(self.heard)]:
                raise NotHTTP("the answer is not HTTP")


class Traffic:
    """What the requests of one thread cost the other side: bytes that came, `most` of them, and how long each took."""

    def __init__(self, most: float = math.inf) -> None:
        self.most = most
        self.received = 0
        self.waits: list[float] = []  # seconds, one a request

    def bounded(self, most: int) -> int:
        """Return how many bytes an answer may have that could have so many."""
        return max(0, int(min(most, self.most - self.received)))


# httpcore hands time-outs down, and nothing else; but it works in the thread that asks.
request_deadline: ContextVar[RequestDeadline] = ContextVar("request_deadline")
traffic: ContextVar[Traffic | None] = ContextVar("traffic", default=None)  # None: nobody counts


class Stream(httpcore.NetworkStream):
    """A connection, plain or TLS."""

    def __init__(self, below: httpcore.NetworkStream, names: dict[str, str]) -> None:
        self._below = below
        self._names = names  # host -> the name that its certificate has

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        del timeout  # here and below: the time of the request_deadline counts
        mine = request_deadline.get()
        data = self._below.read(max_bytes, mine.left())
        if (counted := traffic.get()) is not None:
            counted.received += len(data)
        mine.hears(data)
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        del timeout
        self._below.write(buffer, request_deadline.get().left())

    def close(self) -> None:
        self._below.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Return the same connection, encrypted."""
        del timeout
        mine = request_deadline.get()
        mine.phase = "tls"
        host = (server_hostname or "").strip("[]")
        below = self._below.start_tls(ssl_context, self._names.get(host, host.partition("%")[0]), mine.left())
        mine.phase, mine.heard, mine.secure = "answer", b"", True
        return Stream(below, self._names)

    def get_extra_info(self, info: str) -> Any:
        """Return what httpcore wants to know of the socket."""
        return self._below.get_extra_info(info)


class Network(httpcore.NetworkBackend):
    def __init__(self, names: dict[str, str], proxy: Proxy | None) -> None:
        self._names = names
        self._socks = proxy if proxy and proxy.scheme == "socks5" else None
        self._plain = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Return a connection to a host, through a SOCKS proxy where one stands before it."""
        del timeout, local_address, socket_options
        mine = request_deadline.get()
        mine.anew = True
        host = host.strip("[]").replace("%25", "%")
        if self._socks is None:
            stream = self._connected(host, port, mine)
        else:
            stream = self._connected(self._socks.host, self._socks.port, mine)
            mine.phase = "proxy"
            try:
                socks.through(stream, self._socks, host, port, mine.left)
            except BaseException:
                stream.close()
                raise
        mine.phase = "answer"
        return Stream(stream, self._names)

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None
    ) -> httpcore.NetworkStream:
        del timeout, socket_options
        mine = request_deadline.get()
        mine.anew, mine.phase = True, "connection"
        stream = UnixStream(path, mine.left())
        mine.phase = "answer"
        return Stream(stream, self._names)

    def _connected(self, host: str, port: int, mine: RequestDeadline) -> httpcore.NetworkStream:
        mine.phase = "name"
        addresses = _addresses(host, mine)
        mine.phase = "connection"
        while True:
            address = addresses.pop(0)
            try:
                # One that drops our packets (IPv6 that leads nowhere) must leave time for the others.
                return self._plain.connect_tcp(address, port, timeout=mine.left() / (len(addresses) + 1))
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if not addresses:
                    raise


def _addresses(host: str, mine: RequestDeadline) -> list[str]:
    """Return the addresses of a host. A name server that hangs cannot be interrupted: its thread is left behind."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        pass
    else:
        return [host]
    found: list[str] = []
    failed: list[Exception] = []

    def look_up() -> None:
        try:
            for *_, address in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM):
                found.append(str(address[0]))
        except (OSError, UnicodeError) as error:
            failed.append(error)

    thread = threading.Thread(target=look_up, name=f"look up {host}", daemon=True)
    thread.start()
    thread.join(mine.left())
    if failed:
        raise httpcore.ConnectError(failed[0])
    if thread.is_alive() or not found:
        raise httpcore.ConnectTimeout("no answer to the name")
    return list(dict.fromkeys(found))

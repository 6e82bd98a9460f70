"""A WebSocket to the API server, for one connection to a port of a pod: v4.channel.k8s.io, as kubelets understand it.

Channel 0 carries bytes, channel 1 the reason why there are none, after each has named the port. API servers of any age
hand it through to the runtime; the newer tunnelling of SPDY adds nothing for one port. One thread reads and writes:
OpenSSL does not allow two at once on one connection.
"""

import base64
import logging
import select
import socket
import time
from collections.abc import Iterator

import httpcore
from websockets.client import ClientProtocol
from websockets.exceptions import InvalidHandshake
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from oakum import __version__
from oakum.collect.kubernetes.credentials import ClusterAccess
from oakum.collect.web import address, socks
from oakum.collect.web.proxies import Proxy, proxy_for

DATA, ERROR = 0, 1
_PROTOCOL = Subprotocol("v4.channel.k8s.io")
_CHUNK = 64 << 10
_MESSAGE = 32 << 20  # bytes; runtimes send what they read at once, some KB
_ANSWER = 64 << 10  # bytes of a proxy's answer

# websockets would note headers, and with them who we are, for whoever turns its logging on.
_silent = logging.getLogger("oakum.tunnel")
_silent.disabled = True


class Tunnel:
    def __init__(self, base: str, path: str, access: ClusterAccess, seconds: float) -> None:
        """Open it; raise InvalidHandshake, OSError or httpcore's errors when that fails."""
        until = time.monotonic() + seconds
        place = address.read(base)
        self._socket = _connected(place, proxy_for(place, access.proxy), seconds)
        try:
            if place.scheme == "https" and access.tls is not None:
                name = access.server_name or place.host.strip("[]")
                self._socket = access.tls.wrap_socket(self._socket, server_hostname=name)
            self._protocol = ClientProtocol(
                parse_uri(f"ws{base.removeprefix('http')}{path}"),
                subprotocols=[_PROTOCOL],
                max_size=_MESSAGE,
                logger=_silent,
            )
            request = self._protocol.connect()
            request.headers["User-Agent"] = f"oakum/{__version__}"
            request.headers.update(access.sent(place.scheme))
            self._protocol.send_request(request)
            self._flush()
            self._events: list[object] = []  # heard, and not yet read
            while self._protocol.state is State.CONNECTING and self._protocol.handshake_exc is None:
                self._socket.settimeout(max(0.001, until - time.monotonic()))
                self._hear()
            if self._protocol.handshake_exc is not None:
                raise self._protocol.handshake_exc
            self._socket.settimeout(seconds)
        except BaseException:
            self._socket.close()
            raise
        self._named: set[int] = set()
        self._channel = -1

    def wait(self, other: socket.socket | None = None, seconds: float | None = None) -> tuple[bool, bool]:
        """Wait until there is something to read here or there; return where."""
        pending = getattr(self._socket, "pending", None)  # TLS may hold what has come already
        if self._events or (pending is not None and pending()):
            return True, False
        poll = select.poll()  # select() ends at file 1024
        for one in (self._socket, other):
            if one is not None:
                poll.register(one, select.POLLIN)
        ready = {file for file, _ in poll.poll(None if seconds is None else seconds * 1000)}
        return self._socket.fileno() in ready, other is not None and other.fileno() in ready

    def send(self, data: bytes) -> None:
        self._protocol.send_binary(bytes((DATA,)) + data)
        self._flush()

    def read(self) -> Iterator[tuple[int, bytes]]:
        """Yield what has come, channel by channel; raise EOFError behind the last."""
        if not self._events:
            self._hear()
        heard, self._events = self._events, []
        for event in heard:
            if isinstance(event, Frame) and (found := self._content(event)):
                yield found
        self._flush()
        if self._protocol.state is not State.OPEN:
            raise EOFError("the tunnel was closed")

    def close(self) -> None:
        """Say that it is over, and let go of it."""
        try:
            if self._protocol.state is State.OPEN:
                self._protocol.send_close()
                self._flush()
        except OSError:
            pass  # it has gone already
        finally:
            self._socket.close()

    def _content(self, frame: Frame) -> tuple[int, bytes] | None:
        data = bytes(frame.data)
        if frame.opcode in (Opcode.BINARY, Opcode.TEXT) and data:
            self._channel, data = data[0], data[1:]
        elif frame.opcode is not Opcode.CONT:
            return None
        if self._channel not in self._named:
            self._named.add(self._channel)  # the port, two bytes
            return None
        return (self._channel, data) if data else None

    def _hear(self) -> None:
        data = self._socket.recv(_CHUNK)
        if data:
            self._protocol.receive_data(data)
        else:
            self._protocol.receive_eof()
        self._events += self._protocol.events_received()

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._socket.sendall(data)


def _connected(place: address.Place, proxy: Proxy | None, seconds: float) -> socket.socket:
    """Return a connection to the API server, through the proxy that stands before it."""
    host = place.host.strip("[]")
    if proxy is None:
        return socket.create_connection((host, place.port), timeout=seconds)
    if proxy.scheme == "https":
        raise InvalidHandshake(f"{proxy}: a port is not forwarded through a proxy that is itself entered by TLS")
    if proxy.scheme == "socks5":
        until = time.monotonic() + seconds
        stream = httpcore.SyncBackend().connect_tcp(proxy.host, proxy.port, timeout=seconds)
        socks.through(stream, proxy, host, place.port, lambda: max(0.001, until - time.monotonic()))
        found: socket.socket = stream.get_extra_info("socket")
        return found
    through = socket.create_connection((proxy.host, proxy.port), timeout=seconds)
    try:
        _ask_proxy(through, f"{place.host}:{place.port}", proxy)
    except BaseException:
        through.close()
        raise
    return through


def _ask_proxy(through: socket.socket, there: str, proxy: Proxy) -> None:
    lines = [f"CONNECT {there} HTTP/1.1", f"Host: {there}"]
    if proxy.user is not None:
        pair = base64.b64encode(f"{proxy.user}:{proxy.password or ''}".encode()).decode()
        lines.append(f"Proxy-Authorization: Basic {pair}")
    through.sendall("\r\n".join((*lines, "", "")).encode())
    answer = b""
    while not answer.endswith(b"\r\n\r\n"):
        more = through.recv(1)  # what follows is TLS, and not ours to read
        if not more or len(answer) > _ANSWER:
            raise InvalidHandshake(f"{proxy}: the proxy does not answer CONNECT")
        answer += more
    status = answer.split(None, 2)[1:2]
    if status != [b"200"]:
        told = status[0].decode("latin-1") if status else "nothing"
        raise InvalidHandshake(f"{proxy}: the proxy answers {told} to CONNECT {there}")

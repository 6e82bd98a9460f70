"""Loopback servers that do what real ones do on a bad day: a function talks to each connection, byte by byte."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

HERE = Path(__file__).parent / "testdata"


class Connection:
    """One connection of a server in a test."""

    def __init__(self, plain: socket.socket, ended: threading.Event) -> None:
        self.socket = plain
        self.ended = ended

    def request(self) -> bytes:
        """Return the next request, up to its empty line; b"" when there is none."""
        data = b""
        while not data.endswith(b"\r\n\r\n"):
            more = self.socket.recv(1)
            if not more:
                return b""
            data += more
        return data

    def send(self, data: bytes) -> None:
        """Send as it is."""
        self.socket.sendall(data)

    def hold(self) -> None:
        """Do nothing until the test has ended."""
        self.ended.wait(60)

    def drip(self, data: bytes, pause: float = 0.02) -> None:
        """Send a byte now and then, until the other side has enough."""
        for byte in data:
            self.send(bytes([byte]))
            if self.ended.wait(pause):
                return


Talk = Callable[[Connection], None]


class Server:
    """A listener on loopback: where it is, and what it was asked."""

    def __init__(self, listener: socket.socket, scheme: str) -> None:
        self.listener = listener
        self.connections = 0
        self.requests: list[bytes] = []
        self.ended = threading.Event()
        self.port = 0 if listener.family == socket.AF_UNIX else int(listener.getsockname()[1])
        self.base = f"{scheme}://127.0.0.1:{self.port}"


def answer(body: bytes = b"", status: str = "200 OK", *headers: str, length: int | None = None) -> bytes:
    """Return an answer of HTTP/1.1."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}", *headers]
    return "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n" + body


def says(data: bytes) -> Talk:
    """Return what hears a request, sends some bytes and closes."""

    def talk(connection: Connection) -> None:
        if connection.request():
            connection.send(data)

    return talk


@contextmanager
def serving(talk: Talk, tls: ssl.SSLContext | None = None, path: Path | None = None) -> Iterator[Server]:
    """Run a server; each connection has its thread, and is closed when the function returns."""
    listener = socket.socket(socket.AF_UNIX if path else socket.AF_INET)
    listener.bind(str(path) if path else ("127.0.0.1", 0))
    listener.listen(64)
    server = Server(listener, "https" if tls else "http")
    threads: list[threading.Thread] = []
    opened: list[socket.socket] = []

    def one(plain: socket.socket) -> None:
        with suppress(OSError):
            kept = tls.wrap_socket(plain, server_side=True) if tls else plain
            opened.append(kept)
            connection = _Recorded(kept, server)
            with kept:
                talk(connection)
        plain.close()

    def accept() -> None:
        while True:
            try:
                plain, _ = listener.accept()
            except OSError:
                return
            plain.settimeout(20)
            opened.append(plain)
            server.connections += 1
            threads.append(threading.Thread(target=one, args=(plain,), daemon=True))
            threads[-1].start()

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    try:
        yield server
    finally:
        server.ended.set()
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        accepting.join(20)
        listener.close()
        for each in opened:
            with suppress(OSError):
                socket.socket.shutdown(each, socket.SHUT_RDWR)
        for thread in threads:
            thread.join(20)


class _Recorded(Connection):
    """A connection that writes down what is asked."""

    def __init__(self, plain: socket.socket, server: Server) -> None:
        super().__init__(plain, server.ended)
        self._server = server

    def request(self) -> bytes:
        asked = super().request()
        if asked:
            self._server.requests.append(asked)
        return asked


def certificate(name: str, *, clients: bool = False) -> ssl.SSLContext:
    """Return how a server shows a certificate of testdata; `clients`: it wants one of those who come."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(HERE / f"{name}.pem")
    if clients:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(HERE / "authority.crt")
    return context


def keeps_saying(data: bytes) -> Talk:
    """Return what answers every request of a connection alike."""

    def talk(connection: Connection) -> None:
        while connection.request():
            connection.send(data)

    return talk

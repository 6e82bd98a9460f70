"""One HTTP GET over TCP, mutual TLS or a unix socket, for evidence of the casebook's own programs on loopback."""

import http.client
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit


class FetchFailed(Exception):
    """A URL did not give what was asked for; the message says which and why, `status` what was answered."""

    def __init__(self, why: str, status: int = 0) -> None:
        super().__init__(why)
        self.status = status


@dataclass(frozen=True, slots=True)
class Tls:
    """What mutual TLS needs: the authority that signed the server, and our own certificate and key."""

    ca: Path
    cert: Path
    key: Path


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _connection(url: str, tls: Tls | None, timeout: float) -> tuple[http.client.HTTPConnection, str]:
    parts = urlsplit(url)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    if parts.scheme == "unix":
        # unix:///run/debug.sock/debug/pprof/heap
        path, found, rest = target.partition(".sock")
        if not found:
            raise FetchFailed(f"{url}: the socket's path must end with .sock")
        return _UnixConnection(f"{path}.sock", timeout), rest
    host = parts.hostname or ""
    if not host.startswith("127.") and host != "localhost":
        raise FetchFailed(f"{url}: only loopback is asked")
    if parts.scheme == "https":
        context = ssl.create_default_context(cafile=tls.ca if tls else None)
        if tls:
            context.load_cert_chain(tls.cert, tls.key)
        return http.client.HTTPSConnection(host, parts.port, timeout=timeout, context=context), target
    return http.client.HTTPConnection(host, parts.port, timeout=timeout), target


def get(url: str, tls: Tls | None = None, timeout: float = 30.0) -> bytes:
    """Return the body of a URL; raise FetchFailed when there is none."""
    connection, target = _connection(url, tls, timeout)
    try:
        connection.request("GET", target)
        answer = connection.getresponse()
        body = answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise FetchFailed(f"{url}: {error}") from None
    finally:
        connection.close()
    if answer.status != 200:
        raise FetchFailed(f"{url}: {answer.status} {answer.reason}", answer.status)
    return body


__all__ = ["FetchFailed", "Tls", "get"]

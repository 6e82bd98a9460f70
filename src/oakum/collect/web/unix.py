"""The path of a unix socket -> a connection: httpcore's own leaves the socket open when nobody answers."""

import select
import socket
import ssl
from typing import Any

import httpcore


class UnixStream(httpcore.NetworkStream):
    """A connection to a socket in the file system."""

    def __init__(self, path: str, timeout: float) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.settimeout(timeout)
            self._socket.connect(path)
        except TimeoutError as error:
            self._socket.close()
            raise httpcore.ConnectTimeout(error) from error
        except OSError as error:
            self._socket.close()
            raise httpcore.ConnectError(error) from error

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            self._socket.settimeout(timeout)
            return self._socket.recv(max_bytes)
        except TimeoutError as error:
            raise httpcore.ReadTimeout(error) from error
        except OSError as error:
            raise httpcore.ReadError(error) from error

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        try:
            self._socket.settimeout(timeout)
            self._socket.sendall(buffer)
        except TimeoutError as error:
            raise httpcore.WriteTimeout(error) from error
        except OSError as error:
            raise httpcore.WriteError(error) from error

    def close(self) -> None:
        self._socket.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Encrypt it: behind a socket there may be a forwarded port."""
        try:
            self._socket.settimeout(timeout)
            self._socket = ssl_context.wrap_socket(self._socket, server_hostname=server_hostname)
        except TimeoutError as error:
            self.close()
            raise httpcore.ConnectTimeout(error) from error
        except OSError as error:
            self.close()
            raise httpcore.ConnectError(error) from error
        return self

    def get_extra_info(self, info: str) -> Any:
        """Tell whether the other side has closed an idle connection: then there is something to read."""
        if info != "is_readable":
            return None
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        return bool(poll.poll(0))

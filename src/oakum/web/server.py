"""The application on an address: uvicorn within bounds of time, size and number, ended by a signal.

Nothing is written here, so that ending it at any time loses nothing.
"""

import asyncio
import logging
import signal
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h11
import uvicorn
from msgspec.structs import replace
from uvicorn.protocols.http.h11_impl import H11Protocol

from oakum.model import OakumError
from oakum.web.app import create_app
from oakum.web.log import FromUvicorn, ServerLog
from oakum.web.settings import Settings
from oakum.web.tray import Tray

_CONNECTIONS = 256
_HEAD_SECONDS = 10.0  # for the head of a request, and for one to begin after a connection was made
_MOST_HEAD = 16 << 10  # bytes
_MOST_BEYOND = 16 << 20  # bytes of a body that are read, to no purpose, so that its sender reads the answer
_BEYOND_SECONDS = 10.0
_IDLE_SECONDS = 30
_END_SECONDS = 3  # for answers that are under way when it ends


class _Protocol(H11Protocol):
    """HTTP/1.1 in which the head of each request has a deadline, no body goes on after its answer, and no connection is
    one too many."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._deadline: asyncio.TimerHandle | None = None
        self._beyond = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in h11_impl
        super().connection_made(transport)
        if len(self.connections) > _CONNECTIONS:
            self.logger.warning("too many connections")
            transport.abort()
            return
        self._await_head()

    def data_received(self, data: bytes) -> None:
        if self.conn.their_state is h11.IDLE and self._deadline is None:
            self._await_head()
        super().data_received(data)
        if self.conn.our_state is h11.DONE and self.conn.their_state is h11.SEND_BODY:
            self._read_beyond(len(data))
        elif self.conn.their_state is not h11.IDLE or self._beyond:
            self._beyond = 0
            self._forget_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_deadline()
        super().connection_lost(exc)

    def _read_beyond(self, size: int) -> None:
        """Count what comes of a body that was answered already: it was too large, or wrong."""
        if self._deadline is None:
            self._deadline = self.loop.call_later(_BEYOND_SECONDS, self.transport.abort)
        self._beyond += size
        if self._beyond > _MOST_BEYOND:
            self.transport.abort()

    def _await_head(self) -> None:
        self._deadline = self.loop.call_later(_HEAD_SECONDS, self._too_slow)

    def _too_slow(self) -> None:
        self.logger.warning("no head of a request in time")
        self.transport.abort()

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class _Uvicorn(uvicorn.Server):
    """Ends with a signal as a command does that was told to: it is not sent to itself once more."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {one: signal.signal(one, self.handle_exit) for one in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)


class Server:
    """Listens from the begin; `run` until SIGINT or SIGTERM, or until `stop` is called."""

    def __init__(
        self,
        settings: Settings,
        log: ServerLog,
        *,
        certificate: Path | None = None,
        key: Path | None = None,
        tray: Tray | None = None,
    ) -> None:
        self.log, self._tray = log, tray
        self._socket = _bound(settings.host, settings.port)
        self.settings = replace(settings, port=self._socket.getsockname()[1], secure=certificate is not None)
        self._files = {"ssl_certfile": certificate, "ssl_keyfile": key} if certificate else {}
        self._server: uvicorn.Server | None = None

    @property
    def url(self) -> str:
        host = f"[{self.settings.host}]" if ":" in self.settings.host else self.settings.host
        return f"{'https' if self.settings.secure else 'http'}://{host}:{self.settings.port}/"

    def run(self) -> None:
        logger = logging.getLogger("uvicorn.error")
        handler = FromUvicorn(self.log)
        logger.addHandler(handler)
        logger.propagate = False
        try:
            config = uvicorn.Config(
                create_app(self.settings, self.log, self._told, self._tray),
                http=_Protocol,
                loop="asyncio",
                ws="none",
                lifespan="on",
                log_config=None,
                log_level="warning",
                access_log=False,
                proxy_headers=False,  # who asks is who is connected
                server_header=False,
                limit_concurrency=None,
                backlog=128,
                timeout_keep_alive=_IDLE_SECONDS,
                timeout_graceful_shutdown=_END_SECONDS,
                h11_max_incomplete_event_size=_MOST_HEAD,
                **self._files,  # type: ignore[arg-type]  # two paths
            )
            self._server = _Uvicorn(config)
            self._server.run(sockets=[self._socket])
            if not self._server.started:
                raise OakumError("oakum serve could not start; what it logged says why")
        except ssl.SSLError as error:
            files = f"{self._files['ssl_certfile']}, {self._files['ssl_keyfile']}"
            raise OakumError(f"{files}: not a certificate in PEM and its key: {error.reason or error}") from error
        except (OSError, ValueError) as error:
            raise OakumError(f"oakum serve cannot start: {error}") from error
        finally:
            logger.removeHandler(handler)
            self.close()

    def close(self) -> None:
        self._socket.close()

    def _told(self) -> None:
        self.log.started(self.url, str(self.settings.store))

    def stop(self) -> None:
        if self._server is not None:
            self._server.should_exit = True


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens there; raise OakumError when that is not possible."""
    try:
        kind = socket.AF_INET6 if ":" in host else socket.AF_INET
        made = socket.socket(kind, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(128)  # who comes before the first page is ready waits
        made.set_inheritable(True)
    except OSError as error:
        why = error.strerror or str(error)
        raise OakumError(
            f"{host}:{port} cannot be listened on: {why}; choose another: --listen 127.0.0.1:0 takes a free port"
        ) from error
    return made

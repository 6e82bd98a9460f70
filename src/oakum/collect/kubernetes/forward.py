"""A port inside a pod -> a socket here, relayed through the API server as kubectl port-forward does.

The socket is a file that its owner alone can open: nobody else on this machine gets into the pod with our rights.
"""

import contextlib
import re
import shutil
import socket
import ssl
import tempfile
import threading
import time
import weakref
from pathlib import Path

import httpcore
from websockets.exceptions import InvalidStatus, WebSocketException

from oakum.collect.kubernetes.api import Api
from oakum.collect.kubernetes.refusals import Refusals
from oakum.collect.kubernetes.tunnel import DATA, ERROR, Tunnel
from oakum.model import OakumError, Text, Unreachable, said_of

_FAULTS = (httpcore.ProxyError, httpcore.NetworkError, httpcore.TimeoutException)
_CHUNK = 64 << 10
# Seconds before we speak. A runtime that finds nobody at a port says so at once and closes; were our bytes on their way
# then, the connection would be reset, and what it said lost.
_GRACE = 0.1
# error forwarding port 6060 to pod 4e12, uid : failed to dial 6060: dial tcp4 127.0.0.1:6060: connection refused
_FORWARDING = re.compile(r"error forwarding port \d+ to pod \S+, uid [^:]*: ")


class Forward:
    """A forwarded port. `socket` is the path of the socket; `trouble` says why the last connection came to nothing,
    `silence` that the other side ended it, when nobody said why."""

    def __init__(self, api: Api, namespace: str, pod: str, port: int, refusals: Refusals, seconds: float) -> None:
        self._api, self._refusals, self._seconds = api, refusals, seconds
        self._path = f"/api/v1/namespaces/{namespace}/pods/{pod}/portforward"
        self._port = port
        self.trouble: Text | None = None
        self.silence: Text | None = None
        self.refused = False  # whatever the port is
        self._heard = False
        home = tempfile.mkdtemp(prefix="oakum-")  # of mode 0700
        self._tidy = weakref.finalize(self, shutil.rmtree, home, ignore_errors=True)  # also when we are interrupted
        self.socket = str(Path(home) / "s")
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._listener.bind(self.socket)
            self._listener.listen(8)
        except OSError as error:  # the path of a socket has a hundred characters at most
            self.close()
            raise Unreachable(Text("kube.no-socket", {"place": self.socket, "error": str(error)})) from error
        threading.Thread(target=self._accept, name=f"port-forward {pod}:{port}", daemon=True).start()

    def close(self) -> None:
        _shut(self._listener)  # closing alone does not wake who accepts
        self._listener.close()
        with self._lock:
            for client in self._open:
                _shut(client)
        self._tidy()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with self._lock:
            self._open.add(client)
        try:
            endpoint = self._api.endpoint
            path = f"{endpoint.prefix}{self._path}?ports={self._port}"
            with contextlib.closing(Tunnel(endpoint.base, path, self._api.access, self._seconds)) as tunnel:
                self._relay(client, tunnel)
        except InvalidStatus as error:
            status, body = error.response.status_code, bytes(error.response.body or b"")[:65536]
            told = self._refusals.explain(status, self._path, body)
            self.refused = told is not None and status in (401, 403)
            self.trouble = told or Text("kube.forward.status", {"status": str(status)})
        except (WebSocketException, *_FAULTS, OSError, ValueError) as error:
            self.trouble = Text("kube.forward.closed", {"why": _error_text(error, self._seconds)})
        except OakumError as error:
            self.trouble = said_of(error)
        finally:
            _shut(client)
            client.close()
            with self._lock:
                self._open.discard(client)

    def _relay(self, client: socket.socket, tunnel: Tunnel) -> None:
        self.trouble = self.silence = None
        self._heard = False
        until = time.monotonic() + _GRACE
        try:
            while (left := until - time.monotonic()) > 0 and tunnel.wait(seconds=left)[0]:
                self._downwards(client, tunnel)
            while True:
                there, here = tunnel.wait(client)
                if there:
                    self._downwards(client, tunnel)
                elif here:
                    data = client.recv(_CHUNK)
                    if not data:
                        return  # the client has what it wanted; the protocol knows no half of a connection
                    tunnel.send(data)
        except (OSError, EOFError):  # the other side has ended it; a client that waits no longer returns above
            if not self._heard:
                self.silence = Text("kube.forward.silent", {"port": str(self._port)})

    def _downwards(self, client: socket.socket, tunnel: Tunnel) -> None:
        for channel, data in tunnel.read():
            if channel == DATA:
                self._heard = True
                client.sendall(data)
            elif channel == ERROR:
                self.trouble = _words(data.decode("utf-8", "replace"), self._port)


def _words(said: str, port: int) -> Text:
    """Return what the runtime says of a port that it cannot reach."""
    said = "".join(c if c.isprintable() else " " for c in _FORWARDING.sub("", said[:600]))
    if "connection refused" in said:
        return Text("kube.forward.refused", {"port": str(port), "said": said})
    if "network namespace" in said and "closed" in said:
        return Text("kube.forward.ended", {"said": said})
    return Text("kube.forward.other", {"port": str(port), "said": said})


def _error_text(error: Exception, seconds: float) -> Text:
    if isinstance(error, TimeoutError):
        return Text("web.late.answer", {"seconds": seconds})
    if isinstance(error, ssl.SSLError):
        return Text("web.tls", {"said": str(error.reason or error)})
    return Text("web.quoted", {"said": str(error) or type(error).__name__})


def _shut(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)

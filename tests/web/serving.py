"""A real server on loopback for tests: in a process of its own, ended with the test; and raw requests to it."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from support import ROOT


class Served(NamedTuple):
    """A server: its port, its process, and the file that it logs to."""

    port: int
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def lines(self) -> list[str]:
        return self.log.read_text().splitlines()


class Reply(NamedTuple):
    status: int
    head: str
    body: bytes

    def header(self, name: str) -> str:
        found = re.search(rf"^{name}: (.*?)\r?$", self.head, re.MULTILINE | re.IGNORECASE)
        return found[1] if found else ""


@contextmanager
def serving(store: Path, log: Path, *options: str, **environment: str) -> Iterator[Served]:
    """Start `oakum serve` on a free port; wait until it says where."""
    command = [
        sys.executable,
        "-m",
        "oakum",
        "serve",
        "--store",
        str(store),
        "--listen",
        "127.0.0.1:0",
        "--lang",
        "en",
        *options,
    ]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **environment}
    with log.open("wb") as errors:
        process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=errors)
    try:
        while not (found := re.search(r"url=https?://127\.0\.0\.1:(\d+)/", log.read_text())):
            assert process.poll() is None, log.read_text()
        yield Served(int(found[1]), process, log)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(30)


def sent(served: Served, data: bytes, timeout: float = 150.0) -> Reply:  # a worker may take 120
    """Send bytes as they are, and return what comes until the end."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=timeout) as connection:
        with suppress(ConnectionError):  # it may be refused before all of it was sent
            connection.sendall(data)
        return received(connection)


def received(connection: socket.socket) -> Reply:
    data = b""
    try:
        while piece := connection.recv(1 << 16):
            data += piece
    except ConnectionResetError:
        pass
    head, _, body = data.partition(b"\r\n\r\n")
    status = int(head.split(b" ")[1]) if head.startswith(b"HTTP/1.1 ") else 0
    return Reply(status, head.decode("latin-1"), body)


def request(served: Served, path: str, method: str = "GET", body: bytes = b"", **headers: str) -> Reply:
    """Send a request with a right Host, unless another is named; `_` in names of headers stands for `-`."""
    told = {
        "Host": served.host,
        "Connection": "close",
        **{name.replace("_", "-"): text for name, text in headers.items()},
    }
    if body:
        told.setdefault("Content-Length", str(len(body)))
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {text}" for name, text in told.items())]
    return sent(served, "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)


def document(reply: Reply) -> object:
    return json.loads(reply.body)

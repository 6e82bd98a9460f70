"""A NATS server and an S3 server of this machine, real ones, that tests kill and start again; and a network between
that answers 500 and 503, and drops connections."""

import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

from support import free_ports
from toolchain import need_server

NATS = "github.com/nats-io/nats-server/v2", "v2.15.2"
S3 = "github.com/versity/versitygw/cmd/versitygw", "v1.8.0"


class Process:
    """One server: a command, and the port at which it answers."""

    def __init__(self, command: list[str], port: int, log: Path, **environment: str) -> None:
        self._command, self.port, self._log = command, port, log
        self._environment = {**os.environ, **environment}
        self._running: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        with self._log.open("ab") as log:
            self._running = subprocess.Popen(self._command, stdout=log, stderr=log, env=self._environment)
        for _ in range(600):
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            assert self._running.poll() is None, self._log.read_text()[-2000:]
            time.sleep(0.1)
        raise AssertionError(f"{self._command[0]} does not listen")

    def kill(self) -> None:
        assert self._running is not None
        with suppress(ProcessLookupError):
            self._running.send_signal(signal.SIGKILL)
        self._running.wait()

    def restart(self) -> None:
        self.kill()
        self.start()


class Unsteady:
    """A port that leads to another; now and then it answers by itself that the server failed, or is cut off."""

    def __init__(self, port: int, seed: int) -> None:
        self._port, self._chance = port, Random(seed)
        self.faults = 0.0
        self.answered = 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError), socket.create_connection(("127.0.0.1", self._port), 5) as server:
            server.settimeout(None)
            back = threading.Thread(target=_pump, args=(server, client), daemon=True)
            back.start()
            while data := client.recv(1 << 16):
                if self._chance.random() < self.faults:
                    self.answered += 1
                    kind = self._chance.randrange(3)
                    if kind == 2:  # it is done, and nobody hears of it
                        server.sendall(data)
                    else:
                        told = ("500 Internal Server Error", "503 Slow Down")[kind]
                        client.sendall(f"HTTP/1.1 {told}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
                    return
                server.sendall(data)
            with suppress(OSError):
                server.shutdown(socket.SHUT_WR)
            back.join(5)

    def close(self) -> None:
        self._listening.close()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)


class Servers:
    def __init__(self, nats: Process, s3: Process, network: Unsteady) -> None:
        self.nats, self.s3, self.network = nats, s3, network

    @property
    def environment(self) -> dict[str, str]:
        return {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.network.port}",
            "AWS_ACCESS_KEY_ID": "oakum",
            "AWS_SECRET_ACCESS_KEY": "oakumsecret",
            "AWS_REGION": "us-east-1",
            "OAKUM_QUEUE": f"nats://127.0.0.1:{self.nats.port}",
            "OAKUM_STORE": "s3://fleet/oakum",
        }


@contextmanager
def servers(place: Path) -> Iterator[Servers]:
    """Start both servers, with what they keep below a directory."""
    nats_program, s3_program = need_server(*NATS), need_server(*S3)
    nats_port, s3_port = free_ports(2)
    (place / "s3" / "fleet").mkdir(parents=True)
    nats = Process(
        [str(nats_program), "-a", "127.0.0.1", "-p", str(nats_port), "-js", "-sd", str(place / "js")],
        nats_port, place / "nats.log",
    )  # fmt: skip
    s3 = Process(
        [str(s3_program), "--port", f"127.0.0.1:{s3_port}", "posix", str(place / "s3")], s3_port, place / "s3.log",
        ROOT_ACCESS_KEY="oakum", ROOT_SECRET_KEY="oakumsecret",
    )  # fmt: skip
    network = Unsteady(s3_port, 5)
    try:
        yield Servers(nats, s3, network)
    finally:
        network.close()
        nats.kill()
        s3.kill()

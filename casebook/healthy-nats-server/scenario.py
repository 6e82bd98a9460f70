"""nats-server from its package: clients subscribe in two waves, publish, and leave."""

import socket
import threading
import time

from casebook.runner.stage import Stage


class Subscriber:
    """One connected client that reads whatever it is sent."""

    def __init__(self, port: int, number: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.sendall(
            f'CONNECT {{"verbose":false,"name":"till-{number}"}}\r\nSUB orders.{number % 7} 1\r\n'.encode()
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            while data := self._socket.recv(65536):
                if b"PING\r\n" in data:
                    self._socket.sendall(b"PONG\r\n")
        except OSError:
            pass  # it has left

    def publish(self, count: int) -> None:
        """Publish small messages to everybody's subjects."""
        for number in range(count):
            self._socket.sendall(f"PUB orders.{number % 7} 64\r\n{'x' * 64}\r\n".encode())
            time.sleep(0.002)

    def leave(self) -> None:
        """Close the connection."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def run(stage: Stage) -> None:
    """Ramp up in two waves, hold, let most leave, let all leave."""
    port, profiling = stage.free_port(), stage.free_port()
    config = stage.folder / "nats.conf"
    config.write_text(f"listen: 127.0.0.1:{port}\nprof_port: {profiling}\n")
    stage.start("nats-server", ["nats-server", "-c", str(config)], pprof=f"http://127.0.0.1:{profiling}/debug/pprof")
    stage.rest(3)
    stage.snapshot("before")
    clients = [Subscriber(port, number) for number in range(60)]
    clients[0].publish(1500)
    stage.snapshot("ramp")
    clients += [Subscriber(port, number) for number in range(60, 150)]
    clients[0].publish(3000)
    stage.snapshot("peak")
    stage.rest(75)
    clients[0].publish(500)
    stage.snapshot("hold")
    for client in clients[20:]:
        client.leave()
    stage.rest(15)
    stage.snapshot("leaving")
    for client in clients[:20]:
        client.leave()
    stage.rest(15)
    stage.snapshot("after")

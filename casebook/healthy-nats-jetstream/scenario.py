"""nats-server with JetStream: streams as shops open, consumers for reports that end when their readers have gone."""

import json
import socket
import threading

from casebook.runner.stage import Stage

SHOPS = 18


class Client:
    """One connected client that speaks the text protocol and answers pings."""

    def __init__(self, port: int, name: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self._answers: dict[str, threading.Event] = {}
        self._numbers = 0
        self._send(f'CONNECT {{"verbose":false,"headers":true,"name":"{name}"}}\r\nSUB _INBOX.{name}.> 1\r\n')
        self._name = name
        threading.Thread(target=self._read, daemon=True).start()

    def _send(self, text: str) -> None:
        self._socket.sendall(text.encode())

    def _read(self) -> None:
        try:
            self._socket.settimeout(None)
            for line in self._socket.makefile("rb"):
                if line == b"PING\r\n":
                    self._send("PONG\r\n")
                elif line.startswith((b"MSG ", b"HMSG ")) and (inbox := line.split()[1].decode()) in self._answers:
                    self._answers[inbox].set()
        except (OSError, ValueError):
            pass  # it has left

    def ask(self, subject: str, request: dict[str, object]) -> None:
        """Send a request and wait for its answer."""
        self._numbers += 1
        inbox = f"_INBOX.{self._name}.{self._numbers}"
        answered = self._answers[inbox] = threading.Event()
        body = json.dumps(request)
        self._send(f"PUB {subject} {inbox} {len(body)}\r\n{body}\r\n")
        if not answered.wait(10):
            raise TimeoutError(f"no answer to {subject}")

    def publish(self, subject: str, size: int) -> None:
        """Publish one message."""
        self._send(f"PUB {subject} {size}\r\n{'x' * size}\r\n")

    def subscribe(self, subject: str) -> None:
        """Receive what comes on a subject."""
        self._numbers += 1
        self._send(f"SUB {subject} {self._numbers + 10}\r\n")

    def leave(self) -> None:
        """Close the connection."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def _open(office: Client, first: int, last: int) -> None:
    for shop in range(first, last):
        stream = {"name": f"SHOP{shop}", "subjects": [f"shop.{shop}.>"], "storage": "file", "max_msgs": 500}
        office.ask(f"$JS.API.STREAM.CREATE.SHOP{shop}", stream)


def _trade(office: Client, shops: int, rounds: int) -> None:
    for number in range(rounds):
        office.publish(f"shop.{number % shops}.sale", 400)


def _report(port: int, shops: int, name: str) -> Client:
    """Return a reader with a consumer on every open shop; the consumers end five seconds after it has left."""
    reader = Client(port, name)
    for shop in range(shops):
        inbox = f"report.{name}.{shop}"
        reader.subscribe(inbox)
        wanted = {"deliver_subject": inbox, "deliver_policy": "all", "ack_policy": "none",
                  "inactive_threshold": 5_000_000_000}  # fmt: skip
        reader.ask(f"$JS.API.CONSUMER.CREATE.SHOP{shop}", {"stream_name": f"SHOP{shop}", "config": wanted})
    return reader


def run(stage: Stage) -> None:
    """Open shops, run reports at their peak, let the reports end."""
    port, profiling = stage.free_port(), stage.free_port()
    config = stage.folder / "messages.conf"
    config.write_text(
        f"listen: 127.0.0.1:{port}\nprof_port: {profiling}\n"
        f"jetstream {{ store_dir: {stage.folder}/store, max_mem: 32MB, max_file: 128MB }}\n"
    )
    stage.start("messages", [stage.program(), "-c", str(config)], pprof=f"http://127.0.0.1:{profiling}/debug/pprof")
    office = Client(port, "office")
    stage.rest(3)
    stage.snapshot("before")
    _open(office, 0, 8)
    _trade(office, 8, 800)
    readers = [_report(port, 8, f"a{number}") for number in range(2)]
    stage.rest(5)
    stage.snapshot("opening")
    _open(office, 8, SHOPS)
    _trade(office, SHOPS, 3000)
    readers += [_report(port, SHOPS, f"b{number}") for number in range(5)]
    stage.rest(8)
    stage.snapshot("reports")
    stage.rest(70)
    _trade(office, SHOPS, 1000)
    stage.snapshot("still-reading")
    for reader in readers:
        reader.leave()
    stage.rest(45)
    stage.snapshot("after", gc=True)

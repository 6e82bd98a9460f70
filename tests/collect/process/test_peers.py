"""From a process to those that it asked, by real processes and sockets of this machine."""

import subprocess
import sys
from pathlib import Path

import pytest

from collect.process.children import child
from oakum.cli.follow import peers_of
from oakum.collect.process.peers import follow
from oakum.collect.process.proc import Proc
from oakum.collect.process.sockets import listening_on
from oakum.collect.web import Access
from oakum.model.errors import UsageError

LISTENS = """
import socket, sys, threading
inbox = socket.create_server(("127.0.0.1", int(sys.argv[1])))
kept = []
def serve():
    while True:
        kept.append(inbox.accept())
threading.Thread(target=serve, daemon=True).start()
"""
ASKS = """
import socket, sys
kept = [socket.create_connection(("127.0.0.1", int(one))) for one in sys.argv[2:]]
inbox = socket.create_server(("127.0.0.1", int(sys.argv[1])))
"""


@pytest.fixture
def ports() -> list[str]:
    code = "import socket\nall = [socket.create_server(('127.0.0.1', 0)) for _ in range(3)]\n"
    code += "print(*(one.getsockname()[1] for one in all))"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def test_who_was_asked_is_followed_and_who_asks_is_not(ports: list[str]) -> None:
    last, middle, first = ports
    with child(LISTENS, last) as answers, child(ASKS, middle, last) as between, child(ASKS, first, middle) as asks:
        found = follow([Proc(asks.pid)])
        assert [(one.proc.pid, one.asked_by.pid, one.address) for one in found.peers] == [
            (between.pid, asks.pid, f"127.0.0.1:{middle}")
        ]
        assert not found.peers[0].is_go  # no runtime of Go in it: nobody is followed from there
        assert (found.elsewhere, found.unseen, found.more) == ([], [], False)
        assert follow([Proc(answers.pid)]).peers == []
        assert [one.pid for one in listening_on(int(middle))] == [between.pid]


def test_what_is_not_captured_is_said(ports: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    last, middle, _ = ports
    with child(LISTENS, last) as answers, child(ASKS, middle, last) as asks:
        words = (f"pid:{asks.pid}",)
        assert peers_of(words, Access()) == []
        said = capsys.readouterr().err
        assert f"(pid {answers.pid}), 127.0.0.1:{last}: no Go program, not captured" in said
        assert peers_of((f"http://127.0.0.1:{middle}",), Access()) == []


UNIX = """
import signal, socket, sys
if sys.argv[1] == "listen":
    signal.signal(signal.SIGUSR1, lambda *_: None)
    inbox = socket.socket(socket.AF_UNIX)
    inbox.bind(sys.argv[2])
    inbox.listen()
else:
    outbox = socket.socket(socket.AF_UNIX)
    outbox.connect(sys.argv[2])
    kept = [outbox]
"""
ACCEPTS = (
    "import threading\nkept = []\nthreading.Thread(target=lambda: kept.append(inbox.accept()), daemon=True).start()\n"
)


def test_a_shim_is_captured_by_its_signal(tmp_path: Path) -> None:
    path, program = str(tmp_path / "task.sock"), tmp_path / "containerd-shim-python"
    program.symlink_to(sys.executable)
    with child(UNIX + ACCEPTS, "listen", path, program=str(program)) as shim, child(UNIX, "connect", path) as asks:
        (peer,) = follow([Proc(asks.pid)]).peers
        assert (peer.word, peer.address) == (f"shim:{shim.pid}", path)


def test_only_this_machine_is_followed() -> None:
    with pytest.raises(UsageError, match="no such process on this machine"):
        peers_of(("http://192.0.2.7:6060",), Access())


LISTENS_TWICE = """
import socket, sys, threading
by_path = socket.socket(socket.AF_UNIX)
by_path.bind(sys.argv[2])
by_path.listen()
kept = []
def serve(way):
    while True:
        kept.append(way.accept())
for way in (by_path, socket.create_server(("127.0.0.1", int(sys.argv[1])))):
    threading.Thread(target=serve, args=(way,), daemon=True).start()
"""
ASKS_TWICE = """
import socket, sys
def by_path():
    own = socket.socket(socket.AF_UNIX)
    own.connect(sys.argv[2])
    return own
def by_port():
    return socket.create_connection(("127.0.0.1", int(sys.argv[1])))
kept = [by_port(), by_path(), by_port()] if sys.argv[3] == "port" else [by_path(), by_port()]
"""


@pytest.mark.parametrize("first", ["port", "path"])
def test_of_several_connections_all_are_named_whichever_came_first(
    first: str, ports: list[str], tmp_path: Path
) -> None:
    path = str(tmp_path / "containerd.sock")
    with child(LISTENS_TWICE, ports[0], path) as answers, child(ASKS_TWICE, ports[0], path, first) as asks:
        (peer,) = follow([Proc(asks.pid)]).peers
        assert (peer.proc.pid, peer.address) == (answers.pid, f"{path}, 127.0.0.1:{ports[0]}")

"""Sockets of real processes: the kernel's own queues and peers."""

import os
import socket
from pathlib import Path

import pytest

from collect.process.children import child
from oakum.collect.process.proc import Proc
from oakum.collect.process.sockets import limits, listeners, sockets

# Writes to a unix socket and to a TCP one until nothing more goes in.
WRITER = """
import socket, sys
unix = socket.socket(socket.AF_UNIX)
unix.connect(sys.argv[1])
tcp = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
for one in (unix, tcp):
    one.setblocking(False)
    try:
        while True:
            one.send(b"x" * 65536)
    except BlockingIOError:
        pass
"""


def test_a_buffer_that_nobody_empties(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, me = str(tmp_path / "s"), os.getpid()
    with socket.socket(socket.AF_UNIX) as unix, socket.create_server(("127.0.0.1", 0)) as tcp:
        unix.bind(path)
        unix.listen()
        with child(WRITER, path, str(tcp.getsockname()[1])) as writer, unix.accept()[0], tcp.accept()[0]:
            monkeypatch.setattr(os, "getpid", lambda: 0)  # else we are left out, since we look
            rows = sockets(Proc(writer.pid))
            full = [row for row in rows if row.full]
            assert sorted(row.kind for row in full) == ["tcp", "u_str"]
            for row in full:
                assert (row.state, row.peer_pid) == ("ESTAB", me)
                assert row.sent
                assert row.send_buffer
            mine = sockets(Proc(me))
            assert sorted(row.kind for row in mine if row.unread and row.peer_pid == writer.pid) == ["tcp", "u_str"]


def test_who_looks_is_left_out() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()),
        server.accept()[0],
    ):
        port = server.getsockname()[1]
        mine = [row for row in sockets(Proc(os.getpid())) if str(port) in (row.local + row.peer)]
        assert [row.state for row in mine] == ["LISTEN"]


@pytest.mark.parametrize(("family", "address"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "[::1]")])
def test_where_it_listens(family: socket.AddressFamily, address: str) -> None:
    if family == socket.AF_INET6 and not Path("/proc/net/if_inet6").exists():
        return  # a machine without IPv6
    with socket.create_server((address.strip("[]"), 0), family=family) as server:
        assert f"{address}:{server.getsockname()[1]}" in [row.local for row in listeners(Proc(os.getpid()))]


def test_ipv4_in_ipv6_is_told_as_ipv4(tmp_path: Path) -> None:
    (tmp_path / "12" / "net").mkdir(parents=True)
    (tmp_path / "12" / "fd").mkdir()
    (tmp_path / "12" / "fd" / "3").symlink_to("socket:[77]")
    head = "  sl  local_address remote_address st tx_queue rx_queue tr tm->when retrnsmt uid timeout inode\n"
    row = "   0: 0000000000000000FFFF00000100007F:17AC 0000000000000000FFFF00000200007F:1388 01 00000010:00000003 00:0 0 0 0 77 1\n"
    (tmp_path / "12" / "net" / "tcp6").write_text(head + row + "garbage\n 1: zz:zz\n")
    (found,) = sockets(Proc(12, tmp_path))
    assert (found.local, found.peer, found.state) == ("127.0.0.1:6060", "127.0.0.2:5000", "ESTAB")
    assert (found.sent, found.received) == (16, 3)


def test_limits_are_those_of_sysctl() -> None:
    assert int(limits()["net.core.wmem_max"]) > 0

"""The kernel's tables of sockets and `ls -l /proc/PID/fd`: of this very process, and as they were recorded."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from oakum.model import Capture, Reading
from oakum.parse import parse

RECORDED = Path(__file__).parents[1] / "systems" / "pages-wait-for-stock" / "captures" / "storefront" / "4-95s"
# Of a machine with IPv6, and of a socket in the abstract name space.
TCP6 = """\
  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000002 00:00000000 00000000     0        0 48215 1 0000000000000000 100 0 0 10 0
   1: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000100007F:A8CA 01 00000010:00000020 00:00000000 00000000     0        0 48216 1 0000000000000000 20 4 30 10 -1
   2: B80D0120000000000000000001000000:1F90 garbage
"""
UNIX = """\
Num       RefCount Protocol Flags    Type St Inode Path
00000000c8366cf2: 00000002 00000000 00010000 0001 01 685677 /run/my shim.sock
000000003734404c: 00000003 00000000 00000000 0001 03  1451
00000000f5c5c9b7: 00000002 00000000 00000000 0002 01 700960 @/odd
"""
FILES = """\
/proc/812/fd:
total 0
lr-x------. 1 app app 64 2026-11-18 03:50 0 -> /dev/null
lrwx------  1 root root 64 Nov 18 03:50 10 -> socket:[685677]
lrwx------ 1 root root 64 Nov 18 03:50 251 -> pipe:[700960]
lrwx------ 1 root root 64 18 nov.  03:50 7 -> socket:[48216]
"""


def one(data: str | bytes) -> Reading:
    (reading,) = parse(Capture("x", data if isinstance(data, bytes) else data.encode()))
    return reading


def test_a_table_of_tcp_is_read() -> None:
    reading = one(TCP6)
    assert (reading.kind, reading.format) == ("sockets", "proc-net")
    assert reading.sockets is not None
    assert [(row.kind, row.state, row.local, row.peer, row.inode) for row in reading.sockets.rows] == [
        ("tcp", "LISTEN", "[::]:8080", "[::]:0", 48215),
        ("tcp", "ESTAB", "127.0.0.1:8080", "127.0.0.1:43210", 48216),
    ]
    assert (reading.sockets.rows[1].sent, reading.sockets.rows[1].received) == (16, 32)
    assert [problem.key for problem in reading.problems] == ["unread-sockets"]
    assert reading.sockets.open is None


def test_a_table_of_unix_sockets_is_read() -> None:
    sockets = one(UNIX).sockets
    assert sockets is not None
    assert [(row.kind, row.state, row.local, row.inode) for row in sockets.rows] == [
        ("u_str", "LISTEN", "/run/my shim.sock", 685677),
        ("u_str", "ESTAB", "*", 1451),
        ("u_dgr", "UNCONN", "@/odd", 700960),
    ]


def test_a_list_of_open_files_is_read() -> None:
    reading = one(FILES)
    assert reading.format == "proc-fd"
    assert reading.sockets is not None
    assert (reading.sockets.pid, reading.sockets.open) == (812, {685677: 10, 48216: 7})


def test_lists_that_stand_one_after_the_other_are_one() -> None:
    sockets = one(FILES + TCP6 + UNIX).sockets
    assert sockets is not None
    assert (len(sockets.rows), len(sockets.open or {}), sockets.pid) == (5, 2, 812)


@pytest.mark.parametrize("text", [TCP6, UNIX, FILES])
def test_a_list_that_is_cut_is_read(text: str) -> None:
    for end in range(0, len(text), 7):
        assert parse(Capture("x", text[:end].encode())) is not None


@pytest.mark.parametrize("text", ["total 12\n-rw-r--r-- 1 a a 5 Nov 18 03:50 x\n", "sl local_address\n", "Num Ref\n"])
def test_other_lists_are_none(text: str) -> None:
    assert one(text).kind == "unknown"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc")
def test_what_this_process_has_open_is_found_in_the_tables() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        # A file that is closed meanwhile makes ls fail; the others are listed all the same.
        listed = subprocess.run(["/bin/ls", "-l", f"/proc/{os.getpid()}/fd"], capture_output=True, check=False).stdout
        files, table = one(listed).sockets, one(Path("/proc/self/net/tcp").read_bytes()).sockets
        assert files is not None
        assert files.open is not None
        assert table is not None
        mine = {files.open[row.inode]: row for row in table.rows if row.inode in files.open}
        assert mine[server.fileno()].state == "LISTEN"
        host, port = client.getsockname()
        assert (mine[client.fileno()].local, mine[client.fileno()].state) == (f"{host}:{port}", "ESTAB")


def test_what_was_recorded_of_a_service_is_read() -> None:
    files, table = (one((RECORDED / name).read_bytes()).sockets for name in ("fd.txt.gz", "tcp.txt.gz"))
    assert files is not None
    assert files.open is not None
    assert table is not None
    mine = [row for row in table.rows if row.inode in files.open]
    assert sum(row.peer == "127.0.0.1:21164" for row in mine) == 115  # the stuck backend, one connection a request

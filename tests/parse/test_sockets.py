"""Sockets of a process: our own text and what ss prints, and which of them are stuck."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from oakum import cli
from oakum.collect.process.sockets_text import as_text
from oakum.model import Capture, Reading, Socket
from oakum.parse import parse
from support import ROOT

AT = datetime(2026, 11, 16, 10, 15, tzinfo=UTC)
FULL = Socket(
    "u_str", "ESTAB", 0, 214016, "/run/containerd/s/my shim", "*", 48213, 48214, 7, 812, "containerd",
    send_used=214016, send_buffer=212992, receive_used=0, receive_buffer=212992,
)  # fmt: skip
ROWS = (
    FULL,
    Socket("u_str", "LISTEN", 1, 128, "@/containerd-shim/x.sock", "*", 48215, fd=3),
    Socket("tcp", "ESTAB", 0, 0, "127.0.0.1:6060", "127.0.0.1:43210", 48216, 0, 8, 900, 'odd "name" (x)'),
    Socket("udp", "UNCONN", None, None, "[::]:53", "[::]:0", 48217, fd=9),
)
# As `ss -tuxanpm` of iproute2 6.1 prints them: memory behind unix sockets, and below those of TCP.
SS = """\
Netid State  Recv-Q Send-Q Local Address:Port  Peer Address:Port Process
u_str ESTAB  0      214016 * 6416681            * 6416680 users:(("writer",pid=10907,fd=4)) skmem:(r0,rb212992,t214016,tb212992,f0,w0,o0,bl0,d0)
u_str ESTAB  180224 0      /run/a.sock 6416680  * 6416681 users:(("reader",pid=10864,fd=4)) skmem:(r0,rb212992,t0,tb212992,f0,w0,o0,bl0,d0)
tcp   ESTAB  0      900000 127.0.0.1:6060      127.0.0.1:5000  users:(("writer",pid=10907,fd=5))
\t skmem:(r0,rb131072,t0,tb2626560,f3072,w2600000,o0,bl0,d0)
tcp   ESTAB  700000 0      127.0.0.1:5000      127.0.0.1:6060  users:(("reader",pid=10864,fd=6))
\t skmem:(r710000,rb1000000,t0,tb2626560,f0,w0,o0,bl0,d0)
"""


def one(data: bytes) -> Reading:
    (reading,) = parse(Capture("x", data))
    return reading


def test_what_is_written_is_read_back() -> None:
    text = as_text(
        ROWS, 812, "containerd-shim", AT, {"net.core.wmem_max": "212992", "net.ipv4.tcp_wmem": "4096 16384 4194304"}
    )
    reading = one(text)
    assert (reading.kind, reading.format, reading.taken_at) == ("sockets", "sockets", AT)
    assert reading.sockets is not None
    assert reading.sockets.rows == tuple(replace(row, pid=812, name="containerd-shim") for row in ROWS)
    assert reading.sockets.pid == 812
    assert reading.sockets.limits == {"net.core.wmem_max": "212992", "net.ipv4.tcp_wmem": "4096 16384 4194304"}
    assert reading.problems == ()


def test_what_ss_prints_is_read() -> None:
    sockets = one(SS.encode()).sockets
    assert sockets is not None
    assert [(row.peer_pid, row.peer_name) for row in sockets.rows] == [(10864, "reader"), (10907, "writer")] * 2
    assert [row.inode for row in sockets.full] == [0, 6416681]
    assert [row.received for row in sockets.unread] == [700000, 180224]


# The kernel's rules: unix_writable and sk_stream_is_writeable.
@pytest.mark.parametrize(
    ("kind", "used", "room", "full"),
    [
        ("u_str", 53248, 212992, False),
        ("u_str", 53249, 212992, True),
        ("tcp", 1000, 1500, False),
        ("tcp", 1000, 1499, True),
        ("tcp", 1000, None, False),
    ],
)
def test_when_a_writer_waits(kind: str, used: int, room: int | None, full: bool) -> None:
    assert Socket(kind, "ESTAB", 0, used, "a", "b", send_used=used, send_buffer=room).full is full
    assert not Socket(kind, "LISTEN", 0, used, "a", "b", send_used=used, send_buffer=room).full


def test_the_third_incident(capsys: pytest.CaptureFixture[str]) -> None:
    folder = ROOT / "casebook" / "ttrpc-94" / "captures"
    before, busy, fixed = (
        one((folder / take).read_bytes()).sockets
        for take in (
            "leaking-go1.26-modcache/sockets.before.txt",
            "leaking-go1.26-modcache/sockets.busy.txt",
            "fixed-go1.26-modcache/sockets.busy.txt",
        )
    )
    assert before is not None
    assert busy is not None
    assert fixed is not None
    assert (before.full, before.unread, fixed.full, fixed.unread) == ((), (), (), ())
    assert {row.peer_name for row in busy.full if row.unread} == {"containerd", "shim"}
    assert cli.run(["inspect", str(folder / "leaking-go1.26-modcache" / "sockets.busy.txt")]) == 0
    shown = capsys.readouterr().out
    assert "full both ways: 227,840 bytes wait for pid 12534 (shim) to read them, and 166,664 bytes" in shown


def test_inspect_tells_who_waits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "sockets.txt").write_bytes(as_text(ROWS, 812, "containerd-shim", AT, {}))
    assert cli.run(["inspect", str(tmp_path / "sockets.txt")]) == 0
    shown = capsys.readouterr().out
    assert "4 sockets" in shown
    assert "full: 214,016 bytes wait for pid 812 (containerd) to read them, 214,016 of 212,992 buffer bytes" in shown


@given(st.text(max_size=200), st.integers(0, 2000))
def test_nothing_raises(junk: str, at: int) -> None:
    for text in (SS, as_text(ROWS, 812, "x", AT, {}).decode()):
        assert parse(Capture("x", (text[:at] + junk + text[at:]).encode("utf-8", "surrogatepass")))
        assert parse(Capture("x", text[:at].encode()))


# As `ss -tanp` and `ss -tn state established` of iproute2 6.1 print them: what all rows have in common is left out.
WITHOUT_NETID = """\
State  Recv-Q Send-Q Local Address:Port  Peer Address:Port Process
LISTEN 0      4096       127.0.0.1:21102      0.0.0.0:*     users:(("orders",pid=5121,fd=7))
ESTAB  0      0          127.0.0.1:21102    127.0.0.1:48122 users:(("orders",pid=5121,fd=8))
ESTAB  0      0          127.0.0.1:48122    127.0.0.1:21102 users:(("gateway",pid=5127,fd=3))
Netid State  Recv-Q Send-Q Local Address:Port  Peer Address:Port Process
u_str LISTEN 0      4096   /run/orders.sock 1311247            * 0       users:(("orders",pid=5121,fd=9))
Recv-Q Send-Q Local Address:Port  Peer Address:Port Process
12     0          10.0.0.7:21160      10.0.0.9:45696
"""


def test_columns_that_ss_leaves_out_are_known() -> None:
    reading = one(WITHOUT_NETID.encode())
    assert reading.sockets is not None
    assert reading.problems == ()
    rows = reading.sockets.rows
    assert [(row.kind, row.state, row.pid, row.name) for row in rows] == [
        ("tcp", "LISTEN", 5121, "orders"),
        ("tcp", "ESTAB", 5121, "orders"),
        ("tcp", "ESTAB", 5127, "gateway"),
        ("u_str", "LISTEN", 5121, "orders"),
        ("tcp", "ESTAB", None, ""),
    ]
    assert (rows[1].peer_pid, rows[1].peer_name) == (5127, "gateway")
    assert (rows[4].local, rows[4].peer, rows[4].received) == ("10.0.0.7:21160", "10.0.0.9:45696", 12)


@pytest.mark.parametrize("columns", ["", "State ", "Netid State "])
def test_a_list_without_rows_is_one(columns: str) -> None:
    # ss 6.1 writes no space before Process where no row made the column wider
    found = one(f"{columns}Recv-Q Send-Q Local Address:Port Peer Address:PortProcess\n".encode())
    assert (found.kind, found.format, found.problems) == ("sockets", "ss", ())
    assert found.sockets is not None
    assert found.sockets.rows == ()

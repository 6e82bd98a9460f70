"""A process -> its sockets: queues, buffers, and the process at the other end where that is on this machine.

By inode: what /proc/PID/fd holds is looked up in /proc/PID/net/*, that is in the network namespace of the process. Unix
peers and the memory of buffers come from sock_diag; a TCP peer on this machine is the socket with the addresses turned.
"""

import os
import socket
from collections.abc import Iterable, Iterator
from ipaddress import IPv6Address, ip_address
from pathlib import Path

from msgspec.structs import replace

from oakum.collect.process.proc import Proc, pids, socket_inode
from oakum.collect.process.sock_diag import Told, tcp_memory, unix_sockets
from oakum.model import Socket

_MOST = 64 << 20  # of /proc/net/tcp: some 400,000 connections
# As ss names them.
_TCP_STATES = (
    "UNKNOWN", "ESTAB", "SYN-SENT", "SYN-RECV", "FIN-WAIT-1", "FIN-WAIT-2", "TIME-WAIT", "CLOSE", "CLOSE-WAIT",
    "LAST-ACK", "LISTEN", "CLOSING", "NEW-SYN-RECV",
)  # fmt: skip
_UNIX_TYPES = {1: "u_str", 2: "u_dgr", 5: "u_seq"}
_UNIX_LISTENS = 0x10000  # __SO_ACCEPTCON
_UNIX_STATES = {1: "UNCONN", 2: "SYN-SENT", 3: "ESTAB", 4: "CLOSING"}
LIMITS = (
    "net.core.rmem_default", "net.core.rmem_max", "net.core.wmem_default", "net.core.wmem_max", "net.core.somaxconn",
    "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem", "net.unix.max_dgram_qlen",
)  # fmt: skip


def sockets(proc: Proc) -> list[Socket]:
    """Return the sockets of a process; raise OSError when its open files may not be seen.

    Is to be called in the network namespace of the process, else peers and buffers stay unknown.
    """
    mine = {inode: fd for fd, what in proc.open_files().items() if (inode := socket_inode(what)) is not None}
    every = {row.inode: row for row in _every(proc)}
    rows = [replace(every[inode], fd=fd) for inode, fd in sorted(mine.items()) if inode in every]
    rows = _with_told(rows)
    ends = {(row.local, row.peer): row.inode for row in every.values() if row.kind == "tcp" and row.inode}
    rows = [replace(row, peer_inode=row.peer_inode or ends.get((row.peer, row.local), 0)) for row in rows]
    owners = _owners({row.peer_inode for row in rows if row.peer_inode}, proc)
    rows = [_known(row, owners.get(row.peer_inode)) for row in rows]
    return [row for row in rows if row.peer_pid != os.getpid()]  # who looks is no part of the picture


def listeners(proc: Proc) -> list[Socket]:
    """Return the TCP and unix stream sockets on which a process listens; raise OSError when these may not be seen."""
    mine = {inode for what in proc.open_files().values() if (inode := socket_inode(what)) is not None}
    rows = [row for row in _every(proc) if row.inode in mine and row.state == "LISTEN" and row.kind in ("tcp", "u_str")]
    return sorted(rows, key=lambda row: (row.kind != "tcp", len(row.local), row.local))


def limits(root: Path = Path("/proc/sys")) -> dict[str, str]:
    """Return the limits of buffers and queues, as sysctl names them."""
    found = {}
    for name in LIMITS:
        try:
            found[name] = " ".join(root.joinpath(*name.split(".")).read_text(encoding="ascii").split())
        except (OSError, ValueError):
            continue
    return found


def _every(proc: Proc) -> Iterator[Socket]:
    """Yield all sockets of the process's network namespace."""
    for kind in ("tcp", "udp"):
        for file in (kind, f"{kind}6"):
            for line in proc.quietly(f"net/{file}", _MOST).splitlines()[1:]:
                if row := _inet(kind, line.decode("ascii", "replace").split()):
                    yield row
    for line in proc.quietly("net/unix", _MOST).splitlines()[1:]:
        if row := _unix(line.decode("utf-8", "replace").split(maxsplit=7)):
            yield row


def _inet(kind: str, fields: list[str]) -> Socket | None:
    # 0: 0100007F:17AC 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 48213 1 ...
    if len(fields) < 10:
        return None
    try:
        local, peer, state = _address(fields[1]), _address(fields[2]), _TCP_STATES[int(fields[3], 16)]
        sent, received = (int(part, 16) for part in fields[4].split(":"))
        inode = int(fields[9])
    except (ValueError, IndexError):
        return None
    if kind == "udp" and state == "CLOSE":
        state = "UNCONN"
    return Socket(kind, state, received, sent, local, peer, inode)


def _address(text: str) -> str:
    """Return 127.0.0.1:6060 of "0100007F:17AC"; IPv4 in IPv6 is told as IPv4, since the other end is."""
    raw, _, port = text.partition(":")
    # Each 32 bits stand in the machine's own order.
    packed = b"".join(socket.htonl(int(raw[at : at + 8], 16)).to_bytes(4, "big") for at in range(0, len(raw), 8))
    address = ip_address(packed)
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is None:
            return f"[{address}]:{int(port, 16)}"
        address = address.ipv4_mapped
    return f"{address}:{int(port, 16)}"


def _unix(fields: list[str]) -> Socket | None:
    # 000000005ea050fe: 00000002 00000000 00010000 0001 01 48214 /run/containerd/containerd.sock
    if len(fields) < 7:
        return None
    try:
        kind = _UNIX_TYPES.get(int(fields[4], 16), "u_dgr")
        listens, state, inode = int(fields[3], 16) & _UNIX_LISTENS, int(fields[5], 16), int(fields[6])
    except ValueError:
        return None
    told = "LISTEN" if listens else _UNIX_STATES.get(state, "UNCONN")
    return Socket(kind, told, None, None, fields[7] if len(fields) > 7 else "*", "*", inode)


def _with_told(rows: Iterable[Socket]) -> list[Socket]:
    unix, tcp = unix_sockets(), tcp_memory()
    told = []
    for row in rows:
        more = (tcp if row.kind == "tcp" else unix if row.kind.startswith("u_") else {}).get(row.inode)
        told.append(_with(row, more) if more else row)
    return told


def _with(row: Socket, more: Told) -> Socket:
    return replace(
        row,
        received=row.received if more.received is None else more.received,
        sent=row.sent if more.sent is None else more.sent,
        peer_inode=more.peer,
        receive_used=more.receive_used,
        receive_buffer=more.receive_buffer,
        send_used=more.send_used,
        send_buffer=more.send_buffer,
    )


def _owners(inodes: set[int], own: Proc) -> dict[int, Proc]:
    """Return which process has each of these sockets open, as far as that may be seen."""
    found: dict[int, Proc] = {}
    # The process itself comes last: of a pair that it shares with a child, the child is the news.
    for pid in [*(pid for pid in pids(own.root) if pid != own.pid), own.pid]:
        if len(found) == len(inodes):
            break
        proc = Proc(pid, own.root)
        try:
            for what in proc.open_files().values():
                inode = socket_inode(what)
                if inode in inodes and inode not in found:
                    found[inode] = proc
        except OSError:
            continue
    return found


def _known(row: Socket, owner: Proc | None) -> Socket:
    stat = owner.stat() if owner else None
    return replace(row, peer_pid=owner.pid, peer_name=stat.name if stat else "") if owner else row

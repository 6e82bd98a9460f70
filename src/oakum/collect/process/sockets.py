"""A process -> its sockets: queues, buffers, and the process at the other end where that is on this machine.

By inode: what /proc/PID/fd holds is looked up in /proc/PID/net/*, that is in the network namespace of the process. Unix
peers and the memory of buffers come from sock_diag; a TCP peer on this machine is the socket with the addresses turned.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec.structs import replace

from oakum.collect.process.proc import PROC, Proc, pids, socket_inode
from oakum.collect.process.sock_diag import Told, tcp_memory, unix_sockets
from oakum.model import Socket
from oakum.proc_net import inet_row, unix_row

_MOST = 64 << 20  # of /proc/net/tcp: some 400,000 connections
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
    rows = [_with_path(row, every.get(row.peer_inode)) for row in _with_told(rows)]
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


def listening_on(port: int, root: Path = PROC) -> list[Proc]:
    """Return the processes that listen on a TCP port of our own network namespace, as far as that may be seen."""
    rows = (row for row in _every(Proc(os.getpid(), root)) if row.kind == "tcp" and row.state == "LISTEN")
    inodes = {row.inode for row in rows if row.local.rpartition(":")[2] == str(port)}
    return list(dict.fromkeys(_owners(inodes, Proc(os.getpid(), root)).values()))


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
                if row := inet_row(kind, line.decode("ascii", "replace")):
                    yield row
    for line in proc.quietly("net/unix", _MOST).splitlines()[1:]:
        if row := unix_row(line.decode("utf-8", "replace")):
            yield row


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


def _with_path(row: Socket, far: Socket | None) -> Socket:
    """Return a unix socket with the path that it is connected to: the kernel names it at the far end alone."""
    return replace(row, peer=far.local) if row.is_unix and far is not None else row


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

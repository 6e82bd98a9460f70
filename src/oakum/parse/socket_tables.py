"""The kernel's own lists -> Sockets: /proc/PID/net/tcp, tcp6, udp, udp6, unix; and `ls -l /proc/PID/fd`.

The tables are of a whole network namespace and name no process; a list of open files says which inodes are one's own.
In: one such list, or several one after the other. Out: one reading of kind "sockets".
"""

import re
from types import MappingProxyType

from oakum.model import Buffer, Problem, Reading, Socket, Sockets
from oakum.parse.limits import Limits
from oakum.proc_net import inet_row, unix_row
from oakum.regex import regex

# The line `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode`, and that
# of tcp6, which has `remote_address`; udp ends with `ref pointer drops`.
_INET = regex(r" *sl +local_address +rem(?:ote)?_address +st +tx_queue +rx_queue .*?inode( +ref)?\b")
# Num       RefCount Protocol Flags    Type St Inode Path
_UNIX = regex(r"Num +RefCount +Protocol +Flags +Type +St +Inode +Path\s*$")
# lrwx------ 1 root root 64 Nov 18 03:50 7 -> socket:[697850]        lrwx------. 1 app app 64 2026-11-18 03:50 7 -> ...
_FD = regex(r"l[r-][w-]x------[.+@]? +\d+ +\S+ +\S+ +\d+ .{1,40}? (\d{1,9}) -> (.{1,4096})$")
_SOCKET = regex(r"socket:\[(\d{1,12})\]$")
# /proc/812/fd:    as ls heads each of several directories
_OWNER = regex(r"/proc/(\d{1,10})/(?:task/\d{1,10}/)?fd/?:$")
_HEADS = regex(
    rb"\A(?:\s*/proc/\d{1,10}/\S{0,40}:?\n)?"
    rb"(?: *sl +local_address |Num +RefCount +Protocol |(?:total \d+\n)?l[r-][w-]x------)"
)
_MOST = 64 << 20
_MOST_ROWS = 400_000


def read(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    """Return the sockets, or nothing when this is no such list."""
    del limits  # linear, and bounded here
    if not _HEADS.match(bytes(data[: 4 << 10])):
        return ()
    found = _Lists()
    for line in bytes(data[:_MOST]).decode("utf-8", "replace").splitlines():
        found.read(line)
    if not found.recognised:
        return ()
    sockets = Sockets(tuple(found.rows), found.pid, open=MappingProxyType(found.open) if found.listed else None)
    problems = (Problem.of("unread-sockets", lines=found.unread),) if found.unread else ()
    kind = "proc-net" if found.tables else "proc-fd"
    return (Reading(kind="sockets", format=kind, producer="Linux", sockets=sockets, problems=problems),)


class _Lists:
    """What was read so far; which list a line is of is told by the header before it."""

    def __init__(self) -> None:
        self.rows: list[Socket] = []
        self.open: dict[int, int] = {}
        self.pid: int | None = None
        self.listed = self.tables = False
        self.unread = 0
        self._kind = ""

    @property
    def recognised(self) -> bool:
        return self.tables or self.listed

    def read(self, line: str) -> None:
        if owner := _OWNER.match(line):
            self.pid = int(owner[1])
        elif inet := _INET.match(line):
            self._kind, self.tables = "udp" if inet[1] else "tcp", True
        elif _UNIX.match(line):
            self._kind, self.tables = "unix", True
        elif opened := _FD.match(line):
            self._open(opened)
        elif self._kind and line.strip() and len(self.rows) < _MOST_ROWS:
            row = unix_row(line) if self._kind == "unix" else inet_row(self._kind, line, "little")
            if row is not None:
                self.rows.append(row)
            else:
                self.unread += 1

    def _open(self, opened: re.Match[str]) -> None:
        self.listed = True
        socket = _SOCKET.match(opened[2])
        if socket and len(self.open) < _MOST_ROWS:
            self.open[int(socket[1])] = int(opened[1])

"""Sockets of a process -> Sockets: sockets.txt as `oakum capture pid:N` writes it, or what `ss` prints.

In: lines Netid, State, Recv-Q, Send-Q, both ends, then users:, peer:, skmem: in any order, also on the next line; ss
leaves the first two out where all rows have them in common (`ss -tnp`, `ss -x state established`). Out: one reading of
kind "sockets".
"""

import re
from datetime import UTC, datetime
from types import MappingProxyType

from msgspec.structs import replace

from oakum.model import Buffer, Problem, Reading, Socket, Sockets
from oakum.parse.limits import Limits
from oakum.regex import regex

# # oakum sockets/1 pid=812 name=containerd at=2026-11-16T10:15:00Z
_OURS = regex(rb"\A# oakum sockets/1 pid=(\d{1,10}) name=(\S{1,200}) at=(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)\n")
# Netid State  Recv-Q Send-Q Local Address:Port  Peer Address:Port Process     State Recv-Q ...     Recv-Q Send-Q ...
# Without any row: Recv-Q Send-Q Local Address:Port Peer Address:PortProcess
_COLUMNS = regex(r"(Netid +)?(State +)?Recv-Q +Send-Q +Local ?Address:Port +Peer ?Address:Port(?:\s|Process|$)")
# The line `# net.core.wmem_max = 212992`
_LIMIT = regex(r"# (net\.[a-z0-9_.]{1,60}) = ([\d ]{1,60})$")
# u_str ESTAB  0      212992  * 48213  * 48214 users:...       tcp ESTAB 0 0 127.0.0.1:6060 127.0.0.1:43210 users:...
_ROW = regex(
    r"(tcp|udp|u_str|u_dgr|u_seq)\s+([A-Z0-9-]{3,12})\s+(\d{1,12}|-)\s+(\d{1,12}|-)\s+(\S{1,4096})\s+(\S{1,4096})(?:\s+(.*))?$"
)
# The rest of a unix row: its inode was taken for the peer's address:   * 48214 users:...
_UNIX_PEER = regex(r"(\S{1,4096})\s+(\d{1,12})\b")
# users:(("containerd-shim",pid=812,fd=9),("x",pid=813,fd=9))
_USER = regex(r'users:\(\("([^"]{0,200})",pid=(\d{1,10}),fd=(\d{1,9})')
# peer:(("containerd",pid=411))
_PEER = regex(r'peer:\(\("([^"]{0,200})",pid=(\d{1,10})\)\)')
# The part `skmem:(r0,rb212992,t0,tb212992,f0,w0,o0,bl0,d0)`
_MEMORY = regex(r"skmem:\(r(\d{1,12}|-),rb(\d{1,12}|-),t(\d{1,12}|-),tb(\d{1,12}|-)(?:,f\d{1,12},w(\d{1,12}))?")
# The part `ino:48213`
_INODE = regex(r"\bino:(\d{1,12})")
_ESCAPE = regex(r"\\x([0-9a-f]{2})")
_MOST = 64 << 20
_MOST_ROWS = 400_000


def read(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    """Return the sockets, or nothing when this is no such list."""
    del limits  # linear, and bounded here
    head = bytes(data[: 8 << 10])
    ours = _OURS.match(head)
    if not ours and not _COLUMNS.match(head.decode("latin-1")):
        return ()
    lines = bytes(data[:_MOST]).decode("utf-8", "replace").splitlines()
    found = {limit[1]: limit[2].strip() for line in lines[:64] if (limit := _LIMIT.match(line))}
    rows, unread = _rows(lines)
    pid = int(ours[1]) if ours else None
    sockets = Sockets(tuple(rows), pid, MappingProxyType(found))
    notes = {"process": _plain(ours[2].decode("utf-8", "replace"))} if ours else {}
    problems = (Problem.of("unread-sockets", lines=unread),) if unread else ()
    return (
        Reading(
            kind="sockets",
            format="sockets" if ours else "ss",
            producer="Linux",
            taken_at=datetime.strptime(ours[3].decode(), "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC) if ours else None,
            sockets=sockets,
            notes=MappingProxyType(notes),
            problems=problems,
        ),
    )


def _rows(lines: list[str]) -> tuple[list[Socket], int]:
    rows: list[Socket] = []
    users: dict[tuple[str, str] | int, tuple[int, str]] = {}  # who has the end that others are connected to
    unread = 0
    left_out = ""  # of the columns, as all rows have them in common
    for line in lines:
        if line[:1] in ("\t", " ") and rows:  # ss -m puts the memory on a line of its own
            rows[-1] = _with_memory(rows[-1], line)
            continue
        if columns := _COLUMNS.match(line):  # several lists may stand one after the other
            left_out = ("" if columns[1] else "tcp ") + ("" if columns[2] else "ESTAB ")
            continue
        found = _ROW.match(left_out + line) if line else None
        if found and len(rows) < _MOST_ROWS:
            rows.append(_row(found))
            if (pid := rows[-1].pid) is not None:
                end = rows[-1].inode if rows[-1].is_unix else (rows[-1].local, rows[-1].peer)
                users[end] = pid, rows[-1].name
        elif line and not line.startswith("#"):
            unread += 1
    return [_with_peer(row, users) for row in rows], unread


def _row(found: re.Match[str]) -> Socket:
    kind, state, received, sent, local, peer, rest = found.groups()
    rest = rest or ""
    inode = peer_inode = 0
    if kind.startswith("u_") and peer.isdigit() and (other := _UNIX_PEER.match(rest)):
        inode, peer, peer_inode = int(peer), other[1], int(other[2])
    told = _INODE.search(rest)
    user, owner = _USER.search(rest), _PEER.search(rest)
    socket = Socket(
        kind,
        state,
        _number(received),
        _number(sent),
        _plain(local),
        _plain(peer),
        inode or (int(told[1]) if told else 0),
        peer_inode,
        int(user[3]) if user else None,
        int(owner[2]) if owner else None,
        _plain(owner[1]) if owner else "",
        pid=int(user[2]) if user else None,
        name=_plain(user[1]) if user else "",
    )
    return _with_memory(socket, rest)


def _with_memory(socket: Socket, text: str) -> Socket:
    found = _MEMORY.search(text)
    if not found:
        return socket
    received, receive_buffer, sent, send_buffer, queued = found.groups()
    used = queued if queued is not None and socket.kind == "tcp" else sent
    return replace(
        socket,
        receive_used=_number(received),
        receive_buffer=_number(receive_buffer),
        send_used=_number(used),
        send_buffer=_number(send_buffer),
    )


def _with_peer(row: Socket, users: dict[tuple[str, str] | int, tuple[int, str]]) -> Socket:
    """Return the row with who has the other end, where that end is a row too."""
    owner = users.get(row.peer_inode if row.is_unix else (row.peer, row.local))
    if row.peer_pid is not None or owner is None or row.state == "LISTEN":
        return row
    return replace(row, peer_pid=owner[0], peer_name=owner[1])


def _number(text: str | None) -> int | None:
    return None if text is None or text == "-" else int(text)


def _plain(text: str) -> str:
    return _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text)

"""Sockets of a process -> sockets.txt: lines as `ss -tuxanpm` writes them, and who is at the other end.

A header says whose they are and what the kernel's limits are; then one line a socket, columns in the order of ss.
Spaces and control characters in paths are written as \\x20.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from oakum.model import Socket

HEADER = "# oakum sockets/1"
_COLUMNS = ("Netid", "State", "Recv-Q", "Send-Q", "Local Address:Port", "Peer Address:Port", "Process")
_ODD = re.compile(r"[\x00-\x20\x7f-\x9f\"\\()]")


def as_text(rows: Sequence[Socket], pid: int, name: str, at: datetime, limits: Mapping[str, str]) -> bytes:
    head = [f"{HEADER} pid={pid} name={_word(name)} at={at:%Y-%m-%dT%H:%M:%SZ}"]
    head += [f"# {limit} = {value}" for limit, value in limits.items()]
    table = [_COLUMNS, *(_row(row, pid, name) for row in rows)]
    widths = [max(len(line[at]) for line in table) for at in range(len(_COLUMNS) - 1)]
    lines = ["  ".join([*(c.ljust(w) for c, w in zip(line[:-1], widths, strict=True)), line[-1]]) for line in table]
    return "\n".join([*head, *lines, ""]).encode()


def _row(row: Socket, pid: int, name: str) -> tuple[str, ...]:
    local, peer = _word(row.local), _word(row.peer)
    if row.kind.startswith("u_"):  # ss names both ends of a unix socket with their inodes
        local, peer = f"{local} {row.inode}", f"{peer} {row.peer_inode}"
    told = [f"ino:{row.inode}"]
    if row.fd is not None:
        told.insert(0, f'users:(("{_word(name)}",pid={pid},fd={row.fd}))')
    if row.peer_pid is not None:
        told.append(f'peer:(("{_word(row.peer_name)}",pid={row.peer_pid}))')
    if row.send_buffer is not None:
        r, rb, t, tb = (_number(n) for n in (row.receive_used, row.receive_buffer, row.send_used, row.send_buffer))
        told.append(f"skmem:(r{r},rb{rb},t{t},tb{tb})")
    return row.kind, row.state, _number(row.received), _number(row.sent), local, peer, " ".join(told)


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)


def _word(text: str) -> str:
    return _ODD.sub(lambda odd: f"\\x{ord(odd[0]):02x}", text) or "*"

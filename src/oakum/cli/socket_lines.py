"""Sockets of a process -> the lines that `oakum inspect` shows of them: who waits for whom, the fullest first."""

from collections.abc import Iterator

from oakum.model import Socket, Sockets

_NAMED = 5  # of each kind; sockets.txt has them all


def socket_lines(sockets: Sockets) -> Iterator[str]:
    """Yield where somebody waits: sockets that cannot be written to, that are not read, or both."""
    both = [row for row in sockets.full if row.unread]
    full = [row for row in sockets.full if not row.unread]
    unread = [row for row in sockets.unread if not row.full]
    for row in both[:_NAMED]:
        unread_here = f"{row.received:,} bytes from there are not read"
        yield f"{_how(row)} both ways: {_waiting(row)}, and {unread_here} ({_name(row)})"
    for row in full[:_NAMED]:
        yield f"{_how(row)}: {_waiting(row)} ({_name(row)})"
    for row in unread[:_NAMED]:
        yield f"unread: {row.received:,} bytes from {_other(row)} ({_name(row)})"
    if more := sum(len(rows[_NAMED:]) for rows in (both, full, unread)):
        yield f"... and {more:,} more"


def _how(row: Socket) -> str:
    return "full" if row.brimful else "waiting"


def _waiting(row: Socket) -> str:
    taken = f", {row.send_used:,} of {row.send_buffer:,} bytes of the buffer are taken" if row.send_buffer else ""
    return f"{row.sent or 0:,} bytes wait for {_other(row)} to read them{taken}"


def _other(row: Socket) -> str:
    if row.peer_pid is not None:
        return f"pid {row.peer_pid} ({row.peer_name})"
    return row.peer if row.peer != "*" else f"inode {row.peer_inode}" if row.peer_inode else "nobody"


def _name(row: Socket) -> str:
    fd = f"fd {row.fd}, " if row.fd is not None else ""
    return f"{fd}{row.kind} {row.local if row.local != '*' else f'inode {row.inode}'}"


__all__ = ["socket_lines"]

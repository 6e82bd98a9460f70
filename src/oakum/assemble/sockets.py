"""Lists of sockets -> those of one snapshot as one; one sentence for each where somebody waits, the fullest first."""

from collections.abc import Iterable, Iterator, Sequence
from types import MappingProxyType

from oakum.model import Socket, Sockets, Text

_NAMED = 5  # of each kind; sockets.txt has them all


def joined(lists: Sequence[Sockets]) -> Sockets | None:
    """Return what several lists of one snapshot tell together: tables, and which of their rows the process has open."""
    if len(lists) < 2:
        return lists[0] if lists else None
    opened = [one.open for one in lists if one.open is not None]
    return Sockets(
        tuple(row for one in lists for row in one.rows),
        next((one.owner for one in lists if one.owner is not None), None),
        MappingProxyType({name: value for one in lists for name, value in one.limits.items()}),
        MappingProxyType({inode: fd for one in opened for inode, fd in one.items()}) if opened else None,
    )


def blocked_sockets(sockets: Sockets) -> Iterator[Text]:
    """Yield where somebody waits: sockets that cannot be written to, that are not read, or both."""
    both = [row for row in sockets.full if row.unread]
    full = [row for row in sockets.full if not row.unread]
    unread = [row for row in sockets.unread if not row.full]
    for row in (*both[:_NAMED], *full[:_NAMED]):
        yield _full(row)
    for row in unread[:_NAMED]:
        yield Text("sockets.unread", {"received": row.received or 0, "peer": _other(row), "name": _name(row)})
    if more := sum(len(rows[_NAMED:]) for rows in (both, full, unread)):
        yield Text("sockets.more", {"more": more})


def _full(row: Socket) -> Text:
    key = f"sockets.{'full' if row.brimful else 'waiting'}{'-both' * row.unread}{'-of' * bool(row.send_buffer)}"
    counts = {"sent": row.sent, "received": row.received, "used": row.send_used, "buffer": row.send_buffer}
    return Text(key, {"peer": _other(row), "name": _name(row)} | {name: count or 0 for name, count in counts.items()})


def in_several(told: Iterable[tuple[str, Sockets]]) -> list[Text]:
    """Return the sentences of several captures, each once: a buffer that does not move proves where a wait begins."""
    texts: dict[str, Text] = {}
    origins: dict[str, list[str]] = {}
    for origin, sockets in told:
        for text in blocked_sockets(sockets):
            alike = f"{text.key} {sorted(text.args.items())}"
            texts[alike] = text
            origins.setdefault(alike, []).append(origin)
    return [
        Text(text.key, {**text.args, "origin": origins[alike][-1], "captures": len(origins[alike])})
        for alike, text in texts.items()
    ]


def _other(row: Socket) -> str:
    if row.peer_pid is not None:
        return f"pid {row.peer_pid} ({row.peer_name})"
    return row.peer if row.peer != "*" else f"inode {row.peer_inode}" if row.peer_inode else "-"


def _name(row: Socket) -> str:
    fd = f"fd {row.fd}, " if row.fd is not None else ""
    return f"{fd}{row.kind} {row.local if row.local != '*' else f'inode {row.inode}'}"

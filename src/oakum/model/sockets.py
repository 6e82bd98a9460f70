"""Sockets of one process at one snapshot: queues, buffers, and who is at the other end."""

import math
from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct, field
from msgspec.structs import replace

# net.core.wmem_default and rmem_default, where nobody has set them and a capture does not tell.
_USUAL = 212_992


class Socket(Struct, frozen=True):
    """One socket. What the kernel did not tell is None; "" is nobody."""

    kind: str  # tcp, udp, u_str, u_dgr, u_seq: as ss names them
    state: str  # ESTAB, LISTEN, CLOSE-WAIT ...
    received: int | None  # bytes that arrived and were not read; of a listener, connections not yet accepted
    sent: int | None  # bytes that were written and have not arrived; of a unix socket, that were not read there
    local: str
    peer: str
    inode: int = 0
    peer_inode: int = 0
    fd: int | None = None
    peer_pid: int | None = None
    peer_name: str = ""
    send_used: int | None = None  # memory that its unsent or unread bytes take ...
    send_buffer: int | None = None  # ... and may take
    receive_used: int | None = None
    receive_buffer: int | None = None
    pid: int | None = None  # whose it is, where a list of several processes tells that
    name: str = ""

    @property
    def is_unix(self) -> bool:
        """Tell whether it connects processes of one machine by a path, or by nothing."""
        return self.kind.startswith("u_")

    @property
    def brimful(self) -> bool:
        """Tell whether nothing more goes in now."""
        return self.full and (self.send_used or self.sent or 0) >= (self.send_buffer or _USUAL)

    @property
    def full(self) -> bool:
        """Tell whether a writer that waits goes on waiting, by the kernel's own rules for when it is woken.

        A unix socket is writable again when a quarter of its buffer at most is taken (unix_writable), a TCP one when
        what is free is at least half of what is taken (sk_stream_is_writeable).
        """
        if self.state == "LISTEN":
            return False
        if self.is_unix:  # its Send-Q is the memory taken
            return 4 * (self.send_used or self.sent or 0) > (self.send_buffer or _USUAL)
        used, room = self.send_used, self.send_buffer
        return used is not None and room is not None and room - used < used // 2

    @property
    def unread(self) -> bool:
        """Tell whether more than a quarter of what it may hold has arrived and was not read."""
        room = self.receive_buffer or (_USUAL if self.is_unix else math.inf)
        return self.state != "LISTEN" and 4 * (self.received or 0) > room


class Sockets(Struct, frozen=True):
    """The sockets of one process, or of a whole machine; and the kernel's limits on buffers."""

    rows: tuple[Socket, ...]
    pid: int | None = None  # of whom all rows are; None: each row tells it, or nothing does
    limits: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))  # "net.core.wmem_max": "212992"
    open: Mapping[int, int] | None = None  # inode -> fd of what one process has open; None: no such list was captured

    @property
    def owner(self) -> int | None:
        """Return the process that they are of: as the list says, or the only one that all its rows name."""
        named = {row.pid for row in self.rows}
        return self.pid if self.pid is not None or len(named) != 1 else next(iter(named))

    @property
    def own(self) -> tuple[Socket, ...]:
        """Return those that are surely of one process, where one is told; a list of a whole machine has none such."""
        if self.open is not None:
            return tuple(replace(row, fd=self.open[row.inode]) for row in self.rows if row.inode in self.open)
        return self.rows if self.owner is not None else ()

    @property
    def full(self) -> tuple[Socket, ...]:
        """Return those into which nothing more can be written, the fullest first."""
        return tuple(sorted((row for row in self.rows if row.full), key=lambda row: -(row.sent or 0)))

    @property
    def unread(self) -> tuple[Socket, ...]:
        """Return those that are not read, the fullest first."""
        return tuple(sorted((row for row in self.rows if row.unread), key=lambda row: -(row.received or 0)))

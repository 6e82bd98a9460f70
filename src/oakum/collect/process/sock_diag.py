"""The kernel's list of sockets (NETLINK_SOCK_DIAG) -> by inode: queues, memory, and the other end of a unix socket.

What `ss -xm` and `ss -tm` ask for, in the network namespace of the calling thread; anybody may. Where the kernel has no
such interface the answer is empty.
"""

import socket
import struct
from collections.abc import Iterator
from time import monotonic

from msgspec import Struct

_SOCK_DIAG = 4  # protocol of the netlink family
_BY_FAMILY = 20  # type of a message
_DUMP = 0x301  # NLM_F_REQUEST | NLM_F_ROOT | NLM_F_MATCH
_DONE, _ERROR = 3, 2
_ALL_STATES = 0xFFFFFFFF
# What of a unix socket: its peer, the lengths of its queues, its memory.
_SHOW_PEER, _SHOW_QUEUES, _SHOW_MEMORY = 4, 0x10, 0x20
_UNIX_PEER, _UNIX_QUEUES, _UNIX_MEMORY = 2, 4, 5
_INET_MEMORY = 7
_PATIENCE = 5.0  # seconds; a dump of 100,000 sockets takes a fraction of one
_MOST = 1_000_000  # sockets


class Told(Struct, frozen=True):
    received: int | None = None
    sent: int | None = None
    peer: int = 0  # inode
    receive_used: int | None = None
    receive_buffer: int | None = None
    send_used: int | None = None
    send_buffer: int | None = None


def unix_sockets() -> dict[int, Told]:
    show = _SHOW_PEER | _SHOW_QUEUES | _SHOW_MEMORY
    asked = struct.pack("=BBHIIIII", socket.AF_UNIX, 0, 0, _ALL_STATES, 0, show, 0, 0)
    found: dict[int, Told] = {}
    for body in _dump(asked):
        if len(body) < 16:
            continue
        attributes = _attributes(body[16:])
        # Four numbers of memory come as `ss -m` shows them: r, rb, t, tb.
        memory = _numbers(attributes.get(_UNIX_MEMORY, b""), 4)
        queues = _numbers(attributes.get(_UNIX_QUEUES, b""), 2)
        peer = _numbers(attributes.get(_UNIX_PEER, b""), 1)
        found[_number(body, 4)] = Told(queues[0], queues[1], peer[0] or 0, *memory)
    return found


def tcp_memory() -> dict[int, Told]:
    """Return the memory of all TCP sockets by their inodes; their queues are in /proc/net/tcp."""
    found: dict[int, Told] = {}
    for family in (socket.AF_INET, socket.AF_INET6):
        asked = struct.pack("=BBBBI48x", family, socket.IPPROTO_TCP, 1 << (_INET_MEMORY - 1), 0, _ALL_STATES)
        for body in _dump(asked):
            if len(body) < 72:
                continue
            # rmem_alloc, rcvbuf, wmem_alloc, sndbuf, fwd_alloc, wmem_queued: what counts for a writer is the last
            memory = _numbers(_attributes(body[72:]).get(_INET_MEMORY, b""), 6)
            found[_number(body, 68)] = Told(
                receive_used=memory[0], receive_buffer=memory[1], send_used=memory[5], send_buffer=memory[3]
            )
    return found


def _dump(asked: bytes) -> Iterator[bytes]:
    """Yield the answers to one request; as many as came when something is wrong."""
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as kernel:
            kernel.settimeout(_PATIENCE)
            kernel.send(struct.pack("=IHHII", 16 + len(asked), _BY_FAMILY, _DUMP, 1, 0) + asked)
            deadline, count = monotonic() + _PATIENCE, 0
            while monotonic() < deadline:
                data = kernel.recv(256 << 10)
                at = 0
                while at + 16 <= len(data):
                    size, kind = struct.unpack_from("=IH", data, at)
                    count += 1
                    if kind in (_DONE, _ERROR) or size < 16 or count > _MOST:
                        return
                    yield data[at + 16 : at + size]
                    at += (size + 3) & ~3
                if not data:
                    return
    except (OSError, AttributeError):  # no netlink here: another system, or a sandbox
        return


def _attributes(data: bytes) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    at = 0
    while at + 4 <= len(data):
        size, kind = struct.unpack_from("=HH", data, at)
        if size < 4:
            break
        found[kind] = data[at + 4 : at + size]
        at += (size + 3) & ~3
    return found


def _number(data: bytes, at: int) -> int:
    return int(struct.unpack_from("=I", data, at)[0])


def _numbers(data: bytes, count: int) -> list[int | None]:
    return [_number(data, 4 * at) if len(data) >= 4 * at + 4 else None for at in range(count)]

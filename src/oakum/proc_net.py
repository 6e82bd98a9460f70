"""Lines of the kernel's tables of sockets (/proc/net/tcp, tcp6, udp, udp6, unix) -> Socket; None where one is none.

For collect, which reads them of a process that runs, and for parse, which reads them from a file.
"""

import sys
from ipaddress import IPv6Address, ip_address
from typing import Literal

from oakum.model import Socket

# As ss names them.
_TCP_STATES = (
    "UNKNOWN", "ESTAB", "SYN-SENT", "SYN-RECV", "FIN-WAIT-1", "FIN-WAIT-2", "TIME-WAIT", "CLOSE", "CLOSE-WAIT",
    "LAST-ACK", "LISTEN", "CLOSING", "NEW-SYN-RECV",
)  # fmt: skip
_UNIX_TYPES = {1: "u_str", 2: "u_dgr", 5: "u_seq"}
_UNIX_LISTENS = 0x10000  # __SO_ACCEPTCON
_UNIX_STATES = {1: "UNCONN", 2: "SYN-SENT", 3: "ESTAB", 4: "CLOSING"}
ByteOrder = Literal["little", "big"]


def inet_row(kind: str, line: str, order: ByteOrder = sys.byteorder) -> Socket | None:
    """Return the socket of a line of tcp, tcp6, udp or udp6; `order` is that of the machine that wrote it."""
    # 0: 0100007F:17AC 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 48213 1 ...
    fields = line.split()
    if len(fields) < 10:
        return None
    try:
        local, peer = (_address(field, order) for field in fields[1:3])
        state = _TCP_STATES[int(fields[3], 16)]
        sent, received = (int(part, 16) for part in fields[4].split(":"))
        inode = int(fields[9])
    except (ValueError, IndexError):
        return None
    if kind == "udp" and state == "CLOSE":
        state = "UNCONN"
    return Socket(kind, state, received, sent, local, peer, inode)


def _address(text: str, order: ByteOrder) -> str:
    """Return 127.0.0.1:6060 of "0100007F:17AC"; IPv4 in IPv6 is told as IPv4, since the other end is."""
    raw, _, port = text.partition(":")
    if len(raw) not in (8, 32):
        raise ValueError(text)
    # Each 32 bits stand in the machine's own order.
    packed = b"".join(int(raw[at : at + 8], 16).to_bytes(4, order) for at in range(0, len(raw), 8))
    address = ip_address(packed)
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is None:
            return f"[{address}]:{int(port, 16)}"
        address = address.ipv4_mapped
    return f"{address}:{int(port, 16)}"


def unix_row(line: str) -> Socket | None:
    """Return the socket of a line of /proc/net/unix, which has no queues and names no peer."""
    # 000000005ea050fe: 00000002 00000000 00010000 0001 01 48214 /run/containerd/containerd.sock
    fields = line.split(maxsplit=7)
    if len(fields) < 7:
        return None
    try:
        kind = _UNIX_TYPES.get(int(fields[4], 16), "u_dgr")
        listens, state, inode = int(fields[3], 16) & _UNIX_LISTENS, int(fields[5], 16), int(fields[6])
    except ValueError:
        return None
    told = "LISTEN" if listens else _UNIX_STATES.get(state, "UNCONN")
    return Socket(kind, told, None, None, fields[7] if len(fields) > 7 else "*", "*", inode)

"""From a process to those that it asked: the far ends of the connections that it opened, hop by hop.

Comes in: processes of this machine. Goes out: the processes behind their connections, nearest first, each with the
connection that led there; and the addresses that no process of this machine has. Bounded in hops and in number.
"""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from oakum.collect.process import sockets
from oakum.collect.process.network import Network
from oakum.collect.process.proc import Proc
from oakum.collect.process.shim import dumps_on_signal
from oakum.model import Socket

_HOPS = 4  # a request that crosses more processes of one machine is rare
_NAMED = 3  # connections of one process to another by name; the rest is counted
MOST = 16  # processes; a proxy of the whole machine would lead to all of them


class Peer(Struct, frozen=True):
    """A process that another one has connected to."""

    proc: Proc
    name: str
    asked_by: Proc
    address: str  # of all its connections to that process, those with a path first
    is_go: bool

    @property
    def word(self) -> str:
        """Return the target that it is captured as: a shim serves no pprof, and prints its goroutines for a signal."""
        return f"{'shim' if dumps_on_signal(self.proc) else 'pid'}:{self.proc.pid}"


class Followed(Struct, frozen=True):
    peers: list[Peer]
    elsewhere: list[tuple[Proc, str]]  # who asked, and an address that is not of this machine
    unseen: list[tuple[Proc, str]]  # whose sockets may not be looked at, and why
    more: bool  # there are more than are followed


def follow(begin: Iterable[Proc]) -> Followed:
    """Return the processes that these wait for, may be, and those that these wait for in turn."""
    edge = list(begin)
    known = {proc.pid for proc in edge}
    peers: list[Peer] = []
    elsewhere: dict[tuple[int, str], tuple[Proc, str]] = {}
    unseen: list[tuple[Proc, str]] = []
    for _ in range(_HOPS):
        further: list[Proc] = []
        for proc in edge:
            try:
                opened = _opened(proc)
            except OSError as error:
                unseen.append((proc, error.strerror or str(error)))
                continue
            behind: dict[int, tuple[Proc, list[str]]] = {}
            # By name, not by the number of the socket: the same connections are told in the same way.
            for row in sorted(opened, key=lambda row: (not row.is_unix, row.peer)):
                found = _far_end(row, proc.root)
                if found is None:
                    elsewhere[proc.pid, row.peer] = (proc, row.peer)
                elif found.pid not in known:
                    behind.setdefault(found.pid, (found, []))[1].append(row.peer)
            for found, addresses in behind.values():
                if len(peers) == MOST:
                    return Followed(peers, list(elsewhere.values()), unseen, more=True)
                known.add(found.pid)
                stat, go = found.stat(), found.is_go() is not False
                peers.append(Peer(found, stat.name if stat else "", proc, _named(addresses), go))
                further += [found] if go else []
        edge = further
    return Followed(peers, list(elsewhere.values()), unseen, more=bool(edge))


def _named(addresses: Iterable[str]) -> str:
    """Return the addresses of all connections to one process, each once; of unnamed ones only that there are any."""
    names = list(dict.fromkeys(address for address in addresses if address)) or ["unix socket"]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _far_end(row: Socket, root: Path) -> Proc | None:
    """Return the process at the far end; of a connection that it has not accepted yet, the one that listens there."""
    if row.peer_pid is not None:
        return Proc(row.peer_pid, root)
    host, _, port = row.peer.rpartition(":")
    here = host.strip("[]").removeprefix("::ffff:").startswith("127.") or host == "[::1]"
    return next(iter(sockets.listening_on(int(port), root)), None) if here and port.isdecimal() else None


def _opened(proc: Proc) -> list[Socket]:
    """Return the connections that a process opened: on those that it accepted, others ask, and it answers."""
    network = Network(proc)
    try:
        if network.enter():
            rows = sockets.sockets(proc)
        else:
            rows = network.call(lambda: sockets.sockets(proc))
    finally:
        network.close()
    accepts = {row.local.rpartition(":")[2] for row in rows if row.kind == "tcp" and row.state == "LISTEN"}
    return [row for row in rows if row.state != "LISTEN" and _asks(row, accepts)]


def _asks(row: Socket, accepts: set[str]) -> bool:
    if row.kind == "tcp":
        return row.local.rpartition(":")[2] not in accepts
    return row.kind == "u_str" and row.peer_pid is not None and not row.local.startswith(("/", "@"))

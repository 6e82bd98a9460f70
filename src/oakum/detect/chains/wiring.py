"""Lists of sockets -> which processes are connected, and who is at the other end of what was not captured.

A list of one process, or a list of a machine in which pid or name tells whose a row is. Who opened a connection asks:
the other end listens there. A Service between rewrites only the address that was called, so the client's own address
names the connection; where the far end was not listed, saved Services and pods say who is behind that address. A unix
connection is one by its inodes, or by the pid at its other end.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from oakum.model import Case, Process, Route, Socket, Source

_COMM = 15  # characters that Linux keeps of a program's name
_LISTENS = "LISTEN"
_LOOPBACK = ("127.", "[::1]", "localhost")
_POD = "kube://pod/"
_Key = tuple[str, str, str]


class Connection(Struct, frozen=True):
    """One connection between two processes, with the ends as each of them lists it."""

    near: Socket
    far: Socket | None  # None: only one of them was listed
    source: Source
    same_queues: int = 1  # in so many captures nothing moved in it, and it was full
    route: Route | None = None  # it is one to an address of the cluster, and the other is behind that


class Peer(Struct, frozen=True):
    """Who is at the other end of connections that a process opened, and is not among those captured."""

    address: str  # 10.0.0.7:8081, a path, or ""
    pid: int | None
    name: str
    connections: int
    route: Route | None = None  # who is behind the address, in a cluster

    @property
    def about(self) -> str:
        """Return the word that a command names it by: pid:812, kube://pod/x/y, unix:/run/x.sock, tcp:10.0.0.7:8081."""
        if self.pid is not None:
            return f"pid:{self.pid}"
        if self.route is not None:
            return f"kube://service/{self.route.service}" if self.route.service else f"{_POD}{self.route.pods[0]}"
        return f"unix:{self.address}" if self.address.startswith(("/", "@")) else f"tcp:{self.address}"

    @property
    def title(self) -> str:
        if self.pid is not None:
            return f"{self.name} (pid {self.pid})"
        behind = (self.route.service or self.route.pods[0]) if self.route is not None else ""
        return f"{behind} ({self.address})" if behind else self.address


class _Listed(Struct):
    """The rows of one process in one list."""

    rows: tuple[Socket, ...]
    source: Source


class Wiring:
    """The sockets of all processes of a case."""

    def __init__(self, case: Case, processes: Sequence[Process]) -> None:
        self._pids = {one.id: _pid(one) for one in processes}
        self._lists = {one.id: _lists(case, one, self._pids[one.id], processes) for one in processes}
        rows = [row for lists in self._lists.values() for one in lists for row in one.rows]
        self._known = {key for row in rows for key in _ends(row)}
        self._addresses = {row.local for row in rows}
        self._routes = case.routes
        self._pods = {one.id: self._pods_of(one) for one in processes}

    def knows(self, process: Process) -> bool:
        """Tell whether the sockets of a process were listed."""
        return any(listed.rows for listed in self._lists[process.id])

    def between(self, one: Process, other: Process) -> Connection | None:
        """Return a connection that one opened to the other, one whose queues are stuck before others; None: none."""
        theirs = [row for listed in self._lists[other.id] for row in listed.rows]
        ends = {key: row for row in theirs for key in _ends(row)}
        pid = self._pids[other.id]
        found: list[Connection] = []
        for listed in reversed(self._lists[one.id]):  # of equal ones the last capture shows it
            for row in _opened(listed.rows):
                far = next((ends[key] for key in self._wanted(row) if key in ends), None)
                if far is not None or (pid is not None and row.peer_pid == pid):
                    found.append(Connection(row, far, listed.source, self._stuck(one, row)))
                elif (route := self._routes.behind(row.peer)) and not self._pods[other.id].isdisjoint(route.pods):
                    found.append(Connection(row, None, listed.source, self._stuck(one, row), route))
        return max(found, key=lambda one: (one.route is None, one.same_queues, one.far is not None), default=None)

    def _pods_of(self, process: Process) -> set[str]:
        """Return the pod that a process runs in: as it was captured, by its own addresses, else by its name."""
        if process.address.startswith(_POD):
            namespace, _, name = process.address.removeprefix(_POD).partition("/")
            return {f"{namespace}/{name.partition('/')[0].partition(':')[0]}"}
        locals_ = (row.local for listed in self._lists[process.id] for row in listed.rows if not row.is_unix)
        if mine := {pod for local in locals_ if (pod := self._routes.pod_at(local))}:
            return mine
        pods = {*self._routes.pods.values(), *(pod for route in self._routes.services.values() for pod in route.pods)}
        return {pod for pod in pods if process.name in (pod.partition("/")[2], pod.replace("/", "_"))}

    def _wanted(self, row: Socket) -> list[_Key]:
        """Return what the row at the other end of a connection is found by."""
        if row.is_unix:
            return [("inode", str(row.peer_inode), "")] if row.peer_inode else []
        keys = [("tcp", row.peer, row.local)]
        # Of an address that nobody has a Service may be in front. Ports of a client are used again for other servers.
        if row.peer not in self._addresses and not row.peer.startswith(_LOOPBACK):
            keys.append(("client", row.local, ""))
        return keys

    def _stuck(self, process: Process, row: Socket) -> int:
        """Return in how many lists this connection is full with the same bytes; one is no proof that it is stuck."""
        alike = [
            other
            for listed in self._lists[process.id]
            for other in listed.rows
            if (other.local, other.peer, other.inode) == (row.local, row.peer, row.inode)
            and (other.sent, other.received) == (row.sent, row.received)
        ]
        return len(alike) if row.full or row.unread else 1

    def asked(self, process: Process) -> list[Peer]:
        """Return who is at the other end of connections that it opened, and was not captured, the most used first."""
        return self._strangers(_opened(self._last(process)))

    def full(self, process: Process) -> list[Peer]:
        """Return who does not read what it writes, and was not captured."""
        return self._strangers(row for row in self._last(process) if row.full)

    def _last(self, process: Process) -> tuple[Socket, ...]:
        lists = self._lists[process.id]
        return lists[-1].rows if lists else ()

    def _strangers(self, rows: Iterable[Socket]) -> list[Peer]:
        """Return those at the other end of connections who were not captured, the most used first."""
        captured = {pid for pid in self._pids.values() if pid is not None}
        pods = set().union(*self._pods.values())
        found: Counter[tuple[str, int | None, str]] = Counter()
        for row in rows:
            if row.state == _LISTENS or row.kind == "udp" or row.peer_pid in captured:
                continue
            route = self._routes.behind(row.peer)
            behind = route is not None and not pods.isdisjoint(route.pods)
            if not behind and not self._known & {*self._wanted(row)}:
                found[row.peer if row.peer != "*" else "", row.peer_pid, row.peer_name] += 1
        told = [
            Peer(*who, many, self._routes.behind(who[0])) for who, many in found.items() if who[0] or who[1] is not None
        ]
        return sorted(told, key=lambda one: (-one.connections, one.address))


def _pid(process: Process) -> int | None:
    for snapshot in reversed(process.snapshots):
        if snapshot.identity.pid is not None:
            return snapshot.identity.pid
        if snapshot.sockets is not None and snapshot.sockets.owner is not None:
            return snapshot.sockets.owner
    return int(process.address.removeprefix("pid:")) if process.address.removeprefix("pid:").isdigit() else None


def _lists(case: Case, process: Process, pid: int | None, processes: Sequence[Process]) -> list[_Listed]:
    """Return the rows of a process in each list that has some, its own lists before those of the machine."""
    found: list[_Listed] = []
    for snapshot in process.snapshots:
        if snapshot.sockets is not None:
            own = snapshot.sockets.own or _of(process, pid, snapshot.sockets.rows, processes)
            found.append(_Listed(own, snapshot.sources["sockets"]))
    for source, sockets in case.sockets:
        opened = next((s.sockets.open for s in reversed(process.snapshots) if s.sockets and s.sockets.open), {})
        rows = [row for row in sockets.rows if row.inode and row.inode in opened]
        found.append(_Listed(tuple(rows) or _of(process, pid, sockets.rows, processes), source))
    return [one for one in found if one.rows]


def _of(process: Process, pid: int | None, rows: Iterable[Socket], processes: Sequence[Process]) -> tuple[Socket, ...]:
    """Return the rows of a machine's list that are of this process: by its pid, else by a name that only it has."""
    if pid is not None:
        return tuple(row for row in rows if row.pid == pid)
    name = process.name[:_COMM]
    if sum(one.name[:_COMM] == name for one in processes) > 1:
        return ()
    named = [row for row in rows if row.name[:_COMM] == name]
    pids = Counter(row.pid for row in named)
    return tuple(named) if len(pids) == 1 else ()


def _opened(rows: Sequence[Socket]) -> list[Socket]:
    """Return the connections that a process opened itself; the others were accepted where it listens."""
    listens = {_port(row.local) for row in rows if row.state == _LISTENS}
    several = Counter(row.local for row in rows if row.state != _LISTENS)  # without -a ss lists no listeners
    connected = [row for row in rows if row.state != _LISTENS and row.kind != "udp"]
    return [
        row
        for row in connected
        if _port(row.local) not in listens and (row.local == "*" or row.is_unix or listens or several[row.local] == 1)
    ]


def _ends(row: Socket) -> list[_Key]:
    """Return by what the other end of a connection finds this row."""
    if row.state == _LISTENS:
        return []
    if row.is_unix:
        return [("inode", str(row.inode), "")] if row.inode else []
    return [("tcp", row.local, row.peer), ("client", row.peer, "")]


def _port(address: str) -> str:
    """Return the port of an address; the whole of it where that is a path."""
    return address.rpartition(":")[2]

"""Two nodes of different processes -> whether one waits for the other, and what speaks for it, strongest first.

Sockets: both have the same connection. Names: the method that one calls is the one that the other handles. Then counts
and ages that agree. Clocks of two machines are never compared: a count belongs to a snapshot, an age to its own dump.
"""

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from oakum.detect.chains.nodes import Node
from oakum.detect.chains.wiring import Connection, Wiring
from oakum.knowledge.rpc import Call, Served
from oakum.model import Argument, Evidence, EvidenceKind, Frame, Kinds, Process, Source, Text

# As many as one another, within what is under way while two processes are asked one after the other.
_ALIKE = 0.1
_FEW = 2
# stock and Client of main.(*stockClient).Reserve; shorter ones are in too many names
_WORD = re.compile(r"[A-Za-z][a-z]{3,40}")
_SAYS_NOTHING = frozenset({"main", "server", "client", "service", "http", "grpc", "internal", "example", "github"})
_SURE: tuple[tuple[EvidenceKind, ...], ...] = (
    ("socket-pair", "same-method"),
    ("service-pod", "same-method"),
    ("same-method",),
    ("socket-pair",),
    ("service-pod",),
)
# What tells apart servers of one protocol where neither sockets nor methods do, the best first.
_WEAK: tuple[EvidenceKind, ...] = ("shared-words", "counts-agree", "ages-agree", "same-protocol")
# Ages that a dump prints are up to two minutes too long.
_MINUTES = 2


class Link(Struct, eq=False):
    """One that waits, the one that it waits for in another process, and why we think so."""

    waiter: Node
    server: Node
    evidence: tuple[Evidence, ...]

    @property
    def kinds(self) -> Kinds:
        return Kinds(one.kind for one in self.evidence)

    @property
    def named(self) -> bool:
        """Tell whether more than the protocol says that these two belong together."""
        return self.kinds.any("socket-pair", "same-method", "service-pod")


class Linker:
    """Finds who in other processes a goroutine waits for."""

    def __init__(self, nodes: Iterable[Node], wiring: Wiring) -> None:
        self._servers = [node for node in nodes if node.served is not None]
        self._wiring = wiring
        self._connections: dict[tuple[str, str], Connection | None] = {}
        self._links: dict[int, list[Link]] = {}

    def links(self, waiter: Node) -> list[Link]:
        """Return who these may wait for: where sockets or names tell it, no others; else what fits best."""
        if id(waiter) not in self._links:
            self._links[id(waiter)] = self._best(waiter)
        return self._links[id(waiter)]

    def _best(self, waiter: Node) -> list[Link]:
        found = [link for server in self._servers if (link := self._link(waiter, server))]
        for sure in _SURE:
            if best := [link for link in found if link.kinds.has(*sure)]:
                return best
        return _only_one(found)

    def _link(self, waiter: Node, server: Node) -> Link | None:
        assert waiter.call is not None
        assert server.served is not None
        if waiter.process.id == server.process.id or not _same_protocol(waiter.call, server.served):
            return None
        named = _names_agree(waiter.call, server.served, server)
        if named is False:
            return None
        connection = self._connection(waiter.process, server.process)
        direct = not waiter.call.protocol.broker
        listed = self._wiring.knows(waiter.process) and self._wiring.knows(server.process)
        if connection is None and listed and direct and not named:
            return None  # their sockets are known, and they are not connected; by name they may be, through a proxy
        return Link(waiter, server, tuple(self._evidence(waiter, server, connection if direct else None, bool(named))))

    def _connection(self, one: Process, other: Process) -> Connection | None:
        key = one.id, other.id
        if key not in self._connections:
            self._connections[key] = self._wiring.between(one, other)
        return self._connections[key]

    def _evidence(self, waiter: Node, server: Node, connection: Connection | None, named: bool) -> Iterable[Evidence]:
        call, served = waiter.call, server.served
        assert call is not None
        assert served is not None
        ends: dict[str, Argument] = {"waiter": waiter.process.name, "server": server.process.name}
        if connection is not None:
            yield _of_socket(connection, ends)
            if connection.same_queues > 1:
                args = ends | {"captures": connection.same_queues, "sent": connection.near.sent or 0}
                args |= {"received": connection.near.received or 0}
                text = Text("chains.socket-full", args)
                yield Evidence("socket-full", text, connection.source.digest, _row(connection))
        about = ends | {"protocol": call.protocol.id, "stub": call.frame.function, "handler": served.frame.function}
        if named:
            method = f"{served.service or call.service}.{call.method}".strip(".")
            yield _evidence("same-method", waiter, about | {"method": method})
        else:
            yield _evidence("same-protocol", waiter, about)
        if _counts_agree(waiter, server):
            yield _evidence("counts-agree", server, ends | {"waiting": waiter.count, "serving": server.count})
        if _ages_agree(waiter, server):
            yield _evidence("ages-agree", server, ends | {"waiting": waiter.oldest, "serving": server.oldest})
        if not named and (shared := _shared_words(waiter, server)):
            yield _evidence("shared-words", waiter, about | {"words": ", ".join(sorted(shared))})


def _of_socket(connection: Connection, ends: dict[str, Argument]) -> Evidence:
    near = connection.near
    if (route := connection.route) is not None:
        kind, name = ("service", route.service) if route.service else ("pod", route.pods[0])
        told = Text(
            "chains.service-pod", {**ends, "peer": near.peer, "via": Text(f"chains.via-{kind}", {"name": name})}
        )
        return Evidence("service-pod", told, connection.source.digest, _row(connection))
    args = ends | {"kind": "unix" if near.is_unix else "TCP", "local": near.local, "peer": near.peer}
    if near.is_unix:
        args |= {"local": f"inode {near.inode}", "peer": f"inode {near.peer_inode}" if near.peer_inode else near.peer}
    return Evidence("socket-pair", Text("chains.socket-pair", args), connection.source.digest, _row(connection))


def _row(connection: Connection) -> str:
    near = connection.near
    return f"inode {near.inode}" if near.is_unix else f"{near.local} {near.peer}"


def _evidence(kind: EvidenceKind, shown: Node, args: dict[str, Argument]) -> Evidence:
    group = shown.groups[0]
    where = f"goroutine {int(group.ids[0])}" if len(group.ids) else ""
    top = "\n".join(str(frame) for frame in group.stack.frames[:4])
    return Evidence(kind, Text(f"chains.{kind}", args), source_of(shown).digest, where, top)


def source_of(node: Node) -> Source:
    """Return the capture that shows these goroutines."""
    return next(s.sources["goroutines"] for s in reversed(node.process.snapshots) if s.goroutines is not None)


def _same_protocol(call: Call, served: Served) -> bool:
    one, other = call.protocol, served.protocol
    # What is carried by another protocol is answered by any server of it; and gRPC by a server of connect.
    alike = one.id == other.id or other.id == one.over or one.id == other.over
    return alike or bool(call.method and call.method == served.method)


def _names_agree(call: Call, served: Served, server: Node) -> bool | None:
    """Tell whether both name the same method; None: one of them names none."""
    if call.service and served.service and call.service.lower() != served.service.lower():
        return False
    if call.method and served.method:
        return call.method == served.method
    # A handler that no generated code names is a method of the service's own type, called like the one of the stub.
    if call.method:
        return True if any(frame.name == call.method for frame in _handling(server)) else None
    return None


def _handling(server: Node) -> Iterable[Frame]:
    """Yield the own frames of who handles a request, down to where it asks another process itself."""
    for group in server.groups:
        frames = group.stack.frames
        asks = frames.index(server.call.frame) + 1 if server.call and server.call.frame in frames else 0
        yield from (frame for frame in frames[asks:] if frame.owner == "own")


def _counts_agree(one: Node, other: Node) -> bool:
    """Tell whether as many wait as are to answer: at the end, and in each snapshot where both have as many of them."""
    pairs = [(one.count, other.count)]
    # Of a population whose goroutines ask or answer several things, only the last snapshot tells how many do which.
    whole = all(node.count == node.population.last for node in (one, other))
    if whole and len(one.counts) == len(other.counts):
        pairs += zip(one.counts[-2:-1], other.counts[-2:-1], strict=True)
    return min(pairs[0]) > _FEW and all(abs(a - b) <= max(_FEW, _ALIKE * max(a, b)) for a, b in pairs)


def _ages_agree(one: Node, other: Node) -> bool:
    return min(one.oldest, other.oldest) > 0 and abs(one.oldest - other.oldest) <= _MINUTES


def _shared_words(waiter: Node, server: Node) -> set[str]:
    """Return the words that the code which asks has in common with the name of the process that may answer."""
    written = (frame.function for frame in waiter.groups[0].stack.frames if frame.owner in ("own", "dependency"))
    return _words(" ".join(written)) & _words(server.process.name) - _words(waiter.process.name)


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)} - _SAYS_NOTHING


def _only_one(found: Sequence[Link]) -> list[Link]:
    """Return the links to one process alone, by what says most; where nothing tells several apart, none is claimed.

    Which of its handlers is meant is told by what they wait for: many may wait there for one of these.
    """
    for kind in _WEAK:
        if best := {link.server.process.id for link in found if link.kinds.has(kind)}:
            return [link for link in found if link.server.process.id in best] if len(best) == 1 else []
    return []

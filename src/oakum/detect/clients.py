"""Goroutines -> the clients that are connected: what a count may rightly follow, since it ends when they leave.

Comes in: populations. Goes out: for one of them the connections that its number follows, or None. net/http reads ahead
on the connection of every request under way, which tells exactly which handlers still have a client. Where many streams
share a connection (HTTP/2, gRPC) nothing tells it.
"""

import re
from collections.abc import Sequence

from oakum.detect.at_work import calls_out
from oakum.model import Population, normal_function

# What one connection keeps: readers, writers, its workers. Whoever adds one for each message soon has more.
_OF_ONE = 12
_SERVE = "net/http.(*conn).serve"
_READ = "net/http.(*connReader).backgroundRead"
# What calls the handler of one stream among others on its connection, or reads what its client sends.
_STREAM = re.compile(
    r"^(?:google\.golang\.org/grpc\.\(\*(?:Server\)\.(?:handleStream|process\w*RPC)|serverStream\)\.RecvMsg)"
    r"|(?:net/http\.\(\*http2|(?:net/http/internal|golang\.org/x/net)/http2\.\(\*)serverConn\)\.runHandler)$"
)
# What reads a connection that carries streams.
_CARRIER = re.compile(
    r"^(?:google\.golang\.org/grpc/internal/transport\.\(\*(?:http2Server\)\.HandleStreams|serverHandlerTransport\).*)"
    r"|(?:net/http\.\(\*http2|(?:net/http/internal|golang\.org/x/net)/http2\.\(\*)serverConn\)\.(?:serve|readFrames))$"
)
_CALLS = "net/http.(*persistConn).roundTrip"
_READER = "net/http.(*persistConn).readLoop"
# Reads the body of a response: its connection's own goroutine waits in a select until that is read or closed.
BODY = "net/http.(*bodyEOFSignal).Read"
# Of the bodies; who copies one to somebody else writes now and then.
_NEARLY_EACH = 0.8
# Waits for one of the connections that a host may have, or for a new one.
_QUEUE = "net/http.(*Transport).getConn"
_READS_REQUEST = frozenset({"net/http.(*conn).readRequest", "net/http.(*connReader).Read", "bufio.(*Reader).Peek"})
# As many idle connections for each call under way: a pool keeps only those that were once in use at the same time, and
# a server of HTTP/1 answers one request at a time on each connection of its clients.
_UNUSED = 10
# What net/http's default transport keeps idle in all: who keeps more has asked for it, or has many transports.
_DEFAULT_POOL = 100


class Live:
    """The clients that are connected in each snapshot, as the goroutines tell."""

    def __init__(self, populations: Sequence[Population], snapshots: int) -> None:
        # The last snapshot that has goroutines.
        seen = [at for at in range(snapshots) if any(population.counts[at] >= 0 for population in populations[:1])]
        self._last = seen[-1] if seen else -1
        self._reads = [0] * snapshots
        self._handlers = [0] * snapshots
        self._calls = 0  # outbound ones under way, in the snapshot that has most
        self._inbound = [0] * snapshots  # connections of clients, idle ones too
        self._callers: dict[str, list[int]] = {}  # how many handlers stand in a function, or in what it called
        self._parents: list[set[int]] = [set() for _ in range(snapshots)]
        self._sockets: list[tuple[Population, list[int]]] = []
        self._accepting = {
            name for population in populations if _accepts(population) for name in population.example.stack.normal_names
        }
        self._families = _Families(populations)
        self._open = [0] * snapshots  # goroutines that wait for a socket that is in use
        self._carriers = [0] * snapshots  # connections that carry streams
        self._bodies = [0] * snapshots  # bodies of responses that somebody reads
        calls = [0] * snapshots
        self._answers = False  # a call under way has ended since, or may have: nobody knows who they are
        for population in populations:
            names = population.example.stack.names
            # Files poll, too; and nobody lives with a connection on which no request is under way.
            network = population.state == "IO wait" and any(name.startswith("net.") for name in names)
            for at, groups in enumerate(population.groups):
                self._bodies[at] += sum(group.count for group in groups if BODY in group.stack.names)
            if network and not _unused(population) and BODY not in names:  # what we ask for is no client
                self._open = [opened + max(0, int(c)) for opened, c in zip(self._open, population.counts, strict=True)]
            if _SERVE in names:
                self._inbound = [n + max(0, int(c)) for n, c in zip(self._inbound, population.counts, strict=True)]
            if any(map(_CARRIER.match, names)):
                self._carriers = [n + max(0, int(c)) for n, c in zip(self._carriers, population.counts, strict=True)]
            if _CALLS in names or (_READER in names and population.state != "IO wait"):  # asked, or an answer not read
                self._answers |= not population.followed or int(population.left.sum()) > 0
                calls = [
                    under_way + max(0, int(more)) for under_way, more in zip(calls, population.counts, strict=True)
                ]
            if _is_background_read(population):
                for at, groups in enumerate(population.groups):
                    self._reads[at] += sum(group.count for group in groups)
                    for group in groups:
                        self._parents[at].update(one for one in group.parents.tolist() if one)
            elif _SERVE in names and not _idle_server(population):
                for at, groups in enumerate(population.groups):
                    here = sum(group.count for group in groups)
                    self._handlers[at] += here
                    for name in names:
                        self._callers.setdefault(normal_function(name), [0] * snapshots)[at] += here
            elif population.state == "IO wait" and _is_accepted_socket(population):
                counts = [max(0, int(count)) for count in population.counts]
                self._sockets.append((population, counts))
        self._calls = max(calls, default=0)

    def companion(self, population: Population) -> str | None:
        """Return what the population's number follows: clients that are still connected."""
        names = population.example.stack.names
        counts = [max(0, int(count)) for count in population.counts]
        if _SERVE in names and self.served(population):
            return _READ
        made = population.creator
        if self._started_by_served(population):
            return _READ
        if population.state != "IO wait" and (place := self._families.socket_of(population)):
            return place
        if made is not None and self.accepted(population):
            return made.function
        if population.state == "IO wait" or len(counts) < 2 or max(counts) - min(counts) < 2:
            return None
        if _spread([c - r for c, r in zip(counts, self._reads, strict=True)]) <= 1 and max(self._reads) > 1:
            return _READ
        for socket, sockets in self._sockets:
            if _spread([c - s for c, s in zip(counts, sockets, strict=True)]) == 0 and socket.place is not None:
                return socket.place.function
        return None

    def accepted(self, population: Population) -> bool:
        """Tell whether these wait for a connection that a loop of the process has accepted."""
        made = population.creator
        return population.state == "IO wait" and made is not None and normal_function(made.function) in self._accepting

    def served(self, population: Population) -> bool:
        """Tell whether these handle requests whose clients are still there."""
        if _SERVE not in population.example.stack.names:
            return False
        groups = population.now
        known = [group for group in groups if len(group.ids) == group.count]
        parents = self._parents[self._last]
        if parents and len(known) == len(groups):
            waiting = sum(int(one) in parents for group in groups for one in group.ids.tolist())
            return waiting >= 0.8 * max(1, population.last)
        # Handlers spread over many places: all of them together are as many as the clients that wait. Some have not
        # begun to watch their client, since they still read the request.
        reads, handlers = self._reads[self._last], self._handlers[self._last]
        return reads > 1 and handlers <= 1.25 * reads + 1

    def read(self, population: Population) -> bool:
        """Tell whether these wait until the bodies of responses are read, and about as many goroutines read one."""
        if _READER not in population.example.stack.names or population.state != "select":
            return False
        counts = [max(0, int(count)) for count in population.counts]
        return all(n >= _NEARLY_EACH * count - 1 for n, count in zip(self._bodies, counts, strict=True))

    def clients_left(self, population: Population) -> bool:
        """Tell whether these handle streams, and no connection is left that could carry one: their clients are gone."""
        return of_stream(population) and self._carriers[self._last] == 0 < max(self._carriers)

    def unused(self, population: Population) -> bool:
        """Tell whether these are idle outbound connections, all kept, and more than were ever in use at the same time.

        There are many more of them than calls under way in any snapshot, and more than clients that are connected.
        """
        names = population.example.stack.names
        idle = population.state == "IO wait" if _READER in names else "net/http.(*persistConn).writeLoop" in names
        return (
            idle
            and _all_kept(population)
            and population.last >= _UNUSED * max(1, self._calls)
            and population.last > max(self._inbound)
        )

    def beyond_pool(self, population: Population) -> bool:
        """Tell whether these idle connections are too many for one transport, whoever asks: clients are counted."""
        asked = max(1, *self._inbound)
        return not any(self._carriers) and population.last > max(_DEFAULT_POOL, _UNUSED * asked)

    def in_turn(self, population: Population) -> bool:
        """Tell whether these wait for a connection of their host while calls on others are answered."""
        names = (frame.function for frame in population.example.stack.frames[:2])
        return self._answers and any(name == _QUEUE for name in names)

    def sockets_follow(self, population: Population, counts: Sequence[int]) -> bool:
        """Tell whether others' sockets grow along, one for two at least: then these may be of their clients."""
        if population.state == "IO wait" or len(counts) != len(self._open):
            return False
        if calls_out(population.example.stack.frames):
            return False  # a call ends with its answer; its client, who waits for that, is no reason to wait
        if len(counts) == 1:
            return self._open[-1] >= 0.5 * counts[-1]
        return self._open[-1] - self._open[0] >= 0.5 * (counts[-1] - counts[0])

    def _started_by_served(self, population: Population) -> bool:
        """Tell whether their parents handle requests whose clients are still there."""
        made = normal_function(population.creator.function) if population.creator else ""
        parents = [int(one) for group in population.now for one in group.parents.tolist() if one]
        living = self._parents[self._last]
        if parents and living:
            return sum(one in living for one in parents) >= 0.8 * max(1, population.last)
        counts = [max(0, int(count)) for count in population.counts]
        callers = self._callers.get(made)
        return callers == counts and len(counts) > 1 and max(counts) - min(counts) > 1


def _all_kept(population: Population) -> bool:
    """Tell whether none has left; where nobody knows who they are, whether they only became more, three times seen."""
    if population.followed:
        return not int(population.left.sum())
    counts = [int(count) for count in population.counts if count >= 0]
    return len(counts) > 2 and counts == sorted(counts)


class _Families:
    """Connections as families of goroutines: whatever an accept loop started, and what that started in turn."""

    def __init__(self, populations: Sequence[Population]) -> None:
        self._parent: dict[int, int] = {}
        accepting: set[int] = set()
        reading: dict[int, str] = {}
        for population in populations:
            socket = population.state == "IO wait" and _is_accepted_socket(population)
            for group in population.now:
                ids = group.ids.tolist()
                self._parent.update(zip(ids, group.parents.tolist(), strict=False))
                if _accepts(population):
                    accepting.update(ids)
                if socket and population.place is not None:
                    reading.update(dict.fromkeys(ids, population.place.function))
        self._heads = {one for one, parent in self._parent.items() if parent in accepting}
        self._sockets: dict[int, str] = {}  # head of a family -> where it reads
        for one, place in reading.items():
            if (head := self._head(one)) is not None:
                self._sockets[head] = place

    def _head(self, one: int) -> int | None:
        for _ in range(8):  # a family is not deep; a dump may be a circle
            if one in self._heads:
                return one
            one = self._parent.get(one, 0)
        return None

    def socket_of(self, population: Population) -> str | None:
        """Return where the sockets of their connections are read, when these are a few of each living connection."""
        heads = [self._head(one) for group in population.now for one in group.ids.tolist()] if self._sockets else []
        living = [head for head in heads if head is not None and head in self._sockets]
        if not living or len(living) < 0.8 * len(heads) or len(living) > _OF_ONE * len(set(living)):
            return None
        return self._sockets[living[0]]


def of_stream(population: Population) -> bool:
    """Tell whether these handle streams that share a connection: whether their clients are there, nothing tells."""
    return any(map(_STREAM.match, population.example.stack.names))


def _spread(values: Sequence[int]) -> int:
    return max(values) - min(values)


def _is_background_read(population: Population) -> bool:
    made = population.creator.function if population.creator else ""
    return made.startswith("net/http.(*connReader).startBackgroundRead") or any(
        name.startswith(("net/http.(*connReader).backgroundRead", "net/http.(*connReader).startBackgroundRead"))
        for name in population.example.stack.names
    )


def _idle_server(population: Population) -> bool:
    return not _READS_REQUEST.isdisjoint(population.example.stack.names)


def _unused(population: Population) -> bool:
    """Tell whether net/http alone reads these, between two requests; who took a connection over reads it itself."""
    stack = population.example.stack
    return (_idle_server(population) or _READER in stack.names) and not stack.is_users


def _is_accepted_socket(population: Population) -> bool:
    """Tell whether these wait for what the far end sends next, on sockets that no client of ours opened."""
    names = population.example.stack.names
    made = population.creator.function if population.creator else ""
    ours = made.startswith("net/http.(*Transport)") or not names.isdisjoint((_READER, BODY))
    return reads_socket(population) and not ours and _SERVE not in names


def reads_socket(population: Population) -> bool:
    """Tell whether these wait for what the far end of a connection sends next."""
    reads = ("net.(*netFD).Read", "net.(*conn).Read", "net.(*rawConn).Read")
    return any(name.startswith(reads) for name in population.example.stack.names)


def _accepts(population: Population) -> bool:
    return population.state == "IO wait" and "net.(*netFD).accept" in population.example.stack.names

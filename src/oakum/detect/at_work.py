"""Is anybody at work in a process who could serve those that are blocked? A queue moves only while its head is served.

Comes in: the goroutines of one snapshot. Goes out: how many run, sleep, call out or use the network in own or
dependency code, and whether one that waits may serve a queue of its own type. The request that took the capture, and
goroutines that wait for the next client, are not at work.
"""

import re
from collections.abc import Sequence

from oakum.knowledge import benign
from oakum.knowledge.pairs import pairs
from oakum.model import Frame, GoroutineGroup, Goroutines, Population, normal_function
from oakum.model.vocabulary import LOCK_STATES, RUNNING_STATES, SOFT_STATES

# These read the process, or wait for the system.
_ASIDE = ("runtime/pprof.", "net/http/pprof.", "os/signal.")
# A call to another process: it waits in a select for the goroutine that reads the connection.
_CALLS_OUT = (
    "net/http.(*persistConn).roundTrip", "net/http.(*Transport).getConn", "net/http.(*http2ClientConn).",
    "net/http.(*http2clientStream).", "golang.org/x/net/http2.(*ClientConn).",
    "golang.org/x/net/http2.(*clientStream).",
    "google.golang.org/grpc/internal/transport.(*recvBufferReader).", "google.golang.org/grpc.(*pickerWrapper).pick",
    "net.(*Resolver).", "net.(*sysDialer).", "os/exec.(*Cmd).Wait",
)  # fmt: skip
# One request and one answer: below it a call may wait for either, deep inside of the library.
UNARY = "google.golang.org/grpc.invoke"
# Where a worker waits for its next job or tick.
# backoff.RetryNotify, retry.OnError, wait.ExponentialBackoff; wait.BackoffUntil is to run for ever.
_RETRIES = re.compile(r"(?i)retry|ExponentialBackoff")
_BETWEEN_JOBS = SOFT_STATES | {"select", "sync.Cond.Wait"}


def calls_out(frames: Sequence[Frame]) -> bool:
    """Tell whether a stack is inside of a call to another process."""
    return any(frame.function.startswith(_CALLS_OUT) for frame in frames[:4]) or any(
        frame.function == UNARY for frame in frames
    )


def tries_again(frames: Sequence[Frame]) -> bool:
    """Tell whether a library waits before it tries again what it was given, until that succeeds or it gives up."""
    written = next((frame for frame in frames if frame.owner in ("own", "dependency")), None)
    return written is not None and written.owner == "dependency" and bool(_RETRIES.search(written.function))


def at_work(goroutines: Goroutines) -> int:
    """Return how many goroutines are at work, as far as the capture says: without states, anybody may be."""
    return sum(group.count for group in goroutines.groups if _works(group))


class Servers:
    """The goroutines that wait for their next job or tick, by the types whose methods they run."""

    def __init__(self, goroutines: Goroutines) -> None:
        self._groups = goroutines.groups
        self._by_type: dict[tuple[str, str], set[str]] = {}
        self._busy: set[tuple[str, str]] = set()  # types whose methods somebody at work is in
        self._functions: set[str] = set()  # in which somebody is at work
        for group in goroutines.groups:
            if group.state in _BETWEEN_JOBS:
                for type_ in _types(group):
                    self._by_type.setdefault(type_, set()).add(group.stack.key)
            if _works(group):
                self._busy |= _types(group)
                self._functions |= group.stack.normal_names

    def at_head(self, blocked: Population) -> bool:
        """Tell whether whoever has what others wait for may be at work: a lock, their answer, something of a pool.

        A lock is held in a method of its type; callers that share an answer wait in the function that computes it.
        """
        place, state = blocked.place, blocked.state or ""
        if place is None:
            return False
        if all(map(_waits_for_pool, blocked.now)):
            return not self.pool_unused(blocked)
        if state in LOCK_STATES:
            return (place.package, place.receiver or place.file) in self._busy
        return state == "sync.WaitGroup.Wait" and normal_function(place.function) in self._functions

    def pool_unused(self, blocked: Population) -> bool:
        """Tell whether these wait for a pool that lends to nobody who is there: what is lent was never given back.

        Whoever has something of a pool is in the code that got it, in the pool's own, or was started by either.
        """
        waiting = [group for group in blocked.now if _waits_for_pool(group)]
        if not waiting or len(waiting) < len(blocked.now):
            return False
        pools = {group.stack.frames[0].package for group in waiting}
        borrowers = {normal_function(frame.function) for group in waiting for frame in _own_run(group)}
        return bool(borrowers) and not any(
            _borrows(group, pools, borrowers) for group in self._groups if not _waits_for_pool(group)
        )

    def may_serve(self, blocked: Population) -> bool:
        """Tell whether a goroutine of the type that others are blocked in waits for something else: perhaps for a tick.

        A worker that takes a job at each tick of its own waits as an idle one does; its queue moves all the same.
        """
        own = {blocked.example.stack.key}
        return any(self._by_type.get(type_, own) - own for type_ in _types(blocked.example))


def _waits_for_pool(group: GoroutineGroup) -> bool:
    return bool(group.stack.frames) and pairs().waits_for_pool(group.stack.frames[0].function)


def _own_run(group: GoroutineGroup) -> list[Frame]:
    """Return the own frames nearest to the leaf: the call, and its callers up to where a framework calls them."""
    frames = group.stack.frames
    first = next((at for at, frame in enumerate(frames) if frame.owner == "own"), len(frames))
    last = next((at for at in range(first, len(frames)) if frames[at].owner != "own"), len(frames))
    return list(frames[first:last])


def _borrows(group: GoroutineGroup, pools: set[str], borrowers: set[str]) -> bool:
    """Tell whether a goroutine may have something of a pool."""
    frames, made = group.stack.frames, group.created_by
    if made is not None and normal_function(made.function) in borrowers:
        return True
    if not borrowers.isdisjoint(group.stack.normal_names):
        return True
    called = any(frame.owner in ("own", "dependency") and frame.package not in pools for frame in frames)
    return called and not pools.isdisjoint(group.stack.packages)


def _types(group: GoroutineGroup) -> set[tuple[str, str]]:
    """Return package and receiver of the methods on a stack, of who wrote them; of functions, package and file."""
    own = [frame for frame in group.stack.frames if frame.owner in ("own", "dependency")]
    return {(frame.package, frame.receiver or frame.file) for frame in own[:3]}


def _works(group: GoroutineGroup) -> bool:
    if not group.stack.is_users or not _may_work(group):
        return False
    return not any(frame.function.startswith(_ASIDE) for frame in group.stack.frames)


def _may_work(group: GoroutineGroup) -> bool:
    frames = group.stack.frames
    if group.state is None or group.state in RUNNING_STATES or group.state in ("sleep", "syscall", "waiting"):
        return True
    if group.state == "IO wait":
        match = benign().match(group)
        return not (match is not None and match.resting) and not any("ccept" in f.function for f in frames[:6])
    return group.state == "select" and calls_out(frames)

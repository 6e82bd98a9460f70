"""What a stack alone says: which mechanisms it can be, and which frames a reader needs.

Comes in: a stack, its state and creator. Goes out: mechanisms, best first, and sites. The shapes are those of the
standard library and of Go itself; what one project's goroutines look like belongs into knowledge/.
"""

import re

from oakum.detect.at_work import tries_again
from oakum.knowledge.benign import Match
from oakum.knowledge.pairs import pairs
from oakum.model import GoroutineGroup, Mechanism, Population, Site, normal_function
from oakum.model.vocabulary import NIL_CHANNEL_STATES

# A call that waits for the next thing and takes no context: Pop, (*Queue).Get, Next, Recv
_TAKES = re.compile(r"^(?:Pop|Get|Next|Take|Dequeue|Shift|Recv|Receive|Poll|Pull|Fetch)\w*$", re.I)
# The far end does not answer: a call that waits for its reply.
_ANSWERS = (
    "net/http.(*persistConn).roundTrip",
    "net/http.(*http2ClientConn).RoundTrip",
    "net/http.(*http2ClientConn).roundTrip",
    "net/http.(*http2clientStream).writeRequest",
    "net/http.(*Transport).getConn",
    "net/http.(*Transport).dialConn",
    "net/rpc.(*Client).Call",
    "google.golang.org/grpc/internal/transport.(*Stream).waitOnHeader",
    "google.golang.org/grpc/internal/transport.(*ClientStream).waitOnHeader",
    "google.golang.org/grpc/internal/transport.(*recvBufferReader).readClient",
    "google.golang.org/grpc/transport.(*Stream).waitOnHeader",
    "golang.org/x/net/http2.(*ClientConn).RoundTrip",
    "golang.org/x/net/http2.(*ClientConn).roundTrip",
    "golang.org/x/net/http2.(*clientStream).writeRequest",
)
# Called by generated code alone.
_INVOKES = ("google.golang.org/grpc.(*ClientConn).Invoke", "google.golang.org/grpc.(*ClientConn).NewStream")
_QUEUES_FOR_CONNECTION = "net/http.(*Transport).getConn"
# The runtime's one goroutine that runs finalizers, and those of Go 1.26+ that run clean-ups.
_FINALIZERS = re.compile(r"^runtime\.(?:runfinq|runFinalizers|runCleanups|createfing|\(\*cleanupQueue\))")
_WRITES = re.compile(r"\.(?:Write|write|Writev|writev|Sendfile|WriteTo|writeTo|WriteMsg\w*)$")
_ACCEPTS = re.compile(r"\.(?:Accept|accept|AcceptTCP|AcceptUnix)$")


def _names(group: GoroutineGroup) -> list[str]:
    return [normal_function(frame.function) for frame in group.stack.frames]


def awaits_answer(group: GoroutineGroup) -> bool:
    """Tell whether it has asked another process and waits for the reply."""
    return group.state == "select" and any(name in _ANSWERS for name in _names(group))


def finalizing(group: GoroutineGroup) -> bool:
    """Tell whether this is the goroutine that runs finalizers, or clean-ups."""
    frames = group.stack.frames
    if group.created_by is not None:
        return bool(_FINALIZERS.match(group.created_by.function))
    if any(_FINALIZERS.match(frame.function) for frame in frames[-2:]):
        return True
    # A dump hides the runtime's own frames. Every goroutine has a creator in it but main and those of the runtime.
    return len(group.ids) == 1 and int(group.ids[0]) != 1 and bool(frames) and frames[-1].function != "main.main"


def mechanisms(population: Population, benign: Match | None, *, alive: bool, moves: bool) -> tuple[Mechanism, ...]:
    """Return what it can be, best first. `alive`: its waits restart; `moves`: its members go in and out as a queue."""
    group, state = population.example, population.state
    if finalizing(group):
        return ("finalizer-backlog", *_by_state(group, state, alive=alive, moves=moves))
    symptom: tuple[Mechanism, ...] = (benign.entry.symptom,) if benign is not None and benign.entry.symptom else ()
    if symptom == ("unclosed-body",) and benign is not None and benign.resting is not False:
        symptom = ("unstopped-worker",)  # every body was read: the connection itself is what nobody closes
    return tuple(dict.fromkeys((*symptom, *_by_state(group, state, alive=alive, moves=moves))))


def _by_state(group: GoroutineGroup, state: str | None, *, alive: bool, moves: bool) -> tuple[Mechanism, ...]:
    names = _names(group)
    if state in NIL_CHANNEL_STATES:
        return ("nil-channel",)
    if state == "chan send":
        return ("unbounded-spawn", "abandoned-sender") if moves else ("abandoned-sender", "double-send")
    if state == "chan receive":
        return ("timer-loop", "unstopped-worker") if alive else ("abandoned-receiver", "unstopped-worker")
    if state == "sync.WaitGroup.Wait":
        return ("waitgroup-never-done",)
    if state == "sync.Cond.Wait":
        return ("detached-wait", "lost-signal") if _takes(group) else ("lost-signal", "detached-wait")
    if state in ("semacquire", "sync.Mutex.Lock", "sync.RWMutex.Lock", "sync.RWMutex.RLock"):
        return ("lock-held-while-waiting", "double-lock")
    if state == "IO wait":
        # `names` go from the leaf: what was called last decides
        for name in names:
            if _WRITES.search(name):
                return ("peer-stopped-reading", "missing-deadline")
            if _ACCEPTS.search(name):
                return ("detached-wait", "unstopped-worker", "missing-deadline")
        return ("missing-deadline", "detached-wait")
    if state == "sleep":
        return ("timer-loop", "unstopped-worker")
    if state in ("select", "select (no cases)"):
        if names and names[0] in ("io.(*pipe).write", "net.(*pipe).write"):
            return ("abandoned-sender", "peer-stopped-reading")
        if "net/http.(*persistConn).readLoop" in names[:2]:
            return ("unclosed-body",)
        if moves and _QUEUES_FOR_CONNECTION in names:
            return ("unbounded-spawn", "missing-deadline")
        if names and pairs().waits_for_pool(names[0]):
            return ("unbounded-spawn", "exhausted-pool") if moves else ("exhausted-pool", "unstopped-worker")
        if any(name in _ANSWERS for name in names):
            return ("missing-deadline", "detached-wait")
        if tries_again(group.stack.frames):
            return ("timer-loop", "missing-deadline")
        return ("unstopped-worker", "timer-loop" if alive else "abandoned-receiver")
    if state is None:  # debug=1 hides what it waits for
        answer = any(name in _ANSWERS for name in names)
        return ("missing-deadline",) if answer else ("abandoned-receiver", "abandoned-sender", "unstopped-worker")
    return ("unbounded-spawn",)


def _takes(group: GoroutineGroup) -> bool:
    place = group.place
    return place is not None and bool(_TAKES.match(place.name))


def sites(population: Population, process: str) -> tuple[Site, ...]:
    """Return where the goroutines stand, who started them, and the first frames of other owners above."""
    group = population.example
    place = population.place
    found: list[Site] = []
    if place is not None:
        found.append(Site("blocked", place, population.state, population.last, process))
    if group.created_by is not None:
        found.append(Site("created", group.created_by, process=process))
    met: set[str] = set()
    below = ""
    for frame in group.stack.frames:  # from the leaf: the caller nearest to the wait is told first
        stub, below = below.startswith(_INVOKES), frame.function
        if frame.owner in ("dependency", "own") and frame.owner not in met:
            if not stub:  # what a generator wrote is told together with who calls it
                met.add(frame.owner)
            if frame != place:
                found.append(Site("driver", frame, process=process))
    return tuple(found)

"""The words that stages hand to one another, typed: a misspelt one is an error of mypy. Each has its meaning, as data.

Evidence of a kind comes from detect or explain; judge.py turns kinds into confidence. The values stand in stored
diagnoses: one that is renamed stays readable by its former name (report/former.py).
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

EvidenceKind = Literal[
    # Goroutines.
    "leak-profile", "goleak", "never-wakes", "nil-stop-channel", "steady-growth", "growth-at-constant-load",
    "single-step", "outlives-load", "not-reused", "mid-operation", "orphaned", "never-woken", "evenly-started",
    "clients-left", "never-drops", "queue-growth", "same-goroutines", "nobody-at-work", "pool-unused", "whole-process",
    "stuck", "reported-wait",
    "departures", "head-at-work",
    "pile-up", "majority", "baseline", "steady-arrivals", "uneven-arrivals", "arrival-burst", "turnover", "plateau",
    "progress", "open-connections", "client-connected", "shared-streams", "idle-connections", "beyond-a-pool",
    "idle-by-design",
    "supervisor", "startup-goroutine", "startup-pool", "counts-only", "other-run",
    # An experiment.
    "reproduced", "level-under-load", "heap-reproduced", "heap-level-under-load", "may-end", "may-fill",
    # Who waits for whom.
    "same-lock", "lock-holder", "no-lock-holder", "wait-cycle", "locked-twice", "reader-writer-reader", "parent-waits",
    "inferred-link",
    # Who waits for whom in another process.
    "process-cycle", "waited-for", "peer-blocked", "unanswered",
    "socket-pair", "socket-full", "service-pod", "same-method", "same-protocol", "counts-agree", "ages-agree",
    "shared-words",
    # The live heap.
    "heap-steady-growth", "heap-even-growth", "heap-goes-on", "heap-retained", "heap-single-step",
    "heap-largest", "heap-owner",
    "heap-baseline", "heap-pinned", "finalizer-runs", "timer-runs", "heap-plateau", "heap-falls", "heap-sampling-noise",
    "heap-like-baseline", "heap-with-goroutines",
    # What keeps it.
    "held-by", "held-growth", "held-steady-growth",
    # Memory of the process.
    "off-heap-steady-growth", "off-heap-single-step", "off-heap-plateau", "off-heap-falls", "off-heap-reserved",
    "memory-headroom", "memory-idle",
    # Metrics alone.
    "metric-growth", "metric-plateau", "metric-fall", "metric-follows-requests", "metric-stops-with-work",
    "follows-work", "log-lines",
    # Source and catalogue.
    "cause-in-source", "never-removed", "bounded", "ends-by-itself", "known-bug",
    # An experiment.
    "proven-by-test",
]  # fmt: skip

Weighs = Literal["for", "against", "neither"]


class Kind(NamedTuple):
    """What evidence of one kind says, and which way it weighs."""

    weighs: Weighs
    meaning: str


EVIDENCE: Mapping[EvidenceKind, Kind] = MappingProxyType({
    "leak-profile": Kind("for", "Go's goroutineleak profile lists them: nothing can wake them"),
    "goleak": Kind("for", "goleak reports them at the end of a test"),
    "never-wakes": Kind("for", "they wait on a nil channel: nothing can unblock them"),
    "nil-stop-channel": Kind("for", "one goroutine of a library waits on a nil stop channel: perhaps on purpose"),
    "reproduced": Kind("for", "an experiment: each unit of work leaves as many, batch by batch, and after draining"),
    "level-under-load": Kind("against", "an experiment: the work left none here"),
    "heap-reproduced": Kind("for", "an experiment: each unit of work leaves as much live memory, and after draining"),
    "heap-level-under-load": Kind("against", "an experiment: the work left no live memory here beyond sampling"),
    "may-end": Kind("against", "an experiment: what ends by itself after longer than it waited looks the same"),
    "may-fill": Kind("against", "an experiment: a pool or a cache that fills for as long as it lasts looks the same"),
    "steady-growth": Kind("for", "their number grows in several steps under load, and those created stay"),
    "growth-at-constant-load": Kind("neither", "they grow in every step under the same load, as actors of tenants do"),
    "single-step": Kind("for", "their number grew, in one step only or too little to show a trend"),
    "outlives-load": Kind("for", "they are still there after the load has stopped"),
    "not-reused": Kind("for", "as many came again for the same work although the earlier ones were idle: no pool"),
    "mid-operation": Kind("for", "they are inside a request or a call, not at the wait of a worker between jobs"),
    "orphaned": Kind("for", "each outlived the goroutine that started it, and no connection lives with it"),
    "never-woken": Kind("for", "by their ages none has woken up since it came, and no connection lives with them"),
    "evenly-started": Kind("for", "by their ids as many came for the same work, from early on until now"),
    "clients-left": Kind("for", "they handle streams, and no connection is left that carries any"),
    "never-drops": Kind("for", "in four snapshots or more their number rose twice or more and never fell"),
    "queue-growth": Kind("for", "some leave, but more wait in every snapshot: arrivals exceed departures"),
    "same-goroutines": Kind("for", "the very same goroutines are blocked there in every snapshot"),
    "nobody-at-work": Kind("for", "nothing in the process runs, sleeps or uses the network: no queue moves"),
    "pool-unused": Kind("for", "nobody is in the code that uses what the pool has lent: it never comes back"),
    "whole-process": Kind("for", "nearly all goroutines of the process have waited at one own place for many minutes"),
    "stuck": Kind("for", "they have waited for a minute or more in a state that is abnormal to last"),
    "reported-wait": Kind("for", "the dump reports a wait that Go may have dated back: it may be seconds"),
    "pile-up": Kind("for", "several are blocked at one place; there is only one snapshot to tell by"),
    "majority": Kind("for", "they are more than half of the goroutines of the process"),
    "baseline": Kind("for", "there are far more of them than in the healthy baseline"),
    "steady-arrivals": Kind("for", "by their ages they arrived one after the other, at an even rate"),
    "uneven-arrivals": Kind("for", "by their ages they arrived one after the other, at an uneven rate"),
    "arrival-burst": Kind("neither", "by their ages they arrived at about the same time"),
    "head-at-work": Kind("against", "whoever has the lock, computes the answer or uses the pool may be at work"),
    "departures": Kind("against", "some of those seen before have left: the wait can end"),
    "turnover": Kind("against", "they come and go with the load"),
    "plateau": Kind("against", "their number stopped growing while the load went on"),
    "progress": Kind("against", "a good part of them woke up at least once"),
    "open-connections": Kind("against", "their number follows connections that are still open"),
    "client-connected": Kind("against", "they handle requests whose clients are still connected"),
    "shared-streams": Kind("against", "they handle streams that share a connection: their clients may be there"),
    "idle-connections": Kind("for", "idle connections, many more than calls were ever under way, and none was closed"),
    "beyond-a-pool": Kind("for", "idle connections, as many more for the same work, beyond what one transport keeps"),
    "idle-by-design": Kind("against", "the catalogue knows them as goroutines that wait by design"),
    "supervisor": Kind("against", "they wait for goroutines of their own that make progress"),
    "startup-goroutine": Kind("against", "started when the process began, it waits for what never ends"),
    "startup-pool": Kind("against", "they were started together when the process began: perhaps an idle pool"),
    "counts-only": Kind("against", "the format has no ids: only their number is known, not who stayed"),
    "other-run": Kind("neither", "how many were there in the run before the restart, or are since"),
    "same-lock": Kind("for", "several wait for the lock at one address"),
    "lock-holder": Kind("for", "the goroutine that holds the lock is known"),
    "no-lock-holder": Kind("for", "no goroutine that exists can hold the lock"),
    "wait-cycle": Kind("for", "they wait for one another in a cycle"),
    "locked-twice": Kind("for", "one goroutine locks a mutex that it holds"),
    "reader-writer-reader": Kind("for", "a reader waits for a writer that waits for that reader"),
    "parent-waits": Kind("for", "a goroutine waits for one that it started and that never ends"),
    "inferred-link": Kind("for", "who waits for whom follows from the shape of the stacks alone"),
    "process-cycle": Kind("for", "goroutines of several processes wait for one another in a cycle"),
    "waited-for": Kind("for", "goroutines of other processes wait for these and make no progress"),
    "peer-blocked": Kind("for", "the process that they call is blocked, and no deadline has ended their calls"),
    "unanswered": Kind("for", "calls to another process: none was answered, the earliest still wait, and more come"),
    "socket-pair": Kind("for", "both processes have the same connection"),
    "socket-full": Kind("for", "their connection is full, with the same bytes in several captures"),
    "service-pod": Kind("for", "one is connected to an address of the cluster behind which the other is"),
    "same-method": Kind("for", "one calls the method that the other handles"),
    "same-protocol": Kind("for", "one waits for an answer of the protocol that the other serves"),
    "counts-agree": Kind("for", "as many goroutines wait as are to answer"),
    "ages-agree": Kind("for", "the oldest call and the oldest handler have waited as long as each other"),
    "shared-words": Kind("for", "the code that calls is named after the other process"),
    "heap-steady-growth": Kind("for", "live memory grew three times or more, each past a collection, without slowing"),
    "heap-goes-on": Kind("for", "live memory grew in several steps, and in the last one under load too"),
    "heap-even-growth": Kind("for", "live memory grew in each of the few steps, no slower at the end"),
    "heap-retained": Kind("for", "all that was allocated there under load is still there after the load has stopped"),
    "heap-single-step": Kind("for", "live memory grew; that it goes on growing is not shown"),
    "heap-largest": Kind("for", "it holds a large part of the heap in the only profile"),
    "held-by": Kind("for", "a heap dump, or goref, shows what keeps it alive"),
    "held-growth": Kind("for", "heap dumps: the same holder keeps more in the later one"),
    "held-steady-growth": Kind("for", "heap dumps: the same holder keeps more in each of three or more"),
    "heap-owner": Kind("for", "a registration, a timer or a container retains it"),
    "heap-baseline": Kind("for", "the healthy baseline holds far less there"),
    "heap-pinned": Kind("for", "the goroutines of the finding keep this memory alive"),
    "finalizer-runs": Kind("for", "the goroutine that runs finalizers is busy in one of them"),
    "timer-runs": Kind("for", "timers that nobody stopped keep firing"),
    "heap-plateau": Kind("against", "live memory stopped growing while the load went on"),
    "heap-falls": Kind("against", "live memory fell again"),
    "heap-sampling-noise": Kind("against", "sampling, or a profile that lags behind, explains the growth"),
    "heap-like-baseline": Kind("against", "the healthy baseline holds about as much there"),
    "heap-with-goroutines": Kind("against", "goroutines grow in step with it and may retain it"),
    "off-heap-steady-growth": Kind("for", "memory outside of Go's heap grew three times or more, without slowing"),
    "off-heap-single-step": Kind("for", "memory outside of Go's heap grew; that it goes on growing is not shown"),
    "off-heap-plateau": Kind("against", "memory outside of Go's heap stopped growing while the load went on"),
    "off-heap-falls": Kind("against", "memory outside of Go's heap fell again"),
    "off-heap-reserved": Kind("against", "the address space was reserved before: an arena that fills"),
    "memory-headroom": Kind("against", "resident memory grew by dead objects that wait for the next collection"),
    "memory-idle": Kind("against", "resident memory grew by free heap that Go keeps for reuse"),
    "metric-growth": Kind("for", "a metric of the process keeps growing; no capture shows what"),
    "metric-plateau": Kind("against", "a metric of the process grew and stopped growing"),
    "metric-fall": Kind("against", "a metric of the process grew and fell again"),
    "metric-follows-requests": Kind("against", "a metric of the process grew as the requests did"),
    "metric-stops-with-work": Kind("for", "a metric of the process grew, and stopped only when the work did"),
    "follows-work": Kind("for", "growth follows a counter unit by unit, beyond what time explains"),
    "log-lines": Kind("neither", "lines of a log name its code, or were written while it grew"),
    "cause-in-source": Kind("for", "the source shows why nothing can unblock them"),
    "never-removed": Kind("for", "the source shows that nothing takes it out again, and nothing bounds it"),
    "bounded": Kind("against", "the source shows a bound on how much is kept"),
    "ends-by-itself": Kind("against", "the source shows a timer or a deadline that ends the wait"),
    "known-bug": Kind("for", "the running version has an upstream bug with this call stack"),
    "proven-by-test": Kind("for", "a test of this code fails without the drafted fix and passes with it, every time"),
})  # fmt: skip

# The order in which a reader needs them, the most decisive first: what proves it; who holds the lock, and why in the
# source; that it grows and stays; that it lasts; that there are many; what is beside it; and, last, what speaks against
# it.
BY_DECISIVENESS: tuple[EvidenceKind, ...] = (
    "leak-profile", "reproduced", "heap-reproduced", "proven-by-test", "goleak", "never-wakes",
    "process-cycle", "waited-for", "peer-blocked",
    "socket-pair", "socket-full", "service-pod", "same-method", "same-protocol", "counts-agree", "ages-agree",
    "shared-words",
    "wait-cycle", "locked-twice", "reader-writer-reader", "no-lock-holder", "lock-holder", "parent-waits",
    "cause-in-source", "never-removed", "known-bug", "inferred-link", "finalizer-runs", "timer-runs",
    "steady-growth", "growth-at-constant-load", "single-step", "outlives-load", "not-reused",
    "mid-operation", "orphaned", "never-woken", "evenly-started", "clients-left", "never-drops", "queue-growth",
    "unanswered", "idle-connections", "beyond-a-pool",
    "baseline",
    "heap-steady-growth", "heap-even-growth", "heap-goes-on", "heap-single-step", "heap-retained", "heap-baseline",
    "held-by",
    "held-steady-growth", "held-growth", "heap-largest", "heap-owner", "off-heap-steady-growth",
    "off-heap-single-step", "metric-growth",
    "metric-stops-with-work", "follows-work", "log-lines",
    "same-goroutines", "whole-process", "stuck", "pool-unused", "nobody-at-work", "reported-wait", "steady-arrivals",
    "uneven-arrivals", "same-lock", "majority", "pile-up",
    "nil-stop-channel", "heap-pinned", "arrival-burst", "other-run",
    "bounded", "ends-by-itself", "level-under-load", "heap-level-under-load", "may-end", "may-fill",
    "idle-by-design", "supervisor", "startup-goroutine", "startup-pool", "progress", "departures",
    "head-at-work", "turnover", "plateau", "open-connections", "client-connected", "shared-streams",
    "heap-with-goroutines", "heap-like-baseline", "heap-sampling-noise", "heap-plateau", "heap-falls",
    "off-heap-plateau", "off-heap-falls", "off-heap-reserved",
    "memory-headroom", "memory-idle", "metric-plateau", "metric-fall", "metric-follows-requests", "counts-only",
)  # fmt: skip


class Kinds(frozenset[EvidenceKind]):
    """The kinds of evidence that a suspect has. Asked by methods, since mypy lets any text be compared with a set."""

    __slots__ = ()

    def has(self, *wanted: EvidenceKind) -> bool:
        """Tell whether there is evidence of all these kinds."""
        return self.issuperset(wanted)

    def any(self, *wanted: EvidenceKind) -> bool:
        """Tell whether there is evidence of one of these kinds."""
        return not self.isdisjoint(wanted)


# What weakens an accusation; none of it alone clears anybody.
AGAINST: frozenset[EvidenceKind] = frozenset(kind for kind, one in EVIDENCE.items() if one.weighs == "against")

Mechanism = Literal[
    "abandoned-sender", "abandoned-receiver", "double-send", "unstopped-worker", "detached-wait", "lock-cycle",
    "double-lock", "lock-held-while-waiting", "waitgroup-never-done", "lost-signal", "nil-channel", "missing-deadline",
    "peer-stopped-reading", "unclosed-body", "exhausted-pool", "unbounded-spawn", "timer-loop",
    "accumulating-registration", "growing-container", "held-by-goroutine", "unstopped-timer", "substring-pin",
    "finalizer-backlog", "off-heap",
    "growing-goroutines", "growing-memory",
    "warm-up", "gc-headroom", "not-returned-to-os", "idle-pool", "burst", "traffic", "benign",
]  # fmt: skip

MECHANISMS: Mapping[Mechanism, str] = MappingProxyType({
    "abandoned-sender": "blocked sending on a channel whose receiver is gone",
    "abandoned-receiver": "blocked receiving on a channel that nobody sends on or closes any more",
    "double-send": "a second send on a channel whose only receiver took the first",
    "unstopped-worker": "a goroutine that nobody tells to stop",
    "detached-wait": "a wait that no context or deadline of its caller ends",
    "lock-cycle": "goroutines that wait for one another's locks",
    "double-lock": "one goroutine locks what it holds already",
    "lock-held-while-waiting": "a lock is held by a goroutine that waits for something else",
    "waitgroup-never-done": "a WaitGroup whose counter never returns to zero",
    "lost-signal": "a condition variable that nobody signals any more",
    "nil-channel": "a send or receive on a nil channel",
    "missing-deadline": "I/O without a deadline to a peer that does not answer",
    "peer-stopped-reading": "a write to a peer that no longer reads",
    "unclosed-body": "a response body, or another resource, that is never closed",
    "exhausted-pool": "a wait for a connection or slot of a pool from which those taken are not given back",
    "unbounded-spawn": "goroutines are created faster than they end",
    "timer-loop": "a loop over a ticker or timer that nothing stops",
    "accumulating-registration": "something is registered again and again and never unregistered",
    "growing-container": "a container that only grows",
    "held-by-goroutine": "memory retained by a goroutine that never ends",
    "unstopped-timer": "timers that nobody stops retain what they refer to",
    "substring-pin": "a small part that retains a large text or buffer",
    "finalizer-backlog": "a blocked or slow finalizer holds up all others",
    "off-heap": "memory outside of Go's heap grows",
    "growing-goroutines": "metrics show ever more goroutines; no capture shows which",
    "growing-memory": "metrics show ever more memory; no capture shows whose",
    "warm-up": "it grew and then stayed level",
    "gc-headroom": "dead memory that waits for the next collection",
    "not-returned-to-os": "free memory that Go keeps for reuse",
    "idle-pool": "kept for the next use",
    "burst": "it came and went",
    "traffic": "it follows the load",
    "benign": "waits by design",
})  # fmt: skip

# What a suspect is when it is no leak; judge.py lists it as explained.
HARMLESS: frozenset[Mechanism] = frozenset(
    {"warm-up", "gc-headroom", "not-returned-to-os", "idle-pool", "burst", "traffic", "benign"}
)

# What each kind of evidence against a leak makes of a suspect, in this order; whether it does, judge.py decides.
CLEARS: Mapping[EvidenceKind, Mechanism] = MappingProxyType({
    "turnover": "traffic", "open-connections": "traffic", "level-under-load": "warm-up",
    "idle-by-design": "idle-pool", "plateau": "warm-up", "supervisor": "idle-pool", "startup-goroutine": "idle-pool",
    "heap-level-under-load": "warm-up",
    "heap-plateau": "warm-up", "heap-falls": "burst", "heap-like-baseline": "warm-up",
    "off-heap-falls": "burst", "off-heap-plateau": "warm-up", "off-heap-reserved": "warm-up",
    "metric-plateau": "warm-up", "metric-fall": "burst", "metric-follows-requests": "traffic",
})  # fmt: skip

WaitKind = Literal["never", "hard", "soft", "resting", "working", "unknown"]

WAIT_KINDS: Mapping[WaitKind, str] = MappingProxyType({
    "working": "it runs, or the runtime is busy with it",
    "resting": "where goroutines wait that are meant to live long",
    "unknown": "the capture does not say what it waits for",
    "soft": "an idle worker waits so for its next job, and so does a forgotten goroutine",
    "hard": "abnormal to last: somebody else is expected soon",
    "never": "nothing can unblock it",
})  # fmt: skip
# From what says least about a leak to what says most.
WAIT_ORDER: tuple[WaitKind, ...] = tuple(WAIT_KINDS)
# A goroutine may rest in these for days.
AT_REST: frozenset[WaitKind] = frozenset({"soft", "resting", "unknown"})
# Nobody designs a program so that these last.
ABNORMAL: frozenset[WaitKind] = frozenset({"hard", "never"})

# The states of Go's dumps that rules name; Go prints others, too.
WaitState = Literal[
    "chan send", "chan receive", "chan send (nil chan)", "chan receive (nil chan)", "select", "select (no cases)",
    "semacquire", "sync.Mutex.Lock", "sync.RWMutex.Lock", "sync.RWMutex.RLock", "sync.WaitGroup.Wait", "sync.Cond.Wait",
    "IO wait", "sleep", "syscall", "coroutine", "running", "runnable", "copystack", "preempted", "idle", "dead",
]  # fmt: skip

NIL_CHANNEL_STATES: frozenset[WaitState] = frozenset({"chan send (nil chan)", "chan receive (nil chan)"})
LOCK_STATES: frozenset[WaitState] = frozenset(
    {"semacquire", "sync.Mutex.Lock", "sync.RWMutex.Lock", "sync.RWMutex.RLock"}
)
HARD_STATES: frozenset[WaitState] = LOCK_STATES | {"chan send", "sync.WaitGroup.Wait"}
SOFT_STATES: frozenset[WaitState] = frozenset({"chan receive"})
# `select {}` is written by who means to wait for ever.
RESTING_STATES: frozenset[WaitState] = frozenset({"select", "select (no cases)", "IO wait", "sync.Cond.Wait", "sleep"})
# States in which a goroutine may wait for hours and hold no lock; in a Cond it has released its own.
LOCK_FREE_STATES: frozenset[WaitState] = SOFT_STATES | RESTING_STATES - {"sync.Cond.Wait"} | {"syscall", "coroutine"}
# It runs, or is about to.
RUNNING_STATES: frozenset[WaitState] = frozenset({"running", "runnable", "copystack", "preempted"})
# They have no age by nature: a dump prints how long a goroutine waits, and these do not.
AGELESS_STATES: frozenset[WaitState] = RUNNING_STATES | {"syscall", "idle", "dead"}

SiteRole = Literal["blocked", "created", "allocated", "registered", "driver", "released", "keeps"]

SITE_ROLES: Mapping[SiteRole, str] = MappingProxyType({
    "blocked": "goroutines wait here",
    "created": "they were started here",
    "allocated": "memory was allocated here",
    "keeps": "this variable, or these goroutines, keep the memory",
    "registered": "it was registered here",
    "driver": "what runs again and again and leads to it",
    "released": "it should have been released here",
})  # fmt: skip

CauseRole = Literal[
    # Channels.
    "made", "never-made", "select", "sent", "sent-twice", "never-sent", "received", "never-received",
    "closed", "never-closed", "left",
    # Goroutines and what starts and stops them.
    "started", "spawned", "bounded-by", "stopped", "stopped-without-draining", "never-stopped", "never-cancelled",
    "driver", "armed",
    # Locks.
    "locked", "locked-first", "locked-second", "locked-again", "held", "never-unlocked",
    # WaitGroup, Cond, waits.
    "added", "done", "never-done", "panics", "signalled", "never-signalled", "never-woken", "waits",
    "never-interrupted",
    # Network and other resources.
    "no-deadline", "never-timed-out", "acquired", "never-released", "never-unmapped",
    # What grows.
    "registered", "registered-too-early", "registered-again", "never-removed", "stored", "key", "cut", "chained",
    "deferred", "loop",
]  # fmt: skip

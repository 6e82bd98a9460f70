"""Evidence -> confidence and verdict: the only place where trust is decided. One page.

Comes in: suspects with their evidence. Goes out: findings, worst first, and what was found harmless. Words, not
percentages: `proven` needs Go's own proof, its heap dumps beside the source, or an experiment, `likely` needs two
independent reasons or one that nobody can explain away, everything else is `possible`, and what is explained is none.
"""

from collections.abc import Iterable, Mapping
from hashlib import blake2b

from msgspec.structs import replace

from oakum.model import Confidence, Explained, Finding, Memory, Site, Suspect, Text, Verdict, normal_function
from oakum.model.diagnosis import Argument
from oakum.model.vocabulary import AT_REST, CLEARS, HARMLESS, EvidenceKind, Kinds, Mechanism, WaitKind

# It grows and nobody exits; it is still there after the load; the baseline has none of it.
_GROWS: frozenset[EvidenceKind] = frozenset({"reproduced", "steady-growth", "outlives-load", "baseline"})
# Locks that their own words prove to be taken in a cycle, or twice by one goroutine.
_DEADLOCK: frozenset[EvidenceKind] = frozenset({"wait-cycle", "locked-twice", "reader-writer-reader"})
# What an idle pool shows in one snapshot.
_POOL: frozenset[EvidenceKind] = frozenset(
    {
        "pile-up",
        "majority",
        "startup-pool",
        "reported-wait",
        "progress",
        "counts-only",
        "departures",
        "steady-arrivals",
        "uneven-arrivals",
        "arrival-burst",
    }
)
_GREW: frozenset[EvidenceKind] = _GROWS | {
    "single-step", "heap-reproduced", "heap-steady-growth", "heap-single-step", "heap-baseline",
    "off-heap-steady-growth",
}  # fmt: skip
# Many of them, or for long: with a stack that upstream knows, and a version that has the bug, no coincidence.
_PILED: Mapping[WaitKind | None, frozenset[EvidenceKind]] = {
    "hard": frozenset({"pile-up", "majority", "reported-wait", "stuck"}),
    "unknown": frozenset({"majority"}),
}
# Sampling, the baseline, leaked goroutines, or a bound that the source sets explain the memory.
_EXPLAINED_AWAY: frozenset[EvidenceKind] = frozenset(
    {"heap-sampling-noise", "heap-like-baseline", "heap-with-goroutines", "bounded"}
)
# Of mere suspicions a send or a lock says more than a receive, and that more than a select.
_SAYS: Mapping[WaitKind | None, int] = {"never": 4, "hard": 3, "soft": 2}
# Growth that did not happen once: it went on, and nothing of it was freed.
_GOES_ON: frozenset[EvidenceKind] = frozenset({"never-removed", "heap-even-growth", "heap-goes-on", "heap-retained"})
# How many suspicions a person reads.
_MOST = 5
# What else would leave as many as the work of an experiment did; and what shows that it is not that.
_LOOKS_ALIKE: frozenset[EvidenceKind] = frozenset({"may-end", "may-fill", "ends-by-itself"})
_KEPT: frozenset[EvidenceKind] = frozenset({"cause-in-source", "never-removed", "known-bug", "proven-by-test"})
# So many goroutines in one abnormal wait are no coincidence of one snapshot.
_SEVERAL = 3
# No queue that moves gets so long and is most of its process: a server refuses work long before.
_THOUSAND = 1000
# A container that nobody named has to be this part of the growth: caches that fill beside a leak are less.
_PART = 1 / 7
_MOST_OF_IT = 0.5
# Of the goroutines of a process: so many are not beside what it does.
_GOOD_PART = 1 / 3


def confidence(suspect: Suspect) -> Confidence:
    """Return how sure the evidence makes us that this is a leak."""
    kinds = suspect.kinds
    if kinds.has("leak-profile"):  # Go's own collector
        return "proven"
    # An experiment, with its interval, where nothing else would leave as many.
    if kinds.has("reproduced") or (kinds.has("heap-reproduced") and not _explained_away(kinds)):
        if not kinds & _LOOKS_ALIKE or kinds & _KEPT:
            return "proven"
        return "possible" if kinds.has("may-fill", "progress") else "likely"  # a few that are used again: a pool
    # Who keeps it is seen, it grows with the work, and nothing in the source takes it out.
    held = kinds.any("held-growth", "held-steady-growth") and not _explained_away(kinds)
    if held and kinds.has("never-removed", "heap-steady-growth"):
        return "proven"
    # The processes, looked at together, leave nobody who could answer.
    likely = kinds.any("process-cycle", "peer-blocked", "goleak") or _likely(suspect)
    if kinds.has("proven-by-test"):  # the code leaks in the way that the fix mends; the captures say that it happens
        return "proven" if likely else "likely"
    return "likely" if likely else "possible"


def _likely(suspect: Suspect) -> bool:
    kinds, wait = suspect.kinds, suspect.wait
    if kinds.has("progress") and not kinds.has("known-bug", "steady-growth", "outlives-load"):
        return False  # its waits restart: a pool, a queue that moves, a connection that is used, a ticker
    # By the source a timer or a deadline ends each: many come and go, unless some are there for longer than a minute.
    if kinds.has("ends-by-itself") and not kinds.any("reported-wait", "stuck", "known-bug"):
        return False
    if wait == "never":  # a library that is never to stop waits so, too, once and for all
        return any(kind not in ("nil-stop-channel", "stuck", "reported-wait") for kind in kinds)
    if kinds.has("known-bug") and not kinds & _EXPLAINED_AWAY and kinds & (_GREW | _PILED.get(wait, frozenset())):
        return True
    if kinds.has("queue-growth"):
        return kinds.any("reported-wait", "stuck")
    if wait is None:
        return _likely_memory(suspect)
    if kinds.has("majority") and suspect.blocked >= _THOUSAND and wait in ("hard", "unknown"):
        return True
    return _likely_hard(suspect) if wait == "hard" else _likely_at_rest(suspect)


def _state(suspect: Suspect) -> str | None:
    """Return the state that the root is in, as its dump prints it."""
    return suspect.traces[0].state if suspect.traces else None


def _likely_hard(suspect: Suspect) -> bool:
    """Tell whether goroutines in a wait that is abnormal to last are likely leaked."""
    kinds = suspect.kinds
    # They have not moved, and neither has anybody who waits for their answer.
    if kinds.has("waited-for") and not kinds.any("departures", "head-at-work", "queue-growth"):
        return True
    if kinds & _DEADLOCK or kinds.has("stuck"):
        return True
    if kinds.has("same-goroutines", "lock-holder") or kinds.has("majority", "cause-in-source"):
        return True
    if kinds.has("never-woken", "evenly-started"):
        return True
    # No queue moves while nobody works or uses the pool; several of them did not just meet there.
    if kinds.any("nobody-at-work", "pool-unused") and (kinds & _GROWS or suspect.blocked >= _SEVERAL):
        return True
    if kinds.any("counts-only", "client-connected"):  # who waits now may be another, or its client only be patient
        grew = kinds.has("majority") and kinds.any("steady-growth", "single-step")
        grew = grew or (kinds.has("never-drops") and not kinds.has("client-connected"))
        grew = grew and not kinds.has("head-at-work")
        # Clients that stay and read no more: ever more of them, and after the load, too.
        grew = grew or kinds.has("client-connected", "steady-growth", "outlives-load", "reported-wait")
        return grew or (kinds.has("cause-in-source") and bool(kinds & _GROWS))
    # One may be dated back to a collection before it began; several of one dump are no coincidence.
    several = kinds.has("pile-up") and suspect.blocked >= _SEVERAL and not kinds.has("head-at-work")
    if kinds.has("reported-wait") and (several or kinds.any("single-step", "majority")):
        return True
    # Who can leave is in a queue that moves; and behind a holder that sleeps, all move when it wakes.
    moves = kinds.any("departures", "head-at-work") or (kinds.has("lock-holder") and _state(suspect) == "sleep")
    return kinds.has("baseline") or (bool(kinds & _GROWS) and not moves)


def _likely_at_rest(suspect: Suspect) -> bool:
    """Tell whether goroutines that wait as idle ones do are likely leaked."""
    kinds = suspect.kinds
    if kinds.has("baseline", "reported-wait") or kinds.has("whole-process"):
        return True
    if kinds.has("clients-left") and suspect.blocked >= _SEVERAL:  # whom they serve is gone
        return True
    grew = kinds & _GROWS or kinds.has("never-drops") or kinds.has("stuck", "single-step")
    if kinds.has("cause-in-source") and grew:  # nothing can unblock it
        return True
    # One call after the other, and none is answered; who handles one in a select may still answer it, as a poll.
    grows = kinds.any("steady-growth", "never-drops", "stuck") and _state(suspect) != "select"
    if kinds.has("waited-for") and (grows or kinds.has("unanswered")):
        return True
    if kinds.has("beyond-a-pool") and kinds.any("steady-growth", "never-drops"):  # no one pool, and ever more
        return True
    if kinds.has("counts-only"):  # who waits now may be another
        return kinds.has("never-drops", "mid-operation") or kinds.has("not-reused", "steady-growth")
    # A request or a call ends with the load, and does not pile up while nobody leaves: a pool at rest is in neither.
    if kinds.has("mid-operation") and not kinds.any("open-connections", "plateau"):
        piles_up = kinds.any("steady-growth", "never-drops") or (kinds.has("stuck") and suspect.blocked >= _SEVERAL)
        if kinds.has("outlives-load") or (piles_up and not kinds.has("departures")):
            return True
    # Nobody uses them, and more come all the same; one dump shows it of what is a good part of the process. That some
    # were answered and have left does not end the wait of those who were not.
    in_use = kinds.any("open-connections", "shared-streams", "idle-connections", "startup-pool")
    if kinds.has("never-woken") and not in_use:
        even = kinds.has("evenly-started") and (suspect.weight >= _GOOD_PART or kinds.has("mid-operation"))
        if kinds.has("steady-growth") or even:
            return True
    # What a request started and left behind has nobody who would end it.
    if kinds.has("orphaned") and not kinds.any("departures", "shared-streams", "idle-connections"):
        return kinds.any("steady-growth", "outlives-load", "steady-arrivals")
    # An idle pool grows with the load too: only what outlives it, grows without more of it, or is not reused, does not.
    return kinds.has("steady-growth") and kinds.any("outlives-load", "not-reused")


def _likely_memory(suspect: Suspect) -> bool:
    kinds = suspect.kinds
    if _explained_away(kinds):
        return False
    if suspect.mechanisms[0] == "growing-container" and suspect.weight < _PART and not kinds.has("never-removed"):
        return False
    if kinds.any("heap-owner", "held-by", "never-removed") and kinds.any("heap-steady-growth", "heap-baseline"):
        return True
    # The same holder keeps more: a cache may do so while it fills, what is registered or waits may not.
    if kinds.has("held-steady-growth"):
        return True
    if kinds.has("held-growth") and (suspect.mechanisms[0] != "growing-container" or kinds & _GOES_ON):
        return True
    # Small pieces keep large buffers: no cache is meant to, however many it holds.
    if kinds.has("cause-in-source") and kinds & _GREW:
        return True
    # What is registered, or waits for a timer or a finalizer, names who should let go: no cache fills up like that.
    if kinds.has("heap-owner", "heap-even-growth") and suspect.mechanisms[0] != "growing-container":
        return True
    # As much for each unit of work, nothing of it ever freed, and most of what the process gained.
    if kinds.has("heap-owner", "heap-retained") and suspect.weight >= _MOST_OF_IT:
        return True
    # Nothing in the code takes it out, and it goes on with the work.
    if kinds.has("never-removed") and kinds.any("heap-even-growth", "heap-goes-on"):
        return True
    return kinds.has("off-heap-steady-growth")


def _explained_away(kinds: Kinds) -> bool:
    """Tell whether something else explains the memory."""
    away = kinds & _EXPLAINED_AWAY
    if kinds.has("never-removed"):  # the source names what keeps it: not the goroutines that grow beside it
        away -= {"heap-with-goroutines"}
    return bool(away)


def edge_confidence(kinds: Kinds) -> Confidence:
    """Return how sure it is that goroutines of one process wait for those of another.

    A connection that both have names the process, a method the handler: together they leave nothing open. Either alone
    may be of another call, and a Service may have led to another pod; that both speak one protocol, and as many wait as
    answer, is no more than possible.
    """
    if kinds.has("socket-pair") and kinds.any("same-method", "socket-full"):
        return "proven"
    return "likely" if kinds.any("socket-pair", "same-method", "service-pod") else "possible"


def cleared(kinds: Kinds, wait: WaitKind, misplaced: bool) -> Mechanism | None:
    """Return what goroutines with this evidence are when they are no leak; None when nothing clears them.

    A wait that nothing can end is never cleared. No pool is full in a hard wait, inside of a request that outlives the
    load, or where goroutines of its kind are only when they leak (`misplaced`): that it grows no further clears none.
    """
    if kinds.any("never-wakes", "nil-stop-channel", "leak-profile", "goleak"):
        return None
    if kinds.has("reproduced"):  # what is kept for the next use may be kept for longer than an experiment drains
        return CLEARS["idle-by-design"] if kinds.has("idle-by-design") else None
    if kinds.has("clients-left"):  # whom they serve is gone, however many others came and went
        return None
    if kinds.has("unanswered"):  # a client that stays connected to who asks does not mean that it is answered
        return None
    inside = kinds.has("mid-operation", "outlives-load")
    never_full = (wait == "hard" or misplaced or inside) and not kinds.has("progress")
    full = ("plateau", "level-under-load")
    clears = (kind for kind in CLEARS if kinds.has(kind) and not (kind in full and never_full))
    return next((CLEARS[kind] for kind in clears), None)


def judge(suspects: Iterable[Suspect]) -> tuple[tuple[Finding, ...], tuple[Explained, ...]]:
    """Return the findings, worst first, and what was looked at and is harmless."""
    findings: list[Finding] = []
    explained: list[Explained] = []
    for suspect in suspects:
        mechanism = suspect.mechanisms[0]
        if mechanism in HARMLESS:
            reason = suspect.evidence[0].claim
            explained.append(Explained(mechanism, reason, suspect.sites[:2]))
        else:
            findings.append(_finding(suspect, mechanism))
    if any(found.suspect.kinds & _GREW for found in findings):  # beside what grows, a pool at rest is not why
        findings = [found for found in findings if not _only_rests(found.suspect)]
    findings.sort(key=_order)
    sure = [found for found in findings if found.confidence != "possible"]
    rest = findings[len(sure) :]
    if sure:  # beside a leak, what rests and has stopped growing is not worth a word
        rest = [found for found in rest if not found.suspect.kinds.has("plateau")]
    findings = [*sure, *rest[:_MOST]]
    return tuple(found.ranked(at) for at, found in enumerate(findings, 1)), tuple(explained)


def judge_again(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings whose evidence has changed, worst first."""
    judged = [replace(found, confidence=confidence(found.suspect)) for found in findings]
    return tuple(found.ranked(at) for at, found in enumerate(sorted(judged, key=_order), 1))


def _only_rests(suspect: Suspect) -> bool:
    """Tell whether nothing is known but that several rest at one place."""
    return suspect.wait in AT_REST and not suspect.kinds - _POOL


def _order(finding: Finding) -> tuple[float, ...]:
    """Worst first: the surest, then what holds most; who waits for a peer comes after what may be its cause."""
    suspect = finding.suspect
    sure = ("proven", "likely", "possible").index(finding.confidence)
    says = _SAYS.get(suspect.wait, 1) if sure == 2 else 0
    if suspect.kinds.any("progress", "startup-pool") and suspect.wait != "hard":
        says = 0
    waits_for_a_peer = (finding.mechanism == "missing-deadline" and suspect.wait == "resting") + suspect.kinds.has(
        "peer-blocked"
    )
    return sure, -says, waits_for_a_peer, -suspect.weight


def _finding(suspect: Suspect, mechanism: Mechanism) -> Finding:
    site = suspect.sites[0]
    args: dict[str, Argument] = {
        "function": site.frame.function,
        "file": site.frame.file,
        "line": site.frame.line,
        # Those in that function: others of the finding may be blocked elsewhere, or in another process.
        "count": sum(one.count or 0 for one in suspect.sites if one.role == "blocked" and _together(one, site)),
    }
    return Finding(
        _identity(suspect),
        0,
        mechanism,
        confidence(suspect),
        Text(f"title.{mechanism}", args),
        suspect,
    )


def _together(one: Site, other: Site) -> bool:
    return (one.process, one.frame.function) == (other.process, other.frame.function)


def _identity(suspect: Suspect) -> str:
    """Return a name that survives rebuilds, restarts and other hosts: the functions, not lines or numbers."""
    names = [f"{site.role} {normal_function(site.frame.function)}" for site in suspect.sites[:2]]
    return blake2b("\n".join(names).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def reconcile(memories: Iterable[Memory], findings: Iterable[Finding]) -> tuple[Memory, ...]:
    """Return the memory of each process without "this is not a heap leak" where a heap leak was found in it."""
    of_heap = {
        found.suspect.sites[0].process
        for found in findings
        if found.suspect.wait is None and found.mechanism != "off-heap" and found.confidence != "possible"
    }
    return tuple(_with_heap_leak(one) if one.process in of_heap else one for one in memories)


def _with_heap_leak(memory: Memory) -> Memory:
    return replace(memory, says=tuple(one for one in memory.says if not one.key.startswith("memory.not-heap")))


def verdict(findings: Iterable[Finding], *, compared: bool, unplaced: bool = False) -> Verdict:
    """Return the verdict; `compared` tells whether there was a second snapshot or a baseline to see growth by.

    `unplaced`: an experiment left memory, and a sampled profile does not show where.
    """
    grades = {finding.confidence for finding in findings}
    if grades & {"proven", "likely"}:
        return "leaking"
    return "undecided" if grades or unplaced or not compared else "healthy"

"""Evidence -> confidence and verdict: the only place where trust is decided. One page.

Comes in: suspects with their evidence. Goes out: findings, worst first, and what was found harmless. Words, not
percentages: `proven` needs Go's own proof, `likely` needs two independent reasons or one that nobody can explain away,
everything else is `possible`, and what is explained is no finding.
"""

from collections.abc import Iterable
from hashlib import blake2b

from oakum.model import Confidence, Explained, Finding, Site, Suspect, Text, Verdict, normal_function
from oakum.model.diagnosis import Argument

HARMLESS = frozenset({"warm-up", "gc-headroom", "not-returned-to-os", "idle-pool", "burst", "traffic"})

# It grows while who came stays; it is still there when the load has gone; a healthy twin has none of it.
_GROWS = frozenset({"gains", "outlives-load", "twin"})

# Locks that their own words prove to be taken in a circle, or twice by one goroutine.
_DEADLOCK = frozenset({"cycle", "locked-twice", "reader-writer-reader"})
# What a crew at rest shows in one moment.
_STANDS = frozenset({"crowd", "most", "crew", "waits", "alive", "counts-only", "arrivals", "arrivals-uneven", "burst"})
_GREW = _GROWS | {"ramp", "heap-rises", "heap-ramp", "heap-twin", "off-heap-rises"}
# Many of them, or for long: with a stack that upstream knows, and a version that has the bug, no coincidence.
_PILED = {"hard": frozenset({"crowd", "most", "waits", "stuck"}), "unknown": frozenset({"most"})}
# Sampling, the twin, leaked goroutines, or a bound that the source sets explain the memory.
_EXPLAINED_AWAY = frozenset({"heap-wobbles", "heap-like-twin", "heap-beside", "bounded"})
# How many suspicions a person reads.
_MOST = 5


def confidence(suspect: Suspect) -> Confidence:
    """Return how sure the evidence makes us that this is a leak."""
    kinds, wait = suspect.kinds, suspect.wait
    if "leak-profile" in kinds:  # Go's own collector lists nothing that could go on
        return "proven"
    if "goleak" in kinds:
        return "likely"
    if "alive" in kinds and not {"known", "gains", "outlives-load"} <= kinds:
        return "possible"  # its waits restart: a pool, a ticker, a queue that moves
    if wait == "never":  # a library that is never to stop waits so, too, once and for all
        return "likely" if kinds - {"nil-stop", "stuck", "waits"} else "possible"
    if "known" in kinds and not kinds & _EXPLAINED_AWAY and kinds & (_GREW | _PILED.get(wait, frozenset())):
        return "likely"
    if "queue-grows" in kinds:
        return "likely" if kinds & {"waits", "stuck"} else "possible"
    if wait == "hard":
        if kinds & (_DEADLOCK | {"stuck"}) or {"remains", "holder"} <= kinds or {"most", "explained"} <= kinds:
            return "likely"
        if kinds & {"counts-only", "served"}:  # who waits now may be somebody else, or its client may only be patient
            shown = ("most" in kinds and kinds & {"gains", "ramp"}) or ("explained" in kinds and kinds & _GROWS)
            return "likely" if shown else "possible"
        return "likely" if kinds & _GROWS or ("waits" in kinds and kinds & {"ramp", "most"}) else "possible"
    if wait in ("soft", "resting", "unknown", "working"):
        if {"twin", "waits"} <= kinds:
            return "likely"
        if "explained" in kinds and (kinds & _GROWS or {"stuck", "ramp"} <= kinds):  # no way by which it goes on
            return "likely"
        # A crew at rest grows with the load too: only what outlives it, or grows without more of it, does not.
        lasts = "gains" in kinds and kinds & {"outlives-load", "steady"}
        return "likely" if lasts and not kinds & {"counts-only"} else "possible"
    if kinds & _EXPLAINED_AWAY:
        return "possible"
    if kinds & {"heap-shape", "kept"} and kinds & {"heap-rises", "heap-twin"}:
        return "likely"
    if {"kept", "heap-climbs"} <= kinds:  # nothing in the code takes it out, and it follows the work
        return "likely"
    return "likely" if "off-heap-rises" in kinds else "possible"


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
    if any(found.suspect.kinds & _GREW for found in findings):  # beside what grows, a crew that stands there is not why
        findings = [found for found in findings if not _only_stands(found.suspect)]
    findings.sort(key=_order)
    sure = [found for found in findings if found.confidence != "possible"]
    findings = [*sure, *findings[len(sure) : len(sure) + _MOST]]
    return tuple(found.ranked(at) for at, found in enumerate(findings, 1)), tuple(explained)


def _only_stands(suspect: Suspect) -> bool:
    """Tell whether nothing is known but that several rest at one place."""
    return suspect.wait in ("soft", "resting", "unknown") and not suspect.kinds - _STANDS


def _order(finding: Finding) -> tuple[float, ...]:
    """Worst first: the surest, then what holds most; who waits for another process comes after what may be its cause.

    Of mere suspicions a send or a lock says more than a receive, and that more than a select.
    """
    suspect = finding.suspect
    sure = ("proven", "likely", "possible").index(finding.confidence)
    says = {"never": 4, "hard": 3, "soft": 2}.get(suspect.wait, 1) if sure == 2 else 0
    if suspect.kinds & {"alive", "crew"} and suspect.wait != "hard":
        says = 0
    waits_for_a_peer = finding.mechanism == "missing-deadline" and suspect.wait == "resting"
    return sure, -says, waits_for_a_peer, -suspect.weight


def _finding(suspect: Suspect, mechanism: str) -> Finding:
    site = suspect.sites[0]
    args: dict[str, Argument] = {
        "function": site.frame.function,
        "file": site.frame.file,
        "line": site.frame.line,
        # Those in that function: others of the finding may stand elsewhere, or in another process.
        "count": sum(one.count or 0 for one in suspect.sites if one.role == "blocked" and _together(one, site)),
    }
    return Finding(
        _identity(suspect),
        0,
        mechanism,
        confidence(suspect),
        Text(f"title.{mechanism}", args),
        suspect,
        cause=suspect.cause,
        known=suspect.known,
        remedies=suspect.remedies,
        leads=suspect.leads,
    )


def _together(one: Site, other: Site) -> bool:
    return (one.process, one.frame.function) == (other.process, other.frame.function)


def _identity(suspect: Suspect) -> str:
    """Return a name that survives rebuilds, restarts and other hosts: the functions, not lines or numbers."""
    names = [f"{site.role} {normal_function(site.frame.function)}" for site in suspect.sites[:2]]
    return blake2b("\n".join(names).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def verdict(findings: Iterable[Finding], *, compared: bool) -> Verdict:
    """Return the verdict; `compared` tells whether there was a second moment or a twin to see growth by."""
    grades = {finding.confidence for finding in findings}
    if grades & {"proven", "likely"}:
        return "leaking"
    return "undecided" if grades or not compared else "healthy"


__all__ = ["HARMLESS", "confidence", "judge", "verdict"]

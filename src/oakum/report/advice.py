"""What to do about a finding and what to run next: its own, else what follows from its mechanism and its place."""

import re
import shlex
from collections.abc import Mapping, Sequence

from oakum.model import Evidence, Finding, Remedy, Text
from oakum.model.diagnosis import Diagnosis
from oakum.model.vocabulary import EvidenceKind
from oakum.report.words import WORDS

# What runs and can be asked again; files and stores of the past cannot.
_RUNS = ("http://", "https://", "https+insecure://", "unix://", "kube://", "pid:")
_ADDRESS_MOST = 500  # characters
_UNKNOWN = "http://HOST:PORT"


def remedies(finding: Finding) -> tuple[Remedy, ...]:
    """Return what to do, best first."""
    general = Text(f"mechanism.{finding.mechanism}.do")
    if finding.remedies or general.key not in WORDS:
        return finding.remedies
    return (Remedy("mitigate", general),)


def origins(diagnosis: Diagnosis) -> dict[str, str]:
    """Return where each capture came from, by its digest."""
    return {row.digest: row.origin for row in diagnosis.inputs if row.digest}


_SEVERAL: frozenset[EvidenceKind] = frozenset({"other-run", "follows-work", "log-lines"})


def elsewhere(diagnosis: Diagnosis, finding: Finding, evidence: Evidence) -> str:
    """Return the process that a claim is about, where that is not the one of which the finding is told; else ""."""
    rows = [row.process for row in diagnosis.moments if not row.baseline and evidence.capture in row.inputs]
    if not rows or finding.suspect.sites[0].process in rows or evidence.kind in _SEVERAL:
        return ""  # a range of metrics tells of several; a claim about two runs names both
    return next((row.name for row in diagnosis.processes if row.id == rows[0]), "")


def lock_in_source(finding: Finding, evidence: Evidence) -> str:
    """Return what the source calls the lock of the first claim about one, where the cause speaks of one lock alone.

    Captures tell the address and at most the type of what has it; of two locks nobody could say which is which.
    """
    names = {str(one.args["lock"]) for one in finding.cause.because if "lock" in one.args} if finding.cause else set()
    first = next((one for one in finding.suspect.evidence if "lock" in one.claim.args), None)
    return names.pop() if len(names) == 1 and evidence is first else ""


def target(diagnosis: Diagnosis, process: str) -> str:
    """Return what a process was captured from, to be asked again, as a shell takes it; "" when nothing tells.

    Without user and password, which no address that we write has, but one in a document that somebody sent may.
    """
    address = next((row.address for row in diagnosis.processes if row.id == process), "")
    if not address.startswith(_RUNS) or len(address) > _ADDRESS_MOST or not address.isprintable():
        return ""
    return shlex.quote(re.sub(r"(?<=://)[^/?#]*@", "", address))


def look_again(diagnosis: Diagnosis, process: str) -> str:
    """Return what captures a process again for some minutes and diagnoses that."""
    return f"oakum diagnose --snapshots 3 --every 1m {target(diagnosis, process) or _UNKNOWN}"


def list_command(finding: Finding, called: Sequence[str]) -> str:
    """Return what shows the source of a finding whole; "" when the evidence cannot be read a second time."""
    if not called or "-" in called or not (finding.cause or finding.leads):
        return ""
    words = [word for word in called if word != "--no-compile"]  # nothing is compiled to show source
    return shlex.join(("oakum", "list", "--finding", str(finding.rank), *words))


def commands(finding: Finding, origins: Mapping[str, str], called: Sequence[str] = ()) -> tuple[str, ...]:
    """Return what to run next: what shows the cause in the source, then what shows the place in the evidence."""
    shows = list_command(finding, called) if finding.cause else ""
    return (*((shows,) if shows else ()), *(finding.commands or _in_evidence(finding, origins)))


def _in_evidence(finding: Finding, origins: Mapping[str, str]) -> tuple[str, ...]:
    site = next(iter(finding.suspect.sites), None)
    origin = next((found for one in finding.suspect.evidence if (found := origins.get(one.capture))), None)
    if site is None or origin is None or origin == "-" or site.frame.function.startswith("("):
        return ()
    place = shlex.quote(re.escape(site.frame.function.rpartition("/")[2]))
    if site.role in ("blocked", "created"):
        return (f"oakum goroutines --stacks --focus {place} {shlex.quote(origin)}",)
    return (f"oakum peek {place} {shlex.quote(origin)}",)

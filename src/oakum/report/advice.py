"""What to do about a finding and what to run next: its own, else what follows from its mechanism and its place."""

import re
import shlex
from collections.abc import Mapping, Sequence

from oakum.model import Finding, Remedy, Text
from oakum.model.diagnosis import Diagnosis
from oakum.report.words import WORDS


def remedies(finding: Finding) -> tuple[Remedy, ...]:
    """Return what to do, best first."""
    general = Text(f"mechanism.{finding.mechanism}.do")
    if finding.remedies or general.key not in WORDS:
        return finding.remedies
    return (Remedy("mitigate", general),)


def origins(diagnosis: Diagnosis) -> dict[str, str]:
    """Return where each capture came from, by its digest."""
    return {row.digest: row.origin for row in diagnosis.inputs if row.digest}


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


__all__ = ["commands", "list_command", "origins", "remedies"]

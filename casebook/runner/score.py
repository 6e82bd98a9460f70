"""A diagnosis (oakum.diagnosis/1) against the truth: which places it found, what it accused wrongly.

One cause, one finding: a finding counts for the expected one whose place is its first site of that role; a second
finding of the same place, a victim told as a finding, or anything else above `possible` is a wrong accusation.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from casebook.runner.evidence import same
from casebook.runner.expectation import Expectation, Expected, Site
from oakum.model import Frame

Diagnosis = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Score:
    """How one diagnosis did."""

    leaking: bool  # what is true
    verdict: str  # what was said; "" without an answer
    found: bool = False
    first: bool = False
    mechanism: bool = False
    known: bool | None = None  # None: no upstream bug is known
    wrong: tuple[str, ...] = ()
    suspected: tuple[str, ...] = ()  # wrong too, but only `possible`

    @property
    def answered(self) -> bool:
        """Tell whether there was a diagnosis."""
        return bool(self.verdict)

    @property
    def accused(self) -> bool:
        """Tell whether something healthy was called leaking."""
        return not self.leaking and (self.verdict == "leaking" or bool(self.wrong))


def names_place(finding: Mapping[str, Any], expected: Expected) -> bool:
    """Tell whether a finding names the place: as the first of its sites in that role.

    A place in the standard library is everybody's: then another of the expected sites must be named beside it.
    """
    if "off-heap" in expected.mechanisms:  # no profile shows where; the process is the place
        return finding.get("mechanism") == "off-heap"
    place, *others = expected.sites
    # Those of a cycle wait for each other: none of them is more the root than the next.
    roots = (
        [site for site in expected.sites if site.role == "blocked"] if expected.mechanism == "lock-cycle" else [place]
    )
    sites = finding.get("sites", ())
    first = next((site for site in sites if site.get("role") == place.role), None)
    if first is None or not any(_is(first, root) for root in roots):
        return False
    shared = Frame(place.function).owner in ("stdlib", "runtime")
    return not (shared and others) or any(_is(site, other) for site in sites for other in others)


def _is(site: Mapping[str, Any], expected: Site) -> bool:
    frame = Frame(site.get("function", ""), site.get("file") or "", site.get("line") or 0)
    return same(frame, expected) and site.get("process", expected.process) in (expected.process, None)


def _knows(finding: Mapping[str, Any], expected: Expected) -> bool:
    wanted = expected.known
    return wanted is not None and any(
        row.get("id") == wanted.id and {*wanted.fixed} <= {*row.get("fixed", ())} for row in finding.get("known", ())
    )


def _name(finding: Mapping[str, Any]) -> str:
    sites = finding.get("sites") or [{}]
    return f"{finding.get('mechanism')} at {sites[0].get('function', '?')}:{sites[0].get('line', '?')}"


def score(diagnosis: Diagnosis | None, truth: Expectation) -> Score:
    """Return how a diagnosis, or none, compares with the truth."""
    leaking = truth.verdict == "leaking"
    known = [expected for expected in truth.findings if expected.known]
    if diagnosis is None:
        return Score(leaking, "", known=False if known else None)
    findings = sorted(diagnosis.get("findings", ()), key=lambda finding: finding.get("rank", 0))
    matched: dict[int, Mapping[str, Any]] = {}
    wrong, suspected = [], []
    for finding in findings:
        fits = [e.rank for e in truth.findings if e.rank not in matched and names_place(finding, e)]
        if fits:
            matched[fits[0]] = finding
        elif finding.get("confidence") == "possible":
            suspected.append(_name(finding))
        else:
            wrong.append(_name(finding))
    found = leaking and len(matched) == len(truth.findings)
    return Score(
        leaking,
        str(diagnosis.get("verdict", "")),
        found=found,
        first=leaking and bool(findings) and matched.get(1) is findings[0],
        mechanism=found and all(matched[e.rank].get("mechanism") in e.mechanisms for e in truth.findings),
        known=all(e.rank in matched and _knows(matched[e.rank], e) for e in known) if known else None,
        wrong=tuple(wrong),
        suspected=tuple(suspected),
    )


__all__ = ["Diagnosis", "Score", "names_place", "score"]

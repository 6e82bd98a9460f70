"""A diagnosis (oakum.diagnosis/1) against the truth: which places it found, what it accused wrongly.

One cause, one finding: a finding counts for the expected one whose place is its first site of that role; a second
finding of the same place, a victim told as a finding, or anything else above `possible` is a wrong accusation. What has
none of the three verdicts is no answer, and under the verdict `healthy` nothing was found. A cause counts by file and
line, whatever part it is said to play.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from casebook.runner.evidence import same
from casebook.runner.expectation import Expectation, Expected, Site
from oakum.model import Frame

Diagnosis = Mapping[str, Any]
VERDICTS = ("leaking", "healthy", "undecided")


@dataclass(frozen=True, slots=True)
class Explanation:
    """How the cause of one expected finding was explained."""

    finding: str
    said: bool  # False: nothing was explained, or the finding was not found
    named: tuple[Site, ...] = ()
    missing: tuple[Site, ...] = ()
    told: tuple[str, ...] = ()  # "made quotes/desk.go:38", whatever was said
    because: str = ""

    @property
    def wrong(self) -> bool:
        """Tell whether something was explained, and none of it is so."""
        return self.said and not self.named

    @property
    def complete(self) -> bool:
        """Tell whether every line was named."""
        return self.said and not self.missing


@dataclass(frozen=True, slots=True)
class Score:
    """How one diagnosis did."""

    leaking: bool  # what is true
    verdict: str  # what was said; "" without an answer
    found: bool = False
    detected: bool = False  # the verdict is `leaking`, and every place is named by a `likely` or `proven` finding
    first: bool = False
    mechanism: bool = False
    known: bool | None = None  # None: no upstream bug is known
    misnamed: tuple[str, ...] = ()  # upstream bugs that it is none of
    wrong: tuple[str, ...] = ()
    suspected: tuple[str, ...] = ()  # wrong too, but only `possible`
    explanations: tuple[Explanation, ...] = ()  # of each expected finding that has a cause

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

    A place in the standard library is everybody's: then another of the expected sites must be named beside it. One
    place may hold healthy goroutines of another creator: a creator that is named must be the right one.
    """
    if finding.get("mechanism") == "off-heap" and "off-heap" in expected.mechanisms:
        return True  # no profile shows where; the process is the place
    place, *others = expected.sites
    # Those of a cycle, and two peers that both write, wait for each other: none is more the root than the next.
    ring = expected.mechanism in ("lock-cycle", "peer-stopped-reading")
    roots = [site for site in expected.sites if site.role == "blocked"] if ring else [place]
    sites = finding.get("sites", ())
    first = next((site for site in sites if site.get("role") == place.role), None)
    if first is None or not any(_is(first, root) for root in roots):
        return False
    told = [site for site in sites if site.get("role") == "created"]
    creators = [site for site in expected.sites if site.role == "created"]
    if told and creators and not any(_is(site, creator) for site in told for creator in creators):
        return False
    shared = Frame(place.function).owner in ("stdlib", "runtime")
    return not (shared and others) or any(_is(site, other) for site in sites for other in others)


def _is(site: Mapping[str, Any], expected: Site) -> bool:
    frame = Frame(site.get("function", ""), site.get("file") or "", site.get("line") or 0)
    return (
        same(frame, expected)
        and (not expected.line or frame.line == expected.line)  # a place without its line is not found
        and (not expected.process or (site.get("process") or expected.process) == expected.process)
    )


def by_name(diagnosis: Diagnosis) -> list[dict[str, Any]]:
    """Return the findings, best first, with processes by name: a diagnosis numbers them and says their names once."""
    names = {row.get("id"): str(row.get("name", "")).rpartition("/")[2] for row in diagnosis.get("processes") or ()}
    return [
        {
            **finding,
            "sites": [
                {**site, "process": names.get(site.get("process"), site.get("process"))}
                for site in finding.get("sites") or ()
            ],
        }
        for finding in sorted(diagnosis.get("findings") or (), key=lambda finding: finding.get("rank", 0))
    ]


def _knows(finding: Mapping[str, Any], expected: Expected) -> bool:
    wanted = expected.known
    if wanted is None:
        return False
    return any(
        row.get("id") == wanted.id
        and row.get("where") == wanted.where
        and (row.get("found") or "") in ("", wanted.found)  # not every setting tells the version; a wrong one is wrong
        and {*wanted.fixed} <= {*row.get("fixed", ())}
        for row in finding.get("known") or ()
    )


def _misnamed(findings: Sequence[Mapping[str, Any]], truth: Expectation) -> list[str]:
    """Return the upstream bugs that were named and are none of the truth's; advice for every release is no bug."""
    true = {expected.known.id for expected in truth.findings if expected.known}
    named = [row for finding in findings for row in finding.get("known") or ()]
    return [
        str(row["id"])
        for row in named
        if row["id"] not in true and row.get("affects_build") != "no" and row.get("fault") != "usage"
    ]


def _explanation(finding: Mapping[str, Any] | None, expected: Expected) -> Explanation:
    name = f"{expected.mechanism} at {expected.place.function}"
    cause = finding.get("cause") if finding else None
    if not cause:
        return Explanation(name, said=False, missing=expected.beyond)
    sites = cause.get("sites") or ()
    named = tuple(wanted for wanted in expected.beyond if any(_names_line(site, wanted) for site in sites))
    told = tuple(
        f"{site.get('role')} {'/'.join(_parts(site.get('file') or '')[-2:])}:{site.get('line')}" for site in sites
    )
    missing = tuple(wanted for wanted in expected.beyond if wanted not in named)
    return Explanation(name, True, named, missing, told, cause.get("because") or "")


def _names_line(site: Mapping[str, Any], expected: Site) -> bool:
    parts, wanted = _parts(site.get("file") or ""), _parts(expected.file)
    return site.get("line") in (expected.line, *expected.also) and parts[-len(wanted) :] == wanted


def _parts(file: str) -> list[str]:
    """Return the parts of a path; a module is the same whatever its version, which vendor and -trimpath leave out."""
    return [part.partition("@")[0] for part in file.replace("\\", "/").split("/")]


def _name(finding: Mapping[str, Any]) -> str:
    sites = finding.get("sites") or [{}]
    return f"{finding.get('mechanism')} at {sites[0].get('function', '?')}:{sites[0].get('line', '?')}"


def matches(
    findings: Sequence[Mapping[str, Any]], truth: Expectation
) -> tuple[dict[int, Mapping[str, Any]], list[Mapping[str, Any]]]:
    """Return the findings by number of the expected one whose place they name, and all others."""
    matched: dict[int, Mapping[str, Any]] = {}
    others = []
    for finding in findings:
        fits = [at for at, e in enumerate(truth.findings) if at not in matched and names_place(finding, e)]
        if fits:
            matched[fits[0]] = finding
        else:
            others.append(finding)
    return matched, others


def score(diagnosis: Diagnosis | None, truth: Expectation) -> Score:
    """Return how a diagnosis, or none, compares with the truth."""
    leaking = truth.verdict == "leaking"
    known = [expected for expected in truth.findings if expected.known]
    verdict = diagnosis.get("verdict") if diagnosis else None
    caused = [(at, expected) for at, expected in enumerate(truth.findings) if expected.beyond]
    if diagnosis is None or verdict not in VERDICTS:
        silent = tuple(_explanation(None, expected) for _, expected in caused)
        return Score(leaking, "", known=False if known else None, explanations=silent)
    findings = by_name(diagnosis)
    matched, others = matches(findings, truth)
    wrong = [_name(finding) for finding in others if finding.get("confidence") != "possible"]
    suspected = [_name(finding) for finding in others if finding.get("confidence") == "possible"]
    if verdict == "healthy":
        matched.clear()
    found = leaking and len(matched) == len(truth.findings)
    return Score(
        leaking,
        str(verdict),
        found=found,
        detected=found and verdict == "leaking" and all(f.get("confidence") != "possible" for f in matched.values()),
        first=any(truth.findings[at].rank == 1 and said is findings[0] for at, said in matched.items()),
        mechanism=found and all(matched[at].get("mechanism") in e.mechanisms for at, e in enumerate(truth.findings)),
        known=all(at in matched and _knows(matched[at], e) for at, e in enumerate(truth.findings) if e.known)
        if known
        else None,
        misnamed=tuple(_misnamed(findings, truth)),
        wrong=tuple(wrong),
        suspected=tuple(suspected),
        explanations=tuple(_explanation(matched.get(at), expected) for at, expected in caused),
    )


__all__ = ["Diagnosis", "Explanation", "Score", "by_name", "matches", "names_place", "score"]

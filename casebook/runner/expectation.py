"""expect.toml -> Expectation: what is true of each build of a case. A key that the format does not know is refused.

Tables for stages to come (`chain`, `correlation`, `numbers`, and `gap` in `alone`) are let pass.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from casebook.runner.case import BadCase, Case, only_keys, read_toml
from oakum.report.words.mechanisms import GOROUTINES, MEMORY

# One word for each bad pattern: the product's; metrics alone name none that a case could ask for.
MECHANISMS: tuple[str, ...] = (*GOROUTINES, *MEMORY)
HARMLESS = ("warm-up", "gc-headroom", "not-returned-to-os", "idle-pool", "burst", "traffic")
ROLES = ("blocked", "created", "allocated", "registered", "driver", "released")


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the source and the part it plays."""

    role: str
    function: str = ""
    file: str = ""
    line: int = 0  # 0: any line; the standard library's differ with the Go version
    code: str = ""
    state: str = ""
    process: str = ""
    also: tuple[int, ...] = ()  # of a cause: lines of the same file that name it as well


@dataclass(frozen=True, slots=True)
class Known:
    """The upstream bug that this is."""

    id: str
    module: str
    found: str
    fixed: tuple[str, ...]
    where: str = "self"


@dataclass(frozen=True, slots=True)
class Expected:
    """One finding that must come out."""

    rank: int
    mechanism: str
    also: tuple[str, ...]
    sites: tuple[Site, ...]
    victims: tuple[Site, ...]
    causes: tuple[Site, ...]
    event: str
    per_event: float | None
    known: Known | None

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """Return every name of the mechanism that is right."""
        return (self.mechanism, *self.also)

    @property
    def place(self) -> Site:
        """Return the place that must be found."""
        return self.sites[0]

    @property
    def beyond(self) -> tuple[Site, ...]:
        """Return the causes that say more than where it blocks: an explanation has to name these."""
        blocked = {(site.file, site.line) for site in self.sites if site.role == "blocked"}
        return tuple(cause for cause in self.causes if (cause.file, cause.line) not in blocked)


@dataclass(frozen=True, slots=True)
class Harmless:
    """What grows or waits and is fine."""

    function: str
    because: str


@dataclass(frozen=True, slots=True)
class Expectation:
    """The truth about one build of a case."""

    verdict: str
    story: str
    looks_like: str
    baseline: str
    findings: tuple[Expected, ...]
    harmless: tuple[Harmless, ...]
    # Of several processes: what is to be said when one of them is all that there is.
    alone: Mapping[str, "Expectation"] = field(default_factory=dict)

    def only(self, seen: Callable[[Expected], bool]) -> "Expectation":
        """Return the truth as far as some evidence shows it: the findings that it shows, with ranks of their own."""
        shown = [finding for finding in self.findings if seen(finding)]
        order = sorted({finding.rank for finding in shown})
        return replace(self, findings=tuple(replace(f, rank=order.index(f.rank) + 1) for f in shown))

    def of(self, process: str) -> "Expectation":
        """Return the truth as far as one process alone shows it; no site of it says which process that is."""
        if process in self.alone:
            return self.alone[process]
        truth = self.only(lambda finding: finding.place.process == process)
        return replace(truth, findings=tuple(_nameless(finding) for finding in truth.findings))


def _nameless(finding: Expected) -> Expected:
    """Return a finding with the sites of its own process only, which is not named: there is no other."""

    def here(sites: tuple[Site, ...]) -> tuple[Site, ...]:
        return tuple(replace(site, process="") for site in sites if site.process in ("", finding.place.process))

    return replace(finding, sites=here(finding.sites), victims=here(finding.victims), causes=here(finding.causes))


def _site(table: Mapping[str, Any], where: str, roles: tuple[str, ...] = ()) -> Site:
    only_keys(table, ("role", "function", "file", "line", "code", "state", "process"), where)
    site = Site(**{"role": "blocked", **table})
    if roles and site.role not in roles:
        raise BadCase(f"{where}: the role {site.role!r} is none of {', '.join(roles)}")
    if not site.function and not site.file:
        raise BadCase(f"{where}: a site needs a function or a file")
    return site


def _cause(table: Mapping[str, Any], where: str) -> Site:
    also = tuple(table.get("also", ()))
    if not all(isinstance(line, int) and line > 0 for line in also):
        raise BadCase(f"{where}: also holds numbers of lines, not {[*also]}")
    return replace(_site({key: value for key, value in table.items() if key != "also"}, where), also=also)


_FINDING = ("rank", "mechanism", "also", "event", "per_event", "site", "victim", "cause", "known")


def _finding(table: Mapping[str, Any], at: int, where: str) -> Expected:
    where = f"{where}, finding {at}"
    only_keys(table, _FINDING, where)
    sites = tuple(_site(site, where, ROLES) for site in table.get("site", ()))
    if not sites or not sites[0].function:
        raise BadCase(f"{where}: it names no site with a function")
    for mechanism in (table.get("mechanism"), *table.get("also", ())):
        if mechanism not in MECHANISMS:
            raise BadCase(f"{where}: there is no mechanism {mechanism!r}")
    known = None
    if "known" in table:
        only_keys(table["known"], ("id", "module", "found", "fixed", "where"), where)
        known = Known(**{**table["known"], "fixed": tuple(table["known"]["fixed"])})
    victims = tuple(_site(site, where) for site in table.get("victim", ()))
    causes = tuple(_cause(site, where) for site in table.get("cause", ()))
    blocked = {(site.file, site.line) for site in sites if site.role == "blocked"}
    if any((cause.file, line) in blocked for cause in causes for line in cause.also):
        raise BadCase(f"{where}: where it blocks is no other name of its cause")
    return Expected(
        int(table.get("rank", at)), table["mechanism"], tuple(table.get("also", ())), sites, victims, causes,
        table.get("event", ""), table.get("per_event"), known,
    )  # fmt: skip


_TRUTH = ("verdict", "story", "looks_like", "baseline", "finding", "harmless", "alone")
_LATER = ("chain", "correlation", "numbers")


def _truth(table: Mapping[str, Any], where: str) -> Expectation:
    verdict = table.get("verdict")
    if verdict not in ("leaking", "healthy"):
        raise BadCase(f"{where}: the verdict is {verdict!r}; a case is leaking or healthy")
    findings = tuple(_finding(finding, at, where) for at, finding in enumerate(table.get("finding", ()), 1))
    if bool(findings) != (verdict == "leaking"):
        raise BadCase(f"{where}: a leaking case has findings, a healthy one has none")
    ranks = [finding.rank for finding in findings]
    if ranks and (ranks[0] != 1 or any(later - rank not in (0, 1) for rank, later in pairwise(ranks))):
        raise BadCase(
            f"{where}: the ranks of the findings are not 1, 2, 3 ... in order; equal ones may come in any order"
        )
    looks_like = table.get("looks_like", "")
    if looks_like and looks_like not in MECHANISMS:
        raise BadCase(f"{where}: looks_like: there is no mechanism {looks_like!r}")
    harmless = []
    for row in table.get("harmless", ()):
        only_keys(row, ("function", "because"), f"{where}, harmless")
        if row.get("because") not in HARMLESS:
            raise BadCase(f"{where}: {row.get('because')!r} is none of {', '.join(HARMLESS)}")
        harmless.append(Harmless(**row))
    story, baseline = table.get("story", ""), table.get("baseline", "")
    alone = {name: _alone(row, f"{where}, alone.{name}") for name, row in table.get("alone", {}).items()}
    return Expectation(verdict, story, looks_like, baseline, findings, tuple(harmless), alone)


def _alone(table: Mapping[str, Any], where: str) -> Expectation:
    """Return what is to be said of one process alone: one finding, written without its table."""
    only_keys(table, ("verdict", "gap", *_FINDING), where)
    finding = {key: value for key, value in table.items() if key in _FINDING}
    return _truth({"verdict": table.get("verdict"), "finding": [finding]}, where)


def expectation(case: Case, build: str) -> Expectation:
    """Return the truth about a build of a case."""
    table = read_toml(case.folder / "expect.toml")
    where = f"{case.name}/expect.toml"
    only_keys(table, (*_TRUTH, "builds", *_LATER), where)
    others = table.get("builds", {})
    for name in others:
        case.build(name)
    if build in others:
        only_keys(others[build], _TRUTH, f"{where}, builds.{build}")
        # The populations that are fine are fine in every build.
        inherited: dict[str, Any] = {key: table[key] for key in ("harmless", "baseline") if key in table}
        return _truth({**inherited, **others[build]}, f"{where}, builds.{build}")
    return _truth({key: value for key, value in table.items() if key in _TRUTH}, where)


__all__ = [
    "HARMLESS", "MECHANISMS", "Expectation", "Expected", "Harmless",
    "Known", "Site", "expectation",
]  # fmt: skip

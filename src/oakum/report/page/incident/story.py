"""What the parts of an incident report share: a diagnosis in one language, its findings sorted, its captures numbered.

Comes in: a diagnosis and a language. Goes out: names, numbers, claims and links as every part tells them.
"""

import shlex
from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from oakum.model import Evidence, Finding, Growth, KnownMatch, Point
from oakum.model.diagnosis import Diagnosis
from oakum.report.layout import series
from oakum.report.page.blocks import Claim, anchor_of_input
from oakum.report.page.derive import Derive
from oakum.report.page.headline import worst_first
from oakum.report.page.speech import Speech
from oakum.report.page.suspects import Suspects

COMMAND_MOST = 6000  # characters; no shell is handed a name of a megabyte
_PROCESSES_MOST = 12
FINDINGS_MOST = 8  # causes that are told whole; more of them nobody fixes at once


class Story(Speech):
    """A diagnosis as the parts of the report ask for it."""

    def __init__(self, diagnosis: Diagnosis, lang: str, kept: str = "") -> None:
        super().__init__(lang)
        self.diagnosis = diagnosis
        self.derive = Derive(diagnosis, kept)
        self.suspects = Suspects(self, diagnosis, self.derive)
        self.processes = worst_first(diagnosis)[:_PROCESSES_MOST]
        self.names = {row.id: self.called(row) for row in diagnosis.processes}
        self.sure = [found for found in diagnosis.findings if found.confidence != "possible"]
        self.possible = [found for found in diagnosis.findings if found.confidence == "possible"]

    @property
    def leaking(self) -> bool:
        """Tell whether there is a cause, not only suspicions."""
        return bool(self.sure)

    @property
    def told(self) -> list[Finding]:
        """Return the findings that the report is about: those that are sure, else the suspicions."""
        return (self.sure or self.possible)[:FINDINGS_MOST]

    @property
    def untold(self) -> int:
        """Return how many of those are left out."""
        return len(self.sure or self.possible) - len(self.told)

    def tell(self, key: str, **args: str | int | float) -> str:
        """Return a sentence of the incident report."""
        return self.word(f"incident.{key}", **args)

    def process(self, id_: str) -> str:
        return self.names.get(id_) or self.tell("process.unnamed")

    def service(self, id_: str) -> str:
        """Return what a process is called in every run."""
        name = next((row.name for row in self.diagnosis.processes if row.id == id_), "")
        return self.name(name) or self.tell("process.unnamed")

    def function(self, found: Finding) -> str:
        """Return the function that a finding is about, verbatim; "" when only numbers of the process are known."""
        function = found.suspect.sites[0].frame.function
        return "" if function.startswith("(") else self.code(function)

    def code(self, name: str) -> str:
        """Return a name that may stand between backticks."""
        return self.name(name.replace("`", "'").replace("\n", " "))

    def heading(self, found: Finding) -> str:
        """Return what a finding is called beside others."""
        key = "suspicion.nth" if found.confidence == "possible" else "cause.nth"
        return self.tell(key, number=found.rank, title=self.suspects.title(found))

    def has_leak_profile(self, found: Finding) -> bool:
        """Tell whether the build of a finding's process has the goroutineleak profile."""
        process = found.suspect.sites[0].process
        build = next((row.build for row in self.diagnosis.processes if row.id == process), None)
        captured = any(row.kind == "goroutineleak" and not row.problems for row in self.diagnosis.inputs)
        return build is not None and (build.has_leak_profile or (captured and len(self.names) == 1))

    def unread(self, found: Finding) -> bool:
        """Tell whether the source of a finding is known not to have been read."""
        functions = {site.frame.function for site in found.suspect.sites}
        missing = [gap.what for gap in self.diagnosis.gaps if gap.what.key.startswith("gap.source-")]
        return "--no-source" in self.diagnosis.called or any(
            one.args.get("function", next(iter(functions))) in functions for one in missing
        )

    def owned(self, told: str, process: str) -> str:
        """Return what is told, with the process where there are several."""
        return f"{self.process(process)}{self.colon}{told}" if len(self.names) > 1 else told

    def counts(self, growth: Growth) -> str:
        """Return a series in words: 0 → 40 → 80."""
        return series(growth.counts, lambda value: self.amount(growth.measure, value))

    def speed(self, growth: Growth) -> str:
        """Return how much comes in an hour, without a sign."""
        return self.rate(growth.measure, growth.per_hour or 0.0).lstrip("+")

    def claims(self, found: Finding, evidence: Sequence[Evidence]) -> tuple[Claim, ...]:
        """Return claims with their evidence; an excerpt that several share stands once, with the first."""
        seen: set[str] = set()
        told = []
        for one in evidence:
            claim = self.suspects.claim(found, one)
            told.append(replace(claim, excerpt="") if claim.excerpt in seen else claim)
            seen.add(claim.excerpt)
        return tuple(told)

    def link(self, digests: Sequence[str]) -> str:
        """Return the anchor of the first capture among these that is listed; "" when none is."""
        numbers = [number for digest in digests if (number := self.derive.number(digest)) is not None]
        return f"#{anchor_of_input(numbers[0])}" if numbers else ""

    def command(self, *words: str) -> str:
        """Return what to type; "" when it reads standard input, or nobody would type it."""
        whole = shlex.join(("oakum", *words))
        return whole if "-" not in words and len(whole) <= COMMAND_MOST else ""

    def points(self, process: str, *, baseline: bool = False) -> list[Point]:
        """Return what a process, or its baseline, measured as a whole, oldest first."""
        return [one for one in self.diagnosis.timeline if one.process == process and one.baseline == baseline]

    def times(self, process: str) -> list[datetime]:
        """Return when the snapshots of a process were captured; empty unless all say so."""
        rows = [row for row in self.diagnosis.moments if row.process == process and not row.baseline]
        times = [row.at for row in rows if row.at]
        return times if len(times) == len(rows) else []


def goroutines(found: Finding) -> bool:
    """Tell whether a finding is about goroutines, not about memory."""
    return found.mechanism == "growing-goroutines" or found.suspect.sites[0].role in ("blocked", "created")


def hourly(growth: Growth) -> float:
    """Return how much comes in an hour; 0 when that is not known, or it does not grow."""
    rate = growth.per_hour
    return rate if rate is not None and 0 < rate < float("inf") else 0.0


def known(found: Finding) -> KnownMatch | None:
    """Return the upstream bug of a finding, the surest."""
    return found.known[0] if found.known else None

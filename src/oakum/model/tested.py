"""What stays after tests and benchmarks: a diagnosis of each, what each iteration leaves, and which leaks are known."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from msgspec import Struct, field

from oakum.model.diagnosis import Diagnosis, Finding
from oakum.model.experiment import Slope

PROVEN_FROM = 6  # iterations: what stays after each of so many is proven
TestKind = Literal["test", "benchmark"]
# failed: the test itself did; ended: the process did, before the test was done; late: its time was up; idle: it ran no
# iteration, as it was skipped or the package's TestMain runs none.
TestOutcome = Literal["passed", "failed", "ended", "late", "idle"]


class Tested(Struct, frozen=True):
    """One test: how it went, and what stays after it. None as diagnosis: nothing was captured."""

    package: str
    name: str
    kind: TestKind
    outcome: TestOutcome
    iterations: int = 0
    diagnosis: Diagnosis | None = None
    slopes: Mapping[str, Slope] = field(default_factory=lambda: MappingProxyType({}))  # of each iteration, by finding
    known: frozenset[str] = frozenset()  # findings that the baseline has
    said: str = ""  # the end of what it printed, where it did not pass
    captures: str = ""  # the folder in which its captures are kept; "": they are not

    @property
    def leaks(self) -> tuple[Finding, ...]:
        """Return what leaks; a mere suspicion is none."""
        found = self.diagnosis.findings if self.diagnosis else ()
        return tuple(one for one in found if one.confidence != "possible")

    @property
    def suspicions(self) -> int:
        """Return how much may leak, or may not."""
        return len(self.diagnosis.findings) - len(self.leaks) if self.diagnosis else 0

    @property
    def new_leaks(self) -> tuple[Finding, ...]:
        """Return what leaks and is not in the baseline."""
        return tuple(one for one in self.leaks if one.id not in self.known)


class TestRun(Struct, frozen=True):
    """All tests that were run, and the packages that could not be."""

    tests: tuple[Tested, ...]
    count: int
    grace: float  # seconds
    unbuilt: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))  # package -> why
    baseline: str = ""  # the file of known leaks
    stale: tuple[str, ...] = ()  # leaks of the baseline that were not seen any more

    @property
    def leaking(self) -> tuple[Tested, ...]:
        return tuple(one for one in self.tests if one.new_leaks)

    @property
    def suspicions(self) -> int:
        """Return how much may leak, or may not, in all tests."""
        return sum(one.suspicions for one in self.tests)

    @property
    def too_few(self) -> bool:
        """Tell whether something stayed, and the iterations are too few to tell what goes on staying."""
        return bool(self.suspicions) and self.count < PROVEN_FROM

    @property
    def measured(self) -> tuple[Tested, ...]:
        return tuple(one for one in self.tests if one.diagnosis is not None)

"""An experiment: so much work was sent to a process, and snapshots were taken between. What it left at each place.

`Experiment` is what was done, as its capture experiment.json tells; `Trial` what compare makes of it.
"""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Literal

from msgspec import Struct, field

from oakum.model.frame import Frame

SCHEMA = "oakum.experiment/1"
# Before the work; after a batch of it; with nothing to do, in a break or after the last.
Phase = Literal["settle", "batch", "drain"]
# Why it ended: all was sent; the answer was clear; the time was up; who asked for it stopped it; the process ended, was
# started anew, refused connections or answered that it is overloaded.
Ended = Literal["complete", "clear", "time", "interrupted", "gone", "restarted", "refused", "throttled"]
# Stacks, tables of the runtime, buffers of connections: some hundred KiB, however long the work goes on. Two samples of
# a heap profile are as much.
GROWN_ONCE = 1 << 20
# What stays through so many seconds without work, and the time that draining took before, outlasts the time-outs that
# programs use most: 30 s for idle connections, sessions and windows (35 s in the catalogue's meterhub).
BREAK_SECONDS = 30.0
_LATE = ("408", "429", "499")  # too late or too many: the request as such was one
SlopeMeasure = Literal["goroutines", "inuse_space", "rss"]


class Stage(Struct, frozen=True):
    """What had been done when a snapshot was begun."""

    phase: Phase
    at: datetime
    sent: int = 0  # units begun so far
    completed: int = 0  # of them: those that ended, with whatever answer
    failed: int = 0  # of those: without an answer, or with an error
    statuses: Mapping[str, int] = field(
        default_factory=lambda: MappingProxyType({})
    )  # so far: "200": 90; "0": no answer


class Experiment(Struct, frozen=True):
    """Work that was sent to a process; `stages` has one for each of its snapshots, None where nothing is told."""

    target: str
    unit: str  # what one unit of work is: "request", "run", "second", "iteration"
    stages: tuple[Stage | None, ...]
    asked: tuple[str, ...] = ()  # the work, as people write it: "POST /api/simulate"
    ended: Ended = "complete"
    source: str = ""  # digest of the capture
    numbered: bool = False  # each unit was another one: {n} was in it


class Slope(Struct, frozen=True):
    """What each unit of work leaves at a place, with its interval of 95 %; goroutines, or bytes."""

    measure: SlopeMeasure
    value: float
    low: float
    high: float
    stays: bool = False  # it grew batch by batch to the end, and is there after draining
    smallest: float = 0.0  # the smallest leak that would have been seen, nineteen times of twenty
    returned: float = 0.0  # for each unit: came, and had gone after draining
    more: int | None = None  # units that would be needed to decide; None: it is decided
    counts: tuple[float | None, ...] = ()  # one for each snapshot
    place: Frame | None = None  # None: of the whole process
    state: str | None = None
    key: str = ""  # Stack.key, the same in another build; "": of the whole process
    drift: float = 0.0  # what comes in a second while nothing is done; it is not in the value
    outlasted: float = 0.0  # seconds without work that it stayed through, before more work brought as much again


class Trial(Struct, frozen=True):
    """One experiment with one process, measured: for the process as a whole, and for the places where anything came."""

    process: str
    unit: str
    work: tuple[int | None, ...]  # units completed so far, one for each snapshot
    phases: tuple[str | None, ...]
    seconds: tuple[float | None, ...]  # since the first snapshot
    totals: tuple[Slope, ...] = ()
    places: tuple[Slope, ...] = ()  # what stays first, then what grew most
    target: str = ""
    asked: tuple[str, ...] = ()
    failed: int = 0
    statuses: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    ended: Ended = "complete"
    source: str = ""

    @property
    def units(self) -> int:
        """Return how much was done altogether, between the first of its snapshots and the last."""
        known = [done for done in self.work if done is not None]
        return max(known) - min(known) if known else 0

    @property
    def mostly_failed(self) -> bool:
        """Tell whether most of the work failed, with those that were turned away."""
        return 2 * self.failed > max(self.units, sum(self.statuses.values()))

    @property
    def mostly_rejected(self) -> bool:
        """Tell whether most answers say that the request was not one that the service takes."""
        rejected = sum(count for status, count in self.statuses.items() if status[:1] == "4" and status not in _LATE)
        return 2 * rejected > sum(self.statuses.values())

    @property
    def unplaced(self) -> Slope | None:
        """Return the live memory that the work left; None where it is no more than buffers that are grown once."""
        left = next((one for one in self.totals if one.stays and one.measure == "inuse_space"), None)
        return left if left is not None and left.value * self.units >= GROWN_ONCE else None

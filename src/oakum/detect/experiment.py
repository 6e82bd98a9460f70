"""What each unit of work leaves at a place -> evidence: that it stays, or that the work left nothing there.

Comes in: slopes that compare measured in an experiment. Decides nothing; between both there is nothing to be said.
"""

import math
from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from oakum.model import Evidence, EvidenceKind, Growth, PerEvent, Population, Slope, Suspect, Text
from oakum.model.diagnosis import Argument
from oakum.model.experiment import BREAK_SECONDS
from oakum.model.sizes import size
from oakum.model.vocabulary import ABNORMAL, HARMLESS, RUNNING_STATES, WaitKind

# Fewer than so many in the whole experiment are none: a worker that was started late, a connection just opened.
_FEW = 5
# Fewer that rest may be a pool that is started little by little, as the time goes: those of the casebook have up to 36.
# Where nearly every unit leaves one it is none: a pool has as many as are asked for at a time.
_POOL, _EACH = 50, 0.9
# Who sleeps or works between may do so for the whole of a long job: those of the casebook take 100 s.
_JOB = 120.0
# Of these units what comes in between is over: a test has ended, and time does not stop.
_UNBROKEN = frozenset({"iteration", "second"})


class Work(Struct, frozen=True, eq=False):
    """The work of an experiment, and what it leaves: of a population, and of what a suspect measures."""

    unit: str
    units: int
    of_population: Callable[[Population], Slope | None]
    of_growth: Callable[[Suspect, Growth], Slope | None]
    heap: Slope | None = None  # the live heap as a whole, which is not sampled
    # From how many to how many a population fell after the work, in every step: a queue that moves.
    fell: Callable[[Population], tuple[int, int] | None] = lambda _: None
    idle: float = 0.0  # seconds in which nothing was sent, the longest
    numbered: bool = False  # each unit was another one

    def evidence(self, slope: Slope | None) -> tuple[EvidenceKind, Text] | None:
        """Return what a slope says: the kind of evidence, and its sentence.

        A profile is sampled, and a set that fills goes on rising in it: where the whole heap stays level, its parts do.
        """
        if slope is None:
            return None
        heap = slope.measure != "goroutines"
        show: Callable[[float], str] = size if heap else lambda number: f"{number:.2f}"
        numbers = {"value": slope.value, "low": slope.low, "high": slope.high, "smallest": slope.smallest}
        args: dict[str, Argument] = {name: show(number) for name, number in numbers.items()}
        args |= {"unit": self.unit, "units": self.units}
        if slope.drift or (heap and self.heap is not None and self.heap.drift):
            return None  # it grows with the time: what the work leaves is not all of it
        level = heap and self.heap is not None and not self.heap.stays
        if slope.stays and not level:
            kind: EvidenceKind = "heap-reproduced" if heap else "reproduced"
        elif level or (slope.low <= 0 and (heap or slope.value * self.units < _FEW)):
            kind = "heap-level-under-load" if heap else "level-under-load"
        else:
            return None
        counts = [round(count) for count in slope.counts if count is not None]
        return kind, Text(f"experiment.{kind}", args if heap else args | {"counts": tuple(counts)})

    def doubts(
        self, slope: Slope, wait: WaitKind | None, state: str | None = None, *, inside: bool = False
    ) -> Iterator[tuple[EvidenceKind, Text]]:
        """Yield what else would leave as many as the work of an experiment did, and what would tell.

        Nobody designs an abnormal wait so that it lasts, neither for a while nor in a pool; and nobody rests in a pool
        while `inside` of an operation.
        """
        if wait in ABNORMAL or self.unit in _UNBROKEN:
            return
        whole = slope if wait is not None or self.heap is None else self.heap  # which is not sampled
        if state in _ENDS_ITSELF and whole.outlasted < _JOB:
            yield "may-end", Text("experiment.may-end-asleep", {"seconds": round(self.idle)})
        elif whole.outlasted < BREAK_SECONDS:
            yield "may-end", Text("experiment.may-end", {"seconds": round(self.idle)})
        came = slope.value * self.units
        if wait is None and self.numbered:
            yield "may-fill", Text("experiment.may-fill-new", {"unit": self.unit})
        elif wait is not None and not inside and came < _POOL and slope.value < _EACH:
            more = math.ceil(_POOL / slope.value) - self.units
            args: dict[str, Argument] = {"count": round(came), "more": more, "unit": self.unit}
            yield "may-fill", Text("experiment.may-fill", args)


# Who sleeps, or works, goes on by itself.
_ENDS_ITSELF = frozenset({"sleep", "syscall", *RUNNING_STATES})


def with_work(suspect: Suspect, work: Work) -> Suspect:
    """Return a suspect with how much of its growth each unit of work brings; of memory, with what that says of it."""
    growth, evidence, mechanisms = [], list(suspect.evidence), suspect.mechanisms
    for one in suspect.growth:
        slope = work.of_growth(suspect, one) if one.measure != "inuse_objects" else None
        if slope is not None and slope.stays:
            one = replace(one, per_event=PerEvent(work.unit, slope.value, slope.low, slope.high))
        growth.append(one)
        told = work.evidence(slope) if one.measure == "inuse_space" and suspect.wait is None else None
        if told is None or (told[0] == "heap-reproduced" and mechanisms[0] in HARMLESS):
            continue
        first = suspect.evidence[0]
        new = Evidence(*told, first.capture, first.where, first.excerpt)
        if told[0] == "heap-level-under-load" and mechanisms[0] not in HARMLESS:
            evidence, mechanisms = [new, *evidence], ("warm-up", *mechanisms)
        else:
            evidence.append(new)
        if told[0] == "heap-reproduced" and slope is not None:
            evidence += [Evidence(*why, new.capture, new.where, new.excerpt) for why in work.doubts(slope, None)]
    return replace(suspect, growth=tuple(growth), evidence=tuple(evidence), mechanisms=mechanisms)

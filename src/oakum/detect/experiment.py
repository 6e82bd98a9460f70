"""What each unit of work leaves at a place -> evidence: that it stays, or that the work left nothing there.

Comes in: slopes that compare measured in an experiment. Decides nothing; between both there is nothing to be said.
"""

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from oakum.model import Evidence, EvidenceKind, Growth, PerEvent, Population, Slope, Suspect, Text
from oakum.model.diagnosis import Argument
from oakum.model.sizes import size
from oakum.model.vocabulary import HARMLESS

# Fewer than so many in the whole experiment are none: a worker that was started late, a connection just opened.
_FEW = 5


class Work(Struct, frozen=True, eq=False):
    """The work of an experiment, and what it leaves: of a population, and of what a suspect measures."""

    unit: str
    units: int
    of_population: Callable[[Population], Slope | None]
    of_growth: Callable[[Suspect, Growth], Slope | None]
    heap: Slope | None = None  # the live heap as a whole, which is not sampled
    # From how many to how many a population fell after the work, in every step: a queue that moves.
    fell: Callable[[Population], tuple[int, int] | None] = lambda _: None

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
        level = heap and self.heap is not None and not self.heap.stays
        if slope.stays and not level:
            kind: EvidenceKind = "heap-reproduced" if heap else "reproduced"
        elif level or (slope.low <= 0 and (heap or slope.value * self.units < _FEW)):
            kind = "heap-level-under-load" if heap else "level-under-load"
        else:
            return None
        counts = [round(count) for count in slope.counts if count is not None]
        return kind, Text(f"experiment.{kind}", args if heap else args | {"counts": tuple(counts)})


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
    return replace(suspect, growth=tuple(growth), evidence=tuple(evidence), mechanisms=mechanisms)

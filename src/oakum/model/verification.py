"""Is a leak gone? Two diagnoses side by side: what became of each finding, by what each unit of work leaves of it."""

from typing import Literal

from msgspec import Struct

from oakum.model.diagnosis import Diagnosis, Finding
from oakum.model.experiment import Slope
from oakum.model.text import Text

# unsettled: nothing can be said of it; `why` says what is missing.
Became = Literal["gone", "smaller", "same", "new", "unsettled"]
Verified = Literal["fixed", "leaks", "undecided"]


class Ratio(Struct, frozen=True):
    """How much of a leak is left: after divided by before, with an interval that holds for both."""

    value: float
    low: float
    high: float


class Change(Struct, frozen=True):
    """What became of one finding: `finding` is that of before, of a new one that of after."""

    became: Became
    finding: Finding
    unit: str = ""
    before: Slope | None = None  # what each unit of work left of it; None: not measured
    after: Slope | None = None
    ratio: Ratio | None = None
    why: Text | None = None


class Verification(Struct, frozen=True):
    """The answer: the changes, worst first; what is to be known of both sides; what is missing for an answer."""

    verdict: Verified
    before: Diagnosis
    after: Diagnosis
    changes: tuple[Change, ...]
    notes: tuple[Text, ...] = ()

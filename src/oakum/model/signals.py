"""What is told of a process from outside its captures, on one time axis: series of metrics, tallies of log lines, and
what was made of them: when growth began, its shape, what it follows, and dated events."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Literal

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from oakum.model.metrics import Labels
from oakum.model.text import Text

Floats = NDArray[np.float64]
EventKind = Literal[
    "growth-began", "load-changed", "time-out", "server-error", "panic", "fatal-error", "oom-kill", "restart", "deploy",
    "eviction", "throttling", "capture",
]  # fmt: skip
Shape = Literal["ramp", "steps", "saw-tooth"]


class Series(Struct, frozen=True, eq=False):
    """One metric through time, whole: its name and labels, Unix seconds oldest first, values."""

    name: str  # "": the answer to a query that computes something has none
    labels: Labels
    times: Floats
    values: Floats
    owner: str = ""  # what people call the process that reported it; "": lost, as in a sum over several
    process: str = ""  # its id in the case; "": a process that is none of it
    source: str = ""  # digest of the capture


class Names(Struct, frozen=True, eq=False):
    """Whom lines name: the names, and for each line which of them; -1: none."""

    names: tuple[str, ...]
    rows: NDArray[np.int64]


class Tally(Struct, frozen=True, eq=False):
    """Lines of one log that report one kind of event: how many, when, and whom they name.

    Of very many lines a part is looked at: `looked_at`; times and names are of those.
    """

    kind: EventKind
    total: int
    looked_at: int
    times: Floats  # Unix seconds; NaN where a line is not dated
    who: Mapping[str, "Names"] = field(default_factory=lambda: MappingProxyType({}))  # client, agent, user
    places: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))  # "timeout.go:118": lines
    excerpt: str = ""
    where: str = ""
    object: str = ""  # whom a single event is about: a pod, a container, a program
    text: str = ""  # of a single event: what was said
    weights: Floats = field(default_factory=lambda: np.empty(0))  # lines that each one looked at stands for


class Named(Struct, frozen=True):
    """Whom lines of a log name most: of how many that name anybody."""

    field: str  # client, agent, user
    name: str
    lines: int
    of: int


class Log(Struct, frozen=True, eq=False):
    """What a log, or a list of cluster events, reports: a tally for each kind, times resolved as far as they can be."""

    tallies: tuple[Tally, ...]
    yearless: bool = False  # its stamps lack the year: they are seconds of the year 1972
    zoneless: bool = False  # and their zone: taken as UTC
    process: str = ""  # id of the process that wrote it; "": unknown
    source: str = ""  # digest of the capture


class Onset(Struct, frozen=True):
    """When growth began, and the interval that it began in."""

    at: datetime
    low: datetime
    high: datetime


class Driver(Struct, frozen=True):
    """A counter that growth follows: how much comes with each unit of it, and how long after."""

    event: str
    process: str  # who counts it; "": unknown
    value: float
    low: float
    high: float
    lag: float  # seconds; below nought: it is counted after it has left its mark
    explains: float  # part of the variation of growth, beyond time itself: 0 to 1
    alike: tuple[str, ...] = ()  # counters that move with it so closely that they cannot be told apart
    source: str = ""  # digest


class Signal(Struct, frozen=True):
    """One measure of a process through the whole range: whether it grew, since when, how, and what it follows."""

    process: str
    measure: Literal["goroutines", "heap", "rss"]
    first: float
    last: float
    onset: Onset | None = None  # None: it grows from the first sample on
    shape: Shape = "ramp"
    steps: int = 0  # of "steps": phases of growth; of "saw-tooth": restarts
    drivers: tuple[Driver, ...] = ()  # the best first; () where nothing stands out
    idle: Text | None = None  # why it stopped growing: the work did
    source: str = ""


class Event(Struct, frozen=True):
    """One dated line of the time line."""

    at: datetime
    kind: EventKind
    text: Text
    process: str = ""
    until: datetime | None = None
    capture: str = ""  # digest; "": the sum of several
    where: str = ""


# The kernel's idea of when a process began wanders by fractions of a second, and by as much as its clock is set: a
# start long before the sample that did not tell of it is none. Clocks of two machines differ by less than a minute.
_WANDERS, _SKEW = 1.0, 60.0


def started_anew(times: Floats, starts: Floats) -> NDArray[np.bool_]:
    """Return after which samples but the last the process was started anew, by when it says that it was started."""
    slack = max(_SKEW, 2 * float(np.median(np.diff(times)))) if len(times) > 1 else _SKEW
    found: NDArray[np.bool_] = (np.diff(starts) > _WANDERS) & (starts[1:] >= times[:-1] - slack)
    return found

"""Figures of a run as they come -> does it grow? Only a reason to look closer: whether it leaks the pipeline decides.

A trail keeps the last snapshots as they are and the time before thinned out, so that it is bounded however long a
process lives.
"""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from msgspec import Struct, field

from oakum.collect.growth import grown

RECENT = 8  # snapshots that are looked at one by one
_LONG = 96  # points of the time before; when they are too many, every second goes
_BLOCKS = 6  # of equal length, whose medians are compared: noise of single snapshots is gone
_NEW = 3  # intervals that show another load
_REQUESTS = 30  # in an interval: of fewer chance makes twice as many
_MEASURES = ("goroutines", "heap", "rss")


class Point(Struct, frozen=True, array_like=True):
    at: int  # microseconds since 1970
    goroutines: float | None = None
    heap: float | None = None
    rss: float | None = None
    work: float | None = None  # a counter: requests served, else bytes allocated, else seconds of CPU
    kind: str = ""  # which of them `work` is

    def value(self, measure: str) -> float | None:
        return {"goroutines": self.goroutines, "heap": self.heap, "rss": self.rss}[measure]


class Trail(Struct):
    """The figures of one run, oldest first."""

    recent: list[Point] = field(default_factory=list)
    earlier: list[Point] = field(default_factory=list)
    stride: int = 1  # of how many points one is kept of the time before
    passed: int = 0

    def add(self, point: Point) -> None:
        """Add a snapshot; what is later than it, as the clock was set back, is forgotten."""
        if self.recent and self.recent[-1].at >= point.at:
            self.recent = [one for one in self.recent if one.at < point.at]
            self.earlier = [one for one in self.earlier if one.at < point.at]
        self.recent.append(point)
        if len(self.recent) <= RECENT:
            return
        left = self.recent.pop(0)
        if self.passed % self.stride == 0:
            self.earlier.append(left)
        self.passed += 1
        if len(self.earlier) > _LONG:
            self.earlier = self.earlier[::2]
            self.stride *= 2

    def points(self) -> list[Point]:
        return [*self.earlier, *self.recent]

    def series(self, measure: str) -> tuple[list[int], list[float]]:
        """Return the times and values of a measure, where it was told."""
        told = [(one.at, value) for one in self.points() if (value := one.value(measure)) is not None]
        return [at for at, _ in told], [value for _, value in told]

    @property
    def worked(self) -> bool | None:
        """Tell whether the process did anything between the last two snapshots; None when nothing counts it."""
        if len(self.recent) < 2:
            return None
        before, after = self.recent[-2:]
        if before.work is None or after.work is None or before.kind != after.kind:
            return None
        return after.work > before.work


def growing(trail: Trail) -> str:
    """Return what grows, in words; "" while nothing does."""
    if len(trail.recent) < 3:
        return ""
    newest = {measure: _told(trail.recent, measure) for measure in _MEASURES}
    if why := grown(newest):
        return why
    points = trail.points()
    if len(points) < 3 * _BLOCKS:
        return ""
    return grown({measure: _medians(points, measure) for measure in _MEASURES})


def stirring(trail: Trail) -> bool:
    """Tell whether goroutines have just risen twice: not yet growth, but a reason to see once who they are."""
    counts = _told(trail.recent[-3:], "goroutines")
    return len(counts) == 3 and counts[0] < counts[1] < counts[2] and counts[2] - counts[0] >= max(5, counts[0] / 20)


class Load(Struct, frozen=True):
    """A change of the requests that a process serves: when, and how many a second before and after."""

    at: int
    before: float
    after: float


def load_change(trail: Trail) -> Load | None:
    """Return a change of load that the last snapshots show: three intervals in a row with twice as much, or half."""
    points = trail.recent
    if len(points) < RECENT or any(one.kind != "requests" or one.work is None for one in points):
        return None
    counts = [(after.work or 0.0) - (before.work or 0.0) for before, after in pairwise(points)]
    rates = [
        count * 1e6 / max(1, after.at - before.at)
        for count, (before, after) in zip(counts, pairwise(points), strict=True)
    ]
    old, new = rates[:-_NEW], rates[-_NEW:]
    before, after = median(old), median(new)
    more = min(new) > max(2 * before, *old)
    less = max(new) < min(before / 2, *old)
    if not (more or less) or max(counts) < _REQUESTS:
        return None
    return Load(points[-_NEW - 1].at, before, after)


def _told(points: Sequence[Point], measure: str) -> list[float]:
    return [value for one in points if (value := one.value(measure)) is not None]


def _medians(points: Sequence[Point], measure: str) -> list[float]:
    """Return the median of each block of time; [] where one has none."""
    first, last = points[0].at, points[-1].at
    blocks: list[list[float]] = [[] for _ in range(_BLOCKS)]
    for one in points:
        value = one.value(measure)
        if value is not None:
            blocks[min(_BLOCKS - 1, (one.at - first) * _BLOCKS // max(1, last - first))].append(value)
    return [median(block) for block in blocks] if all(blocks) else []

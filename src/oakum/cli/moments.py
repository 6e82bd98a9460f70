"""Readings that were captured in one place -> moments of one process, oldest first.

Two captures of one kind and format are two moments; debug=0, 1 and 2 of one moment are the same goroutines, of which
the richest is taken. When a moment was: what a bundle's manifest says, else its profiles, else when its files were
written, where these lie apart.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from types import MappingProxyType

from oakum.cli.runs import longest_run
from oakum.model import Build, Capture, Goroutines, Metrics, Problem, Reading, Snapshot, Source
from oakum.parse import goroutines as goroutines_of

# Formats of one thing in one moment, richest first: a dump has ages and creators, protobuf has states.
_FORMATS = {
    "goroutines": ("debug2", "pprof", "debug1", "goleak"),
    "leaked": ("debug2", "pprof", "debug1"),
    "heap": ("pprof", "heap-text"),
}
# What the kernel tells of a process: together one status, the first to tell a figure wins.
_KERNEL = ("proc-status", "process-facts", "smaps-rollup", "cgroup")
# Captures of one moment are fetched one after the other, each within pprof's own 30 seconds.
CLOSE = timedelta(seconds=30)
# Copying or unpacking writes files at once; captures that were saved when they were taken lie apart.
_APART = timedelta(seconds=2)


@dataclass(eq=False, slots=True)
class Found:
    """One reading of one capture, and what is wrong with it here."""

    capture: Capture
    reading: Reading
    problems: list[Problem] = field(default_factory=list)

    @property
    def slot(self) -> str | None:
        """Return the field of a Snapshot that it fills; None when it fills none."""
        reading = self.reading
        if reading.metrics is not None:
            return "status" if reading.format in _KERNEL else "metrics"
        if reading.kind in ("goroutine", "goroutineleak"):
            usable = reading.goroutines is not None or reading.profile is not None
            return ("leaked" if reading.kind == "goroutineleak" else "goroutines") if usable else None
        # An allocs profile is a heap profile that shows another of its columns first.
        if reading.kind in ("heap", "allocs") and (reading.profile is not None or reading.memstats is not None):
            return "heap"
        return None

    @property
    def goroutines(self) -> Goroutines | None:
        """Return its goroutines, whatever format they came in."""
        return goroutines_of(self.reading)

    @property
    def fleeting(self) -> bool:
        """Tell whether this is one goroutine's own stack (a panic, debug.PrintStack), not what a process does."""
        found = self.reading.goroutines
        if found is None or self.reading.kind != "goroutine" or self.reading.format != "debug2":
            return False
        return len(found.groups) == 1 and found.groups[0].count == 1 and found.groups[0].state == "running"

    @property
    def in_a_log(self) -> bool:
        """Tell whether it is a part of its capture."""
        return bool(self.reading.where) and not self.ranged

    @property
    def ranged(self) -> bool:
        """Tell whether it is one moment of many that a store of metrics tells of: a moment of its own."""
        return self.reading.format == "prometheus-range"

    @property
    def source(self) -> Source:
        """Return where a claim can point at."""
        return Source(self.capture.origin, self.capture.digest, self.reading.format, self.reading.where)

    def blame(self, key: str, text: str) -> None:
        """Note why it was not used."""
        self.problems.append(Problem(key, text, self.reading.where))


@dataclass(eq=False, slots=True)
class Moment:
    """What was captured together: per slot what fills it, in several formats perhaps."""

    label: str
    found: list[Found]

    @property
    def time(self) -> datetime | None:
        """Return when it was: as the manifest of a bundle says, else as its captures themselves do."""
        asked = [f.capture.taken_at for f in self.found if f.capture.taken_at and not f.in_a_log and not f.ranged]
        return min(asked) if asked else self.own_time

    @property
    def own_time(self) -> datetime | None:
        """Return when it was, as its captures themselves say."""
        for slot in ("goroutines", "heap", "leaked", "metrics", "status"):
            if times := [f.reading.taken_at for f in self.found if f.slot == slot and f.reading.taken_at]:
                return min(times)
        return None

    @property
    def written(self) -> tuple[datetime, datetime] | None:
        """Return when its first and its last file were written."""
        times = [f.capture.received_at for f in self.found if f.capture.received_at]
        return (min(times), max(times)) if times else None

    @property
    def ranged(self) -> bool:
        """Tell whether a store of metrics tells of it, and no capture."""
        return all(f.ranged for f in self.found)

    @property
    def slots(self) -> set[str]:
        """Return what it can say."""
        return {f.slot for f in self.found if f.slot}

    def best(self, slot: str) -> Found | None:
        """Return the richest of what fills a slot; the others say the same again, and why one is not taken is noted."""
        fits = sorted((f for f in self.found if f.slot == slot), key=_poverty)
        if not fits:
            return None
        whole = fits[0].goroutines if len(fits) > 1 else None
        for other in fits[1:]:
            cut = other.reading.goroutines
            if whole is not None and cut is not None and cut.cut and cut.total < whole.total:
                missing = whole.total - cut.total
                other.blame(
                    "cut-beside-whole",
                    f"Not used: it is cut, and {missing:,} of {whole.total:,} goroutines are missing in it; "
                    f"{fits[0].capture.origin} has them all.",
                )
        return fits[0]


def _poverty(found: Found) -> tuple[bool, bool, int]:
    reading = found.reading
    if reading.metrics is not None:
        if reading.format in _KERNEL:
            return False, False, _KERNEL.index(reading.format)
        return False, reading.metrics.total("go_goroutines") is None, -len(reading.metrics)
    order = _FORMATS.get(found.slot or "", ())
    rank = order.index(reading.format) if reading.format in order else len(order)
    cut = reading.goroutines is not None and reading.goroutines.cut
    return cut, reading.kind == "allocs", rank


def together(found: Sequence[Found], label: str) -> list[Moment]:
    """Return the moments of one directory: one, or as many as there are captures of one kind and format."""
    ranges = _ranges(found)
    usable = _without_fleeting([f for f in found if f.slot and not f.ranged])
    by_kind: dict[tuple[str, str, str], list[Found]] = {}
    for one in usable:
        by_kind.setdefault((one.slot or "", one.reading.kind, one.reading.format), []).append(one)
    if not by_kind:
        return ranges
    # Of metrics there may be several in one moment: the process's own, and those of what watches it.
    solid = [found for (slot, _, _), found in by_kind.items() if slot in _FORMATS]
    anchors = max(solid or by_kind.values(), key=len)
    if len(anchors) == 1:
        return [Moment(label, usable), *ranges]
    moments = [Moment(f"{f.capture.origin} {f.reading.where}".strip(), [f]) for f in anchors]
    moments = in_order(moments)
    for others in by_kind.values():
        if others is anchors:
            continue
        for at, one in enumerate(others):
            _nearest(moments, one, at if len(others) == len(anchors) else None).found.append(one)
    return [*moments, *ranges]


def _ranges(found: Iterable[Found]) -> list[Moment]:
    """Return a moment for each of those that stores of metrics tell of."""
    return [Moment(f"{f.capture.origin} {f.reading.where}".strip(), [f]) for f in found if f.slot and f.ranged]


def _without_fleeting(found: list[Found]) -> list[Found]:
    """Leave out single stacks, unless there is nothing else."""
    lasting = [f for f in found if not f.fleeting]
    if not lasting:
        return found[-1:]
    for one in found:
        if one.fleeting:
            one.blame("one-stack", "Not used: this is the stack of one goroutine, not what the process was doing.")
    return lasting


def _nearest(moments: Sequence[Moment], one: Found, at: int | None) -> Moment:
    """Return the moment that a capture belongs to: nearest in time, else the one of the same number, else the last."""
    when = one.reading.taken_at
    timed = [(abs(when - own), i) for i, m in enumerate(moments) if when and (own := m.own_time)]
    if len(timed) == len(moments):
        return moments[min(timed)[1]]
    if at is not None:
        return moments[at]
    saved = one.capture.received_at
    written = [(abs(saved - w[0]), i) for i, m in enumerate(moments) if saved and (w := m.written)]
    return moments[min(written)[1]] if len(written) == len(moments) else moments[-1]


def loose(found: Sequence[Found]) -> list[Moment]:
    """Return the moments of files that were named one by one.

    Different kinds are one moment unless their own times lie apart; one kind twice is two moments, unless it is one
    moment in two formats: taken close together, or with about the same goroutines.
    """
    moments: list[Moment] = []
    for one in _without_fleeting([f for f in found if f.slot and not f.ranged]):
        home = next((moment for moment in moments if _belongs(one, moment)), None)
        if home is None:
            moments.append(Moment(f"{one.capture.origin} {one.reading.where}".strip(), [one]))
        else:
            home.found.append(one)
    return [*moments, *_ranges(found)]


def _belongs(one: Found, moment: Moment) -> bool:
    same = [f for f in moment.found if f.slot == one.slot]
    if any(f.reading.format == one.reading.format and f.reading.kind == one.reading.kind for f in same):
        return False
    when, then = one.reading.taken_at, moment.own_time
    if when and then:
        return abs(when - then) <= CLOSE
    for other in same:
        mine, theirs = one.goroutines, other.goroutines
        # A few come and go between two requests.
        if mine and theirs and abs(mine.total - theirs.total) > max(5, theirs.total // 10):
            return False
    return True


def in_order(moments: Sequence[Moment]) -> list[Moment]:
    """Return the moments oldest first: by their times, else by when files were written, else as given."""
    if all(m.time for m in moments):
        return sorted(moments, key=lambda m: m.time or datetime.min)
    if written_apart(moments):
        return sorted(moments, key=lambda m: m.written or (datetime.min, datetime.min))
    return list(moments)


def written_apart(moments: Sequence[Moment]) -> bool:
    """Tell whether files were written when they were captured: those of one moment before all of the next."""
    spans = sorted(m.written for m in moments if m.written)
    if len(spans) < len(moments) or len(moments) < 2:
        return False
    return all(later[0] - earlier[1] >= _APART for earlier, later in pairwise(spans))


def snapshots_and_history(moments: Iterable[Moment]) -> tuple[tuple[Snapshot, ...], tuple[Snapshot, ...]]:
    """Return the moments of one process that were captured, and those that only metrics tell of; each oldest first.

    Growth of stacks is seen between captures; without any, what metrics tell are the moments.
    """
    everything = [m for m in moments if m.slots]
    captured = [m for m in everything if not m.ranged]
    if all(m.time for m in captured):  # else a smaller figure may be that of an earlier moment
        captured = longest_run(in_order(captured))
    ranges = _of_one_run([m for m in everything if m.ranged], "last" if captured else "longest")
    if not captured:
        return snapshots(ranges), ()
    for moment in captured:  # its memory, where no capture tells it
        when = moment.time
        times = [(abs(when - then), at) for at, m in enumerate(ranges) if when and (then := m.own_time)]
        if "metrics" not in moment.slots and times and min(times)[0] <= CLOSE:
            moment.found += ranges.pop(min(times)[1]).found
    return snapshots(captured), snapshots(ranges)


def _of_one_run(ranges: list[Moment], wanted: str) -> list[Moment]:
    """Return what is told of one run of the process: the one that was captured, else the longest."""
    kept = [m for m in ranges if m.found[0].reading.notes.get("run", wanted) == wanted]
    for moment in ranges:
        if moment not in kept:
            moment.found[0].blame("other-run", "Not used: the process was restarted, and this is of another run.")
    return kept


def snapshots(moments: Iterable[Moment]) -> tuple[Snapshot, ...]:
    """Return the moments of one process, oldest first."""
    ordered = in_order([m for m in moments if m.slots])
    apart = written_apart(ordered)
    return tuple(_snapshot(m, m.time or (m.written[0] if apart and m.written else None)) for m in ordered)


def _snapshot(moment: Moment, at: datetime | None) -> Snapshot:
    best = {slot: one for slot in sorted(moment.slots) if (one := moment.best(slot))}
    stats = next((f for f in moment.found if f.reading.memstats is not None), None)
    heap = best.get("heap")
    if heap is not None and heap.reading.profile is None:
        del best["heap"]
    sources = {slot: one.source for slot, one in best.items()} | ({"memstats": stats.source} if stats else {})
    get: Callable[[str], Found | None] = best.get
    goroutines, leaked, metrics = get("goroutines"), get("leaked"), get("metrics")
    return Snapshot(
        label=moment.label,
        at=at,
        goroutines=goroutines.goroutines if goroutines else None,
        leaked=leaked.goroutines if leaked else None,
        claimed=goroutines is not None and goroutines.reading.format == "goleak",
        heap=heap.reading.profile if heap else None,
        memstats=stats.reading.memstats if stats else None,
        metrics=metrics.reading.metrics if metrics else None,
        status=_status(moment),
        sources=MappingProxyType(dict(sorted(sources.items()))),
    )


def _status(moment: Moment) -> Metrics | None:
    """Return what the kernel tells of the process in one moment, in whatever files."""
    told = [f for f in sorted(moment.found, key=_poverty, reverse=True) if f.slot == "status"]
    values = {key: value for f in told if f.reading.metrics for key, value in f.reading.metrics.values.items()}
    return Metrics(values) if told else None


def program(found: Iterable[Found]) -> str | None:
    """Return the name of the process that captures tell of, where one does."""
    return next((f.reading.notes["process"] for f in found if "process" in f.reading.notes), None)


def build_name(build: Build) -> str:
    """Return what people call a program: example.com/shop/cmd/orders/v2 is orders. "" without a main package."""
    parts = [part for part in (build.path or "").split("/") if part]
    if len(parts) > 1 and re.fullmatch(r"v\d{1,6}", parts[-1]):
        parts.pop()
    return parts[-1] if parts else ""


__all__ = [
    "Found",
    "Moment",
    "build_name",
    "in_order",
    "loose",
    "program",
    "snapshots",
    "snapshots_and_history",
    "together",
]

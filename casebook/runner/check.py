"""Is expect.toml true? Of recorded evidence, or of a live run just made.

Goes out: complaints in words, none when all is well. Counts, states, lines, creators, growth per request, allocation
paths and source lines are compared; a healthy look-alike must grow as the naive rule wants it.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from casebook.runner.build import needed_modules
from casebook.runner.case import Build, Case
from casebook.runner.evidence import (
    RecordedSnapshot,
    Recording,
    bytes_at,
    count,
    live_bytes,
    recordings,
    same,
    standing,
)
from casebook.runner.expectation import Expectation, Expected, Site, expectation
from casebook.runner.naive import BYTES, GOROUTINES, RSS_BYTES
from casebook.runner.sampling import climbs, goes_on, held_at
from oakum.model import GoroutineGroup
from oakum.model.frame import normal_function, split_function

_HEAP_ROLES = ("allocated", "registered", "driver")
# How far goroutines per request may be from what is expected. A recording takes its time; a live run on a busy machine
# loses a request to a time-out now and then, or is looked at while the last ones are still under way.
_PER_EVENT, _PER_EVENT_SHORT = 0.02, 0.2
# Go before 1.20 has one word for every wait on a semaphore.
_OLD_WORDS = {"sync.Mutex.Lock": "semacquire", "sync.RWMutex.Lock": "semacquire", "sync.RWMutex.RLock": "semacquire",
              "sync.WaitGroup.Wait": "semacquire"}  # fmt: skip
# module example.com/portside/gatelog
_MODULE = re.compile(r"^module\s+(\S+)", re.MULTILINE)


def check(case: Case) -> list[str]:
    """Return what expect.toml says wrongly about the recorded evidence of a case."""
    complaints = [*_sources(case)]
    for name, recorded in recordings(case).items():
        build = next(take.build.name for take in case.takes if take.name == name)
        complaints += [f"{case.name}/{name}: {text}" for text in contradictions(case, build, recorded)]
    return complaints


def contradictions(case: Case, build: str, recorded: Recording, short: bool = False) -> Iterator[str]:
    """Yield where a recording contradicts what is expected of its build. A short run shows less, and less exactly."""
    truth = expectation(case, build)
    for snapshot in recorded.snapshots:
        goroutines = snapshot.goroutines()
        if goroutines is not None and goroutines.missing:
            yield f"{snapshot.folder.name}: {goroutines.missing} goroutines of the dump are missing"
    for finding in truth.findings:
        yield from _finding(finding, recorded, short)
    for process, alone in truth.alone.items():
        for finding in alone.findings:
            sites = tuple(replace(site, process=process) for site in finding.sites)
            yield from _finding(replace(finding, sites=sites), recorded, short)
    yield from _mended(case, truth, recorded)
    yield from _background(truth, recorded, short)


def _mended(case: Case, truth: Expectation, recorded: Recording) -> Iterator[str]:
    """Yield functions in which another build of the case leaks, and this one must not; their lines may have moved.

    Work that is under way in the last snapshot is no leak, nor is a sample or two of the heap.
    """
    ours = {normal_function(finding.place.function) for finding in truth.findings}
    others = {replace(f.place, line=0) for build in case.builds for f in expectation(case, build.name).findings}
    for site in sorted(others, key=lambda site: site.function):
        if normal_function(site.function) in ours or (site.process and site.process not in recorded.processes):
            continue
        values, grows = growth(site, recorded)
        if grows:
            yield f"{site.function} is not expected here and grows: {values}"


def growth(site: Site, recorded: Recording, beside: Sequence[Site] = ()) -> tuple[list[int], bool]:
    """Return the goroutines or live bytes at a place in each snapshot, and whether that is growth which goes on."""
    snapshots = recorded.of(site.process)
    if site.role != "blocked":
        held = [held_at(snapshot.heap(), site) for snapshot in snapshots]
        return [one.bytes for one in held], climbs(held)
    values = [count(standing_beside(snapshot, site, beside)) for snapshot in snapshots]
    return values, values[-1] - values[0] >= GOROUTINES and goes_on(values)


def standing_beside(snapshot: RecordedSnapshot, site: Site, beside: Sequence[Site]) -> list[GoroutineGroup]:
    """Return the goroutines at a place; of one that others share, those that passed or were created at one of these."""
    groups = standing(snapshot.goroutines(), site)
    if not beside:
        return groups
    return [
        group
        for group in groups
        if any(same(frame, one) for one in beside for frame in (*group.stack.frames, group.created_by))
    ]


def _background(truth: Expectation, recorded: Recording, short: bool) -> Iterator[str]:
    for row in truth.harmless if not short else ():
        site = Site("any", row.function)
        if not any(_seen(snapshot, site) for snapshot in recorded.snapshots):
            yield f"harmless {row.function} is in no snapshot"
    if truth.looks_like and not any(_grows(row.function, recorded) for row in truth.harmless):
        yield "it looks like nothing: nothing that is harmless here grows enough for the naive rule to accuse it"


def _grows(function: str, recorded: Recording) -> bool:
    """Tell whether goroutines or bytes of a function grow between two snapshots by what the naive rule accuses."""
    for process in recorded.processes:
        snapshots = recorded.of(process)
        on, by = Site("any", function), Site("created", function)
        goroutines = [max(count(standing(m.goroutines(), on)), count(standing(m.goroutines(), by))) for m in snapshots]
        held = [bytes_at(snapshot.heap(), on) for snapshot in snapshots]
        if _rise(goroutines) >= GOROUTINES or _rise(held) >= BYTES:
            return True
    return False


def _rise(values: Sequence[int]) -> int:
    """Return by how much a later value exceeds an earlier one, at most."""
    lowest = itertools.accumulate(values, min)
    return max((value - low for value, low in zip(values, lowest, strict=True)), default=0)


def _seen(snapshot: RecordedSnapshot, site: Site) -> bool:
    created = Site("created", site.function)
    goroutines = snapshot.goroutines()
    return bool(standing(goroutines, site) or standing(goroutines, created) or bytes_at(snapshot.heap(), site))


def _finding(finding: Expected, recorded: Recording, short: bool) -> Iterator[str]:
    for at, site in enumerate(finding.sites):
        if not site.function:
            continue
        snapshots = recorded.of(site.process)
        if site.role == "blocked" or site.role == "created":
            counts = [count(standing(snapshot.goroutines(), site)) for snapshot in snapshots]
            yield from _blocked(site, counts, snapshots, grows=at == 0)
            if at == 0 and finding.per_event is not None:
                yield from _per_event(finding, counts, snapshots, _PER_EVENT_SHORT if short else _PER_EVENT)
        elif finding.mechanism == "off-heap" and site.role == "allocated":
            yield from _outside(snapshots)
        elif site.role in _HEAP_ROLES:
            yield from _allocated(site, snapshots, grows=site.role == "allocated" and at == 0)
    for victim in finding.victims:
        if not any(standing(m.goroutines(), Site("any", victim.function)) for m in recorded.of(victim.process)):
            yield f"victim {victim.function} is in no snapshot"


def _blocked(site: Site, counts: list[int], snapshots: Sequence[RecordedSnapshot], grows: bool) -> Iterator[str]:
    if not counts[-1] and not (site.role == "created" and max(counts)):
        yield f"nobody at {site.function}:{site.line} in the last snapshot (counts {counts}){_near(site, snapshots)}"
        return
    if counts[-1] < counts[0] + grows:
        yield f"{site.function}: {counts} does not grow"
    if site.state:
        states = {group.state for group in standing(snapshots[-1].goroutines(), site)}
        if not states & {site.state, _OLD_WORDS.get(site.state)}:
            yield f"{site.function} is in {states}, not in {site.state!r}"


def _near(site: Site, snapshots: Sequence[RecordedSnapshot]) -> str:
    """Return where goroutines with that function on their stack are, to correct the expectation by."""
    groups = standing(snapshots[-1].goroutines(), Site("any", site.function))
    places = {f"{group.place.function}:{group.place.line}" for group in groups if group.place}
    return f"; those that passed it stand at {', '.join(sorted(places)[:4])}" if places else ""


def _per_event(
    finding: Expected, counts: list[int], snapshots: Sequence[RecordedSnapshot], error: float
) -> Iterator[str]:
    events = [
        sum(n for name, n in snapshot.requests.items() if name.startswith(finding.event.split("{n}")[0]))
        for snapshot in snapshots
    ]
    if events[-1] == events[0]:
        yield f"{finding.event!r} was never sent; sent were {', '.join(snapshots[-1].requests) or 'none'}"
        return
    measured = (counts[-1] - counts[0]) / (events[-1] - events[0])
    if finding.per_event is not None and abs(measured - finding.per_event) > error * finding.per_event:
        yield f"{measured:.3f} for each {finding.event}, not {finding.per_event} (counts {counts}, sent {events})"


def _allocated(site: Site, snapshots: Sequence[RecordedSnapshot], grows: bool) -> Iterator[str]:
    held = [held_at(snapshot.heap(), site) for snapshot in snapshots]
    if not any(one.bytes for one in held):
        if not any(standing(snapshot.goroutines(), site) for snapshot in snapshots):
            yield f"{site.role} {site.function}:{site.line} is on no path of heap or goroutines"
    elif grows and not climbs(held):
        yield f"{site.function}: {[one.bytes for one in held]} bytes do not grow, or no more than by chance"


def _outside(snapshots: Sequence[RecordedSnapshot]) -> Iterator[str]:
    """Yield a complaint unless memory grows, and by more than the Go heap explains."""
    values = outside(snapshots)
    if values[-1] - values[0] < RSS_BYTES:
        yield f"resident memory does not outgrow the heap: {values} beside it"


def outside(snapshots: Sequence[RecordedSnapshot]) -> list[int]:
    """Return the resident memory that the Go heap does not explain, snapshot by snapshot."""
    return [(snapshot.rss() or 0) - live_bytes(snapshot.heap()) for snapshot in snapshots]


def _sources(case: Case) -> Iterator[str]:
    """Yield sites whose line in our own source does not hold the code they name."""
    for build in case.builds:
        for finding in expectation(case, build.name).findings:
            for site in (*finding.sites, *finding.causes, *finding.victims):
                if site.file:
                    yield from _line(site, case, build)


def _line(site: Site, case: Case, build: Build) -> Iterator[str]:
    modfile = case.folder / build.modfile
    ours = needed_modules(modfile) if modfile.exists() else {}
    for folder in (case.folder, *(folder for _, folder in ours.values())):
        if (path := folder / site.file).exists():
            lines = path.read_text(encoding="utf-8").splitlines()
            if site.line and site.code and site.code not in "".join(lines[site.line - 1 : site.line]):
                found = [at for at, line in enumerate(lines, 1) if site.code in line]
                yield f"{case.name}: {site.file}:{site.line} does not hold {site.code!r}; it stands at {found}"
            for line in site.also:
                if not "".join(lines[line - 1 : line]).strip().strip("{})"):
                    yield f"{case.name}: {site.file}:{line}, which is to name the cause too, holds no code"
            return
    # The line of an upstream file is checked by the frames of the evidence.
    roots = ("main", *ours, *_MODULE.findall(modfile.read_text() if modfile.exists() else ""))
    package = split_function(site.function)[0]
    if any(package == root or package.startswith(f"{root}/") for root in roots):
        yield f"{case.name}: there is no {site.file}, where {site.function} is said to be"


__all__ = ["check", "contradictions", "growth", "outside", "standing_beside"]

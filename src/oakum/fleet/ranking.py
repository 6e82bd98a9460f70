"""Summaries and diagnoses -> the services in order: what leaks, where, how fast, since when, at what cost.

Verdicts are the pipeline's; a service in which nothing grows was not diagnosed and is healthy. Rows depend on what the
store holds alone, not on the order in which it came.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median

from msgspec.structs import replace

from oakum.fleet.casework import Judged
from oakum.fleet.selection import Rise, Run, Selected, current, earliest, least_of, restarts, rising, series
from oakum.model import Finding
from oakum.report.fleet import Cause, Deploy, FleetRow, Known, Ranking, Replicas, instant
from oakum.store.manifest import HOUR
from oakum.store.reader import Reader
from oakum.watch.forecast import forecast

_STACK = 2048  # bytes: no goroutine has less
_GIB = float(1 << 30)
_WEEK = 168.0  # hours: services that nobody restarts are deployed about that often
_SAME_PACE = 0.1  # of the fastest replica: what grows slower does not have the same leak
_ORDER = {"leaking": 0, "undecided": 1, "healthy": 2}
_ENOUGH = 4  # looks that show that a run does not leak


def rank(
    reader: Reader, selected: Selected, judged: Mapping[str, Judged], aside: Mapping[str, int], start: int, end: int
) -> Ranking:
    """Return all services, worst first."""
    rows = [
        _row(reader, service, runs, selected, judged.get(service), aside.get(service, 0), start, end)
        for service, runs in sorted(selected.runs.items())
    ]
    rows += [FleetRow(service=service, verdict="undecided", set_aside=count)
             for service, count in sorted(aside.items()) if service not in selected.runs]  # fmt: skip
    shared: dict[str, list[FleetRow]] = {}
    for row in rows:
        if row.cause and row.verdict == "leaking":
            shared.setdefault(row.cause, []).append(row)
    rows = [_with_others(row, shared) for row in rows]
    rows.sort(key=lambda one: (_ORDER[one.verdict], -one.bytes_per_hour, -one.goroutines_per_hour, one.service))
    causes = [
        Cause(cause, tuple(sorted(one.service for one in of)), of[0].mechanism, of[0].place, of[0].known,
              sum(one.bytes_per_hour for one in of))
        for cause, of in shared.items()
    ]  # fmt: skip
    causes.sort(key=lambda one: (-len(one.services), -one.bytes_per_hour, one.cause))
    return Ranking(tuple(rows), tuple(causes), instant(end) if rows else None)


def _with_others(row: FleetRow, shared: Mapping[str, Sequence[FleetRow]]) -> FleetRow:
    return replace(row, services=len(shared[row.cause])) if row.cause in shared and row.verdict == "leaking" else row


def _row(
    reader: Reader,
    service: str,
    runs: Sequence[Run],
    selected: Selected,
    judged: Judged | None,
    aside: int,
    start: int,
    end: int,
) -> FleetRow:
    first = FleetRow(
        service=service,
        verdict="healthy",
        set_aside=aside,
        looks=sum(len(times) for run in runs for times in run.looks.values()),
        first_seen=instant(min(run.since for run in runs)),
        last_seen=instant(max(run.until for run in runs)),
        build=max(runs, key=lambda run: (run.until, run.since, run.build)).build,
        replicas=Replicas(len({(run.zone, run.replica) for run in current(runs)})),
    )
    diagnosis = judged.diagnosis if judged is not None else None
    if judged is None or diagnosis is None:
        return first
    found = diagnosis.findings[0] if diagnosis.findings and diagnosis.verdict != "healthy" else None
    if found is None:
        return _changed(first, verdict=diagnosis.verdict, document=judged.document, diagnosed=True)
    return _Leak(reader, service, runs, selected, found, judged.places, start, end).row(
        _changed(first, verdict=diagnosis.verdict, document=judged.document, diagnosed=True)
    )


def _changed(row: FleetRow, **values: object) -> FleetRow:
    return replace(row, **values)


class _Leak:
    """One finding held against the summaries of all replicas."""

    def __init__(
        self,
        reader: Reader,
        service: str,
        runs: Sequence[Run],
        selected: Selected,
        found: Finding,
        places: Sequence[str],
        start: int,
        end: int,
    ) -> None:
        self.runs, self.found, self.end = runs, found, end
        suspect = found.suspect
        self.frame = suspect.sites[0].frame
        measured = {one.measure for one in suspect.growth}
        self.kind = "goroutines" if suspect.blocked or "goroutines" in measured else "heap"
        keys = dict.fromkeys(places)
        for one in selected.growing.get(service, ()):
            if one.kind == self.kind and one.function == self.frame.function:
                keys.setdefault(one.place)
        self.courses = series(reader, service, list(keys), self.kind, start, end, runs)
        self.rates = {run.run: rate for run in runs if (rate := self._rate(run)) is not None}
        fastest = max((one.per_hour for one in self.rates.values()), default=0.0)
        self.rates = {run: one for run, one in self.rates.items() if one.per_hour >= _SAME_PACE * fastest}

    def _rate(self, run: Run) -> Rise | None:
        """Return since when and how fast it grows in a run."""
        times, values = self.courses[run.run]
        heap = run.allocated if self.kind == "heap" else None
        return rising(times, values, least_of(self.kind), heap) if len(times) > 2 else None

    def row(self, row: FleetRow) -> FleetRow:
        now = [run for run in current(self.runs) if run.run in self.rates]
        per_hour = sum(self.rates[run.run].per_hour for run in now)
        if not now:  # too few looks, or it leaked in a run that has ended: what the diagnosis measured
            per_hour = next((float(one.per_hour) for one in self.found.suspect.growth if one.per_hour), 0.0)
        goroutines = max(0.0, per_hour) if self.kind == "goroutines" else 0.0
        heap = sum(self._heap(run) for run in now) if self.kind == "goroutines" else max(0.0, per_hour)
        lost = heap + _STACK * goroutines
        hours = self._hours(lost)
        begin, low, high = self._begin()
        known = self.found.known[0] if self.found.known else None
        cause = known.id if known else f"{self.found.mechanism} {self.frame.function}"
        site = self.found.suspect.sites[0]
        return _changed(
            row,
            place=self.frame.function,
            file=self.frame.file,
            line=self.frame.line,
            state=site.state or "",
            kind=self.kind,
            growth=_rounded(per_hour),
            goroutines_per_hour=_rounded(goroutines),
            bytes_per_hour=_rounded(lost),
            gib_hours=_rounded(lost * hours * hours / 2 / _GIB / max(1, len(now))),
            restart_hours=_rounded(hours),
            confidence=self.found.confidence,
            mechanism=self.found.mechanism,
            finding=self.found.id,
            begin=begin,
            begin_low=low,
            begin_high=high,
            deploy=self._deploy() if row.verdict == "leaking" else None,
            replicas=self._replicas() if row.verdict == "leaking" else row.replicas,
            cause=cause,
            known=Known(known.id, known.module, known.found or "", known.fixed, known.upgrade_to or "",
                        known.affects_build) if known else None,
        )  # fmt: skip

    def _heap(self, run: Run) -> float:
        times = run.looks.get("heap")
        if times is None or len(times) < 3 or not len(run.live):
            return 0.0
        found = rising(times, run.live, least_of("heap"), run.allocated)
        return found.per_hour if found is not None else 0.0

    def _hours(self, lost: float) -> float:
        """Return how long a process runs until it is restarted: as those before it did, or until its memory is full."""
        newest = {run.run for run in current(self.runs)}
        ended = [(run.until - run.since) / HOUR for run in self.runs if run.run not in newest]
        if ended:
            return median(ended)
        limits = [run.limit for run in self.runs if run.limit]
        return min(_WEEK, min(limits) / lost) if limits and lost > 0 else _WEEK

    def _begin(self) -> tuple[object, object, object]:
        """Return when growth began, with its interval; where it grew from the first look on, that is the begin."""
        if not self.rates:
            return None, None, None
        order = [run for run in self.runs if run.run in self.rates]
        first = min(order, key=lambda run: (self.rates[run.run].begin, run.run))
        times, values = self.courses[first.run]
        rise = self.rates[first.run]
        made = first.allocated if self.kind == "heap" else None
        if (since := earliest(times, values, made, rise)) < rise.begin:
            return instant(since), None, None
        cuts = restarts(values, made)
        parts = [slice(low, high) for low, high in pairwise(cuts)]
        told = forecast([times[one] for one in parts], [values[one] for one in parts], None, self.end)
        if not told.grows or told.begin is None:
            return instant(rise.begin), None, None
        low, high = told.begin_low, told.begin_high
        return (
            instant(told.begin),
            instant(low) if low is not None else None,
            instant(high) if high is not None else None,
        )

    def _healthy(self) -> list[Run]:
        return [run for run in self.runs
                if run.run not in self.rates and len(self.courses[run.run][0]) >= _ENOUGH]  # fmt: skip

    def _deploy(self) -> Deploy | None:
        """Return the build since which it leaks: all that have it leak, and none before it did."""
        leaking = {run.build for run in self.runs if run.run in self.rates} - {""}
        sound = {run.build for run in self._healthy()} - {""}
        if not leaking or not sound or leaking & sound:
            return None
        at = {build: min(run.since for run in self.runs if run.build == build) for build in leaking | sound}
        build = min(leaking, key=lambda one: (at[one], one))
        before = [one for one in sound if at[one] < at[build]]
        return Deploy(build, instant(at[build]), max(before, key=lambda one: (at[one], one))) if before else None

    def _replicas(self) -> Replicas:
        """Return which of the replicas that run now have it."""
        now = current(self.runs)
        every = {(run.zone, run.replica) for run in now}
        leaking = {(run.zone, run.replica) for run in now if run.run in self.rates}
        sound = {(run.zone, run.replica) for run in self._healthy() if run in now} - leaking
        zones = {zone for zone, _ in leaking}
        in_zone = bool(zones - {""}) and not zones & {zone for zone, _ in sound} and bool(sound)
        who = ""
        if len(every) > 1 and leaking:
            who = "all" if not sound else "zone" if in_zone else "one" if len(leaking) == 1 else "some"
        if (
            self._deploy() is not None
            and sound
            and not {r.build for r in now if r.run in self.rates}
            & {r.build for r in now if (r.zone, r.replica) in sound}
        ):
            who = "build"
        return Replicas(
            len(every), len(leaking), who, tuple(sorted(replica for _, replica in leaking if replica))[:16],
            tuple(sorted(zones - {""})) if who == "zone" else (),
        )  # fmt: skip


def _rounded(value: float) -> float:
    """Return a figure as far as it can be measured; the sums of other orders end with the same digits."""
    return float(f"{value:.6g}")

"""A store of past profiles -> targets, one for each process it has profiles of; snapshots of the past, evenly spread.

A store (Parca, Pyroscope) says when there are profiles, and hands one out; what is the same for all is here. Files lie
in a folder for each snapshot, named by its time: 20261116T101500Z/goroutine.pb.gz.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol

from msgspec import Struct, field

from oakum.collect.history.selector import Selector, exactly
from oakum.collect.history.word import Word, in_words
from oakum.collect.target import CaptureOptions, LeftOut, Plan, Step, Taken
from oakum.collect.web import HttpEndpoint
from oakum.model import Buffer, Capture, Problem, Text, Unreachable, UsageError

SNAPSHOTS = 5  # enough to tell a slope, and few enough to fetch
_MOST = 10  # processes that one word names
_NEAR = timedelta(minutes=5)  # profiles of one snapshot are scraped one after the other
_SHOWN = 12


class Kind(Struct, frozen=True):
    """One kind of profile that a store has: its name there, and what it is."""

    id: str  # memory:inuse_space:bytes:space:bytes
    file: str  # heap, goroutine
    what: str


class Track(Struct, frozen=True):
    """The profiles of one kind that a store has of one process."""

    labels: Mapping[str, str]
    at: tuple[datetime, ...]  # oldest first


class Store(Protocol):
    """What is asked of a store; every method raises Unreachable, in words."""

    endpoint: HttpEndpoint
    ending: str  # of the files that it hands out: .pb.gz, .pb

    def kinds(self, since: datetime, until: datetime) -> list[Kind]:
        """Return which of the profiles that tell of leaks it has."""

    def tracks(self, kind: Kind, match: Selector, since: datetime, until: datetime) -> list[Track]:
        """Return the processes that fit, and when there are profiles of them."""

    def profile(self, kind: Kind, match: Selector, at: datetime, options: CaptureOptions) -> tuple[Buffer, bool]:
        """Return the profile of a snapshot as received, and whether several processes seem to send as this one."""

    def existing(self, since: datetime, until: datetime) -> Mapping[str, Sequence[str]]:
        """Return values of the labels that name processes."""


def kind_of(id: str, name: str, sample: str, unit: str) -> Kind | None:
    """Return what a type of profile is, if it tells of leaks."""
    del name  # memory, heap; goroutine, goroutines
    if sample in ("goroutine", "goroutines") and unit == "count":
        return Kind(id, "goroutine", "goroutines")
    if sample == "inuse_space":
        return Kind(id, "heap", "live heap")
    return None


def open_store(store: Store, said: Word) -> list["ProfilesTarget"]:
    """Return a target for each process that fits; raise when none is meant, or none fits."""
    until = datetime.now(UTC)
    since = until - (said.last or CaptureOptions().past)
    if said.match is None:
        raise UsageError(f"{said.kind}+{said.shown}: match= says which process{_there(store, said, since, until)}")
    kinds = store.kinds(since, until)
    found: dict[tuple[tuple[str, str], ...], Mapping[str, str]] = {}
    for kind in kinds:
        for track in store.tracks(kind, said.match, since, until):
            found.setdefault(tuple(sorted(track.labels.items())), track.labels)
    if not found:
        span = in_words(said.last or CaptureOptions().past)
        lack = "" if kinds else " It has neither goroutines nor heap profiles at all."
        raise UsageError(
            f"{said.kind}+{said.shown}: no profile fits match={said.match} in the last {span}.{lack}"
            f" What there is{_there(store, said, since, until)}"
        )
    ordered = [found[key] for key in sorted(found)]
    targets = [ProfilesTarget(store, said, labels) for labels in ordered[:_MOST]]
    if (more := len(ordered) - _MOST) > 0:
        targets[0].left_out.append(
            LeftOut(
                Text("plan.processes", {"count": more}), Text("plan.at-once", {"count": _MOST}), Text("plan.narrower")
            )
        )
    return targets


def _there(store: Store, said: Word, since: datetime, until: datetime) -> str:
    try:
        values = store.existing(since, until)
    except Unreachable:
        values = {}
    told = [f"{name} is {_listed(some)}" for name, some in values.items() if some]
    first = next(((name, _plain(some[0])) for name, some in values.items() if some), ("job", "orders"))
    return f": {'; '.join(told)}. {said.example(str(exactly(dict([first]), [first[0]])))} names one" if told else "."


def _listed(values: Sequence[str]) -> str:
    more = f" and {len(values) - _SHOWN} more" if len(values) > _SHOWN else ""
    return ", ".join(_plain(value) for value in values[:_SHOWN]) + more


def _plain(value: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in value[:100])


class ProfilesTarget(Struct, eq=False, dict=True):
    store: Store
    said: Word
    labels: Mapping[str, str]
    left_out: list[LeftOut] = field(default_factory=list)
    _kinds: dict[str, Kind] = field(default_factory=dict)

    @property
    def match(self) -> Selector:
        """Return the selector of this process alone: its labels, and what was asked for beside them."""
        asked = self.said.match.matchers if self.said.match else ()
        beside = [one for one in asked if one[0] not in self.labels]
        return Selector((*exactly(self.labels, sorted(self.labels)).matchers, *beside))

    @property
    def address(self) -> str:
        """Return the word that names it alone."""
        return f"{self.said.kind}+{self.store.endpoint.address}?match={self.match}"

    @property
    def name(self) -> str:
        """Return what people call it: orders-10.0.0.7:6060."""
        names = ("job", "service_name", "namespace", "pod", "container", "instance", "hostname")
        told = [self.labels[name] for name in names if self.labels.get(name)]
        return "-".join(dict.fromkeys(told)) or "-".join(value for _, _, value in self.match.matchers)

    @property
    def process(self) -> str:
        """Return what is the same for two targets of one process."""
        return self.address

    def plan(self, options: CaptureOptions, snapshot: int = 1, last: bool = True) -> Plan:
        """Return the profiles to take: a few snapshots, evenly spread over the time that was asked for."""
        del last
        span = self.said.last or options.past
        until = datetime.now(UTC)
        since = until - span
        problems: list[Problem] = list(getattr(self.store.endpoint, "remarks", ())) if snapshot == 1 else []
        when: dict[str, list[datetime]] = {}
        try:
            for kind in self.store.kinds(since, until):
                stamps = sorted({at for track in self.store.tracks(kind, self.match, since, until) for at in track.at})
                if stamps:
                    self._kinds[kind.id] = kind
                    when[kind.id] = stamps
        except Unreachable as error:
            problems.append(Problem.of("unreachable", error=error.text))
        if not when and not problems:
            problems.append(Problem.of("empty.profiles", target=self.name, span=in_words(span)))
        steps = [step for at in _spread(when) for step in self._steps(when, at)]
        return Plan(tuple(steps), tuple(self.left_out), problems=tuple(problems), once=True)

    def _steps(self, when: Mapping[str, Sequence[datetime]], wanted: datetime) -> list[Step]:
        steps = []
        for id, stamps in when.items():
            at = _nearest(stamps, wanted)
            if at is not None:
                kind = self._kinds[id]
                file = f"{wanted:%Y%m%dT%H%M%SZ}/{kind.file}{self.store.ending}"
                ask = f"{self.store.endpoint.address} {kind.id}{self.match} at {at:%Y-%m-%dT%H:%M:%SZ}"
                steps.append(Step(file, f"{kind.what} at {at:%H:%M:%S} UTC", ask, f"{id} {at.isoformat()}", at))
        return steps

    def take(self, step: Step, options: CaptureOptions) -> Taken:
        began = datetime.now(UTC)
        id, _, at = step.key.rpartition(" ")
        try:
            data, crowded = self.store.profile(self._kinds[id], self.match, datetime.fromisoformat(at), options)
        except Unreachable as error:
            return Taken(step, None, began, datetime.now(UTC), (Problem.of("unreachable", error=error.text),))
        ended = datetime.now(UTC)
        if not data:
            return Taken(step, None, began, ended, (Problem.of("empty.profile", asked=step.ask),))
        problems = (Problem.of("doubtful", asked=step.ask),) if crowded else ()
        return Taken(step, Capture(step.ask, data, began, step.at), began, ended, problems)

    def close(self) -> None:
        self.store.endpoint.close()


def _spread(when: Mapping[str, Sequence[datetime]]) -> list[datetime]:
    """Return the snapshots to take: of the kind with the most profiles, evenly spread, the first and the last too."""
    stamps = max(when.values(), key=len, default=())
    if len(stamps) <= SNAPSHOTS:
        return list(stamps)
    first, last = stamps[0], stamps[-1]
    wanted_times = [first + (last - first) * at / (SNAPSHOTS - 1) for at in range(SNAPSHOTS)]
    return list(dict.fromkeys(stamps[_index(stamps, wanted)] for wanted in wanted_times))


def _index(stamps: Sequence[datetime], wanted: datetime) -> int:
    at = bisect_left(stamps, wanted)
    near = [i for i in (at - 1, at) if 0 <= i < len(stamps)]
    return min(near, key=lambda i: abs(stamps[i] - wanted))


def _nearest(stamps: Sequence[datetime], wanted: datetime) -> datetime | None:
    at = stamps[_index(stamps, wanted)]
    return at if abs(at - wanted) <= _NEAR else None

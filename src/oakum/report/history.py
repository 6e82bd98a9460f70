"""What a store remembers of services -> text for a terminal or a pipe, and the document that programs read.

Comes in: plain values, oldest first. Each service is a few lines that fit any width: verdict and name, goroutines and
live heap with their growth and small bars, when the limit is reached. Nothing is looked up here.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from msgspec import Struct, to_builtins

from oakum.report.layout import chart, utc
from oakum.report.pen import Look
from oakum.report.terminal import BlockPen
from oakum.report.words import size, span

SCHEMA = "oakum.history/1"
_TONES = {"leaking": "red", "healthy": "green", "undecided": "magenta"}
_PLACES_MOST = 8  # of each kind on a terminal
_EVENTS_MOST = 12
_SMALL = 0.01  # of what is there per hour: below that growth is not worth a colour


class Line(Struct, frozen=True):
    """One measure through time: its newest value, its growth per hour within runs, and values evenly spread."""

    value: float | None = None
    per_hour: float | None = None
    points: tuple[float | None, ...] = ()


class ServiceHistory(Struct, frozen=True, kw_only=True):
    service: str
    verdict: str = ""  # of the open incident, else of the newest diagnosis; "": none was made
    state: str = ""  # of the newest incident
    goroutines: Line = Line()
    heap_live: Line = Line()
    rss: int | None = None
    limit_bytes: int | None = None
    since: datetime | None = None  # when growth began
    since_low: datetime | None = None
    since_high: datetime | None = None
    limit_low: datetime | None = None  # when the limit is reached, not before
    limit_high: datetime | None = None
    first_seen: datetime
    last_seen: datetime
    runs: int = 0
    running: int = 0
    snapshots: int = 0
    build: str = ""  # the version that it runs


class IncidentHistory(Struct, frozen=True, kw_only=True):
    incident: str
    service: str
    state: str
    verdict: str = ""
    mechanism: str = ""
    function: str = ""
    file: str = ""
    line: int = 0
    opened_at: datetime
    closed_at: datetime | None = None
    since: datetime | None = None
    since_low: datetime | None = None
    since_high: datetime | None = None
    limit_low: datetime | None = None
    limit_high: datetime | None = None
    replicas: tuple[str, ...] = ()
    revision: int = 0
    after: "EventHistory | None" = None  # the change before growth began


class PlaceHistory(Struct, frozen=True, kw_only=True):
    kind: str  # "goroutines" or "heap"
    function: str
    file: str
    line: int
    state: str = ""
    place: str = ""
    value: float | None = None
    per_hour: float | None = None


class EventHistory(Struct, frozen=True):
    at: datetime
    kind: str
    text: str  # in words


class History(Struct, frozen=True, kw_only=True):
    """All that is shown; of one service also its places and events."""

    store: str
    now: datetime
    services: tuple[ServiceHistory, ...] = ()
    incidents: tuple[IncidentHistory, ...] = ()
    places: tuple[PlaceHistory, ...] = ()
    events: tuple[EventHistory, ...] = ()


def document(history: History) -> dict[str, Any]:
    found: dict[str, Any] = {"schema": SCHEMA, **to_builtins(history)}
    return found


def render(history: History, look: Look, *, alone: bool) -> str:
    """Return the page; `alone`: it is about one service."""
    return "\n".join(_Pen(history, look).lines(alone)) + "\n"


class _Pen(BlockPen):
    def __init__(self, history: History, look: Look) -> None:
        super().__init__(look)
        self.history = history

    def lines(self, alone: bool) -> Iterator[str]:
        if not alone:
            leaking = sum(one.verdict == "leaking" for one in self.history.services)
            yield from self.title("history.head", services=len(self.history.services), leaking=leaking)
        for number, one in enumerate(self.history.services):
            if number or not alone:
                yield ""
            yield from self.service(one, alone)
        incidents = self.history.incidents
        if incidents:
            yield ""
            yield from self.title("history.incidents")
            for incident in incidents:
                yield from self.incident(incident, alone)
        if alone:
            yield from self.places_of("goroutines")
            yield from self.places_of("heap")
            yield from self.happened()

    def title(self, key: str, **args: int) -> Iterator[str]:
        return (self.look.styled(line, "bold") for line in self.wrapped(self.word(key, **args), 0))

    def service(self, one: ServiceHistory, alone: bool) -> Iterator[str]:
        badge = self.word(f"badge.{one.verdict}") if one.verdict in _TONES else self.word("history.badge.none")
        name = self.look.safe(one.service)
        tone = _TONES.get(one.verdict, "dim")
        indent = 3
        room = self.room(self.look.width_of(badge) + 2)
        shown = name if room is None else self.shortened(name, room)
        yield f"{self.look.styled(badge, 'bold', tone)}  {self.look.styled(shown, 'bold')}"
        if one.since is not None:
            yield from self.wrapped(self.since(one), indent)
        yield from self.flowing(self.measure("history.goroutines", one.goroutines, count_text, alone), indent)
        yield from self.flowing(self.measure("history.heap", one.heap_live, size, alone), indent)
        parts = []
        if one.rss is not None:
            parts.append(self.word("history.rss", rss=size(one.rss)))
        if one.limit_bytes is not None:
            parts.append(self.word("history.limit", limit=size(one.limit_bytes)))
        if one.limit_low is not None:
            parts.append(self.look.styled(self.reaches(one), "red"))
        if parts:
            yield from self.flowing(parts, indent)
        seen = [
            self.word("history.seen", snapshots=one.snapshots, runs=one.runs),
            self.word("history.last", time=_time(one.last_seen), ago=self.span(one.last_seen, self.history.now)),
        ]
        yield from self.dim(self.flowing(seen, indent))

    def measure(self, key: str, line: Line, show: Any, alone: bool) -> list[str]:
        if line.value is None and not any(point is not None for point in line.points):
            return [self.word(key, value=self.word("history.unknown"))]
        parts = [self.word(key, value=show(line.value) if line.value is not None else self.word("history.unknown"))]
        if line.per_hour is not None:
            grows = line.value and line.per_hour > _SMALL * abs(line.value)
            told = f"{'+' if line.per_hour >= 0 else '-'}{show(abs(line.per_hour))}/h"
            parts.append(self.look.styled(told, "red") if grows else told)
        counts = [None if point is None else round(point) for point in line.points]
        drawn = chart(counts) if self.look.glyphs and sum(one is not None for one in counts) > 1 else ""
        if drawn:
            parts.append(self.look.styled(drawn, "cyan"))
        elif alone and (known := [one for one in counts if one is not None]):
            parts.append(f"{show(min(known))} - {show(max(known))}")
        return parts

    def since(self, one: ServiceHistory | IncidentHistory) -> str:
        assert one.since is not None
        told = self.word("history.since", time=_time(one.since), ago=self.span(one.since, self.history.now))
        if one.since_low is not None and one.since_high is not None and one.since_low != one.since_high:
            told += self.word("history.between", low=_time(one.since_low), high=_time(one.since_high))
        return told

    def reaches(self, one: ServiceHistory | IncidentHistory) -> str:
        assert one.limit_low is not None
        low = self.instant(one.limit_low)
        if one.limit_high is None:
            return self.word("history.reaches-open", low=low)
        return self.word("history.reaches", low=low, high=self.instant(one.limit_high))

    def instant(self, at: datetime) -> str:
        """Return a time to come, and how far away it is; one that has passed since the last snapshot is just a time."""
        if at <= self.history.now:
            return _time(at)
        return self.word("history.in", time=_time(at), span=self.span(self.history.now, at))

    def span(self, start: datetime, end: datetime) -> str:
        return span((end - start).total_seconds(), self.look.lang)

    def incident(self, one: IncidentHistory, alone: bool) -> Iterator[str]:
        state = self.word(f"history.state.{one.state}")
        tone = {"open": "red", "flapping": "magenta"}.get(one.state, "green")
        name = "" if alone else f"{self.look.safe(one.service)}  "
        yield f"   {self.look.styled(state, 'bold', tone)}  {name}{self.look.safe(one.mechanism)}".rstrip()
        if one.function:
            spot = f"{one.file}:{one.line}" if one.file else ""
            room = self.room(6)
            shown = self.look.safe(one.function)
            yield from (f"      {self.look.styled(line, 'cyan')}" for line in self.wrapped(shown, 6, pad=False))
            if spot:
                yield f"      {self.look.safe(spot if room is None else self.shortened(spot, room))}"
        when = [self.word("history.opened", time=_time(one.opened_at))]
        if one.closed_at is not None:
            when.append(self.word("history.closed", time=_time(one.closed_at)))
        if one.replicas:
            when.append(self.word("history.replicas", count=len(one.replicas)))
        yield from self.flowing(when, 6)
        if one.since is not None:
            yield from self.wrapped(self.since(one), 6)
        if one.after is not None:
            told = self.word("history.after", time=_time(one.after.at), what=self.look.safe(one.after.text))
            yield from self.wrapped(told, 6)
        if one.limit_low is not None and one.state == "open":
            yield from self.wrapped(self.reaches(one), 6)
        yield from self.dim([f"      {self.word('history.id', id=one.incident)}"])

    def places_of(self, kind: str) -> Iterator[str]:
        found = [one for one in self.history.places if one.kind == kind]
        if not found:
            return
        yield ""
        yield from self.title(f"history.places.{kind}")
        show = count_text if kind == "goroutines" else size
        most = len(found) if self.columns is None else _PLACES_MOST
        for one in found[:most]:
            told = [show(one.value) if one.value is not None else "?"]
            if one.per_hour is not None:
                told.append(f"{'+' if one.per_hour >= 0 else '-'}{show(abs(one.per_hour))}/h")
            if one.state:
                told.append(one.state)
            yield from self.flowing([self.look.safe(part) for part in told], 3)
            spot = f"{one.file}:{one.line}" if one.file else ""
            where = f"{one.function}  {spot}".strip()
            if self.columns is not None and self.look.width_of(where) > self.columns - 6:
                yield from (self.look.styled(line, "cyan") for line in self.wrapped(self.look.safe(one.function), 6))
                yield f"      {self.shortened(self.look.safe(spot), self.columns - 6)}"
            else:
                yield f"      {self.look.styled(self.look.safe(one.function), 'cyan')}  {self.look.safe(spot)}".rstrip()
        if len(found) > most:
            yield f"   {self.word('count.more', count=len(found) - most)}"

    def happened(self) -> Iterator[str]:
        events = self.history.events
        if not events:
            return
        yield ""
        yield from self.title("history.events")
        shown = events if self.columns is None else events[-_EVENTS_MOST:]
        if len(shown) < len(events):
            yield "   " + self.word("history.earlier", count=len(events) - len(shown))
        for one in shown:
            first, *rest = self.wrapped(f"{_time(one.at)}  {self.look.safe(one.text)}", 3)
            yield first
            yield from (f"{' ' * 19}{line.strip()}" for line in rest)


def _time(at: datetime) -> str:
    return f"{utc(at):%Y-%m-%d %H:%M}"


def count_text(value: float) -> str:
    """Return a count as people read it; one below ten with a digit behind the point, where that says something."""
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:,.1f}".removesuffix(".0")


__all__ = ["History", "count_text", "document", "render"]

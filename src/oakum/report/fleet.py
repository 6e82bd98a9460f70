"""The services of a fleet in order -> text for a terminal or a pipe, JSON, CSV, and one HTML page.

Comes in: plain values, worst first. Nothing is looked up or decided here.
"""

import csv
from collections.abc import Iterator
from datetime import UTC, datetime
from io import StringIO
from typing import Any

from msgspec import Struct, to_builtins

from oakum.report.pen import Look, Pen
from oakum.report.words import size

SCHEMA = "oakum.fleet/1"
_TONES = {"leaking": "red", "healthy": "green", "undecided": "magenta"}
_SHOWN = 40  # rows on a terminal
_CAUSES = 5


class Replicas(Struct, frozen=True):
    """The replicas that run now, and which of them leak."""

    running: int = 0
    leaking: int = 0
    who: str = ""  # all, one, some, zone, build; "": there is one, or none leaks
    names: tuple[str, ...] = ()
    zones: tuple[str, ...] = ()


class Deploy(Struct, frozen=True):
    """The build since which it leaks."""

    build: str
    at: datetime
    before: str = ""  # the build before it, which did not


class Known(Struct, frozen=True):
    """The upstream bug that it is."""

    id: str
    module: str
    found: str = ""
    fixed: tuple[str, ...] = ()
    upgrade_to: str = ""
    affects: str = ""  # yes, no, unknown


class FleetRow(Struct, frozen=True, kw_only=True):
    """One service. Figures are of all replicas that run now."""

    service: str
    verdict: str  # leaking, undecided, healthy
    place: str = ""  # the function where goroutines wait, or memory is allocated
    growth: float = 0.0  # goroutines, or bytes, per hour
    kind: str = ""  # goroutines, heap
    file: str = ""
    line: int = 0
    state: str = ""
    confidence: str = ""
    mechanism: str = ""
    goroutines_per_hour: float = 0.0
    bytes_per_hour: float = 0.0  # heap, and the least stack of each goroutine
    gib_hours: float = 0.0  # what one replica holds for nothing until it is restarted
    restart_hours: float = 0.0  # how long replicas run until then
    begin: datetime | None = None
    begin_low: datetime | None = None
    begin_high: datetime | None = None
    deploy: Deploy | None = None
    replicas: Replicas = Replicas()
    known: Known | None = None
    cause: str = ""  # what is the same in services that share it
    services: int = 0  # that share it
    build: str = ""
    finding: str = ""
    document: str = ""  # digest of the diagnosis
    diagnosed: bool = False  # False: nothing grows in it
    looks: int = 0
    set_aside: int = 0
    first_seen: datetime | None = None
    last_seen: datetime | None = None


class Cause(Struct, frozen=True):
    """What several services have in common."""

    cause: str
    services: tuple[str, ...]
    mechanism: str
    place: str
    known: Known | None = None
    bytes_per_hour: float = 0.0


class Ranking(Struct, frozen=True):
    rows: tuple[FleetRow, ...]
    causes: tuple[Cause, ...] = ()
    until: datetime | None = None  # the newest profile


def instant(at: int) -> datetime:
    return datetime.fromtimestamp(at / 1e6, UTC)


def document(ranking: Ranking) -> dict[str, Any]:
    """Return the ranking as programs read it."""
    found: dict[str, Any] = {"schema": SCHEMA, **to_builtins(ranking)}
    return found


_COLUMNS = (
    "service", "verdict", "place", "file", "line", "kind", "growth", "goroutines_per_hour", "bytes_per_hour",
    "gib_hours", "begin", "build_since", "replicas_leaking", "replicas_running", "confidence", "mechanism",
    "known", "fixed_in", "services", "looks", "set_aside",
)  # fmt: skip


def table(ranking: Ranking) -> str:
    """Return the ranking as CSV. What a spreadsheet would take for a formula begins with an apostrophe."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for row in ranking.rows:
        more = {
            "begin": row.begin.isoformat() if row.begin else "",
            "build_since": row.deploy.build if row.deploy else "",
            "replicas_leaking": row.replicas.leaking,
            "replicas_running": row.replicas.running,
            "known": row.known.id if row.known else "",
            "fixed_in": " ".join(row.known.fixed) if row.known else "",
        }
        cells = [more[name] if name in more else getattr(row, name) for name in _COLUMNS]
        writer.writerow([_cell(value) for value in cells])
    return out.getvalue()


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def render(ranking: Ranking, look: Look, most: int = _SHOWN) -> str:
    """Return the ranking for a terminal: all that leaks or is undecided; how many are healthy."""
    return "\n".join(FleetPen(look).lines(ranking, most)) + "\n"


class FleetPen(Pen):
    """Writes services, each in a few lines."""

    def lines(self, ranking: Ranking, most: int) -> Iterator[str]:
        counts = {verdict: sum(row.verdict == verdict for row in ranking.rows) for verdict in _TONES}
        head = self.word("fleet.head", services=len(ranking.rows), **counts)
        yield from (self.look.styled(line, "bold") for line in self.wrapped(head, 0))
        for cause in [one for one in ranking.causes if len(one.services) > 1][:_CAUSES]:
            yield from self.wrapped(self.shared(cause), 3)
        shown = [row for row in ranking.rows if row.verdict != "healthy"]
        for row in shown[: most if self.columns is not None else None]:
            yield ""
            yield from self.row(row)
        if self.columns is not None and len(shown) > most:
            yield ""
            yield self.word("count.more", count=len(shown) - most)

    def shared(self, cause: Cause) -> str:
        known = cause.known
        if known is None:
            return self.word("fleet.shared", count=len(cause.services), mechanism=cause.mechanism, place=cause.place)
        key = "fleet.shared-known" if known.upgrade_to else "fleet.shared-unfixed"
        module = f"{known.module} {known.found}".strip()
        return self.word(key, count=len(cause.services), id=known.id, module=module, fixed=known.upgrade_to)

    def row(self, row: FleetRow) -> Iterator[str]:
        badge = self.look.styled(self.word(f"badge.{row.verdict}"), "bold", _TONES[row.verdict])
        name = self.look.safe(row.service)
        room = self.room(14)
        yield f"{badge}  {self.look.styled(name if room is None else self.shortened(name, room), 'bold')}"
        if row.place:
            yield from (self.look.styled(line, "cyan") for line in self.wrapped(self.look.safe(row.place), 3))
            if row.file:
                spot = self.look.safe(f"{row.file}:{row.line}")
                room = self.room(3)
                yield f"   {spot if room is None else self.shortened(spot, room)}"
        for told in self.told(row):
            yield from self.wrapped(told, 3)

    def told(self, row: FleetRow) -> Iterator[str]:
        grows = []
        if row.goroutines_per_hour:
            grows.append(self.word("fleet.goroutines", count=row.goroutines_per_hour))
        if row.bytes_per_hour:
            grows.append(self.word("fleet.bytes", size=size(row.bytes_per_hour)))
            grows.append(self.word("fleet.cost", cost=row.gib_hours, hours=row.restart_hours))
        if row.mechanism:
            grows.append(self.look.safe(row.mechanism))
        if grows:
            yield self.joined(grows)
        if row.begin is not None:
            yield self.word("fleet.begin", time=f"{row.begin:%Y-%m-%d %H:%M}")
        for said in (self.deployed(row), self.who(row), self.known(row), self.others(row)):
            if said:
                yield said
        if row.set_aside:
            yield self.word("fleet.aside", count=row.set_aside)

    def deployed(self, row: FleetRow) -> str:
        if row.deploy is None:
            return ""
        time = f"{row.deploy.at:%Y-%m-%d %H:%M}"
        return self.word("fleet.deploy", build=row.deploy.build, time=time, before=row.deploy.before)

    def known(self, row: FleetRow) -> str:
        known = row.known
        if known is None:
            return ""
        fixed = known.upgrade_to or ", ".join(known.fixed)
        key = "fleet.known" if fixed else "fleet.known-unfixed"
        return self.word(key, id=known.id, module=f"{known.module} {known.found}".strip(), fixed=fixed)

    def others(self, row: FleetRow) -> str:
        return self.word("fleet.others", count=row.services - 1) if row.services > 1 else ""

    def who(self, row: FleetRow) -> str:
        replicas = row.replicas
        if not replicas.who:
            return ""
        names = self.joined(replicas.zones or replicas.names[:4])
        return self.word(f"fleet.who.{replicas.who}", leaking=replicas.leaking, running=replicas.running, names=names)


def page(ranking: Ranking, lang: str) -> str:
    """Return the ranking as one HTML page."""
    from oakum.report.html import render as html
    from oakum.report.page.fleet import fleet

    return html(fleet(ranking, lang))


__all__ = ["FleetRow", "Ranking", "document", "page", "render", "table"]

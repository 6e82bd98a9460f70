"""All services of a store in memory, made anew in the background when the store has changed: what the first page shows.

Making it reads every snapshot. It has a thread and a reader of its own, and takes at most a tenth of a core: a page is
answered from the newest one that is ready, and says of when that is.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from oakum import history
from oakum.model import Unreachable
from oakum.report.history import IncidentHistory, ServiceHistory
from oakum.store.reader import Reader
from oakum.web.records import Records

PAST = 7 * history.DAY  # of the charts
_SOONEST = 5.0  # seconds between two
_SHARE = 10  # times as long as making it took until it is made again
Sort = Literal["verdict", "service", "goroutines", "goroutines-growth", "heap", "heap-growth", "limit", "since", "seen"]
SORTS: tuple[Sort, ...] = get_args(Sort)
VERDICTS = ("leaking", "undecided", "healthy", "none")


class Summary(Struct, frozen=True):
    """The services as they stood at one time, worst first, and the incidents, newest first."""

    services: tuple[ServiceHistory, ...] = ()
    incidents: tuple[IncidentHistory, ...] = ()
    counts: Mapping[str, int] = {}  # of each verdict
    newest: datetime | None = None  # snapshot
    problems: tuple[object, ...] = ()

    def find(self, service: str) -> ServiceHistory | None:
        return next((one for one in self.services if one.service == service), None)


class Wanted(Struct, frozen=True):
    """Which services, in which order."""

    text: str = ""
    verdict: str = ""
    sort: Sort = "verdict"
    falling: bool = False  # the other way round than usual


class Overview:
    def __init__(self, directory: Path, failed: Callable[[Exception], None]) -> None:
        self.records = Records(directory, threads=1, cores=1)
        self._failed = failed
        self._summary: Summary | None = None
        self._state: object = None
        self._next = 0.0
        self._making: asyncio.Task[Summary] | None = None

    async def get(self) -> Summary:
        """Return the newest that is ready; the first one is waited for."""
        due = self._making is None and monotonic() >= self._next
        if due and (self._summary is None or self.records.state() != self._state):
            self._making = asyncio.create_task(self._make())
            self._making.add_done_callback(lambda done: done.cancelled() or done.exception())  # whoever waits has it
        if self._summary is not None:
            return self._summary
        if self._making is None:
            return Summary()
        return await asyncio.shield(self._making)

    async def _make(self) -> Summary:
        begun, state = monotonic(), self.records.state()
        try:
            self._summary = await self.records.ask(summarise)
            self._state = state
            return self._summary
        except Exception as error:
            if self._summary is None:
                raise
            # What was known is shown on, with what is wrong.
            if isinstance(error, Unreachable):
                self._summary = replace(self._summary, problems=(error.text,))
            else:
                self._failed(error)
            return self._summary
        finally:
            self._next = monotonic() + max(_SOONEST, _SHARE * (monotonic() - begun))
            self._making = None

    def close(self) -> None:
        if self._making is not None:
            self._making.cancel()
        self.records.close()


def summarise(reader: Reader) -> Summary:
    """Return what is to be shown of a store."""
    found = tuple(history.services(reader, None, PAST))
    counts = {verdict: sum(verdict_of(one) == verdict for one in found) for verdict in VERDICTS}
    newest = max((one.last_seen for one in found), default=None)
    return Summary(found, tuple(history.incidents(reader)), counts, newest, reader.problems)


def verdict_of(one: ServiceHistory) -> str:
    return one.verdict if one.verdict in VERDICTS else "none"


def chosen(services: Sequence[ServiceHistory], wanted: Wanted) -> list[ServiceHistory]:
    """Return the services that are wanted; those of which a measure is not known come last, whichever way."""
    text = wanted.text.casefold()
    found = [
        one
        for one in services
        if (not wanted.verdict or verdict_of(one) == wanted.verdict)
        and (not text or text in one.service.casefold() or text in one.build.casefold())
    ]
    if wanted.sort == "verdict":
        return found[::-1] if wanted.falling else found
    if wanted.sort == "service":
        return sorted(found, key=lambda one: one.service, reverse=wanted.falling)
    known = [(value, one) for one in found if (value := _value(one, wanted.sort)) is not None]
    rising = wanted.sort in ("limit", "since")  # what is soonest, or began first
    known.sort(key=lambda pair: pair[0], reverse=rising == wanted.falling)
    return [one for _, one in known] + [one for one in found if _value(one, wanted.sort) is None]


def _value(one: ServiceHistory, sort: Sort) -> float | None:
    moment = {"limit": one.limit_low, "since": one.since, "seen": one.last_seen}.get(sort)
    if moment is not None:
        return moment.timestamp()
    return {
        "goroutines": one.goroutines.value,
        "goroutines-growth": one.goroutines.per_hour,
        "heap": one.heap_live.value,
        "heap-growth": one.heap_live.per_hour,
    }.get(sort)

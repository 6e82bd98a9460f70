"""What services do beside growing: another build, limit, load -> events, one per change, not per replica.

And with which of them growth may have come. Nothing is opened here; times are microseconds since 1970.
"""

import json
from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from oakum.store.rows import EventRow, RunRow
from oakum.watch.summary import Summary
from oakum.watch.trends import RECENT, Trail, load_change

KINDS = ("deploy", "config", "load", "restart", "oom-kill")  # that may be behind growth, the likeliest first
_REMEMBERED, _SERVICES_MOST = 64, 4096  # events of a service; services
_HOUR = 3_600_000_000
_LIMIT_MOVED = 0.01  # a limit that differs by less is the same, rounded


class Ran(Struct, frozen=True):
    """How a replica runs; what is not told is empty."""

    version: str = ""
    image: str = ""
    limit: int | None = None
    cores: float | None = None

    def then(self, newer: "Ran") -> "Ran":
        """Return what is known now: not every look brings everything."""
        return Ran(
            newer.version or self.version,
            newer.image or self.image,
            self.limit if newer.limit is None else newer.limit,
            self.cores if newer.cores is None else newer.cores,
        )


def ran(summary: Summary) -> Ran:
    return Ran(summary.identity.version, summary.image, summary.limit, summary.cores)


class Changes:
    """What happened to each service lately. Used by the watcher's thread."""

    def __init__(self, runs: Iterable[RunRow] = (), events: Iterable[EventRow] = ()) -> None:
        """Begin with the newest run of each service, and the events of the last day."""
        self._known = {one.service: Ran(one.version, one.image, one.limit_bytes, one.cores) for one in runs}
        self._events: dict[str, deque[EventRow]] = {}
        for one in events:
            self.add(one)

    def add(self, happened: EventRow) -> None:
        if happened.kind not in KINDS:
            return
        if happened.service not in self._events and len(self._events) >= _SERVICES_MOST:
            self._events.pop(next(iter(self._events)))
        self._events.setdefault(happened.service, deque(maxlen=_REMEMBERED)).append(happened)

    def of(self, service: str) -> Sequence[EventRow]:
        return tuple(self._events.get(service, ()))

    def seen(
        self, service: str, replica: str, run: str, before: Ran | None, now: Ran, others: Iterable[Ran], trail: Trail
    ) -> list[EventRow]:
        """Return what a snapshot shows to have changed; `before`: of the same process, None: it is a new one."""
        at = trail.recent[-1].at
        known, found = before if before is not None else self._known.get(service), []
        self._known[service] = self._known.pop(service, now).then(now)
        if len(self._known) > _SERVICES_MOST:
            self._known.pop(next(iter(self._known)))

        def happened(kind: str, key: str, when: int, **args: str | float) -> None:
            told = json.dumps({"replica": replica, **args}, ensure_ascii=False)
            found.append(EventRow(service=service, run=run, at=when, kind=kind, key=key, args=told))

        # What another replica has already was said of that one, or this is a restart in the middle of a rollout.
        alike = [*others] if before is None else []
        if known is not None:
            build = _other_build(known, now) if before is None else ""
            if build and all(_other_build(one, now) for one in alike):
                happened("deploy", "watch.deploy", at, version=build)
            if _other_limit(known.limit, now.limit) and now.limit not in [one.limit for one in alike]:
                happened("config", "watch.config-limit", at, before=known.limit or 0, after=now.limit or 0)
            if known.cores and now.cores and now.cores not in (known.cores, *[one.cores for one in alike]):
                happened("config", "watch.config-cores", at, before=known.cores, after=now.cores)
        if (load := load_change(trail)) is not None and not self._told_of_load(service, load.at, trail):
            happened("load", "watch.load", load.at, before=load.before, after=load.after)
        for one in found:
            self.add(one)
        return found

    def _told_of_load(self, service: str, at: int, trail: Trail) -> bool:
        """Tell whether this change of load was said already: of another replica, or a look ago."""
        near = 2 * (trail.recent[-1].at - trail.recent[-RECENT].at)
        return any(one.kind == "load" and abs(at - one.at) < near for one in self.of(service))


def _other_build(before: Ran, now: Ran) -> str:
    """Return the name of a build that differs from another one; "": as far as is told it is the same."""
    if before.version and now.version and before.version != now.version:
        return now.version
    return now.image if before.image and now.image and before.image != now.image else ""


def _other_limit(before: int | None, now: int | None) -> bool:
    return bool(before and now) and abs((now or 0) / (before or 1) - 1) > _LIMIT_MOVED


def preceding(events: Sequence[EventRow], begin: int, low: int | None, high: int) -> list[EventRow]:
    """Return the changes that growth may have come with, the nearest first.

    One must come before growth can have begun, and not longer before than the begin is uncertain, or an hour: a leak
    that needs a request of a kind begins with the first one.
    """
    low = begin if low is None else low
    slack = max(high - low, _HOUR)
    near = [one for one in events if one.kind in KINDS and low - slack <= one.at <= high]
    # A deploy restarts, and is the reason for it; load comes and goes by itself.
    return sorted(near, key=lambda one: (abs(one.at - begin) // (slack // 4), KINDS.index(one.kind), -one.at))


def as_kept(happened: EventRow) -> str:
    """Return an event as an incident keeps it: its time, and its sentence."""
    args: Mapping[str, object] = json.loads(happened.args)
    return json.dumps({"at": happened.at, "kind": happened.kind, "key": happened.key, "args": args}, ensure_ascii=False)

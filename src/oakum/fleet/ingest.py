"""Profiles of a source -> summaries in a store, each once, however often and in whatever order they come.

What makes a profile one: service, replica, zone, time and kind. One that is cut or damaged, or that claims to be one
that is there with other bytes, is set aside with the reason: an event of its service.
"""

import json
from collections.abc import Callable, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from oakum.fleet.sources import Entry, Read, Unfit
from oakum.fleet.summary import Labels, Passed, Refused, Summary, moment, summarize
from oakum.model import Capture, Text
from oakum.store.captures import digest_of
from oakum.store.reader import Reader
from oakum.store.rows import Batch, EventRow, RunRow
from oakum.store.writer import Writer

_CHUNK = 256  # profiles that are written as one batch
_CHUNK_BYTES = 32 << 20
_TOLD = 8 << 10  # of a reason that an event keeps
SET_ASIDE = "set-aside"
_Key = tuple[str, str, str, int]


class Ingested(Struct):
    """What came of the profiles of a source."""

    added: int = 0
    known: int = 0
    passed: int = 0
    aside: list[tuple[str, Text]] = []  # name, reason
    services: set[str] = set()

    def words(self) -> dict[str, int]:
        counts = {"added": self.added, "known": self.known, "aside": len(self.aside), "passed": self.passed}
        return {**counts, "services": len(self.services)}


def ingest(
    writer: Writer,
    entries: Sequence[Entry],
    read: Read,
    now: int,
    progress: Callable[[int], None] = lambda _: None,
) -> Ingested:
    """Take profiles in; those that are there already are known by what names them, and by their bytes."""
    done = Ingested(aside=[], services=set())
    with Reader(writer.directory) as reader:
        runs = {row.run: row for row in reader.runs()}
        refused = _set_aside(reader)
        rest = iter(entries)
        count = 0
        while chunk := list(islice(rest, _CHUNK)):
            _take(writer, reader, runs, refused, chunk, read, now, done)
            count += len(chunk)
            progress(count)
            reader.refresh()
    return done


def _set_aside(reader: Reader) -> set[str]:
    """Return what was set aside before."""
    found = set()
    for row in reader.events():
        if row.kind == SET_ASIDE:
            told = json.loads(row.args)
            found.add(_mark(row.service, str(told.get("file")), str(told.get("digest"))))
    return found


def _mark(service: str, name: str, digest: str) -> str:
    return "\0".join((service, name, digest))


def _take(
    writer: Writer,
    reader: Reader,
    runs: dict[str, RunRow],
    refused: set[str],
    chunk: Sequence[Entry],
    read: Read,
    now: int,
    done: Ingested,
) -> None:
    known = _known(reader, runs, chunk)
    pending = _Pending(writer)
    for entry in chunk:
        labels = entry.labels
        try:
            data = read(entry.place)
        except Unfit as error:
            done.aside.append((entry.name, error.args[0]))
            continue
        digest = digest_of(data)
        found = _one(Capture(entry.name, data), labels, digest, known, refused)
        if found is None:
            done.known += 1
        elif isinstance(found, Passed):
            done.passed += 1
        elif isinstance(found, Refused):
            done.aside.append((entry.name, found.why))
            refused.add(_mark(labels.service, entry.name, digest))
            pending.events.append(aside(labels.service, labels.at or now, entry.name, digest, found.why))
        else:
            known[_key(found)] = digest
            done.added += 1
            done.services.add(found.run.service)
            pending.add(found, data, f"{labels.profile or 'profile'}.pb.gz", runs)
            if pending.bytes > _CHUNK_BYTES:
                pending.write()
    pending.write()


def _one(
    capture: Capture, labels: Labels, digest: str, known: dict[_Key, str], refused: set[str]
) -> Summary | Refused | Passed | None:
    """Return what a profile is; None where it is there already."""
    if _mark(labels.service, capture.origin, digest) in refused:
        return None
    if labels.service and labels.at is not None and labels.profile:
        there = known.get((labels.service, labels.replica, labels.zone, moment(labels.at, labels.profile)))
        if there == digest:
            return None
    found = summarize(capture, labels)
    if not isinstance(found, Summary):
        return found
    there = known.get(_key(found))
    if there is None:
        return found
    return None if there == digest else Refused(Text("fleet.refused.conflict"), found.run.service)


def _key(found: Summary) -> _Key:
    return found.run.service, found.run.replica, found.run.zone, found.snapshot.at


def _known(reader: Reader, runs: dict[str, RunRow], chunk: Sequence[Entry]) -> dict[_Key, str]:
    """Return the profiles that are there of the time of some entries."""
    times = [one.labels.at for one in chunk]
    told = [at for at in times if at is not None]
    # A profile that is undated by its path has any time.
    ends = (min(told), max(told) + 10) if len(told) == len(times) else (-(1 << 62), 1 << 62)
    rows = reader.query("SELECT run, time, captures FROM snapshots", ["snapshots"], *ends)
    known: dict[_Key, str] = {}
    for run, at, captures in zip(rows["run"], rows["time"], rows["captures"], strict=True):
        row = runs.get(run)
        if row is not None:
            known[row.service, row.replica, row.zone, int(at)] = captures[0] if len(captures) else ""
    return known


def aside(service: str, at: int, name: str, digest: str, why: Text) -> EventRow:
    """Return the event of a profile that is set aside."""
    args = {"file": name, "why": why.key, "digest": digest}
    return EventRow(
        service=service, at=at, kind=SET_ASIDE, key="fleet.event.set-aside", args=json.dumps(args, ensure_ascii=False)
    )


class _Pending:
    """Summaries that are written together."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self.events: list[EventRow] = []
        self.found: list[Summary] = []
        self.bytes = 0
        self._runs: dict[str, RunRow] = {}
        self._captures: list[tuple[bytes, str]] = []

    def add(self, found: Summary, data: bytes, kind: str, runs: dict[str, RunRow]) -> None:
        self._captures.append((data, kind))
        self.bytes += len(data)
        self.found.append(found)
        run, before = found.run, runs.get(found.run.run)
        if before is not None:
            run = replace(run, first_seen=min(run.first_seen, before.first_seen), modules=run.modules or before.modules)
        if run != before:
            runs[run.run] = self._runs[run.run] = run

    def write(self) -> None:
        if self.found or self.events:
            batch = Batch(
                runs=tuple(self._runs.values()),
                snapshots=tuple(one.snapshot for one in self.found),
                places=tuple(place for one in self.found for place in one.places),
                events=tuple(self.events),
            )
            self._writer.keep_many(self._captures)
            self._writer.append(batch)
        self.events, self.found, self.bytes, self._runs, self._captures = [], [], 0, {}, []

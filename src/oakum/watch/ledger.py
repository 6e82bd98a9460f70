"""What is to be kept -> the store, as one batch at a time; what cannot be written waits, up to a bound.

Used by the watcher's thread alone. Nothing is acknowledged before it is on the disk.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from oakum.model import StoreError
from oakum.store import Batch, Limits, open_reader, open_writer
from oakum.store.rows import EventRow, RunRow, SnapshotRow
from oakum.watch.clock import Clock
from oakum.watch.config import RetentionTable, duration, size
from oakum.watch.diagnoser import Judged
from oakum.watch.log import Log, worded

_WAITING_MOST = 512  # batches that a full disk keeps from being written
_RETRY = 5.0  # seconds until a store that could not be written is tried again
_MAINTAIN, _SOON = 60.0, 1.0
_PAGES_MOST = 200
_SAID_MOST = 5  # of what is missing in a store; `oakum store check` has all of it
_DAY = 86_400_000_000


class Ledger:
    """The writer of a store, and what waits for it."""

    def __init__(self, directory: Path, log: Log, clock: Clock, limits: Limits | None = None) -> None:
        self.directory, self._log, self._clock = directory, log, clock
        self._writer = open_writer(directory, True, limits)
        self._told = 0  # of what is missing in the store
        self._say_missing()
        self._waiting: list[Batch] = []
        self._retry = 0.0
        self._maintain_at = clock.monotonic() + _MAINTAIN
        self._dropped = 0
        self.failures = 0
        self.size = _size(directory)

    def state(self, name: str) -> bytes | None:
        return self._writer.state(name)

    def lately(self) -> tuple[list[RunRow], list[EventRow]]:
        """Return the newest run of each service, and what happened since a day ago."""
        try:
            with open_reader(self.directory) as reader:
                return reader.newest_runs(), reader.events(start=self._clock.now() - _DAY)
        except StoreError:  # nothing is in it yet
            return [], []

    def add(self, batch: Batch) -> None:
        """Have something written with the next flush."""
        self._waiting.append(batch)

    def flush(self, now_or_never: bool = False) -> None:
        """Write what waits, as one batch."""
        if not self._waiting or (self._clock.monotonic() < self._retry and not now_or_never):
            return
        try:
            self._writer.append(merged(self._waiting))
        except StoreError as error:
            self._failed(error)
            self._retry = self._clock.monotonic() + _RETRY
            self._drop()
            return
        self._waiting.clear()
        if self._log.over("store"):
            self._log.write("info", "store-written", dropped=self._dropped)
            self._dropped = 0

    def keep(self, judged: Judged, known: frozenset[int]) -> tuple[str, str, tuple[SnapshotRow, ...]]:
        """Keep what findings cite: the diagnosis, its page, and the captures of its snapshots but those known."""
        try:
            document = self._writer.keep(judged.document, "diagnosis.json")
            page = self._writer.keep(judged.page, "page.html")
            rows = []
            for kept, captures in zip(judged.snapshots, judged.captures, strict=True):
                if kept.at not in known:
                    digests = [self._writer.keep(bytes(one.data), name) for name, one in captures]
                    rows.append(replace(kept.row, captures=tuple(digests)))
            return document, page, tuple(rows)
        except StoreError as error:
            self._failed(error)
            return "", "", ()

    def write_page(self, incident: str, page: bytes) -> str:
        """Write the page of an incident where people can open it, and return its path; the oldest go."""
        folder = self.directory / "pages"
        path = folder / f"{incident}.html"
        try:
            folder.mkdir(exist_ok=True)
            part = folder / f".{incident}.part"
            part.write_bytes(page)
            part.replace(path)
            found = sorted(folder.glob("*.html"), key=lambda one: one.stat().st_mtime)
            for old in found[:-_PAGES_MOST]:
                old.unlink(missing_ok=True)
        except OSError as error:
            self._log.once("page", "warn", "page-not-written", path=str(path), why=error.strerror or str(error))
            return ""
        self._log.over("page")
        return str(path.absolute())

    def maintain(self) -> None:
        """Do a bounded piece of what keeps the store small, now and then."""
        now = self._clock.monotonic()
        if now < self._maintain_at:
            return
        self._maintain_at = now + _MAINTAIN
        self.size = _size(self.directory)
        try:
            if self._writer.maintain(self._clock.now()).more:
                self._maintain_at = now + _SOON
        except StoreError as error:
            self._failed(error)
        self._say_missing()

    def _say_missing(self) -> None:
        """Say once what is missing or damaged; of much, how much."""
        fresh = self._writer.problems[self._told :]
        for text in fresh[:_SAID_MOST]:
            self._log.write("warn", "store-damaged", why=worded(text))
        if len(fresh) > _SAID_MOST:
            self._log.write("warn", "store-damaged", more=len(fresh) - _SAID_MOST)
        self._told += len(fresh)

    def close(self) -> None:
        self.flush(now_or_never=True)
        if self._waiting:
            self._log.write("error", "lost", batches=len(self._waiting), why="the store cannot be written")
        self._writer.close()

    def _failed(self, error: StoreError) -> None:
        self.failures += 1
        self._log.once("store", "error", "store-failed", why=worded(error))

    def _drop(self) -> None:
        """Keep at most so many: of the oldest the figures go, incidents and state stay."""
        while len(self._waiting) > _WAITING_MOST:
            oldest = self._waiting.pop(0)
            self._dropped += len(oldest.snapshots)
            rest = Batch(findings=oldest.findings[-8:], incidents=oldest.incidents[-64:], state=oldest.state)
            if rest.incidents or rest.state:
                self._waiting[0] = merged([rest, self._waiting[0]])


def _size(directory: Path) -> int:
    """Return how many bytes the files of a store have; one that goes meanwhile is left out."""
    total = 0
    for name in ("log", "parts", "captures"):
        for folder, _, files in os.walk(directory / name):
            for file in files:
                with suppress(OSError):
                    total += (Path(folder) / file).stat().st_size
    return total


def merged(batches: Sequence[Batch]) -> Batch:
    """Return several batches as one: of a state the newest counts."""
    if len(batches) == 1:
        return batches[0]
    names = [name for name in Batch.__struct_fields__ if name != "state"]
    rows = {name: tuple(row for one in batches for row in getattr(one, name)) for name in names}
    state = {name: data for one in batches for name, data in one.state}
    return Batch(**rows, state=tuple(state.items()))


def limits_of(told: RetentionTable) -> Limits | None:
    """Return what a configuration says of how long what is kept; None where it says nothing."""
    if not any((told.raw, told.hourly, told.daily, told.size)):
        return None
    usual = Limits()
    return replace(
        usual,
        raw_hours=max(1, round(duration(told.raw, usual.raw_hours * 3600) / 3600)),
        hour_days=max(1, round(duration(told.hourly, usual.hour_days * 86400) / 86400)),
        day_days=max(1, round(duration(told.daily, usual.day_days * 86400) / 86400)),
        most_bytes=round(size(told.size, usual.most_bytes)),
    )

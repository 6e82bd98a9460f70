"""The one writer of a store: batches and captures -> its log, its parts and its manifest.

`append` returns when a batch is on the disk; a kill at any instruction loses at most the batch under way. Refuses a
store that another process writes, one of a newer version, and a directory that holds something else.
"""

import errno
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from msgspec.structs import replace

from oakum.model import StoreError, Text
from oakum.store import captures, engine, files, log, maintenance, parts
from oakum.store.lock import Lock
from oakum.store.manifest import HOUR, NAME, Limits, Maintained, Manifest, Part, write_manifest
from oakum.store.recovery import manifest_of
from oakum.store.rows import TABLES, Batch

# Of the log: what a reader, a start and the making of parts unpack in memory at once.
_FLUSH_ROWS = 20_000
_FLUSH_BYTES = 4 << 20
_OWN = {NAME, f"{NAME}.damaged", "lock", "log", "parts", "captures", "recent", "pages", "wanted"}


class Writer:
    def __init__(self, directory: Path, create: bool = True, limits: Limits | None = None) -> None:
        self.directory = directory
        _check_place(directory, create)
        with failing(directory):
            directory.mkdir(parents=True, exist_ok=True)
            self._lock = Lock(directory)
            try:
                self._open(limits)
            except BaseException:
                self._lock.release()
                raise

    def _open(self, limits: Limits | None) -> None:
        manifest, self.problems = manifest_of(self.directory)
        for name in ("log", "parts", "captures"):
            (self.directory / name).mkdir(exist_ok=True)
        if manifest is None:
            if self.problems:  # damaged, and nothing else is there: whose it was nobody knows
                raise StoreError(self.problems[0])
            manifest = Manifest(limits=limits or Limits())
            log.Log(self.directory, manifest.log, 0).close()
            self._write(manifest)
        elif self.problems:
            if (path := self.directory / NAME).exists():
                path.replace(path.with_name(f"{NAME}.damaged"))
            self._write(manifest)
        elif limits is not None and limits != manifest.limits:
            manifest = replace(manifest, limits=limits, generation=manifest.generation + 1)
            self._write(manifest)
        self.manifest = manifest
        self._clean()
        self._broken: set[str] = set()
        self._leave([part for part in manifest.parts if _bytes_of(self.directory / part.file) != part.bytes])
        if manifest.log not in log.numbers(self.directory):
            self.problems += (Text("store.no-log", {"path": str(log.path_of(self.directory, manifest.log))}),)
        self._state = dict(manifest.state)
        self._batches = manifest.batches
        self._logged, self._rows, self._flush_at = 0, 0, _FLUSH_ROWS
        number, end = manifest.log, 0
        for number in [one for one in log.numbers(self.directory) if one >= manifest.log]:
            segment = log.read_segment(log.path_of(self.directory, number))
            for frame in segment.frames:
                self._state.update(frame.state)
                self._rows += sum(len(next(iter(columns.values()), ())) for columns in frame.tables.values())
            self._batches += len(segment.frames)
            self._logged += segment.end
            end = segment.end
        self._log = log.Log(self.directory, number, end)
        self._ageing = maintenance.Ageing()
        self._hour = -1
        self.capture_bytes = sum(path.stat().st_size for _, path in captures.every(self.directory))

    @property
    def size(self) -> int:
        """Return the bytes of all its files, but for those that others keep beside them."""
        return sum(part.bytes for part in self.manifest.parts) + self._logged + self.capture_bytes

    def _write(self, manifest: Manifest) -> None:
        write_manifest(self.directory, manifest)
        self.manifest = manifest

    def _clean(self) -> None:
        """Remove what a killed writer left: files without their name, parts and segments that no manifest names."""
        known = {part.file for part in self.manifest.parts} | set(self.manifest.obsolete)
        for path in self.directory.glob(f"{files.TEMPORARY}*"):
            shutil.rmtree(path) if path.is_dir() else files.remove(path)
        for path in self.directory.glob("parts/*/*"):
            if path.relative_to(self.directory).as_posix() not in known:
                files.remove(path)
        for path in self.directory.glob(f"captures/*/{files.TEMPORARY}*"):
            files.remove(path)
        for number in log.numbers(self.directory):
            path = log.path_of(self.directory, number)
            if number < self.manifest.log and path.relative_to(self.directory).as_posix() not in known:
                files.remove(path)

    @property
    def batches(self) -> int:
        """Return how many batches were ever acknowledged."""
        return self._batches

    def append(self, batch: Batch) -> None:
        """Write a batch; when this returns it is on the disk, when it raises nothing of it is kept."""
        frame = log.encode(batch)
        with failing(self.directory):
            self._log.append(frame)
        self._state.update(dict(batch.state))
        self._batches += 1
        self._logged += len(frame)
        self._rows += sum(len(getattr(batch, name)) for name in TABLES)
        if self._rows >= self._flush_at or self._logged >= _FLUSH_BYTES:
            try:
                self.flush()
            except StoreError:  # the batch is safe all the same; `maintain` says what is wrong
                self._flush_at = self._rows + _FLUSH_ROWS // 4

    def keep(self, data: bytes, kind: str) -> str:
        """Keep a capture or a document, called `kind` ("goroutine.txt", "diagnosis.json"); return its digest.

        It stays as long as a row cites it; what no appended batch cites is removed by and by.
        """
        with failing(self.directory):
            digest, size = captures.write(self.directory, data, kind)
        self.capture_bytes += size
        self._ageing.kept[digest] = time.monotonic()
        return digest

    def keep_many(self, given: Iterable[tuple[bytes, str]]) -> None:
        """Keep many captures, as `keep` does one."""
        with failing(self.directory):
            took = captures.write_many(self.directory, given)
        self.capture_bytes += sum(took.values())
        self._ageing.kept.update(dict.fromkeys(took, time.monotonic()))

    def state(self, name: str) -> bytes | None:
        return self._state.get(name)

    def flush(self) -> None:
        """Turn the log into parts."""
        if not self._logged:
            return
        numbers = [one for one in log.numbers(self.directory) if one >= self.manifest.log]
        frames = [frame for one in numbers for frame in log.read_segment(log.path_of(self.directory, one)).frames]
        with failing(self.directory):
            # Before the manifest names it: a reader must find the segment where the log begins.
            following = log.Log(self.directory, self._log.number + 1, 0)
            try:
                tables = log.columns_of(frames, self.manifest.batches)
                with engine.connected(self.directory) as connection:
                    made = parts.parts_of_log(connection, self.directory, tables, self.manifest.number + 1)
                old = [log.path_of(self.directory, one).relative_to(self.directory).as_posix() for one in numbers]
                self.commit(made, (), old, log=following.number, batches=self._batches, state=dict(self._state))
            except BaseException:
                following.close()
                files.remove(following.path)
                raise
        self._log.close()
        self._log, self._logged, self._rows, self._flush_at = following, 0, 0, _FLUSH_ROWS

    def maintain(self, now: int) -> Maintained:
        """Do a bounded piece of what keeps a store small and fast; `more` says that there is more to be done."""
        hour = now // HOUR
        if self._rows >= self._flush_at or self._logged >= _FLUSH_BYTES or hour != self._hour:
            self.flush()
            self._hour = hour
        with failing(self.directory):
            return maintenance.maintain(self, now, self._ageing)

    @property
    def sound_parts(self) -> list[Part]:
        """Return the parts that can be made into others."""
        return [part for part in self.manifest.parts if part.file not in self._broken]

    def set_aside(self, group: Iterable[Part]) -> bool:
        """Leave those of some parts alone that are missing or damaged; tell whether there are any."""
        bad = [part for part in group if not parts.is_whole(self.directory, part)]
        self._leave(bad)
        return bool(bad)

    def _leave(self, bad: Iterable[Part]) -> None:
        for one in bad:
            self._broken.add(one.file)
            args: dict[str, str | int] = {"file": one.file, "rows": one.rows, "table": one.table}
            self.problems += (Text("store.no-part", args),)

    def commit(
        self, added: Iterable[Part], gone: Iterable[Part], obsolete: Iterable[str] = (), **changes: object
    ) -> None:
        """Replace parts by others at one instant; files that go stay until the next time, for those who read them."""
        added, gone = list(added), list(gone)
        before = self.manifest
        kept = [part for part in before.parts if part not in gone]
        made = replace(
            before,
            generation=before.generation + 1,
            number=before.number + len(added),
            parts=(*kept, *added),
            obsolete=(*(part.file for part in gone), *obsolete),
            **changes,
        )
        self._write(made)
        for file in before.obsolete:
            files.remove(self.directory / file)

    def take_over(self, made: Iterable[Part], mark: str) -> None:
        """Make parts of another store its own, and remember that under a name, at one instant."""
        self.commit(made, (), state={**self.manifest.state, mark: b""})
        self._state[mark] = b""

    def close(self) -> None:
        self._log.close()
        self._lock.release()

    def __enter__(self) -> "Writer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _bytes_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1


def _check_place(directory: Path, create: bool) -> None:
    if directory.exists() and not directory.is_dir():
        raise StoreError(Text("store.no-directory", {"path": str(directory)}))
    there = {path.name for path in directory.iterdir()} if directory.is_dir() else set()
    if not create and not there & {NAME, "parts", "log"}:
        raise StoreError(Text("store.none", {"path": str(directory)}))
    if not there & {NAME, "log"} and (foreign := {name for name in there if not name.startswith(".")} - _OWN):
        raise StoreError(Text("store.foreign", {"path": str(directory), "name": min(foreign)}))


@contextmanager
def failing(directory: Path) -> Iterator[None]:
    """Turn what the disk says into an error that has its sentence."""
    try:
        yield
    except OSError as error:
        key = "store.full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "store.failed"
        args = {"path": str(directory), "error": error.strerror or str(error)}
        raise StoreError(Text(key, args)) from error

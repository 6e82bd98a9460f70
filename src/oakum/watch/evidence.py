"""Recent captures of each target, on disk and bounded: what a diagnosis is made of when growth shows.

Of the snapshots of a target the newest are kept, and of those before ever fewer: some are from before growth began.
What a finding cites is kept by the store; what lies here is a buffer, and a part of it that is lost ends nothing.
"""

import shutil
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from threading import Lock

import msgspec
from msgspec import Struct

from oakum.model import Capture
from oakum.store.rows import SnapshotRow

NEWEST = 3
_SPACED = 5  # of those before: each about twice as old as the next
_BYTES_MOST = 24 << 20  # of one target; dumps go first
_INDEX, _STATE = "index.json", "state.json"
_DUMP = "goroutine.debug2.txt"


class Kept(Struct, frozen=True):
    """One snapshot in the buffer."""

    row: SnapshotRow  # as the store has it
    address: str
    files: tuple[tuple[str, str, int], ...]  # name, origin, bytes
    pinned: bool = False  # taken before a crash: it stays as long as its run

    @property
    def at(self) -> int:
        return self.row.at

    @property
    def run(self) -> str:
        return self.row.run


class Evidence:
    """The buffer of one store; each target is used by one thread at a time."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._lock = Lock()

    def add(
        self, target: str, row: SnapshotRow, address: str, captures: tuple[tuple[str, Capture], ...],
        *, pinned: bool = False,
    ) -> None:  # fmt: skip
        """Keep a snapshot, and let go of what is too much. Raises OSError where nothing can be written."""
        if not captures:
            return
        place = self._folder(target) / str(row.at)
        place.mkdir(parents=True, exist_ok=True)
        files = []
        for name, capture in captures:
            (place / name).write_bytes(capture.data)
            files.append((name, capture.origin, len(capture.data)))
        with self._lock:
            before = [one for one in self.rows(target) if one.at < row.at]  # the clock may have been set back
            self._write(target, _bounded([*before, Kept(row, address, tuple(files), pinned)]))

    def rows(self, target: str) -> list[Kept]:
        """Return what there is of a target, oldest first; a broken index is an empty one."""
        try:
            return msgspec.json.decode((self._folder(target) / _INDEX).read_bytes(), type=list[Kept])
        except (OSError, msgspec.MsgspecError):
            return []

    def snapshots(self, target: str) -> list[tuple[Kept, list[tuple[str, Capture]]]]:
        """Return what there is of a target with its bytes, oldest first."""
        with self._lock:
            return [(one, self._captures(target, one)) for one in self.rows(target)]

    def remember(self, target: str, state: bytes) -> None:
        """Keep what is known of a target beside its captures."""
        folder = self._folder(target)
        folder.mkdir(parents=True, exist_ok=True)
        _replace(folder / _STATE, state)

    def remembered(self, target: str) -> bytes:
        try:
            return (self._folder(target) / _STATE).read_bytes()
        except OSError:
            return b""

    def _captures(self, target: str, kept: Kept) -> list[tuple[str, Capture]]:
        found = []
        at = datetime.fromtimestamp(kept.at / 1e6, UTC)
        for name, origin, _ in kept.files:
            with suppress(OSError):
                data = (self._folder(target) / str(kept.at) / name).read_bytes()
                found.append((name, Capture(origin, data, at, at, kept.address)))
        return found

    def forget(self, target: str) -> None:
        shutil.rmtree(self._folder(target), ignore_errors=True)

    def only(self, targets: set[str]) -> None:
        """Forget whatever is of no target that is watched."""
        known = {self._folder(target).name for target in targets}
        with suppress(OSError):
            for folder in self.directory.iterdir():
                if folder.name not in known:
                    shutil.rmtree(folder, ignore_errors=True)

    def _folder(self, target: str) -> Path:
        return self.directory / blake2b(target.encode(), digest_size=8).hexdigest()

    def _write(self, target: str, rows: list[Kept]) -> None:
        folder = self._folder(target)
        _replace(folder / _INDEX, msgspec.json.encode(rows))
        wanted = {str(one.at): {name for name, _, _ in one.files} for one in rows}
        for place in folder.iterdir():
            if not place.is_dir():
                continue
            if place.name not in wanted:
                shutil.rmtree(place, ignore_errors=True)
                continue
            for file in place.iterdir():
                if file.name not in wanted[place.name]:
                    file.unlink(missing_ok=True)


def _replace(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; a machine that crashes may lose it, which ends nothing."""
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(data)
    part.replace(path)


def _bounded(rows: list[Kept]) -> list[Kept]:
    """Return what stays: pinned ones, the newest, and spaced ones before; of too many bytes, the oldest dumps go."""
    rows = sorted(rows, key=lambda one: one.at)
    newest, before = rows[-NEWEST:], rows[:-NEWEST]
    latest = rows[-1].at
    runs = list(dict.fromkeys(one.run for one in rows))[-2:]  # this run, and how the one before it ended
    before = [one for one in before if one.run in runs]
    pinned = [one for one in before if one.pinned][-2:]
    rest = [one for one in before if one not in pinned]
    while len(rest) > _SPACED:
        rest.remove(_closest(rest, latest))
    kept = sorted([*pinned, *rest, *newest], key=lambda one: one.at)
    while sum(size for one in kept for *_, size in one.files) > _BYTES_MOST and len(kept) > 1:
        fat = next((at for at, one in enumerate(kept[:-1]) if any(name == _DUMP for name, *_ in one.files)), None)
        if fat is None:
            kept = kept[1:]
            continue
        lean = tuple(file for file in kept[fat].files if file[0] != _DUMP)
        kept[fat] = msgspec.structs.replace(kept[fat], files=lean)
    return kept


def _closest(rows: list[Kept], latest: int) -> Kept:
    """Return the one without which the ages are spaced best: never the oldest, whose age is like none else's."""
    ages = [max(1, latest - one.at) for one in rows]
    ratios = {rows[at]: ages[at - 1] / ages[at] for at in range(1, len(rows))}
    return min(ratios, key=lambda one: ratios[one])

"""captures/<take>/ -> what was recorded: snapshots of each process, read with Oakum's own parsers.

Goes out: goroutines and heap of a snapshot, counts at a place, bytes that a function holds.
"""

import json
import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from casebook.runner.case import BadCase, Case
from casebook.runner.expectation import Site
from oakum.model import Capture, Frame, GoroutineGroup, Goroutines, Profile, Reading
from oakum.model.frame import normal_function
from oakum.parse import goroutines as goroutines_of
from oakum.parse import parse

# VmRSS:	   15072 kB
_RSS = re.compile(rb"^VmRSS:\s+(\d+) kB", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RecordedSnapshot:
    """One directory of captures of one process, and how much work had been sent until then."""

    folder: Path
    name: str
    process: str
    at: datetime
    requests: dict[str, int]
    connections: int
    held: int

    def files(self) -> list[Path]:
        """Return its captures, in name order."""
        return sorted(path for path in self.folder.iterdir() if path.is_file())

    def file(self, name: str) -> Path | None:
        """Return a capture by its name, packed or not."""
        for path in (self.folder / name, self.folder / f"{name}.gz"):
            if path.exists():
                return path
        return None

    def goroutines(self) -> Goroutines | None:
        """Return its goroutines from the richest dump there is; a log's last dump is the newest."""
        for name in ("goroutine.debug2.txt", "log.txt", "goroutine.debug1.txt", "goroutine.pb.gz"):
            if path := self.file(name):
                found = [got for reading in _readings(path) if (got := goroutines_of(reading)) is not None]
                if found:
                    return found[-1]
        return None

    def heap(self) -> Profile | None:
        """Return its heap profile."""
        path = self.file("heap.pb.gz")
        return next((r.profile for r in _readings(path) if r.profile is not None), None) if path else None

    def rss(self) -> int | None:
        """Return its resident memory in bytes."""
        path = self.file("process.status.txt")
        found = _RSS.search(path.read_bytes()) if path else None
        return int(found[1]) * 1024 if found else None


def _readings(path: Path) -> tuple[Reading, ...]:
    return _parsed(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4096)
def _parsed(path: Path, written: int) -> tuple[Reading, ...]:
    del written  # a file that is written again is read again
    return parse(Capture(path.name, path.read_bytes()))


@dataclass(frozen=True, slots=True)
class Recording:
    """One take, or the output of a live run."""

    folder: Path
    snapshots: tuple[RecordedSnapshot, ...]

    @property
    def processes(self) -> tuple[str, ...]:
        """Return the names of its processes, in order of their first snapshot."""
        return tuple(dict.fromkeys(snapshot.process for snapshot in self.snapshots))

    def of(self, process: str) -> tuple[RecordedSnapshot, ...]:
        """Return the snapshots of one process, oldest first; of the first one when it is not named."""
        wanted = process or self.processes[0]
        return tuple(snapshot for snapshot in self.snapshots if snapshot.process == wanted)


def recording(folder: Path) -> Recording:
    """Return what was recorded in a folder."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadCase(f"{folder.parent.parent.name}: nothing was recorded in captures/{folder.name}") from None
    snapshots = [
        RecordedSnapshot(
            folder / row["folder"], row["moment"], row["process"], datetime.fromisoformat(row["at"]), row["requests"],
            row["connections"], row["held"],
        )
        for row in manifest["moments"]
    ]  # fmt: skip
    return Recording(folder, tuple(snapshots))


def recordings(case: Case) -> dict[str, Recording]:
    """Return the recorded takes of a case by name; what case.toml wants and is not there is an error."""
    return {take.name: recording(case.captures / take.name) for take in case.takes}


def same(frame: Frame | None, site: Site) -> bool:
    """Tell whether a frame is the place that a site names; closures of one function read alike."""
    return (
        frame is not None
        and normal_function(frame.function) == normal_function(site.function)
        and (not site.line or not frame.line or frame.line == site.line)
    )


def standing(goroutines: Goroutines | None, site: Site) -> list[GoroutineGroup]:
    """Return the goroutines that stand at a site, or were created by it."""
    if goroutines is None:
        return []
    groups = goroutines.groups
    if site.role == "created":
        return [group for group in groups if same(group.created_by, site)]
    if site.role == "blocked":
        return [group for group in groups if same(group.place, site)]
    return [group for group in groups if any(same(frame, site) for frame in group.stack.frames)]


def count(groups: list[GoroutineGroup]) -> int:
    """Return how many goroutines these groups are."""
    return sum(group.count for group in groups)


def _in_use(profile: Profile) -> int:
    return [kind.type for kind in profile.sample_types].index("inuse_space")


def live_bytes(profile: Profile | None) -> int:
    """Return how many live bytes a heap profile knows of."""
    return int(profile.values[_in_use(profile)].sum()) if profile else 0


def held_bytes(profile: Profile | None) -> Counter[Frame]:
    """Return inuse_space by every frame on the path, callers included; a function counts once a stack."""
    held: Counter[Frame] = Counter()
    if profile is None:
        return held
    index = _in_use(profile)
    for sample in range(profile.samples):
        value = int(profile.values[index, sample])
        if value:
            for frame in dict.fromkeys(profile.stack(int(profile.stack_ids[sample])).frames):
                held[frame] += value
    return held


def bytes_at(profile: Profile | None, site: Site) -> int:
    """Return how many live bytes were allocated at a site or below it."""
    return sum(value for frame, value in held_bytes(profile).items() if same(frame, site))


__all__ = [
    "RecordedSnapshot", "Recording", "bytes_at", "count", "held_bytes", "live_bytes", "recording", "recordings", "same",
    "standing",
]  # fmt: skip

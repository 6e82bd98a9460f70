"""Captures and what they say: bytes exactly as received, and the readings that parse makes of them."""

import mmap
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType

from msgspec import Struct, field

from oakum.model.build import Build
from oakum.model.errors import OakumError, Unreachable, Unread
from oakum.model.experiment import Experiment
from oakum.model.goroutine import Goroutines
from oakum.model.holders import Holders
from oakum.model.memstats import MemStats
from oakum.model.metrics import Metrics
from oakum.model.profile import Profile
from oakum.model.routes import Routes
from oakum.model.signals import Log, Series
from oakum.model.sockets import Sockets
from oakum.model.text import Argument, Text

Buffer = bytes | memoryview | mmap.mmap
REDACTED = "redacted:"  # before an address that tells targets apart, and leads nowhere


_PIECE = 16 << 20
_LARGE = 256 << 20  # smaller ones are read again at once, and fit


def forget(data: Buffer, start: int, length: int) -> None:
    """Let go of a part of a large file that was looked at: of a gigabyte only a piece need be in memory."""
    if isinstance(data, mmap.mmap) and len(data) > _LARGE and hasattr(mmap, "MADV_DONTNEED"):
        first = start - start % mmap.PAGESIZE
        data.madvise(mmap.MADV_DONTNEED, first, min(length, len(data) - first))


class Capture(Struct, frozen=True, dict=True):
    """Bytes as received, with where they came from. The only truth: everything else is recomputed from it."""

    origin: str  # a path as given, a URL, or "-"
    data: Buffer
    received_at: datetime | None = None
    taken_at: datetime | None = None  # when the target was asked, where the manifest of a bundle says so
    target: str = ""  # what it was taken from, where the manifest of a bundle says so
    problems: tuple["Problem", ...] = ()  # of how it was kept: cut with its archive, changed since it was taken

    @cached_property
    def digest(self) -> str:
        """Return sha256:HEX of the bytes."""
        whole = sha256()
        for start in range(0, max(1, len(self.data)), _PIECE):
            piece = memoryview(self.data)[start : start + _PIECE]
            whole.update(piece)
            piece.release()
            forget(self.data, start, _PIECE)
        return "sha256:" + whole.hexdigest()


class Problem(Struct, frozen=True):
    """Something that could not be read as it should: what, where in the capture, and what follows from it."""

    key: str  # kebab-case, stable: "cut-mid-stack", "bad-varint"
    text: Text  # one sentence: "problem.KEY", or "problem.KEY.VARIANT" where several have the key
    where: str = ""  # "line 12", "byte 4096", "sample 3"

    @classmethod
    def of(cls, name: str, where: str = "", /, **args: Argument | Text) -> "Problem":
        """Return the problem that report/ has words for: KEY or KEY.VARIANT, and what stands in its sentence."""
        return cls(name.partition(".")[0], Text(f"problem.{name}", args), where)


def problem_of(error: OakumError) -> Problem:
    """Return why something could not be read; one that has no sentence of its own is quoted."""
    return error.problem if isinstance(error, Unread) else Problem.of("unread.error", error=said_of(error))


def said_of(error: OakumError) -> Text:
    """Return what an error says; one that has no sentence of its own is quoted."""
    return error.text if isinstance(error, Unreachable) else Text("web.quoted", {"said": str(error)})


class Reading(Struct, frozen=True, eq=False):
    """One thing found in a capture. A log with three dumps gives three readings; junk gives one of kind "unknown"."""

    # goroutine, goroutineleak, heap, allocs, threadcreate, block, mutex, cpu, growth, thread, trace, metrics, build,
    # sockets, routes, log, experiment, holders, unknown, or the name of the sample type for profiles of other producers
    kind: str
    # pprof, debug1, debug2, heap-text, legacy-cpu, contention-text, thread-text, goleak, trace, prometheus-text,
    # prometheus-range, proc-status, smaps-rollup, cgroup, process-facts, sockets, go-version-m, go.mod, go.sum,
    # modules.txt, version, image-labels, log, kubernetes-events, kubernetes-objects, experiment,
    # heap-dump, goref, holders, unknown
    format: str
    wrapping: tuple[str, ...] = ()  # how it was wrapped, outermost first: ("gzip",), ("journald", "logrus")
    producer: str | None = None  # "Go", "C++ (tcmalloc)", "jemalloc", "Java" ...
    go_version: str | None = None  # a hint read from paths or headers: "go1.21.3", "go1.21+"
    taken_at: datetime | None = None
    profile: Profile | None = None
    goroutines: Goroutines | None = None
    memstats: MemStats | None = None
    metrics: Metrics | None = None
    build: Build | None = None
    sockets: Sockets | None = None
    routes: Routes | None = None
    series: tuple[Series, ...] = ()  # of a range: whole, with its first snapshot
    log: Log | None = None
    experiment: Experiment | None = None
    holders: Holders | None = None
    where: str = ""  # which part of the capture: "lines 120-990"; "" means all of it
    problems: tuple[Problem, ...] = ()
    notes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))  # "reason": "SIGQUIT: quit" ...

    @property
    def usable(self) -> bool:
        """Return whether there is something that a view can show; metrics and builds go beside it."""
        return self.profile is not None or self.goroutines is not None or self.memstats is not None

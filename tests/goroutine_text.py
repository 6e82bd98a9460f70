"""Goroutine dumps written by hand, as debug=2 prints them, and the snapshots of a process that has them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from oakum.diagnose import diagnose
from oakum.model import Capture, Case, Diagnosis, Goroutines, Process, Snapshot, Source
from oakum.parse import goroutines, parse

MIDNIGHT = datetime(2026, 3, 1, tzinfo=UTC)
# What stands above the code that waits, leaf first.
READ = (
    "internal/poll.runtime_pollWait@/usr/local/go/src/runtime/netpoll.go:351",
    "internal/poll.(*FD).Read@/usr/local/go/src/internal/poll/fd_unix.go:165",
    "net.(*netFD).Read@/usr/local/go/src/net/fd_posix.go:68",
    "net.(*conn).Read@/usr/local/go/src/net/net.go:196",
)
WRITE = (
    "internal/poll.runtime_pollWait@/usr/local/go/src/runtime/netpoll.go:351",
    "internal/poll.(*FD).Write@/usr/local/go/src/internal/poll/fd_unix.go:388",
    "net.(*netFD).Write@/usr/local/go/src/net/fd_posix.go:96",
    "net.(*conn).Write@/usr/local/go/src/net/net.go:206",
)
WAITGROUP = (
    "sync.runtime_SemacquireWaitGroup@/usr/local/go/src/runtime/sema.go:114",
    "sync.(*WaitGroup).Wait@/usr/local/go/src/sync/waitgroup.go:206",
)
IDLE_CONNECTION = (
    *READ,
    "net/http.(*persistConn).Read@/usr/local/go/src/net/http/transport.go:2125",
    "bufio.(*Reader).Peek@/usr/local/go/src/bufio/bufio.go:148",
    "net/http.(*persistConn).readLoop@/usr/local/go/src/net/http/transport.go:2278",
)


def goroutine(
    number: int,
    state: str,
    *frames: str,
    minutes: int = 0,
    by: str = "main.main",
    parent: int = 0,
    leaked: bool = False,
) -> str:
    """Return one goroutine. A frame is `function`, `function@file:line`; arguments may stand behind the function."""
    age = f", {minutes} minutes" if minutes else ""
    lines = [f"goroutine {number} [{state}{' (leaked)' if leaked else ''}{age}]:"]
    lines += [line for frame in frames for line in _printed(frame)]
    if by:
        creator, place = _printed(by)
        lines += [f"created by {creator.removesuffix('()')}{f' in goroutine {parent}' if parent else ''}", place]
    return "\n".join(lines) + "\n"


def _printed(frame: str) -> tuple[str, str]:
    function, _, place = frame.partition("@")
    call = function if function.endswith(")") and not function.endswith("*)") else f"{function}()"
    return call, f"\t{place or f'/srv/shop/{_file(function)}.go:{10 + len(function)}'} +0x1d"


def _file(function: str) -> str:
    return function.split("(")[0].rpartition("/")[2].partition(".")[0] or "main"


def crew(numbers: Iterable[int], state: str, *frames: str, minutes: int | Sequence[int] = 0, **more: Any) -> list[str]:
    """Return goroutines that stand at one place; `minutes` of all of them, or of each."""
    ids = list(numbers)
    ages = [minutes] * len(ids) if isinstance(minutes, int) else minutes
    return [goroutine(one, state, *frames, minutes=age, **more) for one, age in zip(ids, ages, strict=True)]


MAIN = goroutine(1, "select", "main.main", by="")


def dump(*parts: str | Iterable[str]) -> str:
    """Return a dump of these goroutines."""
    return "\n".join(one for part in parts for one in ([part] if isinstance(part, str) else part))


def read(text: str) -> Goroutines:
    """Return the goroutines of a dump; of text that looks like several the last."""
    found = [some for reading in parse(Capture("goroutine.txt", text.encode())) if (some := goroutines(reading))]
    assert found
    return found[-1]


def snapshot(text: str | None, at: int = 0, *, every: float = 10, leaked: str | None = None, **more: Any) -> Snapshot:
    """Return the snapshot with this dump, the `at`-th, so many minutes after the one before."""
    slots = {"goroutines": text, "leaked": leaked}
    sources = {
        slot: Source(f"{at}/{slot}.txt", Capture(slot, f"{at} {slot} {one}".encode()).digest, "debug2")
        for slot, one in slots.items()
        if one is not None
    }
    return Snapshot(
        label=str(at),
        at=MIDNIGHT + timedelta(minutes=every * at),
        goroutines=None if text is None else read(text),
        leaked=None if leaked is None else read(leaked),
        sources={**sources, **more.pop("sources", {})},
        **more,
    )


def process(*dumps: str | None, every: float = 10, name: str = "p1", baseline: Sequence[str] = ()) -> Process:
    """Return a process with a snapshot for each dump; None is a snapshot without goroutines."""
    return Process(
        name,
        "shop",
        tuple(snapshot(text, at, every=every) for at, text in enumerate(dumps)),
        tuple(snapshot(text, at) for at, text in enumerate(baseline)),
    )


def diagnosed(*dumps: str | None, every: float = 10, baseline: Sequence[str] = ()) -> Diagnosis:
    """Return the diagnosis of a process with these dumps."""
    return diagnose(Case((process(*dumps, every=every, baseline=baseline),)))


@dataclass
class Crew:
    """Goroutines at one place, with the snapshot since which each has waited."""

    state: str
    frames: tuple[str, ...]
    aged: bool = True  # False: its waits restart all the time, so that no header names one
    more: dict[str, Any] = field(default_factory=dict)
    members: list[tuple[int, int]] = field(default_factory=list)


class Story:
    """A process that lives: crews grow and shrink, work is done, and every now and then somebody takes a dump."""

    def __init__(self, every: int = 10) -> None:
        self.every = every  # minutes from one snapshot to the next
        self.number = 1  # the highest id so far
        self.crews: list[Crew] = []
        self.dumps: list[str] = []

    def crew(self, state: str, *frames: str, aged: bool = True, **more: Any) -> Crew:
        """Return a crew at a place, empty yet."""
        self.crews.append(Crew(state, frames, aged, more))
        return self.crews[-1]

    def join(self, crew: Crew, count: int = 1) -> None:
        """Start so many goroutines that go to wait there."""
        crew.members += [(self.number + one, len(self.dumps)) for one in range(1, count + 1)]
        self.number += count

    def work(self, count: int = 100) -> None:
        """Start so many goroutines that end soon."""
        self.number += count

    def snapshot(self, work: int = 100) -> None:
        """Do some work, then dump all goroutines."""
        self.work(work)
        parts = [MAIN, goroutine(self.number, "running", "runtime/pprof.writeGoroutineStacks", by="")]
        for crew in self.crews:
            for number, since in crew.members:
                age = self.every * (len(self.dumps) - since) if crew.aged else 0
                parts.append(goroutine(number, crew.state, *crew.frames, minutes=age, **crew.more))
        self.dumps.append(dump(parts))

    def diagnosed(self, baseline: Sequence[str] = ()) -> Diagnosis:
        """Return the diagnosis of its dumps."""
        return diagnosed(*self.dumps, every=self.every, baseline=baseline)


__all__ = [
    "IDLE_CONNECTION",
    "MAIN",
    "MIDNIGHT",
    "READ",
    "WAITGROUP",
    "WRITE",
    "Crew",
    "Story",
    "crew",
    "diagnosed",
    "dump",
    "goroutine",
    "process",
    "read",
    "snapshot",
]  # fmt: skip

"""Targets without a network and a clock that is moved by hand: days of watching in seconds."""

import gzip
import io
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from msgspec.structs import replace

from oakum.collect.target import CaptureOptions, Plan, Step, Taken
from oakum.model import Capture, Problem, Text
from oakum.watch.clock import Clock
from oakum.watch.config import Config
from oakum.watch.discovery import Discovery, Found
from oakum.watch.log import Log
from oakum.watch.watcher import Watcher
from pprof_message import function, location, sample, strings, value_type

BEGIN = 1_790_000_000.0
# State, frames of the runtime that park it, function, place, and which count it is.
_GROUPS = (
    ("IO wait", ("runtime.gopark", "runtime.netpollblock", "internal/poll.runtime_pollWait"), "main.main", "main.go", 9, "one"),
    ("select", ("runtime.gopark", "runtime.selectgo"), "main.(*pool).work", "pool.go", 12, "pool"),
    # The newest last, as ids are.
    ("chan send", ("runtime.gopark", "runtime.chansend", "runtime.chansend1"), "main.(*quotes).ask.func1", "quotes.go", 41, "leaked"),
)  # fmt: skip
_METRICS = """# TYPE go_goroutines gauge
go_goroutines {total}
# TYPE go_gc_duration_seconds summary
go_gc_duration_seconds_count {gcs}
# TYPE process_start_time_seconds gauge
process_start_time_seconds {started}
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes {rss}
# TYPE go_gc_gomemlimit_bytes gauge
go_gc_gomemlimit_bytes {limit}
# TYPE http_requests_total counter
http_requests_total{{code="200"}} {requests}
"""


class FakeClock:
    """Time that passes only when it is told to; the clock may jump beside it."""

    def __init__(self) -> None:
        self.passed, self.jumped = 0.0, 0.0

    @property
    def clock(self) -> Clock:
        return Clock(lambda: round((BEGIN + self.passed + self.jumped) * 1e6), lambda: self.passed)

    @property
    def now(self) -> float:
        return BEGIN + self.passed


class FakeTarget:
    """A process: so many goroutines are leaked at each time; it may be restarted, grow towards a limit, or be away."""

    def __init__(self, name: str, time: FakeClock, leaked: Callable[[float], int] = lambda _: 0) -> None:
        self.name = name
        self.address = self.process = f"http://{name}:6060"
        self.leaked, self._time = leaked, time
        self.started = time.now - 3600
        self.rss: Callable[[float], int] = lambda _: 80 << 20
        self.limit = 1 << 62
        self.away = False
        self.looks = 0
        self.dumps = 0
        self.under_way = 0
        self.most_at_once = 0
        self.closed = False
        self._lock = threading.Lock()

    def plan(self, options: CaptureOptions, snapshot: int = 1, last: bool = True) -> Plan:
        with self._lock:
            self.looks += 1
            self.under_way += 1
            self.most_at_once = max(self.most_at_once, self.under_way)
        if self.away:
            self.under_way -= 1
            return Plan(problems=(Problem.of("unreachable", error=Text("web.refused")),))
        files = ["metrics.txt", "goroutine.pb.gz"]
        files += ["goroutine.debug2.txt"] if options.budget >= 0 else []
        steps = tuple(Step(file, file, f"GET {file}", file) for file in files)
        return Plan(steps, facts=MappingProxyType({"goroutines": self._counts()["total"]}))

    def take(self, step: Step, options: CaptureOptions) -> Taken:
        at = datetime.fromtimestamp(self._time.now, UTC)
        counts = self._counts()
        if step.file == "goroutine.debug2.txt":
            self.dumps += 1
            data = _dump(counts)
        else:
            data = _METRICS.format(**counts).encode() if step.file == "metrics.txt" else _profile(counts)
        if step.file != "metrics.txt":
            self.under_way = 0
        return Taken(step, Capture(f"{self.address}/{step.file}", data, at), at, at)

    def close(self) -> None:
        self.closed = True

    def _counts(self) -> dict[str, float]:
        up = self._time.now - self.started
        leaked = self.leaked(self._time.now)
        return {
            "total": leaked + 22, "leaked": leaked + 1, "pool": 20, "one": 1, "gcs": round(up),
            "started": self.started, "rss": self.rss(up), "limit": self.limit, "requests": round(up * 5),
        }  # fmt: skip


def _profile(counts: dict[str, float]) -> bytes:
    """Return goroutine?debug=0: grouped by stack, with the frames that park them."""
    texts = ["", "goroutine", "count"]
    made: list[bytes] = [value_type(1, 2)]
    places: list[bytes] = []
    number = 0
    for _, parking, function_, file, line, count in _GROUPS:
        rows = []
        for name, path, at in (
            *((frame, "/usr/local/go/src/runtime/proc.go", 1) for frame in parking),
            (function_, f"/srv/orders/{file}", line),
        ):
            number += 1
            texts += [name, path]
            places += [function(number, len(texts) - 2, len(texts) - 1), location(number, (number, at))]
            rows.append(number)
        made.append(sample(rows, [int(counts[count])]))
    return gzip.compress(b"".join([*made, *places, strings(*texts)]))


def _dump(counts: dict[str, float]) -> bytes:
    """Return goroutine?debug=2."""
    made, number = [], 1
    for state, _, function_, file, line, count in _GROUPS:
        for _ in range(int(counts[count])):
            number += 1
            place = f"/srv/orders/{file}:{line} +0x60"
            made.append(f"goroutine {number} [{state}, 3 minutes]:\n{function_}(0xc000012345)\n\t{place}\n")
    return "\n".join(made).encode()


class FakeDiscovery(Discovery):
    def __init__(self, targets: list[FakeTarget]) -> None:
        super().__init__(())
        self.targets = targets

    def __len__(self) -> int:
        return len(self.targets)

    @property
    def changes(self) -> bool:
        return True

    def refresh(self, troubled: object, cleared: object) -> list[Found]:
        return [Found(one.address, one.name.partition("-")[0], one.name, None, one) for one in self.targets]


def at_once(work: Callable[[], None], name: str) -> None:
    work()


def watcher(
    store: Path, time: FakeClock, targets: list[FakeTarget], every: float = 60.0, **changed: object
) -> tuple[Watcher, io.StringIO]:
    """Return a watcher that does everything in this thread, and its log."""
    log = io.StringIO()
    config = replace(Config(store=store, every=every, settle=600.0), **changed)
    made = Watcher(config, FakeDiscovery(targets), CaptureOptions(), Log(log), clock=time.clock, spawn=at_once)
    return made, log


def pass_time(one: Watcher, time: FakeClock, seconds: float) -> None:
    """Let time pass, from one thing that is due to the next."""
    until = time.passed + seconds
    while time.passed < until:
        one.tick()
        due = one.next_due
        time.passed = min(until, max(time.passed + 0.001, due if due is not None else time.passed + 1))
    one.tick()

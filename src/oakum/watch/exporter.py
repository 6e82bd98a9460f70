"""What the watcher knows -> /metrics in Prometheus' text format and /healthz, for whoever scrapes it on this machine.

Labels are bounded: so many services, the rest summed in one named "other". Requests are bounded in size, time and
number; nothing but GET and HEAD of the two paths is answered, and nothing that is sent is read beyond its head.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from msgspec import Struct

from oakum import __version__
from oakum.model import OakumError

MOST_SERVICES = 200
OTHER = "other"
VERDICTS = ("leaking", "healthy", "undecided")
_LONGEST = 200  # characters of a label
_HEAD, _SECONDS, _CONNECTIONS, _DRAINED = 8 << 10, 5.0, 32, 16
_TURNS = 5  # of the loop
_TEXT = "text/plain; version=0.0.4; charset=utf-8"


class ServiceStatus(Struct, frozen=True, kw_only=True):
    """One service as the watcher sees it now. Instants are microseconds since 1970."""

    service: str
    verdict: str = "undecided"
    incidents: int = 0  # open
    mechanism: str = ""  # of the worst finding
    function: str = ""  # its place
    goroutines: int | None = None  # at that place
    bytes_per_hour: float | None = None
    goroutines_per_hour: float | None = None
    since: int | None = None  # when growth began
    limit_low: int | None = None  # when the limit is reached: not before
    limit_high: int | None = None


class Health(Struct, frozen=True, kw_only=True):
    """The watcher itself: what it looks at, and what failed so far."""

    targets: int = 0
    targets_lost: int = 0
    captures: int = 0
    capture_failures: int = 0
    capture_bytes: int = 0
    store_bytes: int = 0
    store_failures: int = 0
    notifications_waiting: int = 0
    notifications_delivered: int = 0
    notification_failures: int = 0
    notifications_dropped: int = 0
    advanced: int = 0  # instant of the last pass


# Name -> type, help. Rules and dashboard (deploy/) use no others; a test compares.
METRICS: dict[str, tuple[str, str]] = {
    "oakum_service_verdict": ("gauge", "1 for the present verdict of a service, 0 for the others."),
    "oakum_service_incidents_open": ("gauge", "Open incidents of a service."),
    "oakum_service_place_goroutines": ("gauge", "Goroutines at the place of the worst finding of a service."),
    "oakum_service_growth_bytes_per_hour": ("gauge", "How fast memory of a service grows."),
    "oakum_service_growth_goroutines_per_hour": ("gauge", "How fast goroutines of a service grow in number."),
    "oakum_service_growth_begin_timestamp_seconds": ("gauge", "When growth of a service began."),
    "oakum_service_limit_seconds": ("gauge", "Seconds until memory reaches its limit: not before, and by when."),
    "oakum_watch_services": ("gauge", "Services that are watched."),
    "oakum_watch_services_left_out": ("gauge", "Services without labels of their own, summed up as other."),
    "oakum_watch_targets": ("gauge", "Processes that are watched, by whether they answer."),
    "oakum_watch_captures_total": ("counter", "Captures taken."),
    "oakum_watch_capture_failures_total": ("counter", "Captures that failed."),
    "oakum_watch_capture_bytes_total": ("counter", "Bytes fetched from targets."),
    "oakum_watch_store_bytes": ("gauge", "Size of the store."),
    "oakum_watch_store_failures_total": ("counter", "Batches that the store did not take at once."),
    "oakum_watch_notifications_waiting": ("gauge", "Notifications that are not delivered yet."),
    "oakum_watch_notifications_delivered_total": ("counter", "Notifications delivered."),
    "oakum_watch_notification_failures_total": ("counter", "Deliveries that failed and are tried again."),
    "oakum_watch_notifications_dropped_total": ("counter", "Notifications given up because too many waited."),
    "oakum_watch_last_pass_timestamp_seconds": ("gauge", "When the watcher last finished a pass over its targets."),
    "oakum_build_info": ("gauge", "The version of Oakum."),
}
_HEALTH = {
    "oakum_watch_captures_total": "captures",
    "oakum_watch_capture_failures_total": "capture_failures",
    "oakum_watch_capture_bytes_total": "capture_bytes",
    "oakum_watch_store_bytes": "store_bytes",
    "oakum_watch_store_failures_total": "store_failures",
    "oakum_watch_notifications_waiting": "notifications_waiting",
    "oakum_watch_notifications_delivered_total": "notifications_delivered",
    "oakum_watch_notification_failures_total": "notification_failures",
    "oakum_watch_notifications_dropped_total": "notifications_dropped",
}
Sample = tuple[dict[str, str], float]


def exposition(services: Sequence[ServiceStatus], health: Health, now: int, most: int = MOST_SERVICES) -> str:
    """Return the metrics as text."""
    # Those with incidents first: they must not be in the rest.
    ordered = sorted(services, key=lambda one: (-one.incidents, one.verdict != "leaking", one.service))
    named, rest = ordered[:most], ordered[most:]
    found: dict[str, list[Sample]] = {name: [] for name in METRICS}
    for one in sorted(named, key=lambda one: one.service):
        _add(found, one, _label(one.service), now)
    if rest:
        for verdict in VERDICTS:
            count = sum(one.verdict == verdict for one in rest)
            found["oakum_service_verdict"].append(({"service": OTHER, "verdict": verdict}, count))
        found["oakum_service_incidents_open"].append(({"service": OTHER}, sum(one.incidents for one in rest)))
    found["oakum_watch_services"].append(({}, len(services)))
    found["oakum_watch_services_left_out"].append(({}, len(rest)))
    for state, count in (("up", health.targets - health.targets_lost), ("lost", health.targets_lost)):
        found["oakum_watch_targets"].append(({"state": state}, count))
    for name, field in _HEALTH.items():
        found[name].append(({}, getattr(health, field)))
    if health.advanced:
        found["oakum_watch_last_pass_timestamp_seconds"].append(({}, health.advanced / 1e6))
    found["oakum_build_info"].append(({"version": __version__}, 1))
    return "".join(_lines(name, samples) for name, samples in found.items() if samples)


def _add(found: dict[str, list[Sample]], one: ServiceStatus, service: str, now: int) -> None:
    label = {"service": service}
    for verdict in VERDICTS:
        found["oakum_service_verdict"].append(({**label, "verdict": verdict}, one.verdict == verdict))
    found["oakum_service_incidents_open"].append((label, one.incidents))
    if one.goroutines is not None and one.function:
        place = {**label, "function": _label(one.function), "mechanism": _label(one.mechanism)}
        found["oakum_service_place_goroutines"].append((place, one.goroutines))
    for name, value in (("bytes", one.bytes_per_hour), ("goroutines", one.goroutines_per_hour)):
        if value is not None:
            found[f"oakum_service_growth_{name}_per_hour"].append((label, value))
    if one.since is not None:
        found["oakum_service_growth_begin_timestamp_seconds"].append((label, one.since / 1e6))
    for bound, at in (("not_before", one.limit_low), ("by", one.limit_high)):
        if at is not None:
            seconds = max(0.0, (at - now) / 1e6)
            found["oakum_service_limit_seconds"].append(({**label, "bound": bound}, seconds))


def _lines(name: str, samples: Iterable[Sample]) -> str:
    kind, help_ = METRICS[name]
    lines, seen = [f"# HELP {name} {help_}", f"# TYPE {name} {kind}"], set()
    for labels, value in samples:
        inner = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
        series = f"{name}{{{inner}}}" if inner else name
        if series not in seen:  # two names that are cut alike: a series twice makes the whole scrape fail
            seen.add(series)
            lines.append(f"{series} {_number(value)}")
    return "\n".join(lines) + "\n"


def _label(text: str) -> str:
    shown = text.encode("utf-8", "replace").decode()
    shown = shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
    return f"{shown}_" if shown == OTHER else shown  # a service of that name is not the rest


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


class Exporter:
    """A small server in a thread of its own. `update` replaces what is told; `advance` says that the loop lives."""

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        stale: float = 300.0,
        most_services: int = MOST_SERVICES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.host, self.port = host, port
        self._stale, self._most, self._clock = stale, most_services, clock
        self._told: tuple[tuple[ServiceStatus, ...], Health] = ((), Health())
        self._advanced = time.monotonic()
        self._connections = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._ended: asyncio.Event | None = None

    def start(self) -> int:
        """Listen, and return the port; raise OakumError when that is not possible."""
        ready = threading.Event()
        failed: list[OSError] = []
        self._thread = threading.Thread(target=self._run, args=(ready, failed), name="exporter", daemon=True)
        self._thread.start()
        ready.wait()
        if failed:
            self._thread.join()
            why = failed[0].strerror or str(failed[0])
            raise OakumError(f"/metrics: {self.host}:{self.port} cannot be listened on: {why}; choose another port")
        return self.port

    def update(self, services: Sequence[ServiceStatus], health: Health) -> None:
        """Replace what is told."""
        self._told = (tuple(services), health)

    def advance(self) -> None:
        """Note that the watcher has finished a pass. By a clock that does not jump."""
        self._advanced = time.monotonic()

    def stop(self) -> None:
        """End it, and wait for that."""
        if self._loop is not None and self._ended is not None and self._thread is not None:
            with suppress(RuntimeError):  # it has ended by itself
                self._loop.call_soon_threadsafe(self._ended.set)
            self._thread.join(5.0)
            self._loop = None

    def __enter__(self) -> "Exporter":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _run(self, ready: threading.Event, failed: list[OSError]) -> None:
        at_work: dict[asyncio.StreamWriter, asyncio.Task[None]] = {}

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            at_work[writer] = asyncio.ensure_future(self._connected(reader, writer))
            at_work[writer].add_done_callback(lambda _: at_work.pop(writer))

        async def serve() -> None:
            self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
            try:
                server = await asyncio.start_server(accept, self.host, self.port, limit=_HEAD)
            except OSError as error:
                failed.append(error)
                return
            self.port = int(server.sockets[0].getsockname()[1])
            ready.set()
            await self._ended.wait()
            for _ in range(_TURNS):  # who was just accepted gets as far as having a connection that can be closed
                await asyncio.sleep(0)
            server.close()
            for writer, task in [*at_work.items()]:
                writer.transport.abort()
                task.cancel()
            for _ in range(_TURNS):  # their sockets are closed in the next
                await asyncio.sleep(0)

        try:
            asyncio.run(serve())
        finally:
            ready.set()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections += 1
        try:
            # One deadline for all of it: who sends a byte now and then, or does not read, is not waited for.
            async with asyncio.timeout(_SECONDS):
                if self._connections > _CONNECTIONS:
                    answer = _answer(503, "too many connections\n")
                else:
                    answer = await self._answered(reader)
                writer.write(answer)
                await writer.drain()
                writer.write_eof()
                # Some of what is still under way is taken, so that the answer is not lost with a reset.
                for _ in range(_DRAINED):
                    if not await reader.read(_HEAD):
                        break
        except (TimeoutError, OSError, asyncio.CancelledError, RuntimeError):
            writer.transport.abort()
        finally:
            self._connections -= 1
            writer.close()

    async def _answered(self, reader: asyncio.StreamReader) -> bytes:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return _answer(400, "no request\n")
        except asyncio.LimitOverrunError:
            return _answer(431, "the head of the request is too large\n")
        words = head.partition(b"\r\n")[0].split(b" ")
        if len(words) != 3 or not words[2].startswith(b"HTTP/1."):
            return _answer(400, "not HTTP/1.1\n")
        method, path = words[0], words[1].partition(b"?")[0]
        if method not in (b"GET", b"HEAD"):
            return _answer(405, "only GET and HEAD\n", allow=True)
        if path == b"/metrics":
            services, health = self._told
            text = exposition(services, health, int(self._clock() * 1e6), self._most)
            return _answer(200, text, head_only=method == b"HEAD")
        if path == b"/healthz":
            still = time.monotonic() - self._advanced
            if still > self._stale:
                return _answer(503, f"no pass was finished for {still:.0f} s\n", head_only=method == b"HEAD")
            return _answer(200, "ok\n", head_only=method == b"HEAD")
        return _answer(404, "there are /metrics and /healthz\n", head_only=method == b"HEAD")


_REASONS = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    431: "Request Header Fields Too Large",
    503: "Service Unavailable",
}


def _answer(status: int, text: str, *, allow: bool = False, head_only: bool = False) -> bytes:
    body = text.encode()
    lines = [
        f"HTTP/1.1 {status} {_REASONS[status]}",
        f"Content-Type: {_TEXT}",
        f"Content-Length: {len(body)}",
        "Connection: close",
        "X-Content-Type-Options: nosniff",
        *(["Allow: GET, HEAD"] if allow else []),
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (b"" if head_only else body)

"""Work that is sent to a process, in batches: requests, runs of a command, or time that passes -> what came of it.

Connections are those of one batch: none is open when a snapshot is taken, so that a server counts no client of ours.
"""

import contextlib
import http.client
import shlex
import socket
import ssl
import threading
import time
from collections import Counter
from collections.abc import Sequence
from typing import Protocol
from urllib.parse import urlsplit

from msgspec import Struct, field

from oakum.collect.programs import Ran, named_program, run_program
from oakum.experiment.requests import Request
from oakum.model import UsageError

_ANSWER_MOST = 64 << 20  # bytes of one answer that are read
_PRINTED_MOST = 1 << 20
_OVERLOADED = frozenset({429, 503})
_TICK = 0.2


class Tally(Struct):
    """What came of some units of work."""

    sent: int = 0
    completed: int = 0
    failed: int = 0
    statuses: Counter[int] = field(default_factory=Counter)  # HTTP status, exit code 0 or 1; 0: no answer
    error: str = ""  # the last reason why there was no answer

    def add(self, other: "Tally") -> None:
        """Add what came of more."""
        self.sent += other.sent
        self.completed += other.completed
        self.failed += other.failed
        self.statuses += other.statuses
        self.error = other.error or self.error

    @property
    def overloaded(self) -> bool:
        """Tell whether most answers say that there is too much to do."""
        return 2 * sum(self.statuses[status] for status in _OVERLOADED) > self.sent > 0

    @property
    def unanswered(self) -> bool:
        """Tell whether nothing was answered."""
        return bool(self.sent) and self.statuses[0] == self.sent


class Work(Protocol):
    """What is done in batches; `unit` is what one of it is, `asked` how people write it."""

    unit: str
    asked: tuple[str, ...]
    numbered: bool  # each unit is another one

    def do(self, count: int, first: int, until: float) -> Tally:
        """Do so many units, numbered from `first`, until time.monotonic() is `until` at most."""


class Waiting:
    """Time that passes: for leaks that come by themselves."""

    unit = "second"
    asked: tuple[str, ...] = ()
    numbered = False

    def do(self, count: int, first: int, until: float) -> Tally:
        del first
        begun = time.monotonic()
        time.sleep(max(0.0, min(count, until - begun)))
        passed = min(count, round(time.monotonic() - begun))
        return Tally(passed, passed)


class Commands:
    """Runs of a command, one after the other, without a shell."""

    unit = "run"

    def __init__(self, command: str, seconds: float) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"--exec: {error}: {command[:80]!r}") from error
        if not self._words:
            raise UsageError("--exec: the command is empty")
        self._seconds = seconds
        try:
            self._program = named_program(self._words[0])
        except OSError as error:
            raise UsageError(f"--exec {self._words[0]}: {error.strerror}") from error
        self.asked: tuple[str, ...] = (self._words[0],)  # its arguments may hold a secret
        self.numbered = any("{n}" in word for word in self._words)

    def do(self, count: int, first: int, until: float) -> Tally:
        tally = Tally()
        for number in range(first, first + count):
            if time.monotonic() >= until:
                break
            words = [self._program, *(word.replace("{n}", str(number)) for word in self._words[1:])]
            try:
                ran = run_program(words, self._seconds, _PRINTED_MOST)
            except OSError as error:
                raise UsageError(f"--exec {self._words[0]}: {error.strerror or error}") from error
            failed = ran.code != 0 or ran.late
            tally.add(Tally(1, 1, int(failed), error=_complaint(ran) if failed else ""))
        return tally


class Requests:
    """HTTP requests, in turn, over a few connections at a time."""

    unit = "request"

    def __init__(self, requests: Sequence[Request], connections: int, seconds: float) -> None:
        self._requests, self._connections, self._seconds = requests, connections, seconds
        self.asked = tuple(dict.fromkeys(one.shown for one in requests))
        self.numbered = any(one.counts for one in requests)
        self._lock = threading.Lock()

    def do(self, count: int, first: int, until: float) -> Tally:
        """Send the requests and read the answers; connections are closed when the last one came."""
        numbers = iter(range(first, first + count))
        tally, stop = Tally(), threading.Event()

        def send_some() -> None:
            client = _Client(self._seconds)
            try:
                while not stop.is_set() and time.monotonic() < until:
                    with self._lock:
                        number = next(numbers, None)
                    if number is None:
                        return
                    came = client.send(self._requests[number % len(self._requests)].numbered(number))
                    with self._lock:
                        tally.add(came)
            finally:
                client.close()

        threads = [threading.Thread(target=send_some, daemon=True) for _ in range(min(self._connections, count))]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():  # an interrupt is noticed between two looks
                    thread.join(_TICK)
        except KeyboardInterrupt:
            stop.set()
            for thread in threads:
                thread.join(self._seconds)
            raise
        return tally


class _Client:
    """One connection at a time, to whichever server the next request goes to."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._open: dict[tuple[str, str, bool], http.client.HTTPConnection] = {}

    def send(self, request: Request) -> Tally:
        parts = urlsplit(request.url)
        key = parts.scheme, parts.netloc, request.insecure
        reused = key in self._open
        try:
            status = self._ask(key, request)
        except (OSError, http.client.HTTPException) as error:
            self._drop(key)
            if reused:  # a server may close what rests
                try:
                    status = self._ask(key, request)
                except (OSError, http.client.HTTPException) as again:
                    self._drop(key)
                    return _no_answer(again)
            else:
                return _no_answer(error)
        return Tally(1, 1, 1 if status >= 400 else 0, Counter({status: 1}))

    def _ask(self, key: tuple[str, str, bool], request: Request) -> int:
        if key not in self._open:
            self._open[key] = self._connection(*key)
        connection = self._open[key]
        parts = urlsplit(request.url)
        path = parts.path or "/"
        connection.request(
            request.method,
            f"{path}?{parts.query}" if parts.query else path,
            request.body or None,
            {name: value.encode("utf-8", "surrogateescape") for name, value in request.headers},
        )
        answer = connection.getresponse()
        left, until = _ANSWER_MOST, time.monotonic() + self._seconds
        while left > 0 and time.monotonic() < until and (piece := answer.read1(1 << 16)):  # a stream may never end
            left -= len(piece)
        if not answer.isclosed() or answer.will_close:
            self._drop(key)
        return answer.status

    def _connection(self, scheme: str, netloc: str, insecure: bool) -> http.client.HTTPConnection:
        if scheme == "http":
            return http.client.HTTPConnection(netloc, timeout=self._seconds)
        context = ssl.create_default_context()
        if insecure:  # -k asks for it
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return http.client.HTTPSConnection(netloc, timeout=self._seconds, context=context)

    def _drop(self, key: tuple[str, str, bool]) -> None:
        if connection := self._open.pop(key, None):
            with contextlib.suppress(OSError):
                connection.close()

    def close(self) -> None:
        for key in list(self._open):
            self._drop(key)


def _complaint(ran: Ran) -> str:
    """Return why a run of a command failed, with the last line that it printed."""
    said = ran.err.decode("utf-8", "replace").strip().splitlines()[-1:]
    return ": ".join(["timed out" if ran.late else f"exit code {ran.code}", *said])


def _no_answer(error: Exception) -> Tally:
    said = "timed out" if isinstance(error, socket.timeout) else getattr(error, "strerror", None) or str(error)
    return Tally(1, 1, 1, Counter({0: 1}), said or type(error).__name__)

"""Heavy and dangerous work -> a process of its own, which is killed when its time or memory is up, or the server ends.

Whoever sends evidence may send what breaks a parser: it never runs in the server. What comes back is JSON.
"""

import os
import sys
import tempfile
import threading
from collections.abc import Callable
from typing import Any

import msgspec
from anyio import CapacityLimiter, to_thread
from msgspec import Struct

from oakum.collect.programs import Ran, run_program
from oakum.model import Text
from oakum.web.records import Busy

_AT_ONCE = 2  # each may use a core
_MOST_WAITING = 8
_MOST_ANSWER = 96 << 20  # a diagnosis of 100,000 captures has 20 MB, its pictures 1 MB
_PASSED_ON = ("PYTHONPATH", "PYTHONUTF8", "LANG", "LC_ALL", "TZ", "TMPDIR", "SYSTEMROOT", "LD_LIBRARY_PATH")


class Caps(Struct, frozen=True):
    """What one piece of work may use."""

    seconds: float = 120.0  # as long as the parsers may take for one capture
    memory: int = 2 << 30  # bytes that it may write to


class WorkFailed(Exception):
    """A worker did not finish, or says why it has no result."""

    def __init__(self, text: Text) -> None:
        super().__init__(text.key)
        self.text = text


class Workers:
    def __init__(self, caps: Caps | None = None) -> None:
        self.caps = caps or Caps()
        self._limiter: CapacityLimiter | None = None  # made in the loop that uses it
        self._lock = threading.Lock()
        self._ends: set[Callable[[], None]] = set()
        self._waiting = 0
        self._closed = False

    @property
    def at_work(self) -> int:
        """Return how many processes are at work."""
        with self._lock:
            return len(self._ends)

    async def run(self, job: str, **asked: Any) -> dict[str, Any]:
        """Return what a worker makes of a job; raise WorkFailed when it does not, Busy when too many wait."""
        if self._waiting >= _AT_ONCE + _MOST_WAITING or self._closed:
            raise Busy
        self._limiter = self._limiter or CapacityLimiter(_AT_ONCE)
        self._waiting += 1
        try:
            ran = await to_thread.run_sync(self._run, {"job": job, **asked}, limiter=self._limiter)
        finally:
            self._waiting -= 1
        return self._result(ran)

    def _run(self, asked: dict[str, Any]) -> Ran:
        command = [sys.executable, "-P", "-m", "oakum.web.worker"]
        env = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        mine: list[Callable[[], None]] = []

        def started(end: Callable[[], None]) -> None:
            with self._lock:
                mine.append(end)
                self._ends.add(end)
                closed = self._closed
            if closed:
                end()

        with tempfile.TemporaryFile() as given:
            given.write(msgspec.json.encode({**asked, "seconds": self.caps.seconds, "server": os.getpid()}))
            given.seek(0)
            try:
                return run_program(
                    command,
                    self.caps.seconds,
                    _MOST_ANSWER,
                    env=env,
                    memory=self.caps.memory,
                    given=given,
                    started=started,
                )
            finally:
                with self._lock:
                    self._ends.difference_update(mine)

    def _result(self, ran: Ran) -> dict[str, Any]:
        if self._closed:
            raise WorkFailed(Text("serve.work.closed"))
        if ran.late:
            raise WorkFailed(Text("serve.work.late", {"seconds": self.caps.seconds}))
        if len(ran.out) > _MOST_ANSWER:
            raise WorkFailed(Text("serve.work.large"))
        try:
            found = msgspec.json.decode(ran.out)
        except msgspec.DecodeError:
            key = "serve.work.memory" if b"MemoryError" in ran.err or ran.code == -9 else "serve.work.ended"
            raise WorkFailed(Text(key, {"memory": self.caps.memory, "code": ran.code})) from None
        if "error" in found:
            raise WorkFailed(_why(found["error"], self.caps))
        return dict(found)

    def close(self) -> None:
        """Kill what is at work."""
        with self._lock:
            self._closed = True
            ends = list(self._ends)
        for end in ends:
            end()


def _why(error: Any, caps: Caps) -> Text:
    if error == "memory":
        return Text("serve.work.memory", {"memory": caps.memory})
    return Text("serve.work.said", {"said": str(error)[:4000]})

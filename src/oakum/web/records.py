"""The store behind the pages: questions are asked by a few threads, each with a reader of its own.

Readers take no lock. Each looks again at the store when it has changed, at most every five seconds: until then all
answers of a thread are of one instant. More questions than can wait are refused.
"""

import asyncio
import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from oakum.model import StoreError, Text
from oakum.store import open_reader

if TYPE_CHECKING:
    from oakum.store.reader import Reader

_THREADS = 2  # each has a connection with 256 MB at most
_MOST_WAITING = 200  # of two threads that answer in 50 ms the last one waits 5 s
_FRESH = 5.0  # seconds: what has come since is read anew
_REMEMBERED = 10.0  # seconds: as often as a watcher looks at most
_MOST_REMEMBERED = 128  # answers; the chart of a service has some 50 kB
_T = TypeVar("_T")


class Busy(Exception):
    """More is asked than can be answered soon."""


class _Seat(threading.local):
    """What one thread has: its reader, when it looked at the store last, and what that looked like then."""

    reader: "Reader | None" = None
    looked = 0.0
    state: tuple[object, ...] = ()


class Records:
    def __init__(self, directory: Path, threads: int = _THREADS, cores: int = 1) -> None:
        self.directory = directory
        self._threads, self._cores = threads, cores  # how many, and of how many cores one question keeps busy
        self._seat = _Seat()
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="records")
        self._waiting = 0
        self._readers: list[Reader] = []
        self._known: OrderedDict[Hashable, tuple[float, asyncio.Future[Any]]] = OrderedDict()

    @property
    def present(self) -> bool:
        """Return whether there is a store to ask, be it one that has lost its manifest."""
        return any((self.directory / name).exists() for name in ("manifest.json", "parts", "log"))

    def state(self) -> tuple[object, ...]:
        """Return what differs once something was written: the manifest is replaced, a segment of the log grows."""
        found: list[object] = []
        for path in (self.directory / "manifest.json", *sorted((self.directory / "log").glob("*.log"))[-2:]):
            try:
                facts = path.stat()
            except OSError:
                continue
            found.append((path.name, facts.st_ino, facts.st_size, facts.st_mtime_ns))
        return tuple(found)

    async def ask(self, question: "Callable[[Reader], _T]") -> _T:
        """Return what a question gives, asked in a thread; raise StoreError when there is no store."""
        if self._waiting >= _MOST_WAITING:
            raise Busy
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, self._answer, question)
        finally:
            self._waiting -= 1

    async def everywhere(self, question: "Callable[[Reader], object]") -> None:
        """Ask a question in each thread: two that wait for each other are not answered by one."""
        together = threading.Barrier(self._threads)

        def asked(reader: "Reader") -> None:
            with contextlib.suppress(threading.BrokenBarrierError):
                together.wait(10.0)
            question(reader)

        await asyncio.gather(*(self.ask(asked) for _ in range(self._threads)))

    async def remembered(self, key: Hashable, question: "Callable[[Reader], _T]") -> _T:
        """Return what a question gave a moment ago, or is about to give; else ask it. `key` says which one it is."""
        now = monotonic()
        known = self._known.get(key)
        if known is None or known[0] < now:
            asked = asyncio.ensure_future(self.ask(question))
            asked.add_done_callback(lambda done: self._forget(key, done))
            known = self._known[key] = (now + _REMEMBERED, asked)
            while len(self._known) > _MOST_REMEMBERED:
                self._known.popitem(last=False)
        # One who goes away does not end it for the others who wait for the same.
        answer: _T = await asyncio.shield(known[1])
        return answer

    def _forget(self, key: Hashable, done: "asyncio.Future[Any]") -> None:
        """Forget an answer that is none; whoever waits for it has the error."""
        if done.cancelled() or done.exception() is not None:
            known = self._known.get(key)
            if known is not None and known[1] is done:
                del self._known[key]

    def _answer(self, question: "Callable[[Reader], _T]") -> _T:
        return question(self._reader())

    def _reader(self) -> "Reader":
        seat, now = self._seat, monotonic()
        if seat.reader is None:
            if not self.present:
                raise StoreError(Text("store.none", {"path": str(self.directory)}))
            seat.state = self.state()
            seat.reader = open_reader(self.directory, self._cores)
            seat.looked = now
            self._readers.append(seat.reader)
        elif now - seat.looked >= _FRESH:
            seat.looked = now
            if (state := self.state()) != seat.state:
                seat.state = state
                seat.reader.refresh()
        return seat.reader

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        for reader in self._readers:
            reader.close()

"""--start: a command line -> the program runs, and where it serves pprof is known; it ends with the experiment.

The user asked for it by name. It is found by its process group: `go run` and scripts start another program.
"""

import os
import shlex
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO

from msgspec import Struct

from oakum.collect.process.proc import Proc, pids
from oakum.collect.process.running import served
from oakum.collect.programs import Started, named_program
from oakum.collect.web import Access
from oakum.model import OakumError, UsageError

_TICK = 0.1
_SAID_MOST = 400  # characters of what it printed last


class Service(Struct, frozen=True):
    """A program that was started: its number, and where pprof is."""

    pid: int
    pprof: str


@contextmanager
def running(command: str, seconds: float, there: Callable[[], bool] | None = None) -> Iterator[Service]:
    """Lend the program that a command starts, once it serves pprof; raise OakumError when it does not in time.

    `there` tells whether pprof answers, where it is known at which address; else the ports of the program are asked.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--start: {error}: {command[:80]!r}") from error
    if not words:
        raise UsageError("--start: the command is empty")
    with tempfile.TemporaryFile() as log:
        try:
            started = Started([named_program(words[0]), *words[1:]], log)
        except OSError as error:
            raise UsageError(f"--start {words[0]}: {error.strerror or error}") from error
        try:
            until = time.monotonic() + seconds
            while (found := _found(started.pid, there)) is None:
                if started.code is not None:
                    raise OakumError(f"--start {words[0]}: it ended with exit code {started.code}{_said(log)}")
                if time.monotonic() > until:
                    raise OakumError(
                        f"--start {words[0]}: no pprof within {seconds:.0f} s (--start-timeout). If it is served at a "
                        f"path of its own, name that as TARGET: http://HOST:PORT/PATH/debug/pprof{_said(log)}"
                    )
                time.sleep(_TICK)
            yield found
        finally:
            started.stop()


def _found(group: int, there: Callable[[], bool] | None) -> Service | None:
    """Return the process of a group that serves pprof."""
    if there is not None:
        return Service(group, "") if there() else None
    for pid in pids():
        with suppress(OSError):
            if os.getpgid(pid) == group and (address := served(Proc(pid), Access()).address):
                return Service(pid, address)
    return None


def _said(log: IO[bytes]) -> str:
    """Return what it printed last."""
    log.seek(max(0, log.seek(0, os.SEEK_END) - _SAID_MOST))
    said = log.read().decode("utf-8", "replace").strip()
    return f"; it printed: {said}" if said else ""

"""shim:CONTAINER-ID or shim:PID -> a Target: a containerd shim, its kernel facts, and its goroutines by SIGUSR1.

The shim prints them to its log, which containerd copies to its own: a file or the journal. The signal is sent only to a
process that is called a shim and handles it (it ends others); the plan shows the command.
"""

import os
import re
import signal
from datetime import UTC, datetime
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from oakum.collect.process import cgroups
from oakum.collect.process.pid import PidTarget
from oakum.collect.process.proc import PROC, Proc, need_proc, pids
from oakum.collect.process.shim_logs import ShimLogs
from oakum.collect.target import CaptureOptions, LeftOut, Plan, Step, Taken
from oakum.collect.web import Access
from oakum.model import Capture, Problem, Text, Unreachable, UsageError

if TYPE_CHECKING:
    from oakum.collect.target import Target

_HOW = "shim:CONTAINER-ID, shim:PID, or shim:ID?log=FILE where FILE is the log of containerd"
# 1f2e3d4c5b6a   web-1
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")
_SHORTEST = 4  # characters of an id: fewer name several
_PATIENCE = 30.0  # seconds; a dump of 1,000 goroutines is printed in less than one
_LOG = "log.txt"


def open(word: str, access: Access) -> "list[Target]":
    """Return the shim that a word names; raise when there is none, or several."""
    name, _, query = word.removeprefix("shim:").partition("?")
    fields = dict(parse_qsl(query))
    if not _ID.fullmatch(name) or fields.keys() - {"log"}:
        raise UsageError(f"{word}: {_HOW}")
    need_proc(word)
    if "log" in fields and not os.access(fields["log"], os.R_OK):
        raise UsageError(f"{word}: {fields['log']} is not there, or may not be read")
    proc = _by_pid(word, int(name)) if name.isdecimal() and len(name) < 8 else None
    if proc is None:
        proc = _by_id(word, name)
    if not dumps_on_signal(proc):
        raise UsageError(
            f"{word}: pid {proc.pid} ({_name(proc)}) does not handle SIGUSR1, which would end it; no signal was sent"
        )
    return [ShimTarget(word, proc, access, fields.get("log"))]


class ShimTarget:
    """A containerd shim. Used by one thread at a time."""

    def __init__(self, word: str, proc: Proc, access: Access, log: str | None) -> None:
        self._pid = PidTarget(proc, access)
        self.address = word.partition("?")[0]
        self.name = self._pid.name
        self.process = self._pid.process
        self._proc = proc
        self._logs = ShimLogs(proc, log)

    def plan(self, options: CaptureOptions, snapshot: int = 1, last: bool = True) -> Plan:
        """Return what is read of /proc, and the signal that makes it print its goroutines."""
        del last
        if gone := self._pid.gone():
            return Plan(problems=(gone,))
        steps, left_out = self._pid.kernel(options, snapshot)
        if places := self._logs.shown():
            ask = f"kill -USR1 {self._proc.pid}, then read {places}"
            steps.append(Step(_LOG, "its goroutines, which it prints when it is sent SIGUSR1", ask))
        else:
            how = Text("plan.name-log", {"target": self.address})
            left_out.append(LeftOut(Text("plan.goroutines"), Text("plan.no-log"), how))
        arguments = self._proc.arguments()
        facts = {"pid": self._proc.pid, "program": self._proc.program(), "container": _after("-id", arguments)}
        facts |= {"namespace": _after("-namespace", arguments)}
        told = {name: value for name, value in facts.items() if value} if snapshot == 1 else {}
        return Plan(tuple(steps), tuple(left_out), facts=MappingProxyType(told))

    def take(self, step: Step, options: CaptureOptions) -> Taken:
        """Take one thing; the dump is waited for until its last line is there."""
        if step.file != _LOG:
            return self._pid.take(step, options)
        began = datetime.now(UTC)
        self._logs.mark(began)
        if problem := self._signal():
            return Taken(step, None, began, datetime.now(UTC), (problem,))
        patience = min(_PATIENCE, options.seconds)
        data, whole = self._logs.wait(patience, options.most)
        ended = datetime.now(UTC)
        if not data:
            pid, log = self._proc.pid, self._logs.shown()
            missing = Problem.of("no-dump", pid=pid, log=log, target=self.address, seconds=patience)
            return Taken(step, None, began, ended, (missing,))
        problems = () if whole else (Problem.of("cut.dump", seconds=patience),)
        return Taken(step, Capture(f"{self.address}/{_LOG}", data, ended), began, ended, problems)

    def close(self) -> None:
        self._pid.close()

    def _signal(self) -> Problem | None:
        """Send SIGUSR1 to this very process, or return why not."""
        try:
            # Held by this descriptor, the number cannot become another process's between the check and the signal.
            held = os.pidfd_open(self._proc.pid)
        except OSError as error:
            return Problem.of("ended.error", pid=self._proc.pid, error=error.strerror or str(error))
        try:
            if gone := self._pid.gone():
                return gone
            if not self._proc.catches(signal.SIGUSR1):
                return Problem.of("not-handled", pid=self._proc.pid)
            signal.pidfd_send_signal(held, signal.SIGUSR1)
        except PermissionError:
            return Problem.of("forbidden", pid=self._proc.pid)
        except OSError as error:
            return Problem.of("ended.error", pid=self._proc.pid, error=error.strerror or str(error))
        finally:
            os.close(held)
        return None


def dumps_on_signal(proc: Proc) -> bool:
    """Tell whether a process is a shim that handles SIGUSR1: it prints its goroutines, and goes on."""
    return _is_shim(proc) and proc.catches(signal.SIGUSR1)


def _by_pid(word: str, pid: int) -> Proc | None:
    proc = Proc(pid)
    if proc.stat() is None:
        return None
    if not _is_shim(proc):
        raise UsageError(
            f"{word}: pid {pid} is {_name(proc)}, no shim; to others SIGUSR1 means something else, and ends many"
        )
    return proc


def _by_id(word: str, name: str) -> Proc:
    """Return the shim of a container: it names the container, or its pod, or started a process of the container."""
    if len(name) < _SHORTEST:
        raise UsageError(
            f"{word}: there is no process {name}, and an id needs {_SHORTEST} characters at least; "
            "`oakum find shim` lists them"
        )
    found: dict[int, Proc] = {}
    shims = 0
    for pid in pids(PROC):
        proc = Proc(pid)
        if _is_shim(proc):
            shims += 1
            if _after("-id", proc.arguments()).startswith(name):
                found[pid] = proc
        elif cgroups.home(proc).container.startswith(name) and (above := _shim_above(proc)):
            found[above.pid] = above
    if not found:
        raise Unreachable(Text("target.no-shim", {"target": word, "shims": shims}), word)
    if len(found) > 1:
        raise UsageError(f"{word}: that is {len(found)} shims, pids {', '.join(map(str, found))}; give more of the id")
    return next(iter(found.values()))


def _shim_above(proc: Proc) -> Proc | None:
    for _ in range(64):
        stat = proc.stat()
        if stat is None or stat.parent <= 1:
            return None
        proc = Proc(stat.parent, proc.root)
        if _is_shim(proc):
            return proc
    return None


def _is_shim(proc: Proc) -> bool:
    return "shim" in _name(proc) or "shim" in os.path.basename(proc.program())  # noqa: PTH119 - no file is meant


def _name(proc: Proc) -> str:
    stat = proc.stat()
    return stat.name if stat else ""


def _after(flag: str, arguments: list[str]) -> str:
    return next((value for name, value in pairwise(arguments) if name == flag), "")

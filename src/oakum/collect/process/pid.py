"""pid:N -> a Target: what /proc tells of a process of this machine, its sockets, and its profiles where it serves any.

Its listening sockets are asked for pprof in its own network namespace. Of its environment only Go's settings are read,
of its command line only what cannot be a secret is told; a process that ended, or whose number another one has, is so.
"""

import os
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec.structs import replace

from oakum.collect.process import cgroups, endpoints, facts, sockets, sockets_text
from oakum.collect.process.masked import masked
from oakum.collect.process.network import Network
from oakum.collect.process.proc import Proc, need_proc
from oakum.collect.target import CaptureOptions, LeftOut, Plan, Step, Taken
from oakum.collect.web import Access
from oakum.model import Capture, Problem, Socket, Text, Unreachable, UsageError

if TYPE_CHECKING:
    from oakum.collect.target import Target

_WORD = re.compile(r"pid:([1-9]\d{0,9})")
_PROFILES = ("goroutine", "heap")
_CHILDREN_MOST = 3  # Go programs that a process started, by name
# The line `State:	T (stopped)`
_STATE = re.compile(rb"^State:\s*([A-Za-z])\b", re.MULTILINE)
# Who prints its goroutines when it is sent SIGUSR1: plan.usr1.NAME says where.
_DUMPS_ON_USR1 = ("containerd", "dockerd", "containerd-shim")
# Who serves pprof when it is told to, plan.serves.NAME; others have to import it.
_SERVES = ("containerd", "dockerd", "etcd", "kube-proxy")


def open(word: str, access: Access) -> "list[Target]":
    found = _WORD.fullmatch(word)
    if not found:
        raise UsageError(f"{word}: a process is named by its number, as in pid:1234; `oakum find` lists those of Go")
    proc = Proc(int(found[1]))
    need_proc(word)
    if proc.stat() is None:
        raise Unreachable(Text("target.no-process", {"target": word}), word)
    return [PidTarget(proc, access)]


class PidTarget:
    """A process of this machine. Used by one thread at a time."""

    def __init__(self, proc: Proc, access: Access) -> None:
        stat = proc.stat()
        self.address = f"pid:{proc.pid}"
        self.name = f"{_called(proc)}-{proc.pid}"
        self._proc = proc
        self._access = access
        self._started = stat.started if stat else None
        self._memory = cgroups.memory_files(proc)  # of its group, which may outlive it
        self._oom_kills = cgroups.oom_kills(self._memory)
        self._network = Network(proc)
        self._profiles: list[Target] | None = None  # None: not looked for yet
        self._homes: dict[str, Target] = {}  # file -> who serves it
        self.process = self._place() or self.address
        self._own: dict[str, Callable[[CaptureOptions], bytes]] = {
            "status.txt": lambda _: proc.read("status"),
            "smaps_rollup.txt": lambda _: proc.read("smaps_rollup"),
            "cgroup.txt": lambda _: cgroups.as_text(cgroups.memory_files(proc)),
            "process.txt": lambda _: facts.as_text(proc),
            "sockets.txt": lambda _: self._sockets(),
            "build.txt": self._build,
        }

    def plan(self, options: CaptureOptions, snapshot: int = 1, last: bool = True) -> Plan:
        """Look at the process and its listening sockets, and return what to take."""
        if gone := self.gone():
            return Plan(problems=(gone,))
        steps, left_out = self.kernel(options, snapshot)
        told = _facts(self._proc) if snapshot == 1 else _resident(self._proc)
        problems: list[Problem] = []
        advice: list[Text] = []
        self._homes.clear()
        served, why = self._served()
        refusals: list[Problem] = []
        for target in served:
            plan = self._network.call(partial(target.plan, options, snapshot, last))
            new = [step for step in plan.steps if step.file not in self._homes]
            if not new:
                refusals += plan.problems
                continue
            self._homes |= {step.file: target for step in new}
            steps += map(self._there, new)
            left_out += plan.left_out
            advice += plan.advice
            profiles = any(step.file.startswith(_PROFILES) for step in new)
            (problems if profiles else refusals).extend(plan.problems)
            if profiles:
                told["pprof"] = target.address
                self.process = self.process if self._network.elsewhere else _place(target.address)
            told = {**plan.facts, **told}
            if self._network.elsewhere:
                told["network"] = f"its own namespace; nsenter -t {self._proc.pid} -n enters it"
        if not any(step.file.startswith(_PROFILES) for step in steps):
            # A library built by Go may serve profiles in a program that is not.
            if snapshot == 1 and self._proc.is_go() is False:
                return Plan(problems=(self._not_go(),))
            # Who refuses may well have it: that says more than who has not, and then no signal is needed.
            closed = [problem for problem in refusals if endpoints.refuses(problem)]
            left_out.append(replace(why, why=Text("plan.shut"), how=Text("plan.keys")) if closed else why)
            problems += closed or refusals
            advice += [] if closed else self._signals(options)
        elif snapshot == 1:
            self._profiles = [target for target in served if target in self._homes.values()]
            for target in served:
                if target not in self._profiles:
                    target.close()
        return Plan(tuple(steps), tuple(left_out), tuple(advice), MappingProxyType(told), tuple(problems))

    def take(self, step: Step, options: CaptureOptions) -> Taken:
        """Take one thing: read it from /proc, or ask the server that has it."""
        home = self._homes.get(step.file)
        if home is not None:
            return self._network.call(lambda: home.take(step, options))
        began = datetime.now(UTC)
        if gone := self.gone():
            return Taken(step, None, began, began, (gone,))
        try:
            data = self._own[step.file](options)
        except OSError as error:
            problem = Problem.of("unreadable", asked=step.ask, error=error.strerror or str(error))
            return Taken(step, None, began, datetime.now(UTC), (problem,))
        ended = datetime.now(UTC)
        if not data:
            return Taken(step, None, began, ended, (Problem.of("empty.file", asked=step.ask),))
        return Taken(step, Capture(f"{self.address}/{step.file}", data, ended), began, ended)

    def close(self) -> None:
        """Let go of connections, and of its network."""
        for target in self._profiles or ():
            target.close()
        self._network.close()

    def gone(self) -> Problem | None:
        """Return that it has ended, when it has."""
        stat = self._proc.stat()
        if stat is None:
            return Problem.of("oom-killed" if self._was_oom_killed() else "ended", target=self.address)
        if stat.started != self._started:
            return Problem.of("ended.reused", target=self.address, program=stat.name)
        if self._state() in ("Z", "X") and self._was_oom_killed():
            return Problem.of("oom-killed", target=self.address)
        if self._state() in ("Z", "X"):
            return Problem.of("ended.zombie", target=self.address, parent=stat.parent)
        return None

    def _was_oom_killed(self) -> bool:
        """Tell whether the kernel has killed something in its group since it was opened; it has ended."""
        now = cgroups.oom_kills(self._memory)
        return now is not None and self._oom_kills is not None and now > self._oom_kills

    def kernel(self, options: CaptureOptions, snapshot: int) -> tuple[list[Step], list[LeftOut]]:
        """Return what is read of /proc, and what may not be."""
        place = self._proc.path
        left_out: list[LeftOut] = []
        steps = [Step("status.txt", "memory and threads, as the kernel counts them", f"read {place}/status")]
        root = Text("plan.as-root")
        try:
            self._proc.read("smaps_rollup", 1)
            steps.append(Step("smaps_rollup.txt", "resident memory by what it is", f"read {place}/smaps_rollup"))
        except OSError as error:
            left_out.append(LeftOut("smaps_rollup.txt", _why(error, f"{place}/smaps_rollup"), root))
        if files := cgroups.memory_files(self._proc):
            ask = f"tail -n +1 {files[0].parent}/memory.*"
            steps.append(Step("cgroup.txt", "memory of its cgroup, its limit, and OOM kills", ask))
        steps.append(Step("process.txt", "open files, start, Go's settings", f"count {place}/fd, limits, environ"))
        try:
            os.listdir(place / "fd")  # noqa: PTH208 - names are enough
            ask = f"list {place}/fd, {place}/net, sock_diag (as ss -tuxanpm does)"
            steps.append(Step("sockets.txt", "sockets: what waits in them, and for whom", ask))
        except OSError as error:
            left_out.append(LeftOut("sockets.txt", _why(error, f"{place}/fd"), root))
        if snapshot == 1 and options.describe(place / "exe"):
            steps.append(Step("build.txt", "which versions it was built from", f"go version -m {place}/exe"))
        elif snapshot == 1:
            left_out.append(LeftOut("build.txt", Text("plan.no-build")))
        return steps, left_out

    def _served(self) -> "tuple[list[Target], LeftOut]":
        """Return who answers at its listening sockets, and what is said when that is nobody with a profile.

        `_profiles` is None as long as nobody has answered: each snapshot looks again, since it may have been busy.
        """
        what = Text("plan.profiles")
        if self._profiles is not None:
            return self._profiles, LeftOut(what, Text("plan.no-pprof-before"))
        try:
            listening = sockets.listeners(self._proc)
        except OSError as error:
            why = _why(error, f"{self._proc.path}/fd")
            return [], LeftOut(what, Text("plan.listens-unknown", {"why": why}), Text("plan.root-or-address"))
        if not listening:
            self._profiles = []
            return [], LeftOut(what, Text("plan.listens-nowhere"))
        if closed := self._network.enter():
            command = f"sudo nsenter -t {self._proc.pid} -n oakum capture {self.address}"
            return [], LeftOut(
                what, Text("plan.network", {"error": closed}), Text("plan.command", {"command": command})
            )
        self._profiles = self._network.call(lambda: self._look(listening)) or None
        if self._profiles is None and self._stopped():
            return [], LeftOut(what, Text("plan.stopped"), Text("plan.continue", {"pid": str(self._proc.pid)}))
        where = ", ".join(row.local for row in listening[:5]) + (" ..." if len(listening) > 5 else "")
        name = Path(self._proc.program()).name
        how = Text(f"plan.serves.{name}") if name in _SERVES else Text("plan.import")
        if self._profiles is None:
            mute = Text("plan.listens-mute", {"where": where, "seconds": endpoints.SECONDS})
            return [], LeftOut(what, mute, how)
        return self._profiles, LeftOut(what, Text("plan.listens-without", {"where": where}), how)

    def _not_go(self) -> Problem:
        """Return that the program is not built by Go, and which of those that it started are."""
        program = self._proc.program() or _called(self._proc)
        started = [one for one in self._proc.children() if one.is_go()][:_CHILDREN_MOST]
        if started:
            children = ", ".join(f"pid:{one.pid} ({_called(one)})" for one in started)
            return Problem.of("not-go.parent", target=self.address, program=program, children=children)
        return Problem.of("not-go", target=self.address, program=program)

    def _stopped(self) -> bool:
        return self._state() in ("T", "t")

    def _state(self) -> str:
        found = _STATE.search(self._proc.quietly("status"))
        return found[1].decode() if found else ""

    def _place(self) -> str:
        """Return what http://HOST:PORT of this process is known by, where it listens at one port alone."""
        try:
            listening = [] if self._network.elsewhere else sockets.listeners(self._proc)
        except OSError:
            return ""
        found = list(endpoints.endpoints(listening, self._proc)) if len(listening) == 1 else []
        return _place(found[0].address) if found else ""

    def _look(self, listening: Sequence[Socket]) -> "list[Target]":
        from oakum.collect.pprof.endpoint import PprofTarget

        found = endpoints.answering(listening, self._proc, self._access)
        return [PprofTarget(endpoint, endpoint.address.rstrip(":"), widely=False) for endpoint in found]

    def _there(self, step: Step) -> Step:
        """Return the step, asked for in such a way that it can be repeated by hand."""
        if not self._network.elsewhere:
            return step
        return replace(step, ask=f"nsenter -t {self._proc.pid} -n: {step.ask}")

    def _sockets(self) -> bytes:
        why = self._network.enter()
        rows = self._network.call(lambda: sockets.sockets(self._proc)) if not why else sockets.sockets(self._proc)
        stat = self._proc.stat()
        name = stat.name if stat else ""
        return sockets_text.as_text(rows, self._proc.pid, name, datetime.now(UTC), sockets.limits())

    def _build(self, options: CaptureOptions) -> bytes:
        told = options.describe(self._proc.path / "exe")
        # The name by which it was started says more than /proc/12/exe.
        program = self._proc.program().removesuffix(" (deleted)") or str(self._proc.path / "exe")
        return (told or b"").replace(str(self._proc.path / "exe").encode(), program.encode(), 1)

    def _signals(self, options: CaptureOptions) -> list[Text]:
        """Return how a process without pprof can be made to print its goroutines; that is for people to decide."""
        name = Path(self._proc.program()).name
        about = {"pid": str(self._proc.pid)}
        for known in _DUMPS_ON_USR1:
            if name == known or (known == "containerd-shim" and name.startswith(known)):
                return [Text(f"plan.usr1.{known}", about)]
        if not options.describe(self._proc.path / "exe") or self._stopped():
            return []
        return [Text("plan.quit", about)]


def _place(address: str) -> str:
    """Return 127.0.0.1:6060 of http://127.0.0.1:6060: never two dumps of one process at once, whatever names it."""
    scheme, _, rest = address.partition("://")
    return f"unix:{rest.rstrip(':')}" if scheme == "unix" else rest


def _called(proc: Proc) -> str:
    stat = proc.stat()
    program = Path(proc.program().removesuffix(" (deleted)")).name
    # The kernel's name is cut at 15 characters; that of the file is not, but may be that of an interpreter.
    name = stat.name if stat else ""
    return program if name and program.startswith(name) else name or program or "process"


def _facts(proc: Proc) -> dict[str, object]:
    stat, started, home = proc.stat(), proc.started(), cgroups.home(proc)
    told: dict[str, object] = {
        "pid": proc.pid,
        "program": proc.program(),
        "command": " ".join(masked(proc.arguments())),
        "started": started.isoformat(timespec="seconds") if started else "",
        "threads": stat.threads if stat else None,
        "rss": stat.resident if stat else None,
        "container": home.container,
        "pod": home.pod,
        "unit": home.unit,
        "environment": proc.go_settings(),
    }
    return {name: value for name, value in told.items() if value}


def _resident(proc: Proc) -> dict[str, object]:
    """Return what changes from snapshot to snapshot, so that a series shows its course."""
    stat = proc.stat()
    return {"rss": stat.resident} if stat else {}


def _why(error: OSError, place: str) -> Text:
    said = Text("web.quoted", {"said": (error.strerror or str(error)).lower()})
    return Text("web.at", {"where": place, "why": said})

"""Programs that run on this machine: who they are, by /proc; and where one of them serves pprof, by asking it.

Which of them Go built is not decided here: parse reads programs. What may not be looked at is counted.
"""

from collections.abc import Hashable, Iterator
from datetime import datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from oakum.collect.process import cgroups, endpoints, sockets
from oakum.collect.process.network import Network
from oakum.collect.process.proc import PROC, Proc, pids
from oakum.collect.web import Access
from oakum.model import Problem, Socket

_SECONDS = 2.0  # for one answer
_KNOCK = 1.0  # for the first: many processes are asked, and some speak no HTTP


class Program(Struct, frozen=True):
    """What a process runs: `file` is the same for the same program, however it is called."""

    proc: Proc
    file: Hashable
    executable: Path  # by which it can be read, also when it was replaced or lies in a container


class Running(Struct, frozen=True):
    proc: Proc
    name: str
    program: str
    resident: int
    threads: int
    started: datetime | None
    home: cgroups.Home


class Served(Struct, frozen=True):
    address: str = ""  # "": nowhere that is known
    goroutines: int | None = None
    why: str = ""  # why it was not found
    refusal: Problem | None = None  # it may be there, for whom it knows
    elsewhere: bool = False  # the address is one of its own network namespace


def programs(root: Path = PROC) -> Iterator[Program | None]:
    """Yield what the processes run, None for one that may not be looked at; the kernel's own are left out."""
    for pid in pids(root):
        proc = Proc(pid, root)
        executable = proc.path / "exe"
        try:
            found = executable.stat()
        except PermissionError:
            try:
                executable = _named(proc)
                found = executable.stat()
            except OSError:
                yield None
                continue
        except OSError:  # of the kernel, or ended
            continue
        # Another mount namespace has other devices: a program is its content's place, size and time.
        yield Program(proc, (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns), executable)


def running(program: Program) -> Running | None:
    """Return what is to be known of a process; None when it has ended."""
    proc = program.proc
    stat = proc.stat()
    if stat is None:
        return None
    path = proc.program().removesuffix(" (deleted)") or str(program.executable)
    return Running(proc, stat.name, path, stat.resident, stat.threads, proc.started(), cgroups.home(proc))


def _named(proc: Proc) -> Path:
    """Return the program that the command line of another user's process names, if it is called alike."""
    stat, arguments = proc.stat(), proc.arguments()
    program = Path(arguments[0]) if arguments else Path()
    if stat is None or not program.is_absolute() or not program.name.startswith(stat.name):
        raise FileNotFoundError
    return program


def served(proc: Proc, access: Access) -> Served:
    """Return where a process serves pprof, and how many goroutines it has."""
    try:
        listening = sockets.listeners(proc)
    except OSError as error:
        return Served(why=error.strerror or str(error))
    network = Network(proc)
    try:
        if not listening:
            return Served(why="it listens nowhere")
        if why := network.enter():
            return Served(why=f"its network namespace cannot be entered: {why}")
        return replace(network.call(lambda: _look(listening, proc, access)), elsewhere=network.elsewhere)
    finally:
        network.close()


def _look(listening: list[Socket], proc: Proc, access: Access) -> Served:
    from oakum.collect.pprof.probe import look

    refusal: Problem | None = None
    for endpoint in endpoints.answering(listening, proc, access, _KNOCK):
        try:
            found = look(endpoint, "", _SECONDS, False)
        finally:
            endpoint.close()
        if found.mount:
            return Served(f"{endpoint.address}{found.mount.prefix}", found.mount.goroutines)
        if found.problem and endpoints.refuses(found.problem):
            refusal = refusal or found.problem
    return Served(why="" if refusal else "none of its listening sockets answers with pprof", refusal=refusal)

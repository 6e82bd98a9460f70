"""Other programs of this machine: a name -> its path; a command -> what it printed. With limits, never through a shell.

Found only in absolute folders of the PATH: an empty or relative one is the folder that the user stands in, perhaps a
checkout of somebody else. Ended, with all that it started, when the time is up or it printed too much.
"""

import errno
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

_MOST_COMPLAINTS = 64 << 10  # bytes of stderr: its end


class Ran(NamedTuple):
    """What a program left. `out` has one byte more than was allowed when it was cut; `late`: its time was up."""

    code: int
    out: bytes
    err: bytes
    late: bool = False


def find_program(name: str, env: Mapping[str, str] = os.environ, without: Path | None = None) -> str | None:
    """Return the absolute path of a program, found by the PATH; never one that lies in the folder `without`."""
    return shutil.which(name, path=safe_path(env, without) or os.devnull)


def named_program(word: str) -> str:
    """Return the program that a command line begins with: a path as it is, a name found by the PATH; raise OSError."""
    found = word if os.sep in word else find_program(word)
    if found is None or not Path(found).exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), word)
    return found


def safe_path(env: Mapping[str, str], without: Path | None = None) -> str:
    """Return the PATH with its absolute folders alone, and none of those in the folder `without`."""
    folders = [folder for folder in env.get("PATH", os.defpath).split(os.pathsep) if Path(folder).is_absolute()]
    return os.pathsep.join(folder for folder in folders if without is None or not is_inside(Path(folder), without))


def is_inside(path: Path, folder: Path) -> bool:
    """Tell whether a path, wherever its links lead, lies in a folder."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def run_program(
    command: Sequence[str],
    seconds: float,
    most: int,
    *,
    folder: Path | None = None,
    env: Mapping[str, str] | None = None,
    people: bool = False,
    memory: int | None = None,
    given: IO[bytes] | None = None,
    started: Callable[[Callable[[], None]], None] | None = None,
) -> Ran:
    """Return what a command prints, up to `most` bytes; raise OSError when it cannot be started.

    `people`: it may talk with them, on the terminal's stdin and stderr; `memory`: bytes that it may write to, on Linux;
    `given`: an open file that it reads as stdin (a pipe would wait for a program that reads nothing); `started` gets
    what ends it at once, for another thread.
    """
    with subprocess.Popen(
        command,
        cwd=folder,
        env=env,
        stdin=None if people else given or subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=None if people else subprocess.PIPE,
        start_new_session=not people,  # a group of its own, which ends with it; people keep their terminal
    ) as process:
        if memory is not None:
            _limit_memory(process.pid, memory)

        def end() -> None:
            with suppress(ProcessLookupError, PermissionError):
                process.kill() if people or os.name != "posix" else os.killpg(process.pid, signal.SIGKILL)

        def run_out() -> None:
            late.set()
            end()

        late, complaints = threading.Event(), bytearray()
        timer = threading.Timer(seconds, run_out)
        listener = threading.Thread(target=_listen, args=(process.stderr, complaints), daemon=True)
        timer.start()
        listener.start()
        if started is not None:
            started(end)
        try:
            out = process.stdout.read(most + 1) if process.stdout else b""
            if len(out) > most:
                end()
            code = process.wait()
        finally:
            timer.cancel()
            end()  # what it left behind in its group
        listener.join(1.0)
        return Ran(code, out, bytes(complaints), late.is_set())


class Started:
    """A program that was started and runs on, in a group of its own; what it prints goes to a file."""

    def __init__(self, command: Sequence[str], log: IO[bytes]) -> None:
        """Start it; raise OSError when that is not possible."""
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
        self.pid = self._process.pid

    @property
    def code(self) -> int | None:
        """Return its exit code; None while it runs."""
        return self._process.poll()

    def stop(self, seconds: float = 5.0) -> None:
        """End it and all that it started: asked first, then killed."""
        for how, wait in ((signal.SIGTERM, seconds), (signal.SIGKILL, seconds)):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, how)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(wait)
                if how == signal.SIGTERM:  # what it started may be slower
                    continue


def _listen(stream: IO[bytes] | None, kept: bytearray) -> None:
    while stream is not None and (more := stream.read1(_MOST_COMPLAINTS)):  # type: ignore[attr-defined]  # it is buffered
        kept += more
        del kept[:-_MOST_COMPLAINTS]


def _limit_memory(pid: int, most: int) -> None:
    """Bound what a process may write to; Go ends with "out of memory" there. Other systems have no such call."""
    with suppress(ImportError, AttributeError, OSError):
        import resource

        resource.prlimit(pid, resource.RLIMIT_DATA, (most, most))

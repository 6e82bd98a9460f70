"""Where a shim's log goes -> the dump that it writes there after a signal.

Its standard error is a file; or a pipe or fifo that containerd reads, and copies to its own standard error: a file or
the journal. What is taken lies between the first and the last line of the dump; nothing else of the log is.
"""

import stat
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from time import monotonic, sleep

from oakum.collect.process import cgroups, journal
from oakum.collect.process.proc import Proc, pids
from oakum.collect.programs import find_program

BEGIN = b"=== BEGIN goroutine stack dump ==="
END = b"=== END goroutine stack dump ==="
_JOURNALS = (Path("/run/log/journal"), Path("/var/log/journal"))
_USUAL_UNIT = "containerd.service"
_PAUSE, _JOURNAL_PAUSE = 0.05, 0.5  # seconds between two looks


class ShimLogs:
    """The files and units to which a shim's dump may be written."""

    def __init__(self, proc: Proc, log: str | None) -> None:
        writers = [] if log else [proc, *_readers(proc)]
        self._files = [Path(log)] if log else list(dict.fromkeys(f for writer in writers for f in _files(writer)))
        units = [unit for writer in writers if (unit := cgroups.home(writer).unit).endswith(".service")]
        whose = [f"_SYSTEMD_UNIT={unit}" for unit in units or [_USUAL_UNIT]] + [
            f"_PID={writer.pid}" for writer in writers
        ]
        there = find_program("journalctl") and any(folder.is_dir() for folder in _JOURNALS)
        # Any of them: journalctl joins fields by "and", and by "or" where a plus stands between them.
        self._journal = " + ".join(dict.fromkeys(whose)).split(" ") if there and not log else []
        self._marks: dict[Path, int] = {}
        self._since = ""

    def shown(self) -> str:
        """Return the places, as people can look there; "" when there is none."""
        files = dict.fromkeys(str(file.readlink()) if file.is_symlink() else str(file) for file in self._files)
        return " or ".join([*files, *([" ".join(journal.export(self._journal, "now"))] if self._journal else [])])

    def mark(self, now: datetime) -> None:
        """Note how far the logs are: what comes later is looked at."""
        self._since = f"@{now.timestamp():.6f}"
        self._marks = {file: _size(file) for file in self._files}

    def wait(self, seconds: float, most: int) -> tuple[bytes, bool]:
        """Return the dump, and whether it is whole: as much as is there when the time is up."""
        deadline, next_journal = monotonic() + seconds, 0.0
        seen: dict[Path, int] = {}
        best = b""
        while monotonic() < deadline:
            for file, mark in self._marks.items():
                size = _size(file)
                if size == seen.get(file, mark):
                    continue
                seen[file] = size
                # A log that became shorter was rotated.
                part, whole = _dump(_read(file, mark if size >= mark else 0, most))
                if whole:
                    return part, True
                best = max(best, part, key=len)
            if self._journal and monotonic() >= next_journal:
                left = max(1.0, deadline - monotonic())
                output = journal.run(journal.export(self._journal, self._since), left, most)
                if END in output.data:
                    return output.data, True
                best = max(best, output.data if BEGIN in output.data else b"", key=len)
                next_journal = monotonic() + _JOURNAL_PAUSE
            sleep(_PAUSE)
        return best, False


def _readers(proc: Proc) -> Iterator[Proc]:
    """Yield who has the other end of the pipes and fifos that a shim writes its log to."""
    try:
        mine = proc.open_files()
    except OSError:
        return
    # Its standard error; and the fifo "log" in its bundle.
    wanted = {what for fd, what in mine.items() if (fd in (1, 2) or what.endswith("/log")) and _is_pipe(proc, fd)}
    for pid in pids(proc.root) if wanted else ():
        other = Proc(pid, proc.root)
        try:
            if pid != proc.pid and not wanted.isdisjoint(other.open_files().values()):
                yield other
        except OSError:
            continue


def _is_pipe(proc: Proc, fd: int) -> bool:
    try:
        return stat.S_ISFIFO((proc.path / "fd" / str(fd)).stat().st_mode)
    except OSError:
        return False


def _files(proc: Proc) -> Iterator[Path]:
    """Yield the files that are its standard error and output; by descriptor, since paths may be a container's."""
    for fd in (2, 1):
        link = proc.path / "fd" / str(fd)
        try:
            if stat.S_ISREG(link.stat().st_mode):
                yield link
        except OSError:
            continue


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _read(file: Path, start: int, most: int) -> bytes:
    try:
        with file.open("rb") as opened:
            opened.seek(start)
            return opened.read(most)
    except OSError:
        return b""


def _dump(data: bytes) -> tuple[bytes, bool]:
    """Return the lines of the dump, and whether its last is among them."""
    begin = data.find(BEGIN)
    if begin < 0:
        return b"", False
    start, end = data.rfind(b"\n", 0, begin) + 1, data.find(END, begin)
    if end < 0:
        return data[start:], False
    last = data.find(b"\n", end)
    return data[start : last + 1 if last >= 0 else len(data)], last >= 0

"""/proc of one process -> what the kernel tells of it. Every read is bounded; what is gone or forbidden raises OSError.

Of its environment only what steers Go's memory and traces is looked at: the rest holds secrets.
"""

import os
import re
from datetime import UTC, datetime
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from oakum.model import UsageError

PROC = Path("/proc")
MOST = 1 << 20  # bytes of one file; those that grow with the machine are given more
MOST_FILES = 200_000  # open files of one process; servers of a million connections exist
# What every program with Go's runtime has in it, also without symbols; the first also when its names are garbled.
_RUNTIME = (b"\xff Go buildinf:", b"runtime.gopark")
_PROGRAM_MOST = 1 << 30
# What changes how Go uses memory or prints stacks. Nothing else of an environment is any business of ours.
GO_SETTINGS = ("GOGC", "GOMEMLIMIT", "GODEBUG", "GOTRACEBACK", "GOMAXPROCS")
# The line `SigCgt:	fffffffd7fc1feff`
_CAUGHT = re.compile(rb"^SigCgt:\s*([0-9a-fA-F]{1,32})$", re.MULTILINE)
# btime 1794823105
_BOOTED = re.compile(rb"^btime (\d{1,18})$", re.MULTILINE)
# Max open files            1024                 524288               files
_OPEN_FILES = re.compile(rb"^Max open files\s+(\d{1,18}|unlimited)\s", re.MULTILINE)
# The link `socket:[48213]`
_SOCKET = re.compile(r"socket:\[(\d{1,20})\]")


class Stat(NamedTuple):
    name: str  # at most 15 characters, as the kernel keeps it
    parent: int
    threads: int
    started: int  # in ticks since boot: with the pid, what tells a process from a later one of its number
    resident: int  # bytes


class Proc(Struct, frozen=True):
    pid: int
    root: Path = PROC

    @property
    def path(self) -> Path:
        return self.root / str(self.pid)

    def read(self, name: str, most: int = MOST) -> bytes:
        """Return a file of it, cut at `most`."""
        with (self.path / name).open("rb") as file:
            return file.read(most)

    def quietly(self, name: str, most: int = MOST) -> bytes:
        """Return a file of it, or nothing where that is gone or forbidden."""
        try:
            return self.read(name, most)
        except OSError:
            return b""

    def stat(self) -> Stat | None:
        """Return its name, parent, threads, start and memory; None when it has ended."""
        # 812 (my (odd) name) S 1 812 812 0 -1 ...: the name may hold anything, the rest holds no parenthesis
        before, _, rest = self.quietly("stat").rpartition(b")")
        fields = rest.split()
        if len(fields) < 22:
            return None
        name = before.partition(b"(")[2].decode("utf-8", "replace")
        page = os.sysconf("SC_PAGE_SIZE")
        try:
            return Stat(name, int(fields[1]), int(fields[17]), int(fields[19]), int(fields[21]) * page)
        except ValueError:
            return None

    def started(self) -> datetime | None:
        stat = self.stat()
        try:
            with (self.root / "stat").open("rb") as file:
                booted = _BOOTED.search(file.read(MOST))
        except OSError:
            return None
        if stat is None or booted is None:
            return None
        return datetime.fromtimestamp(int(booted[1]) + stat.started / os.sysconf("SC_CLK_TCK"), UTC)

    def program(self) -> str:
        """Return the path of its executable as it was started; "" where that may not be seen, or for the kernel's."""
        try:
            return str((self.path / "exe").readlink())
        except OSError:
            return ""

    def is_go(self) -> bool | None:
        """Tell whether its program holds Go's runtime; None where it may not be read."""
        try:
            with (self.path / "exe").open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as program:
                return any(program.find(mark, 0, _PROGRAM_MOST) >= 0 for mark in _RUNTIME)
        except (OSError, ValueError):  # ValueError: it is empty, which nothing that runs is
            return None

    def children(self) -> "list[Proc]":
        """Return the processes that it started and that still run."""
        found = [Proc(pid, self.root) for pid in pids(self.root)]
        return [one for one in found if (stat := one.stat()) is not None and stat.parent == self.pid]

    def arguments(self) -> list[str]:
        """Return its command line, secrets and all: for looking at, not for showing."""
        raw = self.quietly("cmdline", 128 << 10)
        return [part.decode("utf-8", "replace") for part in raw.rstrip(b"\0").split(b"\0")] if raw else []

    def go_settings(self) -> dict[str, str]:
        """Return GOGC, GOMEMLIMIT and their like as it was started with them."""
        found = {}
        for entry in self.quietly("environ").split(b"\0"):
            name, _, value = entry.partition(b"=")
            if name.decode("latin-1") in GO_SETTINGS:
                found[name.decode("latin-1")] = value[:200].decode("utf-8", "replace")
        return found

    def open_files(self) -> dict[int, str]:
        """Return what each of its file descriptors is: a path, "socket:[48213]", "pipe:[9]"; raise when forbidden."""
        found: dict[int, str] = {}
        with os.scandir(self.path / "fd") as entries:
            for entry in entries:
                if len(found) >= MOST_FILES:
                    break
                try:
                    found[int(entry.name)] = os.readlink(entry.path)  # noqa: PTH115 - a Path for each costs as much again
                except (OSError, ValueError):
                    continue  # closed in between
        return found

    def most_files(self) -> int | None:
        """Return how many files it may have open; None: as many as it likes, or unknown."""
        found = _OPEN_FILES.search(self.quietly("limits"))
        return int(found[1]) if found and found[1] != b"unlimited" else None

    def catches(self, signal: int) -> bool:
        """Tell whether it handles a signal; one that it does not handle ends it."""
        found = _CAUGHT.search(self.quietly("status"))
        return found is not None and bool(int(found[1], 16) >> (signal - 1) & 1)


def need_proc(word: str) -> None:
    """Raise where the system has no /proc, which is all but Linux."""
    if not PROC.joinpath("self").exists():
        raise UsageError(f"{word}: there is no /proc on this system; name the address of its pprof instead")


def pids(root: Path = PROC) -> list[int]:
    """Return the numbers of all processes that can be seen."""
    return sorted(int(name) for name in os.listdir(root) if name.isdecimal() and name.isascii())  # noqa: PTH208 - names


def socket_inode(open_file: str) -> int | None:
    """Return the inode of "socket:[48213]"; None for other files."""
    found = _SOCKET.fullmatch(open_file)
    return int(found[1]) if found else None

"""Files, directories and standard input -> captures, bytes as they are.

Large files are mapped, not read. Directories are walked in name order; hidden files are left out. Nothing is decided
here about what a file is: that is parse's work.
"""

import mmap
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from oakum.model import Capture, OakumError, Unreachable, UsageError

_MAP_FROM = 1 << 20  # below this, reading is cheaper than mapping
_STREAM_MOST = 4 << 30  # what a pipe may deliver before we refuse to hold more


Complaint = Callable[[OakumError], None]


def _raise(error: OakumError) -> None:
    raise error


def gather(arguments: Iterable[str], complain: Complaint = _raise) -> Iterator[Capture]:
    """Yield one capture for each file that the arguments name, in the order given.

    What cannot be read is handed to `complain`; when that returns, the rest is still read.
    """
    for argument in arguments:
        if argument == "-" and sys.stdin is None:
            complain(Unreachable("-: standard input is closed", argument))
        elif argument == "-":
            yield Capture("-", _read_stream(sys.stdin.buffer, "standard input"), datetime.now(UTC))
        elif "://" in argument:
            how = f": curl -sS -o capture.pb.gz '{argument}'" if argument.startswith("http") else " in a file"
            complaint = UsageError(
                f"{argument}: only files, directories and - are read here; save the target's answer first{how}"
            )
            complain(complaint)
        else:
            yield from _walk(Path(argument), argument, complain, frozenset())


def _walk(path: Path, origin: str, complain: Complaint, above: frozenset[tuple[int, int]]) -> Iterator[Capture]:
    try:
        if not path.is_dir():
            yield _open(path, origin)
            return
        facts = path.stat()
        if (facts.st_dev, facts.st_ino) in above:  # a link back to where we come from
            return
        above |= {(facts.st_dev, facts.st_ino)}
        # A pipe or a device in a directory would make us wait; who means one names it.
        children = sorted(c for c in path.iterdir() if not c.name.startswith(".") and (c.is_file() or c.is_dir()))
        if not children:
            raise Unreachable(f"{origin}: the directory is empty", origin)
    except FileNotFoundError:
        complain(Unreachable(f"{origin}: no such file or directory (looked from {_here()})", origin))
        return
    except PermissionError:
        complain(Unreachable(f"{origin}: permission denied; run as the user who may read it, or copy it", origin))
        return
    except OSError as error:
        complain(Unreachable(f"{origin}: {error.strerror or error}", origin))
        return
    except Unreachable as error:
        complain(error)
        return
    for child in children:
        yield from _walk(child, f"{origin.rstrip('/')}/{child.name}", complain, above)


def _here() -> str:
    try:
        return str(Path.cwd())
    except OSError:
        return "a directory that is gone"


def _open(path: Path, origin: str) -> Capture:
    with path.open("rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):  # a pipe: oakum top <(curl ...)
            return Capture(origin, _read_stream(file, origin), datetime.now(UTC))
        when = datetime.fromtimestamp(facts.st_mtime, UTC)
        if facts.st_size < _MAP_FROM:
            return Capture(origin, file.read(), when)
        return Capture(origin, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), when)


def _read_stream(stream: BinaryIO, name: str) -> bytes:
    parts, size = [], 0
    while part := stream.read(1 << 20):
        size += len(part)
        if size > _STREAM_MOST:
            raise Unreachable(
                f"{name}: more than {_STREAM_MOST >> 30} GiB; save it to a file, which is mapped, not held"
            )
        parts.append(part)
    return b"".join(parts)


__all__ = ["Complaint", "gather"]

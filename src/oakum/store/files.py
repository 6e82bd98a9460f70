"""Files that outlive a kill: bytes -> a file that is there whole or not at all, once a call has returned.

`step` is called before each operation on the disk, with what it is: tests end the process there, or fill the disk.
"""

import os
from collections.abc import Callable
from pathlib import Path

TEMPORARY = ".tmp-"  # what a killed writer left: nobody reads it, the next writer removes it


def _go_on(operation: str, path: Path, data: bytes = b"") -> None:
    """Do nothing: only tests do."""


step: Callable[..., None] = _go_on


def write_new(path: Path, data: bytes) -> None:
    """Put bytes in a file, in place of one that may be there."""
    temporary = write_temporary(path, data)
    step("rename", path)
    temporary.replace(path)
    sync_directory(path.parent)


def write_temporary(path: Path, data: bytes) -> Path:
    """Put bytes beside the file that they are to become, on the disk; return where."""
    temporary = path.with_name(f"{TEMPORARY}{path.name}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        write_all(descriptor, data, temporary)
        sync(descriptor, temporary)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)
    return temporary


def publish(temporary: Path, path: Path) -> None:
    """Give a file that another library has written its name, once its bytes are on the disk."""
    descriptor = os.open(temporary, os.O_RDWR)
    try:
        os.fchmod(descriptor, 0o600)
        sync(descriptor, temporary)
    finally:
        os.close(descriptor)
    step("rename", path)
    temporary.replace(path)
    sync_directory(path.parent)


def write_all(descriptor: int, data: bytes, path: Path) -> None:
    step("write", path, data)
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def sync(descriptor: int, path: Path) -> None:
    step("sync", path)
    os.fsync(descriptor)


def sync_directory(path: Path) -> None:
    step("sync-directory", path)
    if os.name == "nt":  # directories cannot be opened there, and need not be
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove(path: Path) -> None:
    step("remove", path)
    path.unlink(missing_ok=True)

"""One writer per store: a lock of the kernel on DIR/lock, which ends with the process, however that ends."""

import os
import sys
from pathlib import Path

from oakum.model import StoreError, Text


class StoreBusy(StoreError):
    """Another process writes into the store."""

    def __init__(self, directory: Path, pid: int) -> None:
        super().__init__(Text("store.busy" if pid else "store.busy-unknown", {"path": str(directory), "pid": pid}))
        self.pid = pid


class Lock:
    def __init__(self, directory: Path) -> None:
        self._descriptor = os.open(directory / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(self._descriptor)
        except OSError as error:
            owner = os.read(self._descriptor, 20).strip()
            os.close(self._descriptor)
            raise StoreBusy(directory, int(owner) if owner.isdigit() else 0) from error
        os.ftruncate(self._descriptor, 0)
        os.write(self._descriptor, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        os.ftruncate(self._descriptor, 0)  # nobody writes any more
        os.close(self._descriptor)


def is_owned(directory: Path) -> bool:
    """Return whether the process lives that wrote into the store last. The lock is not tried: that could refuse one."""
    try:
        os.kill(int((directory / "lock").read_bytes()[:20]), 0)
    except PermissionError:
        return True
    except (OSError, ValueError, OverflowError):
        return False
    return True


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)  # a byte that nobody reads: a locked one cannot be
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

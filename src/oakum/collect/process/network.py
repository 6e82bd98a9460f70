"""Where the sockets of a process are: its network namespace, entered by a thread of its own where it is not ours.

Only a thread enters, never the whole program; root alone may. Who may not is told what to do.
"""

import ctypes
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from oakum.collect.process.proc import Proc

_NEW_NET = 0x40000000  # CLONE_NEWNET
_Result = TypeVar("_Result")


class Network:
    """The network of one process; what is called in it sees the addresses and sockets that the process sees."""

    def __init__(self, proc: Proc) -> None:
        self._proc = proc
        self._thread: ThreadPoolExecutor | None = None
        self.elsewhere = _namespace(proc) not in (None, _namespace(Proc(os.getpid(), proc.root)))

    def enter(self) -> str:
        """Return why the network cannot be entered; "" when it can, or is ours."""
        if not self.elsewhere or self._thread is not None:
            return ""
        thread = ThreadPoolExecutor(1, "network")
        if why := thread.submit(_set_namespace, self._proc).result():
            thread.shutdown()
            return why
        self._thread = thread
        return ""

    def call(self, function: Callable[[], _Result]) -> _Result:
        """Return what the function returns when it is called there; `enter` must have succeeded."""
        # What is counted of its requests is counted there too.
        return self._thread.submit(copy_context().run, function).result() if self._thread is not None else function()

    def close(self) -> None:
        if self._thread is not None:
            self._thread.shutdown(wait=False)
            self._thread = None


def _namespace(proc: Proc) -> int | None:
    try:
        return (proc.path / "ns" / "net").stat().st_ino
    except OSError:
        return None


def _set_namespace(proc: Proc) -> str:
    try:
        with (proc.path / "ns" / "net").open("rb") as namespace:
            libc = ctypes.CDLL(None, use_errno=True)
            # os.setns came with Python 3.12.
            if libc.setns(namespace.fileno(), _NEW_NET) == 0:
                return ""
            return os.strerror(ctypes.get_errno()).lower()
    except (OSError, AttributeError) as error:
        return str(getattr(error, "strerror", None) or error).lower()

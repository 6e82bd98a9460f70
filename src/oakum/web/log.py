"""What the server says on stderr: one line for each thing, none with a token, a path of a request, or a traceback.

A refusal is said once; when the same client goes on with the same, that is counted and said a minute later.
"""

import logging
from collections import OrderedDict
from time import monotonic

from oakum.watch.log import Log

_AGAIN = 60.0  # seconds until the same is said of the same client
_MOST = 512  # things that go on at once


class ServerLog:
    def __init__(self, log: Log | None = None) -> None:
        self._log = log or Log()
        self._said: OrderedDict[tuple[str, int, str], tuple[float, int]] = OrderedDict()

    def started(self, url: str, store: str) -> None:
        self._log.write("info", "serving", url=url, store=store)

    def note(self, event: str, **fields: str | int) -> None:
        self._log.write("info", event, **fields)

    def refused(self, client: str, method: str, status: int, why: str) -> None:
        key, now = (client, status, why), monotonic()
        at, count = self._said.pop(key, (float("-inf"), 0))
        if now - at < _AGAIN:
            self._said[key] = (at, count + 1)
            return
        self._said[key] = (now, 0)
        if len(self._said) > _MOST:
            self._said.popitem(last=False)
        method = method if method.isascii() and method.isalpha() and len(method) < 20 else "?"
        self._log.write("warn", "refused", client=client, method=method, status=status, why=why, repeated=count or None)

    def failed(self, where: str, error: BaseException) -> None:
        """Say that we failed: what it was and where in our own code, nothing of what was asked."""
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        place = f"{trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}" if trace else ""
        self._log.write("error", "internal-error", page=where[:80], why=f"{type(error).__name__}: {error}", place=place)


class FromUvicorn(logging.Handler):
    """What uvicorn logs -> our log."""

    def __init__(self, log: ServerLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            self._log.failed("", record.exc_info[1])
        elif not record.getMessage().startswith("ASGI callable returned without"):  # why was said before
            lines = record.getMessage().splitlines() or [""]  # of a traceback the last one says what it was
            self._log.refused("", "?", 400, lines[-1 if lines[0].startswith("Traceback") else 0][:80])

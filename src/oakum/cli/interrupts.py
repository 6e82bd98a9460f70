"""Whatever ends a command early ends it as Ctrl-C does: `timeout 60 oakum capture` loses nothing that was taken."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ended_alike() -> Iterator[None]:
    """Make SIGTERM an interrupt."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)

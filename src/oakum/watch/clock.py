"""What time it is: the clock, for what is kept, and the time that passes, for what is due. Tests have their own."""

import time
from collections.abc import Callable

from msgspec import Struct


class Clock(Struct, frozen=True, eq=False):
    now: Callable[[], int] = lambda: time.time_ns() // 1000  # microseconds since 1970
    monotonic: Callable[[], float] = time.monotonic  # seconds


SYSTEM = Clock()

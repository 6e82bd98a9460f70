"""How often somebody may ask: a bucket for each address, which fills again with time. Bounded in number."""

from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

_CLIENTS_MOST = 1024


class Rates:
    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self._per_second, self._burst, self._clock = per_second, float(burst), clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what is left, and when that was

    def admits(self, client: str) -> bool:
        """Count a request; return whether it is still one of those that are admitted."""
        left, now = self._now(client)
        self._left.pop(client, None)
        self._left[client] = (left - 1 if left >= 1 else left, now)
        if len(self._left) > _CLIENTS_MOST:
            self._left.popitem(last=False)
        return left >= 1

    def has_left(self, client: str) -> bool:
        return self._now(client)[0] >= 1

    def _now(self, client: str) -> tuple[float, float]:
        now = self._clock()
        left, at = self._left.get(client, (self._burst, now))
        return min(self._burst, left + (now - at) * self._per_second), now

"""What looking at a target may cost it, and what it has cost: bytes fetched and seconds it was kept busy.

A leaky bucket for each: what is spent drains at the rate allowed. A dear step waits until it is paid for, cheap ones go
on; the interval is stretched only when the cheapest look is too dear. Beside that no hour ever has more bytes than
are allowed, whatever a target answers. Pure: time is an argument.
"""

from collections.abc import Mapping

from msgspec import Struct, field

CPU_SHARE = 0.005  # of one core of the target
NETWORK_PER_HOUR = 20 << 20  # bytes
_HOUR = 3600.0
# What may be spent ahead, in seconds of the rate. The rate is lowered by it, so that no hour has more than allowed.
_AHEAD = 600.0
_KEPT_BACK = 0.25  # of an hour's bytes: for the evidence before a crash, when looks have used up the rest
_CHUNK = 64 << 10  # what is read of a socket at once: by so much an answer may have more than it was meant to
ROOM = 2 * _CHUNK  # bytes; with less left in an hour nothing is asked
_MINUTE = 60.0
_SLOWEST = 4 * 3600.0  # seconds between two looks at most, however dear they are: a leak of hours must be seen
_NEWER = 0.3  # weight of the latest cost of a step in what it is expected to cost next
# Steps that nobody has taken yet: a profile of a service with some hundred stacks.
_USUAL = {"goroutine.debug2.txt": 2 << 20, "heap.pb.gz": 64 << 10, "goroutine.pb.gz": 32 << 10, "metrics.txt": 64 << 10}


class Cost(Struct, frozen=True):
    bytes: float = 0.0
    seconds: float = 0.0  # that the target was busy

    def plus(self, other: "Cost") -> "Cost":
        return Cost(self.bytes + other.bytes, self.seconds + other.seconds)


class Allowance(Struct, frozen=True):
    """What one target may be asked for."""

    cpu_share: float = CPU_SHARE
    bytes_per_hour: float = NETWORK_PER_HOUR

    @property
    def rates(self) -> Cost:
        """Return what drains in a second."""
        part = _HOUR / (_HOUR + _AHEAD)
        return Cost(self.bytes_per_hour / _HOUR * part, self.cpu_share * part)


class Budget(Struct):
    """The account of one target; used by one thread."""

    allowance: Allowance = Allowance()
    spent: Cost = Cost()  # what has not drained yet
    at: float | None = None  # seconds of any clock that only goes forward
    usual: dict[str, Cost] = field(default_factory=dict)  # file -> what it is expected to cost
    hour: dict[float, float] = field(default_factory=dict)  # bytes that came, by the minute; of the last hour

    def expected(self, file: str) -> Cost:
        return self.usual.get(file) or Cost(float(_USUAL.get(file, 16 << 10)), 0.0)

    def allows(self, now: float, cost: Cost) -> bool:
        """Tell whether something may be asked for now; what is dearer than the bucket may, once it is empty."""
        return self.wait(now, cost) <= 0

    def wait(self, now: float, cost: Cost) -> float:
        """Return in how many seconds something of this cost may be asked for."""
        self._drain(now)
        rates = self.allowance.rates
        waits = [
            _wait(self.spent.bytes, cost.bytes, rates.bytes),
            _wait(self.spent.seconds, cost.seconds, rates.seconds),
        ]
        return max(waits)

    def spend(self, now: float, cost: Cost, by_file: Mapping[str, Cost]) -> None:
        """Note what a look has cost, and which step how much."""
        self._drain(now)
        self.spent = self.spent.plus(cost)
        minute = now // _MINUTE * _MINUTE
        self.hour[minute] = self.hour.get(minute, 0.0) + cost.bytes
        for file, one in by_file.items():
            before = self.usual.get(file)
            weight = _NEWER if before else 1.0
            old = before or Cost()
            self.usual[file] = Cost(
                old.bytes + weight * (one.bytes - old.bytes), old.seconds + weight * (one.seconds - old.seconds)
            )

    def room(self, now: float, *, whatever: bool = False) -> float:
        """Return how many bytes may still come in the hour that ends now; `whatever` else was asked: before a crash."""
        self._forget(now)
        hour = self.allowance.bytes_per_hour * (1.0 if whatever else 1 - _KEPT_BACK)
        if not self.hour:  # one look there is, however little an hour may have
            return max(2.0 * ROOM, hour - _CHUNK)
        return max(0.0, hour - sum(self.hour.values()) - _CHUNK)

    def rest(self, now: float) -> float:
        """Return the seconds until there is room for another look."""
        room, began = self.room(now), sorted(self.hour)
        while room < ROOM and began:
            oldest = began.pop(0)
            room += self.hour[oldest]
            if room >= ROOM or not began:
                return max(0.0, oldest + _HOUR + _MINUTE - now)
        return 0.0

    def _forget(self, now: float) -> None:
        for minute in [one for one in self.hour if one + _HOUR + _MINUTE <= now]:
            del self.hour[minute]

    def interval(self, every: float, cost: Cost) -> float:
        """Return the seconds until the next look, when every one of them costs as much as this."""
        rates = self.allowance.rates
        return min(max(every, cost.bytes / rates.bytes, cost.seconds / rates.seconds), max(every, _SLOWEST))

    def _drain(self, now: float) -> None:
        if self.at is not None and now > self.at:
            passed, rates = now - self.at, self.allowance.rates
            self.spent = Cost(
                max(0.0, self.spent.bytes - passed * rates.bytes),
                max(0.0, self.spent.seconds - passed * rates.seconds),
            )
        self.at = now


def _wait(spent: float, cost: float, rate: float) -> float:
    room = max(rate * _AHEAD, cost) - cost
    return (spent - room) / rate if spent > room else 0.0

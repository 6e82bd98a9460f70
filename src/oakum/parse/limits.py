"""How much a parser may spend on one capture. Evidence can be hostile: every parser takes a `Limits`."""

from time import monotonic

from msgspec import Struct

MIB = 1 << 20


class Limits(Struct, frozen=True):
    """Caps for one capture; what lies beyond becomes a `Problem`, never an exception."""

    max_bytes: int = 4096 * MIB  # of decompressed data
    # Decompressed data may not exceed max(free_bytes, max_ratio * compressed size). The best real captures compress
    # about 100 times (a dump of 100,000 equal goroutines); a bomb does 1,000 times and more.
    max_ratio: int = 200
    free_bytes: int = 64 * MIB
    max_strings: int = 16_000_000
    max_messages: int = 8_000_000  # samples, locations, functions and strings of one profile together
    max_depth: int = 4096  # frames of one stack
    max_seconds: float = 120.0

    def deadline(self) -> float:
        """Return the value of time.monotonic() at which a parser that starts now should stop."""
        return monotonic() + self.max_seconds

    def decompressed(self, compressed: int) -> int:
        """Return how many bytes so many compressed bytes may become."""
        return min(self.max_bytes, max(self.free_bytes, self.max_ratio * compressed))


DEFAULT = Limits()

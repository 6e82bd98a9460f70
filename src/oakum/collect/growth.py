"""Numbers of some snapshots -> have they grown so clearly that no more are needed? That is no diagnosis yet."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from oakum.model.sizes import size

RULE = (
    "goroutines are up by a tenth (and 10) and still rising, or rose five times in a row (by 10), or memory is up by "
    "a fifth (and 32 MiB) and still rising"
)
# Of the first value, and at least: a service has a few goroutines more or less, and the saw-tooth of the collector is
# some megabytes high.
_CLEAR = {"goroutines": (0.10, 10.0), "rss": (0.20, 32.0 * (1 << 20)), "heap": (0.20, 32.0 * (1 << 20))}
_NAMES = {"goroutines": "goroutines", "rss": "resident memory", "heap": "heap"}
_STILL = 2  # rises at the end, without a fall between them
_STEADY = (
    5  # rises after which a crowd that grows slowly has grown all the same; between collections a heap does so too
)


def grown(counts: Mapping[str, Sequence[float]]) -> str:
    """Return what has grown, in words; "" while nothing has."""
    for key, (share, least) in _CLEAR.items():
        values = counts.get(key, ())
        if not values:
            continue
        gained, rises = values[-1] - values[0], _rises(values)
        steady = key == "goroutines" and rises >= _STEADY and gained >= least
        if steady or (rises >= _STILL and gained >= max(least, share * values[0])):
            return f"{_NAMES[key]} {_number(key, values[0])} → {_number(key, values[-1])}"
    return ""


def _rises(values: Sequence[float]) -> int:
    """Return how often in a row it has risen, up to the last snapshot."""
    count = 0
    for before, after in pairwise(reversed(values)):
        if before <= after:
            break
        count += 1
    return count


def _number(key: str, value: float) -> str:
    return f"{value:,.0f}" if key == "goroutines" else size(value)

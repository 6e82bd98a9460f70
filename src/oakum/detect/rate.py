"""A measure of a process, snapshot by snapshot -> how fast it rose while it rose.

The quiet snapshots before the work and after it say that it stays, not how fast it comes: they would only thin the
rate.
"""

from collections.abc import Sequence

from oakum.model.heap_growth import Floats

_LEVEL = 0.01  # of the whole rise: what differs by less is the same height


def per_hour(seconds: Sequence[float] | Floats, values: Sequence[float] | Floats) -> float | None:
    """Return the rise in an hour, from the last snapshot before it to the first after it; None when no time is."""
    if len(values) < 2:
        return None
    first, last = 0, len(values) - 1
    rise = values[last] - values[first]
    if rise > 0:
        level = _LEVEL * rise
        while abs(values[last - 1] - values[-1]) <= level:
            last -= 1
        while abs(values[first + 1] - values[0]) <= level:
            first += 1
    hours = (seconds[last] - seconds[first]) / 3600
    return round(float(rise) / hours, 1) if hours > 0 else None

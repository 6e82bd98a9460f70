"""A heap profile is sampled, one object in 512 KiB allocated: how far its bytes at a place can be trusted.

Comes in: a profile and a place. Goes out: bytes with their error. One sample of a small object reads as half a MiB.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from casebook.runner.evidence import same
from casebook.runner.expectation import Site
from casebook.runner.naive import BYTES
from oakum.model import Profile

# Four standard errors are chance once in thirty thousand. Of small objects, it takes sixteen samples to get there from
# nothing; an object larger than the sampling rate is hardly ever missed, and one of them is enough.
ERRORS = 4.0


@dataclass(frozen=True, slots=True)
class Held:
    """Live bytes as a profile gives them, and the variance that sampling alone gives to that number."""

    bytes: int = 0
    variance: float = 0.0


def held_at(profile: Profile | None, site: Site) -> Held:
    """Return the live bytes that were allocated at a site or below it."""
    if profile is None:
        return Held()
    kinds = [kind.type for kind in profile.sample_types]
    objects, space = profile.values[kinds.index("inuse_objects")], profile.values[kinds.index("inuse_space")]
    total, variance = 0, 0.0
    for row in range(profile.samples):
        number, held = int(objects[row]), int(space[row])
        if number and any(same(frame, site) for frame in profile.stack(int(profile.stack_ids[row])).frames):
            # An object is sampled with this chance; Go has divided by it what it counted.
            size = held / number
            chance = -math.expm1(-size / max(1, profile.period))
            total += held
            variance += number * size * size * (1 - chance) / chance
    return Held(total, variance)


def grown(sooner: Held, later: Held) -> bool:
    """Tell whether the later one is more, and by more than sampling does by chance."""
    return later.bytes - sooner.bytes >= max(BYTES, ERRORS * math.sqrt(sooner.variance + later.variance))


def goes_on(values: Sequence[int]) -> bool:
    """Tell whether half of the intervals rise: fewer are a warm-up, and nothing grows while a service rests."""
    return 2 * sum(later > sooner for sooner, later in pairwise(values)) >= len(values) - 1


def climbs(held: Sequence[Held]) -> bool:
    """Tell whether a place holds more and more."""
    return grown(held[0], held[-1]) and goes_on([one.bytes for one in held])


__all__ = ["Held", "climbs", "goes_on", "grown", "held_at"]

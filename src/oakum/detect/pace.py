"""Does a count go on growing with the work that is done, or does it level off under it?

Comes in: a count in each snapshot and the work done in each step. Goes out: one word. Only ratios count, so that
neither the size of a program nor the length of its snapshots matters.
"""

from collections.abc import Sequence
from typing import Literal

# rises: grows in several steps and goes on; ramp: all growth is in one step, or too little came after it to tell;
# levels: much work was done at the end and brought next to nothing; falls: what came has gone; flat: nothing came.
Pace = Literal["rises", "single-step", "plateau", "falls", "flat"]

# The end of a series: the last steps that together hold this part of all its work.
_END = 0.25
# So many would have come at the earlier rate; that none came by chance has then a probability below one in a hundred.
_EXPECTED = 5.0
# So many standard deviations below what was expected have by chance the same probability.
_CHANCE = 2.33
# By so much the measure of work itself may be off: what else the process does in a step is never quite the same.
_BLUR = 0.05
# Less than this part of what was expected is next to nothing.
_NEXT_TO_NOTHING = 0.25
# Once risen, a count that gave back this part of its rise follows something that ends.
_GIVEN_BACK = 0.8


def pace(counts: Sequence[int], came: Sequence[int], work: Sequence[float], *, below: float = _NEXT_TO_NOTHING) -> Pace:
    """Return how a count behaves. `came` is how many came in each step; without known work every step counts alike."""
    if len(work) != len(came) or sum(work) <= 0:
        work = [1.0] * len(came)
    rising = [at for at, more in enumerate(came) if more > 0]
    if not rising or max(counts) <= counts[0]:
        return "falls" if counts and counts[-1] < counts[0] else "flat"
    if max(counts) - counts[-1] >= _GIVEN_BACK * (max(counts) - counts[0]):
        return "falls"
    expected, brought = at_the_end(came, work)
    if expected >= _EXPECTED and brought <= below * expected:
        return "plateau"
    return "rises" if len(rising) > 1 else "single-step"


def at_the_end(came: Sequence[int], work: Sequence[float]) -> tuple[float, int]:
    """Return how many should have come at the end of the series, at the earlier rate, and how many did."""
    first = next((at for at, more in enumerate(came) if more > 0), len(came))
    end = end_of(work, first + 1)
    earlier = sum(work[:end])
    if end >= len(came) or not earlier:
        return 0.0, 0
    return sum(came[:end]) / earlier * sum(work[end:]), sum(came[end:])


def goes_on(came: Sequence[int], work: Sequence[float]) -> bool:
    """Tell whether enough came, and at the end as before, to say that it does not stop by itself."""
    if len(work) != len(came) or sum(work) <= 0:
        work = [1.0] * len(came)
    expected, brought = at_the_end(came, work)
    fewest = max(0.5 * expected, expected - _CHANCE * (expected + (_BLUR * expected) ** 2) ** 0.5)
    return max(expected, float(brought)) >= _EXPECTED and brought > fewest


def end_of(work: Sequence[float], earliest: int) -> int:
    """Return the step at which the end of the series begins, never before what first brought growth."""
    total, held = sum(work), 0.0
    for at in range(len(work) - 1, -1, -1):
        held += work[at]
        if held >= _END * total:
            return max(at, earliest)
    return earliest


def quiet(work: Sequence[float]) -> bool:
    """Tell whether hardly anything was done in the last step, compared with the busiest."""
    return len(work) > 1 and work[-1] <= 0.2 * max(work)

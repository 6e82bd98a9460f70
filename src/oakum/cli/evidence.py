"""EVIDENCE arguments -> readings, and the one profile or the goroutines that a view is to show.

The only place where the command line strings collect and parse together.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from oakum.cli.screen import Progress, remark
from oakum.collect.files import Complaint, gather
from oakum.model import Capture, Goroutines, Profile, Reading, Unreadable, UsageError
from oakum.parse import goroutines as goroutines_of
from oakum.parse import parse


@dataclass(frozen=True, slots=True)
class Input:
    """One capture and everything that was read in it."""

    capture: Capture
    readings: tuple[Reading, ...]


def read(arguments: Sequence[str], complain: Complaint | None = None) -> list[Input]:
    """Return what each input holds; problems are inside the readings."""
    inputs = []
    progress = Progress("reading")
    try:
        for capture in gather(arguments, complain) if complain else gather(arguments):
            if len(capture.data) > 8 << 20:
                progress.at(f"{capture.origin} ({len(capture.data) >> 20} MiB)")
            inputs.append(Input(capture, parse(capture)))
    finally:
        progress.done()
    return inputs


def usable(arguments: Sequence[str], dump: int | None = None) -> list[tuple[Capture, Reading]]:
    """Return the one reading of each input that a view can show; raise when there is none in any.

    A capture may hold several dumps: the last is taken, and said so, unless `dump` (from 1) names another.
    """
    chosen = []
    for item in read(arguments):
        readings = [r for r in item.readings if r.usable]
        if not readings:
            raise Unreadable(f"{item.capture.origin}: {why_unusable(item)}")
        if dump is not None:
            if not 1 <= dump <= len(readings):
                raise UsageError(f"{item.capture.origin}: --dump {dump}: it holds {len(readings)}; see oakum inspect")
            reading = readings[dump - 1]
        else:
            reading = readings[-1]
            if len(readings) > 1:
                remark(
                    f"{item.capture.origin} holds {len(readings)} captures; showing the last ({reading.kind}, "
                    f"{reading.where or 'whole'}). --dump N shows another, oakum inspect lists them."
                )
        for problem in reading.problems:
            remark(f"{item.capture.origin}: {problem}")
        chosen.append((item.capture, reading))
    return chosen


def why_unusable(item: Input) -> str:
    """Return why nothing in the input could be used, in the parsers' own words."""
    problems = [str(p) for r in item.readings for p in r.problems]
    return "; ".join(problems) if problems else "neither a profile nor a goroutine dump was recognised in it"


def one_goroutines(reading: Reading, origin: str) -> Goroutines:
    """Return the goroutines of a reading, whatever format they came in."""
    found = goroutines_of(reading)
    if found is None:
        raise Unreadable(f"{origin}: this is a {reading.kind} profile; goroutines need a goroutine profile or a dump")
    return found


def one_profile(reading: Reading, origin: str) -> Profile:
    """Return the profile of a reading; goroutine stacks as text become one of kind goroutine."""
    if reading.profile is not None:
        return reading.profile
    if reading.goroutines is not None:
        from oakum.views.goroutine_profile import profile_of

        return profile_of(reading.goroutines, reading.taken_at)
    raise Unreadable(f"{origin}: it holds only memory statistics; a view needs a profile")


__all__ = ["Input", "one_goroutines", "one_profile", "read", "usable", "why_unusable"]

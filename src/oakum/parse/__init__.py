"""Bytes -> model, one module per format: whatever a capture holds, recognised by content, never by name.

`parse` never raises: bad input becomes problems beside what could be read, and what nobody recognises is one reading
of kind "unknown" that says what the file seems to be. The tuples of formats are in `others`; protobuf comes first.
"""

from msgspec.structs import replace

from oakum.model import Buffer, Capture, Goroutines, Problem, Reading
from oakum.parse import compression, pprof
from oakum.parse.dump_lines import HEADER_LINE, WINDOW
from oakum.parse.guard import guarded, wrapped
from oakum.parse.limits import DEFAULT, Limits


def parse(capture: Capture, limits: Limits = DEFAULT) -> tuple[Reading, ...]:
    """Return everything found in the capture: one reading or more, of kind "unknown" when nothing was recognised."""
    data, packing, unpacking = compression.unpack(capture.data, limits)
    problems = list(unpacking)
    readings = guarded(_pprof, data, limits, problems)
    if not readings:
        readings = _dump(data, limits, problems)
    if not readings:
        from oakum.parse import others

        readings = others.read(data, limits, problems)
    return tuple(
        replace(wrapped(packing, reading), problems=(*problems, *reading.problems)) if packing or problems else reading
        for reading in readings
    )


def goroutines(reading: Reading) -> Goroutines | None:
    """Return the goroutines of a reading, whichever format they came in; None when it is of another kind."""
    if reading.goroutines is None and reading.profile is not None and reading.kind in ("goroutine", "goroutineleak"):
        from oakum.parse.parking import group_profile

        return group_profile(reading.profile)
    return reading.goroutines


def _dump(data: Buffer, limits: Limits, problems: list[Problem]) -> tuple[Reading, ...]:
    """Return what stands in a text that is nothing but one dump; () for everything else.

    `others` would read the same, but loads and tries thirty formats and dialects to see that it is nothing else.
    """
    if not HEADER_LINE.match(data) or b"\0" in bytes(data[:WINDOW]):
        return ()
    from oakum.parse import stacks

    return guarded(stacks.read_pure, data, limits, problems)


def _pprof(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    found = pprof.read(data, limits)
    if found is None:
        return ()
    if found.kind == "heap" and len(found.profile.sample_types if found.profile else ()) == 2:
        from oakum.parse.goref import as_holders

        return (as_holders(found) or found,)
    return (found,)

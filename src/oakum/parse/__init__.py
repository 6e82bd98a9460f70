"""Bytes -> model, one module per format: whatever a capture holds, recognised by content, never by name.

`parse` never raises: bad input becomes problems beside what could be read, and what nobody recognises is one reading
of kind "unknown" that says what the file seems to be. The tuples of formats are in `others`; protobuf comes first.
"""

from msgspec.structs import replace

from oakum.model import Buffer, Capture, Goroutines, Reading
from oakum.parse import compression, pprof
from oakum.parse.guard import guarded, wrapped
from oakum.parse.limits import DEFAULT, Limits


def parse(capture: Capture, limits: Limits = DEFAULT) -> tuple[Reading, ...]:
    """Return everything found in the capture: one reading or more, of kind "unknown" when nothing was recognised."""
    data, packing, unpacking = compression.unpack(capture.data, limits)
    problems = list(unpacking)
    readings = guarded(_pprof, data, limits, problems)
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


def _pprof(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    found = pprof.read(data, limits)
    return (found,) if found else ()

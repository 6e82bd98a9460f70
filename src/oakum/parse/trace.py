"""Go execution traces: recognised and named, not analysed.

In: bytes that begin like a trace of Go 1.5 or later. Out: one `Reading` of kind "trace" that says what to run instead.
"""

from oakum.model import Buffer, Problem, Reading
from oakum.parse.limits import DEFAULT, Limits
from oakum.regex import regex

# go 1.22 trace\0\0\0        (16 bytes, filled up with zeros; the version is that of the trace format)
_HEADER = regex(rb"go (1\.\d{1,3}) trace(?:\0|\Z)")


def read(data: Buffer, limits: Limits = DEFAULT) -> tuple[Reading, ...]:  # noqa: ARG001 -- every parser takes limits
    """Return the one reading of an execution trace; () when it is none."""
    found = _HEADER.match(data)
    if found is None:
        return ()
    return (
        Reading(
            kind="trace",
            format="trace",
            producer="Go",
            go_version=f"go{found[1].decode('ascii')}",
            problems=(Problem.of("not-analysed"),),
        ),
    )

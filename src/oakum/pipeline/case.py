"""Captures, of files or of memory -> the case that they make: parse and assemble strung together."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from oakum.assemble import Assembled, Input, assemble
from oakum.model import Buffer, Capture, InputRow
from oakum.parse import goroutines, parse


def input_of(
    capture: Capture, given: str = "", path: tuple[str, ...] = (), name: str = "", program: Buffer | None = None
) -> Input:
    """Return a capture with what is in it; each reading carries what is wrong with the file as a whole.

    `given` and `path` say where it lies, as `Input` has it; without them it stands for itself. `program` is the one
    that wrote a heap dump: it has the names of what is in it.
    """
    readings = parse(capture)
    if program is not None and any(one.format == "heap-dump" for one in readings):
        from oakum.pipeline.holders import readings_of

        readings = readings_of(capture, program)
    if capture.problems:
        readings = tuple(replace(one, problems=(*capture.problems, *one.problems)) for one in readings)
    return Input(given or capture.origin, path, capture, readings, name)


def assemble_case(
    inputs: Iterable[Input],
    baseline: Iterable[Input] = (),
    builds: Iterable[Input] = (),
    unread: Sequence[InputRow] = (),
) -> Assembled:
    """Return the case that captures make, with warnings; raise NotAssembled when nothing in them can be diagnosed."""
    return assemble(inputs, goroutines, baseline, builds, unread)

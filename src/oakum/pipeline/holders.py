"""Files that tell what holds memory -> readings. A heap dump is read with the program that wrote it."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from oakum.collect.files import gather
from oakum.model import Buffer, Capture, Reading, Unreadable
from oakum.parse import compression, heapdump, parse
from oakum.parse.guard import wrapped
from oakum.parse.limits import DEFAULT


def read_holders(arguments: Sequence[str], program: str | None) -> Iterator[tuple[Capture, Reading]]:
    """Yield what each file tells of holders; raise Unreadable where one tells nothing of them."""
    binary = _unpacked(next(iter(gather((program,))))) if program is not None else None
    for argument in arguments:
        for capture in gather((argument,)):
            found = next((one for one in readings_of(capture, binary) if one.kind == "holders"), None)
            if found is None:
                raise Unreadable(f"{capture.origin}: neither a Go heap dump nor goref's profile; see docs/holders.md")
            yield capture, found


def _unpacked(capture: Capture) -> Buffer:
    data, _, _ = compression.unpack(capture.data, DEFAULT)
    return data


def readings_of(capture: Capture, program: Buffer | None) -> tuple[Reading, ...]:
    """Return what is in a capture; a heap dump is read with its program."""
    if program is None:
        return parse(capture)
    data, packing, problems = compression.unpack(capture.data, DEFAULT)
    found = heapdump.read(data, DEFAULT, program)
    if not found:
        return parse(capture)
    return tuple(replace(wrapped(packing, one), problems=(*problems, *one.problems)) for one in found)

"""Files, directories, archives and bundles -> inputs: what each capture holds, and where it lies below its argument."""

from collections.abc import Callable, Sequence
from pathlib import Path

from oakum.assemble import Input
from oakum.collect.files import Complaint, gather
from oakum.model import Buffer, Capture
from oakum.pipeline.case import input_of

Inputs = Sequence[Input]


def read_evidence(
    arguments: Sequence[str],
    complain: Complaint | None = None,
    seen: Callable[[Capture], None] = lambda _: None,
    program: Buffer | None = None,
) -> list[Input]:
    """Return the inputs; problems are inside the readings. `seen` is called with each capture before it is parsed.

    `program` is the one whose heap dumps may be among them.
    """
    inputs = []
    for argument in arguments:
        name = given_name(argument)
        for capture in gather((argument,), complain) if complain else gather((argument,)):
            seen(capture)
            inputs.append(input_of(capture, argument, below(argument, capture.origin), name, program))
    return inputs


def given_name(argument: str, base: Path = Path()) -> str:
    """Return what an argument is called: of "." or ".." the name of the directory it stands for."""
    return Path(argument).name.strip(".") or (base / argument).resolve().name


def below(argument: str, origin: str) -> tuple[str, ...]:
    """Return the path of a capture below the argument that it was found by; () when it is that."""
    return () if origin == argument else tuple(origin[len(argument.rstrip("/")) + 1 :].split("/"))

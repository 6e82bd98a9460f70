"""What every reading of a capture goes through: a reader that fails hides nothing, and a wrapping is put on record."""

from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from oakum.model import Buffer, Problem, Reading
from oakum.parse.limits import Limits

Parser = Callable[[Buffer, Limits], tuple[Reading, ...]]
_Found = TypeVar("_Found")


def guarded(
    reader: Callable[[Buffer, Limits], tuple[_Found, ...]], data: Buffer, limits: Limits, problems: list[Problem]
) -> tuple[_Found, ...]:
    """Return what the reader finds; a failure becomes a problem."""
    try:
        return reader(data, limits)
    except Exception as error:  # the last resort: a bug in one reader must not hide what the others read
        problems.append(Problem.of("internal", error=f"{type(error).__name__}: {error}"))
        return ()


def wrapped(wrapping: tuple[str, ...], reading: Reading) -> Reading:
    return replace(reading, wrapping=(*wrapping, *reading.wrapping)) if wrapping else reading

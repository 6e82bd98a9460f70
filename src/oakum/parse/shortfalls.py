"""What a text profile lacks: the problems that the readers of the legacy formats share."""

from collections.abc import Sequence

from oakum.model import Problem
from oakum.parse.blocks import MAX_BLOCKS, Block


def out_of_time(block: Block, index: int) -> Problem:
    """Return the problem of a text that takes too long to read."""
    return Problem("out-of-time", "Reading took too long and was stopped; the rest is missing", block.line(index))


def too_many(block: Block) -> tuple[Problem, ...]:
    """Return the problem of a capture with more profiles than are read, or nothing."""
    text = f"The capture holds more than {MAX_BLOCKS:,} profiles; the rest was not read"
    return (Problem("too-many-profiles", text),) if block.more else ()


def bad_records(block: Block, count: int, index: int) -> Problem:
    """Return the problem of records that make no sense; `index` is the line of the first."""
    text = f"{count:,} records could not be understood and were left out"
    return Problem("bad-records", text, block.line(index), {"records": count})


def cut_mid_stack(block: Block, index: int) -> Problem:
    """Return the problem of a text that ends inside a record."""
    text = "The text ends in the middle of a record: its last frames are missing"
    return Problem("cut-mid-stack", text, block.line(index))


def count_missing(block: Block, noun: str, declared: int, read: int) -> tuple[Problem, ...]:
    """Return the problem of a profile whose announced total is not what was read, or nothing."""
    if declared == read:
        return ()
    missing = declared - read
    text = f"The profile announces {declared:,} {noun}, {read:,} were read"
    text += f": {missing:,} missing" if missing > 0 else ""
    args = {"declared": declared, "read": read, "missing": missing}
    return (Problem("records-missing", text, block.line(0), args),)


def space_missing(block: Block, declared: Sequence[int], read: Sequence[int]) -> tuple[Problem, ...]:
    """Return the problem of a heap profile whose records add up to less than its header says, or nothing."""
    # Go raises the allocated bytes by one where they equal those in use, so bytes allocated are not compared.
    if all(d <= r for d, r in zip(declared[:3], read[:3], strict=True)):
        return ()
    missing = [max(0, d - r) for d, r in zip(declared, read, strict=True)]
    text = (
        f"The header announces more than was read: {missing[0]:,} objects ({missing[1]:,} bytes) in use and "
        f"{missing[2]:,} allocated ({missing[3]:,} bytes) are missing"
    )
    args = {"declared": tuple(declared), "read": tuple(read), "missing": tuple(missing)}
    return (Problem("records-missing", text, block.line(0), args),)


__all__ = ["bad_records", "count_missing", "cut_mid_stack", "out_of_time", "space_missing", "too_many"]

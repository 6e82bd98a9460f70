"""What a text profile lacks: the problems that the readers of the legacy formats share."""

from collections.abc import Sequence

from oakum.model import Problem
from oakum.parse.blocks import MAX_BLOCKS, Block


def out_of_time(block: Block, index: int) -> Problem:
    """Return the problem of a text that takes too long to read."""
    return Problem.of("out-of-time", block.line(index))


def too_many(block: Block) -> tuple[Problem, ...]:
    """Return the problem of a capture with more profiles than are read, or nothing."""
    return (Problem.of("too-many-profiles", most=MAX_BLOCKS),) if block.more else ()


def bad_records(block: Block, count: int, index: int) -> Problem:
    """Return the problem of records that make no sense; `index` is the line of the first."""
    return Problem.of("bad-records", block.line(index), records=count)


def cut_mid_stack(block: Block, index: int) -> Problem:
    """Return the problem of a text that ends inside a record."""
    return Problem.of("cut-mid-stack.record", block.line(index))


def count_missing(block: Block, noun: str, declared: int, read: int) -> tuple[Problem, ...]:
    """Return the problem of a profile whose announced total is not what was read, or nothing."""
    if declared == read:
        return ()
    if declared < read:
        return (Problem.of("records-missing.none", block.line(0), noun=noun, declared=declared, read=read),)
    missing = declared - read
    return (Problem.of("records-missing", block.line(0), noun=noun, declared=declared, read=read, missing=missing),)


def space_missing(block: Block, declared: Sequence[int], read: Sequence[int]) -> tuple[Problem, ...]:
    """Return the problem of a heap profile whose records add up to less than its header says, or nothing."""
    # Go raises the allocated bytes by one where they equal those in use, so bytes allocated are not compared.
    if all(d <= r for d, r in zip(declared[:3], read[:3], strict=True)):
        return ()
    missing = [max(0, d - r) for d, r in zip(declared, read, strict=True)]
    return (
        Problem.of(
            "records-missing.space",
            block.line(0),
            objects=missing[0],
            bytes=missing[1],
            allocated_objects=missing[2],
            allocated_bytes=missing[3],
        ),
    )

"""All legacy text profiles of a capture together, in the order they stand in it.

In: plain text in which profiles of different kinds may follow one another (a watcher's log). Out: their `Reading`s.
Each module of a format reads one block.
"""

from oakum.model import Buffer, Reading
from oakum.parse import contention_text, debug1, heap_text, java_text, thread_text
from oakum.parse.blocks import find
from oakum.parse.limits import DEFAULT, Limits

_READERS = {
    "count": debug1.read_block,
    "heap": heap_text.read_block,
    "jemalloc": heap_text.read_block,
    "contention": contention_text.read_block,
    "thread": thread_text.read_block,
    "java": java_text.read_block,
}


def read(data: Buffer, limits: Limits = DEFAULT) -> tuple[Reading, ...]:
    """Return one reading for each legacy text profile; () when there is none."""
    deadline = limits.deadline()
    return tuple(_READERS[block.kind](block, limits, deadline) for block in find(data))

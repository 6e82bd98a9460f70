"""What `oakum capture pid:N` counts of a process (process.txt) -> Metrics: open files, start, Go's settings.

In: a scrape in Prometheus' text format below the line `# oakum process/1`. Out: one reading of kind "metrics", apart
from what the process tells of itself.
"""

from msgspec.structs import replace

from oakum.model import Buffer, Reading
from oakum.parse import exposition
from oakum.parse.limits import Limits

_HEAD = b"# oakum process/1"


def read(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    """Return what was counted, or nothing when this is no such file."""
    if bytes(data[: len(_HEAD)]) != _HEAD:
        return ()
    return tuple(
        replace(reading, format="process-facts", producer="Linux")
        for reading in exposition.read(bytes(data)[len(_HEAD) :].partition(b"\n")[2], limits)
    )

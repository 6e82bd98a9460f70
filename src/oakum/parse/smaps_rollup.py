"""/proc/PID/smaps_rollup -> Metrics: resident memory by what it is, and the share that this process alone pays for.

In: the line `... [rollup]` and what follows it, as Linux prints it. Out: one reading of kind "metrics".
"""

import re

from oakum.model import Buffer, Metrics, Reading
from oakum.model.metrics import Labels
from oakum.parse.limits import Limits
from oakum.regex import regex

# 55d457e96000-7ffdcab40000 ---p 00000000 00:00 0                          [rollup]
_HEAD = regex(rb"\A[0-9a-f]{6,16}-[0-9a-f]{6,16} ---p [^\n]{1,80}\[rollup\]\n")
# The line `Pss_Anon:             112 kB`
_LINE = regex(rb"^(\w{1,32}):\s+(\d{1,15}) kB\s*$", re.MULTILINE)
_NAMES = {
    b"Rss": "process_smaps_resident_bytes", b"Pss": "process_smaps_proportional_bytes",
    b"Pss_Anon": "process_smaps_proportional_anonymous_bytes", b"Pss_File": "process_smaps_proportional_file_bytes",
    b"Pss_Shmem": "process_smaps_proportional_shared_bytes", b"Private_Dirty": "process_smaps_private_dirty_bytes",
    b"Anonymous": "process_smaps_anonymous_bytes", b"LazyFree": "process_smaps_lazily_freed_bytes",
    b"AnonHugePages": "process_smaps_huge_pages_bytes", b"Swap": "process_smaps_swap_bytes",
}  # fmt: skip


def read(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    """Return what the kernel says of a process's memory, or nothing when this is no such file."""
    del limits  # a few lines
    head = bytes(data[: 16 << 10])
    if not _HEAD.match(head):
        return ()
    values: dict[tuple[str, Labels], float] = {
        (_NAMES[key], ()): float(int(number) * 1024) for key, number in _LINE.findall(head) if key in _NAMES
    }
    return (Reading(kind="metrics", format="smaps-rollup", producer="Linux", metrics=Metrics(values)),)

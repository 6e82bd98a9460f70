"""/proc/PID/status of a process -> Metrics, under the names that the Prometheus client for Go gives them.

In: `Name:` to `VmRSS:` lines as Linux prints them. Out: one reading of kind "metrics", the process's name in its notes.
"""

import re
from types import MappingProxyType

from oakum.model import Buffer, Metrics, Reading
from oakum.model.metrics import Labels
from oakum.parse.limits import Limits

# `Name:	kubelet`
_NAME = re.compile(rb"\AName:\t([^\n]{1,64})\n")
# `VmRSS:	   15072 kB`   `Threads:	9`
_LINE = re.compile(rb"^(\w+):\s+(\d{1,18})(?: kB)?\s*$", re.MULTILINE)
# What Linux counts in kB, and the two that it just counts.
_BYTES = {
    b"VmRSS": "process_resident_memory_bytes", b"VmHWM": "process_resident_memory_peak_bytes",
    b"VmSize": "process_virtual_memory_bytes", b"VmSwap": "process_swap_bytes",
    b"RssAnon": "process_resident_anonymous_bytes", b"RssFile": "process_resident_file_bytes",
    b"RssShmem": "process_resident_shared_bytes", b"VmStk": "process_stack_bytes",
}  # fmt: skip
_COUNTS = {b"Threads": "process_threads", b"Pid": "process_pid"}


def read(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    """Return what the kernel says of a process, or nothing when this is no such file."""
    del limits  # a few lines at most are looked at
    head = bytes(data[: 16 << 10])
    name = _NAME.match(head)
    if not name or b"\nVmRSS:" not in head:
        return ()
    values: dict[tuple[str, Labels], float] = {}
    for key, number in _LINE.findall(head):
        if key in _BYTES:
            values[_BYTES[key], ()] = float(int(number) * 1024)
        elif key in _COUNTS:
            values[_COUNTS[key], ()] = float(number)
    notes = MappingProxyType({"process": name[1].decode("utf-8", "replace")})
    return (Reading(kind="metrics", format="proc-status", producer="Linux", metrics=Metrics(values), notes=notes),)

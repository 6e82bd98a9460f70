"""Memory files of a cgroup, v1 or v2, one after the other as `tail -n +1 FILES` prints them -> Metrics.

Out: one reading of kind "metrics" under the names that cAdvisor gives them. The limit is the lowest of those of the
group and of the groups above it; no limit at all is no value.
"""

import re
from collections.abc import Iterator
from types import MappingProxyType

from oakum.model import Buffer, Metrics, Reading
from oakum.model.metrics import Labels
from oakum.parse.limits import Limits

# ==> /sys/fs/cgroup/system.slice/kubelet.service/memory.current <==
_FILE = re.compile(rb"^==> ([^\n]{1,4000}/)(memory\.[a-z_.]{1,40}) <==$", re.MULTILINE)
# The lines `oom_kill 3` of memory.events and memory.oom_control, `anon 12288` of memory.stat
_LINE = re.compile(rb"^(\w{1,40}) (\d{1,20})$", re.MULTILINE)
_MOST = 1 << 20
_MOST_FILES = 256
_NO_LIMIT = 1 << 60  # v1 writes the largest multiple of a page instead of "max"
_LIMIT = "container_spec_memory_limit_bytes"
_NUMBERS = {
    "memory.current": "container_memory_usage_bytes", "memory.usage_in_bytes": "container_memory_usage_bytes",
    "memory.peak": "container_memory_max_usage_bytes", "memory.max_usage_in_bytes": "container_memory_max_usage_bytes",
    "memory.failcnt": "container_memory_failcnt", "memory.high": "container_memory_high_bytes",
    "memory.max": _LIMIT, "memory.limit_in_bytes": _LIMIT,
}  # fmt: skip
_LISTED = {
    ("memory.events", "oom_kill"): "container_oom_events_total",
    ("memory.oom_control", "oom_kill"): "container_oom_events_total",
    ("memory.events", "max"): "container_memory_failcnt",
    ("memory.events", "high"): "container_memory_high_events_total",
    ("memory.stat", "hierarchical_memory_limit"): _LIMIT,
    ("memory.stat", "anon"): "container_memory_rss",
    ("memory.stat", "total_rss"): "container_memory_rss",
    ("memory.stat", "file"): "container_memory_cache",
    ("memory.stat", "total_cache"): "container_memory_cache",
}


def read(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    """Return what a cgroup says of its memory, or nothing when this is no such text."""
    del limits  # bounded here
    text = bytes(data[:_MOST])
    if not _FILE.match(text):
        return ()
    values: dict[tuple[str, Labels], float] = {}
    group = b""
    for folder, file, body in _files(text):
        group = group or folder
        for name, value in _values_of(file, body):
            if name == _LIMIT:
                if value < _NO_LIMIT:
                    values[name, ()] = min(value, values.get((name, ()), value))
            elif folder == group:  # the groups above have other processes in them
                values.setdefault((name, ()), value)
    notes = MappingProxyType({"cgroup": group.decode("utf-8", "replace")})
    return (Reading(kind="metrics", format="cgroup", producer="Linux", metrics=Metrics(values), notes=notes),)


def _files(text: bytes) -> Iterator[tuple[bytes, str, bytes]]:
    parts = _FILE.split(text, _MOST_FILES)
    for at in range(1, len(parts) - 2, 3):
        yield parts[at], parts[at + 1].decode("ascii"), parts[at + 2]


def _values_of(file: str, body: bytes) -> Iterator[tuple[str, float]]:
    word = body.strip()
    if file in _NUMBERS and word.isdigit() and len(word) <= 20:
        yield _NUMBERS[file], float(word)
    for key, number in _LINE.findall(body):
        if name := _LISTED.get((file, key.decode("ascii", "replace"))):
            yield name, float(number)

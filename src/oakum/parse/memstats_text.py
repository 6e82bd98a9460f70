"""Go's runtime.MemStats as the comment lines at the end of a heap debug=1 profile.

In: `# Name = value` lines, from before Go 1.0 on. Out: `MemStats`, plus notes for figures without a field of their own.
Lines it does not know are passed over.
"""

from types import MappingProxyType
from typing import Any

from oakum.model import MemStats
from oakum.regex import regex

# The comment lines "HeapAlloc = 974784", "Stack = 393216 / 393216", "PauseNs = [96000 144000 0 ...]"
_LINE = regex(r"#\s*(\w+) = (.*)$")
# "#   8 * (342700 = 857120 - 514420)": size * (active = mallocs - frees), before Go 1.1
_BY_SIZE = regex(r"#\s*(\d{1,18}) \* \((-?\d{1,18}) = (\d{1,18}) - (\d{1,18})\)")

_NUMBERS = {
    "Alloc": "alloc", "TotalAlloc": "total_alloc", "Sys": "sys", "Lookups": "lookups", "Mallocs": "mallocs",
    "Frees": "frees", "HeapAlloc": "heap_alloc", "HeapSys": "heap_sys", "HeapIdle": "heap_idle",
    "HeapInuse": "heap_inuse", "HeapReleased": "heap_released", "HeapObjects": "heap_objects",
    "BuckHashSys": "buck_hash_sys", "GCSys": "gc_sys", "OtherSys": "other_sys", "NextGC": "next_gc",
    "LastGC": "last_gc_nanos", "NumGC": "num_gc", "NumForcedGC": "num_forced_gc", "MaxRSS": "max_rss",
}  # fmt: skip
_PAIRS = {
    "Stack": ("stack_inuse", "stack_sys"),
    "MSpan": ("mspan_inuse", "mspan_sys"),
    "MCache": ("mcache_inuse", "mcache_sys"),
}
_LISTS = {"PauseNs": "pause_nanos", "PauseEnd": "pause_end_nanos"}
_MAX_LINE = 64 << 10  # 256 pauses of 20 digits are 5 KiB


class MemStatsLines:
    """Gathers the lines after `# runtime.MemStats`."""

    def __init__(self) -> None:
        self._begun = False
        self._last = ""  # name of the last figure
        self._fields: dict[str, Any] = {}
        self._notes: dict[str, str] = {}
        self._sizes: list[tuple[int, int, int]] = []

    def take(self, line: bytes) -> None:
        """Take one comment line; nothing before the `# runtime.MemStats` line counts."""
        if not self._begun or len(line) > _MAX_LINE:
            self._begun = self._begun or line.endswith(b"runtime.MemStats")
            return
        text = line.decode("ascii", "replace")
        if size := _BY_SIZE.match(text):
            if len(self._sizes) < 1024:
                self._sizes.append((int(size[1]), int(size[3]), int(size[4])))
        elif found := _LINE.match(text):
            self._last = found[1]
            try:
                self._figure(found[1], found[2])
            except ValueError:
                return

    def _figure(self, name: str, value: str) -> None:
        if field := _NUMBERS.get(name):
            self._fields[field] = _number(value)
        elif pair := _PAIRS.get(name):
            inuse, _, from_system = value.partition(" / ")
            self._fields[pair[0]] = _number(inuse)
            self._fields[pair[1]] = _number(from_system)
        elif field := _LISTS.get(name):
            self._fields[field] = tuple(_number(part) for part in value.strip("[]").split()[:256])
        elif name == "GCCPUFraction":
            self._fields["gc_cpu_fraction"] = float(value)
        elif name == "DebugGC":
            self._fields["debug_gc"] = value == "true"
        elif name != "BySize" and len(self._notes) < 64:  # BySize heads a table of its own
            self._notes[name] = value[:200]

    def drop_last(self) -> bool:
        """Return whether the last line may be half a figure, after forgetting it; DebugGC and MaxRSS end the list."""
        if self._last in ("", "MaxRSS", "DebugGC") or self._sizes:
            return False
        names = (_NUMBERS.get(self._last), *_PAIRS.get(self._last, ()), _LISTS.get(self._last))
        for name in filter(None, names):
            self._fields.pop(name, None)
        return True

    def result(self) -> MemStats | None:
        """Return the figures read; None when there were none."""
        return MemStats(**self._fields) if self._fields else None

    @property
    def notes(self) -> MappingProxyType[str, str]:
        """Return the figures that have no field of their own, as printed."""
        return MappingProxyType(self._notes)

    @property
    def by_size(self) -> dict[str, Any]:
        """Return {"by_size": ((size, mallocs, frees), ...)} where Go printed it (before Go 1.1), else {}."""
        return {"by_size": tuple(self._sizes)} if self._sizes else {}


def _number(text: str) -> int:
    if len(text) > 20:
        raise ValueError(text[:20])
    return int(text)

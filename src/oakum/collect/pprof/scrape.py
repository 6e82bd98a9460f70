"""A scrape of /metrics -> the few figures that a plan needs: goroutines, collections, Go's version, the start.

Parse reads the capture whole; here is only what must be known before more is asked for.
"""

import re

from msgspec import Struct

from oakum.collect.pprof.shapes import opened
from oakum.model import Buffer

_MOST = 64 << 20  # a large API server tells 20 MiB
_FUTURE = 1e11  # seconds since 1970 that are still a date
# go_info{version="go1.26.8"} 1
_GO = re.compile(rb'^go_info\{[^\n}]*version="(go[\w.+-]{1,40})[^\n]*\}', re.MULTILINE)
_COLLECTIONS = (b"go_gc_duration_seconds_count", b"go_gc_cycles_total_gc_cycles_total")


class Scrape(Struct, frozen=True):
    """What metrics say of the process that serves them."""

    processes: int = 0  # of how many it tells: a federation tells of many
    goroutines: int | None = None
    go: str = ""  # "go1.26.8"
    collections: int | None = None
    heap: int | None = None  # bytes
    rss: int | None = None  # bytes
    started: float | None = None  # seconds since 1970
    kubernetes: bool = False  # a component of Kubernetes


def read(data: Buffer) -> Scrape:
    text = opened(data, _MOST)
    counts = _values(text, b"go_goroutines")
    collections = next((found[0] for name in _COLLECTIONS if (found := _values(text, name))), None)
    version = _GO.search(text)
    return Scrape(
        processes=len(counts),
        goroutines=int(counts[0]) if len(counts) == 1 else None,
        go=version[1].decode() if version else "",
        collections=None if collections is None else int(collections),
        heap=_bytes(text, b"go_memstats_heap_alloc_bytes"),
        rss=_bytes(text, b"process_resident_memory_bytes"),
        started=next((at for at in _values(text, b"process_start_time_seconds") if 0 < at < _FUTURE), None),
        kubernetes=bool(_values(text, b"kubernetes_build_info")),
    )


def _bytes(text: bytes, name: bytes) -> int | None:
    return next((int(value) for value in _values(text, name)), None)


def _values(text: bytes, name: bytes) -> list[float]:
    """Return the values of a metric, at most a thousand."""
    # go_goroutines 812   go_goroutines{service="a"} 8.12e+02 1700000000000
    found = re.finditer(
        rb"^" + name + rb"(?:\{[^\n]*\})? (\d{1,18}(?:\.\d{1,20})?(?:e[+-]?\d{1,2})?)[ \r\n]", text, re.MULTILINE
    )
    return [float(one[1]) for one, _ in zip(found, range(1000), strict=False)]

"""What kinds of evidence and sentences were called in diagnoses that were stored before: former name -> name now.

Read by json.py alone. A name that is given up is added here in the commit that renames it, and stays for good.
"""

from collections.abc import Mapping
from types import MappingProxyType

from oakum.model import EvidenceKind

_GOROUTINES: Mapping[str, EvidenceKind] = {
    "gains": "steady-growth",
    "steady": "growth-at-constant-load",
    "ramp": "single-step",
    "crowd": "pile-up",
    "most": "majority",
    "twin": "baseline",
    "crew": "startup-pool",
    "startup": "startup-goroutine",
    "levels-off": "plateau",
    "alive": "progress",
    "rests": "idle-by-design",
    "supervises": "supervisor",
    "served": "client-connected",
    "connections": "open-connections",
    "streams": "shared-streams",
    "unused": "idle-connections",
    "comes-and-goes": "turnover",
    "remains": "same-goroutines",
    "waits": "reported-wait",
    "arrivals": "steady-arrivals",
    "arrivals-uneven": "uneven-arrivals",
    "burst": "arrival-burst",
    "nil-stop": "nil-stop-channel",
    "queue-grows": "queue-growth",
}
_HEAP: Mapping[str, EvidenceKind] = {
    "heap-rises": "heap-steady-growth",
    "heap-climbs": "heap-even-growth",
    "heap-ramp": "heap-single-step",
    "heap-level": "heap-plateau",
    "heap-wobbles": "heap-sampling-noise",
    "heap-twin": "heap-baseline",
    "heap-like-twin": "heap-like-baseline",
    "heap-beside": "heap-with-goroutines",
    "heap-retains": "heap-largest",
}

FORMER_KINDS: Mapping[str, EvidenceKind] = MappingProxyType({
    **_GOROUTINES,
    **_HEAP,
    "heap-shape": "heap-owner",
    "holder": "lock-holder",
    "no-holder": "no-lock-holder",
    "cycle": "wait-cycle",
    "shape": "inferred-link",
    "off-heap-rises": "off-heap-steady-growth",
    "off-heap-ramp": "off-heap-single-step",
    "off-heap-level": "off-heap-plateau",
    "numbers-rise": "metric-growth",
    "numbers-level": "metric-plateau",
    "numbers-fall": "metric-fall",
    "numbers-traffic": "metric-follows-requests",
    "known": "known-bug",
    "explained": "cause-in-source",
    "kept": "never-removed",
})  # fmt: skip

# A sentence about evidence is called as its kind is, below its area.
FORMER_KEYS: Mapping[str, str] = MappingProxyType({
    **{f"goroutines.{old}": f"goroutines.{new}" for old, new in _GOROUTINES.items()},
    **{old.replace("-", ".", 1): new.replace("-", ".", 1) for old, new in _HEAP.items()},
    "heap.retains-bytes": "heap.largest-bytes",
    "heap.shape.registration": "heap.owner.registration",
    "heap.shape.container": "heap.owner.container",
    "heap.shape.kept": "heap.owner.kept",
    "memory.off-heap-rises": "memory.off-heap-steady-growth",
    "memory.off-heap-ramp": "memory.off-heap-single-step",
    "memory.off-heap-level": "memory.off-heap-plateau",
})  # fmt: skip

"""Suspects of goroutines and of heap -> one list, each cause once.

Memory that goroutines hold is a share of their suspect. Goroutines that belong to heap are no suspects of their own:
those that a registration made, and the finalizer or the timers that a heap which keeps growing has among its sites.
"""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from oakum.detect.heap_pins import pin_evidence
from oakum.model import Process, Site, Suspect
from oakum.model.heap_growth import Pin


def join_heap(
    goroutines: Sequence[Suspect], heap: Sequence[Suspect], pins: Mapping[int, Pin], process: Process
) -> list[Suspect]:
    """Return all suspects; `pins` are what each of the goroutine suspects holds of the heap, by its index."""
    belong = {(victim.frame, victim.state) for one in heap for victim in one.victims}
    for one in heap:
        if one.kinds.has("heap-steady-growth"):
            belong |= {(site.frame, site.state) for site in one.sites if site.role == "blocked"}
    holders = [
        _with_pin(one, pins[at], process) if at in pins else one
        for at, one in enumerate(goroutines)
        if (one.sites[0].frame, one.sites[0].state) not in belong
    ]
    return [*holders, *heap]


def _with_pin(suspect: Suspect, pin: Pin, process: Process) -> Suspect:
    """Return the suspect with the heap that it holds."""
    frames = pin.path.frames
    place = next((frame for frame in frames if frame.owner in ("own", "dependency")), frames[0])
    evidence = pin_evidence(pin, suspect, process)
    return replace(
        suspect,
        sites=(*suspect.sites, Site("allocated", place, process=process.id)),
        evidence=(*suspect.evidence, evidence) if evidence else suspect.evidence,
        share={**suspect.share, "inuse_space": pin.part},
        weight=suspect.weight + pin.weight,  # what holds memory is worse than what only waits
    )

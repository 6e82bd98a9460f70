"""A goroutine suspect and the heap it keeps alive -> one suspect: what is pinned is a share of it, never a finding."""

from dataclasses import replace

from oakum.detect.heap_pins import pin_evidence
from oakum.model import Process, Site, Suspect
from oakum.model.heap_growth import Pin


def holding(suspect: Suspect, pin: Pin, process: Process) -> Suspect:
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


__all__ = ["holding"]

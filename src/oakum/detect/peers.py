"""Suspects of several processes -> those that block each other, as one.

Two ends of a connection that both write and neither reads stand still for ever; each process alone shows half of it.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from oakum.model import Suspect

_BLOCKED = "peer-stopped-reading"


def join_peers(suspects: Sequence[Suspect]) -> list[Suspect]:
    """Return the suspects, two of different processes joined when both are stuck writing to the other."""
    joined: list[Suspect] = []
    writers: list[int] = []
    for suspect in suspects:
        peer = next((at for at in writers if _face(joined[at], suspect)), None)
        if peer is None:
            if suspect.mechanisms[0] == _BLOCKED:
                writers.append(len(joined))
            joined.append(suspect)
        else:
            joined[peer] = _one(joined[peer], suspect)
    return joined


def _face(one: Suspect, other: Suspect) -> bool:
    """Tell whether two suspects write at each other: both blocked in a write, in the same library."""
    if one.mechanisms[0] != _BLOCKED or other.mechanisms[0] != _BLOCKED:
        return False
    if one.sites[0].process == other.sites[0].process or {one.wait, other.wait} != {"hard"}:
        return False
    return bool(_libraries(one) & _libraries(other))


def _libraries(suspect: Suspect) -> set[str]:
    return {site.frame.package for site in suspect.sites if site.frame.owner == "dependency"}


def _one(one: Suspect, other: Suspect) -> Suspect:
    # Where more goroutines pile up is where people look first.
    first, second = sorted((one, other), key=lambda suspect: -sum(site.count or 0 for site in suspect.sites))
    return replace(
        first,
        sites=(*first.sites, *second.sites),
        evidence=(*first.evidence, *second.evidence),
        victims=(*first.victims, *second.victims),
        weight=max(first.weight, second.weight),
        traces=(*first.traces, *second.traces),
    )

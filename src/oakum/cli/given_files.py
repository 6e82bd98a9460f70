"""Files that `oakum capture` is given -> what is no evidence among them, and what it is instead."""

from oakum.model import Capture, Problem

_LARGEST = 32 << 20  # bytes: to look into a larger file takes longer than to pack it, and nobody packs that by mistake


def mistaken(capture: Capture) -> Problem | None:
    """Return what a file is if nothing in it is evidence: no goroutines, profile, metrics or build."""
    if len(capture.data) > _LARGEST:
        return None
    from oakum.parse import parse

    readings = parse(capture)
    if any(reading.kind != "unknown" for reading in readings):
        return None
    problems = [problem for reading in readings for problem in reading.problems]
    return problems[0] if problems else Problem.of("unrecognised.text", size=len(capture.data))

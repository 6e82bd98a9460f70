"""Suspects -> the same with their cause: the Go source at the frames is read, and the mistake named with its lines.

Comes in: suspects and `Sources` that hand over source files. Goes out: suspects with `cause` and `remedies`, and gaps
where source was missing or another version's. Reads only what it is handed; where the code does not decide, it says
nothing. The questions are a hundred modules: they are loaded when there is source to ask.
"""

from collections.abc import Sequence

from oakum.explain.missing import frames_of, without_source
from oakum.model import Frame, Gap, SourceNotFound, Sources, Suspect


def explain(suspects: Sequence[Suspect], sources: Sources) -> tuple[tuple[Suspect, ...], tuple[Gap, ...]]:
    """Return the suspects with their causes, and what source could not be read."""
    frames = frames_of(suspects)
    gaps = without_source(suspects)
    if gaps is not None and not _readable(frames, sources):
        return tuple(suspects), tuple(gaps)
    from oakum.explain.questions import answered

    return answered(suspects, sources, frames)


def _readable(frames: Sequence[Frame], sources: Sources) -> bool:
    """Tell whether any source is to be had: of a frame, or of the program's own tree."""
    return any(_has(frame, sources) for frame in frames) or any(sources.own())


def _has(frame: Frame, sources: Sources) -> bool:
    try:
        return bool(frame.file and frame.line > 0 and sources.package(frame))
    except SourceNotFound:
        return False


__all__ = ["explain"]

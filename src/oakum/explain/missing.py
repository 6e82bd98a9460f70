"""What is said where the source of findings is not to be had.

Of each package that lacks, the file that was looked for first is remembered; a finding at such a file says it for all.
Where that is certain without asking the questions, a hundred modules need not be loaded.
"""

from collections.abc import Container, Iterable, Sequence

from oakum.model import Frame, Gap, Suspect, Text, Trace


def missing_source(suspects: Sequence[Suspect], missing: Container[str]) -> list[Gap]:
    """Return that code of these suspects could not be read, by the first of them that is at a file in `missing`."""
    return [_gap(frame) for name, frame in _files(suspects).items() if name in missing][:1]


def without_source(suspects: Sequence[Suspect]) -> list[Gap] | None:
    """Return what is said where there is no source at all; None when only the questions can tell."""
    files = _files(suspects)
    if not files:
        return []
    name, told = next(iter(files.items()))
    first = next((frame for frame in _looked_at(suspects[0]) if frame.file and frame.line > 0), None)
    if first is None or first.file != name:
        return None
    beside = {frame.file for frame in frames_of(suspects) if frame.package == first.package and frame.file}
    return [_gap(told)] if beside == {name} else None


def _files(suspects: Sequence[Suspect]) -> dict[str, Frame]:
    return {site.frame.file: site.frame for suspect in suspects for site in suspect.sites if site.frame.file}


def _gap(frame: Frame) -> Gap:
    return Gap(Text("gap.source-missing", {"function": frame.function}), Text("gap.source-missing.why"))


def _looked_at(suspect: Suspect) -> Sequence[Frame]:
    """Return the frames of a suspect that are looked for before all others, in their order."""
    if suspect.traces:
        return suspect.traces[0].frames[outside_runtime(suspect.traces[0]) :]
    return suspect.path[::-1] if is_memory(suspect) else ()


def is_memory(suspect: Suspect) -> bool:
    """Tell whether a suspect is memory with the path of its allocation."""
    kept = suspect.mechanisms[0] in ("growing-container", "substring-pin", "warm-up")
    return kept and bool(suspect.path) and not suspect.wait


def outside_runtime(trace: Trace) -> int:
    """Return the index of the first frame outside runtime, sync, internal and time."""
    for at, frame in enumerate(trace.frames):
        package = frame.package
        if package not in ("runtime", "sync", "time", "sync/atomic") and not package.startswith(
            ("internal/", "runtime/")
        ):
            return at
    return 0


def frames_of(suspects: Iterable[Suspect]) -> tuple[Frame, ...]:
    """Return every frame that the suspects have."""
    found: dict[Frame, None] = {}
    for suspect in suspects:
        found |= dict.fromkeys((*suspect.path, *(site.frame for site in suspect.sites)))
        for trace in suspect.traces:
            found |= dict.fromkeys((*trace.frames, *((trace.created,) if trace.created is not None else ())))
    return tuple(found)

"""EVIDENCE arguments -> readings, and the one profile or the goroutines that a view is to show.

The only place where the command line strings collect and parse together.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

from oakum.cli.screen import Progress, remark
from oakum.collect.files import Complaint, gather
from oakum.model import Capture, Goroutines, OakumError, Profile, Reading, Unreadable, UsageError
from oakum.parse import goroutines as goroutines_of
from oakum.parse import parse


@dataclass(frozen=True, slots=True)
class Input:
    """One capture and everything that was read in it."""

    capture: Capture
    readings: tuple[Reading, ...]


def read(arguments: Sequence[str], complain: Complaint | None = None) -> list[Input]:
    """Return what each input holds; problems are inside the readings."""
    inputs = []
    progress, begun = Progress("reading"), monotonic()
    try:
        for capture in gather(arguments, complain) if complain else gather(arguments):
            if len(capture.data) > 8 << 20:
                progress.at(f"{capture.origin} ({len(capture.data) >> 20} MiB)")
            elif monotonic() - begun > 1:  # many small ones take their time too
                progress.at(capture.origin)
            inputs.append(Input(capture, _parsed(capture)))
    finally:
        progress.done()
    return inputs


def _parsed(capture: Capture) -> tuple[Reading, ...]:
    """Return what is in a capture, each with what is wrong with the file as a whole."""
    readings = parse(capture)
    if not capture.problems:
        return readings
    return tuple(replace(reading, problems=(*capture.problems, *reading.problems)) for reading in readings)


Chosen = tuple[Capture, Reading]
# Formats of one moment, richest first: a dump has ages and creators, protobuf has states and every sample type; other
# texts come last.
_RICHEST = ("debug2", "goleak", "pprof", "debug1")


def usable(arguments: Sequence[str], dump: int | None = None, kinds: tuple[str, ...] = ()) -> list[Chosen]:
    """Return the one reading of each input that a view can show; raise when there is none in any.

    A capture may hold several dumps: the last is taken, and said so, unless `dump` (from 1) names another. What lies
    in a directory beside usable captures is left out with a remark, also captures of other `kinds`; and what was
    saved there in several formats is the same thing: the richest is taken.
    """
    unread: list[OakumError] = []
    chosen: list[Chosen] = []
    for item in read(arguments, unread.append):
        named = item.capture.origin in arguments
        readings = [r for r in item.readings if r.usable]
        if not readings and not named and any(r.metrics or r.build or r.sockets for r in item.readings):
            continue  # no view shows them, and nobody expects it
        if not readings:
            unread.append(Unreadable(f"{item.capture.origin}: {why_unusable(item)}"))
            if named:
                raise unread[-1]
            continue
        if kinds and not named:
            found = ", ".join(sorted({r.kind for r in readings}))
            readings = [r for r in readings if r.kind in kinds]
            if not readings:
                unread.append(Unreadable(f"{item.capture.origin}: {found}, where {' or '.join(kinds)} was asked for"))
                continue
        chosen.append((item.capture, _one_of(item.capture.origin, readings, dump)))
    for error in unread:
        if not chosen or getattr(error, "origin", "") in arguments or isinstance(error, UsageError):
            raise error
        remark(f"left out: {error}")
    kept = _richest(chosen, arguments)
    for capture, reading in kept:
        for problem in reading.problems:
            remark(f"{capture.origin}: {problem}")
    return kept


def _one_of(origin: str, readings: list[Reading], dump: int | None) -> Reading:
    if dump is not None:
        if not 1 <= dump <= len(readings):
            raise UsageError(f"{origin}: --dump {dump}: it holds {len(readings)}; see oakum inspect")
        return readings[dump - 1]
    if len(readings) > 1:
        last = readings[-1]
        remark(
            f"{origin} holds {len(readings)} captures; showing the last ({last.kind}, {last.where or 'whole'}). "
            "--dump N shows another, oakum inspect lists them."
        )
    return readings[-1]


def _richest(chosen: list[Chosen], arguments: Sequence[str]) -> list[Chosen]:
    """Return the captures without those that only say again, in a poorer format, what lies beside them."""
    best: dict[tuple[str, str], Reading] = {}
    for capture, reading in chosen:
        here = (capture.origin.rpartition("/")[0], reading.kind)
        if capture.origin not in arguments and (here not in best or _rank(reading) < _rank(best[here])):
            best[here] = reading
    kept = []
    for capture, reading in chosen:
        folder = capture.origin.rpartition("/")[0]
        richer = best.get((folder, reading.kind))
        # Two captures of one format are two moments, not one moment twice.
        if richer is None or capture.origin in arguments or reading.format == richer.format:
            kept.append((capture, reading))
        else:
            what = "goroutines" if reading.kind == "goroutine" else f"the {reading.kind}"
            remark(
                f"{capture.origin}: left out{_missing(reading, richer)}: beside it {folder} has {what} as "
                f"{richer.format}, which says more"
            )
    return kept


def _missing(cut: Reading, whole: Reading) -> str:
    """Return how many goroutines a cut dump lacks, told by a whole capture of the same moment."""
    some, everything = cut.goroutines, goroutines_of(whole)
    if some is None or everything is None or not some.cut or some.total >= everything.total:
        return ""
    return f" (cut: {everything.total - some.total:,} of {everything.total:,} goroutines are missing in it)"


def _rank(reading: Reading) -> int:
    cut = reading.goroutines is not None and reading.goroutines.cut
    known = reading.format in _RICHEST
    return (_RICHEST.index(reading.format) if known else len(_RICHEST)) + (2 * len(_RICHEST) if cut else 0)


@dataclass(frozen=True, slots=True)
class Moment:
    """What was captured together: one reading of each kind."""

    label: str
    readings: dict[str, Chosen]


def moments(arguments: Sequence[str]) -> list[Moment]:
    """Return the moments that the arguments name, oldest first as given.

    A file is a moment, and so is each dump in a file given alone; a directory is one, and so is each directory in a
    directory. Two captures of one kind and format in a directory are two moments.
    """
    alone = read(arguments) if len(arguments) == 1 and not Path(arguments[0]).is_dir() else []
    if [item.capture.origin for item in alone] == list(arguments):  # no archive
        found = [(item.capture, reading) for item in alone for reading in item.readings if reading.usable]
        return [Moment(f"{arguments[0]} {r.where}".strip(), {r.kind: (c, r)}) for c, r in found]
    series: list[Moment] = []
    for argument in arguments:
        folders: dict[str, list[Chosen]] = {}
        for capture, reading in usable((argument,)):
            folder = capture.origin if capture.origin == argument else capture.origin.rpartition("/")[0]
            folders.setdefault(folder, []).append((capture, reading))
        for folder, chosen in folders.items():
            by_kind: dict[str, list[Chosen]] = {}
            for pair in chosen:
                by_kind.setdefault(pair[1].kind, []).append(pair)
            several = max(len(pairs) for pairs in by_kind.values())
            for at in range(several):
                here = {kind: pairs[at] for kind, pairs in by_kind.items() if at < len(pairs)}
                label = folder if several == 1 else next(iter(here.values()))[0].origin
                series.append(Moment(label, here))
    return series


def why_unusable(item: Input) -> str:
    """Return why nothing in the input could be used, in the parsers' own words."""
    if facts := [r.kind for r in item.readings if r.metrics or r.build or r.sockets]:
        return f"this is {facts[0]} information, which no view shows; oakum inspect tells what it says"
    problems = [str(p) for r in item.readings for p in r.problems]
    return "; ".join(problems) if problems else "neither a profile nor a goroutine dump was recognised in it"


def one_goroutines(reading: Reading, origin: str) -> Goroutines:
    """Return the goroutines of a reading, whatever format they came in."""
    found = goroutines_of(reading)
    if found is None:
        raise Unreadable(
            f"{origin}: this is a {reading.kind} profile, which oakum top shows; here a goroutine profile or a dump is "
            "needed"
        )
    return found


def one_profile(reading: Reading, origin: str) -> Profile:
    """Return the profile of a reading; goroutine stacks as text become one of kind goroutine."""
    if reading.profile is not None:
        return reading.profile
    if reading.goroutines is not None:
        from oakum.views.goroutine_profile import profile_of

        return profile_of(reading.goroutines, reading.taken_at)
    raise Unreadable(f"{origin}: it holds only memory statistics; a view needs a profile (oakum diagnose reads them)")


__all__ = ["Chosen", "Input", "Moment", "moments", "one_goroutines", "one_profile", "read", "usable", "why_unusable"]

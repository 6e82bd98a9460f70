"""EVIDENCE arguments -> inputs, and the one profile or the goroutines that a view is to show.

The only place where the command line strings collect and parse together; what belongs together `assemble` says.
"""

from collections.abc import Sequence
from time import monotonic

from oakum.assemble import Input
from oakum.assemble.parts import Part, ViewPart
from oakum.assemble.snapshots import Gathered, missing_in
from oakum.assemble.views import beside_richer, view_snapshots
from oakum.cli.screen import Progress, remark
from oakum.collect.files import Complaint
from oakum.model import Buffer, Capture, Goroutines, OakumError, Profile, Reading, Unreadable, UsageError
from oakum.parse import goroutines as goroutines_of
from oakum.pipeline.evidence import read_evidence


def read(arguments: Sequence[str], complain: Complaint | None = None, program: Buffer | None = None) -> list[Input]:
    """Return what each capture holds and where it lies below its argument; problems are inside the readings."""
    progress, begun = Progress("reading"), monotonic()

    def seen(capture: Capture) -> None:
        if len(capture.data) > 8 << 20:
            progress.at(f"{capture.origin} ({len(capture.data) >> 20} MiB)")
        elif monotonic() - begun > 1:  # many small ones take their time too
            progress.at(capture.origin)

    try:
        return read_evidence(arguments, complain, seen, program)
    finally:
        progress.done()


Chosen = tuple[Capture, Reading]


def usable(arguments: Sequence[str], dump: int | None = None, kinds: tuple[str, ...] = ()) -> list[Chosen]:
    """Return the one reading of each input that a view can show; raise when there is none in any.

    A capture may hold several dumps: the last is taken, and said so, unless `dump` (from 1) names another. What lies
    in a directory beside usable captures is left out with a warning, also captures of other `kinds`; and what was
    saved there in several formats is the same thing: the richest is taken.
    """
    chosen = _usable_parts(arguments, dump, kinds)
    poorer = _told_poorer(chosen)
    kept = [part for _, part in chosen if part not in poorer]
    for part in kept:
        for told in problem_lines((part.reading,)):
            remark(f"{part.capture.origin}: {told}")
    return [(part.capture, part.reading) for part in kept]


def _told_poorer(chosen: Sequence[tuple[Input, Part]]) -> set[Part]:
    """Return what only says again what lies beside it, and say so of each."""
    poorer = beside_richer(chosen)
    for part, richer in poorer.items():
        what = "goroutines" if part.reading.kind == "goroutine" else f"the {part.reading.kind}"
        folder = part.capture.origin.rpartition("/")[0]
        missing = missing_in(part, richer)
        lacks = f" (cut: {missing[0]:,} of {missing[1]:,} goroutines are missing in it)" if missing else ""
        remark(
            f"{part.capture.origin}: left out{lacks}: beside it {folder} has {what} as {richer.reading.format}, which "
            "says more"
        )
    return set(poorer)


def _usable_parts(arguments: Sequence[str], dump: int | None, kinds: tuple[str, ...]) -> list[tuple[Input, Part]]:
    unread: list[OakumError] = []
    chosen: list[tuple[Input, Part]] = []
    for item in read(arguments, unread.append):
        readings = [r for r in item.readings if r.usable]
        if not readings and item.path and any(r.metrics or r.build or r.sockets for r in item.readings):
            continue  # no view shows them, and nobody expects it
        if not readings:
            unread.append(Unreadable(f"{item.capture.origin}: {why_unusable(item)}"))
            if not item.path:
                raise unread[-1]
            continue
        if kinds and item.path:
            found = ", ".join(sorted({r.kind for r in readings}))
            readings = [r for r in readings if r.kind in kinds]
            if not readings:
                unread.append(
                    Unreadable(f"{item.capture.origin}: {found}, no {' or '.join(kinds)} profile{_next(kinds)}")
                )
                continue
        one = _one_of(item.capture.origin, readings, dump)
        chosen.append((item, ViewPart(item.capture, one, goroutines_of)))
    for error in unread:
        if not chosen or getattr(error, "origin", "") in arguments or isinstance(error, UsageError):
            raise error
        from oakum.report.words.lines import error_line

        remark(f"left out: {error_line(error)}")
    return chosen


def _next(kinds: tuple[str, ...]) -> str:
    """Return how to get what a view needs."""
    if "goroutine" not in kinds:
        return "; oakum inspect shows the kind of each file"
    return "; oakum top shows it. Goroutines: curl -o goroutine.txt 'http://HOST:PORT/debug/pprof/goroutine?debug=2'"


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


def snapshots(arguments: Sequence[str]) -> list[Gathered]:
    """Return the snapshots that the arguments name, in the order given; within a directory oldest first.

    Files named one by one are snapshots as soon as one kind comes twice, whichever formats; a directory is one, and so
    is each directory in a directory. Each dump of a file given alone is one.
    """
    if len(arguments) == 1:
        items = read(arguments)
        if [item.path for item in items] == [()]:  # neither a directory nor an archive
            parts = [(items[0], ViewPart(items[0].capture, one, goroutines_of)) for one in items[0].readings]
            return view_snapshots(parts)
    chosen = _usable_parts(arguments, None, ())
    _told_poorer(chosen)
    return view_snapshots(chosen)


def why_unusable(item: Input) -> str:
    """Return why nothing in the input could be used, in the parsers' own words."""
    if facts := [r.kind for r in item.readings if r.metrics or r.build or r.sockets]:
        return f"this is {facts[0]} information, which no view shows; oakum inspect tells what it says"
    problems = problem_lines(item.readings)
    return "; ".join(problems) if problems else "neither a profile nor a goroutine dump was recognised in it"


def problem_lines(readings: Sequence[Reading]) -> list[str]:
    """Return what is wrong with readings, a line each."""
    problems = [problem for reading in readings for problem in reading.problems]
    if not problems:
        return []
    from oakum.report.words.lines import problem_line  # only when there is something to say

    return [problem_line(problem) for problem in problems]


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

"""The stage from readings to a case: which captures are one snapshot, which snapshots one process, what its build is.

Comes in: captures with their readings, wherever they came from. Goes out: a `Case`, and warnings as values. Reads no
file, prints nothing and knows no command line; what cannot be assembled raises `NotAssembled` with a sentence.
"""

from collections.abc import Iterable, Sequence
from functools import reduce

from msgspec import Struct
from msgspec.structs import replace

from oakum.assemble.builds import Built, Program, attach, build_name, give
from oakum.assemble.experiments import experiment_of
from oakum.assemble.folders import folders, programs_of, target_of
from oakum.assemble.parts import Grouped, Input, Part, process_name
from oakum.assemble.processes import merged, names_of, separated
from oakum.assemble.ranges import with_ranges
from oakum.assemble.rows import input_rows
from oakum.assemble.runs import Run, split, started_at
from oakum.assemble.signals import logs_of, series_of
from oakum.assemble.snapshots import captured_and_ranges, is_dated, nearest, snapshots_and_history
from oakum.assemble.sockets import in_several
from oakum.model import Argument, Case, InputRow, NotAssembled, Process, Routes, Snapshot, Sockets, Source, Text
from oakum.model import Run as RunOf
from oakum.model.capture import REDACTED


class Assembled(Struct, frozen=True):
    """A case, and what whoever asked for it should know of how it was put together."""

    case: Case
    warnings: tuple[Text, ...] = ()


def assemble(
    inputs: Iterable[Input],
    grouped: Grouped,
    baseline: Iterable[Input] = (),
    builds: Iterable[Input] = (),
    unread: Sequence[InputRow] = (),
) -> Assembled:
    """Return the case that captures make; raise NotAssembled when nothing in them can be diagnosed.

    `baseline` are captures of healthy processes, `builds` programs, or anything else that tells a build, of the
    processes; `unread` are rows for what could not be opened.
    """
    named = [Part(item.capture, reading, grouped) for item in builds for reading in item.readings if reading.build]
    arguments, healthy = folders(inputs, grouped), folders(baseline, grouped)
    programs, several = programs_of(arguments)
    parts = [part for folder in arguments for part in folder.everything()]
    unplaced = _place_sockets(programs, parts)
    programs = merged(programs)
    if len(programs) == 1:  # named twice: a log that told of either tells of this one
        programs[0].parts += [part for part in parts if part.ended and part not in programs[0].parts]
    programs, notices = separated(programs)
    several = (several and len(programs) > 1) or bool(notices)
    programs.sort(key=lambda one: min((part.at for part in one.parts if part.slot), default=0))
    give(programs, named)
    processes, firsts = _processes(programs, attach(programs, [*named, *parts], several), several)
    rows = [row for folder in (*arguments, *healthy) for row in input_rows(folder.everything())]
    rows += [*unread, *input_rows(named)]
    if not processes:
        raise NotAssembled(Text("assemble.nothing"), "evidence", tuple(rows))
    baselines = {one.name: _baseline(one) for one in programs_of(healthy)[0]}
    if healthy and not baselines:
        told = tuple(row for folder in healthy for row in input_rows(folder.everything()))
        raise NotAssembled(Text("assemble.nothing"), "baseline", told)
    compared, warnings = _with_baselines(processes, {one.name for one in programs}, baselines)
    blocked = in_several((one.capture.origin, one.reading.sockets) for one in parts if one.reading.sockets)
    notices += [restarted for one in compared if (restarted := _restarted(one))]
    signals = series_of(parts, firsts), logs_of(parts, firsts)
    case = Case(compared, tuple(rows), tuple(unplaced), tuple(notices), *signals, _routes(parts))
    return Assembled(case, (*blocked, *warnings))


def _routes(parts: Sequence[Part]) -> Routes:
    """Return who is behind the addresses of the cluster, as all lists of its objects say."""
    told = (part.reading.routes for part in parts if part.reading.routes is not None)
    return reduce(Routes.joined, told, Routes())


def _place_sockets(programs: Sequence[Program], parts: Sequence[Part]) -> list[tuple[Source, Sockets]]:
    """Put sockets that lie beside snapshots into the nearest one of the process that they name; return the rest."""
    placed = {part for one in programs for snapshot in one.snapshots for part in snapshot.parts}
    left = []
    for part in parts:
        if part.reading.sockets is None or part in placed:
            continue
        name = part.reading.notes.get("process")
        owners = [one for one in programs if part in one.parts or name in (one.name, process_name(one.parts))]
        if len(owners) == 1:
            nearest(owners[0].snapshots, part).parts.append(part)
        else:
            left.append((part.source, part.reading.sockets))
    return left


def _processes(
    programs: Sequence[Program], builds: Sequence[Built | None], several: bool
) -> tuple[list[Process], dict[str, Program]]:
    """Return the processes with what was read of their builds, and what the first run of each was put together from;
    each run of one is a process of its own."""
    processes: list[Process] = []
    firsts: dict[str, Program] = {}
    called = [build_name(built.build) if built else "" for built in builds]
    for one, built, name in zip(programs, builds, names_of(programs, called, several), strict=True):
        runs = one.runs or [Run([])]
        first = f"p{len(processes) + 1}"
        firsts[first] = one
        target = target_of(one.parts)
        for number, run in enumerate(runs, 1):
            taken, past = snapshots_and_history(run.snapshots, run.ranges)
            why = _why(run, number, name)
            which = (
                RunOf(number, len(runs), first, started_at([*run.snapshots, *run.ranges]), why)
                if len(runs) > 1
                else None
            )
            mine = [part for snapshot in (run.snapshots or run.ranges) for part in snapshot.parts] or one.parts
            processes.append(
                Process(
                    f"p{len(processes) + 1}",
                    name,
                    taken,
                    build=built.build if built else None,
                    build_sources=built.sources if built else (),
                    address="" if target.startswith(REDACTED) else target,
                    history=past,
                    given=next((part.given for part in mine if part.slot), ""),
                    run=which,
                    experiment=experiment_of(one.parts, taken),
                )
            )
    return processes, firsts


def _baseline(one: Program) -> tuple[Snapshot, ...]:
    """Return the snapshots of a healthy process: those of its longest run, of equal ones the later."""
    captured, ranges = captured_and_ranges(one.snapshots)
    captures = [run for piece in split(captured, is_dated(captured)) for run in piece.runs]
    runs = with_ranges(captures, ranges)
    longest = max(reversed(runs), key=lambda run: (len(run.snapshots), len(run.ranges)), default=Run([]))
    return snapshots_and_history(longest.snapshots, longest.ranges)[0]


def _why(run: Run, number: int, name: str) -> Text | None:
    """Return why a process was started anew, as a whole sentence; None where that is not known."""
    if run.why is None:
        return None
    return Text(run.why.key, _restart(name, number) | dict(run.why.args))


def _restart(name: str, number: int) -> dict[str, Argument]:
    return {"name": name, "run": number, "before": number - 1}


def _restarted(process: Process) -> Text | None:
    """Return that a process was restarted before this run, and why, where that is known."""
    run = process.run
    if run is None or run.number == 1:
        return None
    return run.why or Text("notice.restarted-unknown", _restart(process.name, run.number))


def _with_baselines(
    processes: list[Process], given: set[str], by_name: dict[str, tuple[Snapshot, ...]]
) -> tuple[tuple[Process, ...], list[Text]]:
    """Return the processes, each with the snapshots of its baseline, and which baseline is none of any.

    `given` are the names that their directories have.
    """
    if not by_name:
        return tuple(processes), []
    if len(given) == len(by_name) == 1:
        return tuple(replace(one, baseline=next(iter(by_name.values()))) for one in processes), []
    matched = tuple(replace(p, baseline=by_name.get(p.name, ())) for p in processes)
    names = ", ".join(dict.fromkeys(p.name for p in processes))
    if len(given) == 1 and not matched[0].baseline:
        several = Text("assemble.baseline-which", {"count": len(by_name), "names": ", ".join(by_name), "name": names})
        raise NotAssembled(several, "baseline")
    left = [name for name in by_name if name not in {p.name for p in processes}]
    return matched, [Text("assemble.baseline-unused", {"name": name, "names": names}) for name in left]


__all__ = ["Assembled", "Grouped", "Input", "assemble"]

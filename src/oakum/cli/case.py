"""Arguments -> the case that a diagnosis looks at: processes, their moments oldest first, and everything that was read.

A moment is a directory, or a file named alone; several are the series of one process, and so are the directories in a
directory. Several series are several processes, named by their directories. Nothing is recognised by its name.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from oakum.cli.builds import Program, attach, give
from oakum.cli.evidence import Input, read, why_unusable
from oakum.cli.moments import Found, Moment, build_name, loose, program, snapshots_and_history, together
from oakum.cli.screen import remark
from oakum.cli.socket_lines import socket_lines
from oakum.model import Case, InputRow, OakumError, Problem, Process, Snapshot, Unreadable, UsageError
from oakum.model.capture import REDACTED
from oakum.model.order import natural


@dataclass(eq=False)
class _Folder:
    """A directory (or a file named alone) and what was found in it; what lies below only if it is of use."""

    origin: str
    name: str
    named_file: bool = False
    found: list[Found] = field(default_factory=list)
    below: dict[str, "_Folder"] = field(default_factory=dict)

    @property
    def useful(self) -> bool:
        return any(f.slot for f in self.found) or any(child.useful for child in self.below.values())

    @property
    def children(self) -> list["_Folder"]:
        return [self.below[name] for name in sorted(self.below, key=natural) if self.below[name].useful]

    @property
    def is_series(self) -> bool:
        children = self.children
        return bool(children) and not any(c.children for c in children) and len(_programs(children)) < 2

    def everything(self) -> Iterable[Found]:
        yield from self.found
        for child in self.below.values():
            yield from child.everything()


def case(
    arguments: Sequence[str], baseline: Sequence[str] = (), binaries: Sequence[str] = (), *, lang: str = "en"
) -> Case:
    """Return what the arguments hold; raise when nothing in them can be diagnosed.

    `binaries` are programs, or anything else that tells a build, of the processes that the arguments tell of. `lang` is
    that of the remarks.
    """
    given = _builds(binaries)
    rows: list[InputRow] = []
    folders, unread = _read(arguments, lang)
    programs, several = _programs_of(folders)
    twin_folders, twin_unread = _read(baseline, lang)
    twins, _ = _programs_of(twin_folders)
    give(programs, given)
    processes = _processes(programs, [*given, *(f for folder in folders for f in folder.everything())], several)
    for folder in [*folders, *twin_folders]:
        rows += _rows(folder.everything())
    rows += [*unread, *twin_unread, *_rows(given)]
    if not processes:
        raise Unreadable(_nothing(rows))
    _tell_of_sockets(folders, lang)
    if baseline and not twins:
        told = [*(row for folder in twin_folders for row in _rows(folder.everything())), *twin_unread]
        raise Unreadable(f"--baseline: {_nothing(told)}")
    return Case(_with_twins(processes, twins), tuple(rows))


def _read(arguments: Sequence[str], lang: str) -> tuple[list[_Folder], list[InputRow]]:
    """Return the arguments as folders, in the order given, and what could not be opened."""
    folders: dict[str, _Folder] = {}
    unread: list[InputRow] = []

    def complain(error: OakumError) -> None:
        origin = getattr(error, "origin", "")
        if isinstance(error, UsageError) or (origin in arguments and not Path(origin).is_dir()):
            raise error
        _remark(f"left out: {error}", lang)
        unread.append(InputRow(origin, "unread", "", "", problems=(Problem("unread", str(error)),)))

    for argument in dict.fromkeys(arguments):
        for item in read((argument,), complain):
            for problem in item.capture.problems:
                _remark(f"{item.capture.origin}: {problem}", lang)
            if item.capture.origin == argument:
                here = folders[argument] = _Folder(argument, Path(argument).name, named_file=True)
            else:
                here = _place(folders, argument, item.capture.origin)
            _put(here, _found(item))
    return list(folders.values()), unread


def _put(here: _Folder, found: Sequence[Found]) -> None:
    """Put what a file holds into its folder; of several processes that one answer tells of, each has its own."""
    names = {f.reading.notes.get("process", "") for f in found if f.ranged}
    for one in found:
        if len(names) < 2:
            here.found.append(one)
            continue
        here.named_file = False
        name = one.reading.notes.get("process", "")
        here.below.setdefault(name, _Folder(f"{one.capture.origin}#{name}", name)).found.append(one)


def _remark(text: str, lang: str) -> None:
    from oakum.report.words.told import remark_in  # only when there is something to say

    remark(remark_in(text, lang))


def _tell_of_sockets(folders: Sequence[_Folder], lang: str) -> None:
    """Say who waits for whom, once for all moments: a buffer that nobody empties proves where a wait begins."""
    found = [(f.capture.origin, f.reading.sockets) for folder in folders for f in folder.everything()]
    lines: dict[str, list[str]] = {}
    for origin, sockets in found:
        for line in socket_lines(sockets) if sockets else ():
            lines.setdefault(line, []).append(origin)
    for line, origins in lines.items():
        same = f"; the same to the byte in {len(origins)} captures: it does not move" if len(origins) > 1 else ""
        _remark(f"{origins[-1]}: {line}{same}", lang)


def _builds(files: Sequence[str]) -> list[Found]:
    """Return what --binary names; raise when one of them tells no build."""
    found: list[Found] = []
    for file in dict.fromkeys(files):
        if Path(file).is_dir():
            raise UsageError(f"--binary {file}: this is a directory; name the program in it, or its go.mod")
        (item,) = read((file,))
        told = [Found(item.capture, reading) for reading in item.readings if reading.build is not None]
        if not told:
            problems = [str(problem) for reading in item.readings for problem in reading.problems]
            why = f": {problems[0]}" if problems else ""
            raise Unreadable(
                f"--binary {file}: no build information was found in it{why}. Name the program, its go.mod, or what "
                "`go version -m PROGRAM` printed"
            )
        found += told
    return found


def _place(folders: dict[str, _Folder], argument: str, origin: str) -> _Folder:
    """Return the folder that a file lies in, below the argument that names it."""
    # The name of "." or ".." is that of the directory it stands for.
    here = folders.setdefault(
        argument, _Folder(argument, Path(argument).name.strip(".") or Path(argument).resolve().name)
    )
    for name in origin[len(argument.rstrip("/")) + 1 :].split("/")[:-1]:
        here = here.below.setdefault(name, _Folder(f"{here.origin.rstrip('/')}/{name}", name))
    return here


def _found(item: Input) -> list[Found]:
    found = [Found(item.capture, reading) for reading in item.readings]
    if not found:
        from oakum.model import Reading

        unknown = Reading("unknown", "unknown", problems=(Problem("nothing-found", why_unusable(item)),))
        found = [Found(item.capture, unknown)]
    return found


def _programs(folders: Sequence[_Folder]) -> set[str]:
    """Return the names of the processes that folders tell of; none unless every one of them does."""
    names = [program(folder.everything()) for folder in folders]
    return {name for name in names if name} if all(names) else set()


def _programs_of(folders: Sequence[_Folder]) -> tuple[list[Program], bool]:
    """Return the processes that the arguments tell of, and whether they were given as several."""
    given: list[_Folder] = []
    for folder in folders:
        given += _expanded(folder)
    directories = [f for f in given if f.useful and not f.named_file]
    files = [one for f in given if f.named_file for one in f.found]
    series = [f for f in directories if f.children]
    targets = {_target(f.everything()) for f in directories}
    one_target = len(targets) == 1 and "" not in targets  # bundles of one target, taken one after the other
    if not one_target and (len(series) > 1 or len(given) > len(folders) or len(_programs(directories)) > 1):
        for one in files:
            if one.slot:
                one.blame("which-process", "Not used: it does not say which of the processes it tells of.")
        return _several(directories), True
    moments: list[Moment] = []
    for folder in given:
        moments += _moments(folder) if not folder.named_file else []
    named = loose(files)
    if len(moments) == len(named) == 1 and not moments[0].slots & named[0].slots:
        moments[0].found += named[0].found  # `oakum diagnose moment/ metrics.txt`
    else:
        moments += named
    everything = [one for f in folders for one in f.everything()]
    name = Path(given[0].origin).name if given else ""
    return ([Program(name, everything, moments)] if moments else []), False


def _several(directories: Sequence[_Folder]) -> list[Program]:
    """Return a process for each directory; what bundles have of one target is one process."""
    programs: dict[str, Program] = {}
    for folder, name in _distinct(directories):
        known = programs.setdefault(_target(folder.everything()) or folder.origin, Program(name, [], []))
        if known.found:
            known.name = folder.name if known.name.endswith(f"/{folder.name}") else known.name
        known.found += folder.everything()
        known.moments += _moments(folder)
    return list(programs.values())


def _target(found: Iterable[Found]) -> str:
    """Return what captures were taken from, as the manifest of their bundle says; "" when none does."""
    return next((f.capture.target for f in found if f.slot and f.capture.target), "")


def _in_natural_order(found: Sequence[Found]) -> list[Found]:
    return sorted(found, key=lambda f: natural(f.capture.origin))


def _expanded(folder: _Folder) -> list[_Folder]:
    """Return the folder, or the processes in it when its directories are series themselves."""
    children = folder.children
    if not children or folder.is_series:
        return [folder]
    for one in folder.found:
        if one.slot:
            one.blame("which-process", "Not used: it does not say which of the processes beside it it tells of.")
    return [part for child in children for part in _expanded(child)]


def _distinct(folders: Sequence[_Folder]) -> list[tuple[_Folder, str]]:
    names = [f.name for f in folders]
    return [(f, f.name if names.count(f.name) == 1 else f.origin) for f in folders]


def _moments(folder: _Folder) -> list[Moment]:
    """Return the moments of one process in a folder: its directories, or itself."""
    children = folder.children
    below = [moment for child in children for moment in together(_in_natural_order(child.found), child.origin)]
    mine = list(_in_natural_order(folder.found))
    if below and any("goroutines" in moment.slots for moment in below):
        for one in mine:
            if one.slot and one.in_a_log:
                one.blame("log-beside-moments", "Not used: the moments beside this log have goroutines of their own.")
        mine = [one for one in mine if not one.in_a_log]
    here = together(mine, folder.origin)
    if below and len(here) == 1 and not here[0].slots & {"goroutines", "heap", "leaked"} and not here[0].ranged:
        for one in here[0].found:
            one.blame("which-moment", "Not used: it does not say which of the moments beside it it tells of.")
        here = []
    return below + here


def _processes(programs: Sequence[Program], everything: Sequence[Found], several: bool) -> list[Process]:
    """Return the processes with what was read of their builds."""
    processes = []
    for at, (one, built) in enumerate(zip(programs, attach(programs, everything, several), strict=True), 1):
        called = one.name if several else (program(one.found) or one.name)
        facts = built.build if built else None
        name = called if several else ((build_name(facts) if facts else "") or called)
        taken, past = snapshots_and_history(one.moments)
        told = built.sources if built else ()
        target = _target(one.found)
        address = "" if target.startswith(REDACTED) else target
        processes.append(Process(f"p{at}", name, taken, (), facts, told, address, past))
    return processes


def _with_twins(processes: list[Process], twins: Sequence[Program]) -> tuple[Process, ...]:
    """Return the processes, each with the moments of its healthy twin."""
    if not twins:
        return tuple(processes)
    by_name: dict[str, tuple[Snapshot, ...]] = {twin.name: snapshots_and_history(twin.moments)[0] for twin in twins}
    if len(processes) == len(twins) == 1:
        return (replace(processes[0], baseline=next(iter(by_name.values()))),)
    matched = [replace(p, baseline=by_name.get(p.name, ())) for p in processes]
    if len(processes) == 1 and not matched[0].baseline:
        raise UsageError(
            f"--baseline holds {len(twins)} processes ({', '.join(by_name)}), and none is called {processes[0].name}; "
            "name the directory of its twin"
        )
    for name in by_name.keys() - {p.name for p in processes}:
        remark(f"--baseline: {name} is the twin of none of {', '.join(p.name for p in processes)}; left out")
    return tuple(matched)


def _rows(found: Iterable[Found]) -> list[InputRow]:
    """Return a row for each thing that was read; a thousand panics in a log are one, and so is a range of metrics."""
    rows: list[InputRow] = []
    stacks: dict[str, int] = {}
    ranges: set[tuple[str, ...]] = set()
    for one in found:
        if one.ranged:  # one row for all moments of a process that one answer tells of
            notes = one.reading.notes
            whole = (one.capture.origin, notes.get("process", ""), notes.get("run", ""))
            if whole in ranges:
                continue
            ranges.add(whole)
        if one.fleeting and one.problems:
            stacks[one.capture.origin] = stacks.get(one.capture.origin, 0) + 1
            if stacks[one.capture.origin] > 1:
                continue
        rows.append(_row(one))
    return [_counted(row, stacks.get(row.origin, 0)) for row in rows]


def _counted(row: InputRow, stacks: int) -> InputRow:
    if stacks < 2 or not any(problem.key in ("one-stack", "log-beside-moments") for problem in row.problems):
        return row
    told = Problem("stacks", f"Not used: {stacks:,} printed stacks of one goroutine each.", args={"count": stacks})
    return replace(row, problems=(told,))


def _row(found: Found) -> InputRow:
    reading = found.reading
    problems = (*reading.problems, *found.problems)
    return InputRow(
        found.capture.origin, reading.kind, reading.format, found.capture.digest, reading.taken_at, problems
    )


def _nothing(rows: Sequence[InputRow]) -> str:
    """Return what was read when nothing in it can be diagnosed, and what to do."""
    whys = [(row.origin, str(row.problems[0]) if row.problems else f"{row.kind} as {row.format}") for row in rows[:5]]
    told = [why if why.startswith(f"{origin}: ") else f"{origin}: {why}" for origin, why in whys]
    more = f"\n  ... and {len(rows) - 5} more" if len(rows) > 5 else ""
    return (
        "nothing to diagnose: goroutines, a heap profile or metrics are needed, and were not found in\n  "
        + "\n  ".join(told)
        + more
        + "\nName what runs (oakum diagnose http://HOST:PORT, pid:N, kube://pod/NAMESPACE/NAME), or save a dump first: "
        "curl -o goroutine.txt 'http://HOST:PORT/debug/pprof/goroutine?debug=2'"
    )


__all__ = ["case"]

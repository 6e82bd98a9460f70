"""Inputs -> the processes that they are of: which directory is a snapshot, which a series, which several processes.

A snapshot is a directory, or a file named alone; several are the series of one process, and so are the directories in a
directory. Several series are several processes, named by their directories, and so are directories that are called
after pods, hosts or ports. Nothing else is recognised by its name.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from oakum.assemble.builds import Program
from oakum.assemble.parts import Grouped, Input, Part, process_name
from oakum.assemble.snapshots import Gathered, loose, together
from oakum.model.names import is_replica
from oakum.model.order import natural


class Folder(Struct, eq=False, dict=True):
    """A directory (or a file named alone) and what was found in it; what lies below only if it is of use."""

    origin: str
    name: str
    named_file: bool = False
    parts: list[Part] = field(default_factory=list)
    below: dict[str, "Folder"] = field(default_factory=dict)

    @property
    def useful(self) -> bool:
        """Tell whether there is something in it that can be diagnosed."""
        return any(f.slot for f in self.parts) or any(child.useful for child in self.below.values())

    @property
    def children(self) -> list["Folder"]:
        """Return the directories in it that are of use."""
        return [self.below[name] for name in sorted(self.below, key=natural) if self.below[name].useful]

    @property
    def is_series(self) -> bool:
        """Tell whether the directories in it are snapshots of one process."""
        children = self.children
        one = len(_names(children)) < 2 and len(_targets(children)) < 2 and not _replicas(children)
        return bool(children) and not any(c.children for c in children) and one

    def everything(self) -> Iterable[Part]:
        """Yield its parts and those of all that lies below."""
        yield from self.parts
        for child in self.below.values():
            yield from child.everything()


def folders(inputs: Iterable[Input], grouped: Grouped) -> list[Folder]:
    """Return the arguments as folders, in the order given."""
    found: dict[str, Folder] = {}
    for at, item in enumerate(inputs):
        name = item.name or item.given.rstrip("/").rpartition("/")[2]
        here = found.setdefault(item.given, Folder(item.given, name, named_file=not item.path))
        for step in item.path[:-1]:
            here = here.below.setdefault(step, Folder(f"{here.origin.rstrip('/')}/{step}", step))
        _put(here, [Part(item.capture, reading, grouped, item.asked or item.given, at) for reading in item.readings])
    _leave_out_quotations(list(found.values()))
    return list(found.values())


def _leave_out_quotations(arguments: Sequence[Folder]) -> None:
    """Leave out goroutines that pages quote: what two pages quote is no series, and none shows a whole process.

    A page that was named, alone, is asked about: the most that it quotes in one piece is used.
    """
    parts = [part for folder in arguments for part in folder.everything()]
    quoted = [part for part in parts if part.quoted]
    named = len(arguments) == 1 and arguments[0].named_file and len(quoted) == len(parts)
    asked = max((part for part in quoted if named and part.has_stacks), key=lambda part: part.quoted, default=None)
    for part in quoted:
        if part is not asked:
            part.example = True
            part.reject("quoted", count=part.quoted)


def _put(here: Folder, parts: Sequence[Part]) -> None:
    """Put what a file holds into its folder; of several processes that one answer tells of, each has its own."""
    names = {f.reading.notes.get("process", "") for f in parts if f.ranged}
    for one in parts:
        if len(names) < 2:
            here.parts.append(one)
            continue
        here.named_file = False
        name = one.reading.notes.get("process", "")
        here.below.setdefault(name, Folder(f"{one.capture.origin}#{name}", name)).parts.append(one)


def _names(directories: Sequence[Folder]) -> set[str]:
    """Return the names of the processes that folders tell of; none unless every one of them does."""
    names = [process_name(folder.everything()) for folder in directories]
    return {name for name in names if name} if all(names) else set()


def _replicas(directories: Sequence[Folder]) -> bool:
    """Tell whether directories are called after pods, hosts or ports: what was captured in each is a process."""
    return len(directories) > 1 and all(is_replica(folder.name) for folder in directories)


def _targets(directories: Sequence[Folder]) -> set[str]:
    """Return the targets that folders were captured from, where manifests say so."""
    return {target for folder in directories if (target := target_of(folder.everything()))}


def programs_of(arguments: Sequence[Folder]) -> tuple[list[Program], bool]:
    """Return the processes that the arguments tell of, and whether they were given as several."""
    given = [part for folder in arguments for part in _expanded(folder)]
    directories = [f for f in given if f.useful and not f.named_file]
    files = [one for f in given if f.named_file for one in f.parts]
    several = len(given) > len(arguments) or _are_several(directories)
    if several and not _are_of_one_target(directories):
        for one in files:
            if one.slot:
                one.reject("which-process")
        return _several(directories), True
    snapshots = _with_files([one for f in given if not f.named_file for one in snapshots_in(f)], loose(files), given)
    everything = [one for f in arguments for one in f.everything()]
    name = given[0].origin.rstrip("/").rpartition("/")[2] if given else ""
    return ([Program(name, everything, snapshots)] if snapshots else []), False


def _are_several(directories: Sequence[Folder]) -> bool:
    """Tell whether the directories are of several processes: several series, process names or targets."""
    series = [f for f in directories if f.children]
    return len(series) > 1 or len(_names(directories)) > 1 or len(_targets(directories)) > 1


def _are_of_one_target(directories: Sequence[Folder]) -> bool:
    """Tell whether all of them are bundles of one target, captured one after the other: then they are one series."""
    return len(_targets(directories)) == 1 and all(target_of(f.everything()) for f in directories)


def _with_files(snapshots: list[Gathered], named: list[Gathered], given: Sequence[Folder]) -> list[Gathered]:
    """Return the snapshots of directories and of files named one by one, as those of one process, as given."""
    if len(snapshots) == len(named) == 1 and not snapshots[0].slots & named[0].slots:
        snapshots[0].parts += named[0].parts  # `oakum diagnose snapshot/ metrics.txt`
        return snapshots
    places = {one: at for at, folder in enumerate(given) for one in folder.everything()}
    return sorted([*snapshots, *named], key=lambda one: places[one.parts[0]])


def _several(directories: Sequence[Folder]) -> list[Program]:
    """Return a process for each directory; what bundles have of one target is one process."""
    programs: dict[str, Program] = {}
    for folder, name in _distinct(directories):
        known = programs.setdefault(target_of(folder.everything()) or folder.origin, Program(name, [], []))
        if known.parts:
            known.name = folder.name if known.name.endswith(f"/{folder.name}") else known.name
        known.parts += folder.everything()
        known.snapshots += snapshots_in(folder)
    return list(programs.values())


def target_of(parts: Iterable[Part]) -> str:
    """Return what captures were taken from, as the manifest of their bundle says; "" when none does."""
    return next((f.capture.target for f in parts if f.slot and f.capture.target), "")


def _in_natural_order(parts: Sequence[Part]) -> list[Part]:
    return sorted(parts, key=lambda f: natural(f.capture.origin))


def _expanded(folder: Folder) -> list[Folder]:
    """Return the folder, or the processes in it when its directories are series themselves."""
    children = folder.children
    if not children or folder.is_series:
        return [folder]
    for one in folder.parts:
        if one.slot:
            one.reject("which-process.beside")
    return [part for child in children for part in _expanded(child)]


def _distinct(directories: Sequence[Folder]) -> list[tuple[Folder, str]]:
    names = [f.name for f in directories]
    return [(f, f.name if names.count(f.name) == 1 else f.origin) for f in directories]


def snapshots_in(folder: Folder) -> list[Gathered]:
    """Return the snapshots of one process in a folder: its directories, or itself."""
    below = [one for child in folder.children for one in together(_in_natural_order(child.parts), child.origin)]
    mine = list(_in_natural_order(folder.parts))
    if below and any("goroutines" in snapshot.slots for snapshot in below):
        logged = [one for one in mine if one.in_a_log or one.ended]  # after which of the snapshots nobody says
        for one in logged:
            if one.slot:
                one.reject("log-beside-moments")
        mine = [one for one in mine if one not in logged]
    here = together(mine, folder.origin)
    if below and len(here) == 1 and not here[0].slots & {"goroutines", "heap", "leaked"} and not here[0].ranged:
        for one in here[0].parts:
            one.reject("which-moment")
        here = []
    return below + here

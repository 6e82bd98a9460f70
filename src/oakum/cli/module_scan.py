"""Trees, programs, listings of modules and captures -> the known bugs of the versions that they name.

A go.mod is read with what lies beside it: vendor/modules.txt knows packages, go.sum the modules that a go.mod before
Go 1.17 leaves out. What of a tree is built is asked of Go, where it is here; what a program is linked from, of the
program itself.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice, takewhile
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from oakum.collect.build_files import build_files
from oakum.collect.code.go_places import vendor_of
from oakum.collect.files import gather
from oakum.experiment.go_packages import built_packages
from oakum.knowledge.carried import Linked, carried
from oakum.knowledge.leaks import leaks
from oakum.knowledge.paths import linked_modules
from oakum.model import Build, Capture, Carried, OakumError, Problem, Reading, Scan, Text, Unread, problem_of
from oakum.parse import go_binary, parse

# //oakum:ignore kubernetes-98653 every watch of ours is drained
_IGNORE = re.compile(r"//[ \t]*oakum:ignore(?![\w-])[ \t]*(\S*)[ \t]*(.*?)\s*$")
_COMPLETE = (1, 17)  # since then a go.mod names indirect modules too
_READS = "scan reads directories, .go files, go.mod, Go programs, `go version -m` output and captures with versions"
_PROGRAMS = ("go-binary", "go-version-m")
_MOST_FILES = 5000  # of a directory of captures
_MOST_BESIDE = 16 << 20


class Found(Struct, dict=True):
    builds: int = 0
    rows: list[Carried] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    go_only: list[tuple[Build, str, str]] = field(default_factory=list)  # with origin and program; metrics tell no more

    def take(
        self, build: Build, origin: str, linked: Linked | None = None, program: str = "", *, counts: bool = True
    ) -> None:
        """Look up what one build carries."""
        self.builds += counts
        rows = carried(build, origin, linked)
        self.rows += [replace(row, program=row.program or program) for row in rows]

    def add_unread(self, error: OakumError) -> None:
        """Keep that something could not be opened."""
        self.problems.append(replace(problem_of(error), where=getattr(error, "origin", "")))


def scan_modules(roots: Sequence[str], *, progress: Callable[[Text | str], None]) -> Scan:
    """Return the known bugs of the versions that the roots name; files of source name none."""
    found = Found()
    for root in dict.fromkeys(roots):
        progress(Text("progress.looking-into", {"place": str(root)}))
        if root != "-" and Path(root).is_dir():
            _tree(Path(root), found, progress)
        elif not root.endswith(".go"):
            _captures(root, found, progress)
    rows = _once(found.rows)
    inside = [row for row in rows if row.linked is not False]
    return Scan(
        tuple(roots),
        0,
        0,
        problems=tuple(sorted(found.problems, key=lambda one: (one.where, one.key))),
        builds=found.builds,
        carried=tuple(row for row in inside if not row.ignored),
        passed_over=tuple(row for row in inside if row.ignored),
        unlinked=tuple(row for row in rows if row.linked is False),
    )


def _once(rows: Iterable[Carried]) -> list[Carried]:
    """Return the rows, one for each leak of a module in a file, in the order of the files."""
    seen = {(row.origin, row.program, row.id, row.module): row for row in reversed(list(rows))}
    return sorted(seen.values(), key=lambda row: (row.origin, row.program, row.affects != "yes", row.module, row.id))


def _tree(root: Path, found: Found, progress: Callable[[Text | str], None]) -> None:
    files = build_files(root)
    found.problems += files.problems
    if not files.source:
        _captures(str(root), found, progress)  # no code of anybody's: all that is in it may tell
        return
    for path in (*files.modules, *files.programs):
        progress(str(path))
        for capture in gather((str(path),), found.add_unread):
            for reading in parse(capture):
                if reading.format == "go.mod" and reading.build is not None:
                    found.problems += _problems(capture, reading)
                    _module(capture, reading.build, found, tree=root)
                elif reading.format == "go-binary":
                    _add_versions(capture, reading, found)


def _module(capture: Capture, build: Build, found: Found, *, tree: Path | None = None) -> None:
    """Look up what one go.mod asks for, with what lies beside it; of a tree: as far as it is built into something."""
    path, begin = Path(capture.origin), len(found.rows)
    vendor = vendor_of(path.parent) if capture.origin != "-" else None
    exact = vendored = _build_beside(vendor / "modules.txt", "modules.txt") if vendor else None
    if tree is not None and vendored is None and build.modules:
        exact, warnings = built_packages(path.parent, (tree,))
        found.problems += warnings
    lines = bytes(capture.data).decode("utf-8", "replace").splitlines()
    if exact is not None:
        found.take(replace(exact, main=build.main, lines=build.lines, settings=build.settings), capture.origin)
        if vendored is None and (rest := _unbuilt(build, exact, lines)):
            found.take(replace(build, modules=rest), capture.origin, counts=False)
    else:
        found.take(build, capture.origin)
        if not _names_all(build):
            _direct_only(path, build, found)
    inside = [row for row in found.rows[begin:] if row.mendable and row.linked is not False]
    if held := sorted({row.module for row in inside if _is_held(build, row.module)}):
        found.problems.append(Problem.of("replaced", capture.origin, modules=", ".join(held)))
    problems: dict[str, Problem] = {}
    found.rows[begin:] = [_ignored(row, lines, problems) for row in found.rows[begin:]]
    found.problems += problems.values()


def _is_held(build: Build, module: str) -> bool:
    """Tell whether a go.mod replaces a module by another version of itself."""
    return (build.replaced or {}).get(module) == module


def _unbuilt(build: Build, exact: Build, lines: Sequence[str]) -> dict[str, str]:
    """Return the modules that people ask for themselves and nothing here is built from: other systems, tests."""
    asked = {name: at for name, at in (build.lines or {}).items() if name not in (exact.modules or {})}
    direct = {name for name, at in asked.items() if 0 < at <= len(lines) and "// indirect" not in lines[at - 1]}
    return {name: version for name, version in (build.modules or {}).items() if name in direct}


def _build_beside(path: Path, form: str) -> Build | None:
    """Return the build that a file tells, when it is there and of that form."""
    try:
        data = path.read_bytes() if path.is_file() and path.stat().st_size <= _MOST_BESIDE else b""
    except OSError:
        return None
    return next((one.build for one in parse(Capture(str(path), data)) if one.format == form), None)


def _names_all(build: Build) -> bool:
    asked = re.match(r"(\d{1,6})\.(\d{1,6})", (build.settings or {}).get("go.mod", ""))
    return asked is not None and (int(asked[1]), int(asked[2])) >= _COMPLETE


def _direct_only(path: Path, build: Build, found: Found) -> None:
    """Look up in go.sum what a go.mod before Go 1.17 leaves out."""
    sums = _build_beside(path.with_name("go.sum"), "go.sum") if str(path) != "-" else None
    downloaded = (sums.modules if sums else None) or {}
    rest = {name: version for name, version in downloaded.items() if name not in (build.modules or {})}
    if not build.modules and not rest:
        return
    found.problems.append(Problem.of("direct-only.sums" if rest else "direct-only", str(path)))
    if rest:
        rows = carried(Build(modules=rest, linked=False), str(path.with_name("go.sum")))
        found.rows += [_downloaded(row) for row in rows]


def _downloaded(row: Carried) -> Carried:
    """Return what a go.sum tells: that a module was downloaded, not that it is built."""
    return replace(row, affects="unknown", doubt=row.doubt or "go.sum")


def _ignored(row: Carried, lines: Sequence[str], problems: dict[str, Problem]) -> Carried:
    """Return the row with the reason why it is to be ignored, as a comment beside its line gives it."""
    if not 0 < row.line <= len(lines):
        return row
    above = takewhile(lambda at: lines[at - 1].strip().startswith("//"), range(row.line - 1, 0, -1))
    for at in (row.line, *above):
        said = _IGNORE.search(lines[at - 1])
        where = f"{row.origin}:{at}"
        named = said[1].lower().rstrip(":,") if said else ""
        if said and named not in leaks().ids:
            other = Problem.of("bare-ignore.no-bug", where, id=said[1])
            problems[where] = other if said[1] else Problem.of("bare-ignore.no-id", where)
        elif said and named == row.id and not said[2]:
            problems[where] = Problem.of("bare-ignore.known", where, id=row.id)
        elif said and named == row.id:
            return replace(row, ignored=said[2])
    return row


def _captures(argument: str, found: Found, progress: Callable[[Text | str], None]) -> None:
    """Look up what programs, listings and profiles tell; a directory is what was captured of one program."""
    unread: list[OakumError] = []
    told: list[Build] = []
    places: set[tuple[str, str]] = set()
    go: str | None = None
    begin = found.builds
    captures = gather((argument,), unread.append)
    for capture in islice(captures, _MOST_FILES):
        progress(capture.origin)
        readings = parse(capture)
        for reading in readings:
            build = reading.build
            if build is not None and build not in told and not _of_a_module(capture.origin, reading, argument):
                told.append(build)
                _add_versions(capture, reading, found)
            places |= set(_places(reading))
            go = go or (reading.go_version if reading.go_version and not reading.go_version.endswith("+") else None)
        if capture.origin == argument and not any(_tells(reading) for reading in readings):
            found.problems += [replace(one, where=argument) for reading in readings for one in reading.problems]
            found.problems.append(Problem.of("unread.no-build", argument))
    if next(captures, None) is not None:
        found.problems.append(Problem.of("too-many.files", argument, most=_MOST_FILES))
    for error in unread:
        if isinstance(error, Unread) and error.text.key == "problem.unread.empty":
            continue  # an empty directory has no versions: which to name instead the command says
        if getattr(error, "origin", "") in ("", argument):
            raise error
        found.add_unread(error)
    if linked := linked_modules(sorted(places), go):
        rows, found.rows = found.rows, []
        found.take(linked, argument)
        said = {(row.id, row.module, row.found) for row in rows}  # by a build that lies beside the profiles
        found.rows = rows + [row for row in found.rows if (row.id, row.module, row.found) not in said]
    elif places and found.builds == begin:
        found.problems.append(Problem.of("no-versions", argument))
    _go_only(found, {build.go for build in (*told, linked) if build and (build.modules or build.main)}, begin)


def _go_only(found: Found, told: set[str | None], begin: int) -> None:
    """Look up what tells Go's version alone, where nothing better tells the same."""
    rest, found.go_only = found.go_only, []
    for build, origin, program in rest:
        if build.go not in told:
            found.take(build, origin, program=program, counts=found.builds == begin)
            told.add(build.go)


def _of_a_module(origin: str, reading: Reading, argument: str) -> bool:
    """Tell whether this is read with the go.mod that it lies beside."""
    if origin == argument or reading.format not in ("go.sum", "modules.txt"):
        return False
    folder = Path(origin).parent if reading.format == "go.sum" else Path(origin).parent.parent
    return (folder / "go.mod").is_file()


def _tells(reading: Reading) -> bool:
    return reading.usable or reading.build is not None or reading.metrics is not None


def _add_versions(capture: Capture, reading: Reading, found: Found) -> None:
    build = reading.build
    if build is None or (build.modules is None and build.main is None and build.go is None):
        return
    program = reading.notes.get("program", "").replace("\\", "/").rpartition("/")[2]
    found.problems += _problems(capture, reading)
    if reading.format == "go.sum":
        found.builds += 1
        found.rows += [_downloaded(row) for row in carried(build, capture.origin)]
    elif reading.format == "go.mod":
        _module(capture, build, found)
    else:
        whole = reading.format == "go-binary" and not reading.wrapping
        asks = partial(go_binary.names, capture.data) if whole else None
        if not (build.modules or build.main or reading.format in _PROGRAMS):
            found.go_only.append((build, capture.origin, program))
            return
        found.take(build, capture.origin, asks, program)
        told = build.main or build.modules or reading.problems or (build.path or "").startswith("cmd/")
        if reading.format in _PROGRAMS and not told:
            found.problems.append(Problem.of("no-modules", capture.origin, program=program or capture.origin))


def _problems(capture: Capture, reading: Reading) -> Iterator[Problem]:
    """Yield what of a build could not be read: line 6 of a go.mod is go.mod:6."""
    for one in reading.problems:
        line = one.where.removeprefix("line ")
        yield replace(one, where=f"{capture.origin}:{line}" if line.isdigit() else capture.origin)


def _places(reading: Reading) -> Iterator[tuple[str, str]]:
    """Yield (function, file) of all stacks of a reading."""
    if reading.goroutines is not None:
        for group in reading.goroutines.groups:
            made = (group.created_by,) if group.created_by is not None else ()
            yield from ((frame.function, frame.file) for frame in (*group.stack.frames, *made))
    elif (profile := reading.profile) is not None:
        table, strings = profile.functions, profile.strings
        yield from ((strings[int(n)], strings[int(f)]) for n, f in zip(table.name, table.file, strict=True))

"""A tree -> the files in it that tell which versions are built: go.mod of each module, and programs.

Comes in: a directory. Goes out: paths in the order of their names. Looks where the go command would, opens nothing but
the first bytes of files that may be run, and follows no links to directories.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from oakum.model import Problem

_NEVER = frozenset({"testdata", "node_modules", "vendor"})
# ELF, Mach-O in both orders and widths, universal Mach-O, PE
_MAGIC = (
    b"\x7fELF", b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe", b"MZ",
)  # fmt: skip
_LEAST = 64 << 10  # bytes; the smallest program of Go has a million
_LARGEST = 2 << 30
_MOST_PROGRAMS = 100


class BuildFiles(NamedTuple):
    modules: tuple[Path, ...]  # go.mod
    programs: tuple[Path, ...]
    source: bool  # there is Go source in it
    problems: tuple[Problem, ...] = ()


def build_files(root: Path) -> BuildFiles:
    modules: list[Path] = []
    programs: list[Path] = []
    problems: list[Problem] = []
    source = False

    def shut(error: OSError) -> None:
        problems.append(Problem.of("unread.os", str(error.filename), error=error.strerror or str(error)))

    for place, inner, files in os.walk(root, onerror=shut):
        inner[:] = sorted(name for name in inner if name not in _NEVER and not name.startswith((".", "_")))
        source = source or any(name.endswith(".go") for name in files)
        if "go.mod" in files and (Path(place) / "go.mod").is_file():  # no pipe, which nobody may write to
            modules.append(Path(place) / "go.mod")
        programs += _programs(Path(place), files)
    if (more := len(programs) - _MOST_PROGRAMS) > 0:
        problems.append(Problem.of("too-many.programs", str(programs[_MOST_PROGRAMS].parent), more=more))
    return BuildFiles(tuple(modules), tuple(programs[:_MOST_PROGRAMS]), source, tuple(problems))


def _programs(place: Path, files: list[str]) -> Iterator[Path]:
    for name in sorted(files):
        path = place / name
        try:
            facts = path.lstat()
            may_run = stat.S_ISREG(facts.st_mode) and facts.st_mode & 0o111
            if may_run and _LEAST <= facts.st_size <= _LARGEST:
                with path.open("rb") as file:
                    if file.read(4).startswith(_MAGIC):
                        yield path
        except OSError:
            continue  # what cannot be opened is nothing that was asked for

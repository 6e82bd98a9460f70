"""Is a --source directory the program's? Its modules and packages, held against what the program was built of.

Goes out: a sentence that says what the directory contains and what was looked for; None where nothing shows it.
"""

import os
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path

from oakum.collect.code.go_places import modules_at
from oakum.model import Build, Text

_DEEPEST = 3  # folders below --source in which a go.mod is looked for: a monorepo keeps its services there
_FOLDERS_MOST = 2000
_FILES_MOST = 2000
_BYTES_MOST = 1 << 20  # of a file
_NAMED_MOST = 3  # modules and packages in the sentence


def foreign_source(
    source: str, builds: Sequence[Build], packages: Collection[str], functions: Collection[str] = ()
) -> Text | None:
    """Return that a directory is not the program's source; None when it is, or nothing shows it.

    `packages` are import paths of the program's own frames, `functions` the names of those in package main: of a
    program that has no other package they are all that is known.
    """
    main = list(dict.fromkeys(build.main for build in builds if build.main))
    linked = {name for build in builds for name in (*(build.modules or ()), *(build.replaced or ()))}
    own = sorted({*packages, *(build.path for build in builds if build.path)} - {"main"})
    root = Path(source).absolute()
    if not main and not own:
        return _without(source, root, sorted(functions))
    there = list(dict.fromkeys(_modules(root)))
    if {*main, *linked} & set(there) or any(_lies_in(one, module) for one in own for module in there):
        return None
    if any(_has_folder(root, package) for package in own):
        return None
    return _foreign(source, there, ", ".join(filter(None, (_named(main), _named(own)))))


def _foreign(source: str, there: Sequence[str], wanted: str) -> Text:
    if not there:
        return Text("source.foreign-bare", {"source": source, "wanted": wanted})
    return Text("source.foreign", {"source": source, "there": _named(there), "wanted": wanted})


def _without(source: str, root: Path, functions: Sequence[str]) -> Text | None:
    """Return that a directory declares none of some functions of package main; None where it does, or is too large."""
    files = list(islice(_files(root), _FILES_MOST))
    if not functions or not files or len(files) == _FILES_MOST:
        return None
    declared = re.compile(rb"^func\s+(?:\([^)\n]{0,200}\)\s*)?(%s)\s*[(\[]" % b"|".join(map(_escaped, functions)), re.M)
    if any(declared.search(file.read_bytes()[:_BYTES_MOST]) for file in files):
        return None
    return _foreign(source, list(dict.fromkeys(_modules(root))), _named([f"main.{name}" for name in functions]))


def _escaped(name: str) -> bytes:
    return re.escape(name).encode()


def _files(root: Path) -> Iterator[Path]:
    for folder in islice(_folders(root), _FOLDERS_MOST):
        yield from sorted(path for path in folder.glob("*.go") if path.is_file() and not path.is_symlink())


def _modules(root: Path) -> Iterator[str]:
    """Yield the paths of the modules that a directory lies in or holds."""
    yield from (module.path for module in modules_at(root))
    for folder in islice(_folders(root), _FOLDERS_MOST):
        if (folder / "go.mod").is_file():
            yield from (module.path for module in modules_at(folder))


def _folders(root: Path) -> Iterator[Path]:
    for place, inner, _ in os.walk(root):
        deep = len(Path(place).relative_to(root).parts)
        inner[:] = sorted(name for name in inner if not name.startswith((".", "_"))) if deep < _DEEPEST else []
        yield Path(place)


def _lies_in(package: str, module: str) -> bool:
    return package == module or package.startswith(f"{module}/")


def _has_folder(root: Path, package: str) -> bool:
    """Tell whether a package's directory is there, as below a GOPATH or in a tree without go.mod."""
    parts = tuple(package.split("/"))
    below = any(root.joinpath(*parts[at:]).is_dir() for at in range(len(parts) - 1))
    # The directory may be the package itself, or one of those that it lies in: /go/src/example.com/shop
    around = any(root.parts[-at:] == parts[:at] for at in range(2, len(parts) + 1))
    return below or around


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED_MOST]) + (" ..." if len(names) > _NAMED_MOST else "")

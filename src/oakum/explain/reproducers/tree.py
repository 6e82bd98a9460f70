"""The program's own packages as one tree: which of them a frame stands in, and which type of which a name means.

Comes in: a `Program`. Import paths are matched to folders by their last names: nothing else says which module a folder
belongs to. What is ambiguous is not found.
"""

from functools import cached_property
from typing import NamedTuple

from oakum.explain.code import kinds
from oakum.explain.code.nouns import Func
from oakum.explain.code.package import Package
from oakum.explain.code.program import Program
from oakum.model import Frame, SourceNotFound
from oakum.model.frame import split_function


class Named(NamedTuple):
    """A type that a package of the tree declares."""

    package: Package
    name: str


class Tree:
    """The packages of the program that tests may be written into."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.packages = program.own()

    @cached_property
    def _files(self) -> dict[str, Package]:
        return {file.source.path: package for package in self.packages for file in package.files}

    def func(self, frame: Frame) -> Func | None:
        """Return the declared function that a frame stands in, or in a literal of which; None of others' code."""
        try:
            package = self._files.get(self.program.sources.file(frame).path)
        except SourceNotFound:
            return None
        if package is None:
            return None
        _, receiver, name = split_function(frame.function)
        return package.funcs.get((receiver.lstrip("*").partition("[")[0], name.partition(".")[0]))

    def named(self, package: Package, written: str) -> Named | None:
        """Return the type that a package means by what it writes: `*desk.Desk`, `Books`."""
        alias, dot, name = kinds.base(written).rpartition(".")
        home = self.imported(package, alias) if dot else package
        return Named(home, name) if home is not None and name in home.types else None

    def imported(self, package: Package, alias: str) -> Package | None:
        """Return the package of the tree that another one calls by this name."""
        path = imports(package).get(alias, "")
        found = [one for one in self.packages if path and one is not package and path.endswith(f"/{_folder(one)}")]
        return found[0] if len(found) == 1 else None

    def alias(self, package: Package, other: Package) -> str | None:
        """Return how a package calls another one of the tree, "" when they are the same; None when it does not."""
        if package is other:
            return ""
        return next((name for name in imports(package) if self.imported(package, name) is other), None)


def imports(package: Package) -> dict[str, str]:
    """Return what the files of a package import: name -> path."""
    return {name: path for file in package.files for name, path in file.imports.items() if name not in ("_", ".")}


def _folder(package: Package) -> str:
    return package.files[0].source.path.replace("\\", "/").rpartition("/")[0].rpartition("/")[2]

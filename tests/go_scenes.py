"""Small Go programs with marks in their comments -> scenes that explain can look at.

// WAIT    the goroutine stands on this line        // UP 1, UP 2  further frames of its stack, from there up
// GO      it was started on this line              //! role       this line is a site of the cause, in that role
"""

import re
import textwrap
from collections.abc import Iterable
from typing import Any

from oakum.explain.code.flows import Flows
from oakum.explain.code.package import Package
from oakum.explain.code.program import Program
from oakum.explain.reason import Reason, StackInSource
from oakum.model import Evidence, Frame, Growth, Site, SourceNotFound, SourceText, Suspect, Text, Trace
from oakum.report.words import LANGUAGES, say


class Texts:
    """Sources that were written down in a test: import path -> the text of its one file."""

    def __init__(self, packages: dict[str, str]) -> None:
        self.texts = {
            path: SourceText(f"/srv/{path}/code.go", f"/srv/{path}/code.go", text.encode())
            for path, text in packages.items()
        }

    def file(self, frame: Frame) -> SourceText:
        if frame.package not in self.texts:
            raise SourceNotFound(Text("source.unnamed"))
        return self.texts[frame.package]

    def package(self, frame: Frame) -> tuple[SourceText, ...]:
        return (self.file(frame),)

    def imported(self, path: str, beside: Frame) -> tuple[SourceText, ...]:
        del beside
        return (self.texts[path],) if path in self.texts else ()

    def own(self) -> Iterable[tuple[SourceText, ...]]:
        return ((text,) for text in self.texts.values())


def scene(
    packages: str | dict[str, str],
    state: str,
    leaf: Iterable[str] = (),
    mechanisms: tuple[Any, ...] = ("unknown",),
    counts: tuple[int, ...] = (1, 3),
) -> StackInSource:
    """Return the scene that the marks describe; `leaf` are functions of the standard library below the first."""
    given = {"main": packages} if isinstance(packages, str) else packages
    sources = Texts(given)
    marked = {mark: frame for path in given for mark, frame in _marked(path, sources.texts[path])}
    frames = [Frame(name, f"/usr/local/go/src/{Frame(name).package}/std.go", 1) for name in leaf]
    frames += [marked[mark] for mark in sorted(marked, key=lambda one: (one != "WAIT", one)) if mark != "GO"]
    trace = Trace(tuple(frames), state, marked.get("GO"))
    place = marked["WAIT"]
    evidence = Evidence("reported-wait", Text("x"), "sha256:" + "1" * 64, "1", "x")
    growth = (Growth("goroutines", counts),)
    suspect = Suspect((Site("blocked", place),), mechanisms, (evidence,), growth=growth, traces=(trace,))
    return StackInSource.of(suspect, Program(sources), trace)


def _marked(path: str, source: SourceText) -> Iterable[tuple[str, Frame]]:
    package = Package(path, (source,))
    for number, line in enumerate(source.data.decode().split("\n"), 1):
        for mark in re.findall(r"// (WAIT|GO|UP \d)", line):
            yield mark, Frame(package.around(source.name, number)[0].full, source.name, number)


def expected(packages: str | dict[str, str]) -> list[tuple[str, str, int]]:
    """Return (role, package, line) of each site that is marked."""
    given = {"main": packages} if isinstance(packages, str) else packages
    return [
        (role, path, number)
        for path, text in given.items()
        for number, line in enumerate(text.split("\n"), 1)
        for roles in re.findall(r"//! ([a-z, -]+)", line)
        for role in roles.replace(",", " ").split()
    ]


def told(reason: Reason) -> list[tuple[str, str, int]]:
    """Return (role, package, line) of each site that a reason names."""
    return [(site.role, site.frame.package, site.frame.line) for site in reason.sites]


def go(body: str, *imports: str) -> str:
    """Return a file of package main."""
    named = "".join(f'\t"{path}"\n' for path in imports)
    return f"package main\n\nimport (\n{named})\n{textwrap.dedent(body)}"


def sentences(found: Reason) -> str:
    """Return what a reason says, in both languages; every place and every template has to be there."""
    assert all(site.code for site in found.sites)
    return "\n".join(say(text, language) for text in found.texts for language in LANGUAGES)


def explained(found: Reason | None, source: str | dict[str, str], mechanism: str) -> None:
    """Assert that a reason names the marked lines, one of them first; without marks, that there is none."""
    wanted = expected(source)
    if not wanted:
        assert found is None
        return
    assert found is not None
    assert found.mechanism == mechanism
    assert set(wanted) <= set(told(found)), told(found)
    assert told(found)[0] in wanted
    assert re.search(r"code\.go:\d+", sentences(found))


def read(source: str, path: str = "main") -> tuple[Package, Flows]:
    """Return a package as `scan` is given it."""
    package = Package(path, (SourceText("/srv/code.go", "/srv/code.go", source.encode()),))
    return package, Flows(package)


__all__ = ["Texts", "expected", "explained", "go", "read", "scene", "sentences", "told"]

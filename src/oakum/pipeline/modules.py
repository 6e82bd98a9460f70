"""A drafted fix -> the module that is built to try it, and the dependency that it changes, if it changes one."""

from collections.abc import Sequence
from pathlib import Path

from oakum.collect.code.go_places import directives
from oakum.collect.code.sources import LocalSources
from oakum.experiment.compile import module_around
from oakum.model import Finding, SourceNotFound


def built_in(
    diff: str, finding: Finding, sources: LocalSources, source: Sequence[str]
) -> tuple[Path, Path | None] | None:
    """Return the folders of the two modules; None when the file of the diff was not read on this machine."""
    name = diff.partition("\n")[0].removeprefix("--- a/").strip()
    for site in finding.cause.sites if finding.cause else ():
        if not site.frame.file.replace("\\", "/").endswith(name):
            continue
        try:
            home = module_around(Path(sources.file(site.frame).path).absolute())
        except SourceNotFound:
            continue
        if home is None:
            return None
        program = next((root for folder in source if (root := module_around(Path(folder).absolute() / "x.go"))), None)
        return (program, home) if program and _requires(program, home) else (home, None)
    return None


def _requires(program: Path, home: Path) -> bool:
    """Tell whether a module is a dependency of the program: in the module cache, or where its go.mod says."""
    replaced = (words[-1] for words in directives(program / "go.mod").get("replace", ()) if "=>" in words)
    return program != home and ("@" in home.name or any((program / path).resolve() == home for path in replaced))

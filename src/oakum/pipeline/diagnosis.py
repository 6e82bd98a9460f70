"""A case and where its source may be -> a diagnosis with causes read in it, drafts that compile, and leads.

The one function that every caller uses: it ties the line (diagnose.py) to collect (source), experiment (compiling) and
the history of modules. What costs much is done only when asked for: the module proxy is reached with `fetch` only.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from oakum.collect.code.sources import LocalSources
from oakum.diagnose import diagnose
from oakum.model import Case, Diagnosis, Finding, Problem, Remedy, Text

if TYPE_CHECKING:
    from oakum.collect.code.fetch import Fetch
    from oakum.experiment.compile import Tried

_GROUPS_MOST = 2000  # of goroutines: more name no other packages of the program
_SECONDS = 60.0  # for one go command while a fix is compiled


class Diagnosed(Struct, frozen=True):
    """A diagnosis, the source it was read from, and what whoever asked should know of how it was made."""

    diagnosis: Diagnosis
    sources: LocalSources
    warnings: tuple[Text, ...] = ()


class Options(Struct, frozen=True):
    """Where source may be, and what may be done with it."""

    source: tuple[str, ...] = ()  # checkouts
    fetch: bool = False  # ask the module proxy
    read_source: bool = True
    compile_drafts: bool = True
    prove: bool = False  # run tests of drafted fixes: the user's code
    here: str = "."  # where source is looked for when no checkout is given


_DEFAULT = Options()


def _silent(step: Text) -> None:
    """Say nothing of the step."""


def diagnose_case(case: Case, how: Options = _DEFAULT, progress: Callable[[Text], None] = _silent) -> Diagnosed:
    fetcher = _fetcher() if how.fetch else None
    sources = LocalSources(
        how.source, [process.build for process in case.processes if process.build], fetcher, here=how.here
    )
    diagnosis = diagnose(case, progress, sources if how.read_source else None)
    findings = diagnosis.findings
    warnings = _foreign(case, how.source)
    if fetcher is not None:
        from oakum.pipeline.leads import with_leads  # compares source of releases: reads Go

        findings, told = with_leads(findings, sources, fetcher, progress)
        warnings += told
    found = _unfollowed(how.source) if how.read_source and how.source else []
    if how.compile_drafts:
        findings = tuple(_tried(finding, sources, how.source, progress, found) for finding in findings)
    warnings += tuple(_worded(one) for at, one in enumerate(found) if one not in found[:at])
    diagnosis = replace(diagnosis, findings=findings)
    if how.prove:
        from oakum.pipeline.proofs import prove_fixes

        diagnosis, told = prove_fixes(diagnosis, sources, how.source, progress)
        warnings += told
    return Diagnosed(diagnosis, sources, warnings)


# Fetching, compiling and looking at a checkout are loaded when they are asked for: most diagnoses do without.


def _fetcher() -> "Fetch":
    from oakum.collect.code.fetch import Fetch
    from oakum.experiment.call_go import call_go

    return Fetch(call_go)


def _unfollowed(source: Sequence[str]) -> list[Problem]:
    from oakum.experiment.checkout import inspect_checkout

    return [one for folder in source for one in inspect_checkout(Path(folder)).warnings]


def _foreign(case: Case, source: Sequence[str]) -> tuple[Text, ...]:
    """Return which of the directories are not the program's source, and what was looked for."""
    if not source:
        return ()
    from oakum.collect.code.whose_source import foreign_source

    builds = [process.build for process in case.processes if process.build]
    dumps = [process.snapshots[-1].goroutines for process in case.processes]
    groups = [group for dump in dumps if dump for group in dump.groups[:_GROUPS_MOST]]
    frames = [frame for group in groups for frame in group.stack.frames if frame.owner == "own"]
    own = {frame.package for frame in frames}
    # serve of main.(*api).serve.func1
    main = {frame.name.partition(".")[0] for frame in frames if frame.package == "main"} - {"", "main", "init"}
    found = (foreign_source(folder, builds, own, main) for folder in source)
    return tuple(told for told in found if told)


def _worded(warning: Problem) -> Text:
    return Text("pipeline.at", {"where": warning.where, "text": warning.text}) if warning.where else warning.text


def _tried(
    finding: Finding,
    sources: LocalSources,
    source: Sequence[str],
    progress: Callable[[Text], None],
    warnings: list[Problem],
) -> Finding:
    """Return a finding whose drafted fixes compile, as far as Go is at hand to try them; one that fails is not told."""
    if not any(remedy.diff for remedy in finding.remedies):
        return finding
    from oakum.experiment.call_go import find_go

    if find_go() is None:
        return finding
    progress(Text("progress.compiling"))
    kept: list[Remedy] = []
    for remedy in finding.remedies:
        if remedy.diff is None:
            kept.append(remedy)
            continue
        tried = _compiled(remedy.diff, finding, sources, source)
        warnings += tried.warnings
        if tried.outcome != "failed":
            kept.append(replace(remedy, compiled=True if tried.outcome == "ok" else None))
    return replace(finding, suspect=replace(finding.suspect, remedies=tuple(kept)))


def _compiled(diff: str, finding: Finding, sources: LocalSources, source: Sequence[str]) -> "Tried":
    from oakum.experiment.compile import Go, Tried, compiles
    from oakum.pipeline.modules import built_in

    modules = built_in(diff, finding, sources, source)
    if modules is None:
        return Tried("not tried")
    return compiles(diff, *modules, Go(seconds=_SECONDS), [Path(folder) for folder in source])

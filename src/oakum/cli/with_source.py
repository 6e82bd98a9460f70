"""A case and where its source may be -> a diagnosis with causes read in it, fixes that compile, and leads.

Used by every command that diagnoses: it ties the line (diagnose.py) to collect (source), experiment (compiling) and the
history of modules. What costs much is done only when asked for: the proxy is reached with --fetch-source only.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import which

from oakum.cli.leads import with_leads
from oakum.collect.code.fetch import Fetch
from oakum.collect.code.sources import LocalSources
from oakum.diagnose import diagnose
from oakum.experiment.compile import Go, compiles, module_around
from oakum.model import Case, Diagnosis, Finding, Remedy, SourceNotFound

_SECONDS = 60.0  # for one go command while a fix is compiled


@dataclass(frozen=True, slots=True)
class Read:
    """A diagnosis, the source it was read from, and what is to be said on the side."""

    diagnosis: Diagnosis
    sources: LocalSources
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """Where source may be, and what may be done with it."""

    source: tuple[str, ...] = ()  # checkouts
    fetch: bool = False  # ask the module proxy
    reads: bool = True
    compiles: bool = True


def read(given: Case, how: Reading, progress: Callable[[str], None]) -> Read:
    """Return the diagnosis of a case with its causes."""
    fetcher = Fetch() if how.fetch else None
    sources = LocalSources(how.source, [process.build for process in given.processes if process.build], fetcher)
    diagnosis = diagnose(given, progress, sources if how.reads else None)
    findings = diagnosis.findings
    remarks: tuple[str, ...] = ()
    if fetcher is not None:
        findings, remarks = with_leads(findings, sources, fetcher, progress)
    if how.compiles:
        findings = tuple(_tried(finding, sources, how.source, progress) for finding in findings)
    return Read(replace(diagnosis, findings=findings), sources, remarks)


def _tried(finding: Finding, sources: LocalSources, source: Sequence[str], progress: Callable[[str], None]) -> Finding:
    """Return a finding whose drafted fixes compile, as far as Go is at hand to try them; one that fails is not told."""
    if not any(remedy.diff for remedy in finding.remedies) or which("go") is None:
        return finding
    progress("compiling the drafted fix")
    kept: list[Remedy] = []
    for remedy in finding.remedies:
        if remedy.diff is None:
            kept.append(remedy)
            continue
        outcome = _outcome(remedy.diff, finding, sources, source)
        if outcome != "failed":
            kept.append(replace(remedy, compiled=True if outcome == "ok" else None))
    return replace(finding, remedies=tuple(kept))


def _outcome(diff: str, finding: Finding, sources: LocalSources, source: Sequence[str]) -> str:
    name = diff.partition("\n")[0].removeprefix("--- a/").strip()
    for site in finding.cause.sites if finding.cause else ():
        if not site.frame.file.replace("\\", "/").endswith(name):
            continue
        try:
            home = module_around(Path(sources.file(site.frame).path).absolute())
        except SourceNotFound:
            continue
        if home is None:
            return "not tried"
        program = next((root for folder in source if (root := module_around(Path(folder).absolute() / "x.go"))), None)
        root, dependency = (program, home) if program and "@" in home.name and program != home else (home, None)
        return compiles(diff, root, dependency, Go(seconds=_SECONDS, online=False)).outcome
    return "not tried"


__all__ = ["Read", "Reading", "read"]

"""oakum list --finding: the source of one finding, its marks beside it. From evidence, or from a saved diagnosis."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from oakum.cli.options import spare_inputs, write
from oakum.cli.outputs import language, page_look
from oakum.cli.screen import Progress, remark
from oakum.model.errors import OakumError, SourceNotFound, Unreadable, UsageError
from oakum.model.text import Text
from oakum.pipeline.saved import looks_saved

if TYPE_CHECKING:
    from oakum.model import Finding, Sources

_NAMED_MOST = 8  # findings named in an error


class Asked(Struct, frozen=True):
    """Which finding of which evidence, and how it is shown."""

    which: str  # its rank or its id
    evidence: Sequence[str]
    baseline: Sequence[str] = ()
    binary: Sequence[str] = ()
    source: Sequence[str] = ()
    fetch: bool = False
    context: int | None = None
    diff: bool = False
    json: bool = False
    output: str | None = None
    lang: str | None = None


def show(asked: Asked) -> None:
    """Print the source of a finding with its marks, or only the diff that was drafted for it."""
    from oakum.report.listing import document, lines, listing
    from oakum.report.terminal import BlockPen
    from oakum.report.words import say

    spoken = asked.lang or language()
    spare_inputs((asked.output,), (*asked.evidence, *asked.baseline, *asked.binary))
    for folder in asked.source:
        if not Path(folder).is_dir():
            raise UsageError(f"--source {folder}: no such directory; name the checkout of the running version")
    findings, sources = _findings(asked)
    finding = _chosen(asked.which, findings)
    if asked.diff:
        write([_diff(finding).removesuffix("\n")], asked.output)
        return
    files, missing = listing(finding, sources.file, asked.context)
    if not files:
        raise OakumError(_nowhere(finding, missing, spoken))
    for error in missing:
        remark(say(Text("input.no-source", {"said": error.text}), spoken))
    if asked.json:
        write([json.dumps(document(finding, files), indent=2, ensure_ascii=False)], asked.output)
        return
    pen = BlockPen(page_look(spoken, asked.output), margin=2, whole=True)
    write(lines(pen, finding, files), asked.output)


def _findings(asked: Asked) -> "tuple[tuple[Finding, ...], Sources]":
    """Return the findings of a saved diagnosis, or of a diagnosis made now, and where their source is."""
    from oakum.cli.case import case, warn
    from oakum.collect.code.fetch import Fetch
    from oakum.collect.code.sources import LocalSources
    from oakum.experiment.call_go import call_go
    from oakum.pipeline.diagnosis import Options, diagnose_case
    from oakum.report.json import diagnosis

    fetch = Fetch(call_go) if asked.fetch else None
    saved = [found.document for name in asked.evidence if (found := looks_saved(name))]
    if saved:
        if len(asked.evidence) > 1 or asked.baseline or asked.binary:
            raise UsageError("a saved diagnosis has its evidence already: give it without other EVIDENCE")
        try:
            stored = diagnosis(saved[0])
            builds = tuple(row.build for row in stored.processes if row.build)
            return stored.findings, LocalSources(asked.source, builds, fetch)
        except Unreadable as error:
            raise Unreadable(f"{asked.evidence[0]}: {error}; write it again: oakum diagnose -o NAME.json") from error
    spoken = asked.lang or language()
    given = case(asked.evidence, asked.baseline, asked.binary, lang=spoken)
    progress = Progress("diagnosing", spoken)
    try:
        done = diagnose_case(given, Options(tuple(asked.source), asked.fetch), progress.at)
    finally:
        progress.done()
    warn(done.warnings, spoken)
    return done.diagnosis.findings, done.sources


def _chosen(which: str, findings: "Sequence[Finding]") -> "Finding":
    for finding in findings:
        if which in (str(finding.rank), finding.id):
            return finding
    if not findings:
        raise UsageError(f"--finding {which}: this evidence has no findings; see oakum diagnose")
    named = [f"{one.rank} ({one.mechanism}, {one.id})" for one in findings[:_NAMED_MOST]]
    more = f" and {len(findings) - len(named)} more" if len(findings) > len(named) else ""
    raise UsageError(f"--finding {which}: no such finding; available: {', '.join(named)}{more}")


def _diff(finding: "Finding") -> str:
    drafted = [one.diff for one in finding.remedies if one.diff]
    if not drafted:
        why = "no fix was drafted for it" if finding.cause else "its source was not read, so no fix was drafted"
        raise UsageError(f"--diff: finding {finding.rank}: {why}; without --diff its locations are shown")
    return drafted[0]


def _nowhere(finding: "Finding", missing: Sequence[SourceNotFound], lang: str) -> str:
    from oakum.report.words import word
    from oakum.report.words.lines import error_line

    if not missing:
        return word("source.no-lines", lang, rank=finding.rank)
    return "\n".join((word("source.nowhere", lang, rank=finding.rank), error_line(missing[0], lang)))


def paths(given: str | None) -> list[str]:
    """Return the directories of pprof's -source_path."""
    return [one for one in (given or "").split(os.pathsep) if one]

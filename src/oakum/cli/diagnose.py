"""oakum diagnose: the root cause of a leak. Exit 0 healthy, 1 leaking, 3 undecided."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from oakum.cli.access_options import (
    DURATION,
    STORE,
    LiveCommand,
    access_options,
    guard_options,
    live_option,
    snapshots_option,
)
from oakum.cli.outputs import Manner, incident_option, lang_option, language, output_option, produce, wanted
from oakum.cli.screen import Progress, remark
from oakum.model import UsageError

if TYPE_CHECKING:
    from oakum.model import Case, Diagnosis
    from oakum.report.html.drawing import Drawing

_EXIT = {"healthy": 0, "leaking": 1, "undecided": 3}


@click.command(
    epilog="""Examples:

\b
  # a single goroutine dump
  oakum diagnose goroutine.txt
  # three snapshots of one process, oldest first
  oakum diagnose before/ after/ after2/
  # compared with a healthy replica
  oakum diagnose --baseline healthy/ sick/
  # with source: root cause by line, and a drafted fix
  oakum diagnose --source ~/src/orders captures/
  # and a test that fails without the fix and passes with it
  oakum diagnose --source ~/src/orders --prove captures/
  # a running service: two snapshots are captured, 10 s apart
  oakum diagnose http://10.0.0.7:6060
  # also kube://pod/NAMESPACE/NAME, kube://node/NAME, unix://SOCKET
  oakum diagnose pid:812 --snapshots 4 --every 1m
  # what a store kept of a service
  oakum diagnose --store oakum-store orders
  # in the browser
  oakum diagnose --open captures/
  # an HTML report to share, and JSON for tools
  oakum diagnose -o report.html -o report.json captures/

Exit codes: 0 healthy, 1 leaking, 3 inconclusive, 2 usage error, 4 failed.

See also: oakum capture (all kinds of targets), oakum report (render a saved diagnosis), oakum list --finding 1
(annotated source), oakum doctor.
""",
    cls=LiveCommand,
)
@click.argument("evidence", nargs=-1, required=True)
@click.option(
    "--baseline", multiple=True, metavar="EVIDENCE", help="Evidence of a baseline: a healthy replica or node."
)
@click.option(
    "--binary",
    multiple=True,
    metavar="FILE",
    help="Binary of the process, or its build info: go.mod, `go version -m`, /version as JSON. Repeatable.",
)
@click.option(
    "--source",
    multiple=True,
    metavar="DIR",
    help="Checkout of the running version; the root cause is looked up there, in the module cache and in GOROOT.",
)
@click.option(
    "--fetch-source",
    is_flag=True,
    help="Download missing source, and later releases of the modules concerned, through the Go module proxy.",
)
@click.option("--no-source", is_flag=True, help="Do not read source: diagnose from the evidence alone.")
@click.option("--no-compile", is_flag=True, help="Do not compile drafted fixes; faster for large programs.")
@click.option(
    "--prove",
    is_flag=True,
    help="Draft a Go test for each drafted fix and run it without and with the fix: runs code of --source.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the diagnosis as JSON (schema oakum.diagnosis/1).")
@output_option
@incident_option
@lang_option
@click.option("--open", "open_it", is_flag=True, help="Show it in the browser, by a server that ends with Ctrl-C.")
@click.option("--dry-run", is_flag=True, help="Show what would be captured, read, run and written; do none of it.")
@click.option("--exit-zero", is_flag=True, help="Exit 0 regardless of the verdict.")
@snapshots_option("Number of snapshots.", 2)
@click.option(
    "--every", type=DURATION, default="10s", show_default=True, metavar="TIME", help="Interval between snapshots."
)
@guard_options
@access_options
@live_option(*STORE)
@click.option("--from", "from_", metavar="TIME", help="With --store: snapshots since; 2026-11-16T10:15 (UTC), 6h ago.")
@click.option("--to", metavar="TIME", help="With --store: snapshots until.")
def command(
    evidence: tuple[str, ...],
    baseline: tuple[str, ...],
    binary: tuple[str, ...],
    source: tuple[str, ...],
    fetch_source: bool,
    no_source: bool,
    no_compile: bool,
    prove: bool,
    as_json: bool,
    output: tuple[str, ...],
    incident: bool,
    lang: str | None,
    open_it: bool,
    dry_run: bool,
    exit_zero: bool,
    **live: Any,
) -> int:
    """Find the root cause of a leak: location, mechanism, confidence, and how to fix it.

    EVIDENCE is any mix of goroutine dumps, heap and goroutineleak profiles, metrics and build information, of one or
    more snapshots. A directory is one snapshot; several, or the directories in one, are snapshots of one process,
    oldest first; several directories of snapshots are processes that call each other. Running targets (`oakum capture
    --help` lists them) are captured first, and the bundle is kept.
    """
    from oakum.cli.case import case, warn
    from oakum.cli.live import bare, capture_live
    from oakum.pipeline.diagnosis import Options, diagnose_case

    outputs = wanted(output, as_json=as_json, inputs=(*evidence, *baseline, *binary))
    for folder in source:
        if not Path(folder).is_dir():
            raise UsageError(f"--source {folder}: no such directory")
    if no_source and (source or fetch_source):
        raise UsageError("--no-source excludes --source and --fetch-source")
    if prove:
        _check_prove(source, no_compile=no_compile)
    spoken = lang or language()
    if live["store"] or live["from_"] or live["to"]:
        from oakum.cli.stored import service_words

        evidence = service_words(evidence)
    asked = evidence
    if dry_run:
        from oakum.cli.dry_run import Intended, show_dry_run
        from oakum.cli.live import normalize_target

        words = (tuple(map(normalize_target, evidence)), tuple(map(normalize_target, baseline)), binary, source)
        return show_dry_run(Intended(*words, not no_source, not no_compile, fetch_source, prove, outputs, spoken), live)
    evidence, baseline = capture_live(
        evidence, live, beside=baseline, snapshots=live["snapshots"], every=live["every"], together=True, lang=spoken
    )
    given = case(evidence, baseline, binary, asked=asked if asked != evidence else (), lang=spoken)
    progress = Progress("diagnosing", spoken)
    try:
        how = Options(tuple(source), fetch_source, not no_source, not no_compile, prove)
        done = diagnose_case(given, how, progress.at)
    finally:
        progress.done()
    warn(done.warnings, spoken)
    diagnosis = done.diagnosis
    read_so = {"--fetch-source": fetch_source, "--no-source": no_source, "--no-compile": no_compile}
    called = _called(evidence, baseline, binary, source, [flag for flag, asked_for in read_so.items() if asked_for])
    diagnosis = replace(diagnosis, called=called)
    if asked != evidence and len(asked) == 1:
        diagnosis = replace(diagnosis, target=bare(asked[0]))
    figures = cache(lambda: _pictures(given, diagnosis))  # a page and --open draw the same
    produce(diagnosis, outputs, Manner(spoken, incident), figures)
    if all(one.name != "-" for one in outputs):  # whoever only writes files wants to know whether to open them
        remark(_verdict(diagnosis, spoken))
    if open_it:
        from oakum.cli.open_pages import open_diagnosis

        open_diagnosis(diagnosis, figures(), (*evidence, *baseline), spoken, live["store"])
    return 0 if exit_zero else _EXIT[diagnosis.verdict]


def _check_prove(source: Sequence[str], *, no_compile: bool) -> None:
    """Raise where the flags leave nothing to be run."""
    if not source:
        raise UsageError("--prove needs --source DIR: the checkout whose code is run in tests")
    if no_compile:
        raise UsageError("--no-compile excludes --prove")


def _verdict(diagnosis: "Diagnosis", lang: str) -> str:
    """Return the verdict in a line: with what stands first, or with what is missing."""
    from oakum.report.words import say, word

    told = next(iter([*(one.title for one in diagnosis.findings), *(gap.what for gap in diagnosis.gaps)]), None)
    if diagnosis.verdict == "healthy" or told is None:
        return say(diagnosis.summary, lang)
    return f"{word(f'badge.{diagnosis.verdict}', lang)}  {say(told, lang)}"


def _pictures(given: "Case", diagnosis: "Diagnosis") -> "Mapping[str, Drawing]":
    from oakum.pipeline.figures import figures  # draws with views/: only for a page

    return figures(given, diagnosis.findings)


def _called(
    evidence: Sequence[str], baseline: Sequence[str], binary: Sequence[str], source: Sequence[str], flags: Sequence[str]
) -> tuple[str, ...]:
    """Return the words that name the same evidence, programs and source again."""
    options = [word for one in baseline for word in ("--baseline", one)]
    options += [word for file in binary for word in ("--binary", file)]
    options += [word for folder in source for word in ("--source", folder)]
    return (*options, *flags, *evidence)

"""oakum diagnose: why a Go service leaks. Exit 0 healthy, 1 leaking, 3 undecided."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oakum.cli.access_options import DURATION, LiveCommand, access_options, guard_options
from oakum.cli.outputs import Manner, language, produce, wanted
from oakum.cli.screen import Progress, remark
from oakum.model import UsageError

if TYPE_CHECKING:
    from oakum.model import Case, Diagnosis, Gap
    from oakum.report.html.drawing import Drawing

# Gaps that another look at a running target may close, and what is to be asked for then.
_ASK_AGAIN: dict[str, tuple[str, ...]] = {"gap.second-moment": (), "gap.after-load": (), "gap.ages": ("--force",)}
_EXIT = {"healthy": 0, "leaking": 1, "undecided": 3}


@click.command(
    epilog="""Examples:

\b
  # one dump
  oakum diagnose goroutine.txt
  # three moments of one process, oldest first
  oakum diagnose before/ after/ after2/
  # against a replica that is well
  oakum diagnose --baseline healthy/ sick/
  # with the cause in its source, and a drafted fix
  oakum diagnose --source ~/src/orders captures/
  # what runs: two moments are captured, 10 s apart
  oakum diagnose http://10.0.0.7:6060
  # also kube://pod/NAMESPACE/NAME, kube://node/NAME, unix://SOCKET
  oakum diagnose pid:812 --moments 4 --every 1m
  # a page to read and pass on, and what programs read
  oakum diagnose -o report.html -o report.json captures/

Exit codes: 0 healthy, 1 leaking, 3 undecided; 2 usage, 4 could not do it.

See also: oakum capture (all kinds of targets), oakum report (what was saved, again), oakum list --finding 1 (the
source), oakum doctor.
""",
    cls=LiveCommand,
)
@click.argument("evidence", nargs=-1, required=True)
@click.option(
    "--baseline", multiple=True, metavar="EVIDENCE", help="Evidence of a healthy twin: another replica or node."
)
@click.option(
    "--binary",
    multiple=True,
    metavar="FILE",
    help="The program that runs, or what tells its build: go.mod, `go version -m`, /version as JSON. May be repeated.",
)
@click.option(
    "--source",
    multiple=True,
    metavar="DIR",
    help="Checkout of the program that runs: the cause is read there, in the module cache and in GOROOT.",
)
@click.option(
    "--fetch-source",
    is_flag=True,
    help="Ask the Go module proxy, through the go command, for source that is not here, and for what upstream changed "
    "since.",
)
@click.option("--no-source", is_flag=True, help="Read no source: judge by the evidence alone.")
@click.option("--no-compile", is_flag=True, help="Do not compile drafted fixes: quicker in a large program.")
@click.option("--json", "as_json", is_flag=True, help="Print the diagnosis as JSON (schema oakum.diagnosis/1).")
@click.option(
    "-o",
    "--output",
    multiple=True,
    metavar="FILE",
    help="Write to FILE instead of stdout, as its ending says: .html, .md, .json, .txt, .sarif, .xml (JUnit). "
    "May be repeated.",
)
@click.option("--incident", is_flag=True, help="Tell it as an incident report: what was seen, why, fix, verification.")
@click.option("--lang", type=click.Choice(("en", "zh")), help="Language of the report; by default that of the locale.")
@click.option("--exit-zero", is_flag=True, help="Exit 0 whatever the verdict, for scripts.")
@click.option(
    "--moments", type=click.IntRange(1, 1000), default=2, show_default=True, metavar="N", help="Moments to capture."
)
@click.option(
    "--every", type=DURATION, default="10s", show_default=True, metavar="TIME", help="From one moment to the next."
)
@guard_options
@access_options
def command(
    evidence: tuple[str, ...],
    baseline: tuple[str, ...],
    binary: tuple[str, ...],
    source: tuple[str, ...],
    fetch_source: bool,
    no_source: bool,
    no_compile: bool,
    as_json: bool,
    output: tuple[str, ...],
    incident: bool,
    lang: str | None,
    exit_zero: bool,
    **live: Any,
) -> int:
    """Find out why a Go service leaks: where, by which mechanism, how sure that is, and what to do.

    EVIDENCE is any mix of goroutine dumps, heap and goroutineleak profiles, metrics and build information of one moment
    or several. A directory is one moment; several, or the directories in one, are moments of one process, oldest first;
    several directories of moments are processes that work together. Targets that run (`oakum capture --help` names
    their kinds) are captured first, and the bundle is kept.
    """
    from oakum.cli.case import case
    from oakum.cli.live import settle
    from oakum.cli.with_source import Reading, read

    outputs = wanted(output, as_json=as_json, inputs=(*evidence, *baseline, *binary))
    for folder in source:
        if not Path(folder).is_dir():
            raise UsageError(f"--source {folder}: no such directory")
    if no_source and (source or fetch_source):
        raise UsageError("--no-source: there is no use in --source or --fetch-source beside it")
    asked, spoken = evidence, lang or language()
    evidence, baseline = settle(
        evidence, live, beside=baseline, moments=live["moments"], every=live["every"], together=True, lang=spoken
    )
    given = case(evidence, baseline, binary, lang=spoken)
    progress = Progress("diagnosing:", spoken)
    try:
        done = read(given, Reading(tuple(source), fetch_source, not no_source, not no_compile), progress.at)
    finally:
        progress.done()
    for told in done.remarks:
        remark(told)
    diagnosis = done.diagnosis
    read_so = {"--fetch-source": fetch_source, "--no-source": no_source, "--no-compile": no_compile}
    called = _called(evidence, baseline, binary, source, [flag for flag, asked_for in read_so.items() if asked_for])
    diagnosis = named(diagnosis, called)
    if asked != evidence and len(asked) == 1:
        diagnosis = replace(diagnosis, gaps=tuple(asked_again(gap, asked[0]) for gap in diagnosis.gaps))
    produce(diagnosis, outputs, Manner(spoken, incident), lambda: _pictures(given, diagnosis))
    if all(one.name != "-" for one in outputs):  # whoever only writes files wants to know whether to open them
        remark(_verdict(diagnosis, spoken))
    return 0 if exit_zero else _EXIT[diagnosis.verdict]


def _verdict(diagnosis: "Diagnosis", lang: str) -> str:
    """Return the verdict in a line: with what stands first, or with what is missing."""
    from oakum.report.words import say, word

    told = next(iter([*(one.title for one in diagnosis.findings), *(gap.what for gap in diagnosis.gaps)]), None)
    if diagnosis.verdict == "healthy" or told is None:
        return say(diagnosis.summary, lang)
    return f"{word(f'badge.{diagnosis.verdict}', lang)}  {say(told, lang)}"


def _pictures(given: "Case", diagnosis: "Diagnosis") -> "Mapping[str, Drawing]":
    from oakum.cli.figures import figures  # draws with views/: only for a page

    return figures(given, diagnosis.findings)


def named(diagnosis: "Diagnosis", called: Sequence[str]) -> "Diagnosis":
    """Return a diagnosis with the words that it was called with, also in commands that read the evidence again."""
    if not called or "-" in called:
        return replace(diagnosis, called=tuple(called))
    # Source that was given did not have it: another directory is to be named.
    words = shlex.join(word for word in _without(called, "--source") if word not in ("--no-source", "--fetch-source"))
    gaps = tuple(replace(gap, command=gap.command.replace(" EVIDENCE", f" {words}")) for gap in diagnosis.gaps)
    return replace(diagnosis, called=tuple(called), gaps=gaps)


def _without(words: Sequence[str], option: str) -> list[str]:
    left = iter(words)
    return [word for word in left if word != option or not next(left, "")]


def asked_again(gap: "Gap", word: str) -> "Gap":
    """Return a gap whose command asks the target that runs: what files lack, it may still tell."""
    from oakum.cli.live import bare

    flags = _ASK_AGAIN.get(gap.what.key)
    if flags is None:
        return gap
    comment = gap.command.partition("  # ")[2]
    command = shlex.join(["oakum", "diagnose", *flags, bare(word)])
    return replace(gap, command=f"{command}  # {comment}" if comment else command)


def _called(
    evidence: Sequence[str], baseline: Sequence[str], binary: Sequence[str], source: Sequence[str], flags: Sequence[str]
) -> tuple[str, ...]:
    """Return the words that name the same evidence, programs and source again."""
    options = [word for twin in baseline for word in ("--baseline", twin)]
    options += [word for file in binary for word in ("--binary", file)]
    options += [word for folder in source for word in ("--source", folder)]
    return (*options, *flags, *evidence)


__all__ = ["asked_again", "command", "named"]

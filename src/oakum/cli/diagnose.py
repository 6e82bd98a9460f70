"""oakum diagnose: why a Go service leaks. Exit 0 healthy, 1 leaking, 3 undecided."""

import json
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oakum.cli.access_options import DURATION, LiveCommand, access_options, guard_options
from oakum.cli.screen import Progress, colourful, columns_of, remark, safe, styled, width
from oakum.model import UsageError

if TYPE_CHECKING:
    from oakum.model import Diagnosis, Gap
    from oakum.report.pen import Look

# Formats of a report that a text file must not pretend to be.
_NOT_YET = (".html", ".htm", ".md", ".sarif", ".xml", ".pdf")
# Gaps that another look at a running target may close, and what is to be asked for then.
_ASK_AGAIN: dict[str, tuple[str, ...]] = {"gap.second-moment": (), "gap.after-load": (), "gap.ages": ("--force",)}
_EXIT = {"healthy": 0, "leaking": 1, "undecided": 3}


@click.command(
    epilog="""Examples:

\b
  oakum diagnose goroutine.txt                    one dump
  oakum diagnose before/ after/ after2/           three moments of one process
  oakum diagnose --baseline healthy/ sick/        against a replica that is well
  oakum diagnose --source ~/src/orders captures/  with the cause in its source, and a drafted fix
  oakum diagnose http://10.0.0.7:6060             what runs: two moments are captured, 10 s apart
  oakum diagnose pid:812 --moments 4 --every 1m   also kube://pod/NAMESPACE/NAME, kube://node/NAME, unix://SOCKET
  oakum diagnose --json -o diagnosis.json captures/

\b
Exit codes: 0 healthy, 1 leaking, 3 undecided; 2 usage, 4 could not do it.
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
@click.option("-o", "--output", metavar="FILE", help="Write to FILE instead of stdout; FILE.json is written as JSON.")
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
    output: str | None,
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

    if output and Path(output).suffix.lower() in _NOT_YET:
        raise UsageError(f"-o {output}: only text and JSON are written; name it .txt or .json")
    for folder in source:
        if not Path(folder).is_dir():
            raise UsageError(f"--source {folder}: no such directory")
    if no_source and (source or fetch_source):
        raise UsageError("--no-source: there is no use in --source or --fetch-source beside it")
    asked = evidence
    evidence, baseline = settle(
        evidence, live, beside=baseline, moments=live["moments"], every=live["every"], together=True
    )
    given = case(evidence, baseline, binary)
    progress = Progress("diagnosing:")
    try:
        done = read(given, Reading(tuple(source), fetch_source, not no_source, not no_compile), progress.at)
    finally:
        progress.done()
    for told in done.remarks:
        remark(told)
    diagnosis = done.diagnosis
    diagnosis = replace(diagnosis, called=_called(evidence, baseline, binary, source, fetch_source))
    if asked != evidence and len(asked) == 1:
        diagnosis = replace(diagnosis, gaps=tuple(_asked_again(gap, asked[0]) for gap in diagnosis.gaps))
    write(_shown(diagnosis, as_json or (output or "").endswith(".json"), lang or language(), output), output)
    return 0 if exit_zero else _EXIT[diagnosis.verdict]


def _asked_again(gap: "Gap", word: str) -> "Gap":
    """Return a gap whose command asks the target that runs: what files lack, it may still tell."""
    from oakum.cli.live import bare

    flags = _ASK_AGAIN.get(gap.what.key)
    if flags is None:
        return gap
    comment = gap.command.partition("  # ")[2]
    command = shlex.join(["oakum", "diagnose", *flags, bare(word)])
    return replace(gap, command=f"{command}  # {comment}" if comment else command)


def _called(
    evidence: Sequence[str], baseline: Sequence[str], binary: Sequence[str], source: Sequence[str], fetch: bool
) -> tuple[str, ...]:
    """Return the words that name the same evidence, programs and source again."""
    options = [word for twin in baseline for word in ("--baseline", twin)]
    options += [word for file in binary for word in ("--binary", file)]
    options += [word for folder in source for word in ("--source", folder)]
    options += ["--fetch-source"] if fetch else []
    return (*options, *evidence)


def language() -> str:
    """Return the language of the locale, as the C library chooses it."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def _shown(diagnosis: "Diagnosis", as_json: bool, lang: str, output: str | None) -> str:
    if as_json:
        from oakum.report.json import document

        return json.dumps(document(diagnosis), indent=2, ensure_ascii=False) + "\n"
    from oakum.report.terminal import render

    return render(diagnosis, page_look(lang, output))


def page_look(lang: str, output: str | None) -> "Look":
    """Return how a page is dressed: for a file plainly, for the screen as it can."""
    from oakum.report.pen import Look

    if output:
        return Look(None, lang, lambda text, *_: text, safe, columns_of)
    dressed = styled if colourful() else lambda text, *_: text
    return Look(width(), lang, dressed, safe, columns_of, _glyphs())


def _glyphs() -> bool:
    try:
        "→█•…▶◀".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def write(text: str, output: str | None) -> None:
    """Write a report to a file, or to stdout."""
    if output is None or output == "-":
        click.echo(text, nl=False, color=True)
        return
    try:
        # A name that is no Unicode keeps its bytes visible, in JSON as an escape.
        Path(output).write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"-o {output}: {error.strerror or error}") from error


__all__ = ["command", "language", "page_look", "write"]

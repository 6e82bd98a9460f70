"""oakum diagnose --dry-run: what would be captured, read, run and written; running targets are looked at, not captured.

Comes in: the words and options of the command. Goes out: text. Files are counted, not parsed.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click
from msgspec import Struct

from oakum.cli.outputs import Output
from oakum.cli.screen import Progress, safe, styled
from oakum.collect.targets import is_live
from oakum.experiment.call_go import find_go
from oakum.report.words import word


class Intended(Struct, frozen=True):
    evidence: Sequence[str]
    baseline: Sequence[str]
    binary: Sequence[str]
    source: Sequence[str]
    reads: bool
    compiles: bool
    fetches: bool
    proves: bool
    outputs: Sequence[Output]
    lang: str


def show_dry_run(intended: Intended, live: Mapping[str, Any]) -> int:
    """Print the plan; return 0, or 4 when a running target would give nothing."""
    rows = [(word(f"dry.{key}", intended.lang), text) for key, text in _rows(intended)]  # what is not there raises
    words = tuple(word for word in (*intended.evidence, *intended.baseline) if is_live(word))
    answered = _show_live(words, live, intended.lang) if words else True
    if not words:
        click.echo(styled(word("dry.nothing", intended.lang), "bold"))
    click.echo()
    for label, text in rows:
        click.echo(f"{styled(label, 'bold')}{'：' if intended.lang == 'zh' else ': '}{safe(text)}")
    return 0 if answered else 4


def _show_live(words: Sequence[str], live: Mapping[str, Any], lang: str) -> bool:
    """Print what would be asked of the targets that run; return whether each would give something."""
    from oakum.cli import capture_page
    from oakum.cli.access_options import access, capture_options
    from oakum.cli.live import progress_reporter, target_openers
    from oakum.collect.capture_run import Schedule
    from oakum.collect.scheduler import CaptureScheduler

    progress = Progress("looking", lang)
    schedule = Schedule(live["snapshots"], live["every"])
    try:
        outcome = CaptureScheduler(
            target_openers(words, access(live)), capture_options(live), schedule, None, progress_reporter(progress)
        ).run()
    finally:
        progress.done()
    capture_page.show_plan(outcome, live["snapshots"], live["every"])
    return all(result.plan.steps for result in outcome.results)


def _rows(intended: Intended) -> Iterator[tuple[str, str]]:
    lang = intended.lang
    for words, role in (
        (intended.evidence, ""),
        (intended.baseline, word("dry.baseline", lang)),
        (intended.binary, ""),
    ):
        for name in words:
            if not is_live(name):
                yield "read", f"{name}  {_counted(name, lang)}  {role}".rstrip()
    if intended.reads and intended.source:
        yield "source", word("dry.source-given", lang, folders=", ".join(intended.source))
    elif intended.reads:
        yield "source", word("dry.source-here", lang)
    if intended.fetches:
        yield "run", word("dry.fetch", lang)
    if intended.reads and intended.compiles and find_go() is not None:
        yield "run", word("dry.compile", lang)
    if intended.proves:
        yield "run", word("dry.prove", lang)
    for output in intended.outputs:
        yield "write", word("dry.stdout", lang) if output.name == "-" else output.name


def _counted(name: str, lang: str) -> str:
    """Return how many files a word names and how large they are; standard input is left alone."""
    if name == "-":
        return word("dry.stdin", lang)
    from oakum.collect.files import gather

    sizes = [len(capture.data) for capture in gather((name,))]
    return word("dry.files", lang, files=len(sizes), bytes=sum(sizes))

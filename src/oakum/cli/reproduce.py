"""oakum reproduce: work is sent to a running service, and what each unit of it leaves is measured.

Exit codes as of diagnose: 0 nothing stays, 1 it leaks, 3 undecided.
"""

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from oakum.cli.access_options import DURATION, LiveCommand, access_options
from oakum.cli.interrupts import ended_alike
from oakum.cli.outputs import Manner, incident_option, lang_option, language, produce, wanted
from oakum.cli.screen import Progress, remark
from oakum.model import Argument, NotAssembled, OakumError, Text, Unreachable, UsageError

if TYPE_CHECKING:
    from oakum.collect.target import Target
    from oakum.experiment.conduct import Doubt, Outcome, Watch
    from oakum.experiment.load import Work
    from oakum.experiment.requests import Request
    from oakum.model import Experiment, Stage

_EXIT = {"healthy": 0, "leaking": 1, "undecided": 3}
_TIMES = 200
_PACKED = (".tar.gz", ".tgz")


class _ReproduceCommand(LiveCommand):
    """The time of one request is its own option."""

    apart = LiveCommand.apart - {"timeout"}


@click.command(
    epilog="""Examples:

\b
  # 200 requests in batches, snapshots between; a path is one of TARGET
  oakum reproduce http://localhost:6060 --request 'GET /orders?id={n}'
  # a body from a file; URLs of other ports are written whole
  oakum reproduce http://localhost:6060 --request 'POST /sim @body.json'
  # a curl command line, as it was pasted
  oakum reproduce pid:812 --request 'curl -d @b.json http://localhost:8080/x'
  # start the program, find its pprof (or name it as TARGET), measure, stop
  oakum reproduce --start './orders -listen :8080' --request 'GET /orders'
  # any other trigger: one run of it is the unit
  oakum reproduce pid:812 --exec 'kubectl exec web-0 -- date' --times 50
  # a leak that comes by itself, per second
  oakum reproduce pid:812 --wait 2m
  # save the experiment: a bundle like any other
  oakum reproduce http://localhost:6060 --requests load.txt -o exp.tar.gz

Exit codes: 0 nothing stays, 1 it leaks, 3 inconclusive, 2 usage error, 4 failed, 130 interrupted.

See also: oakum diagnose exp.tar.gz (the same again), oakum capture (all kinds of targets), docs/reproduce.md.
""",
    cls=_ReproduceCommand,
)
@click.argument("target", required=False)
@click.option(
    "--request",
    "requests",
    multiple=True,
    metavar="REQUEST",
    help="'METHOD PATH-or-URL [BODY or @FILE]', or a line of curl; {n} is its number. Repeatable, sent in turn.",
)
@click.option("--requests", "listed", metavar="FILE", help="Requests of a file, one a line, sent in turn.")
@click.option("--exec", "execute", metavar="CMD", help="Run CMD instead, without a shell; one run is the unit.")
@click.option("--wait", type=DURATION, metavar="TIME", help="Only wait: growth per second, for leaks without load.")
@click.option("--times", type=click.IntRange(1, 10_000_000), metavar="N", help=f"Units of work (default {_TIMES}).")
@click.option("--start", metavar="CMD", help="Start the program under test, without a shell, and stop it at the end.")
@click.option(
    "--start-timeout",
    type=DURATION,
    default="60s",
    show_default=True,
    metavar="TIME",
    help="For --start to serve pprof.",
)
@click.option(
    "--connections", type=click.IntRange(1, 256), default=4, show_default=True, metavar="N", help="Requests at a time."
)
@click.option(
    "--drain", type=DURATION, default="4s", show_default=True, metavar="TIME",
    help="Wait after the work before what stays is counted, twice; longer than what ends late takes.",
)  # fmt: skip
@click.option(
    "--max-time", type=DURATION, default="10m", show_default=True, metavar="TIME", help="No more work after this time."
)
@click.option("--all", "everything", is_flag=True, help="Send all of it, also when the answer is clear earlier.")
@click.option("--yes", is_flag=True, help="Send work to other hosts than this one.")
@click.option(
    "--source", multiple=True, metavar="DIR", help="Checkout of the running version, for the root cause in the source."
)
@click.option("--no-source", is_flag=True, help="Do not read source: diagnose from the evidence alone.")
@click.option("--json", "as_json", is_flag=True, help="Print the diagnosis as JSON (schema oakum.diagnosis/1).")
@click.option(
    "-o",
    "--output",
    multiple=True,
    metavar="FILE",
    help="Save to FILE: .tar.gz the experiment, .json the diagnosis, .html the page; also .md, .txt, .sarif, .xml. "
    "Repeatable.",
)
@click.option("--overwrite", is_flag=True, help="Overwrite an existing experiment.")
@incident_option
@lang_option
@access_options
def command(target: str | None, **given: Any) -> int:
    """Reproduce a leak: send work, measure what each unit of it leaves, with an interval.

    TARGET serves pprof (http://HOST:PORT, pid:N, any kind of `oakum capture`). Two snapshots before the work, one after
    each batch, two after draining; a garbage collection before each; half a minute without work before the last batch,
    where that tells more. What grows batch by batch and stays is `proven`, or `likely` with what would decide; where
    nothing stays, the smallest leak that would have been seen is stated. Ends early when the answer is clear.
    """
    bundles = [name for name in given["output"] if name.endswith(_PACKED)]
    if len(bundles) > 1:
        raise UsageError("-o: one experiment is saved once; name one .tar.gz")
    outputs = wanted(
        [name for name in given["output"] if name not in bundles],
        as_json=given["as_json"],
        inputs=(target,) if target else (),
    )
    lang = given["lang"] or language()
    asked = _requests(given)
    for folder in given["source"]:
        if not Path(folder).is_dir():
            raise UsageError(f"--source {folder}: no such directory")
    with ended_alike(), _service(target, given) as (word, base):
        place = Path(bundles[0]) if bundles else None
        work = _work(given, asked, base)
        _guard(word, asked, given["yes"] or given["wait"] is not None)
        done, place = _conducted(word, work, given, place, lang)
        _remarks(done, place, lang)
    return _diagnosed(word, place, outputs, given, lang, interrupted=done.experiment.ended == "interrupted")


def _requests(given: dict[str, Any]) -> "tuple[Request, ...]":
    """Return the requests; raise when it is not said what the work is, or said twice."""
    from oakum.experiment.requests import parse_request, parse_requests

    kinds = [bool(given["requests"] or given["listed"]), bool(given["execute"]), given["wait"] is not None]
    if sum(kinds) != 1:
        raise UsageError(
            "name the work: --request 'GET /path', --requests FILE, --exec CMD or --wait TIME, one of them"
        )
    if given["wait"] is not None and given["times"]:
        raise UsageError("--wait has no --times: its unit is the second")
    listed = tuple(parse_requests(given["listed"])) if given["listed"] else ()
    return (*map(parse_request, given["requests"]), *listed)


@contextmanager
def _service(target: str | None, given: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Lend the word of the process that is measured, and the server that paths are of."""
    if target is None and given["start"] is None:
        raise UsageError("name TARGET, which serves pprof, or --start CMD, which starts it")
    from oakum.cli.live import normalize_target

    word = normalize_target(target) if target is not None else ""
    if given["start"] is None:
        yield word, _origin(word)
        return
    from oakum.experiment.program import running

    with running(given["start"], given["start_timeout"], _answers(word, given) if word else None) as service:
        yield (word, _origin(word)) if word else (f"pid:{service.pid}", _origin(service.pprof))


def _answers(word: str, given: dict[str, Any]) -> Callable[[], bool]:
    """Return what tells whether a target can be captured by now."""
    from oakum.cli.access_options import access, capture_options
    from oakum.collect.targets import open_targets

    def answers() -> bool:
        try:
            (target, *_) = open_targets((word,), access(given))
        except Unreachable:
            return False
        try:
            return bool(target.plan(capture_options(given)).steps)
        finally:
            target.close()

    return answers


def _origin(address: str) -> str:
    """Return scheme, host and port of an address; "" where it is no http address."""
    from urllib.parse import urlsplit

    parts = urlsplit(address)
    scheme = parts.scheme.partition("+")[0]
    return f"{scheme}://{parts.netloc.rpartition('@')[2]}" if scheme in ("http", "https") else ""


def _work(given: dict[str, Any], asked: "Sequence[Request]", base: str) -> "Work":
    from oakum.experiment.load import Commands, Requests, Waiting

    seconds = given["timeout"] or 30.0
    if given["wait"] is not None:
        return Waiting()
    if given["execute"]:
        return Commands(given["execute"], seconds)
    sent = [one.at(base) for one in asked]
    return Requests(sent, given["connections"], seconds)


def _guard(word: str, asked: "Sequence[Request]", allowed: bool) -> None:
    """Raise when work would go to another machine and nobody said that it may."""
    from urllib.parse import urlsplit

    from oakum.collect.web import vault
    from oakum.collect.web.address import is_loopback

    for one in asked:
        vault.note_headers(dict(one.headers))  # secrets among them are written nowhere
    named = [
        urlsplit(word).hostname or "" if "://" in word and not word.startswith("unix://") else "",
        *(one.host for one in asked),
    ]
    strange = [host for host in named if host and not is_loopback(host)]
    if strange and not allowed:
        raise UsageError(f"{strange[0]}: this is another host; load may harm what others use. To send it: --yes")


def _conducted(word: str, work: "Work", given: dict[str, Any], place: Path | None, lang: str) -> "tuple[Outcome, Path]":
    """Return what was done, and where its snapshots are."""
    from oakum.cli.access_options import access, capture_options
    from oakum.cli.live import bundle_name, capture_directory, remove_empty_bundle, unused_path
    from oakum.collect.bundle.write import Bundle
    from oakum.collect.targets import is_live, open_targets
    from oakum.collect.web import vault
    from oakum.experiment.conduct import Conduct, Setup
    from oakum.report.words.lines import worded

    if not is_live(word):
        raise UsageError(
            f"{word}: not a running target; name what serves pprof: http://HOST:PORT, unix://SOCKET, pid:N"
        )
    (target, *others) = open_targets((word,), access(given))
    if others:
        raise UsageError(f"{word}: {len(others) + 1} targets; an experiment is made with one process")
    where = place or unused_path(capture_directory() / bundle_name((word,)))
    times = round(given["wait"]) if given["wait"] is not None else given["times"] or _TIMES
    drain = given["drain"] if given["wait"] is None else 0.0  # time never drains
    setup = Setup(times, drain=drain, limit=given["max_time"])
    bundle = Bundle(where, None, vault.known, given["overwrite"], worded)
    progress = Progress("reproducing", lang)
    progress.at(Text("progress.settling"))
    try:
        options = replace(capture_options(given), gc=True)
        watch = _watch(progress, work, times, given["everything"])
        done = Conduct(target, work, setup, options, bundle, watch, _doubt(progress, bundle.folder)).run()
    finally:
        progress.done()
        bundle.close()
        target.close()
    if not done.snapshots:
        remove_empty_bundle(where)
        raise _nothing(done, target, lang)
    return done, where


def _watch(progress: Progress, work: "Work", times: int, everything: bool) -> "Watch":
    """Return what shows the slope so far after each batch, and tells whether it is clear enough to end."""
    import math

    import numpy as np

    from oakum.compare.trial import Load, is_clear, slope

    def watch(stages: "list[Stage]", counts: list[float | None]) -> bool:
        seen = np.array([math.nan if count is None else count for count in counts])
        found = slope("goroutines", seen, Load.of(stages, work.unit))
        done = Text("progress.work", {"done": stages[-1].completed, "total": times, "unit": work.unit})
        if found is None:
            progress.at(done)
            return False
        args: dict[str, Argument] = {"value": found.value, "low": found.low, "high": found.high, "unit": work.unit}
        progress.at(done, Text("progress.slope", args))
        return not everything and is_clear(found)

    return watch


def _doubt(progress: Progress, folder: Path) -> "Doubt":
    """Return what tells, by the diagnosis of what came so far, whether a break without work would tell more."""

    def doubt(so_far: "Experiment") -> bool:
        from oakum.cli.evidence import read
        from oakum.model.experiment import BREAK_SECONDS
        from oakum.pipeline.case import assemble_case
        from oakum.pipeline.diagnosis import Options, diagnose_case

        try:
            made = assemble_case(read((str(folder),), lambda _: None)).case
        except NotAssembled:
            return False
        processes = tuple(replace(one, experiment=so_far) for one in made.processes)
        told = diagnose_case(replace(made, processes=processes), Options(read_source=False)).diagnosis
        # What is proven already, since its bug is known and this version has it, is so without a break; beside that,
        # what is merely possible is most often what it holds.
        proven = any(one.confidence == "proven" for one in told.findings)
        open_to = ("likely",) if proven else ("likely", "possible")
        found = any(one.confidence in open_to and one.suspect.kinds.has("may-end") for one in told.findings)
        heaps = [one for trial in told.trials for one in trial.totals if one.measure == "inuse_space"]
        found = found or (told.verdict == "undecided" and any(one.stays for one in heaps))
        if found:
            progress.at(Text("progress.break", {"seconds": round(BREAK_SECONDS)}))
        return found

    return doubt


def _nothing(done: "Outcome", target: "Target", lang: str) -> OakumError:
    """Return the error that tells why no snapshot came."""
    from oakum.report.words.lines import problem_line

    said = [problem_line(problem, lang) for problem in done.problems[:3]]
    return OakumError("\n".join(said) or f"{target.address}: nothing could be captured")


def _remarks(done: "Outcome", place: Path, lang: str) -> None:
    """Say how it ended, where that was not as planned, and where it is kept."""
    from oakum.report.words import word

    made, work = done.experiment, done.work
    if made.ended not in ("complete", "clear"):
        answered = work.completed - work.statuses[0]
        args: dict[str, str | int] = {"done": answered, "unit": made.unit, "error": work.error or "-"}
        remark(word(f"reproduce.ended.{made.ended}", lang, **args))
    elif work.failed == work.completed and work.error:
        remark(word("reproduce.error", lang, error=work.error))
    remark(word("kept.at", lang, place=str(place)))


def _diagnosed(word: str, place: Path, outputs: Any, given: dict[str, Any], lang: str, *, interrupted: bool) -> int:
    """Diagnose what was kept, print it, and return the exit code."""
    from oakum.cli.case import case, warn
    from oakum.cli.live import bare
    from oakum.pipeline.diagnosis import Options, diagnose_case
    from oakum.pipeline.figures import figures
    from oakum.report.page.headline import headline
    from oakum.report.words import say
    from oakum.report.words import word as worded

    made = case((str(place),), asked=(word,), lang=lang)
    progress = Progress("diagnosing", lang)
    try:
        done = diagnose_case(made, Options(tuple(given["source"]), read_source=not given["no_source"]), progress.at)
    finally:
        progress.done()
    warn(done.warnings, lang)
    options = [each for folder in given["source"] for each in ("--source", folder)]
    called = (*options, *(["--no-source"] if given["no_source"] else []), str(place))
    diagnosis = replace(done.diagnosis, called=called, target=bare(word))
    produce(diagnosis, outputs, Manner(lang, given["incident"]), lambda: figures(made, diagnosis.findings))
    if all(one.name != "-" for one in outputs):  # who waited for the load reads the answer here
        remark(f"{worded(f'badge.{diagnosis.verdict}', lang)}  {headline(diagnosis, lang)}")
    if diagnosis.verdict == "leaking":
        remark(say(Text("reproduce.next", {"before": shlex.quote(str(place))}), lang))
    return 130 if interrupted else _EXIT[diagnosis.verdict]

"""oakum capture: evidence of running targets -> a bundle. Exit 0 when every target named gave something, else 4."""

import gc
import json
import os
import secrets
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oakum.cli.access_options import DURATION, LiveCommand, access_options, guard_options
from oakum.cli.screen import Progress, remark
from oakum.model.errors import UsageError

if TYPE_CHECKING:
    from oakum.collect.bundle.write import Bundle, Redact
    from oakum.collect.course import Course, Outcome
    from oakum.collect.web.access import Access

_UNTIL_MOST = 20  # moments, when growth is waited for
_KEY_LEAST = 16  # characters


class _CaptureCommand(LiveCommand):
    """All that is captured runs: only who asks is told apart."""

    apart = LiveCommand.apart - {"moments", "every", "budget", "force", "gc", "past", "timeout"}


@click.command(
    epilog="""Targets:

\b
  http://HOST:PORT[/PREFIX]          net/http/pprof, below the usual prefixes
  https://, https+insecure://        TLS, with --tls-ca, --token-file ...
  unix:///run/containerd/debug.sock  pprof behind a socket
  kube://node/NAME                   a kubelet, through the API server
  kube://pod/NAMESPACE/NAME[:PORT]   a pod; without NAME all of -l app=x
  kube://component/kube-apiserver    or kube-scheduler, etcd ...
  pid:812                            a process here: memory, build, pprof
  shim:ID                            containerd's shim, asked by SIGUSR1
  journal:UNIT                       dumps in the journal of a unit
  prometheus+http://HOST?match=M     what Prometheus kept; pyroscope+, parca+
  FILE, DIRECTORY, BUNDLE, -         what is there already, to redact it

\b
Examples:
  # what would be asked, and why; nothing is taken
  oakum capture --dry-run http://10.0.0.7:6060
  # three moments, half a minute apart, in one file
  oakum capture http://10.0.0.7:6060 --moments 3 --every 30s -o leak.tar.gz
  # all pods of a label, until something has grown
  oakum capture kube://pod/shop -l app=orders --until-growth --every 1m
  # a process, and what Prometheus knows of its past
  oakum capture pid:812 'prometheus+http://prom:9090?match=job=api' --past 12h
  # to hand it on: private names become tokens
  oakum capture bundle/ -o redacted.tar.gz --redact

Exit codes: 0 every TARGET gave something (of many pods, one did); 4 one gave nothing, and what the others gave is kept;
2 usage; 130 interrupted, and what was taken is kept.

See also: oakum diagnose BUNDLE, oakum find (what runs here), docs/capture.md (what is asked, which rights it needs).
""",
    cls=_CaptureCommand,
)
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...")
@click.option(
    "-o", "--output", metavar="PLACE", help="Directory or .tar.gz of the bundle; oakum-NAME-TIME/ if not given."
)
@click.option("--moments", type=click.IntRange(1, 1000), metavar="N", help="Take a series of N moments (default 1).")
@click.option(
    "--every", type=DURATION, default="30s", show_default=True, metavar="TIME", help="From one moment to the next."
)
@click.option(
    "--until-growth",
    is_flag=True,
    help=f"Take moments until goroutines or memory have clearly grown, {_UNTIL_MOST} at most unless --moments says.",
)
@click.option("--dry-run", is_flag=True, help="Look, count, and show what would be taken; take nothing.")
@guard_options
@click.option("--redact", is_flag=True, help="Replace names, labels, hosts and private packages by stable tokens.")
@click.option(
    "--redact-key",
    metavar="FILE",
    help="File with the key of the tokens, made if need be: the same key, the same tokens.",
)
@click.option("--redact-keep", multiple=True, metavar="GLOB", help="Packages whose names are kept: example.com/open/*.")
@click.option(
    "--parallel", type=click.IntRange(1, 256), default=32, show_default=True, metavar="N", help="Targets at once."
)
@click.option("--overwrite", is_flag=True, help="Replace a bundle that is there already.")
@access_options
@click.option("--json", "as_json", is_flag=True, help="Print the manifest, or with --dry-run the plan, as JSON.")
def command(targets: tuple[str, ...], as_json: bool, **given: Any) -> int:
    """Capture evidence from running targets into a bundle, carefully.

    Each target is looked at first: what is there, how many goroutines. Then it is asked for one thing after the other;
    a full dump, which stops the process, is only taken below --budget. Many targets are asked at once, a slow or dead
    one delays nobody. --dry-run shows the plan. Next: oakum diagnose BUNDLE.
    """
    from oakum.cli.access_options import access
    from oakum.cli.live import meant

    words = tuple(map(meant, dict.fromkeys(targets)))
    entered = access(given)
    return _plan(words, entered, given, as_json) if given["dry_run"] else _take(words, entered, given, as_json)


def _plan(words: Sequence[str], entered: "Access", given: dict[str, Any], as_json: bool) -> int:
    """Show what would be taken."""
    from oakum.cli import capture_page as page
    from oakum.cli.live import nothing

    outcome = _run(words, entered, given, None)
    if not any(course.plan.steps for course in outcome.courses) and not outcome.interrupted and not as_json:
        raise nothing(outcome)
    if as_json:
        click.echo(json.dumps(page.plan_document(outcome), indent=2, ensure_ascii=False))
    else:
        page.show_plan(outcome, _moments(given), given["every"])
    return _exit_code(outcome, lambda course: bool(course.plan.steps))


def _take(words: Sequence[str], entered: "Access", given: dict[str, Any], as_json: bool) -> int:
    """Take everything, and show what became of it."""
    from oakum.cli import capture_page as page
    from oakum.cli.live import bundle_name, forget, free_place, nothing
    from oakum.collect.bundle.write import Bundle
    from oakum.collect.web import vault

    place = Path(given["output"]) if given["output"] else free_place(Path(bundle_name(words)))
    if given["output"] == "-":
        raise UsageError("-o -: a bundle is a directory or a file; name one")
    bundle = Bundle(place, _redaction(given), vault.known, given["overwrite"])
    try:
        outcome = _run(words, entered, given, bundle)
    except UsageError:
        bundle.close()
        if not bundle.spares:
            forget(place)
        raise
    except BaseException:
        bundle.close()  # whatever it was, what was taken is kept
        raise
    with _ended_alike():
        try:
            bundle.close()
        except KeyboardInterrupt:
            remark(f"interrupted while it was packed; what was taken is kept in {place}.partial")
            raise
    kept = any(course.paths for course in outcome.courses)
    if not kept:
        if not bundle.spares:
            forget(place)
        if outcome.interrupted:
            raise KeyboardInterrupt
        if not as_json:
            raise nothing(outcome)
    if as_json:
        told = {"bundle": str(place) if kept else None, **bundle.manifest(datetime.now(UTC))}
        click.echo(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        page.show(
            outcome,
            str(place) + ("/" if place.is_dir() else ""),
            _moments(given),
            given["until_growth"],
            given["redact"],
        )
    return _exit_code(outcome, lambda course: bool(course.paths))


def _run(words: Sequence[str], entered: "Access", given: dict[str, Any], bundle: "Bundle | None") -> "Outcome":
    from oakum.cli.access_options import wishes
    from oakum.cli.live import openings, watched
    from oakum.collect.course import patience
    from oakum.collect.rounds import Rounds, Schedule

    asked = wishes(given)
    schedule = Schedule(
        _moments(given), given["every"], given["until_growth"], given["parallel"], patience(asked.seconds)
    )
    progress = Progress("capturing:" if bundle else "looking:")
    gc.enable()  # a series may take hours
    with _ended_alike():
        try:
            return Rounds(openings(words, entered), asked, schedule, bundle, watched(progress)).run()
        finally:
            progress.done()


def _moments(given: dict[str, Any]) -> int:
    return int(given["moments"] or (_UNTIL_MOST if given["until_growth"] else 1))


def _exit_code(outcome: "Outcome", gave: "Callable[[Course], bool]") -> int:
    """Return 0 when every word of the command line led to something; of many pods, one may be gone."""
    if outcome.interrupted:
        return 130
    words = {course.word for course in outcome.courses}
    return 0 if words == {course.word for course in outcome.courses if gave(course)} else 4


def _redaction(given: dict[str, Any]) -> "Redact | None":
    if not given["redact"]:
        if given["redact_key"] or given["redact_keep"]:
            raise UsageError("--redact-key and --redact-keep go with --redact")
        return None
    from oakum.cli.redaction import redaction

    return redaction(_key(given["redact_key"]) if given["redact_key"] else None, given["redact_keep"])


def _key(name: str) -> str:
    """Return the key in a file; one that is not there yet is made, for the bundles that follow."""
    path = Path(name)
    try:
        if not path.exists():
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(f"{secrets.token_hex(32)}\n")
            remark(f"made a new key, {name}: keep it to yourself, and use it again for bundles that are to be compared")
        key = path.read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError as error:
        raise UsageError(f"--redact-key {name}: {error.strerror or error}") from error
    if len(key) < _KEY_LEAST:
        raise UsageError(
            f"--redact-key {name}: fewer than {_KEY_LEAST} characters; who guesses the key knows the names"
        )
    return key


@contextmanager
def _ended_alike() -> Iterator[None]:
    """Make `timeout 60 oakum capture` end as Ctrl-C does: nothing that was taken is lost."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


__all__ = ["command"]

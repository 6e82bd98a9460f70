"""oakum capture: evidence of running targets -> a bundle. Exit 0 when every target was captured, else 4."""

import gc
import json
import os
import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oakum.cli.access_options import DURATION, LiveCommand, access_options, guard_options, snapshots_option
from oakum.cli.interrupts import ended_alike
from oakum.cli.screen import Progress, remark
from oakum.model.errors import UsageError
from oakum.report.words.lines import worded

if TYPE_CHECKING:
    from oakum.collect.bundle.write import Bundle, Redact
    from oakum.collect.capture_run import CaptureOutcome, TargetResult
    from oakum.collect.scheduler import Open

    Opened = Sequence[tuple[str, Open]]

_UNTIL_MOST = 20  # snapshots, when growth is waited for
_KEY_LEAST = 16  # characters


class _CaptureCommand(LiveCommand):
    """Every target runs: only credentials and the cluster are listed apart."""

    apart = LiveCommand.apart - {"snapshots", "every", "budget", "force", "gc", "past", "timeout"}


@click.command(
    epilog="""Targets:

\b
  http://HOST:PORT[/PREFIX]          net/http/pprof; probes the prefix
  https://, https+insecure://        TLS, with --tls-ca, --token-file ...
  unix:///run/containerd/debug.sock  pprof on a unix socket
  kube://node/NAME                   kubelet, through the API server
  kube://pod/NAMESPACE/NAME[:PORT]   a pod; without NAME all of -l app=x
  kube://service/NAMESPACE/NAME      the pods behind a Service
  kube://component/kube-apiserver    or kube-scheduler, etcd ...
  pid:812                            local process: memory, build, pprof
  shim:ID                            containerd shim, dumped by SIGUSR1
  journal:UNIT                       dumps in a systemd unit's journal
  prometheus+http://HOST?match=M     metric history; also pyroscope+, parca+
  FILE, DIRECTORY, BUNDLE, -         existing captures, to pack or redact

\b
Examples:
  # show what would be requested, and why; nothing is captured
  oakum capture --dry-run http://10.0.0.7:6060
  # three snapshots, 30 s apart, in one archive
  oakum capture http://10.0.0.7:6060 --snapshots 3 --every 30s -o leak.tar.gz
  # every pod with a label, until goroutines or memory grow
  oakum capture kube://pod/shop -l app=orders --until-growth --every 1m
  # a process, with 12 h of history from Prometheus
  oakum capture pid:812 'prometheus+http://prom:9090?match=job=api' --past 12h
  # a process and those it waits for, on this machine or in the cluster
  oakum capture pid:812 --follow --snapshots 3
  # to share it: private names are replaced by tokens
  oakum capture bundle/ -o redacted.tar.gz --redact

Exit codes: 0 every TARGET was captured (of many pods, at least one); 4 a target failed, the others are kept; 2 usage
error; 130 interrupted, captures so far are kept.

See also: oakum diagnose BUNDLE, oakum find (local Go processes), docs/capture.md (requests, permissions).
""",
    cls=_CaptureCommand,
)
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...")
@click.option("-o", "--output", metavar="PLACE", help="Bundle directory or .tar.gz (default oakum-NAME-TIME/).")
@snapshots_option("Number of snapshots (default 1).")
@click.option(
    "--every", type=DURATION, default="30s", show_default=True, metavar="TIME", help="Interval between snapshots."
)
@click.option(
    "--until-growth",
    is_flag=True,
    help=f"Take snapshots until goroutines or memory clearly grow, at most --snapshots ({_UNTIL_MOST} if not given).",
)
@click.option(
    "--follow",
    is_flag=True,
    help="Capture whom the targets have connected to, too: Go processes of this machine, hop by hop, and pods.",
)
@click.option("--dry-run", is_flag=True, help="Probe the targets and show the plan; capture nothing.")
@guard_options
@click.option("--redact", is_flag=True, help="Replace private names, labels and hosts by stable tokens.")
@click.option(
    "--redact-key",
    metavar="FILE",
    help="Key file of the tokens, created if missing: the same key gives the same tokens.",
)
@click.option("--redact-keep", multiple=True, metavar="GLOB", help="Packages to keep in clear: example.com/open/*.")
@click.option(
    "--parallel",
    type=click.IntRange(1, 256),
    default=32,
    show_default=True,
    metavar="N",
    help="Targets captured concurrently.",
)
@click.option("--overwrite", is_flag=True, help="Overwrite an existing bundle.")
@access_options
@click.option("--json", "as_json", is_flag=True, help="Print the manifest, or with --dry-run the plan, as JSON.")
def command(targets: tuple[str, ...], as_json: bool, **given: Any) -> int:
    """Capture goroutine dumps, profiles and metrics of running targets into a bundle.

    Each target is probed first: which endpoints it serves, how many goroutines it has. Then captures are taken one at
    a time; a full dump, which stops the world, only up to --budget goroutines. Targets are captured concurrently; a
    slow or dead one delays no other. --dry-run shows the plan. Next: oakum diagnose BUNDLE.
    """
    from oakum.cli.access_options import access
    from oakum.cli.live import normalize_target, target_openers

    words = tuple(map(normalize_target, dict.fromkeys(targets)))
    entered = access(given)
    opened = target_openers(words, entered)
    if given["follow"]:
        from oakum.cli.follow import peers_of

        opened += peers_of(words, entered)
    return _plan(opened, given, as_json) if given["dry_run"] else _take(words, opened, given, as_json)


def _plan(opened: "Opened", given: dict[str, Any], as_json: bool) -> int:
    from oakum.cli import capture_page as page
    from oakum.cli.live import nothing_captured

    outcome = _run(opened, given, None)
    if not any(result.plan.steps for result in outcome.results) and not outcome.interrupted and not as_json:
        raise nothing_captured(outcome)
    if as_json:
        click.echo(json.dumps(page.plan_document(outcome), indent=2, ensure_ascii=False))
    else:
        page.show_plan(outcome, _snapshots(given), given["every"])
    return _exit_code(outcome, lambda result: bool(result.plan.steps))


def _take(words: Sequence[str], opened: "Opened", given: dict[str, Any], as_json: bool) -> int:
    from oakum.cli import capture_page as page
    from oakum.cli.live import bundle_name, nothing_captured, remove_empty_bundle, unused_path
    from oakum.collect.bundle.write import Bundle
    from oakum.collect.web import vault

    place = Path(given["output"]) if given["output"] else unused_path(Path(bundle_name(words)))
    if given["output"] == "-":
        raise UsageError("-o -: a bundle cannot go to standard output; name a directory or a .tar.gz")
    bundle = Bundle(place, _redaction(given), vault.known, given["overwrite"], worded)
    try:
        outcome = _run(opened, given, bundle)
    except UsageError:
        bundle.close()
        if not bundle.spares:
            remove_empty_bundle(place)
        raise
    except BaseException:
        bundle.close()  # whatever it was, what was taken is kept
        raise
    with ended_alike():
        try:
            bundle.close()
        except KeyboardInterrupt:
            remark(f"interrupted while packing; captures so far are kept in {place}.partial")
            raise
    kept = any(result.paths for result in outcome.results)
    if not kept:
        if not bundle.spares:
            remove_empty_bundle(place)
        if outcome.interrupted:
            raise KeyboardInterrupt
        if not as_json:
            raise nothing_captured(outcome)
    if as_json:
        told = {"bundle": str(place) if kept else None, **bundle.manifest(datetime.now(UTC))}
        click.echo(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        page.show(
            outcome,
            str(place) + ("/" if place.is_dir() else ""),
            _snapshots(given),
            given["until_growth"],
            given["redact"],
        )
    return _exit_code(outcome, lambda result: bool(result.paths))


def _run(opened: "Opened", given: dict[str, Any], bundle: "Bundle | None") -> "CaptureOutcome":
    from oakum.cli.access_options import capture_options
    from oakum.cli.live import progress_reporter
    from oakum.collect.capture_run import snapshot_limit
    from oakum.collect.scheduler import CaptureScheduler, Schedule

    asked = capture_options(given)
    schedule = Schedule(
        _snapshots(given), given["every"], given["until_growth"], given["parallel"], snapshot_limit(asked.seconds)
    )
    progress = Progress("capturing" if bundle else "looking:")
    gc.enable()  # a series may take hours
    with ended_alike():
        try:
            return CaptureScheduler(opened, asked, schedule, bundle, progress_reporter(progress)).run()
        finally:
            progress.done()


def _snapshots(given: dict[str, Any]) -> int:
    return int(given["snapshots"] or (_UNTIL_MOST if given["until_growth"] else 1))


def _exit_code(outcome: "CaptureOutcome", gave: "Callable[[TargetResult], bool]") -> int:
    """Return 0 when every word of the command line led to something; of many pods, one may be gone."""
    if outcome.interrupted:
        return 130
    if any(problem.key == "no-evidence" for one in outcome.results if not gave(one) for problem in one.problems):
        return 4  # files that were given share a word
    words = {result.word for result in outcome.results}
    return 0 if words == {result.word for result in outcome.results if gave(result)} else 4


def _redaction(given: dict[str, Any]) -> "Redact | None":
    if not given["redact"]:
        if given["redact_key"] or given["redact_keep"]:
            raise UsageError("--redact-key and --redact-keep need --redact")
        return None
    from oakum.pipeline.redaction import redaction

    return redaction(_key(given["redact_key"]) if given["redact_key"] else None, given["redact_keep"])


def _key(name: str) -> str:
    """Return the key in a file; one that is not there yet is made, for the bundles that follow."""
    path = Path(name)
    try:
        if not path.exists():
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(f"{secrets.token_hex(32)}\n")
            remark(f"created the key {name}: keep it secret, and reuse it for bundles that are compared with this one")
        key = path.read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError as error:
        raise UsageError(f"--redact-key {name}: {error.strerror or error}") from error
    if len(key) < _KEY_LEAST:
        raise UsageError(f"--redact-key {name}: shorter than {_KEY_LEAST} characters; a guessed key reveals the names")
    return key

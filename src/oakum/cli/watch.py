"""oakum watch: targets -> a store that remembers them, incidents when a leak begins. Runs until it is ended; exit 0."""

import ctypes
import gc
import os
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oakum.cli.access_options import DURATION, LiveCommand, access_options
from oakum.cli.screen import safe
from oakum.model.errors import UsageError

if TYPE_CHECKING:
    from oakum.watch.config import Config
    from oakum.watch.discovery import Named
    from oakum.watch.log import Log
    from oakum.watch.watcher import Remade, Watcher

_STORE = "oakum-store"
_REFRESH = 1.0  # seconds
_M_ARENA_MAX = -8


class _WatchCommand(LiveCommand):
    apart = LiveCommand.apart - {"every", "budget", "timeout", "snapshots"}


@click.command(
    cls=_WatchCommand,
    epilog="""Targets are those of oakum capture that run: http://, https://, unix://, pid:N, kube:// (with -l, pods are
followed as they come and go), and files of Prometheus' file_sd (.json, .yml), read again when they change. NAME=TARGET
gives the service a name.

\b
Examples:
  # one service, a look each minute, kept in ./oakum-store
  oakum watch orders=http://10.0.0.7:6060
  # all pods with a label, more often
  oakum watch kube://pod/shop -l app=orders --every 30s --store /var/lib/oakum
  # what the configuration says; --check only validates it
  oakum watch --config watch.toml --check

Signals: SIGHUP reads the configuration again; SIGINT and SIGTERM end it, and nothing that was written is lost.

Exit codes: 0 ended by a signal, or --check found nothing wrong; 2 usage error; 4 failed.

See also: oakum history (what was seen), docs/watch.md (configuration, incidents, cost).
""",
)
@click.argument("targets", nargs=-1, metavar="[TARGET]...")
@click.option("--every", type=DURATION, metavar="TIME", help="Interval between snapshots (default 1m).")
@click.option("--store", metavar="DIR", help=f"Directory that everything is kept in (default ./{_STORE}).")
@click.option("--config", metavar="FILE", help="Configuration (TOML): targets, budget, retention, notifications.")
@click.option("--check", is_flag=True, help="Validate the configuration and show what would be watched; watch nothing.")
@click.option("--source", multiple=True, metavar="DIR", help="Checkout of the running version, for root causes.")
@click.option("--listen", metavar="ADDRESS", help="Serve /metrics and /healthz, on loopback only: 127.0.0.1:9469.")
@click.option(
    "--log", "form", type=click.Choice(("logfmt", "json")), default="logfmt", show_default=True, help="Log format."
)
@click.option("--cpu-budget", metavar="SHARE", help="CPU a target may spend on it, of one core (default 0.5%).")
@click.option("--network-budget", metavar="SIZE", help="Bytes fetched from a target in an hour (default 20MiB/h).")
@access_options
def command(targets: tuple[str, ...], check: bool, form: str, **given: Any) -> int:
    """Watch services for weeks: keep history, open an incident when a leak begins, warn before the OOM kill.

    Each look is cheap: goroutine counts and profile, heap, metrics. The full dump is taken only when something grows,
    and just before a memory limit. What a look costs a target is measured, and looks become rarer where it is too much.
    """
    config, named = _told(targets, given)
    if not named:
        raise UsageError("nothing to watch; name a TARGET, or [[target]] in --config FILE")
    if check:
        return _check(config, named)
    return _watch(config, named, targets, given, form)


def _told(targets: Sequence[str], given: dict[str, Any]) -> "tuple[Config, list[Named]]":
    """Return the configuration with what the command line changes, and what is named by both."""
    from msgspec.structs import replace

    from oakum.cli.access_options import access
    from oakum.watch.config import Config, Overrides, overridden, read
    from oakum.watch.discovery import named_tables, named_words

    config = read(Path(given["config"])) if given["config"] else Config()
    config = overridden(
        config, Overrides(given["cpu_budget"] or "", given["network_budget"] or "", given["listen"] or "")
    )
    config = replace(
        config,
        every=given["every"] or config.every,
        store=Path(given["store"]) if given["store"] else config.store or Path(_STORE),
        source=tuple(given["source"]) or config.source,
    )
    return config, [*named_words(targets, access(given)), *named_tables(config)]


def _check(config: "Config", named: "Sequence[Named]") -> int:
    """Print what would be watched; nothing is asked of a target."""
    from oakum.watch.plan import described

    for line in described(config, named):
        click.echo(safe(line))
    return 0


def _watch(config: "Config", named: "list[Named]", targets: Sequence[str], given: dict[str, Any], form: str) -> int:
    from oakum.cli.access_options import capture_options
    from oakum.watch.announcer import open_channels
    from oakum.watch.discovery import Discovery
    from oakum.watch.log import Log
    from oakum.watch.watcher import Watcher

    gc.enable()  # it runs for weeks
    _few_arenas()
    screen = _Screen() if sys.stderr.isatty() and not os.environ.get("OAKUM_QUIET") else None
    log = Log(form="json" if form == "json" else "logfmt", before=screen.clear if screen else lambda: None)
    given = {**given, "budget": config.goroutines, "timeout": given["timeout"] or 10.0}
    beside = _Beside(config, screen)
    watcher = Watcher(
        config, Discovery(named), capture_options(given), log, open_channels(config), ticked=beside.ticked
    )

    def remade() -> "Remade":
        config, named = _told(targets, given)
        return config, Discovery(named), open_channels(config)

    # Our own: a shell starts what runs in the background with SIGINT ignored.
    signal.signal(signal.SIGINT, lambda *_: watcher.stop())
    signal.signal(signal.SIGTERM, lambda *_: watcher.stop())
    with suppress(AttributeError):  # not on Windows
        signal.signal(signal.SIGHUP, lambda *_: watcher.reload(remade))
    try:
        beside.start(log)
        watcher.run()
    finally:
        beside.stop()
    return 0


def _few_arenas() -> None:
    """Have glibc share memory among threads: each look has a thread, and what one freed another could not use."""
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)


class _Beside:
    """What goes on beside the watch: the table on a terminal, /metrics and /healthz."""

    def __init__(self, config: "Config", screen: "_Screen | None") -> None:
        from oakum.watch.exporter import Exporter

        host, _, port = config.listen.rpartition(":")
        self._exporter = Exporter(host.strip("[]"), int(port)) if config.listen else None
        self._screen = screen
        self._next = 0.0

    def start(self, log: "Log") -> None:
        if self._exporter is not None:
            port = self._exporter.start()
            log.write("info", "listening", url=f"http://{self._exporter.host}:{port}/metrics")

    def ticked(self, watcher: "Watcher") -> None:
        if self._exporter is not None:
            self._exporter.advance()
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _REFRESH
        if self._screen is not None:
            self._screen.show(watcher)
        if self._exporter is not None:
            from oakum.watch.status import health, statuses

            self._exporter.update(statuses(watcher.subjects.values(), watcher.casework.book), health(watcher))

    def stop(self) -> None:
        if self._screen is not None:
            self._screen.clear()
        if self._exporter is not None:
            self._exporter.stop()


class _Screen:
    """The table at the bottom of a terminal, drawn again now and then; log lines go above it."""

    def __init__(self) -> None:
        self._drawn = 0

    def clear(self) -> None:
        if self._drawn:
            sys.stderr.write(f"\x1b[{self._drawn}A\x1b[J")
            self._drawn = 0

    def show(self, watcher: "Watcher") -> None:
        from oakum.watch.table import lines, rows

        book = watcher.casework.book
        found = rows(watcher.subjects.values(), book)
        summary = f"{len(found)} targets, {watcher.snapshots:,} snapshots, {len(book.open)} open incidents"
        made = [safe(line) for line in lines(found, shutil.get_terminal_size().columns, summary)]
        with suppress(OSError):
            self.clear()
            sys.stderr.write("".join(f"{line}\n" for line in made))
            sys.stderr.flush()
            self._drawn = len(made)

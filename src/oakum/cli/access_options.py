"""Options for running targets: credentials, cluster, time and size limits.

pprof's names for TLS, kubectl's for clusters, curl's -H. Out come an Access and CaptureOptions; secrets stay in them.
"""

import os
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from oakum.model.errors import UsageError
from oakum.regex import regex

if TYPE_CHECKING:
    from oakum.collect.target import CaptureOptions
    from oakum.collect.web.access import Access

# 10s   2m   1h30m   250ms   1d   or plain seconds, as pprof's -timeout: 30
_DURATION = regex(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?|(\d+(?:\.\d+)?)")
_LONGEST = 366 * 86_400.0


class Duration(click.ParamType[float]):
    """A time such as 10s, 2m, 1h30m; a bare number is seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, int | float):
            return float(value)
        found = _DURATION.fullmatch(value)
        if not value or not found:
            self.fail(f"{value}: not a duration; write 10s, 2m or 1h30m", param, ctx)
        days, hours, minutes, seconds, milliseconds, bare = (float(part or 0) for part in found.groups())
        total = bare or days * 86_400 + hours * 3600 + minutes * 60 + seconds + milliseconds / 1000
        if not 0 < total <= _LONGEST:
            self.fail(f"{value}: must be between 1ms and a year", param, ctx)
        return total


DURATION = Duration()
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

# In pprof's manner: (name, metavar or None for a switch, explanation).
LIVE = "Running targets"
STORE = ("store", "DIR", "Store that store:SERVICE@TIME is read from; or set OAKUM_STORE.")
LIVE_FLAGS: tuple[tuple[str, str | None, str], ...] = (
    ("tls_ca", "FILE", "CA certificate that verifies the server."),
    ("tls_cert", "FILE", "Client certificate."),
    ("tls_key", "FILE", "Key of the client certificate."),
    ("tls_server_name", "NAME", "Server name to verify, if it differs from the host in the address."),
    ("token_file", "FILE", "File with the bearer token, read for each request; or set OAKUM_TOKEN."),
    ("header", "HEADER", "Extra request header, 'Name: value'; repeatable."),
    ("timeout", "TIME", "Timeout of one request: 10s, 2m (default 30s)."),
    ("kubeconfig", "FILE", "Kubeconfig; default KUBECONFIG, ~/.kube/config, the pod's service account."),
    ("kube_context", "NAME", "Kubeconfig context."),
    ("namespace", "NAME", "Namespace of pods given without one."),
    ("selector", "LABELS", "Label selector of pods or nodes: app=orders,tier!=test."),
    STORE,
)
_MORE_FLAGS = (
    ("token", "TOKEN", "Bearer token; visible in ps, so prefer OAKUM_TOKEN or --token-file."),
    ("all_namespaces", None, "Pods that match -l in all namespaces."),
)
# As curl and kubectl spell them, in commands where these mean nothing else (list --context, goroutines -n).
_SPELLINGS = {
    "header": ("-H", "--header"),
    "timeout": ("--timeout", "--request-timeout"),
    "kube_context": ("--context", "--kube-context"),
    "namespace": ("-n", "--namespace"),
    "selector": ("-l", "--selector"),
    "all_namespaces": ("-A", "--all-namespaces"),
}


class LiveCommand(click.Command):
    """A command whose help lists the options for running targets apart from its own."""

    apart = frozenset(name for name, _, _ in (*LIVE_FLAGS, *_MORE_FLAGS)) | {
        "snapshots", "every", "budget", "force", "gc", "past",
    }  # fmt: skip

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        params = self.get_params(ctx)
        for title, there in (("Options", False), (LIVE, True)):
            chosen = [p for p in params if isinstance(p, click.Option) and (p.name in self.apart) is there]
            if records := [record for p in chosen if (record := p.get_help_record(ctx))]:
                with formatter.section(title):
                    formatter.write_dl(records)


class _FormerName(click.Option):
    """An option that also answers to its name in earlier releases, which help does not list."""

    former = "--moments"

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        super().add_to_parser(parser, ctx)
        parser.add_option(obj=self, opts=[self.former], dest=self.name, action="store", nargs=self.nargs)


def snapshots_option(explanation: str, default: int | None = None) -> Decorator:
    """Return the option that says how many snapshots are captured."""
    kind = click.IntRange(1, 1000)
    shown = default is not None
    return click.option(
        "--snapshots", cls=_FormerName, type=kind, default=default, show_default=shown, metavar="N", help=explanation
    )


def live_option(name: str, metavar: str | None, explanation: str, *spellings: str) -> Decorator:
    spelled = spellings or (f"--{name.replace('_', '-')}",)
    if metavar is None:
        return click.option(*spelled, name, is_flag=True, help=explanation)
    kind = DURATION if name == "timeout" else str
    return click.option(*spelled, name, metavar=metavar, type=kind, multiple=name == "header", help=explanation)


def live_flags(function: Callable[..., Any]) -> Callable[..., Any]:
    for flag in reversed(LIVE_FLAGS):
        function = live_option(*flag)(function)
    return function


def access_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command all of them but for the store, with the short names of curl and kubectl."""
    for flag in reversed([flag for flag in (*LIVE_FLAGS, *_MORE_FLAGS) if flag is not STORE]):
        function = live_option(*flag, *_SPELLINGS.get(flag[0], ()))(function)
    return function


def guard_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say how much a target is asked for."""
    from oakum.collect.target import DUMP_BUDGET

    options: tuple[Decorator, ...] = (
        click.option(
            "--budget",
            type=click.IntRange(min=0),
            default=DUMP_BUDGET,
            show_default=True,
            metavar="N",
            help="Take the full dump (debug=2, which stops the world) only up to N goroutines.",
        ),
        click.option("--force", is_flag=True, help="Take the full dump regardless of the number of goroutines."),
        click.option("--gc", is_flag=True, help="Run a garbage collection before each heap profile (?gc=1)."),
        click.option(
            "--past",
            type=DURATION,
            default="6h",
            show_default=True,
            metavar="TIME",
            help="Time range read from Prometheus, Pyroscope, Parca and journals.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def access(given: Mapping[str, Any]) -> "Access":
    """Return the credentials that the options name; raise when a file of them is not there."""
    from oakum.collect.web.access import Access

    token = given.get("token") or (None if given.get("token_file") else os.environ.get("OAKUM_TOKEN"))
    made = Access(
        tls_ca=given.get("tls_ca"),
        tls_cert=given.get("tls_cert"),
        tls_key=given.get("tls_key"),
        server_name=given.get("tls_server_name"),
        token=token.strip() if token else None,
        token_file=given.get("token_file"),
        headers=tuple(_header(text) for text in given.get("header") or ()),
        kubeconfig=given.get("kubeconfig"),
        context=given.get("kube_context"),
        namespace=given.get("namespace"),
        selector=given.get("selector"),
        all_namespaces=bool(given.get("all_namespaces")),
    )
    made.check()
    made.secrets()  # known from now on, and written nowhere
    return made


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon:
        raise UsageError("-H: write the header as 'Name: value'")  # not repeated here: it may be a secret
    return name.strip(), value.strip()


def capture_options(given: Mapping[str, Any]) -> "CaptureOptions":
    from oakum.cli.given_files import mistaken
    from oakum.cli.programs import describe
    from oakum.collect.target import DUMP_BUDGET, CaptureOptions

    budget = given.get("budget")
    return CaptureOptions(
        gc=bool(given.get("gc")),
        force=bool(given.get("force")),
        budget=DUMP_BUDGET if budget is None else budget,
        seconds=given.get("timeout") or 30.0,
        past=timedelta(seconds=given.get("past") or 6 * 3600),
        describe=describe,
        mistaken=mistaken,
    )

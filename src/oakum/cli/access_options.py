"""Options that say how a running target is entered, and how it is asked: credentials, the cluster, time and size.

pprof's names for TLS, kubectl's for clusters, curl's -H. Out come an Access and Wishes; secrets stay in them.
"""

import os
import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from oakum.model.errors import UsageError

if TYPE_CHECKING:
    from oakum.collect.target import Wishes
    from oakum.collect.web.access import Access

# 10s   2m   1h30m   250ms   1d   or plain seconds, as pprof's -timeout: 30
_DURATION = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?|(\d+(?:\.\d+)?)")
_LONGEST = 366 * 86_400.0


class Duration(click.ParamType[float]):
    """A time such as 10s, 2m, 1h30m; a bare number is seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, int | float):
            return float(value)
        found = _DURATION.fullmatch(value)
        if not value or not found:
            self.fail(f"{value}: not a time; write 10s, 2m, 1h30m", param, ctx)
        days, hours, minutes, seconds, milliseconds, bare = (float(part or 0) for part in found.groups())
        total = bare or days * 86_400 + hours * 3600 + minutes * 60 + seconds + milliseconds / 1000
        if not 0 < total <= _LONGEST:
            self.fail(f"{value}: from 1ms to a year", param, ctx)
        return total


DURATION = Duration()
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

# In pprof's manner: (name, metavar or None for a switch, explanation).
LIVE = "Targets that run"
LIVE_FLAGS: tuple[tuple[str, str | None, str], ...] = (
    ("tls_ca", "FILE", "Authority that the server's certificate is checked with."),
    ("tls_cert", "FILE", "Certificate that says who you are."),
    ("tls_key", "FILE", "Its key."),
    ("tls_server_name", "NAME", "Name in the server's certificate, where it is not that of the address."),
    ("token_file", "FILE", "Bearer token, read again for each request; or OAKUM_TOKEN in the environment."),
    ("header", "HEADER", "One more header, 'Name: value'; may be repeated."),
    ("timeout", "TIME", "For one request: 10s, 2m; 30s by default."),
    ("kubeconfig", "FILE", "As kubectl's; else KUBECONFIG, ~/.kube/config, the pod's own."),
    ("kube_context", "NAME", "Context of the kubeconfig."),
    ("namespace", "NAME", "Namespace of pods whose word names none."),
    ("selector", "LABELS", "Which pods or nodes: app=orders,tier!=test."),
)
_MORE_FLAGS = (
    ("token", "TOKEN", "Bearer token; ps shows it to everybody here: better OAKUM_TOKEN or --token-file."),
    ("all_namespaces", None, "Pods of all namespaces that -l chooses."),
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
        "moments", "every", "budget", "force", "gc", "past",
    }  # fmt: skip

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        params = self.get_params(ctx)
        for title, there in (("Options", False), (LIVE, True)):
            chosen = [p for p in params if isinstance(p, click.Option) and (p.name in self.apart) is there]
            if records := [record for p in chosen if (record := p.get_help_record(ctx))]:
                with formatter.section(title):
                    formatter.write_dl(records)


def live_option(name: str, metavar: str | None, explanation: str, *spellings: str) -> Decorator:
    """Return the option of one of LIVE_FLAGS."""
    spelled = spellings or (f"--{name.replace('_', '-')}",)
    if metavar is None:
        return click.option(*spelled, name, is_flag=True, help=explanation)
    kind = DURATION if name == "timeout" else str
    return click.option(*spelled, name, metavar=metavar, type=kind, multiple=name == "header", help=explanation)


def live_flags(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of LIVE_FLAGS."""
    for flag in reversed(LIVE_FLAGS):
        function = live_option(*flag)(function)
    return function


def access_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command all of them, with the short names of curl and kubectl."""
    for flag in reversed((*LIVE_FLAGS, *_MORE_FLAGS)):
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
            help="Goroutines up to which the full dump is taken (debug=2, which stops the process meanwhile).",
        ),
        click.option("--force", is_flag=True, help="Take the full dump whatever the number of goroutines."),
        click.option("--gc", is_flag=True, help="Let the target collect garbage before each heap profile (?gc=1)."),
        click.option(
            "--past",
            type=DURATION,
            default="6h",
            show_default=True,
            metavar="TIME",
            help="How far back, of Prometheus, Pyroscope, Parca and journals.",
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
        raise UsageError("-H: a header is written 'Name: value'")  # not repeated here: it may be a secret
    return name.strip(), value.strip()


def wishes(given: Mapping[str, Any]) -> "Wishes":
    """Return what is asked of every target."""
    from oakum.cli.programs import describe
    from oakum.collect.target import DUMP_BUDGET, Wishes

    budget = given.get("budget")
    return Wishes(
        gc=bool(given.get("gc")),
        force=bool(given.get("force")),
        budget=DUMP_BUDGET if budget is None else budget,
        seconds=given.get("timeout") or 30.0,
        past=timedelta(seconds=given.get("past") or 6 * 3600),
        describe=describe,
    )


__all__ = [
    "DURATION",
    "LIVE",
    "LIVE_FLAGS",
    "Duration",
    "LiveCommand",
    "access",
    "access_options",
    "guard_options",
    "live_flags",
    "live_option",
    "wishes",
]

"""oakum list: annotated source of the functions that match, flat and cum per line, as pprof -list; or of a finding."""

import os
from typing import TYPE_CHECKING, Any

import click

from oakum.cli.access_options import LIVE_FLAGS
from oakum.cli.options import ProfileCommand, profile_options, show
from oakum.cli.screen import styled
from oakum.model.errors import SourceNotFound, UsageError
from oakum.model.text import Text

if TYPE_CHECKING:
    from oakum.model import Profile
    from oakum.views.listing import Listing, Routine, Source
    from oakum.views.query import Query


# What goes with --finding; the flags of pprof do not.
_OF_FINDING = frozenset(
    "finding source source_path fetch_source baseline binary context diff lang json output evidence regexp".split()
) | {name for name, _, _ in LIVE_FLAGS}


class _ListCommand(ProfileCommand):
    """With --finding there is no regular expression."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        if any(argument.partition("=")[0] == "--finding" for argument in args[:end]):
            args = ["", *args]
        return super().parse_args(ctx, args)


@profile_options(
    """Examples:

\b
  # source lines with their values
  oakum list 'desk.*remember' -source_path ~/src/quotes heap.pb.gz
  # the same for a binary built elsewhere, by bytes in use
  oakum list main.newPage -source_path ~/src/quotes -inuse_space heap.pb.gz
  # the root cause of a finding, its lines marked
  oakum list --finding 1 --source ~/src/quotes before/ after/
  # from a saved diagnosis; --diff prints only the drafted fix
  oakum list --finding 1 --source ~/src/quotes diagnosis.json

See also: oakum diagnose (the findings), oakum peek (callers).
""",
    click.argument("regexp"),
    click.option(
        "--context", type=click.IntRange(min=0), metavar="N", help="N lines around each line with a value or mark."
    ),
    click.option(
        "--finding", metavar="N", help="Instead of REGEXP: source of this finding (number or id), root cause marked."
    ),
    click.option("--source", multiple=True, metavar="DIR", help="Checkout of the program."),
    click.option("--fetch-source", is_flag=True, help="--finding: download missing source and later releases."),
    click.option("--baseline", multiple=True, metavar="EVIDENCE", help="--finding: evidence of a baseline."),
    click.option("--binary", multiple=True, metavar="FILE", help="--finding: binary, or its build info."),
    click.option("--diff", is_flag=True, help="--finding: only the drafted fix, for git apply."),
    click.option("--lang", type=click.Choice(("en", "zh")), help="--finding: language; default: the locale's."),
    kind=_ListCommand,
)
def command(regexp: str, context: int | None, **given: Any) -> None:
    """Show the source of the functions that match, with flat and cum of each line.

    Source is searched at the path in the profile, in the module cache, vendor directories, GOROOT, GOPATH and below
    -source_path (default: the working directory), also for -trimpath builds and paths of other machines.

    With --finding, EVIDENCE is what oakum diagnose takes, or a diagnosis it saved (-o NAME.json): whole functions are
    shown, the lines of the root cause marked, with the number of goroutines blocked at each line.

    """
    if given["finding"] is not None:
        _of_finding(context, given)
        return
    for name in ("fetch_source", "baseline", "binary", "diff", "lang"):
        if given[name]:
            raise UsageError(f"--{name.replace('_', '-')} needs --finding")
    from oakum.views import listing

    paths = os.pathsep.join(filter(None, (*given["source"], given["source_path"])))
    sources = _Sources(paths, given["trim_path"])

    def strong(text: str) -> str:
        return text if given["output"] else styled(text, "bold")

    show(
        given,
        lambda profile, query: _listing(profile, query, regexp),
        lambda made, look: listing.lines(made, sources.of, context, strong, look.plain),
        lambda made: listing.document(made, sources.of, context),
    )
    if sources.missing and not sources.found:
        raise SourceNotFound(Text("source.nothing-found"))


def _of_finding(context: int | None, given: dict[str, Any]) -> None:
    from oakum.cli.finding import Asked, paths
    from oakum.cli.finding import show as show_finding
    from oakum.cli.live import capture_live

    if strange := [name for name, value in given.items() if value and name not in _OF_FINDING]:
        raise UsageError(f"-{strange[0]} cannot be combined with --finding: a diagnosis uses all of its evidence")
    evidence, baseline = capture_live(given["evidence"], given, beside=given["baseline"], snapshots=2, together=True)
    asked = Asked(
        which=given["finding"],
        evidence=evidence,
        baseline=baseline,
        binary=given["binary"],
        source=(*given["source"], *paths(given["source_path"])),
        fetch=given["fetch_source"],
        context=context,
        diff=given["diff"],
        json=given["json"],
        output=given["output"],
        lang=given["lang"],
    )
    show_finding(asked)


class _Sources:
    """Finds the source of routines and words what there is to say about it."""

    def __init__(self, source_path: str | None, trim_path: str | None) -> None:
        from oakum.collect.code.source import SourceFinder

        self._finder = SourceFinder(
            [p for p in (source_path or "").split(os.pathsep) if p],
            [p for p in (trim_path or "").split(os.pathsep) if p],
        )
        self.found: set[str] = set()
        self.missing: set[str] = set()

    def of(self, routine: "Routine") -> "Source":
        """Return the routine's source, or where it was looked for."""
        from oakum.report.words import say
        from oakum.views.listing import Source, differs

        try:
            file = self._finder.find(routine.function, routine.named)
        except SourceNotFound as error:
            return Source(None, self._why(routine, error), looked=tuple(map(say, error.looked)))
        self.found.add(routine.named)
        # Where pprof finds it, too, the name in the heading says enough.
        plain = file.how == "source path" or file.path == routine.named
        remarks = [] if plain else [f"Source: {file.path} ({file.how})"]
        if file.note:
            remarks.append(f"Note: {file.note}")
        if why := differs(routine, file.lines):
            remarks.append(f"Note: this source differs from that of the running version: {why}")
        return Source(file.lines, tuple(remarks), file.path)

    def _why(self, routine: "Routine", error: SourceNotFound) -> tuple[str, ...]:
        if error.looked and routine.named in self.missing:
            return (f"Error: {routine.named} was not found, see above",)
        self.missing.add(routine.named)
        from oakum.report.words.lines import source_lines

        first, *more = source_lines(error)
        return (f"Error: {first.removeprefix(f'{routine.function}: ')}", *more)


def _listing(profile: "Profile", query: "Query", regexp: str) -> "Listing":
    from oakum.views.listing import listing

    made = listing(profile, query, regexp)
    if made.routines:
        return made
    if made.silent:
        others = ", ".join(t.type for t in profile.sample_types if t.type != made.report.sample_type)
        raise UsageError(
            f"{regexp}: {made.silent} functions match, but none has any {made.report.sample_type} here"
            + (f"; try -sample_index with one of {others}" if others else "")
        )
    anycase = listing(profile, query, f"(?i){regexp}").routines
    like = f"; in another case it would match {anycase[0].function}" if anycase else "; oakum top shows their names"
    raise UsageError(f"no function matches {regexp}{like}")

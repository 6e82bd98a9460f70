"""oakum list: annotated source of the functions that match, flat and cum per line, as pprof -list."""

import os
from typing import TYPE_CHECKING, Any

import click

from oakum.cli.options import profile_options, show
from oakum.cli.screen import styled
from oakum.model.errors import SourceNotFound, UsageError

if TYPE_CHECKING:
    from oakum.model import Profile
    from oakum.views.listing import Listing, Routine, Source
    from oakum.views.query import Query


@profile_options(
    """Examples:

\b
  oakum list 'cache.*Reflector' goroutine.pb.gz
  oakum list main.run -source_path ~/src/app -trim_path /build/app -inuse_space heap.pb.gz
""",
    click.argument("regexp"),
    click.option(
        "--context", type=click.IntRange(min=0), metavar="N", help="Only N lines about each that has a value."
    ),
)
def command(regexp: str, context: int | None, **given: Any) -> None:
    """Show the source of the functions that match, with flat and cum of each line.

    Source is looked for where the profile says, in the module cache, vendor folders, GOROOT, GOPATH, and below
    -source_path (the working directory if not given), also for names of other machines and of -trimpath builds.

    """
    from oakum.views import listing

    sources = _Sources(given["source_path"], given["trim_path"])

    def strong(text: str) -> str:
        return text if given["output"] else styled(text, "bold")

    show(
        given,
        lambda profile, query: _listing(profile, query, regexp),
        lambda made, look: listing.lines(made, sources.of, context, strong, look.plain),
        lambda made: listing.document(made, sources.of, context),
    )
    if sources.missing and not sources.found:
        raise SourceNotFound("no source file was found; the listing says where each was looked for")


class _Sources:
    """Finds the source of routines and words what there is to say about it."""

    def __init__(self, source_path: str | None, trim_path: str | None) -> None:
        from oakum.collect.source import SourceFinder

        self._finder = SourceFinder(
            [p for p in (source_path or "").split(os.pathsep) if p],
            [p for p in (trim_path or "").split(os.pathsep) if p],
        )
        self.found: set[str] = set()
        self.missing: set[str] = set()

    def of(self, routine: "Routine") -> "Source":
        """Return the routine's source, or where it was looked for."""
        from oakum.views.listing import Source, differs

        try:
            file = self._finder.find(routine.function, routine.named)
        except SourceNotFound as error:
            return Source(None, self._why(routine, error), looked=error.looked)
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
        return tuple(f"Error: {str(error).removeprefix(f'{routine.function}: ')}".split("\n"))


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


__all__ = ["command"]

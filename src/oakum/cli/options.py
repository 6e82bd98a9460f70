"""pprof's flags for every view of a profile: declared once, shown in groups, turned into a profile and a query.

One dash or two, underscores or dashes, `-cum` or `-cum=true`: all as pprof's users write them.
"""

import json
import sys
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from oakum.cli.access_options import LIVE, LIVE_FLAGS, live_option
from oakum.cli.screen import colourful, columns_of, remark, safe, shorten, styled, width
from oakum.model.errors import OakumError, UsageError

if TYPE_CHECKING:
    from oakum.model import Profile
    from oakum.views.look import Look
    from oakum.views.query import Query
    from oakum.views.report import Report

# Each is (name, metavar or None for a switch, explanation). Names are pprof's.
_GROUPS: tuple[tuple[str, tuple[tuple[str, str | None, str], ...]], ...] = (
    ("What is counted", (
        ("sample_index", "NAME", "Which value, by name or number."),
        ("inuse_space", None, "Memory in use: -sample_index=inuse_space."),
        ("inuse_objects", None, "Objects in use."),
        ("alloc_space", None, "All memory ever allocated."),
        ("alloc_objects", None, "All objects ever allocated."),
        ("contentions", None, "How often was waited."),
        ("total_delay", None, "How long was waited: -sample_index=delay."),
        ("mean_delay", None, "How long a wait took: -mean -sample_index=delay."),
        ("mean", None, "Divide each value by its sample's first (count)."),
        ("unit", "UNIT", "bytes, MB, ms ...; auto chooses for each value."),
        ("divide_by", "NUMBER", "Divide all values, e.g. by the number of requests."),
    )),
    ("Which samples", (
        ("focus", "REGEXP", "Only stacks with a matching name or file."),
        ("ignore", "REGEXP", "No stacks with a matching name or file."),
        ("tagfocus", "TAG", "Only labels like REGEXP, key=REGEXP or 1kb:2mb."),
        ("tagignore", "TAG", "No labels like these."),
        ("relative_percentages", None, "Percentages of what remains."),
    )),
    ("Which frames", (
        ("show", "REGEXP", "Only matching frames; the stacks close up around them."),
        ("hide", "REGEXP", "No matching frames."),
        ("show_from", "REGEXP", "Leave out what lies above the highest match."),
        ("prune_from", "REGEXP", "Leave out what lies below the lowest match."),
        ("noinlines", None, "Count inlined functions for their callers."),
        ("tagroot", "KEYS", "Put a frame for each of these labels at the root."),
        ("tagleaf", "KEYS", "Put a frame for each of these labels at the leaf."),
        ("tagshow", "REGEXP", "Only labels with a matching key."),
        ("taghide", "REGEXP", "No labels with a matching key."),
    )),
    ("Compare", (
        ("base", "FILE", "Subtract this profile (several are added up)."),
        ("diff_base", "FILE", "Subtract it; percentages are of its total."),
        ("normalize", None, "First scale the profile to the base's total."),
        ("drop_negative", None, "Leave out what became less."),
    )),
    ("How it is listed", (
        ("cum", None, "Sort by cum: the function and all it calls."),
        ("flat", None, "Sort by flat: the function itself (default)."),
        ("nodecount", "N", "Show at most N nodes; 0 is all."),
        ("nodefraction", "FRACTION", "Leave out lighter nodes (default 0.005)."),
        ("edgefraction", "FRACTION", "Leave out lighter calls (default 0.001)."),
        ("trim", None, "-trim=false leaves nothing out."),
        ("functions", None, "One node for each function (default)."),
        ("filefunctions", None, "One node for each function and file."),
        ("files", None, "One node for each file."),
        ("lines", None, "One node for each source line."),
        ("addresses", None, "One node for each address."),
        ("showcolumns", None, "Columns after line numbers."),
        ("call_tree", None, "Keep paths apart (graph only)."),
        ("compact_labels", None, "Leave out the lines about the profile."),
        ("source_path", "PATHS", "Where sources lie; shortens file names."),
        ("trim_path", "PATHS", "Take these prefixes off file names."),
    )),
    (LIVE, LIVE_FLAGS),
    ("Input and output", (
        ("dump", "N", "The Nth of several captures in a file."),
        ("proto", "FILE", "Write it as a profile that pprof opens."),
        ("json", None, "Print values as JSON, in the profile's unit."),
        ("output", "FILE", "Write the text to a file."),
        ("symbolize", "MODE", "Accepted and ignored: names come from the profile."),
    )),
)  # fmt: skip
_SHORTCUTS = {
    "total_delay": "delay", "mean_delay": "delay", "contentions": "contentions", "inuse_space": "inuse_space",
    "inuse_objects": "inuse_objects", "alloc_space": "alloc_space", "alloc_objects": "alloc_objects",
}  # fmt: skip
_GRANULARITIES = ("functions", "filefunctions", "files", "lines", "addresses")
_TYPES: dict[str, type] = {
    "nodecount": int,
    "dump": int,
    "nodefraction": float,
    "edgefraction": float,
    "divide_by": float,
}
_TRUE, _FALSE = ("true", "t", "1", "yes", "y"), ("false", "f", "0", "no", "n")
# What the first four bytes of an executable are: ELF, Mach-O (both orders, fat), PE.
_EXECUTABLES = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xfe\xed\xfa\xcf", b"\xca\xfe\xba\xbe", b"MZ\x90\x00")

# What the help of every view says beside its examples.
_EVIDENCE = """\
EVIDENCE is a profile (protobuf or text), a goroutine dump, a log that holds one, a directory, a bundle or - for
standard input; or what runs: http://HOST:PORT[/debug/pprof/heap], unix://SOCKET, pid:N, kube://pod/NAMESPACE/NAME.
Several are added up. The program that pprof's users name before the profile is passed over. A flag has one dash or two,
and _ or - in its name; -o names a file, --proto keeps what is shown as a profile.
"""
_EXITS = "Exit codes: 0 shown, 2 usage, 4 could not do it: not there, not readable, no answer."

V = TypeVar("V", bound="View")


class View(Protocol):
    """What every view made of a profile has."""

    @property
    def report(self) -> "Report": ...


class ProfileCommand(click.Command):
    """A command with pprof's flags; lists them in groups and takes `-flag=true`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        switches = {name.replace("_", "-") for _, options in _GROUPS for name, metavar, _ in options if metavar is None}
        end = args.index("--") if "--" in args else len(args)
        plain = [_switch(a, switches) if at < end else a for at, a in enumerate(args)]
        return super().parse_args(ctx, [a for a in plain if a is not None])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        params = {param.name: param for param in self.get_params(ctx)}
        common = {name for _, options in _GROUPS for name, _, _ in options}
        mine = [p for p in self.params if isinstance(p, click.Option) and p.name not in common]
        own = [param.get_help_record(ctx) for param in mine]
        if records := [record for record in own if record]:
            with formatter.section("This view"):
                formatter.write_dl(records)
        for title, options in _GROUPS:
            shown = [params[name] for name, _, _ in options if name in params]
            if title == _GROUPS[-1][0]:
                shown += filter(None, [self.get_help_option(ctx)])
            with formatter.section(title):
                formatter.write_dl([record for param in shown if (record := param.get_help_record(ctx))])


def _switch(argument: str, switches: set[str]) -> str | None:
    """Return `--cum=true` as `--cum` and `--cum=false` as nothing; only trim is on unless told otherwise."""
    name, equals, value = argument.removeprefix("--").partition("=")
    name = name.replace("_", "-")
    if not argument.startswith("--") or name not in switches:
        return argument
    value = value.lower()
    if equals and value not in (*_TRUE, *_FALSE):
        raise click.UsageError(f"-{name}={value}: true or false?")
    on = value not in _FALSE
    if name == "trim":
        return None if on else "--trim"
    return f"--{name}" if on else None


def profile_options(
    examples: str, *arguments: Callable[..., Any], kind: type[ProfileCommand] = ProfileCommand
) -> Callable[[Callable[..., None]], click.Command]:
    """Return a decorator that makes a function a command with pprof's flags; `arguments` come before EVIDENCE.

    `examples` stand in its help below the flags, with what holds for every view around them.
    """

    def decorate(function: Callable[..., None]) -> click.Command:
        for _, options in reversed(_GROUPS):
            for name, metavar, explanation in reversed(options):
                function = _option(name, metavar, explanation)(function)
        function = click.argument("evidence", nargs=-1, required=True)(function)
        for argument in reversed(arguments):
            function = argument(function)
        return click.command(cls=kind, epilog=f"{_EVIDENCE}\n{examples}\n{_EXITS}")(function)

    return decorate


def _option(name: str, metavar: str | None, explanation: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    if (name, metavar, explanation) in LIVE_FLAGS:
        return live_option(name, metavar, explanation)
    spellings = ["-o", "--output"] if name == "output" else [f"--{name}"]
    if metavar is None:
        return click.option(*spellings, name, is_flag=True, help=explanation)
    return click.option(
        *spellings,
        name,
        metavar=metavar,
        type=_TYPES.get(name, str),
        multiple=name in ("base", "diff_base"),
        help=explanation,
    )


def load(given: dict[str, Any]) -> "tuple[Profile, Query]":
    """Return the one profile that the arguments and -base name, and what to show of it."""
    from oakum.views.transform import fetched, merge, subtract

    query = query_of(given)
    spare_inputs((given["output"], given["proto"]), (*given["evidence"], *given["base"], *given["diff_base"]))
    base, diff_base = list(filter(None, given["base"])), list(filter(None, given["diff_base"]))
    if base and diff_base:
        raise UsageError("-base and -diff_base both say what to subtract: leave one out")
    if given["normalize"] and not (base or diff_base):
        raise UsageError("-normalize needs -base or -diff_base")
    evidence, subtracted = settled(given, PROFILE)
    profile = merge(_profiles(_without_binary(evidence), given["dump"]))
    if base or diff_base:
        of_base = merge(_profiles(subtracted, None))
        profile = subtract(profile, of_base, diff=bool(diff_base), normalize=given["normalize"])
    return fetched(profile), query


# What is fetched of a running target when a view is asked for and no profile is named: files, best first.
PROFILE = ("heap.pb", "heap", "goroutine.pb", "goroutine")
GOROUTINES = ("goroutine.debug2", "goroutine.pb", "goroutine")


def settled(given: dict[str, Any], only: tuple[str, ...] = ()) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return EVIDENCE and the bases as files: what runs is captured first."""
    from oakum.cli.live import settle

    bases = tuple(filter(None, (*given["base"], *given["diff_base"])))
    return settle(given["evidence"], given, beside=bases, only=only)


def _profiles(arguments: Iterable[str], dump: int | None) -> "list[Profile]":
    from oakum.cli.evidence import one_profile, usable

    return [one_profile(reading, capture.origin) for capture, reading in usable(tuple(arguments), dump)]


def _without_binary(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """Return the arguments without the program that pprof's users name before the profile."""
    if len(arguments) > 1:
        try:
            with Path(arguments[0]).open("rb") as file:
                program = file.read(4) in _EXECUTABLES
        except OSError:
            program = False
        if program:
            remark(f"{arguments[0]} is a program; names come from the profile alone")
            return arguments[1:]
    return arguments


def query_of(given: dict[str, Any]) -> "Query":
    """Return the query that the flags describe."""
    from oakum.views.query import Query

    granularities = [name for name in _GRANULARITIES if given[name]]
    if len(granularities) > 1:
        raise UsageError(f"these exclude one another: {', '.join(f'-{name}' for name in granularities)}")
    if given["cum"] and given["flat"]:
        raise UsageError("these exclude one another: -cum, -flat")
    index = given["sample_index"] or ""
    for shortcut, name in _SHORTCUTS.items():
        if given[shortcut] and index:
            remark(f"several values were asked for; -{shortcut} is ignored")
        elif given[shortcut]:
            index = name
    names = Query.__dataclass_fields__.keys() & given.keys()
    chosen = {name: given[name] for name in names if given[name] not in (None, "")}
    chosen |= {
        "sample_index": index,
        "mean": given["mean"] or given["mean_delay"],
        "trim": not given["trim"],  # the switch is only set by -trim=false
        "sort": "cum" if given["cum"] else "flat",
    }
    if granularities:
        chosen["granularity"] = granularities[0]
    return Query(**chosen)


def show(
    given: dict[str, Any],
    view: "Callable[[Profile, Query], V]",
    lines: "Callable[[V, Look], Iterable[str]]",
    document: Callable[[V], dict[str, Any]],
) -> None:
    """Load what the arguments name and print one view of it, as text or JSON, to the screen or a file."""
    profile, query = load(given)
    made = view(profile, query)
    for text in made.report.remarks:
        remark(text)
    if given["proto"]:
        from oakum.views.report import shown_profile

        write_proto(shown_profile(made.report), given["proto"])
        if given["proto"] == "-":
            return
    if given["json"]:
        write([json.dumps(document(made), indent=2, ensure_ascii=False)], given["output"])
    else:
        write(lines(made, look(on_screen=not given["output"])), given["output"])


def spare_inputs(outputs: Iterable[str | None], inputs: Iterable[str]) -> None:
    """Raise when a file to be written is one of those that are read."""
    for output in filter(None, outputs):
        for given in inputs:
            if output != "-" and Path(output).exists() and Path(given).exists() and Path(output).samefile(given):
                raise UsageError(f"{output} is one of the inputs; name another file to write to")


def write(lines: Iterable[str], path: str | None) -> None:
    """Write lines to a file, or to stdout when there is none."""
    left = iter(lines)
    # Some hundred lines at once: line by line takes twice as long.
    blocks = iter(lambda: "".join(f"{line}\n" for line in islice(left, 500)), "")
    if not path or path == "-":
        sys.stdout.writelines(blocks)
        return
    try:
        with Path(path).open("w", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines(blocks)
    except OSError as error:
        raise unwritten(path, error) from error


def unwritten(path: str, error: OSError) -> OakumError:
    """Return the error that says why a file was not written, and what helps."""
    folder = Path(path).absolute().parent
    helps = "name another place" if folder.is_dir() else f"there is no directory {folder}: mkdir -p {folder}"
    return OakumError(f"{path}: cannot be written: {error.strerror or error}; {helps}")


def write_proto(profile: "Profile", path: str) -> None:
    """Write a profile as pprof protobuf; "-" is stdout, unless that is a terminal."""
    from oakum.views.proto import encode

    if path == "-" and sys.stdout.isatty():
        raise UsageError("--proto -: will not write binary to a terminal; name a file or pipe it")
    data = encode(profile)
    if path == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise unwritten(path, error) from error


def look(*, on_screen: bool = True) -> "Look":
    """Return how text is dressed: shares coloured where there are colours, names cut where the terminal is narrow."""
    from oakum.views.look import Look

    colours = on_screen and colourful()
    columns = width() if on_screen and sys.stdout.isatty() else None

    def share(text: str, value: int, total: int) -> str:
        part = abs(value) / abs(total) if total else 0.0
        return styled(text, "bold") if part >= 0.1 else styled(text, "dim") if part < 0.01 else text

    def name(text: str, taken: int, mark: str) -> str:
        text, mark = safe(text), f" {mark}" if mark else ""
        if columns is not None and taken + columns_of(text) + len(mark) > columns:
            text = shorten(text, max(20, columns - taken - len(mark)))
        return text + mark

    return Look(share=share, name=name, plain=safe) if colours else Look(name=name, plain=safe)


__all__ = [
    "GOROUTINES",
    "PROFILE",
    "ProfileCommand",
    "load",
    "look",
    "profile_options",
    "query_of",
    "settled",
    "show",
    "spare_inputs",
    "unwritten",
    "write",
    "write_proto",
]

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
    ("Sample value", (
        ("sample_index", "NAME", "Sample value, by name or index."),
        ("inuse_space", None, "Memory in use: -sample_index=inuse_space."),
        ("inuse_objects", None, "Objects in use."),
        ("alloc_space", None, "Cumulative allocated memory."),
        ("alloc_objects", None, "Cumulative allocated objects."),
        ("contentions", None, "Number of contentions."),
        ("total_delay", None, "Total delay: -sample_index=delay."),
        ("mean_delay", None, "Mean delay: -mean -sample_index=delay."),
        ("mean", None, "Average: divide by the first sample value (count)."),
        ("unit", "UNIT", "Unit: bytes, MB, ms ...; auto scales each value."),
        ("divide_by", "NUMBER", "Divide all values, e.g. by the number of requests."),
    )),
    ("Filter samples", (
        ("focus", "REGEXP", "Only stacks with a matching name or file."),
        ("ignore", "REGEXP", "Omit stacks with a matching name or file."),
        ("tagfocus", "TAG", "Only samples with this tag: REGEXP, key=REGEXP, 1kb:2mb."),
        ("tagignore", "TAG", "Omit samples with this tag."),
        ("relative_percentages", None, "Percentages relative to the filtered total."),
    )),
    ("Filter frames", (
        ("show", "REGEXP", "Only matching frames."),
        ("hide", "REGEXP", "Omit matching frames."),
        ("show_from", "REGEXP", "Omit frames above the highest match."),
        ("prune_from", "REGEXP", "Omit frames below the lowest match."),
        ("noinlines", None, "Attribute inlined functions to their callers."),
        ("tagroot", "KEYS", "Add a root frame for each of these tags."),
        ("tagleaf", "KEYS", "Add a leaf frame for each of these tags."),
        ("tagshow", "REGEXP", "Only tags with a matching key."),
        ("taghide", "REGEXP", "Omit tags with a matching key."),
    )),
    ("Compare", (
        ("base", "FILE", "Subtract this profile (repeatable; summed)."),
        ("diff_base", "FILE", "Subtract it; percentages relative to its total."),
        ("normalize", None, "Scale the profile to the base's total first."),
        ("drop_negative", None, "Omit negative differences."),
    )),
    ("Presentation", (
        ("cum", None, "Sort by cum (function and callees)."),
        ("flat", None, "Sort by flat (function alone; default)."),
        ("nodecount", "N", "Show at most N nodes; 0 shows all."),
        ("nodefraction", "FRACTION", "Hide nodes below this fraction (default 0.005)."),
        ("edgefraction", "FRACTION", "Hide edges below this fraction (default 0.001)."),
        ("trim", None, "-trim=false shows all nodes and edges."),
        ("functions", None, "Aggregate by function (default)."),
        ("filefunctions", None, "Aggregate by function and file."),
        ("files", None, "Aggregate by file."),
        ("lines", None, "Aggregate by source line."),
        ("addresses", None, "Aggregate by address."),
        ("showcolumns", None, "Show column numbers."),
        ("call_tree", None, "One node per call path (graph only)."),
        ("compact_labels", None, "Omit the header lines."),
        ("source_path", "PATHS", "Search path of source files."),
        ("trim_path", "PATHS", "Prefixes to trim from file names."),
    )),
    (LIVE, LIVE_FLAGS),
    ("Input and output", (
        ("dump", "N", "Use the Nth dump or profile of a file."),
        ("proto", "FILE", "Write the result as pprof protobuf."),
        ("json", None, "Print JSON, in the profile's unit."),
        ("output", "FILE", "Write to FILE instead of stdout."),
        ("symbolize", "MODE", "Ignored: symbols come from the profile."),
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
_SHORT = {"output": "-o", "nodecount": "-n"}
_TRUE, _FALSE = ("true", "t", "1", "yes", "y"), ("false", "f", "0", "no", "n")
# What the first four bytes of an executable are: ELF, Mach-O (both orders, fat), PE.
_EXECUTABLES = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xfe\xed\xfa\xcf", b"\xca\xfe\xba\xbe", b"MZ\x90\x00")

# What the help of every view says beside its examples.
_EVIDENCE = """\
EVIDENCE is a profile (protobuf or text), a goroutine dump, a log that contains one, a directory, a bundle or - for
standard input; or a running target: http://HOST:PORT[/debug/pprof/heap], unix://SOCKET, pid:N,
kube://pod/NAMESPACE/NAME. Several profiles are merged. A binary named before the profile, as for pprof, is ignored.
Flags take one dash or two, and _ or - in their names.
"""
_EXITS = "Exit codes: 0 shown, 2 usage error, 4 failed (not found, unreadable, no answer)."

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
            with formatter.section("Options"):
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
        raise click.UsageError(f"-{name}={value}: must be true or false")
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
    spellings = [*([_SHORT[name]] if name in _SHORT else []), f"--{name}"]
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
        raise UsageError("-base and -diff_base exclude each other")
    if given["normalize"] and not (base or diff_base):
        raise UsageError("-normalize needs -base or -diff_base")
    evidence, subtracted = captured_evidence(given, PROFILE)
    profile = merge(_profiles(_without_binary(evidence), given["dump"]))
    if base or diff_base:
        of_base = merge(_profiles(subtracted, None))
        profile = subtract(profile, of_base, diff=bool(diff_base), normalize=given["normalize"])
    return fetched(profile), query


# What is fetched of a running target when a view is asked for and no profile is named: files, best first.
PROFILE = ("heap.pb", "heap", "goroutine.pb", "goroutine")
GOROUTINES = ("goroutine.debug2", "goroutine.pb", "goroutine")


def captured_evidence(given: dict[str, Any], only: tuple[str, ...] = ()) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return EVIDENCE and the bases as files: what runs is captured first."""
    from oakum.cli.live import capture_live

    bases = tuple(filter(None, (*given["base"], *given["diff_base"])))
    return capture_live(given["evidence"], given, beside=bases, only=only)


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
    names = given.keys() & set(Query.__struct_fields__)
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

"""oakum diff: what changed between two or more captures, oldest first, in absolute numbers."""

import json
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import click

from oakum.cli.options import profile_options, query_of, spare_inputs, write, write_proto
from oakum.cli.screen import remark, safe, shorten, styled, width
from oakum.model.errors import UsageError

if TYPE_CHECKING:
    from oakum.assemble.snapshots import Gathered
    from oakum.cli.evidence import Chosen
    from oakum.views.diff import Change, Difference

_ON_SCREEN = 25
_STYLE = {"new": ("magenta", "bold"), "grown": ("red",), "gone": ("cyan",), "shrunk": ("green",), "same": ("dim",)}


@profile_options(
    """Examples:

\b
  # which goroutines are new, gone, grown
  oakum diff before.txt after.txt
  # every kind of profile that both snapshots have
  oakum diff before/ after/
  # three snapshots of the heap, by line
  oakum diff heap-09h.pb.gz heap-10h.pb.gz heap-11h.pb.gz --by line

See also: oakum diagnose (is it a leak, and why), oakum flame -diff_base (as a flame graph).
""",
    click.option(
        "--by",
        metavar="KEYS",
        help="Group goroutines by state, place, function, creator, stack; profiles by function, line, file, stack.",
    ),
    click.option("--limit", type=click.IntRange(min=0), help="Show this many rows; 0 shows all."),
    click.option("--same", is_flag=True, help="Also show unchanged rows."),
)
def command(by: str | None, limit: int | None, same: bool, **given: Any) -> None:
    """Show what is new, gone, grown or shrunk between snapshots, oldest first.

    A file is a snapshot, and so is a directory, or each directory in one. Goroutine formats may be mixed; profiles are
    compared kind by kind. Numbers are absolute: before, after, change. -base and -diff_base name the first snapshot.
    """
    from oakum.cli.evidence import snapshots
    from oakum.cli.live import capture_live

    if given["normalize"]:
        raise UsageError("diff shows absolute numbers; use -normalize with -base in top, tree or flame")
    evidence = (*given["base"], *given["diff_base"], *given["evidence"])
    spare_inputs((given["output"], given["proto"]), evidence)
    evidence, _ = capture_live(evidence, given)
    series = snapshots(evidence)
    if len(series) < 2 and (len(evidence) < 2 or not series):
        raise UsageError(
            f"diff needs at least two snapshots; {', '.join(evidence)} holds {len(series)}: oakum diff BEFORE AFTER"
        )
    common = set.intersection(*(one.slots for one in series))
    if not common and all(any(kind.startswith("goroutine") for kind in one.slots) for one in series):
        common = {"goroutine"}
    if not common or len(series) < 2:
        kinds = sorted({kind for one in series for kind in one.slots})
        raise UsageError(
            f"these captures have no kind in common: {', '.join(kinds)}; oakum inspect shows the kind of each"
        )
    _tell_programs(series)
    if given["proto"] and len(common) > 1:
        shared = ", ".join(sorted(common))
        raise UsageError(f"--proto writes one kind of profile, and these snapshots share {shared}; name the files")
    documents: list[dict[str, object]] = []
    for number, kind in enumerate(sorted(common, key=lambda kind: (not kind.startswith("goroutine"), kind))):
        difference = _compare(series, kind, by, given)
        if given["proto"] == "-":
            return
        rows = [row for row in difference.rows if same or row.change]
        if given["json"]:
            documents.append(_document([one.label for one in series], difference, rows))
        else:
            click.echo("\n" * bool(number), nl=False)
            most = limit if limit is not None else given["nodecount"]
            _show([one.label for one in series], difference, rows, most, given["unit"] or "auto")
    if given["json"]:
        everything = documents[0] if len(documents) == 1 else {"view": "diff", "kinds": documents}
        write([json.dumps(everything, indent=2, ensure_ascii=False)], given["output"])


def _tell_programs(series: "list[Gathered]") -> None:
    """Say that snapshots are of different programs: what one has and the other lacks is then no change."""
    from oakum.assemble.runs import are_programs

    for before, after in pairwise(series):
        binaries = {one.identity.binary for one in (before, after)} - {""}
        if len(binaries) > 1 or are_programs(before, after):
            names = [one.identity.binary or one.identity.main or "?" for one in (before, after)]
            remark(
                f"{before.label} is of {names[0]}, {after.label} of {names[1]}: of two programs the differences are "
                "between them, not over time; name two snapshots of one"
            )


def _compare(series: "list[Gathered]", kind: str, by: str | None, given: dict[str, Any]) -> "Difference":
    from oakum.cli.evidence import one_goroutines, one_profile
    from oakum.views.diff import of_goroutines, of_profiles
    from oakum.views.goroutine_profile import profile_of
    from oakum.views.goroutines import Wanted, selected
    from oakum.views.transform import subtract

    query = query_of(given)
    of_kind = [_reading(one, kind) for one in series]
    if kind.startswith("goroutine"):
        wanted = Wanted(focus=query.focus, ignore=query.ignore)
        groups = [selected(one_goroutines(reading, capture.origin), wanted) for capture, reading in of_kind]
        if given["proto"]:
            write_proto(subtract(profile_of(groups[-1]), profile_of(groups[0])), given["proto"])
        return of_goroutines(groups, tuple(key.strip() for key in by.split(",")) if by else ())
    profiles = [one_profile(reading, capture.origin) for capture, reading in of_kind]
    if given["proto"]:
        from oakum.views.report import report_of, shown_profile
        from oakum.views.transform import fetched

        grown = subtract(profiles[-1], profiles[0])
        write_proto(shown_profile(report_of(fetched(grown), query)), given["proto"])
    return of_profiles(profiles, query, by or "function")


def _reading(snapshot: "Gathered", kind: str) -> "Chosen":
    """Return what a snapshot has of a kind; of goroutines also those that Go itself found leaked."""
    part = snapshot.best(kind) or next(part for part in snapshot.parts if (part.slot or "").startswith("goroutine"))
    return part.capture, part.reading


def _show(labels: list[str], difference: "Difference", rows: "list[Change]", limit: int | None, unit: str) -> None:
    from oakum.views.measure import scaled_label

    def number(value: int) -> str:
        return f"{value:,}" if difference.unit == "count" else scaled_label(value, difference.unit, unit)

    columns = width()
    totals = " → ".join(number(total) for total in difference.totals)
    change = difference.totals[-1] - difference.totals[0]
    click.echo(f"{styled(difference.measure, 'bold')}  {totals}  ({styled(signed(change, number), 'bold')})")
    if not rows:
        click.echo("Nothing matches." if not difference.rows else "No row changed; --same shows them all.")
        return
    limit = limit if limit is not None else (_ON_SCREEN if columns else 0)
    shown = rows[: limit or None]
    snapshots = len(difference.totals)
    headings = ["change", *(["before", "after"] if snapshots == 2 else [f"#{i + 1}" for i in range(snapshots)])]
    cells = [[signed(row.change, number), *map(number, row.values)] for row in shown]
    widths = [max(len(heading), *(len(row[i]) for row in cells)) for i, heading in enumerate(headings)]
    name_widths = [max(len(row.name[i]) for row in shown) for i in range(len(difference.columns) - 1)]
    click.echo()
    head = "  ".join(f"{heading:>{w}}" for heading, w in zip(headings, widths, strict=True))
    click.echo(styled(f"{head}          {', '.join(difference.columns)}", "dim"))
    room = max(24, (columns or 10_000) - sum(widths) - 2 * len(widths) - 8)
    for row, texts in zip(shown, cells, strict=True):
        left = "  ".join(f"{text:>{w}}" for text, w in zip(texts, widths, strict=True))
        name = "  ".join(f"{part:<{w}}" for part, w in zip(row.name, [*name_widths, 0], strict=True))
        click.echo(f"{left}  {styled(f'{row.kind:<6}', *_STYLE[row.kind])}  {shorten(safe(name), room)}")
    if len(shown) < len(rows):
        rest = sum(row.change for row in rows[len(shown) :])
        click.echo(f"\n... {len(rows) - len(shown):,} more rows ({signed(rest, number)}); -n 0 shows all")
    if snapshots > 2:
        click.echo("\n" + "\n".join(f"#{i + 1} {safe(origin)}" for i, origin in enumerate(labels)))


def signed(value: int, number: Callable[[int], str]) -> str:
    """Return the change with its sign: "+1,084", "-12MB", "0"."""
    return f"+{number(value)}" if value > 0 else number(value)


def _document(labels: list[str], difference: "Difference", rows: "list[Change]") -> dict[str, object]:
    return {
        "view": "diff",
        "inputs": labels,
        "measure": difference.measure,
        "unit": difference.unit,
        "totals": list(difference.totals),
        "rows": [
            {
                **dict(zip(difference.columns, row.name, strict=True)),
                "kind": row.kind,
                "change": row.change,
                "values": list(row.values),
            }
            for row in rows
        ],
    }

"""oakum diff: what changed between two or more captures, oldest first, in absolute numbers."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from oakum.cli.screen import safe, shorten, styled, width
from oakum.model.errors import UsageError

if TYPE_CHECKING:
    from oakum.views.diff import Change, Difference

_ON_SCREEN = 25
_STYLE = {"new": ("magenta", "bold"), "grown": ("red",), "gone": ("cyan",), "shrunk": ("green",), "same": ("dim",)}


@click.command(
    epilog="""Examples:

\b
  oakum diff before.txt after.txt
  oakum diff heap-09h.pb.gz heap-10h.pb.gz heap-11h.pb.gz --by line -sample_index=inuse_space
""",
)
@click.argument("evidence", nargs=-1, required=True)
@click.option("--by", metavar="KEYS",
              help="Goroutines: state, place, function, creator, stack. Profiles: function, line, file.")  # fmt: skip
@click.option("--sample_index", metavar="NAME", help="Which sample type of a profile: inuse_space, alloc_objects ...")
@click.option("--inuse_space", "shortcut", flag_value="inuse_space", help="Same as -sample_index=inuse_space.")
@click.option("--inuse_objects", "shortcut", flag_value="inuse_objects", help="Same as -sample_index=inuse_objects.")
@click.option("--alloc_space", "shortcut", flag_value="alloc_space", help="Same as -sample_index=alloc_space.")
@click.option("--alloc_objects", "shortcut", flag_value="alloc_objects", help="Same as -sample_index=alloc_objects.")
@click.option("--cum", is_flag=True, help="Compare what functions and their callees hold, not the functions alone.")
@click.option("--focus", metavar="REGEXP", help="Only rows that match.")
@click.option("--ignore", metavar="REGEXP", help="Leave out rows that match.")
@click.option("-n", "--limit", type=click.IntRange(min=0), help="Show this many rows; 0 shows all.")
@click.option("--same", is_flag=True, help="Also show what did not change.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
@click.option("--proto", metavar="FILE", help="Write last minus first as a pprof protobuf that go tool pprof opens.")
def command(
    evidence: tuple[str, ...],
    by: str | None,
    sample_index: str | None,
    shortcut: str | None,
    cum: bool,
    focus: str | None,
    ignore: str | None,
    limit: int | None,
    same: bool,
    as_json: bool,
    proto: str | None,
) -> None:
    """Show what is new, gone, grown or shrunk between captures given oldest first.

    Any goroutine formats may be mixed; profiles must be of one kind. Numbers are absolute: before, after, change.
    """
    if len(evidence) < 2:
        raise UsageError("diff needs at least two captures: oakum diff BEFORE AFTER")
    difference = _compare(evidence, by, sample_index or shortcut or "", cum, proto)
    rows = _filtered(difference, focus, ignore, same)
    if as_json:
        click.echo(json.dumps(_document(evidence, difference, rows), indent=2, ensure_ascii=False))
    else:
        _show(evidence, difference, rows, limit)


def _compare(
    evidence: tuple[str, ...], by: str | None, sample_index: str, cum: bool, proto: str | None
) -> "Difference":
    from oakum.cli.evidence import one_goroutines, one_profile, usable
    from oakum.views.diff import of_goroutines, of_profiles
    from oakum.views.query import Query

    moments = usable(evidence)
    if len(moments) < 2:
        raise UsageError(f"diff needs at least two captures, and {evidence[0]} holds one")
    kinds = sorted({reading.kind for _, reading in moments})
    goroutines = all(kind.startswith("goroutine") for kind in kinds)
    if len(kinds) > 1 and not goroutines:
        raise UsageError(f"these captures are of different kinds: {', '.join(kinds)}")
    if proto:
        from oakum.cli.options import write_proto
        from oakum.views.transform import subtract

        first, last = (one_profile(reading, capture.origin) for capture, reading in (moments[0], moments[-1]))
        write_proto(subtract(last, first), proto)
    if goroutines:
        keys = tuple(key.strip() for key in by.split(",")) if by else ()
        return of_goroutines([one_goroutines(reading, capture.origin) for capture, reading in moments], keys)
    profiles = [one_profile(reading, capture.origin) for capture, reading in moments]
    query = Query(sample_index=sample_index, sort="cum" if cum else "flat")
    return of_profiles(profiles, query, by or "function")


def _filtered(difference: "Difference", focus: str | None, ignore: str | None, same: bool) -> "list[Change]":
    from oakum.views.goroutines import pattern

    wanted, unwanted = pattern("-focus", focus), pattern("-ignore", ignore)
    return [
        row
        for row in difference.rows
        if (same or row.change)
        and (wanted is None or any(wanted.search(part) for part in row.name))
        and (unwanted is None or not any(unwanted.search(part) for part in row.name))
    ]


def _show(evidence: tuple[str, ...], difference: "Difference", rows: "list[Change]", limit: int | None) -> None:
    from oakum.views.measure import label

    def number(value: int) -> str:
        return f"{value:,}" if difference.unit == "count" else label(value, difference.unit)

    columns = width()
    totals = " → ".join(number(total) for total in difference.totals)
    change = difference.totals[-1] - difference.totals[0]
    click.echo(f"{styled(difference.measure, 'bold')}  {totals}  ({styled(signed(change, number), 'bold')})")
    if not rows:
        click.echo("No change." if not difference.rows else "No row changed; --same shows them all.")
        return
    limit = limit if limit is not None else (_ON_SCREEN if columns else 0)
    shown = rows[: limit or None]
    moments = len(difference.totals)
    headings = ["change", *(["before", "after"] if moments == 2 else [f"#{i + 1}" for i in range(moments)])]
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
    if moments > 2:
        click.echo("\n" + "\n".join(f"#{i + 1} {safe(origin)}" for i, origin in enumerate(evidence)))


def signed(value: int, number: Callable[[int], str]) -> str:
    """Return the change with its sign: "+1,084", "-12MB", "0"."""
    return f"+{number(value)}" if value > 0 else number(value)


def _document(evidence: tuple[str, ...], difference: "Difference", rows: "list[Change]") -> dict[str, object]:
    return {
        "view": "diff",
        "inputs": list(evidence),
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


__all__ = ["command", "signed"]

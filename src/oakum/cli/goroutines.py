"""oakum goroutines: where they are blocked, for any goroutine format; the `grep | sort | uniq -c` of a dump."""

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from oakum.cli.access_options import LIVE_FLAGS, LiveCommand, live_flags
from oakum.cli.screen import columns_of, remark, safe, shorten, styled, width
from oakum.model.errors import UsageError

if TYPE_CHECKING:
    from oakum.model import Goroutines, Reading
    from oakum.views.goroutines import Row

_ON_SCREEN = 20  # groups that fit a screen; piped output shows all


@click.command(
    epilog="""Examples:

\b
  # blocked on a channel send for ten minutes or more, with stacks
  oakum goroutines dump.txt --state 'chan send' --older 10m --stacks
  # one line per group, for grep and awk, from a running service
  oakum goroutines http://localhost:6060 --by function,state --uniq
  # the last dump in a log
  journalctl -u containerd | oakum goroutines -

EVIDENCE is a goroutine dump (debug=2, debug=1, a panic, SIGQUIT), a goroutine profile, a log that holds one, a
directory, a bundle or - for standard input; or a running target.

Exit codes: 0 shown, 2 usage error, 4 failed.

See also: oakum diff (two snapshots), oakum diagnose (which of them leak), oakum flame --by-state.
""",
    cls=LiveCommand,
)
@click.argument("evidence", nargs=-1, required=True)
@click.option("--by", default="state,place,creator", show_default=True, metavar="KEYS",
              help="Grouping keys, comma-separated. Also: function, package, own, entry, stack, labels.")  # fmt: skip
@click.option("--sort", default="count", show_default=True, metavar="ORDER", help="Sort by count, age, state or place.")
@click.option("--state", metavar="REGEXP", help="Only goroutines in this state, e.g. 'chan send'.")
@click.option("--place", metavar="REGEXP", help="Only those blocked here (function, file or file:line).")
@click.option("--created-by", metavar="REGEXP", help="Only those created by this function.")
@click.option("--focus", metavar="REGEXP", help="Only stacks with a matching frame.")
@click.option("--ignore", metavar="REGEXP", help="Omit stacks with a matching frame.")
@click.option("--label", metavar="REGEXP", help="Only those with a matching label (key=value).")
@click.option("--older", metavar="TIME", help="Only those waiting at least 90s, 10m, 2h ...")
@click.option("--leaked", is_flag=True, help="Only those that the Go runtime marked (leaked).")
@click.option("-n", "--limit", type=click.IntRange(min=0), help="Show this many groups; 0 shows all.")  # fmt: skip
@click.option("--stacks", is_flag=True, help="Show one full stack per group.")
@click.option("--ids", is_flag=True, help="Show the goroutine ids of each group.")
@click.option("--uniq", is_flag=True, help="One line per group, as `sort | uniq -c` prints it.")
@click.option("--dump", type=int, metavar="N", help="Which dump of a file with several, from 1 (default: the last).")
@click.option("--json", "as_json", is_flag=True, help="Print the groups as JSON.")
@click.option("--proto", metavar="FILE", help="Write the result as pprof protobuf; - is standard output.")
@live_flags
def command(
    evidence: tuple[str, ...],
    by: str,
    sort: str,
    older: str | None,
    limit: int | None,
    stacks: bool,
    ids: bool,
    uniq: bool,
    dump: int | None,
    as_json: bool,
    proto: str | None,
    **filters: Any,
) -> None:
    """Show where goroutines are blocked: grouped by location, state and creator, with wait times.

    Reads debug=0, 1 and 2, SIGQUIT and panic dumps, also inside logs. What a format does not contain (debug=1 may
    not tell a channel send from a receive, protobuf has no wait times) is shown as "?".
    """
    from oakum.cli.evidence import one_goroutines, usable
    from oakum.cli.live import capture_live
    from oakum.cli.options import GOROUTINES, spare_inputs
    from oakum.views.goroutines import Row, Wanted, rows, unsaid

    spare_inputs((proto,), evidence)
    live = {name: filters.pop(name) for name, _, _ in LIVE_FLAGS}
    wanted = Wanted(older=_minutes(older), **filters)
    keys = tuple(key.strip() for key in by.split(","))
    documents: list[dict[str, Any]] = []
    shown: list[Row] = []
    evidence, _ = capture_live(evidence, live, only=GOROUTINES)
    for capture, reading in usable(evidence, dump, ("goroutine", "goroutineleak")):
        found = one_goroutines(reading, capture.origin)
        table = rows(found, keys, wanted, sort)
        for text in unsaid(found, wanted):
            remark(f"{capture.origin}: {text}")
        shown += table
        if proto == "-":
            continue
        if as_json:
            documents.append(_document(capture.origin, found, table, stacks))
        elif uniq:
            for row in table[: limit or None]:
                fields = [value or "?" for value in row.key.values()]
                click.echo(f"{row.count:7d} " + safe("\t".join(fields)))
        else:
            _show(capture.origin, reading, found, table, limit, stacks, ids)
    if proto:
        _write_proto(proto, shown, reading)
    if documents:
        everything = documents[0] if len(documents) == 1 else {"view": "goroutines", "inputs": documents}
        click.echo(json.dumps(everything, indent=2, ensure_ascii=False))


def _minutes(text: str | None) -> int | None:
    if text is None:
        return None
    # 90s   10m   2h   1h30m   3d   or plain minutes: 10
    found = re.fullmatch(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?:in)?)?(?:(\d+)s)?|(\d+)", text)
    if not text or not found:
        raise UsageError(f"--older {text}: not a duration; write 90s, 10m, 2h or 1h30m")
    days, hours, minutes, seconds, bare = (int(part or 0) for part in found.groups())
    return bare or days * 1440 + hours * 60 + minutes + seconds // 60


def _show(
    origin: str,
    reading: "Reading",
    found: "Goroutines",
    table: "Sequence[Row]",
    limit: int | None,
    stacks: bool,
    ids: bool,
) -> None:
    columns = width()
    limit = limit if limit is not None else (_ON_SCREEN if columns and not stacks else 0)
    shown = table[: limit or None]
    selected = sum(row.count for row in table)
    noun = "goroutine" if found.total == 1 else "goroutines"
    head = f"{selected:,} {noun}" if selected == found.total else f"{selected:,} of {found.total:,} {noun}"
    facts = [origin, reading.format, reading.go_version or "", f"{reading.taken_at:%F %T}Z" if reading.taken_at else ""]
    groups = "1 group" if len(table) == 1 else f"{len(table):,} groups"
    click.echo(f"{styled(head, 'bold')} in {groups}  ({safe(' · '.join(fact for fact in facts if fact))})")
    if found.missing:
        click.echo(styled(f"{found.missing:,} of {found.declared:,} announced goroutines are missing here", "red"))
    if not table:
        click.echo("Nothing matches; take a filter away, or see all with: oakum goroutines " + safe(origin))
        return
    ages = any(row.longest is not None for row in shown)
    states = "state" in shown[0].key
    state_width = max(5, *(len(row.key["state"] or "?") for row in shown)) if states else 0
    age_width = max(7, *(len(age(row)) for row in shown)) if ages else 0
    count_width = max(5, *(len(f"{row.count:,}") for row in shown))
    indent = " " * (count_width + 2 + (state_width + 2 if states else 0) + (age_width + 2 if ages else 0))
    if columns and columns - len(indent) < 40:  # a narrow terminal: the place gets a line of its own
        indent = "    "
    room = max(20, (columns or 10_000) - len(indent))
    names = [f"{'count':>{count_width}}"]
    names += [f"{'state':<{state_width}}"] if states else []
    names += [f"{'waiting':<{age_width}}"] if ages else []
    click.echo()
    click.echo(styled("  ".join([*names, "where"]), "dim"))
    for row in shown:
        cells = [styled(f"{row.count:>{count_width},}", "bold")]
        if states:
            state = row.key["state"] or "?"
            cells.append(styled(f"{safe(state):<{state_width}}", *_state_style(row)))
        if ages:
            cells.append(f"{age(row):<{age_width}}")
        rest = [_named(name, value, room) for name, value in row.key.items() if name != "state"]
        line = "  ".join(cells)
        if columns_of(line) + 2 > len(indent) and rest:
            click.echo(line.rstrip())
        elif rest:
            click.echo(f"{line}  {rest.pop(0)}")
        else:
            click.echo(line.rstrip())
        for text in rest:
            click.echo(f"{indent}{styled(text, 'dim')}")
        if row.leaked:
            click.echo(f"{indent}{styled(f'{row.leaked:,} marked (leaked) by Go itself', 'red')}")
        if ids and row.ids:
            click.echo(f"{indent}{styled('ids ' + ' '.join(map(str, row.ids)), 'dim')}")
        if stacks:
            for frame in row.stack.frames:
                click.echo(f"{indent}{styled(safe(str(frame)), 'dim')}")
            click.echo()
    if len(shown) < len(table):
        rest_count = sum(row.count for row in table[len(shown) :])
        click.echo(
            f"\n... {len(table) - len(shown):,} more groups with {rest_count:,} goroutines; -n 0 shows all, "
            "--stacks the whole stacks"
        )


def _named(name: str, value: str | None, room: int) -> str:
    text = safe(value or "?")
    if name == "creator":
        text = f"created by {text}" if value else "creator unknown"
    elif name not in ("place", "function", "package"):
        text = f"{name} {text}"
    if len(text) > room and " " in text:  # the function says more than the folder of its file
        function, _, spot = text.rpartition(" ")
        text = f"{function} {spot.replace(chr(92), '/').rpartition('/')[2]}"
    return shorten(text, room)


def _state_style(row: "Row") -> tuple[str, ...]:
    if row.leaked:
        return ("red",)
    return ("magenta",) if (row.key["state"] or "").startswith(("chan", "sync.", "semacquire")) else ("cyan",)


def age(row: "Row") -> str:
    """Return the waiting times of a row for people: "3-57 min", "2 h 5 min"; with how many members name one."""
    if row.longest is None or row.shortest is None:
        return ""
    if row.shortest == row.longest:
        text = _time(row.longest)
    elif row.longest < 120:
        text = f"{row.shortest}-{row.longest} min"
    else:
        text = f"{_time(row.shortest)} - {_time(row.longest)}"
    return text if row.aged == row.count else f"{text} ({row.aged:,} say)"


def _time(minutes: int) -> str:
    if minutes < 120:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {rest} min" if rest else f"{hours} h"
    return f"{hours // 24} d {hours % 24} h"


def _document(origin: str, found: "Goroutines", table: "Sequence[Row]", stacks: bool) -> dict[str, Any]:
    groups = []
    for row in table:
        entry: dict[str, Any] = {
            "count": row.count,
            **row.key,
            "minutes": {"shortest": row.shortest, "median": row.median, "longest": row.longest, "known": row.aged},
            "leaked": row.leaked,
            "ids": row.ids,
            "key": row.stack.key,
        }
        if stacks:
            entry["frames"] = [{"function": f.function, "file": f.file, "line": f.line} for f in row.stack.frames]
        groups.append(entry)
    return {
        "view": "goroutines",
        "origin": origin,
        "total": found.total,
        "declared": found.declared,
        "missing": found.missing,
        "cut": found.cut,
        "groups": groups,
    }


def _write_proto(path: str, table: "Sequence[Row]", reading: "Reading") -> None:
    from oakum.cli.options import write_proto
    from oakum.model import Goroutines
    from oakum.views.goroutine_profile import profile_of

    shown = Goroutines(tuple(group for row in table for group in row.groups))
    write_proto(profile_of(shown, reading.taken_at), path)

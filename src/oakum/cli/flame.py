"""oakum flame: a flame graph as one self-contained page, folded stacks or speedscope JSON."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oakum.cli.options import GOROUTINES, captured_evidence, load, query_of, write_proto
from oakum.cli.picture import chosen_format, free, picture_options, save
from oakum.cli.screen import remark
from oakum.model.errors import UsageError

if TYPE_CHECKING:
    from oakum.model import Profile
    from oakum.views.query import Query
    from oakum.views.report import Report

_ENDINGS = {
    ".html": "html",
    ".htm": "html",
    ".folded": "folded",
    ".txt": "folded",
    ".collapsed": "folded",
    ".json": "speedscope",
}
_NAMES = {"html": "flame.html", "speedscope": "flame.speedscope.json"}


@picture_options(
    """Examples:

\b
  # writes flame.html; ? lists its keys
  oakum flame heap.pb.gz
  # coloured by growth
  oakum flame -diff_base before.pb.gz after.pb.gz -o leak.html
  # goroutines by their state
  oakum flame --by-state dump.txt -o stuck.html
  # for other tools
  oakum flame --format folded cpu.pb.gz | flamegraph.pl > cpu.svg

See also: oakum graph (boxes and arrows), oakum top (the same numbers as a table).
""",
    ("html", "folded", "speedscope"),
    click.option("--by-state", "by_state", is_flag=True, help="Goroutines: add the state as the root frame."),
)
def command(**given: Any) -> None:
    """Draw a flame graph: a self-contained page, folded stacks or speedscope JSON.

    The page is self-contained: search, zoom, invert, keyboard (press ?). With -base or -diff_base frames are coloured
    by growth. Without -o it is written to flame.html, or to the pipe.
    """
    from oakum.views import flame_page, folded, speedscope
    from oakum.views.flame import stack_rows
    from oakum.views.query import sample_index
    from oakum.views.report import report_of, shown_profile

    kind = chosen_format(given, _ENDINGS, "speedscope" if given["json"] else "html")
    output = given["output"]
    if not output and sys.stdout.isatty():
        output = _NAMES.get(kind)  # folded stacks are text: they may go to the terminal
    free(output, given["force"])
    profile, query = _by_state(given) if given["by_state"] else load(_compared(given))
    if query.mean:
        raise UsageError("-mean: a flame graph sums values, and means cannot be summed; use oakum top -mean")
    report = report_of(profile, query)
    for text in report.remarks:
        remark(text)
    shown = shown_profile(report)
    if given["proto"]:
        write_proto(shown, given["proto"])
    index = sample_index(profile, query.sample_index)
    rows = stack_rows(shown, query)
    title = _title(given, profile.kind)
    if kind == "folded":
        save((f"{line}\n" for line in folded.lines(rows, index)), output)
    elif kind == "speedscope":
        save(speedscope.pieces(rows, title, index), output)
    else:
        options = {} if given["nodefraction"] is None else {"smallest": given["nodefraction"]}
        if not query.trim:
            options = {"smallest": 0.0}
        labels = f"{query.tagroot},{query.tagleaf}".split(",")
        facts = _facts(report)
        save([flame_page.page(rows, title, facts, index, labels=[key for key in labels if key], **options)], output)


def _compared(given: dict[str, Any]) -> dict[str, Any]:
    """Return the flags with -base taken for -diff_base, which keeps both sides: the graph shows now and before."""
    if given["base"] and not given["diff_base"]:
        return {**given, "base": (), "diff_base": given["base"]}
    return given


def _by_state(given: dict[str, Any]) -> "tuple[Profile, Query]":
    """Return goroutines of any format as a profile whose first frame is their state."""
    from msgspec.structs import replace

    from oakum.cli.evidence import one_goroutines, usable
    from oakum.model.goroutine import STATE_LABEL
    from oakum.views.goroutine_profile import profile_of
    from oakum.views.transform import fetched, merge, subtract

    def profiles(arguments: tuple[str, ...], dump: int | None) -> "list[Profile]":
        chosen = usable(arguments, dump)
        return [profile_of(one_goroutines(r, c.origin), r.taken_at) for c, r in chosen]

    query = query_of(given)
    query = replace(query, tagroot=",".join(filter(None, (STATE_LABEL, query.tagroot))))
    evidence, base = captured_evidence(given, GOROUTINES)
    profile = merge(profiles(evidence, given["dump"]))
    if base:
        profile = subtract(profile, merge(profiles(base, None)), diff=True, normalize=given["normalize"])
    return fetched(profile), query


def _title(given: dict[str, Any], kind: str) -> str:
    names = [Path(origin).name or origin for origin in given["evidence"]]
    base = [Path(origin).name or origin for origin in (*given["base"], *given["diff_base"])]
    title = f"{kind}: {', '.join(names[:3])}{' ...' if len(names) > 3 else ''}"
    return f"{title} against {', '.join(base)}" if base else title


def _facts(report: "Report") -> list[str]:
    """Return the lines below the graph: what pprof prints above its lists."""
    from oakum.views.query import active_filters
    from oakum.views.report import profile_headings

    facts = profile_headings(report, "auto")
    return [*(fact for fact in facts if not fact.startswith("Type: ")), *active_filters(report.query)]

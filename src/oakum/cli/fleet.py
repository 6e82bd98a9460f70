"""oakum fleet: profiles of many services in, those that leak out, ranked. Exit 0 done; explain: as diagnose."""

import json
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oakum.cli.access_options import DURATION, live_option
from oakum.cli.outputs import Manner, Output, lang_option, language, page_look, rendered, write
from oakum.cli.screen import Progress, remark, safe
from oakum.cli.stored import store_directory
from oakum.model import StoreError, Text, UsageError

if TYPE_CHECKING:
    from oakum.fleet.service import Answer
    from oakum.fleet.sources import Found

_STORE = ("store", "DIR", "Directory of the store; or set OAKUM_STORE.")
_PATTERN = "{service}/{profile}-{time}.pb.gz"
_TOLD = 12  # files that are set aside, each in a line
_PIECES = 2000  # of maintenance after an ingest: ends, whatever a clock says


@click.group(
    epilog="""Examples:

\b
  # a tree of profiles: orders/goroutine-2026-11-19T10:15:00Z.pb.gz
  oakum fleet ingest --store fleet/ profiles/
  # of replicas: --pattern '{service}/{replica}/{profile}-{time}.pb.gz'
  # which services leak, since which build, at what cost
  oakum fleet rank --store fleet/
  oakum fleet rank --store fleet/ --json
  # why one of them does
  oakum fleet explain orders --store fleet/

Exit codes: 0 done, 2 usage error, 4 failed; explain also 1 leaking, 3 inconclusive.

See also: oakum history (the same store), oakum serve.
""",
    short_help="Rank thousands of services by what they leak.",
)
def command() -> None:
    """Find which of many services leak, from the profiles that were collected of them: since which build, why, at what
    cost.

    Every profile is summarised and kept in a store, the same as that of oakum watch. Only the services in which
    something grows are diagnosed, once for each evidence.
    """


@command.command("ingest")
@click.argument("sources", nargs=-1, required=True, metavar="IN...")
@live_option(*_STORE)
@click.option(
    "--pattern",
    default=_PATTERN,
    show_default=True,
    metavar="PATTERN",
    help="What paths below IN say: {service}, {replica}, {zone}, {build}, {profile} (goroutine, heap ...), {time} "
    "(RFC 3339 or Unix); * is any part of a name, ** any folders.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON (schema oakum.fleet-ingest/1).")
@lang_option
def ingest(sources: tuple[str, ...], store: str | None, pattern: str, as_json: bool, lang: str | None) -> int:
    """Add profiles to a store, each once, in any order.

    A profile that is cut or damaged is set aside with the reason; what is in the store already is left out.
    """
    from oakum.fleet.ingest import ingest as take_in
    from oakum.fleet.pattern import PathPattern
    from oakum.fleet.sources import directory, read_file
    from oakum.store import open_writer

    spoken, place = lang or language(), store_directory(store)
    compiled = PathPattern(pattern)
    found = [directory(source, compiled) for source in sources]
    _fitting(found, sources, pattern, spoken)
    now = round(time.time() * 1e6)
    progress = Progress("fleet", spoken)
    with open_writer(place) as writer:
        try:
            entries = [entry for one in found for entry in one.entries]
            done = take_in(writer, entries, read_file, now, lambda at: progress.at(f"{at:,} / {len(entries):,}"))
            for _ in range(_PIECES):
                if not writer.maintain(now).more:
                    break
        finally:
            progress.done()
    done.passed += sum(one.passed for one in found)
    if as_json:
        aside = [{"name": name, "why": _said(why, "en")} for name, why in done.aside]
        told = {"schema": "oakum.fleet-ingest/1", "store": str(place), **done.words(), "set_aside": aside}
        write(json.dumps(told, ensure_ascii=False, indent=2) + "\n", None)
        return 0
    for name, why in done.aside[:_TOLD]:
        remark(_word("fleet.set-aside", spoken, name=name, why=_said(why, spoken)))
    if len(done.aside) > _TOLD:
        remark(_word("count.more", spoken, count=len(done.aside) - _TOLD))
    click.echo(safe(_word("fleet.ingested", spoken, store=str(place), **done.words())))
    return 0


def _fitting(found: "list[Found]", sources: tuple[str, ...], pattern: str, lang: str) -> None:
    """Tell what does not fit the pattern; raise where nothing does."""
    for source, one in zip(sources, found, strict=True):
        if not one.unmatched:
            continue
        args = {"pattern": pattern, "name": min(one.unmatched)}
        if not one.entries and not one.passed:
            raise StoreError(Text("fleet.nothing", {"path": source, **args}))
        remark(_word("fleet.unmatched", lang, count=len(one.unmatched), **args))


@command.command("rank")
@live_option(*_STORE)
@click.option(
    "--past", type=DURATION, default="30d", show_default=True, metavar="TIME", help="How far back growth is looked for."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON (schema oakum.fleet/1).")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV, one line for each service.")
@click.option("-o", "--output", metavar="FILE", help="Write to FILE instead: .html, .json, .csv or .txt.")
@click.option(
    "--source", multiple=True, metavar="DIR", help="Source of the services: causes are read in it. Repeatable."
)
@lang_option
def rank(
    store: str | None,
    past: float,
    as_json: bool,
    as_csv: bool,
    output: str | None,
    source: tuple[str, ...],
    lang: str | None,
) -> int:
    """Rank all services, worst first: leaking ones by the memory that they lose per hour.

    Services in which something grows are diagnosed now, if they were not yet with the evidence that there is.
    """
    from oakum.report import fleet as report

    form = _form(output, as_json, as_csv)
    spoken = lang or language()
    ranking = _answer(store, past, source, spoken).ranking
    if form == "json":
        text = json.dumps(report.document(ranking), ensure_ascii=False, indent=2) + "\n"
    elif form == "csv":
        text = report.table(ranking)
    elif form == "html":
        text = report.page(ranking, spoken)
    else:
        text = report.render(ranking, page_look(spoken, output))
    write(text, output)
    return 0


def _form(output: str | None, as_json: bool, as_csv: bool) -> str:
    if as_json and as_csv:
        raise UsageError("--json and --csv: choose one")
    if as_json or as_csv:
        return "json" if as_json else "csv"
    if not output or output == "-":
        return "text"
    forms = {".html": "html", ".htm": "html", ".json": "json", ".csv": "csv", ".txt": "text"}
    form = forms.get(Path(output).suffix.lower())
    if form is None:
        raise UsageError(f"-o {output}: the extension sets the format: .html, .json, .csv or .txt")
    return form


@command.command("explain")
@click.argument("service")
@live_option(*_STORE)
@click.option(
    "--past", type=DURATION, default="30d", show_default=True, metavar="TIME", help="How far back growth is looked for."
)
@click.option(
    "--source", multiple=True, metavar="DIR", help="Source of the service: the cause is read in it. Repeatable."
)
@click.option("--json", "as_json", is_flag=True, help="Print the diagnosis as JSON.")
@lang_option
def explain(
    service: str, store: str | None, past: float, source: tuple[str, ...], as_json: bool, lang: str | None
) -> int:
    """Show the whole diagnosis of one service."""
    from oakum.report import fleet as report
    from oakum.report.fleet import Ranking

    spoken = lang or language()
    answer = _answer(store, past, source, spoken, service)
    rows = tuple(row for row in answer.ranking.rows if row.service == service)
    if not rows:
        names = ", ".join(row.service for row in answer.ranking.rows[:10])
        path = str(store_directory(store))
        raise StoreError(Text("history.no-service", {"path": path, "service": service, "names": names}))
    judged = answer.judged.get(service)
    found = judged.diagnosis if judged is not None else None
    if found is None:
        key = "fleet.no-leak" if judged is None else "fleet.too-little"
        click.echo(safe(_word(key, spoken, service=service)))
        return 0 if judged is None else 3
    if not as_json:
        write(report.render(Ranking(rows), page_look(spoken, None)) + "\n", None)
    write(rendered(found, Output("-", "json" if as_json else "text"), Manner(spoken)), None)
    return {"leaking": 1, "undecided": 3}.get(found.verdict, 0)


def _answer(store: str | None, past: float, source: tuple[str, ...], lang: str, only: str | None = None) -> "Answer":
    """Return the ranking of a store; diagnoses are kept in it where nobody else writes."""
    from oakum.fleet.service import answer
    from oakum.store import StoreBusy, open_reader, open_writer

    place = store_directory(store)
    progress = Progress("fleet", lang)
    with ExitStack() as stack:
        reader = stack.enter_context(open_reader(place))
        for text in reader.problems:
            remark(_said(text, lang))
        writer = None
        with suppress(StoreBusy, StoreError):
            writer = stack.enter_context(open_writer(place, create=False))
        try:
            found = answer(reader, writer, round(past * 1e6), source, only, _shown(progress))
        finally:
            progress.done()
        if writer is None and found.made:
            remark(_word("fleet.unsaved", lang, path=str(place)))
        return found


def _shown(progress: Progress) -> Callable[[str, int, int], None]:
    return lambda service, at, of: progress.at(f"{at:,} / {of:,}", service)


def _word(key: str, lang: str, **args: Any) -> str:
    from oakum.report.words import word

    return word(key, lang, **args)


def _said(text: Text, lang: str) -> str:
    from oakum.report.words import say

    return say(text, lang)

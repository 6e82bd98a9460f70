"""oakum fleet: profiles of many services in, those that leak out, ranked. Exit 0 done; explain: as diagnose."""

import json
import os
import time
from collections.abc import Callable, Sequence
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
    from oakum.fleet.casework import Keeper
    from oakum.fleet.ingest import Ingested
    from oakum.fleet.service import Answer
    from oakum.fleet.sources import Entry, Found, Read
    from oakum.store.shared import Shared

_STORE = ("store", "DIR", "Directory of the store, or s3://BUCKET/PREFIX; or set OAKUM_STORE.")
_QUEUE = ("queue", "URL", "NATS JetStream, nats://HOST:4222: profiles become jobs of workers; or set OAKUM_QUEUE.")
_CREDENTIALS = "NATS_CREDS"  # a file of NATS
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
@live_option(*_QUEUE)
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
def ingest(
    sources: tuple[str, ...], store: str | None, queue: str | None, pattern: str, as_json: bool, lang: str | None
) -> int:
    """Add the profiles of directories, or of s3://BUCKET/PREFIX, to a store, each once, in any order.

    A profile that is cut or damaged is set aside with the reason; what is in the store already is left out. With
    --queue and a store on s3:// profiles are handed to workers (oakum fleet worker).
    """
    from oakum.fleet.pattern import PathPattern
    from oakum.fleet.sources import Reading

    spoken, place = lang or language(), _place(store)
    compiled = PathPattern(pattern)
    reading = Reading()
    found = [reading.find(source, compiled) for source in sources]
    _fitting(found, sources, pattern, spoken)
    entries = [entry for one in found for entry in one.entries]
    progress = Progress("fleet", spoken)
    url = _queue(queue, place)
    try:
        taken = _hand_in if url else _take_in
        done = taken(place, url, entries, reading.read, lambda at: progress.at(f"{at:,} / {len(entries):,}"))
    finally:
        progress.done()
    done.passed += sum(one.passed for one in found)
    if as_json:
        aside = [{"name": name, "why": _said(why, "en")} for name, why in done.aside]
        told = {"schema": "oakum.fleet-ingest/1", "store": place, **done.words(), "set_aside": aside}
        write(json.dumps(told, ensure_ascii=False, indent=2) + "\n", None)
        return 0
    for name, why in done.aside[:_TOLD]:
        remark(_word("fleet.set-aside", spoken, name=name, why=_said(why, spoken)))
    if len(done.aside) > _TOLD:
        remark(_word("count.more", spoken, count=len(done.aside) - _TOLD))
    click.echo(safe(_word("fleet.handed" if url else "fleet.ingested", spoken, store=place, **done.words())))
    return 0


def _take_in(
    place: str, url: str, entries: "Sequence[Entry]", read: "Read", progress: Callable[[int], None]
) -> "Ingested":
    from oakum.fleet.ingest import ingest as take_in
    from oakum.store import open_writer

    del url
    now = round(time.time() * 1e6)
    with open_writer(Path(place)) as writer:
        done = take_in(writer, entries, read, now, progress)
        for _ in range(_PIECES):
            if not writer.maintain(now).more:
                break
    return done


def _hand_in(
    place: str, url: str, entries: "Sequence[Entry]", read: "Read", progress: Callable[[int], None]
) -> "Ingested":
    import asyncio

    from oakum.fleet import jobs
    from oakum.fleet.ingest import Ingested

    done = Ingested(aside=[], services=set())
    shared = _shared(place)

    async def run() -> None:
        async with jobs.queue(url, os.environ.get(_CREDENTIALS, "")) as (_, stream):
            await jobs.hand_in(stream, shared, entries, read, done, progress)

    asyncio.run(run())
    return done


@command.command("worker")
@live_option(*_STORE)
@live_option(*_QUEUE)
@click.option("--until-empty", is_flag=True, help="End when no job is left.")
@lang_option
def worker(store: str | None, queue: str | None, until_empty: bool, lang: str | None) -> int:
    """Summarise profiles that ingesters put into the queue, until SIGTERM. Any number of workers, on any machines.

    What is under way is committed before it ends. Killed, its jobs are given to others, and counted once.
    """
    import asyncio

    from oakum.fleet import jobs

    spoken, place = lang or language(), _place(store)
    url = _queue(queue, place)
    if not url:
        raise UsageError("oakum fleet worker: --queue nats://HOST:4222 and --store s3://BUCKET/PREFIX")
    shared, progress = _shared(place), Progress("fleet", spoken)

    async def run() -> jobs.Worked:
        async with jobs.queue(url, os.environ.get(_CREDENTIALS, "")) as (_, stream):
            return await jobs.work(
                stream, shared, lambda: round(time.time() * 1e6), until_empty=until_empty,
                progress=lambda done: progress.at(f"{done.added:,}"),
            )  # fmt: skip

    try:
        done = asyncio.run(run())
    finally:
        progress.done()
    told = {"added": done.added, "known": done.known, "aside": done.aside, "passed": done.passed}
    click.echo(safe(_word("fleet.worked", spoken, **told)))
    return 0


def _place(store: str | None) -> str:
    """Return the store: a directory, or s3://."""
    given = store or os.environ.get("OAKUM_STORE", "")
    return given if "://" in given else str(store_directory(store))


def _queue(queue: str | None, place: str) -> str:
    """Return the queue that was named; it and a shared store belong together."""
    url = queue or (os.environ.get("OAKUM_QUEUE", "") if "://" in place else "")
    if url and "://" not in place:
        raise UsageError("--queue: workers share a store: --store s3://BUCKET/PREFIX")
    if not url and "://" in place:
        raise UsageError(f"--store {place}: profiles get there through workers: add --queue nats://HOST:4222")
    return url


def _shared(place: str) -> "Shared":
    from oakum.store.shared import Shared, open_objects

    return Shared(open_objects(place), place)


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
        raise StoreError(Text("history.no-service", {"path": _place(store), "service": service, "names": names}))
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

    place = _place(store)
    progress = Progress("fleet", lang)
    with ExitStack() as stack:
        writer: Keeper | None = None
        if "://" in place:
            writer = shared = _shared(place)
            reader = stack.enter_context(shared.mirror(_mirror(place)))
        else:
            reader = stack.enter_context(open_reader(Path(place)))
            with suppress(StoreBusy, StoreError):
                writer = stack.enter_context(open_writer(Path(place), create=False))
        for text in reader.problems:
            remark(_said(text, lang))
        try:
            found = answer(reader, writer, round(past * 1e6), source, only, _shown(progress))
        finally:
            progress.done()
        if writer is None and found.made:
            remark(_word("fleet.unsaved", lang, path=place))
        return found


def _mirror(place: str) -> Path:
    """Return where the parts of a shared store are kept on this machine."""
    from hashlib import blake2b

    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL", "")
    return caches / "oakum" / "fleet" / blake2b(f"{endpoint} {place}".encode(), digest_size=8).hexdigest()


def _shown(progress: Progress) -> Callable[[str, int, int], None]:
    return lambda service, at, of: progress.at(f"{at:,} / {of:,}", service)


def _word(key: str, lang: str, **args: Any) -> str:
    from oakum.report.words import word

    return word(key, lang, **args)


def _said(text: Text, lang: str) -> str:
    from oakum.report.words import say

    return say(text, lang)

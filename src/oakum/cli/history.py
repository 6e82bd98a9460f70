"""oakum history: what a store remembers of services. Works beside the watcher that writes it."""

import json
import time
from typing import TYPE_CHECKING

import click

from oakum.cli.access_options import DURATION, STORE, live_option
from oakum.cli.outputs import lang_option, language, page_look, write
from oakum.cli.screen import remark
from oakum.cli.stored import store_directory
from oakum.model import StoreError, Text

if TYPE_CHECKING:
    from oakum.store.reader import Reader


@click.command(
    epilog="""Examples:

\b
  # every service: verdict, goroutines, live heap, growth, time to the limit
  oakum history --store oakum-store
  # one of them: places that grow, incidents, events
  oakum history orders --store oakum-store
  # for programs
  oakum history --store oakum-store --json

Exit codes: 0 shown, 2 usage error, 4 failed.

See also: oakum diagnose --store DIR SERVICE (the evidence that was kept), oakum store check.
""",
)
@click.argument("service", required=False)
@live_option(*STORE)
@click.option(
    "--past", type=DURATION, default="7d", show_default=True, metavar="TIME", help="How far back charts and places go."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON (schema oakum.history/1).")
@lang_option
def command(service: str | None, store: str | None, past: float, as_json: bool, lang: str | None) -> int:
    """Show what a store remembers: services, since when they grow, when they reach their limit, and incidents.

    With SERVICE also the places in its code by their growth, and what happened to it. Growth per hour is that of the
    last day, within runs: a restart is no decrease.
    """
    from oakum import history as remembered
    from oakum.report.history import History, document, render
    from oakum.store import open_reader

    directory, spoken = store_directory(store), lang or language()
    now = round(time.time() * 1e6)
    with open_reader(directory) as reader:
        services = remembered.services(reader, service, round(past * 1e6))
        if not services:
            raise StoreError(_nothing(reader, service, str(directory)))
        newest = max(one.last_seen for one in services)
        start = remembered.micros(newest) - round(past * 1e6)
        history = History(
            store=str(directory),
            now=max(remembered.instant(now), newest),
            services=tuple(services),
            incidents=tuple(remembered.incidents(reader, service, spoken)),
            places=tuple(remembered.places(reader, service, start)) if service else (),
            events=tuple(remembered.event_of(row, spoken) for row in reader.events(service, start)) if service else (),
        )
        problems = reader.problems
    for text in problems:
        from oakum.report.words import say

        remark(say(text, spoken))
    if as_json:
        write(json.dumps(document(history), ensure_ascii=False, indent=2) + "\n", None)
    else:
        write(render(history, page_look(spoken, None), alone=service is not None), None)
    return 0


def _nothing(reader: "Reader", service: str | None, path: str) -> Text:
    names = reader.services()["service"].tolist()
    if service is None or not names:
        return Text("history.empty", {"path": path})
    return Text("history.no-service", {"path": path, "service": service, "names": ", ".join(names[:10])})

"""oakum report: a saved diagnosis shown again, in any format and language, or derived again from its evidence."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from oakum.cli.outputs import Manner, language, produce, wanted
from oakum.cli.screen import remark
from oakum.model.errors import OakumError, UsageError

if TYPE_CHECKING:
    from oakum.cli.saved_file import SavedFile
    from oakum.model import Diagnosis
    from oakum.report.html.drawing import Drawing


@click.command(
    epilog="""Examples:

\b
  # the page again, on the terminal
  oakum report report.json
  # the same in Chinese, to be opened in a browser
  oakum report report.json --lang zh -o 报告.html
  # a page carries its diagnosis: here it becomes Markdown
  oakum report report.html -o report.md
  # told as an incident
  oakum report --incident report.json -o incident.md
  # is all of it what the evidence says?
  oakum report --recheck report.json
  # the evidence lies elsewhere now
  oakum report --recheck report.html captures/

Exit codes: 0 shown (whatever its verdict is); --recheck: 0 identical, 1 differs; 2 usage, 4 could not do it: no report,
or evidence, source or Go that it was made with is not there.

See also: oakum diagnose -o report.json, which saves one.
""",
)
@click.argument("saved", metavar="SAVED")
@click.argument("evidence", nargs=-1)
@click.option("--recheck", is_flag=True, help="Derive it again from its evidence; any difference is told and fails.")
@click.option("--source", multiple=True, metavar="DIR", help="With --recheck: where the source is that it was read in.")
@click.option(
    "-o",
    "--output",
    multiple=True,
    metavar="FILE",
    help="Write to FILE instead of stdout, as its ending says: .html, .md, .json, .txt, .sarif, .xml (JUnit). "
    "May be repeated.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the diagnosis, or what the recheck found, as JSON.")
@click.option("--incident", is_flag=True, help="Tell it as an incident report: what was seen, why, fix, verification.")
@click.option("--lang", type=click.Choice(("en", "zh")), help="Language of the report; by default that of the locale.")
def command(
    saved: str,
    evidence: tuple[str, ...],
    recheck: bool,
    source: tuple[str, ...],
    output: tuple[str, ...],
    as_json: bool,
    incident: bool,
    lang: str | None,
) -> int:
    """Show a saved diagnosis again, in any format and either language, or check it against its evidence.

    SAVED is what `oakum diagnose -o report.json` wrote, or an HTML page, which carries the same. Nothing is looked up
    to show it: neither evidence nor source is needed. Flame graphs are drawn into a page while the evidence is there.

    With --recheck everything is derived again from the captures that the report names, or from the EVIDENCE given in
    their place, and compared number by number, sentence by sentence; of a page also what it shows.
    """
    from oakum.cli.saved_file import load

    if recheck:
        if output or incident:
            raise UsageError("--recheck compares and writes no report: -o and --incident have no use beside it")
        from oakum.cli.recheck import recheck as derive_again

        return derive_again(load(saved), evidence, source, lang, as_json)
    if evidence or source:
        what = f"--source {source[0]}" if source else evidence[0]
        raise UsageError(f"{what}: a saved diagnosis is shown without its evidence; with --recheck it is compared")
    outputs = wanted(output, as_json=as_json, inputs=(saved,))
    file = load(saved)
    diagnosis = file.diagnosis()
    manner = Manner(lang or language(), incident, "" if saved == "-" else saved)
    produce(diagnosis, outputs, manner, lambda: _pictures(file, diagnosis, manner.lang))
    return 0


def _pictures(file: "SavedFile", diagnosis: "Diagnosis", lang: str) -> "Mapping[str, Drawing]":
    """Return the flame graphs of the evidence, if it is still there, to the byte."""
    from oakum.cli.recheck import case_again
    from oakum.report.words.told import remark_in

    try:
        given = case_again(file, diagnosis)
    except OakumError as error:
        remark(remark_in(f"without flame graphs: {error}", lang))
        return {}
    from oakum.cli.figures import figures

    return figures(given, diagnosis.findings)


__all__ = ["command"]

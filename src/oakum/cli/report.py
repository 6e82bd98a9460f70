"""oakum report: a saved diagnosis shown again, in any format and language, or derived again from its evidence."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from oakum.cli.outputs import Manner, incident_option, lang_option, language, output_option, produce, wanted
from oakum.cli.screen import remark
from oakum.model.errors import OakumError, UsageError

if TYPE_CHECKING:
    from oakum.model import Diagnosis
    from oakum.pipeline.saved import SavedFile
    from oakum.report.html.drawing import Drawing


@click.command(
    epilog="""Examples:

\b
  # print it
  oakum report report.json
  # the same in Chinese, as a page
  oakum report report.json --lang zh -o 报告.html
  # an HTML report contains the diagnosis: convert it to Markdown
  oakum report report.html -o report.md
  # as an incident report
  oakum report --incident report.json -o incident.md
  # verify every number against the evidence
  oakum report --recheck report.json
  # the evidence was moved
  oakum report --recheck report.html captures/

Exit codes: 0 shown, whatever the verdict; --recheck: 0 identical, 1 differs; 2 usage error, 4 failed: not an Oakum
report, or its evidence, source or Go version is missing.

See also: oakum diagnose -o report.json, which saves a diagnosis.
""",
)
@click.argument("saved", metavar="SAVED")
@click.argument("evidence", nargs=-1)
@click.option("--recheck", is_flag=True, help="Recompute it from its evidence; fail on any difference.")
@click.option("--source", multiple=True, metavar="DIR", help="With --recheck: checkout of the source it was made with.")
@output_option
@click.option("--json", "as_json", is_flag=True, help="Print the diagnosis, or the result of --recheck, as JSON.")
@incident_option
@lang_option
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
    """Render a saved diagnosis in any format and language, or verify it against its evidence.

    SAVED is a report.json of `oakum diagnose -o`, or an HTML report, which contains the same JSON. Neither evidence nor
    source is needed; only flame graphs are redrawn from the evidence, if it is still there.

    With --recheck every number and sentence is recomputed from the captures that the report lists, or from EVIDENCE if
    they were moved, and compared; for an HTML report also the page itself.
    """
    from oakum.pipeline.saved import load

    if recheck:
        if output or incident:
            raise UsageError("--recheck writes no report: it excludes -o and --incident")
        file = load(saved)
        if file.compares:
            from oakum.cli.recheck_sides import recheck_sides

            return recheck_sides(file, evidence, lang or language(), as_json)
        from oakum.cli.recheck import recheck as derive_again

        return derive_again(file, evidence, source, lang, as_json)
    if evidence or source:
        what = f"--source {source[0]}" if source else evidence[0]
        raise UsageError(
            f"{what}: a saved diagnosis is shown without its evidence or source; add --recheck to compare them"
        )
    outputs = wanted(output, as_json=as_json, inputs=(saved,))
    file = load(saved)
    if file.compares:
        from oakum.cli.verify_sides import show_saved

        return show_saved(file, outputs, lang or language())
    diagnosis = file.diagnosis()
    manner = Manner(lang or language(), incident, "" if saved == "-" else saved)
    produce(diagnosis, outputs, manner, lambda: _pictures(file, diagnosis, manner.lang))
    return 0


def _pictures(file: "SavedFile", diagnosis: "Diagnosis", lang: str) -> "Mapping[str, Drawing]":
    """Return the flame graphs of the evidence, if it is still there, to the byte."""
    from oakum.cli.recheck import case_again
    from oakum.report.words import word
    from oakum.report.words.lines import error_line

    try:
        given = case_again(file, diagnosis)
    except OakumError as error:
        remark(word("pictures.none", lang, why=error_line(error, lang)))
        return {}
    from oakum.pipeline.figures import figures

    return figures(given, diagnosis.findings)

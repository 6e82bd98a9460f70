"""oakum report --recheck: a saved diagnosis derived again from its evidence, and every difference told.

Exit 0 identical, 1 differs, 4 evidence, source or Go that it was made with is not there.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from oakum import __version__
from oakum.cli.held import Called, Held, called, hold
from oakum.cli.outputs import Manner, html, language, page_look
from oakum.cli.screen import Progress, remark
from oakum.collect.targets import is_live
from oakum.experiment.call_go import find_go
from oakum.model.errors import NotAssembled, Unreadable, UsageError
from oakum.pipeline.saved import SavedFile
from oakum.report.gap_commands import gap_command

if TYPE_CHECKING:
    from oakum.assemble import Input
    from oakum.model import Capture, Case, Diagnosis
    from oakum.report.differences import Difference
    from oakum.report.html.drawing import Drawing
    from oakum.report.recheck import Rechecked

_EXIT = {"identical": 0, "differs": 1, "unsettled": 4}


class _Derived(Struct, frozen=True):
    """A report made again: its document, and the case behind it."""

    document: dict[str, Any]
    case: "Case"


def recheck(saved: SavedFile, evidence: Sequence[str], source: Sequence[str], lang: str | None, as_json: bool) -> int:
    """Derive a report again, print what differs, and return the exit code."""
    for word in evidence:
        if word == "-" or is_live(word):
            raise UsageError(f"{word}: captures are compared with the report, so EVIDENCE is files or directories")
    return tell(rechecked(saved, evidence, source, lang or language()), saved.name, lang or language(), as_json)


def tell(found: "Rechecked", name: str, lang: str, as_json: bool) -> int:
    """Print what a recheck found, and return the exit code."""
    from oakum.report.pen import Pen
    from oakum.report.recheck import document, render

    if as_json:
        click.echo(json.dumps(document(found), indent=2, ensure_ascii=False))
    else:
        again = shlex.join(("oakum", "report", "--recheck", name)) + " EVIDENCE..."
        click.echo(render(found, Pen(page_look(lang, None)), again), nl=False, color=True)
    return _EXIT[found.verdict]


def rechecked(saved: SavedFile, evidence: Sequence[str], source: Sequence[str], lang: str) -> "Rechecked":
    from oakum.report.differences import Difference, counted, differences
    from oakum.report.recheck import Rechecked, set_apart

    report, told = saved.document, saved.diagnosis()
    if not told.called and evidence:
        call = Called(evidence=list(evidence))
    else:
        call = _named(saved, told.called)
    rows = report["inputs"]
    held = hold(rows, call, saved.folder, evidence)
    extra = tuple(capture.origin for capture in _extra(held) if _is_evidence(capture))
    changed = tuple(Difference(origin, before, now) for origin, before, now in held.changed)
    found = Rechecked(
        saved.name,
        held.named,
        missing=held.missing,
        gone=held.gone(call.words),
        changed=changed,
        extra=extra,
        made_by=told.tool,
        tool=__version__,
    )
    if held.missing:
        return _with_page(found, saved.page, told, None)
    derived = _derive(report, call, held, source, lang, told)
    count = counted(derived.document)
    every = differences(_comparable(report), _comparable(derived.document))
    stand, apart = set_apart(every, report, derived.document, go=find_go() is not None)
    stand = tuple(one for one in stand if not _said_already(one, held))
    found = replace(found, numbers=count.numbers, sentences=count.sentences, differences=stand, open=apart)
    return _with_page(found, saved.page, told, derived)


def _named(saved: SavedFile, words: Sequence[str]) -> Called:
    try:
        return called(words)
    except Unreadable as error:
        raise Unreadable(f"{saved.name}: {error}") from error


def _extra(held: Held) -> "list[Capture]":
    """Return what lies beside the captures of a report that it does not name."""
    return [one for found in held.captures.values() for one in found if one.origin in held.extra]


def _is_evidence(capture: "Capture") -> bool:
    """Tell whether a file that came to lie beside the captures is a capture; a report or a note has no part in it."""
    from oakum.pipeline.case import input_of

    return any(one.usable or one.metrics or one.build or one.sockets for one in input_of(capture).readings)


def _derive(
    report: Mapping[str, Any], call: Called, held: Held, source: Sequence[str], lang: str, told: "Diagnosis"
) -> _Derived:
    """Return the report made again from captures under the names that it has for them.

    Tests that it tells of are not run again: nobody asked for that here.
    """
    from oakum.pipeline.diagnosis import Options, diagnose_case
    from oakum.report.json import document
    from oakum.report.words import word

    given = _case(call, held, report)
    if call.fetch:
        remark(word("recheck.fetch", lang))
    how = Options(
        tuple(str(Path(folder).absolute()) for folder in source or map(held.base.joinpath, call.source)),
        call.fetch,
        not call.no_source,
        not call.no_compile,
        here=str(held.base),
    )
    progress = Progress("deriving")
    try:
        done = diagnose_case(given, how, progress.at).diagnosis
    finally:
        progress.done()
    if report.get("trials") and not done.trials:  # of what `oakum verify` compared
        from oakum.pipeline.verification import with_work

        done = with_work(given, done)
    if any(remedy.proof for finding in told.findings for remedy in finding.remedies):
        from oakum.pipeline.proofs import proofs_of, with_proofs

        remark(word("proof.not-again", lang))
        done = with_proofs(done, proofs_of(told.findings))
    done = replace(done, called=tuple(report.get("called", ())))
    return _Derived(json.loads(json.dumps(document(_asked_alike(done, report, given)), ensure_ascii=False)), given)


def _case(call: Called, held: Held, report: Mapping[str, Any]) -> "Case":
    """Return the case that the words of a report name; what they lead to now has the names of then."""
    from oakum.cli.case import as_asked, worded
    from oakum.pipeline.case import assemble_case

    evidence, baseline, builds = (
        [one for word in words for one in _inputs(word, held)] for words in (call.evidence, call.baseline, call.binary)
    )
    words = [str(row.get("given", "")) for row in report["processes"] if isinstance(row, dict)]
    asked = list(dict.fromkeys(word for word in words if is_live(word)))  # captured then, and named by its address
    try:
        return assemble_case(
            as_asked(evidence, asked), baseline, builds, held.unread
        ).case  # its warnings were told the first time
    except NotAssembled as error:
        raise worded(error) from error


def _inputs(word: str, held: Held) -> "list[Input]":
    from oakum.pipeline.case import input_of
    from oakum.pipeline.evidence import below, given_name

    name = given_name(word, held.base)
    captures = [one for one in held.captures.get(word, ()) if one.origin not in held.extra]
    return [input_of(capture, word, below(word, capture.origin), name) for capture in captures]


def case_again(saved: SavedFile, told: "Diagnosis") -> "Case":
    """Return the case that a report was made from; raise where captures are missing or not what they were."""
    call = called(told.called)
    held = hold(saved.document["inputs"], call, saved.folder, ())
    if gone := (*held.missing, *(origin for origin, _, _ in held.changed)):
        more = f" and {len(gone) - 1:,} more of {held.named:,}" if len(gone) > 1 else ""
        raise Unreadable(f"{gone[0]}{more}: not there any more, or not what it was")
    return _case(call, held, saved.document)


def _asked_alike(done: "Diagnosis", report: Mapping[str, Any], given: "Case") -> "Diagnosis":
    """Return the diagnosis with the target that can be asked again, where the report was made from one that ran."""
    addresses = [process.address for process in given.processes if process.address]
    words = [gap["command"].partition("  # ")[0].rpartition(" ")[2].strip("'") for gap in report["gaps"]]
    asked = [
        word
        for word in words
        if is_live(word) and any(word.startswith(one) or one.startswith(word) for one in addresses)
    ]
    if not asked:
        return done
    again, written = replace(done, target=asked[0]), {gap["command"] for gap in report["gaps"]}
    return again if any(gap_command(again, gap) in written for gap in again.gaps) else done


def _comparable(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document without the version that wrote it, which is told apart."""
    return {name: value for name, value in document.items() if name != "tool"}


def _said_already(one: "Difference", held: Held) -> bool:
    """Tell whether a difference says no more than that a capture has another digest, or that one came to lie there."""
    if one.path.startswith("inputs[") and isinstance(one.evidence, dict) and "origin" in one.evidence:
        return one.evidence["origin"] in held.extra
    digests = any(isinstance(side, str) and side.startswith("sha256:") for side in (one.report, one.evidence))
    return bool(held.changed) and digests


def _with_page(found: "Rechecked", page: str | None, told: "Diagnosis", derived: _Derived | None) -> "Rechecked":
    """Return what was found with what the page shows otherwise than the diagnosis that it carries."""
    from oakum.pipeline.figures import figures
    from oakum.report.differences import page_differences
    from oakum.report.html.embedded import kept

    # Without the captures its pictures cannot be drawn again; that those are missing is said.
    if page is None or (derived is None and 'class="drawing"' in page):
        return found
    drawings: Mapping[str, Drawing] = figures(derived.case, told.findings) if derived else {}
    lang, names = "zh" if '<html lang="zh' in page[:2000] else "en", kept(page)
    told_so, as_incident = Manner(lang, kept=names), Manner(lang, incident=True, kept=names)
    manners = [(told_so, drawings), (told_so, {}), (as_incident, {})]
    made: list[str] = []
    for manner, pictures in manners:
        text = html(told, manner, lambda pictures=pictures: pictures)  # type: ignore[misc]
        if text == page:
            return replace(found, paged=True)
        made.append(text)
    best = min((page_differences(page, text) for text in made), key=len)
    return replace(found, page=tuple(best), paged=True, markup=not best and found.made_by == found.tool)

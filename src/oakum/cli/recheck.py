"""oakum report --recheck: a saved diagnosis derived again from its evidence, and every difference told.

Exit 0 identical, 1 differs, 4 evidence, source or Go that it was made with is not there.
"""

import io
import json
import os
import shlex
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir, redirect_stderr
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oakum import __version__
from oakum.cli.diagnose import asked_again, named
from oakum.cli.laid_out import Called, Held, called, hold, lay_out
from oakum.cli.outputs import Manner, html, language, page_look
from oakum.cli.saved_file import SavedFile
from oakum.cli.screen import Progress, remark
from oakum.collect.targets import is_live
from oakum.model.errors import OakumError, Unreadable, UsageError

if TYPE_CHECKING:
    from oakum.model import Case, Diagnosis, Gap
    from oakum.report.differences import Difference
    from oakum.report.html.drawing import Drawing
    from oakum.report.recheck import Rechecked

_EXIT = {"identical": 0, "differs": 1, "unsettled": 4}


@dataclass(frozen=True, slots=True)
class _Derived:
    """A report made again: its document, with the names of the one it is held against, and the case behind it."""

    document: dict[str, Any]
    case: "Case"
    renamed: Callable[[str], str]  # text with paths of here -> the same with those of the report


def recheck(saved: SavedFile, evidence: Sequence[str], source: Sequence[str], lang: str | None, as_json: bool) -> int:
    """Derive a report again, print what differs, and return the exit code."""
    from oakum.report.pen import Pen
    from oakum.report.recheck import document, render

    for word in evidence:
        if word == "-" or is_live(word):
            raise UsageError(f"{word}: captures are compared with the report, so EVIDENCE is files or directories")
    found = _rechecked(saved, evidence, source)
    if as_json:
        click.echo(json.dumps(document(found), indent=2, ensure_ascii=False))
    else:
        again = shlex.join(("oakum", "report", "--recheck", saved.name)) + " EVIDENCE..."
        click.echo(render(found, Pen(page_look(lang or language(), None)), again), nl=False, color=True)
    return _EXIT[found.verdict]


def _rechecked(saved: SavedFile, evidence: Sequence[str], source: Sequence[str]) -> "Rechecked":
    from oakum.report.differences import Difference, counted, differences
    from oakum.report.recheck import Rechecked, set_apart

    report, told = saved.document, saved.diagnosis()
    if not told.called and evidence:
        call = Called(evidence=list(evidence))
    else:
        call = _named(saved, told.called)
    rows = report["inputs"]
    held = hold(rows, call, saved.folder, evidence)
    extra = tuple(name for name in held.extra if _is_evidence(name, held))
    changed = tuple(Difference(origin, before, now) for origin, before, now in held.changed)
    found = Rechecked(
        saved.name,
        held.captures,
        missing=held.missing,
        gone=held.gone(call.words),
        changed=changed,
        extra=extra,
        made_by=told.tool,
        tool=__version__,
    )
    if held.missing:
        return _with_page(found, saved.page, told, None)
    with tempfile.TemporaryDirectory(prefix="oakum-recheck-") as top:
        derived = _derive(report, call, held, source, Path(os.path.realpath(top)))
        count = counted(derived.document)
        every = differences(_comparable(report), _comparable(derived.document))
        stand, apart = set_apart(every, report, derived.document, go=shutil.which("go") is not None)
        stand = tuple(one for one in stand if not _said_already(one, held))
        found = replace(found, numbers=count.numbers, sentences=count.sentences, differences=stand, open=apart)
        return _with_page(found, saved.page, told, derived)


def _named(saved: SavedFile, words: Sequence[str]) -> Called:
    try:
        return called(words)
    except Unreadable as error:
        raise Unreadable(f"{saved.name}: {error}") from error


def _is_evidence(origin: str, held: Held) -> bool:
    """Tell whether a file that came to lie beside the captures is a capture; a report or a note has no part in it."""
    from oakum.cli.evidence import read

    word = next(word for word in held.roots if origin == word or origin.startswith(f"{word.rstrip('/')}/"))
    path = held.roots[word].rstrip("/") + origin[len(word.rstrip("/")) :]
    found = [reading for item in read((path,), lambda _: None) for reading in item.readings]
    return any(one.usable or one.metrics or one.build or one.sockets for one in found)


def _derive(report: Mapping[str, Any], call: Called, held: Held, source: Sequence[str], top: Path) -> _Derived:
    """Return the report made again from captures laid out as they were."""
    from oakum.cli.with_source import Reading, read
    from oakum.report.json import document

    given = _case(report["inputs"], call, held, top)
    folders = list(source) or [str(held.base / folder) for folder in call.source]
    if call.fetch:
        remark("the report was made with --fetch-source: the Go module proxy is asked again")
    progress = Progress("deriving it again:")
    try:
        with chdir(held.base):
            how = Reading(
                tuple(str(Path(folder).absolute()) for folder in folders),
                call.fetch,
                not call.no_source,
                not call.no_compile,
            )
            done = read(given, how, progress.at).diagnosis
    finally:
        progress.done()
    done = named(done, tuple(_placed(word, top) for word in report.get("called", ())))
    renamed = _renaming(top, call, held, folders)
    document_ = json.loads(renamed(json.dumps(document(_asked_alike(done, report, given)), ensure_ascii=False)))
    return _Derived(document_, given, renamed)


def _case(rows: Sequence[Mapping[str, Any]], call: Called, held: Held, top: Path) -> "Case":
    """Return the case that the words of a report name, its captures laid out below `top`."""
    from oakum.cli.case import case

    here = lay_out(held, rows, top)
    groups = (call.evidence, call.baseline, call.binary)
    words = [[_placed(word, top) for word in group] for group in groups]
    try:
        with chdir(here), redirect_stderr(io.StringIO()):  # what was to be said of them was said the first time
            return case(*words)
    except OakumError as error:
        raise Unreadable(str(error).replace(str(top), "")) from error


def _placed(word: str, top: Path) -> str:
    """Return a word as it leads to what was laid out below `top`, which takes the place of the root."""
    return f"{top}{word}" if word.startswith("/") else word


def case_again(saved: SavedFile, told: "Diagnosis") -> "Case":
    """Return the case that a report was made from; raise where captures are missing or not what they were."""
    rows = saved.document["inputs"]
    call = called(told.called)
    held = hold(rows, call, saved.folder, ())
    if gone := (*held.missing, *(origin for origin, _, _ in held.changed)):
        more = f" and {len(gone) - 1:,} more of {held.captures:,}" if len(gone) > 1 else ""
        raise Unreadable(f"{gone[0]}{more}: not there any more, or not what it was")
    with tempfile.TemporaryDirectory(prefix="oakum-report-") as top:
        return _case(rows, call, held, Path(os.path.realpath(top)))


def _renaming(top: Path, call: Called, held: Held, folders: Sequence[str]) -> Callable[[str], str]:
    """Return what gives paths of here the names that they have in the report."""
    pairs = [(str(top), "")]
    for word, folder in zip(call.source, folders, strict=False):
        here, there = str(Path(folder).absolute()), str((held.base / word).absolute())
        pairs += [(here, there)] if here != there else []

    def renamed(text: str) -> str:
        for here, there in pairs:
            text = text.replace(here, there)
        return text

    return renamed


def _asked_alike(done: "Diagnosis", report: Mapping[str, Any], given: "Case") -> "Diagnosis":
    """Return the diagnosis with gaps that ask the target again, where the report was made from one that ran."""
    addresses = [process.address for process in given.processes if process.address]
    words = [gap["command"].partition("  # ")[0].rpartition(" ")[2].strip("'") for gap in report["gaps"]]
    asked = [
        word
        for word in words
        if is_live(word) and any(word.startswith(one) or one.startswith(word) for one in addresses)
    ]
    if not asked:
        return done
    return replace(done, gaps=tuple(_alike(gap, asked[0], report) for gap in done.gaps))


def _alike(gap: "Gap", word: str, report: Mapping[str, Any]) -> "Gap":
    again = asked_again(gap, word)
    return again if any(one["command"] == again.command for one in report["gaps"]) else gap


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
    from oakum.cli.figures import figures
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
        text = derived.renamed(text) if derived else text
        if text == page:
            return replace(found, paged=True)
        made.append(text)
    best = min((page_differences(page, text) for text in made), key=len)
    return replace(found, page=tuple(best), paged=True, markup=not best and found.made_by == found.tool)


__all__ = ["case_again", "recheck"]

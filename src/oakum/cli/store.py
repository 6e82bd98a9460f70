"""oakum store: look after a store. Exit 0 done or whole, 1 problems were found by check."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oakum.cli.outputs import lang_option, language
from oakum.cli.screen import Progress, remark, safe
from oakum.model import OakumError, UsageError

if TYPE_CHECKING:
    from oakum.model import Diagnosis
    from oakum.store.adding import Added
    from oakum.store.writer import Writer

_VERBS = ("check", "compact", "export", "import", "add")
_MOST_PIECES = 100_000  # of one compaction: ends, whatever a clock says


@click.command(
    epilog="""Examples:

\b
  # every byte against its digest; beside a running watcher too
  oakum store check oakum-store
  # merge, thin out and drop now what a watcher would do by and by
  oakum store compact oakum-store
  # the whole store in one file, and into another store
  oakum store export oakum-store backup.tar
  oakum store import ~/incident monday.tar
  # bundles, captures, dumps and saved diagnoses become history
  oakum store add ~/incident captures/ report.json

Exit codes: 0 done, 1 check found problems, 2 usage error, 4 failed.

See also: oakum history (what is in it), oakum diagnose --store DIR SERVICE.
""",
)
@click.argument("verb", type=click.Choice(_VERBS), metavar="check|compact|export|import|add")
@click.argument("directory", metavar="DIR")
@click.argument("files", nargs=-1, metavar="[FILE...]")
@click.option("--service", metavar="NAME", default="", help="add: the service that the evidence is of.")
@lang_option
def command(verb: str, directory: str, files: tuple[str, ...], service: str, lang: str | None) -> int:
    """Look after a store: the directory in which oakum watch keeps history.

    check reads every byte and names what is missing or damaged; compact merges its parts and applies retention; export
    writes it into one file, and import adds such a file to a store; add puts evidence of any format in, through the
    same pipeline as a diagnosis.
    """
    expected = {"check": "no FILE", "compact": "no FILE", "export": "one FILE", "import": "one FILE"}.get(verb)
    if (
        (expected == "no FILE" and files)
        or (expected == "one FILE" and len(files) != 1)
        or (not expected and not files)
    ):
        raise UsageError(f"oakum store {verb} DIR takes {expected or 'at least one FILE'}")
    if service and verb != "add":
        raise UsageError("--service: only for add")
    path, spoken = Path(directory), lang or language()
    if verb == "check":
        return _check(path, spoken)
    if verb == "export":
        return _export(path, Path(files[0]), spoken)
    from oakum.store import open_writer

    with open_writer(path, create=verb != "compact") as writer:
        for text in writer.problems:
            _remark(text, spoken)
        if verb == "compact":
            return _compact(writer, spoken)
        if verb == "import":
            from oakum.store.transfer import import_

            found = import_(writer, Path(files[0]))
            _print("store.imported", spoken, path=directory, parts=found.parts, rows=found.rows)
            return 0
        return _add(writer, files, service, spoken)


def _print(key: str, lang: str, **args: str | int | float) -> None:
    from oakum.report.words import word

    click.echo(safe(word(key, lang, **args)))


def _remark(text: object, lang: str) -> None:
    from oakum.model import Text
    from oakum.report.words import say

    if isinstance(text, Text):
        remark(say(text, lang))


def _check(path: Path, lang: str) -> int:
    from oakum.report.words import say
    from oakum.store.checking import check

    found = check(path)
    facts = {
        "version": found.version,
        "batches": found.batches,
        "parts": found.parts,
        "rows": found.rows,
        "captures": found.captures,
        "bytes": found.bytes,
    }
    _print("store.checked", lang, path=str(path), **facts)
    if found.torn:
        _print("store.torn", lang, bytes=found.torn)
    for text in found.problems:
        click.echo(safe(say(text, lang)))
    if found.problems:
        _print("store.problems", lang, count=len(found.problems))
        return 1
    _print("store.whole", lang)
    return 0


def _export(path: Path, file: Path, lang: str) -> int:
    from oakum.store.transfer import export

    if file.exists():
        raise UsageError(f"{file}: this file exists; name another")
    found = export(path, file)
    _print("store.exported", lang, file=str(file), **found._asdict())
    return 0


def _compact(writer: "Writer", lang: str) -> int:
    before, parts = writer.size, len(writer.manifest.parts)
    writer.flush()
    progress = Progress("compacting", lang)
    try:
        for _ in range(_MOST_PIECES):
            progress.at(f"{len(writer.manifest.parts):,}")
            if not writer.maintain(round(time.time() * 1e6)).more:
                break
    finally:
        progress.done()
    after = len(writer.manifest.parts)
    facts = {"before": before, "parts_before": parts, "after": writer.size, "parts_after": after}
    _print("store.compacted", lang, path=str(writer.directory), **facts)
    return 0


def _add(writer: "Writer", files: Sequence[str], service: str, lang: str) -> int:
    """Add each file or directory; what is no evidence is told, and the others are added."""
    from oakum.pipeline.saved import looks_saved
    from oakum.report.words.lines import error_line

    failed: list[OakumError] = []
    saved = {file: found.diagnosis() for file in files if Path(file).is_file() and (found := looks_saved(file))}
    # Captures first: a saved diagnosis of the same captures is theirs, and is not made anew.
    for file in sorted(files, key=lambda one: one in saved):
        try:
            _told(_added(writer, file, service, tuple(saved.values())), lang)
        except OakumError as error:
            if len(files) == 1:
                raise
            failed.append(error)
            remark(error_line(error, lang))
    return 4 if len(failed) == len(files) else 0


def _added(writer: "Writer", file: str, service: str, saved: "Sequence[Diagnosis]") -> "Added":
    from oakum.cli.case import worded
    from oakum.model import NotAssembled
    from oakum.report.words.lines import error_line
    from oakum.store.adding import add_evidence

    def complain(error: OakumError) -> None:
        if isinstance(error, UsageError) or getattr(error, "origin", "") == file:
            raise error
        remark(error_line(error))

    try:
        return add_evidence(writer, (file,), round(time.time() * 1e6), service, saved, complain)
    except NotAssembled as error:
        raise worded(error) from error


def _told(added: "Added", lang: str) -> None:
    names = ", ".join(added.services)
    if added.snapshots or added.findings:
        _print("store.added", lang, services=names, snapshots=added.snapshots, findings=added.findings)
    if added.known:
        _print("store.known", lang, services=names, known=added.known)

"""oakum verify BEFORE AFTER: what became of each finding. Exit 0 all gone, 1 something leaks, 3 inconclusive."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from oakum.cli.outputs import Output, page_look, write
from oakum.cli.screen import Progress, remark
from oakum.model.errors import Unreadable, UsageError
from oakum.model.sizes import size

if TYPE_CHECKING:
    from oakum.model import Diagnosis
    from oakum.model.verification import Verification
    from oakum.pipeline.saved import SavedFile

EXIT = {"fixed": 0, "leaks": 1, "undecided": 3}
_READ_SO = ("--no-source", "--no-compile")  # what became of a finding is in the captures alone


def verify_sides(words: Sequence[str], outputs: Sequence[Output], lang: str, live: dict[str, Any]) -> int:
    """Compare two sides, write what was asked for, and return the exit code."""
    from oakum.cli.live import capture_live
    from oakum.verify import verify

    if len(words) != 2:
        raise UsageError("name two sides: oakum verify BEFORE AFTER; or tests: oakum verify --test ./pkg")
    captured = capture_live(
        words[:1], live, beside=words[1:], snapshots=live["snapshots"], every=live["every"], lang=lang
    )
    progress = Progress("diagnosing", lang)
    try:
        before, after = (_side(now, asked, lang, progress) for now, asked in zip(captured, words, strict=True))
    finally:
        progress.done()
    return EXIT[produce(verify(before, after), outputs, lang).verdict]


def _side(words: Sequence[str], asked: str, lang: str, progress: Progress) -> "Diagnosis":
    """Return the diagnosis of one side: a saved one as it is, else that of its captures."""
    from oakum.cli.case import case
    from oakum.cli.live import bare
    from oakum.pipeline.saved import looks_saved
    from oakum.pipeline.verification import diagnosed_side

    if len(words) == 1 and (saved := looks_saved(words[0])):
        return saved.diagnosis()
    is_asked = tuple(words) != (asked,)
    given = case(words, asked=(asked,) if is_asked else (), lang=lang)
    done = replace(diagnosed_side(given, progress.at), called=(*_READ_SO, *words))
    return replace(done, target=bare(asked)) if is_asked else done


def produce(found: "Verification", outputs: Sequence[Output], lang: str, kept: str = "") -> "Verification":
    """Write a result to all that was asked for, what stdout gets last; return it as it is stored."""
    from oakum.report.verification import document, sides
    from oakum.report.words import word
    from oakum.verify import verify

    data = document(found)
    found = verify(*sides(data))  # every format says what is stored, to the digit
    files = [one.name for one in outputs if one.name != "-" and one.form in ("json", "html")]
    kept = next(iter(sorted(files, key=lambda name: Path(name).suffix != ".json")), kept)
    for output in sorted(outputs, key=lambda one: one.name == "-"):
        text = rendered(found, output, lang, kept)
        write(text, output.name)
        if output.name != "-":
            key = "written.page" if output.form == "html" else "written"
            remark(word(key, lang, name=output.name, size=size(len(text.encode("utf-8", "backslashreplace")))))
    if all(one.name != "-" for one in outputs):
        from oakum.report.page.verification import verification_page

        page = verification_page(found, lang, (), kept)
        remark(f"{page.badge}  {page.verdict}")
    return found


def rendered(found: "Verification", output: Output, lang: str, kept: str) -> str:
    """Return a result in one format."""
    from oakum.report import verification as written

    if output.form == "sarif":
        raise UsageError("-o: before and after are written as .html, .md, .json, .txt or .xml (JUnit), not as SARIF")
    if output.form == "json":
        return json.dumps(written.document(found), indent=2, ensure_ascii=False) + "\n"
    if output.form == "junit":
        return written.junit(found, lang)
    from oakum.report.page.verification import verification_page

    words = (*found.before.called[-1:], *found.after.called[-1:])
    page = verification_page(found, lang, words if len(words) == 2 else (), kept)
    if output.form == "html":
        from oakum.report.html import render as html

        return html(page, written.document(found))
    if output.form == "markdown":
        from oakum.report.markdown import render as markdown

        return markdown(page)
    from oakum.report.terminal import render

    return render(page, page_look(lang, output.name))


def show_saved(file: "SavedFile", outputs: Sequence[Output], lang: str) -> int:
    """Write a saved result again, in any format and language."""
    from oakum.verify import verify

    produce(verify(*saved_sides(file)), outputs, lang, "" if file.name == "-" else file.name)
    return 0


def saved_sides(file: "SavedFile") -> "tuple[Diagnosis, Diagnosis]":
    """Return the diagnoses that a saved result carries; raise with its name where it is not as one is written."""
    from oakum.report.verification import sides

    try:
        return sides(file.document)
    except Unreadable as error:
        raise Unreadable(f"{file.name}: {error}; write it again: oakum verify BEFORE AFTER -o NAME.json") from error

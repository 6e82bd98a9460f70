"""oakum scan: leaking code in a tree, without any profile. Exit 0 nothing found, 1 found, 4 nothing could be read."""

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

import click

from oakum.cli.diagnose import language, page_look, write
from oakum.cli.screen import Progress, remark
from oakum.model import Scan, Unreadable, UsageError

_REMARKS_MOST = 12
_FORMATS = {".json": "json", ".sarif": "sarif"}
_NOT_YET = (".html", ".htm", ".md", ".xml", ".pdf")


@click.command(
    epilog="""Examples:

\b
  oakum scan .                                    the tree here
  oakum scan --tests --vendor ~/src/orders        test files and vendored code too
  oakum scan --mechanism abandoned-sender ./pkg   one kind of mistake
  oakum scan --sarif -o oakum.sarif .             for code scanning

\b
A line is passed over when it, or the line above it, says why:
  //oakum:ignore the process ends with this goroutine

\b
Exit codes: 0 nothing found, 1 found; 2 usage, 4 could not do it.
""",
)
@click.argument("trees", nargs=-1, required=True, metavar="DIR...")
@click.option("--tests", is_flag=True, help="Read _test.go files too.")
@click.option("--vendor", is_flag=True, help="Read vendor directories too.")
@click.option("--mechanism", multiple=True, metavar="NAME", help="Tell only this mechanism; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON (schema oakum.scan/1).")
@click.option("--sarif", "as_sarif", is_flag=True, help="Print what was found as SARIF 2.1.0, for code scanning.")
@click.option("-o", "--output", metavar="FILE", help="Write to FILE instead of stdout; .json and .sarif are known.")
@click.option("--lang", type=click.Choice(("en", "zh")), help="Language of the report; by default that of the locale.")
@click.option(
    "-j", "--jobs", type=click.IntRange(1, 64), metavar="N", help="Processes that read; by default one a core."
)
@click.option("--exit-zero", is_flag=True, help="Exit 0 whatever was found, for scripts.")
def command(
    trees: tuple[str, ...],
    tests: bool,
    vendor: bool,
    mechanism: tuple[str, ...],
    as_json: bool,
    as_sarif: bool,
    output: str | None,
    lang: str | None,
    jobs: int | None,
    exit_zero: bool,
) -> int:
    """Find leaking code in Go source without any profile: what the code alone shows, and a drafted fix.

    Told is only what follows from the code of one package: goroutines that nobody can unblock on some way through a
    function, locks that stay locked, responses that stay open. Files for other systems than Linux are not read.
    """
    form = _form(as_json, as_sarif, output)
    for name in trees:
        _check(name)
    _known(mechanism)
    from oakum.cli.tree_scan import scan_trees

    begin = time.monotonic()
    progress = Progress("scanning:")
    try:
        found = scan_trees(trees, tests=tests, vendor=vendor, jobs=jobs, progress=progress.at)
    finally:
        progress.done()
    _remark(found)
    if not found.files:
        raise Unreadable(f"{', '.join(trees)}: no Go files that could be read")
    told = _only(found, mechanism)
    write(_shown(told, form, lang or language(), output, time.monotonic() - begin), output)
    return 1 if told.flaws and not exit_zero else 0


def _form(as_json: bool, as_sarif: bool, output: str | None) -> str:
    if as_json and as_sarif:
        raise UsageError("--json and --sarif: choose one")
    ending = Path(output).suffix.lower() if output else ""
    if ending in _NOT_YET:
        raise UsageError(f"-o {output}: only text, JSON and SARIF are written; name it .txt, .json or .sarif")
    return "json" if as_json else "sarif" if as_sarif else _FORMATS.get(ending, "text")


def _check(name: str) -> None:
    path = Path(name)
    if not path.exists():
        raise Unreadable(f"{name}: no such file or directory")
    if path.name in ("go.mod", "go.work"):
        raise UsageError(f"{name}: the modules that it names are not read yet; give the directory, {path.parent}")
    if not path.is_dir() and path.suffix != ".go":
        raise UsageError(f"{name}: neither a directory nor a .go file; scan reads source, not binaries or profiles")


def _known(mechanisms: tuple[str, ...]) -> None:
    from oakum.report.words import WORDS

    names = [key.removeprefix("mechanism.") for key in WORDS if key.startswith("mechanism.") and key.count(".") == 1]
    for name in mechanisms:
        if name not in names:
            near = get_close_matches(name, names, 1)
            raise UsageError(f"--mechanism {name}: there is none of that name" + (f"; {near[0]}?" if near else ""))


def _only(found: Scan, mechanisms: tuple[str, ...]) -> Scan:
    if not mechanisms:
        return found
    flaws, ignored = (
        tuple(flaw for flaw in group if flaw.mechanism in mechanisms) for group in (found.flaws, found.ignored)
    )
    return replace(found, flaws=flaws, ignored=ignored)


def _remark(found: Scan) -> None:
    """Tell on stderr what could not be read."""
    for one in found.problems[:_REMARKS_MOST]:
        remark(f"{one.where}: {one.text}" if one.where else one.text)
    if (more := len(found.problems) - _REMARKS_MOST) > 0:
        remark(f"... and {more:,} more; --json lists them")


def _shown(found: Scan, form: str, lang: str, output: str | None, seconds: float) -> str:
    if form == "text":
        from oakum.report.scan import render

        return render(found, page_look(lang, output), seconds)
    if form == "sarif":
        from oakum.report.sarif import document as sarif

        return json.dumps(sarif(found, *_named(found.roots), lang), indent=2, ensure_ascii=False) + "\n"
    from oakum.report.scan import document

    return json.dumps(document(found), indent=2, ensure_ascii=False) + "\n"


def _named(roots: Sequence[str]) -> tuple[str, Callable[[str], str]]:
    """Return the URI of the directory that has all roots in it, and what names a file below it."""
    folders = {root: Path(root).resolve() if Path(root).is_dir() else Path(root).parent.resolve() for root in roots}
    base = Path(os.path.commonpath(folders.values()))
    begin = f"{base.as_uri().rstrip('/')}/"

    def uri(file: str) -> str:
        for root, folder in folders.items():
            if Path(file).is_relative_to(root):
                inside = Path(file).relative_to(root) if Path(root).is_dir() else Path(file).name
                return (folder / inside).as_uri().removeprefix(begin)
        return Path(file).absolute().as_uri()

    return begin, uri


__all__ = ["command"]

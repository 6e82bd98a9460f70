"""oakum scan: leaking code in a tree, and known leaks in what is built, before they bite.

Exit 0 nothing found, 1 found, 4 nothing could be read. What is not certain is told, and fails only when asked to.
"""

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

import click

from oakum.cli.outputs import language, page_look, write
from oakum.cli.screen import Progress, remark
from oakum.collect.files import is_there
from oakum.model import Scan, Unreadable, UsageError

_REMARKS_MOST = 12
_FORMATS = {".json": "json", ".sarif": "sarif"}
_NOT_YET = (".html", ".htm", ".md", ".xml", ".pdf")


@click.command(
    epilog="""Examples:

\b
  oakum scan .                            the tree: code, go.mod, programs
  oakum scan go.mod                       the modules that are asked for
  oakum scan bin/agent                    what is linked into a program
  go version -m bin/* | oakum scan -      the same from a listing
  oakum scan captures/                    versions that captures tell of
  oakum scan --mechanism abandoned-sender ./pkg   one kind of mistake
  oakum scan --sarif -o oakum.sarif .     for code scanning

\b
A line is passed over when it, or the line above it, says why; in go.mod the
id comes first:
  //oakum:ignore the process ends with this goroutine
  //oakum:ignore kubernetes-98653 every watch of ours is drained

Exit codes: 0 nothing found, 1 found; 2 usage, 4 could not do it.

See also: oakum known (the catalogue), oakum diagnose (what leaks in what runs).
""",
)
@click.argument("trees", nargs=-1, required=True, metavar="DIR|FILE...")
@click.option("--code", "code_only", is_flag=True, help="Read code alone: look no versions up.")
@click.option("--known", "known_only", is_flag=True, help="Look versions up alone: read no code.")
@click.option(
    "--strict", is_flag=True, help="Exit 1 also for known leaks that are not certain, or that no release mends."
)
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
    code_only: bool,
    known_only: bool,
    strict: bool,
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
    """Find leaks without any profile: leaking code in Go source, and known leaks in the modules that are built.

    Of code only what follows from one package is told: goroutines that nobody can unblock on some way through a
    function, locks that stay locked, responses that stay open. Files for other systems than Linux are not read.

    Modules come from go.mod (with vendor/modules.txt or go.sum beside it), Go programs, `go version -m` output, or
    captures whose paths or builds name versions; each known leak is told with the release that mends it.
    """
    form = _form(as_json, as_sarif, output)
    if code_only and known_only:
        raise UsageError("--code and --known: choose one; without them both are looked for")
    for name in trees:
        _check(name, code_only)
    _known(mechanism)
    begin = time.monotonic()
    progress = Progress("scanning:")
    try:
        found = _scan(trees, code_only, known_only, progress.at, tests=tests, vendor=vendor, jobs=jobs)
    finally:
        progress.done()
    if not found.files and not found.builds:
        raise Unreadable(_nothing(found, trees))
    _remark(found)
    told = _only(found, mechanism)
    write(_shown(told, form, lang or language(), output, time.monotonic() - begin), output)
    fails = told.flaws or any(row.mendable for row in told.carried) or (strict and told.carried)
    return 1 if fails and not exit_zero else 0


def _scan(
    trees: Sequence[str],
    code_only: bool,
    known_only: bool,
    progress: Callable[[str], None],
    *,
    tests: bool,
    vendor: bool,
    jobs: int | None,
) -> Scan:
    """Return what both halves find, or the one that was asked for."""
    found = Scan(tuple(trees), 0, 0)
    if not known_only and (code := [name for name in trees if name.endswith(".go") or Path(name).is_dir()]):
        from oakum.cli.tree_scan import scan_trees

        found = replace(scan_trees(code, tests=tests, vendor=vendor, jobs=jobs, progress=progress), roots=tuple(trees))
    if code_only:
        return found
    from oakum.cli.module_scan import scan_modules

    built = scan_modules(trees, progress=progress)
    return replace(
        found,
        builds=built.builds,
        carried=built.carried,
        passed_over=built.passed_over,
        unlinked=built.unlinked,
        problems=(*found.problems, *built.problems),
    )


def _nothing(found: Scan, trees: Sequence[str]) -> str:
    """Return why there is nothing to tell."""
    if found.problems and len(trees) == 1:
        return "; ".join(f"{one.where or trees[0]}: {one.text}" for one in found.problems[:3])
    for one in found.problems:
        remark(f"{one.where}: {one.text}" if one.where else one.text)
    return (
        f"{', '.join(trees)}: no Go files that could be read, and nothing that tells versions: go.mod, a Go program, "
        "go version -m output, captures"
    )


def _form(as_json: bool, as_sarif: bool, output: str | None) -> str:
    if as_json and as_sarif:
        raise UsageError("--json and --sarif: choose one")
    ending = Path(output).suffix.lower() if output else ""
    if ending in _NOT_YET:
        raise UsageError(f"-o {output}: only text, JSON and SARIF are written; name it .txt, .json or .sarif")
    return "json" if as_json else "sarif" if as_sarif else _FORMATS.get(ending, "text")


def _check(name: str, code_only: bool) -> None:
    path = Path(name)
    if not name:
        raise UsageError('"": neither a file nor a directory; a variable may be empty')
    if name == "-" or "://" in name:
        return
    if not is_there(name):
        raise Unreadable(f"{name}: no such file or directory; name a directory with Go source, a go.mod or a program")
    if code_only and not path.is_dir() and path.suffix != ".go":
        raise UsageError(f"{name}: neither a directory nor a .go file, and --code reads nothing else")


def _known(mechanisms: tuple[str, ...]) -> None:
    from oakum.report.words import WORDS

    names = [key.removeprefix("mechanism.") for key in WORDS if key.startswith("mechanism.") and key.count(".") == 1]
    for name in mechanisms:
        if name not in names:
            near = get_close_matches(name, names, 1)
            raise UsageError(
                f"--mechanism {name}: there is none of that name; "
                + (f"{near[0]}?" if near else f"there are {', '.join(names)}")
            )


def _only(found: Scan, mechanisms: tuple[str, ...]) -> Scan:
    if not mechanisms:
        return found
    flaws, ignored = (
        tuple(flaw for flaw in group if flaw.mechanism in mechanisms) for group in (found.flaws, found.ignored)
    )
    carried, passed_over, unlinked = (
        tuple(row for row in group if row.mechanism in mechanisms)
        for group in (found.carried, found.passed_over, found.unlinked)
    )
    return replace(found, flaws=flaws, ignored=ignored, carried=carried, passed_over=passed_over, unlinked=unlinked)


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
    roots = [root for root in roots if root != "-"] or ["."]
    folders = {root: Path(root).resolve() if Path(root).is_dir() else Path(root).parent.resolve() for root in roots}
    base = Path(os.path.commonpath(folders.values()))
    begin = base.as_uri() if base == base.parent else f"{base.as_uri()}/"

    def uri(file: str) -> str:
        for root, folder in folders.items():
            if Path(file).is_relative_to(root):
                inside = Path(file).relative_to(root) if Path(root).is_dir() else Path(file).name
                return (folder / inside).as_uri().removeprefix(begin)
        return Path(file).resolve().as_uri().removeprefix(begin)  # go.sum beside the go.mod that was named

    return begin, uri


__all__ = ["command"]

"""oakum scan: leaking code in a tree, and known bugs in what is built, before they bite.

Exit 0 nothing found, 1 found, 4 nothing could be read. What is not certain is told, and fails only when asked to.
"""

import json
import os
import shlex
import time
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path

import click
from msgspec.structs import replace

from oakum.cli.outputs import lang_option, language, page_look, write
from oakum.cli.screen import Progress, remark
from oakum.collect.files import is_there
from oakum.model import Problem, Scan, Text, Unreadable, UsageError

_REMARKS_MOST = 12
_FORMATS = {".json": "json", ".sarif": "sarif"}
_NOT_YET = (".html", ".htm", ".md", ".xml", ".pdf")


@click.command(
    epilog="""Examples:

\b
  oakum scan .                            a tree: source, go.mod, binaries
  oakum scan go.mod                       required modules
  oakum scan bin/agent                    modules linked into a binary
  go version -m bin/* | oakum scan -      the same, from its output
  oakum scan captures/                    versions found in captures
  oakum scan --mechanism abandoned-sender ./pkg   one mechanism only
  oakum scan --sarif -o oakum.sarif .     for code scanning

\b
To suppress a result, give the reason on the line or the line above; in go.mod
the id comes first:
  //oakum:ignore the process ends with this goroutine
  //oakum:ignore kubernetes-98653 every watch of ours is drained

Exit codes: 0 nothing found, 1 found, 2 usage error, 4 failed.

See also: oakum known (the catalogue), oakum diagnose (leaks in a running process).
""",
)
@click.argument("trees", nargs=-1, required=True, metavar="DIR|FILE...")
@click.option("--code", "code_only", is_flag=True, help="Analyse source only; skip module versions.")
@click.option("--known", "known_only", is_flag=True, help="Check module versions only; skip source.")
@click.option(
    "--strict", is_flag=True, help="Exit 1 also for known bugs that are not certain, or that no release fixes."
)
@click.option("--tests", is_flag=True, help="Include _test.go files.")
@click.option("--vendor", is_flag=True, help="Include vendor directories.")
@click.option("--mechanism", multiple=True, metavar="NAME", help="Report only this mechanism; repeatable.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON (schema oakum.scan/1).")
@click.option("--sarif", "as_sarif", is_flag=True, help="Print the results as SARIF 2.1.0, for code scanning.")
@click.option(
    "-o", "--output", metavar="FILE", help="Write to FILE instead of stdout; .json and .sarif set the format."
)
@lang_option
@click.option("-j", "--jobs", type=click.IntRange(1, 64), metavar="N", help="Worker processes (default: one per core).")
@click.option("--exit-zero", is_flag=True, help="Exit 0 regardless of the results.")
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
    """Find leaks without a profile: leaking code in Go source, and known upstream bugs in the modules of a build.

    Source is analysed package by package: goroutines that nothing can unblock on some path through a function, locks
    that stay locked, response bodies that stay open. Files built only for systems other than Linux are skipped.

    Module versions come from go.mod (with vendor/modules.txt or go.sum beside it), Go binaries, `go version -m` output,
    or captures whose paths or build info contain them; each known bug is reported with the release that fixes it.
    """
    form = _form(as_json, as_sarif, output)
    if code_only and known_only:
        raise UsageError("--code and --known exclude each other; without them both are done")
    for name in trees:
        _check(name, code_only)
    _known(mechanism)
    begin = time.monotonic()
    spoken = lang or language()
    progress = Progress("scanning", spoken)
    try:
        found = _scan(trees, code_only, known_only, progress.at, tests=tests, vendor=vendor, jobs=jobs)
    finally:
        progress.done()
    if not found.files and not found.builds:
        raise Unreadable(_nothing(found, trees))
    _remark(found, spoken)
    told = _only(found, mechanism)
    write(_shown(told, form, spoken, output, time.monotonic() - begin), output)
    fails = told.flaws or any(row.mendable for row in told.carried) or (strict and told.carried)
    return 1 if fails and not exit_zero else 0


def _scan(
    trees: Sequence[str],
    code_only: bool,
    known_only: bool,
    progress: Callable[[Text | str], None],
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
        return "; ".join(_line(one, trees[0]) for one in found.problems[:3])
    for one in found.problems:
        remark(_line(one))
    return (
        f"{', '.join(trees)}: no Go source there (no .go files that could be read), and nothing that has versions: "
        f"go.mod, a Go binary, `go version -m` output, captures. Next: {_where(trees)}"
    )


def _where(trees: Sequence[str]) -> str:
    """Return which directory to name: the module around one that was named, if there is one."""
    if any(next(Path(name).glob("**/*_test.go"), None) for name in trees if Path(name).is_dir()):
        return f"oakum scan --tests {' '.join(map(shlex.quote, trees))}, which reads the _test.go files there"
    for name in trees:
        around = [place for place in Path(name).absolute().parents if (place / "go.mod").is_file()]
        if around:
            return f"oakum scan {shlex.quote(os.path.relpath(around[0]))}, the module around it"
    return "name the directory of a checkout that has go.mod, or the built program: oakum scan DIR"


def _form(as_json: bool, as_sarif: bool, output: str | None) -> str:
    if as_json and as_sarif:
        raise UsageError("--json and --sarif exclude each other")
    ending = Path(output).suffix.lower() if output else ""
    if ending in _NOT_YET:
        raise UsageError(f"-o {output}: the output is text, JSON or SARIF; use .txt, .json or .sarif")
    return "json" if as_json else "sarif" if as_sarif else _FORMATS.get(ending, "text")


def _check(name: str, code_only: bool) -> None:
    path = Path(name)
    if not name:
        raise UsageError('"": neither a file nor a directory; is a shell variable unset?')
    if name == "-" or "://" in name:
        return
    if not is_there(name):
        raise Unreadable(f"{name}: no such file or directory; name a directory of Go source, a go.mod or a Go binary")
    if code_only and not path.is_dir() and path.suffix != ".go":
        raise UsageError(f"{name}: neither a directory nor a .go file, which --code needs")


def _known(mechanisms: tuple[str, ...]) -> None:
    from oakum.report.words import WORDS

    names = [key.removeprefix("mechanism.") for key in WORDS if key.startswith("mechanism.") and key.count(".") == 1]
    for name in mechanisms:
        if name not in names:
            near = get_close_matches(name, names, 1)
            raise UsageError(
                f"--mechanism {name}: no such mechanism; "
                + (f"did you mean {near[0]}?" if near else f"use one of {', '.join(names)}")
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


def _line(one: Problem, about: str = "", lang: str = "en") -> str:
    """Return a problem with the file that it is of, which some sentences begin with."""
    from oakum.report.words import say, word

    text, where = say(one.text, lang), one.where or about
    return word("input.of", lang, origin=where, text=text) if where and not text.startswith(where) else text


def _remark(found: Scan, lang: str) -> None:
    """Tell on stderr what could not be read."""
    from oakum.report.words import word

    for one in found.problems[:_REMARKS_MOST]:
        remark(_line(one, lang=lang))
    if (more := len(found.problems) - _REMARKS_MOST) > 0:
        remark(word("input.more", lang, count=more))


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

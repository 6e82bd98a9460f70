"""oakum verify --test: what stays after tests and benchmarks of a module. Exit 0, unless --enforce is asked for."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from oakum.cli.outputs import Output, page_look, write
from oakum.cli.screen import Progress, remark
from oakum.model.errors import OakumError, Unreadable, UsageError
from oakum.model.sizes import size
from oakum.model.text import Text

if TYPE_CHECKING:
    from oakum.experiment.go_tests import Asked, GoTests, Measured
    from oakum.model.tested import Tested, TestRun

_MOST_BASELINE = 16 << 20


class Wanted(Struct, frozen=True):
    """What is to be done with what was found."""

    outputs: tuple[Output, ...]
    lang: str
    baseline: str = ""
    write_baseline: bool = False
    enforce: bool = False
    keep: str = ""
    compile_drafts: bool = True


def verify_tests(folder: Path, asked: "Asked", wanted: Wanted) -> int:
    """Run the tests, tell what stays after each, and return the exit code."""
    from oakum.experiment.go_tests import GoTests, place_for_captures

    known = _known(wanted)
    with place_for_captures(wanted.keep) as place:
        tests = GoTests(folder, asked, place)
        _heed(tests, wanted.lang)
        progress = Progress("testing", wanted.lang)
        try:
            run = _run(tests, wanted, progress)
        finally:
            progress.done()
    run = _compared(run, known, wanted)
    for output in sorted(wanted.outputs, key=lambda one: one.name == "-"):
        _write(run, output, wanted.lang)
    if wanted.write_baseline:
        _write_baseline(run, known, wanted)
    return _code(run, wanted)


def _heed(tests: "GoTests", lang: str) -> None:
    """Say what in the checkout is not followed; raise where Go would read what lies outside of it."""
    from oakum.report.words.lines import problem_line

    found = tests.inspect()
    told = [problem_line(problem, lang) for problem in found.warnings]
    if found.leads_outside:
        raise OakumError("\n".join(told))
    for line in told:
        remark(line)


def env_of(words: Sequence[str]) -> Mapping[str, str]:
    """Return the variables that --env names: NAME=VALUE, or NAME as it is set here."""
    found = {}
    for one in words:
        name, equals, value = one.partition("=")
        if not name.replace("_", "a").isalnum():
            raise UsageError(f"--env {one}: write NAME or NAME=VALUE")
        if not equals and name not in os.environ:
            raise UsageError(f"--env {name}: it is not set here; write --env {name}=VALUE")
        found[name] = value if equals else os.environ[name]
    return found


def folder_of(patterns: Sequence[str]) -> tuple[Path, tuple[str, ...]]:
    """Return where Go is called, and the packages as they are named there: a directory is its own place to stand."""
    if len(patterns) == 1:
        named, dots, _ = patterns[0].partition("/...")
        path = Path(named).expanduser()
        if (named.startswith((".", "/", "~")) or path.is_dir()) and not path.is_dir():
            raise UsageError(f"--test {patterns[0]}: no such directory")
        if path.is_dir():
            return path.absolute(), ("./..." if dots else ".",)
    return Path.cwd(), tuple(patterns)


def _run(tests: "GoTests", wanted: Wanted, progress: Progress) -> "TestRun":
    from oakum.model.tested import TestRun
    from oakum.pipeline.tested import judged

    found: list[Tested] = []
    unbuilt: dict[str, str] = {}
    packages = tests.packages()
    if not packages:
        raise OakumError(f"{', '.join(tests.asked.packages)}: no package with tests; name one: --test ./pkg")
    for package in packages:
        progress.at(Text("tested.progress.build", {"package": package.path}))
        program = tests.build(package)
        if not isinstance(program, Path):
            unbuilt[package.path] = program.why
            continue
        names = tests.names(package, program)
        for number, (kind, name) in enumerate(names, 1):
            progress.at(Text("tested.progress.run", {"number": number, "total": len(names), "name": name}))
            measured = tests.measure(package, program, kind, name)
            found.append(judged(measured, compile_drafts=wanted.compile_drafts, kept=bool(wanted.keep)))
            _tidy(measured, kept=bool(wanted.keep))
    if not found and unbuilt:
        broken, why = next(iter(unbuilt.items()))
        raise OakumError(f"{broken} does not compile:\n{why}")
    return TestRun(tuple(found), tests.asked.count, tests.asked.grace, unbuilt)


def _tidy(measured: "Measured", *, kept: bool) -> None:
    """Remove captures that nobody asked to keep: a hundred tests have a thousand of them."""
    if not kept:
        import shutil

        shutil.rmtree(measured.captures, ignore_errors=True)


def _known(wanted: Wanted) -> frozenset[str]:
    """Return the leaks of the baseline; one that is to be written need not be there."""
    if not wanted.baseline:
        return frozenset()
    from oakum.report.tested import read_baseline

    path = Path(wanted.baseline)
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BASELINE + 1)
    except FileNotFoundError:
        if wanted.write_baseline:
            return frozenset()
        raise UsageError(f"--baseline {path}: no such file; --write-baseline writes it") from None
    except OSError as error:
        raise OakumError(f"--baseline {path}: {error.strerror or error}") from error
    if len(data) > _MOST_BASELINE:
        raise Unreadable(f"--baseline {path}: more than {size(_MOST_BASELINE)}")
    try:
        return read_baseline(data)
    except Unreadable as error:
        raise Unreadable(f"--baseline {path}: {error}") from None


def _compared(run: "TestRun", known: frozenset[str], wanted: Wanted) -> "TestRun":
    """Return the run with what the baseline has of it."""
    if not known:
        return run
    from oakum.report.tested import fingerprint

    tests = tuple(
        replace(one, known=frozenset(found.id for found in one.leaks if fingerprint(one, found) in known))
        for one in run.tests
    )
    ran = {f"{one.package}/{one.name}:" for one in run.measured}
    seen = {fingerprint(one, found) for one in tests for found in one.leaks}
    stale = tuple(sorted(name for name in known - seen if f"{name.rpartition(':')[0]}:" in ran))
    if stale and not wanted.write_baseline:
        from oakum.report.words import word

        remark(word("tested.stale", wanted.lang, count=len(stale), file=wanted.baseline))
    return replace(run, tests=tests, baseline=wanted.baseline, stale=stale)


def _write_baseline(run: "TestRun", known: frozenset[str], wanted: Wanted) -> None:
    """Write what is known from now on; of tests that were not run, what was known stays."""
    from oakum.report.tested import baseline
    from oakum.report.words import word

    ran = {f"{one.package}/{one.name}" for one in run.measured}
    write(baseline(run, [name for name in known if name.rpartition(":")[0] not in ran]), wanted.baseline)
    count = sum(len(one.leaks) for one in run.tests)
    remark(word("tested.baseline-written", wanted.lang, file=wanted.baseline, count=count))


def _write(run: "TestRun", output: Output, lang: str) -> None:
    from oakum.report.words import word

    text = _rendered(run, output, lang)
    write(text, output.name)
    if output.name != "-":
        key = "written.page" if output.form == "html" else "written"
        remark(word(key, lang, name=output.name, size=size(len(text.encode("utf-8", "backslashreplace")))))


def _rendered(run: "TestRun", output: Output, lang: str) -> str:
    from oakum.report import tested as written

    if output.form in ("json", "sarif"):
        made = written.document(run) if output.form == "json" else written.sarif(run, lang)
        return json.dumps(made, indent=2, ensure_ascii=False) + "\n"
    if output.form == "junit":
        return written.junit(run, lang)
    if output.form == "github":
        return written.annotations(run, lang, _relative)
    from oakum.report.page.tested import tested_page

    page = tested_page(run, lang)
    if output.form == "html":
        from oakum.report.html import render as html

        return html(page)
    if output.form == "markdown":
        from oakum.report.markdown import render as markdown

        return markdown(page)
    from oakum.report.terminal import render

    return render(page, page_look(lang, output.name))


def _relative(file: str) -> str:
    """Return a file as GitHub names it: from the root of the checkout, where the command is run."""
    root = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()).resolve()
    path = Path(file)
    return str(path.relative_to(root)) if path.is_relative_to(root) else file


def _code(run: "TestRun", wanted: Wanted) -> int:
    if run.leaking:
        return 1 if wanted.enforce else 0
    return 3 if run.too_few or not run.measured else 0

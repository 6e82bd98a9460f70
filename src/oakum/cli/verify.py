"""oakum verify: is the leak gone? Two experiments side by side, or what stays after tests of a module."""

from typing import Any

import click
from msgspec.structs import replace

from oakum.cli.access_options import (
    DURATION,
    STORE,
    LiveCommand,
    access_options,
    guard_options,
    live_option,
    snapshots_option,
)
from oakum.cli.outputs import Output, lang_option, language, output_option, wanted
from oakum.model.errors import UsageError

_OF_TESTS = (
    "run",
    "bench",
    "tags",
    "cgo",
    "race",
    "short",
    "env",
    "baseline",
    "write_baseline",
    "enforce",
    "github",
    "keep",
)


@click.command(
    epilog="""Examples:

\b
  # saved experiments of the leaking and of the fixed build
  oakum verify before.tar.gz after.tar.gz
  # captures, a saved diagnosis, what runs; a page with both curves
  oakum verify before/ after/ -o fix.html -o fix.xml
  oakum verify report.json http://10.0.0.7:6060 --snapshots 4 --every 1m
  # goroutines and heap that stay after each test of a package
  oakum verify --test ./desk
  # one test, twenty iterations; one benchmark
  oakum verify --test ./desk -run TestQuote -count 20
  oakum verify --test ./desk --bench BenchmarkQuote
  # in CI: leaks of the baseline pass, a new one fails and is annotated
  oakum verify --test ./... --baseline leaks.json --enforce --github
  # write that baseline
  oakum verify --test ./... --baseline leaks.json --write-baseline

Exit codes: 0 every finding gone, 1 one still leaks, is only smaller or new, 3 inconclusive, 2 usage error, 4 failed.
With --test: 0, with --enforce 1 for a new leak; 3 no test could be measured, or too
few iterations to tell.

See also: oakum reproduce (makes experiments), oakum diagnose, oakum report --recheck (every number again).
""",
    cls=LiveCommand,
)
@click.argument("sides", nargs=-1, metavar="[BEFORE AFTER]")
@click.option("--test", "packages", multiple=True, metavar="PACKAGES", help="Run tests: ./pkg, ./..., a directory.")
@click.option("--run", metavar="REGEXP", help="Tests to run, as go test -run. Default: all; with --bench none.")
@click.option("--bench", default="", metavar="REGEXP", help="Benchmarks to run, as go test -bench.")
@click.option(
    "--count",
    type=click.IntRange(1, 1000),
    default=6,
    show_default=True,
    metavar="N",
    help="Iterations of each test, batches of each benchmark; a leak is proven from 6 on.",
)
@click.option(
    "--batch",
    type=click.IntRange(1, 1_000_000),
    default=50,
    show_default=True,
    metavar="N",
    help="Iterations of a benchmark in each batch.",
)
@click.option(
    "--grace", type=DURATION, default="1s", show_default=True, metavar="TIME", help="Time for goroutines to end."
)
@click.option(
    "--test-timeout", type=DURATION, default="10m", show_default=True, metavar="TIME", help="Limit for one test."
)
@click.option("--tags", default="", metavar="LIST", help="Build tags.")
@click.option("--cgo", is_flag=True, help="Compile C code of the packages, too; off by default.")
@click.option("--race", is_flag=True, help="Run tests with the race detector, as go test -race; needs a C compiler.")
@click.option("--short", is_flag=True, help="Run tests with -short.")
@click.option("--env", multiple=True, metavar="NAME[=VALUE]", help="Environment variable for the tests; repeatable.")
@click.option("--baseline", metavar="FILE", help="File of accepted leaks: listed separately, never a failure.")
@click.option("--write-baseline", is_flag=True, help="Write the leaks found to --baseline.")
@click.option("--enforce", is_flag=True, help="Exit 1 when a test leaks what the baseline does not have.")
@click.option("--github", is_flag=True, help="Print annotations for GitHub Actions (::error file=...).")
@click.option("--keep", default="", metavar="DIR", help="Keep the captures of each test here.")
@click.option("--no-compile", is_flag=True, help="Do not compile drafted fixes; faster for large programs.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print the result as JSON (oakum.verify/1, of tests oakum.tests/1)."
)
@output_option
@lang_option
@snapshots_option("Number of snapshots.", 4)
@click.option(
    "--every", type=DURATION, default="10s", show_default=True, metavar="TIME", help="Interval between snapshots."
)
@guard_options
@access_options
@live_option(*STORE)
def command(
    sides: tuple[str, ...],
    packages: tuple[str, ...],
    output: tuple[str, ...],
    as_json: bool,
    lang: str | None,
    **given: Any,
) -> int:
    """Verify that a leak is gone, or that tests leave nothing behind.

    BEFORE and AFTER are each a saved experiment, a bundle, a directory of snapshots, a saved diagnosis (.json, .html)
    or a running target, captured now. What each unit of work leaves is compared, never a count: each finding of before
    is gone, smaller, still there or not decided, and what the fix uncovered is new.

    With --test the tests and benchmarks of Go packages are run, each in a process of its own, and what stays after
    each iteration is measured: goroutines, and heap after garbage collection. The tree is not written to: what
    measures is compiled in through an overlay, and a TestMain of the package works as ever.
    """
    outputs, spoken = wanted(output, as_json=as_json, inputs=sides), lang or language()
    if packages and sides:
        raise UsageError("--test and BEFORE AFTER exclude each other")
    if packages:
        return _tests(packages, outputs, spoken, given)
    if misplaced := [name for name in _OF_TESTS if given[name]]:
        raise UsageError(f"--{misplaced[0].replace('_', '-')} needs --test PACKAGES")
    from oakum.cli.verify_sides import verify_sides

    return verify_sides(sides, outputs, spoken, given)


def _tests(packages: tuple[str, ...], outputs: tuple[Output, ...], lang: str, given: dict[str, Any]) -> int:
    from oakum.cli.verify_tests import Wanted, env_of, folder_of, verify_tests
    from oakum.experiment.go_tests import Asked

    if given["write_baseline"] and not given["baseline"]:
        raise UsageError("--write-baseline needs --baseline FILE")
    if given["github"]:
        outputs = tuple(replace(one, form="github") if one == Output("-", "text") else one for one in outputs)
        if not any(one.form == "github" for one in outputs):
            outputs = (*outputs, Output("-", "github"))
    folder, patterns = folder_of(packages)
    run = given["run"] if given["run"] is not None else "" if given["bench"] else "."
    asked = Asked(
        patterns,
        run,
        given["bench"],
        given["count"],
        given["batch"],
        given["grace"],
        given["test_timeout"],
        given["tags"],
        given["short"],
        env_of(given["env"]),
        cgo=given["cgo"],
        race=given["race"],
    )
    settled = Wanted(
        outputs,
        lang,
        given["baseline"] or "",
        given["write_baseline"],
        given["enforce"],
        given["keep"],
        not given["no_compile"],
    )
    return verify_tests(folder, asked, settled)

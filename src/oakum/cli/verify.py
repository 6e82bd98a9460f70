"""oakum verify: is the leak gone? Two experiments side by side, or what stays after tests of a module."""

from typing import Any

import click
from msgspec.structs import replace

from oakum.cli.access_options import DURATION
from oakum.cli.outputs import Output, lang_option, language, output_option, wanted
from oakum.model.errors import UsageError


@click.command(
    epilog="""Examples:

\b
  # goroutines and heap that stay after each test of a package
  oakum verify --test ./desk
  # one test, twenty iterations; one benchmark
  oakum verify --test ./desk -run TestQuote -count 20
  oakum verify --test ./desk --bench BenchmarkQuote
  # in CI: known leaks pass, a new one fails the step and is shown in the code
  oakum verify --test ./... --baseline leaks.json --enforce --github
  # write that baseline
  oakum verify --test ./... --baseline leaks.json --write-baseline

Exit codes: 0 unless --enforce: then 1 for a new leak; 3 no test could be measured, 2 usage error, 4 failed.

See also: oakum diagnose (a running service), oakum scan (leaking code without running it).
""",
)
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
    "--timeout", type=DURATION, default="10m", show_default=True, metavar="TIME", help="Limit for one test, all of it."
)
@click.option("--tags", default="", metavar="LIST", help="Build tags.")
@click.option("--short", is_flag=True, help="Run tests with -short.")
@click.option("--env", multiple=True, metavar="NAME[=VALUE]", help="Environment variable for the tests; repeatable.")
@click.option("--baseline", metavar="FILE", help="File of known leaks, which are told apart and never fail.")
@click.option("--write-baseline", is_flag=True, help="Write the leaks found to --baseline.")
@click.option("--enforce", is_flag=True, help="Exit 1 when a test leaks what the baseline does not have.")
@click.option("--github", is_flag=True, help="Print annotations for GitHub Actions (::error file=...).")
@click.option("--keep", default="", metavar="DIR", help="Keep the captures of each test here.")
@click.option("--no-compile", is_flag=True, help="Do not compile drafted fixes; faster for large programs.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON (schema oakum.tests/1).")
@output_option
@lang_option
def command(
    packages: tuple[str, ...],
    output: tuple[str, ...],
    as_json: bool,
    lang: str | None,
    **given: Any,
) -> int:
    """Verify that a leak is gone, or that tests leave nothing behind.

    With --test the tests and benchmarks of Go packages are run, each in a process of its own, and what stays after
    each iteration is measured: goroutines, and heap after garbage collection. The tree is not written to: what
    measures is compiled in through an overlay, and a TestMain of the package works as ever.
    """
    outputs = wanted(output, as_json=as_json, inputs=())
    if not packages:
        raise UsageError("name what to test: --test ./pkg")
    return _tests(packages, outputs, lang or language(), given)


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
        given["timeout"],
        given["tags"],
        given["short"],
        env_of(given["env"]),
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

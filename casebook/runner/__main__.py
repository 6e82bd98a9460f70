"""`python -m casebook.runner VERB [CASE...]`: record, check, run and score the cases of the casebook."""

import argparse
import signal
import sys
import time
from pathlib import Path

from casebook.runner.build import BuildFailed
from casebook.runner.case import BadCase, UnknownCase, chosen
from casebook.runner.stage import RunFailed
from casebook.runner.tools import toolchain


class Misused(Exception):
    """The command line asks for what does not go together."""


def _list(arguments: argparse.Namespace) -> int:
    for case in chosen(arguments.cases):
        print(f"{case.name:<44} {case.title}")
    return 0


def _record(arguments: argparse.Namespace) -> int:
    from casebook.runner.record import record

    for case in chosen(arguments.cases):
        began = time.monotonic()
        for line in record(case, arguments.take):
            print(line)
        print(f"{case.name}: recorded in {time.monotonic() - began:.0f} s", flush=True)
    return 0


def _scrape(arguments: argparse.Namespace) -> int:
    from casebook.runner.scrape import scrape

    for case in chosen(arguments.cases):
        for build in case.builds:
            if not arguments.build or build.name in arguments.build:
                print(*scrape(case, build), sep="\n", flush=True)
    return 0


def _holders(arguments: argparse.Namespace) -> int:
    from casebook.runner.holders import hold

    for case in chosen(arguments.cases):
        for build in case.builds:
            if not arguments.build or build.name in arguments.build:
                print(*hold(case, build), sep="\n", flush=True)
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from casebook.runner.check import check

    wrong = 0
    for case in chosen(arguments.cases):
        complaints = check(case)
        wrong += bool(complaints)
        print("\n".join(complaints) if complaints else f"{case.name}: as expected", flush=True)
    return 1 if wrong else 0


def _live(arguments: argparse.Namespace) -> int:
    from casebook.runner.live import Outcome, live

    wrong = 0
    for case in chosen(arguments.cases):
        if case.live == "no":
            print(f'{case.name}: is recorded only, case.toml says live = "no"', flush=True)
            continue
        for build in case.builds:
            try:
                outcome = live(case, build)
            except RunFailed as error:
                outcome = Outcome(0, 0, (str(error),))
            wrong += bool(outcome.complaints)
            told = "; ".join(outcome.complaints) or "as expected"
            print(
                f"{case.name} {build.name}: built in {outcome.built:.0f} s, ran {outcome.ran:.0f} s: {told}", flush=True
            )
    return 1 if wrong else 0


def _accuracy(arguments: argparse.Namespace) -> int:
    from casebook.runner.accuracy import NAIVE, accuracy, misses, table, write_readmes
    from casebook.runner.accuracy_page import write_page
    from casebook.runner.settings import SETTINGS
    from casebook.runner.signals import signal_misses, signal_scores, signal_table

    if arguments.write and (arguments.cases or arguments.setting):
        raise Misused("--write takes neither cases nor --setting: the readmes and docs/accuracy.md show all of them")
    if unknown := {*arguments.setting} - {*SETTINGS, NAIVE}:
        raise Misused(f"there is no setting {', '.join(sorted(unknown))}; there are: {'; '.join((*SETTINGS, NAIVE))}")
    results = accuracy(chosen(arguments.cases), arguments.setting)
    signals = [*signal_scores(arguments.cases)]
    print(table(results), signal_table(signals), sep="\n\n")
    if arguments.misses:
        print("", *misses(results), *signal_misses(signals), sep="\n")
    if arguments.write:
        write_readmes(results)
        write_page(results)
    return 0


def _windows(arguments: argparse.Namespace) -> int:
    from casebook.runner import company
    from casebook.runner.windows import listed, outcomes
    from casebook.runner.windows_page import PAGE, misses, page, table

    if arguments.write and arguments.cases:
        raise Misused("--write takes no cases: docs/windows.md shows all of them")
    cases = list(chosen(arguments.cases))
    found = outcomes(cases, regressions=not arguments.cases)
    pairs = list(company.outcomes(company.drawn(listed(cases, regressions=not arguments.cases))))
    beside = company.table(pairs)
    print(table(found), beside, sep="\n\n")
    if arguments.write:
        PAGE.write_text(page(found, beside, company.PAIRS), encoding="utf-8")
    if arguments.misses:
        print("", *misses(found), sep="\n")
    return 0


def _sensitivity(arguments: argparse.Namespace) -> int:
    from casebook.runner.numbers import modules
    from casebook.runner.sensitivity import measure
    from casebook.runner.sensitivity_page import PAGE, page, table

    if unknown := {*arguments.only} - {*modules()}:
        raise Misused(f"there is no module {', '.join(sorted(unknown))}; there are: {', '.join(modules())}")
    measured, asked = measure(arguments.only, arguments.jobs)
    if arguments.only:
        print(table(measured))
    else:
        PAGE.write_text(page(measured, asked), encoding="utf-8")
    return 0


def _causes(arguments: argparse.Namespace) -> int:
    from casebook.runner.accuracy import causes_table
    from casebook.runner.causes import causes, report

    results = causes(chosen(arguments.cases))
    print(*report(results, arguments.verbose), sep="\n")
    print("", causes_table(results), sep="\n")
    return 0


def _patched(arguments: argparse.Namespace) -> int:
    from casebook.runner.patched import trials

    wrong = 0
    for one in trials(chosen(arguments.cases)):
        wrong += not one.mended
        print(f"{one.draft.case.name}: {one.told()}", flush=True)
    return 1 if wrong else 0


def _prove(arguments: argparse.Namespace) -> int:
    from casebook.runner.prove import describe, proven, write_page

    rows = []
    for row in proven(chosen(arguments.cases)):
        rows.append(row)
        print(f"{row.case}: {row.mechanism}: {describe(row)} ({row.proof.seconds:.0f} s)", flush=True)
    print(f"{sum(row.proof.holds for row in rows)} of {len(rows)} drafted fixes get a test")
    if arguments.write:
        write_page(rows)
    return 0


def _experiment(arguments: argparse.Namespace) -> int:
    from casebook.runner.experiments import experiments

    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
    for row in experiments(chosen(arguments.cases), arguments.times, arguments.keep):
        told = "; ".join(row.findings) or "nothing stays"
        print(f"{row.case}: {row.verdict}: {told} ({row.seconds:.0f} s)", flush=True)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m casebook.runner", description=__doc__)
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    for name, function, text in (
        ("list", _list, "name the cases"),
        ("record", _record, "build, run, capture; write casebook/CASE/captures"),
        ("scrape", _scrape, "build, run, keep its metrics as a range; write casebook/CASE/signals"),
        ("holders", _holders, "build, run, keep what holds its heap; write casebook/CASE/holders"),
        ("check", _check, "is expect.toml true of what was recorded?"),
        ("accuracy", _accuracy, "run the diagnosis over everything recorded and print how often it was right"),
        ("windows", _windows, "run it over parts of every recording: detected or not, who is accused"),
        (
            "sensitivity",
            _sensitivity,
            "change each number that decides by a third; write docs/numbers.md: who needs it?",
        ),
        ("causes", _causes, "diagnose leaking takes with their source; which lines of the cause are named, which not?"),
        ("patched", _patched, "apply the drafted fixes to copies, run them; do they compile, and stop the leak?"),
        (
            "prove",
            _prove,
            "draft tests for the drafted fixes and run them: who gets one? All take a quarter of an hour",
        ),
        ("experiment", _experiment, "build it and make an experiment with its own requests: what is said to stay?"),
        ("live", _live, "build and run it now, shortened; is expect.toml true of it?"),
    ):
        verb = verbs.add_parser(name, help=text)
        verb.set_defaults(run=function)
        if name == "sensitivity":
            verb.add_argument(
                "--only", action="append", default=[], metavar="MODULE", help="print those of this module"
            )
            verb.add_argument("--jobs", type=int, default=2, help="changes that are tried at a time (default 2)")
            continue
        if name in (
            "record",
            "scrape",
            "holders",
        ):  # hours of it, and every capture is replaced: never by leaving something out
            verb.add_argument("cases", nargs="+", metavar="CASE", help="a folder of casebook/; `list` names them")
        else:
            verb.add_argument("cases", nargs="*", metavar="CASE", help="all when there is none")
        if name == "accuracy":
            verb.add_argument("--setting", action="append", default=[], help="only this setting; may be given again")
        if name in ("accuracy", "windows"):
            verb.add_argument("--misses", action="store_true", help="name every take that was not answered rightly")
        if name in ("accuracy", "windows", "prove"):
            told = "the readmes and docs/accuracy.md" if name == "accuracy" else f"docs/{name}.md"
            verb.add_argument("--write", action="store_true", help=f"put the table into {told}")
        if name == "causes":
            verb.add_argument("-v", "--verbose", action="store_true", help="also what was said, of every take")
        if name == "experiment":
            verb.add_argument("--times", type=int, default=300, metavar="N", help="requests (default 300)")
            verb.add_argument("--keep", type=Path, metavar="DIR", help="keep the experiments here")
        if name in ("scrape", "holders"):
            verb.add_argument("--build", action="append", default=[], help="only this build; may be given again")
        if name == "record":
            verb.add_argument("--take", action="append", default=[], help="only this take; may be given again")
    return parser


def main() -> int:
    """Run one verb; say in one line what went wrong."""
    arguments = _parser().parse_args()
    signal.signal(
        signal.SIGTERM, signal.default_int_handler
    )  # `timeout` and CI: processes and folders go as with Ctrl-C
    try:
        code: int = arguments.run(arguments)
        return code
    except (UnknownCase, Misused) as error:
        print(f"casebook: {error}", file=sys.stderr)
        return 2
    except (BadCase, BuildFailed, RunFailed, toolchain.Missing) as error:
        print(f"casebook: {error}", file=sys.stderr)
        return 4
    except KeyboardInterrupt:
        print("casebook: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())

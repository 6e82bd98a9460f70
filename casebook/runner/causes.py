"""`causes`: leaking takes with a checkout of their source -> which lines of the cause the explanation names.

The same setting as in the table of the readmes, without the command line around it: nothing is compiled or fetched.
"""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from casebook.runner.accuracy import WITH_SOURCE, Result
from casebook.runner.case import Case, Take, case
from casebook.runner.expectation import Site, expectation
from casebook.runner.score import Diagnosis, Explanation, score
from casebook.runner.settings import Given, trial, with_source
from casebook.runner.tools import processes

SETTING = WITH_SOURCE


def explained(given: Given) -> Diagnosis:
    """Return what a diagnosis says that may read the checkout, the module cache and GOROOT of this machine."""
    from oakum.cli.case import case as read
    from oakum.collect.code.sources import LocalSources
    from oakum.diagnose import diagnose
    from oakum.report.json import document

    source = [given.arguments[at + 1] for at, word in enumerate(given.arguments) if word == "--source"]
    told = read([word for word in given.arguments if word != "--source" and word not in source])
    builds = [process.build for process in told.processes if process.build]
    return document(diagnose(told, lambda _: None, LocalSources(source, builds)))


def leaking(one: Case) -> list[Take]:
    """Return the takes of a case that leak."""
    return [take for take in one.takes if expectation(one, take.build.name).verdict == "leaking"]


def _take(name: str, take: Take) -> Result | None:
    with tempfile.TemporaryDirectory() as scratch:
        given = with_source(trial(case(name), take, Path(scratch)))
        return Result(name, take.name, SETTING, score(explained(given), given.truth)) if given else None


def causes(cases: Iterable[Case]) -> list[Result]:
    """Return the results of every leaking take of these cases, two takes at a time."""
    work = [(one.name, take) for one in cases for take in leaking(one)]
    with processes() as pool:
        return [result for result in pool.map(_take, *zip(*work, strict=True), chunksize=2) if result] if work else []


def report(results: Sequence[Result], verbose: bool = False) -> Iterator[str]:
    """Yield, case by case, what is missing or wrong; takes that read alike are told once."""
    for name in dict.fromkeys(result.case for result in results):
        told: dict[tuple[str, ...], list[str]] = {}
        for result in results:
            if result.case == name:
                lines = [*([] if result.score.mechanism else [_mechanism(result)])]
                for one in result.score.explanations:
                    lines += _lines(one, verbose)
                told.setdefault(tuple(lines), []).append(result.take)
        for rows, takes in told.items():
            if rows:
                yield f"{name} ({', '.join(takes)})"
                yield from (f"  {row}" for row in rows)


def _mechanism(result: Result) -> str:
    return "the mechanism is wrong" if result.score.found else "the place is not found"


def _lines(one: Explanation, verbose: bool) -> Iterator[str]:
    if not one.said:
        yield f"{one.finding}: silent"
    elif one.wrong:
        yield f"{one.finding}: WRONG, it says {', '.join(one.told) or 'no lines'}"
    elif one.missing or verbose:
        yield f"{one.finding}: {len(one.named)} of {len(one.named) + len(one.missing)} lines"
    if one.missing and (one.said or verbose):
        yield from (f"  missing: {_site(site)}" for site in one.missing)
    if verbose and one.said:
        yield from (f"  told: {line}" for line in one.told)
        yield f"  {one.because}"


def _site(site: Site) -> str:
    lines = "/".join(str(line) for line in (site.line, *site.also))
    return f"{site.role} {site.file}:{lines}  {site.code}".rstrip()


__all__ = ["SETTING", "causes", "explained", "leaking", "report"]

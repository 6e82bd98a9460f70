"""Every program of the casebook, built and run now: it still leaks, or does not, as expect.toml says.

Builds go one after the other, since each takes all cores; runs go several at a time, since they mostly wait. A run that
does not behave is run again when all the others are through, alone and with more time, and fails when it never behaves.
"""

import subprocess
import threading
from collections.abc import Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import cast

import pytest

from casebook.runner.build import for_live
from casebook.runner.case import CASEBOOK, Build, Case, case, names
from casebook.runner.live import Outcome, live
from casebook.runner.stage import RunFailed, give_up_all
from toolchain import DownloadFailed, need_go

pytestmark = pytest.mark.live

Run = tuple[str, str]
RUNS: list[Run] = [(name, build.name) for name in names() if (one := case(name)).live != "no" for build in one.builds]
AT_ONCE = 16
# A loaded machine may miss a time-out that a program counts on; a program that behaves otherwise does so every time.
TRIES = 3
_building = threading.Lock()
_ended = threading.Event()


def _live(one: Case, build: Build) -> Outcome:
    with _building:
        for_live(one, build) if one.own else None
    return _tried(one, build, 1)


def _tried(one: Case, build: Build, number: int) -> Outcome:
    """Run a build once. Its limit is that of a machine with nothing else to do: only one that hangs may reach it here."""
    if _ended.is_set():
        return Outcome(0, 0, ("the tests were ended",))
    try:
        return live(replace(one, limit=one.limit * (1 + number)), build)
    except (RunFailed, LookupError, TypeError, ValueError) as error:  # or an answer that no scenario can read
        return Outcome(0, 0, (f"{type(error).__name__}: {error}",))


def _settled(one: Case, build: Build, first: "Future[Outcome]", firsts: "Collection[Future[Outcome]]") -> list[Outcome]:
    """Return every try until one behaves; those after the first have the machine to themselves."""
    tries = [first.result()]
    while tries[-1].complaints and len(tries) < TRIES and not _ended.is_set():
        for other in firsts:  # not wait(), which never comes back from one that was cancelled
            other.exception()
        tries.append(_tried(one, build, 1 + len(tries)))
    return tries


@pytest.fixture(scope="module")
def outcomes(request: pytest.FixtureRequest) -> Iterator[dict[Run, "Future[list[Outcome]]"]]:
    """Return the running and finished runs that were asked for."""
    asked = [item for item in request.session.items if isinstance(item, pytest.Function) and item.path == request.path]
    given = [item.callspec.params for item in asked if hasattr(item, "callspec")]
    wanted = [cast(Run, parameters["run"]) for parameters in given if "run" in parameters]
    pool, again = ThreadPoolExecutor(AT_ONCE), ThreadPoolExecutor(1)
    try:
        builds = {run: (one := case(run[0]), one.build(run[1])) for run in wanted}
        firsts = {run: pool.submit(_live, *built) for run, built in builds.items()}
        yield {run: again.submit(_settled, *builds[run], first, firsts.values()) for run, first in firsts.items()}
    finally:  # Ctrl-C and -x end here with runs under way
        _ended.set()
        give_up_all("the tests were ended")
        pool.shutdown(cancel_futures=True)
        again.shutdown(cancel_futures=True)


@pytest.mark.parametrize("run", RUNS, ids="/".join)
def test_it_behaves_as_expected(run: Run, outcomes: dict[Run, "Future[list[Outcome]]"]) -> None:
    try:
        tries = outcomes[run].result()
    except DownloadFailed as reason:
        pytest.skip(str(reason))
    for one in tries[:-1]:
        print(f"run again: {one.complaints}")  # pytest -rP shows it
    assert not tries[-1].complaints, [one.complaints for one in tries]


def test_sources_are_formatted() -> None:
    gofmt = need_go().with_name("gofmt")
    told = subprocess.run([gofmt, "-l", CASEBOOK], capture_output=True, text=True, check=True).stdout
    assert told.replace(f"{CASEBOOK}/", "") == ""


@pytest.mark.parametrize(
    ("told", "tries"), [([()], 1), ([("no",), ("no",), ()], 3), ([("no",), ()], 2), ([("no",)] * 5, 3)], ids=str
)
def test_a_run_fails_that_never_behaves(
    told: list[tuple[str, ...]], tries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = case(RUNS[0][0])
    outcomes = [Outcome(0, 0, complaints) for complaints in told]
    limits = []

    def played(again: Case, build: Build) -> Outcome:
        limits.append(again.limit / one.limit)
        return outcomes[len(limits)]

    monkeypatch.setitem(globals(), "live", played)
    first: Future[Outcome] = Future()
    first.set_result(outcomes[0])
    settled = _settled(one, one.builds[0], first, [first])
    assert settled == outcomes[:tries]
    assert limits == [3, 4][: tries - 1]

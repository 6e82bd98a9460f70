"""Every program of the casebook, built and run now: it still leaks, or does not, as expect.toml says.

Builds go one after the other, since each takes all cores; runs go several at a time, since they mostly wait.
"""

import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
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
    outcome = Outcome(0, 0, ())
    for _ in range(TRIES):
        if _ended.is_set():
            break
        try:
            outcome = live(one, build)
        except RunFailed as error:
            outcome = Outcome(0, 0, (str(error),))
        if not outcome.complaints:
            break
    return outcome


@pytest.fixture(scope="module")
def outcomes(request: pytest.FixtureRequest) -> Iterator[dict[Run, "Future[Outcome]"]]:
    """Return the running and finished runs that were asked for."""
    asked = [item for item in request.session.items if isinstance(item, pytest.Function) and item.path == request.path]
    wanted: list[Run] = [cast(Run, item.callspec.params["run"]) for item in asked if hasattr(item, "callspec")]
    pool = ThreadPoolExecutor(AT_ONCE)
    try:
        yield {run: pool.submit(_live, one := case(run[0]), one.build(run[1])) for run in wanted}
    finally:  # Ctrl-C and -x end here with runs under way
        _ended.set()
        give_up_all("the tests were ended")
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("run", RUNS, ids="/".join)
def test_it_behaves_as_expected(run: Run, outcomes: dict[Run, "Future[Outcome]"]) -> None:
    try:
        assert outcomes[run].result().complaints == ()
    except DownloadFailed as reason:
        pytest.skip(str(reason))


def test_sources_are_formatted() -> None:
    gofmt = need_go().with_name("gofmt")
    told = subprocess.run([gofmt, "-l", CASEBOOK], capture_output=True, text=True, check=True).stdout
    assert told.replace(f"{CASEBOOK}/", "") == ""

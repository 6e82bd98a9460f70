"""Rules for every test: what a skip means, and how golden files are renewed."""

import os
import re
import signal
import threading
from collections.abc import Callable, Generator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from xdist.remote import Producer  # type: ignore[import-untyped]
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

# A loaded machine is slow, which is no failure. CI tries the same examples every time: what it finds today it must not
# find by chance in somebody else's change; chance is for the developers' machines and for `make fuzz`.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")

# A shell starts what runs in the background deaf to Ctrl-C; tests that interrupt must be heard.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.pop("COLUMNS", None)  # xdist gives its workers a width; commands under test write into pipes

# The only skips that a CI run lets pass: a mirror that did not answer, and evidence that a clone does not have.
_FORGIVEN = ("download failed three times", "no shared evidence")

# As a file says that it is live.
_ALONE = re.compile(r"pytest\.mark\.(?:live|peer|browser)\b")
ROOT = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write golden files instead of comparing with them")


@cache
def _scope(path: str) -> str:
    """Return what a file's tests are run together with: nothing, as its fixtures are dear, or all that stay alone."""
    return "alone" if _ALONE.search((ROOT / path).read_text(encoding="utf-8")) else path


class _ByFiles(LoadScopeScheduling):  # type: ignore[misc]
    """Shares the tests out among workers by files; those that build programs, measure or open a browser stay in one
    worker, one after the other."""

    def _split_scope(self, nodeid: str) -> str:
        return _scope(nodeid.partition("::")[0])


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    return _ByFiles(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put first, where there are workers, what takes longest together."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: _scope(item.nodeid.partition("::")[0]) != "alone")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and os.environ.get("CI") and isinstance(report.longrepr, tuple):
        reason = str(report.longrepr[2]).removeprefix("Skipped: ")
        if not reason.startswith(_FORGIVEN):
            report.outcome = "failed"
            report.longrepr = f"{item.nodeid} was skipped, which CI does not allow: {reason}"
    return report


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Return a function that compares a text with a golden file, or writes it with --update."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--update"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; look, then pytest --update"

    return compare

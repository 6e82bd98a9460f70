"""Rules for every test: what a skip means, and how golden files are renewed."""

import gc
import os
import re
import signal
import tempfile
import threading
from collections.abc import Callable, Generator, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from hypothesis import settings
from xdist.remote import Producer  # type: ignore[import-untyped]
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

from oakum.model import Capture, Reading
from oakum.parse import parse

if TYPE_CHECKING:
    from browser import Page

# A loaded machine is slow, which is no failure. CI tries the same examples every time: what it finds today it must not
# find by chance in somebody else's change; chance is for the developers' machines and for `make fuzz`.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")

# A shell starts what runs in the background deaf to Ctrl-C; tests that interrupt must be heard.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Commands under test speak English, write into pipes and meet no cluster, whatever the machine has been told; xdist gives
# its workers a width.
for name in (
    "COLUMNS", "LINES", "LC_ALL", "LC_MESSAGES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "KUBECONFIG",
    "OAKUM_DEBUG", "OAKUM_QUIET", "OAKUM_TOKEN", "PPROF_TMPDIR",
):  # fmt: skip
    os.environ.pop(name, None)
os.environ["LANG"] = "C.UTF-8"
# The name of a socket has 107 bytes, of which a long temporary directory leaves too few to name a test.
if len(tempfile.gettempdir()) > 20 and os.access("/tmp", os.W_OK):
    os.environ["TMPDIR"] = tempfile.tempdir = "/tmp"

# The product switches the collector off: a command is soon over. Tests run many in one process, so it runs seldom: where
# Go source is read, looking for cycles would take a third of the time.
gc.set_threshold(100_000, 20, 20)

# The only skips that a CI run lets pass: a mirror that did not answer, and evidence that a clone does not have.
_FORGIVEN = ("download failed three times", "no shared evidence")

# As a file says that it mostly waits for programs that it has started, that it is live, that it asks pprof, and that it reads recorded takes, which are parsed once in a worker.
_WAITS = re.compile(r"pytest\.mark\.waits\b")
_ALONE = re.compile(r"pytest\.mark\.(?:live|browser)\b")
_PEER = re.compile(r"pytest\.mark\.peer\b")
_TAKES = re.compile(r"^from recordings import .*\btaken\b", re.MULTILINE)
ROOT = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write golden files instead of comparing with them")


@cache
def _scope(path: str) -> str:
    """Return what a file's tests are run together with: nothing, as its fixtures are dear, or others of its kind."""
    text = (ROOT / path).read_text(encoding="utf-8")
    kinds = {"waits": _WAITS, "alone": _ALONE, "peer": _PEER, "takes": _TAKES}
    return next((kind for kind, says in kinds.items() if says.search(text)), path)


class _ByFiles(LoadScopeScheduling):  # type: ignore[misc]
    """Shares the tests out among workers by files; those that run programs or open a browser stay in one worker, one
    after the other; beside them, in another, those that mostly wait."""

    def _split_scope(self, nodeid: str) -> str:
        return _scope(nodeid.partition("::")[0])


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    config.option.loadscopereorder = False  # what takes longest is not where the most tests are
    return _ByFiles(config, log)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return one worker for each core, one for what stays alone, which often waits for others, and one for what waits."""
    return (os.cpu_count() or 1) + 2 * ("not live" not in config.option.markexpr)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put first, where there are workers, what takes longest together, so that none is left with it in the end."""
    if not hasattr(config, "workerinput"):
        return
    slow = {item.path for item in items if item.get_closest_marker("slow") or item.get_closest_marker("peer")}
    first = ("waits", "alone")
    items.sort(key=lambda item: (_scope(item.nodeid.partition("::")[0]) not in first, item.path not in slow))


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


@lru_cache(maxsize=512)
def _parsed(data: bytes) -> tuple[Reading, ...]:
    return parse(Capture("", data))


@pytest.fixture(scope="session", autouse=True)
def _parsed_once() -> Iterator[None]:
    """Parse what tests of a worker make cases of once: most are made of the same recordings. Tests of parse call it."""
    with patch("oakum.pipeline.case.parse", lambda capture: _parsed(bytes(capture.data))):
        yield


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Return a function that compares a text with a golden file, or writes it with --update."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--update"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; look, then pytest --update"

    return compare


@pytest.fixture(scope="session")
def browser() -> "Iterator[Page]":
    """Lend a page of the one Chromium that all browser tests of a worker share: starting it takes a second."""
    from browser import chromium

    with chromium() as opened:
        yield opened

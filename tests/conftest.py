"""Rules for every test: what a skip means, and how golden files are renewed."""

import os
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from hypothesis import settings

# A loaded machine is slow, which is no failure. CI tries the same examples every time: what it finds today it must not
# find by chance in somebody else's change; chance is for the developers' machines and for `make fuzz`.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")

os.environ.pop("COLUMNS", None)  # xdist gives its workers a width; commands under test write into pipes

# The only skips that a CI run lets pass: a mirror that did not answer, and evidence that a clone does not have.
_FORGIVEN = ("download failed three times", "no shared evidence")

_ALONE = ("live", "peer", "browser")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write golden files instead of comparing with them")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Share the tests out among workers by files, whose fixtures are dear. Those that build programs, measure or open a
    browser stay in one worker, one after the other, and come first: together they take longest."""
    if not config.pluginmanager.hasplugin("dsession") and not hasattr(config, "workerinput"):
        return
    for item in items:
        alone = any(item.get_closest_marker(name) for name in _ALONE)
        item.add_marker(pytest.mark.xdist_group("alone" if alone else item.path.as_posix()))
    items.sort(key=lambda item: not any(item.get_closest_marker(name) for name in _ALONE))


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

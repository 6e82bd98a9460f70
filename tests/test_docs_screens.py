"""The screens in the readmes and reference pages are what the command prints, less the lines that `[...]` stands for."""

from pathlib import Path

import pytest

from screens import check_screens, terminal
from support import ROOT

# Pages whose commands run in a clone; those of capture.md, find.md and report.md need a running service or a written report.
PAGES = [ROOT / name for name in ("README.md", "README.zh-CN.md", "docs/known.md", "docs/scan.md")]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_screen_is_what_the_command_prints(
    path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    assert check_screens(path, terminal(monkeypatch), request.config.getoption("--update"))

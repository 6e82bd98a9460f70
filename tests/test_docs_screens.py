"""The diagnoses shown in the readmes are what the command prints, less the lines that `[...]` stands for."""

from pathlib import Path

import pytest

from screens import check_screens, terminal
from support import ROOT

READMES = [ROOT / "README.md", ROOT / "README.zh-CN.md"]


@pytest.mark.parametrize("path", READMES, ids=lambda path: path.name)
def test_diagnosis_is_what_the_command_prints(
    path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    assert check_screens(path, terminal(monkeypatch), request.config.getoption("--update"))

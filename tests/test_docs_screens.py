"""The diagnoses shown in the readmes are what the command prints, less the lines that `[...]` stands for."""

import re
import shlex
from pathlib import Path

import pytest

from support import ROOT, oakum

# The screen of a terminal of 100 columns, from the root of the repository.
SCREEN = re.compile(r"```text\n\$ oakum (diagnose [^\n]*)\n(.*?)\n```", re.DOTALL)
READMES = [ROOT / "README.md", ROOT / "README.zh-CN.md"]


@pytest.mark.parametrize("path", READMES, ids=lambda path: path.name)
def test_diagnosis_is_what_the_command_prints(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    shown = SCREEN.findall(path.read_text(encoding="utf-8"))
    assert shown
    for command, output in shown:
        printed = oakum(*shlex.split(command), COLUMNS="100", LC_ALL="C.UTF-8").out.splitlines()
        at, left_out = 0, False
        for line in output.splitlines():
            if line == "[...]":
                left_out = True
                continue
            at = printed.index(line, at) if left_out else at
            assert printed[at] == line, command
            at, left_out = at + 1, False
        assert left_out or at == len(printed), command

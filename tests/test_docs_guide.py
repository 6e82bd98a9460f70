"""The guide from alarm to fix is walked through as a reader would, in both languages: its screens are what is printed."""

import shlex
from pathlib import Path

import pytest

from screens import blocks, check_screens, terminal
from support import ROOT, oakum

GUIDES = [ROOT / "docs" / "guide.md", ROOT / "docs" / "guide.zh-CN.md"]


@pytest.fixture(scope="module")
def incident(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that the first two commands of the guide make and enter."""
    folder = tmp_path_factory.mktemp("guide")
    done = oakum("demo", "kubernetes-98653", "-o", folder / "incident")
    assert done.code == 0, done.err
    return folder / "incident" / "kubernetes-98653"


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.name)
def test_the_screens_are_what_is_printed(
    guide: Path, incident: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    assert check_screens(guide, terminal(monkeypatch, incident), request.config.getoption("--update")) >= 5


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.name)
def test_the_commands_work_as_they_are_written(guide: Path, incident: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, *rest = blocks(guide, "sh")
    assert first == "oakum demo kubernetes-98653 -o incident\ncd incident/kubernetes-98653"
    monkeypatch.chdir(incident)
    for line in "\n".join(rest).splitlines():
        command, *arguments = shlex.split(line, comments=True)
        assert command == "oakum"
        done = oakum(*arguments, LC_ALL="C.UTF-8")
        assert done.code == (1 if arguments[0] == "diagnose" else 0), f"{line}\n{done.err}"

"""The wheel is all that a user has: `oakum demo` runs from it, with neither a checkout, a home nor Go."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from oakum.cli.demo_incidents import INCIDENTS, REPORT
from support import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, offline, and return the folder that it is unpacked in."""
    built, unpacked = tmp_path_factory.mktemp("built"), tmp_path_factory.mktemp("unpacked")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(built)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (file,) = built.glob("*.whl")
    assert file.stat().st_size < 6_000_000
    with zipfile.ZipFile(file) as archive:
        archive.extractall(unpacked)
    return unpacked


def run(wheel: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the unpacked wheel in an empty home."""
    home.mkdir(exist_ok=True)
    env = {"PYTHONPATH": str(wheel), "HOME": str(home), "PATH": os.defpath, "LC_ALL": "C.UTF-8"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=home, env=env, capture_output=True, text=True, timeout=120, check=False)


def test_the_demo_runs_from_it(wheel: Path, tmp_path: Path) -> None:
    where = run(wheel, tmp_path / "home", "-c", "import oakum; print(oakum.__file__)")
    assert Path(where.stdout.strip()).is_relative_to(wheel)
    done = run(wheel, tmp_path / "home", "-m", "oakum", "demo", "-o", "shown")
    assert done.returncode == 0, done.stderr
    for incident in INCIDENTS:
        assert (tmp_path / "home" / "shown" / incident.name / REPORT).stat().st_size > 10_000
        assert incident.name in done.stdout


def test_it_has_what_the_demo_reads_and_no_more_of_the_casebook(wheel: Path) -> None:
    casebook = wheel / "oakum" / "casebook"
    assert {folder.name for folder in casebook.iterdir()} == {incident.name for incident in INCIDENTS}
    for incident in INCIDENTS:
        assert {take.name for take in (casebook / incident.name / "captures").iterdir()} == set(incident.takes)
    assert not list(casebook.rglob("*.py"))
    assert not list(casebook.rglob("*.toml"))

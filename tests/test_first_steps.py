"""A new user's path: the commands under "Try it" in the readmes, run exactly as they are written, in a fresh copy."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support import ROOT
from toolchain import DownloadFailed, download

TRY_IT = re.compile(r"## (?:Try it|上手)\n.*?```sh\n(.*?)```", re.DOTALL)
READMES = [ROOT / "README.md", ROOT / "README.zh-CN.md"]
PATIENCE = 600  # seconds for all of it, pip and a slow machine included


def steps(path: Path) -> list[str]:
    """Return the commands, comments left out, continued lines joined."""
    found = TRY_IT.search(path.read_text(encoding="utf-8"))
    assert found, f"{path.name} has no commands to try"
    lines = found[1].replace("\\\n", " ").splitlines()
    return [command for line in lines if (command := re.sub(r"\s+# .*$", "", line).strip())]


def fresh_copy(to: Path) -> Path:
    """Copy what a clone would hold, and nothing that was made here."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    for name in names:
        source = ROOT / name
        if name and source.is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, to / name)
    return to


def test_both_readmes_show_the_same_path() -> None:
    english, chinese = (steps(path) for path in READMES)
    assert english == chinese
    assert english[0] == "make demo"
    assert any("diagnose" in step for step in english)


@pytest.mark.slow
def test_the_first_steps_work_as_they_are_written(tmp_path: Path) -> None:
    clone, home = fresh_copy(tmp_path / "oakum"), tmp_path / "home"
    home.mkdir()
    environment = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "LC_ALL": "C.UTF-8",
        **{name: value for name, value in os.environ.items() if name.startswith(("PIP_", "HTTP", "http"))},
    }
    try:
        download(["make", ".venv/.ready"], clone)  # what `make demo` begins with, three times where a mirror fails
    except DownloadFailed as error:
        pytest.skip(str(error))
    script = "\n".join(f'{step}\necho "::$?"' for step in steps(READMES[0]))
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    codes = [int(code) for code in re.findall(r"^::(\d+)$", done.stdout, re.MULTILINE)]
    expected = [1 if " diagnose " in f" {step} " else 0 for step in steps(READMES[0])]  # what is diagnosed there leaks
    assert codes == expected, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    assert "Traceback" not in done.stdout + done.stderr
    for name in re.findall(r"-o (\S+)", "\n".join(steps(READMES[0]))):
        assert (clone / name).stat().st_size > 1000, name
